//! Reading by offset and by event; segments, cap and redraw; what a crash leaves.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::ground::*;
use crate::store::log::LogError;

#[test]
fn the_bytes_lie_in_plain_files_as_they_came_and_are_private() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pipes);
    for _ in 0..3 {
        append(&mut sink, LogStream::Output, b"out \xff\x00\n");
        append(&mut sink, LogStream::Error, b"err\n");
    }
    end(sink);
    assert_eq!(fs::read(ground.file("000001.stdout")).expect("a file"), b"out \xff\x00\n".repeat(3));
    assert_eq!(fs::read(ground.file("000001.stderr")).expect("a file"), b"err\n".repeat(3));
    assert_eq!(names(&ground.file("")), ["000001.index", "000001.stderr", "000001.stdout"]);
    for name in names(&ground.file("")) {
        let mode = fs::metadata(ground.file(&name)).expect("facts").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(fs::metadata(ground.file("")).expect("facts").permissions().mode() & 0o777, 0o700);
}

#[test]
fn streams_are_told_in_the_order_in_which_they_came() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pipes);
    for number in 0..5 {
        append(&mut sink, LogStream::Output, format!("o{number}").as_bytes());
        append(&mut sink, LogStream::Error, format!("e{number}").as_bytes());
    }
    end(sink);
    let told: Vec<u8> = events(&ground.reader())
        .into_iter()
        .filter_map(|event| if let LogEvent::Bytes(_, bytes) = event { Some(bytes) } else { None })
        .flatten()
        .collect();
    assert_eq!(String::from_utf8_lossy(&told), "o0e0o1e1o2e2o3e3o4e4");
}

#[test]
fn who_waits_for_the_log_to_settle_reads_what_was_still_held_back() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pty);
    let mut progress = sink.progress();
    sink.append(LogStream::Output, b"held back");
    assert!(sink.holds_back());
    let settled = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(progress.settles());
        progress.end(LogStream::Output)
    });
    sink.pass_on();
    assert_eq!(settled.join().expect("settled"), 9);
    assert_eq!(ground.reader().read(LogStream::Output, 0, 100).expect("read").bytes, b"held back");
}

#[test]
fn reading_by_offset_goes_on_where_it_stopped_live_and_afterwards() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pty);
    let progress = sink.progress();
    let text: Vec<u8> = (0..2000).flat_map(|line| format!("line {line}\n").into_bytes()).collect();
    let half = text.len() / 2;
    append(&mut sink, LogStream::Output, &text[..half]);
    wait("the first half", || progress.end(LogStream::Output) == half as u64);
    let mut reader = ground.reader();
    assert_eq!(read_all(&mut reader, LogStream::Output, 777).0, text[..half]);
    assert_eq!(reader.read(LogStream::Output, half as u64, 100).expect("read").bytes, b"");
    append(&mut sink, LogStream::Output, &text[half..]);
    end(sink);
    let read = ground.reader().read(LogStream::Output, half as u64, usize::MAX).expect("read");
    assert_eq!(read.bytes, text[half..]);
    assert_eq!(read_all(&mut ground.reader(), LogStream::Output, 64).0, text);
    assert_eq!(ground.reader().read(LogStream::Error, 0, 100).expect("read").bytes, b"", "a terminal has one stream");
    let far = ground.reader().read(LogStream::Output, u64::MAX, 100).expect("read");
    assert_eq!((far.bytes.len(), far.next_offset), (0, u64::MAX));
}

