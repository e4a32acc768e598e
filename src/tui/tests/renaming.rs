//! Other names and other groups.

use insta::assert_snapshot;

use super::stage::{Stage, id, run, task, with_record};
use crate::api::{RunView, Update};
use crate::model::{ErrorCode, Failure, Mode, RunId, RunName, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event, Input};
use crate::tui::model::{Line, RowKey};

fn name(text: &str) -> RunName {
    text.parse().expect("a name")
}

fn live(n: u8, called: Option<&str>) -> RunView {
    run(n, called, Mode::Pty, Status::Running)
}

/// A task that runs, one that does not, and runs of nobody's.
fn stage(size: (u16, u16)) -> Stage {
    let mut stage = Stage::new(size, vec![task("web", "make", Mode::Pty), task("db", "make", Mode::Pty)]);
    let ended = with_record(run(4, Some("old"), Mode::Pty, Status::Failed), |_| ());
    stage.resync(vec![live(1, Some("web")), live(2, Some("api/one")), live(3, None), ended]);
    stage
}

fn select(stage: &mut Stage, n: u8) {
    stage.model.list.select_run(id(n));
}

fn asked(stage: &mut Stage) -> Vec<(RunId, String)> {
    let renames = stage.asked().into_iter().filter_map(|cmd| match cmd {
        Cmd::Rename { run, name } => Some((run, name.to_string())),
        _ => None,
    });
    renames.collect()
}

fn answer(stage: &mut Stage, n: u8, result: Result<&str, Failure>) {
    let result = result.map(|called| live(n, Some(called)).record);
    stage.event(Event::Answer(Answer::Renamed { run: id(n), result }));
}

#[test]
fn the_prompt_has_the_present_name_and_asks_for_the_new_one() {
    for size in [(80, 24), (40, 12)] {
        let mut stage = stage(size);
        select(&mut stage, 2);
        stage.press("M");
        assert_snapshot!(format!("rename_{}x{}", size.0, size.1), stage.picture());
        stage.press("C-u").type_text("api/two").press("enter");
        assert_eq!(asked(&mut stage), [(id(2), "api/two".to_owned())]);
        stage.type_text("more").press("enter");
        assert_eq!(asked(&mut stage), [], "one thing at a time");
        answer(&mut stage, 2, Ok("api/two"));
        assert!(stage.model.overlay.is_none());
        stage.put(live(2, Some("api/two")));
        assert!(stage.text().contains("api/two"), "{}", stage.text());
    }
}

#[test]
fn what_is_no_name_and_what_the_server_says_are_told_in_the_prompt() {
    let mut stage = stage((80, 24));
    select(&mut stage, 3);
    stage.press("M enter");
    assert!(stage.text().contains("type it, for example"), "{}", stage.text());
    for bad in ["a b", "/x", &"x".repeat(129)] {
        stage.press("C-u").type_text(bad).press("enter");
        assert!(stage.text().contains("1 to 128"), "{bad}: {}", stage.text());
    }
    stage.press("C-u");
    stage.event(Event::Input(Input::Paste("a\u{1b}[31mb\nc".into())));
    stage.press("enter");
    assert_eq!(asked(&mut stage), [], "control characters make no name");
    stage.press("C-u").type_text("web").press("enter");
    assert_eq!(asked(&mut stage), [(id(3), "web".to_owned())]);
    let taken = Failure::new(ErrorCode::Conflict, "web is the name of a live run: 0g40r4").with_hint("take another");
    answer(&mut stage, 3, Err(taken));
    assert_snapshot!("rename_taken_80x24", stage.text());
    stage.press("C-u").type_text("shell").press("enter");
    assert_eq!(asked(&mut stage), [(id(3), "shell".to_owned())]);
    stage.press("escape");
    answer(&mut stage, 3, Err(Failure::new(ErrorCode::ControlClosed, "the run is over")));
    assert!(stage.notice().contains("was not renamed: the run is over"), "{}", stage.notice());
}

#[test]
fn only_a_live_run_gets_another_name() {
    let mut stage = stage((80, 24));
    for (n, words) in [(4, "is over"), (1, "")] {
        select(&mut stage, n);
        stage.press("M");
        assert_eq!(stage.model.overlay.is_none(), !words.is_empty());
        assert!(stage.notice().contains(words), "{}", stage.notice());
        stage.press("escape");
    }
    stage.model.list.select_key(&RowKey::Task(name("db")));
    stage.press("M");
    assert!(stage.notice().contains("was not started yet"), "{}", stage.notice());
    select(&mut stage, 3);
    stage.press("B");
    assert!(stage.notice().contains("has no name yet"), "{}", stage.notice());
}

