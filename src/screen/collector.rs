//! The screen collector of one PTY run.

use std::sync::{Arc, Weak};

use super::encode::{EncodeError, encode};
use super::history::History;
use super::intake::Intake;
use super::replies::ReplyOverflow;
use super::signals::Signal;
use super::terminal::Terminal;
use crate::model::{Action, Cell, Cursor, Frame, HistorySpan, Progress, Row, Size, TerminalModes};

/// A terminal without a window: takes the output of a run, keeps what it shows, answers what it asks.
///
/// The same bytes with the same cuts between them give the same screen, styles, history and answers, wherever the chunks are
/// split. Nothing that a program writes makes it panic, loop or grow without bound.
pub struct Screen {
    intake: Intake,
    pub(super) terminal: Terminal,
    generation: u64,
    cuts: u64,
    /// The newest frame, while somebody still holds it.
    last_frame: Weak<Frame>,
    /// Whether anything happened since that frame.
    changed: bool,
}

impl Screen {
    /// Makes an empty screen that keeps at most `scrollback_lines` logical lines above it.
    pub fn new(size: Size, scrollback_lines: usize) -> Screen {
        Screen {
            intake: Intake::default(),
            terminal: Terminal::new(size, History::new(scrollback_lines, size.cols())),
            generation: 0,
            cuts: 0,
            last_frame: Weak::new(),
            changed: true,
        }
    }

    /// Takes a chunk of output. The generation grows by one, unless the chunk is empty.
    pub fn admit(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.generation += 1;
        self.changed = true;
        self.intake.admit(&mut self.terminal, bytes);
    }

    /// Takes a chunk that comes another way than the screen's own, and draws it.
    pub(super) fn admit_by(&mut self, intake: &mut Intake, bytes: &[u8]) {
        self.generation += 1;
        self.changed = true;
        intake.admit(&mut self.terminal, bytes);
        intake.settle(&mut self.terminal);
    }

    /// Draws what was held back, before anybody looks.
    pub(super) fn settle(&mut self) -> &mut Terminal {
        self.intake.settle(&mut self.terminal);
        &mut self.terminal
    }

    /// Gives the screen another size, as its half of a cut.
    ///
    /// Lines that were wrapped softly are wrapped anew on the main screen; rows that no longer fit go to the history, and
    /// come back from it when there is room again. The alternate screen is cut or extended: its program redraws it.
    pub fn resize(&mut self, size: Size) {
        if size != self.terminal.size {
            self.changed = true;
            self.settle().resize(size);
        }
    }

    /// Takes the answers to the program's queries, in order.
    ///
    /// # Errors
    /// [`ReplyOverflow`] when more than 1 MiB waited; those answers are gone.
    pub fn take_replies(&mut self) -> Result<Vec<u8>, ReplyOverflow> {
        self.terminal.replies.take()
    }

