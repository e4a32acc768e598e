//! What takes no keys says so, and what can be done instead.

use insta::assert_snapshot;

use super::stage::{Stage, run, with_record};
use crate::model::{ErrorCode, Failure, Mode, Status};
use crate::tui::cmd::Origin;
use crate::tui::event::{Answer, Event};
use crate::tui::model::detached;

const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

fn last_line(stage: &Stage) -> String {
    stage.text().lines().last().expect("a line").to_owned()
}

/// The first run ends while somebody types into it.
fn ended_under_the_keys(size: (u16, u16)) -> Stage {
    let mut stage = Stage::demo(size);
    stage.press("enter").put(run(1, Some("web"), Mode::Pty, Status::Failed));
    stage
}

#[test]
fn an_attached_run_that_has_ended_says_so_and_what_can_be_done() {
    for (size, name) in [(WIDE, "ended_attached_80x24"), (SMALL, "ended_attached_40x12")] {
        let stage = ended_under_the_keys(size);
        let line = last_line(&stage);
        assert!(line.contains("web has ended") && line.contains("Enter back to the list"), "{line}");
        assert!(!stage.text().contains("keys go to") && !stage.text().contains("attached"), "{}", stage.text());
        assert_snapshot!(name, stage.picture());
    }
    let line = last_line(&ended_under_the_keys(WIDE));
    assert!(line.contains("then [ scroll, / search, s start"), "{line}");
}

#[test]
fn a_run_that_was_not_started_after_all_has_no_output_to_look_at() {
    let mut stage = Stage::demo(WIDE);
    stage.press("G k s enter");
    assert!(last_line(&stage).contains("keys go to db"), "it is being started: {}", last_line(&stage));
    let failure = Failure::new(ErrorCode::NotRunnable, "no such directory");
    let origin = Origin::Task("db".parse().expect("name"));
    stage.event(Event::Answer(Answer::Started { origin, result: Err(failure) })).press("x");
    stage.model.notice = None;
    assert_eq!(last_line(&stage), " db was not started · Enter back to the list, then s start");
}

#[test]
fn the_bottom_line_of_runs_that_take_no_keys_names_the_search() {
    for (size, suffix) in [(WIDE, "80x24"), (SMALL, "40x12")] {
        for (keys, name, first) in [("j j", "pipes", "[ scroll"), ("G", "ended", "s start")] {
            let mut stage = Stage::demo(size);
            stage.press(keys);
            let line = last_line(&stage);
            assert!(line.contains(first) && line.contains("/ search"), "{line}");
            assert!(line.contains("? help") && line.contains("q leave"), "{line}");
            assert_snapshot!(format!("{name}_{suffix}"), stage.picture());
        }
    }
}

#[test]
fn enter_where_nothing_can_be_typed_names_the_keys_that_look_at_the_output() {
    for (keys, start) in
        [("j j enter", None), ("j j j enter", Some("s starts it again")), ("G enter", Some("r starts"))]
    {
        let mut stage = Stage::demo(WIDE);
        stage.press(keys);
        let notice = stage.notice();
        assert!(notice.contains("[ scrolls and copies, / searches"), "{notice}");
        assert!(start.is_none_or(|start| notice.contains(start)), "{notice}");
    }
    for (keys, name) in [("j j enter", "enter_pipes_40x12"), ("G enter", "enter_ended_40x12")] {
        let mut stage = Stage::demo(SMALL);
        stage.press(keys);
        assert_snapshot!(name, stage.text());
    }
}

#[test]
fn enter_shows_the_output_where_only_the_list_is_seen_and_does_not_name_the_key_that_would_leave_it() {
    let mut stage = Stage::demo((24, 6));
    stage.press("j j enter");
    assert!(!stage.notice().contains("[ scrolls"), "[ would go back: {}", stage.notice());
    assert!(stage.notice().contains("/ searches"), "{}", stage.notice());
}

#[test]
fn keys_of_the_users_own_are_named() {
    let mut stage = ended_under_the_keys(WIDE);
    let settings = "[keys.list]\nscrollback = [\"u\"]\nsearch = [\"C-s\"]\n";
    stage.model.setup.keys = std::sync::Arc::new(super::keymaps::keymap(settings));
    assert!(last_line(&stage).contains("u scroll, C-s search"), "{}", last_line(&stage));
}

#[test]
fn the_lines_that_stay_are_short_and_say_how_the_server_is_stopped() {
    let mut stage = Stage::demo(WIDE);
    (stage.model.setup.has_server, stage.model.setup.started_server) = (true, true);
    let kept = "shtask: the server keeps 3 runs; `shtask server stop` stops it and them";
    assert_eq!(detached(&stage.model), [kept, "  shtask shows them again"]);
    stage.put(run(2, Some("api"), Mode::Pty, Status::Completed)).put(run(3, Some("logs"), Mode::Pipes, Status::Failed));
    let kept = "shtask: the server keeps 1 run; `shtask server stop` stops both";
    assert_eq!(detached(&stage.model), [kept, "  shtask shows it again"]);
    stage.put(run(1, Some("web"), Mode::Pty, Status::Completed));
    let lines = detached(&stage.model);
    assert_eq!(lines.last().map(String::as_str), Some("shtask: the server goes on; `shtask server stop` stops it"));
    assert!(lines.iter().all(|line| line.len() < 80), "{lines:?}");
    stage.model.setup.started_server = false;
    stage.put(run(1, Some("web"), Mode::Pty, Status::Running));
    assert_eq!(detached(&stage.model), ["shtask: web goes on; shtask shows it again"], "the server was there before");
}

#[test]
fn however_long_the_name_of_an_attached_run_is_the_way_back_is_on_the_screen() {
    let line = |size, status, keys: &str| {
        let mut stage = Stage::demo(size);
        let command = "ls /nonexistent; sleep 2; echo and a command that has no end";
        stage.put(with_record(run(9, None, Mode::Pty, Status::Running), |record| record.command = command.into()));
        stage.press("G enter");
        stage.put(with_record(run(9, None, Mode::Pty, status), |record| record.command = command.into()));
        stage.press(keys);
        last_line(&stage)
    };
    for cols in [24, 30, 40, 60, 80, 100] {
        let running = line((cols, 12), Status::Running, "");
        assert!(running.contains("C-a back to the list"), "{running}");
        let ended = line((cols, 12), Status::Failed, "");
        assert!(ended.contains("Enter back to the list"), "{ended}");
    }
    let ended = line(WIDE, Status::Failed, "");
    assert!(ended.contains("then [ scroll, / search, r start") && ended.contains('…'), "{ended}");
    assert!(line(WIDE, Status::Running, "").contains("C-a C-a sends C-a"));
}

#[test]
fn what_an_action_does_is_cut_visibly_before_what_keeps_it_from_being_done() {
    let mut stage = Stage::new(WIDE, Vec::new());
    stage.resync(vec![run(1, None, Mode::Pty, Status::Running)]).press("p").type_text("all but");
    let text = stage.text();
    assert!(text.contains("… nothing else is running  O"), "{text}");
}
