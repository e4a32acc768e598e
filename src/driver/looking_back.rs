//! Looking at what an ended run has shown that a program before this one drove: its last screen and scrollback, made again from its log.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use super::port::{Command, Orders};
use super::taking_up::replay_ended;
use super::view::Collector;
use crate::api::Watch;
use crate::model::{ErrorCode, Failure, Record, RecordOutput, Size};
use crate::store::log::LogError;
use crate::tail::Pipe;

/// What an ended run has left behind.
pub struct LeftBehind {
    /// Its final record; the output may be left out.
    pub record: Arc<Record>,
    /// The folder of all logs; none when there are none.
    pub logs: Option<PathBuf>,
    /// Reads the output of its record, which stands in for a log that is gone. It may block.
    pub output: Box<dyn FnOnce() -> Option<RecordOutput> + Send>,
    /// How many logical lines are kept above the screen.
    pub scrollback_lines: usize,
}

/// Answers looks at it until the supervisor drops its end of the road. It is made again in one of the `turns`, once somebody waits for it: who passes
/// many runs by waits for none of them.
pub async fn look_back(left: LeftBehind, turns: &Semaphore, mut orders: Orders) {
    let run = left.record.id;
    let (first, turn) = loop {
        let Some(command) = orders.next().await else { return };
        if is_abandoned(&command) {
            continue;
        }
        let turn = turns.acquire().await;
        if !is_abandoned(&command) {
            break (command, turn);
        }
    };
    let mut collector = match tokio::task::spawn_blocking(move || left.shown()).await {
        Ok(collector) => collector,
        Err(error) => return tracing::error!(%run, %error, "the last screen of a run could not be made again"),
    };
    drop(turn);
    let mut next = Some(first);
    while let Some(command) = next {
        match command {
            Command::History { first, count, answer } => answer.send(Ok(collector.rows_above(first, count))),
            Command::Watch(view, answer) => {
                collector.look(view.size);
                // Nothing follows it: the other end of the channel is gone.
                let (_, frames_rx) = watch::channel(collector.frame());
                answer.send(Ok(Watch::new(frames_rx)));
            }
            other => other.refuse(Failure::new(ErrorCode::ControlClosed, "the run has ended")),
        }
        next = orders.next().await;
    }
}

fn is_abandoned(command: &Command) -> bool {
    matches!(command, Command::History { answer, .. } if answer.is_abandoned())
        || matches!(command, Command::Watch(_, answer) if answer.is_abandoned())
}

impl LeftBehind {
    fn shown(self) -> Collector {
        let record = &self.record;
        let size = record.size.unwrap_or(Size::DEFAULT);
        let mut collector = Collector::new(record.mode, size, self.scrollback_lines);
        let replayed = self.logs.as_ref().map(|logs| replay_ended(logs, record.id, &mut collector));
        match replayed {
            Some(Ok(())) => {}
            None | Some(Err(LogError::None { .. })) => admit_output(&mut collector, (self.output)()),
            // What could be read of it is shown.
            Some(Err(error)) => tracing::warn!(run = %record.id, %error, "the log of an ended run cannot be read"),
        }
        if let Collector::Pty(screen) = &mut collector {
            screen.take_signals();
            screen.resize(size);
        }
        collector
    }
}

/// Shows what the record has of the output: text without colours.
fn admit_output(collector: &mut Collector, output: Option<RecordOutput>) {
    match output {
        None => {}
        Some(RecordOutput::Pipes(pipes)) => {
            collector.admit(Pipe::Stdout, pipes.stdout.as_bytes());
            collector.admit(Pipe::Stderr, pipes.stderr.as_bytes());
        }
        Some(RecordOutput::Pty(pty)) => {
            let lines = [pty.scrollback.as_str(), pty.screen.as_str()].concat();
            collector.admit(Pipe::Stdout, lines.replace('\n', "\r\n").as_bytes());
        }
    }
}
