//! The screen collector, from the outside.

mod behaviour;
mod cases;
mod frames;
mod hostile;
mod memory;
mod recordings;
mod render;
mod replay;

use shtask::model::Size;
use shtask::screen::Screen;

/// Makes a screen and feeds it.
fn fed(cols: u16, rows: u16, bytes: impl AsRef<[u8]>) -> Screen {
    let mut screen = Screen::new(Size::new(cols, rows).expect("a size"), 1000);
    screen.admit(bytes.as_ref());
    screen
}

/// Returns the rows of the screen as text.
fn rows(screen: &mut Screen) -> Vec<String> {
    screen.frame().rows.iter().map(|row| row.text()).collect()
}

/// Returns the rows of the history as text.
fn history(screen: &mut Screen) -> Vec<String> {
    let span = screen.history();
    screen.history_rows(span.first, usize::MAX).iter().map(|row| row.text()).collect()
}

/// Returns the cursor as row and column.
fn cursor(screen: &mut Screen) -> (u16, u16) {
    let frame = screen.frame();
    (frame.cursor.y, frame.cursor.x)
}
