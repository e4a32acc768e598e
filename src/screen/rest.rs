//! The grid at rest: text that draws what `vt100` had, instead of its cells.
//!
//! The cells of a screen of 80×24 take 60 KiB, what is drawn in them mostly some hundred bytes, and most runs are idle and unseen most of the
//! time. The text is `vt100`'s own; a grid that it does not draw again cell by cell stays as it is.

use std::num::NonZeroU16;

use super::history::History;
use super::scrolled::Behind;
use super::styles::StyleTable;
use crate::model::Size;

type Parser = vt100::Parser<Behind>;

/// Makes an empty parser of a size, with this behind it.
pub(super) fn parser(size: Size, behind: Behind) -> Parser {
    let nonzero = |n| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    vt100::Parser::new_with_callbacks(nonzero(size.rows()), nonzero(size.cols()), 0, behind)
}

/// Makes the least parser there can be, with this behind it.
pub(super) fn least_parser(behind: Behind) -> Parser {
    vt100::Parser::new_with_callbacks(NonZeroU16::MIN, NonZeroU16::MIN, 0, behind)
}

/// Nothing that would be behind a grid.
pub(super) fn nothing_behind() -> Behind {
    Behind::new(History::new(0, 1), StyleTable::new())
}

/// A grid at rest.
#[derive(Debug)]
pub(super) struct Rested {
    shown: Box<str>,
    /// The other screen, when anything is on it.
    hidden: Option<Box<str>>,
    alternate: bool,
}

impl Rested {
    /// Returns what draws both screens of a parser again; none when that would not be exact. The parser's margins are no part of it.
    pub(super) fn of(old: &mut Parser, size: Size) -> Option<Rested> {
        let alternate = old.screen().alternate_screen();
        let shown = old.screen().contents_formatted().into();
        old.process(switch(!alternate));
        let hidden = (!is_blank(old.screen(), size)).then(|| old.screen().contents_formatted().into());
        old.process(switch(alternate));
        let rested = Rested { shown, hidden, alternate };

        let mut twin = parser(size, nothing_behind());
        rested.draw(&mut twin);
        let mut is_same = is_same(old.screen(), twin.screen(), size);
        if is_same && rested.hidden.is_some() {
            old.process(switch(!alternate));
            twin.process(switch(!alternate));
            is_same = self::is_same(old.screen(), twin.screen(), size);
            old.process(switch(alternate));
        }
        is_same.then_some(rested)
    }

    /// Returns whether the alternate screen is shown.
    pub(super) fn is_alternate(&self) -> bool {
        self.alternate
    }

    /// Draws it on an empty parser.
    pub(super) fn draw(&self, parser: &mut Parser) {
        if let Some(hidden) = &self.hidden {
            parser.process(switch(!self.alternate));
            parser.process(hidden.as_bytes());
        }
        parser.process(switch(self.alternate));
        parser.process(self.shown.as_bytes());
    }
}

fn switch(alternate: bool) -> &'static [u8] {
    if alternate { b"\x1b[?47h" } else { b"\x1b[?47l" }
}

fn places(size: Size) -> impl Iterator<Item = (u16, u16)> {
    (0..size.rows()).flat_map(move |row| (0..size.cols()).map(move |col| (row, col)))
}

fn is_blank(screen: &vt100::Screen, size: Size) -> bool {
    let is_plain = |cell: &vt100::Cell| !cell.has_contents() && cell.bgcolor() == vt100::Color::Default;
    screen.cursor_position() == (0, 0)
        && places(size).all(|(row, col)| screen.cell(row, col).is_some_and(is_plain))
        && !(0..size.rows()).any(|row| screen.row_wrapped(row))
}

fn is_same(one: &vt100::Screen, other: &vt100::Screen, size: Size) -> bool {
    let pen = |screen: &vt100::Screen| {
        let attributes = [screen.bold(), screen.dim(), screen.italic(), screen.underline(), screen.inverse()];
        (screen.fgcolor(), screen.bgcolor(), attributes)
    };
    one.alternate_screen() == other.alternate_screen()
        && one.cursor_position() == other.cursor_position()
        && pen(one) == pen(other)
        && (0..size.rows()).all(|row| one.row_wrapped(row) == other.row_wrapped(row))
        && places(size).all(|(row, col)| one.cell(row, col) == other.cell(row, col))
}
