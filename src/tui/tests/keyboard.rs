//! Who has the keyboard of a run (S4.4).

use std::time::Duration;

use jiff::Timestamp;

use super::stage::{Stage, colourful, demo_runs, id, run};
use crate::api::{Link, RunView};
use crate::model::{
    ErrorCode, Failure, KeyboardOwner, Mode, Modifiers, Moment, Mouse, MouseButton, MouseKind, MouseTracking, Size,
    Status, Typist, TypistId, TypistKind,
};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Answer, Event, Input};
use crate::tui::model::{Focus, areas};

fn owner(number: u64, kind: TypistKind, taken: u64) -> KeyboardOwner {
    let who = Typist::new(kind, if kind == TypistKind::Person { "attach on pts/7" } else { "an agent" });
    let taken = Moment::from_boot(Duration::from_secs(taken));
    KeyboardOwner { id: TypistId(number), who, since: Timestamp::UNIX_EPOCH, taken }
}

/// The first run, whose keyboard somebody holds.
fn held_by(owner: Option<KeyboardOwner>) -> RunView {
    RunView { keyboard: owner, ..run(1, Some("web"), Mode::Pty, Status::Running) }
}

fn served() -> Stage {
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.has_server = true;
    stage.asked();
    stage
}

/// This terminal's take is answered.
fn taken(stage: &mut Stage, taken: u64) {
    let result = Ok(owner(1, TypistKind::Person, taken));
    stage.event(Event::Answer(Answer::KeyboardTaken { run: id(1), result }));
}

fn attached() -> Stage {
    let mut stage = served();
    stage.press("enter");
    taken(&mut stage, 5);
    stage.asked();
    stage
}

#[test]
fn attaching_takes_the_keyboard_before_a_key_and_detaching_hands_it_back() {
    let mut stage = served();
    stage.press("enter a");
    let cmds = stage.asked();
    assert!(matches!(cmds[..], [Cmd::TakeKeyboard(run), Cmd::Control { .. }] if run == id(1)), "{cmds:?}");
    taken(&mut stage, 5);
    stage.press("b C-a");
    let cmds = stage.asked();
    assert!(matches!(cmds[..], [Cmd::Control { .. }, Cmd::HandBackKeyboard(run)] if run == id(1)), "{cmds:?}");
}

#[test]
fn whoever_only_looks_changes_no_size_and_the_one_who_attaches_does() {
    let mut stage = served();
    stage.show(1, colourful(Size::new(30, 5).expect("a size")));
    stage.event(Event::Input(Input::Resize { cols: 100, rows: 30 }));
    let sizes = |stage: &mut Stage| stage.asked().iter().filter(|cmd| matches!(cmd, Cmd::Resize { .. })).count();
    assert_eq!(sizes(&mut stage), 0);
    stage.press("enter");
    assert_eq!(sizes(&mut stage), 1);
}

#[test]
fn somebody_else_who_takes_the_keyboard_is_told_and_nothing_is_typed_until_it_is_taken_back() {
    let mut stage = attached();
    stage.put(held_by(Some(owner(7, TypistKind::Person, 9))));
    assert!(stage.notice().contains("attach on pts/7 types into web"), "{}", stage.notice());
    assert!(stage.text().contains("attach on pts/7 types"), "{}", stage.text());
    stage.press("x enter").type_text("rm");
    assert!(stage.asked().is_empty(), "no key goes anywhere");
    assert!(stage.notice().contains("takes the keyboard back"), "{}", stage.notice());
    stage.press("C-a");
    assert_eq!((stage.model.focus, stage.asked()), (Focus::List, vec![]));
    stage.pass(Duration::from_secs(2)).press("enter");
    assert_eq!(stage.asked(), [Cmd::TakeKeyboard(id(1))]);
}

