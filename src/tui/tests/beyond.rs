//! Hits beyond the rows at hand: in the log of a run with pipes, and around a place of a log.

use std::sync::Arc;

use super::scrolling::answer_history;
use super::stage::{Stage, frame, id, with_history};
use crate::api::{Found, HistoryRows, LinePlace, Newest, SearchHit, SearchRequest, SearchResults, SearchScope, Stream};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event};
use crate::tui::shows::{Told, What};

/// The run with pipes, or the one in a terminal, with a search whose only hit at hand is gone to.
fn searched(keys: &str, n: u8, word: &str) -> Stage {
    let mut stage = Stage::demo((80, 24));
    stage.press(keys);
    let size = stage.model.pane_size();
    let lines: Vec<String> = (0..u64::from(size.rows())).map(|row| format!("row {}", 100 + row)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.show(n, with_history(frame(size, &lines), 0, 100));
    stage.press("/");
    stage.type_text(word);
    fetch(&mut stage, n);
    stage.press("enter");
    stage
}

fn fetch(stage: &mut Stage, n: u8) {
    while answer_history(stage, n) > 0 {}
}

fn asked(stage: &mut Stage) -> (u64, SearchRequest) {
    let cmds = stage.asked();
    let found = cmds.iter().find_map(|cmd| match cmd {
        Cmd::Find { number, request } => Some((*number, (**request).clone())),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{cmds:?}"))
}

fn answer(stage: &mut Stage, number: u64, offsets: &[u64]) {
    let hit = |offset: &u64| SearchHit {
        run: id(3),
        stream: Stream::Stderr,
        line: offset / 10,
        offset: *offset,
        at: None,
        text: "row".into(),
    };
    let found = Found { hits: offsets.iter().map(hit).collect(), runs: 1, of: 1 };
    stage.event(Event::Found { number, found });
    stage.event(Event::Answer(Answer::Found { number, result: Ok(SearchResults::default()) }));
}

fn opened(stage: &mut Stage) -> Option<LinePlace> {
    stage.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Show { what: What::Log { place, .. }, .. } => place,
        _ => None,
    })
}

const ERROR_20: LinePlace = LinePlace { stream: Stream::Stderr, offset: 20 };

#[test]
fn past_the_oldest_hit_of_a_run_with_pipes_its_log_is_gone_to() {
    let mut stage = searched("j j", 3, "row 50");
    stage.asked();
    stage.press("N");
    let (number, request) = asked(&mut stage);
    assert_eq!((request.scope, request.limit), (SearchScope::Run(id(3)), 2), "the one at hand, and one more");
    assert_eq!((request.newest, request.after), (Some(Newest { before: None }), None));
    assert!(stage.notice().contains("searching the log"));
    answer(&mut stage, number, &[20, 900]);
    assert_eq!(opened(&mut stage), Some(ERROR_20));
    assert!(
        stage.text().lines().next().expect("a head").contains("log of logs · line 2 of stderr"),
        "{}",
        stage.text()
    );
    stage.press("escape");
    assert!(stage.model.show.is_none(), "and back to the run");
}

#[test]
fn when_the_log_has_no_older_hit_the_search_goes_round() {
    let mut stage = searched("j j", 3, "row 50");
    stage.asked();
    stage.press("N");
    let (number, _) = asked(&mut stage);
    answer(&mut stage, number, &[900]);
    assert_eq!((opened(&mut stage), stage.notice().as_str()), (None, "on from the newest hit"));
}

#[test]
fn a_word_that_is_not_at_hand_is_gone_to_where_the_log_has_it_last() {
    let mut stage = searched("j j", 3, "nowhere");
    let (number, request) = asked(&mut stage);
    assert_eq!(request.limit, 1);
    answer(&mut stage, number, &[20]);
    assert_eq!(opened(&mut stage), Some(ERROR_20));
    let mut stage = searched("j j", 3, "nowhere");
    let (number, _) = asked(&mut stage);
    answer(&mut stage, number, &[]);
    assert_eq!(stage.notice(), "nowhere is not in the output");
}

#[test]
fn what_a_flood_has_left_out_of_the_view_is_looked_for_in_the_log() {
    let mut stage = searched("j j", 3, "row 9");
    let span = stage.model.pane.frame.as_ref().expect("a frame").history;
    let rows = HistoryRows { span, first: 0, rows: Vec::new(), gap: Some(95) };
    stage.event(Event::Answer(Answer::Gathered { run: id(3), result: Ok(rows) }));
    stage.press("N N N N");
    assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Find { .. })), "99 to 95 are at hand");
    stage.press("N");
    let (number, request) = asked(&mut stage);
    assert_eq!((request.newest, request.limit), (Some(Newest { before: None }), 6));
    answer(&mut stage, number, &[20, 910, 920, 930, 940, 950]);
    assert_eq!(opened(&mut stage), Some(ERROR_20));
}

#[test]
fn of_a_run_in_a_terminal_everything_is_at_hand() {
    let mut stage = searched("", 1, "row 50");
    stage.press("N");
    assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Find { .. })));
    assert_eq!(stage.notice(), "on from the newest hit");
}

