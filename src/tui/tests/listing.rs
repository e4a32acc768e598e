//! Rows, marks and the selection.

use super::stage::{START, Stage, demo_tasks, frame, id, run, with_record};
use crate::api::{Link, Update};
use crate::model::{ErrorCode, Failure, Mode, Status};
use crate::tui::cmd::{Cmd, Origin};
use crate::tui::event::{Answer, Event};
use crate::tui::model::{Model, RowKey};

fn names(model: &Model) -> Vec<String> {
    model.list.rows.iter().map(|row| model.row_name(&row.key)).collect()
}

#[test]
fn tasks_keep_their_order_and_ad_hoc_runs_follow_by_start() {
    let mut stage = Stage::new((80, 24), demo_tasks());
    let ad_hoc = |n, minute: u8, command: &str| {
        with_record(run(n, None, Mode::Pty, Status::Running), |record| {
            record.started_at = Some(format!("2026-11-29T14:{minute:02}:00Z").parse().expect("time"));
            record.command = command.into();
        })
    };
    stage.resync(vec![ad_hoc(9, 5, "late"), run(2, Some("api"), Mode::Pty, Status::Running), ad_hoc(8, 1, "early")]);
    assert_eq!(names(&stage.model), ["web", "api", "logs", "build", "db", "early", "late"]);
}

#[test]
fn the_selection_follows_the_run_and_not_its_place() {
    let mut stage = Stage::demo((80, 24));
    let ad_hoc = |n| run(n, None, Mode::Pty, Status::Completed);
    stage.put(ad_hoc(6)).put(ad_hoc(7)).press("G");
    assert_eq!(stage.model.list.selected().expect("row").key, RowKey::Run(id(7)));
    stage.event(Event::Runs(Update::Removed(id(5))));
    stage.event(Event::Runs(Update::Removed(id(6))));
    assert_eq!(stage.model.list.selected().expect("row").key, RowKey::Run(id(7)));
    stage.event(Event::Runs(Update::Removed(id(7))));
    assert_eq!(stage.model.selected_name(), "db", "the neighbour takes over");
}

#[test]
fn a_row_shows_the_latest_generation_of_its_task() {
    let mut stage = Stage::new((80, 24), demo_tasks());
    let generation = |n, generation| {
        with_record(run(n, Some("web"), Mode::Pty, Status::Completed), |record| record.generation = generation)
    };
    stage.resync(vec![generation(3, 3), generation(1, 1), generation(2, 2)]);
    assert_eq!(stage.model.list.rows[0].run, Some(id(3)));
    stage.press("c");
    let forgotten: Vec<Cmd> = stage.asked().into_iter().filter(|cmd| matches!(cmd, Cmd::Forget(_))).collect();
    assert_eq!(forgotten, [Cmd::Forget(id(1)), Cmd::Forget(id(2)), Cmd::Forget(id(3))]);
    for n in [1, 2, 3] {
        stage.event(Event::Runs(Update::Removed(id(n))));
    }
    assert_eq!(stage.model.list.rows[0].run, None, "not started again");
}

#[test]
fn a_restarted_ad_hoc_run_keeps_its_row() {
    for feed_first in [true, false] {
        let mut stage = Stage::demo((80, 24));
        stage.press("G");
        let new = run(6, None, Mode::Pty, Status::Running);
        let answer = || Event::Answer(Answer::Restarted { run: id(5), result: Ok(new.record.clone()) });
        if feed_first {
            stage.put(new.clone());
            stage.event(answer());
        } else {
            stage.event(answer());
            stage.put(new.clone());
        }
        assert_eq!(stage.model.list.rows.len(), 6, "feed first: {feed_first}");
        let row = stage.model.list.selected().expect("row");
        assert_eq!((row.run, row.older.as_slice()), (Some(id(6)), [id(5)].as_slice()));
        stage.put(run(5, None, Mode::Pty, Status::Completed));
        assert_eq!(stage.model.list.rows.len(), 6);
        stage.put(run(6, None, Mode::Pty, Status::Completed)).asked();
        stage.press("c");
        let asked = stage.asked();
        assert!(asked.contains(&Cmd::Forget(id(5))) && asked.contains(&Cmd::Forget(id(6))), "{asked:?}");
    }
}

