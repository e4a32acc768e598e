//! Search everywhere, the history browser, marks, and what is shown in place of the selected run.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{Stage, frame, id, run, with_history, with_record};
use crate::api::{Found, LinePlace, RecordsPage, SearchHit, SearchPlace, SearchResults, SearchScope, Stream};
use crate::model::{ErrorCode, Failure, Mode, Modifiers, Mouse, MouseButton, MouseKind, Record, Size, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event, Input};
use crate::tui::model::{Focus, Overlay};
use crate::tui::shows::{Order, Playing, Told, What};

pub(super) const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

fn records() -> Vec<Record> {
    let finished = |n, name, mode, status, command: &str, at: &str| {
        with_record(run(n, name, mode, status), |record| {
            record.command = command.into();
            record.started_at = Some(at.parse().expect("time"));
            record.completed_at = record.started_at.map(|at| at + Duration::from_millis(72_500));
            record.cwd = "/work/project".into();
        })
    };
    let all = [
        finished(4, Some("build"), Mode::Pipes, Status::Failed, "make", "2026-11-29T14:02:33Z"),
        finished(21, Some("deploy"), Mode::Pty, Status::Completed, "./deploy --all", "2026-11-28T09:15:00Z"),
        finished(22, None, Mode::Pty, Status::Cancelled, "ssh host tail -f log", "2026-11-01T23:59:00Z"),
    ];
    all.map(|view| view.record.as_ref().clone()).into()
}

fn answer_records(stage: &mut Stage) {
    let page = RecordsPage { records: records(), next: None };
    stage.event(Event::Answer(Answer::Records { before: None, result: Ok(page) }));
}

fn hit(n: u8, line: u64, text: &str) -> SearchHit {
    let at = Some("2026-11-29T14:02:40Z".parse().expect("time"));
    SearchHit { run: id(n), stream: Stream::Stdout, line, offset: line * 10, at, text: text.into() }
}

/// A search with its hits on the screen.
pub(super) fn found(size: (u16, u16)) -> Stage {
    let (mut stage, number) = searching(size);
    let long = format!("{} and then an Error at the end of it", "x".repeat(90));
    let hits = vec![hit(1, 7, "first error"), hit(4, 1201, &long), hit(21, 3, "\terror: no host")];
    stage.event(Event::Found { number, found: Found { hits, runs: 4, of: 6 } });
    let results = SearchResults { runs: 6, unreadable: 1, ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number, result: Ok(results) }));
    stage
}

pub(super) fn show(stage: &mut Stage, told: Told) {
    let id = stage.model.show.as_ref().expect("a show").id;
    stage.event(Event::Show { id, told });
}

pub(super) fn lines(stage: &mut Stage, first: u64, history: u64) -> Told {
    let size = stage.model.pane_size();
    let lines: Vec<String> = (first..first + u64::from(size.rows())).map(|n| format!("line {n} error")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Told::Frame(Arc::new(with_history(frame(size, &lines), 0, history)))
}

#[test]
fn what_is_found_everywhere_is_listed_with_run_line_and_time() {
    assert_snapshot!("find_80x24", found(WIDE).picture());
    assert_snapshot!("find_40x12", found(SMALL).picture());
}

#[test]
fn home_end_and_pages_go_through_what_was_found_and_edit_the_word_while_it_is_typed() {
    let (mut stage, number) = searching(WIDE);
    let hits: Vec<SearchHit> = (1..=50).map(|line| hit(1, line, "an error")).collect();
    stage.event(Event::Found { number, found: Found { hits, runs: 1, of: 1 } });
    let next = Some(SearchPlace { run: id(1), stream: Stream::Stdout, offset: 500, record: None, runs: 0 });
    let results = SearchResults { runs: 1, has_more: true, next, ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number, result: Ok(results) })).asked();
    let selected = |stage: &Stage| match &stage.model.overlay {
        Some(Overlay::Find(find)) => find.selected,
        other => panic!("{other:?}"),
    };
    stage.press("end");
    assert_eq!((selected(&stage), stage.asked().len()), (49, 0), "the last one, and nothing is asked for");
    stage.press("home pagedown");
    assert_eq!(selected(&stage), 18, "all but one of the 19 lines that are shown");
    stage.press("pageup pageup");
    assert_eq!(selected(&stage), 0);
    stage.type_text("s").press("home").type_text("x");
    match &stage.model.overlay {
        Some(Overlay::Find(find)) => assert_eq!(find.input.value(), "xerrors"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_hit_leads_to_its_place_in_the_log_and_back() {
    let mut stage = found(WIDE);
    stage.press("down down enter");
    let asked = stage.asked();
    let opened = asked.iter().any(|cmd| {
        matches!(cmd, Cmd::Show { what: What::Log { run, place: Some(LinePlace { stream: Stream::Stdout, offset: 30 }) }, .. } if *run == id(21))
    });
    assert!(opened, "{asked:?}");
    let told = lines(&mut stage, 100, 100);
    show(&mut stage, told);
    show(&mut stage, Told::Place(104));
    let head = stage.text().lines().next().expect("header").to_owned();
    assert!(head.contains("log of deploy · line 3"), "{head}");
    let search = stage.model.pane.reading.search.as_ref().expect("a search");
    assert_eq!(search.current.map(|at| at.row), Some(104));
    stage.press("n");
    assert_eq!(stage.model.pane.reading.search.as_ref().and_then(|s| s.current).map(|at| at.row), Some(105));
    stage.press("escape");
    assert!(stage.text().contains("Search everywhere") && stage.text().contains("deploy"), "{}", stage.text());
    stage.press("escape");
    assert_eq!((stage.model.focus, stage.model.pane.run), (Focus::List, Some(id(1))));
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Watch { .. })), "the run is looked at again");
}

