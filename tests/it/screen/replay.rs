//! The replay law: the same bytes with the same cuts give the same frames, wherever the chunks are split.

use std::sync::Arc;

use proptest::prelude::*;
use shtask::model::{Frame, HistorySpan, PtyOutput, Row, Size};
use shtask::screen::{Screen, Signal};

use super::recordings;

/// All that can be seen of a screen, but for the count of chunks.
#[derive(Debug, PartialEq)]
struct Seen {
    frame: Frame,
    history: HistorySpan,
    rows: Vec<Arc<Row>>,
    output: PtyOutput,
    replies: Vec<u8>,
    signals: Vec<Signal>,
}

fn seen(screen: &mut Screen) -> Seen {
    let history = screen.history();
    Seen {
        frame: Frame { generation: 0, ..(*screen.frame()).clone() },
        history,
        rows: screen.history_rows(history.first, usize::MAX),
        output: screen.output(),
        replies: screen.take_replies().expect("few replies"),
        signals: screen.take_signals(),
    }
}

/// Returns the first thing that differs, in few words.
fn difference(one: &Seen, other: &Seen) -> Option<String> {
    let rows = |seen: &Seen| seen.rows.iter().chain(&seen.frame.rows).cloned().collect::<Vec<_>>();
    let (ours, theirs) = (rows(one), rows(other));
    if let Some((at, (a, b))) = ours.iter().zip(&theirs).enumerate().find(|(_, (a, b))| a != b) {
        let cell = a.cells.iter().zip(&b.cells).enumerate().find(|(_, (a, b))| a != b);
        let shape = [a, b].map(|row| (row.cells.len(), row.wrapped));
        return Some(format!("row {at}: {:?} or {:?}, {shape:?}, first at {cell:?}", a.text(), b.text()));
    }
    (one != other).then(|| {
        let brief = |seen: &Seen| {
            let frame = Frame { rows: vec![], ..seen.frame.clone() };
            format!("{frame:?} {:?} {:?} {:?}", seen.output, seen.replies, seen.signals)
        };
        format!("{}\n{}", brief(one), brief(other))
    })
}

/// Feeds pieces, resizing after each as told; splits each piece at multiples of `step`. Returns what is seen at each cut.
fn replay(size: Size, pieces: &[(Vec<u8>, Size)], step: usize) -> Vec<Seen> {
    replay_with(size, pieces, step, |_| {})
}

/// The same, with something done after each chunk.
fn replay_with(
    size: Size,
    pieces: &[(Vec<u8>, Size)],
    step: usize,
    mut after_chunk: impl FnMut(&mut Screen),
) -> Vec<Seen> {
    let mut screen = Screen::new(size, 200);
    let mut all = Vec::new();
    for (bytes, next) in pieces {
        for chunk in bytes.chunks(step.max(1)) {
            screen.admit(chunk);
            after_chunk(&mut screen);
        }
        screen.resize(*next);
        screen.count_cut();
        all.push(seen(&mut screen));
        assert_eq!(screen.faults(), 0, "the emulator failed");
    }
    all
}

