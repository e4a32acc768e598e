//! Runs side by side in the real program.

use crate::harness::{Mouse, Screen};

use super::product::{home, launch, open};

const THREE: &str = r#"
    [tasks.one]
    run = 'echo "ready o"ne; while read word; do echo "one got $word"; done'
    [tasks.two]
    run = 'echo "ready t"wo; while read word; do echo "two got $word"; done'
    [tasks.three]
    run = 'i=0; while :; do i=$((i+1)); echo "flood $i"; done'
"#;

fn at(screen: Screen<'_>, text: &str) -> Option<(u16, u16)> {
    screen.find(text)
}

#[test]
fn runs_side_by_side_are_seen_at_once_and_typed_into_by_keys_and_by_mouse() {
    let mut terminal = open(THREE);
    terminal.resize(160, 40);
    terminal.wait_for_text("ready one");
    terminal.keys("vj");
    terminal.wait_for("both", |screen| screen.has("ready one") && screen.has("ready two"));
    terminal.keys("<Enter>by key<Enter>");
    terminal.wait_for("both still, and what was typed in one of them", |screen| {
        screen.has("two got by key") && screen.has("ready one")
    });
    // A click on the other pane takes the keys there.
    let (col, row) = at(terminal.screen(), "ready one").expect("it is shown");
    terminal.mouse(Mouse::Press, col, row);
    terminal.mouse(Mouse::Release, col, row);
    terminal.wait_for_text("keys go to one");
    terminal.keys("by mouse<Enter>");
    terminal.wait_for("the first got it", |screen| screen.has("one got by mouse") && screen.has("two got by key"));
    // Tab goes on to the next pane.
    terminal.keys("<C-a><Tab><Enter>again<Enter>");
    terminal.wait_for_text("two got again");
    // The third has its place beside those that stay.
    terminal.keys("<C-a>vjv");
    terminal.wait_for("three panes", |screen| {
        screen.has("flood") && screen.has("two got again") && screen.has("one got by mouse")
    });
    terminal.keys("z");
    terminal.wait_for("zoom shows one", |screen| screen.has("flood") && !screen.has("two got again"));
}

#[test]
fn panes_work_in_forty_by_twelve() {
    let mut terminal = launch(&home(THREE)).size(40, 12).start();
    terminal.wait_for_text("ready one");
    terminal.keys("vj");
    terminal.wait_for("one above the other", |screen| {
        let (Some((_, above)), Some((_, below))) = (at(screen, "ready one"), at(screen, "ready two")) else {
            return false;
        };
        above < below
    });
    terminal.resize(40, 8);
    terminal.keys("<Enter>x<Enter>");
    terminal.wait_for_text("two got x");
}

#[test]
fn the_list_moves_to_the_top_and_away_and_starts_where_the_user_wants_it() {
    let mut terminal = open(THREE);
    terminal.wait_for_text("ready one");
    let column = |screen: Screen<'_>| screen.find("ready one").map(|(col, _)| col);
    assert_ne!(column(terminal.screen()), Some(0));
    terminal.keys("w");
    terminal.wait_for("the list at the top", |screen| column(screen) == Some(0) && screen.has("three"));
    terminal.keys("w");
    terminal.wait_for("no list", |screen| screen.find("ready one") == Some((0, 1)));
}
