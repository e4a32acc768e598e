//! Shows: opened in place of the selected run, read like any output.

use crate::api::{LinePlace, SearchHit, Stream};
use crate::model::Mode;

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Filter, Focus, Model, Overlay, Pattern, RowKey, Search, Shown};
use super::super::shows::{Order, Source, Told, What};
use super::{menus, reading, scroll};

/// How far a replay is moved by a key, in seconds.
const SEEK: i32 = 5;

/// Opens a show; what it was opened from comes back after it.
pub(super) fn open(model: &mut Model, what: What, title: String, back: Option<Overlay>, cmds: &mut Vec<Cmd>) {
    close(model);
    model.inspect = None;
    let mut under = std::mem::take(&mut model.pane);
    if let (Some(run), Some(_)) = (under.run, under.watching.take()) {
        cmds.push(Cmd::Unwatch(run));
    }
    model.shows += 1;
    (model.focus, model.overlay, model.dirty) = (Focus::Scroll, None, true);
    let shown = Shown {
        id: model.shows,
        title,
        line: None,
        what: what.clone(),
        playing: None,
        is_whole: false,
        place: None,
        anchor: None,
        before: None,
        cut: None,
        pattern: None,
        at_end: false,
        follows: false,
        wanted: None,
        resizing: None,
        under,
        back,
    };
    model.show = Some(Box::new(shown));
    cmds.push(Cmd::Show { id: model.shows, what, size: model.pane_size() });
}

/// Opens the log of a run at a hit, with the search in it. The run is told by its name and mode.
pub(super) fn open_at(
    model: &mut Model,
    hit: &SearchHit,
    (name, mode): (&str, Option<Mode>),
    pattern: Pattern,
    back: Option<Overlay>,
    cmds: &mut Vec<Cmd>,
) {
    let place = LinePlace { stream: hit.stream, offset: hit.offset };
    open(model, What::Log { run: hit.run, place: Some(place) }, format!("log of {name}"), back, cmds);
    model.pane.reading.search = Some(Search::new(pattern.clone()));
    model.pane.reading.led_here = true;
    if let Some(show) = &mut model.show {
        show.pattern = Some(pattern);
        show.line = Some(match (mode, hit.stream) {
            (Some(Mode::Pipes), Stream::Stdout) => format!("line {} of stdout", hit.line),
            (Some(Mode::Pipes), Stream::Stderr) => format!("line {} of stderr", hit.line),
            (Some(Mode::Pty) | None, _) => format!("line {}", hit.line),
        });
    }
}

/// Opens the part of the same log that the user has gone on to.
fn go_on(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(show) = &mut model.show else { return };
    let Some(what) = show.wanted.take() else { return };
    let (title, back) = (show.title.clone(), show.back.take());
    let reading = &mut model.pane.reading;
    let (search, filter, led_here) = (reading.search.take(), reading.filter.take(), reading.led_here);
    open(model, what, title, back, cmds);
    let reading = &mut model.pane.reading;
    reading.search = search.map(|search| Search::new(search.pattern));
    reading.filter = filter.map(Filter::anew);
    reading.led_here = led_here;
}

/// Notes that the user goes up from the first row of a part of a log, or down from its last: what is beyond is opened.
pub(super) fn pass_an_end(model: &mut Model, rows: i64) {
    let (height, whole) = (scroll::height(model), i64::from(u32::MAX));
    let Some(show) = &mut model.show else { return };
    let What::Log { run, place: around } = show.what else { return };
    let has_end = show.cut.is_none() && (show.is_whole || show.at_end);
    if rows >= whole && around.is_some() && !has_end {
        show.wanted = Some(What::End(run));
    }
    if show.wanted.is_some() || show.is_reading() {
        return;
    }
    let place = match (rows < 0, show.before, show.cut) {
        // To the very beginning.
        (true, Some(first), _) if rows <= -whole => LinePlace { offset: 0, ..first },
        (true, Some(first), _) if model.pane.is_at_the_top(height) => first,
        (false, _, Some(last)) if show.is_whole && model.pane.is_at_the_end(height) => last,
        _ => return,
    };
    show.wanted = Some(What::Log { run, place: Some(place) });
}

/// Shows what the log has of a selected run whose output nobody has at hand any more. Returns false when the run itself can be looked at.
pub(super) fn stands_in(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    let name = model.selected_name();
    let Some(view) = model.selected_view().filter(|_| model.pane.frame.is_none() && model.pane.failure.is_some())
    else {
        return false;
    };
    let (run, mode) = (view.id(), view.record.mode);
    let what = match mode {
        Mode::Pty => What::Screen(run),
        Mode::Pipes => What::Log { run, place: None },
    };
    open(model, what, format!("{name}, from its log"), None, cmds);
    true
}

/// Closes the show, if one is open. Returns what it was opened from.
pub(super) fn close(model: &mut Model) -> Option<Overlay> {
    let show = model.show.take()?;
    model.pane = show.under;
    // What could not be looked at before is tried again.
    (model.pane.scroll, model.pane.failure) = (None, None);
    reading::end(model);
    (model.focus, model.dirty) = (Focus::List, true);
    show.back
}

/// Goes back to where the show was opened from.
pub(super) fn back(model: &mut Model) {
    model.overlay = close(model);
}

