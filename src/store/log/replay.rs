//! A log as the row of what happened.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::time::Duration;

use super::layout::{Entry, streams};
use super::reader::{LogReader, Segment};
use super::{LogError, LogStream};
use crate::model::Size;

/// The longest line of an index; a longer one is the end of what can be read.
const MAX_LINE_BYTES: u64 = 256;

/// The largest redraw that is read: a screen of the largest size with a style for each cell stays below it.
const MAX_REDRAW_BYTES: u64 = 64 * 1024 * 1024;

/// How much of a stream is in one event at most.
const MAX_EVENT_BYTES: u64 = 1024 * 1024;

/// How much is told of what was printed before a wanted time: a character has four bytes at most.
const KEPT_BEFORE: u64 = 4;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogEvent {
    /// The terminal has this size at the beginning, or after a gap.
    Begin(Option<Size>),
    /// So many bytes are not there.
    Gap(u64),
    /// What draws the screen as it was behind a gap.
    Redraw(Vec<u8>),
    /// The next bytes of a stream.
    Bytes(LogStream, Vec<u8>),
    /// The terminal got another size.
    Resize(Size),
    /// A cut was made, the one of this number.
    Cut(u64),
    /// The log was ended in order.
    End,
}

/// What happened, and how long after the beginning of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedEvent {
    /// The time since the log began.
    pub at: Duration,
    /// What happened.
    pub event: LogEvent,
}

/// Where a replay begins.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    /// Where each stream stands.
    begins: [u64; 2],
    /// The output of before is passed over.
    since: Duration,
}

impl LogReader {
    /// Tells everything that is in the log to `see`, in order. Fed to a fresh screen of the first size, with every resize applied, it gives the frame of
    /// each cut again, as long as there is no gap.
    ///
    /// # Errors
    /// [`LogError::File`] when the files cannot be read, and what `see` returns.
    pub fn replay<E: From<LogError>>(&self, see: impl FnMut(TimedEvent) -> Result<(), E>) -> Result<(), E> {
        self.replay_segments(&self.segments, Start::default(), see)
    }

    /// Does the same with what happened so long after the beginning of the log, and later. Of the output before that there are at most the last bytes of
    /// each stream: the beginning of a character may be in them.
    ///
    /// # Errors
    /// As [`LogReader::replay`].
    pub fn replay_since<E: From<LogError>>(
        &self,
        since: Duration,
        see: impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let has_begun = |segment: &Segment| Duration::from_micros(segment.head.at) < since;
        // And the one before: it has what came right before the first of the next.
        let first = self.segments.iter().rposition(has_begun).unwrap_or(0).saturating_sub(1);
        self.replay_segments(&self.segments[first..], Start { begins: self.begins(first), since }, see)
    }

    /// Returns where each stream stands when it is read from a segment on.
    fn begins(&self, first: usize) -> [u64; 2] {
        if first == 0 { [0; 2] } else { self.segments[first].head.offsets }
    }

    /// Does the same as [`LogReader::replay`] from a segment on; what comes before it is no gap.
    pub(super) fn replay_from<E: From<LogError>>(
        &self,
        first: usize,
        see: impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = Start { begins: self.begins(first), ..Start::default() };
        self.replay_segments(&self.segments[first..], start, see)
    }

    /// Does the same with the newest part of the log only: as many whole segments as have `wanted_bytes` together, or all. What comes before them
    /// is a gap.
    ///
    /// # Errors
    /// As [`LogReader::replay`].
    pub fn replay_newest<E: From<LogError>>(
        &self,
        wanted_bytes: u64,
        see: impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        self.replay_segments(self.newest(wanted_bytes), Start::default(), see)
    }

    /// Returns where each stream begins in the newest part of the log.
    pub fn newest_begin(&self, wanted_bytes: u64) -> [u64; 2] {
        self.newest(wanted_bytes).first().map_or([0; 2], |segment| segment.head.offsets)
    }

    /// Returns how many lines of each stream had ended before the newest part of the log, where somebody has counted.
    pub fn newest_lines(&self, wanted_bytes: u64) -> Option<[u64; 2]> {
        self.newest(wanted_bytes).first()?.head.lines
    }

    fn newest(&self, wanted_bytes: u64) -> &[Segment] {
        let mut bytes = 0;
        let mut first = self.segments.len();
        while first > 0 && bytes < wanted_bytes {
            first -= 1;
            bytes += LogStream::BOTH.map(|stream| self.segments[first].stream_bytes(stream)).iter().sum::<u64>();
        }
        &self.segments[first..]
    }

    fn replay_segments<E: From<LogError>>(
        &self,
        segments: &[Segment],
        start: Start,
        mut see: impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut next = start.begins;
        let size = Cell::new(None);
        for (place, segment) in segments.iter().enumerate() {
            let is_last = place + 1 == segments.len();
            let mut see = |event: TimedEvent| {
                match event.event {
                    LogEvent::Begin(begun) => size.set(begun),
                    LogEvent::Resize(resized) => size.set(Some(resized)),
                    // The program was killed before the run was closed, and the next one went on.
                    LogEvent::End if !is_last => return Ok(()),
                    LogEvent::Gap(_) | LogEvent::Redraw(_) | LogEvent::Bytes(..) | LogEvent::Cut(_) | LogEvent::End => {
                    }
                }
                see(event)
            };
            let at = Duration::from_micros(segment.head.at);
            let mut tell = |event| see(TimedEvent { at, event });
            let gap: u64 = LogStream::BOTH
                .map(|s| segment.begin(s).saturating_sub(next[s.index()]))
                .into_iter()
                .fold(0, u64::saturating_add);
            match segment.head.size {
                begun if place == 0 || gap > 0 => tell(LogEvent::Begin(begun))?,
                // The program was killed before this was in the index.
                Some(resized) if size.get() != Some(resized) => tell(LogEvent::Resize(resized))?,
                Some(_) | None => {}
            }
            if gap > 0 {
                tell(LogEvent::Gap(gap))?;
                if let Some(redraw) = redraw(segment)? {
                    tell(LogEvent::Redraw(redraw))?;
                }
            }
            SegmentReplay::open(segment, start.since)?.run(&mut see)?;
            next = LogStream::BOTH.map(|stream| segment.end(stream));
        }
        Ok(())
    }
}