#[test]
fn an_answer_to_an_older_search_is_no_answer_to_this_one() {
    let mut stage = found(WIDE);
    stage.press("C-u");
    stage.type_text("other");
    stage.press("enter");
    let old = SearchResults { hits: vec![hit(1, 1, "old")], ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number: 1, result: Ok(old) }));
    assert!(stage.text().contains("searching") && !stage.text().contains("old"), "{}", stage.text());
    let failure = Failure::new(ErrorCode::Busy, "8 searches are under way already");
    stage.event(Event::Answer(Answer::Found { number: 2, result: Err(failure) }));
    assert!(stage.text().contains("8 searches are under way"));
    stage.press("C-u C-r");
    stage.type_text("a(");
    stage.press("enter");
    assert!(stage.text().contains("unclosed group"), "{}", stage.text());
}

/// A search that goes on: its number.
fn searching(size: (u16, u16)) -> (Stage, u64) {
    let mut stage = Stage::demo(size);
    stage.press("F");
    answer_records(&mut stage);
    stage.asked();
    stage.type_text("error");
    stage.press("enter");
    let asked = stage.asked();
    let [Cmd::Find { number, request }] = &asked[..] else { panic!("{asked:?}") };
    assert!(request.ignore_case && !request.is_regex && request.scope == SearchScope::All);
    (stage, *number)
}

fn tell_hits(stage: &mut Stage, number: u64, lines: std::ops::RangeInclusive<u64>, runs: usize) {
    let hits = lines.map(|line| hit(1, line, &format!("error {line}"))).collect();
    stage.event(Event::Found { number, found: Found { hits, runs, of: 40 } });
}

fn place(line: u64) -> SearchPlace {
    SearchPlace { run: id(1), stream: Stream::Stdout, offset: line * 10, record: Some(9), runs: 3 }
}

fn end_at_bound(stage: &mut Stage, number: u64, line: u64) {
    let results = SearchResults { has_more: true, runs: 4, next: Some(place(line)), ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number, result: Ok(results) }));
}

#[test]
fn what_is_found_is_listed_while_the_search_goes_on_and_can_be_gone_to() {
    for (size, name) in [(WIDE, "find_searching_80x24"), (SMALL, "find_searching_40x12")] {
        let (mut stage, number) = searching(size);
        tell_hits(&mut stage, number, 7..=8, 3);
        stage.event(Event::Found { number, found: Found { hits: vec![], runs: 12, of: 40 } });
        assert_snapshot!(name, stage.picture());
    }
    let (mut stage, number) = searching(WIDE);
    tell_hits(&mut stage, number, 7..=8, 3);
    stage.press("down enter");
    assert!(
        stage.asked().iter().any(|cmd| matches!(
            cmd,
            Cmd::Show { what: What::Log { place: Some(LinePlace { offset: 80, .. }), .. }, .. }
        ))
    );
    tell_hits(&mut stage, number, 9..=9, 20);
    stage.press("escape");
    assert!(stage.text().contains("error 9") && stage.text().contains("20 of 40"), "{}", stage.text());
    assert!(!stage.asked().contains(&Cmd::StopFinding), "it went on meanwhile");
}

