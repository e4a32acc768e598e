//! The keys of the list, the menus and the way out.

use std::time::Duration;

use super::stage::{Stage, id, run};
use crate::api::{Deadline, ShutdownReport, SignalTarget, Termination};
use crate::model::{ErrorCode, Failure, Mode, RunId, Status, StillAlive, TimeoutKind};
use crate::tui::Leaving;
use crate::tui::cmd::{Cmd, Origin};
use crate::tui::event::{Answer, Event};
use crate::tui::model::{Focus, Overlay};

/// What a key asks for with a row selected: rows 0–5 are a live PTY run, one with a deadline, live pipes, a failed task, a task that was
/// not started, and an ad hoc run that has completed.
fn asks(row: usize, key: &str) -> Vec<Cmd> {
    let mut stage = Stage::demo((80, 24));
    for _ in 0..row {
        stage.press("j");
    }
    stage.asked();
    stage.press(key);
    stage.asked().into_iter().filter(|cmd| !matches!(cmd, Cmd::Unwatch(_) | Cmd::Watch { .. })).collect()
}

#[test]
fn stop_and_kill_go_to_live_runs_only() {
    for row in 0..3u8 {
        assert_eq!(asks(row.into(), "x"), [Cmd::Stop { run: id(row + 1), kill: false }]);
        assert_eq!(asks(row.into(), "X"), [Cmd::Stop { run: id(row + 1), kill: true }]);
    }
    for row in 3..6 {
        assert!(asks(row, "x").is_empty() && asks(row, "X").is_empty(), "row {row}");
    }
}

#[test]
fn restart_goes_to_runs_and_starts_a_task_that_has_none() {
    for (row, run) in [(0, 1), (3, 4), (5, 5)] {
        assert_eq!(asks(row, "r"), [Cmd::Restart { run: id(run), kill: false }]);
        assert_eq!(asks(row, "R"), [Cmd::Restart { run: id(run), kill: true }]);
    }
    assert!(matches!(&asks(4, "r")[..], [Cmd::Start { name, .. }] if name.as_str() == "db"));
}

#[test]
fn start_goes_to_what_is_not_live_at_the_size_of_the_pane() {
    assert!(asks(0, "s").is_empty());
    let size = Stage::demo((80, 24)).model.pane_size();
    for (row, task) in [(3, "build"), (4, "db")] {
        let asked = asks(row, "s");
        assert!(matches!(&asked[..], [Cmd::Start { name, spec }] if name.as_str() == task && spec.size == size));
    }
    assert_eq!(asks(5, "s"), [Cmd::Restart { run: id(5), kill: false }]);
    assert_eq!(asks(4, "s s").len(), 1, "once is enough");
}

#[test]
fn clear_goes_to_finished_runs_only() {
    assert_eq!(asks(5, "c"), [Cmd::Forget(id(5))]);
    assert_eq!(asks(3, "c"), [Cmd::Forget(id(4))]);
    assert!(asks(0, "c").is_empty() && asks(4, "c").is_empty());
}

#[test]
fn suspend_and_redraw_are_asked_for() {
    assert_eq!(asks(0, "C-z"), [Cmd::Suspend]);
    assert_eq!(asks(0, "C-l"), [Cmd::Redraw]);
}

#[test]
fn detach_leaves_the_runs_to_the_server_and_says_where_there_is_none() {
    let mut stage = Stage::demo((80, 24));
    stage.press("d");
    assert!(stage.notice().contains("end with this program"));
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.has_server = true;
    stage.press("d");
    assert!(stage.asked().contains(&Cmd::Quit));
    assert!(matches!(stage.model.leaving(), Leaving::Detached { signal: None, .. }));
}

#[test]
fn leaving_runs_that_go_on_asks_and_can_stop_those_of_this_session_only() {
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.has_server = true;
    stage.press("q y");
    let cmds = stage.asked();
    let live = stage.model.list.live().len();
    assert!(cmds.iter().any(|cmd| matches!(cmd, Cmd::StopAll { runs, kill: false } if runs.len() == live)), "{cmds:?}");
    assert!(!cmds.iter().any(|cmd| matches!(cmd, Cmd::Shutdown { .. })), "others may have runs there");
}

