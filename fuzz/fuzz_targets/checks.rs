//! What holds of every screen.

use shtask::model::{Frame, Row, Size};
use shtask::screen::Screen;

/// A small size out of two bytes: few cells meet more borders.
pub fn size(cols: u8, rows: u8) -> Size {
    Size::clamped(u16::from(cols % 48) + 2, u16::from(rows % 20) + 1)
}

/// Panics when a screen breaks its promises.
pub fn check(screen: &mut Screen) {
    assert_eq!(screen.faults(), 0, "the emulator failed");
    let frame = screen.frame();
    check_frame(&frame);
    let span = screen.history();
    let rows = screen.history_rows(span.first, usize::MAX);
    assert_eq!(rows.len() as u64, span.rows());
    for row in &rows {
        assert!(row.cells.len() <= usize::from(frame.size.cols()), "a row of the history is too long");
        check_row(row);
    }
}

fn check_frame(frame: &Frame) {
    assert_eq!(frame.rows.len(), usize::from(frame.size.rows()));
    assert!(frame.cursor.x < frame.size.cols() && frame.cursor.y < frame.size.rows());
    assert!(frame.title.chars().count() <= 1024 && !frame.title.chars().any(char::is_control));
    for row in &frame.rows {
        assert_eq!(row.cells.len(), usize::from(frame.size.cols()));
        check_row(row);
        for cell in &row.cells {
            let link = cell.style.link;
            assert!(link == 0 || frame.links.contains_key(&link), "a link without an address");
        }
    }
}

fn check_row(row: &Row) {
    let mut owed = false;
    for cell in &row.cells {
        assert_eq!(cell.width == 0, owed, "half of a wide character");
        assert!(cell.width > 0 || cell.text.is_empty());
        assert!(!cell.text.chars().any(char::is_control), "a control character in a cell");
        owed = cell.width == 2;
    }
    assert!(!owed, "half of a wide character at the end");
}
