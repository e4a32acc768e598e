//! A disk that fails: nothing stops, what is missing is known, and it goes on by itself.

use super::ground::*;
use crate::store::log::files::faults::Step;

/// Writes numbered lines until the log is well again, and ends it; returns what was lost.
fn write_through(ground: &Ground, lines: usize) -> (Vec<String>, u64) {
    let mut sink = ground.sink(Mode::Pipes);
    let progress = sink.progress();
    let all: Vec<String> = (0..lines).map(|line| format!("line {line:06}\n")).collect();
    for line in &all {
        append(&mut sink, LogStream::Output, line.as_bytes());
    }
    // After a pause it is tried again, with the next output.
    let mut more = 0;
    wait("the log is well", || {
        append(&mut sink, LogStream::Output, format!("more {more:06}\n").as_bytes());
        more += 1;
        std::thread::sleep(Duration::from_millis(5));
        sink.failure().is_none() && progress.end(LogStream::Output) > 0
    });
    append(&mut sink, LogStream::Output, b"the last line\n");
    sink.end();
    wait("the log is written", || progress.has_ended());
    (all, sink.facts().lost_bytes)
}

#[test]
fn the_nth_failure_of_each_step_costs_only_what_could_not_be_written() {
    for (step, which) in [
        (Step::Folder, 0..1),
        (Step::Create, 0..1),
        (Step::Create, 1..2),
        (Step::Create, 2..3),
        (Step::Write, 0..1),
        (Step::Write, 1..2),
        (Step::Write, 2..3),
        (Step::Write, 7..8),
        (Step::Write, 100..101),
        (Step::Write, 5..7),
    ] {
        let ground = ground(LogOptions::default());
        ground.files.faults.fail(step, which.clone());
        let (all, lost) = write_through(&ground, 500);
        assert!(lost > 0, "{step:?} {which:?}: something failed");
        let (bytes, skipped) = read_all(&mut ground.reader(), LogStream::Output, 1000);
        assert_eq!(skipped, lost, "{step:?} {which:?}");
        assert!(bytes.ends_with(b"the last line\n"), "{step:?} {which:?}");
        // What is there is in order and nothing is there twice.
        let text = String::from_utf8(bytes.clone()).expect("lines are text");
        let kept: Vec<&str> =
            text.split_inclusive('\n').filter(|line| line.starts_with("line") && line.len() == 12).collect();
        assert!(kept.is_sorted() && kept.len() <= all.len());
        assert_eq!(replayed(&ground.reader(), LogStream::Output), bytes, "{step:?} {which:?}");
    }
}

#[test]
fn a_segment_that_cannot_be_removed_stops_nothing() {
    let ground = ground(SMALL);
    ground.files.faults.fail(Step::Remove, 0..3);
    let mut sink = ground.sink(Mode::Pipes);
    for _ in 0..10_000 {
        append(&mut sink, LogStream::Output, b"a line of thirty-one characters\n");
    }
    end(sink);
    let (bytes, _) = read_all(&mut ground.reader(), LogStream::Output, 1000);
    assert!(bytes.ends_with(b"characters\n"));
}

#[test]
fn a_disk_that_stays_full_is_known_with_since_and_why() {
    let ground = ground(LogOptions::default());
    ground.files.faults.fail(Step::Create, 0..u64::MAX);
    let mut sink = ground.sink(Mode::Pty);
    append(&mut sink, LogStream::Output, b"hello");
    wait("the failure is known", || sink.failure().is_some());
    let (_, why) = sink.failure().expect("a failure");
    assert!(why.contains("No space left"), "{why}");
    append(&mut sink, LogStream::Output, b"hello");
    sink.end();
    wait("the log is ended", || sink.progress().has_ended());
    assert_eq!(sink.facts().lost_bytes, 10);
    assert!(LogReader::open(ground.folder.path(), run()).is_err());
}

#[test]
fn a_run_is_held_up_while_too_much_is_on_its_way_and_no_longer() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pipes);
    let chunk = vec![b'x'; 256 * 1024];
    let mut appended = 0;
    while sink.has_room() && appended < 4096 {
        sink.append(LogStream::Output, &chunk);
        appended += 1;
    }
    wait("there is room", || sink.has_room());
    end(sink);
    let (_, end) = ground.reader().span(LogStream::Output);
    assert_eq!(end, appended * chunk.len() as u64);
}

#[test]
fn bytes_that_were_lost_in_front_of_a_dropped_segment_are_not_counted_as_dropped_too() {
    let ground = ground(SMALL);
    ground.files.faults.fail(Step::Write, 40..41);
    let mut sink = ground.sink(Mode::Pipes);
    let progress = sink.progress();
    let mut total = 0;
    let mut line = |sink: &mut LogSink| {
        append(sink, LogStream::Output, b"a line of thirty-one characters\n");
        total += 32;
    };
    // Until it has failed and is well again.
    wait("something was lost", || {
        line(&mut sink);
        std::thread::sleep(Duration::from_millis(1));
        sink.facts().lost_bytes > 0 && sink.failure().is_none()
    });
    // The segments in front of the gap go.
    for _ in 0..10_000 {
        line(&mut sink);
    }
    sink.end();
    wait("the log is written", || progress.has_ended());
    let facts = sink.facts();
    assert!(facts.lost_bytes > 0 && facts.dropped_bytes > 0, "{facts:?}");
    assert_eq!(facts.bytes + facts.lost_bytes, total, "{facts:?}");
    let (kept, skipped) = read_all(&mut ground.reader(), LogStream::Output, 4096);
    assert_eq!(facts.dropped_bytes + facts.lost_bytes, skipped, "{facts:?}");
    assert_eq!(kept.len() as u64 + facts.dropped_bytes, facts.bytes, "{facts:?}");
}