#[test]
fn a_search_ends_when_it_is_left_or_another_word_is_typed() {
    let (mut stage, _) = searching(WIDE);
    stage.press("escape");
    assert!(stage.asked().contains(&Cmd::StopFinding));
    let (mut stage, number) = searching(WIDE);
    tell_hits(&mut stage, number, 1..=3, 3);
    stage.press("s");
    assert_eq!(stage.asked(), [Cmd::StopFinding]);
    tell_hits(&mut stage, number, 4..=4, 4);
    assert!(!stage.text().contains("error 4") && stage.text().contains("Enter searches"), "{}", stage.text());
    // The word of before is searched for anew: not all of it was found.
    stage.press("backspace enter");
    assert!(matches!(&stage.asked()[..], [Cmd::Find { number: 2, request }] if request.after.is_none()));
    stage.press("escape");
    assert_eq!(stage.asked().iter().filter(|cmd| **cmd == Cmd::StopFinding).count(), 1);
}

#[test]
fn whoever_goes_past_the_last_of_the_first_lines_gets_more() {
    let (mut stage, number) = searching(WIDE);
    tell_hits(&mut stage, number, 1..=1000, 3);
    end_at_bound(&mut stage, number, 1000);
    assert!(stage.text().contains("the first 1000 lines in 1 of 4 runs"), "{}", stage.text());
    for _ in 0..200 {
        stage.press("pagedown");
    }
    assert_snapshot!("find_more_80x24", stage.text());
    let asked = stage.asked();
    let [Cmd::Find { number, request }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((request.after, request.pattern.as_str()), (Some(place(1000)), "error"));
    let number = *number;
    tell_hits(&mut stage, number, 1001..=1003, 9);
    let results = SearchResults { runs: 40, ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number, result: Ok(results) }));
    assert!(
        stage.text().contains("1003 lines in 1 of 40 runs") && stage.text().contains("error 1001"),
        "{}",
        stage.text()
    );
    stage.press("enter");
    assert!(stage.asked().iter().any(|cmd| matches!(
        cmd,
        Cmd::Show { what: What::Log { place: Some(LinePlace { offset: 10_010, .. }), .. }, .. }
    )));
}

#[test]
fn when_the_next_lines_cannot_be_had_it_says_why_and_whoever_goes_on_once_more_asks_once_more() {
    let (mut stage, number) = searching(WIDE);
    tell_hits(&mut stage, number, 1..=4, 3);
    end_at_bound(&mut stage, number, 4);
    stage.press("down down down down");
    let asked = stage.asked();
    let [Cmd::Find { number, .. }] = &asked[..] else { panic!("{asked:?}") };
    let failure = Failure::new(ErrorCode::Busy, "8 searches are under way already");
    stage.event(Event::Answer(Answer::Found { number: *number, result: Err(failure) }));
    assert_eq!(stage.asked(), []);
    assert!(stage.text().contains("8 searches are under way"), "{}", stage.text());
    stage.press("down");
    let asked = stage.asked();
    let [Cmd::Find { request, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(request.after, Some(place(4)));
    assert!(!stage.text().contains("8 searches are under way"), "{}", stage.text());
}

#[test]
fn what_a_failed_search_for_more_has_found_is_listed_once_when_it_is_tried_again() {
    let (mut stage, number) = searching(WIDE);
    tell_hits(&mut stage, number, 1..=4, 3);
    end_at_bound(&mut stage, number, 4);
    stage.asked();
    stage.press("down down down down");
    tell_hits(&mut stage, 2, 5..=6, 5);
    let failure = Failure::new(ErrorCode::Unavailable, "the connection has failed");
    stage.event(Event::Answer(Answer::Found { number: 2, result: Err(failure) }));
    assert!(stage.text().contains("error 6") && stage.text().contains("connection has failed"), "{}", stage.text());
    stage.press("down down");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Find { number: 3, .. })));
    tell_hits(&mut stage, 3, 5..=7, 5);
    stage.event(Event::Answer(Answer::Found { number: 3, result: Ok(SearchResults::default()) }));
    let Some(crate::tui::model::Overlay::Find(find)) = &stage.model.overlay else { panic!("a search") };
    assert!(find.hits.iter().map(|hit| hit.line).eq(1..=7), "{}", stage.text());
    assert_eq!(find.hits[find.selected].line, 5);
}

