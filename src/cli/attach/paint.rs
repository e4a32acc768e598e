//! Frames on the outer terminal: what has changed, and the modes that the run asked for.

use std::fmt::Write as _;
use std::sync::Arc;

use super::super::ansi::write_cells;
use crate::model::{Cell, CursorShape, Frame, MouseTracking, Row, Style, TerminalModes};

/// Draws frames one after the other; remembers what the terminal shows.
#[derive(Default)]
pub(super) struct Painter {
    rows: Vec<Arc<Row>>,
    size: (u16, u16),
    modes: Option<TerminalModes>,
    shape: CursorShape,
    notice: Option<String>,
}

impl Painter {
    /// Makes the next picture one from scratch.
    pub(super) fn forget(&mut self) {
        *self = Painter { notice: self.notice.take(), ..Painter::default() };
    }

    /// Shows a line over the last row, or none.
    pub(super) fn notice(&mut self, notice: Option<String>) {
        if self.notice != notice {
            self.notice = notice;
            // The row below is drawn anew.
            self.rows.truncate(usize::from(self.size.1.saturating_sub(1)));
        }
    }

    /// Returns what makes a terminal of this size show a frame. A frame that is larger is cut; around a smaller one it is blank.
    pub(super) fn draw(&mut self, frame: &Frame, size: (u16, u16)) -> String {
        let mut out = String::from("\x1b[?2026h\x1b[?25l");
        if size != self.size {
            out.push_str("\x1b[0m\x1b[2J");
            self.rows.clear();
            self.size = size;
        }
        let (cols, rows) = (usize::from(size.0), usize::from(size.1));
        for at in 0..rows {
            let row = frame.rows.get(at);
            let shown = self.rows.get(at);
            let is_same = match (row, shown) {
                (Some(row), Some(shown)) => Arc::ptr_eq(row, shown) || row == shown,
                (None, Some(shown)) => shown.cells.is_empty(),
                (_, None) => false,
            };
            if !is_same {
                put(&mut out, format_args!("\x1b[{};1H", at + 1));
                write_row(&mut out, row.map_or(&[], |row| &row.cells), cols);
            }
        }
        self.rows = (0..rows).map(|at| frame.rows.get(at).cloned().unwrap_or_default()).collect();
        if let Some(notice) = &self.notice {
            let text: String = notice.chars().take(cols).collect();
            put(&mut out, format_args!("\x1b[{rows};1H\x1b[0;7m{text}\x1b[0m"));
        }
        self.follow(frame, &mut out);
        let cursor = frame.cursor;
        put(&mut out, format_args!("\x1b[{};{}H", cursor.y + 1, cursor.x + 1));
        if cursor.visible && usize::from(cursor.y) < rows && usize::from(cursor.x) < cols {
            out.push_str("\x1b[?25h");
        }
        out.push_str("\x1b[?2026l");
        out
    }

    /// Keeps the modes of the terminal as the run wants them: what is typed is passed on as the terminal encodes it.
    fn follow(&mut self, frame: &Frame, out: &mut String) {
        if frame.cursor.shape != self.shape {
            self.shape = frame.cursor.shape;
            put(out, format_args!("\x1b[{} q", shape_number(self.shape)));
        }
        if self.modes == Some(frame.modes) {
            return;
        }
        let before = self.modes.unwrap_or_default();
        let now = frame.modes;
        self.modes = Some(now);
        let switches = [
            (1, before.application_cursor, now.application_cursor),
            (2004, before.bracketed_paste, now.bracketed_paste),
            (1004, before.focus_events, now.focus_events),
            (1007, before.alternate_scroll, now.alternate_scroll),
        ];
        for (mode, was, is) in switches {
            if was != is {
                put(out, format_args!("\x1b[?{mode}{}", if is { 'h' } else { 'l' }));
            }
        }
        if before.application_keypad != now.application_keypad {
            out.push_str(if now.application_keypad { "\x1b=" } else { "\x1b>" });
        }
        if before.mouse_tracking != now.mouse_tracking {
            out.push_str(MOUSE_OFF);
            let mode = match now.mouse_tracking {
                MouseTracking::Off => None,
                MouseTracking::Press | MouseTracking::Click => Some(1000),
                MouseTracking::Drag => Some(1002),
                MouseTracking::Motion => Some(1003),
            };
            if let Some(mode) = mode {
                put(out, format_args!("\x1b[?{mode}h\x1b[?1006h"));
            }
        }
        if before.kitty_keyboard != now.kitty_keyboard {
            put(out, format_args!("\x1b[={};1u", now.kitty_keyboard));
        }
        if before.modify_other_keys != now.modify_other_keys {
            put(out, format_args!("\x1b[>4;{}m", now.modify_other_keys));
        }
    }
}

