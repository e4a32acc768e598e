//! Order, filter and groups of the list.

use insta::assert_snapshot;

use super::stage::{Stage, demo_tasks, id, run, task, with_record};
use crate::api::Update;
use crate::model::{Mode, Modifiers, Mouse, MouseButton, MouseKind, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::{Overlay, RowKey, areas};

/// Two tasks of a group, one of another, one of none; all but the last run.
fn grouped(size: (u16, u16)) -> Stage {
    let tasks = ["web/api", "db", "web/ui", "jobs/mail", "docs"];
    let mut stage = Stage::new(size, tasks.iter().map(|name| task(name, "make", Mode::Pty)).collect());
    let runs = [
        run(1, Some("web/api"), Mode::Pty, Status::Running),
        run(2, Some("db"), Mode::Pty, Status::Running),
        with_record(run(3, Some("web/ui"), Mode::Pty, Status::Failed), |record| record.exit_code = Some(2)),
        run(4, Some("jobs/mail"), Mode::Pty, Status::Running),
    ];
    stage.resync(runs.to_vec());
    stage
}

fn lines(stage: &Stage) -> Vec<String> {
    let area = areas(&stage.model).and_then(|areas| areas.list).expect("a list");
    let text = stage.text();
    let rows = text.lines().skip(area.y.into()).take(area.height.into());
    let cut = rows.map(|row| row.chars().take(area.width.into()).collect::<String>());
    cut.map(|row| row.chars().skip(3).collect::<String>().split("  ").next().unwrap_or_default().trim_end().to_owned())
        .filter(|row| !row.is_empty())
        .collect()
}

fn names(stage: &Stage) -> Vec<String> {
    let rows = stage.model.list.lines().iter().map(|line| match stage.model.list.row_in(line) {
        Some(row) => stage.model.row_name(&row.key),
        None => "-".to_owned(),
    });
    rows.collect()
}

#[test]
fn names_with_a_slash_form_groups_as_people_see_them() {
    let mut stage = grouped((80, 24));
    assert_eq!(names(&stage), ["-", "web/api", "web/ui", "db", "jobs/mail", "docs"], "a group needs two");
    assert_snapshot!("groups_80x24", stage.picture());
    stage.press("g");
    assert_snapshot!("group_selected_80x24", stage.text());
    let mut stage = grouped((40, 12));
    stage.press("g enter");
    assert_snapshot!("group_folded_40x12", stage.picture());
}

#[test]
fn a_group_folds_by_key_and_by_mouse() {
    let mut stage = grouped((80, 24));
    stage.press("g space");
    assert_eq!(names(&stage), ["-", "db", "jobs/mail", "docs"]);
    stage.press("enter");
    assert_eq!(names(&stage).len(), 6);
    stage.press("j -");
    assert_eq!((names(&stage).len(), stage.model.list.selected_group()), (4, Some("web")), "its head takes over");
    let click =
        |x, y| Mouse { kind: MouseKind::Press, button: MouseButton::Left, x, y, modifiers: Modifiers::default() };
    stage.event(Event::Input(Input::Mouse(click(4, 1))));
    assert_eq!(names(&stage).len(), 6);
}

#[test]
fn a_folded_group_unfolds_for_a_run_that_is_to_be_seen() {
    let mut stage = grouped((80, 24));
    stage.press("g space G");
    let key = RowKey::Task("web/ui".parse().expect("name"));
    stage.model.list.select_key(&key);
    assert_eq!(stage.model.selected_name(), "web/ui");
    assert_eq!(names(&stage).len(), 6);
}

#[test]
fn keys_on_a_group_are_for_its_members_and_ask_before_more_than_one_is_stopped() {
    let mut stage = grouped((80, 24));
    stage.press("g").asked();
    stage.press("x");
    let asked = stage.asked();
    assert!(asked.contains(&Cmd::Stop { run: id(1), kill: false }), "one runs: nothing to ask about: {asked:?}");
    stage.press("s");
    let started = |cmds: &[Cmd]| cmds.iter().filter(|cmd| matches!(cmd, Cmd::Start { .. })).count();
    assert_eq!(started(&stage.asked()), 1, "the one that does not run");
    stage.put(run(3, Some("web/ui"), Mode::Pty, Status::Running));
    stage.press("x");
    assert!(matches!(&stage.model.overlay, Some(Overlay::Ask(question)) if question.runs.len() == 2));
    assert_snapshot!("question_80x24", stage.picture());
    stage.press("n");
    assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Stop { .. })));
    stage.press("X y");
    let asked = stage.asked();
    assert!([1, 3].iter().all(|n| asked.contains(&Cmd::Stop { run: id(*n), kill: true })), "{asked:?}");
    assert!(!asked.contains(&Cmd::Stop { run: id(2), kill: true }), "not of the group");
    stage.press("m enter");
    let signalled = stage.asked().iter().filter(|cmd| matches!(cmd, Cmd::Signal { .. })).count();
    assert_eq!(signalled, 2);
}

