//! Marks, usage, notifications and what goes by itself.

use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{Stage, id, run, with_record};
use crate::api::{LimitFacts, Link, PortFacts, RunUsage, Surroundings};
use crate::model::{Attention, ErrorCode, Failure, Mode, Need, Notification, Progress, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event, Input};
use crate::tui::model::Sort;

fn told(stage: &mut Stage) -> Vec<String> {
    let cmds = stage.asked().into_iter();
    cmds.filter_map(|cmd| if let Cmd::Notify { name, what } = cmd { Some(format!("{name} {what}")) } else { None })
        .collect()
}

#[test]
fn progress_is_a_bar_in_place_of_the_state() {
    let mut stage = Stage::demo((80, 24));
    let mut shown = Vec::new();
    for progress in [Progress::Normal(42), Progress::Error(100), Progress::Paused(0), Progress::Busy] {
        let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
        api.activity.progress = Some(progress);
        stage.model.dirty = false;
        stage.put(api);
        assert!(stage.model.dirty);
        let line: String = stage.text().lines().nth(2).expect("api").chars().skip(15).take(10).collect();
        shown.push(line);
    }
    assert_eq!(shown, ["██▌    42%", "██████100%", "        0%", "busy …    "]);
}

#[test]
fn usage_is_asked_for_only_while_its_columns_are_shown() {
    let usage_asked = |stage: &mut Stage| stage.asked().contains(&Cmd::Usage);
    let mut stage = Stage::demo((160, 30));
    assert!(!usage_asked(&mut stage), "not unless it is wanted");
    stage.model.sampling.wanted = true;
    stage.event(Event::Tick);
    assert!(usage_asked(&mut stage));
    let measured =
        |cpu| RunUsage { run: id(1), processes: 3, cpu: Duration::from_millis(cpu), resident_bytes: 300 << 20 };
    stage.event(Event::Answer(Answer::Usage { result: Ok(vec![measured(1000)]) }));
    assert_eq!(stage.model.next_tick().map(|wait| wait <= Duration::from_secs(2)), Some(true));
    assert!(!usage_asked(&mut stage));
    stage.pass(Duration::from_secs(2)).event(Event::Tick);
    assert!(usage_asked(&mut stage));
    stage.event(Event::Answer(Answer::Usage { result: Ok(vec![measured(2500)]) }));
    assert_snapshot!("usage_160x30", stage.text());
    stage.event(Event::Input(Input::Resize { cols: 80, rows: 24 }));
    stage.pass(Duration::from_secs(5)).event(Event::Tick);
    assert!(!usage_asked(&mut stage), "nobody sees it");
    stage.model.list.sort_by(Sort::Cpu);
    stage.event(Event::Tick);
    assert!(usage_asked(&mut stage), "the order depends on it");
    assert_eq!(stage.model.list.lines().len(), stage.model.list.rows.len());
}

#[test]
fn what_nobody_looks_at_is_told_and_not_too_often() {
    let mut stage = Stage::demo((80, 24));
    let rings = |n: u8, name: &str, bells| {
        let mut view = run(n, Some(name), Mode::Pty, Status::Running);
        view.activity.bells = bells;
        view
    };
    stage.put(rings(1, "web", 1));
    assert_eq!(told(&mut stage), [""; 0], "it is in sight");
    stage.put(rings(2, "api", 1));
    assert_eq!(told(&mut stage), ["api rings its bell"]);
    stage.put(rings(2, "api", 2));
    assert_eq!(told(&mut stage), [""; 0], "once in a while is enough");
    stage.pass(Duration::from_secs(3));
    stage.put(with_record(run(2, Some("api"), Mode::Pty, Status::Failed), |record| record.exit_code = Some(1)));
    assert_eq!(told(&mut stage), [""; 0], "of the same run");
    stage.pass(Duration::from_secs(20));
    stage.put(run(3, Some("logs"), Mode::Pipes, Status::Failed));
    assert_eq!(told(&mut stage), ["logs has failed"]);
    stage.pass(Duration::from_secs(20)).event(Event::Input(Input::Focus(false)));
    stage.put(rings(1, "web", 2));
    assert_eq!(told(&mut stage), ["web rings its bell"], "nobody looks at the terminal");
}

