//! A log as an asciicast that `asciinema play` plays (version 2 of the format).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::reader::LogReader;
use super::replay::{LogEvent, TimedEvent};
use super::{LogError, LogStream};
use crate::model::{Mode, Size};

/// Why a recording could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CastError {
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The recording could not be written.
    #[error("the recording could not be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes the log of a run as an asciicast, what happened before `since` of its beginning left out. Line ends of pipes become those of a terminal; both streams of pipes are in it as they came.
///
/// # Errors
/// [`CastError`] when the log cannot be read or `out` not be written.
pub fn export_cast(
    log: &LogReader,
    title: &str,
    started_at: Option<Timestamp>,
    since: Duration,
    out: &mut dyn Write,
) -> Result<(), CastError> {
    let mut cast = Cast { out, title, started_at, since, mode: log.mode(), begun: false, held: Default::default() };
    log.replay_since(since, |event| cast.see(event))?;
    cast.finish()
}

/// The first line. That it begins with the version is how readers know a recording from other output.
#[derive(Serialize)]
struct Header<'a> {
    version: u8,
    width: u16,
    height: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
    title: &'a str,
    env: BTreeMap<&'a str, &'a str>,
}

struct Cast<'a> {
    out: &'a mut dyn Write,
    title: &'a str,
    started_at: Option<Timestamp>,
    since: Duration,
    mode: Mode,
    begun: bool,
    /// The beginning of a character whose end has not come yet, of each stream.
    held: [Vec<u8>; 2],
}

impl Cast<'_> {
    fn see(&mut self, TimedEvent { at, event }: TimedEvent) -> Result<(), CastError> {
        match event {
            LogEvent::Begin(size) if self.begun => match size {
                Some(size) => self.event(at, "r", &size_text(size)),
                None => Ok(()),
            },
            LogEvent::Begin(size) => {
                let size = size.unwrap_or(Size::DEFAULT);
                let head = Header {
                    version: 2,
                    width: size.cols(),
                    height: size.rows(),
                    timestamp: self.started_at.map(Timestamp::as_second),
                    title: self.title,
                    env: [("SHELL", "/bin/sh"), ("TERM", "xterm-256color")].into(),
                };
                self.begun = true;
                writeln!(self.out, "{}", serde_json::to_string(&head).map_err(io::Error::from)?)?;
                Ok(())
            }
            LogEvent::Gap(bytes) => {
                self.held = Default::default();
                match self.mode {
                    // The redraw that follows would wipe a word out.
                    Mode::Pty => Ok(()),
                    Mode::Pipes => self.event(at, "o", &format!("[{bytes} bytes are missing]\r\n")),
                }
            }
            LogEvent::Redraw(bytes) => self.bytes(at, LogStream::Output, &bytes),
            LogEvent::Bytes(stream, bytes) => self.bytes(at, stream, &bytes),
            LogEvent::Resize(size) => self.event(at, "r", &size_text(size)),
            LogEvent::Cut(_) | LogEvent::End => Ok(()),
        }
    }

    fn bytes(&mut self, at: Duration, stream: LogStream, bytes: &[u8]) -> Result<(), CastError> {
        let mut all = std::mem::take(&mut self.held[stream.index()]);
        all.extend_from_slice(bytes);
        let whole = all.len() - unfinished(&all);
        self.held[stream.index()] = all.split_off(whole);
        let mut text = String::from_utf8_lossy(&all).into_owned();
        if self.mode == Mode::Pipes {
            text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        if text.is_empty() {
            return Ok(());
        }
        self.event(at, "o", &text)
    }

    fn event(&mut self, at: Duration, kind: &str, data: &str) -> Result<(), CastError> {
        if at < self.since {
            return Ok(());
        }
        writeln!(self.out, "{}", json!([at.as_micros() as f64 / 1e6, kind, data]))?;
        Ok(())
    }

    fn finish(self) -> Result<(), CastError> {
        self.out.flush()?;
        Ok(())
    }
}

fn size_text(size: Size) -> String {
    format!("{}x{}", size.cols(), size.rows())
}

/// Returns how many bytes at the end are the beginning of a character that is not whole yet.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let lead = bytes[bytes.len() - back];
        let length = match lead {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_is_not_whole_is_held_back() {
        for (bytes, held) in [
            (&b"a"[..], 0),
            ("ä".as_bytes(), 0),
            (b"\xc3", 1),
            (b"x\xe2\x80", 2),
            (b"\xf0\x9f\x91", 3),
            (b"\x80\x80\x80\x80", 0),
            (b"\xff", 0),
            (b"", 0),
        ] {
            assert_eq!(unfinished(bytes), held, "{bytes:?}");
        }
    }
}