fn redraw(segment: &Segment) -> Result<Option<Vec<u8>>, LogError> {
    let file = match segment.open("redraw") {
        Err(LogError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_REDRAW_BYTES).read_to_end(&mut bytes);
    read.map_err(|source| LogError::File { path: segment.folder.clone(), source })?;
    Ok(Some(bytes))
}

struct SegmentReplay<'a> {
    segment: &'a Segment,
    index: BufReader<File>,
    streams: Vec<(LogStream, File)>,
    at: Duration,
    since: Duration,
    /// What was passed over of each stream and the file is not behind yet: when it came, and how much it is.
    passed: [Option<(Duration, u64)>; 2],
}

impl<'a> SegmentReplay<'a> {
    fn open(segment: &'a Segment, since: Duration) -> Result<SegmentReplay<'a>, LogError> {
        let index = BufReader::new(segment.open("index")?);
        let open = |stream: &LogStream| Ok((*stream, segment.stream(*stream)?));
        let streams = streams(segment.head.mode).iter().map(open).collect::<Result<_, LogError>>()?;
        let at = Duration::from_micros(segment.head.at);
        Ok(SegmentReplay { segment, index, streams, at, since, passed: [None; 2] })
    }

    fn failed(&self, source: io::Error) -> LogError {
        LogError::File { path: self.segment.folder.clone(), source }
    }

    fn run<E: From<LogError>>(mut self, see: &mut impl FnMut(TimedEvent) -> Result<(), E>) -> Result<(), E> {
        let mut is_head = true;
        let mut end = None;
        loop {
            let mut line = String::new();
            let limit = if is_head { 4096 } else { MAX_LINE_BYTES };
            match (&mut self.index).take(limit).read_line(&mut line) {
                Ok(_) if line.ends_with('\n') => {}
                // The program died in the middle of it, or what follows is no index any more.
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => break,
                Err(error) => return Err(self.failed(error).into()),
            }
            if std::mem::take(&mut is_head) {
                continue;
            }
            let Some((at, entry)) = Entry::parse(line.trim_end()) else { break };
            // A clock that went wrong makes no recording that runs backwards.
            self.at = self.at.max(Duration::from_micros(at));
            let event = match entry {
                Entry::Bytes(stream, count) if self.at < self.since => {
                    let passed = &mut self.passed[stream.index()];
                    let before = passed.map_or(0, |(_, bytes)| bytes);
                    *passed = Some((self.at, before.saturating_add(count)));
                    continue;
                }
                Entry::Bytes(stream, count) => {
                    self.pass_over(stream, see)?;
                    self.pass_on(stream, count, see)?;
                    continue;
                }
                Entry::Resize(size) => LogEvent::Resize(size),
                Entry::Cut(cuts) => LogEvent::Cut(cuts),
                Entry::End => {
                    end = Some(LogEvent::End);
                    continue;
                }
            };
            see(TimedEvent { at: self.at, event })?;
        }
        // What was written and not noted any more.
        for stream in streams(self.segment.head.mode) {
            self.pass_over(*stream, see)?;
            self.pass_on(*stream, u64::MAX, see)?;
        }
        if let Some(event) = end {
            see(TimedEvent { at: self.at, event })?;
        }
        Ok(())
    }

    /// Passes over what is not wanted of a stream, but for its last bytes.
    fn pass_over<E: From<LogError>>(
        &mut self,
        stream: LogStream,
        see: &mut impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((at, bytes)) = self.passed[stream.index()].take() else { return Ok(()) };
        let Some((_, file)) = self.streams.iter_mut().find(|(own, _)| *own == stream) else { return Ok(()) };
        // Behind its end nothing is read, whatever the index says.
        let skipped = i64::try_from(bytes.saturating_sub(KEPT_BEFORE)).unwrap_or(i64::MAX);
        if let Err(source) = file.seek(SeekFrom::Current(skipped)) {
            return Err(self.failed(source).into());
        }
        let now = std::mem::replace(&mut self.at, at);
        let told = self.pass_on(stream, bytes.min(KEPT_BEFORE), see);
        self.at = now;
        told
    }

    fn pass_on<E: From<LogError>>(
        &mut self,
        stream: LogStream,
        count: u64,
        see: &mut impl FnMut(TimedEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((_, file)) = self.streams.iter_mut().find(|(own, _)| *own == stream) else { return Ok(()) };
        let mut left = count;
        while left > 0 {
            let mut bytes = Vec::new();
            let read = file.take(left.min(MAX_EVENT_BYTES)).read_to_end(&mut bytes);
            if let Err(source) = read {
                return Err(LogError::File { path: self.segment.folder.clone(), source }.into());
            }
            if bytes.is_empty() {
                break;
            }
            left -= bytes.len() as u64;
            see(TimedEvent { at: self.at, event: LogEvent::Bytes(stream, bytes) })?;
        }
        Ok(())
    }
}