#[test]
fn a_question_is_answered_for_the_runs_it_named_even_when_rows_were_reordered_meanwhile() {
    let mut stage = grouped((80, 24));
    stage.put(run(3, Some("web/ui"), Mode::Pty, Status::Running));
    stage.press("g x");
    // What was named ends, others come, and the list is another one.
    stage.put(run(1, Some("web/api"), Mode::Pty, Status::Completed));
    stage.put(run(7, Some("web/new"), Mode::Pty, Status::Running));
    stage.put(with_record(run(8, Some("a"), Mode::Pty, Status::Running), |record| record.command = "x".into()));
    stage.model.list.sort_by(crate::tui::model::Sort::Name);
    stage.asked();
    stage.press("y");
    let stopped: Vec<Cmd> = stage.asked().into_iter().filter(|cmd| matches!(cmd, Cmd::Stop { .. })).collect();
    assert_eq!(stopped, [Cmd::Stop { run: id(3), kill: false }]);
    // The signal menu.
    let mut stage = grouped((80, 24));
    stage.press("G k k m");
    stage.event(Event::Runs(Update::Removed(id(1))));
    stage.model.list.sort_by(crate::tui::model::Sort::Name);
    stage.asked();
    stage.press("enter");
    let asked = stage.asked();
    assert!(asked.iter().any(|cmd| matches!(cmd, Cmd::Signal { run, .. } if *run == id(2))), "{asked:?}");
}

#[test]
fn the_filter_counts_as_it_is_typed_and_goes_away_with_escape() {
    let mut stage = grouped((80, 24));
    stage.press("f").type_text("web running");
    assert_eq!(names(&stage), ["-", "web/api"], "each word, in name, command or status");
    assert_snapshot!("filter_80x24", stage.picture());
    stage.press("enter");
    assert!(stage.text().contains("1 of 5: web running"), "{}", stage.text());
    assert_eq!(stage.model.selected_name(), "web/api");
    stage.press("x");
    assert!(stage.asked().contains(&Cmd::Stop { run: id(1), kill: false }), "keys mean what they always mean");
    stage.press("escape");
    assert_eq!(names(&stage).len(), 6);
    stage.press("f").type_text("nothing like it");
    assert!(stage.text().contains("no run matches the filter"));
    stage.press("enter x escape");
    assert!(stage.model.list.selected().is_some() || stage.model.list.selected_group().is_some());
    let mut stage = grouped((40, 12));
    stage.press("f").type_text("ui");
    assert_snapshot!("filter_40x12", stage.text());
}

#[test]
fn a_selected_run_that_no_longer_matches_stays_until_another_is_selected() {
    let mut stage = grouped((80, 24));
    stage.press("f").type_text("running").press("enter G");
    assert_eq!(stage.model.selected_name(), "jobs/mail");
    stage.put(run(4, Some("jobs/mail"), Mode::Pty, Status::Failed));
    assert_eq!(stage.model.selected_name(), "jobs/mail", "a key must not meet another run than the one in front");
    stage.press("k");
    stage.put(run(9, None, Mode::Pty, Status::Running));
    assert!(!names(&stage).contains(&"jobs/mail".to_owned()), "{:?}", names(&stage));
}

#[test]
fn the_list_is_sorted_by_what_the_user_wants_and_the_selection_stays_with_its_run() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j");
    let selected = stage.model.selected_name();
    let mut seen = Vec::new();
    for _ in 0..6 {
        stage.press("S");
        assert_eq!(stage.model.selected_name(), selected);
        seen.push((stage.notice(), lines(&stage)));
    }
    assert_eq!(names(&stage), names(&Stage::demo((80, 24))), "back at the start");
    let by = |words: &str| {
        seen.iter().find(|(notice, _)| notice.contains(words)).map(|(_, lines)| lines.clone()).expect(words)
    };
    assert_eq!(by("status"), ["web", "api", "logs", "build", "htop -d 10", "db"]);
    assert_eq!(by("name"), ["htop -d 10", "api", "build", "db", "logs", "web"]);
}

#[test]
fn what_runs_first_comes_first_in_order_of_attention() {
    let mut stage = Stage::new((80, 24), demo_tasks());
    stage
        .resync(vec![run(1, Some("web"), Mode::Pty, Status::Running), run(2, Some("api"), Mode::Pty, Status::Running)]);
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    api.activity.bells = 1;
    stage.put(api);
    stage.model.list.sort_by(crate::tui::model::Sort::Attention);
    assert_eq!(names(&stage)[0], "api");
}
