//! Where each event goes.

use crate::api::{Link, Update};
use crate::model::{Frame, KeyChord, Moment, RunId};

use super::super::cmd::Cmd;
use super::super::event::{Event, Input};
use super::super::keymap::Found;
use super::super::keys::{Intent, Part, label};
use super::super::model::{Doubling, Focus, Level, Model, Overlay};
use super::palette;
use super::sequence::Pressed;
use super::{
    answers, attached, browser, filter, find, intents, keyboard, leave, line, menus, mouse, notify, prompt, rename,
    scroll, sequence, show, sync,
};

/// Takes an event in.
pub(crate) fn update(model: &mut Model, event: Event, now: Moment) -> Vec<Cmd> {
    model.now = now;
    let mut cmds = Vec::new();
    match event {
        Event::Ready { time_zone } => {
            model.time_zone = time_zone;
            model.dirty = true;
        }
        Event::Input(input) => take_input(model, input, &mut cmds),
        Event::Runs(change) => take_runs(model, change, &mut cmds),
        Event::RunsGone => lose(model),
        Event::Link(link) => take_link(model, link, &mut cmds),
        Event::Frame { run, frame } => {
            let area = model.terminal_of(run);
            let only_rows = only_rows_change(model, run, &frame);
            if area.is_some() {
                model.list.saw(run, frame.generation);
            }
            if let Some(pane) = model.pane_of_mut(run) {
                let changes = area.is_some_and(|area| pane.would_change(&frame, area.height));
                pane.show(frame);
                if changes {
                    if only_rows { model.rows_dirty = true } else { model.dirty = true }
                }
            }
        }
        Event::WatchFailed { run, failure } => {
            if let Some(pane) = model.pane_of_mut(run) {
                pane.failure = Some(failure);
                model.dirty = true;
            }
        }
        Event::Found { number, found } => find::found(model, number, found),
        Event::Show { id, told } => show::told(model, id, told),
        Event::Answer(answer) => answers::take(model, answer, &mut cmds),
        Event::Visited(result) => {
            model.dirty = true;
            if let Err(why) = result {
                model.complain(why);
            }
        }
        Event::Terminate(signal) => leave::terminate(model, signal, &mut cmds),
        Event::Done => {}
        Event::Tick => {
            model.dirty = true;
            model.expire_notice();
            leave::tick(model, &mut cmds);
        }
    }
    sync::sync(model, &mut cmds);
    cmds
}

/// Whether a frame changes nothing on the screen but rows of the terminal and its cursor.
fn only_rows_change(model: &Model, run: RunId, next: &Frame) -> bool {
    let is_live = model.list.known(run).is_some_and(|known| !known.view.record.status.is_final());
    let Some(pane) = std::iter::once(&model.pane).chain(&model.beside).find(|pane| pane.run == Some(run)) else {
        return false;
    };
    let is_same_kind = |frame: &Frame| frame.size == next.size && frame.title == next.title;
    is_live
        && pane.scroll.is_none()
        && !pane.reading.is_active()
        && model.overlay.is_none()
        && model.notice.is_none()
        && model.parted.is_none()
        && pane.frame.as_deref().is_some_and(is_same_kind)
}

fn take_input(model: &mut Model, input: Input, cmds: &mut Vec<Cmd>) {
    match input {
        Input::Key(chord) => press(model, chord, cmds),
        Input::Mouse(mouse) => mouse::take(model, mouse, cmds),
        Input::Paste(text) => match &mut model.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt::paste(prompt, &text);
                model.dirty = true;
            }
            Some(Overlay::Find(find)) => {
                find::paste(find, &text);
                model.dirty = true;
            }
            Some(Overlay::History(browser)) => {
                browser::paste(browser, &text);
                model.dirty = true;
            }
            Some(Overlay::Rename(open)) => {
                rename::paste(open, &text);
                model.dirty = true;
            }
            Some(Overlay::Line(_)) => {
                line::paste(model, &text);
                model.dirty = true;
            }
            Some(Overlay::Palette(palette)) => {
                prompt::paste_line(&mut palette.words, &text, palette::MAX_CHARS);
                model.dirty = true;
            }
            Some(
                Overlay::Help { .. }
                | Overlay::Signal(_)
                | Overlay::Extend(_)
                | Overlay::Export(_)
                | Overlay::Leave(_)
                | Overlay::Ask(_),
            ) => {}
            None if model.filter.editing && model.focus == Focus::List => filter::paste(model, &text),
            None if model.focus == Focus::Attached && model.ending.is_none() => attached::paste(model, &text, cmds),
            None => {}
        },
        Input::Focus(got) => {
            model.away = !got;
            attached::focus_changed(model, got, cmds);
        }
        Input::HasKeyboardFlags => {
            // Drawing asks for the flags.
            model.has_keyboard_flags = true;
            model.dirty = true;
        }
        Input::Ground(ground) | Input::GroundChanged(ground) => {
            let theme = model.setup.by_ground.map_or(model.setup.theme, |themes| themes.theme(ground));
            model.dirty |= theme != model.setup.theme;
            model.setup.theme = theme;
        }
        Input::Resize { cols, rows } => {
            model.size = (cols, rows);
            model.pane.refused = None;
            model.dirty = true;
            cmds.push(Cmd::Redraw);
        }
    }
}

