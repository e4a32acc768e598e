//! The screen of a show, and its talk with the TUI.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Order, Told};
use crate::model::{Failure, Size};
use crate::screen::Screen;

/// How many logical lines are kept. The screen bounds their bytes, too.
const MAX_LINES: usize = 200_000;

/// Pictures come no faster than this.
const PICTURE_EVERY: Duration = Duration::from_millis(50);

/// The TUI does not want the show any more.
#[derive(Debug)]
pub(in crate::tui) enum Ended {
    Unwanted,
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        Ended::Failed(failure)
    }
}

/// Where a show is drawn.
pub(in crate::tui) struct Stage {
    screen: Screen,
    orders_rx: mpsc::Receiver<Order>,
    told_tx: mpsc::Sender<Told>,
    shown_at: Option<Instant>,
    is_changed: bool,
}

impl Stage {
    pub(super) fn new(size: Size, orders_rx: mpsc::Receiver<Order>, told_tx: mpsc::Sender<Told>) -> Stage {
        Stage { screen: Screen::new(size, MAX_LINES), orders_rx, told_tx, shown_at: None, is_changed: true }
    }

    /// Starts over with an empty screen.
    pub(super) fn reset(&mut self, size: Size) {
        self.screen = Screen::new(size, MAX_LINES);
        self.is_changed = true;
    }

    pub(super) fn admit(&mut self, bytes: &[u8]) {
        self.screen.admit(bytes);
        // Nobody is there to read what a terminal answers, or to hear its bell.
        let _ = self.screen.take_replies();
        self.screen.take_signals();
        self.is_changed = true;
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.screen.resize(size);
        self.is_changed = true;
    }

    /// The row that is written to next.
    pub(super) fn row(&mut self) -> u64 {
        let frame = self.screen.frame();
        frame.history.end + u64::from(frame.cursor.y)
    }

    pub(super) async fn tell(&self, told: Told) -> Result<(), Ended> {
        self.told_tx.send(told).await.map_err(|_| Ended::Unwanted)
    }

    /// Shows what has changed: at once, or when the last picture is old enough.
    pub(super) async fn show(&mut self, at_once: bool) -> Result<(), Ended> {
        let is_due = at_once || self.shown_at.is_none_or(|at| at.elapsed() >= PICTURE_EVERY);
        if self.is_changed && is_due {
            (self.is_changed, self.shown_at) = (false, Some(Instant::now()));
            let frame = self.screen.frame();
            self.tell(Told::Frame(frame)).await?;
        }
        Ok(())
    }

    /// Does what is asked of every show; gives back what is not.
    pub(super) async fn obey(&mut self, order: Order) -> Result<Option<Order>, Ended> {
        match order {
            Order::Rows { first, count, is_text } => {
                let kept = self.screen.history();
                let rows = self.screen.history_rows(first, count);
                self.tell(Told::Rows { first: first.clamp(kept.first, kept.end), rows, is_text }).await?;
                Ok(None)
            }
            other => Ok(Some(other)),
        }
    }

    /// The next order.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn order(&mut self) -> Result<Order, Ended> {
        self.orders_rx.recv().await.ok_or(Ended::Unwanted)
    }

    /// Obeys what waits, between two pieces of work, and shows what has changed.
    pub(super) async fn breathe(&mut self) -> Result<(), Ended> {
        self.attend().await?;
        self.show(false).await
    }

    /// Obeys what waits, and shows nothing.
    pub(super) async fn attend(&mut self) -> Result<(), Ended> {
        while let Ok(order) = self.orders_rx.try_recv() {
            if let Some(Order::Resize(size)) = self.obey(order).await? {
                self.resize(size);
            }
        }
        tokio::task::yield_now().await;
        Ok(())
    }

    /// Tells how it ended, and obeys until nobody looks any more.
    pub(super) async fn end(mut self, outcome: Result<(), Ended>) {
        let told = match outcome {
            Ok(()) => Told::Whole,
            Err(Ended::Failed(failure)) => Told::Failed(failure),
            Err(Ended::Unwanted) => return,
        };
        if self.show(true).await.is_err() || self.tell(told).await.is_err() {
            return;
        }
        while let Ok(order) = self.order().await {
            let obeyed = self.obey(order).await;
            if let Ok(Some(Order::Resize(size))) = obeyed {
                self.resize(size);
            }
            if obeyed.is_err() || self.show(true).await.is_err() {
                return;
            }
        }
    }
}
