//! Recordings.

use super::ground::*;
use crate::store::log::export_cast;

fn cast(ground: &Ground) -> Vec<serde_json::Value> {
    let mut out = Vec::new();
    export_cast(&ground.reader(), "a title", None, Duration::ZERO, &mut out).expect("a recording");
    let text = String::from_utf8(out).expect("it is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn text(events: &[serde_json::Value]) -> String {
    let outputs = events.iter().filter(|event| event[1] == "o");
    outputs.map(|event| event[2].as_str().expect("text")).collect()
}

#[test]
fn a_character_that_was_split_comes_whole_and_a_resize_is_in_its_place() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pty);
    for byte in "dash – and 👩 \u{1b}[1m".bytes() {
        append(&mut sink, LogStream::Output, &[byte]);
        sink.cut(1);
    }
    sink.resized(Size::clamped(100, 30));
    append(&mut sink, LogStream::Output, b"broken \xff end\n");
    end(sink);
    let cast = cast(&ground);
    assert_eq!((&cast[0]["version"], &cast[0]["width"], &cast[0]["height"]), (&2.into(), &80.into(), &24.into()));
    assert_eq!(text(&cast), "dash – and 👩 \u{1b}[1mbroken \u{fffd} end\n");
    let resize = cast.iter().position(|event| event[1] == "r").expect("a resize");
    assert_eq!(cast[resize][2], "100x30");
    assert_eq!(resize, cast.len() - 2);
}

#[test]
fn pipes_get_the_line_ends_of_a_terminal_and_a_gap_is_said() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pipes);
    append(&mut sink, LogStream::Output, b"one\n");
    append(&mut sink, LogStream::Error, b"two\r\n");
    end(sink);
    assert_eq!(text(&cast(&ground)), "one\r\ntwo\r\n");
    let ground = super::ground::ground(SMALL);
    let mut sink = ground.sink(Mode::Pipes);
    for _ in 0..10_000 {
        append(&mut sink, LogStream::Output, b"a line of thirty-one characters\n");
    }
    end(sink);
    assert!(text(&cast(&ground)).starts_with("["), "{}", &text(&cast(&ground))[..60]);
}

/// Gives the entries of all indexes times of their own, a millisecond apart.
fn spread(ground: &Ground) {
    let mut at = 0;
    for name in names(&ground.file("")).into_iter().filter(|name| name.ends_with(".index")) {
        let text = std::fs::read_to_string(ground.file(&name)).expect("an index");
        let mut lines = text.lines();
        let mut head: serde_json::Value = serde_json::from_str(lines.next().expect("a head")).expect("json");
        head["at"] = at.into();
        let mut told = format!("{head}\n");
        for line in lines {
            at += 1000;
            let (_, rest) = line.split_once(',').expect("a time");
            told += &format!("[{at},{rest}\n");
        }
        std::fs::write(ground.file(&name), told).expect("written");
    }
}

#[test]
fn a_recording_from_a_time_on_is_the_end_of_the_whole_one_and_what_comes_before_is_not_read() {
    for mode in [Mode::Pipes, Mode::Pty] {
        let ground = ground(LogOptions { max_log_bytes: 256 * 1024, max_total_log_bytes: 0 });
        let mut sink = ground.sink(mode);
        let mut random = 5;
        for number in 0..4000 {
            random = next_random(random);
            let piece: &[u8] = match random % 5 {
                0 => "ein schönes Stück Text, das länger ist als die anderen, damit etwas zusammenkommt ".as_bytes(),
                // Half a character, and the other half.
                1 => b"\xe2\x82",
                2 => b"\xac\r\n",
                _ => b"a plain line of text\n",
            };
            let stream = if mode == Mode::Pipes && random % 2 == 0 { LogStream::Error } else { LogStream::Output };
            append(&mut sink, stream, piece);
            if mode == Mode::Pty {
                sink.cut(number);
            }
            if number % 64 == 0 {
                wait("there is room", || sink.has_room());
            }
        }
        end(sink);
        spread(&ground);
        let reader = ground.reader();
        let recorded = |since: Duration| {
            let mut out = Vec::new();
            export_cast(&reader, "a title", None, since, &mut out).expect("a recording");
            String::from_utf8(out).expect("text").lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let all = recorded(Duration::ZERO);
        let at = |line: &String| serde_json::from_str::<(f64, String, String)>(line).expect("an event").0;
        let end = at(all.last().expect("an event")) as u64;
        for part in 0..=40 {
            let since = Duration::from_millis(end * 1000 * part / 39 + 1);
            let is_later = |line: &&String| (at(line) * 1e6).round() as u128 >= since.as_micros();
            let expected: Vec<_> = all.iter().filter(is_later).cloned().collect();
            assert_eq!(recorded(since), expected, "{mode:?} {since:?}");
        }
        let mut read = 0;
        reader
            .replay_since::<crate::store::log::LogError>(Duration::from_secs(end + 1), |event| {
                if let LogEvent::Bytes(_, bytes) = event.event {
                    read += bytes.len();
                }
                Ok(())
            })
            .expect("it can be read");
        assert!(read <= 16, "{read} bytes");
    }
}
