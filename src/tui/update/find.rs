//! Search everywhere: typing, going through what was found, and going there.

use crate::api::{Found, RecordsPage, SearchResults};
use crate::model::{Failure, KeyChord};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Find, Model, Overlay, display_name};
use super::{beyond, prompt, show};

/// The longest pattern, in bytes.
const MAX_BYTES: usize = 1024;

pub(super) fn open(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let mut find = Find::default();
    if let Some(search) = &model.pane.reading.search {
        (find.is_regex, find.exact_case) = (search.pattern.is_regex, search.pattern.exact_case);
    }
    model.overlay = Some(Overlay::Find(Box::new(find)));
    // For the names of runs that are on record only.
    cmds.push(Cmd::Records { before: None });
}

pub(super) fn press(
    model: &mut Model,
    mut find: Box<Find>,
    intent: Option<Intent>,
    chord: KeyChord,
    cmds: &mut Vec<Cmd>,
) {
    // All but one of the lines that are shown, below the head and above the bottom line.
    let page = isize::from(i16::try_from(model.size.1.saturating_sub(6)).unwrap_or(10)).max(1);
    let has_hits = find.is_current() && !find.hits.is_empty();
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) if find.is_current() && find.selected < find.hits.len() => return go(model, find, cmds),
        // There is nothing to go to yet.
        Some(Intent::Accept) if find.is_current() && find.asked.is_some() => {}
        Some(Intent::Accept) => search(model, &mut find, cmds),
        Some(Intent::Down) => find.step(1),
        Some(Intent::Up) => find.step(-1),
        Some(Intent::PageDown) => find.step(page),
        Some(Intent::PageUp) => find.step(-page),
        Some(Intent::First) if has_hits => find.select(0),
        Some(Intent::Last) if has_hits => find.select(find.hits.len() - 1),
        Some(Intent::ToggleRegex) => find.is_regex = !find.is_regex,
        Some(Intent::ToggleCase) => find.exact_case = !find.exact_case,
        Some(_) | None => {
            prompt::edit_line(&mut find.input, chord, MAX_BYTES);
        }
    }
    stop_if_other(&mut find);
    model.overlay = Some(Overlay::Find(find));
}

pub(super) fn paste(find: &mut Find, text: &str) {
    prompt::paste_line(&mut find.input, text, MAX_BYTES);
    stop_if_other(find);
}

/// Who types another word wants the old one no longer.
fn stop_if_other(find: &mut Find) {
    if find.asked.is_some() && !find.is_current() {
        find.stop();
    }
}

/// The search everywhere that is shown, or comes back after the show that was opened from it.
pub(super) fn current(model: &mut Model) -> Option<&mut Find> {
    match (&mut model.overlay, &mut model.show) {
        (Some(Overlay::Find(find)), _) => Some(find),
        (_, Some(show)) => match &mut show.back {
            Some(Overlay::Find(find)) => Some(find),
            _ => None,
        },
        _ => None,
    }
}

/// After every event: who has gone past the last hit gets more, and a search that nobody waits for any more is ended.
pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let number = model.searches + 1;
    if let Some(Overlay::Find(find)) = &mut model.overlay
        && find.wants_more()
    {
        find.go_on(number);
        cmds.push(Cmd::Find { number, request: Box::new(find.request()) });
        (model.searches, model.finding, model.dirty) = (number, Some(number), true);
    }
    let asked = current(model).and_then(|find| find.asked);
    let wanted = asked.or(model.beyond.as_ref().and_then(|beyond| beyond.asked));
    if model.finding.is_some() && wanted != model.finding {
        model.finding = None;
        cmds.push(Cmd::StopFinding);
    }
}

fn search(model: &mut Model, find: &mut Find, cmds: &mut Vec<Cmd>) {
    let pattern = find.pattern();
    find.failure = pattern.compile().err();
    if find.failure.is_some() || pattern.text.is_empty() {
        return;
    }
    model.searches += 1;
    model.finding = Some(model.searches);
    find.begin(pattern, model.searches);
    cmds.push(Cmd::Find { number: model.searches, request: Box::new(find.request()) });
}

/// Takes what was found.
pub(super) fn found(model: &mut Model, number: u64, found: Found) {
    let Some(found) = beyond::found(model, number, found) else { return };
    if let Some(find) = current(model).filter(|find| find.asked == Some(number)) {
        find.take(found);
        model.dirty = true;
    }
}

/// Takes what a search has come to.
pub(super) fn ended(model: &mut Model, number: u64, result: Result<SearchResults, Failure>, cmds: &mut Vec<Cmd>) {
    if model.finding == Some(number) {
        model.finding = None;
    }
    if model.beyond.as_ref().is_some_and(|beyond| beyond.asked == Some(number)) {
        return beyond::ended(model, result, cmds);
    }
    if let Some(find) = current(model).filter(|find| find.asked == Some(number)) {
        find.end(result);
    }
}

/// Takes records, for the names of runs.
pub(super) fn take_records(find: &mut Find, page: &Result<RecordsPage, Failure>) {
    if let Ok(page) = page {
        find.names.extend(page.records.iter().map(|record| (record.id, record.clone().into())));
    }
}

/// Goes to the selected hit: the place in the run's log.
fn go(model: &mut Model, find: Box<Find>, cmds: &mut Vec<Cmd>) {
    let (Some(hit), Some(pattern)) = (find.hits.get(find.selected).cloned(), find.searched.clone()) else {
        model.overlay = Some(Overlay::Find(find));
        return;
    };
    let mode = model.list.known(hit.run).map(|known| known.view.record.mode);
    let mode = mode.or(find.names.get(&hit.run).map(|record| record.mode));
    let name = run_name(model, &find, hit.run);
    show::open_at(model, &hit, (&name, mode), pattern, Some(Overlay::Find(find)), cmds);
}

/// How a run of the hits is called.
pub(crate) fn run_name(model: &Model, find: &Find, run: crate::model::RunId) -> String {
    if let Some(known) = model.list.known(run) {
        return display_name(&known.view);
    }
    match find.names.get(&run) {
        Some(record) => super::browser::name(record),
        None => run.short().to_owned(),
    }
}

/// A line of the hits was clicked; clicked again, it is gone to.
pub(super) fn click(model: &mut Model, mut find: Box<Find>, line: usize, cmds: &mut Vec<Cmd>) {
    if line > find.hits.len() {
        model.overlay = Some(Overlay::Find(find));
    } else if line == find.selected && line < find.hits.len() && find.is_current() {
        go(model, find, cmds);
    } else {
        find.select(line);
        model.overlay = Some(Overlay::Find(find));
    }
}
