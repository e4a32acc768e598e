//! Typing into runs.

use std::time::Duration;

use super::stage::{Stage, colourful, frame, id, run};
use crate::model::{
    Action, Input as Typed, Key, Mode, Modifiers, Mouse, MouseButton, MouseKind, MouseTracking, NamedKey, Size, Status,
    WriteStdin,
};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::{Focus, RowKey};

fn typed(cmds: &[Cmd]) -> Vec<Action> {
    let actions = cmds.iter().filter_map(|cmd| match cmd {
        Cmd::Control { control: WriteStdin { input: Some(Typed::Actions(actions)), .. }, .. } => Some(actions.clone()),
        _ => None,
    });
    actions.flatten().collect()
}

fn key(text: &str) -> Action {
    let chord: crate::model::KeyChord = text.parse().expect("key");
    Action::Key(chord.key, chord.modifiers)
}

#[test]
fn every_key_but_the_attach_key_goes_to_the_attached_run() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter").asked();
    let keys = "q x X C-c C-z escape ? tab S-tab f5 page_up [ é C-l d";
    stage.press(keys);
    let cmds = stage.asked();
    assert_eq!(typed(&cmds), keys.split(' ').map(key).collect::<Vec<_>>());
    assert_eq!(cmds.len(), keys.split(' ').count(), "and nothing else happens: {cmds:?}");
    assert_eq!(stage.model.focus, Focus::Attached);
    stage.press("C-a");
    assert_eq!(stage.model.focus, Focus::List);
    assert_eq!(stage.asked(), [Cmd::HandBackKeyboard(id(1))]);
}

#[test]
fn typing_changes_nothing_that_is_drawn() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter");
    stage.model.dirty = false;
    stage.type_text("echo hello");
    assert!(!stage.model.dirty);
}

#[test]
fn the_attach_key_pressed_twice_sends_itself() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter").asked();
    stage.press("C-a C-a");
    assert_eq!(typed(&stage.asked()), [key("C-a")]);
    assert_eq!(stage.model.focus, Focus::Attached);
    stage.press("C-a").pass(Duration::from_secs(2)).press("C-a");
    assert_eq!(stage.model.focus, Focus::Attached, "later it only attaches");
    assert!(typed(&stage.asked()).is_empty());
}

#[test]
fn another_attach_key_can_be_chosen() {
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.attach_key = "C-o".parse().expect("key");
    assert!(stage.press("enter").text().contains("C-o back to the list"));
    stage.asked();
    stage.press("C-a C-o");
    assert_eq!(typed(&stage.asked()), [key("C-a")]);
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn keys_typed_after_the_run_has_ended_do_nothing_in_the_list() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter");
    stage.put(run(1, Some("web"), Mode::Pty, Status::Completed)).asked();
    stage.press("x X r R q c n");
    assert!(stage.asked().is_empty());
    assert!(stage.notice().contains("web has ended (completed)"), "{}", stage.notice());
    assert!(stage.model.overlay.is_none());
    stage.press("enter");
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn runs_that_take_no_keys_say_so() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j j enter");
    assert!(stage.notice().contains("logs has pipes"), "{}", stage.notice());
    stage.press("j enter");
    assert!(stage.notice().contains("build has ended (failed 2)"), "{}", stage.notice());
    stage.press("j enter");
    assert!(stage.notice().contains("db was not started yet; s starts it"), "{}", stage.notice());
    stage.press("j enter");
    assert!(stage.notice().contains("r starts it again"), "{}", stage.notice());
    assert_eq!(stage.model.focus, Focus::List);
    assert!(typed(&stage.asked()).is_empty());
}

