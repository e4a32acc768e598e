//! The collector of a run: a screen for a PTY, tails for pipes, and what viewers see of either.

use std::sync::Arc;

use crate::api::{Part, PartName};
use crate::model::{Frame, HistorySpan, Limits, Mode, RecordOutput, Row, Size};
use crate::screen::{LogView, Screen};
use crate::tail::{Pipe, PipesTail};

/// The tail that is kept of each stream: what a read may ask for at most.
const TAIL_BYTES: usize = Limits::MAX_READ_BYTES;

/// What a record keeps of each stream of a pipes run. The rest can be read from the tail while the run is known.
const RECORD_TAIL_BYTES: usize = 64 * 1024;

/// What the record of a live run keeps of each stream, or of the scrollback.
const LIVE_BYTES: usize = 16 * 1024;

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
    scrollback_lines: usize,
}

impl Collector {
    pub(super) fn new(mode: Mode, size: Size, scrollback_lines: usize) -> Collector {
        match mode {
            Mode::Pty => Collector::Pty(Box::new(Screen::new(size, scrollback_lines))),
            Mode::Pipes => {
                let tail = PipesTail::new(TAIL_BYTES);
                Collector::Pipes(PipesCollector { tail, generation: 0, log: None, shown_bytes: 0, scrollback_lines })
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
            Some(log) => log.resize(size),
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
            pipes.log = None;
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

    /// Returns what the record of a live run keeps: less than at the end, as it is written again and again.
    pub(super) fn live_output(&mut self) -> RecordOutput {
        match self {
            Collector::Pty(screen) => RecordOutput::Pty(Box::new(screen.output_within(LIVE_BYTES))),
            Collector::Pipes(pipes) => RecordOutput::Pipes(pipes.tail.output(LIVE_BYTES)),
        }
    }

    /// Returns what draws the present screen anew; nothing for pipes.
    pub(super) fn redraw(&mut self) -> Vec<u8> {
        match self {
            Collector::Pty(screen) => screen.redraw(),
            Collector::Pipes(_) => Vec::new(),
        }
    }

    /// Returns what the record keeps.
    pub(super) fn output(&mut self) -> RecordOutput {
        match self {
            Collector::Pty(screen) => RecordOutput::Pty(Box::new(screen.output())),
            Collector::Pipes(pipes) => RecordOutput::Pipes(pipes.tail.output(RECORD_TAIL_BYTES)),
        }
    }

    /// Returns the newest output, at most `limit_bytes` a stream, in the order of S6.1.
    pub(super) fn read(&mut self, limit_bytes: usize) -> Vec<Part> {
        match self {
            Collector::Pty(screen) => {
                let text = screen.read(limit_bytes);
                let alternate = text.last_alternate_screen.unwrap_or_default();
                let parts = [
                    (PartName::Screen, text.screen, text.screen_cut),
                    (PartName::Alternate, alternate, text.alternate_cut),
                    (PartName::Scrollback, text.scrollback, text.scrollback_cut),
                ];
                let parts = parts
                    .into_iter()
                    .filter(|(name, text, cut)| *name != PartName::Alternate || !text.is_empty() || *cut);
                parts.map(|(name, text, cut)| Part { name, text, cut }).collect()
            }
            Collector::Pipes(pipes) => {
                let part = |name, pipe| {
                    let tail = pipes.tail.stream(pipe).text(limit_bytes);
                    Part { name, text: tail.text, cut: tail.truncated }
                };
                vec![part(PartName::Stdout, Pipe::Stdout), part(PartName::Stderr, Pipe::Stderr)]
            }
        }
    }

    /// Returns how often the bell rang.
    pub(super) fn bells(&self) -> u64 {
        match self {
            Collector::Pty(screen) => screen.bells(),
            Collector::Pipes(_) => 0,
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

impl PipesCollector {
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
        }
        if new > 0 {
            let newest = self.tail.merged_tail(new.min(LOG_FRAME_BYTES));
            newest.iter().for_each(|(pipe, bytes)| show(log, *pipe, bytes));
        }
        self.shown_bytes = total;
        log.frame()
    }
}

fn show(log: &mut LogView, pipe: Pipe, bytes: &[u8]) {
    log.admit(pipe == Pipe::Stderr, bytes);
}