/// A question is answered for the run it named.
#[test]
fn the_run_that_the_prompt_named_is_renamed_even_when_rows_were_reordered_meanwhile() {
    let mut stage = stage((80, 24));
    select(&mut stage, 2);
    stage.press("M");
    stage.event(Event::Runs(Update::Removed(id(4))));
    stage.model.list.sort_by(crate::tui::model::Sort::Name);
    stage.model.list.select(0);
    stage.press("C-u").type_text("x").press("enter");
    assert_eq!(asked(&mut stage), [(id(2), "x".to_owned())]);
}

#[test]
fn a_run_is_put_into_a_group_and_taken_out() {
    let mut stage = stage((80, 24));
    select(&mut stage, 1);
    stage.press("B").type_text("api").press("enter");
    assert_eq!(asked(&mut stage), [(id(1), "api/web".to_owned())]);
    answer(&mut stage, 1, Ok("api/web"));
    stage.put(live(1, Some("api/web")));
    assert!(stage.model.list.lines().contains(&Line::Group("api".into())));
    assert_eq!(stage.model.selected_name(), "api/web", "the selection goes with the run");
    select(&mut stage, 2);
    stage.press("B C-u enter");
    assert_eq!(asked(&mut stage), [(id(2), "one".to_owned())]);
}

#[test]
fn a_group_is_renamed_with_all_its_live_members_and_what_fails_is_told() {
    let mut stage = stage((80, 24));
    stage.put(live(3, Some("api/two")));
    stage.put(run(5, Some("api/old"), Mode::Pty, Status::Failed));
    let head = stage.model.list.lines().iter().position(|line| *line == Line::Group("api".into()));
    stage.model.list.select(head.expect("a group"));
    stage.press("B C-u").type_text("web").press("enter");
    let wanted = [(id(2), "web/one".to_owned()), (id(3), "web/two".to_owned())];
    assert_eq!(asked(&mut stage), wanted);
    answer(&mut stage, 3, Err(Failure::new(ErrorCode::Conflict, "web/two is the name of a live run: 0g40r4")));
    answer(&mut stage, 2, Ok("web/one"));
    assert!(stage.text().contains("api/two: web/two is the name"), "{}", stage.text());
    stage.press("C-u").type_text("x").press("enter");
    assert_eq!(asked(&mut stage), [(id(3), "x/two".to_owned())], "only what has not got its name yet");
    answer(&mut stage, 3, Ok("x/two"));
    assert!(stage.model.overlay.is_none());
}

#[test]
fn a_run_of_a_task_leaves_its_row_and_a_run_that_takes_the_name_of_a_task_comes_into_it() {
    let mut stage = stage((80, 24));
    select(&mut stage, 1);
    stage.press("M C-u").type_text("other").press("enter");
    answer(&mut stage, 1, Ok("other"));
    assert!(stage.notice().contains("no longer one of the task web"), "{}", stage.notice());
    stage.put(with_record(live(1, Some("other")), |record| record.generation = 1));
    assert_eq!(stage.model.list.selected().map(|row| row.run), Some(Some(id(1))), "the selection goes with the run");
    let row = |stage: &Stage, task: &str| {
        stage.model.list.rows.iter().find(|row| row.key == RowKey::Task(name(task))).map(|row| row.run)
    };
    assert_eq!(row(&stage, "web"), Some(None), "the task can be started beside it");
    stage.put(with_record(live(3, Some("db")), |record| record.generation = 4));
    assert_eq!(row(&stage, "db"), Some(Some(id(3))));
    assert!(!stage.model.list.rows.iter().any(|row| row.key == RowKey::Run(id(3))));
}

#[test]
fn a_run_stays_attached_marked_and_in_its_pane_when_somebody_gives_it_another_name() {
    let mut stage = stage((80, 24));
    select(&mut stage, 1);
    stage.press("space");
    select(&mut stage, 1);
    stage.press("v enter");
    assert!(stage.model.attached.is_some());
    stage.put(live(1, Some("other")));
    let key = RowKey::Run(id(1));
    assert_eq!((stage.model.attached.as_ref(), &stage.model.marked[..]), (Some(&key), &[key.clone()][..]));
    assert!(stage.model.split.is_pinned(&key));
    assert_eq!(stage.model.part(), None, "keys go to the run still");
}