#[test]
fn the_wheel_and_a_click_on_the_last_words_go_on_too() {
    for by_wheel in [true, false] {
        let (mut stage, number) = searching(WIDE);
        tell_hits(&mut stage, number, 1..=4, 3);
        end_at_bound(&mut stage, number, 4);
        stage.asked();
        let button = if by_wheel { MouseButton::WheelDown } else { MouseButton::Left };
        // The fourth hit is above it.
        let mouse = Mouse { kind: MouseKind::Press, button, x: 5, y: 7, modifiers: Modifiers::default() };
        for _ in 0..if by_wheel { 2 } else { 1 } {
            stage.event(Event::Input(Input::Mouse(mouse)));
        }
        assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Find { .. })), "{}", stage.text());
    }
}

#[test]
fn the_lines_that_are_kept_are_bounded_and_the_oldest_go() {
    let (mut stage, mut number) = searching(WIDE);
    for page in 0..11 {
        tell_hits(&mut stage, number, page * 1000 + 1..=page * 1000 + 1000, 3);
        end_at_bound(&mut stage, number, page * 1000 + 1000);
        stage.asked();
        if page < 10 {
            for _ in 0..1100 {
                stage.press("pagedown");
                if let Some(Cmd::Find { number: next, .. }) = stage.asked().last() {
                    number = *next;
                    break;
                }
            }
        }
    }
    assert!(stage.text().contains("lines 1001 to 11000 in 1 of 4 runs"), "{}", stage.text());
    let Some(crate::tui::model::Overlay::Find(find)) = &stage.model.overlay else { panic!("a search") };
    assert_eq!((find.hits.len(), find.hits[find.selected].line), (10_000, 10_001));
}

fn browsing(size: (u16, u16)) -> Stage {
    let mut stage = Stage::demo(size);
    stage.press("H");
    answer_records(&mut stage);
    stage.asked();
    stage
}

#[test]
fn the_history_lists_finished_runs_of_any_day() {
    assert_snapshot!("history_80x24", browsing(WIDE).picture());
    assert_snapshot!("history_40x12", browsing(SMALL).picture());
    let mut stage = browsing(WIDE);
    stage.press("j i");
    assert_snapshot!("history_record_80x24", stage.text());
}

#[test]
fn the_history_is_filtered_as_one_types_and_paged() {
    let mut stage = browsing(WIDE);
    stage.press("/");
    stage.type_text("11-28 comp");
    assert!(stage.text().contains("1 of 3") && stage.text().contains("deploy"), "{}", stage.text());
    stage.press("enter p");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::Replay(_), .. })));
    let mut stage = Stage::demo(WIDE);
    stage.press("H");
    let page = RecordsPage { records: records(), next: Some(7) };
    stage.event(Event::Answer(Answer::Records { before: None, result: Ok(page) }));
    let more: Vec<Cmd> = stage.asked().into_iter().filter(|cmd| matches!(cmd, Cmd::Records { .. })).collect();
    assert_eq!(more, [Cmd::Records { before: None }, Cmd::Records { before: Some(7) }]);
}

#[test]
fn a_run_of_the_history_is_shown_as_it_ended_or_its_log_or_started_again() {
    let mut stage = browsing(WIDE);
    stage.press("p");
    assert!(stage.notice().contains("nothing to replay"), "it had pipes: {}", stage.notice());
    stage.press("r");
    assert!(stage.asked().contains(&Cmd::Restart { run: id(4), kill: false }), "the list has it still");
    stage.press("j r");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::StartNew(new) if new.line == "./deploy --all")));
    stage.press("enter");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::Screen(_), .. })));
    stage.press("escape l");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::Log { place: None, .. }, .. })));
    let failure = Failure::new(ErrorCode::NotFound, "the log was deleted");
    show(&mut stage, Told::Failed(failure));
    assert!(stage.text().contains("It cannot be shown: the log was deleted"));
}

