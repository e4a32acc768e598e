//! The driver's end of a log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::LogStream;
use super::layout::{Head, VERSION};
use super::lines::line_ends;
use super::logs::Bounds;
use super::progress::{LogProgress, Shared};
use super::redacting::{Redacting, Rest};
use super::resume::Found;
use super::split::end_of_segment;
use super::writer::{MERGE_MICROS, Message, Step};
use crate::model::{LogFacts, RunId, Size};
use crate::redact::Redactor;

/// How much of one run may be on its way to the disk. More than what is taken in at once, so that the disk is never waited for when it keeps up;
/// little enough for thousands of runs.
const MAX_IN_FLIGHT_BYTES: usize = 1024 * 1024;

/// The first and the longest pause before a log that failed is tried again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How much is held back at most, for one message to the writer instead of many: a wake-up of its thread costs more than what a key prints.
const MAX_HELD_BYTES: usize = 64 * 1024;

/// What a line of the index takes at most, nearly always.
const ENTRY_BYTES: u64 = 24;

/// Takes the output of one run for its log. No call waits for the disk: [`LogSink::has_room`] tells when to stop reading from the run.
///
/// What it takes may be held back until [`LogSink::pass_on`] is called, 64 KiB of output have come, or a segment or the log ends.
#[derive(Debug)]
pub struct LogSink {
    shared: Arc<Shared>,
    messages_tx: mpsc::Sender<Option<Message>>,
    held: Vec<(u64, Step)>,
    held_bytes: usize,
    bounds: Arc<Bounds>,
    began: Instant,
    /// How long the log had gone on before that, in microseconds.
    before: u64,
    size: Option<Size>,
    cuts: u64,
    segment: u32,
    used: u64,
    max_segment: u64,
    /// What came in of each stream, lost bytes included.
    offsets: [u64; 2],
    /// How many lines of each stream have ended; none when they were not counted from the beginning.
    lines: Option<[u64; 2]>,
    retry_at: Option<Instant>,
    pause: Duration,
    ended: bool,
    /// Takes secrets out of both streams, and holds back what may be the beginning of one.
    redacting: Option<Redacting>,
}

impl LogSink {
    pub(super) fn new(
        shared: Arc<Shared>,
        messages_tx: mpsc::Sender<Option<Message>>,
        bounds: Arc<Bounds>,
        size: Option<Size>,
        redactor: Option<&Redactor>,
    ) -> LogSink {
        let mut sink = LogSink::bare(shared, messages_tx, bounds, size);
        sink.redacting = redactor.map(Redacting::new);
        sink.begin_segment(Vec::new());
        sink
    }

    fn bare(
        shared: Arc<Shared>,
        messages_tx: mpsc::Sender<Option<Message>>,
        bounds: Arc<Bounds>,
        size: Option<Size>,
    ) -> LogSink {
        bounds.joined();
        let max_segment = bounds.max_segment_bytes();
        LogSink {
            shared,
            messages_tx,
            held: Vec::new(),
            held_bytes: 0,
            bounds,
            began: Instant::now(),
            before: 0,
            size,
            cuts: 0,
            segment: 0,
            used: 0,
            max_segment,
            offsets: [0; 2],
            lines: Some([0; 2]),
            retry_at: None,
            pause: FIRST_PAUSE,
            ended: false,
            redacting: None,
        }
    }

    /// Makes the end of a log that is there. [`LogSink::go_on`] has to follow before anything else.
    pub(super) fn resumed(
        shared: Arc<Shared>,
        messages_tx: mpsc::Sender<Option<Message>>,
        bounds: Arc<Bounds>,
        found: Found,
    ) -> LogSink {
        let mut sink = LogSink::bare(shared, messages_tx, bounds, None);
        for stream in LogStream::BOTH {
            sink.shared.written[stream.index()].store(found.offsets[stream.index()], Ordering::Release);
        }
        let stored = found.offsets.iter().sum::<u64>().saturating_sub(found.lost);
        sink.shared.stored.store(stored, Ordering::Release);
        sink.shared.dropped.store(found.dropped, Ordering::Release);
        sink.shared.lost.store(found.lost, Ordering::Release);
        sink.send(Step::Resume(found.kept));
        (sink.before, sink.segment, sink.offsets) = (found.at, found.segment, found.offsets);
        sink
    }

