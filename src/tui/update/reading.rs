//! Search, filter, copy mode: what their keys do in the pane that is read.

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Focus, Kind, LineKind, Model, Motion, Pane, Point, Search, Selection, copied, moved};
use super::{beyond, line, scroll};

/// The longest text that is copied, in bytes.
const MAX_COPY_BYTES: usize = 16 * 1024 * 1024;

/// Does what a key means for reading. Returns false when it means something else: then the view is scrolled.
pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) -> bool {
    let height = scroll::height(model);
    let page = i64::from(height);
    match intent {
        Intent::Search => line::open(model, LineKind::Search),
        Intent::Filter => line::open(model, LineKind::Filter),
        Intent::NextHit => next_hit(model, true),
        Intent::PreviousHit => next_hit(model, false),
        Intent::Follow => follow(model),
        Intent::Select => select(model, Kind::Chars),
        Intent::SelectLines => select(model, Kind::Lines),
        Intent::SelectBlock => select(model, Kind::Block),
        Intent::OtherEnd => other_end(model),
        Intent::Copy => copy(model, true, cmds),
        Intent::CopyAsShown => copy(model, false, cmds),
        Intent::Left => walk(model, Motion::Left),
        Intent::Right => walk(model, Motion::Right),
        Intent::WordForward => walk(model, Motion::WordForward),
        Intent::WordBack => walk(model, Motion::WordBack),
        Intent::WordEnd => walk(model, Motion::WordEnd),
        Intent::LineStart => walk(model, Motion::LineStart),
        Intent::FirstText => walk(model, Motion::FirstText),
        Intent::LineEnd => walk(model, Motion::LineEnd),
        Intent::ParagraphBack => walk(model, Motion::ParagraphBack),
        Intent::ParagraphForward => walk(model, Motion::ParagraphForward),
        Intent::Back => return back(model),
        _ if model.pane.reading.cursor.is_none() => return false,
        Intent::Up => walk_rows(model, -1),
        Intent::Down => walk_rows(model, 1),
        Intent::PageUp => walk_rows(model, -(page - 1).max(1)),
        Intent::PageDown => walk_rows(model, (page - 1).max(1)),
        Intent::HalfUp => walk_rows(model, -(page / 2).max(1)),
        Intent::HalfDown => walk_rows(model, (page / 2).max(1)),
        Intent::First => walk_rows(model, -i64::from(u32::MAX)),
        Intent::Last => walk_rows(model, i64::from(u32::MAX)),
        _ => return false,
    }
    true
}

/// Takes one step back; false when there is none left but to leave.
fn back(model: &mut Model) -> bool {
    let reading = &mut model.pane.reading;
    if reading.selection.take().is_some() {
        return true;
    }
    let has_search = reading.search.is_some() && !reading.led_here;
    if has_search {
        reading.rest();
    }
    has_search || reading.cursor.take().is_some() || reading.filter.take().is_some()
}

/// The cursor of copy mode, brought up where the user looks when there is none.
fn cursor(pane: &mut Pane, height: u16) -> Point {
    if let Some(cursor) = pane.reading.cursor {
        return cursor;
    }
    let shown = pane.shown_rows(height);
    let hit = pane.reading.search.as_ref().and_then(|search| search.current);
    let typed = pane.frame.as_ref().map(|frame| Point {
        row: frame.history.end + u64::from(frame.cursor.y),
        col: frame.cursor.x.min(frame.size.cols() - 1),
    });
    let in_sight = hit.into_iter().chain(typed).find(|point| shown.contains(&point.row));
    let cursor = in_sight.unwrap_or(Point { row: shown.last().copied().unwrap_or(0), col: 0 });
    pane.stop_view(height);
    pane.reading.cursor = Some(cursor);
    pane.update_reading(false);
    cursor
}

/// Puts the cursor somewhere; what is selected reaches up to it.
pub(super) fn put_cursor(pane: &mut Pane, at: Point, height: u16) {
    pane.reading.cursor = Some(at);
    if let Some(selection) = &mut pane.reading.selection {
        selection.head = at;
    }
    pane.stop_view(height);
    pane.reveal(at.row, height);
}

fn walk(model: &mut Model, motion: Motion) {
    let height = scroll::height(model);
    let from = cursor(&mut model.pane, height);
    let mut to = moved(&model.pane.reading.text, from, motion);
    if to.row != from.row {
        // Rows that a filter hides are gone over.
        to.row = model.pane.row_away(to.row, 0);
    }
    put_cursor(&mut model.pane, to, height);
}

fn walk_rows(model: &mut Model, rows: i64) {
    let height = scroll::height(model);
    let from = cursor(&mut model.pane, height);
    let row = model.pane.row_away(from.row, rows);
    put_cursor(&mut model.pane, Point { row, ..from }, height);
}

fn select(model: &mut Model, kind: Kind) {
    let height = scroll::height(model);
    let at = cursor(&mut model.pane, height);
    let selection = &mut model.pane.reading.selection;
    *selection = match selection.take() {
        Some(selection) if selection.kind == kind => None,
        Some(selection) => Some(Selection { kind, ..selection }),
        None => Some(Selection { kind, anchor: at, head: at }),
    };
}

fn other_end(model: &mut Model) {
    let height = scroll::height(model);
    if let Some(Selection { anchor, head, kind }) = model.pane.reading.selection {
        model.pane.reading.selection = Some(Selection { kind, anchor: head, head: anchor });
        put_cursor(&mut model.pane, anchor, height);
    }
}

