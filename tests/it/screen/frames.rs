//! Frames that are made from the last one.

use std::sync::Arc;

use proptest::prelude::*;
use shtask::screen::Screen;

use super::replay::{output, size};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Rows that a chunk did not touch are taken over without being read: a frame must not depend on whether somebody held the last one.
    #[test]
    fn a_frame_made_from_the_last_one_is_the_same_as_one_made_anew(
        first in size(),
        pieces in prop::collection::vec((output(), size()), 1..4),
        step in 1_usize..12,
    ) {
        let (mut looking, mut fresh) = (Screen::new(first, 100), Screen::new(first, 100));
        let mut last = looking.frame();
        for (bytes, size) in pieces {
            for chunk in bytes.chunks(step) {
                looking.admit(chunk);
                fresh.admit(chunk);
                let frame = looking.frame();
                prop_assert_eq!(&frame.rows, &fresh.frame().rows);
                last = frame;
            }
            looking.resize(size);
            fresh.resize(size);
        }
        drop(last);
    }
}

#[test]
fn an_echo_reads_one_row_and_shares_the_others() {
    let mut screen = Screen::new(shtask::model::Size::DEFAULT, 100);
    screen.admit(b"one\r\ntwo\r\n$ ");
    let before = screen.frame();
    screen.admit(b"l");
    let after = screen.frame();
    let shared = before.rows.iter().zip(&after.rows).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
    assert_eq!((shared, after.rows[2].text()), (23, "$ l".to_owned()));
}
