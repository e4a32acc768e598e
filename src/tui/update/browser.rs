//! The history browser: its keys, and the pages of records that it asks for.

use std::sync::Arc;

use crate::api::RecordsPage;
use crate::model::{Failure, KeyChord, Mode, Record, plain_line};

use super::super::NewRun;
use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Browser, Model, Overlay};
use super::super::shows::What;
use super::{intents, prompt, show};

/// The longest filter, in bytes.
const MAX_BYTES: usize = 256;

/// What stands in a command in place of what was taken out of it.
pub(super) const COVERED: &str = "[redacted]";

pub(super) fn open(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let browser = Browser { is_asked: true, ..Browser::default() };
    model.overlay = Some(Overlay::History(Box::new(browser)));
    cmds.push(Cmd::Records { before: None });
}

pub(super) fn press(
    model: &mut Model,
    mut browser: Box<Browser>,
    intent: Option<Intent>,
    chord: KeyChord,
    cmds: &mut Vec<Cmd>,
) {
    let page = isize::from(i16::try_from(model.size.1 / 2).unwrap_or(10)).max(1);
    match intent {
        Some(Intent::Back) if browser.is_typing => {
            browser.is_typing = false;
            browser.filter.reset();
            browser.selected = 0;
        }
        Some(Intent::Accept) if browser.is_typing => browser.is_typing = false,
        Some(Intent::Back) if browser.is_open => browser.is_open = false,
        Some(Intent::Back) => return,
        Some(Intent::Down) => browser.selected += 1,
        Some(Intent::Up) => browser.selected = browser.selected.saturating_sub(1),
        Some(Intent::PageDown) => browser.selected = browser.selected.saturating_add_signed(page),
        Some(Intent::PageUp) => browser.selected = browser.selected.saturating_add_signed(-page),
        Some(Intent::First) => browser.selected = 0,
        Some(Intent::Last) => browser.selected = usize::MAX,
        Some(Intent::Search) => browser.is_typing = true,
        Some(Intent::Inspect) => browser.is_open = !browser.is_open,
        Some(intent @ (Intent::Accept | Intent::OpenLog | Intent::Replay | Intent::Restart)) => {
            settle(model, &mut browser, cmds);
            if let Some(record) = browser.chosen(&model.time_zone) {
                return act(model, browser, &record, intent, cmds);
            }
        }
        Some(_) => {}
        None if browser.is_typing => {
            prompt::edit_line(&mut browser.filter, chord, MAX_BYTES);
            browser.selected = 0;
        }
        None => {}
    }
    settle(model, &mut browser, cmds);
    model.overlay = Some(Overlay::History(browser));
}

pub(super) fn paste(browser: &mut Browser, text: &str) {
    browser.is_typing = true;
    prompt::paste_line(&mut browser.filter, text, MAX_BYTES);
}

/// Keeps the selection within what is shown, and asks for more records before they run out.
fn settle(model: &Model, browser: &mut Browser, cmds: &mut Vec<Cmd>) {
    let count = browser.visible(&model.time_zone).len();
    browser.selected = browser.selected.min(count.saturating_sub(1));
    let ahead = usize::from(model.size.1) * 2;
    if browser.selected + ahead >= count
        && !browser.is_asked
        && let Some(before) = browser.next
    {
        browser.is_asked = true;
        cmds.push(Cmd::Records { before: Some(before) });
    }
}

fn act(model: &mut Model, browser: Box<Browser>, record: &Arc<Record>, intent: Intent, cmds: &mut Vec<Cmd>) {
    let (run, name) = (record.id, name(record));
    let back = Overlay::History(browser);
    match (intent, record.mode) {
        (Intent::Replay, Mode::Pipes) => {
            model.inform(format!("{name} had pipes, no terminal: there is nothing to replay; its log has it all"));
            model.overlay = Some(back);
        }
        (Intent::Replay, Mode::Pty) => {
            show::open(model, What::Replay(run), format!("replay of {name}"), Some(back), cmds);
        }
        (Intent::Restart, _) => {
            start_again(model, record, &name, cmds);
            model.overlay = Some(back);
        }
        (Intent::Accept, Mode::Pty) => {
            show::open(model, What::Screen(run), format!("{name}, as it ended"), Some(back), cmds);
        }
        (..) => {
            let what = What::Log { run, place: None };
            show::open(model, what, format!("log of {name}"), Some(back), cmds);
        }
    }
}

/// Starts the run of a record again: as it was, when the list has it still, else from what the record says of it.
fn start_again(model: &mut Model, record: &Record, name: &str, cmds: &mut Vec<Cmd>) {
    if model.list.known(record.id).is_some() {
        if intents::start_again(model, record.id, false, cmds) {
            model.inform(format!("{name} is started again"));
        }
        return;
    }
    if record.command.contains(COVERED) {
        return model
            .complain(format!("{name} cannot be started again: its record does not have the secrets of its command"));
    }
    let request = NewRun {
        name: None,
        line: record.command.clone(),
        mode: record.mode,
        cwd: record.cwd.clone(),
        timeout: None,
        size: model.pane_size(),
    };
    cmds.push(Cmd::StartNew(request));
    model.inform(format!("{name} is started again, with the environment of shtask"));
}

/// Takes a page of records.
pub(super) fn take_records(
    model: &mut Model,
    before: Option<u64>,
    page: Result<RecordsPage, Failure>,
    cmds: &mut Vec<Cmd>,
) {
    match model.overlay.take() {
        Some(Overlay::Find(mut find)) => {
            super::find::take_records(&mut find, &page);
            model.overlay = Some(Overlay::Find(find));
        }
        Some(Overlay::History(mut browser)) => {
            browser.is_asked = false;
            match page {
                // What was asked for before this browser was opened is no part of it.
                Ok(_) if before.is_none() && !browser.records.is_empty() => {}
                Ok(page) => {
                    browser.next = page.next;
                    let finished = page.records.into_iter().filter(|record| record.status.is_final());
                    browser.records.extend(finished.map(Arc::new));
                    settle(model, &mut browser, cmds);
                }
                Err(failure) => browser.failure = Some(failure.message),
            }
            model.overlay = Some(Overlay::History(browser));
        }
        other => model.overlay = other,
    }
}

/// How a run on record is called.
pub(crate) fn name(record: &Record) -> String {
    record.name.as_ref().map_or_else(|| plain_line(record.command.trim(), 64), ToString::to_string)
}

/// A line was clicked; clicked again, it is shown.
pub(super) fn click(model: &mut Model, mut browser: Box<Browser>, line: usize, cmds: &mut Vec<Cmd>) {
    let is_again = browser.selected == line;
    browser.selected = line;
    settle(model, &mut browser, cmds);
    match browser.chosen(&model.time_zone) {
        Some(record) if is_again => act(model, browser, &record, Intent::Accept, cmds),
        Some(_) | None => model.overlay = Some(Overlay::History(browser)),
    }
}
