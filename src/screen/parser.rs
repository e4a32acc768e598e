//! Cuts a byte stream into text, controls and sequences; keeps its place when a chunk ends anywhere.

use super::forward::first_c1;
use super::sequence::Csi;

/// The longest string (OSC, DCS) that is kept, in bytes. A longer one is swallowed to its end and dropped whole: nothing
/// sensible is longer, and a string without an end must not take memory (BUGS B47).
pub(super) const MAX_STRING_BYTES: usize = 64 * 1024;

/// A string buffer larger than this is given back after use, in bytes, so that one long string does not cost for ever.
const KEPT_STRING_BYTES: usize = 1024;

/// What a stream consists of, in order.
pub(super) trait Sink {
    /// Takes a run of characters without controls. It may hold characters of any width.
    fn text(&mut self, run: &str);
    /// Takes a run of printable ASCII: most text is that, and needs less work.
    fn ascii(&mut self, run: &[u8]);
    /// Takes a C0 control other than ESC, CAN, SUB.
    fn control(&mut self, byte: u8);
    /// Takes an escape sequence that is no introducer.
    fn escape(&mut self, intermediates: &[u8], last: u8);
    /// Takes a control sequence.
    fn csi(&mut self, csi: &Csi);
    /// Takes an operating system command, and whether BEL ended it.
    fn osc(&mut self, payload: &[u8], by_bell: bool);
    /// Takes a device control string, from its first parameter on.
    fn dcs(&mut self, payload: &[u8]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    Csi,
    Osc,
    Dcs,
    /// SOS, PM or APC: nothing in it is of use.
    Ignored,
}

impl State {
    fn is_string(self) -> bool {
        matches!(self, State::Osc | State::Dcs | State::Ignored)
    }
}

/// The state between two bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Parser {
    state: State,
    /// The bytes of a character that is not whole yet.
    partial: [u8; 4],
    partial_len: usize,
    intermediates: [u8; 2],
    intermediates_len: usize,
    csi: Csi,
    string: Vec<u8>,
    string_overflowed: bool,
    /// The last byte of a string: ESC and 0xC2 may start its end.
    string_last: u8,
}

/// Returns where the first C0 control or DEL is, or the end.
pub(super) fn text_end(bytes: &[u8]) -> usize {
    end_before(bytes, |b| b < 0x20 || b == 0x7f)
}

/// Returns where the first byte is that is no printable ASCII, or the end.
fn ascii_end(bytes: &[u8]) -> usize {
    end_before(bytes, |b| !(0x20..0x7f).contains(&b))
}

#[inline]
fn end_before(bytes: &[u8], is_other: impl Fn(u8) -> bool) -> usize {
    const LANES: usize = 16;
    let mut at = 0;
    // Whole lanes without a branch inside, so that the compiler can compare them at once.
    for lane in bytes.chunks_exact(LANES) {
        if lane.iter().fold(false, |any, &b| any | is_other(b)) {
            break;
        }
        at += LANES;
    }
    bytes[at..].iter().position(|&b| is_other(b)).map_or(bytes.len(), |more| at + more)
}

