//! The ground that the terminal draws on: dark or light. It says so by `COLORFGBG`, when it is asked, and by itself when that changes.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Asks to be told when the colours change (mode 2031), and for the colour of the background. A terminal that knows neither answers nothing.
const QUESTION: &str = "\x1b[?2031h\x1b]11;?\x1b\\";

/// Asks not to be told any more.
const NO_REPORTS: &str = "\x1b[?2031l";

/// How an answer begins.
pub(super) const ANSWER: &[u8] = b"\x1b]11;";

/// After this no answer is expected any more. One that comes later is understood all the same.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

/// How long an answer is waited for when the terminal is given back: it would be typed into the shell.
const AWAITED_AT_END: Duration = Duration::from_millis(100);

/// When it was asked, while there is no answer.
static ASKED: Mutex<Option<Instant>> = Mutex::new(None);

/// Whether the terminal is known to answer, or was not asked before.
static ANSWERS: AtomicBool = AtomicBool::new(true);

/// Whether the terminal tells when its colours change.
static FOLLOWED: AtomicBool = AtomicBool::new(false);

/// What the terminal draws on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    Dark,
    Light,
}

impl Ground {
    /// Understands `COLORFGBG`: foreground and background as numbers of the sixteen, `15;0`.
    pub(crate) fn of_variable(text: &str) -> Option<Ground> {
        match text.rsplit(';').next()?.trim().parse::<u8>().ok()? {
            7 | 9..=15 => Some(Ground::Light),
            0..=6 | 8 => Some(Ground::Dark),
            16.. => None,
        }
    }

    /// Understands the parameters of a report that the colours are others now: `?997;1` for dark ones, `?997;2` for light ones.
    pub(crate) fn of_report(parameters: &[u8]) -> Option<Ground> {
        match parameters {
            b"?997;1" => Some(Ground::Dark),
            b"?997;2" => Some(Ground::Light),
            _ => None,
        }
    }

    /// Understands the colour of an answer: `rgb:ffff/ffff/ffff`, each part of one to four digits; a fourth part after `rgba:` says nothing here.
    pub(crate) fn of_answer(color: &[u8]) -> Option<Ground> {
        let (kind, parts) = std::str::from_utf8(color).ok()?.split_once(':')?;
        let parts: Vec<f32> = parts.split('/').map(share).collect::<Option<_>>()?;
        let [red, green, blue] = match (kind, parts.as_slice()) {
            ("rgb", [red, green, blue]) | ("rgba", [red, green, blue, _]) => [red, green, blue],
            _ => return None,
        };
        // As bright as people see it.
        let is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
        Some(if is_light { Ground::Light } else { Ground::Dark })
    }
}

/// A part of a colour as a share of the most that its digits can say.
fn share(digits: &str) -> Option<f32> {
    let most = ["f", "ff", "fff", "ffff"].into_iter().find(|most| most.len() == digits.len())?;
    let number = |digits: &str| u16::from_str_radix(digits, 16).ok().map(f32::from);
    Some(number(digits)? / number(most)?).filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn asked() -> MutexGuard<'static, Option<Instant>> {
    // A moment is never half written.
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the question, and notes that it is asked.
pub(super) fn question() -> &'static str {
    FOLLOWED.store(true, Ordering::SeqCst);
    *asked() = Some(Instant::now());
    QUESTION
}

/// Returns what ends reports of other colours; nothing where none were asked for.
pub(super) fn no_reports() -> &'static str {
    if FOLLOWED.swap(false, Ordering::SeqCst) { NO_REPORTS } else { "" }
}

/// The answer is there.
pub(super) fn answered() {
    ANSWERS.store(true, Ordering::SeqCst);
    *asked() = None;
}

/// Returns whether an answer may still come.
pub(super) fn is_expected() -> bool {
    ANSWERS.load(Ordering::SeqCst) && asked().is_some_and(|at| at.elapsed() < ANSWERED_WITHIN)
}

/// Takes the answer out of the terminal that is about to be given back, if one may still come.
pub(super) fn take_answer() {
    let has_answered = is_expected() && io::stdin().is_terminal() && take_answer_of(io::stdin(), AWAITED_AT_END);
    if asked().take().is_some() {
        // A terminal that has left a question without an answer will do so again: what is typed then is for the shell.
        ANSWERS.store(has_answered, Ordering::SeqCst);
    }
}

/// Reads up to the end of an answer, and nothing behind it; returns whether there was one.
fn take_answer_of(input: impl AsFd, within: Duration) -> bool {
    let end = Instant::now() + within;
    let mut last = 0;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let wait =
            Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() };
        let mut byte = [0];
        if poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&wait)) != Ok(1)
            || rustix::io::read(&input, &mut byte) != Ok(1)
        {
            return false;
        }
        if byte == [0x07] || (last, byte) == (0x1b, [b'\\']) {
            return true;
        }
        last = byte[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn grounds_are_told_by_their_brightness() {
        let told = |text: &str| Ground::of_answer(text.as_bytes());
        for dark in
            ["rgb:0000/0000/0000", "rgb:1e/1e/2e", "rgb:0/0/f", "rgba:2828/2c2c/3434/ffff", "rgb:FFFF/0000/0000"]
        {
            assert_eq!(told(dark), Some(Ground::Dark), "{dark}");
        }
        for light in ["rgb:ffff/ffff/ffff", "rgb:fd/f6/e3", "rgb:f/f/0", "rgb:0000/ffff/0000"] {
            assert_eq!(told(light), Some(Ground::Light), "{light}");
        }
        for none in
            ["", "rgb:", "rgb:ff/ff", "rgb:ff/ff/ff/ff", "rgb:fffff/0/0", "rgb:gg/00/00", "#ffffff", "rgb:+f/0/0"]
        {
            assert_eq!(told(none), None, "{none}");
        }
    }

    #[test]
    fn an_answer_that_comes_at_the_end_is_taken_and_nothing_behind_it() {
        for answer in ["\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:ffff/ffff/ffff\x07", "/ffff\x1b\\"] {
            let (mut reader, mut writer) = io::pipe().expect("pipe");
            writer.write_all(format!("{answer}ls\n").as_bytes()).expect("room");
            drop(writer);
            take_answer_of(&reader, Duration::from_secs(60));
            let mut left = String::new();
            reader.read_to_string(&mut left).expect("text");
            assert_eq!(left, "ls\n", "{answer:?}");
        }
    }

    #[test]
    fn nothing_is_waited_for_where_nothing_can_come() {
        let (reader, writer) = io::pipe().expect("pipe");
        drop(writer);
        take_answer_of(&reader, Duration::from_secs(3600));
        let (reader, _writer) = io::pipe().expect("pipe");
        take_answer_of(&reader, Duration::ZERO);
    }
}