#[test]
fn a_full_log_drops_its_oldest_segments_keeps_its_cap_and_says_how_much_is_missing() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pty);
    let line = b"a line of thirty-one characters\n";
    let lines = 1_000_000 / line.len();
    for number in 0..lines {
        append(&mut sink, LogStream::Output, line);
        if number % 500 == 0 {
            let written = sink.progress();
            let expected = (number as u64 + 1) * line.len() as u64;
            wait("it is written", || written.end(LogStream::Output) == expected);
            let bytes = crate::store::log::total_bytes(ground.folder.path());
            assert!(bytes <= SMALL.max_log_bytes, "{bytes} bytes");
        }
    }
    let total = (lines * line.len()) as u64;
    sink.end();
    wait("the log is written", || sink.progress().has_ended());
    let facts = sink.facts();
    assert_eq!((facts.bytes, facts.lost_bytes), (total, 0));
    let mut reader = ground.reader();
    let (bytes, skipped) = read_all(&mut reader, LogStream::Output, 5000);
    assert_eq!(facts.dropped_bytes, skipped);
    assert_eq!(skipped + bytes.len() as u64, total);
    assert!(bytes.len() as u64 > SMALL.max_log_bytes / 2, "{} bytes are kept", bytes.len());
    assert!(bytes.starts_with(line), "what is kept begins with a line");
    let events = events(&reader);
    assert!(matches!(events[0], LogEvent::Begin(Some(_))));
    assert_eq!(events[1], LogEvent::Gap(skipped));
    assert_eq!(events[2], LogEvent::Redraw(b"redraw".to_vec()));
    assert_eq!(events.iter().filter(|event| matches!(event, LogEvent::Redraw(_))).count(), 1);
    assert_eq!(replayed(&reader, LogStream::Output), bytes);
}

#[test]
fn the_cap_of_all_logs_is_shared_by_the_live_ones() {
    let options = LogOptions { max_log_bytes: 1 << 20, max_total_log_bytes: 512 * 1024 };
    let ground = ground(options);
    let mut sinks: Vec<LogSink> =
        (0..4_u8).map(|number| ground.logs.begin(RunId::from_bits([number; 10]), Mode::Pipes, Size::DEFAULT)).collect();
    for _ in 0..40_000 {
        for sink in &mut sinks {
            append(sink, LogStream::Output, b"a line of thirty-one characters\n");
        }
    }
    sinks.into_iter().for_each(end);
    let bytes = crate::store::log::total_bytes(ground.folder.path());
    assert!(bytes <= options.max_total_log_bytes && bytes > options.max_total_log_bytes / 2, "{bytes}");
}

#[test]
fn a_torn_end_of_an_index_costs_times_and_no_bytes() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pty);
    append(&mut sink, LogStream::Output, b"first ");
    sink.cut(1);
    append(&mut sink, LogStream::Output, b"second ");
    sink.cut(2);
    end(sink);
    let path = ground.file("000001.index");
    let whole = fs::read(&path).expect("an index");
    let head = whole.iter().position(|b| *b == b'\n').expect("a head") + 1;
    for length in head..=whole.len() {
        fs::write(&path, &whole[..length]).expect("it is ours");
        let reader = ground.reader();
        assert_eq!(replayed(&reader, LogStream::Output), b"first second ", "cut at {length}");
    }
    // Zeros, as a power failure leaves them.
    let zeros = [&whole[..whole.len() - 9], &[0; 9]].concat();
    fs::write(&path, zeros).expect("it is ours");
    assert_eq!(replayed(&ground.reader(), LogStream::Output), b"first second ");
}

#[test]
fn an_index_that_claims_more_than_there_is_is_not_believed() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pipes);
    append(&mut sink, LogStream::Output, b"hello");
    end(sink);
    let mut index = fs::OpenOptions::new().append(true).open(ground.file("000001.index")).expect("an index");
    writeln!(index, "[9,\"o\",18446744073709551615]\n[9,\"e\",5]").expect("it is ours");
    assert_eq!(replayed(&ground.reader(), LogStream::Output), b"hello");
    assert_eq!(replayed(&ground.reader(), LogStream::Error), b"");
}

#[test]
fn a_damaged_index_is_set_aside_with_a_message_and_the_rest_is_read() {
    let ground = ground(SMALL);
    let mut sink = ground.sink(Mode::Pty);
    for _ in 0..1000 {
        append(&mut sink, LogStream::Output, b"a line of thirty-one characters\n");
    }
    end(sink);
    for (number, damage) in [(1, &b"no head\n"[..]), (2, b"{\"version\":1}\n"), (3, b"")] {
        fs::write(ground.file(&format!("{number:06}.index")), damage).expect("it is ours");
        let reader = ground.reader();
        assert_eq!(reader.notices().len(), 1, "{reader:?}");
        assert!(reader.notices()[0].contains(".index.damaged-"));
        assert!(ground.file(&format!("{number:06}.pty")).exists(), "its bytes stay");
    }
    let (bytes, skipped) = read_all(&mut ground.reader(), LogStream::Output, 1000);
    assert_eq!(skipped + bytes.len() as u64, 32_000);
}