#[test]
fn output_and_bells_are_marked_until_the_run_is_looked_at() {
    let mut stage = Stage::demo((80, 24));
    let line = |stage: &Stage| stage.text().lines().nth(2).expect("api").to_owned();
    assert!(line(&stage).contains("● api"), "{}", line(&stage));
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    api.activity.output = 5;
    stage.model.dirty = false;
    stage.put(api.clone());
    assert!(stage.model.dirty && line(&stage).contains("●*api"), "{}", line(&stage));
    api.activity.bells = 1;
    stage.put(api.clone());
    assert!(line(&stage).contains("●!api"), "{}", line(&stage));
    stage.press("j");
    assert!(line(&stage).contains("● api"), "{}", line(&stage));
    api.activity.output = 9;
    stage.put(api);
    assert!(line(&stage).contains("● api"), "what is shown is seen: {}", line(&stage));
}

#[test]
fn an_update_that_shows_nothing_new_causes_no_draw() {
    let mut stage = Stage::demo((80, 24));
    stage.model.dirty = false;
    let same = with_record(run(1, Some("web"), Mode::Pty, Status::Running), |record| record.revision += 1);
    stage.put(same);
    assert!(!stage.model.dirty);
    stage.show(2, frame(stage.model.pane_size(), &["of another run"]));
    assert!(!stage.model.dirty);
}

#[test]
fn a_start_that_fails_without_a_record_is_on_the_row_until_the_next_try() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j j j j s");
    assert!(stage.text().contains("starting"));
    let origin = Origin::Task("db".parse().expect("name"));
    let failure = Failure::new(ErrorCode::NotRunnable, "/work/gone: no such directory");
    stage.event(Event::Answer(Answer::Started { origin, result: Err(failure) }));
    assert!(stage.notice().contains("db was not started: /work/gone: no such directory"));
    stage.press("k j");
    let text = stage.text();
    assert!(text.contains("no start") && text.contains("/work/gone: no such directory"), "{text}");
    stage.press("s");
    assert!(!stage.text().contains("no start"));
}

#[test]
fn autostart_tasks_are_started_once_unless_they_run_already() {
    let mut tasks = demo_tasks();
    for task in &mut tasks[0..3] {
        task.autostart = true;
    }
    let mut stage = Stage::new((80, 24), tasks);
    assert!(stage.asked().is_empty(), "not before it is known what runs");
    stage.resync(vec![run(2, Some("api"), Mode::Pty, Status::Running)]);
    let started = |cmds: Vec<Cmd>| -> Vec<String> {
        cmds.into_iter()
            .filter_map(|cmd| if let Cmd::Start { name, .. } = cmd { Some(name.to_string()) } else { None })
            .collect()
    };
    assert_eq!(started(stage.asked()), ["web", "logs"]);
    stage.resync(Vec::new());
    assert!(started(stage.asked()).is_empty());
}

#[test]
fn a_lost_supervisor_is_told_and_can_be_left() {
    let mut stage = Stage::demo((80, 24));
    stage.event(Event::RunsGone);
    assert!(stage.notice().contains("q leaves"));
    stage.asked();
    stage.press("q");
    assert_eq!(stage.asked(), [Cmd::Quit]);
}

#[test]
fn a_run_that_could_not_be_watched_is_tried_again_when_it_changes() {
    let mut stage = Stage::new((80, 24), demo_tasks());
    stage.resync(vec![run(1, Some("web"), Mode::Pty, Status::Starting)]);
    let watches = |stage: &mut Stage| stage.asked().iter().filter(|cmd| matches!(cmd, Cmd::Watch { .. })).count();
    assert_eq!(watches(&mut stage), 1);
    let failure = Failure::new(ErrorCode::Busy, "not yet");
    stage.event(Event::WatchFailed { run: id(1), failure });
    stage.event(Event::Tick);
    assert_eq!(watches(&mut stage), 0);
    stage.put(run(1, Some("web"), Mode::Pty, Status::Running));
    assert_eq!(watches(&mut stage), 1);
    assert_eq!(stage.now, START);
}

#[test]
fn what_a_silent_server_could_not_show_is_shown_when_it_speaks_again() {
    let mut stage = Stage::demo((80, 24));
    let silent = || Failure::new(ErrorCode::Unavailable, "the server says nothing");
    stage.event(Event::Link(Link::Silent(silent()))).press("j j j").asked();
    stage.event(Event::WatchFailed { run: id(4), failure: silent() });
    assert!(stage.text().contains("The output cannot be shown"), "{}", stage.text());
    stage.event(Event::Link(Link::Up));
    assert!(!stage.text().contains("The output cannot be shown"), "{}", stage.text());
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Watch { run, .. } if *run == id(4))));
}
