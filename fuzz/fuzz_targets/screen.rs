//! Any bytes at any size: no panic, no broken row, nothing unbounded.
#![no_main]

mod checks;

use libfuzzer_sys::fuzz_target;
use shtask::screen::{LogView, MAX_REPLY_BYTES, Screen, json, text};

fuzz_target!(|data: &[u8]| {
    let [cols, rows, kept, bytes @ ..] = data else { return };
    let size = checks::size(*cols, *rows);
    let mut screen = Screen::new(size, usize::from(*kept));
    screen.admit(bytes);
    checks::check(&mut screen);
    let frame = screen.frame();
    assert_eq!(text(&frame).lines().count(), usize::from(size.rows()));
    assert!(json(&frame).ends_with("]}\n"));
    assert!(screen.take_replies().unwrap_or_default().len() <= MAX_REPLY_BYTES);
    assert!(screen.take_signals().len() <= 64);

    // What a redraw writes is for a terminal too.
    let redraw = screen.redraw(|_| ());
    let mut anew = Screen::new(size, 10);
    anew.admit(&redraw);
    checks::check(&mut anew);

    let mut view = LogView::new(size, usize::from(*kept));
    for (at, chunk) in bytes.chunks(31).enumerate() {
        view.admit(at % 3 == 1, chunk);
    }
    assert_eq!(view.frame().rows.len(), usize::from(size.rows()));
});