#[test]
fn an_unknown_version_is_refused_with_its_path_and_left_as_it_is() {
    let ground = ground(LogOptions::default());
    end(ground.sink(Mode::Pty));
    let path = ground.file("000001.index");
    let newer = fs::read_to_string(&path).expect("an index").replace("\"version\":1", "\"version\":2");
    fs::write(&path, &newer).expect("it is ours");
    let error = LogReader::open(ground.folder.path(), run()).expect_err("it is not known");
    assert!(matches!(error, LogError::UnknownVersion { found: 2, .. }));
    let failure = crate::model::Failure::from(error);
    assert!(failure.message.contains("000001.index") && failure.hint.is_some());
    assert_eq!(fs::read_to_string(&path).expect("an index"), newer);
}

#[test]
fn a_link_among_the_files_is_not_followed() {
    let ground = ground(LogOptions::default());
    end(ground.sink(Mode::Pty));
    let secret = ground.folder.path().join("secret");
    fs::write(&secret, "secret").expect("a file");
    fs::remove_file(ground.file("000001.pty")).expect("it is ours");
    symlink(&secret, ground.file("000001.pty")).expect("a link");
    assert_eq!(ground.reader().read(LogStream::Output, 0, 100).expect("read").bytes, b"");
    let error = ground.reader().replay::<LogError>(|_| Ok(())).expect_err("it is not followed");
    assert!(matches!(error, LogError::File { .. }));
}

#[test]
fn a_log_that_is_not_there_is_said_to_be_so() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(LogReader::open(folder.path(), run()), Err(LogError::None { .. })));
}

#[test]
fn output_that_comes_in_drops_does_not_make_an_index_of_drops() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pty);
    for _ in 0..20_000 {
        append(&mut sink, LogStream::Output, b"x");
    }
    end(sink);
    let lines = fs::read_to_string(ground.file("000001.index")).expect("an index").lines().count();
    assert!(lines < 2000, "{lines} lines");
}

#[test]
fn absurd_numbers_and_lengths_in_a_log_are_answered_and_never_overwritten() {
    let ground = ground(LogOptions::default());
    let mut sink = ground.sink(Mode::Pipes);
    append(&mut sink, LogStream::Output, b"hello");
    end(sink);
    let path = ground.file("000001.index");
    let sound = fs::read_to_string(&path).expect("an index");
    let most = u64::MAX.to_string();
    for absurd in [
        sound.replace("\"offsets\":[0,0]", &format!("\"offsets\":[{most},{most}]")),
        sound.replace("\"at\":", &format!("\"at\":{most},\"was\":")),
        format!("{sound}[{most},\"o\",{most}]\n"),
        format!("{sound}[1,\"r\",65535,65535]\n"),
        format!("{sound}{}", "[".repeat(1 << 20)),
    ] {
        fs::write(&path, &absurd).expect("it is ours");
        let mut reader = ground.reader();
        reader.read(LogStream::Output, 0, 100).expect("an answer");
        reader.read(LogStream::Output, u64::MAX, 100).expect("an answer");
        let _ = reader.span(LogStream::Error);
        assert!(replayed(&reader, LogStream::Output).len() <= 5);
        assert_eq!(fs::read_to_string(&path).expect("an index"), absurd);
    }
    // A head without an end, and one that names another run by a path, are set aside.
    for absurd in ["x".repeat(1 << 20), sound.replace(run().as_str(), "../../../../etc/passwd")] {
        fs::write(&path, &absurd).expect("it is ours");
        // A newer segment, so that this one is not taken for one that is being begun.
        fs::write(ground.file("000002.index"), sound.replace("\"segment\":1", "\"segment\":2")).expect("it is ours");
        let reader = ground.reader();
        assert_eq!(reader.notices().len(), 1, "{reader:?}");
        let aside = names(&ground.file("")).into_iter().find(|name| name.contains("damaged")).expect("it is kept");
        assert_eq!(fs::read_to_string(ground.file(&aside)).expect("it is kept"), absurd);
        fs::remove_file(ground.file(&aside)).expect("it is ours");
    }
}