impl Parser {
    /// Returns whether the next byte starts something new.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Ground && self.partial_len == 0
    }

    /// Takes the next bytes of the stream.
    pub(super) fn advance(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = match self.state {
                State::Ground => self.ground(rest, sink),
                State::Escape => self.escape(rest[0], sink),
                State::Csi => self.csi(rest, sink),
                State::Osc | State::Dcs | State::Ignored => self.string(rest, sink),
            };
            rest = &rest[taken..];
        }
    }

    fn ground(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        if self.partial_len > 0 {
            return self.complete_character(bytes, sink);
        }
        // Most sequences are whole and have nothing but numbers.
        if let [0x1b, b'[', body @ ..] = bytes
            && let Some(length) = self.csi.read_plain(body)
        {
            sink.csi(&self.csi);
            return 2 + length;
        }
        let end = ascii_end(bytes);
        if end == bytes.len() || bytes[end].is_ascii() {
            if end == 0 {
                self.control(bytes[0], sink);
                return 1;
            }
            sink.ascii(&bytes[..end]);
            return end;
        }
        let end = text_end(bytes);
        self.run(&bytes[..end], end == bytes.len(), sink)
    }

    /// Takes a run without C0 controls; returns how much of it was taken.
    fn run(&mut self, run: &[u8], at_end: bool, sink: &mut impl Sink) -> usize {
        match std::str::from_utf8(run) {
            Ok(text) => self.characters(text, sink),
            Err(error) => {
                let valid = error.valid_up_to();
                if valid > 0 {
                    let text = std::str::from_utf8(&run[..valid]).expect("the part before the error is valid");
                    return self.characters(text, sink);
                }
                match error.error_len() {
                    None if at_end => {
                        self.partial[..run.len()].copy_from_slice(run);
                        self.partial_len = run.len();
                        run.len()
                    }
                    length => {
                        sink.text("\u{fffd}");
                        length.unwrap_or(run.len())
                    }
                }
            }
        }
    }

    /// Takes valid characters up to the first C1 control; returns how many bytes were taken.
    fn characters(&mut self, text: &str, sink: &mut impl Sink) -> usize {
        let bytes = text.as_bytes();
        let Some(at) = first_c1(bytes) else {
            sink.text(text);
            return bytes.len();
        };
        if at > 0 {
            sink.text(&text[..at]);
        }
        // The eight-bit form of `ESC x`, as xterm takes it in UTF-8.
        let last = bytes[at + 1] - 0x40;
        self.begin_escape();
        self.escape(last, sink);
        at + 2
    }

    fn complete_character(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        self.partial[self.partial_len] = bytes[0];
        let so_far = &self.partial[..=self.partial_len];
        let taken = match std::str::from_utf8(so_far) {
            Ok(_) => {
                let whole = self.partial;
                let length = self.partial_len + 1;
                self.partial_len = 0;
                let text = std::str::from_utf8(&whole[..length]).expect("checked above");
                self.characters(text, sink);
                return 1;
            }
            Err(error) if error.error_len().is_none() => {
                self.partial_len += 1;
                return 1;
            }
            // What came before is broken; this byte may be good.
            Err(_) => 0,
        };
        self.partial_len = 0;
        sink.text("\u{fffd}");
        taken
    }

    fn begin_escape(&mut self) {
        self.state = State::Escape;
        self.intermediates_len = 0;
    }

    fn control(&mut self, byte: u8, sink: &mut impl Sink) {
        match byte {
            0x1b => self.begin_escape(),
            // CAN and SUB end what they interrupt.
            0x18 | 0x1a => self.state = State::Ground,
            0x7f => {}
            _ => sink.control(byte),
        }
    }

    fn escape(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        match byte {
            0x00..=0x1f | 0x7f => self.control(byte, sink),
            0x20..=0x2f => {
                if self.intermediates_len < 2 {
                    self.intermediates[self.intermediates_len] = byte;
                }
                self.intermediates_len += 1;
            }
            0x80.. => {
                self.state = State::Ground;
                return 0;
            }
            _ if self.intermediates_len > 0 => {
                self.state = State::Ground;
                if self.intermediates_len <= 2 {
                    sink.escape(&self.intermediates[..self.intermediates_len], byte);
                }
            }
            b'[' => {
                self.state = State::Csi;
                self.csi.clear();
            }
            b']' => self.begin_string(State::Osc),
            b'P' => self.begin_string(State::Dcs),
            b'X' | b'^' | b'_' => self.begin_string(State::Ignored),
            _ => {
                self.state = State::Ground;
                sink.escape(&[], byte);
            }
        }
        1
    }

    fn csi(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                0x00..=0x1f | 0x7f => {
                    self.control(byte, sink);
                    if self.state != State::Csi {
                        return at + 1;
                    }
                }
                0x80.. => {
                    self.state = State::Ground;
                    return at;
                }
                0x40..=0x7e => {
                    self.state = State::Ground;
                    if self.csi.finish(byte) {
                        sink.csi(&self.csi);
                    }
                    return at + 1;
                }
                _ => self.csi.push(byte),
            }
        }
        bytes.len()
    }

    fn begin_string(&mut self, state: State) {
        self.state = state;
        self.string.clear();
        self.string_overflowed = false;
        self.string_last = 0;
    }

    fn string(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            let before = std::mem::replace(&mut self.string_last, byte);
            match byte {
                0x07 if self.state == State::Osc => {
                    self.keep(&bytes[..at]);
                    self.end_string(true, sink);
                    return at + 1;
                }
                0x9c if before == 0xc2 => {
                    // The first byte of this ST went into the string.
                    self.keep(&bytes[..at]);
                    self.string.pop();
                    self.end_string(false, sink);
                    return at + 1;
                }
                0x18 | 0x1a => {
                    self.state = State::Ground;
                    return at + 1;
                }
                0x1b => {
                    // Whatever follows ends the string; `ESC \` itself does nothing more.
                    self.keep(&bytes[..at]);
                    self.end_string(false, sink);
                    self.begin_escape();
                    return at + 1;
                }
                _ => {}
            }
        }
        self.keep(bytes);
        bytes.len()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.state == State::Ignored || self.string_overflowed {
            return;
        }
        if self.string.len() + bytes.len() > MAX_STRING_BYTES {
            self.string_overflowed = true;
            self.string = Vec::new();
        } else {
            self.string.extend_from_slice(bytes);
        }
    }

    fn end_string(&mut self, by_bell: bool, sink: &mut impl Sink) {
        debug_assert!(self.state.is_string(), "only a string can end");
        let state = std::mem::replace(&mut self.state, State::Ground);
        let mut string = std::mem::take(&mut self.string);
        if !self.string_overflowed {
            match state {
                State::Osc => sink.osc(&string, by_bell),
                State::Dcs => sink.dcs(&string),
                State::Ignored | State::Ground | State::Escape | State::Csi => {}
            }
        }
        if string.capacity() <= KEPT_STRING_BYTES {
            string.clear();
            self.string = string;
        }
    }
}
