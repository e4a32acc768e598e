//! The log of a run that is shown in parts, around a hit.

use std::sync::Arc;

use super::shows::{WIDE, found, lines, show};
use super::stage::Stage;
use crate::api::{LinePlace, Stream};
use crate::tui::cmd::Cmd;
use crate::tui::shows::{Order, Told, What};

/// A hit of the log of a run, opened, with a part of it read.
fn opened_part(before: bool) -> Stage {
    let mut stage = found(WIDE);
    stage.press("down down enter");
    let told = lines(&mut stage, 500, 500);
    show(&mut stage, told);
    if before {
        show(&mut stage, Told::Before(LinePlace { stream: Stream::Stdout, offset: 10 }));
    }
    show(&mut stage, Told::Place(400));
    stage
}

fn head(stage: &Stage) -> String {
    stage.text().lines().next().expect("a head").to_owned()
}

/// Answers for rows of a show, the newest first, until no more are asked for.
fn fetch_rows(stage: &mut Stage) {
    loop {
        let asked = stage.asked();
        let rows = asked.iter().filter_map(|cmd| match cmd {
            Cmd::ShowOrder(Order::Rows { first, count, is_text }) => Some((*first, *count, *is_text)),
            _ => None,
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return;
        }
        for (first, count, is_text) in rows {
            let text = |row: u64| Arc::new(super::stage::text_row(&format!("line {row} error"), 80));
            let rows = (first..first + count as u64).map(text).collect();
            show(stage, Told::Rows { first, rows, is_text });
        }
    }
}

const CUT: LinePlace = LinePlace { stream: Stream::Stdout, offset: 9000 };

#[test]
fn a_hit_is_shown_in_the_middle_and_stays_there_while_the_log_is_read() {
    let mut stage = opened_part(true);
    let height = u64::from(stage.model.pane_size().rows());
    let top = stage.model.pane.scroll;
    assert_eq!(top, Some(400 - height / 2));
    let told = lines(&mut stage, 5000, 5000);
    show(&mut stage, told);
    show(&mut stage, Told::Paused(CUT));
    assert_eq!(stage.model.pane.scroll, top);
    fetch_rows(&mut stage);
    assert!(head(&stage).trim_end().ends_with(" loaded"), "{}", head(&stage));
}

#[test]
fn more_of_the_log_is_asked_for_when_its_end_is_looked_at() {
    let mut stage = opened_part(true);
    show(&mut stage, Told::Paused(CUT));
    let more = |stage: &mut Stage| stage.asked().contains(&Cmd::ShowOrder(Order::More));
    assert!(!more(&mut stage));
    for _ in 0..20 {
        stage.press("pagedown");
    }
    assert!(more(&mut stage));
    let top = stage.model.pane.scroll.expect("the view stays");
    stage.press("pagedown");
    assert_eq!(stage.model.pane.scroll, Some(top), "also when the end is gone past before more is there");
    let told = lines(&mut stage, 900, 900);
    show(&mut stage, told);
    show(&mut stage, Told::Paused(CUT));
    assert!(stage.model.pane.scroll == Some(top) && !more(&mut stage));
}

#[test]
fn the_end_of_a_log_that_is_shown_in_parts_is_gone_to_and_followed() {
    let end = |stage: &mut Stage| {
        let cmds = stage.asked();
        cmds.iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::End(_), .. }))
    };
    for paused in [true, false] {
        let mut stage = opened_part(true);
        if paused {
            show(&mut stage, Told::Paused(CUT));
        }
        stage.press("G");
        assert!(end(&mut stage), "also while it is read");
        show(&mut stage, Told::End(CUT));
        let told = lines(&mut stage, 900, 900);
        show(&mut stage, told);
        show(&mut stage, Told::Place(910));
        show(&mut stage, Told::Whole);
        assert!(head(&stage).trim_end().ends_with("the end") || head(&stage).contains("the end ·"), "{}", head(&stage));
        show(&mut stage, Told::Follows(true));
        assert!(head(&stage).contains("follows"), "{}", head(&stage));
        let told = lines(&mut stage, 1900, 1900);
        show(&mut stage, told);
        assert_eq!(stage.model.pane.scroll, None, "what is new is in sight");
        stage.press("k G");
        assert!(!end(&mut stage) && stage.model.pane.scroll.is_none(), "the end is here already");
        show(&mut stage, Told::Follows(false));
        assert!(head(&stage).contains("the end"), "the run has ended: {}", head(&stage));
        stage.press("escape");
        assert!(stage.text().contains("Search everywhere"));
    }
}

