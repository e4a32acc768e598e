//! The character sets of ISO 2022 that programs still use.

/// A set that can be designated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Charset {
    #[default]
    Ascii,
    /// DEC special graphics: line drawing.
    Lines,
    /// The United Kingdom's: `#` is the pound sign.
    Uk,
}

impl Charset {
    fn named(name: u8) -> Option<Charset> {
        match name {
            b'B' | b'@' | b'1' => Some(Charset::Ascii),
            b'0' | b'2' => Some(Charset::Lines),
            b'A' => Some(Charset::Uk),
            _ => None,
        }
    }

    /// Returns what a character stands for in this set.
    pub(super) fn map(self, character: char) -> char {
        const LINES: &str = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
        match (self, character) {
            (Charset::Lines, '_'..='~') => LINES.chars().nth(character as usize - '_' as usize).unwrap_or(character),
            (Charset::Uk, '#') => '£',
            (Charset::Ascii | Charset::Lines | Charset::Uk, _) => character,
        }
    }
}

/// The four designated sets and which of them is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Charsets {
    sets: [Charset; 4],
    in_use: usize,
    /// For the next character only (SS2, SS3).
    once: Option<usize>,
}

impl Charsets {
    /// Takes `ESC slot name`. Returns whether that designates a set.
    pub(super) fn designate(&mut self, slot: u8, name: u8) -> bool {
        let index = match slot {
            b'(' => 0,
            b')' | b'-' => 1,
            b'*' | b'.' => 2,
            b'+' | b'/' => 3,
            _ => return false,
        };
        self.sets[index] = Charset::named(name).unwrap_or_default();
        true
    }

    pub(super) fn shift(&mut self, index: usize) {
        self.in_use = index;
    }

    pub(super) fn shift_once(&mut self, index: usize) {
        self.once = Some(index);
    }

    /// Returns whether text means what it says.
    pub(super) fn is_plain(&self) -> bool {
        self.once.is_none() && self.sets[self.in_use] == Charset::Ascii
    }

    /// Returns whether everything is as it is at first, so that designating ASCII (`ESC ( B`) changes nothing.
    pub(super) fn is_initial(&self) -> bool {
        self.once.is_none() && self.in_use == 0 && self.sets[0] == Charset::Ascii
    }

    /// Returns what the next character stands for.
    pub(super) fn map(&mut self, character: char) -> char {
        let index = self.once.take().unwrap_or(self.in_use);
        self.sets[index].map(character)
    }
}
