//! The collector of a run: a screen for a PTY, tails for pipes, and what viewers see of either.

use std::sync::Arc;

use super::covered::{CONTEXT_BYTES, Moment, cover_frame, cover_output, newest_lines, tail_text};
use crate::api::{HistoryRows, Part, PartName};
use crate::model::{Frame, HistorySpan, Limits, Mode, PipesOutput, Progress, PtyOutput, RecordOutput, Row, Size};
use crate::redact::Redactor;
use crate::screen::{LogView, Screen};
use crate::tail::{Pipe, PipesTail};

/// The tail that is kept of each stream: what a read may ask for at most, and what is before it.
const TAIL_BYTES: usize = Limits::MAX_READ_BYTES + CONTEXT_BYTES;

/// What a record keeps of each stream of a pipes run. The rest can be read from the tail while the run is known.
const RECORD_TAIL_BYTES: usize = 64 * 1024;

/// What the record of a live run keeps of each stream, or of the scrollback.
const LIVE_BYTES: usize = 16 * 1024;

/// What the record of a final run keeps of the scrollback.
const RECORD_SCROLLBACK_BYTES: usize = 1024 * 1024;

/// How much of a pipes run's output a new viewer is shown.
const LOG_START_BYTES: usize = 256 * 1024;

/// How much new output of a pipes run goes into one frame of its viewer. What a flood prints beyond it between two frames scrolls by unseen
/// anyhow; the view says so, and tail and record have it.
const LOG_FRAME_BYTES: usize = 128 * 1024;

/// The collector.
pub(super) enum Collector {
    /// Of a PTY run.
    Pty(Box<Screen>),
    /// Of a pipes run.
    Pipes(PipesCollector),
}

/// The collector of a pipes run.
pub(super) struct PipesCollector {
    tail: PipesTail,
    generation: u64,
    /// Only while somebody watches.
    log: Option<Box<LogView>>,
    /// How many bytes of both streams the log was given.
    shown_bytes: u64,
    /// The newest row of the log that output is missing before.
    gap: Option<u64>,
    scrollback_lines: usize,
}

impl Collector {
    pub(super) fn new(mode: Mode, size: Size, scrollback_lines: usize) -> Collector {
        match mode {
            Mode::Pty => Collector::Pty(Box::new(Screen::new(size, scrollback_lines))),
            Mode::Pipes => {
                let tail = PipesTail::new(TAIL_BYTES);
                let (generation, shown_bytes) = (0, 0);
                Collector::Pipes(PipesCollector {
                    tail,
                    generation,
                    log: None,
                    shown_bytes,
                    gap: None,
                    scrollback_lines,
                })
            }
        }
    }

    /// Begins behind so many bytes of each stream, which are not there any more; of a terminal they are drawn in their stead.
    pub(super) fn begin_at(&mut self, offsets: [u64; 2]) {
        if let Collector::Pipes(pipes) = self {
            pipes.tail = PipesTail::beginning_at(TAIL_BYTES, offsets);
        }
    }

    /// Takes a chunk of output.
    pub(super) fn admit(&mut self, pipe: Pipe, bytes: &[u8]) {
        match self {
            Collector::Pty(screen) => screen.admit(bytes),
            Collector::Pipes(pipes) => {
                pipes.tail.admit(pipe, bytes);
                pipes.generation += u64::from(!bytes.is_empty());
            }
        }
    }

    /// Returns the generation of output.
    pub(super) fn generation(&self) -> u64 {
        match self {
            Collector::Pty(screen) => screen.generation(),
            Collector::Pipes(pipes) => pipes.generation,
        }
    }

    /// Returns whether a frame made now would show half of an update.
    pub(super) fn is_synchronised(&self) -> bool {
        match self {
            Collector::Pty(screen) => screen.is_synchronised(),
            Collector::Pipes(_) => false,
        }
    }

