//! A byte stream or an asciicast to its final screen.

use std::io::{self, BufRead, Read};

use serde::Deserialize;

use super::collector::Screen;
use crate::model::{Limits, Size};

/// The longest line of an asciicast that is read, in bytes. A recorder writes what one read of a terminal gave: far less.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// How much of a stream is looked at to tell an asciicast from plain output, in bytes.
const HEADER_BYTES: usize = 64;

/// Why a stream has no final screen.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It could not be read.
    #[error("cannot be read")]
    Unreadable(#[source] io::Error),
    /// It begins like an asciicast and is none.
    #[error("line {line} of the asciicast {fault}")]
    Cast {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
}

impl RenderError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RenderError::Unreadable(_) => None,
            RenderError::Cast { line: 1, .. } => Some(
                "the first line is a JSON object with version 2 and width and height, or version 3 and term.cols and term.rows; \
                 --size replaces a size that is out of range",
            ),
            RenderError::Cast { .. } => Some(
                "an event is [seconds, code, text]; what comes before a line that was cut off can be shown by leaving that line out",
            ),
        }
    }
}

/// Feeds a stream to a new screen: an asciicast of version 2 or 3 when it begins with the header of one, else the bytes as they are.
///
/// Without `size` an asciicast has the size of its header and follows its resizes, and other bytes have 80×24.
///
/// # Errors
/// [`RenderError`] when the stream cannot be read, or is an asciicast that is broken.
pub fn render_stream(mut input: impl BufRead, size: Option<Size>) -> Result<Screen, RenderError> {
    let mut start = Vec::with_capacity(HEADER_BYTES);
    input.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut start).map_err(RenderError::Unreadable)?;
    let is_cast = is_header_start(&start);
    let input = start.chain(input);
    if is_cast { cast(input, size) } else { bytes(input, size.unwrap_or(Size::DEFAULT)) }
}

/// Returns whether a stream that starts so means to be an asciicast: an object whose first key is `version`. No program draws that at
/// the very start of its output.
fn is_header_start(start: &[u8]) -> bool {
    let mut words = start.iter().filter(|byte| !byte.is_ascii_whitespace());
    words.by_ref().take(10).eq(b"{\"version\"")
}

fn new_screen(size: Size) -> Screen {
    Screen::new(size, Limits::default().scrollback_lines)
}

fn bytes(mut input: impl Read, size: Size) -> Result<Screen, RenderError> {
    let mut screen = new_screen(size);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Ok(screen),
            Ok(length) => draw(&mut screen, &chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(RenderError::Unreadable(error)),
        }
    }
}

/// Draws; nobody is there to take answers and signals.
fn draw(screen: &mut Screen, bytes: &[u8]) {
    screen.admit(bytes);
    let _ = screen.take_replies();
    screen.take_signals();
}

#[derive(Deserialize)]
struct Header {
    version: u8,
    width: Option<u16>,
    height: Option<u16>,
    term: Option<Term>,
}

#[derive(Deserialize)]
struct Term {
    cols: u16,
    rows: u16,
}

/// A time, or the time since the event before; a code; text.
#[derive(Deserialize)]
struct Event(#[expect(dead_code, reason = "only the final screen is wanted")] f64, String, serde_json::Value);

fn cast(mut input: impl BufRead, size: Option<Size>) -> Result<Screen, RenderError> {
    let mut line = Vec::new();
    read_line(&mut input, &mut line, 1)?;
    let first = match size {
        Some(size) => size,
        None => header_size(&line).map_err(|fault| RenderError::Cast { line: 1, fault })?,
    };
    let mut screen = new_screen(first);
    for number in 2.. {
        if !read_line(&mut input, &mut line, number)? {
            break;
        }
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        apply(&mut screen, text, size.is_some()).map_err(|fault| RenderError::Cast { line: number, fault })?;
    }
    Ok(screen)
}

/// Reads a line into `line`; returns false at the end of the stream.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, number: u64) -> Result<bool, RenderError> {
    line.clear();
    let read = input.take(MAX_LINE_BYTES as u64).read_until(b'\n', line).map_err(RenderError::Unreadable)?;
    if read == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        return Err(RenderError::Cast { line: number, fault: format!("is longer than {MAX_LINE_BYTES} bytes") });
    }
    Ok(read > 0)
}

fn header_size(line: &[u8]) -> Result<Size, String> {
    let header: Header = serde_json::from_slice(line).map_err(|error| format!("is no header: {error}"))?;
    let size = match (header.version, header.width.zip(header.height), header.term) {
        (2, Some(size), _) => size,
        (3, _, Some(term)) => (term.cols, term.rows),
        (2, None, _) => return Err("has no width and height".into()),
        (3, _, None) => return Err("has no term with cols and rows".into()),
        (other, ..) => return Err(format!("is of version {other}; 2 and 3 are known")),
    };
    Size::new(size.0, size.1).map_err(|error| format!("names a size that is out of range: {error}"))
}

fn apply(screen: &mut Screen, line: &[u8], is_fixed: bool) -> Result<(), String> {
    let Event(_, code, data) = serde_json::from_slice(line).map_err(|error| format!("is no event: {error}"))?;
    match (code.as_str(), data.as_str()) {
        ("o", Some(text)) => draw(screen, text.as_bytes()),
        ("r", Some(text)) if !is_fixed => {
            screen.resize(text.parse().map_err(|error| format!("resizes badly: {error}"))?)
        }
        ("o" | "r", None) => return Err("has an event without text".into()),
        // Input, marks, the exit, and whatever later versions have.
        _ => {}
    }
    Ok(())
}
