//! A show: drawn to a screen of its own by a task that ends with its handle.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::api::{Client, LinePlace};
use crate::model::{Failure, Frame, Mode, Row, RunId, Size};

use super::stage::Stage;
use super::{around, lines, merged, recorded};

/// How many orders wait at most: each is a key, or rows that are asked for one after the other.
const MAX_ORDERS: usize = 64;
/// How much a show may be ahead of the TUI.
const MAX_TOLD: usize = 8;

/// What is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// The log of a run: a part of it around the line that begins there when it is a place in it, and otherwise all.
    Log { run: RunId, place: Option<LinePlace> },
    /// The end of the log of a run.
    End(RunId),
    /// The last screen of a run, and what scrolled off it.
    Screen(RunId),
    /// What a run printed, in its time.
    Replay(RunId),
    /// The lines of several runs in the order of their times.
    Merged(Vec<Source>),
}

/// A run of a merged log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) mode: Mode,
    /// Whether more may come.
    pub(crate) is_live: bool,
}

/// Where a replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Playing {
    pub(crate) at: Duration,
    pub(crate) length: Duration,
    /// Halves of the speed it had: 1 to 32.
    pub(crate) halves: u32,
    pub(crate) is_paused: bool,
}

/// What a show tells.
#[derive(Debug)]
pub(crate) enum Told {
    Frame(Arc<Frame>),
    /// Rows that were asked for.
    Rows {
        first: u64,
        rows: Vec<Arc<Row>>,
        is_text: bool,
    },
    /// The place of the newest line, where the end of a log was asked for.
    End(LinePlace),
    /// Whether more lines come as they are printed.
    Follows(bool),
    /// The row of the place that was asked for.
    Place(u64),
    /// The line that was asked for is not in the log any more: the place is that of what follows.
    Gone,
    /// More is in the log before this line, which is the first that is shown.
    Before(LinePlace),
    Playing(Playing),
    /// More follows in the log behind this line, and is read when it is asked for.
    Paused(LinePlace),
    /// More follows in the log behind this line, which is the last that is shown. Nothing else comes.
    Cut(LinePlace),
    /// Everything is there.
    Whole,
    Failed(Failure),
}

/// What a show is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Rows {
        first: u64,
        count: usize,
        is_text: bool,
    },
    Resize(Size),
    /// Read on behind a cut.
    More,
    /// Play on, or stop.
    Pause,
    Faster,
    Slower,
    /// Move by seconds.
    Seek(i32),
    Begin,
    End,
}

/// A show that is going on.
pub(in crate::tui) struct Show {
    pub(in crate::tui) id: u64,
    orders_tx: mpsc::Sender<Order>,
    told_rx: mpsc::Receiver<Told>,
    task: JoinHandle<()>,
}

impl Drop for Show {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Show {
    pub(in crate::tui) fn begin(client: Arc<dyn Client>, id: u64, what: What, size: Size) -> Show {
        let (orders_tx, orders_rx) = mpsc::channel(MAX_ORDERS);
        let (told_tx, told_rx) = mpsc::channel(MAX_TOLD);
        let task = tokio::spawn(async move {
            let mut stage = Stage::new(size, orders_rx, told_tx);
            let outcome = match what {
                What::Log { run, place: None } => lines::show(client.as_ref(), run, &mut stage).await,
                What::Log { run, place: Some(place) } => around::show(client.as_ref(), run, place, &mut stage).await,
                What::End(run) => around::show_end(client.as_ref(), run, &mut stage).await,
                What::Screen(run) => recorded::last_screen(client.as_ref(), run, &mut stage).await,
                What::Replay(run) => recorded::replay(client.as_ref(), run, &mut stage).await,
                What::Merged(sources) => merged::show(client.as_ref(), &sources, &mut stage).await,
            };
            stage.end(outcome).await;
        });
        Show { id, orders_tx, told_rx, task }
    }

    /// Passes an order on. One that cannot be taken is answered here where somebody waits for it.
    pub(in crate::tui) fn order(&self, order: Order) -> Option<Told> {
        match (self.orders_tx.try_send(order), order) {
            (Err(_), Order::Rows { first, is_text, .. }) => Some(Told::Rows { first, rows: Vec::new(), is_text }),
            (Ok(()) | Err(_), _) => None,
        }
    }
}

/// What the show tells next. Nothing is lost when this is dropped.
pub(in crate::tui) async fn next(show: &mut Option<Show>) -> (u64, Told) {
    match show {
        Some(show) => match show.told_rx.recv().await {
            Some(told) => (show.id, told),
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
