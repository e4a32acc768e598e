//! Runs that go on: the lines that they print, as they come.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::Order;
use super::stage::{Ended, Stage};
use crate::api::{Client, ExportedLine, LogReading, LogRequest, Stream};
use crate::model::{ErrorCode, Failure, Mode, Plain, RunId};

/// How much is read at once, in bytes.
const PAGE_BYTES: usize = 64 * 1024;

/// A line that is longer is shown in pieces, as in the log itself.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// For how long one request waits; then it is asked again.
const WAIT: Duration = Duration::from_secs(30);

/// After this a server that has died is asked again, or the next one.
const AGAIN: Duration = Duration::from_secs(1);

/// A stream of a run that goes on.
pub(super) struct Follow {
    run: RunId,
    stream: Stream,
    offset: u64,
    plain: Plain,
    /// The line that is shown already, and comes once more.
    shown: Option<String>,
    /// The line whose end has not come yet.
    line: String,
}

impl Follow {
    /// Goes on at a place of a stream.
    pub(super) fn from(run: RunId, stream: Stream, offset: u64) -> Follow {
        Follow { run, stream, offset, plain: Plain::new(false), shown: None, line: String::new() }
    }

    /// Goes on behind a line that is shown. It may not be whole, and is read again.
    pub(super) fn behind(run: RunId, line: &ExportedLine) -> Follow {
        Follow { shown: Some(line.text.clone()), ..Follow::from(run, line.stream, line.offset) }
    }

    async fn page(&self, client: &dyn Client) -> Result<LogReading, Failure> {
        loop {
            let request =
                LogRequest { stream: self.stream, offset: self.offset, limit_bytes: PAGE_BYTES, wait: Some(WAIT) };
            match client.read_log(self.run, request).await {
                Err(failure) if failure.code == ErrorCode::Unavailable => tokio::time::sleep(AGAIN).await,
                reading => return reading,
            }
        }
    }

    /// Returns the lines that are whole now, or long enough.
    fn take(&mut self, page: &LogReading) -> Vec<String> {
        self.offset = page.next_offset;
        let mut text = std::mem::take(&mut self.line) + &self.plain.admit(&page.bytes);
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        if page.is_end {
            text += &self.plain.finish();
        } else if text.len() - whole < MAX_LINE_BYTES {
            self.line = text.split_off(whole);
        }
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if !lines.is_empty() && self.shown.take().as_ref() == lines.first() {
            lines.remove(0);
        }
        lines
    }
}

async fn next<T>(client: &dyn Client, whose: T, follow: Follow) -> (T, Follow, Result<LogReading, Failure>) {
    let page = follow.page(client).await;
    (whose, follow, page)
}

/// The streams of a run into which more may come; none when it is over, or nobody knows it any more.
pub(super) async fn live_streams(client: &dyn Client, run: RunId) -> &'static [Stream] {
    match client.inspect(run).await {
        Ok(found) if !found.view.record.status.is_final() => streams(found.view.record.mode),
        Ok(_) | Err(_) => &[],
    }
}

/// The streams that the log of a run has.
pub(super) fn streams(mode: Mode) -> &'static [Stream] {
    match mode {
        Mode::Pipes => &[Stream::Stdout, Stream::Stderr],
        Mode::Pty => &[Stream::Stdout],
    }
}

/// Finds the end of a stream as it is now.
pub(super) async fn end_of(client: &dyn Client, run: RunId, stream: Stream) -> Result<u64, Failure> {
    let is_before = async |offset: u64| {
        let request = LogRequest { stream, offset, limit_bytes: 1, wait: None };
        client.read_log(run, request).await.map(|reading| !reading.bytes.is_empty())
    };
    let (mut low, mut high) = (0, PAGE_BYTES as u64);
    while is_before(high).await? {
        (low, high) = (high, high.saturating_mul(2));
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle).await? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

/// Shows what streams print until all have ended, each line as `draw` makes it of whose it is.
pub(super) async fn all<T>(
    client: &dyn Client,
    follows: Vec<(T, Follow)>,
    draw: impl Fn(&T, Stream, &str) -> String,
    stage: &mut Stage,
) -> Result<(), Ended> {
    let mut pages: FuturesUnordered<_> =
        follows.into_iter().map(|(whose, follow)| next(client, whose, follow)).collect();
    while !pages.is_empty() {
        tokio::select! {
            Some((whose, mut follow, page)) = pages.next() => {
                let page = match page {
                    Ok(page) => page,
                    // Its log is gone: the others go on.
                    Err(failure) if failure.code == ErrorCode::NotFound => continue,
                    Err(failure) => return Err(failure.into()),
                };
                for line in follow.take(&page) {
                    stage.admit(draw(&whose, follow.stream, &line).as_bytes());
                }
                stage.show(true).await?;
                if !page.is_end {
                    pages.push(next(client, whose, follow));
                }
            }
            order = stage.order() => {
                if let Some(Order::Resize(size)) = stage.obey(order?).await? {
                    stage.resize(size);
                }
                stage.show(true).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_line_that_never_ends_no_more_is_kept_than_a_piece_of_a_log_has() {
        let run = "0123456789abcdef".parse().expect("an id");
        let mut follow = Follow::from(run, Stream::Stdout, 0);
        let mut shown = 0;
        for number in 1..=20 {
            let bytes = "x\u{e4}".repeat(PAGE_BYTES / 3).into_bytes();
            let next_offset = number * PAGE_BYTES as u64;
            let page =
                LogReading { offset: 0, bytes, next_offset, skipped_bytes: 0, is_end: false, is_redacted: false };
            shown += follow.take(&page).iter().map(String::len).sum::<usize>();
            assert!(follow.line.len() < 2 * PAGE_BYTES, "{} bytes are kept", follow.line.len());
        }
        assert_eq!(shown + follow.line.len(), 20 * (PAGE_BYTES / 3 * 3));
    }
}
