//! The output of pipes on a screen, for somebody who watches.

use std::sync::Arc;

use super::collector::Screen;
use super::intake::Intake;
use crate::model::{Color, Frame, HistorySpan, Row, Size, Style};

/// A screen that is fed from both streams of a pipes run. A line feed starts a new line, as no terminal driver has added the
/// carriage return; each stream has its own colours and its own place in a sequence; standard error is red where it names no
/// colour. Nothing is answered, for nobody reads it.
pub struct LogView {
    screen: Screen,
    intakes: [Intake; 2],
    styles: [Style; 2],
    latest: usize,
}

impl LogView {
    /// Makes an empty view that keeps at most `scrollback_lines` logical lines above it.
    pub fn new(size: Size, scrollback_lines: usize) -> LogView {
        let mut screen = Screen::new(size, scrollback_lines);
        screen.terminal.raw_newlines = true;
        screen.terminal.cursor_visible = false;
        let red = Style { foreground: Color::Indexed(1), ..Style::default() };
        LogView { screen, intakes: Default::default(), styles: [Style::default(), red], latest: 0 }
    }

    /// Takes output of standard error (`is_stderr`) or of standard output.
    pub fn admit(&mut self, is_stderr: bool, bytes: &[u8]) {
        let stream = usize::from(is_stderr);
        let terminal = &mut self.screen.terminal;
        if stream != self.latest {
            self.styles[self.latest] = terminal.style;
            terminal.style = self.styles[stream];
            self.latest = stream;
        }
        let default = if is_stderr { Color::Indexed(1) } else { Color::Default };
        terminal.default_foreground = default;
        if terminal.style.foreground == Color::Default {
            terminal.style.foreground = default;
        }
        self.screen.admit_by(&mut self.intakes[stream], bytes);
        // Answers and signals of a program without a terminal go nowhere.
        let _ = self.screen.take_replies();
        self.screen.take_signals();
    }

    /// Gives the view another size; lines are wrapped anew.
    pub fn resize(&mut self, size: Size) {
        self.screen.resize(size);
    }

    /// Returns what the view shows now.
    pub fn frame(&mut self) -> Arc<Frame> {
        self.screen.frame()
    }

    /// Returns the numbers of the rows above the view.
    pub fn history(&self) -> HistorySpan {
        self.screen.drawn_history()
    }

    /// Returns at most `count` rows above the view from number `first` on, clipped to what is kept.
    pub fn history_rows(&mut self, first: u64, count: usize) -> Vec<Arc<Row>> {
        self.screen.history_rows(first, count)
    }
}
