//! The new-run form: earlier lines, completion, a run like another one.

use super::stage::{Stage, demo_tasks, run, with_record};
use crate::model::{Mode, Status};
use crate::tui::cmd::Cmd;
use crate::tui::complete::Completing;
use crate::tui::event::{Answer, Event};
use crate::tui::model::{Field, Overlay, Prompt, Recall};

fn prompt(stage: &Stage) -> &Prompt {
    match &stage.model.overlay {
        Some(Overlay::Prompt(prompt)) => prompt,
        other => panic!("no form: {other:?}"),
    }
}

/// Presses Tab, which must ask for a completion, and answers it.
fn complete(stage: &mut Stage, choices: &[&str]) -> Completing {
    stage.asked();
    stage.press("tab");
    let asked = stage.asked();
    let [Cmd::Complete(wanted)] = &asked[..] else { panic!("{asked:?}") };
    let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
    stage.event(Event::Answer(Answer::Completed { asked: wanted.clone(), choices }));
    wanted.clone()
}

#[test]
fn earlier_lines_come_back_by_the_arrows_and_a_started_one_is_remembered() {
    let mut stage = Stage::demo((80, 24));
    stage.model.recall = Recall::new(vec!["make".into(), "cargo run".into()]);
    stage.press("n up");
    assert_eq!(prompt(&stage).command.value(), "cargo run");
    stage.press("up");
    assert_eq!(prompt(&stage).command.value(), "make");
    stage.press("down down");
    assert_eq!(prompt(&stage).command.value(), "");
    stage.press("down");
    assert_eq!(prompt(&stage).field, Field::Mode, "behind the newest comes the next field");
    stage.press("up").type_text("ls").press("enter");
    assert!(stage.asked().contains(&Cmd::Remember("ls".into())));
    stage.press("escape n up");
    assert_eq!(prompt(&stage).command.value(), "ls");
}

#[test]
fn tab_completes_what_was_typed_and_shows_what_is_not_clear() {
    let mut stage = Stage::demo((80, 24));
    stage.press("n").type_text("ma");
    let wanted = complete(&mut stage, &["make ", "maker "]);
    assert!(wanted.is_command && wanted.text == "ma" && wanted.base.to_str() == Some("/work/project"));
    assert_eq!(prompt(&stage).command.value(), "make", "what they have in common");
    complete(&mut stage, &["make ", "maker "]);
    assert!(stage.text().contains("make  maker"), "{}", stage.text());
    stage.type_text("r");
    complete(&mut stage, &["maker "]);
    assert_eq!(prompt(&stage).command.value(), "maker ");
    complete(&mut stage, &[]);
    assert_eq!(prompt(&stage).field, Field::Mode, "nothing to complete: the next field");
    stage.press("down tab");
    assert_eq!(prompt(&stage).field, Field::Timeout, "a directory that nobody has touched is not completed");
}

#[test]
fn the_bottom_line_tells_how_to_get_to_the_next_field() {
    let mut stage = Stage::demo((80, 24));
    stage.press("n");
    for is_completed in [true, false, true, false, false] {
        let bar = stage.text().lines().last().expect("a line").to_owned();
        assert!(bar.contains("↓ next"), "{bar}");
        assert_eq!(bar.contains("Tab complete"), is_completed, "{bar}");
        stage.press("down");
    }
}

#[test]
fn a_late_completion_changes_nothing() {
    let mut stage = Stage::demo((80, 24));
    stage.press("n").type_text("ma").press("tab");
    let asked = stage.asked();
    let Some(Cmd::Complete(wanted)) = asked.last() else { panic!("{asked:?}") };
    stage.type_text("x");
    stage.event(Event::Answer(Answer::Completed { asked: wanted.clone(), choices: vec!["make ".into()] }));
    assert_eq!(prompt(&stage).command.value(), "max");
}

#[test]
fn a_run_like_another_one_starts_from_its_command() {
    let mut stage = Stage::new((80, 24), demo_tasks());
    let mut ad_hoc = with_record(run(5, None, Mode::Pipes, Status::Completed), |record| {
        record.command = "sleep 5 | cat".into();
        record.cwd = "/tmp".into();
        record.timeout = Some(std::time::Duration::from_secs(90));
    });
    ad_hoc.deadline = None;
    stage.resync(vec![ad_hoc]);
    stage.press("G D");
    let form = prompt(&stage);
    assert_eq!((form.command.value(), form.cwd.value(), form.mode), ("sleep 5 | cat", "/tmp", Mode::Pipes));
    assert_eq!(form.timeout.value(), "1m 30s");
    stage.press("escape g D");
    assert_eq!(prompt(&stage).command.value(), "npm run dev", "of a task that was not run yet");
}

#[test]
fn a_name_that_is_none_is_told_at_its_field() {
    let mut stage = Stage::demo((80, 24));
    stage.press("n").type_text("ls").press("S-tab").type_text("a b").press("enter");
    assert!(prompt(&stage).error.as_ref().is_some_and(|(field, _)| *field == Field::Name));
    assert!(stage.asked().iter().all(|cmd| !matches!(cmd, Cmd::StartNew(_))));
}