/// Copies what is selected, or the line of the cursor.
fn copy(model: &mut Model, joined: bool, cmds: &mut Vec<Cmd>) {
    let reading = &model.pane.reading;
    let line = reading.cursor.map(|at| Selection { kind: Kind::Lines, anchor: at, head: at });
    let Some(selection) = reading.selection.or(line) else {
        return model.inform("nothing is selected: v begins to select characters, V lines, C-v a block");
    };
    if copy_selection(model, selection, joined, cmds) {
        model.pane.reading.selection = None;
    }
}

/// Copies a selection and says how much that was. Returns whether it could be done.
pub(super) fn copy_selection(model: &mut Model, selection: Selection, joined: bool, cmds: &mut Vec<Cmd>) -> bool {
    let reading = &model.pane.reading;
    let Some(text) = copied(&reading.text, &selection, reading.filter.as_ref(), joined) else {
        model.inform("these rows are still being fetched: try again in a moment");
        return false;
    };
    if text.trim().is_empty() {
        model.inform("there are only blanks to copy");
        return false;
    }
    if text.len() > MAX_COPY_BYTES {
        model.complain(format!("{} are too much for a clipboard", super::super::model::bytes(text.len() as u64)));
        return false;
    }
    let (lines, chars) = (text.lines().count(), text.chars().filter(|c| *c != '\n').count());
    let count = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    model.inform(format!("copied {}, {}", count(lines, "line"), count(chars, "character")));
    cmds.push(Cmd::Copy(text));
    true
}

/// Follows the output, or stops where it is.
fn follow(model: &mut Model) {
    let height = scroll::height(model);
    match model.pane.scroll {
        Some(_) => {
            (model.pane.reading.cursor, model.pane.reading.selection) = (None, None);
            (model.pane.scroll, model.pane.reading.news) = (None, 0);
        }
        None => model.pane.stop_view(height),
    }
}

/// Goes to another hit: beyond the last one at hand, too, where the log may have one.
pub(super) fn next_hit(model: &mut Model, is_down: bool) {
    if !(is_at_the_edge(model, is_down) && beyond::begin(model, is_down, false)) {
        around(model, is_down);
    }
}

/// Whether there is no hit further that way among the rows at hand, or something is missing before it.
pub(super) fn is_at_the_edge(model: &Model, is_down: bool) -> bool {
    let Some(search) = &model.pane.reading.search else { return false };
    let (from, gap) = (from(model, search), beyond::gap(model));
    match search.next(from, is_down) {
        None | Some((_, true)) => true,
        Some((hit, false)) => !is_down && (hit.start.row..=from.row).contains(&gap) && hit.start.row < gap,
    }
}

/// Where the next hit is looked for from.
fn from(model: &Model, search: &Search) -> Point {
    let top = model.pane.shown_rows(scroll::height(model)).first().copied().unwrap_or(0);
    search.current.or(model.pane.reading.cursor).unwrap_or(Point { row: top, col: 0 })
}

/// Goes to another hit among the rows at hand, and tells when the end was passed.
pub(super) fn around(model: &mut Model, is_down: bool) {
    let height = scroll::height(model);
    let Some(search) = &model.pane.reading.search else {
        return model.inform("nothing was searched for yet: / begins a search");
    };
    let text = search.pattern.text.clone();
    let (next, before) = (search.next(from(model, search), is_down), search.current);
    let pane = &mut model.pane;
    match next {
        None => model.inform(format!("{text} is not in the output")),
        Some((hit, wrapped)) => {
            let is_other = before != Some(hit.start);
            go_to(pane, hit.start, height);
            if let Some(show) = model.show.as_mut().filter(|_| is_other) {
                show.line = None;
            }
            if wrapped {
                model.inform(round_words(is_down));
            }
        }
    }
}

/// What is said when a search has gone past an end.
pub(super) fn round_words(is_down: bool) -> &'static str {
    if is_down { "on from the oldest hit" } else { "on from the newest hit" }
}

fn go_to(pane: &mut Pane, at: Point, height: u16) {
    if let Some(search) = &mut pane.reading.search {
        (search.current, search.wanted) = (Some(at), None);
    }
    pane.stop_view(height);
    if pane.reading.cursor.is_some() {
        put_cursor(pane, at, height);
    }
    pane.reveal(at.row, height);
}

/// Lets a search begin at a row: the first hit from there on is gone to.
pub(super) fn search_from(pane: &mut Pane, row: u64) {
    if let Some(search) = &mut pane.reading.search {
        search.first_from = Some(row);
    }
    pane.update_reading(false);
}

/// Goes to the hit that is waited for, once it is known.
pub(super) fn settle(model: &mut Model) {
    let height = scroll::height(model);
    let pane = &mut model.pane;
    if let Some(search) = &mut pane.reading.search
        && let Some(row) = search.first_from.filter(|row| pane.reading.text.span().0 <= *row)
        && let Some(hit) = search.first(row)
    {
        search.first_from = None;
        return go_to(pane, hit.start, height);
    }
    let Some((search, wanted)) = pane.reading.search.as_ref().and_then(|search| Some((search, search.wanted?))) else {
        return;
    };
    let is_whole = pane.reading.text.is_whole();
    match search.nearest(wanted) {
        Some(hit) if hit.start.row <= wanted || is_whole => go_to(pane, hit.start, height),
        Some(_) | None => {}
    }
}

/// Ends everything but looking: the way back to live.
pub(super) fn end(model: &mut Model) {
    let reading = &mut model.pane.reading;
    reading.rest();
    (reading.filter, reading.news) = (None, 0);
}

/// Whether the view stays open at the end of the output.
pub(super) fn stays(model: &Model) -> bool {
    model.focus == Focus::Scroll && (model.pane.reading.is_active() || model.show.is_some())
}
