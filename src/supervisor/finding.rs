//! Looking runs up: in the list, and beside the loop on the disk. What is listed is newer than what is on the disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::core::{Core, Do};
use super::kept::Kept;
use crate::api::{Answer, RecordsPage, RecordsRequest, Summary};
use crate::model::{Attention, ErrorCode, Failure, Record, RunId, RunRef, SessionName};
use crate::store::SUMMARY_RUNS;

/// How many of the runs that a ref fits are named.
const SHOWN_MATCHES: usize = 8;

/// A session's listed runs, as they are at this moment.
struct Listed(HashMap<RunId, Arc<Record>>);

impl Listed {
    /// Returns the listed state of a run, without its output.
    fn fresh(&self, run: RunId) -> Option<Record> {
        self.0.get(&run).map(|record| without_output(record))
    }
}

fn without_output(record: &Record) -> Record {
    Record { output: None, ..record.clone() }
}

impl Core {
    fn listed(&self, session: &SessionName) -> Listed {
        let own = self.runs.iter().filter(|(_, entry)| entry.record.session == *session);
        Listed(own.map(|(run, entry)| (*run, Arc::clone(&entry.record))).collect())
    }

    /// Finds the run that a ref names.
    pub(super) fn resolve(&self, session: &SessionName, wanted: RunRef, answer: Answer<Arc<Record>>) -> Vec<Do> {
        let own = self.runs.values().map(|entry| &entry.record).filter(|record| record.session == *session);
        let listed: Vec<Arc<Record>> = own.filter(|record| may_mean(&wanted, record)).cloned().collect();
        let is_newest = |record: &Arc<Record>| {
            let name = record.name.as_ref();
            name.is_some_and(|name| self.generations.newest(session, name) == record.generation)
        };
        let is_certain = match &wanted {
            RunRef::Full(..) | RunRef::Id(_) | RunRef::Generation(..) => !listed.is_empty(),
            RunRef::NameOrPrefix(text) => listed.iter().any(|record| is_named(record, text) && is_newest(record)),
        };
        if is_certain {
            answer.send(choose(&wanted, listed));
            return Vec::new();
        }
        let session = session.clone();
        vec![Do::beside(move |kept: &Kept| {
            let stored = match &kept.records {
                Some(records) => records.matching(&session, &wanted),
                None => Ok(Vec::new()),
            };
            answer.send(stored.map_err(Failure::from).and_then(|stored| {
                let mut all = listed;
                for record in stored {
                    if !all.iter().any(|known| known.id == record.id) {
                        all.push(Arc::new(record));
                    }
                }
                choose(&wanted, all)
            }));
        })]
    }

    /// Returns a page of records.
    pub(super) fn list_records(
        &self,
        session: &SessionName,
        request: RecordsRequest,
        answer: Answer<RecordsPage>,
    ) -> Vec<Do> {
        if let Err(failure) = request.validate() {
            answer.send(Err(failure));
            return Vec::new();
        }
        let (session, listed) = (session.clone(), self.listed(session));
        let places: Vec<RunId> = self.runs.keys().copied().collect();
        vec![Do::beside(move |kept: &Kept| {
            let RecordsRequest { name, limit, before, .. } = &request;
            let page = match &kept.records {
                Some(records) => {
                    let (fresh, takes) = (|run| listed.fresh(run), |record: &Record| request.takes(record));
                    let page = records.page(&session, name.as_ref(), *before, *limit, &fresh, &takes);
                    page.map(|(records, next)| RecordsPage { records, next }).map_err(Failure::from)
                }
                None => Ok(page_of_list(&places, &listed, &request)),
            };
            answer.send(page);
        })]
    }

    /// Returns what needs attention: those that wait for somebody first.
    pub(super) fn summary(&self, session: &SessionName, answer: Answer<Summary>) -> Vec<Do> {
        let (session, listed) = (session.clone(), self.listed(session));
        let own = self.runs.iter().filter(|(_, entry)| entry.record.session == session);
        let waiting = own.filter_map(|(run, entry)| Some((*run, entry.view().attention?)));
        let needs: BTreeMap<RunId, Attention> = waiting.filter(|(_, attention)| attention.need.is_urgent()).collect();
        vec![Do::beside(move |kept: &Kept| {
            let summary = match &kept.records {
                Some(records) => records.summary(&session).map(|found| {
                    let runs = found.runs.into_iter().map(|record| listed.fresh(record.id).unwrap_or(record));
                    // It may have been read while the disk was asked.
                    let runs = runs.filter(|record| record.observed_at.is_none()).collect();
                    Summary { runs, rest: found.rest, needs: BTreeMap::new() }
                }),
                None => Ok(summary_of_list(&listed)),
            };
            answer.send(summary.map(|summary| needy_first(summary, needs, &listed)).map_err(Failure::from));
        })]
    }
}

