//! Keys that are for several runs at once: the marked ones, or all but some.

use insta::assert_snapshot;

use super::stage::{Stage, id, run, with_record};
use crate::api::Update;
use crate::model::{Mode, Modifiers, Mouse, MouseButton, MouseKind, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::Overlay;

const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

/// What was asked of runs since this was called last.
fn deeds(stage: &mut Stage) -> Vec<Cmd> {
    let is_deed = |cmd: &Cmd| {
        matches!(cmd, Cmd::Start { .. } | Cmd::Stop { .. } | Cmd::Restart { .. } | Cmd::Reap(_) | Cmd::Signal { .. })
    };
    stage.asked().into_iter().filter(is_deed).collect()
}

fn stop(n: u8) -> Cmd {
    Cmd::Stop { run: id(n), kill: false }
}

/// The answers of the question that is open.
fn asks(stage: &Stage) -> Vec<String> {
    match &stage.model.overlay {
        Some(Overlay::Ask(question)) => question.entries(),
        other => panic!("no question: {other:?}"),
    }
}

#[test]
fn a_stop_is_for_all_marked_runs_after_one_question_that_counts_them() {
    let mut stage = Stage::demo(WIDE);
    stage.press("g space j space");
    assert!(stage.text().contains("2 marked"), "{}", stage.text());
    let footer = stage.text().lines().last().expect("a footer").to_owned();
    assert!(footer.contains("x stop") && footer.contains("O stop others") && footer.contains("Esc back"), "{footer}");
    // Wherever the selection is.
    stage.press("G x");
    assert_eq!((asks(&stage), deeds(&mut stage)), (vec!["stop 2 runs".into(), "do nothing".into()], vec![]));
    assert!(stage.text().contains("stop 2 marked runs?") && stage.text().contains("web, logs"), "{}", stage.text());
    stage.press("n");
    assert_eq!((deeds(&mut stage), stage.model.marked.len()), (vec![], 2));
    stage.press("x y");
    assert_eq!(deeds(&mut stage), [stop(1), stop(3)]);
    assert!(stage.model.marked.is_empty(), "the next key is for one run again");
    stage.press("g x");
    assert_eq!(deeds(&mut stage), [stop(1)]);
}

#[test]
fn start_and_restart_are_for_all_marked_rows_whether_they_run_or_not() {
    // web runs, build has failed, db was never started, htop is no task.
    let marked = |stage: &mut Stage| drop(stage.press("g space G k k space space space").asked());
    let mut stage = Stage::demo(WIDE);
    marked(&mut stage);
    stage.press("s");
    assert_eq!(asks(&stage)[0], "start 3 runs");
    stage.press("y");
    let started = deeds(&mut stage);
    assert!(started.contains(&Cmd::Restart { run: id(5), kill: false }), "{started:?}");
    assert_eq!(started.iter().filter(|cmd| matches!(cmd, Cmd::Start { .. })).count(), 2, "{started:?}");
    let mut stage = Stage::demo(WIDE);
    marked(&mut stage);
    stage.press("R");
    assert_eq!(asks(&stage)[0], "kill and restart 2 runs, start 2");
    stage.press("enter");
    let restarted = deeds(&mut stage);
    assert!(restarted.contains(&Cmd::Restart { run: id(1), kill: true }), "{restarted:?}");
    assert_eq!(restarted.len(), 4);
    // The only one that is marked is the selected one: nothing has to be asked.
    let mut stage = Stage::demo(WIDE);
    stage.press("g space k x");
    assert_eq!(deeds(&mut stage), [stop(1)]);
}

#[test]
fn the_answer_goes_to_the_marked_runs_that_were_named() {
    let mut stage = Stage::demo(WIDE);
    stage.press("g space space x");
    stage.put(run(1, Some("web"), Mode::Pty, Status::Completed));
    stage.put(run(9, Some("new"), Mode::Pty, Status::Running));
    stage.press("y");
    assert_eq!(deeds(&mut stage), [stop(2)]);
    // What a lost server has left is ended, too.
    let mut stage = Stage::demo(WIDE);
    stage.put(run(2, Some("api"), Mode::Pty, Status::Orphaned)).press("g space space x y");
    assert_eq!(deeds(&mut stage), [stop(1), Cmd::Reap(id(2))]);
    let mut stage = Stage::demo(WIDE);
    stage.press("g space space m enter");
    assert_eq!(deeds(&mut stage).len(), 2, "a signal is for all of them");
}

#[test]
fn marks_go_with_escape_and_with_their_rows() {
    let mut stage = Stage::demo(WIDE);
    stage.press("g space space escape");
    assert!(stage.model.marked.is_empty() && !stage.text().contains("marked"));
    stage.press("G space");
    stage.event(Event::Runs(Update::Removed(id(5))));
    assert!(stage.model.marked.is_empty());
}

#[test]
fn all_runs_but_one_or_but_the_marked_ones_are_stopped_after_a_question() {
    let mut stage = Stage::demo(WIDE);
    stage.press("g O");
    assert!(stage.text().contains("stop all but web?") && stage.text().contains("api, logs"), "{}", stage.text());
    assert_eq!((asks(&stage)[0].as_str(), deeds(&mut stage)), ("stop 2 runs", vec![]));
    stage.press("y");
    assert_eq!(deeds(&mut stage), [stop(2), stop(3)]);
    let mut stage = Stage::demo(WIDE);
    stage.press("g space space O");
    assert_eq!(asks(&stage)[0], "stop 1 run");
    assert!(stage.text().contains("stop all but 2 marked runs?"), "{}", stage.text());
    stage.press("y");
    assert_eq!((deeds(&mut stage), stage.model.marked.len()), (vec![stop(3)], 2));
    // An older generation of a task that is kept is on its way out already, and is left to it.
    let mut stage = Stage::demo(WIDE);
    stage.put(with_record(run(7, Some("web"), Mode::Pty, Status::Running), |record| record.generation = 2));
    stage.press("g O y");
    assert_eq!(deeds(&mut stage), [stop(2), stop(3)]);
    let mut stage = Stage::new(WIDE, vec![]);
    stage.resync(vec![run(1, None, Mode::Pty, Status::Running)]).press("O");
    assert_eq!(stage.notice(), "nothing is running but npm run dev");
}

#[test]
fn all_but_one_is_found_in_the_palette_and_done_by_mouse() {
    let mut stage = Stage::demo(WIDE);
    stage.press("p").type_text("all but").press("enter");
    assert_eq!(asks(&stage)[0], "stop 2 runs");
    let text = stage.text();
    let y = text.lines().position(|line| line.contains("▌ stop 2 runs")).expect("the answer");
    let y = y.try_into().expect("small");
    let mouse = Mouse { kind: MouseKind::Press, button: MouseButton::Left, x: 40, y, modifiers: Modifiers::default() };
    stage.event(Event::Input(Input::Mouse(mouse)));
    assert_eq!(deeds(&mut stage), [stop(2), stop(3)]);
}

#[test]
fn marked_runs_and_the_question_about_them_look_so() {
    for (size, name) in [(WIDE, "80x24"), (SMALL, "40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("g space space");
        assert_snapshot!(format!("marked_{name}"), stage.picture());
        stage.press("x");
        assert_snapshot!(format!("marked_question_{name}"), stage.picture());
        stage.press("n escape g O");
        assert_snapshot!(format!("all_but_one_{name}"), stage.picture());
    }
}