#[test]
fn every_key_in_every_state_is_harmless() {
    let states =
        ["", "enter", "[", "i", "?", "n", "m", "e", "q", "q y", "z", "G", "G k", "j j j", "i j", "z [", "C-a C-a"];
    let named =
        "enter escape tab S-tab backspace delete up down left right home end insert page_up page_down f1 f12 space";
    let chars = (' '..='~').filter(|c| *c != ' ').map(|c| c.to_string());
    let ctrl = ('a'..='z').map(|c| format!("C-{c}"));
    let keys: Vec<String> = named.split(' ').map(str::to_owned).chain(chars).chain(ctrl).collect();
    for state in states {
        for key in &keys {
            for size in [(80, 24), (20, 5)] {
                let mut stage = Stage::demo(size);
                stage.press(state).press(key).draw();
            }
        }
    }
}

#[test]
fn escape_goes_back_from_everywhere_but_an_attached_run() {
    for state in ["[", "i", "?", "n", "m", "e", "q", "z", "i z"] {
        let mut stage = Stage::demo((80, 24));
        stage.press(state).press("escape escape");
        let model = &stage.model;
        assert!(model.overlay.is_none() && model.inspect.is_none() && !model.zoom, "{state}");
        assert_eq!(model.focus, Focus::List, "{state}");
    }
}

#[test]
fn the_signal_menu_goes_to_the_run_it_was_opened_for() {
    let mut stage = Stage::demo((80, 24));
    stage.press("m j").asked();
    // Meanwhile the run ends and its row shows another.
    stage.put(run(1, Some("web"), Mode::Pty, Status::Completed));
    stage.press("enter");
    let expected = Cmd::Signal { run: id(1), signal: 15, target: SignalTarget::Group };
    assert!(stage.asked().contains(&expected));
    assert!(asks(4, "m enter").is_empty(), "a task that does not run has no menu");
    assert!(asks(0, "m tab enter").contains(&Cmd::Signal { run: id(1), signal: 2, target: SignalTarget::Root }));
}

#[test]
fn the_deadline_menu_extends_or_removes() {
    let extend = |secs| Deadline::Extend(Duration::from_secs(secs));
    let set = |run: RunId, deadline| Cmd::SetDeadline { run, kind: TimeoutKind::Wall, deadline };
    assert_eq!(asks(1, "e j enter"), [set(id(2), extend(300))]);
    assert_eq!(asks(1, "e k enter"), [set(id(2), Deadline::Remove)]);
    assert_eq!(asks(0, "e enter"), [set(id(1), extend(60))], "from now, when none is armed");
}

#[test]
fn the_prompt_checks_its_fields_in_place() {
    let mut stage = Stage::demo((80, 24));
    stage.press("n enter").asked();
    assert!(stage.text().contains("type a command line"));
    stage
        .type_text("sleep 9")
        .press("down space down C-u")
        .type_text("sub")
        .press("down")
        .type_text("5m")
        .press("down")
        .type_text("nap")
        .press("enter");
    let asked = stage.asked();
    let [Cmd::Remember(line), Cmd::StartNew(request)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((request.line.as_str(), line.as_str()), ("sleep 9", "sleep 9"));
    assert_eq!(request.name.as_ref().map(|name| name.as_str()), Some("nap"));
    assert_eq!(request.mode, Mode::Pipes);
    assert_eq!(request.cwd.to_str(), Some("/work/project/sub"));
    assert_eq!(request.timeout, Some(Duration::from_secs(300)));
    stage.press("enter");
    assert!(stage.asked().is_empty(), "one start at a time");
    let failure = Failure::new(ErrorCode::NotRunnable, "/work/project/sub: no such directory");
    stage.event(Event::Answer(Answer::Started { origin: Origin::Prompt, result: Err(failure) }));
    assert!(stage.text().contains("no such directory"), "the prompt stays with the reason");
    stage.press("enter");
    let record = run(7, None, Mode::Pipes, Status::Running);
    stage.put(record.clone());
    stage.event(Event::Answer(Answer::Started { origin: Origin::Prompt, result: Ok(record.record.clone()) }));
    assert!(stage.model.overlay.is_none());
    assert_eq!(stage.model.list.selected().and_then(|row| row.run), Some(id(7)), "the new run is selected");
}

#[test]
fn leaving_without_live_runs_asks_nothing() {
    let mut stage = Stage::new((80, 24), Vec::new());
    stage.resync(vec![run(1, None, Mode::Pty, Status::Failed)]).asked();
    stage.press("q");
    assert!(stage.asked().contains(&Cmd::Shutdown { hurry: false }));
    stage.event(Event::Answer(Answer::ShutDown { result: Ok(ShutdownReport::default()) }));
    assert!(stage.asked().contains(&Cmd::Quit));
    let Leaving::Stopped { summary, signal: None } = stage.model.leaving() else { panic!() };
    assert_eq!(summary, ["shtask: 1 run: 1 failed", "  npm run dev failed 2"]);
}

#[test]
fn q_never_stops_anything_without_an_answer() {
    for answer in ["n", "escape", "tab enter", "j enter"] {
        let mut stage = Stage::demo((80, 24));
        stage.press("q").asked();
        stage.press(answer);
        assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Shutdown { .. })), "{answer}");
        assert!(stage.model.ending.is_none() && stage.model.overlay.is_none());
    }
    let mut stage = Stage::demo((80, 24));
    stage.press("q q q");
    assert!(matches!(stage.model.overlay, Some(Overlay::Leave(_))), "pressing q again is no answer");
}

