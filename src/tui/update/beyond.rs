//! Hits beyond the rows at hand: looked for in the log of the run, and gone to there.

use crate::api::{Found, LinePlace, SearchResults};
use crate::model::{Failure, Mode, RunId};

use super::super::cmd::Cmd;
use super::super::model::{Beyond, Model};
use super::super::shows::What;
use super::{find, reading, show};

/// Where the log of what is shown goes on beyond its rows.
struct Edge {
    run: RunId,
    /// The place that is gone on from; none for the end of the log.
    from: Option<LinePlace>,
    /// The row of that place, where it is at hand.
    anchor: Option<u64>,
}

/// The edge of what is shown that way, if the log may have more than its rows. Of a run with pipes a part is shown, of a log what is around a place.
fn edge(model: &Model, is_down: bool) -> Option<Edge> {
    let Some(show) = &model.show else {
        let run = model.pane.run?;
        let is_pipes = model.list.known(run).is_some_and(|known| known.view.record.mode == Mode::Pipes);
        return (is_pipes && !is_down).then_some(Edge { run, from: None, anchor: None });
    };
    let What::Log { run, place } = show.what else { return None };
    if show.is_reading() {
        return Some(Edge { run, from: None, anchor: None });
    }
    let (from, anchor) = match (is_down, place, show.anchor, show.cut) {
        (true, _, _, cut) => (Some(cut?), None),
        // Hits above the place are counted from it, and otherwise from the end of the log.
        (false, Some(place), Some(anchor), _) => (Some(place), Some(anchor)),
        (false, _, _, None) => (None, None),
        (false, _, _, Some(_)) => return None,
    };
    Some(Edge { run, from, anchor })
}

/// Whether what is shown is a part of a log that has more at the end that a search comes to when it goes round.
fn has_other_end(model: &Model, is_down: bool) -> bool {
    model.show.as_ref().is_some_and(|show| if is_down { show.before.is_some() } else { show.cut.is_some() })
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
    let pattern = search.pattern.clone();
    model.beyond = match (edge(model, is_down), model.show.as_ref().map(|show| &show.what)) {
        (Some(Edge { run, .. }), _) => Some(Beyond::new(run, pattern, is_down, is_first)),
        // Nothing is beyond, but the other end of the log is not at hand.
        (None, Some(What::Log { run, .. })) if has_other_end(model, is_down) => {
            Some(Beyond::new(*run, pattern, is_down, is_first).round())
        }
        (None, _) => return false,
    };
    true
}

/// After every event: what is looked for is asked for, or nobody wants it any more.
pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(beyond) = &model.beyond else { return };
    let (is_down, is_first, is_round, asked) = (beyond.is_down, beyond.is_first, beyond.is_round, beyond.asked);
    let whole = is_round.then_some(Edge { run: beyond.run, from: None, anchor: None });
    let edge = edge(model, is_down).or(whole).filter(|edge| edge.run == beyond.run);
    let search = model.pane.reading.search.as_ref().filter(|search| search.pattern == beyond.pattern);
    let (Some(Edge { from, anchor, .. }), Some(search), None) = (edge, search, &model.overlay) else {
        model.beyond = None;
        return;
    };
    // Only when all rows at hand were looked at it is known what is beyond them.
    let is_reading = model.show.as_ref().is_some_and(|show| show.is_reading());
    if asked.is_some() || is_reading || !model.pane.reading.text.is_whole() {
        return;
    }
    if !is_round && is_first && search.count() > 0 {
        model.beyond = None;
    } else if !is_round && !reading::is_at_the_edge(model, is_down) {
        model.beyond = None;
        reading::around(model, is_down);
    } else {
        let known = if is_down || is_round { 0 } else { search.lines_between(gap(model), anchor) };
        let from = from.filter(|_| !is_round);
        // There is one search at a time: the one everywhere that this log was opened from is over.
        if let Some(find) = find::current(model).filter(|find| find.asked.is_some()) {
            find.stop();
        }
        model.searches += 1;
        let number = model.searches;
        if let Some(beyond) = &mut model.beyond {
            cmds.push(Cmd::Find { number, request: Box::new(beyond.ask(number, from, known)) });
        }
        model.finding = Some(number);
        model.inform("searching the log…");
    }
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
                    let name = model.run_name(hit.run);
                    let back = model.show.as_mut().and_then(|show| show.back.take());
                    show::open_at(model, hit, (&name, mode), beyond.pattern.clone(), back, cmds);
                    if beyond.is_round {
                        model.inform(reading::round_words(beyond.is_down));
                    }
                }
                // The other end of the log is not among the rows at hand.
                None if !beyond.is_round && has_other_end(model, beyond.is_down) => {
                    model.beyond = Some(beyond.round());
                }
                None => reading::around(model, beyond.is_down),
            }
        }
        Err(failure) => model.complain(failure.message),
    }
}
