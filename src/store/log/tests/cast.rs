//! Recordings.

use super::*;
use crate::store::log::export_cast;

fn cast(ground: &Ground) -> Vec<serde_json::Value> {
    let mut out = Vec::new();
    export_cast(&ground.reader(), "a title", None, &mut out).expect("a recording");
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
    let ground = super::ground(SMALL);
    let mut sink = ground.sink(Mode::Pipes);
    for _ in 0..10_000 {
        append(&mut sink, LogStream::Output, b"a line of thirty-one characters\n");
    }
    end(sink);
    assert!(text(&cast(&ground)).starts_with("["), "{}", &text(&cast(&ground))[..60]);
}
