//! Operating system commands and device control strings: consumed, turned into data, never passed on (S9.2).

use std::collections::HashSet;
use std::sync::Arc;

use super::notifications;
use super::signals::{Signal, plain_text};
use super::terminal::Terminal;
use crate::model::{Color, Progress};

/// The longest title that is kept, in characters.
const MAX_TITLE_CHARACTERS: usize = 1024;

impl Terminal {
    /// Follows an OSC.
    pub(super) fn operating_system_command(&mut self, payload: &[u8], by_bell: bool) {
        let (number, rest) = match payload.iter().position(|&b| b == b';') {
            Some(at) => (&payload[..at], &payload[at + 1..]),
            None => (payload, &[][..]),
        };
        match number {
            b"0" | b"2" => self.title = Arc::from(plain_text(rest, MAX_TITLE_CHARACTERS)),
            b"4" => self.palette_queries(rest, by_bell),
            b"7" => self.signals.push(Signal::Directory(plain_text(rest, usize::MAX))),
            b"8" => self.set_link(rest),
            b"9" => match rest.strip_prefix(b"4;") {
                Some(progress) => self.set_progress(progress),
                None => self.signals.extend(notifications::osc_9(rest)),
            },
            b"10" => self.color_queries(10, rest, by_bell),
            b"11" => self.color_queries(11, rest, by_bell),
            b"12" => self.color_queries(12, rest, by_bell),
            b"52" => self.clipboard(rest),
            b"133" => self.mark(rest),
            b"99" => {
                let ended = self.notifications.take(rest);
                self.signals.extend(ended);
            }
            b"777" => self.signals.extend(notifications::osc_777(rest)),
            _ => {}
        }
    }

    /// Follows a DCS: only questions are of use.
    pub(super) fn device_control_string(&mut self, payload: &[u8]) {
        if let Some(setting) = payload.strip_prefix(b"$q") {
            self.report_setting(setting);
        } else if let Some(names) = payload.strip_prefix(b"+q") {
            self.report_capabilities(names);
        }
    }

    fn set_link(&mut self, rest: &[u8]) {
        if self.links.is_full() && !rest.ends_with(b";") {
            self.sweep_links();
        }
        if let Some(number) = self.links.follow(rest) {
            self.style.link = number;
        }
    }

    /// Forgets the links that neither the screen nor the history shows.
    fn sweep_links(&mut self) {
        let mut used: HashSet<u16> = self.grid.history().links().collect();
        used.extend(self.grid.interned_links());
        used.extend(self.saved.iter().map(|saved| saved.style.link));
        used.insert(self.style.link);
        self.links.sweep(&used);
    }

    fn set_progress(&mut self, rest: &[u8]) {
        let mut parts = rest.split(|&b| b == b';').map(number);
        let state = parts.next().flatten();
        let share = parts.next().flatten().unwrap_or(0).min(100) as u8;
        self.progress = match state {
            Some(1) => Some(Progress::Normal(share)),
            Some(2) => Some(Progress::Error(share)),
            Some(3) => Some(Progress::Busy),
            Some(4) => Some(Progress::Paused(share)),
            _ => None,
        };
    }

    fn clipboard(&mut self, rest: &[u8]) {
        let Some(at) = rest.iter().position(|&b| b == b';') else { return };
        let (selection, data) = (&rest[..at], &rest[at + 1..]);
        let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
        // A question for the clipboard's text is never answered.
        if data != b"?" && data.iter().all(is_base64) && selection.iter().all(u8::is_ascii_alphanumeric) {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            self.signals.push(Signal::Clipboard { selection: text(selection), base64: text(data) });
        }
    }

    fn mark(&mut self, rest: &[u8]) {
        let mut parts = rest.split(|&b| b == b';');
        if let Some(&[kind @ (b'A' | b'B' | b'C' | b'D')]) = parts.next() {
            let code = parts.next().and_then(|part| std::str::from_utf8(part).ok()?.parse().ok());
            self.signals.push(Signal::Mark { kind: kind.into(), exit_code: code.filter(|_| kind == b'D') });
        }
    }

    /// Answers what the palette's colours are. Changing them is not followed.
    fn palette_queries(&mut self, rest: &[u8], by_bell: bool) {
        let mut parts = rest.split(|&b| b == b';');
        while let (Some(index), Some(value)) = (parts.next(), parts.next()) {
            if let (Some(index), b"?") = (number(index).and_then(|n| u8::try_from(n).ok()), value) {
                let end = if by_bell { "\x07" } else { "\x1b\\" };
                let color = spelled(Color::palette_rgb(index));
                self.replies.push(format!("\x1b]4;{index};{color}{end}").as_bytes());
            }
        }
    }

    /// Answers what the foreground (10), background (11) and cursor (12) colours are; more values ask for the next ones.
    fn color_queries(&mut self, first: u8, rest: &[u8], by_bell: bool) {
        for (which, value) in (first..=12).zip(rest.split(|&b| b == b';')) {
            if value == b"?" {
                let end = if by_bell { "\x07" } else { "\x1b\\" };
                let color = spelled(if which == 11 { (0, 0, 0) } else { (229, 229, 229) });
                self.replies.push(format!("\x1b]{which};{color}{end}").as_bytes());
            }
        }
    }
}

fn number(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn spelled((r, g, b): (u8, u8, u8)) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}
