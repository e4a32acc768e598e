//! Search, filter and copy mode.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;

use super::scrolling::answer_history;
use super::stage::{Stage, frame, text_row, with_history};
use crate::model::{Frame, Modifiers, Mouse, MouseButton, MouseKind, MouseTracking};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::Focus;

const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

/// A run whose rows say their numbers: so many above the screen.
fn numbered(size: (u16, u16), above: u64) -> Stage {
    let mut stage = Stage::demo(size);
    show_numbered(&mut stage, above);
    stage.asked();
    stage
}

fn show_numbered(stage: &mut Stage, above: u64) {
    let size = stage.model.pane_size();
    let lines: Vec<String> = (0..u64::from(size.rows())).map(|row| format!("row {}", above + row)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.show(1, with_history(frame(size, &lines), 0, above));
}

/// Answers everything that is asked for, until nothing is.
fn fetch(stage: &mut Stage) {
    while answer_history(stage, 1) > 0 {}
}

/// What was given to the clipboard since this was called last.
fn copies(stage: &mut Stage) -> Vec<String> {
    let cmds = stage.asked();
    cmds.into_iter().filter_map(|cmd| if let Cmd::Copy(text) = cmd { Some(text) } else { None }).collect()
}

fn header(stage: &Stage) -> String {
    stage.text().lines().next().expect("header").split('│').next_back().expect("pane").trim().to_owned()
}

fn mouse(stage: &mut Stage, kind: MouseKind, x: u16, y: u16, modifiers: Modifiers) {
    let mouse = Mouse { kind, button: MouseButton::Left, x, y, modifiers };
    stage.event(Event::Input(Input::Mouse(mouse)));
}

fn drag(stage: &mut Stage, from: (u16, u16), to: (u16, u16), modifiers: Modifiers) {
    mouse(stage, MouseKind::Press, from.0, from.1, modifiers);
    mouse(stage, MouseKind::Move, to.0, to.1, modifiers);
    mouse(stage, MouseKind::Release, to.0, to.1, modifiers);
}

#[test]
fn a_search_goes_over_everything_that_is_kept_while_it_is_typed() {
    let mut stage = numbered(WIDE, 3000);
    stage.press("/");
    stage.type_text("row 14");
    fetch(&mut stage);
    assert!(header(&stage).ends_with("111/111"), "14, 140 to 149 and 1400 to 1499: {}", header(&stage));
    assert!(stage.text().contains("row 1499"), "the nearest above what was shown");
    assert!(stage.text().contains("row 1495") && stage.text().contains("row 1503"), "with rows around it");
    stage.type_text("07");
    assert!(header(&stage).ends_with("1/1"), "{}", header(&stage));
    stage.press("enter n");
    assert_eq!(stage.notice(), "on from the oldest hit");
    stage.press("escape");
    assert_eq!(stage.model.focus, Focus::List);
    assert!(stage.text().contains("row 3021"), "back to live");
}

#[test]
fn one_key_of_the_list_begins_a_search_and_one_escape_leads_back_to_it() {
    for (select, n) in [("", 1), ("j j", 3)] {
        let mut stage = Stage::demo(WIDE);
        stage.press(select);
        stage.show(n, frame(stage.model.pane_size(), &["row 1", "row 2", "word"]));
        stage.press("/").type_text("row");
        stage.press("enter n /").type_text("word");
        stage.press("enter v escape escape");
        assert_eq!(stage.model.focus, Focus::Scroll, "copy mode is a layer of its own");
        stage.press("escape");
        assert_eq!(stage.model.focus, Focus::List);
        assert!(stage.model.pane.reading.search.is_none(), "nothing stays marked");
        stage.press("[ /").type_text("row");
        stage.press("enter escape");
        assert_eq!((stage.model.focus, stage.model.pane.reading.search.is_none()), (Focus::Scroll, true));
        stage.press("escape");
        assert_eq!(stage.model.focus, Focus::List);
    }
}

#[test]
fn hits_are_walked_both_ways_and_the_end_is_told() {
    let mut stage = numbered(WIDE, 500);
    stage.press("/");
    stage.type_text("00");
    stage.press("enter");
    fetch(&mut stage);
    assert!(header(&stage).ends_with("5/5"), "100 to 500: {}", header(&stage));
    let mut seen = Vec::new();
    for key in ["N", "N", "n", "n", "n"] {
        stage.press(key);
        fetch(&mut stage);
        seen.push((header(&stage).split(' ').next_back().expect("a count").to_owned(), stage.notice()));
    }
    let seen: Vec<(&str, &str)> = seen.iter().map(|(count, notice)| (count.as_str(), notice.as_str())).collect();
    assert_eq!(seen, [("4/5", ""), ("3/5", ""), ("4/5", ""), ("5/5", ""), ("1/5", "on from the oldest hit")]);
    stage.press("N");
    assert_eq!(stage.notice(), "on from the newest hit");
}

#[test]
fn giving_up_a_search_leads_back_to_where_it_was_begun() {
    let mut stage = numbered(WIDE, 500);
    let before = stage.text();
    stage.press("/");
    stage.type_text("row 17");
    fetch(&mut stage);
    assert!(stage.text().contains("row 179"));
    stage.press("escape");
    assert_eq!(stage.text(), before);
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn expressions_and_case_are_switched_and_a_bad_one_is_explained() {
    let mut stage = numbered(WIDE, 200);
    stage.press("/");
    stage.type_text("ROW 1[0-3]$");
    fetch(&mut stage);
    assert!(header(&stage).ends_with("0 hits"), "as it is: {}", header(&stage));
    stage.press("C-r");
    assert!(header(&stage).ends_with("0 hits"), "upper case matters: {}", header(&stage));
    stage.press("C-u");
    stage.type_text("row 1[0-3]$");
    assert!(header(&stage).ends_with("4/4"), "{}", header(&stage));
    stage.press("backspace backspace");
    assert!(stage.text().contains("unclosed character class"), "{}", stage.text());
    stage.press("enter");
    assert!(stage.text().lines().last().expect("line").starts_with("/row 1[0-3"), "it stays to be mended");
    stage.press("C-t");
    assert!(stage.model.overlay.is_some());
}

#[test]
fn a_hit_over_a_soft_wrap_is_found_and_marked_on_both_rows() {
    let mut stage = Stage::demo(WIDE);
    let size = stage.model.pane_size();
    let mut shown = frame(size, &[]);
    let mut first = text_row(&format!("{}need", "x".repeat(usize::from(size.cols()) - 4)), size.cols().into());
    first.wrapped = true;
    shown.rows[0] = Arc::new(first);
    shown.rows[1] = Arc::new(text_row("le and more", size.cols().into()));
    stage.show(1, shown);
    stage.press("/");
    stage.type_text("needle");
    stage.press("enter");
    assert!(header(&stage).ends_with("1/1"), "{}", header(&stage));
    let picture = stage.picture();
    let marked = picture.lines().filter(|line| line.contains("on LightGreen")).count();
    assert_eq!(marked, 1, "{picture}");
    assert_snapshot!(picture);
}

#[test]
fn new_output_is_searched_as_it_comes() {
    let mut stage = numbered(WIDE, 100);
    stage.press("/");
    stage.type_text("row 12");
    fetch(&mut stage);
    assert!(header(&stage).ends_with("3/3"), "12, 120 and 121 of the screen: {}", header(&stage));
    for above in [105, 150, 1300] {
        show_numbered(&mut stage, above);
        fetch(&mut stage);
    }
    let count = 1 + 10 + 100;
    assert!(header(&stage).contains(&format!("3/{count}")), "{}", header(&stage));
}

#[test]
fn a_filter_shows_only_lines_that_match_or_that_do_not() {
    let mut stage = numbered(WIDE, 500);
    stage.press("[ &");
    stage.type_text("7");
    fetch(&mut stage);
    let shown = |stage: &Stage| -> Vec<u32> {
        stage.text().split("row ").skip(1).filter_map(|rest| rest.split_whitespace().next()?.parse().ok()).collect()
    };
    let rows = shown(&stage);
    assert!(rows.len() > 15 && rows.iter().all(|row| row.to_string().contains('7')), "{rows:?}");
    stage.press("enter g");
    assert_eq!(shown(&stage)[..3], [7, 17, 27]);
    stage.press("j j /");
    stage.type_text("77");
    stage.press("enter");
    assert!(header(&stage).contains("1/5"), "hits in what is shown: {}", header(&stage));
    stage.press("escape &");
    stage.press("C-u");
    stage.type_text("!row");
    assert_eq!(shown(&stage), [0; 0]);
    stage.press("C-u enter");
    fetch(&mut stage);
    assert!(shown(&stage).len() > 20, "without a pattern there is no filter");
    assert_eq!(stage.model.focus, Focus::Scroll);
}

#[test]
fn text_is_selected_by_keys_and_copied() {
    let mut stage = numbered(WIDE, 500);
    stage.press("[ g");
    fetch(&mut stage);
    stage.press("v");
    stage.press("g");
    fetch(&mut stage);
    stage.press("0 y");
    assert_eq!(copies(&mut stage).len(), 1);
    stage.press("g 0 v j e y");
    assert_eq!(copies(&mut stage), ["row 0\nrow"]);
    assert_eq!(stage.notice(), "copied 2 lines, 8 characters");
    stage.press("V k enter");
    assert_eq!(copies(&mut stage), ["row 0\nrow 1"]);
    stage.press("g 0 l C-v j j l Y");
    assert_eq!(copies(&mut stage), ["ow\now\now"]);
    stage.press("w y");
    assert_eq!(copies(&mut stage), ["row 2"], "without a selection the line of the cursor");
    stage.press("escape escape");
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn a_selection_reaches_over_more_than_the_pane_shows() {
    let mut stage = numbered(SMALL, 1000);
    stage.press("[ V page_up page_up page_up page_up");
    fetch(&mut stage);
    stage.press("page_up");
    fetch(&mut stage);
    stage.press("y");
    let copied = copies(&mut stage).remove(0);
    let lines: Vec<&str> = copied.lines().collect();
    assert!(lines.len() > 20, "{lines:?}");
    let first: u64 = lines[0].strip_prefix("row ").and_then(|row| row.parse().ok()).expect("a number");
    assert!((first..).zip(&lines).all(|(row, line)| *line == format!("row {row}")), "{lines:?}");
}

#[test]
fn a_drag_selects_and_release_copies_and_says_how_much() {
    let mut stage = numbered(WIDE, 500);
    drag(&mut stage, (33, 2), (36, 3), Modifiers::default());
    assert_eq!(copies(&mut stage), ["row 501\nrow"], "the frame is in no copy");
    assert_eq!((stage.notice().as_str(), stage.model.focus), ("copied 2 lines, 10 characters", Focus::List));
    show_numbered(&mut stage, 501);
    assert!(stage.text().contains("row 522"), "output goes on");
    mouse(&mut stage, MouseKind::Press, 40, 5, Modifiers::default());
    mouse(&mut stage, MouseKind::Release, 40, 5, Modifiers::default());
    assert_eq!(stage.model.focus, Focus::Attached, "a click is no selection");
}

#[test]
fn a_program_with_the_mouse_keeps_it_but_for_shift() {
    let mut stage = numbered(WIDE, 500);
    stage.press("enter");
    let mut screen = frame(stage.model.pane_size(), &["one two", "three"]);
    screen.modes.mouse_tracking = MouseTracking::Drag;
    stage.show(1, screen).asked();
    drag(&mut stage, (33, 1), (35, 1), Modifiers::default());
    let asked = stage.asked();
    assert!(asked.len() == 3 && asked.iter().all(|cmd| matches!(cmd, Cmd::Control { .. })), "{asked:?}");
    drag(&mut stage, (33, 1), (35, 1), Modifiers { shift: true, ..Modifiers::default() });
    assert_eq!(copies(&mut stage), ["one"]);
    assert_eq!(stage.model.focus, Focus::Attached);
}

#[test]
fn two_clicks_take_a_word_and_three_a_line() {
    let mut stage = numbered(WIDE, 500);
    stage.press("enter");
    let click = |stage: &mut Stage| {
        mouse(stage, MouseKind::Press, 38, 3, Modifiers::default());
        mouse(stage, MouseKind::Release, 38, 3, Modifiers::default());
    };
    click(&mut stage);
    assert_eq!(copies(&mut stage), [""; 0]);
    click(&mut stage);
    assert_eq!(copies(&mut stage), ["502"]);
    click(&mut stage);
    assert_eq!(copies(&mut stage), ["row 502"]);
    stage.pass(Duration::from_secs(1));
    click(&mut stage);
    assert_eq!(copies(&mut stage), [""; 0], "that was long ago");
}

#[test]
fn without_copying_on_release_the_selection_waits_for_a_key() {
    let mut stage = numbered(WIDE, 500);
    stage.model.setup.copy_on_release = false;
    drag(&mut stage, (33, 2), (39, 2), Modifiers::default());
    assert_eq!((copies(&mut stage).len(), stage.model.focus), (0, Focus::Scroll));
    stage.press("y");
    assert_eq!(copies(&mut stage), ["row 501"]);
}

#[test]
fn following_and_stopping_are_told() {
    let mut stage = numbered(WIDE, 500);
    stage.press("[ v escape f");
    assert!(header(&stage).ends_with("follows"), "{}", header(&stage));
    stage.press("f");
    show_numbered(&mut stage, 537);
    assert!(header(&stage).ends_with("500 rows above · 37 new"), "{}", header(&stage));
    stage.press("f");
    assert!(header(&stage).ends_with("follows"), "{}", header(&stage));
}

fn searched(size: (u16, u16)) -> Stage {
    let mut stage = numbered(size, 300);
    stage.press("/");
    stage.type_text("9");
    fetch(&mut stage);
    stage
}

fn coloured(mut shown: Frame) -> Frame {
    let mut row = text_row("red and 界", shown.size.cols().into());
    for cell in &mut row.cells[0..3] {
        cell.style.foreground = crate::model::Color::Indexed(1);
    }
    shown.rows[2] = Arc::new(row);
    shown
}

#[test]
fn a_search_and_a_selection_look_so() {
    assert_snapshot!("search_typed_80x24", searched(WIDE).picture());
    assert_snapshot!("search_typed_40x12", searched(SMALL).picture());
    for (name, size) in [("selection_80x24", WIDE), ("selection_40x12", SMALL)] {
        let mut stage = Stage::demo(size);
        let shown = coloured(frame(stage.model.pane_size(), &["first line", "", "", "last line"]));
        stage.show(1, shown);
        stage.press("[ g k k k 0 V j j");
        assert_snapshot!(name, stage.picture());
    }
    let mut stage = searched(WIDE);
    stage.model.setup.colors = crate::tui::ColorChoice::None;
    stage.press("enter");
    assert_snapshot!("search_without_colours", stage.picture());
}
