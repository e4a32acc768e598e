//! Mouse events as bytes.

use super::encode::EncodeError;
use super::queries::CELL_PIXELS;
use crate::model::{Modifiers, Mouse, MouseButton, MouseEncoding, MouseKind, MouseTracking, TerminalModes};

/// Writes a mouse event. What the program did not ask for in particular (motion, releases) is left out silently.
pub(super) fn encode_mouse(modes: &TerminalModes, mouse: Mouse, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let is_wheel = matches!(
        mouse.button,
        MouseButton::WheelUp | MouseButton::WheelDown | MouseButton::WheelLeft | MouseButton::WheelRight
    );
    if modes.mouse_tracking == MouseTracking::Off {
        if is_wheel && modes.alternate_screen && modes.alternate_scroll {
            scroll_by_keys(modes, mouse.button, out);
            return Ok(());
        }
        return Err(EncodeError::MouseNotWanted);
    }
    match mouse.kind {
        MouseKind::Scroll => report(modes, mouse, Event::Press, out),
        MouseKind::Press => report(modes, mouse, Event::Press, out),
        MouseKind::Release => report(modes, mouse, Event::Release, out),
        MouseKind::Move => report(modes, mouse, Event::Motion, out),
        MouseKind::Click => {
            report(modes, mouse, Event::Press, out);
            if !is_wheel {
                report(modes, mouse, Event::Release, out);
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Press,
    Release,
    Motion,
}

/// As xterm does it in mode 1007: three lines a notch.
fn scroll_by_keys(modes: &TerminalModes, button: MouseButton, out: &mut Vec<u8>) {
    let last = match button {
        MouseButton::WheelUp => b'A',
        MouseButton::WheelDown => b'B',
        MouseButton::WheelRight => b'C',
        MouseButton::WheelLeft => b'D',
        MouseButton::Left | MouseButton::Middle | MouseButton::Right | MouseButton::None => return,
    };
    let introducer = if modes.application_cursor { b'O' } else { b'[' };
    for _ in 0..3 {
        out.extend_from_slice(&[0x1b, introducer, last]);
    }
}

fn is_wanted(tracking: MouseTracking, event: Event, button: MouseButton) -> bool {
    match tracking {
        MouseTracking::Off => false,
        MouseTracking::Press => event == Event::Press,
        MouseTracking::Click => event != Event::Motion,
        MouseTracking::Drag => event != Event::Motion || button != MouseButton::None,
        MouseTracking::Motion => true,
    }
}

fn report(modes: &TerminalModes, mouse: Mouse, event: Event, out: &mut Vec<u8>) {
    if !is_wanted(modes.mouse_tracking, event, mouse.button) {
        return;
    }
    let base = match mouse.button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
        MouseButton::None => 3,
        MouseButton::WheelUp => 64,
        MouseButton::WheelDown => 65,
        MouseButton::WheelLeft => 66,
        MouseButton::WheelRight => 67,
    };
    let mut code: u16 = base;
    if event == Event::Motion {
        code += 32;
    }
    // Mode 9 knows no modifiers.
    if modes.mouse_tracking != MouseTracking::Press {
        code += modifier_bits(mouse.modifiers);
    }
    // Without SGR a release does not say of which button.
    let nameless = if event == Event::Release { code - base + 3 } else { code };
    let (x, y) = (u32::from(mouse.x) + 1, u32::from(mouse.y) + 1);
    let end = if event == Event::Release { 'm' } else { 'M' };
    match modes.mouse_encoding {
        MouseEncoding::Sgr => out.extend_from_slice(format!("\x1b[<{code};{x};{y}{end}").as_bytes()),
        MouseEncoding::SgrPixels => {
            // The middle of the cell, from 1.
            let (wide, high) = (u32::from(CELL_PIXELS.0), u32::from(CELL_PIXELS.1));
            let (x, y) = ((x - 1) * wide + wide / 2, (y - 1) * high + high / 2);
            out.extend_from_slice(format!("\x1b[<{code};{x};{y}{end}").as_bytes());
        }
        MouseEncoding::Urxvt => out.extend_from_slice(format!("\x1b[{};{x};{y}M", nameless + 32).as_bytes()),
        MouseEncoding::Utf8 => {
            let numbers = [u32::from(nameless) + 32, x + 32, y + 32];
            // Two bytes hold numbers up to 2047; what lies beyond cannot be told.
            if numbers.iter().all(|&n| n <= 2047) {
                out.extend_from_slice(b"\x1b[M");
                let characters: String = numbers.iter().filter_map(|&n| char::from_u32(n)).collect();
                out.extend_from_slice(characters.as_bytes());
            }
        }
        MouseEncoding::Legacy => {
            let numbers = [u32::from(nameless) + 32, x + 32, y + 32];
            if numbers.iter().all(|&n| n <= 255) {
                out.extend_from_slice(b"\x1b[M");
                out.extend(numbers.iter().map(|&n| n as u8));
            }
        }
    }
}

fn modifier_bits(modifiers: Modifiers) -> u16 {
    4 * u16::from(modifiers.shift) + 8 * u16::from(modifiers.alt) + 16 * u16::from(modifiers.ctrl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(tracking: MouseTracking, encoding: MouseEncoding, mouse: Mouse) -> Result<Vec<u8>, EncodeError> {
        let modes = TerminalModes { mouse_tracking: tracking, mouse_encoding: encoding, ..TerminalModes::default() };
        let mut out = Vec::new();
        encode_mouse(&modes, mouse, &mut out).map(|()| out)
    }

    fn at(kind: MouseKind, button: MouseButton, x: u16, y: u16) -> Mouse {
        Mouse { kind, button, x, y, modifiers: Modifiers::default() }
    }

    #[test]
    fn a_mouse_that_nobody_asked_for_is_refused() {
        let click = at(MouseKind::Click, MouseButton::Left, 0, 0);
        assert_eq!(encoded(MouseTracking::Off, MouseEncoding::Sgr, click), Err(EncodeError::MouseNotWanted));
    }

    #[test]
    fn a_click_is_told_in_every_encoding() {
        let click = at(MouseKind::Click, MouseButton::Right, 9, 4);
        let cases: [(MouseEncoding, &[u8]); 5] = [
            (MouseEncoding::Sgr, b"\x1b[<2;10;5M\x1b[<2;10;5m"),
            (MouseEncoding::Legacy, b"\x1b[M\x22\x2a\x25\x1b[M\x23\x2a\x25"),
            (MouseEncoding::Utf8, b"\x1b[M\x22\x2a\x25\x1b[M\x23\x2a\x25"),
            (MouseEncoding::Urxvt, b"\x1b[34;10;5M\x1b[35;10;5M"),
            (MouseEncoding::SgrPixels, b"\x1b[<2;76;72M\x1b[<2;76;72m"),
        ];
        for (encoding, expected) in cases {
            assert_eq!(encoded(MouseTracking::Click, encoding, click).expect("wanted"), expected, "{encoding:?}");
        }
    }

    #[test]
    fn only_the_motion_that_was_asked_for_is_told() {
        let moves = |button| at(MouseKind::Move, button, 1, 1);
        let count = |tracking, button| encoded(tracking, MouseEncoding::Sgr, moves(button)).expect("wanted").len();
        assert_eq!(count(MouseTracking::Click, MouseButton::Left), 0);
        assert_eq!(count(MouseTracking::Drag, MouseButton::None), 0);
        assert!(count(MouseTracking::Drag, MouseButton::Left) > 0);
        assert!(count(MouseTracking::Motion, MouseButton::None) > 0);
    }

    #[test]
    fn a_place_that_the_old_encoding_cannot_tell_is_left_out() {
        let far = at(MouseKind::Press, MouseButton::Left, 300, 1);
        assert_eq!(encoded(MouseTracking::Click, MouseEncoding::Legacy, far).expect("wanted"), b"");
        assert!(!encoded(MouseTracking::Click, MouseEncoding::Utf8, far).expect("wanted").is_empty());
    }
}
