//! `replay`: the recorded output of a run at its own speed, drawn from cells like everything that is shown.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::args_look::ReplayArgs;
use super::attach::{OuterTerminal, keyboard, terminal_ends};
use super::exit::{Exit, Fault};
use super::here::Verbs;
use crate::api::{ExportFormat, Recorded, Recording};
use crate::model::{ErrorCode, Failure, Frame, Size};

/// Pictures come no faster than this.
const PICTURE_EVERY: Duration = Duration::from_millis(16);

/// A screen that output is played to.
pub trait Playback {
    /// Takes output.
    fn admit(&mut self, bytes: &[u8]);
    /// Takes another size.
    fn resize(&mut self, size: Size);
    /// Returns what it shows.
    fn frame(&mut self) -> Arc<Frame>;
}

impl Verbs<'_> {
    /// Plays the recorded output of a run.
    pub(super) async fn replay(&mut self, args: &ReplayArgs) -> Result<Exit, Fault> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let failure = Failure::new(ErrorCode::Unsupported, "replay needs a terminal at standard input and output");
            return Err(failure.with_hint("export --format cast writes a recording, logs prints the output").into());
        }
        let run = self.find(&args.run).await?;
        // All of it: a recording may pause for longer than an export waits.
        let mut export = self.client.export(run, ExportFormat::Cast);
        let mut cast = Vec::new();
        while let Some(chunk) = export.chunks_rx.recv().await {
            cast.extend_from_slice(&chunk);
        }
        export.outcome.await?;
        let Recording { size, events } = Recording::read(&cast)?;
        let failed =
            |error: io::Error| Failure::new(ErrorCode::Broken, format!("the terminal cannot be used: {error}"));
        let mut ends = terminal_ends().map_err(failed)?;
        let terminal = OuterTerminal::take().map_err(failed)?;
        let mut keys_rx = keyboard().map_err(failed)?;
        let mut playback = (self.here.playback)(size);
        let mut clock = Instant::now();
        let mut played = Duration::ZERO;
        let mut shown_at = None;
        for event in &events {
            let pause = event.at.saturating_sub(played).div_f64(args.speed);
            played = event.at;
            clock += args.max_pause.map_or(pause, |max| pause.min(max));
            if clock > Instant::now() {
                terminal.show(playback.frame());
                tokio::select! {
                    () = tokio::time::sleep_until(clock) => {}
                    key = keys_rx.recv() => match key {
                        Some(key) if !key.iter().any(|byte| matches!(byte, b'q' | b'Q' | 3 | 4)) => {}
                        Some(_) | None => return Ok(Exit::DONE),
                    },
                    exit = ends.next() => return Ok(exit),
                }
            } else if shown_at.is_none_or(|at: Instant| at.elapsed() >= PICTURE_EVERY) {
                terminal.show(playback.frame());
                shown_at = Some(Instant::now());
                tokio::task::yield_now().await;
            }
            match &event.what {
                Recorded::Output(text) => playback.admit(text.as_bytes()),
                Recorded::Resize(size) => playback.resize(*size),
            }
        }
        terminal.show(playback.frame());
        terminal.notice(Some(" the end: any key leaves ".to_owned()));
        tokio::select! {
            _ = keys_rx.recv() => Ok(Exit::DONE),
            exit = ends.next() => Ok(exit),
        }
    }
}
