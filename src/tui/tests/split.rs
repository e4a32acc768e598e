//! Runs side by side, and where the list stands.

use insta::assert_snapshot;

use super::stage::{Stage, colourful, frame, id, run};
use crate::api::Update;
use crate::model::{Frame, Mode, Modifiers, Mouse, MouseButton, MouseKind, RunId, Size, Status};
use crate::settings::ListPlace;
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::{Focus, RowKey, areas};

/// Answers what was asked for: runs are watched, and take the size that they get.
fn answer(stage: &mut Stage) -> Vec<Cmd> {
    let asked = stage.asked();
    for cmd in &asked {
        let (run, size) = match cmd {
            Cmd::Watch { run, size } | Cmd::Resize { run, size } => (*run, *size),
            _ => continue,
        };
        let n = (1..=9).find(|n| id(*n) == run).expect("a known run");
        let made: Frame = if n == 1 { colourful(size) } else { frame(size, &[&format!("run {n} at {size}"), "$ "]) };
        stage.show(n, made);
    }
    asked
}

fn split(size: (u16, u16), keys: &str) -> Stage {
    let mut stage = Stage::demo(size);
    for key in keys.split(' ') {
        stage.press(key);
        answer(&mut stage);
    }
    stage
}

fn bodies(stage: &Stage) -> Vec<Size> {
    let places = areas(&stage.model).expect("room").panes;
    places.into_iter().flatten().map(|place| Size::clamped(place.body.width, place.body.height)).collect()
}

fn click(stage: &mut Stage, x: u16, y: u16) {
    let mouse = Mouse { kind: MouseKind::Press, button: MouseButton::Left, x, y, modifiers: Modifiers::default() };
    stage.event(Event::Input(Input::Mouse(mouse)));
}

#[test]
fn runs_side_by_side_as_people_see_them() {
    assert_snapshot!("split_80x24", split((80, 24), "v j").picture());
    assert_snapshot!("split_40x12", split((40, 12), "v j").picture());
    assert_snapshot!("split_of_four_200x50", split((200, 50), "v j v j v j v").text());
    assert_snapshot!("split_of_one_100x12", split((100, 12), "v").text());
}

#[test]
fn each_pane_watches_its_own_run_and_the_run_has_the_size_of_its_pane() {
    let mut stage = Stage::demo((161, 41));
    stage.press("v").asked();
    stage.press("j");
    let asked = stage.asked();
    let [first, second] = bodies(&stage)[..] else { panic!("two panes: {:?}", bodies(&stage)) };
    assert!(asked.contains(&Cmd::Watch { run: id(2), size: second }), "{asked:?}");
    assert!(!asked.iter().any(|cmd| matches!(cmd, Cmd::Unwatch(_))), "the first stays: {asked:?}");
    assert_eq!(stage.model.pane_at(0).expect("pane").run, Some(id(1)));
    let asked = {
        stage.press("v j v");
        answer(&mut stage)
    };
    assert!(!asked.contains(&Cmd::Unwatch(id(1))), "{asked:?}");
    assert_ne!(bodies(&stage)[0], first, "three panes are smaller");
    let asked = answer(&mut stage);
    assert!(asked.is_empty() || bodies(&stage).len() == 3, "{asked:?}");
}

#[test]
fn a_run_that_leaves_its_pane_is_watched_no_longer() {
    let mut stage = split((161, 41), "v j");
    stage.press("j");
    let asked = stage.asked();
    assert!(asked.contains(&Cmd::Unwatch(id(2))) && !asked.contains(&Cmd::Unwatch(id(1))), "{asked:?}");
    stage.press("k k z");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Unwatch(run) if *run != id(1))), "zoom shows one");
}

