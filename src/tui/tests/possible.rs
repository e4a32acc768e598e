//! What the palette says to be impossible does nothing and says so, and what it does not say so of does something.

use super::stage::{Stage, run, task};
use crate::model::{Mode, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::keys::{Intent, LIST, Part};
use crate::tui::model::{Focus, Palette, Target};

/// Those that are about the selected run, or about other runs beside it.
const DEEDS: [Intent; 21] = [
    Intent::Attach,
    Intent::Inspect,
    Intent::Duplicate,
    Intent::Start,
    Intent::Stop,
    Intent::Kill,
    Intent::StopOthers,
    Intent::Restart,
    Intent::KillRestart,
    Intent::Clear,
    Intent::Scrollback,
    Intent::Search,
    Intent::MergedLog,
    Intent::Signal,
    Intent::Extend,
    Intent::Rename,
    Intent::Group,
    Intent::Pager,
    Intent::Editor,
    Intent::Export,
    Intent::Keyboard,
];

/// A list in which something is selected, by the name of the case.
fn stages() -> Vec<(String, Box<dyn Fn() -> Stage>)> {
    let empty = || {
        let mut stage = Stage::new((80, 24), Vec::new());
        stage.resync(Vec::new());
        stage
    };
    let lost = || {
        let mut stage = Stage::demo((80, 24));
        stage.put(run(1, Some("web"), Mode::Pty, Status::Orphaned));
        stage
    };
    let pending = || {
        let mut stage = Stage::demo((80, 24));
        stage.press("G k s");
        stage
    };
    let alone = || {
        let mut stage = Stage::new((80, 24), vec![task("web", "make", Mode::Pty)]);
        stage.resync(vec![run(1, Some("web"), Mode::Pty, Status::Running)]);
        stage
    };
    let groups = |keys: &'static str| {
        move || {
            let names = ["web/api", "web/ui", "db", "new/a", "new/b"];
            let mut stage = Stage::new((80, 24), names.map(|name| task(name, "make", Mode::Pty)).to_vec());
            stage.resync(vec![
                run(1, Some("web/api"), Mode::Pty, Status::Running),
                run(2, Some("web/ui"), Mode::Pty, Status::Failed),
                run(3, Some("db"), Mode::Pipes, Status::Running),
            ]);
            stage.press(keys);
            stage
        }
    };
    let mut stages: Vec<(String, Box<dyn Fn() -> Stage>)> = vec![
        ("an empty list".into(), Box::new(empty)),
        ("a lost run".into(), Box::new(lost)),
        ("one that is being started".into(), Box::new(pending)),
        ("the only one".into(), Box::new(alone)),
        ("a group".into(), Box::new(groups("g"))),
        ("a group that was not started".into(), Box::new(groups("G k k"))),
        ("marks".into(), Box::new(groups("j space j space"))),
    ];
    for row in 0..6 {
        let walked = move || {
            let mut stage = Stage::demo((80, 24));
            stage.press(&"j ".repeat(row));
            stage
        };
        stages.push((format!("row {row} of the demo"), Box::new(walked)));
    }
    stages
}

/// Why the palette says that it cannot be done.
fn why_not(stage: &Stage, intent: Intent) -> Option<String> {
    let entries = Palette::new(Part::List).entries(&stage.model);
    entries.into_iter().find(|entry| entry.target == Target::Intent(intent)).expect("it is in the palette").why_not
}

/// Whether its key does something but to tell something.
fn does(stage: &mut Stage, intent: Intent) -> bool {
    stage.asked();
    let lines = stage.model.list.lines().len();
    let key = LIST.iter().find(|binding| binding.intent == intent).expect("it has a key").keys[0];
    stage.event(Event::Input(Input::Key(key)));
    let asked = stage.asked().into_iter().any(|cmd| !matches!(cmd, Cmd::Watch { .. } | Cmd::Unwatch(_)));
    let model = &stage.model;
    let is_folded = model.list.lines().len() != lines;
    asked
        || is_folded
        || model.overlay.is_some()
        || model.inspect.is_some()
        || model.show.is_some()
        || model.focus != Focus::List
}

#[test]
fn what_the_palette_says_is_what_the_key_does() {
    let mut wrong = Vec::new();
    for (case, stage) in stages() {
        for intent in DEEDS {
            let mut stage = stage();
            let why_not = why_not(&stage, intent);
            let does = does(&mut stage, intent);
            let notice = stage.notice();
            // Of several runs it is told when it is tried.
            let is_for_several = stage.model.list.selected_group().is_some() || !stage.model.marked.is_empty();
            let is_so = does != why_not.is_some() || (!does && is_for_several);
            if !is_so || (!does && notice.is_empty()) || notice.starts_with(' ') {
                wrong.push(format!("{case}: {intent:?}: {why_not:?}, does {does}, said {notice:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn in_an_empty_list_every_key_that_wants_a_run_names_the_one_that_starts_one() {
    for key in ["enter", "s", "x", "X", "r", "c", "i", "m", "e", "D", "o", "L", "t", "[", "/"] {
        let mut stage = Stage::new((80, 24), Vec::new());
        stage.resync(Vec::new()).press(key);
        assert!(stage.notice().contains("n starts a new"), "{key}: {}", stage.notice());
    }
}
