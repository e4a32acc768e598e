//! Search everywhere: typing, going through what was found, and going there.

use crate::api::{RecordsPage, SearchResults, Stream};
use crate::model::{Failure, KeyChord, Mode};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Find, Model, Overlay, display_name};
use super::super::shows::What;
use super::{prompt, show};

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
    let page = isize::from(i16::try_from(model.size.1 / 2).unwrap_or(10)).max(1);
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) if find.is_current() => return go(model, find, cmds),
        Some(Intent::Accept) => search(model, &mut find, cmds),
        Some(Intent::Down) => find.step(1),
        Some(Intent::Up) => find.step(-1),
        Some(Intent::PageDown) => find.step(page),
        Some(Intent::PageUp) => find.step(-page),
        Some(Intent::ToggleRegex) => find.is_regex = !find.is_regex,
        Some(Intent::ToggleCase) => find.exact_case = !find.exact_case,
        Some(_) | None => {
            prompt::edit_line(&mut find.input, chord, MAX_BYTES);
        }
    }
    model.overlay = Some(Overlay::Find(find));
}

pub(super) fn paste(find: &mut Find, text: &str) {
    prompt::paste_line(&mut find.input, text, MAX_BYTES);
}

fn search(model: &mut Model, find: &mut Find, cmds: &mut Vec<Cmd>) {
    let pattern = find.pattern();
    find.failure = pattern.compile().err();
    if find.failure.is_some() || pattern.text.is_empty() {
        return;
    }
    model.searches += 1;
    (find.searched, find.asked) = (Some(pattern), Some(model.searches));
    (find.hits, find.selected, find.summary) = (Vec::new(), 0, String::new());
    cmds.push(Cmd::Find { number: model.searches, request: find.request() });
}

/// Takes what was found.
pub(super) fn found(model: &mut Model, number: u64, result: Result<SearchResults, Failure>) {
    let Some(Overlay::Find(find)) = &mut model.overlay else { return };
    if find.asked != Some(number) {
        return;
    }
    find.asked = None;
    match result {
        Ok(results) => {
            let more = if results.has_more { "the first " } else { "" };
            let unreadable = match results.unreadable {
                0 => String::new(),
                1 => ", one log could not be read".to_owned(),
                count => format!(", {count} logs could not be read"),
            };
            find.summary = {
                let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
                let (lines, runs) = (plural(results.hits.len(), "line"), plural(results.runs, "run"));
                format!("{more}{lines} in {runs}{unreadable}")
            };
            find.hits = results.hits;
        }
        Err(failure) => find.failure = Some(failure.message),
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
    let title = format!("log of {} · line {}", run_name(model, &find, hit.run), hit.line);
    let title = if mode == Some(Mode::Pipes) { format!("{title} of {}", stream_word(hit.stream)) } else { title };
    let what = What::Log { run: hit.run, place: Some((hit.stream, hit.offset)) };
    show::open_at(model, what, title, pattern, Overlay::Find(find), cmds);
}

fn stream_word(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    }
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
    if line >= find.hits.len() {
        model.overlay = Some(Overlay::Find(find));
    } else if line == find.selected && find.is_current() {
        go(model, find, cmds);
    } else {
        find.selected = line;
        model.overlay = Some(Overlay::Find(find));
    }
}
