//! From the model to what changes on a terminal.

use std::sync::Arc;

use ratatui::backend::{Backend, ClearType};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::model::Row;

use super::cells::paint;
use super::model::Model;
use super::view::{pane_cursor, view};

/// What a terminal shows, and how it is brought to show something else.
///
/// A frame of the shown run that changes nothing else is drawn row by row, without looking at the rest of the picture: that is what the
/// user waits for after a key.
pub(super) struct Painter<B: Backend> {
    backend: B,
    shown: Buffer,
    next: Buffer,
    cursor_shown: bool,
    /// The places of the terminals and their rows, when nothing lay over them.
    panes: Vec<ShownPane>,
    /// Lines to draw rows in. They are kept, as fresh memory for each row of each picture takes longer than drawing it.
    lines: Vec<Line>,
}

/// A row that changes.
struct Line {
    /// Where it starts in what is shown.
    start: usize,
    before: Buffer,
    after: Buffer,
}

impl Line {
    fn new() -> Line {
        Line { start: 0, before: Buffer::empty(Rect::ZERO), after: Buffer::empty(Rect::ZERO) }
    }

    /// Makes it a blank line of that place.
    fn begin(&mut self, start: usize, place: Rect) {
        self.start = start;
        self.before.resize(place);
        self.after.resize(place);
        self.after.reset();
    }
}

/// The place of a terminal and the rows that it shows.
type ShownPane = (Rect, Vec<Option<Arc<Row>>>);

