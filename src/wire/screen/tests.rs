//! Screens there and back.

use std::sync::Arc;

use compact_str::CompactString;
use proptest::prelude::*;

use super::*;
use crate::model::{
    Attributes, Cell, Color, Cursor, CursorShape, Frame, HistorySpan, Progress, Row, Size, Style, Underline,
};

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Default),
        any::<u8>().prop_map(Color::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Color::Rgb(red, green, blue)),
    ]
}

fn style() -> impl Strategy<Value = Style> {
    let underline = prop_oneof![Just(Underline::None), Just(Underline::Curly), Just(Underline::Dashed)];
    (color(), color(), color(), any::<u8>(), underline, any::<u16>()).prop_map(
        |(foreground, background, underline_color, bits, underline, link)| Style {
            foreground,
            background,
            attributes: Attributes::from_bits(bits),
            underline,
            underline_color,
            link,
        },
    )
}

fn cell() -> impl Strategy<Value = Cell> {
    let text =
        prop_oneof![Just(""), Just("a"), Just(" "), Just("ä"), Just("漢"), Just("👩\u{200d}🚀"), Just("e\u{301}")];
    let style = prop_oneof![4 => Just(Style::default()), 1 => style()];
    (text, 0_u8..=2, style).prop_map(|(text, width, style)| Cell { text: CompactString::new(text), width, style })
}

fn row(cols: usize) -> impl Strategy<Value = Arc<Row>> {
    (proptest::collection::vec(cell(), cols), any::<bool>())
        .prop_map(|(cells, wrapped)| Arc::new(Row { cells, wrapped }))
}

fn frame(size: Size) -> impl Strategy<Value = Frame> {
    let rows = proptest::collection::vec(row(size.cols().into()), usize::from(size.rows()));
    let progress =
        prop_oneof![Just(None), Just(Some(Progress::Busy)), any::<u8>().prop_map(|n| Some(Progress::Paused(n)))];
    (rows, any::<(u64, u64, u64, bool)>(), progress, ".{0,8}").prop_map(move |(rows, numbers, progress, title)| {
        let (generation, bells, history, visible) = numbers;
        let cursor = Cursor { x: 1, y: 0, visible, shape: CursorShape::SteadyBar };
        let history = HistorySpan { first: history / 2, end: history };
        Frame { generation, bells, rows, cursor, progress, history, title: title.into(), ..Frame::empty(size) }
    })
}

fn small() -> Size {
    Size::new(7, 4).expect("a size")
}

proptest! {
    #[test]
    fn a_screen_reads_back_as_it_was_with_and_without_a_base(base in frame(small()), new in frame(small()), picks in any::<[u8; 4]>()) {
        // Each row of the new screen is a new one, that of the base in its place, or one that has moved.
        let mut next = new.clone();
        for (at, pick) in picks.iter().enumerate() {
            match pick % 4 {
                0 => {}
                1 => next.rows[at] = Arc::clone(&base.rows[at]),
                2 => next.rows[at] = Arc::clone(&base.rows[(at + 1) % 4]),
                _ => next.rows[at] = Arc::new((*base.rows[at]).clone()),
            }
        }
        prop_assert_eq!(&read_frame(&write_frame(&next, None), None).expect("a screen"), &next);
        let back = read_frame(&write_frame(&next, Some(&base)), Some(&base)).expect("a screen");
        prop_assert_eq!(&back, &next);
        for (at, pick) in picks.iter().enumerate() {
            if pick % 4 == 1 {
                prop_assert!(Arc::ptr_eq(&back.rows[at], &base.rows[at]), "an unchanged row is shared");
            }
        }
    }

    #[test]
    fn rows_of_any_length_read_back_as_they_were(rows in proptest::collection::vec((0_usize..9).prop_flat_map(row), 0..6)) {
        prop_assert_eq!(read_rows(&write_rows(&rows)).expect("rows"), rows);
    }

    #[test]
    fn any_bytes_are_a_screen_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let base = Frame::empty(small());
        let _ = read_frame(&bytes, Some(&base));
        let _ = read_rows(&bytes);
    }

    #[test]
    fn a_screen_with_a_broken_byte_is_a_screen_or_an_error(base in frame(small()), new in frame(small()), at: prop::sample::Index, byte: u8) {
        let mut bytes = write_frame(&new, Some(&base));
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(frame) = read_frame(&bytes, Some(&base)) {
            prop_assert_eq!(frame.rows.len(), usize::from(frame.size.rows()));
            prop_assert!(frame.rows.iter().all(|row| row.cells.len() == usize::from(frame.size.cols())));
        }
    }
}

#[test]
fn a_screen_that_scrolled_by_a_line_costs_that_line() {
    let size = Size::DEFAULT;
    let line = |text: &str| {
        let mut cells = vec![Cell::blank(); usize::from(size.cols())];
        for (cell, c) in cells.iter_mut().zip(text.chars()) {
            cell.text = CompactString::new(c.to_string());
        }
        Arc::new(Row { cells, wrapped: false })
    };
    let rows: Vec<_> = (0..usize::from(size.rows())).map(|at| line(&format!("line {at}"))).collect();
    let base = Frame { rows, ..Frame::empty(size) };
    let mut next = base.clone();
    next.rows.remove(0);
    next.rows.push(line("the new line"));
    let bytes = write_frame(&next, Some(&base));
    assert!(bytes.len() < 60, "{} bytes", bytes.len());
    let back = read_frame(&bytes, Some(&base)).expect("a screen");
    assert_eq!(back, next);
    assert!(Arc::ptr_eq(&back.rows[0], &base.rows[1]));
    assert!(write_frame(&Frame::empty(size), None).len() < 40, "an empty screen is short");
}
