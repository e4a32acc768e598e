//! Lines of a log: their numbers stay what they are, and reading from a place on gives what the whole log gives.

use super::ground::*;
use crate::store::log::{LogError, LogLine, LogText};

fn whole(reader: &LogReader) -> Vec<LogLine> {
    collected(|see| reader.lines(see))
}

fn around(reader: &LogReader, stream: LogStream, offset: u64) -> Vec<LogLine> {
    collected(|see| reader.lines_around(stream, offset, see))
}

type See<'a> = &'a mut dyn FnMut(LogText) -> Result<(), LogError>;

fn collected(read: impl FnOnce(See<'_>) -> Result<(), LogError>) -> Vec<LogLine> {
    let mut lines = Vec::new();
    let mut see = |text| {
        if let LogText::Line(line) = text {
            lines.push(line);
        }
        Ok(())
    };
    read(&mut see).expect("it can be read");
    lines
}

/// Prints lines that say their numbers.
fn print(sink: &mut LogSink, stream: LogStream, numbers: std::ops::RangeInclusive<u64>) {
    for number in numbers {
        append(sink, stream, format!("line {number}\n").as_bytes());
        wait("there is room", || sink.has_room());
    }
}

fn assert_numbered(lines: &[LogLine]) {
    for line in lines {
        assert_eq!(line.text, format!("line {}", line.line), "{line:?}");
    }
}

#[test]
fn the_number_of_a_line_counts_what_was_dropped_before_it() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pipes);
    print(&mut sink, LogStream::Error, 1..=10);
    print(&mut sink, LogStream::Output, 1..=20_000);
    print(&mut sink, LogStream::Error, 11..=20);
    end(sink);
    let lines = whole(&ground.reader());
    assert!(lines[0].line > 1 && lines.len() > 1000, "{:?}", lines[0]);
    assert_numbered(&lines);
    assert_eq!(lines.last().map(|line| (line.stream, line.line)), Some((LogStream::Error, 20)));
}

#[test]
fn the_numbers_go_on_where_another_program_goes_on_with_the_log() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pty);
    print(&mut sink, LogStream::Output, 1..=5000);
    let (progress, ended) = (sink.progress(), sink.offset(LogStream::Output));
    wait("it is written", || progress.end(LogStream::Output) == ended);
    std::mem::forget(sink);
    let logs = Logs::start(ground.folder.path(), SMALL).expect("a thread");
    let mut sink = logs.resume(run(), Mode::Pty).expect("a log");
    sink.go_on([ended, 0], Some([5000, 0]), None, 0, b"redraw".to_vec());
    print(&mut sink, LogStream::Output, 5001..=5100);
    assert_numbered(&whole(&ground.reader()));
    print(&mut sink, LogStream::Output, 5101..=30_000);
    end(sink);
    let lines = whole(&ground.reader());
    assert!(lines[0].line > 5000, "{:?}", lines[0]);
    assert_numbered(&lines);
}

#[test]
fn a_log_whose_lines_nobody_has_counted_is_read_from_its_beginning() {
    let ground = ground(SMALL);
    let mut sink = ground.logs.resume(run(), Mode::Pty).expect("none");
    sink.go_on([0, 0], None, None, 0, Vec::new());
    print(&mut sink, LogStream::Output, 1..=20_000);
    end(sink);
    let lines = whole(&ground.reader());
    assert!(lines[0].line == 1 && lines[0].text != "line 1", "{:?}", lines[0]);
    let place = lines[lines.len() - 5].offset;
    assert_eq!(around(&ground.reader(), LogStream::Output, place), lines);
}

#[test]
fn from_any_place_on_the_lines_are_those_of_the_whole_log_and_little_before_it_is_read() {
    for (seed, mode) in [(1, Mode::Pipes), (2, Mode::Pty), (3, Mode::Pipes)] {
        let ground = ground(LogOptions { max_log_bytes: 256 * 1024, max_total_log_bytes: 0 });
        let mut sink = ground.sink(mode);
        let mut random = seed;
        for number in 0..20_000 {
            random = next_random(random);
            let piece: &[u8] = match random % 9 {
                0 => b"a part ",
                1 => b"\x1b[31mred\x1b[m\r\n",
                2 => b"one\rover the other\n",
                3 => b"up\x1b[Adown\n",
                4 => b"\n",
                _ => b"a plain line of text\n",
            };
            let stream = if mode == Mode::Pipes && random % 7 == 0 { LogStream::Error } else { LogStream::Output };
            append(&mut sink, stream, piece);
            if number % 64 == 0 {
                wait("there is room", || sink.has_room());
            }
        }
        end(sink);
        let reader = ground.reader();
        let all = whole(&reader);
        let mut shorter = 0;
        for at in (0..all.len()).step_by(all.len() / 100) {
            let place = &all[at];
            let is_there = |line: &&LogLine| line.stream == place.stream && line.offset >= place.offset;
            let read = around(&reader, place.stream, place.offset);
            let (from, expected) =
                (read.iter().position(|line| is_there(&line)), all.iter().position(|line| is_there(&line)));
            let (from, expected) = (from.expect("it is there"), expected.expect("it is there"));
            assert!(read[from..] == all[expected..], "{seed} {at}");
            assert!(from <= all.len() / 3, "{from} of {} lines before it", all.len());
            shorter += usize::from(read.len() < all.len());
        }
        assert!(shorter > 50, "{shorter}");
    }
}
