//! Looking back while output goes on.

use std::sync::Arc;

use super::stage::{Stage, frame, id, text_row, with_history};
use crate::api::HistoryRows;
use crate::model::{HistorySpan, Modifiers, Mouse, MouseButton, MouseKind};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event, Input};
use crate::tui::model::Focus;

/// Answers what was asked of the history of a run: row number so and so says so.
pub(super) fn answer_history(stage: &mut Stage, n: u8) -> usize {
    let mut answers = 0;
    for cmd in stage.asked() {
        let is_text = matches!(cmd, Cmd::Gather { .. });
        if let Cmd::History { run, first, count } | Cmd::Gather { run, first, count } = cmd
            && run == id(n)
        {
            let span = stage.model.pane.frame.as_ref().expect("frame").history;
            let cols = usize::from(stage.model.pane_size().cols());
            let rows = (first..(first + count as u64).min(span.end))
                .map(|row| Arc::new(text_row(&format!("row {row}"), cols)));
            let rows = HistoryRows { span, first, rows: rows.collect(), gap: None };
            stage.event(Event::Answer(match is_text {
                true => Answer::Gathered { run, result: Ok(rows) },
                false => Answer::History { run, result: Ok(rows) },
            }));
            answers += 1;
        }
    }
    answers
}

fn screen(stage: &mut Stage, end: u64) {
    let size = stage.model.pane_size();
    let lines: Vec<String> = (0..u64::from(size.rows())).map(|row| format!("row {}", end + row)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.show(1, with_history(frame(size, &lines), 0, end));
}

fn top_line(stage: &Stage) -> String {
    let text = stage.text();
    text.lines().nth(1).expect("line").split('│').next_back().expect("pane").trim().to_owned()
}

fn wheel(stage: &mut Stage, button: MouseButton) {
    let mouse = Mouse { kind: MouseKind::Scroll, button, x: 60, y: 10, modifiers: Modifiers::default() };
    stage.event(Event::Input(Input::Mouse(mouse)));
}

#[test]
fn the_view_stays_put_while_output_goes_on() {
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 500);
    assert_eq!(top_line(&stage), "row 500");
    stage.press("[ page_up");
    answer_history(&mut stage, 1);
    assert_eq!(top_line(&stage), "row 479");
    for (end, is_drawn) in [(501, true), (510, true), (610, true), (620, false), (700, true), (780, false)] {
        stage.model.dirty = false;
        screen(&mut stage, end);
        assert_eq!(
            stage.model.dirty, is_drawn,
            "rows that do not change are not drawn again, but how many are new: {end}"
        );
        assert_eq!(top_line(&stage), "row 479");
        answer_history(&mut stage, 1);
        assert_eq!(top_line(&stage), "row 479", "at {end}");
    }
    assert!(!stage.text().contains("row 501\n"), "rows below belong to the same place");
    stage.press("G");
    assert_eq!(top_line(&stage), "row 780");
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn a_place_that_is_no_longer_kept_moves_to_the_oldest_row() {
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 500);
    stage.press("[ g");
    answer_history(&mut stage, 1);
    assert_eq!(top_line(&stage), "row 0");
    let size = stage.model.pane_size();
    stage.show(1, with_history(frame(size, &[]), 300, 900));
    answer_history(&mut stage, 1);
    assert_eq!(top_line(&stage), "row 300");
}

#[test]
fn lines_that_a_flood_pushes_out_before_they_can_be_read_are_said_to_be_gone() {
    const WORDS: &str = "These lines are gone";
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 500);
    stage.press("[ page_up");
    answer_history(&mut stage, 1);
    assert!(!stage.text().contains(WORDS));
    let size = stage.model.pane_size();
    stage.show(1, with_history(frame(size, &[]), 9_000, 19_000));
    assert!(stage.text().contains(WORDS), "{}", stage.text());
    answer_history(&mut stage, 1);
    assert_eq!(top_line(&stage), "row 9000", "it was in time");
    assert!(!stage.text().contains(WORDS));
    // Nor is it said of the oldest lines while they are on their way.
    stage.press("escape [ g");
    assert!(!stage.text().contains(WORDS), "{}", stage.text());
}

#[test]
fn only_rows_that_are_needed_are_asked_for_and_once() {
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 100_000);
    stage.asked();
    stage.press("[ page_up");
    let asked = stage.cmds.iter().filter(|cmd| matches!(cmd, Cmd::History { count, .. } if *count <= 100)).count();
    assert_eq!(asked, 1);
    stage.press("page_up page_up k");
    assert_eq!(stage.cmds.len(), 1, "one question at a time: {:?}", stage.cmds);
    assert_eq!(answer_history(&mut stage, 1), 1);
    assert_eq!(answer_history(&mut stage, 1), 1, "the place has moved on meanwhile");
    stage.press("j k j k");
    assert!(stage.asked().is_empty(), "near rows are at hand");
}

#[test]
fn the_wheel_looks_back_and_comes_back_to_live() {
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 500);
    wheel(&mut stage, MouseButton::WheelUp);
    answer_history(&mut stage, 1);
    assert_eq!((top_line(&stage).as_str(), stage.model.focus), ("row 497", Focus::Scroll));
    wheel(&mut stage, MouseButton::WheelDown);
    assert_eq!((top_line(&stage).as_str(), stage.model.focus), ("row 500", Focus::List));
}

#[test]
fn a_key_typed_while_looking_back_from_an_attached_run_leads_to_the_end() {
    let mut stage = Stage::demo((80, 24));
    screen(&mut stage, 500);
    stage.press("enter");
    wheel(&mut stage, MouseButton::WheelUp);
    answer_history(&mut stage, 1);
    assert_eq!((top_line(&stage).as_str(), stage.model.focus), ("row 497", Focus::Attached));
    stage.asked();
    stage.press("a");
    assert_eq!(top_line(&stage), "row 500");
    assert!(matches!(stage.asked()[..], [Cmd::Control { .. }]));
}

#[test]
fn a_screen_without_history_has_nothing_to_look_back_to() {
    let mut stage = Stage::demo((80, 24));
    stage.asked();
    stage.press("[ page_up g page_up");
    assert!(stage.asked().is_empty());
    assert_eq!(stage.model.pane.frame.as_ref().expect("frame").history, HistorySpan::default());
    stage.press("escape");
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn a_key_of_the_list_is_not_silent_for_who_looks_back() {
    let mut stage = Stage::demo((80, 24));
    stage.press("[").asked();
    for (key, said) in
        [("x", "x is a key of the list; Esc goes back to it"), ("!", "! is a key of the list"), ("Q", "")]
    {
        stage.press(key);
        assert!(stage.asked().is_empty(), "{key} does nothing here");
        assert!(stage.notice().starts_with(said) && stage.notice().is_empty() == said.is_empty(), "{}", stage.notice());
    }
}