#[test]
fn the_mouse_of_somebody_who_lost_the_keyboard_reaches_no_program() {
    let mut stage = attached();
    let mut frame = colourful(Size::new(50, 20).expect("a size"));
    (frame.modes.mouse_tracking, frame.modes.focus_events) = (MouseTracking::Motion, true);
    stage.show(1, frame).asked();
    let at = areas(&stage.model).expect("room").panes[0].expect("a pane").body;
    let click =
        Mouse { kind: MouseKind::Press, button: MouseButton::Left, x: at.x, y: at.y, modifiers: Modifiers::default() };
    stage.event(Event::Input(Input::Mouse(click)));
    let typed = |stage: &mut Stage| stage.asked().iter().filter(|cmd| matches!(cmd, Cmd::Control { .. })).count();
    assert!(typed(&mut stage) > 0, "its own does");
    stage.put(held_by(Some(owner(7, TypistKind::Person, 9)))).asked();
    stage.event(Event::Input(Input::Mouse(click))).event(Event::Input(Input::Focus(false)));
    assert_eq!(typed(&mut stage), 0);
}

#[test]
fn a_size_that_was_refused_is_asked_for_again_with_the_keyboard() {
    let mut stage = attached();
    stage.show(1, colourful(Size::new(30, 5).expect("a size")));
    let sizes = |stage: &mut Stage| {
        let asked = stage.asked().into_iter();
        asked.filter_map(|cmd| if let Cmd::Resize { size, .. } = cmd { Some(size) } else { None }).collect::<Vec<_>>()
    };
    let [size] = sizes(&mut stage)[..] else { panic!("one size") };
    stage.put(held_by(Some(owner(7, TypistKind::Person, 9))));
    let result = Err(Failure::new(ErrorCode::Held, "somebody else types"));
    stage.event(Event::Answer(Answer::Resized { run: id(1), size, result }));
    stage.press("C-a").pass(Duration::from_secs(2));
    assert_eq!(sizes(&mut stage), []);
    stage.press("enter");
    assert_eq!(sizes(&mut stage), [size]);
}

#[test]
fn when_nobody_has_it_any_more_the_next_key_takes_it() {
    let mut stage = attached();
    stage.put(held_by(Some(owner(7, TypistKind::Person, 9)))).put(held_by(None)).asked();
    assert!(stage.notice().contains("nobody types into web any more"), "{}", stage.notice());
    stage.press("a");
    let cmds = stage.asked();
    assert!(matches!(cmds[..], [Cmd::TakeKeyboard(_), Cmd::Control { .. }]), "{cmds:?}");
}

#[test]
fn an_agent_that_types_is_shown_and_does_not_stand_in_the_way() {
    let mut stage = served();
    stage.put(held_by(Some(owner(9, TypistKind::Agent, 9))));
    assert!(stage.text().contains("an agent types"), "{}", stage.text());
    stage.press("enter a");
    assert!(matches!(stage.asked()[..], [Cmd::TakeKeyboard(_), Cmd::Control { .. }]));
    stage.press("C-a").model.dirty = false;
    stage.put(held_by(None));
    assert!(stage.model.dirty, "that it is free is drawn at once");
}

#[test]
fn a_key_of_the_list_takes_the_keyboard_for_good_and_hands_it_back() {
    let mut stage = served();
    stage.press("t");
    assert_eq!(stage.asked(), [Cmd::TakeKeyboard(id(1))]);
    taken(&mut stage, 5);
    stage.put(held_by(Some(owner(1, TypistKind::Person, 5))));
    assert!(stage.text().contains("the keyboard is yours"), "{}", stage.text());
    stage.press("j k enter C-a");
    assert!(stage.asked().iter().all(|cmd| !matches!(cmd, Cmd::HandBackKeyboard(_))), "it is kept");
    stage.press("t");
    assert_eq!(stage.asked(), [Cmd::HandBackKeyboard(id(1))]);
    stage.press("j j t");
    assert!(stage.notice().contains("logs has pipes and no keyboard"), "{}", stage.notice());
}

#[test]
fn after_a_while_without_a_key_it_is_handed_back_and_the_next_key_takes_it() {
    let mut stage = attached();
    stage.model.setup.hold = Some(Duration::from_secs(10));
    stage.press("a").asked();
    assert_eq!(stage.model.keyboard_idle_at(), Some(stage.now.plus(Duration::from_secs(10))));
    stage.pass(Duration::from_secs(9)).event(Event::Tick);
    assert!(stage.asked().is_empty());
    stage.pass(Duration::from_secs(1)).event(Event::Tick);
    assert_eq!(stage.asked(), [Cmd::HandBackKeyboard(id(1))]);
    assert_eq!(stage.model.keyboard_idle_at(), None);
    stage.press("b");
    assert!(matches!(stage.asked()[..], [Cmd::TakeKeyboard(_), Cmd::Control { .. }]));
}

