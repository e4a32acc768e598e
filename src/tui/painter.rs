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
    /// The rows of the terminal pane and its place, when nothing lay over it.
    pane: Option<(Rect, Vec<Option<Arc<Row>>>)>,
}

impl<B: Backend> Painter<B> {
    /// Makes the painter of a terminal that is blank and hides its cursor.
    pub(super) fn new(backend: B, (cols, rows): (u16, u16)) -> Painter<B> {
        let blank = Buffer::empty(Rect::new(0, 0, cols, rows));
        Painter { backend, shown: blank.clone(), next: blank, cursor_shown: false, pane: None }
    }

    pub(super) fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Blanks the terminal, which may have another size and whose cursor is hidden or not.
    pub(super) fn clear(&mut self, (cols, rows): (u16, u16)) -> Result<(), B::Error> {
        let blank = Buffer::empty(Rect::new(0, 0, cols, rows));
        (self.shown, self.next, self.pane) = (blank.clone(), blank, None);
        self.backend.hide_cursor()?;
        self.cursor_shown = false;
        self.backend.clear_region(ClearType::All)
    }

    /// Draws the model.
    pub(super) fn draw(&mut self, model: &Model) -> Result<(), B::Error> {
        match self.pane.take() {
            Some((area, rows)) if !model.dirty && model.terminal_area() == Some(area) => {
                self.draw_rows(model, area, rows)
            }
            Some(_) | None => self.draw_all(model),
        }
    }

    fn draw_all(&mut self, model: &Model) -> Result<(), B::Error> {
        self.next.reset();
        let cursor = view(model, &mut self.next);
        self.backend.draw(self.shown.diff_iter(&self.next))?;
        std::mem::swap(&mut self.shown, &mut self.next);
        let is_free = model.overlay.is_none() && model.notice.is_none();
        self.pane = model.terminal_area().filter(|_| is_free).map(|area| {
            let top = model.pane.top(area.height);
            (area, (0..area.height).map(|line| model.pane.row(top + u64::from(line)).cloned()).collect())
        });
        self.place_cursor(cursor)
    }

    fn draw_rows(&mut self, model: &Model, area: Rect, mut rows: Vec<Option<Arc<Row>>>) -> Result<(), B::Error> {
        let top = model.pane.top(area.height);
        let mut changed = Vec::new();
        for (line, shown) in (0..area.height).zip(&mut rows) {
            let row = model.pane.row(top + u64::from(line));
            let is_same = match (row, shown.as_ref()) {
                (Some(row), Some(shown)) => Arc::ptr_eq(row, shown),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            if is_same {
                continue;
            }
            let place = Rect { y: area.y + line, height: 1, ..area };
            let mut after = Buffer::empty(place);
            if let Some(row) = row {
                paint(&mut after, place, place.y, row, model.setup.colors);
            }
            let start = self.shown.index_of(place.x, place.y);
            let before = self.shown.content[start..start + usize::from(place.width)].to_vec();
            changed.push((start, Buffer { area: place, content: before }, after));
            *shown = row.cloned();
        }
        if !changed.is_empty() {
            self.backend.draw(changed.iter().flat_map(|(_, before, after)| before.diff_iter(after)))?;
        }
        for (start, _, after) in changed {
            self.shown.content[start..start + after.content.len()].clone_from_slice(&after.content);
        }
        self.pane = Some((area, rows));
        self.place_cursor(pane_cursor(model, area))
    }

    fn place_cursor(&mut self, cursor: Option<Position>) -> Result<(), B::Error> {
        if cursor.is_some() != self.cursor_shown {
            self.cursor_shown = cursor.is_some();
            if self.cursor_shown { self.backend.show_cursor()? } else { self.backend.hide_cursor()? }
        }
        cursor.map_or(Ok(()), |position| self.backend.set_cursor_position(position))
    }
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
            steps in prop::collection::vec((0u16..40, "[a-c 界é]{0,90}", 0u16..4), 1..12),
        ) {
            let mut stage = Stage::demo(size);
            if attached {
                stage.press("enter");
            }
            let mut painter = Painter::new(TestBackend::new(size.0, size.1), size);
            painter.draw(&stage.model).expect("drawn");
            let mut now = frame(stage.model.pane_size(), &["start"]);
            for (row, text, scrolled) in steps {
                now = changed(&now, row, &text, scrolled);
                stage.model.dirty = false;
                stage.event(Event::Frame { run: id(1), frame: Arc::new(now.clone()) });
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
