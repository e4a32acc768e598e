//! What somebody stumbled over who saw it for the first time.

use insta::assert_snapshot;

use super::stage::{Stage, frame, id, run, with_history, with_record};
use crate::api::{Found, RunView, SearchHit, SearchResults, Stream};
use crate::model::{KeyboardOwner, Mode, Size, Status, Typist, TypistId, TypistKind};
use crate::tui::event::{Answer, Event};
use crate::tui::keys::Intent;
use crate::tui::model::{Overlay, RowKey, Target, summary};

const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

fn first_line(stage: &Stage) -> String {
    stage.text().lines().next().expect("a line").to_owned()
}

fn last_line(stage: &Stage) -> String {
    stage.text().lines().last().expect("a line").to_owned()
}

fn ad_hoc(n: u8, name: Option<&str>, command: &str, status: Status) -> RunView {
    with_record(run(n, name, Mode::Pty, status), |record| record.command = command.into())
}

#[test]
fn one_end_has_one_name_in_list_header_and_inspect() {
    let mut stage = Stage::demo((80, 40));
    stage.put(with_record(run(1, Some("web"), Mode::Pty, Status::Cancelled), |record| {
        record.signal = Some(15);
        record.cause = Some(crate::model::Cause::Cancel);
    }));
    let text = stage.text();
    assert_eq!(text.matches("cancelled").count(), 2, "in the list and over the pane: {text}");
    assert!(!text.contains("130") && !text.contains("signal"), "{text}");
    stage.press("i");
    let text = stage.text();
    assert!(text.contains("state      cancelled"), "{text}");
    assert!(text.contains("ended by   a stop (exit code 130, signal 15)"), "{text}");
    assert_eq!((text.matches("130").count(), text.matches("signal ").count()), (1, 1), "{text}");
    stage.press("i j j j");
    assert_eq!(stage.text().matches("failed 2").count(), 2, "{}", stage.text());
    stage.press("enter");
    assert!(stage.notice().starts_with("build has ended (failed 2)"), "{}", stage.notice());
}

#[test]
fn a_long_command_is_cut_and_the_state_is_not() {
    let command = "cargo run --release --bin server -- --listen 0.0.0.0:8080 --workers 4 --log-level debug --verbose";
    for size in [WIDE, SMALL] {
        let mut stage = Stage::demo(size);
        stage.put(ad_hoc(5, None, command, Status::Completed)).press("G z");
        let header = first_line(&stage);
        assert!(header.contains("cargo run") && header.contains('…') && header.contains("✓ completed"), "{header}");
        // Nor is it when somebody else types, or the program has a title.
        let mut view = ad_hoc(5, None, command, Status::Running);
        view.keyboard = Some(KeyboardOwner {
            id: TypistId(9),
            who: Typist::new(TypistKind::Agent, "an agent with a rather long name, to be sure"),
            since: jiff::Timestamp::UNIX_EPOCH,
            taken: super::stage::START,
        });
        let mut shown = frame(stage.model.pane_size(), &["$"]);
        shown.title = "a title that is long enough to need all of the room that there is".into();
        stage.put(view).show(5, shown);
        let header = first_line(&stage);
        assert!(header.contains("running"), "{header}");
    }
}

#[test]
fn runs_of_the_same_name_are_told_apart() {
    for (size, name) in [(WIDE, "namesakes_80x24"), (SMALL, "namesakes_40x12")] {
        let mut stage = Stage::demo(size);
        for (n, generation) in [(21, 1), (22, 2)] {
            stage.put(with_record(ad_hoc(n, Some("login"), "login", Status::Running), |record| {
                record.generation = generation;
            }));
        }
        let sleeps = "sleep 1000 && echo a command that is longer than its column";
        stage.put(ad_hoc(23, None, sleeps, Status::Running)).put(ad_hoc(24, None, sleeps, Status::Running));
        stage.press("G");
        let text = stage.text();
        for told in
            ["login:1", "login:2", id(23).short(), id(24).short()].iter().skip(if size == SMALL { 2 } else { 0 })
        {
            assert!(text.contains(told), "{told}: {text}");
        }
        assert!(!text.contains(&format!("htop {}", id(5).short())), "it is the only one: {text}");
        assert_snapshot!(name, text);
        stage.press("G k k");
        assert_eq!(stage.model.selected_name(), "login:2", "messages name it so, too");
    }
}