#[test]
fn what_was_held_over_a_lost_connection_is_taken_again() {
    let mut stage = attached();
    stage.resync(demo_runs());
    assert_eq!(stage.asked(), [Cmd::TakeKeyboard(id(1))]);
}

fn silent() -> Failure {
    Failure::new(ErrorCode::Unavailable, "the server says nothing")
}

/// The keyboard of the first run, which a server that was asked has given to this terminal, though nobody waited for the answer any more.
fn own() -> RunView {
    held_by(Some(owner(1, TypistKind::Person, 5)))
}

#[test]
fn who_attaches_again_while_the_server_is_silent_is_not_somebody_else_when_it_speaks() {
    let mut stage = attached();
    stage.event(Event::Link(Link::Silent(silent()))).press("C-a").pass(Duration::from_secs(2)).press("enter");
    let cmds = stage.asked();
    assert!(matches!(cmds[..], [Cmd::HandBackKeyboard(_), Cmd::TakeKeyboard(_)]), "{cmds:?}");
    stage.event(Event::Answer(Answer::KeyboardHandedBack { run: id(1), result: Err(silent()) }));
    stage.event(Event::Answer(Answer::KeyboardTaken { run: id(1), result: Err(silent()) }));
    stage.put(own());
    assert_eq!(stage.asked(), [Cmd::TakeKeyboard(id(1))], "and not handed back");
    assert!(!stage.notice().contains("types into") && !stage.text().contains("types"), "{}", stage.text());
    stage.event(Event::Link(Link::Up));
    taken(&mut stage, 5);
    stage.asked();
    stage.press("a");
    assert!(matches!(stage.asked()[..], [Cmd::Control { .. }]), "it is held");
}

#[test]
fn what_nobody_answered_is_asked_again_when_there_is_a_server_again() {
    let mut stage = served();
    stage.press("enter");
    stage.event(Event::Answer(Answer::KeyboardTaken { run: id(1), result: Err(silent()) })).asked();
    stage.event(Event::Link(Link::Silent(silent()))).event(Event::Link(Link::Up));
    let asks = |stage: &mut Stage| stage.asked().iter().filter(|cmd| **cmd == Cmd::TakeKeyboard(id(1))).count();
    assert_eq!(asks(&mut stage), 1);
    stage.event(Event::Answer(Answer::KeyboardTaken { run: id(1), result: Err(silent()) }));
    stage.resync(demo_runs());
    assert_eq!(asks(&mut stage), 1, "by the next server");
}

#[test]
fn a_keyboard_that_a_silent_server_was_asked_for_in_vain_is_handed_back_once_it_speaks() {
    let mut stage = served();
    stage.press("enter");
    stage.event(Event::Answer(Answer::KeyboardTaken { run: id(1), result: Err(silent()) })).asked();
    stage.press("C-a");
    assert_eq!(stage.asked(), [Cmd::HandBackKeyboard(id(1))]);
    stage.event(Event::Answer(Answer::KeyboardHandedBack { run: id(1), result: Err(silent()) }));
    assert_eq!(stage.asked(), []);
    stage.event(Event::Link(Link::Silent(silent()))).event(Event::Link(Link::Up));
    assert!(stage.asked().contains(&Cmd::HandBackKeyboard(id(1))));
    stage.event(Event::Answer(Answer::KeyboardHandedBack { run: id(1), result: Ok(true) }));
    stage.event(Event::Link(Link::Up));
    assert!(!stage.asked().contains(&Cmd::HandBackKeyboard(id(1))), "once");
}

#[test]
fn while_a_hand_back_waits_for_its_server_this_terminal_is_not_somebody_who_types() {
    let mut stage = attached();
    stage.put(own()).press("C-a");
    assert!(!stage.text().contains("types"), "{}", stage.text());
}

#[test]
fn a_run_that_has_ended_has_no_keyboard() {
    let mut stage = attached();
    let mut ended = run(1, Some("web"), Mode::Pty, Status::Completed);
    ended.control_open = false;
    stage.put(ended).asked();
    stage.press("C-a t");
    assert!(stage.asked().is_empty());
}
