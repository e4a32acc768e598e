//! Another name and another group in the real program.

use crate::harness::Marker;

use super::product::open;

fn config(marker: &Marker) -> String {
    format!("[tasks.web]\nrun = 'exec sleep {marker}'\n[tasks.db]\nrun = 'exec sleep {marker}'\n")
}

/// S10.6.
#[test]
fn a_run_gets_another_name_a_taken_one_is_refused_and_a_group_is_made() {
    let marker = Marker::new();
    let mut terminal = open(&config(&marker));
    terminal.wait_alive(&marker, 2);
    terminal.keys("gM");
    terminal.wait_for_text("Rename web");
    terminal.keys("<C-u>db<Enter>");
    terminal.wait_for_text("db is the name of a live run");
    terminal.keys("<C-u>site<Enter>");
    terminal.wait_for_no_text("Rename");
    terminal.wait_for_text("site");
    terminal.keys("B");
    terminal.wait_for_text("Group of site");
    terminal.keys("front<Enter>");
    terminal.wait_for_text("front/site");
    terminal.wait_alive(&marker, 2);
    // By the palette, too.
    terminal.keys("p");
    terminal.keys("rename<Enter>");
    terminal.wait_for_text("Rename front/site");
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("Rename front");
}