const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";

/// Takes the terminal: its other screen, no wrapping, a place of its own for keyboard flags, nothing of the modes that a run can ask for.
pub(super) const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[>0u\x1b[0m\x1b[2J";

/// Gives the terminal back as it was, whatever the run has asked for.
pub(super) const LEAVE: &str = concat!(
    "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[>4;0m\x1b[<u\x1b[0 q\x1b[0m",
    "\x1b[?7h\x1b[?25h\x1b[?1049l"
);

fn shape_number(shape: CursorShape) -> u8 {
    match shape {
        CursorShape::Default => 0,
        CursorShape::BlinkingBlock => 1,
        CursorShape::SteadyBlock => 2,
        CursorShape::BlinkingUnderline => 3,
        CursorShape::SteadyUnderline => 4,
        CursorShape::BlinkingBar => 5,
        CursorShape::SteadyBar => 6,
    }
}

fn write_row(out: &mut String, cells: &[Cell], cols: usize) {
    let cells = &cells[..cells.len().min(cols)];
    // Half of a wide character does not fit.
    let cells = match cells.split_last() {
        Some((last, rest)) if last.width == 2 => rest,
        Some(_) | None => cells,
    };
    let is_blank = |cell: &Cell| cell.text.is_empty() && cell.width == 1 && cell.style == Style::default();
    let shown = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
    write_cells(out, &cells[..shown]);
    // Behind the last column there is nothing to erase, and erasing would take that column's character.
    if shown < cols {
        out.push_str("\x1b[K");
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Size;

    fn frame(rows: &[&str]) -> Frame {
        let mut frame = Frame::empty(Size::clamped(10, rows.len() as u16));
        let row = |text: &&str| {
            let mut cells: Vec<Cell> =
                text.chars().map(|c| Cell { text: c.to_string().into(), ..Cell::blank() }).collect();
            cells.resize(10, Cell::blank());
            Arc::new(Row { cells, wrapped: false })
        };
        frame.rows = rows.iter().map(row).collect();
        frame
    }

    #[test]
    fn only_what_has_changed_is_drawn() {
        let mut painter = Painter::default();
        let first = painter.draw(&frame(&["one", "two"]), (10, 2));
        assert!(first.contains("\x1b[1;1Hone\x1b[K") && first.contains("\x1b[2;1Htwo\x1b[K"), "{first:?}");
        let second = painter.draw(&frame(&["one", "2"]), (10, 2));
        assert!(!second.contains("one") && second.contains("\x1b[2;1H2\x1b[K"), "{second:?}");
    }

    #[test]
    fn a_full_row_is_not_erased_behind_its_end_and_a_larger_frame_is_cut() {
        let mut painter = Painter::default();
        let full = painter.draw(&frame(&["0123456789"]), (10, 1));
        assert!(full.contains("0123456789\x1b[1;1H"), "{full:?}");
        let cut = painter.draw(&frame(&["0123456789", "second"]), (4, 1));
        assert!(cut.contains("0123\x1b[") && !cut.contains("01234") && !cut.contains("second"), "{cut:?}");
    }

    #[test]
    fn what_a_run_asked_for_is_asked_of_the_terminal_and_taken_back() {
        let mut painter = Painter::default();
        let mut asked = frame(&["x"]);
        asked.modes.mouse_tracking = MouseTracking::Drag;
        asked.modes.bracketed_paste = true;
        asked.modes.kitty_keyboard = 1;
        let on = painter.draw(&asked, (10, 1));
        for sequence in ["\x1b[?1002h\x1b[?1006h", "\x1b[?2004h", "\x1b[=1;1u"] {
            assert!(on.contains(sequence), "{on:?}");
        }
        let off = painter.draw(&frame(&["x"]), (10, 1));
        for sequence in [MOUSE_OFF, "\x1b[?2004l", "\x1b[=0;1u"] {
            assert!(off.contains(sequence), "{off:?}");
        }
        painter.forget();
        assert!(painter.draw(&asked, (10, 1)).contains("\x1b[?2004h"), "after a stop all is asked for again");
    }

    #[test]
    fn a_notice_lies_over_the_last_row_and_goes_without_a_trace() {
        let mut painter = Painter::default();
        painter.notice(Some("C-a leaves".into()));
        let with = painter.draw(&frame(&["one", "two"]), (10, 2));
        assert!(with.ends_with("\x1b[2;1H\x1b[0;7mC-a leaves\x1b[0m\x1b[1;1H\x1b[?25h\x1b[?2026l"), "{with:?}");
        painter.notice(None);
        let without = painter.draw(&frame(&["one", "two"]), (10, 2));
        assert!(without.contains("\x1b[2;1Htwo\x1b[K") && !without.contains("one"), "{without:?}");
    }
}