    /// Gets ready for a viewer of that size. A PTY keeps its own.
    pub(super) fn look(&mut self, size: Size) {
        let Collector::Pipes(pipes) = self else { return };
        match &mut pipes.log {
            Some(log) => {
                let was = log.frame().size;
                log.resize(size);
                if pipes.gap.is_some() && size != was {
                    // Rows are wrapped anew, and nobody knows to where: none but the last one is surely behind it.
                    pipes.gap = Some(last_row(log));
                }
            }
            None => {
                let mut log = Box::new(LogView::new(size, pipes.scrollback_lines));
                pipes.tail.merged_tail(LOG_START_BYTES).iter().for_each(|(pipe, bytes)| show(&mut log, *pipe, bytes));
                pipes.shown_bytes = pipes.total_bytes();
                pipes.log = Some(log);
            }
        }
    }

    /// Takes note that nobody watches any more.
    pub(super) fn look_away(&mut self) {
        if let Collector::Pipes(pipes) = self {
            (pipes.log, pipes.gap) = (None, None);
        }
    }

    /// Returns what is shown now.
    pub(super) fn frame(&mut self) -> Arc<Frame> {
        match self {
            Collector::Pty(screen) => screen.frame(),
            Collector::Pipes(pipes) => pipes.frame(),
        }
    }

    /// Returns which rows of the scrollback there are.
    pub(super) fn history(&mut self) -> HistorySpan {
        match self {
            Collector::Pty(screen) => screen.history(),
            Collector::Pipes(pipes) => pipes.log.as_ref().map_or_else(HistorySpan::default, |log| log.history()),
        }
    }

    /// Returns rows of the scrollback, clipped to what there is.
    pub(super) fn history_rows(&mut self, first: u64, count: usize) -> Vec<Arc<Row>> {
        match self {
            Collector::Pty(screen) => screen.history_rows(first, count),
            Collector::Pipes(pipes) => pipes.log.as_mut().map_or_else(Vec::new, |log| log.history_rows(first, count)),
        }
    }

    /// Returns rows of the scrollback with what there is of it.
    pub(super) fn rows_above(&mut self, first: u64, count: usize) -> HistoryRows {
        let span = self.history();
        let first = first.clamp(span.first, span.end);
        let rows = self.history_rows(first, count);
        HistoryRows { span, first, rows, gap: self.gap() }
    }

    /// Returns the newest row that output is missing before, which nobody has seen.
    pub(super) fn gap(&self) -> Option<u64> {
        match self {
            Collector::Pty(_) => None,
            Collector::Pipes(pipes) => pipes.gap,
        }
    }

    /// Returns what the record of a live run keeps, without secrets: less than at the end, as it is written again and again.
    pub(super) fn live_output(&mut self, redactor: Option<&Redactor>) -> RecordOutput {
        match self {
            Collector::Pty(screen) => RecordOutput::Pty(Box::new(pty_output(screen, redactor, LIVE_BYTES, true))),
            Collector::Pipes(pipes) => RecordOutput::Pipes(pipes.output(redactor, LIVE_BYTES, true)),
        }
    }

    /// Returns what draws the present screen anew, without the secrets that the redactor finds; nothing for pipes.
    pub(super) fn redraw(&mut self, redactor: Option<&Redactor>) -> Vec<u8> {
        match self {
            Collector::Pty(screen) => {
                let Some(redactor) = redactor else { return screen.redraw(|_| {}) };
                let is_joined = screen.history_is_open() && !screen.modes().alternate_screen;
                let history = is_joined.then(|| screen.output_within(CONTEXT_BYTES).scrollback);
                let before = history.as_deref().and_then(|text| text.rsplit('\n').next());
                screen.redraw(|frame| cover_frame(redactor, frame, before))
            }
            Collector::Pipes(_) => Vec::new(),
        }
    }

