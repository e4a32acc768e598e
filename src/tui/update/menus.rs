//! Keys while an overlay is open.

use crate::model::{KeyChord, Mode};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{
    ExportMenu, ExtendMenu, LeaveAnswer, LeaveQuestion, Model, Overlay, Question, SIGNALS, SignalMenu,
};
use super::{browser, exports, find, groups, leave, line, palette, prompt, rename};

/// Takes a key that means this in the open overlay; where text is taken, one that means nothing is text.
pub(super) fn press(model: &mut Model, intent: Option<Intent>, chord: KeyChord, cmds: &mut Vec<Cmd>) {
    let Some(overlay) = model.overlay.take() else { return };
    match overlay {
        Overlay::Help { scroll } => help(model, scroll, intent),
        Overlay::Palette(open) => palette::press(model, open, intent, chord, cmds),
        Overlay::Prompt(prompt) => prompt::press(model, prompt, intent, chord, cmds),
        Overlay::Signal(menu) => signal(model, menu, intent, cmds),
        Overlay::Extend(menu) => extend(model, menu, intent, cmds),
        Overlay::Export(menu) => exports::press(model, menu, intent, cmds),
        Overlay::Leave(question) => question_key(model, question, intent, cmds),
        Overlay::Find(find) => find::press(model, find, intent, chord, cmds),
        Overlay::History(browser) => browser::press(model, browser, intent, chord, cmds),
        Overlay::Line(line) => line::press(model, line, intent, chord),
        Overlay::Ask(question) => ask(model, question, intent, cmds),
        Overlay::Rename(open) => rename::press(model, open, intent, chord, cmds),
    }
}

/// Opens the help at the keys that are of use now.
pub(super) fn open_help(model: &mut Model) {
    model.overlay = Some(Overlay::Help { scroll: super::super::view::help_start(model) });
}

fn help(model: &mut Model, scroll: usize, intent: Option<Intent>) {
    let page = usize::from(model.size.1).saturating_sub(6).max(1);
    let scroll = match intent {
        Some(Intent::Back) => return,
        Some(Intent::Down) => scroll + 1,
        Some(Intent::Up) => scroll.saturating_sub(1),
        Some(Intent::PageDown) => scroll + page,
        Some(Intent::PageUp) => scroll.saturating_sub(page),
        Some(_) | None => scroll,
    };
    model.overlay = Some(Overlay::Help { scroll: scroll.min(super::super::view::help_end(model)) });
}

fn signal(model: &mut Model, mut menu: SignalMenu, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) => return choose_signal(&menu, cmds),
        Some(Intent::NextField) => {
            let is_pty = model.list.known(menu.run).is_some_and(|known| known.view.record.mode == Mode::Pty);
            menu.next_target(is_pty);
        }
        Some(Intent::Down) => menu.selected = (menu.selected + 1) % SIGNALS.len(),
        Some(Intent::Up) => menu.selected = (menu.selected + SIGNALS.len() - 1) % SIGNALS.len(),
        Some(_) | None => {}
    }
    model.overlay = Some(Overlay::Signal(menu));
}

fn choose_signal(menu: &SignalMenu, cmds: &mut Vec<Cmd>) {
    let (signal, ..) = SIGNALS[menu.selected];
    groups::signals(menu, signal, menu.target(), cmds);
}

fn extend(model: &mut Model, mut menu: ExtendMenu, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    let entries = menu.entries().len();
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) => return choose_deadline(&menu, cmds),
        Some(Intent::Down) => menu.selected = (menu.selected + 1) % entries,
        Some(Intent::Up) => menu.selected = (menu.selected + entries - 1) % entries,
        Some(_) | None => {}
    }
    model.overlay = Some(Overlay::Extend(menu));
}

fn choose_deadline(menu: &ExtendMenu, cmds: &mut Vec<Cmd>) {
    if let Some((_, deadline)) = menu.entries().get(menu.selected) {
        cmds.push(Cmd::SetDeadline { run: menu.run, kind: menu.kind, deadline: *deadline });
    }
}

fn question_key(model: &mut Model, mut question: LeaveQuestion, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    match intent {
        Some(Intent::Detach) if model.setup.has_server => return leave::detach(model, None, cmds),
        Some(Intent::Yes) => return leave::begin(model, None, cmds),
        Some(Intent::No) => return,
        Some(Intent::Accept) => return answer(model, question.answers[question.selected], cmds),
        Some(Intent::Down) => question.selected = (question.selected + 1) % question.answers.len(),
        Some(Intent::Up) => {
            question.selected = (question.selected + question.answers.len() - 1) % question.answers.len();
        }
        Some(_) | None => {}
    }
    model.overlay = Some(Overlay::Leave(question));
}

fn ask(model: &mut Model, mut question: Box<Question>, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    match intent {
        Some(Intent::Yes) => return groups::answer(model, &question, true, cmds),
        Some(Intent::No) => return,
        Some(Intent::Accept) => return groups::answer(model, &question, question.selected == 0, cmds),
        Some(Intent::Down | Intent::Up) => question.selected = 1 - question.selected,
        Some(_) | None => {}
    }
    model.overlay = Some(Overlay::Ask(question));
}

fn answer(model: &mut Model, answer: LeaveAnswer, cmds: &mut Vec<Cmd>) {
    match answer {
        LeaveAnswer::Detach => leave::detach(model, None, cmds),
        LeaveAnswer::StopAll => leave::begin(model, None, cmds),
        LeaveAnswer::Stay => {}
    }
}

/// An entry of the open menu was clicked.
pub(super) fn click(model: &mut Model, entry: usize, cmds: &mut Vec<Cmd>) {
    match model.overlay.take() {
        Some(Overlay::Signal(mut menu)) if entry < SIGNALS.len() => {
            menu.selected = entry;
            choose_signal(&menu, cmds);
        }
        Some(Overlay::Extend(menu)) if entry < menu.entries().len() => {
            choose_deadline(&ExtendMenu { selected: entry, ..menu }, cmds);
        }
        Some(Overlay::Export(menu)) => exports::choose(model, &ExportMenu { selected: entry, ..menu }, cmds),
        Some(Overlay::Ask(question)) if entry < 2 => groups::answer(model, &question, entry == 0, cmds),
        Some(Overlay::Leave(question)) if entry < question.answers.len() => {
            answer(model, question.answers[entry], cmds);
        }
        Some(Overlay::Find(find)) => find::click(model, find, entry, cmds),
        Some(Overlay::History(browser)) => browser::click(model, browser, entry, cmds),
        other => model.overlay = other,
    }
}
