//! The way of one stream into a terminal: what cannot matter yet is held back, so that a flood is skipped rather than drawn.

use super::forward::{feed, is_unfinished, plain_stretch};
use super::parser::Parser;
use super::terminal::Terminal;

/// The most output that is held undrawn, in bytes. Past it all but the last lines go into the history.
const MAX_HELD_BYTES: usize = 64 * 1024;

/// A larger buffer than this is given back once it is empty, in bytes.
const KEPT_HELD_BYTES: usize = 8 * 1024;

/// The longest start of a sequence that is held in the hope that it ends plainly, in bytes.
const MAX_UNFINISHED_BYTES: usize = 2048;

/// A stream on its way to a terminal.
#[derive(Debug, Default)]
pub(super) struct Intake {
    parser: Parser,
    /// Output that is not drawn yet: it only scrolls, asks nothing and changes no mode, so only a look can tell.
    held: Vec<u8>,
    /// How much of it is known to be so; the rest may be the start of a sequence.
    plain: usize,
    /// The lines that end in that part.
    lines: usize,
}

impl Intake {
    /// Takes a chunk. What the program asks in it is answered, what it sets is set; only drawing may be put off.
    pub(super) fn admit(&mut self, terminal: &mut Terminal, bytes: &[u8]) {
        if self.held.is_empty() {
            let can_wait = self.parser.is_idle() && terminal.scrolls_plainly() && bytes.len() < MAX_HELD_BYTES;
            if !can_wait {
                feed(&mut self.parser, terminal, bytes);
                terminal.grid.flush();
                return;
            }
        }
        self.held.extend_from_slice(bytes);
        let stretch = plain_stretch(&self.held[self.plain..], terminal.returns());
        self.plain += stretch.bytes;
        self.lines += stretch.lines;
        let rest = &self.held[self.plain..];
        if rest.len() > MAX_UNFINISHED_BYTES || !is_unfinished(rest) {
            self.settle(terminal);
        } else if self.held.len() >= MAX_HELD_BYTES {
            self.compact(terminal);
        }
    }

    /// Draws all that is held: whoever looks sees the truth.
    pub(super) fn settle(&mut self, terminal: &mut Terminal) {
        if !self.held.is_empty() {
            feed(&mut self.parser, terminal, &self.held);
            self.held.clear();
            self.held.shrink_to(KEPT_HELD_BYTES);
            self.plain = 0;
            self.lines = 0;
        }
        terminal.grid.flush();
    }

    /// Leaves held only the lines that can be seen.
    fn compact(&mut self, terminal: &mut Terminal) {
        let taken = terminal.skip(&mut self.parser, &self.held[..self.plain], self.lines);
        if taken == 0 {
            self.settle(terminal);
            return;
        }
        self.held.drain(..taken);
        self.plain -= taken;
        self.lines = memchr::memchr_iter(b'\n', &self.held[..self.plain]).count();
    }

    /// Leaves a sequence or string that has not ended.
    pub(super) fn unstick(&mut self, terminal: &mut Terminal) {
        self.settle(terminal);
        self.parser = Parser::default();
    }
}