    /// Returns what the record keeps, without secrets.
    pub(super) fn output(&mut self, redactor: Option<&Redactor>) -> RecordOutput {
        match self {
            Collector::Pty(screen) => {
                RecordOutput::Pty(Box::new(pty_output(screen, redactor, RECORD_SCROLLBACK_BYTES, false)))
            }
            Collector::Pipes(pipes) => RecordOutput::Pipes(pipes.output(redactor, RECORD_TAIL_BYTES, false)),
        }
    }

    /// Returns the newest output without secrets, at most `limit_bytes` a stream, in the order of S6.1. `goes_on` says whether the run may
    /// still write.
    pub(super) fn read(&mut self, redactor: Option<&Redactor>, limit_bytes: usize, goes_on: bool) -> Vec<Part> {
        match self {
            Collector::Pty(screen) => {
                let output = pty_output(screen, redactor, limit_bytes, goes_on);
                let mut left = limit_bytes;
                let mut part = |name, text, was_cut| {
                    let (text, cut) = newest_lines(text, left);
                    left -= text.len();
                    Part { name, text, cut: cut || was_cut }
                };
                let screen = part(PartName::Screen, output.screen, false);
                let alternate = output.last_alternate_screen.map(|text| part(PartName::Alternate, text, false));
                let scrollback = part(PartName::Scrollback, output.scrollback, output.truncated);
                let alternate = alternate.filter(|part| !part.text.is_empty() || part.cut);
                std::iter::once(screen).chain(alternate).chain([scrollback]).collect()
            }
            Collector::Pipes(pipes) => {
                let part = |name, pipe| {
                    let (tail, _) = tail_text(redactor, pipes.tail.stream(pipe), limit_bytes, goes_on);
                    Part { name, text: tail.text, cut: tail.truncated }
                };
                vec![part(PartName::Stdout, Pipe::Stdout), part(PartName::Stderr, Pipe::Stderr)]
            }
        }
    }

    /// Gives up memory until the next output or look. Returns how many bytes.
    pub(super) fn rest(&mut self) -> usize {
        match self {
            Collector::Pty(screen) => screen.rest(),
            Collector::Pipes(_) => 0,
        }
    }

    /// Returns how often the bell rang.
    pub(super) fn bells(&self) -> u64 {
        match self {
            Collector::Pty(screen) => screen.bells(),
            Collector::Pipes(_) => 0,
        }
    }

    /// Returns the progress that the program reports.
    pub(super) fn progress(&self) -> Option<Progress> {
        match self {
            Collector::Pty(screen) => screen.progress(),
            Collector::Pipes(_) => None,
        }
    }

    /// Returns how many bytes were printed: to the terminal or standard output, and to standard error.
    pub(super) fn printed_bytes(&self) -> Option<(u64, u64)> {
        match self {
            Collector::Pty(_) => None,
            Collector::Pipes(pipes) => {
                let total = |pipe| pipes.tail.stream(pipe).total_bytes();
                Some((total(Pipe::Stdout), total(Pipe::Stderr)))
            }
        }
    }
}

/// Returns what a record keeps of a terminal, with at most so many bytes of the newest scrollback.
fn pty_output(screen: &mut Screen, redactor: Option<&Redactor>, scrollback_bytes: usize, goes_on: bool) -> PtyOutput {
    let Some(redactor) = redactor else { return screen.output_within(scrollback_bytes) };
    let mut output = screen.output_within(scrollback_bytes + CONTEXT_BYTES);
    let history_is_open = screen.history_is_open();
    cover_output(redactor, &mut output, &Moment { frame: &screen.frame(), history_is_open, goes_on });
    let (scrollback, cut) = newest_lines(std::mem::take(&mut output.scrollback), scrollback_bytes);
    output.scrollback = scrollback;
    output.truncated |= cut;
    output
}

impl PipesCollector {
    fn output(&self, redactor: Option<&Redactor>, limit_bytes: usize, goes_on: bool) -> PipesOutput {
        self.tail.output(|tail| tail_text(redactor, tail, limit_bytes, goes_on))
    }

