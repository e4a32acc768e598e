//! `logs`: the output of a run from its log (S6.3).

use std::time::Duration;

use futures_util::future::select_all;
use jiff::Timestamp;
use serde_json::json;
use tokio::time::Instant;

use super::args_look::{LogsArgs, WhichStream};
use super::exit::{Exit, Fault};
use super::facts::{self, elapsed};
use super::here::Verbs;
use crate::api::{ByteCounts, Client, LogReading, LogRequest, Reply, Stream};
use crate::model::{Effects, ErrorCode, Failure, Mode, Plain, Record, RunId};

/// How much is asked for at once.
const PAGE_BYTES: usize = 256 * 1024;

/// For how long one request waits; then it is asked again.
const WAIT: Duration = Duration::from_secs(30);

/// Where in a stream somebody reads, and what is asked for next.
pub(super) struct LogCursor {
    pub(super) stream: Stream,
    offset: u64,
    end: u64,
    waits: bool,
    asked: Option<Reply<LogReading>>,
    has_ended: bool,
}

impl LogCursor {
    /// Starts to read at an offset; with `waits` until the run has ended, otherwise what is there.
    pub(super) fn new(stream: Stream, offset: u64, waits: bool) -> LogCursor {
        LogCursor { stream, offset, end: u64::MAX, waits, asked: None, has_ended: false }
    }

    /// Reads nothing behind an offset: the way to the end of a run that prints faster than it is read would have none.
    fn up_to(self, end: Option<u64>) -> LogCursor {
        LogCursor { end: end.unwrap_or(u64::MAX), ..self }
    }

    fn ask(&mut self, client: &dyn Client, run: RunId) {
        if self.asked.is_none() && !self.has_ended {
            let wait = self.waits.then_some(WAIT);
            let request = LogRequest { stream: self.stream, offset: self.offset, limit_bytes: PAGE_BYTES, wait };
            self.asked = Some(client.read_log(run, request));
        }
    }

    fn take(&mut self, page: &mut LogReading) {
        let room = usize::try_from(self.end.saturating_sub(page.offset)).unwrap_or(usize::MAX);
        page.bytes.truncate(room);
        page.next_offset = page.offset + page.bytes.len() as u64;
        self.offset = page.next_offset;
        self.has_ended = page.is_end || self.offset >= self.end || !self.waits && page.bytes.is_empty();
    }
}

/// Returns whether a look came to nothing because the connection was lost while it was waited for: it can be asked again.
pub(super) fn was_lost(failure: &Failure) -> bool {
    failure.code == ErrorCode::Unavailable && failure.effects == Effects::Unknown
}

/// Asks for a look until an answer comes: when a server dies over it, the next one is asked.
pub(super) async fn look<T>(mut ask: impl FnMut() -> Reply<T>) -> Result<T, Failure> {
    loop {
        match ask().await {
            Err(failure) if was_lost(&failure) => {}
            answer => return answer,
        }
    }
}

/// Returns the next page of any of the cursors, with the place of the cursor; none when all have ended.
///
/// # Cancel safety
/// Nothing is lost when it is dropped.
pub(super) async fn next_page(
    client: &dyn Client,
    run: RunId,
    cursors: &mut [LogCursor],
) -> Result<Option<(usize, LogReading)>, Failure> {
    loop {
        cursors.iter_mut().for_each(|cursor| cursor.ask(client, run));
        let asked = cursors.iter_mut().enumerate();
        let pending: Vec<_> = asked
            .filter_map(|(at, cursor)| {
                let reply = cursor.asked.as_mut()?;
                Some(Box::pin(async move { (at, reply.await) }))
            })
            .collect();
        if pending.is_empty() {
            return Ok(None);
        }
        let ((at, page), ..) = select_all(pending).await;
        cursors[at].asked = None;
        // The next server has the same log: it is gone on with where the last one had come to.
        if page.as_ref().is_err_and(was_lost) {
            continue;
        }
        let mut page = page?;
        cursors[at].take(&mut page);
        return Ok(Some((at, page)));
    }
}

/// Returns the streams that a run of this mode has.
pub(super) fn streams(mode: Mode) -> &'static [Stream] {
    match mode {
        Mode::Pipes => &[Stream::Stdout, Stream::Stderr],
        Mode::Pty => &[Stream::Stdout],
    }
}

