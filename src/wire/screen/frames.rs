//! Whole screens.
//!
//! A byte of flags ([`Same`]), the numbers, what is not the same as in the base, then groups of rows until there are as many as the size says.
//! A group is a number whose lowest bit says whether its rows are those of the base from a place on, which follows, or so many times the row that
//! follows.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::super::WireError;
use super::super::bytes::{Taker, put, put_count};
use super::rows::{read_row, write_row};
use crate::model::{
    Cursor, CursorShape, Frame, HistorySpan, MouseEncoding, MouseTracking, Progress, Row, Size, TerminalModes,
};

/// What is as in the base, as bits.
struct Same;

impl Same {
    const TITLE: u8 = 1;
    const LINKS: u8 = 2;
    const MODES: u8 = 4;
}

/// The rows of a group are those of the base.
const OF_BASE: u64 = 1;

/// Writes a screen as what differs from `base`.
pub fn write_frame(frame: &Frame, base: Option<&Frame>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    let base_has = |is_same: fn(&Frame, &Frame) -> bool| base.is_some_and(|base| is_same(base, frame));
    let same = [
        (Same::TITLE, base_has(|a, b| a.title == b.title)),
        (Same::LINKS, base_has(|a, b| Arc::ptr_eq(&a.links, &b.links) || a.links == b.links)),
        (Same::MODES, base_has(|a, b| a.modes == b.modes)),
    ];
    let same = same.iter().filter(|(_, is_same)| *is_same).fold(0, |flags, (flag, _)| flags | flag);
    bytes.push(same);
    put(&mut bytes, frame.generation);
    put(&mut bytes, frame.cut);
    put(&mut bytes, frame.size.cols().into());
    put(&mut bytes, frame.size.rows().into());
    put(&mut bytes, frame.cursor.x.into());
    put(&mut bytes, frame.cursor.y.into());
    bytes.push(cursor_shape(frame.cursor.shape) << 1 | u8::from(frame.cursor.visible));
    put(&mut bytes, frame.bells);
    match frame.progress {
        None => bytes.push(0),
        Some(Progress::Normal(share)) => bytes.extend([1, share]),
        Some(Progress::Error(share)) => bytes.extend([2, share]),
        Some(Progress::Busy) => bytes.push(3),
        Some(Progress::Paused(share)) => bytes.extend([4, share]),
    }
    put(&mut bytes, frame.history.first);
    put(&mut bytes, frame.history.end);
    if same & Same::MODES == 0 {
        write_modes(frame.modes, &mut bytes);
    }
    if same & Same::TITLE == 0 {
        write_text(&frame.title, &mut bytes);
    }
    if same & Same::LINKS == 0 {
        put_count(&mut bytes, frame.links.len());
        for (link, target) in frame.links.iter() {
            put(&mut bytes, (*link).into());
            write_text(target, &mut bytes);
        }
    }
    write_groups(&frame.rows, base.map_or(&[], |base| &base.rows), &mut bytes);
    bytes
}

/// Reads a screen that was written with the same `base`.
///
/// # Errors
/// [`WireError::Screen`] for bytes that are no screen.
pub fn read_frame(bytes: &[u8], base: Option<&Frame>) -> Result<Frame, WireError> {
    let mut from = Taker(bytes);
    let no_base = WireError::Screen { what: "it refers to a screen that there is not" };
    let same = from.byte()?;
    let of_base = |flag: u8| if same & flag == 0 { Ok(None) } else { base.map(Some).ok_or(no_base.clone()) };
    let (generation, cut) = (from.number()?, from.number()?);
    let size =
        Size::new(from.small()?, from.small()?).map_err(|_| WireError::Screen { what: "its size is out of range" })?;
    let (x, y, look) = (from.small()?, from.small()?, from.byte()?);
    let cursor = Cursor { x, y, visible: look & 1 == 1, shape: read_cursor_shape(look >> 1)? };
    let bells = from.number()?;
    let progress = match from.byte()? {
        0 => None,
        1 => Some(Progress::Normal(from.byte()?)),
        2 => Some(Progress::Error(from.byte()?)),
        3 => Some(Progress::Busy),
        4 => Some(Progress::Paused(from.byte()?)),
        _ => return Err(WireError::Screen { what: "progress of no known kind" }),
    };
    let history = HistorySpan { first: from.number()?, end: from.number()? };
    if history.first > history.end {
        return Err(WireError::Screen { what: "its history ends before it starts" });
    }
    let modes = match of_base(Same::MODES)? {
        Some(base) => base.modes,
        None => read_modes(&mut from)?,
    };
    let title = match of_base(Same::TITLE)? {
        Some(base) => Arc::clone(&base.title),
        None => read_text(&mut from)?,
    };
    let links = match of_base(Same::LINKS)? {
        Some(base) => Arc::clone(&base.links),
        None => {
            let count = from.number()?;
            let mut links = BTreeMap::new();
            for _ in 0..count {
                let link = from.small()?;
                links.insert(link, read_text(&mut from)?);
            }
            Arc::new(links)
        }
    };
    let rows = read_groups(&mut from, size, base.map_or(&[], |base| &base.rows))?;
    if !from.0.is_empty() {
        return Err(WireError::Screen { what: "something follows its last row" });
    }
    Ok(Frame { generation, cut, size, rows, cursor, modes, title, bells, progress, history, links })
}