    /// Goes on with a log that is there, from these offsets on, in a segment of its own: `redraw` draws the screen as it is now. What lies
    /// between the end that was found and the offsets is lost. `lines` is how many lines of each stream had ended, where that is known.
    pub fn go_on(
        &mut self,
        offsets: [u64; 2],
        lines: Option<[u64; 2]>,
        size: Option<Size>,
        cuts: u64,
        redraw: Vec<u8>,
    ) {
        let missing: u64 = offsets.iter().zip(self.offsets).map(|(to, from)| to.saturating_sub(from)).sum();
        self.shared.lost.fetch_add(missing, Ordering::AcqRel);
        (self.offsets, self.lines, self.size, self.cuts) = (offsets, lines, size, cuts);
        self.begin_segment(redraw);
    }

    /// Has secrets taken out of a log that is there, from these points on; what the run printed there is at hand from `begins` on. Returns where the log
    /// goes on, for [`LogSink::go_on`].
    pub fn go_on_redacting(&mut self, redactor: Redactor, rests: [Rest; 2], begins: [u64; 2]) -> [u64; 2] {
        let mut ends = self.offsets;
        for (end, rest) in ends.iter_mut().zip(&rests) {
            // What a failing log had lost.
            *end = rest.logged.max(*end);
        }
        self.redacting = Some(Redacting::resumed(redactor, rests, ends, begins));
        ends
    }

    /// Returns the newest point of a redacted stream from which the next program can go on, when there is a new one. What came before it needs not
    /// be kept elsewhere.
    pub fn settled_rest(&mut self, stream: LogStream) -> Option<Rest> {
        let settled = self.settled(stream);
        self.redacting.as_mut()?.streams[stream.index()].settled(settled)
    }

    /// Returns how much of a redacted stream has come.
    pub fn came(&self, stream: LogStream) -> Option<u64> {
        self.redacting.as_ref().map(|redacting| redacting.streams[stream.index()].came())
    }

    /// Returns up to where a stream needs not be kept elsewhere: it is with the kernel, or lost for good.
    pub fn settled(&self, stream: LogStream) -> u64 {
        let in_flight = self.shared.in_flight.load(Ordering::Acquire) as u64;
        self.offsets[stream.index()].saturating_sub(in_flight)
    }

    /// Returns where a stream goes on.
    pub fn offset(&self, stream: LogStream) -> u64 {
        self.offsets[stream.index()]
    }

    /// Returns the run.
    pub fn run(&self) -> RunId {
        self.shared.run
    }

    /// Returns what tells readers how far it has come.
    pub fn progress(&self) -> LogProgress {
        LogProgress::new(Arc::clone(&self.shared))
    }

    fn at(&self) -> u64 {
        self.before.saturating_add(u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    fn hold(&mut self, step: Step) {
        self.hold_since(self.at(), step);
    }

    fn hold_since(&mut self, at: u64, step: Step) {
        if self.held.is_empty() {
            self.shared.promised.fetch_add(1, Ordering::AcqRel);
        }
        self.held.push((at, step));
    }

    fn send(&mut self, step: Step) {
        self.hold(step);
        self.pass_on();
    }

    /// Returns whether something is held back.
    pub fn holds_back(&self) -> bool {
        !self.held.is_empty()
    }

    /// Passes what is held back on to the writer.
    pub fn pass_on(&mut self) {
        if self.held.is_empty() {
            return;
        }
        self.held_bytes = 0;
        let message = Message { shared: Arc::clone(&self.shared), steps: std::mem::take(&mut self.held) };
        if self.messages_tx.send(Some(message)).is_err() {
            self.shared.fail(self.segment, "the writer of the logs has ended".to_owned());
            self.shared.one_done();
        }
    }

    /// Returns how much of a chunk belongs to the present segment, when it ends within the chunk: then [`LogSink::begin_segment`] is due after
    /// that much was appended.
    pub fn segment_ends_in(&self, bytes: &[u8]) -> Option<usize> {
        if self.has_failed() {
            return self.retry_at.is_some_and(|at| at <= Instant::now()).then_some(0);
        }
        end_of_segment(bytes, self.used, self.max_segment)
    }

    /// Returns what takes secrets out of the log; none when it gets everything as it comes.
    pub fn redactor(&self) -> Option<&Redactor> {
        self.redacting.as_ref().map(|redacting| &redacting.redactor)
    }

    /// Takes the secrets out of the next bytes of a stream: what is to be appended, without what is held back until more has come. None when
    /// the log gets everything as it comes.
    pub fn redacted(&mut self, stream: LogStream, bytes: &[u8]) -> Option<Vec<u8>> {
        let logged = self.offsets[stream.index()];
        Some(self.redacting.as_mut()?.streams[stream.index()].push(bytes, logged))
    }

    /// Takes the next bytes of a stream as they are.
    pub fn append(&mut self, stream: LogStream, bytes: &[u8]) {
        if bytes.is_empty() || self.ended {
            return;
        }
        self.offsets[stream.index()] += bytes.len() as u64;
        if let Some(lines) = &mut self.lines {
            lines[stream.index()] += line_ends(bytes);
        }
        self.used += bytes.len() as u64 + ENTRY_BYTES;
        if self.has_failed() {
            self.shared.lost.fetch_add(bytes.len() as u64, Ordering::AcqRel);
            self.plan_retry();
            return;
        }
        self.bounds.grew(bytes.len() as u64 + ENTRY_BYTES);
        self.shared.in_flight.fetch_add(bytes.len(), Ordering::AcqRel);
        let at = self.at();
        match self.held.last_mut() {
            // As the index has it: what comes closer together than this is one entry.
            Some((since, Step::Bytes(last, held))) if *last == stream && at - *since <= MERGE_MICROS => {
                held.extend_from_slice(bytes);
            }
            Some(_) | None => self.hold_since(at, Step::Bytes(stream, bytes.to_vec())),
        }
        self.held_bytes += bytes.len();
        if self.held_bytes >= MAX_HELD_BYTES {
            self.pass_on();
        }
    }

    /// Returns whether the present segment cannot be written.
    fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Acquire) == self.segment
    }

