//! A log as lines of text, without control sequences: for search and export.

use std::time::Duration;

use jiff::Timestamp;

use super::layout::streams;
use super::reader::LogReader;
use super::replay::{LogEvent, TimedEvent};
use super::{LogError, LogStream};

/// The longest piece of a line. A longer line comes in several.
const MAX_PIECE_BYTES: usize = 64 * 1024;

/// The longest control string; more is no string but what follows one that never ended.
const MAX_STRING_BYTES: usize = 64 * 1024;

/// How many blanks a cursor that moves to the right leaves at most.
const MAX_BLANKS: usize = 1000;

/// The longest parameters of a control sequence that matter here.
const MAX_PARAMETERS: usize = 32;

/// A line of a log, or a piece of one: what was written over, in place or after a move of the cursor, is a piece of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The stream.
    pub stream: LogStream,
    /// The number of the line in its stream, from 1: what was dropped before it is counted, but in the logs of older versions.
    pub line: u64,
    /// Where the line begins in the stream.
    pub offset: u64,
    /// When the end of the piece was printed.
    pub at: Timestamp,
    /// The text, without control characters but the tab.
    pub text: String,
}

/// What a log has, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogText {
    /// A line.
    Line(LogLine),
    /// So many bytes are not there.
    Gap(u64),
    /// Some bytes were read, whatever is in them: who no longer wants the rest can say so.
    Read,
}

impl LogReader {
    /// Tells the lines of a log to `see`, in the order in which they ended.
    ///
    /// # Errors
    /// [`LogError::File`] when the files cannot be read, and what `see` returns.
    pub fn lines<E: From<LogError>>(&self, see: impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        self.lines_of_segments(0, see)
    }

    /// Does the same from some line on that begins before this place, or at it: not much before, where the log is long.
    ///
    /// # Errors
    /// As [`LogReader::lines`].
    pub fn lines_around<E: From<LogError>>(
        &self,
        stream: LogStream,
        offset: u64,
        see: impl FnMut(LogText) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_before = |at: &usize| self.segments[*at].begin(stream) <= offset && self.begins_with_lines(*at);
        let first = (1..self.segments.len()).rev().find(is_before).unwrap_or(0);
        self.lines_of_segments(first, see)
    }

    /// Returns whether a segment can be read by itself: its lines are counted, and none goes on in it.
    fn begins_with_lines(&self, at: usize) -> bool {
        let head = &self.segments[at].head;
        head.lines.is_some() && streams(head.mode).iter().all(|stream| self.begins_with_line(at, *stream))
    }

    fn begins_with_line(&self, at: usize, stream: LogStream) -> bool {
        let begin = self.segments[at].begin(stream);
        let before = self.segments[..at].iter().rev().find(|segment| segment.stream_bytes(stream) > 0);
        match before.filter(|before| before.end(stream) == begin) {
            Some(before) => before.last_byte(stream) == Some(b'\n'),
            // Nothing of it was printed, or what was is not there.
            None => true,
        }
    }

    fn lines_of_segments<E: From<LogError>>(
        &self,
        first: usize,
        mut see: impl FnMut(LogText) -> Result<(), E>,
    ) -> Result<(), E> {
        let head = &self.segments[0].head;
        let began = head.wall.saturating_sub(Duration::from_micros(head.at)).unwrap_or(head.wall);
        let wall = |at: Duration| began.saturating_add(at).unwrap_or(began);
        let begins = |stream| if first == 0 { 0 } else { self.segments[first].begin(stream) };
        let mut streams = LogStream::BOTH.map(|stream| Text::new(stream, begins(stream)));
        // Where each stream has come to with each segment, and how many lines had ended there.
        let mut counts = LogStream::BOTH.map(|stream| {
            let counted = self.segments[first..].iter();
            let counted =
                counted.filter_map(|segment| Some((segment.begin(stream), segment.head.lines?[stream.index()])));
            counted.collect::<Vec<_>>().into_iter().peekable()
        });
        let mut last = Duration::ZERO;
        self.replay_from(first, |TimedEvent { at, event }| {
            last = at;
            match event {
                LogEvent::Bytes(stream, bytes) => {
                    let text = &mut streams[stream.index()];
                    while let Some((_, ended)) = counts[stream.index()].next_if(|(begin, _)| *begin <= text.position) {
                        text.line = ended + 1;
                    }
                    text.take(&bytes, wall(at), &mut see)?;
                    see(LogText::Read)?;
                }
                LogEvent::Gap(bytes) => {
                    for text in &mut streams {
                        text.break_off(wall(at), &mut see)?;
                        // Everything before the gap was told, so the next segment is the first one from here on.
                        let begins = self.segments.iter().map(|segment| segment.begin(text.stream));
                        text.position = begins.filter(|begin| *begin >= text.position).min().unwrap_or(text.position);
                        text.offset = text.position;
                    }
                    see(LogText::Gap(bytes))?;
                }
                // It shows once more what was printed before.
                LogEvent::Redraw(_) => {}
                LogEvent::Begin(_) | LogEvent::Resize(_) | LogEvent::Cut(_) | LogEvent::End => {}
            }
            Ok::<(), E>(())
        })?;
        for text in &mut streams {
            text.end_piece(wall(last), &mut see)?;
        }
        Ok(())
    }
}

