//! What people see, as text and styles.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{Stage, colourful, demo_runs, demo_tasks, frame, id, run, task, with_history, with_record};
use crate::api::{ByteCounts, Inspection, ProcessFacts, Termination};
use crate::model::{ErrorCode, Failure, Mode, Size, Status};
use crate::settings::ThemeName;
use crate::tui::ColorChoice;
use crate::tui::cmd::Origin;
use crate::tui::event::{Answer, Event};
use crate::tui::theme::Theme;

const WIDE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

#[test]
fn an_empty_list_says_what_to_do_first() {
    let mut stage = Stage::new(WIDE, Vec::new());
    stage.resync(Vec::new());
    assert_snapshot!(stage.picture());
    let mut stage = Stage::new(SMALL, Vec::new());
    stage.resync(Vec::new());
    assert_snapshot!("an_empty_list_40x12", stage.picture());
}

#[test]
fn the_list_shows_each_kind_of_run() {
    assert_snapshot!(Stage::demo(WIDE).picture());
    assert_snapshot!("the_list_40x12", Stage::demo(SMALL).picture());
    assert_snapshot!("the_list_120x20", Stage::demo((120, 20)).text());
}

#[test]
fn the_list_works_without_colours() {
    let mut stage = Stage::demo(WIDE);
    stage.model.setup.colors = ColorChoice::None;
    stage.model.setup.theme = Theme::named(ThemeName::Auto, ColorChoice::None, None);
    assert_snapshot!(stage.picture());
}

#[test]
fn an_attached_run_is_marked_and_has_the_cursor() {
    let mut stage = Stage::demo(WIDE);
    stage.press("enter");
    assert_snapshot!(stage.picture());
    let mut stage = Stage::demo(SMALL);
    stage.press("enter");
    assert_snapshot!("attached_40x12", stage.picture());
}

#[test]
fn zoom_gives_the_terminal_the_whole_width() {
    let mut stage = Stage::demo(WIDE);
    stage.press("z");
    let size = stage.model.pane_size();
    stage.show(1, colourful(size));
    assert_snapshot!(stage.text());
}

#[test]
fn help_lists_the_keys() {
    let mut stage = Stage::demo(WIDE);
    stage.press("?");
    assert_snapshot!(stage.picture());
    let mut stage = Stage::demo(SMALL);
    stage.press("? page_down");
    assert_snapshot!("help_40x12", stage.text());
}

pub(super) fn inspection() -> Inspection {
    let view = demo_runs().remove(1);
    let process = |pid, parent, name: &str, millis| ProcessFacts {
        pid,
        parent,
        name: name.into(),
        state: 'S',
        cpu: Duration::from_millis(millis),
        resident_bytes: 5 * 1024 * 1024,
    };
    Inspection {
        view,
        processes: vec![
            process(4202, 900, "sh", 12),
            process(4210, 4202, "cargo", 830),
            process(4211, 4210, "api", 90_000),
        ],
        bytes: ByteCounts { input: 120, output: 48_000, error: 0 },
        holder_pid: Some(900),
        cuts: 17,
    }
}