    fn plan_retry(&mut self) {
        if self.retry_at.is_none() {
            self.retry_at = Some(Instant::now() + self.pause);
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Begins a segment. `redraw` is what draws the screen as it is now.
    pub fn begin_segment(&mut self, redraw: Vec<u8>) {
        if !self.has_failed() {
            self.pause = FIRST_PAUSE;
        }
        self.retry_at = None;
        self.segment += 1;
        self.used = 0;
        self.max_segment = self.bounds.max_segment_bytes();
        let head = Head {
            version: VERSION,
            run: self.shared.run,
            mode: self.shared.mode,
            segment: self.segment,
            wall: Timestamp::now(),
            at: self.at(),
            size: self.size,
            cuts: self.cuts,
            offsets: self.offsets,
            lines: self.lines,
        };
        let max_log = self.bounds.max_log_bytes();
        self.send(Step::Begin(Box::new(head), redraw, max_log));
    }

    /// Takes note that the terminal has another size.
    pub fn resized(&mut self, size: Size) {
        self.size = Some(size);
        self.hold(Step::Resize(size));
    }

    /// Takes note of a cut, by how many there were with it.
    pub fn cut(&mut self, cuts: u64) {
        self.cuts = cuts;
        self.hold(Step::Cut(cuts));
    }

    /// Returns whether more output may be taken in.
    pub fn has_room(&self) -> bool {
        self.shared.in_flight.load(Ordering::Acquire) < MAX_IN_FLIGHT_BYTES
    }

    /// Waits until more output may be taken in.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn room(&self) {
        let mut done_rx = self.shared.done_tx.subscribe();
        // It fails only without a sender, which is part of what is shared.
        let _ = done_rx.wait_for(|_| self.has_room()).await;
    }

    /// Ends the log: nothing follows.
    pub fn end(&mut self) {
        if !self.ended {
            for stream in LogStream::BOTH {
                let held = self.redacting.as_mut().map(|redacting| redacting.streams[stream.index()].finish());
                self.append(stream, &held.unwrap_or_default());
            }
            self.ended = true;
            self.send(Step::End);
        }
    }

    /// Waits until everything that was taken is written, after [`LogSink::end`].
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn is_written(&self) {
        let mut done_rx = self.shared.done_tx.subscribe();
        // It fails only without a sender, which is part of what is shared.
        let _ = done_rx.wait_for(|_| self.shared.ended.load(Ordering::Acquire)).await;
    }

    /// Returns what the log has. Bytes count once they are with the kernel.
    pub fn facts(&self) -> LogFacts {
        self.shared.facts()
    }

    /// Returns since when and why bytes are being lost; none while all is well.
    pub fn failure(&self) -> Option<(Timestamp, String)> {
        self.shared.failure()
    }
}

impl Drop for LogSink {
    fn drop(&mut self) {
        self.end();
        self.bounds.left();
    }
}
