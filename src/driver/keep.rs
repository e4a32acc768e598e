//! What a driver keeps for later: the raw log (S2.5), and the newest output for the record (S2.6).

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::port::Report;
use super::view::Collector;
use crate::model::{LogFacts, RecordOutput, Size};
use crate::store::Redaction;
use crate::store::log::{LogSink, LogStream};
use crate::tail::Pipe;

/// After how much output of a pipes run its record is flushed before the interval is over.
const EARLY_BYTES: u64 = 64 * 1024;

/// The least time between two flushes, also of a flood.
const LEAST_INTERVAL: Duration = Duration::from_millis(250);

/// How long output may be held back from the writer of the log: it goes to the screen first, and the few bytes of a key's echo are one message.
const LOG_DELAY: Duration = Duration::from_millis(5);

/// The log and the flushes of one run.
pub(super) struct Keep {
    log: Option<LogSink>,
    log_due: Option<Instant>,
    told_failure: Option<(Timestamp, String)>,
    flush: Option<Flush>,
    redaction: Redaction,
}

/// Returns the stream of the log that a pipe's output goes to.
pub(super) fn stream_of(pipe: Pipe) -> LogStream {
    match pipe {
        Pipe::Stdout => LogStream::Output,
        Pipe::Stderr => LogStream::Error,
    }
}

/// When the record is flushed.
struct Flush {
    interval: Duration,
    /// The generation and the output of the last one.
    generation: u64,
    output: Option<RecordOutput>,
    last: Option<Instant>,
    due: Option<Instant>,
    /// Whether one is being stored: the next one waits for it.
    in_flight: bool,
    new_bytes: u64,
}

impl Keep {
    pub(super) fn new(log: Option<LogSink>, flush_interval: Option<Duration>, redaction: Redaction) -> Keep {
        let flush = flush_interval.map(|interval| Flush {
            interval,
            generation: 0,
            output: None,
            last: None,
            due: None,
            in_flight: false,
            new_bytes: 0,
        });
        Keep { log, log_due: None, told_failure: None, flush, redaction }
    }

    /// Gives output to the collector and to the log. Where the log begins a segment, both are at the same byte.
    pub(super) fn admit(&mut self, collector: &mut Collector, pipe: Pipe, bytes: &[u8]) {
        let stream = stream_of(pipe);
        let mut rest = bytes;
        while let Some(end) = self.log.as_ref().and_then(|log| log.segment_ends_in(rest)) {
            let (before, behind) = rest.split_at(end);
            collector.admit(pipe, before);
            self.append(collector, stream, before);
            self.begin_segment(collector);
            rest = behind;
        }
        collector.admit(pipe, rest);
        self.append(collector, stream, rest);
        if let Some(flush) = &mut self.flush {
            flush.new_bytes += bytes.len() as u64;
        }
    }

    /// Gives output to the log, without its secrets when that is wanted: then the log is behind the collector by what is held back.
    fn append(&mut self, collector: &mut Collector, stream: LogStream, bytes: &[u8]) {
        let Some(log) = &mut self.log else { return };
        let Some(clean) = log.redacted(stream, bytes) else { return log.append(stream, bytes) };
        let mut rest = &clean[..];
        // A mark may be longer than its secret.
        while let Some(end) = self.log.as_ref().and_then(|log| log.segment_ends_in(rest)) {
            let (before, behind) = rest.split_at(end);
            if let Some(log) = &mut self.log {
                log.append(stream, before);
            }
            self.begin_segment(collector);
            rest = behind;
        }
        if let Some(log) = &mut self.log {
            log.append(stream, rest);
        }
    }

    fn begin_segment(&mut self, collector: &mut Collector) {
        if let Some(log) = &mut self.log {
            let redraw = collector.redraw(log.redactor());
            log.begin_segment(redraw);
        }
    }

    /// Returns what takes secrets out of what is shown.
    pub(super) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// Takes note of a cut, by how many there were with it.
    pub(super) fn cut(&mut self, cuts: u64) {
        self.log.iter_mut().for_each(|log| log.cut(cuts));
        self.plan_log();
    }

