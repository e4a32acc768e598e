//! What is typed at the outer terminal: bytes for the run, the stolen key, reports of the mouse.

use super::steal::{Report, report};
use crate::model::{Modifiers, Mouse, MouseButton, MouseKind};

/// A paste begins and ends with these where the terminal frames it; nothing in between is a key.
const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// A report of the mouse (SGR) begins so.
const MOUSE: &[u8] = b"\x1b[<";

/// The longest report that makes sense.
const MAX_MOUSE: usize = 24;

/// The beginning of a sequence that is shorter than this is passed on at once: it may be the Escape key, or Alt and a bracket.
const MIN_HELD: usize = 3;

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// For the run, as it came.
    Text(String),
    /// The stolen key.
    Stolen,
    /// A key that is let go, or Ctrl and the like by themselves: for the run, as it came, but nobody has typed anything.
    Aside(String),
    /// The mouse.
    Mouse(Mouse),
}

/// Takes what comes from the outer terminal, in chunks as they come.
pub(super) struct Keys {
    stolen: Vec<Vec<u8>>,
    held: Vec<u8>,
    in_paste: bool,
}

enum Found {
    /// So many bytes are one thing.
    Whole(usize, Option<Typed>),
    /// It may become something.
    Partial,
    Nothing,
}

impl Keys {
    /// Makes one that looks for these forms of a key.
    pub(super) fn new(stolen: Vec<Vec<u8>>) -> Keys {
        Keys { stolen, held: Vec::new(), in_paste: false }
    }

    /// Takes the next bytes. Bytes that are no UTF-8 are left out: a run's input is text.
    pub(super) fn admit(&mut self, bytes: &[u8]) -> Vec<Typed> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let (mut typed, mut text, mut at) = (Vec::new(), Vec::new(), 0);
        while at < all.len() {
            match self.look(&all[at..]) {
                Found::Whole(length, Some(found)) => {
                    flush(&mut text, &mut typed);
                    typed.push(found);
                    at += length;
                }
                Found::Whole(length, None) => {
                    text.extend_from_slice(&all[at..at + length]);
                    at += length;
                }
                Found::Partial => {
                    self.held = all[at..].to_vec();
                    break;
                }
                Found::Nothing => {
                    text.push(all[at]);
                    at += 1;
                }
            }
        }
        // The beginning of a character waits for its end.
        let whole = whole(&text);
        if whole < text.len() {
            let tail = text.split_off(whole);
            self.held.splice(0..0, tail);
        }
        flush(&mut text, &mut typed);
        typed
    }

    fn look(&mut self, bytes: &[u8]) -> Found {
        let edge = if self.in_paste { PASTE_END } else { PASTE_BEGIN };
        if bytes.starts_with(edge) {
            self.in_paste = !self.in_paste;
            return Found::Whole(edge.len(), None);
        }
        let mut may_become = bytes.len() < edge.len() && edge.starts_with(bytes);
        if !self.in_paste {
            if let Some(form) = self.stolen.iter().find(|form| bytes.starts_with(form)) {
                return Found::Whole(form.len(), Some(Typed::Stolen));
            }
            match report(bytes) {
                Report::Press(length, form) if self.stolen.contains(&form) => {
                    return Found::Whole(length, Some(Typed::Stolen));
                }
                Report::Aside(length) => {
                    let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                    return Found::Whole(length, Some(Typed::Aside(text)));
                }
                Report::Partial => may_become = true,
                Report::Press(..) | Report::Nothing => {}
            }
            may_become |= self.stolen.iter().any(|form| form.starts_with(bytes));
            if let Some(report) = bytes.strip_prefix(MOUSE) {
                let body = report.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
                match body {
                    Some(end) => {
                        if let Some(mouse) = mouse(&report[..end], report[end]) {
                            return Found::Whole(MOUSE.len() + end + 1, Some(Typed::Mouse(mouse)));
                        }
                    }
                    None => may_become |= report.len() < MAX_MOUSE,
                }
            }
        }
        if may_become && (self.in_paste || bytes.len() >= MIN_HELD) { Found::Partial } else { Found::Nothing }
    }
}

fn flush(text: &mut Vec<u8>, typed: &mut Vec<Typed>) {
    let shown: String = text.utf8_chunks().map(|chunk| chunk.valid()).collect();
    text.clear();
    if !shown.is_empty() {
        typed.push(Typed::Text(shown));
    }
}

/// Returns how many bytes there are up to a character that has begun at the end.
fn whole(bytes: &[u8]) -> usize {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(3)..]) {
        Ok(_) => bytes.len(),
        Err(_) => {
            let last = bytes.utf8_chunks().last();
            let unfinished = last.map_or(&b""[..], |chunk| chunk.invalid());
            let may_go_on = std::str::from_utf8(unfinished).is_err_and(|error| error.error_len().is_none());
            if may_go_on { bytes.len() - unfinished.len() } else { bytes.len() }
        }
    }
}

