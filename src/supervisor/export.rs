//! Exports: a run as something that can be taken elsewhere (S10.8), made beside the loop, chunk by chunk.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendTimeoutError;

use super::core::{Core, Do};
use super::kept::{Kept, settle_here};
use super::request::ExportStart;
use super::search::{api_stream, log_stream};
use super::serving::not_found;
use super::turns::Turn;
use crate::api::{Answer, Export, ExportFormat, ExportedLine, LinePlace};
use crate::model::{ErrorCode, Failure, Record, RunId, SessionName};
use crate::store::log::{CastError, LogLine, LogReader, LogText, export_cast};

/// How long an export waits for its reader before it does.
const PATIENCE: Patience = Patience { pause: Duration::from_secs(1), end: Duration::from_secs(60) };

/// What is done with an export whose chunk nobody takes.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// After so long others may read in its place; it waits on for as long as somebody may want it.
    pause: Duration,
    /// Where too many wait like that already, it is broken off after so long more.
    end: Duration,
}

impl Core {
    /// Exports a run, one that is no longer listed as well.
    pub(super) fn export(
        &self,
        session: &SessionName,
        run: RunId,
        (format, from): (ExportFormat, ExportStart),
        chunks_tx: mpsc::Sender<Vec<u8>>,
        answer: Answer<()>,
    ) -> Vec<Do> {
        let entry = self.runs.get(&run).filter(|entry| entry.record.session == *session);
        let (listed, log) = (entry.map(|entry| Arc::clone(&entry.record)), entry.and_then(|entry| entry.log.clone()));
        let session = session.clone();
        vec![Do::beside(move |kept: &Kept| {
            let outcome = kept.turns.take().and_then(|turn| {
                let stored = match (&listed, &kept.records) {
                    (None, Some(records)) => records.of(&session, run)?,
                    _ => None,
                };
                let record = listed.as_deref().or(stored.as_ref()).ok_or_else(|| not_found(run))?;
                settle_here(log);
                let mut chunks = Chunks { chunks_tx, chunk: Vec::new(), turn: &turn, patience: PATIENCE };
                kept.write_export(record, (format, from), &mut chunks)?;
                chunks.send().map_err(|error| broken_off(&error))
            });
            answer.send(outcome);
        })]
    }
}

impl Kept {
    fn write_export(
        &self,
        record: &Record,
        (format, from): (ExportFormat, ExportStart),
        chunks: &mut Chunks<'_>,
    ) -> Result<(), Failure> {
        let open = || match &self.logs {
            Some(logs) => LogReader::open(logs.folder(), record.id).map_err(Failure::from),
            None => Err(Failure::new(ErrorCode::Unsupported, "no logs are kept")),
        };
        let made = match format {
            ExportFormat::Json => serde_json::to_writer_pretty(&mut *chunks, record)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(chunks))
                .map_err(CastError::from),
            ExportFormat::Cast => {
                let since = if let ExportStart::Time(since) = from { since } else { Duration::ZERO };
                export_cast(&open()?, &record.command, record.started_at, since, chunks)
            }
            ExportFormat::Text => open()?.lines(|text| match text {
                LogText::Line(line) => writeln!(chunks, "{}", line.text).map_err(CastError::from),
                LogText::Gap(bytes) => writeln!(chunks, "[{bytes} bytes are missing]").map_err(CastError::from),
                LogText::Read => Ok(()),
            }),
            ExportFormat::Lines => {
                let place = if let ExportStart::Line(place) = from { Some(place) } else { None };
                write_lines(&open()?, place, chunks)
            }
        };
        made.map_err(|error| match error {
            CastError::Log(error) => error.into(),
            CastError::Write(error) => broken_off(&error),
        })
    }
}

/// Writes the lines of a log, from the place on where there is one.
fn write_lines(log: &LogReader, mut from: Option<LinePlace>, chunks: &mut Chunks<'_>) -> Result<(), CastError> {
    let place = from;
    let see = |text| match text {
        LogText::Line(line) => {
            from = from.filter(|from| from.stream != api_stream(line.stream) || line.offset < from.offset);
            if from.is_some() { Ok(()) } else { write_line(chunks, line).map_err(CastError::from) }
        }
        LogText::Read if chunks.chunks_tx.is_closed() => Err(unwanted().into()),
        LogText::Gap(_) | LogText::Read => Ok(()),
    };
    match place {
        Some(place) => log.lines_around(log_stream(place.stream), place.offset, see),
        None => log.lines(see),
    }
}