/// Takes what the show tells.
pub(super) fn told(model: &mut Model, id: u64, told: Told) {
    let Some(show) = model.show.as_mut().filter(|show| show.id == id) else { return };
    model.dirty = true;
    match told {
        Told::Frame(frame) => {
            model.pane.show(frame);
            if !show.is_whole {
                model.pane.reading.news = 0;
            }
        }
        Told::Rows { first, rows, is_text: true } => model.pane.reading.text.take(first, &rows),
        Told::Rows { first, rows, is_text: false } => model.pane.history.answered(first, rows),
        Told::End(place) => {
            if let What::End(run) = show.what {
                (show.what, show.at_end) = (What::Log { run, place: Some(place) }, true);
            }
        }
        Told::Follows(follows) => show.follows = follows,
        Told::Place(row) => show.place = Some(row),
        Told::Gone => {
            show.line = None;
            // Who has only gone on there was promised no line.
            if show.pattern.take().is_some() {
                model.inform("that line is not in the log any more: its oldest part was dropped");
            }
        }
        Told::Before(place) => show.before = Some(place),
        Told::Paused(place) => show.cut = Some(place),
        Told::Cut(place) => (show.cut, show.is_whole) = (Some(place), true),
        Told::Playing(playing) => show.playing = Some(playing),
        Told::Whole => show.is_whole = true,
        Told::Failed(failure) => {
            show.is_whole = true;
            model.pane.failure = Some(failure);
        }
    }
}

/// After every event: what is shown decides which rows are fetched.
pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    go_on(model, cmds);
    let (height, size) = (scroll::height(model), model.pane_size());
    let Some(show) = &mut model.show else { return };
    let pane = &mut model.pane;
    pane.update_reading(false);
    let Some(frame) = pane.frame.clone() else { return };
    if let Some(row) = show.place.filter(|row| *row < frame.history.end + frame.rows.len() as u64) {
        (show.place, show.anchor) = (None, Some(row));
        if show.at_end {
            pane.scroll = None;
        } else {
            pane.centre(row, height);
        }
        if show.pattern.take().is_some() {
            reading::search_from(pane, row);
        }
    }
    if show.cut.is_some() && !show.is_whole && show.place.is_none() && pane.is_near_the_end(height) {
        show.cut = None;
        cmds.push(Cmd::ShowOrder(Order::More));
    }
    let is_around = matches!(show.what, What::Log { place: Some(_), .. }) && !show.at_end;
    if is_around && !show.is_whole && show.place.is_none() {
        // The view stays where it is while more comes below it.
        pane.stop_view(height);
    }
    if show.is_wrapped() && frame.size != size && show.resizing != Some(size) {
        // Rows are wrapped anew, so their numbers mean something else.
        (show.resizing, show.anchor) = (Some(size), None);
        cmds.push(Cmd::ShowOrder(Order::Resize(size)));
    }
    let top = pane.top(height);
    if let Some((from, to)) = pane.reading.needed(top, height)
        && let Some((first, count)) = pane.reading.text.missing(from, to)
    {
        cmds.push(Cmd::ShowOrder(Order::Rows { first, count, is_text: true }));
    }
    if pane.scroll.is_some() {
        let kept = (frame.history.first, frame.history.end);
        if let Some((first, count)) = pane.history.missing(top, top + u64::from(height), kept, height.into()) {
            cmds.push(Cmd::ShowOrder(Order::Rows { first, count, is_text: false }));
        }
    }
    reading::settle(model);
}

/// The keys of a replay.
pub(super) fn play(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) {
    let order = match intent {
        Intent::PlayPause => Order::Pause,
        Intent::Faster => Order::Faster,
        Intent::Slower => Order::Slower,
        Intent::Left => Order::Seek(-SEEK),
        Intent::Right => Order::Seek(SEEK),
        Intent::First => Order::Begin,
        Intent::Last => Order::End,
        Intent::Back => return back(model),
        Intent::Zoom => return model.zoom = !model.zoom,
        Intent::Help => return menus::open_help(model),
        Intent::Suspend => return cmds.push(Cmd::Suspend),
        Intent::Redraw => return cmds.push(Cmd::Redraw),
        _ => return,
    };
    cmds.push(Cmd::ShowOrder(order));
}

/// Marks the selected run, or no longer. The head of the list counts them, the bottom line has the keys that are for all of them.
pub(super) fn mark(model: &mut Model) {
    let Some(key) = model.list.selected_key().cloned() else { return };
    match model.marked.iter().position(|marked| *marked == key) {
        Some(at) => drop(model.marked.remove(at)),
        None => model.marked.push(key),
    }
    model.list.move_selection(1);
}

/// Shows the lines of the marked runs in one; without marks, those of all live ones.
pub(super) fn merged(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let rows = model.list.rows.iter().filter(|row| match model.marked.is_empty() {
        true => model.list.view_of(row).is_some_and(|view| !view.record.status.is_final()),
        false => model.marked.contains(&row.key),
    });
    let sources: Vec<Source> = rows
        .filter_map(|row| model.list.view_of(row))
        .map(|view| Source {
            run: view.id(),
            name: model.run_name(view.id()),
            mode: view.record.mode,
            is_live: !view.record.status.is_final(),
        })
        .collect();
    if sources.is_empty() {
        let key = model.key(Intent::Mark);
        return model.inform(format!("there is no run to show; {key} marks runs whose lines are shown in one"));
    }
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let title = format!("merged: {}", names.join(", "));
    open(model, What::Merged(sources), title, None, cmds);
}

/// Forgets marks of rows that are gone.
pub(super) fn settle_marks(model: &mut Model) {
    let list = &model.list;
    model.marked.retain(|key: &RowKey| list.rows.iter().any(|row| row.key == *key));
}
