//! The search everywhere that goes on.

use std::future::pending;

use crate::api::{Client, SearchRequest, Searching};

use super::event::{Answer, Event};

/// A search by its number. Dropping it ends the search, wherever it goes on.
pub(super) struct Finding {
    number: u64,
    search: Searching,
}

impl Finding {
    pub(super) fn begin(client: &dyn Client, number: u64, request: SearchRequest) -> Finding {
        Finding { number, search: client.search(request) }
    }
}

/// What is found next, or what the search has come to. Nothing is lost when this is dropped.
pub(super) async fn next(finding: &mut Option<Finding>) -> Event {
    let Some(Finding { number, search }) = finding else { return pending().await };
    let number = *number;
    if let Some(found) = search.next().await {
        return Event::Found { number, found };
    }
    let result = search.outcome().await;
    *finding = None;
    Event::Answer(Answer::Found { number, result })
}