impl Verbs<'_> {
    /// Prints the log of a run: what was standard error goes to standard error.
    pub(super) async fn logs(&mut self, args: &LogsArgs) -> Result<Exit, Fault> {
        if args.raw && self.console.look.is_terminal && !self.console.look.json {
            let message = "--raw passes everything that the run has printed, and this terminal would obey it";
            return Err(Failure::new(ErrorCode::Invalid, message)
                .with_hint("send it to a file or through a pipe")
                .into());
        }
        let record = self.find_record(&args.run).await?;
        let (run, mode) = (record.id, record.mode);
        if let Some(since) = args.since {
            return self.logs_since(&record, since.time((self.here.now)())).await;
        }
        if args.limit.is_some() || args.wait.is_some() {
            return self.logs_once(args, run).await;
        }
        let wanted: Vec<Stream> = match args.stream {
            Some(WhichStream::Stdout) => vec![Stream::Stdout],
            Some(WhichStream::Stderr) => vec![Stream::Stderr],
            None => streams(mode).to_vec(),
        };
        let mut cursors = Vec::new();
        for stream in wanted {
            let end = if args.follow && args.tail.is_none() { None } else { self.present_end(&record, stream).await? };
            let (offset, end) = match args.tail {
                Some(lines) => {
                    let (offset, end) = self.tail(&record, stream, end, lines).await?;
                    (offset, Some(end))
                }
                None => (args.offset.unwrap_or(0), end),
            };
            let end = if args.follow { None } else { end };
            cursors.push(LogCursor::new(stream, offset, args.follow).up_to(end));
        }
        let mut plains: Vec<Plain> = cursors.iter().map(|_| Plain::new(self.console.look.colored)).collect();
        let only_one = cursors.len() == 1;
        while let Some((at, page)) = next_page(self.client.as_ref(), run, &mut cursors).await? {
            let stream = if only_one && !self.console.look.json { Stream::Stdout } else { cursors[at].stream };
            self.page(args.raw, stream, &page, &mut plains[at])?;
            if cursors[at].has_ended && !args.raw {
                let rest = plains[at].finish();
                self.put(stream, rest.as_bytes())?;
            }
            if args.follow {
                self.console.flush()?;
            }
        }
        Ok(Exit::DONE)
    }

    /// Prints what was printed since then, both streams as they came, by the times of the recording.
    async fn logs_since(&mut self, record: &Record, since: Timestamp) -> Result<Exit, Fault> {
        let Some(started) = record.started_at else { return Ok(Exit::DONE) };
        let since = elapsed(started, since);
        let skip = since.as_secs_f64();
        let mut export = self.client.export_since(record.id, since);
        let mut plain = Plain::new(self.console.look.colored);
        let mut held = Vec::new();
        let mut is_head = true;
        while let Some(chunk) = export.chunks_rx.recv().await {
            held.extend_from_slice(&chunk);
            let whole = memchr::memrchr(b'\n', &held).map_or(0, |at| at + 1);
            let lines: Vec<u8> = held.drain(..whole).collect();
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                if std::mem::take(&mut is_head) {
                    continue;
                }
                let broken = |_| {
                    let failure = Failure::new(ErrorCode::Broken, "the recording cannot be read");
                    failure.with_hint("without --since the log is read as it is")
                };
                let (at, kind, text): (f64, String, String) = serde_json::from_slice(line).map_err(broken)?;
                if kind == "o" && at >= skip {
                    let text = plain.admit(text.as_bytes());
                    if self.console.look.json {
                        let time = started.checked_add(Duration::from_secs_f64(at)).unwrap_or(Timestamp::MAX);
                        self.console.json(&json!({ "at": facts::time(time), "text": text }))?;
                    } else {
                        self.console.bytes(text.as_bytes())?;
                    }
                }
            }
        }
        export.outcome.await?;
        Ok(Exit::DONE)
    }

    /// Prints one piece of one stream (S6.3); an empty one when there is none in time.
    async fn logs_once(&mut self, args: &LogsArgs, run: RunId) -> Result<Exit, Fault> {
        let stream = match args.stream {
            Some(WhichStream::Stderr) => Stream::Stderr,
            Some(WhichStream::Stdout) | None => Stream::Stdout,
        };
        let limit_bytes = args.limit.map_or(PAGE_BYTES, |limit| limit as usize);
        let (offset, until) = (args.offset.unwrap_or(0), args.wait.map(|wait| Instant::now() + wait));
        let page = loop {
            let wait = until.map(|until| until.saturating_duration_since(Instant::now()));
            match self.client.read_log(run, LogRequest { stream, offset, limit_bytes, wait }).await {
                Err(failure) if was_lost(&failure) && wait.is_some_and(|wait| !wait.is_zero()) => {}
                page => break page?,
            }
        };
        if self.console.look.json {
            let mut plain = Plain::new(false);
            let text = match args.raw {
                true => String::from_utf8_lossy(&page.bytes).into_owned(),
                false => plain.admit(&page.bytes) + &plain.finish(),
            };
            self.console.json(&json!({
                "stream": stream, "offset": page.offset, "next_offset": page.next_offset,
                "skipped_bytes": page.skipped_bytes, "is_end": page.is_end, "text": text,
            }))?;
            return Ok(Exit::DONE);
        }
        let mut plain = Plain::new(self.console.look.colored);
        self.page(args.raw, Stream::Stdout, &page, &mut plain)?;
        if !args.raw {
            let rest = plain.finish();
            self.put(Stream::Stdout, rest.as_bytes())?;
        }
        Ok(Exit::DONE)
    }

    fn page(&mut self, raw: bool, stream: Stream, page: &LogReading, plain: &mut Plain) -> Result<(), Fault> {
        if self.console.look.json {
            if page.bytes.is_empty() && page.skipped_bytes == 0 {
                return Ok(());
            }
            let text = if raw { String::from_utf8_lossy(&page.bytes).into_owned() } else { plain.admit(&page.bytes) };
            return self.console.json(&json!({
                "stream": stream, "offset": page.offset, "next_offset": page.next_offset,
                "skipped_bytes": page.skipped_bytes, "text": text,
            }));
        }
        if page.skipped_bytes > 0 {
            self.console.note(&format!("shtask: {} bytes before this are not kept any more", page.skipped_bytes));
        }
        if raw { self.put(stream, &page.bytes) } else { self.put(stream, plain.admit(&page.bytes).as_bytes()) }
    }

    fn put(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Fault> {
        match stream {
            Stream::Stdout => self.console.bytes(bytes),
            Stream::Stderr => self.console.error_bytes(bytes),
        }
    }

    /// Returns where a stream ends at this moment; none when nothing prints any more, and the log itself ends there.
    async fn present_end(&self, record: &Record, stream: Stream) -> Result<Option<u64>, Fault> {
        if record.status.is_final() {
            return Ok(None);
        }
        let found = self.client.inspect(record.id).await?;
        let (own, other) = match stream {
            Stream::Stdout => (found.bytes.output, found.bytes.error),
            Stream::Stderr => (found.bytes.error, found.bytes.output),
        };
        // What is logged may be longer than what was printed: a secret that was taken out.
        let logged = found.view.record.log.map_or(0, |log| log.bytes).saturating_sub(other);
        let is_known = found.holder_pid.is_some() || found.bytes != ByteCounts::default();
        Ok(is_known.then_some(own.max(logged)))
    }

    /// Finds where the last so many lines of a stream begin, from its end backwards, and where they end: the log may be behind what was printed.
    async fn tail(&self, record: &Record, stream: Stream, end: Option<u64>, lines: u32) -> Result<(u64, u64), Fault> {
        // Both streams together: at least what one of them has.
        let from = end.unwrap_or(record.log.map_or(0, |log| log.bytes));
        let mut window = PAGE_BYTES as u64 / 4;
        loop {
            let begin = from.saturating_sub(window);
            let (first, bytes) = self.between(record.id, stream, begin, end).await?;
            let end_seen = first + bytes.len() as u64;
            if let Some(at) = tail_start(&bytes, lines) {
                return Ok((first + at as u64, end_seen));
            }
            if begin == 0 || first > begin && !bytes.is_empty() {
                return Ok((first, end_seen));
            }
            window = window.saturating_mul(4);
        }
    }

    /// Reads from an offset to an end; returns where the bytes begin.
    async fn between(&self, run: RunId, stream: Stream, begin: u64, end: Option<u64>) -> Result<(u64, Vec<u8>), Fault> {
        let mut cursors = [LogCursor::new(stream, begin, false).up_to(end)];
        let (mut first, mut bytes) = (None, Vec::new());
        while let Some((_, page)) = next_page(self.client.as_ref(), run, &mut cursors).await? {
            first.get_or_insert(page.offset);
            bytes.extend_from_slice(&page.bytes);
        }
        Ok((first.unwrap_or(begin), bytes))
    }
}