    /// Takes what the program signalled beside drawing: clipboard, notifications, directory, marks; at most the newest 64.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        self.terminal.signals.take()
    }

    /// Counts a control cut; returns how many there were, this one included.
    pub fn count_cut(&mut self) -> u64 {
        self.cuts += 1;
        self.changed = true;
        self.cuts
    }

    /// Returns what the screen shows now. Rows that did not change are shared with the last frame, as long as somebody
    /// holds that one; when nothing changed, it is that one.
    pub fn frame(&mut self) -> Arc<Frame> {
        let last = self.last_frame.upgrade();
        if let Some(last) = &last
            && !self.changed
        {
            return last.clone();
        }
        let frame = Arc::new(self.make_frame(last.as_deref()));
        self.last_frame = Arc::downgrade(&frame);
        self.changed = false;
        frame
    }

    fn make_frame(&mut self, last: Option<&Frame>) -> Frame {
        self.intake.settle(&mut self.terminal);
        let terminal = &mut self.terminal;
        let place = terminal.grid.place();
        let size = terminal.size;
        let touched = terminal.grid.take_touched();
        let mut blank: Option<Arc<Row>> = None;
        let rows = (0..size.rows())
            .map(|number| {
                let before = last.filter(|last| last.size == size).map(|last| &last.rows[usize::from(number)]);
                if let Some(before) = before.filter(|_| !touched.includes(number)) {
                    return before.clone();
                }
                let row = terminal.grid.row(number);
                if let Some(before) = before
                    && **before == row
                {
                    return before.clone();
                }
                if !row.wrapped && row.cells.iter().all(|cell| *cell == Cell::blank()) {
                    return blank.get_or_insert_with(|| Arc::new(row)).clone();
                }
                Arc::new(row)
            })
            .collect();
        Frame {
            generation: self.generation,
            cut: self.cuts,
            size,
            rows,
            cursor: Cursor {
                x: place.col,
                y: place.row,
                visible: terminal.cursor_visible,
                shape: terminal.cursor_shape,
            },
            modes: terminal.modes,
            title: terminal.title.clone(),
            bells: terminal.bells,
            progress: terminal.progress,
            history: terminal.grid.flushed_history().span(),
            links: terminal.links.addresses(),
        }
    }

    /// Returns the text of the row of the cursor up to it; nothing when there is something behind it.
    pub fn text_before_cursor(&mut self) -> String {
        let frame = self.frame();
        let Some(row) = frame.rows.get(usize::from(frame.cursor.y)) else { return String::new() };
        let cut = row.cells.len().min(usize::from(frame.cursor.x));
        let (before, behind) = row.cells.split_at(cut);
        let text = |cells: &[Cell]| Row { cells: cells.to_vec(), wrapped: false }.text();
        if text(behind).is_empty() { text(before) } else { String::new() }
    }

    /// Returns how many chunks of output were taken.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns how often the bell rang.
    pub fn bells(&self) -> u64 {
        self.terminal.bells
    }

    /// Returns the progress that the program reports (OSC 9;4).
    pub fn progress(&self) -> Option<Progress> {
        self.terminal.progress
    }

    /// Returns the size.
    pub fn size(&self) -> Size {
        self.terminal.size
    }

    /// Returns the modes that decide how input is encoded.
    pub fn modes(&self) -> TerminalModes {
        self.terminal.modes
    }

    /// Returns whether the program is in the middle of a synchronised update (mode 2026): a frame made now would show half
    /// of it. Who waits for its end must bound the wait.
    pub fn is_synchronised(&self) -> bool {
        self.terminal.synchronised
    }

    /// Returns how often the emulator failed and was made anew with what could be saved.
    pub fn faults(&self) -> u64 {
        self.terminal.grid.faults()
    }

    /// Encodes input for the program, from the modes that its output has set so far (S4.3).
    ///
    /// # Errors
    /// [`EncodeError`] when an action cannot be sent; then nothing of the others is either.
    pub fn encode(&self, actions: &[Action]) -> Result<Vec<u8>, EncodeError> {
        encode(&self.terminal.modes, actions)
    }

    /// Returns the numbers of the rows above the screen as far as it is drawn.
    pub(super) fn drawn_history(&self) -> HistorySpan {
        self.terminal.grid.flushed_history().span()
    }

    /// Returns the numbers of the rows above the screen, wrapped to its width.
    pub fn history(&mut self) -> HistorySpan {
        self.settle().grid.flushed_history().span()
    }

    /// Returns at most `count` rows above the screen from number `first` on, clipped to what is kept.
    pub fn history_rows(&mut self, first: u64, count: usize) -> Vec<Arc<Row>> {
        self.settle().grid.flushed_history().rows(first, count).into_iter().map(Arc::new).collect()
    }

    /// Gives up the cells, which take most of the memory of an idle screen, until the next output or look. Returns how many bytes that were:
    /// none when it rests already, nor where it could not be made again exactly.
    pub fn rest(&mut self) -> usize {
        if self.terminal.grid.rests() {
            return 0;
        }
        let terminal = self.settle();
        if terminal.margins != (0, terminal.size.rows() - 1) || !terminal.grid.rest() {
            return 0;
        }
        let (cols, rows) = (terminal.size.cols(), terminal.size.rows());
        usize::from(cols) * usize::from(rows) * size_of::<vt100::Cell>()
    }

    /// Leaves a string or sequence that never ends, and shows text again; the modes go back, what is drawn stays (BUGS B47).
    pub fn unstick(&mut self) {
        self.intake.unstick(&mut self.terminal);
        self.terminal.soft_reset();
        self.terminal.synchronised = false;
        self.terminal.grid.flush();
        self.changed = true;
    }
}