#[test]
fn inspect_shows_record_tree_and_deadline() {
    for (size, name) in [(WIDE, "inspect"), (SMALL, "inspect_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("j i");
        stage.event(Event::Answer(Answer::Inspected { run: id(2), result: Ok(Box::new(inspection())) }));
        stage.pass(Duration::from_secs(2));
        let mut next = inspection();
        next.processes[2].cpu += Duration::from_millis(500);
        stage.event(Event::Answer(Answer::Inspected { run: id(2), result: Ok(Box::new(next)) }));
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn the_prompt_shows_an_error_at_its_field() {
    for (size, name) in [(WIDE, "prompt"), (SMALL, "prompt_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("n").type_text("make watch").press("down down down").type_text("soon").press("enter");
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn leaving_asks_first_when_something_is_live() {
    for (size, name) in [(WIDE, "leave"), (SMALL, "leave_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("q");
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn waiting_names_run_process_and_time_left() {
    for (size, name) in [(WIDE, "waiting"), (SMALL, "waiting_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("q y");
        let mut web = run(1, Some("web"), Mode::Pty, Status::Running);
        web.termination = Termination::Grace { until: stage.now.plus(Duration::from_millis(7400)) };
        stage.put(web);
        let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
        api.termination = Termination::Draining;
        stage.put(api);
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn the_signal_menu_says_to_whom() {
    for (size, name) in [(WIDE, "signals"), (SMALL, "signals_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("m j j tab");
        assert_snapshot!(name, stage.text());
    }
}

#[test]
fn the_deadline_menu_offers_more_time() {
    let mut stage = Stage::demo(WIDE);
    stage.press("j e");
    assert_snapshot!(stage.text());
}

#[test]
fn scrollback_says_how_far_back_it_is() {
    for (size, name) in [(WIDE, "scrollback"), (SMALL, "scrollback_40x12")] {
        let mut stage = Stage::demo(size);
        let at = stage.model.pane_size();
        stage.show(1, with_history(colourful(at), 0, 500));
        stage.press("[ page_up");
        super::scrolling::answer_history(&mut stage, 1);
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn a_full_capacity_shows_its_message() {
    for (size, name) in [(WIDE, "full"), (SMALL, "full_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("G k s");
        let failure = Failure::new(ErrorCode::CapacityFull, "64 runs are live already: limits.runs is 64")
            .with_hint("stop a run, or raise limits.runs");
        let origin = Origin::Task("db".parse().expect("name"));
        stage.event(Event::Answer(Answer::Started { origin, result: Err(failure) }));
        assert_snapshot!(name, if size == WIDE { stage.picture() } else { stage.text() });
    }
}

#[test]
fn a_run_that_could_not_be_executed_says_why() {
    let mut stage = Stage::new(WIDE, vec![task("web", "nope", Mode::Pty)]);
    let failed = with_record(run(1, Some("web"), Mode::Pty, Status::Failed), |record| {
        record.exit_code = Some(127);
        record.failure = Some(Failure::new(ErrorCode::ExecFailed, "/usr/bin/nope: no such file"));
    });
    stage.resync(vec![failed]);
    stage.show(1, frame(Size::DEFAULT, &[]));
    assert_snapshot!(stage.text());
}

#[test]
fn a_finished_run_of_another_size_shows_its_end() {
    let mut stage = Stage::new(SMALL, Vec::new());
    stage.resync(vec![run(1, None, Mode::Pty, Status::Completed)]);
    let lines: Vec<String> = (1..=20).map(|n| format!("line {n}")).collect();
    stage.show(1, frame(Size::DEFAULT, &lines.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_snapshot!(stage.text());
}

#[test]
fn very_small_terminals_show_one_thing_at_a_time() {
    let mut stage = Stage::demo((24, 6));
    assert_snapshot!("tiny_list", stage.text());
    stage.press("enter");
    let size = stage.model.pane_size();
    stage.show(1, colourful(size));
    assert_snapshot!("tiny_attached", stage.text());
    assert_snapshot!("too_small", Stage::demo((12, 3)).text());
}

#[test]
fn in_a_narrow_list_the_name_is_what_stays() {
    for (cols, hidden) in [(29, &[" 0:", ":0"][..]), (23, &["running", "failed"]), (20, &["running"])] {
        let text = Stage::demo((cols, 8)).text();
        assert!(["web", "api", "logs"].iter().all(|name| text.contains(name)), "{cols}\n{text}");
        let list: String = text.lines().take(3).collect();
        assert!(hidden.iter().all(|word| !list.contains(word)), "{cols}\n{text}");
    }
}

#[test]
fn text_of_runs_is_escaped_in_the_list() {
    let mut stage = Stage::new(WIDE, demo_tasks());
    let hostile = with_record(run(9, None, Mode::Pty, Status::Running), |record| {
        record.command = "echo \u{1b}]0;x\u{7} \u{202e}evil\nrm".into();
    });
    stage.resync(vec![hostile]);
    stage.press("G");
    let mut screen = frame(stage.model.pane_size(), &["ok"]);
    screen.title = Arc::from("a\u{1b}[31mtitle");
    stage.show(9, screen);
    let text = stage.text();
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    assert!(text.contains("[31mtitle"), "{text}");
}

#[test]
fn each_theme_has_looks_of_its_own() {
    for name in ThemeName::ALL.into_iter().filter(|name| *name != ThemeName::Auto) {
        let mut stage = Stage::demo(WIDE);
        stage.model.setup.theme = Theme::named(name, ColorChoice::TrueColor, None);
        stage.press("j j");
        assert_snapshot!(format!("theme_{name}"), stage.picture());
        stage.press("p").type_text("st");
        assert_snapshot!(format!("theme_{name}_palette"), stage.picture());
    }
}
