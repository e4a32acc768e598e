//! Nothing that can happen, at whatever size, is a reason to panic.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::stage::{Stage, frame, id, run, text_row, with_history};
use crate::api::{HistoryRows, Termination, Update};
use crate::model::{
    ErrorCode, Failure, HistorySpan, Key, KeyChord, Mode, Modifiers, Mouse, MouseButton, MouseKind, NamedKey, Size,
    Status,
};
use crate::tui::cmd::{Cmd, Origin};
use crate::tui::event::{Answer, Event, Input};

fn chord() -> impl Strategy<Value = KeyChord> {
    let named = prop::sample::select(vec![
        NamedKey::Enter,
        NamedKey::Escape,
        NamedKey::Tab,
        NamedKey::Up,
        NamedKey::Down,
        NamedKey::PageUp,
        NamedKey::PageDown,
        NamedKey::Home,
        NamedKey::End,
        NamedKey::Backspace,
    ]);
    let keys = prop::sample::select("jkgGinsxXrRcz[me?dqyuCpDLEovwfS!-界 ".chars().collect::<Vec<_>>());
    let key = prop_oneof![2 => keys.prop_map(Key::Char), 1 => named.prop_map(Key::Named)];
    (key, prop::bool::weighted(0.1))
        .prop_map(|(key, ctrl)| KeyChord { key, modifiers: Modifiers { ctrl, ..Modifiers::default() } })
}

fn mouse() -> impl Strategy<Value = Mouse> {
    let kind = prop::sample::select(vec![MouseKind::Press, MouseKind::Release, MouseKind::Move, MouseKind::Scroll]);
    let button =
        prop::sample::select(vec![MouseButton::Left, MouseButton::WheelUp, MouseButton::WheelDown, MouseButton::None]);
    (kind, button, 0u16..130, 0u16..45).prop_map(|(kind, button, x, y)| Mouse {
        kind,
        button,
        x,
        y,
        modifiers: Modifiers::default(),
    })
}

/// What happens, as data that can be shrunk.
#[derive(Debug, Clone)]
enum Step {
    Key(KeyChord),
    Mouse(Mouse),
    Paste(String),
    Resize(u16, u16),
    Run(u8, usize, bool),
    Removed(u8),
    Resync(Vec<u8>),
    Frame(u8, u16, u16, u64, u64, u16),
    Started(bool),
    Pass(u64),
    Terminate,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => chord().prop_map(Step::Key),
        3 => mouse().prop_map(Step::Mouse),
        1 => "[a-z界\n\u{1b}]{0,40}".prop_map(Step::Paste),
        1 => (1u16..=120, 1u16..=40).prop_map(|(cols, rows)| Step::Resize(cols, rows)),
        3 => (1u8..9, 0..Status::ALL.len(), any::<bool>()).prop_map(|(n, status, grace)| Step::Run(n, status, grace)),
        1 => (1u8..9).prop_map(Step::Removed),
        1 => prop::collection::vec(1u8..9, 0..6).prop_map(Step::Resync),
        4 => (1u8..9, 2u16..130, 1u16..60, 0u64..50, 0u64..200, 0u16..60)
            .prop_map(|(n, cols, rows, first, more, used)| Step::Frame(n, cols, rows, first, first + more, used)),
        1 => any::<bool>().prop_map(Step::Started),
        1 => (0u64..30_000).prop_map(Step::Pass),
        1 => Just(Step::Terminate),
    ]
}

fn made(n: u8, status: Status) -> crate::api::RunView {
    let name = ["web", "api/a", "logs", "api/b"].get(usize::from(n)).copied();
    run(n, name, if n.is_multiple_of(2) { Mode::Pipes } else { Mode::Pty }, status)
}

fn happen(stage: &mut Stage, step: Step) {
    match step {
        Step::Key(chord) => stage.event(Event::Input(Input::Key(chord))),
        Step::Mouse(mouse) => stage.event(Event::Input(Input::Mouse(mouse))),
        Step::Paste(text) => stage.event(Event::Input(Input::Paste(text))),
        Step::Resize(cols, rows) => stage.event(Event::Input(Input::Resize { cols, rows })),
        Step::Run(n, status, grace) => {
            let mut view = made(n, Status::ALL[status]);
            if grace {
                view.termination = Termination::Grace { until: stage.now.plus(Duration::from_secs(3)) };
            }
            stage.put(view)
        }
        Step::Removed(n) => stage.event(Event::Runs(Update::Removed(id(n)))),
        Step::Resync(runs) => stage.resync(runs.into_iter().map(|n| made(n, Status::Running)).collect()),
        Step::Frame(n, cols, rows, first, end, used) => {
            let lines = vec!["x界"; used.into()];
            let frame = frame(Size::clamped(cols, rows), &lines);
            stage.show(n, with_history(frame, first, end))
        }
        Step::Started(ok) => {
            let result =
                if ok { Ok(made(7, Status::Running).record) } else { Err(Failure::new(ErrorCode::Busy, "no")) };
            stage.event(Event::Answer(Answer::Started { origin: Origin::Prompt, result }))
        }
        Step::Pass(millis) => stage.pass(Duration::from_millis(millis)).event(Event::Tick),
        Step::Terminate => stage.event(Event::Terminate(15)),
    };
    for cmd in stage.asked() {
        if let Cmd::History { run, first, count } = cmd {
            let rows = (0..count.min(500)).map(|_| Arc::new(text_row("old", 10))).collect();
            let rows = HistoryRows { span: HistorySpan { first, end: first + 500 }, first, rows, gap: None };
            stage.event(Event::Answer(Answer::History { run, result: Ok(rows) }));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_happens_panics_at_any_size(
        cols in 1u16..=120,
        rows in 1u16..=40,
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut stage = Stage::demo((cols, rows));
        for step in steps {
            happen(&mut stage, step);
            stage.draw();
            let model = &stage.model;
            // The selection is a row whenever there is one, and at most one run is watched.
            let is_selected = model.list.selected().is_some() || model.list.selected_group().is_some();
            prop_assert_eq!(is_selected && model.list.selected_index().is_some(), !model.list.lines().is_empty());
            let _ = model.next_tick();
        }
    }
}