#[test]
fn a_second_request_hurries_and_there_is_a_bound() {
    let mut stage = Stage::demo((80, 24));
    stage.press("q enter").asked();
    stage.press("x j");
    assert!(stage.asked().is_empty(), "other keys do nothing any more");
    stage.press("q q");
    assert_eq!(stage.asked(), [Cmd::Shutdown { hurry: true }]);
    assert!(stage.model.next_tick().is_some());
    stage.pass(Duration::from_secs(11)).event(Event::Tick);
    assert_eq!(stage.asked(), [Cmd::Quit]);
    let Leaving::Stopped { summary, .. } = stage.model.leaving() else { panic!() };
    assert!(summary.iter().any(|line| line.contains("web was still running, process 4201")), "{summary:?}");
}

#[test]
fn a_signal_ends_gently_and_a_second_one_hurries() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter").asked();
    stage.event(Event::Terminate(15)).event(Event::Terminate(15));
    let shutdowns: Vec<Cmd> = stage.asked().into_iter().filter(|cmd| matches!(cmd, Cmd::Shutdown { .. })).collect();
    assert_eq!(shutdowns, [Cmd::Shutdown { hurry: false }, Cmd::Shutdown { hurry: true }]);
    let left = vec![(id(1), StillAlive { pid: 99, why: "not permitted".into() })];
    stage.event(Event::Answer(Answer::ShutDown { result: Ok(ShutdownReport { ended: 2, left }) }));
    let Leaving::Stopped { summary, signal: Some(15) } = stage.model.leaving() else { panic!() };
    assert!(summary.iter().any(|line| line.contains("web left behind: process 99 (not permitted)")), "{summary:?}");
}

#[test]
fn only_what_counts_on_the_screen_wakes_the_loop() {
    let mut stage = Stage::new((80, 24), Vec::new());
    stage.resync(vec![run(1, None, Mode::Pty, Status::Running)]);
    assert_eq!(stage.model.next_tick(), None, "a live run alone counts nothing");
    let mut counting = run(1, None, Mode::Pty, Status::Running);
    let at = stage.now.plus(Duration::from_secs(3 * 3600 + 20));
    counting.deadline = Some(crate::api::DeadlineView { kind: TimeoutKind::Wall, at });
    stage.put(counting.clone());
    let far = stage.model.next_tick().expect("a countdown");
    assert!(far > Duration::from_secs(15), "a far deadline moves by minutes: {far:?}");
    counting.deadline = None;
    counting.termination = Termination::Grace { until: stage.now.plus(Duration::from_millis(1500)) };
    stage.put(counting.clone());
    assert!(stage.model.next_tick().expect("a grace") <= Duration::from_millis(510));
    counting.termination = Termination::None;
    stage.put(counting);
    assert_eq!(stage.model.next_tick(), None);
}

#[test]
fn inspect_asks_once_a_second_while_it_is_open_and_the_run_is_live() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j").asked();
    stage.press("i");
    assert!(stage.asked().contains(&Cmd::Inspect(id(2))));
    stage.event(Event::Tick);
    assert!(stage.asked().is_empty(), "one question at a time");
    let answer = || Answer::Inspected { run: id(2), result: Ok(Box::new(super::pictures::inspection())) };
    stage.event(Event::Answer(answer()));
    assert!(stage.model.next_tick().is_some_and(|wait| wait <= Duration::from_secs(1)));
    stage.pass(Duration::from_millis(1001)).event(Event::Tick);
    assert!(stage.asked().starts_with(&[Cmd::Inspect(id(2))]));
    stage.event(Event::Answer(answer()));
    stage.put(run(2, Some("api"), Mode::Pty, Status::Completed));
    assert!(stage.asked().contains(&Cmd::Inspect(id(2))), "the end is looked at once more");
    stage.event(Event::Answer(answer()));
    assert_eq!(stage.model.next_tick(), None);
    stage.press("i").pass(Duration::from_secs(5)).event(Event::Tick);
    assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Inspect(_))));
}