#[test]
fn the_palette_has_what_is_called_so_first_and_says_why_it_cannot_be_done() {
    let mut stage = Stage::demo(WIDE);
    let first = |stage: &mut Stage, text: &str| {
        stage.press("escape p").type_text(text);
        let Some(Overlay::Palette(palette)) = &stage.model.overlay else { panic!("no palette") };
        palette.entries(&stage.model).into_iter().next().expect("an entry")
    };
    let start = first(&mut stage, "start");
    assert_eq!((start.target, start.why_not.as_deref()), (Target::Intent(Intent::Start), Some("web is running")));
    let line = stage.text().lines().find(|line| line.contains("▌start")).expect("selected").to_owned();
    assert!(line.contains("web is running"), "{line}");
    assert_eq!(first(&mut stage, "new run").target, Target::Intent(Intent::NewRun), "a blank is a hyphen");
    assert_eq!(first(&mut stage, "restar").target, Target::Intent(Intent::Restart), "the beginning of a name");
    assert_eq!(first(&mut stage, "logs").target, Target::Row(RowKey::Task("logs".parse().expect("name"))));
    for (size, name) in [(WIDE, "palette_why_80x24"), (SMALL, "palette_why_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("p").type_text("start");
        assert_snapshot!(name, stage.picture());
    }
}

#[test]
fn the_palette_goes_to_the_run_it_names_in_a_list_with_groups_and_a_filter() {
    let tasks = ["web/api", "web/ui", "db"].map(|name| super::stage::task(name, "make", Mode::Pty));
    let mut stage = Stage::new(WIDE, tasks.to_vec());
    stage.resync(vec![]).press("p").type_text("db").press("enter");
    assert_eq!(stage.model.selected_name(), "db");
    stage.press("f").type_text("web").press("enter p").type_text("db").press("enter");
    assert_eq!(stage.model.selected_name(), "db");
}

#[test]
fn while_something_is_selected_the_bottom_line_names_the_moves_and_the_lines() {
    let mut stage = Stage::demo(WIDE);
    stage.press("[ v");
    for said in ["y copy", "hjkl move", "V lines", "Esc back"] {
        assert!(last_line(&stage).contains(said), "{said}: {}", last_line(&stage));
    }
    let mut stage = Stage::demo(SMALL);
    stage.press("[ v");
    for said in ["y copy", "hjkl move", "Esc back"] {
        assert!(last_line(&stage).contains(said), "{said}: {}", last_line(&stage));
    }
}

#[test]
fn help_opens_at_the_keys_of_where_the_user_is() {
    for size in [WIDE, SMALL] {
        for (keys, title) in [("", "List"), ("[", "Scrollback")] {
            let mut stage = Stage::demo(size);
            stage.press(keys).press("?");
            let top = stage.text().lines().nth(1).expect("a line").to_owned();
            assert!(top.contains(title), "{title}: {}", stage.text());
            stage.press(&"k ".repeat(200));
            assert!(stage.text().contains("Attached"), "what is before can be scrolled to");
        }
    }
}

#[test]
fn output_that_was_looked_at_is_not_unseen_when_its_count_comes_later() {
    let mut stage = Stage::demo(WIDE);
    let line = |stage: &Stage| stage.text().lines().nth(2).expect("api").to_owned();
    stage.press("j");
    let mut shown = frame(Size::DEFAULT, &["all of it"]);
    shown.generation = 9;
    stage.show(2, shown).press("k");
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    api.activity.output = 9;
    stage.put(api.clone());
    assert!(line(&stage).contains("● api"), "it was on the screen: {}", line(&stage));
    api.activity.output = 10;
    stage.put(api);
    assert!(line(&stage).contains("●*api"), "this was not: {}", line(&stage));
}

#[test]
fn the_summary_names_each_row_once() {
    let mut stage = Stage::new(WIDE, super::stage::demo_tasks());
    let db = |n, generation| {
        with_record(run(n, Some("db"), Mode::Pty, Status::Failed), |record| record.generation = generation)
    };
    stage.resync(vec![db(1, 1), db(2, 2)]);
    assert_eq!(summary(&stage.model), ["shtask: 1 run: 1 failed", "  db failed 2"]);
}

#[test]
fn what_was_seen_before_the_interface_was_left_is_not_unseen_when_it_is_opened_again() {
    let live = |n, output, bells| {
        let mut view = run(n, None, Mode::Pty, Status::Running);
        (view.activity.output, view.activity.bells) = (output, bells);
        view
    };
    let mut stage = Stage::new(WIDE, vec![]);
    stage.resync((1..=4).map(|n| live(n, 5, 1)).collect());
    stage.press("j j k k");
    let seen = stage.model.list.seen().into_iter().collect();
    let mut again = Stage::new(WIDE, vec![]);
    again.model.list.remember(seen);
    again.resync(vec![live(1, 5, 1), live(2, 5, 1), live(3, 6, 1), live(4, 5, 1)]);
    let marks = |n| again.model.list.known(id(n)).map(|known| (known.unseen, known.bell));
    assert_eq!(marks(2), Some((false, false)), "it was looked at");
    assert_eq!(marks(3), Some((true, false)), "it has printed more since");
    assert_eq!(marks(4), Some((true, true)), "nobody has looked at it");
    // A server that was started anew counts from the beginning.
    let mut anew = Stage::new(WIDE, vec![]);
    anew.model.list.remember([(id(2), crate::tui::Seen { output: 9, bells: 0 })].into());
    anew.resync(vec![live(1, 0, 0), live(2, 3, 0)]);
    assert!(anew.model.list.known(id(2)).is_some_and(|known| known.unseen));
}

#[test]
fn runs_with_hits_and_runs_that_were_searched_are_counted_apart() {
    let said = |hits: &[u8], runs: usize| {
        let mut stage = Stage::demo(WIDE);
        stage.press("F").type_text("error");
        stage.press("enter");
        let number = stage.model.searches;
        let hit = |n: &u8| SearchHit {
            run: id(*n),
            stream: Stream::Stdout,
            line: 1,
            offset: 0,
            at: None,
            text: "error".into(),
        };
        let found = Found { hits: hits.iter().map(hit).collect(), runs, of: runs };
        stage.event(Event::Found { number, found });
        let results = SearchResults { runs, ..SearchResults::default() };
        stage.event(Event::Answer(Answer::Found { number, result: Ok(results) }));
        let text = stage.text();
        text.lines().nth(2).expect("the summary").split(['│', ';']).nth(1).expect("words").trim().to_owned()
    };
    assert_eq!(said(&[1, 1, 4], 6), "3 lines in 2 of 6 runs");
    assert_eq!(said(&[1], 6), "1 line in 1 of 6 runs");
    assert_eq!(said(&[1, 2], 2), "2 lines in 2 runs");
    assert_eq!(said(&[1], 1), "1 line in 1 run");
    assert_eq!(said(&[], 6), "nothing in 6 runs");
}

#[test]
fn a_search_that_found_nothing_does_not_say_that_enter_goes_there() {
    let mut stage = Stage::demo(WIDE);
    stage.press("F").type_text("error");
    stage.press("enter");
    let number = stage.model.searches;
    stage.event(Event::Found { number, found: Found { hits: vec![], runs: 6, of: 6 } });
    let results = SearchResults { runs: 6, ..SearchResults::default() };
    stage.event(Event::Answer(Answer::Found { number, result: Ok(results) }));
    assert!(stage.text().contains("nothing in 6 runs"), "{}", stage.text());
    assert!(!stage.text().contains("Enter goes there"), "{}", stage.text());
}

#[test]
fn the_count_of_hits_is_whole_however_narrow_the_pane_is() {
    for (n, select) in [(1, ""), (3, "j j")] {
        for size in [SMALL, (50, 12), (30, 8)] {
            let mut stage = Stage::demo(size);
            let mut waits = run(2, Some("api"), Mode::Pty, Status::Running);
            let since = jiff::Timestamp::UNIX_EPOCH;
            waits.attention = Some(crate::model::Attention { need: crate::model::Need::Input, since });
            stage.put(waits);
            stage.press(select).press("z");
            let at = stage.model.pane_size();
            let rows: Vec<String> = (0..at.rows()).map(|row| format!("row {row}")).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            stage.show(n, with_history(frame(at, &rows), 0, 9000));
            stage.press("[ /").type_text("row");
            while super::scrolling::answer_history(&mut stage, n) > 0 {}
            let (head, whole) = (first_line(&stage), 9000 + u64::from(at.rows()));
            assert!(head.trim_end().ends_with(&format!(" {whole}/{whole}")), "{size:?}: {head}");
            stage.press("enter escape &").type_text("row 1");
            let head = first_line(&stage);
            assert!(head.contains("&row 1: "), "{size:?}: {head}");
        }
    }
}

#[test]
fn what_the_header_says_at_the_right_never_touches_the_state() {
    for cols in 40..=80 {
        for length in 1..=40 {
            let mut stage = Stage::new((cols, 12), vec![]);
            let name = "n".repeat(length);
            stage.resync(vec![run(1, Some(&name), Mode::Pty, Status::Running)]);
            stage.press("enter");
            let head = first_line(&stage);
            let before = head.find("attached").and_then(|at| head[..at].chars().next_back());
            assert!(before.is_none_or(|c| c == ' '), "{cols} columns: {head}");
        }
    }
}

#[test]
fn every_question_can_be_answered_in_the_smallest_terminal() {
    let answers = |has_server: bool, keys: &str, size: (u16, u16)| {
        let mut stage = Stage::demo(size);
        stage.model.setup.has_server = has_server;
        stage.press(keys).text()
    };
    for size in [(20, 5), (20, 6), (28, 6), (40, 12)] {
        let text = answers(true, "q", size);
        let all = ["Leave shtask?", "detach", "stop all", "stay"];
        assert!(all.iter().all(|answer| text.contains(answer)), "{size:?}: {text}");
        let text = answers(false, "q", size);
        assert!(["Leave shtask?", "stop all and leave", "stay"].iter().all(|answer| text.contains(answer)), "{text}");
        let text = answers(true, "space j space x", size);
        let all = ["stop 2 marked", "web, ", "stop 2 runs", "do nothing"];
        assert!(all.iter().all(|answer| text.contains(answer)), "{size:?}: {text}");
        let text = answers(true, "M", size);
        assert!(text.contains("Rename web"), "{text}");
        let last = answers(true, "q", size).lines().last().expect("a line").to_owned();
        assert!(!last.ends_with("leav"), "a hint is whole: {last}");
    }
}