/// Bytes as programs write them: text, controls, sequences with small numbers, strings, and noise.
pub(super) fn output() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![Just(String::new()), (0_u16..30).prop_map(|n| n.to_string()), Just("9999".into())];
    let csi = (
        prop_oneof![4 => Just(""), 2 => Just("?"), 1 => Just(">"), 1 => Just("=")],
        prop::collection::vec(number, 0..4),
        prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abcdefghjklmnpqrstu".to_vec()),
    )
        .prop_map(|(marker, numbers, last)| format!("\x1b[{marker}{}{}", numbers.join(";"), char::from(last)));
    let mode = (
        prop::sample::select(vec![1, 4, 6, 7, 20, 25, 45, 47, 69, 69, 1000, 1006, 1047, 1048, 1049, 2004, 2026]),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(mode, private, on)| {
            format!("\x1b[{}{mode}{}", if private { "?" } else { "" }, if on { 'h' } else { 'l' })
        });
    let piece = prop_oneof![
        6 => "[ -~]{0,30}",
        3 => "[a-z漢字é\u{301}\u{200d}👩🏽\u{fe0f}\u{fffd}─]{0,12}",
        3 => Just("\r\n".to_owned()),
        2 => prop::sample::select(vec!["\n", "\r", "\t", "\x08", "\x0e", "\x0f", "\x1bM", "\x1bD", "\x1bE", "\x1b7", "\x1b8", "\x1bH", "\x1bc", "\x1b#8", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b[!p"]).prop_map(str::to_owned),
        5 => csi,
        3 => mode,
        2 => prop::sample::select(vec!["\x1b[31m", "\x1b[1;42m", "\x1b[0m", "\x1b[38;2;9;8;7m", "\x1b[9;58;5;3;4:3m", "\x1b[48;5;99m", "\x1b[7m"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1b]8;;\x07", "\x1b]52;c;YQ==\x07", "\x1bP$qm\x1b\\", "\x1b]11;?\x07", "\x1b]9;4;1;50\x07", "\x1b[6n"]).prop_map(str::to_owned),
    ];
    let noise = prop::collection::vec(any::<u8>(), 0..8);
    let part = prop_oneof![9 => piece.prop_map(String::into_bytes), 1 => noise];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

pub(super) fn size() -> impl Strategy<Value = Size> {
    (2_u16..30, 1_u16..12).prop_map(|(cols, rows)| Size::clamped(cols, rows))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_split_anywhere_gives_the_same_screen(
        first in size(),
        pieces in prop::collection::vec((output(), size()), 1..4),
        step in 1_usize..40,
    ) {
        for (whole, split) in replay(first, &pieces, usize::MAX).iter().zip(&replay(first, &pieces, step)) {
            prop_assert_eq!(difference(whole, split), None);
        }
    }

    #[test]
    fn a_screen_that_rests_anywhere_goes_on_like_one_that_never_does(
        first in size(),
        pieces in prop::collection::vec((output(), size()), 1..4),
        step in 1_usize..40,
    ) {
        let rested = replay_with(first, &pieces, step, |screen| {
            screen.rest();
        });
        for (awake, rested) in replay(first, &pieces, step).iter().zip(&rested) {
            prop_assert_eq!(difference(awake, rested), None);
        }
    }
}

#[test]
fn recorded_programs_can_rest_at_nearly_every_moment() {
    let (mut moments, mut rests) = (0, 0);
    for recording in recordings::all() {
        let pieces = [(recording.bytes.clone(), recording.size)];
        let rested = replay_with(recording.size, &pieces, 1000, |screen| {
            moments += 1;
            rests += usize::from(screen.rest() > 0);
            assert_eq!(screen.rest(), 0, "{}: it rests already, or cannot", recording.name);
        });
        assert_eq!(rested, replay(recording.size, &pieces, 1000), "{}", recording.name);
    }
    assert!(rests * 10 > moments * 9, "{rests} of {moments}");
}

#[test]
fn recorded_programs_replay_byte_for_byte() {
    for recording in recordings::all() {
        let half = recording.bytes.len() / 2;
        let smaller = Size::clamped(recording.size.cols() - 13, recording.size.rows() - 5);
        let pieces = [(recording.bytes[..half].to_vec(), smaller), (recording.bytes[half..].to_vec(), recording.size)];
        let whole = replay(recording.size, &pieces, usize::MAX);
        for step in [1, 7, 4096] {
            assert_eq!(whole, replay(recording.size, &pieces, step), "{} in steps of {step}", recording.name);
        }
    }
}

#[test]
fn a_long_line_after_a_row_that_was_left_blank_is_a_line_of_its_own() {
    // The cursor waits to wrap, but what it waits after scrolled away.
    for (start, rows) in [("\x1b[2G \x1b[S", 2), ("\x1b[2G \x1b[2K", 2), ("\n\n\n\x1b[2G \x1b[1K", 3)] {
        let text = "aA a 0 aa0aaaaA 0A Aaa ".repeat(3);
        let size = Size::clamped(2, rows);
        let pieces = [(start.as_bytes().to_vec(), size), (text.into_bytes(), size)];
        let (whole, split) = (replay(size, &pieces, usize::MAX), replay(size, &pieces, 3));
        assert_eq!(difference(&whole[1], &split[1]), None, "{start:?}");
    }
}

/// What a redraw must bring back: all that is drawn, and what decides how input is encoded.
fn drawn(screen: &mut Screen) -> Frame {
    Frame {
        generation: 0,
        cut: 0,
        bells: 0,
        progress: None,
        history: HistorySpan::default(),
        ..(*screen.frame()).clone()
    }
}

#[test]
fn a_redraw_of_recorded_programs_shows_the_same_screen() {
    for recording in recordings::all() {
        for part in 1..=8 {
            let mut screen = Screen::new(recording.size, 200);
            screen.admit(&recording.bytes[..recording.bytes.len() * part / 8]);
            let mut anew = Screen::new(recording.size, 200);
            anew.admit(&screen.redraw(|_| {}));
            assert_eq!(drawn(&mut anew), drawn(&mut screen), "{} after {part}/8", recording.name);
        }
    }
}

/// Output as a flood of log lines has it: mostly what can be skipped, and now and then what cannot.
fn flood() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        8 => "[a-z ]{0,25}",
        3 => "[a-z漢字é\u{301}\u{200d}👩🏽\u{fe0f}\u{fffd}─ ]{0,14}",
        3 => prop::sample::select(vec!["\t", "\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[44m", "\x1b[49m", "\x1b[7m", "\x1b[9m", "\x1b[38;2;1;2;3m", "   ", "\x1b[K", "\x1b]8;;http://a\x07", "\x1b]8;id=1;http://b\x1b\\", "\x1b]8;;\x1b\\", "\x1b]0;t…\x07", "\x1b]2;u\x1b\\", "\x1b]9;4;1;7\x07", "\x1b]1;i\x07", "\x1b]9;note\x07", "\x1b]11;?\x07"]).prop_map(str::to_owned),
    ];
    let end = prop_oneof![20 => Just("\r\n"), 1 => Just("\r\r\n"), 1 => Just("\n"), 2 => Just("\x1b[K\r\n"), 1 => Just("\x1b(B\x1b[m\x1b[0K\r\n"), 1 => Just("\x1b[2A\r\n"), 1 => Just("\r")];
    let line = (prop::collection::vec(text, 0..5), end).prop_map(|(parts, end)| parts.concat() + end);
    let long = (200_usize..3000, Just("\r\n")).prop_map(|(length, end)| "long line ".repeat(length / 10) + end);
    let endless = (1000_usize..4000, prop::sample::select(vec!["", "\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[45m"]))
        .prop_map(|(length, style)| {
            format!("{style}{}", (if length % 3 == 0 { "on 漢字─" } else { "on and on, " }).repeat(length / 11))
        });
    let any_line = prop_oneof![60 => line, 2 => long, 1 => endless];
    prop::collection::vec(any_line, 60..400).prop_map(|lines| lines.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn skipping_what_cannot_be_seen_changes_nothing(
        first in (4_u16..40, 2_u16..12).prop_map(|(cols, rows)| Size::clamped(cols, rows)),
        start in output(),
        bytes in flood(),
        kept in prop::sample::select(vec![1, 20, 100_000]),
        step in prop::sample::select(vec![7, 399, 4096, 70_000]),
        repeats in prop::sample::select(vec![1, 1, 1, 12]),
        look_every in prop::sample::select(vec![2, 5, 30, usize::MAX]),
    ) {
        // Looking after every few bytes leaves nothing to skip.
        let run = |step: usize, look_every: usize| {
            let mut screen = Screen::new(first, kept);
            screen.admit(&start);
            screen.admit(b"\x1b[?1049;6;1l\x1b[!p\x1b[4;20l\x0f\x1b)B\x1b*B\x1b+B\x1bc");
            screen.admit(&start);
            screen.take_replies().expect("few replies");
            for (number, chunk) in (0..repeats).flat_map(|_| bytes.chunks(step)).enumerate() {
                screen.admit(chunk);
                if number % look_every == look_every - 1 {
                    screen.history();
                }
            }
            screen.admit(b"\x1b[2b|");
            seen(&mut screen)
        };
        let drawn = run(400, 1);
        prop_assert_eq!(difference(&run(usize::MAX, usize::MAX), &drawn), None);
        prop_assert_eq!(difference(&run(step, look_every), &drawn), None, "in steps of {}", step);
    }
}
