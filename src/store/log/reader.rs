//! Reading a log by offset, live or afterwards (S6.3).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode as FileMode, OFlags};

use super::layout::{self, Head, VERSION};
use super::{LogError, LogStream};
use crate::model::{Mode, RunId};
use crate::store::folder::set_aside;

/// The longest head of an index; more is no head of ours.
const MAX_HEAD_BYTES: u64 = 4096;

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogBytes {
    /// Where the bytes begin. Later than what was asked for when that is no longer there.
    pub offset: u64,
    /// The bytes as they came.
    pub bytes: Vec<u8>,
    /// Where to go on.
    pub next_offset: u64,
    /// How many bytes between what was asked for and `offset` were dropped or lost.
    pub skipped_bytes: u64,
}

/// A segment of a log.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) head: Head,
    pub(super) folder: PathBuf,
}

impl Segment {
    /// Opens one of its files.
    pub(super) fn open(&self, extension: &str) -> Result<File, LogError> {
        open(&layout::file(&self.folder, self.head.segment, extension))
    }

    pub(super) fn stream(&self, stream: LogStream) -> Result<File, LogError> {
        self.open(stream.extension(self.head.mode))
    }

    /// Returns how much of a stream it has; nothing when the stream's file is missing, or the run has no such stream.
    pub(super) fn stream_bytes(&self, stream: LogStream) -> u64 {
        if !layout::streams(self.head.mode).contains(&stream) {
            return 0;
        }
        self.stream(stream).ok().and_then(|file| file.metadata().ok()).map_or(0, |facts| facts.len())
    }

    /// Returns the last byte that it has of a stream.
    pub(super) fn last_byte(&self, stream: LogStream) -> Option<u8> {
        let mut file = self.stream(stream).ok()?;
        file.seek(SeekFrom::End(-1)).ok()?;
        let mut byte = [0];
        file.read_exact(&mut byte).ok()?;
        Some(byte[0])
    }

    /// Returns what all its files take.
    pub(super) fn all_bytes(&self) -> u64 {
        let length = |extension| Some(self.open(extension).ok()?.metadata().ok()?.len());
        let extensions = ["index", "redraw"].into_iter();
        let extensions = extensions.chain(layout::streams(self.head.mode).iter().map(|s| s.extension(self.head.mode)));
        extensions.filter_map(length).sum()
    }

    pub(super) fn begin(&self, stream: LogStream) -> u64 {
        self.head.offsets[stream.index()]
    }

    /// Returns where a stream ends in it. Heads come from files: their numbers may be anything.
    pub(super) fn end(&self, stream: LogStream) -> u64 {
        self.begin(stream).saturating_add(self.stream_bytes(stream))
    }
}

fn open(path: &Path) -> Result<File, LogError> {
    let failed = |source: io::Error| LogError::File { path: path.to_owned(), source };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, FileMode::empty()).map_err(|errno| failed(errno.into()))?);
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("it is no plain file")));
    }
    Ok(file)
}

/// Reads the log of one run. All its calls block on the disk: not for async code.
#[derive(Debug, Clone)]
pub struct LogReader {
    run: RunId,
    folder: PathBuf,
    pub(super) segments: Vec<Segment>,
    notices: Vec<String>,
}

impl LogReader {
    /// Looks at the log of a run. A segment whose index is damaged is set aside with a notice; the bytes stay where they are.
    ///
    /// # Errors
    /// [`LogError::None`] when there is none; [`LogError::UnknownVersion`] for one of a newer shtask, which is left as it is.
    pub fn open(logs: &Path, run: RunId) -> Result<LogReader, LogError> {
        let folder = layout::folder(logs, run);
        let mut reader = LogReader { run, folder, segments: Vec::new(), notices: Vec::new() };
        reader.look()?;
        Ok(reader)
    }

