//! Where things are: one computation for drawing, for the mouse and for the size of runs.

use ratatui::layout::Rect;

use crate::settings::ListPlace;

use super::{Focus, MAX_PANES, Model, grid};

/// The least columns of the outer terminal.
pub(crate) const MIN_COLS: u16 = 20;
/// The least rows of the outer terminal.
pub(crate) const MIN_ROWS: u16 = 5;

/// From this width on, list and terminal are side by side.
const BESIDE_COLS: u16 = 60;
/// From this height on, they are one above the other in narrow terminals; below it only one is shown.
const ABOVE_ROWS: u16 = 10;
/// From this height on, a list at the top has a head line.
const HEADED_ROWS: u16 = 20;

/// The places of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PanePlace {
    pub(crate) header: Rect,
    /// The cells of the terminal, or of the inspect panel in its place.
    pub(crate) body: Rect,
}

/// The places of everything but overlays. What is not shown is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Areas {
    pub(crate) list_header: Option<Rect>,
    pub(crate) list: Option<Rect>,
    /// The line between list and terminal when they are side by side.
    pub(crate) separator: Option<Rect>,
    /// The head line of the pane of the selected row.
    pub(crate) pane_header: Option<Rect>,
    /// The cells of the terminal of the selected row, or of the inspect panel in its place.
    pub(crate) pane: Option<Rect>,
    /// All panes in their order, that of the selected row included.
    pub(crate) panes: [Option<PanePlace>; MAX_PANES],
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
    let frame = Areas { status, ..Areas::default() };
    let pane_in_front = model.focus != Focus::List || model.inspect.is_some();
    if model.zoom {
        return Some(with_panes(model, Rect::new(0, 0, cols, body), frame));
    }
    if model.list_place == ListPlace::Hidden {
        return Some(with_panes(model, Rect::new(0, 0, cols, body), frame));
    }
    if cols >= BESIDE_COLS && model.list_place == ListPlace::Left {
        let list = (cols * 2 / 5).clamp(28, 56);
        let pane = list + 1;
        let frame = Areas {
            list_header: Some(Rect::new(0, 0, list, 1)),
            list: Some(Rect::new(0, 1, list, body - 1)),
            separator: Some(Rect::new(list, 0, 1, body)),
            ..frame
        };
        return Some(with_panes(model, Rect::new(pane, 0, cols - pane, body), frame));
    }
    if rows >= ABOVE_ROWS {
        // What decides which rows there are is told by the head line.
        let head = u16::from(rows >= HEADED_ROWS || model.list.is_arranged());
        let most = body / 3;
        let list = u16::try_from(model.list.lines().len()).unwrap_or(u16::MAX).clamp(1, most.max(1));
        let frame = Areas {
            list_header: (head > 0).then(|| Rect::new(0, 0, cols, 1)),
            list: Some(Rect::new(0, head, cols, list)),
            ..frame
        };
        return Some(with_panes(model, Rect::new(0, head + list, cols, body - head - list), frame));
    }
    if pane_in_front {
        return Some(with_panes(model, Rect::new(0, 0, cols, body), frame));
    }
    Some(Areas { list_header: Some(Rect::new(0, 0, cols, 1)), list: Some(Rect::new(0, 1, cols, body - 1)), ..frame })
}

/// Divides a place among the panes. Where they do not all fit, and under zoom, there is only that of the selected row.
fn with_panes(model: &Model, place: Rect, frame: Areas) -> Areas {
    let count = model.split.count();
    let focused = model.focused_pane();
    let divided = if count > 1 && !model.zoom { grid(place, count) } else { None };
    let mut panes = [None; MAX_PANES];
    match divided {
        Some(parts) => panes.iter_mut().zip(parts).for_each(|(pane, part)| *pane = Some(with_header(part))),
        None => panes[focused.min(MAX_PANES - 1)] = Some(with_header(place)),
    }
    let shown = panes.get(focused).copied().flatten();
    Areas { pane_header: shown.map(|pane| pane.header), pane: shown.map(|pane| pane.body), panes, ..frame }
}

fn with_header(place: Rect) -> PanePlace {
    let rows = place.height.min(1);
    PanePlace {
        header: Rect { height: rows, ..place },
        body: Rect { y: place.y + rows, height: place.height - rows, ..place },
    }
}

/// The place that the panes share; none when there is none at the moment.
pub(crate) fn panes_place(model: &Model) -> Option<Rect> {
    let mut places = areas(model)?.panes.into_iter().flatten().map(|pane| pane.header.union(pane.body));
    let first = places.next()?;
    Some(places.fold(first, Rect::union))
}

/// Computes the place of an overlay that would like so many cells, borders included: in the middle, clipped to the terminal.
pub(crate) fn overlay_area(size: (u16, u16), cols: u16, rows: u16) -> Rect {
    let (cols, rows) = (cols.min(size.0), rows.min(size.1));
    Rect::new((size.0 - cols) / 2, (size.1 - rows) / 2, cols, rows)
}
