//! A part of a log, around a place in it: what is before it and behind it, and more behind when that is looked at. At its end it goes on.

use std::collections::VecDeque;

use super::lines::{self, Lines, drawn};
use super::stage::{Ended, Stage};
use super::{Order, Told, follow};
use crate::api::{Client, ExportedLine, LinePlace, LogRequest, Newest, SearchRequest, SearchScope, Stream};
use crate::model::{Failure, RunId};

/// How far before a place is begun, in bytes of its stream.
const BEFORE_BYTES: u64 = 256 * 1024;

/// How many lines before a place are shown at most.
const BEFORE_LINES: usize = 2_000;

/// How much is read at once behind a place, in bytes of text and in lines.
const PART: Bound = Bound { bytes: 256 * 1024, lines: 2_000 };

/// How much is shown behind a place in all: with more, what is before it would be pushed out.
const ALL: Bound = Bound { bytes: 3 * 1024 * 1024, lines: 100_000 };

const NOT_BEFORE: &[u8] = b"\x1b[2m[what comes before in the log is not shown here]\x1b[0m\r\n";
const NOT_BEHIND: &[u8] = b"\x1b[2m[the rest of the log is not shown here]\x1b[0m\r\n";

/// A bound of text.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    bytes: usize,
    lines: usize,
}

impl Bound {
    fn add(&mut self, line: &ExportedLine) {
        (self.bytes, self.lines) = (self.bytes + line.text.len(), self.lines + 1);
    }

    fn reaches(&self, other: Bound) -> bool {
        self.bytes >= other.bytes || self.lines >= other.lines
    }
}

/// What was read on the way to a place.
#[derive(Default)]
struct Before {
    lines: VecDeque<ExportedLine>,
    /// Whether the log has lines before them.
    is_cut: bool,
    /// The line of the place, or the first behind it.
    found: Option<ExportedLine>,
}

fn place_of(line: &ExportedLine) -> LinePlace {
    LinePlace { stream: line.stream, offset: line.offset }
}

/// Shows the end of the log of a run.
pub(super) async fn show_end(client: &dyn Client, run: RunId, stage: &mut Stage) -> Result<(), Ended> {
    match newest(client, run).await? {
        Some(place) => {
            stage.tell(Told::End(place)).await?;
            show(client, run, place, stage).await
        }
        None => lines::show(client, run, stage).await,
    }
}

/// Finds the newest line of a log.
async fn newest(client: &dyn Client, run: RunId) -> Result<Option<LinePlace>, Failure> {
    let request = SearchRequest {
        pattern: "^".to_owned(),
        is_regex: true,
        ignore_case: false,
        scope: SearchScope::Run(run),
        limit: 1,
        after: None,
        newest: Some(Newest { before: None }),
    };
    let results = client.search(request).whole().await?;
    Ok(results.hits.last().map(|hit| LinePlace { stream: hit.stream, offset: hit.offset }))
}

/// Shows the log of a run around a place.
pub(super) async fn show(client: &dyn Client, run: RunId, place: LinePlace, stage: &mut Stage) -> Result<(), Ended> {
    let begin = place.offset.saturating_sub(BEFORE_BYTES);
    // Where a stream goes on of which no line is read.
    let mut live: Vec<(Stream, u64)> = Vec::new();
    for stream in follow::live_streams(client, run).await {
        live.push((*stream, if begin > 0 { follow::end_of(client, run, *stream).await? } else { 0 }));
    }
    let mut lines = if begin > 0 {
        Lines::behind(client, run, LinePlace { offset: begin, ..place })
    } else {
        Lines::of(client, run)
    };
    let before = before(&mut lines, place, (begin > 0).then_some((client, run)), stage).await?;
    if let Some(first) = before.lines.front().or(before.found.as_ref()).filter(|_| before.is_cut) {
        stage.admit(NOT_BEFORE);
        stage.tell(Told::Before(place_of(first))).await?;
    }
    for line in &before.lines {
        stage.admit(drawn(line.stream, &line.text).as_bytes());
    }
    if before.found.as_ref().is_none_or(|line| line.offset != place.offset) {
        stage.tell(Told::Gone).await?;
    }
    let row = stage.row();
    let goes_on = match before.found {
        Some(line) => Some(part(&mut lines, line, Bound::default(), stage).await?),
        None => None,
    };
    stage.tell(Told::Place(row)).await?;
    stage.show(true).await?;
    let is_whole = match goes_on {
        Some((Some(next), last, shown)) => behind(&mut lines, next, last, shown, stage).await?,
        Some((None, ..)) | None => true,
    };
    let live = live.into_iter().filter(|_| is_whole);
    lines::go_on(client, live.map(|(stream, end)| lines.follow(run, stream, end)), stage).await
}