#[test]
fn a_key_goes_to_the_run_that_needs_somebody_most() {
    let mut stage = Stage::demo((80, 24));
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    api.activity.bells = 1;
    stage.put(api).press("!");
    assert_eq!(stage.model.selected_name(), "api");
    stage.press("!");
    assert_eq!(stage.model.selected_name(), "logs", "its output is unseen");
    stage.press("!");
    assert!(stage.notice().contains("no run needs you"), "{}", stage.notice());
}

#[test]
fn a_run_that_waits_for_somebody_is_marked_told_and_found_by_key() {
    let mut stage = Stage::demo((80, 24));
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    let since = "2026-11-29T14:10:00Z".parse().expect("time");
    api.attention = Some(Attention { need: Need::Password, since });
    stage.put(api.clone());
    assert_eq!(told(&mut stage), ["api waits for a password"]);
    assert!(stage.text().contains("●?api         password?"), "{}", stage.text());
    stage.press("j j j !");
    assert_eq!(stage.model.selected_name(), "api");
    api.attention = Some(Attention { need: Need::Prompt, since });
    stage.put(api);
    assert!(stage.text().contains("● api         running"), "a shell at its prompt asks nothing: {}", stage.text());
}

/// S9.2: what a run says is its own.
#[test]
fn what_a_program_notifies_is_told_once_and_only_while_nobody_looks_at_it() {
    let mut stage = Stage::demo((80, 24));
    let said = |n, name, number, text: &str| {
        let mut view = run(n, Some(name), Mode::Pty, Status::Running);
        view.notification = Some(Notification::new(number, "Tests", text));
        view
    };
    stage.put(said(2, "api", 1, "3 failed\u{1b}]0;x\u{7}\u{202e}"));
    assert_eq!(told(&mut stage), ["api says: Tests: 3 failed ]0;x "]);
    stage.pass(Duration::from_secs(11)).put(said(2, "api", 1, "3 failed"));
    assert_eq!(told(&mut stage), [""; 0], "once");
    stage.put(said(2, "api", 2, "3 failed"));
    assert_eq!(told(&mut stage), ["api says: Tests: 3 failed"], "again");
    stage.pass(Duration::from_secs(11)).put(said(1, "web", 1, "seen"));
    assert_eq!(told(&mut stage), [""; 0], "it is in sight");
    stage.event(Event::Input(Input::Focus(false))).put(said(1, "web", 2, "all green"));
    assert_eq!(told(&mut stage), ["web says: Tests: all green"]);
    stage.pass(Duration::from_secs(11)).put(run(2, Some("api"), Mode::Pty, Status::Running));
    assert_eq!(told(&mut stage), [""; 0], "another server knows of none");
}

#[test]
fn what_has_happened_by_itself_is_told_for_a_while() {
    let mut stage = Stage::demo((80, 24));
    stage.event(Event::Link(Link::Lost(Failure::new(ErrorCode::Unavailable, "gone"))));
    stage.event(Event::Link(Link::Up));
    assert_eq!(stage.notice(), "the server is there again");
    let wait = stage.model.next_tick().expect("it goes by itself");
    stage.pass(wait).event(Event::Tick);
    stage.pass(Duration::from_secs(10)).event(Event::Tick);
    assert_eq!(stage.notice(), "");
    stage.press("c");
    stage.pass(Duration::from_secs(10)).event(Event::Tick);
    assert!(stage.notice().contains("is running"), "an answer to a key stays until the next one");
}

