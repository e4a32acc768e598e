//! What commands were answered.

use crate::api::{Reaped, ShutdownReport, StopOutcome};
use crate::model::{Effects, ErrorCode, Failure};

use super::super::cmd::{Cmd, Origin};
use super::super::event::Answer;
use super::super::keys::Intent;
use super::super::model::{Model, Overlay, RowKey, SIGNALS};
use super::{browser, find};

pub(super) fn take(model: &mut Model, answer: Answer, cmds: &mut Vec<Cmd>) {
    model.dirty |= is_news(&answer);
    match answer {
        Answer::Started { origin: Origin::Task(name), result } => {
            let key = RowKey::Task(name);
            if let Some(row) = model.list.row_mut(&key) {
                row.pending = false;
                if let Err(failure) = result {
                    row.failure = Some(failure.clone());
                    complain(model, &format!("{} was not started", model.row_name(&key)), &failure);
                }
            }
        }
        Answer::Started { origin: Origin::Prompt, result } => prompted(model, result),
        Answer::Stopped { run, result } => match result {
            Ok(outcome) if outcome.record.ended.as_ref().is_some_and(|ended| !ended.left.is_empty()) => {
                let left = outcome.record.ended.as_ref().map_or(0, |ended| ended.left.len());
                let name = model.run_name(run);
                model.complain(format!(
                    "{left} processes of {name} could not be ended; {} shows which",
                    model.key(Intent::Inspect)
                ));
            }
            Ok(_) => {}
            Err(failure) => {
                complain_unless_over(model, &format!("{} was not stopped", model.run_name(run)), &failure);
            }
        },
        Answer::Reaped { run, result } => reaped(model, run, result),
        Answer::Restarted { run, result } => match result {
            Ok(record) => model.list.succeed(run, record.id),
            Err(failure) => {
                complain(model, &format!("{} was not restarted", model.run_name(run)), &failure);
                let key = model.list.row_of(run).map(|row| row.key.clone());
                if let Some(row) = key.and_then(|key| model.list.row_mut(&key)) {
                    row.failure = Some(failure);
                }
            }
        },
        Answer::Signalled { run, signal, result } => signalled(model, run, signal, result),
        Answer::DeadlineSet { run, result } => {
            if let Err(failure) = result {
                complain(model, &format!("the deadline of {} was not changed", model.run_name(run)), &failure);
            }
        }
        Answer::Renamed { run, result } => super::rename::renamed(model, run, result),
        Answer::Inspected { run, result } => inspected(model, run, result),
        Answer::Forgotten { run, result } => {
            if let Err(failure) = result {
                complain_unless_over(model, &format!("{} was not cleared", model.run_name(run)), &failure);
            }
        }
        Answer::History { run, result } => {
            if let Some(pane) = model.pane_of_mut(run) {
                match result {
                    Ok(rows) => pane.history.answered(rows.first, rows.rows),
                    Err(_) => pane.history.failed(),
                }
            }
        }
        Answer::Gathered { run, result } => {
            if model.pane.run == Some(run) {
                match result {
                    Ok(rows) => {
                        model.pane.reading.gap = rows.gap;
                        model.pane.reading.text.take(rows.first, &rows.rows);
                    }
                    Err(_) => model.pane.reading.text.failed(),
                }
            }
        }
        Answer::Found { number, result } => find::ended(model, number, result, cmds),
        Answer::Records { before, result } => browser::take_records(model, before, result, cmds),
        Answer::Copied(Ok(())) => {}
        Answer::Copied(Err(why)) => model.complain(format!("the copy was not taken: {why}")),
        Answer::Controlled { run, result } => controlled(model, run, result.map(|cut| cut.outcome.failed)),
        Answer::Resized { run, size, result } => {
            // An answer to an older size says nothing: a newer one is on its way.
            if let Some(pane) = model.pane_of_mut(run).filter(|pane| pane.resizing == Some(size)) {
                pane.resizing = None;
                if result.is_err() {
                    pane.refused = Some(size);
                }
            }
        }
        Answer::Exported { run, result } => super::exports::exported(model, run, result),
        Answer::LogFetched { run, shower, result } => super::exports::fetched(model, run, shower, result, cmds),
        Answer::Completed { asked, choices } => super::prompt::completed(model, &asked, choices),
        Answer::Usage { result } => match result {
            Ok(measured) => {
                let now = model.now;
                model.dirty |= model.sampling.answered(measured, now, &mut model.list);
            }
            Err(_) => model.sampling.failed(model.now),
        },
        Answer::Surroundings { run, result } => {
            if let (Some(panel), Ok(found)) = (model.inspect.as_mut().filter(|panel| panel.run == Some(run)), result) {
                panel.surroundings = found;
            }
        }
        Answer::Why { run, result } => {
            if let (Some(panel), Ok(words)) = (model.inspect.as_mut().filter(|panel| panel.run == Some(run)), result) {
                panel.why = words;
            }
        }
        Answer::Generations { run, result } => {
            if let (Some(panel), Ok(page)) = (model.inspect.as_mut().filter(|panel| panel.run == Some(run)), result) {
                panel.generations = page.records;
            }
        }
        Answer::KeyboardTaken { run, result } => super::keyboard::answered(model, run, result),
        Answer::KeyboardHandedBack { run, result } => super::keyboard::handed_back(model, run, result),
        Answer::ShutDown { result } => shut_down(model, result, cmds),
        Answer::AllStopped { result } => {
            // The feed tells the same, but perhaps later.
            let result = result.map(|outcomes| {
                let mut report = ShutdownReport::default();
                for StopOutcome { record, .. } in outcomes {
                    report.ended += 1;
                    let left = record.ended.iter().flat_map(|ended| ended.left.clone());
                    report.left.extend(left.map(|alive| (record.id, alive)));
                    model.list.finish(record);
                }
                report
            });
            shut_down(model, result, cmds);
        }
    }
}