/// Returns how many lines end in bytes of a log.
pub fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Escape,
    EscapeGoesOn,
    Sequence,
    String(usize),
}

/// The text of one stream, as it comes.
struct Text {
    stream: LogStream,
    state: State,
    parameters: Vec<u8>,
    piece: Vec<u8>,
    /// Whether the cursor stands at the beginning of the line, so that what comes next is written over the piece.
    returned: bool,
    line: u64,
    offset: u64,
    position: u64,
}

impl Text {
    fn new(stream: LogStream, position: u64) -> Text {
        Text {
            stream,
            state: State::Plain,
            parameters: Vec::new(),
            piece: Vec::new(),
            returned: false,
            line: 1,
            offset: position,
            position,
        }
    }

    fn take<E>(
        &mut self,
        mut bytes: &[u8],
        at: Timestamp,
        see: &mut impl FnMut(LogText) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(first) = bytes.first() {
            let plain = match self.state {
                State::Plain => bytes.iter().position(|byte| *byte < 0x20 || *byte == 0x7f).unwrap_or(bytes.len()),
                State::Escape | State::EscapeGoesOn | State::Sequence | State::String(_) => 0,
            };
            if plain > 0 {
                if std::mem::take(&mut self.returned) {
                    self.end_piece(at, see)?;
                }
                let room = MAX_PIECE_BYTES - self.piece.len().min(MAX_PIECE_BYTES);
                // A piece never ends within a character.
                let fits = if plain <= room { plain } else { char_start(bytes, room) };
                self.piece.extend_from_slice(&bytes[..fits]);
                self.position += fits as u64;
                bytes = &bytes[fits..];
                if fits < plain {
                    self.end_piece(at, see)?;
                }
                continue;
            }
            self.step(*first, at, see)?;
            self.position += 1;
            if *first == b'\n' && self.state == State::Plain {
                self.offset = self.position;
            }
            bytes = &bytes[1..];
        }
        Ok(())
    }

    fn step<E>(&mut self, byte: u8, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        self.state = match (self.state, byte) {
            (State::String(_), 0x07 | 0x18 | 0x1a)
            | (State::Escape | State::EscapeGoesOn | State::Sequence, 0x18 | 0x1a) => State::Plain,
            (_, 0x1b) => State::Escape,
            (State::String(length), _) if length < MAX_STRING_BYTES => State::String(length + 1),
            (State::String(_), _) => State::Plain,
            (State::Plain, _) => {
                self.control(byte, at, see)?;
                State::Plain
            }
            (State::Escape, b'[') => {
                self.parameters.clear();
                State::Sequence
            }
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::String(0),
            (State::Escape | State::EscapeGoesOn, 0x20..=0x2f) => State::EscapeGoesOn,
            (State::Escape, b'D' | b'E' | b'M' | b'c' | b'8') => {
                self.end_piece(at, see)?;
                State::Plain
            }
            (State::Escape | State::EscapeGoesOn, _) => State::Plain,
            (State::Sequence, 0x30..=0x3f) => {
                if self.parameters.len() < MAX_PARAMETERS {
                    self.parameters.push(byte);
                }
                State::Sequence
            }
            (State::Sequence, 0x20..=0x2f) => State::Sequence,
            (State::Sequence, 0x00..=0x1f) => {
                self.control(byte, at, see)?;
                State::Sequence
            }
            (State::Sequence, _) => {
                self.sequence(byte, at, see)?;
                State::Plain
            }
        };
        Ok(())
    }

    fn control<E>(&mut self, byte: u8, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        match byte {
            b'\n' => {
                self.tell(at, see)?;
                self.returned = false;
                self.line += 1;
            }
            b'\r' => self.returned = true,
            b'\t' => {
                if std::mem::take(&mut self.returned) {
                    self.end_piece(at, see)?;
                }
                self.piece.push(b'\t');
            }
            0x08 => {
                let whole = char_start(&self.piece, self.piece.len().saturating_sub(1));
                self.piece.truncate(whole);
            }
            _ => {}
        }
        Ok(())
    }

    fn sequence<E>(&mut self, end: u8, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        match end {
            // Blanks that a program skips instead of printing them.
            b'C' | b'a' => {
                let count = std::str::from_utf8(&self.parameters).ok().and_then(|text| text.parse().ok());
                let count: usize = count.unwrap_or(1).clamp(1, MAX_BLANKS);
                self.piece.resize(self.piece.len() + count, b' ');
                if self.piece.len() > MAX_PIECE_BYTES {
                    self.end_piece(at, see)?;
                }
                Ok(())
            }
            // The cursor goes elsewhere: what follows is no continuation of this text.
            b'A' | b'B' | b'D' | b'E' | b'F' | b'G' | b'H' | b'd' | b'f' | b'`' | b'u' => self.end_piece(at, see),
            _ => Ok(()),
        }
    }

