//! A terminal with a program in it, as a person has it: keys go in, a screen is looked at.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::emulator::{Emulator, Screen};
use super::home::Home;
use super::keys::{self, Mouse};
use super::marker::{Marker, survivors};
use super::pty::{Beside, Exit, Pty, ReadOutcome};

/// How long a wait lasts before it fails, unless the terminal was given another bound.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// How often a condition is looked at again that no byte of the terminal announces (a file, a process).
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A program in a terminal. Dropping it kills the program; the last terminal of a home ends all that was started in it.
pub(crate) struct Terminal {
    // Before the home: the program ends first.
    pty: Pty,
    emulator: Emulator,
    raw: Vec<u8>,
    closed: bool,
    deadline: Duration,
    home: Arc<Home>,
}

impl Terminal {
    pub(super) fn new(pty: Pty, home: Arc<Home>, cols: u16, rows: u16) -> Terminal {
        let emulator = Emulator::new(cols, rows);
        Terminal { pty, emulator, raw: Vec::new(), closed: false, deadline: DEADLINE, home }
    }

    /// Makes every later wait fail after `deadline` instead of [`DEADLINE`].
    pub(crate) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    /// The folders in which the program runs.
    pub(crate) fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// The process id of the program.
    pub(crate) fn pid(&self) -> i32 {
        self.pty.pid().as_raw_nonzero().get()
    }

