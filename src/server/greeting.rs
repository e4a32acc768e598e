//! The first words with a client.

use std::io;
use std::time::Duration;

use tokio::time::Instant;

use crate::model::{ErrorCode, Failure};
use crate::sys::socket::Socket;
use crate::wire::{FromServer, Hello, Inbox, Outbox, Refusal, Welcome, WireError};

/// A hello has some two hundred bytes.
const MAX_HELLO_BYTES: usize = 4096;

/// How long the last words to a client may take when it does not read.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Hears who it is. What the client has sent behind its hello stays in the inbox.
///
/// # Errors
/// When the client is gone, has not said hello in time, or speaks another language; it has been told.
pub(super) async fn hear(stream: &Socket, inbox: &mut Inbox, timeout: Duration) -> Result<Hello, Failure> {
    let heard = tokio::time::timeout(timeout, first_message(stream, inbox)).await;
    let late = || Failure::new(ErrorCode::TimedOut, "no hello came in time");
    let refusal = match heard.unwrap_or_else(|_| Err(late())) {
        Ok(head) => match Hello::read(&head) {
            Ok(hello) => return Ok(hello),
            Err(refusal) => Failure::from(refusal),
        },
        Err(failure) => failure,
    };
    refuse(stream, refusal.clone()).await;
    Err(refusal)
}

async fn first_message(stream: &Socket, inbox: &mut Inbox) -> Result<Vec<u8>, Failure> {
    loop {
        if let Some(message) = inbox.next_message().map_err(|_| Refusal::Broken(WireError::NoHello))? {
            return Ok(message.head);
        }
        if inbox.space().len() > MAX_HELLO_BYTES {
            return Err(WireError::NoHello.into());
        }
        let gone = |why: &str| Failure::new(ErrorCode::Unavailable, format!("the client is gone: {why}"));
        stream.readable().await.map_err(|error| gone(&error.to_string()))?;
        match stream.try_read(inbox.space()) {
            Ok(0) => return Err(gone("it has said nothing")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(gone(&error.to_string())),
        }
    }
}

/// Tells a client why it is not served.
pub(super) async fn refuse(stream: &Socket, reason: Failure) {
    let mut outbox = Outbox::default();
    outbox.push(&welcome(Some(reason)), &[]);
    last_words(stream, &mut outbox).await;
}

/// Makes the first message to a client.
pub(super) fn welcome(refused: Option<Failure>) -> Vec<u8> {
    let pid = std::process::id().cast_signed();
    serde_json::to_vec(&Welcome::new(pid, refused)).expect("a welcome has a form in JSON")
}

/// Tells a client why its connection ends, behind what is on its way.
pub(super) async fn say_goodbye(stream: &Socket, outbox: &mut Outbox, reason: Failure) {
    FromServer::Goodbye { reason }.write(&[], outbox);
    last_words(stream, outbox).await;
}

async fn last_words(stream: &Socket, outbox: &mut Outbox) {
    let end = Instant::now() + LAST_WORDS;
    while !outbox.is_empty() {
        match stream.try_write(outbox.unsent()) {
            Ok(count) => outbox.sent(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let Ok(Ok(())) = tokio::time::timeout_at(end, stream.writable()).await else { return };
            }
            Err(_) => return,
        }
    }
}