/// Reads up to a place. `behind` is the log that the lines are not the first ones of, if they may not be.
async fn before(
    lines: &mut Lines,
    place: LinePlace,
    behind: Option<(&dyn Client, RunId)>,
    stage: &mut Stage,
) -> Result<Before, Ended> {
    let mut before = Before::default();
    let mut is_first = true;
    while let Some(line) = lines.line(stage).await? {
        if let (true, Some((client, run))) = (std::mem::take(&mut is_first), behind) {
            before.is_cut = line.offset > begin_of(client, run, line.stream).await;
        }
        if line.stream == place.stream && line.offset >= place.offset {
            before.found = Some(line);
            break;
        }
        before.lines.push_back(line);
        if before.lines.len() > BEFORE_LINES {
            before.lines.pop_front();
            before.is_cut = true;
        }
    }
    Ok(before)
}

/// Shows a line and those behind it, as many as are read at once. Returns the line behind them, the place of the last one, and how much is shown now.
async fn part(
    lines: &mut Lines,
    first: ExportedLine,
    mut shown: Bound,
    stage: &mut Stage,
) -> Result<(Option<ExportedLine>, LinePlace, Bound), Ended> {
    let (mut line, mut read) = (first, Bound::default());
    loop {
        stage.admit(drawn(line.stream, &line.text).as_bytes());
        shown.add(&line);
        read.add(&line);
        let last = place_of(&line);
        match lines.line(stage).await? {
            Some(next) if !read.reaches(PART) && !shown.reaches(ALL) => line = next,
            next => return Ok((next, last, shown)),
        }
    }
}

/// Goes on part by part, whenever that is asked for. Returns whether the end of the log is shown.
async fn behind(
    lines: &mut Lines,
    mut next: ExportedLine,
    mut last: LinePlace,
    mut shown: Bound,
    stage: &mut Stage,
) -> Result<bool, Ended> {
    loop {
        if shown.reaches(ALL) {
            stage.admit(NOT_BEHIND);
            stage.tell(Told::Cut(last)).await?;
            return Ok(false);
        }
        stage.show(true).await?;
        stage.tell(Told::Paused(last)).await?;
        until_more(stage).await?;
        match part(lines, next, shown, stage).await? {
            (Some(line), place, all) => (next, last, shown) = (line, place, all),
            (None, ..) => return Ok(true),
        }
    }
}

async fn until_more(stage: &mut Stage) -> Result<(), Ended> {
    loop {
        let order = stage.order().await?;
        match stage.obey(order).await? {
            Some(Order::More) => return Ok(()),
            Some(Order::Resize(size)) => stage.resize(size),
            Some(_) | None => {}
        }
        stage.show(true).await?;
    }
}

/// Where the log of a stream begins: its first lines may have been dropped.
async fn begin_of(client: &dyn Client, run: RunId, stream: Stream) -> u64 {
    let request = LogRequest { stream, offset: 0, limit_bytes: 1, wait: None };
    client.read_log(run, request).await.map_or(0, |reading| reading.offset)
}