    /// The screen as far as it was taken in.
    pub(crate) fn screen(&self) -> Screen<'_> {
        self.emulator.screen()
    }

    /// Every byte that the program wrote to the terminal so far.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }

    // --- taking in ---

    /// Waits at most `timeout` for output and takes in all there is. Says whether there was any.
    pub(crate) fn take_in(&mut self, timeout: Duration) -> bool {
        self.wait_beside(timeout, Beside::Nothing)
    }

    fn wait_beside(&mut self, timeout: Duration, beside: Beside) -> bool {
        self.pty.wait(timeout, beside);
        self.drain()
    }

    fn drain(&mut self) -> bool {
        /// So much at once, that a flood cannot keep a condition from being looked at.
        const TURN_BYTES: usize = 1024 * 1024;
        let mut buffer = [0; 64 * 1024];
        let mut taken = 0;
        while taken < TURN_BYTES {
            match self.pty.read(&mut buffer) {
                ReadOutcome::Bytes(count) => {
                    taken += count;
                    self.raw.extend_from_slice(&buffer[..count]);
                    let replies = self.emulator.feed(&buffer[..count]);
                    if !replies.is_empty() {
                        self.pty.write(&replies);
                    }
                }
                ReadOutcome::Empty => break,
                ReadOutcome::Closed => {
                    // The closed end would be reported as readable for ever.
                    self.closed = true;
                    break;
                }
            }
        }
        taken > 0
    }

    // --- giving in ---

    /// Types bytes as they are, taking in output meanwhile.
    pub(crate) fn send(&mut self, mut bytes: &[u8]) {
        let end = Instant::now() + self.deadline;
        while !bytes.is_empty() {
            assert!(Instant::now() < end, "the program takes no input\n{}", self.picture());
            let room = self.pty.wait(LOOK_AGAIN, Beside::Room);
            self.drain();
            if room {
                let count = self.pty.write(bytes);
                bytes = &bytes[count..];
            }
        }
    }

    /// Types keys: `"ihello<Esc>:wq<Enter>"` (see [`keys::encode`]).
    pub(crate) fn keys(&mut self, keys: &str) {
        let bytes = keys::encode(keys, self.screen().vt().application_cursor());
        self.send(&bytes);
    }

    /// Pastes text, in a frame when the program asked for frames.
    pub(crate) fn paste(&mut self, text: &str) {
        let bytes = keys::paste(text, self.screen().vt().bracketed_paste());
        self.send(&bytes);
    }

    /// Does something with the mouse at a cell.
    ///
    /// # Panics
    ///
    /// When the program did not ask for a mouse: a real terminal would send nothing.
    pub(crate) fn mouse(&mut self, what: Mouse, col: u16, row: u16) {
        let asked = self.screen().vt().mouse_protocol_mode() != vt100::MouseProtocolMode::None;
        assert!(asked, "the program did not ask for the mouse\n{}", self.picture());
        self.send(&what.report(col, row));
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        self.drain();
        self.emulator.resize(cols, rows);
        self.pty.resize(cols, rows);
    }

    // --- waiting ---

    /// Waits until the screen satisfies `condition`; `what` names it when it fails.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, what: &str, condition: impl Fn(Screen<'_>) -> bool) {
        self.wait_until(what, |terminal| condition(terminal.screen()));
    }

    /// Waits until `text` stands on the screen.
    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |screen| screen.has(text));
    }

    /// Waits until `text` stands nowhere on the screen.
    #[track_caller]
    pub(crate) fn wait_for_no_text(&mut self, text: &str) {
        self.wait_for(&format!("no {text}"), |screen| !screen.has(text));
    }

    /// Waits until no process has the mark, taking in output meanwhile.
    #[track_caller]
    pub(crate) fn wait_gone(&mut self, marker: &Marker) {
        self.wait_until("no process has the mark", |_| survivors(marker).is_empty());
    }

    /// Waits until at least `count` processes have the mark as their one argument, as in `sleep UNIQ`.
    #[track_caller]
    pub(crate) fn wait_alive(&mut self, marker: &Marker, count: usize) {
        let mark = marker.to_string();
        self.wait_until("processes with the mark", |_| {
            survivors(marker).iter().filter(|process| process.arguments[1..] == [mark.as_str()]).count() >= count
        });
    }

    /// Waits until `condition` holds, which may look at anything: the screen, files, processes.
    ///
    /// # Panics
    ///
    /// When it does not hold before the deadline; the message shows the screen.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, condition: impl Fn(&mut Terminal) -> bool) {
        let end = Instant::now() + self.deadline;
        loop {
            self.drain();
            if !self.emulator.is_updating() && condition(self) {
                return;
            }
            let now = Instant::now();
            if now >= end {
                panic!("waited {:?} in vain for: {what}\n{}", self.deadline, self.picture());
            }
            self.take_in(LOOK_AGAIN.min(end - now));
        }
    }

    /// Waits until nothing was written for `quiet`.
    #[track_caller]
    pub(crate) fn wait_quiet(&mut self, quiet: Duration) {
        let end = Instant::now() + self.deadline;
        let mut last = Instant::now();
        while last.elapsed() < quiet {
            assert!(Instant::now() < end, "the program does not become quiet\n{}", self.picture());
            if self.take_in(quiet.saturating_sub(last.elapsed())) {
                last = Instant::now();
            }
        }
    }

    /// Waits for the end of the program and takes in the rest of its output.
    ///
    /// # Panics
    ///
    /// When it does not end before the deadline; the message shows the screen.
    #[track_caller]
    pub(crate) fn wait_exit(&mut self) -> Exit {
        let end = Instant::now() + self.deadline;
        loop {
            if let Some(exit) = self.pty.exit() {
                while self.drain() {}
                return exit;
            }
            let now = Instant::now();
            assert!(now < end, "waited {:?} in vain for the end of the program\n{}", self.deadline, self.picture());
            self.wait_beside(end - now, Beside::End);
        }
    }

    /// The end of the program, if it has ended.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        self.pty.exit()
    }

    // --- the terminal itself ---

    /// The line settings (termios) of this moment.
    pub(crate) fn line_settings(&self) -> String {
        self.pty.line_settings()
    }

    /// The line settings from before the program could change any.
    pub(crate) fn line_settings_at_start(&self) -> &str {
        self.pty.line_settings_at_start()
    }

    /// Closes the terminal as a window that is closed does: the program gets SIGHUP.
    pub(crate) fn hang_up(&mut self) {
        self.drain();
        self.closed = true;
        self.pty.hang_up();
    }

    /// Sends a signal to the program alone.
    pub(crate) fn signal(&self, signal: Signal) {
        self.pty.signal(signal);
    }

    /// The screen with a frame around it and the cursor's place, for messages.
    pub(crate) fn picture(&self) -> String {
        let screen = self.screen();
        let (cols, rows) = screen.size();
        let (col, row) = screen.cursor();
        let rule = "-".repeat(usize::from(cols));
        let state = match (self.pty.is_open(), self.closed) {
            (false, _) => "hung up",
            (true, true) => "the other end is closed",
            (true, false) => "open",
        };
        let lines: String = (0..rows).map(|row| format!("|{}\n", screen.row(row))).collect();
        format!("+{rule}\n{lines}+{rule}\n{cols}×{rows}, cursor at column {col}, row {row}; {state}")
    }
}