/// Whether an answer can change what is drawn: what a key or a new size does is seen in frames.
fn is_news(answer: &Answer) -> bool {
    match answer {
        Answer::Controlled { result, .. } => !matches!(result, Ok(cut) if cut.outcome.failed.is_none()),
        Answer::Resized { .. } | Answer::Usage { .. } | Answer::KeyboardHandedBack { .. } => false,
        Answer::Started { .. }
        | Answer::Stopped { .. }
        | Answer::Reaped { .. }
        | Answer::Restarted { .. }
        | Answer::Signalled { .. }
        | Answer::DeadlineSet { .. }
        | Answer::Renamed { .. }
        | Answer::Inspected { .. }
        | Answer::Forgotten { .. }
        | Answer::Surroundings { .. }
        | Answer::Why { .. }
        | Answer::Generations { .. }
        | Answer::History { .. }
        | Answer::Gathered { .. }
        | Answer::Found { .. }
        | Answer::Records { .. }
        | Answer::Copied(_)
        | Answer::Exported { .. }
        | Answer::LogFetched { .. }
        | Answer::Completed { .. }
        | Answer::KeyboardTaken { .. }
        | Answer::ShutDown { .. }
        | Answer::AllStopped { .. } => true,
    }
}

fn prompted(model: &mut Model, result: Result<std::sync::Arc<crate::model::Record>, Failure>) {
    match (result, &mut model.overlay) {
        (Ok(record), overlay) => {
            if matches!(overlay, Some(Overlay::Prompt(prompt)) if prompt.pending) {
                *overlay = None;
            }
            model.select_when_known = Some(record.id);
        }
        (Err(failure), Some(Overlay::Prompt(prompt))) if prompt.pending => prompt.refuse(&failure),
        (Err(failure), _) => complain(model, "the run was not started", &failure),
    }
}

fn reaped(model: &mut Model, run: crate::model::RunId, result: Result<Vec<Reaped>, Failure>) {
    let name = model.run_name(run);
    match result {
        Ok(reaped) if reaped.is_empty() => model.inform(format!("{name} was lost, and nothing of it is left")),
        Ok(reaped) => {
            let ended: usize = reaped.iter().map(|one| one.ended).sum();
            let left: usize = reaped.iter().map(|one| one.left.len()).sum();
            match left {
                0 => model.inform(format!("what {name} had left is ended: {ended} processes")),
                left => model.complain(format!("{left} processes of {name} could not be ended, {ended} were")),
            }
        }
        Err(failure) => complain(model, &format!("what {name} has left was not ended"), &failure),
    }
}

fn signalled(model: &mut Model, run: crate::model::RunId, signal: i32, result: Result<u32, Failure>) {
    let name = model.run_name(run);
    let signal = SIGNALS.iter().find(|(number, ..)| *number == signal).map_or("?", |(_, name, _)| name);
    match result {
        Ok(1) => model.announce(format!("SIG{signal} was sent to one process of {name}")),
        Ok(count) => model.announce(format!("SIG{signal} was sent to {count} processes of {name}")),
        Err(failure) => complain(model, &format!("SIG{signal} was not sent to {name}"), &failure),
    }
}

fn inspected(model: &mut Model, run: crate::model::RunId, result: Result<Box<crate::api::Inspection>, Failure>) {
    let now = model.now;
    let Some(panel) = model.inspect.as_mut().filter(|panel| panel.run == Some(run)) else { return };
    match result {
        Ok(inspection) => panel.answered(inspection, now),
        Err(failure) => (panel.failure, panel.asked, panel.at) = (Some(failure), false, now),
    }
}

/// Typing that did not arrive is told; typing that came too late is plain to see.
fn controlled(model: &mut Model, run: crate::model::RunId, result: Result<Option<Failure>, Failure>) {
    match result {
        Ok(None) => {}
        Ok(Some(failure)) | Err(failure) => {
            // Who gives no answer may do it yet.
            let may = if failure.effects == Effects::Unknown { "may not have taken" } else { "did not take" };
            complain_unless_over(model, &format!("{} {may} that", model.run_name(run)), &failure);
        }
    }
}

fn shut_down(model: &mut Model, result: Result<ShutdownReport, Failure>, cmds: &mut Vec<Cmd>) {
    let Some(ending) = &mut model.ending else { return };
    match result {
        Ok(report) => {
            ending.report = Some(report);
            cmds.push(Cmd::Quit);
        }
        Err(failure) if failure.code == ErrorCode::Unavailable => cmds.push(Cmd::Quit),
        Err(failure) => {
            model.ending = None;
            complain(model, "the runs were not stopped", &failure);
        }
    }
}

pub(super) fn complain(model: &mut Model, what: &str, failure: &Failure) {
    let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    model.complain(format!("{what}: {}{hint}", failure.message));
}

/// A run that ended in between is no fault: the list shows it.
fn complain_unless_over(model: &mut Model, what: &str, failure: &Failure) {
    if !matches!(failure.code, ErrorCode::ControlClosed | ErrorCode::NotFound) {
        complain(model, what, failure);
    }
}