#[test]
fn a_filter_does_not_stop_the_log_from_being_read_on() {
    let mut stage = opened_part(false);
    show(&mut stage, Told::Paused(CUT));
    fetch_rows(&mut stage);
    stage.press("&").type_text("line 12");
    let more = |stage: &mut Stage| stage.asked().contains(&Cmd::ShowOrder(Order::More));
    assert!(more(&mut stage), "the lines that it shows leave room");
    let told = lines(&mut stage, 900, 900);
    show(&mut stage, told);
    fetch_rows(&mut stage);
    stage.press("enter g & backspace enter");
    fetch_rows(&mut stage);
    show(&mut stage, Told::Paused(CUT));
    assert!(!more(&mut stage), "enough is at hand: {}", head(&stage));
    let down = |stage: &mut Stage| {
        for _ in 0..40 {
            stage.press("pagedown");
        }
    };
    down(&mut stage);
    assert!(more(&mut stage));
    show(&mut stage, Told::Cut(CUT));
    down(&mut stage);
    let cmds = stage.asked();
    let opened =
        |cmd: &Cmd| matches!(cmd, Cmd::Show { what: What::Log { place: Some(place), .. }, .. } if *place == CUT);
    assert!(cmds.iter().any(opened), "the next part: {cmds:?}");
    assert!(stage.model.pane.reading.filter.is_some(), "the filter goes on");
}

#[test]
fn whoever_goes_up_from_the_first_row_of_a_part_gets_what_is_before_it() {
    let mut stage = opened_part(true);
    show(&mut stage, Told::Paused(CUT));
    let opened = |stage: &mut Stage| {
        stage.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Show { what: What::Log { place, .. }, .. } => place.map(|place| place.offset),
            _ => None,
        })
    };
    opened(&mut stage);
    for _ in 0..20 {
        stage.press("pageup");
    }
    assert_eq!(opened(&mut stage), Some(10));
    assert!(head(&stage).contains("log of deploy") && !head(&stage).contains("line"), "{}", head(&stage));
    assert!(stage.model.pane.reading.search.is_some(), "the search goes on");
    show(&mut stage, Told::Gone);
    assert_eq!(stage.notice(), "", "no line was promised");
    let mut stage = opened_part(true);
    show(&mut stage, Told::Paused(CUT));
    opened(&mut stage);
    stage.press("g");
    assert_eq!(opened(&mut stage), Some(0));
    stage.press("escape");
    assert!(stage.text().contains("Search everywhere"));
    let mut stage = opened_part(false);
    opened(&mut stage);
    stage.press("g k");
    assert_eq!(opened(&mut stage), None, "there is nothing before");
}

#[test]
fn a_search_goes_on_at_once_in_a_log_that_is_being_read() {
    let mut stage = found(WIDE);
    stage.press("down down enter n");
    assert_eq!(stage.notice(), "", "it is in force, and waits for the rows");
    let told = lines(&mut stage, 0, 0);
    show(&mut stage, told);
    assert!(head(&stage).trim_end().ends_with("reading…"), "{}", head(&stage));
    let told = lines(&mut stage, 500, 500);
    show(&mut stage, told);
    show(&mut stage, Told::Place(400));
    show(&mut stage, Told::Paused(CUT));
    fetch_rows(&mut stage);
    let row = |stage: &Stage| stage.model.pane.reading.search.as_ref().and_then(|s| s.current).map(|at| at.row);
    assert_eq!(row(&stage), Some(401), "the one behind the hit");
    stage.press("N");
    assert_eq!(row(&stage), Some(400));
}

#[test]
fn the_title_has_the_line_only_while_it_is_the_one_that_is_looked_at() {
    let mut stage = opened_part(true);
    show(&mut stage, Told::Paused(CUT));
    fetch_rows(&mut stage);
    assert!(head(&stage).contains("log of deploy · line 3"), "{}", head(&stage));
    stage.press("n");
    assert!(head(&stage).contains("log of deploy") && !head(&stage).contains("line 3"), "{}", head(&stage));
}

#[test]
fn a_hit_that_has_left_the_log_meanwhile_is_said_to_be_gone() {
    let mut stage = found(WIDE);
    stage.press("down down enter");
    let told = lines(&mut stage, 0, 0);
    show(&mut stage, told);
    show(&mut stage, Told::Gone);
    show(&mut stage, Told::Place(0));
    assert_eq!(stage.notice(), "that line is not in the log any more: its oldest part was dropped");
    assert!(!head(&stage).contains("line 3"), "{}", head(&stage));
    let search = stage.model.pane.reading.search.as_ref().expect("a search");
    assert_eq!(search.current, None, "no other hit is taken for it");
}
