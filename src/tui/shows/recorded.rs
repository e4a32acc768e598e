//! What a run with a terminal has shown: its last screen, or all of it in its time.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::stage::{Ended, Stage};
use super::{Order, Playing, Told};
use crate::api::{Client, ExportFormat, Recorded, Recording};
use crate::model::{Failure, RunId};

/// A time in which nothing happens is no longer than this.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// How much is drawn between two looks at what is asked.
const BYTES_AT_ONCE: usize = 256 * 1024;

/// How often the header's time moves while nothing else does.
const TICK: Duration = Duration::from_millis(500);

/// The slowest and the fastest, in halves.
const HALVES: (u32, u32) = (1, 32);

async fn recording(client: &dyn Client, run: RunId) -> Result<Recording, Failure> {
    let mut export = client.export(run, ExportFormat::Cast);
    let mut cast = Vec::new();
    while let Some(chunk) = export.chunks_rx.recv().await {
        cast.extend_from_slice(&chunk);
    }
    export.outcome.await?;
    Recording::read(&cast)
}

/// Shows the last screen of a run, with what scrolled off it.
pub(super) async fn last_screen(client: &dyn Client, run: RunId, stage: &mut Stage) -> Result<(), Ended> {
    let recording = recording(client, run).await?;
    stage.reset(recording.size);
    let mut drawn = 0;
    for event in &recording.events {
        drawn += draw(stage, &event.what);
        if drawn > BYTES_AT_ONCE {
            drawn = 0;
            stage.breathe().await?;
        }
    }
    Ok(())
}

fn draw(stage: &mut Stage, what: &Recorded) -> usize {
    match what {
        Recorded::Output(text) => {
            stage.admit(text.as_bytes());
            text.len()
        }
        Recorded::Resize(size) => {
            stage.resize(*size);
            0
        }
    }
}

/// Plays what a run printed. It ends only when nobody looks any more.
pub(super) async fn replay(client: &dyn Client, run: RunId, stage: &mut Stage) -> Result<(), Ended> {
    let mut recording = recording(client, run).await?;
    recording.cut_pauses(MAX_PAUSE);
    stage.reset(recording.size);
    let mut player = Player::new(recording, Instant::now());
    loop {
        player.catch_up(stage).await?;
        stage.show(true).await?;
        stage.tell(Told::Playing(player.playing())).await?;
        let due = player.next_due().unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
        tokio::select! {
            () = sleep_until(due) => {}
            order = stage.order() => {
                if let Some(order) = stage.obey(order?).await? {
                    player.order(order, stage);
                }
            }
        }
    }
}

struct Player {
    recording: Recording,
    /// The next event.
    next: usize,
    /// Where it was at an instant.
    at: (Instant, Duration),
    halves: u32,
    is_paused: bool,
}

impl Player {
    fn new(recording: Recording, now: Instant) -> Player {
        Player { recording, next: 0, at: (now, Duration::ZERO), halves: 2, is_paused: false }
    }

    fn is_over(&self) -> bool {
        self.next == self.recording.events.len()
    }

    fn position(&self) -> Duration {
        let (since, at) = self.at;
        let passed = if self.is_paused { Duration::ZERO } else { since.elapsed() * self.halves / 2 };
        (at + passed).min(self.recording.length())
    }

    /// Notes where it is, before how it goes on is changed.
    fn note(&mut self) {
        self.at = (Instant::now(), self.position());
    }

    /// When something is to be drawn next; none while nothing is.
    fn next_due(&self) -> Option<Instant> {
        if self.is_paused {
            return None;
        }
        let event = self.recording.events.get(self.next)?;
        let wait = event.at.saturating_sub(self.position()) * 2 / self.halves;
        Some(Instant::now() + wait.clamp(Duration::from_millis(16), TICK))
    }

    /// Draws everything up to where it is.
    async fn catch_up(&mut self, stage: &mut Stage) -> Result<(), Ended> {
        let position = self.position();
        let mut drawn = 0;
        while let Some(event) = self.recording.events.get(self.next).filter(|event| event.at <= position) {
            drawn += draw(stage, &event.what);
            self.next += 1;
            if drawn > BYTES_AT_ONCE {
                drawn = 0;
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    fn order(&mut self, order: Order, stage: &mut Stage) {
        self.note();
        match order {
            Order::Pause if self.is_over() => {
                self.seek(Duration::ZERO, stage);
                self.is_paused = false;
            }
            Order::Pause => self.is_paused = !self.is_paused,
            Order::Faster => self.halves = (self.halves * 2).min(HALVES.1),
            Order::Slower => self.halves = (self.halves / 2).max(HALVES.0),
            Order::Seek(seconds) => {
                let by = Duration::from_secs(seconds.unsigned_abs().into());
                let to = if seconds < 0 { self.at.1.saturating_sub(by) } else { self.at.1 + by };
                self.seek(to, stage);
            }
            Order::Begin => self.seek(Duration::ZERO, stage),
            Order::End => self.seek(self.recording.length(), stage),
            Order::Rows { .. } | Order::Resize(_) | Order::More => {}
        }
    }

    fn seek(&mut self, to: Duration, stage: &mut Stage) {
        let to = to.min(self.recording.length());
        if to < self.at.1 {
            // What was drawn cannot be taken back: all is drawn again.
            stage.reset(self.recording.size);
            self.next = 0;
        }
        self.at = (Instant::now(), to);
    }

    fn playing(&self) -> Playing {
        Playing {
            at: self.position(),
            length: self.recording.length(),
            halves: self.halves,
            is_paused: self.is_paused || self.is_over(),
        }
    }
}
