//! A recording of a run's output, read back from what an export wrote.

use std::time::Duration;

use crate::model::{ErrorCode, Failure, Size};

/// What happened in a recording, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// Since the beginning.
    pub at: Duration,
    /// What it was.
    pub what: Recorded,
}

/// What can happen in a recording.
#[derive(Debug, Clone, PartialEq)]
pub enum Recorded {
    /// Output came.
    Output(String),
    /// The terminal got another size.
    Resize(Size),
}

/// A recording: an asciicast of version 2, as [`ExportFormat::Cast`](super::ExportFormat::Cast) makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The size of the terminal at the beginning.
    pub size: Size,
    /// What happened, in order.
    pub events: Vec<RecordedEvent>,
}

impl Recording {
    /// Reads an asciicast.
    ///
    /// # Errors
    /// [`ErrorCode::Broken`] when it is none.
    pub fn read(cast: &[u8]) -> Result<Recording, Failure> {
        let broken = || Failure::new(ErrorCode::Broken, "the recording cannot be read");
        let mut lines = cast.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let head: serde_json::Value =
            lines.next().and_then(|line| serde_json::from_slice(line).ok()).ok_or_else(broken)?;
        let number = |key: &str| head[key].as_u64().and_then(|number| u16::try_from(number).ok());
        let size = Size::clamped(number("width").ok_or_else(broken)?, number("height").ok_or_else(broken)?);
        let mut events = Vec::new();
        for line in lines {
            let (at, kind, text): (f64, String, String) = serde_json::from_slice(line).map_err(|_| broken())?;
            let at = Duration::try_from_secs_f64(at).map_err(|_| broken())?;
            let what = match kind.as_str() {
                "o" => Recorded::Output(text),
                "r" => Recorded::Resize(text.parse().map_err(|_| broken())?),
                _ => continue,
            };
            events.push(RecordedEvent { at, what });
        }
        Ok(Recording { size, events })
    }

    /// Cuts every time in which nothing happens to at most `max`.
    pub fn cut_pauses(&mut self, max: Duration) {
        let (mut before, mut now) = (Duration::ZERO, Duration::ZERO);
        for event in &mut self.events {
            now += event.at.saturating_sub(before).min(max);
            before = event.at;
            event.at = now;
        }
    }

    /// How long it is.
    pub fn length(&self) -> Duration {
        self.events.last().map_or(Duration::ZERO, |event| event.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_and_its_pauses_are_cut() {
        let cast = b"{\"version\":2,\"width\":100,\"height\":30}\n[0.5,\"o\",\"hi\\r\\n\"]\n[9.0,\"r\",\"80x24\"]\n[9,\"m\",\"x\"]\n";
        let mut recording = Recording::read(cast).expect("a recording");
        assert_eq!(recording.size, Size::clamped(100, 30));
        let expected = [
            RecordedEvent { at: Duration::from_millis(500), what: Recorded::Output("hi\r\n".into()) },
            RecordedEvent { at: Duration::from_secs(9), what: Recorded::Resize(Size::clamped(80, 24)) },
        ];
        assert_eq!(recording.events, expected);
        recording.cut_pauses(Duration::from_secs(2));
        assert_eq!(recording.length(), Duration::from_millis(2500));
        for broken in [&b""[..], b"x", b"{}", b"{\"width\":1,\"height\":1}\n[1]"] {
            assert!(Recording::read(broken).is_err());
        }
    }
}