    /// Ends a piece where the line goes on; an empty one is not told.
    fn end_piece<E>(&mut self, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        if self.piece.is_empty() { Ok(()) } else { self.tell(at, see) }
    }

    /// Ends everything at a gap.
    fn break_off<E>(&mut self, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        self.end_piece(at, see)?;
        self.state = State::Plain;
        self.returned = false;
        if self.position > 0 {
            self.line += 1;
        }
        Ok(())
    }

    fn tell<E>(&mut self, at: Timestamp, see: &mut impl FnMut(LogText) -> Result<(), E>) -> Result<(), E> {
        let text = String::from_utf8_lossy(&self.piece);
        // Control characters of two bytes look like text to the states above. All begin with the same byte, which few lines have.
        let text = match memchr::memchr(0xc2, &self.piece) {
            None => text.into_owned(),
            Some(_) => text.chars().filter(|c| *c == '\t' || !c.is_control()).collect(),
        };
        self.piece.clear();
        let Text { stream, line, offset, .. } = *self;
        see(LogText::Line(LogLine { stream, line, offset, at, text }))
    }
}

/// Returns the start of the character at `place`.
fn char_start(bytes: &[u8], place: usize) -> usize {
    let mut start = place;
    while start > 0 && place - start < 3 && bytes.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start -= 1;
    }
    // What is no UTF-8 is cut where it was to be.
    if start == 0 && place > 0 { place } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<(u64, u64, String)> {
        let mut text = Text::new(LogStream::Output, 0);
        let mut told = Vec::new();
        let mut see = |piece| {
            let LogText::Line(line) = piece else { panic!("no gap") };
            told.push((line.line, line.offset, line.text));
            Ok::<(), LogError>(())
        };
        for chunk in chunks {
            text.take(chunk, Timestamp::UNIX_EPOCH, &mut see).expect("no error");
        }
        text.end_piece(Timestamp::UNIX_EPOCH, &mut see).expect("no error");
        told
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        let whole = lines(&[bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(lines(&single), whole, "it is the same however it comes");
        whole.into_iter().map(|(_, _, text)| text).collect()
    }

    #[test]
    fn lines_have_numbers_and_places() {
        assert_eq!(
            lines(&[b"one\r\n\r\nth", b"ree\nlast"]),
            [(1, 0, "one".into()), (2, 5, String::new()), (3, 7, "three".into()), (4, 13, "last".into())]
        );
    }

    #[test]
    fn control_sequences_are_no_text() {
        assert_eq!(
            texts(b"\x1b[1;31mred\x1b[0m and \x1b]0;title\x07\x1b(Bplain\x1b]8;;http://x\x1b\\link\n"),
            ["red and plainlink"]
        );
        assert_eq!(texts(b"a\x1bPqstring\x1b\\b\x1b[?25lc\x00\x07d\n"), ["abcd"]);
        assert_eq!(texts("x\u{9b}y\u{85}ä\tz\n".as_bytes()), ["xyä\tz"]);
        assert_eq!(texts(b"bad \xff byte\n"), ["bad \u{fffd} byte"]);
    }

    #[test]
    fn what_is_written_over_is_a_piece_of_its_own_and_blanks_that_are_skipped_are_blanks() {
        assert_eq!(texts(b"10%\r20%\r\n"), ["10%", "20%"]);
        assert_eq!(texts(b"\x1b[2Jtop\x1b[5;10Hmiddle\x1b[3Cright\n"), ["top", "middle   right"]);
        assert_eq!(texts("lä\u{8}\u{8}ös\n".as_bytes()), ["ös"]);
        assert_eq!(lines(&[b"a\rb\nc\n"]).iter().map(|line| line.0).collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn no_line_and_no_string_takes_more_than_its_share() {
        let long = "ä".repeat(MAX_PIECE_BYTES);
        let pieces = lines(&[long.as_bytes()]);
        assert_eq!(pieces.iter().map(|piece| piece.2.as_str()).collect::<String>(), long);
        assert!(pieces.iter().all(|piece| piece.2.len() <= MAX_PIECE_BYTES && piece.0 == 1));
        let mut endless = b"\x1b]".to_vec();
        endless.resize(2 * MAX_STRING_BYTES, b'x');
        endless.extend_from_slice(b"\nfound\n");
        assert_eq!(texts(&endless).last().expect("a line"), "found");
        let blanks = texts(b"\x1b[999999999999999999999C|\x1b[4000000000C|\n");
        assert!(blanks[0].len() <= 2 * MAX_BLANKS + 2);
    }
}