/// Reads the numbers of a report (xterm, mode 1006).
fn mouse(numbers: &[u8], last: u8) -> Option<Mouse> {
    let numbers = std::str::from_utf8(numbers).ok()?;
    let mut numbers = numbers.split(';').map(|number| number.parse::<u16>().ok());
    let (code, x, y) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if numbers.next().is_some() || !matches!(last, b'M' | b'm') {
        return None;
    }
    let button = match (code & 64 != 0, code & 3) {
        (false, 0) => MouseButton::Left,
        (false, 1) => MouseButton::Middle,
        (false, 2) => MouseButton::Right,
        (false, _) => MouseButton::None,
        (true, 0) => MouseButton::WheelUp,
        (true, 1) => MouseButton::WheelDown,
        (true, 2) => MouseButton::WheelLeft,
        (true, _) => MouseButton::WheelRight,
    };
    let kind = match (code & 64 != 0, code & 32 != 0, last) {
        (true, ..) => MouseKind::Scroll,
        (_, true, _) => MouseKind::Move,
        (_, _, b'm') => MouseKind::Release,
        (false, false, _) => MouseKind::Press,
    };
    let modifiers = Modifiers { shift: code & 4 != 0, alt: code & 8 != 0, ctrl: code & 16 != 0 };
    Some(Mouse { kind, button, x: x.saturating_sub(1), y: y.saturating_sub(1), modifiers })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing() -> Keys {
        Keys::new(super::super::steal::forms("C-a".parse().expect("a key")))
    }

    fn text(text: &str) -> Typed {
        Typed::Text(text.into())
    }

    #[test]
    fn everything_passes_but_the_stolen_key() {
        assert_eq!(typing().admit(b"ls\r\x03\x1b[A\x1b"), [text("ls\r\x03\x1b[A\x1b")]);
        assert_eq!(typing().admit(b"x\x01y"), [text("x"), Typed::Stolen, text("y")]);
        assert_eq!(typing().admit(b"\x1b[97;5u"), [Typed::Stolen]);
    }

    /// What a run asked for with the flags 2, 4 and 8 of the kitty keyboard protocol, and lock keys.
    #[test]
    fn the_stolen_key_is_known_with_lock_keys_and_by_its_press_only() {
        for press in [&b"\x1b[97;69u"[..], b"\x1b[97;133u", b"\x1b[97;197:1u", b"\x1b[97:65;5u", b"\x1b[97;5;97u"] {
            assert_eq!(typing().admit(press), [Typed::Stolen], "{press:?}");
        }
        let aside = |text: &str| Typed::Aside(text.into());
        let keys = "\x1b[57442;5u\x1b[97;5u\x1b[97;5:3u\x1b[57442;1:3u\x1b[98;5u";
        let expected = [
            aside("\x1b[57442;5u"),
            Typed::Stolen,
            aside("\x1b[97;5:3u"),
            aside("\x1b[57442;1:3u"),
            text("\x1b[98;5u"),
        ];
        assert_eq!(typing().admit(keys.as_bytes()), expected);
        for cut in 3..9 {
            let (mut typing, press) = (typing(), b"\x1b[97;133u");
            assert_eq!(typing.admit(&press[..cut]), [], "cut at {cut}");
            assert_eq!(typing.admit(&press[cut..]), [Typed::Stolen], "cut at {cut}");
        }
        assert_eq!(typing().admit(b"\x1b[97;6u\x1b[1;1:3A"), [text("\x1b[97;6u"), aside("\x1b[1;1:3A")]);
    }

    #[test]
    fn a_sequence_that_comes_in_two_reads_is_one() {
        let mut typing = typing();
        assert_eq!(typing.admit(b"a\x1b[97"), [text("a")]);
        assert_eq!(typing.admit(b";5ub"), [Typed::Stolen, text("b")]);
        assert_eq!(typing.admit(b"\x1b["), [text("\x1b[")], "Alt and a bracket do not wait");
        assert_eq!(typing.admit("ä".as_bytes().split_at(1).0), []);
        assert_eq!(typing.admit("ä".as_bytes().split_at(1).1), [text("ä")]);
    }

    #[test]
    fn nothing_in_a_paste_is_a_key() {
        let paste = "\x1b[200~a\x01b\x1b[<0;1;1M\x1b[201~";
        assert_eq!(typing().admit(format!("{paste}\x01").as_bytes()), [text(paste), Typed::Stolen]);
    }

    #[test]
    fn a_paste_may_be_torn_anywhere_and_ends() {
        let paste = "\x1b[200~a\x1bb\x1b[201~\x01";
        for cut in MIN_HELD..paste.len() {
            let mut typing = typing();
            let typed = [typing.admit(&paste.as_bytes()[..cut]), typing.admit(&paste.as_bytes()[cut..])].concat();
            assert_eq!(typed.last(), Some(&Typed::Stolen), "cut at {cut}: {typed:?}");
            let is_whole = |typed: &Typed| matches!(typed, Typed::Text(text) if text.ends_with("\x1b[201~"));
            assert!(typed.iter().any(is_whole), "its end comes in one piece, cut at {cut}: {typed:?}");
        }
    }

    #[test]
    fn reports_of_the_mouse_are_read() {
        let found = typing().admit(b"\x1b[<0;5;7M\x1b[<35;1;1M\x1b[<65;2;3M\x1b[<16;1;1m");
        let kinds: Vec<_> = found
            .iter()
            .map(|typed| match typed {
                Typed::Mouse(mouse) => (mouse.kind, mouse.button, mouse.x, mouse.y, mouse.modifiers.ctrl),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            kinds,
            [
                (MouseKind::Press, MouseButton::Left, 4, 6, false),
                (MouseKind::Move, MouseButton::None, 0, 0, false),
                (MouseKind::Scroll, MouseButton::WheelDown, 1, 2, false),
                (MouseKind::Release, MouseButton::Left, 0, 0, true),
            ]
        );
        assert_eq!(typing().admit(b"\x1b[<0;5;7X"), [text("\x1b[<0;5;7X")]);
    }

    #[test]
    fn bytes_that_are_no_text_are_left_out() {
        assert_eq!(typing().admit(b"a\xff\xfeb"), [text("ab")]);
    }
}
