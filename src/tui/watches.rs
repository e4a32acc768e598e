//! What the shown runs are watched with: a watch for each pane.

use std::future::pending;
use std::sync::Arc;

use futures_util::future::select_all;

use crate::api::{Reply, Watch};
use crate::model::{Failure, Frame, RunId};

/// Watches, and those that were asked for. Bounded by the number of panes.
#[derive(Default)]
pub(super) struct Watches {
    pub(super) shown: OfRuns<Watch>,
    pub(super) asked: OfRuns<Reply<Watch>>,
}

impl Watches {
    pub(super) fn end(&mut self, run: RunId) {
        self.shown.0.retain(|(of, _)| *of != run);
        self.asked.0.retain(|(of, _)| *of != run);
    }
}

/// At most one thing for each run.
pub(super) struct OfRuns<T>(Vec<(RunId, T)>);

impl<T> Default for OfRuns<T> {
    fn default() -> OfRuns<T> {
        OfRuns(Vec::new())
    }
}

impl<T> OfRuns<T> {
    pub(super) fn put(&mut self, run: RunId, it: T) {
        match self.0.iter_mut().find(|(of, _)| *of == run) {
            Some((_, old)) => *old = it,
            None => self.0.push((run, it)),
        }
    }
}

impl OfRuns<Watch> {
    /// The next frame of any of them. One that is over is left out from then on. Nothing is lost when this is dropped.
    pub(super) async fn next(&mut self) -> (RunId, Arc<Frame>) {
        while !self.0.is_empty() {
            let changes = self.0.iter_mut().map(|(_, watch)| Box::pin(watch.changed()));
            let (is_live, at, _) = select_all(changes).await;
            let (run, mut watch) = self.0.remove(at);
            if is_live {
                let frame = watch.newest();
                // The others come first the next time.
                self.0.push((run, watch));
                return (run, frame);
            }
        }
        pending().await
    }
}

impl OfRuns<Reply<Watch>> {
    /// The next answer. Nothing is lost when this is dropped.
    pub(super) async fn next(&mut self) -> (RunId, Result<Watch, Failure>) {
        if self.0.is_empty() {
            return pending().await;
        }
        let (answer, at, _) = select_all(self.0.iter_mut().map(|(_, reply)| reply)).await;
        (self.0.remove(at).0, answer)
    }
}