#[test]
fn a_replay_is_steered_by_keys_and_says_where_it_is() {
    let mut stage = browsing(WIDE);
    stage.press("j p");
    stage.asked();
    show(&mut stage, Told::Frame(Arc::new(frame(Size::DEFAULT, &["$ deploy", "all of it"]))));
    let second = Duration::from_secs(1);
    let playing = Playing { at: 65 * second, length: 90 * second, halves: 1, is_paused: false };
    show(&mut stage, Told::Playing(playing));
    assert_snapshot!("replay_80x24", stage.picture());
    stage.press("space + - left l g G");
    let orders: Vec<Order> = stage
        .asked()
        .into_iter()
        .filter_map(|cmd| if let Cmd::ShowOrder(order) = cmd { Some(order) } else { None })
        .collect();
    assert_eq!(
        orders,
        [Order::Pause, Order::Faster, Order::Slower, Order::Seek(-5), Order::Seek(5), Order::Begin, Order::End]
    );
    stage.press("escape");
    assert!(stage.text().contains("History"));
}

#[test]
fn a_run_whose_output_nobody_has_any_more_is_read_from_its_log() {
    let mut stage = Stage::demo(WIDE);
    stage.press("j j j");
    let failure = Failure::new(ErrorCode::ControlClosed, "the run has ended");
    stage.event(Event::WatchFailed { run: id(4), failure });
    stage.asked();
    stage.press("[");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::Log { .. }, .. })));
    stage.press("escape");
    assert_eq!((stage.model.focus, stage.model.selected_name().as_str()), (Focus::List, "build"));
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Watch { .. })), "it is tried again");
}

#[test]
fn shows_fit_a_small_terminal() {
    let mut stage = Stage::demo(SMALL);
    stage.press("space j space =");
    let told = lines(&mut stage, 0, 0);
    show(&mut stage, told);
    show(&mut stage, Told::Whole);
    assert_snapshot!("merged_40x12", stage.picture());
    let mut stage = browsing(SMALL);
    stage.press("j p");
    show(&mut stage, Told::Frame(Arc::new(frame(Size::DEFAULT, &["$ deploy", "all of it"]))));
    let playing = Playing { at: Duration::from_secs(5), length: Duration::from_secs(90), halves: 32, is_paused: true };
    show(&mut stage, Told::Playing(playing));
    assert_snapshot!("replay_40x12", stage.picture());
}

#[test]
fn marked_runs_are_shown_in_one() {
    let mut stage = Stage::demo(WIDE);
    stage.press("space j space");
    assert!(stage.text().contains("2 marked"), "{}", stage.text());
    stage.press("=");
    let asked = stage.asked();
    let sources = asked.iter().find_map(|cmd| match cmd {
        Cmd::Show { what: What::Merged(sources), .. } => Some(sources.clone()),
        _ => None,
    });
    let names: Vec<String> = sources.expect("a show").into_iter().map(|source| source.name).collect();
    assert_eq!(names, ["web", "logs"]);
    let told = lines(&mut stage, 0, 0);
    show(&mut stage, told);
    show(&mut stage, Told::Whole);
    assert_snapshot!("merged_80x24", stage.picture());
    stage.press("/");
    stage.type_text("line 3");
    stage.press("enter");
    assert!(stage.text().lines().next().expect("header").ends_with("1/1"), "{}", stage.text());
    stage.press("escape");
    assert!(stage.model.show.is_some() && stage.model.pane.reading.search.is_none(), "the search is a step of its own");
    stage.press("&");
    stage.type_text("line 3");
    stage.press("enter escape");
    assert!(stage.model.show.is_some() && stage.model.pane.reading.filter.is_none(), "so is the filter");
    stage.press("escape");
    assert_eq!((stage.model.focus, stage.model.show.is_none()), (Focus::List, true));
}

#[test]
fn the_mouse_chooses_from_what_was_found() {
    let mut stage = found(WIDE);
    let click = |stage: &mut Stage, y| {
        let mouse = crate::model::Mouse {
            kind: MouseKind::Press,
            button: MouseButton::Left,
            x: 20,
            y,
            modifiers: crate::model::Modifiers::default(),
        };
        stage.event(Event::Input(Input::Mouse(mouse)));
    };
    click(&mut stage, 4);
    click(&mut stage, 4);
    assert!(
        stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Show { what: What::Log { run, .. }, .. } if *run == id(4)))
    );
}