impl<B: Backend> Painter<B> {
    /// Makes the painter of a terminal that is blank and hides its cursor.
    pub(super) fn new(backend: B, (cols, rows): (u16, u16)) -> Painter<B> {
        let blank = Buffer::empty(Rect::new(0, 0, cols, rows));
        Painter {
            backend,
            shown: blank.clone(),
            next: blank,
            cursor_shown: false,
            panes: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub(super) fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Blanks the terminal, which may have another size and whose cursor is hidden or not.
    pub(super) fn clear(&mut self, (cols, rows): (u16, u16)) -> Result<(), B::Error> {
        let blank = Buffer::empty(Rect::new(0, 0, cols, rows));
        (self.shown, self.next) = (blank.clone(), blank);
        self.panes.clear();
        self.backend.hide_cursor()?;
        self.cursor_shown = false;
        self.backend.clear_region(ClearType::All)
    }

    /// Draws the model.
    pub(super) fn draw(&mut self, model: &Model) -> Result<(), B::Error> {
        let panes = std::mem::take(&mut self.panes);
        let places = panes.iter().map(|(area, _)| *area);
        if model.dirty || panes.is_empty() || !model.terminals().map(|(_, area)| area).eq(places) {
            return self.draw_all(model);
        }
        for ((index, _), (area, rows)) in model.terminals().zip(panes) {
            self.draw_rows(model, index, area, rows)?;
        }
        self.place_cursor(model.terminal_area().and_then(|area| pane_cursor(model, area)))
    }

    fn draw_all(&mut self, model: &Model) -> Result<(), B::Error> {
        self.next.reset();
        let cursor = view(model, &mut self.next);
        self.backend.draw(self.shown.diff_iter(&self.next))?;
        std::mem::swap(&mut self.shown, &mut self.next);
        let is_free = model.overlay.is_none() && model.notice.is_none();
        let shown = model.terminals().filter(|_| is_free);
        self.panes = shown.map(|(index, area)| (area, rows_of(model, index, area))).collect();
        self.place_cursor(cursor)
    }

    fn draw_rows(
        &mut self,
        model: &Model,
        index: usize,
        area: Rect,
        mut rows: Vec<Option<Arc<Row>>>,
    ) -> Result<(), B::Error> {
        let mut changed = 0;
        for ((line, shown), row) in (0..area.height).zip(&mut rows).zip(rows_of(model, index, area)) {
            let is_same = match (&row, shown.as_ref()) {
                (Some(row), Some(shown)) => Arc::ptr_eq(row, shown),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            if is_same {
                continue;
            }
            let place = Rect { y: area.y + line, height: 1, ..area };
            if self.lines.len() == changed {
                self.lines.push(Line::new());
            }
            let (line, start) = (&mut self.lines[changed], self.shown.index_of(place.x, place.y));
            line.begin(start, place);
            if let Some(row) = &row {
                paint(&mut line.after, place, place.y, row, model.setup.colors);
            }
            line.before.content.swap_with_slice(&mut self.shown.content[start..start + usize::from(place.width)]);
            changed += 1;
            *shown = row;
        }
        let changed = &mut self.lines[..changed];
        let drawn = match changed.is_empty() {
            true => Ok(()),
            false => self.backend.draw(changed.iter().flat_map(|line| line.before.diff_iter(&line.after))),
        };
        for line in changed {
            let shown = &mut self.shown.content[line.start..line.start + line.after.content.len()];
            shown.swap_with_slice(&mut line.after.content);
        }
        drawn?;
        self.panes.push((area, rows));
        Ok(())
    }

    fn place_cursor(&mut self, cursor: Option<Position>) -> Result<(), B::Error> {
        if cursor.is_some() != self.cursor_shown {
            self.cursor_shown = cursor.is_some();
            if self.cursor_shown { self.backend.show_cursor()? } else { self.backend.hide_cursor()? }
        }
        cursor.map_or(Ok(()), |position| self.backend.set_cursor_position(position))
    }
}

/// The rows that a pane shows in these cells.
fn rows_of(model: &Model, index: usize, area: Rect) -> Vec<Option<Arc<Row>>> {
    let pane = model.pane_at(index);
    let top = pane.map_or(0, |pane| pane.top(area.height));
    (0..area.height).map(|line| pane?.row(top + u64::from(line)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::backend::TestBackend;

    use super::super::tests::stage::{Stage, frame, id, text_row};
    use super::*;
    use crate::model::{Cell, Frame};
    use crate::tui::event::Event;

    /// A change of the shown frame: a row, its text, and how far the screen scrolls.
    fn changed(old: &Frame, row: u16, text: &str, scrolled: u16) -> Frame {
        let mut next = old.clone();
        let (cols, rows) = (usize::from(old.size.cols()), usize::from(old.size.rows()));
        next.rows.rotate_left(usize::from(scrolled) % rows);
        next.history.end += u64::from(scrolled);
        let mut painted = text_row(text, cols);
        let mut x = 0;
        while x + 1 < cols {
            // What text_row makes of a wide character is one cell; a screen makes two.
            if crate::tui::model::width(&painted.cells[x].text) == 2 {
                painted.cells[x].width = 2;
                painted.cells[x + 1] = Cell { text: "".into(), width: 0, ..Cell::default() };
            }
            x += usize::from(painted.cells[x].width.max(1));
        }
        next.rows[usize::from(row) % rows] = Arc::new(painted);
        (next.cursor.x, next.cursor.y) = (row % old.size.cols(), row % old.size.rows());
        next
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn rows_drawn_alone_look_as_if_all_had_been_drawn(
            size in (20u16..100, 5u16..30),
            attached: bool,
            split: bool,
            steps in prop::collection::vec((0u16..40, "[a-c 界é]{0,90}", 0u16..4, 1u8..3), 1..12),
        ) {
            let mut stage = Stage::demo(size);
            if split {
                stage.press("v j k");
            }
            if attached {
                stage.press("enter");
            }
            let mut painter = Painter::new(TestBackend::new(size.0, size.1), size);
            painter.draw(&stage.model).expect("drawn");
            let mut now = frame(stage.model.pane_size(), &["start"]);
            for (row, text, scrolled, n) in steps {
                now = changed(&now, row, &text, scrolled);
                stage.model.dirty = false;
                stage.event(Event::Frame { run: id(n), frame: Arc::new(now.clone()) });
                painter.draw(&stage.model).expect("drawn");
                let mut whole = Painter::new(TestBackend::new(size.0, size.1), size);
                whole.draw(&stage.model).expect("drawn");
                // The backend is no judge of wide characters: it does not know that they cover a second cell.
                prop_assert!(painter.shown == whole.shown, "{}\n{}", painter.backend, whole.backend);
                prop_assert_eq!(painter.cursor_shown, whole.cursor_shown);
                if painter.cursor_shown {
                    prop_assert_eq!(painter.backend.cursor_position(), whole.backend.cursor_position());
                }
            }
        }
    }
}