/// Returns where the last `lines` lines begin; none when there are not so many. A line that has not ended counts.
fn tail_start(bytes: &[u8], lines: u32) -> Option<usize> {
    if lines == 0 {
        return Some(bytes.len());
    }
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut breaks = memchr::memrchr_iter(b'\n', body);
    breaks.nth(lines as usize - 1).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_goes_up_to_its_end_and_no_further() {
        let mut cursor = LogCursor::new(Stream::Stdout, 10, false).up_to(Some(15));
        let page = |offset, bytes: &[u8]| LogReading {
            offset,
            bytes: bytes.to_vec(),
            next_offset: offset + bytes.len() as u64,
            ..LogReading::default()
        };
        let mut first = page(10, b"abc");
        cursor.take(&mut first);
        assert_eq!((first.bytes.as_slice(), cursor.offset, cursor.has_ended), (&b"abc"[..], 13, false));
        let mut last = page(13, b"defgh");
        cursor.take(&mut last);
        assert_eq!((last.bytes.as_slice(), last.next_offset, cursor.has_ended), (&b"de"[..], 15, true));
        // All that was there has been dropped meanwhile.
        let mut late = page(40, b"xyz");
        LogCursor::new(Stream::Stdout, 10, false).up_to(Some(15)).take(&mut late);
        assert_eq!((late.bytes.len(), late.next_offset), (0, 40));
    }

    #[test]
    fn the_last_lines_begin_behind_a_line_end() {
        let tail = |text: &'static str, lines| tail_start(text.as_bytes(), lines).map(|at| &text[at..]);
        assert_eq!(tail("a\nb\nc\n", 2), Some("b\nc\n"));
        assert_eq!(tail("a\nb\nc", 1), Some("c"));
        assert_eq!(tail("a\nb\n", 0), Some(""));
        assert_eq!((tail("a\nb\n", 2), tail("", 1), tail("a", 5)), (None, None, None));
    }
}