#[test]
fn leaving_the_search_ends_the_look_into_the_log() {
    let mut stage = searched("j j", 3, "row 50");
    stage.press("N");
    let (number, _) = asked(&mut stage);
    stage.press("escape");
    assert!(stage.asked().contains(&Cmd::StopFinding));
    answer(&mut stage, number, &[20, 900]);
    assert_eq!(opened(&mut stage), None);
}

/// Draws the log around a place, which is the second of three hits, and says where it is cut.
fn draw_log(stage: &mut Stage, cut: LinePlace) {
    let size = stage.model.pane_size();
    let lines: Vec<String> =
        (0..size.rows()).map(|n| if n < 3 { "a row 50".to_owned() } else { format!("{n}") }).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = stage.model.show.as_ref().expect("a show").id;
    for told in [Told::Frame(Arc::new(frame(size, &lines))), Told::Place(1), Told::Cut(cut), Told::Whole] {
        stage.event(Event::Show { id, told });
    }
}

#[test]
fn a_look_into_the_log_of_a_hit_ends_the_search_everywhere_that_goes_on_and_not_itself() {
    let mut stage = Stage::demo((80, 24));
    stage.press("F");
    stage.type_text("row 50");
    stage.press("enter");
    let (everywhere, _) = asked(&mut stage);
    let hit = SearchHit { run: id(3), stream: ERROR_20.stream, line: 2, offset: 20, at: None, text: "row 50".into() };
    stage.event(Event::Found { number: everywhere, found: Found { hits: vec![hit], runs: 1, of: 9 } });
    stage.press("enter");
    assert_eq!(opened(&mut stage), Some(ERROR_20));
    draw_log(&mut stage, LinePlace { stream: Stream::Stdout, offset: 700 });
    stage.press("N N");
    let cmds = stage.asked();
    let [.., Cmd::Find { number, request }] = &cmds[..] else { panic!("{cmds:?}") };
    assert_eq!(request.scope, SearchScope::Run(id(3)));
    answer(&mut stage, *number, &[0, 10]);
    assert_eq!(opened(&mut stage), Some(LinePlace { stream: Stream::Stderr, offset: 0 }));
    stage.press("escape");
    assert!(stage.text().contains("row 50") && stage.text().contains("Enter searches"), "{}", stage.text());
}

#[test]
fn a_log_around_a_place_is_gone_through_beyond_both_its_ends() {
    let mut stage = searched("j j", 3, "row 50");
    stage.press("N");
    let (number, _) = asked(&mut stage);
    answer(&mut stage, number, &[20, 900]);
    let cut = LinePlace { stream: Stream::Stdout, offset: 700 };
    draw_log(&mut stage, cut);
    let current = |stage: &Stage| stage.model.pane.reading.search.as_ref().and_then(|search| search.number());
    assert_eq!(current(&stage), Some(2));
    stage.asked();
    stage.press("N N");
    assert_eq!(current(&stage), Some(1));
    let (number, request) = asked(&mut stage);
    assert_eq!((request.newest, request.limit), (Some(Newest { before: Some(ERROR_20) }), 2), "one is above the place");
    answer(&mut stage, number, &[10]);
    let (number, request) = asked(&mut stage);
    assert_eq!(
        (request.newest, request.limit),
        (Some(Newest { before: None }), 1),
        "there is none: round to the newest"
    );
    answer(&mut stage, number, &[]);
    assert_eq!((opened(&mut stage), current(&stage)), (None, Some(3)), "which is at hand");
    stage.press("n");
    let (number, request) = asked(&mut stage);
    assert_eq!(request.after.map(|after| (after.run, after.stream, after.offset)), Some((id(3), cut.stream, 700)));
    assert_eq!((request.newest, request.limit), (None, 1));
    answer(&mut stage, number, &[990]);
    assert_eq!(opened(&mut stage), Some(LinePlace { stream: Stream::Stderr, offset: 990 }));
}

#[test]
fn a_search_goes_round_to_the_other_end_of_the_log_and_not_of_the_part() {
    let mut stage = searched("j j", 3, "row 50");
    stage.press("N");
    let (number, _) = asked(&mut stage);
    answer(&mut stage, number, &[20, 900]);
    let size = stage.model.pane_size();
    let shown = stage.model.show.as_ref().expect("a show").id;
    let before = LinePlace { stream: Stream::Stderr, offset: 10 };
    let cut = LinePlace { stream: Stream::Stderr, offset: 700 };
    let frame = Arc::new(frame(size, &["a row 50"]));
    for told in [Told::Before(before), Told::Frame(frame), Told::Place(0), Told::Cut(cut), Told::Whole] {
        stage.event(Event::Show { id: shown, told });
    }
    stage.asked();
    stage.press("n");
    let (number, request) = asked(&mut stage);
    assert_eq!(request.after.map(|after| after.offset), Some(700));
    answer(&mut stage, number, &[]);
    let (number, request) = asked(&mut stage);
    assert_eq!((request.after, request.newest, request.limit), (None, None, 1));
    answer(&mut stage, number, &[5]);
    assert_eq!(opened(&mut stage).map(|place| place.offset), Some(5));
    assert_eq!(stage.notice(), "on from the oldest hit");
}