    /// Looks again, for what has come since.
    fn look(&mut self) -> Result<(), LogError> {
        let numbers = layout::segments(&self.folder).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => LogError::None { run: self.run },
            _ => LogError::File { path: self.folder.clone(), source },
        })?;
        self.segments.clear();
        let newest = numbers.last().copied();
        for number in numbers {
            let path = layout::file(&self.folder, number, "index");
            match read_head(&path) {
                Ok(Some(head)) if head.run == self.run && head.segment == number => {
                    self.segments.push(Segment { head, folder: self.folder.clone() });
                }
                // It has just been dropped.
                Err(LogError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                // It is just being begun, or the program died while it was.
                Ok(None) if Some(number) == newest => {}
                Ok(_) => self.set_aside(&path),
            }
        }
        if self.segments.is_empty() {
            return Err(LogError::None { run: self.run });
        }
        Ok(())
    }

    fn set_aside(&mut self, path: &Path) {
        let notice = match set_aside(path) {
            Ok(aside) => format!("{} was damaged and is kept as {}", path.display(), aside.display()),
            Err(error) => format!("{} is damaged and could not be renamed: {error}", path.display()),
        };
        tracing::warn!("{notice}");
        self.notices.push(notice);
    }

    /// Returns messages about what was found damaged.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns whether the run had pipes or a terminal.
    pub fn mode(&self) -> Mode {
        self.segments[0].head.mode
    }

    /// Returns where a stream begins, what was dropped left out, and where it ends.
    pub fn span(&self, stream: LogStream) -> (u64, u64) {
        let (first, last) = (&self.segments[0], &self.segments[self.segments.len() - 1]);
        (first.begin(stream), last.end(stream))
    }

    /// Returns at most `limit_bytes` bytes of a stream from `offset` on; none when there are none yet. What is not there any more is skipped.
    ///
    /// # Errors
    /// [`LogError::File`] when the files cannot be read.
    pub fn read(&mut self, stream: LogStream, offset: u64, limit_bytes: usize) -> Result<LogBytes, LogError> {
        // A live log may have dropped a segment since the last look: then it is looked at again.
        for _ in 0..3 {
            match self.read_segments(stream, offset, limit_bytes) {
                Err(LogError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => self.look()?,
                read => return read,
            }
        }
        self.read_segments(stream, offset, limit_bytes)
    }

    fn read_segments(&self, stream: LogStream, offset: u64, limit_bytes: usize) -> Result<LogBytes, LogError> {
        let mut found = LogBytes { offset, next_offset: offset, ..LogBytes::default() };
        if self.mode() == Mode::Pty && stream == LogStream::Error {
            return Ok(found);
        }
        for segment in &self.segments {
            let begin = segment.begin(stream);
            let end = segment.end(stream);
            if end <= found.next_offset || found.bytes.len() == limit_bytes {
                continue;
            }
            if begin > found.next_offset {
                // A hole in the middle of what is returned would not be seen.
                if !found.bytes.is_empty() {
                    break;
                }
                (found.offset, found.next_offset) = (begin, begin);
            }
            let mut file = segment.stream(stream)?;
            let failed = |source| LogError::File { path: segment.folder.clone(), source };
            file.seek(SeekFrom::Start(found.next_offset - begin)).map_err(failed)?;
            let room = (limit_bytes - found.bytes.len()) as u64;
            let count = file.take(room).read_to_end(&mut found.bytes).map_err(failed)?;
            found.next_offset = found.next_offset.saturating_add(count as u64);
        }
        found.skipped_bytes = found.offset - offset;
        Ok(found)
    }
}

/// Reads the head of an index; none when it is none of ours.
fn read_head(path: &Path) -> Result<Option<Head>, LogError> {
    let mut line = Vec::new();
    let read = BufReader::new(open(path)?.take(MAX_HEAD_BYTES)).read_until(b'\n', &mut line);
    read.map_err(|source| LogError::File { path: path.to_owned(), source })?;
    if line.pop() != Some(b'\n') {
        return Ok(None);
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(&line) else { return Ok(None) };
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(VERSION) => Ok(serde_json::from_value(value).ok()),
        Some(found) => Err(LogError::UnknownVersion { path: path.to_owned(), found, known: VERSION }),
        None => Ok(None),
    }
}