fn write_groups(rows: &[Arc<Row>], base: &[Arc<Row>], bytes: &mut Vec<u8>) {
    let mut places: Option<HashMap<*const Row, usize>> = None;
    let mut at = 0;
    while at < rows.len() {
        let row = &rows[at];
        let in_place = base.get(at).is_some_and(|old| Arc::ptr_eq(old, row) || old == row);
        let place = if in_place {
            Some(at)
        } else {
            // Only once something has changed is it worth knowing what moved.
            let places = places.get_or_insert_with(|| {
                base.iter().enumerate().rev().map(|(place, row)| (Arc::as_ptr(row), place)).collect()
            });
            places.get(&Arc::as_ptr(row)).copied()
        };
        let rest = &rows[at..];
        let count = match place {
            Some(place) => {
                let is_same = |(new, old): &(&Arc<Row>, &Arc<Row>)| Arc::ptr_eq(new, old) || (in_place && new == old);
                rest.iter().zip(&base[place..]).take_while(is_same).count()
            }
            None => rest.iter().take_while(|other| Arc::ptr_eq(other, row)).count(),
        };
        put(bytes, (count as u64) << 1 | if place.is_some() { OF_BASE } else { 0 });
        match place {
            Some(place) => put_count(bytes, place),
            None => write_row(row, bytes),
        }
        at += count;
    }
}

fn read_groups(from: &mut Taker<'_>, size: Size, base: &[Arc<Row>]) -> Result<Vec<Arc<Row>>, WireError> {
    let (cols, wanted) = (usize::from(size.cols()), usize::from(size.rows()));
    let mut rows: Vec<Arc<Row>> = Vec::with_capacity(wanted);
    while rows.len() < wanted {
        let group = from.number()?;
        let count = usize::try_from(group >> 1).unwrap_or(usize::MAX);
        if count == 0 || count > wanted - rows.len() {
            return Err(WireError::Screen { what: "it has other rows than it says" });
        }
        if group & OF_BASE == OF_BASE {
            let place: usize = from.small()?;
            let named = place.checked_add(count).and_then(|end| base.get(place..end));
            let named = named.ok_or(WireError::Screen { what: "it names rows that there are not" })?;
            rows.extend(named.iter().map(Arc::clone));
        } else {
            let row = Arc::new(read_row(from)?);
            rows.extend(std::iter::repeat_n(row, count));
        }
    }
    if rows.iter().any(|row| row.cells.len() != cols) {
        return Err(WireError::Screen { what: "a row is not as wide as the screen" });
    }
    Ok(rows)
}

fn write_text(text: &str, bytes: &mut Vec<u8>) {
    put_count(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn read_text(from: &mut Taker<'_>) -> Result<Arc<str>, WireError> {
    let length = from.small()?;
    from.text(length).map(Arc::from)
}

const SHAPES: [CursorShape; 7] = [
    CursorShape::Default,
    CursorShape::BlinkingBlock,
    CursorShape::SteadyBlock,
    CursorShape::BlinkingUnderline,
    CursorShape::SteadyUnderline,
    CursorShape::BlinkingBar,
    CursorShape::SteadyBar,
];

const TRACKINGS: [MouseTracking; 5] =
    [MouseTracking::Off, MouseTracking::Press, MouseTracking::Click, MouseTracking::Drag, MouseTracking::Motion];

const ENCODINGS: [MouseEncoding; 5] =
    [MouseEncoding::Legacy, MouseEncoding::Utf8, MouseEncoding::Sgr, MouseEncoding::Urxvt, MouseEncoding::SgrPixels];

/// Returns the number of a value: its place in the list of all.
fn number_of<T: PartialEq>(all: &[T], value: &T) -> u8 {
    let place = all.iter().position(|one| one == value).expect("the list has all values");
    u8::try_from(place).expect("a short list")
}

fn value_of<T: Copy>(all: &[T], number: u8) -> Result<T, WireError> {
    all.get(usize::from(number)).copied().ok_or(WireError::Screen { what: "a value of no known kind" })
}

fn cursor_shape(shape: CursorShape) -> u8 {
    number_of(&SHAPES, &shape)
}

fn read_cursor_shape(number: u8) -> Result<CursorShape, WireError> {
    value_of(&SHAPES, number)
}

fn write_modes(modes: TerminalModes, bytes: &mut Vec<u8>) {
    let flags = [
        modes.alternate_screen,
        modes.application_cursor,
        modes.application_keypad,
        modes.bracketed_paste,
        modes.focus_events,
        modes.alternate_scroll,
        modes.newline,
    ];
    bytes.push(flags.iter().enumerate().fold(0, |bits, (place, on)| bits | u8::from(*on) << place));
    let mouse = [number_of(&TRACKINGS, &modes.mouse_tracking), number_of(&ENCODINGS, &modes.mouse_encoding)];
    bytes.extend(mouse);
    bytes.extend([modes.kitty_keyboard, modes.modify_other_keys]);
}

fn read_modes(from: &mut Taker<'_>) -> Result<TerminalModes, WireError> {
    let bits = from.byte()?;
    let on = |place: u8| bits >> place & 1 == 1;
    Ok(TerminalModes {
        alternate_screen: on(0),
        application_cursor: on(1),
        application_keypad: on(2),
        bracketed_paste: on(3),
        focus_events: on(4),
        alternate_scroll: on(5),
        newline: on(6),
        mouse_tracking: value_of(&TRACKINGS, from.byte()?)?,
        mouse_encoding: value_of(&ENCODINGS, from.byte()?)?,
        kitty_keyboard: from.byte()?,
        modify_other_keys: from.byte()?,
    })
}