#[test]
fn inspect_shows_ports_limits_variables_rates_and_what_was_before() {
    for (size, name) in [((80, 40), "inspect_all_80x40"), ((40, 12), "inspect_all_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("j i");
        let asked = stage.asked();
        assert!(asked.contains(&Cmd::Surroundings(id(2))) && asked.contains(&Cmd::Why(id(2))), "{asked:?}");
        for second in 0..4u64 {
            let mut inspection = super::pictures::inspection();
            inspection.bytes.output += second * second * 100_000;
            stage.event(Event::Answer(Answer::Inspected { run: id(2), result: Ok(Box::new(inspection)) }));
            stage.pass(Duration::from_secs(1));
        }
        let found = Surroundings {
            ports: vec![PortFacts { protocol: "tcp".into(), address: "127.0.0.1:8080".into(), pid: 4211 }],
            environment: vec![("API_TOKEN".into(), "[redacted]".into()), ("PATH".into(), "/usr/bin:/bin".into())],
            limits: vec![LimitFacts { name: "Max open files".into(), soft: "1024".into(), hard: "4096".into() }],
        };
        stage.event(Event::Answer(Answer::Surroundings { run: id(2), result: Ok(found) }));
        stage.event(Event::Answer(Answer::Why { run: id(2), result: Ok("api is running.".into()) }));
        let before = with_record(run(9, Some("api"), Mode::Pty, Status::Failed), |record| record.exit_code = Some(2));
        let page = crate::api::RecordsPage { records: vec![(*before.record).clone()], next: None };
        stage.event(Event::Answer(Answer::Generations { run: id(2), result: Ok(page) }));
        if size.1 == 12 {
            stage.press("page_down page_down page_down page_down");
        }
        assert_snapshot!(name, stage.text());
    }
}

#[test]
fn the_footer_of_inspect_offers_what_can_be_done_with_the_run() {
    let mut stage = Stage::demo((80, 24));
    stage.press("G i");
    let footer = stage.text().lines().last().expect("a footer").to_owned();
    assert!(!footer.contains("stop") && footer.contains("start"), "{footer}");
}

#[test]
fn how_many_runs_need_somebody_is_said_whether_the_list_is_shown_or_not() {
    let mut stage = Stage::demo((80, 24));
    assert!(!stage.text().contains("need"));
    for (number, name) in [(1, "web"), (2, "api")] {
        let mut view = run(number, Some(name), Mode::Pty, Status::Running);
        view.attention = Some(Attention { need: Need::Password, since: view.record.updated_at });
        stage.put(view);
        let said = if number == 1 { "1 needs you (!)" } else { "2 need you (!)" };
        assert!(stage.text().contains(said), "{}", stage.text());
    }
    stage.press("z");
    assert!(stage.text().contains("2 need you (!)"), "{}", stage.text());
}

#[test]
fn a_small_terminal_says_that_a_run_needs_somebody_when_its_row_is_out_of_sight() {
    let mut stage = Stage::demo((40, 12));
    let mut web = run(1, Some("web"), Mode::Pty, Status::Running);
    web.attention = Some(Attention { need: Need::Password, since: web.record.updated_at });
    stage.put(web).press("G");
    assert_snapshot!("needs_you_40x12", stage.text());
    for (keys, said) in [("", "1 needs you (!)"), ("[", "1 needs you"), ("escape k k k k enter", "1 needs you")] {
        stage.press(keys);
        let header = stage.text().lines().nth(3).expect("a header").to_owned();
        assert!(header.contains(said), "{header}");
        assert_eq!(header.contains("(!)"), keys.is_empty(), "there the key means something else: {header}");
    }
}

#[test]
fn a_mark_does_not_hide_that_a_run_needs_somebody() {
    let mut stage = Stage::demo((80, 24));
    let mut view = run(1, Some("web"), Mode::Pty, Status::Running);
    view.attention = Some(Attention { need: Need::Input, since: view.record.updated_at });
    stage.put(view).press("g space j");
    let line = stage.text().lines().find(|line| line.contains("web")).expect("its row").to_owned();
    assert!(line.starts_with('+') && line.contains('?'), "{line}");
}

#[test]
fn an_old_run_is_not_started_in_place_of_a_newer_one_that_is_live() {
    let mut stage = Stage::demo((80, 24));
    stage.put(run(21, Some("login"), Mode::Pty, Status::Cancelled));
    stage.put(run(22, Some("login"), Mode::Pty, Status::Running));
    let key = crate::tui::model::RowKey::Run(id(21));
    for keys in ["s", "r", "R"] {
        stage.model.list.select_key(&key);
        stage.press(keys);
        assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Restart { .. })), "{keys}");
        assert!(stage.notice().contains("is running already"), "{}", stage.notice());
    }
}

#[test]
fn a_command_whose_secret_is_not_on_record_is_not_duplicated() {
    let mut stage = Stage::demo((80, 24));
    let mut view = run(31, Some("login"), Mode::Pty, Status::Completed);
    std::sync::Arc::make_mut(&mut view.record).command = "login --password [redacted]".into();
    stage.put(view);
    stage.model.list.select_key(&crate::tui::model::RowKey::Run(id(31)));
    stage.press("D");
    assert!(stage.model.overlay.is_none());
    assert!(stage.notice().contains("cannot be duplicated"), "{}", stage.notice());
}