    fn total_bytes(&self) -> u64 {
        self.tail.stream(Pipe::Stdout).total_bytes() + self.tail.stream(Pipe::Stderr).total_bytes()
    }

    fn frame(&mut self) -> Arc<Frame> {
        let total = self.total_bytes();
        let Some(log) = &mut self.log else { return Arc::new(Frame::empty(Size::DEFAULT)) };
        let new = usize::try_from(total - self.shown_bytes).unwrap_or(usize::MAX);
        if new > LOG_FRAME_BYTES {
            let note = format!("\r\n\x1b[0;2m[{} bytes went by unseen]\x1b[0m\r\n", new - LOG_FRAME_BYTES);
            log.admit(false, note.as_bytes());
            self.gap = Some(last_row(log));
        }
        if new > 0 {
            let newest = self.tail.merged_tail(new.min(LOG_FRAME_BYTES));
            newest.iter().for_each(|(pipe, bytes)| show(log, *pipe, bytes));
        }
        self.shown_bytes = total;
        let mut frame = log.frame();
        // That of the run, not of what was drawn for this viewer.
        Arc::make_mut(&mut frame).generation = self.generation;
        frame
    }
}

/// Returns the row that is printed to.
fn last_row(log: &mut LogView) -> u64 {
    let frame = log.frame();
    frame.history.end + u64::from(frame.cursor.y)
}

fn show(log: &mut LogView, pipe: Pipe, bytes: &[u8]) {
    log.admit(pipe == Pipe::Stderr, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(row: &Arc<Row>) -> String {
        row.cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    fn looked_at() -> Collector {
        let mut collector = Collector::new(Mode::Pipes, Size::DEFAULT, 10_000);
        collector.look(Size::DEFAULT);
        collector.frame();
        collector
    }

    fn print(collector: &mut Collector, output: &str) {
        collector.admit(Pipe::Stdout, output.as_bytes());
        collector.frame();
    }

    #[test]
    fn the_row_behind_output_that_nobody_saw_is_known_until_the_view_is_left() {
        let mut collector = looked_at();
        print(&mut collector, "before\n");
        assert_eq!(collector.gap(), None);
        let lines: String = (0..5000).map(|number| format!("{number:060}\n")).collect();
        print(&mut collector, &lines);
        let gap = collector.gap().expect("a gap");
        let [note, first, second] = &collector.history_rows(gap - 1, 3)[..] else { panic!("three rows") };
        assert!(text(note).contains("wentbyunseen"), "{}", text(note));
        let mut shown = lines[lines.len() - LOG_FRAME_BYTES..].lines();
        assert_eq!((Some(&*text(first)), Some(&*text(second))), (shown.next(), shown.next()));
        collector.look(Size::DEFAULT);
        assert_eq!(collector.gap(), Some(gap), "nothing was wrapped anew");
        collector.look_away();
        assert_eq!(collector.gap(), None);
    }

    #[test]
    fn in_another_size_no_row_above_output_that_nobody_saw_is_taken_for_one_behind_it() {
        let mut collector = looked_at();
        // It stays on the screen together with what is before it.
        print(&mut collector, "before\n");
        let bar: String = (0..LOG_FRAME_BYTES).map(|number| format!("{number}\r")).collect();
        print(&mut collector, &bar);
        let row_of = |collector: &mut Collector, word: &str| {
            let frame = collector.frame();
            let row = frame.rows.iter().position(|row| text(row).contains(word)).expect("it is on the screen");
            frame.history.end + row as u64
        };
        let note = row_of(&mut collector, "wentbyunseen");
        assert_eq!(collector.gap(), Some(note + 1));
        collector.look(Size::clamped(60, 20));
        let note = row_of(&mut collector, "wentbyunseen");
        let gap = collector.gap().expect("a gap");
        assert!(gap > note, "{gap} is behind {note}");
        print(&mut collector, "\nafter\n");
        assert!(gap <= row_of(&mut collector, "after"), "what comes now is known");
    }
}
