//! The modes that a stream of bytes leaves switched on in the terminal that reads it.

use std::collections::BTreeSet;

/// The private modes (`CSI ? … h`) that `bytes` switches on and never off again, with two exceptions turned round so that
/// "nothing left" is an empty set: a hidden cursor counts as mode 25, and wrapping switched off as mode 7.
///
/// A cursor shape (`CSI n SP q`, n > 0) that was not given back is reported as 10,000, and keyboard flags (`CSI > n u`)
/// that were not popped as 10,001.
pub(crate) fn modes_left_on(bytes: &[u8]) -> BTreeSet<u16> {
    let mut on = BTreeSet::new();
    let mut keyboard_flags = 0_usize;
    let mut rest = bytes;
    while let Some(start) = rest.windows(2).position(|pair| pair == b"\x1b[") {
        rest = &rest[start + 2..];
        let Some(end) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else { break };
        let (body, last) = (&rest[..end], rest[end]);
        let text = String::from_utf8_lossy(body);
        match (body.first(), last) {
            (Some(b'?'), b'h' | b'l') => {
                for mode in text[1..].split(';').filter_map(|number| number.parse::<u16>().ok()) {
                    let natural = matches!(mode, 7 | 25);
                    if (last == b'h') != natural {
                        on.insert(mode);
                    } else {
                        on.remove(&mode);
                    }
                }
            }
            (Some(b'>'), b'u') => keyboard_flags += 1,
            (Some(b'<'), b'u') => {
                let popped = text[1..].parse().unwrap_or(1);
                keyboard_flags = keyboard_flags.saturating_sub(popped);
            }
            (_, b'q') if body.ends_with(b" ") => {
                if matches!(text.trim(), "" | "0") {
                    on.remove(&10_000);
                } else {
                    on.insert(10_000);
                }
            }
            _ => {}
        }
        rest = &rest[end + 1..];
    }
    if keyboard_flags > 0 {
        on.insert(10_001);
    }
    on
}