#[test]
fn keys_and_clicks_go_from_pane_to_pane() {
    let mut stage = split((161, 41), "v j v k");
    assert_eq!(stage.model.focused_pane(), 0);
    stage.press("tab");
    assert_eq!(stage.model.selected_name(), "api");
    stage.press("tab");
    assert_eq!(stage.model.selected_name(), "web");
    let place = areas(&stage.model).expect("room").panes[1].expect("second pane");
    click(&mut stage, place.body.x + 2, place.body.y + 2);
    assert_eq!((stage.model.selected_name().as_str(), stage.model.focus), ("api", Focus::List), "a click selects");
    stage.press("enter").asked();
    let place = areas(&stage.model).expect("room").panes[0].expect("first pane");
    click(&mut stage, place.body.x + 2, place.body.y + 2);
    assert_eq!((stage.model.selected_name().as_str(), stage.model.focus), ("web", Focus::Attached));
    stage.asked();
    stage.press("q");
    let typed = |cmd: &Cmd| matches!(cmd, Cmd::Control { run, .. } if *run == id(1));
    assert!(stage.asked().iter().any(typed), "what is typed goes to the pane that was clicked");
}

#[test]
fn clicks_reach_an_attached_program_in_its_own_cells() {
    let mut stage = split((161, 41), "v j");
    let mut wants = frame(bodies(&stage)[1], &["menu"]);
    wants.modes.mouse_tracking = crate::model::MouseTracking::Click;
    stage.show(2, wants).press("enter").asked();
    let place = areas(&stage.model).expect("room").panes[1].expect("second pane").body;
    click(&mut stage, place.x + 3, place.y + 1);
    let asked = stage.asked();
    let hit = asked.iter().any(|cmd| match cmd {
        Cmd::Control { run, control } => *run == id(2) && format!("{control:?}").contains("x: 3, y: 1"),
        _ => false,
    });
    assert!(hit, "{asked:?}");
}

#[test]
fn a_split_that_has_no_room_is_refused_with_a_reason() {
    let mut stage = Stage::demo((40, 9));
    stage.press("v");
    assert!(stage.notice().contains("no room"), "{}", stage.notice());
    let stage = split((161, 41), "v j v j v j v j v");
    assert!(stage.notice().contains("four runs"), "{}", stage.notice());
    assert_eq!(bodies(&stage).len(), 4);
}

#[test]
fn a_terminal_that_becomes_too_small_for_panes_shows_the_selected_run() {
    let mut stage = split((161, 41), "v j v j v j v");
    stage.event(Event::Input(Input::Resize { cols: 30, rows: 8 }));
    assert_eq!(stage.model.terminals().count(), 0, "only the list");
    stage.press("enter");
    assert_eq!(stage.model.terminals().count(), 1);
    stage.event(Event::Input(Input::Resize { cols: 161, rows: 41 }));
    assert_eq!(stage.model.terminals().count(), 4);
}

#[test]
fn a_pane_goes_with_its_run() {
    let mut stage = Stage::demo((161, 41));
    stage.resync(vec![run(1, Some("web"), Mode::Pty, Status::Running), run(9, None, Mode::Pty, Status::Running)]);
    stage.press("G v k v");
    assert_eq!(stage.model.split.count(), 2);
    let gone: RunId = id(9);
    stage.event(Event::Runs(Update::Removed(gone)));
    assert!(!stage.model.split.is_pinned(&RowKey::Run(gone)));
}

#[test]
fn output_in_any_pane_is_seen() {
    let mut stage = split((161, 41), "v j");
    let mut web = run(1, Some("web"), Mode::Pty, Status::Running);
    web.activity.output = 5;
    stage.put(web);
    assert!(!stage.text().contains("●*web"), "{}", stage.text());
}

#[test]
fn the_list_moves_to_the_top_and_away() {
    let mut stage = Stage::demo((100, 24));
    stage.press("w");
    answer(&mut stage);
    assert_snapshot!("list_at_the_top_100x24", stage.text());
    stage.press("w");
    answer(&mut stage);
    assert_eq!((stage.model.list_place, areas(&stage.model).expect("room").list), (ListPlace::Hidden, None));
    assert!(stage.notice().contains("w shows it again"));
    stage.press("w");
    assert_eq!(stage.model.list_place, ListPlace::Left);
    let mut stage = Stage::demo((40, 12));
    stage.press("w w");
    answer(&mut stage);
    assert_snapshot!("list_hidden_40x12", stage.text());
}

#[test]
fn a_key_of_the_list_reaches_the_run_of_the_focused_pane() {
    let mut stage = split((161, 41), "v j v k");
    stage.press("tab x");
    let asked = stage.asked();
    assert!(asked.contains(&Cmd::Stop { run: id(2), kill: false }), "{asked:?}");
}