fn write_line(out: &mut impl Write, line: LogLine) -> io::Result<()> {
    let LogLine { stream, line, offset, at, text } = line;
    let line = ExportedLine { stream: api_stream(stream), line, offset, at, text };
    serde_json::to_writer(&mut *out, &line).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

fn broken_off(error: &io::Error) -> Failure {
    Failure::new(ErrorCode::TimedOut, format!("the export was broken off: {error}"))
}

/// Passes what is written on in chunks.
struct Chunks<'a> {
    chunks_tx: mpsc::Sender<Vec<u8>>,
    chunk: Vec<u8>,
    turn: &'a Turn<'a>,
    patience: Patience,
}

impl Chunks<'_> {
    fn send(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        if chunk.is_empty() {
            return Ok(());
        }
        let runtime = Handle::current();
        let chunk = match runtime.block_on(self.chunks_tx.send_timeout(chunk, self.patience.pause)) {
            Ok(()) => return Ok(()),
            Err(SendTimeoutError::Closed(_)) => return Err(unwanted()),
            Err(SendTimeoutError::Timeout(chunk)) => chunk,
        };
        // Its reader pauses, as a pager does: that may take as long as it wants.
        if let Some(_pause) = self.turn.pause() {
            return runtime.block_on(self.chunks_tx.send(chunk)).map_err(|_| unwanted());
        }
        let sent = runtime.block_on(self.chunks_tx.send_timeout(chunk, self.patience.end));
        sent.map_err(|error| match error {
            SendTimeoutError::Timeout(_) => {
                let message = format!("nobody took it for {} s, and too many wait", self.patience.end.as_secs());
                io::Error::new(io::ErrorKind::TimedOut, message)
            }
            SendTimeoutError::Closed(_) => unwanted(),
        })
    }
}

fn unwanted() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "nobody wants it")
}

impl Write for Chunks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.chunk.len() >= Export::MAX_CHUNK_BYTES {
            self.send()?;
        }
        let fits = bytes.len().min(Export::MAX_CHUNK_BYTES - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::turns::Turns;
    use super::*;

    const TEXT: &[u8] = &[b'x'; 10 * Export::MAX_CHUNK_BYTES];

    /// Writes ten chunks for a reader who takes none of them at first.
    fn write(
        turns: &Arc<Turns>,
        patience: Patience,
    ) -> (mpsc::Receiver<Vec<u8>>, tokio::task::JoinHandle<io::Result<()>>) {
        let (chunks_tx, chunks_rx) = mpsc::channel(Export::MAX_WAITING);
        let turns = Arc::clone(turns);
        let writing = tokio::task::spawn_blocking(move || {
            let turn = turns.take().map_err(io::Error::other)?;
            let mut chunks = Chunks { chunks_tx, chunk: Vec::new(), turn: &turn, patience };
            chunks.write_all(TEXT)?;
            chunks.send()
        });
        (chunks_rx, writing)
    }

    async fn until_paused(turns: &Turns, count: usize) {
        let paused = async {
            while turns.paused() < count {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), paused).await.expect("they pause");
    }

    const AT_ONCE: Patience = Patience { pause: Duration::ZERO, end: Duration::ZERO };

    #[tokio::test]
    async fn a_reader_that_pauses_holds_up_nobody_and_gets_every_byte_when_it_goes_on() {
        let turns = Arc::new(Turns::default());
        // Far more than read at once.
        let mut paused = Vec::new();
        for count in 1..=20 {
            paused.push(write(&turns, AT_ONCE));
            until_paused(&turns, count).await;
        }
        turns.take().expect("there is a turn for others");
        for (mut chunks_rx, writing) in paused {
            let mut bytes = Vec::new();
            while let Some(chunk) = chunks_rx.recv().await {
                bytes.extend(chunk);
            }
            assert!(bytes == TEXT, "{} bytes", bytes.len());
            writing.await.expect("no panic").expect("written");
        }
        assert_eq!(turns.paused(), 0);
    }

    #[tokio::test]
    async fn a_reader_that_leaves_while_it_pauses_ends_its_export() {
        let turns = Arc::new(Turns::default());
        let (chunks_rx, writing) = write(&turns, AT_ONCE);
        until_paused(&turns, 1).await;
        drop(chunks_rx);
        assert_eq!(writing.await.expect("no panic").expect_err("unwanted").kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn where_too_many_pause_one_more_is_broken_off() {
        let turns = Arc::new(Turns::default());
        let mut paused = Vec::new();
        for count in 1..=Turns::MAX_PAUSED {
            paused.push(write(&turns, AT_ONCE));
            until_paused(&turns, count).await;
        }
        let (_chunks_rx, writing) = write(&turns, AT_ONCE);
        assert_eq!(writing.await.expect("no panic").expect_err("broken off").kind(), io::ErrorKind::TimedOut);
        drop(paused);
    }
}
