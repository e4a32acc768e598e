//! Exports and logs go to the run that they were asked for.

use super::stage::{Stage, id, run};
use crate::model::{ErrorCode, Failure, Mode, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event};
use crate::tui::exporting::{Form, Shower};

#[test]
fn an_export_goes_to_the_run_the_menu_was_opened_for() {
    let mut stage = Stage::demo((80, 24));
    stage.press("o");
    assert!(stage.text().contains("Export web"), "{}", stage.text());
    // Another run is selected meanwhile.
    stage.model.list.select(1);
    stage.asked();
    stage.press("j enter");
    let asked = stage.asked();
    let export = asked.iter().find_map(|cmd| match cmd {
        Cmd::Export { run, form, folder, name } => Some((*run, *form, folder.clone(), name.clone())),
        _ => None,
    });
    assert_eq!(export, Some((id(1), Form::Svg, "/work/project".into(), "web".into())));
    stage.event(Event::Answer(Answer::Exported { run: id(1), result: Ok("/work/project/web.svg".into()) }));
    assert_eq!(stage.notice(), "written: /work/project/web.svg");
}

#[test]
fn the_log_is_fetched_for_the_pager_or_the_editor() {
    for (key, shower) in [("L", Shower::Pager), ("E", Shower::Editor)] {
        let mut stage = Stage::demo((80, 24));
        stage.asked();
        stage.press(key);
        assert!(stage.asked().contains(&Cmd::FetchLog { run: id(1), shower }));
        let failure = Failure::new(ErrorCode::Unsupported, "no logs are kept");
        stage.event(Event::Answer(Answer::LogFetched { run: id(1), shower, result: Err(failure) }));
        assert!(stage.notice().contains("no logs are kept"));
    }
}

#[test]
fn without_a_run_there_is_nothing_to_export() {
    let mut stage = Stage::demo((80, 24));
    stage.press("G k").asked();
    for key in ["o", "L", "E"] {
        stage.press(key);
        assert!(stage.notice().contains("db was not started yet"), "{key}: {}", stage.notice());
    }
    assert!(stage.model.overlay.is_none());
    stage.put(run(9, Some("db"), Mode::Pty, Status::Running));
    stage.press("o");
    assert!(stage.model.overlay.is_some());
}
