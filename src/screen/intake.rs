//! The way of one stream into a terminal: what cannot matter yet is held back, so that a flood is skipped rather than drawn.

use super::forward::{feed, is_unfinished, plain_stretch};
use super::parser::Parser;
use super::skipped::Lines;
use super::terminal::Terminal;

/// The most output that is held undrawn, in bytes. Past it it is drawn.
const MAX_HELD_BYTES: usize = 128 * 1024;

/// So many lines more than can be seen, and half of these, are taken into the history.
const MIN_FORWARDED_LINES: usize = 9;

/// A larger buffer than this is given back once it is empty, in bytes.
const KEPT_HELD_BYTES: usize = 8 * 1024;

/// The longest start of a sequence that is held in the hope that it ends plainly, in bytes.
const MAX_UNFINISHED_BYTES: usize = 2048;

/// A stream on its way to a terminal.
#[derive(Debug, Default)]
pub(super) struct Intake {
    parser: Parser,
    /// Output that is not drawn yet: it only scrolls, asks nothing and changes no mode, so only a look can tell.
    text: String,
    /// The lines that end in it.
    lines: usize,
    /// What has taken the lines before it into the history, when there were more than can be seen.
    skipped: Option<Box<Lines>>,
    /// What came behind it and may be the start of a sequence.
    rest: Vec<u8>,
}

impl Intake {
    /// Takes a chunk. What the program asks in it is answered, what it sets is set; only drawing may be put off.
    pub(super) fn admit(&mut self, terminal: &mut Terminal, bytes: &[u8]) {
        if self.is_empty() {
            let can_wait = self.parser.is_idle() && terminal.scrolls_plainly() && bytes.len() < MAX_HELD_BYTES;
            if !can_wait {
                feed(&mut self.parser, terminal, bytes);
                terminal.grid.flush();
                return;
            }
        }
        if self.rest.is_empty() {
            let length = self.hold(bytes, terminal.returns());
            self.rest.extend_from_slice(&bytes[length..]);
        } else {
            self.rest.extend_from_slice(bytes);
            let mut rest = std::mem::take(&mut self.rest);
            let length = self.hold(&rest, terminal.returns());
            rest.drain(..length);
            self.rest = rest;
        }
        if self.rest.len() > MAX_UNFINISHED_BYTES || !is_unfinished(&self.rest) {
            self.settle(terminal);
        } else {
            self.forward(terminal);
        }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.rest.is_empty()
    }

    /// Holds what only scrolls; returns its length.
    fn hold(&mut self, bytes: &[u8], returns: bool) -> usize {
        let stretch = plain_stretch(bytes, returns);
        self.text.push_str(stretch.text);
        self.lines += stretch.lines;
        stretch.text.len()
    }

    /// Draws all that is held: whoever looks sees the truth.
    pub(super) fn settle(&mut self, terminal: &mut Terminal) {
        if !self.is_empty() {
            if let Some(mut skipped) = self.skipped.take() {
                let taken = terminal.go_on_skipping(&mut skipped, &self.text, self.lines);
                self.text.drain(..taken.unwrap_or(0));
                terminal.end_skip(*skipped);
            } else {
                let taken = terminal.skip(&mut self.parser, &self.text, self.lines);
                self.text.drain(..taken);
            }
            self.parser.advance(self.text.as_bytes(), terminal);
            feed(&mut self.parser, terminal, &self.rest);
            self.text.clear();
            self.text.shrink_to(KEPT_HELD_BYTES);
            self.lines = 0;
            self.rest = Vec::new();
        }
        terminal.grid.flush();
    }

    /// Takes what can be seen no more into the history, as it comes: a flood that is taken in at once would let its program wait meanwhile.
    fn forward(&mut self, terminal: &mut Terminal) {
        let in_view = terminal.lines_in_view();
        // Few lines are not worth it, and what stays is moved.
        if self.lines < in_view + in_view / 2 + MIN_FORWARDED_LINES {
            if self.text.len() >= MAX_HELD_BYTES {
                self.settle(terminal);
            }
            return;
        }
        let taken = match &mut self.skipped {
            Some(skipped) => terminal.go_on_skipping(skipped, &self.text, self.lines),
            None => terminal.begin_skip(&mut self.parser, &self.text, self.lines).map(|(drawn, skipped)| {
                self.skipped = Some(Box::new(skipped));
                drawn
            }),
        };
        match taken {
            Some(taken) => {
                self.lines -= memchr::memchr_iter(b'\n', &self.text.as_bytes()[..taken]).count();
                self.text.drain(..taken);
            }
            // It could not be skipped, or not as long as it stays undrawn.
            None => self.settle(terminal),
        }
    }

    /// Leaves a sequence or string that has not ended.
    pub(super) fn unstick(&mut self, terminal: &mut Terminal) {
        self.settle(terminal);
        self.parser = Parser::default();
    }
}