/// Puts the runs that wait for somebody first, the one that has waited longest before the others.
fn needy_first(summary: Summary, needs: BTreeMap<RunId, Attention>, listed: &Listed) -> Summary {
    let all = summary.runs.len() as u64 + summary.rest;
    let mut waiting: Vec<(Attention, RunId)> = needs.iter().map(|(run, attention)| (*attention, *run)).collect();
    waiting.sort_by_key(|(attention, run)| (attention.since, *run));
    let mut runs: Vec<Record> = waiting.into_iter().filter_map(|(_, run)| listed.fresh(run)).collect();
    let others = summary.runs.into_iter().filter(|record| !needs.contains_key(&record.id));
    runs.extend(others);
    runs.truncate(SUMMARY_RUNS);
    let rest = all.saturating_sub(runs.len() as u64);
    Summary { runs, rest, needs }
}

/// Makes a page of what is listed, where nothing else is kept. A place is how many were listed before.
fn page_of_list(places: &[RunId], listed: &Listed, request: &RecordsRequest) -> RecordsPage {
    let end = request.before.and_then(|place| usize::try_from(place).ok()).unwrap_or(places.len());
    let mut page = RecordsPage::default();
    for (place, run) in places.iter().enumerate().take(end).rev() {
        let Some(record) = listed.fresh(*run).filter(|record| request.takes(record)) else { continue };
        if page.records.len() == request.limit {
            page.next = Some(place as u64 + 1);
            break;
        }
        page.records.push(record);
    }
    page
}

fn summary_of_list(listed: &Listed) -> Summary {
    let mut needy: Vec<&Arc<Record>> = listed.0.values().filter(|record| record.observed_at.is_none()).collect();
    needy.sort_by_key(|record| (record.completed_at.or(record.started_at).unwrap_or(record.updated_at), record.id));
    let rest = needy.len().saturating_sub(SUMMARY_RUNS) as u64;
    Summary {
        runs: needy.into_iter().take(SUMMARY_RUNS).map(|record| without_output(record)).collect(),
        rest,
        needs: BTreeMap::new(),
    }
}

fn is_named(record: &Record, text: &str) -> bool {
    record.name.as_ref().is_some_and(|name| name.as_str() == text)
}

/// Returns whether a ref may mean a run of its session.
fn may_mean(wanted: &RunRef, record: &Record) -> bool {
    match wanted {
        RunRef::Full(session, id) => record.session == *session && record.id == *id,
        RunRef::Id(id) => record.id == *id,
        RunRef::NameOrPrefix(text) => is_named(record, text) || RunRef::is_prefix_of(text, &record.id),
        RunRef::Generation(name, generation) => record.name.as_ref() == Some(name) && record.generation == *generation,
    }
}

/// Chooses among the runs that a ref may mean: the newest generation of a name; without such a name the one whose id begins so.
fn choose(wanted: &RunRef, mut matches: Vec<Arc<Record>>) -> Result<Arc<Record>, Failure> {
    if let RunRef::NameOrPrefix(text) = wanted
        && matches.iter().any(|record| is_named(record, text))
    {
        matches.retain(|record| is_named(record, text));
        matches.sort_by_key(|record| std::cmp::Reverse(record.generation));
        matches.truncate(1);
    }
    match matches.as_slice() {
        [] => Err(Failure::new(ErrorCode::NotFound, format!("there is no run {wanted}"))),
        [one] => Ok(Arc::new(without_output(one))),
        several => {
            let shown = several.iter().take(SHOWN_MATCHES).map(|record| {
                let name =
                    record.name.as_ref().map_or_else(String::new, |name| format!("{name}:{}, ", record.generation));
                format!("{} ({name}{})", record.id, record.status.word())
            });
            let more = if several.len() > SHOWN_MATCHES { " and more" } else { "" };
            let message = format!("{wanted} may mean any of {}{more}", shown.collect::<Vec<_>>().join(", "));
            Err(Failure::new(ErrorCode::Ambiguous, message).with_hint("use more characters of the run id"))
        }
    }
}

#[cfg(test)]
#[path = "finding_tests.rs"]
mod tests;
