//! The palette: everything is in it, and a few letters find it.

use std::collections::HashSet;

use insta::assert_snapshot;

use super::stage::{Stage, id};
use crate::model::{Modifiers, Mouse, MouseButton, MouseKind};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::keys::{Intent, LIST};
use crate::tui::model::{Focus, Overlay, PaletteEntry, Target};

fn entries(stage: &Stage) -> Vec<PaletteEntry> {
    match &stage.model.overlay {
        Some(Overlay::Palette(palette)) => palette.entries(&stage.model),
        other => panic!("no palette: {other:?}"),
    }
}

#[test]
fn every_action_run_and_task_is_in_it() {
    for key in ["p", ":"] {
        let mut stage = Stage::demo((80, 24));
        stage.press(key);
        let all = entries(&stage);
        let intents: HashSet<Intent> = all
            .iter()
            .filter_map(|entry| match &entry.target {
                Target::Intent(intent) => Some(*intent),
                Target::Row(_) => None,
            })
            .collect();
        for binding in LIST.iter().filter(|binding| binding.intent != Intent::Palette) {
            assert!(intents.contains(&binding.intent), "{:?}", binding.intent);
        }
        assert_eq!(all.len() - intents.len(), stage.model.list.rows.len());
    }
}

#[test]
fn a_few_letters_find_an_action_and_enter_does_it() {
    let mut stage = Stage::demo((80, 24));
    stage.asked();
    stage.press("p").type_text("kr").press("enter");
    assert_eq!(stage.asked(), [Cmd::Restart { run: id(1), kill: true }]);
    assert!(stage.model.overlay.is_none());
    stage.press("p").type_text("new run").press("enter");
    assert!(matches!(stage.model.overlay, Some(Overlay::Prompt(_))));
}

#[test]
fn a_run_is_gone_to_by_its_name() {
    let mut stage = Stage::demo((80, 24));
    stage.press("p").type_text("htop").press("enter");
    assert_eq!(stage.model.list.selected_index(), Some(5));
    stage.press("p").type_text("db").press("enter");
    assert_eq!(stage.model.list.selected_index(), Some(4));
}

#[test]
fn what_makes_no_sense_comes_late_and_says_why() {
    let mut stage = Stage::demo((80, 24));
    stage.press("G p").type_text("stop");
    let all = entries(&stage);
    let stop = all.iter().find(|entry| entry.target == Target::Intent(Intent::Stop)).expect("it is there");
    assert_eq!(stop.why_not.as_deref(), Some("htop -d 10 is not running"));
    stage.press("escape p").type_text("kill the run and all").press("enter");
    assert!(stage.notice().contains("is not running"), "{}", stage.notice());
}

#[test]
fn a_click_chooses_and_esc_closes() {
    let mut stage = Stage::demo((80, 24));
    stage.press("p").type_text("zoom");
    let text = stage.text();
    let y = text.lines().position(|line| line.contains("zoom: give")).expect("the entry");
    let mouse = Mouse {
        kind: MouseKind::Press,
        button: MouseButton::Left,
        x: 20,
        y: y.try_into().expect("small"),
        modifiers: Modifiers::default(),
    };
    stage.event(Event::Input(Input::Mouse(mouse)));
    assert!(stage.model.zoom && stage.model.overlay.is_none());
    stage.press("p j escape");
    assert!(stage.model.overlay.is_none());
    assert_eq!(stage.model.list.selected_index(), Some(0), "letters are typed, not done");
}

#[test]
fn in_the_scrollback_it_has_the_actions_of_the_scrollback() {
    let mut stage = Stage::demo((80, 24));
    stage.press("[ :").type_text("newest").press("enter");
    assert_eq!(stage.model.focus, Focus::List);
}

#[test]
fn the_palette_is_drawn() {
    for (size, name) in [((80, 24), "palette"), ((40, 12), "palette_40x12")] {
        let mut stage = Stage::demo(size);
        stage.press("p").type_text("re").press("down");
        assert_snapshot!(name, stage.picture());
    }
}
