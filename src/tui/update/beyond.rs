//! Hits beyond the rows at hand: looked for in the log of the run, and gone to there.

use crate::api::{Found, LinePlace, SearchResults};
use crate::model::{Failure, Mode, RunId};

use super::super::cmd::Cmd;
use super::super::model::{Beyond, Model};
use super::super::shows::What;
use super::{find, reading, show};

/// Whether the log of what is shown may have more than its rows that way, and where it goes on. Of a run with pipes a part is shown, of a log what is
/// around a place.
fn edge(model: &Model, is_down: bool) -> Option<(RunId, Option<LinePlace>, Option<u64>)> {
    let Some(show) = &model.show else {
        let run = model.pane.run?;
        let is_pipes = model.list.known(run).is_some_and(|known| known.view.record.mode == Mode::Pipes);
        return (is_pipes && !is_down).then_some((run, None, None));
    };
    let What::Log { run, place } = &show.what else { return None };
    match (is_down, place, show.anchor, show.cut) {
        (true, _, _, cut) => Some((*run, Some(cut?), None)),
        // Hits above the place are counted from it, and otherwise from the end of the log.
        (false, Some(place), Some(anchor), _) => Some((*run, Some(*place), Some(anchor))),
        (false, _, _, None) => Some((*run, None, None)),
        (false, _, _, Some(_)) => None,
    }
}

/// The row that what is at hand goes on from without a gap.
pub(super) fn gap(model: &Model) -> u64 {
    model.pane.reading.gap.filter(|_| model.show.is_none()).unwrap_or(0)
}

/// Looks for a hit beyond the last one at hand; with `is_first` only if there is none at hand at all. Returns false when there is nothing to look in.
pub(super) fn begin(model: &mut Model, is_down: bool, is_first: bool) -> bool {
    let reading = &model.pane.reading;
    // What a filter hides is no hit here, and the log knows of no filter.
    let Some(search) = reading.search.as_ref().filter(|_| reading.filter.is_none()) else { return false };
    let Some((run, ..)) = edge(model, is_down) else { return false };
    model.beyond = Some(Beyond::new(run, search.pattern.clone(), is_down, is_first));
    true
}

/// After every event: what is looked for is asked for, or nobody wants it any more.
pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(beyond) = &model.beyond else { return };
    let (is_down, is_first, asked) = (beyond.is_down, beyond.is_first, beyond.asked);
    let edge = edge(model, is_down).filter(|(run, ..)| *run == beyond.run);
    let search = model.pane.reading.search.as_ref().filter(|search| search.pattern == beyond.pattern);
    let (Some((_, from, anchor)), Some(search), None) = (edge, search, &model.overlay) else {
        model.beyond = None;
        return;
    };
    // Only when all rows at hand were looked at it is known what is beyond them.
    if asked.is_some() || !model.pane.reading.text.is_whole() {
        return;
    }
    if is_first && search.count() > 0 {
        model.beyond = None;
    } else if !reading::is_at_the_edge(model, is_down) {
        model.beyond = None;
        reading::around(model, is_down);
    } else {
        let known = if is_down { 0 } else { search.lines_between(gap(model), anchor) };
        model.searches += 1;
        let number = model.searches;
        if let Some(beyond) = &mut model.beyond {
            cmds.push(Cmd::Find { number, request: Box::new(beyond.ask(number, from, known)) });
        }
        model.finding = Some(number);
        model.inform("searching the log…");
    }
}
        // There is one search at a time: the one everywhere that this log was opened from is over.
        if let Some(find) = find::current(model).filter(|find| find.asked.is_some()) {
            find.stop();
        }

/// Takes what was found. Returns what is none of it.
pub(super) fn found(model: &mut Model, number: u64, found: Found) -> Option<Found> {
    match &mut model.beyond {
        Some(beyond) if beyond.asked == Some(number) => {
            beyond.take(found);
            None
        }
        _ => Some(found),
    }
}

/// Goes to the hit in the log, or to the one at the other end of the rows at hand.
pub(super) fn ended(model: &mut Model, result: Result<SearchResults, Failure>, cmds: &mut Vec<Cmd>) {
    let Some(mut beyond) = model.beyond.take() else { return };
    model.dirty = true;
    match result {
        Ok(results) => {
            beyond.take(Found { hits: results.hits, ..Found::default() });
            model.notice = None;
            match beyond.target() {
                Some(hit) => {
                    let mode = model.list.known(hit.run).map(|known| known.view.record.mode);
                    let title = find::place_title(&model.run_name(hit.run), hit, mode);
                    let what =
                        What::Log { run: hit.run, place: Some(LinePlace { stream: hit.stream, offset: hit.offset }) };
                    let back = model.show.as_mut().and_then(|show| show.back.take());
                    show::open_at(model, what, title, beyond.pattern, back, cmds);
                }
                None => reading::around(model, beyond.is_down),
            }
        }
        Err(failure) => model.complain(failure.message),
    }
}
