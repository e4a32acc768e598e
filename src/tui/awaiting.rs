//! What the loop waits for, when there is something to wait for.

use std::future::pending;

use futures_util::{Stream, StreamExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::api::{Feed, Link, Update};

use super::event::Input;
use super::run::Visiting;

pub(super) async fn next_input(inputs: &mut Option<impl Stream<Item = Input> + Unpin>) -> Option<Input> {
    match inputs {
        Some(inputs) => inputs.next().await,
        None => pending().await,
    }
}

/// Waits for the program that has the terminal.
pub(super) async fn visited(visiting: &mut Option<Visiting>) -> Result<(), String> {
    match visiting {
        Some(visiting) => visiting.await,
        None => pending().await,
    }
}

pub(super) async fn next_update(feed: &mut Option<Feed>) -> Option<Update> {
    match feed {
        Some(feed) => feed.next().await,
        None => pending().await,
    }
}

pub(super) async fn next_link(link: &mut Option<watch::Receiver<Link>>) -> Option<Link> {
    match link {
        Some(link) => link.changed().await.ok().map(|()| link.borrow_and_update().clone()),
        None => pending().await,
    }
}

pub(super) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}
