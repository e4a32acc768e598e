//! The replay law on raw logs: a fresh screen, fed with the log up to a cut, shows what was answered at that cut.

use std::collections::BTreeMap;
use std::sync::Arc;

use shtask::model::{Frame, Input, Limits, Size, WriteStdin};
use shtask::screen::Screen;
use shtask::store::log::{LogError, LogEvent, LogReader};

use super::ground::{Program, Setup, frame_of, pty, run};

/// All of a frame but for the count of chunks: a log does not keep where reads ended.
fn seen(frame: &Frame) -> Frame {
    Frame { generation: 0, ..frame.clone() }
}

/// The frames at all cuts, made from a log alone.
fn replay(reader: &LogReader) -> BTreeMap<u64, Frame> {
    let mut frames = BTreeMap::new();
    let mut screen = None::<Screen>;
    reader
        .replay::<LogError>(|timed| {
            match (timed.event, &mut screen) {
                (LogEvent::Begin(size), screen) => {
                    *screen = Some(Screen::new(size.expect("a terminal"), Limits::default().scrollback_lines));
                }
                (LogEvent::Bytes(_, bytes), Some(screen)) => {
                    screen.admit(&bytes);
                    screen.take_replies().expect("few answers");
                }
                (LogEvent::Resize(size), Some(screen)) => screen.resize(size),
                (LogEvent::Cut(cut), Some(screen)) => {
                    assert_eq!(screen.count_cut(), cut);
                    frames.insert(cut, seen(&screen.frame()));
                }
                (LogEvent::End, _) => {}
                (event, _) => panic!("unexpected: {event:?}"),
            }
            Ok(())
        })
        .expect("the log can be read");
    frames
}

#[test]
fn each_cut_of_a_run_is_shown_again_by_its_log() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let busy = r#"i=0; while :; do i=$((i+1)); printf '\033[%dmline %d – 世界\033[0m\r\n\033[s\033[3;3Hat\033[u' $((31 + i % 7)) $i;
            [ $((i % 50)) = 0 ] && printf '\033[?1049h\033[2Jalternate\033[?1049l'; done"#;
        for line in [busy, "exec cat", "while :; do date; done", "exec seq 1 100000000"] {
            let id = program.start_run(pty(line)).await;
            let mut answered: BTreeMap<u64, Arc<Frame>> = BTreeMap::new();
            for round in 0..60_u16 {
                let size = (round % 3 == 0).then(|| Size::clamped(40 + round * 7 % 90, 10 + round % 30));
                let input = (round % 2 == 0 || size.is_none()).then(|| Input::Text(format!("typed {round}\r")));
                let frame = frame_of(program.control(id, WriteStdin { input, size }).await);
                answered.insert(frame.cut, frame);
            }
            program.kill_run(id).await;
            let reader = LogReader::open(&program.logs, id).expect("a log");
            let replayed = replay(&reader);
            assert_eq!(replayed.len(), answered.len(), "{line}");
            for (cut, frame) in &answered {
                assert!(
                    replayed[cut] == seen(frame),
                    "cut {cut} of {line}:\n{}\n---\n{}",
                    replayed[cut].text(),
                    frame.text()
                );
            }
        }
        program.leave().await;
    });
}
