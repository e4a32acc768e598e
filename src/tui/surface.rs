//! What the model is drawn on.

use std::io::{self, Write};

use crossterm::cursor::SetCursorStyle;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};

use crate::model::{CursorShape, MouseTracking, TerminalModes};

use super::TuiError;
use super::clipboard;
use super::ground;
use super::ink::Ink;
use super::model::{Focus, Model};
use super::painter::Painter;
use super::terminal::{self, OuterTerminal, Output};
use super::view::cursor_shape;

/// A place to draw on, so that the loop can be tried without a terminal.
pub(super) trait Surface {
    /// Draws the model.
    fn draw(&mut self, model: &Model) -> io::Result<()>;

    /// Gives the terminal what it has not taken yet; returns whether that was all. Until then nothing more is to be drawn.
    fn catch_up(&mut self) -> io::Result<bool>;

    /// Makes the next draw one from scratch, at the given size.
    fn clear(&mut self, size: (u16, u16)) -> io::Result<()>;

    /// Gives a text to the terminal's clipboard; returns whether it is short enough for that.
    fn copy(&mut self, text: &str) -> io::Result<bool>;

    /// Gives the terminal sequences that change nothing that is shown.
    fn tell(&mut self, sequences: &str) -> io::Result<()>;

    /// Returns columns and rows.
    fn size(&self) -> (u16, u16);

    /// Gives the terminal back and suspends the program. It may return before the program stops.
    fn suspend(&mut self) -> io::Result<()>;

    /// Gives the terminal back, for another program to use until [`resume`](Surface::resume).
    fn lend(&mut self);

    /// Returns whether the terminal may be used.
    fn is_in_foreground(&self) -> bool;

    /// Sets the terminal up again after a stop. Returns its size from then on.
    fn resume(&mut self) -> io::Result<(u16, u16)>;
}

/// The user's terminal.
pub(super) struct Screen {
    painter: Painter<Ink<Output>>,
    output: Output,
    shape: CursorShape,
    motion: bool,
    asked_for_flags: bool,
    asked_for_ground: bool,
    // Dropped last: restores what the others changed.
    outer: OuterTerminal,
}

impl Screen {
    pub(super) fn enter(mouse: bool) -> Result<Screen, TuiError> {
        let outer = OuterTerminal::enter(mouse).map_err(TuiError::Terminal)?;
        let output = Output::open().map_err(TuiError::Terminal)?;
        let painter = Painter::new(Ink::new(output.clone()), terminal::size());
        Ok(Screen {
            painter,
            output,
            shape: CursorShape::Default,
            motion: false,
            asked_for_flags: false,
            asked_for_ground: false,
            outer,
        })
    }

    /// Keeps the cursor's shape, the mouse and the keyboard as the attached run wants them.
    fn follow(&mut self, model: &Model) -> io::Result<()> {
        let shape = cursor_shape(model);
        if shape != self.shape {
            self.shape = shape;
            queue!(self.painter.backend_mut(), style(shape))?;
        }
        let motion = wants_motion(model);
        if motion != self.motion {
            self.motion = motion;
            let sequence = self.outer.motion_sequence(motion);
            self.painter.backend_mut().write_all(sequence.as_bytes())?;
        }
        if model.setup.by_ground.is_some() && !self.asked_for_ground {
            self.asked_for_ground = true;
            self.painter.backend_mut().write_all(ground::question().as_bytes())?;
        }
        let keys = wants_keys(model);
        // Asked only when it matters: an answer that comes after the end would be typed into the shell.
        if keys && !model.has_keyboard_flags && !self.asked_for_flags {
            self.asked_for_flags = true;
            self.painter.backend_mut().write_all(terminal::ASK_KEYBOARD_FLAGS.as_bytes())?;
        }
        let sequence = terminal::keyboard_sequence(keys && model.has_keyboard_flags);
        self.painter.backend_mut().write_all(sequence.as_bytes())
    }
}

impl Surface for Screen {
    fn draw(&mut self, model: &Model) -> io::Result<()> {
        // One write for the whole picture: the terminal never shows half of it, and the user waits for one system call.
        self.output.hold(true);
        queue!(self.painter.backend_mut(), BeginSynchronizedUpdate)?;
        self.painter.draw(model)?;
        self.follow(model)?;
        queue!(self.painter.backend_mut(), EndSynchronizedUpdate)?;
        self.output.hold(false);
        Write::flush(self.painter.backend_mut())
    }

    fn clear(&mut self, size: (u16, u16)) -> io::Result<()> {
        // Held until the next draw, so that nobody sees an empty screen in between.
        self.output.hold(true);
        queue!(self.painter.backend_mut(), BeginSynchronizedUpdate)?;
        self.painter.clear(size)
    }

    fn catch_up(&mut self) -> io::Result<bool> {
        self.output.catch_up()
    }

    fn copy(&mut self, text: &str) -> io::Result<bool> {
        let Some(sequence) = clipboard::sequence(text) else { return Ok(false) };
        self.output.write_all(sequence.as_bytes())?;
        self.output.catch_up().map(|_| true)
    }

    fn tell(&mut self, sequences: &str) -> io::Result<()> {
        self.output.write_all(sequences.as_bytes())?;
        self.output.catch_up().map(|_| ())
    }

    fn size(&self) -> (u16, u16) {
        terminal::size()
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.outer.suspend()
    }

    fn lend(&mut self) {
        terminal::restore();
    }

    fn is_in_foreground(&self) -> bool {
        terminal::is_in_foreground()
    }

    fn resume(&mut self) -> io::Result<(u16, u16)> {
        self.outer.again()?;
        (self.shape, self.motion) = (CursorShape::Default, false);
        // Its colours may have changed meanwhile, or it is another one.
        self.asked_for_ground = false;
        let size = terminal::size();
        self.clear(size)?;
        Ok(size)
    }
}

/// Returns the modes of the run that gets what is typed.
fn attached_modes(model: &Model) -> Option<TerminalModes> {
    let attached = model.focus == Focus::Attached && model.overlay.is_none();
    model.pane.frame.as_ref().filter(|_| attached).map(|frame| frame.modes)
}

fn wants_motion(model: &Model) -> bool {
    attached_modes(model).is_some_and(|modes| modes.mouse_tracking == MouseTracking::Motion)
}

/// Returns whether the run tells keys apart that are the same to most programs, as Enter and Shift+Enter are.
fn wants_keys(model: &Model) -> bool {
    attached_modes(model).is_some_and(|modes| modes.kitty_keyboard != 0 || modes.modify_other_keys != 0)
}

fn style(shape: CursorShape) -> SetCursorStyle {
    match shape {
        CursorShape::Default => SetCursorStyle::DefaultUserShape,
        CursorShape::BlinkingBlock => SetCursorStyle::BlinkingBlock,
        CursorShape::SteadyBlock => SetCursorStyle::SteadyBlock,
        CursorShape::BlinkingUnderline => SetCursorStyle::BlinkingUnderScore,
        CursorShape::SteadyUnderline => SetCursorStyle::SteadyUnderScore,
        CursorShape::BlinkingBar => SetCursorStyle::BlinkingBar,
        CursorShape::SteadyBar => SetCursorStyle::SteadyBar,
    }
}
