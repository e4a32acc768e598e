//! What viewers and followers get of a run's output.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::pace::Pace;
use super::port::ACTIVITY_INTERVAL;
use super::view::Collector;
use crate::api::{Activity, LiveOutput, Stream, Watch};
use crate::model::Frame;
use crate::tail::Pipe;

/// What is passed on of each stream of a foreground run (S3.5).
const LIVE_BYTES: usize = 1024 * 1024;

/// The viewers of one run: frames are made only while there is one.
#[derive(Default)]
pub(super) struct Viewers {
    frames_tx: Option<watch::Sender<Arc<Frame>>>,
    pub(super) pace: Pace,
}

impl Viewers {
    /// Lets one more watch, from this frame on.
    pub(super) fn join(&mut self, frame: Arc<Frame>) -> Watch {
        match &self.frames_tx {
            Some(frames_tx) => {
                frames_tx.send_replace(frame);
                Watch::new(frames_tx.subscribe())
            }
            None => {
                let (frames_tx, frames_rx) = watch::channel(frame);
                self.frames_tx = Some(frames_tx);
                Watch::new(frames_rx)
            }
        }
    }

    /// Returns whether somebody watches; forgets the road of frames when nobody does any more.
    pub(super) fn are_there(&mut self) -> bool {
        if self.frames_tx.as_ref().is_some_and(|frames_tx| frames_tx.is_closed()) {
            self.frames_tx = None;
            self.pace = Pace::default();
        }
        self.frames_tx.is_some()
    }

    /// Shows a frame to all.
    pub(super) fn show(&mut self, frame: Arc<Frame>) {
        self.pace.made(Instant::now());
        if let Some(frames_tx) = &self.frames_tx {
            frames_tx.send_replace(frame);
        }
    }

    /// Keeps a frame that was made for somebody else: the next one shares the rows that did not change with it. Nobody is woken.
    pub(super) fn keep(&mut self, frame: Arc<Frame>) {
        if let Some(frames_tx) = &self.frames_tx {
            frames_tx.send_if_modified(|shown| {
                *shown = frame;
                false
            });
        }
    }

    /// Shows what changed, if it is due.
    pub(super) fn changed(&mut self, collector: &mut Collector) {
        if !self.are_there() {
            collector.look_away();
        } else if self.pace.changed(Instant::now(), collector.is_synchronised()) {
            self.show(collector.frame());
        }
    }

    /// Takes note that no frame will follow.
    pub(super) fn end(&mut self) {
        self.frames_tx = None;
    }
}

/// When the supervisor is told what a run did.
#[derive(Default)]
pub(super) struct ActivityReports {
    told: Activity,
    last: Option<Instant>,
    due: Option<Instant>,
}

impl ActivityReports {
    /// Takes note of what the run did so far; returns what is to be told now.
    pub(super) fn note(&mut self, activity: Activity) -> Option<Activity> {
        if activity == self.told {
            return None;
        }
        let now = Instant::now();
        match self.last.map(|last| last + ACTIVITY_INTERVAL).filter(|next| *next > now) {
            Some(next) => {
                self.due = Some(next);
                None
            }
            None => {
                (self.told, self.last, self.due) = (activity, Some(now), None);
                Some(activity)
            }
        }
    }

    /// Returns when the next report is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }
}

/// The live output of a foreground run.
pub(super) struct Live {
    output_tx: mpsc::UnboundedSender<LiveOutput>,
    left_bytes: [usize; 2],
    suppressed: [bool; 2],
}

impl Live {
    pub(super) fn new(output_tx: mpsc::UnboundedSender<LiveOutput>) -> Live {
        Live { output_tx, left_bytes: [LIVE_BYTES; 2], suppressed: [false; 2] }
    }

    /// Passes a chunk on, as far as the limit allows; says once that the rest is suppressed.
    pub(super) fn pass_on(&mut self, pipe: Pipe, bytes: &[u8]) {
        let (index, stream) = match pipe {
            Pipe::Stdout => (0, Stream::Stdout),
            Pipe::Stderr => (1, Stream::Stderr),
        };
        let passed = bytes.len().min(self.left_bytes[index]);
        self.left_bytes[index] -= passed;
        // Who does not listen any more has cancelled the run, which the supervisor sees by itself.
        if passed > 0 {
            let _ = self.output_tx.send(LiveOutput::Chunk(stream, bytes[..passed].to_vec()));
        }
        if passed < bytes.len() && !self.suppressed[index] {
            self.suppressed[index] = true;
            let _ = self.output_tx.send(LiveOutput::Suppressed(stream));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_output_is_capped_a_stream_and_says_so_once() {
        let (output_tx, mut output_rx) = mpsc::unbounded_channel();
        let mut live = Live::new(output_tx);
        let half = vec![b'x'; LIVE_BYTES / 2];
        for _ in 0..4 {
            live.pass_on(Pipe::Stdout, &half);
        }
        live.pass_on(Pipe::Stderr, b"still heard");
        drop(live);
        let mut got = Vec::new();
        while let Ok(output) = output_rx.try_recv() {
            got.push(output);
        }
        let passed: usize =
            got.iter().map(|o| if let LiveOutput::Chunk(Stream::Stdout, b) = o { b.len() } else { 0 }).sum();
        assert_eq!(passed, LIVE_BYTES);
        assert_eq!(got.iter().filter(|o| **o == LiveOutput::Suppressed(Stream::Stdout)).count(), 1);
        assert_eq!(got.last(), Some(&LiveOutput::Chunk(Stream::Stderr, b"still heard".to_vec())));
    }

    #[test]
    fn activity_is_told_at_once_and_then_at_most_once_a_second() {
        let mut reports = ActivityReports::default();
        let did = |output| Activity { output, ..Activity::default() };
        assert_eq!(reports.note(did(0)), None, "nothing happened yet");
        assert_eq!(reports.note(did(1)), Some(did(1)));
        assert_eq!(reports.note(did(2)), None);
        assert!(reports.due().is_some(), "what was held back is told later");
        assert_eq!(reports.note(did(1)), None);
    }
}