    /// Returns the log.
    pub(super) fn log(&mut self) -> Option<&mut LogSink> {
        self.log.as_mut()
    }

    /// Takes note that the terminal has another size.
    pub(super) fn resized(&mut self, size: Size) {
        self.log.iter_mut().for_each(|log| log.resized(size));
        self.plan_log();
    }

    /// Waits until the log takes more output.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn room(&self) {
        if let Some(log) = &self.log {
            log.room().await;
        }
    }

    /// Returns what the log has.
    pub(super) fn facts(&self) -> Option<LogFacts> {
        self.log.as_ref().map(LogSink::facts)
    }

    /// Returns the news when the log cannot be written, or can be again.
    pub(super) fn log_news(&mut self) -> Option<Report> {
        let failure = self.log.as_ref()?.failure();
        if failure == self.told_failure {
            return None;
        }
        self.told_failure.clone_from(&failure);
        Some(Report::LogFailed(failure))
    }

    /// Plans when the log gets what is held back.
    fn plan_log(&mut self) {
        if !self.log.as_ref().is_some_and(LogSink::holds_back) {
            self.log_due = None;
        } else if self.log_due.is_none() {
            self.log_due = Some(Instant::now() + LOG_DELAY);
        }
    }

    /// Takes note of new output.
    pub(super) fn changed(&mut self, collector: &Collector) {
        self.plan_log();
        let Some(flush) = &mut self.flush else { return };
        let now = Instant::now();
        if flush.in_flight || collector.generation() == flush.generation {
            return;
        }
        let is_early = flush.new_bytes >= EARLY_BYTES && matches!(collector, Collector::Pipes(_));
        let interval = if is_early { LEAST_INTERVAL.min(flush.interval) } else { flush.interval };
        let next = flush.last.map_or(now + interval, |last| last + interval).max(now);
        flush.due = Some(flush.due.map_or(next, |due| due.min(next)));
    }

    /// Returns when a flush of the record is due.
    pub(super) fn flush_due(&self) -> Option<Instant> {
        self.flush.as_ref().and_then(|flush| flush.due)
    }

    /// Returns when the log is due to get what was held back.
    pub(super) fn log_due(&self) -> Option<Instant> {
        self.log_due
    }

    /// Gives the log what was held back.
    pub(super) fn pass_on_to_log(&mut self) {
        self.log_due = None;
        self.log.iter_mut().for_each(LogSink::pass_on);
    }

    /// Takes the output for the record; none when it is what it was.
    pub(super) fn snapshot(&mut self, collector: &mut Collector) -> Option<Report> {
        let log = self.facts();
        let flush = self.flush.as_mut()?;
        flush.due = None;
        if flush.in_flight {
            // The answer to that one makes the next one due.
            return None;
        }
        flush.generation = collector.generation();
        flush.new_bytes = 0;
        flush.last = Some(Instant::now());
        let output = collector.live_output(self.redaction.redactor());
        if flush.output.as_ref() == Some(&output) {
            return None;
        }
        flush.output = Some(output.clone());
        flush.in_flight = true;
        Some(Report::Snapshot { output: Box::new(output), log })
    }

    /// Takes note that the last flush is stored.
    pub(super) fn flushed(&mut self, collector: &Collector) {
        if let Some(flush) = &mut self.flush {
            flush.in_flight = false;
        }
        self.changed(collector);
    }

    /// Takes the last output for the record: nothing is flushed any more, and the log ends.
    pub(super) fn finish(&mut self, collector: &mut Collector) -> RecordOutput {
        self.flush = None;
        if let Some(log) = &mut self.log {
            log.end();
        }
        collector.output(self.redaction.redactor())
    }

    /// Waits until the log is written, after [`Keep::finish`], and closes it.
    pub(super) async fn close(&mut self, patience: Duration) -> Option<LogFacts> {
        let log = self.log.take()?;
        if tokio::time::timeout(patience, log.is_written()).await.is_err() {
            tracing::warn!(run = %log.run(), "the end of a log is still being written");
        }
        Some(log.facts())
    }
}
