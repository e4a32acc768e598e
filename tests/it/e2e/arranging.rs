//! Groups, filter and order of the list in the real program.

use crate::harness::{Marker, Mouse};

use super::product::open;

fn config(marker: &Marker) -> String {
    format!(
        "[tasks.'web/api']\nrun = 'exec sleep {marker}'\n[tasks.'web/ui']\nrun = 'exec sleep {marker}'\n\
         [tasks.other]\nrun = 'exec sleep {marker}'\n"
    )
}

#[test]
fn a_group_is_folded_by_mouse_and_stopped_by_key_after_a_question() {
    let marker = Marker::new();
    let mut terminal = open(&config(&marker));
    terminal.wait_alive(&marker, 3);
    terminal.wait_for_text("●2");
    let (col, row) = terminal.screen().find("▾ web/").expect("the head of the group");
    terminal.mouse(Mouse::Press, col, row);
    terminal.mouse(Mouse::Release, col, row);
    terminal.wait_for("folded", |screen| screen.has("▸ web/"));
    terminal.keys("x");
    terminal.wait_for_text("stop 2 runs");
    terminal.keys("n");
    terminal.wait_for_no_text("stop 2 runs");
    terminal.wait_alive(&marker, 3);
    terminal.keys("xy");
    terminal.wait_for("both have ended, the other one lives", |screen| screen.has("■2"));
    terminal.wait_alive(&marker, 1);
    terminal.keys("s");
    terminal.wait_for_text("●2");
    terminal.wait_alive(&marker, 3);
}

#[test]
fn the_list_is_filtered_as_it_is_typed_and_sorted() {
    let marker = Marker::new();
    let mut terminal = open(&config(&marker));
    terminal.wait_alive(&marker, 3);
    terminal.keys("foth");
    terminal.wait_for("only one row", |screen| screen.has("other") && !screen.has("web/"));
    terminal.keys("<Enter>");
    terminal.wait_for_text("1 of 3: oth");
    terminal.keys("<Esc>");
    terminal.wait_for_text("web/");
    terminal.keys("SS");
    terminal.wait_for("sorted by name, told in the head", |screen| {
        let row = |text| screen.find(text).map(|(_, row)| row);
        screen.has("↓ name") && row("other").zip(row("web/")).is_some_and(|(other, web)| other < web)
    });
}
