//! The road of screens: the newest frame only.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::model::{Frame, HistorySpan, Row, Size};

/// How a viewer looks at a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The size of the place where it is shown. The output of a pipes run is wrapped to it; a PTY run keeps its own size.
    pub size: Size,
}

/// The screen of one run as it changes. Frames come at most 60 a second; older ones vanish, for a screen is a state.
///
/// While at least one exists, the run makes frames; with none it makes none.
#[derive(Debug, Clone)]
pub struct Watch {
    frames_rx: watch::Receiver<Arc<Frame>>,
}

impl Watch {
    /// Makes the watch of a channel of frames.
    pub fn new(frames_rx: watch::Receiver<Arc<Frame>>) -> Watch {
        Watch { frames_rx }
    }

    /// Returns the newest frame and takes note that it was seen.
    pub fn newest(&mut self) -> Arc<Frame> {
        Arc::clone(&self.frames_rx.borrow_and_update())
    }

    /// Returns whether there is a frame that was not seen.
    pub fn has_news(&self) -> bool {
        self.frames_rx.has_changed().unwrap_or(false)
    }

    /// Waits until there is a frame that was not seen. Returns false when there will be none any more: the run has ended and its
    /// last frame was seen.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn changed(&mut self) -> bool {
        self.frames_rx.changed().await.is_ok()
    }
}

/// Rows of the scrollback.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRows {
    /// What is kept at the moment.
    pub span: HistorySpan,
    /// The number of the first row of `rows`: not below `span.first`, whatever was asked for.
    pub first: u64,
    /// The rows, wrapped to the run's width, oldest first.
    pub rows: Vec<Arc<Row>>,
    /// The newest row that output is missing before: what a flood over pipes printed between two frames is in the log only.
    pub gap: Option<u64>,
}
