//! What is on the disk, read beside the loop: the disk may be slow, and a reader may wait for more.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::search::log_stream;
use super::turns::Turns;
use crate::api::{Answer, LogReading, LogRequest};
use crate::driver::{self, LeftBehind, Orders};
use crate::model::{ErrorCode, Failure, Record, RunId, SessionName};
use crate::store::Records;
use crate::store::log::{LogProgress, LogReader, LogStream, Logs};

/// How many reads of logs are under way or wait at once. Each is a task, a blocking read and at most 1 MiB.
const MAX_LOG_READS: usize = 256;

/// How many screens of earlier runs are made again at once.
const MAX_LOOKS_BACK: usize = 2;

/// How long a reader waits for the disk to have what was printed before it asked. A disk that is slower than that is read as it is.
const SETTLING: Duration = Duration::from_secs(1);

/// Waits until what live runs have printed by now can be read: what is on a screen is in the log, too.
async fn settle(logs: impl IntoIterator<Item = LogProgress>) {
    let all = async {
        for mut log in logs {
            log.settles().await;
        }
    };
    let _ = tokio::time::timeout(SETTLING, all).await;
}

/// The same, on a thread that may wait.
pub(super) fn settle_here(logs: impl IntoIterator<Item = LogProgress>) {
    Handle::current().block_on(settle(logs));
}

/// What is on the disk, for readers.
pub(super) struct Kept {
    pub(super) records: Option<Records>,
    pub(super) logs: Option<Arc<Logs>>,
    /// How many searches and exports read it at the moment.
    pub(super) turns: Turns,
    log_reads: Semaphore,
    looks_back: Semaphore,
}

impl Kept {
    pub(super) fn new(records: Option<Records>, logs: Option<Arc<Logs>>) -> Kept {
        Kept {
            records,
            logs,
            turns: Turns::default(),
            log_reads: Semaphore::new(MAX_LOG_READS),
            looks_back: Semaphore::new(MAX_LOOKS_BACK),
        }
    }

    /// Answers looks at what an earlier run has shown.
    pub(super) async fn look_back(self: Arc<Kept>, record: Arc<Record>, scrollback_lines: usize, orders: Orders) {
        let logs = self.logs.as_ref().map(|logs| logs.folder().to_owned());
        let run = record.id;
        let records = self.records.clone();
        let output = Box::new(move || {
            let stored = records.map(|records| records.get(run));
            stored.and_then(Result::ok).flatten().and_then(|record| record.output)
        });
        driver::look_back(LeftBehind { record, logs, output, scrollback_lines }, &self.looks_back, orders).await;
    }

    /// Reads the log of a session's run; waits for more as long as it was asked to.
    pub(super) async fn read_log(
        self: Arc<Kept>,
        session: &SessionName,
        run: RunId,
        request: LogRequest,
        mut progress: Option<LogProgress>,
        mut answer: Answer<LogReading>,
    ) {
        let Ok(_reader) = self.log_reads.try_acquire() else {
            let message = format!("{MAX_LOG_READS} reads of logs are under way already");
            return answer.send(Err(Failure::new(ErrorCode::Busy, message).with_hint("wait for some of them")));
        };
        let stream = log_stream(request.stream);
        if let Some(progress) = &mut progress {
            let ready = async {
                match request.wait {
                    // That the time is over is an answer too: an empty one.
                    Some(wait) => drop(tokio::time::timeout(wait, progress.reaches(stream, request.offset)).await),
                    None => settle([progress.clone()]).await,
                }
            };
            tokio::select! {
                () = ready => {}
                () = answer.abandoned() => return,
            }
        }
        // Before the read: what is added in between belongs to the next one.
        let has_ended = progress.as_ref().is_none_or(LogProgress::has_ended);
        let is_listed = progress.is_some();
        let owner = (!is_listed).then(|| session.clone());
        let kept = Arc::clone(&self);
        let read = tokio::task::spawn_blocking(move || kept.read_now(run, stream, request, owner.as_ref())).await;
        answer.send(match read {
            Ok(Ok((reading, end))) => Ok(LogReading { is_end: has_ended && reading.next_offset >= end, ..reading }),
            Ok(Err(failure)) => Err(failure),
            Err(error) => Err(Failure::new(ErrorCode::Broken, format!("the log could not be read: {error}"))),
        });
    }

    fn read_now(
        &self,
        run: RunId,
        stream: LogStream,
        request: LogRequest,
        owner: Option<&SessionName>,
    ) -> Result<(LogReading, u64), Failure> {
        let unknown = || Failure::new(ErrorCode::NotFound, format!("there is no run {}", run.short()));
        let Some(logs) = &self.logs else {
            return Err(Failure::new(ErrorCode::Unsupported, "no logs are kept"));
        };
        if let Some(session) = owner {
            // Nothing of one session can be read through another.
            let record = self.records.as_ref().map(|records| records.of(session, run)).transpose()?.flatten();
            record.ok_or_else(unknown)?;
        }
        let mut reader = LogReader::open(logs.folder(), run)?;
        let found = reader.read(stream, request.offset, request.limit_bytes)?;
        let (_, end) = reader.span(stream);
        let reading = LogReading {
            offset: found.offset,
            bytes: found.bytes,
            next_offset: found.next_offset,
            skipped_bytes: found.skipped_bytes,
            is_end: false,
            is_redacted: logs.redacts(),
        };
        Ok((reading, end))
    }
}