fn press(model: &mut Model, chord: KeyChord, cmds: &mut Vec<Cmd>) {
    let doubling = model.doubling.take();
    let part = model.part();
    if model.focus != Focus::Scroll && model.pane.reading.selection.take().is_some() {
        model.dirty = true;
    }
    // While attached, a key changes nothing here unless it is ours: what it does comes back as a frame.
    let Some(part) = part else { return attached::press(model, chord, cmds) };
    model.dirty = true;
    model.notice = None;
    let is_open = matches!(part, Part::List | Part::Scroll);
    if chord == model.setup.attach_key && is_open && attach_key(model, part, doubling, cmds) {
        return;
    }
    let intent = match sequence::press(model, part, chord) {
        Pressed::Intent(intent) => Some(intent),
        Pressed::Key => None,
        Pressed::Swallowed => return,
    };
    match (part, intent) {
        (Part::List | Part::Scroll, Some(intent)) => act(model, intent, cmds),
        (Part::Scroll, None) => elsewhere(model, chord),
        (Part::List, None) => {}
        (Part::Filter, _) => filter::press(model, intent, chord, cmds),
        (Part::Waiting, _) => leave::press_waiting(model, intent, cmds),
        (Part::Replay, Some(intent)) => show::play(model, intent, cmds),
        (Part::Replay, None) => {}
        (
            Part::Find
            | Part::History
            | Part::HistoryFilter
            | Part::Help
            | Part::Line
            | Part::Palette
            | Part::NewRun
            | Part::Menu
            | Part::Leave
            | Part::Ask
            | Part::Rename,
            _,
        ) => menus::press(model, intent, chord, cmds),
    }
}

/// Presses the key of an action, as somebody does who clicks on it at the bottom.
pub(super) fn press_for(model: &mut Model, part: Part, intent: Intent, cmds: &mut Vec<Cmd>) {
    let chords = model.setup.keys.chords(part, intent).unwrap_or_default().to_vec();
    chords.into_iter().for_each(|chord| press(model, chord, cmds));
}

/// A key that means nothing to who looks back: whoever meant the list is told the way.
fn elsewhere(model: &mut Model, chord: KeyChord) {
    let keys = &model.setup.keys;
    if let (Found::Intent(_), Some(back)) = (keys.find(Part::List, &[chord]), keys.label(Part::Scroll, Intent::Back)) {
        model.inform(format!("{} is a key of the list; {back} goes back to it", label(chord)));
    }
}

/// Takes the attach key outside of a run: it attaches, pressed twice it goes to the run. Returns whether that was all it can mean.
fn attach_key(model: &mut Model, part: Part, doubling: Option<Doubling>, cmds: &mut Vec<Cmd>) -> bool {
    let again = doubling.filter(|doubling| model.now < doubling.until);
    let is_begun = model.pending.take().is_some();
    match again {
        Some(doubling) => attached::send_attach_key(model, &doubling.row, cmds),
        None if !is_begun && sequence::attach_key_begins(model, part) => return false,
        None => attached::attach(model, cmds),
    }
    true
}

/// Does what a key of the list or the scrollback means; the status line's entries do the same when they are clicked.
pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) {
    match model.focus {
        Focus::Scroll => scroll::act(model, intent, cmds),
        Focus::List | Focus::Attached => intents::act(model, intent, cmds),
    }
}

fn take_runs(model: &mut Model, change: Update, cmds: &mut Vec<Cmd>) {
    let shown = model.shown_runs();
    keyboard::saw(model, &change, cmds);
    match change {
        Update::Run(view) => {
            let (run, status) = (view.id(), view.record.status);
            let before = model.list.known(run).map(|known| known.view.record.status);
            notify::changed(model, &view, &shown, cmds);
            let row = model.list.row_of(run).map(|row| row.key.clone());
            let changed = model.list.put(view, &shown);
            model.row_changed(run, row);
            model.dirty |= changed || model.inspect.is_some();
            if before != Some(status) {
                status_changed(model, run);
            }
        }
        Update::Removed(run) => {
            model.list.remove(run);
            model.dirty = true;
        }
        Update::Resync(views) => {
            model.list.replace(views, &shown);
            model.dirty = true;
            intents::autostart(model, cmds);
        }
    }
}

/// The shown run has another status: what could not be watched before may be watchable now, and the panel is behind.
fn status_changed(model: &mut Model, run: RunId) {
    if let Some(pane) = model.pane_of_mut(run)
        && pane.failure.take().is_some()
    {
        pane.watching = None;
    }
    if let Some(panel) = model.inspect.as_mut().filter(|panel| panel.run == Some(run)) {
        panel.stale = true;
    }
}

/// The connection to the server is lost, or there again: what is shown goes on from there.
fn take_link(model: &mut Model, link: Link, cmds: &mut Vec<Cmd>) {
    model.dirty = true;
    let was_parted = model.parted.is_some();
    model.parted = match link {
        Link::Up => None,
        Link::Silent(failure) | Link::Lost(failure) => Some(failure.message),
    };
    if model.parted.is_some() {
        return;
    }
    // The runs may be another server's now: they are watched anew, also those that nobody could show.
    for pane in std::iter::once(&mut model.pane).chain(&mut model.beside) {
        (pane.watching, pane.failure) = (None, None);
    }
    keyboard::server_speaks(model, cmds);
    // A complaint stays until a key shows that it was read.
    if was_parted && model.notice.as_ref().is_none_or(|notice| notice.level != Level::Error) {
        model.announce("the server is there again");
    }
}

fn lose(model: &mut Model) {
    if !model.lost && model.ending.is_none() {
        let who = if model.setup.has_server { "the server" } else { "the supervisor" };
        model.complain(format!("{who} has ended: nothing here changes any more; {} leaves", model.key(Intent::Leave)));
    }
    (model.lost, model.parted) = (true, None);
    model.dirty = true;
}
