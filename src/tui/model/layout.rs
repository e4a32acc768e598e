//! Where things are: one computation for drawing, for the mouse and for the size of runs.

use ratatui::layout::Rect;

use super::{Focus, Model};

/// The least columns of the outer terminal.
pub(crate) const MIN_COLS: u16 = 20;
/// The least rows of the outer terminal.
pub(crate) const MIN_ROWS: u16 = 5;

/// From this width on, list and terminal are side by side.
const BESIDE_COLS: u16 = 60;
/// From this height on, they are one above the other in narrow terminals; below it only one is shown.
const ABOVE_ROWS: u16 = 10;

/// The places of everything but overlays. What is not shown is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Areas {
    pub(crate) list_header: Option<Rect>,
    pub(crate) list: Option<Rect>,
    /// The line between list and terminal when they are side by side.
    pub(crate) separator: Option<Rect>,
    pub(crate) pane_header: Option<Rect>,
    /// The cells of the terminal, or of the inspect panel in its place.
    pub(crate) pane: Option<Rect>,
    pub(crate) status: Rect,
}

/// Computes the places; none when the terminal is too small for anything.
pub(crate) fn areas(model: &Model) -> Option<Areas> {
    let (cols, rows) = model.size;
    if cols < MIN_COLS || rows < MIN_ROWS {
        return None;
    }
    let body = rows - 1;
    let status = Rect::new(0, body, cols, 1);
    let pane_in_front = model.focus != Focus::List || model.inspect.is_some();
    let only_pane = || Areas {
        pane_header: Some(Rect::new(0, 0, cols, 1)),
        pane: Some(Rect::new(0, 1, cols, body - 1)),
        status,
        ..Areas::default()
    };
    if model.zoom {
        return Some(only_pane());
    }
    if cols >= BESIDE_COLS {
        let list = (cols * 2 / 5).clamp(28, 56);
        let pane = list + 1;
        return Some(Areas {
            list_header: Some(Rect::new(0, 0, list, 1)),
            list: Some(Rect::new(0, 1, list, body - 1)),
            separator: Some(Rect::new(list, 0, 1, body)),
            pane_header: Some(Rect::new(pane, 0, cols - pane, 1)),
            pane: Some(Rect::new(pane, 1, cols - pane, body - 1)),
            status,
        });
    }
    if rows >= ABOVE_ROWS {
        let most = body / 3;
        let list = u16::try_from(model.list.rows.len()).unwrap_or(u16::MAX).clamp(1, most.max(1));
        return Some(Areas {
            list: Some(Rect::new(0, 0, cols, list)),
            pane_header: Some(Rect::new(0, list, cols, 1)),
            pane: Some(Rect::new(0, list + 1, cols, body - list - 1)),
            status,
            ..Areas::default()
        });
    }
    if pane_in_front {
        return Some(only_pane());
    }
    Some(Areas {
        list_header: Some(Rect::new(0, 0, cols, 1)),
        list: Some(Rect::new(0, 1, cols, body - 1)),
        status,
        ..Areas::default()
    })
}

/// Computes the place of an overlay that would like so many cells, borders included: in the middle, clipped to the terminal.
pub(crate) fn overlay_area(size: (u16, u16), cols: u16, rows: u16) -> Rect {
    let (cols, rows) = (cols.min(size.0), rows.min(size.1));
    Rect::new((size.0 - cols) / 2, (size.1 - rows) / 2, cols, rows)
}
