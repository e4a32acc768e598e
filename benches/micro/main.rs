//! Speed of the parts by themselves: the screen and the tails, beside `vt100` alone.
//!
//! `cargo bench --bench micro [WORD]`; criterion compares each with its own last run.

use std::hint::black_box;
use std::num::NonZeroU16;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shtask::model::{Action, Key, Modifiers, NamedKey, Size, TerminalModes};
use shtask::screen::{LogView, Screen, encode};
use shtask::tail::{Pipe, PipesTail};

#[path = "../e2e/corpus.rs"]
mod corpus;
mod streams;

/// What one read of a terminal brings at most.
const CHUNK_BYTES: usize = 4096;
const BYTES: usize = 4 * 1024 * 1024;
const SCROLLBACK_LINES: usize = 10_000;
const KINDS: [corpus::Kind; 3] = [corpus::Kind::Ascii, corpus::Kind::Coloured, corpus::Kind::Wide];

fn size() -> Size {
    Size::new(80, 24).expect("a size within the limits")
}

/// The bytes as a terminal passes them on: with carriage returns.
fn terminal_lines(kind: corpus::Kind) -> Vec<u8> {
    let text = corpus::lines(kind, BYTES);
    text.split_inclusive(|byte| *byte == b'\n').flat_map(|line| [&line[..line.len() - 1], b"\r\n"].concat()).collect()
}

/// Output taken in, in chunks as a terminal gives them.
fn taking_in(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("take in");
    group.sample_size(10);
    for kind in KINDS {
        let bytes = terminal_lines(kind);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("vt100 alone", kind.name()), &bytes, |bencher, bytes| {
            let (rows, cols) = (NonZeroU16::new(24).expect("not zero"), NonZeroU16::new(80).expect("not zero"));
            let mut parser = vt100::Parser::new(rows, cols, 0);
            bencher.iter(|| bytes.chunks(CHUNK_BYTES).for_each(|chunk| parser.process(black_box(chunk))));
        });
        group.bench_with_input(BenchmarkId::new("screen", kind.name()), &bytes, |bencher, bytes| {
            let mut screen = Screen::new(size(), SCROLLBACK_LINES);
            bencher.iter(|| bytes.chunks(CHUNK_BYTES).for_each(|chunk| screen.admit(black_box(chunk))));
        });
        group.bench_with_input(BenchmarkId::new("screen, large chunks", kind.name()), &bytes, |bencher, bytes| {
            let mut screen = Screen::new(size(), SCROLLBACK_LINES);
            bencher.iter(|| bytes.chunks(1024 * 1024).for_each(|chunk| screen.admit(black_box(chunk))));
        });
        let piped = corpus::lines(kind, BYTES);
        group.bench_with_input(BenchmarkId::new("tail", kind.name()), &piped, |bencher, bytes| {
            let mut tail = PipesTail::new(1024 * 1024);
            bencher.iter(|| bytes.chunks(64 * 1024).for_each(|chunk| tail.admit(Pipe::Stdout, black_box(chunk))));
        });
        group.bench_with_input(BenchmarkId::new("log view", kind.name()), &piped, |bencher, bytes| {
            let mut view = LogView::new(size(), SCROLLBACK_LINES);
            bencher.iter(|| bytes.chunks(64 * 1024).for_each(|chunk| view.admit(false, black_box(chunk))));
        });
    }
    group.finish();
}

/// Output that is not plain log lines, beside `vt100` alone.
fn other_output(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("other");
    group.sample_size(10);
    let all = [
        ("pages", streams::pages(BYTES)),
        ("endless line", streams::endless_line(BYTES)),
        ("links", streams::linked_lines(BYTES)),
        ("titles", streams::titled_lines(BYTES)),
    ];
    for (name, bytes) in all {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("vt100 alone", name), &bytes, |bencher, bytes| {
            let (rows, cols) = (NonZeroU16::new(24).expect("not zero"), NonZeroU16::new(80).expect("not zero"));
            let mut parser = vt100::Parser::new(rows, cols, 0);
            bencher.iter(|| bytes.chunks(CHUNK_BYTES).for_each(|chunk| parser.process(black_box(chunk))));
        });
        group.bench_with_input(BenchmarkId::new("screen", name), &bytes, |bencher, bytes| {
            let mut screen = Screen::new(size(), SCROLLBACK_LINES);
            bencher.iter(|| bytes.chunks(CHUNK_BYTES).for_each(|chunk| screen.admit(black_box(chunk))));
        });
    }
    group.finish();
}

/// Frames: after a key's echo, and after everything changed.
fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    let full: Vec<u8> = terminal_lines(corpus::Kind::Coloured).into_iter().take(64 * 1024).collect();
    group.bench_function("one cell changed", |bencher| {
        let mut screen = Screen::new(size(), SCROLLBACK_LINES);
        screen.admit(&full);
        let mut last = screen.frame();
        bencher.iter(|| {
            screen.admit(b"\x1b[12;40H~\x1b[12;40H`");
            last = screen.frame();
            black_box(&last);
        });
    });
    group.bench_function("all rows changed", |bencher| {
        let mut screen = Screen::new(size(), SCROLLBACK_LINES);
        screen.admit(&full);
        let mut last = screen.frame();
        bencher.iter(|| {
            screen.admit(b"\n\r");
            last = screen.frame();
            black_box(&last);
        });
    });
    group.bench_function("a page of history", |bencher| {
        let mut screen = Screen::new(size(), SCROLLBACK_LINES);
        screen.admit(&terminal_lines(corpus::Kind::Coloured));
        let span = screen.history();
        bencher.iter(|| black_box(screen.history_rows(black_box(span.first), 24)));
    });
    group.finish();
}

/// A key on its way in.
fn keys(criterion: &mut Criterion) {
    let modes = TerminalModes::default();
    let actions = [Action::Key(Key::Named(NamedKey::Up), Modifiers { ctrl: true, alt: false, shift: false })];
    criterion.bench_function("encode a key", |bencher| bencher.iter(|| encode(black_box(&modes), black_box(&actions))));
}

criterion_group!(benches, taking_in, other_output, frames, keys);
criterion_main!(benches);
