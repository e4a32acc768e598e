//! Going on with a log whose writer was killed.

use std::fs;
use std::io::Write as _;

use super::ground::*;

/// Writes as a program does that is killed: nothing is ended.
fn leave(ground: &Ground, mode: Mode, chunks: &[(LogStream, &[u8])]) {
    let mut sink = ground.sink(mode);
    let progress = sink.progress();
    let mut ends = [0; 2];
    for (stream, bytes) in chunks {
        append(&mut sink, *stream, bytes);
        ends[stream.index()] += bytes.len() as u64;
        wait("it is written", || LogStream::BOTH.iter().all(|stream| progress.end(*stream) >= ends[stream.index()]));
    }
    // What a kill leaves out.
    std::mem::forget(sink);
}

#[test]
fn a_log_goes_on_where_its_files_end_in_a_segment_of_its_own() {
    let before = ground(SMALL);
    leave(&before, Mode::Pty, &[(LogStream::Output, b"line 1\nline")]);
    let mut after =
        Logs::start(before.folder.path(), SMALL).expect("a thread").resume(run(), Mode::Pty).expect("a log");
    assert_eq!((after.offset(LogStream::Output), after.offset(LogStream::Error)), (11, 0));
    drop(after);
    let logs = Logs::start(before.folder.path(), SMALL).expect("a thread");
    after = logs.resume(run(), Mode::Pty).expect("a log");
    after.go_on([11, 0], Some([2, 0]), Some(Size::clamped(100, 30)), 4, b"redraw".to_vec());
    append(&mut after, LogStream::Output, b" 2\n");
    let progress = after.progress();
    wait("it is written", || progress.end(LogStream::Output) == 14);
    assert_eq!(after.facts(), crate::model::LogFacts { bytes: 14, dropped_bytes: 0, lost_bytes: 0 });
    end(after);
    let mut reader = before.reader();
    assert_eq!(read_all(&mut reader, LogStream::Output, 5), (b"line 1\nline 2\n".to_vec(), 0));
    let seen = events(&reader);
    // The new size was not in the index any more; the redraw is not needed where nothing is missing.
    assert!(seen.contains(&LogEvent::Resize(Size::clamped(100, 30))), "{seen:?}");
    assert!(!seen.iter().any(|event| matches!(event, LogEvent::Redraw(_) | LogEvent::Gap(_))), "{seen:?}");
    assert_eq!(seen.iter().filter(|event| **event == LogEvent::End).count(), 1, "{seen:?}");
}

#[test]
fn what_was_half_begun_or_torn_is_in_nobodys_way() {
    for mode in [Mode::Pty, Mode::Pipes] {
        let before = ground(SMALL);
        leave(&before, mode, &[(LogStream::Output, b"one\n")]);
        let index = before.file("000001.index");
        fs::OpenOptions::new().append(true).open(&index).expect("the index").write_all(b"[12,\"o").expect("torn");
        for name in ["000002.pty", "000002.stdout", "000002.stderr", "000002.redraw"] {
            fs::write(before.file(name), b"").expect("written");
        }
        fs::write(before.file("000002.index"), b"{\"version\":1,").expect("written");
        let logs = Logs::start(before.folder.path(), SMALL).expect("a thread");
        let mut after = logs.resume(run(), mode).expect("a log");
        after.go_on([4, 0], None, None, 0, Vec::new());
        append(&mut after, LogStream::Output, b"two\n");
        assert_eq!(after.failure(), None);
        end(after);
        let mut reader = before.reader();
        assert_eq!(reader.notices(), [""; 0]);
        assert_eq!(read_all(&mut reader, LogStream::Output, 100), (b"one\ntwo\n".to_vec(), 0));
        assert_eq!(replayed(&reader, LogStream::Output), b"one\ntwo\n");
    }
}

#[test]
fn a_log_that_had_not_begun_begins() {
    let ground = ground(SMALL);
    let mut sink = ground.logs.resume(run(), Mode::Pipes).expect("none");
    sink.go_on([0, 0], None, None, 0, Vec::new());
    append(&mut sink, LogStream::Error, b"x");
    end(sink);
    assert_eq!(read_all(&mut ground.reader(), LogStream::Error, 100), (b"x".to_vec(), 0));
}

#[test]
fn what_nobody_has_any_more_is_said_to_be_lost_and_the_bound_holds_for_old_segments_too() {
    let before = ground(SMALL);
    let line = [b'x'; 1000];
    leave(&before, Mode::Pty, &[(LogStream::Output, &line), (LogStream::Output, b"\n")]);
    let logs = Logs::start(before.folder.path(), SMALL).expect("a thread");
    let mut after = logs.resume(run(), Mode::Pty).expect("a log");
    after.go_on([1501, 0], None, None, 0, b"redraw".to_vec());
    for _ in 0..100 {
        append(&mut after, LogStream::Output, &line);
        append(&mut after, LogStream::Output, b"\n");
        wait("there is room", || after.has_room());
    }
    let progress = after.progress();
    wait("it is written", || progress.end(LogStream::Output) == 1501 + 100 * 1001);
    let facts = after.facts();
    end(after);
    // What was lost is not in it, nor was it dropped.
    assert_eq!((facts.bytes, facts.lost_bytes), (1001 + 100 * 1001, 500));
    assert!(facts.dropped_bytes > 1001, "{facts:?}");
    assert!(!names(&before.folder.path().join(run().as_str())).contains(&"000001.index".to_owned()));
    assert!(before.reader().segments.iter().map(|segment| segment.all_bytes()).sum::<u64>() <= 64 * 1024);
}

#[test]
fn the_newest_part_of_a_log_is_replayed_from_a_redraw() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pty);
    for number in 0..3000 {
        append(&mut sink, LogStream::Output, format!("line {number}\n").as_bytes());
    }
    end(sink);
    let reader = ground.reader();
    let (mut whole, mut newest) = (0, Vec::new());
    reader
        .replay_newest::<crate::store::log::LogError>(u64::MAX, |_| {
            whole += 1;
            Ok(())
        })
        .expect("read");
    assert_eq!(whole, events(&reader).len());
    let see = |event: crate::store::log::TimedEvent| {
        newest.push(event.event);
        Ok(())
    };
    reader.replay_newest::<crate::store::log::LogError>(1, see).expect("read");
    assert!(matches!(newest[0], LogEvent::Begin(Some(_))));
    assert!(matches!(newest[1], LogEvent::Gap(_)) && matches!(newest[2], LogEvent::Redraw(_)), "{:?}", &newest[..3]);
    let bytes: usize =
        newest.iter().map(|event| if let LogEvent::Bytes(_, bytes) = event { bytes.len() } else { 0 }).sum();
    assert!(bytes > 0 && bytes < 20_000, "{bytes}");
}
