//! Making and changing records (S2.2, S2.3). The revision grows when a change is stored.

use std::sync::Arc;

use jiff::Timestamp;

use crate::launch::{Resolved, RunIdentity};
use crate::model::run::Outcome;
use crate::model::{LogFacts, Mode, ProcessIdentity, Record, RecordOutput, RunName, RunSpec, Size, Status};

/// The shape of records.
const SCHEMA: u32 = 1;

/// Makes the first record of a run.
pub(super) fn starting(identity: &RunIdentity, spec: &RunSpec, resolved: &Resolved, at: Timestamp) -> Arc<Record> {
    let RunIdentity { id, session, name, generation } = identity;
    Arc::new(Record {
        schema: SCHEMA,
        reference: format!("shtask://{session}/{id}"),
        id: *id,
        session: session.clone(),
        name: name.clone(),
        generation: *generation,
        mode: spec.mode,
        status: Status::Starting,
        command: resolved.command_line.clone(),
        argv: resolved.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        shell: resolved.shell.clone(),
        cwd: resolved.cwd.clone(),
        process: None,
        size: (spec.mode == Mode::Pty).then_some(spec.size),
        started_at: None,
        updated_at: at,
        completed_at: None,
        observed_at: None,
        timeout: spec.wall_timeout(),
        timed_out_by: None,
        exit_code: None,
        signal: None,
        cause: None,
        failure: None,
        ended: None,
        revision: 1,
        degraded: None,
        log: None,
        recipe: Some(Box::new(spec.recipe())),
        output: None,
    })
}

/// Makes the next state of a record.
fn next(record: &Record, at: Timestamp, change: impl FnOnce(&mut Record)) -> Arc<Record> {
    let mut next = Record { updated_at: at, ..record.clone() };
    change(&mut next);
    Arc::new(next)
}

/// Makes the record of a run whose process exists.
pub(super) fn running(record: &Record, at: Timestamp) -> Arc<Record> {
    next(record, at, |next| next.status = Status::Running)
}

/// Notes the process of a run; stored with the next change.
pub(super) fn with_process(record: &Record, process: ProcessIdentity, at: Timestamp) -> Arc<Record> {
    Arc::new(Record { process: Some(process), started_at: Some(at), ..record.clone() })
}

/// Makes the record of a run that has another name.
pub(super) fn renamed(record: &Record, name: RunName, generation: u64, at: Timestamp) -> Arc<Record> {
    next(record, at, |next| (next.name, next.generation) = (Some(name), generation))
}

/// Notes the size of a run's terminal; stored with the next change.
pub(super) fn with_size(record: &Record, size: Size) -> Arc<Record> {
    Arc::new(Record { size: Some(size), ..record.clone() })
}

/// Makes the record of a live run with its newest output.
pub(super) fn with_output(record: &Record, output: RecordOutput, log: Option<LogFacts>, at: Timestamp) -> Arc<Record> {
    next(record, at, |next| {
        next.output = Some(output);
        next.log = log.or(next.log);
    })
}

/// Makes the final record of a run.
pub(super) fn ended(record: &Record, outcome: Outcome, output: Option<RecordOutput>, at: Timestamp) -> Arc<Record> {
    next(record, at, |next| {
        next.status = outcome.status;
        next.completed_at = Some(at);
        next.exit_code = outcome.exit_code;
        next.signal = outcome.signal;
        next.cause = outcome.cause;
        next.timed_out_by = outcome.timed_out_by;
        next.failure = outcome.failure;
        next.ended = outcome.ended;
        next.output = output.or(next.output.take());
        if let (true, Some(RecordOutput::Pipes(pipes))) = (outcome.undrained, &mut next.output) {
            pipes.stdout_truncated = true;
            pipes.stderr_truncated = true;
        }
    })
}

/// Makes the record of a final run that has been read.
pub(super) fn observed(record: &Record, at: Timestamp) -> Arc<Record> {
    next(record, at, |next| next.observed_at = Some(at))
}
