//! Input in any modes: what one action becomes does not depend on the others, a paste stays in its frame, the mouse is refused as a whole.
//!
//! The input is output that sets the modes, 0xFF, and then actions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shtask::model::{
    Action, Key, Modifiers, Mouse, MouseButton, MouseKind, MouseTracking, NamedKey, Size, TerminalModes,
};
use shtask::screen::{Screen, encode};

const NAMED: [NamedKey; 15] = [
    NamedKey::Enter,
    NamedKey::Escape,
    NamedKey::Tab,
    NamedKey::Backspace,
    NamedKey::Delete,
    NamedKey::Up,
    NamedKey::Down,
    NamedKey::Left,
    NamedKey::Right,
    NamedKey::Home,
    NamedKey::End,
    NamedKey::Insert,
    NamedKey::PageUp,
    NamedKey::PageDown,
    NamedKey::F(1),
];
const KINDS: [MouseKind; 5] =
    [MouseKind::Click, MouseKind::Press, MouseKind::Release, MouseKind::Move, MouseKind::Scroll];
const BUTTONS: [MouseButton; 8] = [
    MouseButton::Left,
    MouseButton::Middle,
    MouseButton::Right,
    MouseButton::WheelUp,
    MouseButton::WheelDown,
    MouseButton::WheelLeft,
    MouseButton::WheelRight,
    MouseButton::None,
];

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|&byte| byte == 0xff).unwrap_or(data.len());
    let mut screen = Screen::new(Size::clamped(20, 5), 0);
    screen.admit(&data[..end]);
    let modes = screen.modes();
    let actions = actions(data.get(end + 1..).unwrap_or_default());

    let together = encode(&modes, &actions);
    let mut one_by_one = Vec::new();
    let mut refused = false;
    for action in &actions {
        match encode(&modes, std::slice::from_ref(action)) {
            Ok(bytes) => {
                check(&modes, action, &bytes);
                one_by_one.extend(bytes);
            }
            Err(_) => {
                assert!(matches!(action, Action::Mouse(_)) && modes.mouse_tracking == MouseTracking::Off);
                refused = true;
            }
        }
    }
    assert_eq!(together.is_err(), refused);
    if let Ok(bytes) = together {
        assert_eq!(bytes, one_by_one);
    }
});

fn check(modes: &TerminalModes, action: &Action, bytes: &[u8]) {
    match action {
        Action::Text(text) => assert_eq!(bytes, text.as_bytes()),
        Action::Key(..) => assert!(!bytes.is_empty() && bytes.len() < 64, "{action:?} became {bytes:?}"),
        Action::Mouse(_) => assert!(bytes.len() < 64),
        Action::Focus(_) => assert_eq!(bytes.is_empty(), !modes.focus_events),
        Action::Paste(_) if modes.bracketed_paste => {
            let text = std::str::from_utf8(bytes).expect("a paste is text");
            let inside = text.strip_prefix("\x1b[200~").and_then(|rest| rest.strip_suffix("\x1b[201~"));
            let inside = inside.expect("a paste has its frame");
            for marker in ["\x1b[200~", "\x1b[201~", "\u{9b}200~", "\u{9b}201~"] {
                assert!(!inside.contains(marker), "{inside:?} leaves its frame");
            }
        }
        Action::Paste(text) => assert!(bytes.len() <= text.len()),
    }
}

/// Each action is a byte that says which, a byte of modifiers, and what it needs.
fn actions(mut data: &[u8]) -> Vec<Action> {
    let mut actions = Vec::new();
    while let [kind, held, rest @ ..] = data {
        let modifiers = Modifiers { ctrl: held & 1 != 0, alt: held & 2 != 0, shift: held & 4 != 0 };
        let number = usize::from(held >> 3);
        data = rest;
        let text = |data: &mut &[u8]| {
            let (now, later) = data.split_at(number.min(data.len()));
            *data = later;
            String::from_utf8_lossy(now).into_owned()
        };
        actions.push(match kind % 6 {
            0 => Action::Text(text(&mut data)),
            1 => Action::Paste(text(&mut data)),
            2 => Action::Key(Key::Named(NAMED.get(number).copied().unwrap_or_else(|| NamedKey::F((number as u8 - 13).min(12)))), modifiers),
            3 => {
                let character = text(&mut data).chars().next().unwrap_or('a');
                Action::Key(Key::Char(character), modifiers)
            }
            4 => {
                let [x, y, more @ ..] = data else { break };
                data = more;
                let (kind, button) = (KINDS[number % KINDS.len()], BUTTONS[usize::from(*x) % BUTTONS.len()]);
                Action::Mouse(Mouse { kind, button, x: u16::from(*x) * 4, y: u16::from(*y), modifiers })
            }
            _ => Action::Focus(number % 2 == 0),
        });
    }
    actions
}