#[test]
fn a_large_paste_goes_in_pieces_that_a_write_can_carry() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter").asked();
    let text = "é".repeat(100_001);
    stage.event(Event::Input(Input::Paste(text.clone())));
    let pieces = typed(&stage.asked());
    assert_eq!(pieces.len(), 4);
    let together: String = pieces
        .iter()
        .map(|action| match action {
            Action::Paste(piece) if piece.len() <= 65_536 => piece.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(together == text);
}

/// What is typed while a run starts is joined, and comes before what is typed once it runs.
#[test]
fn thousands_of_keys_typed_ahead_arrive_in_order() {
    let mut stage = Stage::demo((80, 24));
    stage.put(run(1, Some("web"), Mode::Pty, Status::Starting));
    stage.press("enter").asked();
    let text = "0123456789".repeat(200);
    stage.type_text(&text);
    assert!(typed(&stage.asked()).is_empty());
    stage.put(run(1, Some("web"), Mode::Pty, Status::Running)).type_text("x");
    let typed: String = typed(&stage.asked())
        .iter()
        .map(|action| match action {
            Action::Key(Key::Char(c), _) => *c,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(typed == format!("{text}x"), "{typed}");
}

fn mouse(kind: MouseKind, button: MouseButton, x: u16, y: u16) -> Event {
    Event::Input(Input::Mouse(Mouse { kind, button, x, y, modifiers: Modifiers::default() }))
}

#[test]
fn the_mouse_goes_to_an_attached_program_that_asked_for_it() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter").asked();
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 40, 5));
    assert!(typed(&stage.asked()).is_empty(), "it did not ask");
    let mut screen = colourful(stage.model.pane_size());
    screen.modes.mouse_tracking = MouseTracking::Click;
    stage.show(1, screen);
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 40, 5));
    stage.event(mouse(MouseKind::Move, MouseButton::Left, 41, 5));
    stage.event(mouse(MouseKind::Scroll, MouseButton::WheelUp, 40, 5));
    let at = |kind, button| Action::Mouse(Mouse { kind, button, x: 40 - 33, y: 4, modifiers: Modifiers::default() });
    let expected = [at(MouseKind::Press, MouseButton::Left), at(MouseKind::Scroll, MouseButton::WheelUp)];
    assert_eq!(typed(&stage.asked()), expected, "and no motion, for which it did not ask");
}

#[test]
fn the_wheel_is_cursor_keys_for_a_full_screen_program_without_a_mouse() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter");
    let mut screen = colourful(stage.model.pane_size());
    screen.modes.alternate_screen = true;
    stage.show(1, screen).asked();
    stage.event(mouse(MouseKind::Scroll, MouseButton::WheelDown, 40, 5));
    let down = Action::Key(Key::Named(NamedKey::Down), Modifiers::default());
    assert_eq!(typed(&stage.asked()), [down.clone(), down.clone(), down]);
}

#[test]
fn clicks_select_rows_and_give_the_keys_to_the_terminal() {
    let mut stage = Stage::demo((80, 24));
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 5, 2));
    assert_eq!(stage.model.selected_name(), "api");
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 60, 10));
    assert_eq!(stage.model.focus, Focus::Attached);
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 5, 1));
    assert_eq!((stage.model.focus, stage.model.selected_name().as_str()), (Focus::List, "web"));
    stage.event(mouse(MouseKind::Press, MouseButton::Left, 5, 20));
    assert_eq!(stage.model.selected_name(), "web", "below the last row is nothing");
}

#[test]
fn the_keys_of_the_status_line_can_be_clicked() {
    let mut stage = Stage::demo((80, 24));
    let text = stage.text();
    let line = text.lines().last().expect("status");
    let x = line.chars().take(line.find("x stop").map(|at| line[..at].chars().count()).expect("stop")).count();
    stage.asked();
    stage.event(mouse(MouseKind::Press, MouseButton::Left, u16::try_from(x).expect("x"), 23));
    assert_eq!(stage.asked(), [Cmd::Stop { run: id(1), kill: false }]);
}

#[test]
fn the_run_follows_the_size_of_its_pane() {
    let mut stage = Stage::demo((80, 24));
    stage.asked();
    let mut wanted = Vec::new();
    for cols in [90, 100, 110] {
        stage.event(Event::Input(Input::Resize { cols, rows: 24 }));
        wanted.push(stage.model.pane_size());
        stage.event(Event::Tick);
    }
    let sizes = |cmds: Vec<Cmd>| -> Vec<Size> {
        cmds.into_iter().filter_map(|cmd| if let Cmd::Resize { size, .. } = cmd { Some(size) } else { None }).collect()
    };
    assert_eq!(sizes(stage.asked()), wanted, "each once, none waits for the one before");
    let now = stage.model.pane_size();
    let failure = crate::model::Failure::new(crate::model::ErrorCode::Busy, "later");
    let answer = |size| crate::tui::event::Answer::Resized { run: id(1), size, result: Err(failure.clone()) };
    stage.event(Event::Answer(answer(wanted[0])));
    assert!(sizes(stage.asked()).is_empty(), "an old answer says nothing");
    stage.event(Event::Answer(answer(now)));
    assert!(sizes(stage.asked()).is_empty(), "a size that was refused is not asked for again and again");
    stage.show(1, colourful(now));
    stage.event(Event::Tick);
    assert!(sizes(stage.asked()).is_empty());
}

