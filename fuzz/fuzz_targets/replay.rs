//! The replay law: the same bytes with the same cuts give the same screens, wherever the chunks are split and whoever looks.
//!
//! In the input 0xFF cuts, with a resize to the two bytes after it; 0xFE splits; all else is output, many times over after 0xFD.
#![no_main]

mod checks;

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use shtask::model::{Frame, HistorySpan, PtyOutput, Row, Size};
use shtask::screen::{Screen, Signal};

/// What happens to a screen.
enum Step<'a> {
    Admit(&'a [u8], usize),
    Split,
    Cut(Size),
}

/// All that can be seen of a screen, but for the count of chunks.
#[derive(Debug, PartialEq)]
struct Seen {
    frame: Frame,
    history: HistorySpan,
    rows: Vec<Arc<Row>>,
    output: PtyOutput,
    replies: Option<Vec<u8>>,
    signals: Vec<Signal>,
}

fuzz_target!(|data: &[u8]| {
    let [cols, rows, kept, rest @ ..] = data else { return };
    let size = checks::size(*cols, *rows);
    let steps = steps(rest);
    let run = |way| replay(size, usize::from(*kept), &steps, way);
    let whole = run(Way::Whole);
    assert_eq!(whole, run(Way::Split), "split");
    assert_eq!(whole, run(Way::Bytes), "byte by byte, with a look at each");
});

fn steps(mut rest: &[u8]) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut repeats = 1;
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (0xff, [cols, rows, after @ ..]) => {
                steps.push(Step::Cut(checks::size(*cols, *rows)));
                after
            }
            (0xfe, after) => {
                steps.push(Step::Split);
                after
            }
            (0xfd, [count, after @ ..]) => {
                repeats = usize::from(*count % 64) + 1;
                after
            }
            _ => {
                let end = rest.iter().position(|&byte| byte >= 0xfd).unwrap_or(rest.len()).max(1);
                steps.push(Step::Admit(&rest[..end], std::mem::replace(&mut repeats, 1)));
                &rest[end..]
            }
        };
    }
    steps.push(Step::Cut(Size::DEFAULT));
    steps
}

/// How output is handed over between two cuts.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Whole,
    Split,
    Bytes,
}

/// The most output of one input, in bytes, with what is repeated.
const MAX_BYTES: usize = 200_000;

fn replay(size: Size, kept: usize, steps: &[Step<'_>], way: Way) -> Vec<Seen> {
    let mut screen = Screen::new(size, kept);
    let mut waiting = Vec::new();
    let mut all = Vec::new();
    let mut left = MAX_BYTES;
    let flush = |screen: &mut Screen, waiting: &mut Vec<u8>| {
        match way {
            Way::Whole | Way::Split => screen.admit(waiting),
            Way::Bytes => waiting.chunks(1.max(waiting.len() / 500)).for_each(|chunk| {
                screen.admit(chunk);
                screen.history();
            }),
        }
        waiting.clear();
    };
    for step in steps {
        match step {
            Step::Admit(bytes, count) => {
                for _ in 0..*count {
                    if left >= bytes.len() {
                        left -= bytes.len();
                        waiting.extend_from_slice(bytes);
                    }
                }
            }
            Step::Split if way == Way::Split => flush(&mut screen, &mut waiting),
            Step::Split => {}
            Step::Cut(size) => {
                flush(&mut screen, &mut waiting);
                screen.resize(*size);
                screen.count_cut();
                checks::check(&mut screen);
                all.push(seen(&mut screen));
            }
        }
    }
    all
}

fn seen(screen: &mut Screen) -> Seen {
    let history = screen.history();
    Seen {
        frame: Frame { generation: 0, ..(*screen.frame()).clone() },
        history,
        rows: screen.history_rows(history.first, usize::MAX),
        output: screen.output(),
        replies: screen.take_replies().ok(),
        signals: screen.take_signals(),
    }
}
