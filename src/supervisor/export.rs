//! Exports: a run as something that can be taken elsewhere (S10.8), made beside the loop, chunk by chunk.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::core::{Core, Do};
use super::kept::{Kept, settle_here};
use super::search::api_stream;
use super::serving::not_found;
use crate::api::{Answer, Export, ExportFormat, ExportedLine};
use crate::model::{ErrorCode, Failure, Record, RunId, SessionName};
use crate::store::log::{CastError, LogLine, LogReader, LogText, export_cast};

/// How long a chunk waits to be taken: who has stalled for so long holds a thread for nothing.
const PATIENCE: Duration = Duration::from_secs(60);

impl Core {
    /// Exports a run, one that is no longer listed as well.
    pub(super) fn export(
        &self,
        session: &SessionName,
        run: RunId,
        format: ExportFormat,
        chunks_tx: mpsc::Sender<Vec<u8>>,
        answer: Answer<()>,
    ) -> Vec<Do> {
        let entry = self.runs.get(&run).filter(|entry| entry.record.session == *session);
        let (listed, log) = (entry.map(|entry| Arc::clone(&entry.record)), entry.and_then(|entry| entry.log.clone()));
        let session = session.clone();
        vec![Do::beside(move |kept: &Kept| {
            let outcome = kept.turn().and_then(|_turn| {
                let stored = match (&listed, &kept.records) {
                    (None, Some(records)) => records.of(&session, run)?,
                    _ => None,
                };
                let record = listed.as_deref().or(stored.as_ref()).ok_or_else(|| not_found(run))?;
                settle_here(log);
                let mut chunks = Chunks { chunks_tx, chunk: Vec::new() };
                kept.write_export(record, format, &mut chunks)?;
                chunks.send().map_err(|error| broken_off(&error))
            });
            answer.send(outcome);
        })]
    }
}

impl Kept {
    fn write_export(&self, record: &Record, format: ExportFormat, chunks: &mut Chunks) -> Result<(), Failure> {
        let open = || match &self.logs {
            Some(logs) => LogReader::open(logs.folder(), record.id).map_err(Failure::from),
            None => Err(Failure::new(ErrorCode::Unsupported, "no logs are kept")),
        };
        let made = match format {
            ExportFormat::Json => serde_json::to_writer_pretty(&mut *chunks, record)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(chunks))
                .map_err(CastError::from),
            ExportFormat::Cast => export_cast(&open()?, &record.command, record.started_at, chunks),
            ExportFormat::Text => open()?.lines(|text| match text {
                LogText::Line(line) => writeln!(chunks, "{}", line.text).map_err(CastError::from),
                LogText::Gap(bytes) => writeln!(chunks, "[{bytes} bytes are missing]").map_err(CastError::from),
                LogText::Read(_) => Ok(()),
            }),
            ExportFormat::Lines => open()?.lines(|text| match text {
                LogText::Line(line) => write_line(chunks, line).map_err(CastError::from),
                LogText::Gap(_) | LogText::Read(_) => Ok(()),
            }),
        };
        made.map_err(|error| match error {
            CastError::Log(error) => error.into(),
            CastError::Write(error) => broken_off(&error),
        })
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
struct Chunks {
    chunks_tx: mpsc::Sender<Vec<u8>>,
    chunk: Vec<u8>,
}

impl Chunks {
    fn send(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        if chunk.is_empty() {
            return Ok(());
        }
        let sent = Handle::current().block_on(self.chunks_tx.send_timeout(chunk, PATIENCE));
        sent.map_err(|error| match error {
            mpsc::error::SendTimeoutError::Timeout(_) => {
                io::Error::new(io::ErrorKind::TimedOut, format!("nobody took it for {} s", PATIENCE.as_secs()))
            }
            mpsc::error::SendTimeoutError::Closed(_) => io::Error::new(io::ErrorKind::BrokenPipe, "nobody wants it"),
        })
    }
}

impl Write for Chunks {
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
