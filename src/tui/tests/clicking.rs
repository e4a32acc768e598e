//! The bottom line, used with the mouse alone.

use super::stage::{Stage, run};
use crate::model::{Mode, Modifiers, Mouse, MouseButton, MouseKind, Status};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::model::{Focus, Overlay};

/// Clicks where this stands in the last line.
fn click(stage: &mut Stage, text: &str) {
    let (_, rows) = stage.model.size;
    let line = stage.text().lines().last().expect("a line").to_owned();
    let at = line.find(text).unwrap_or_else(|| panic!("{text} is not in {line}"));
    let x = u16::try_from(line[..at].chars().count()).expect("a column");
    let (kind, button, modifiers) = (MouseKind::Press, MouseButton::Left, Modifiers::default());
    stage.event(Event::Input(Input::Mouse(Mouse { kind, button, x, y: rows - 1, modifiers })));
}

#[test]
fn the_keys_at_the_bottom_can_be_clicked_wherever_they_are_shown() {
    for (keys, text) in [
        ("?", "Esc close"),
        ("p", "Esc close"),
        ("n", "Esc cancel"),
        ("m", "Esc cancel"),
        ("F", "Esc close"),
        ("H", "Esc close"),
        ("q", "n stay"),
        ("[", "Esc back"),
    ] {
        let mut stage = Stage::demo((80, 24));
        stage.press(keys);
        assert!(stage.model.overlay.is_some() || stage.model.focus == Focus::Scroll, "{keys}");
        click(&mut stage, text);
        assert!(stage.model.overlay.is_none() && stage.model.focus == Focus::List, "{keys}: {}", stage.text());
    }
    let mut stage = Stage::demo((80, 24));
    stage.press("p");
    click(&mut stage, "↓ down");
    assert!(matches!(&stage.model.overlay, Some(Overlay::Palette(open)) if open.selected == 1));
    let mut stage = Stage::demo((80, 24));
    stage.press("q y").asked();
    click(&mut stage, "q do not wait");
    assert_eq!(stage.asked(), [Cmd::Shutdown { hurry: true }]);
}

#[test]
fn keys_in_a_row_are_pressed_in_a_row() {
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.keys = std::sync::Arc::new(super::keymaps::keymap("[keys.list]\nstop = ['C-x s']\n"));
    stage.asked();
    click(&mut stage, "C-x s stop");
    assert!(matches!(stage.asked()[..], [Cmd::Stop { kill: false, .. }]));
}

#[test]
fn a_click_on_the_bottom_line_leads_back_from_an_attached_run_also_where_the_list_is_hidden() {
    for keys in ["enter", "z enter"] {
        let mut stage = Stage::demo((80, 24));
        stage.press(keys).asked();
        click(&mut stage, "C-a back to the list");
        assert_eq!(stage.model.focus, Focus::List, "{keys}");
        stage.press("C-a").asked();
        assert_eq!(stage.model.focus, Focus::Attached, "the attach key after a click is no doubled one");
        stage.put(run(1, Some("web"), Mode::Pty, Status::Completed));
        click(&mut stage, "Enter back to the list");
        assert_eq!(stage.model.focus, Focus::List, "{keys}");
    }
}

#[test]
fn a_click_on_what_is_told_or_typed_presses_no_key_that_lies_under_it() {
    let mut stage = Stage::demo((80, 24));
    stage.press("j j t").asked();
    click(&mut stage, "has pipes");
    assert!(stage.model.notice.is_none(), "it goes");
    assert!(stage.asked().is_empty() && stage.model.focus == Focus::List);
    for keys in ["/ a", "f a"] {
        let mut stage = Stage::demo((80, 24));
        stage.press(keys).asked();
        let before = stage.text();
        for x in 0..80 {
            let (kind, button, modifiers) = (MouseKind::Press, MouseButton::Left, Modifiers::default());
            stage.event(Event::Input(Input::Mouse(Mouse { kind, button, x, y: 23, modifiers })));
        }
        assert!(stage.asked().is_empty() && stage.text() == before, "{keys}");
    }
}