#[test]
fn a_run_that_is_not_shown_is_not_resized_and_not_watched() {
    let mut stage = Stage::demo((24, 6));
    stage.asked();
    stage.event(Event::Input(Input::Resize { cols: 25, rows: 7 }));
    assert_eq!(stage.asked(), [Cmd::Redraw], "the list alone is shown");
    stage.press("enter");
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Watch { .. })));
}

#[test]
fn a_pipes_run_is_watched_anew_at_another_size_and_a_pty_run_is_not() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j j");
    let size = stage.model.pane_size();
    assert!(stage.asked().contains(&Cmd::Watch { run: id(3), size }));
    stage.show(3, frame(size, &["log"]));
    stage.event(Event::Input(Input::Resize { cols: 100, rows: 30 }));
    let size = stage.model.pane_size();
    assert!(stage.asked().contains(&Cmd::Watch { run: id(3), size }));
    stage.press("k k").asked();
    stage.event(Event::Input(Input::Resize { cols: 90, rows: 30 }));
    assert!(!stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Watch { .. })));
}

#[test]
fn an_attached_task_stays_attached_when_it_is_started_again() {
    let mut stage = Stage::demo((80, 24));
    stage.press("enter");
    let mut again = super::stage::with_record(run(8, Some("web"), Mode::Pty, Status::Running), |record| {
        record.generation = 2;
    });
    again.control_open = true;
    stage.put(again).asked();
    stage.press("a");
    assert!(matches!(stage.asked()[..], [Cmd::Control { run, .. }] if run == id(8)));
    assert_eq!(stage.model.list.selected().expect("row").key, RowKey::Task("web".parse().expect("name")));
}

#[test]
fn a_program_that_asked_hears_of_the_focus() {
    let mut stage = Stage::demo((80, 24));
    let mut screen = colourful(stage.model.pane_size());
    screen.modes.focus_events = true;
    stage.show(1, screen).asked();
    stage.press("enter");
    stage.event(Event::Input(Input::Focus(false)));
    stage.press("C-a");
    assert_eq!(typed(&stage.asked()), [Action::Focus(true), Action::Focus(false), Action::Focus(false)]);
}

#[test]
fn what_is_typed_while_the_run_is_started_reaches_it_once_it_runs() {
    let mut stage = Stage::demo((80, 24));
    stage.press("G k s").asked();
    stage.press("enter").type_text("ls").press("enter q x");
    assert!(typed(&stage.asked()).is_empty(), "and none of it does anything in the list");
    assert!(stage.model.overlay.is_none());
    stage.put(run(9, Some("db"), Mode::Pty, Status::Starting));
    assert!(typed(&stage.asked()).is_empty());
    stage.put(run(9, Some("db"), Mode::Pty, Status::Running));
    assert_eq!(typed(&stage.asked()), ["l", "s", "enter", "q", "x"].map(key));
    stage.press("C-a").press("C-a C-a");
    stage.put(run(9, Some("db"), Mode::Pty, Status::Running)).asked();
}

#[test]
fn what_is_typed_into_a_run_that_was_not_started_after_all_goes_nowhere() {
    let mut stage = Stage::demo((80, 24));
    stage.press("G k s enter").type_text("ls").asked();
    let failure = crate::model::Failure::new(crate::model::ErrorCode::NotRunnable, "no such directory");
    let origin = crate::tui::cmd::Origin::Task("db".parse().expect("name"));
    stage.event(Event::Answer(crate::tui::event::Answer::Started { origin, result: Err(failure) }));
    stage.press("q x n r");
    assert!(stage.asked().is_empty() && stage.model.overlay.is_none());
    assert!(stage.notice().contains("was not started"), "{}", stage.notice());
    stage.press("escape s").asked();
    stage.put(run(9, Some("db"), Mode::Pty, Status::Running));
    assert!(typed(&stage.asked()).is_empty(), "what was typed before is forgotten");
}

#[test]
fn a_run_that_is_removed_while_attached_does_not_hand_the_keys_to_its_neighbour() {
    let mut stage = Stage::demo((80, 24));
    stage.put(run(6, None, Mode::Pty, Status::Running)).put(run(7, None, Mode::Pty, Status::Running));
    stage.press("G k enter").asked();
    stage.event(Event::Runs(crate::api::Update::Removed(id(6))));
    assert_eq!(stage.model.focus, Focus::List);
    stage.press("a");
    assert!(typed(&stage.asked()).is_empty());
}
