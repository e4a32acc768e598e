//! `run --foreground`: a command as if it was started without shtask: its bytes, its exit code (S3.5).

use std::io::{self, Write};

use futures_util::FutureExt;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::args_run::RunArgs;
use super::console::failure_json;
use super::exit::{Exit, Fault};
use super::facts::record_json;
use super::here::Verbs;
use super::logs::{LogCursor, next_page, was_lost};
use crate::api::{Foreground, LiveOutput, Stream};
use crate::model::{ErrorCode, Failure, RunId};

/// How many chunks wait for somebody who reads slowly; the run's own queue, which is bounded too, takes what comes meanwhile.
const MAX_WAITING: usize = 16;

/// What ends the wait from outside.
struct Interrupts([Signal; 3]);

impl Interrupts {
    fn new() -> Result<Interrupts, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::new(ErrorCode::Broken, format!("signals cannot be taken: {error}")))
        };
        Ok(Interrupts([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

/// One stream of ours: written on a thread, so that a reader who does not read holds up nothing else.
struct Writer {
    chunks_tx: mpsc::Sender<Vec<u8>>,
    ended: tokio::task::JoinHandle<io::Result<()>>,
}

impl Writer {
    fn start(mut to: impl Write + Send + 'static) -> Writer {
        let (chunks_tx, mut chunks_rx) = mpsc::channel::<Vec<u8>>(MAX_WAITING);
        let ended = tokio::task::spawn_blocking(move || {
            while let Some(chunk) = chunks_rx.blocking_recv() {
                to.write_all(&chunk)?;
                to.flush()?;
            }
            Ok(())
        });
        Writer { chunks_tx, ended }
    }
}

/// Where the output of a foreground run goes.
pub(super) struct Passed {
    writers: [Writer; 2],
    /// How many bytes of each stream were passed on.
    bytes: [u64; 2],
    suppressed: [bool; 2],
}

fn place(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

impl Passed {
    fn new(out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Passed {
        Passed { writers: [Writer::start(out), Writer::start(err)], bytes: [0; 2], suppressed: [false; 2] }
    }

    /// Passes a chunk on; false when nobody reads it any more.
    async fn put(&mut self, stream: Stream, chunk: Vec<u8>) -> bool {
        self.bytes[place(stream)] += chunk.len() as u64;
        self.writers[place(stream)].chunks_tx.send(chunk).await.is_ok()
    }

    async fn admit(&mut self, output: LiveOutput) -> bool {
        match output {
            LiveOutput::Chunk(stream, chunk) => self.put(stream, chunk).await,
            LiveOutput::Suppressed(stream) => {
                self.suppressed[place(stream)] = true;
                true
            }
        }
    }

    /// Ends both streams, once everything is written.
    ///
    /// # Errors
    /// The output could not be written, though somebody is there to read it.
    async fn finish(self) -> Result<(), Failure> {
        let mut outcome = Ok(());
        for Writer { chunks_tx, ended } in self.writers {
            drop(chunks_tx);
            // A panic cannot be.
            let Ok(Err(error)) = ended.await else { continue };
            if let Fault::Failed(failure) = Fault::of_output(&error) {
                outcome = Err(failure);
            }
        }
        outcome
    }
}

impl Verbs<'_> {
    /// Runs a command in the foreground.
    pub(super) async fn foreground(&mut self, args: &RunArgs) -> Result<Exit, Fault> {
        let mut interrupts = Interrupts::new()?;
        let spec = match self.spec(args) {
            Ok(spec) => spec,
            Err(Fault::Failed(failure)) => return Ok(self.not_started(&failure)),
            Err(gone) => return Err(gone),
        };
        let json = self.console.look.json;
        let passed = if json {
            Passed::new(io::sink(), io::sink())
        } else {
            let [out, err] = self.console.raw_streams();
            Passed::new(out, err)
        };
        let foreground = self.client.start_foreground(spec);
        let (exit, document) = self.passed_on(foreground, passed, &mut interrupts).await?;
        if json {
            self.console.json(&document)?;
        }
        Ok(exit)
    }

    fn not_started(&mut self, failure: &Failure) -> Exit {
        self.console.fail(failure);
        Exit::of_start(failure.code)
    }

    async fn passed_on(
        &mut self,
        mut foreground: Foreground,
        mut passed: Passed,
        interrupts: &mut Interrupts,
    ) -> Result<(Exit, serde_json::Value), Fault> {
        let (mut is_cancelled, mut is_open, mut is_read) = (false, true, true);
        let outcome = loop {
            tokio::select! {
                biased;
                () = interrupts.next() => {
                    // The second time nobody waits for the grace any more: dropping it leaves the rest to the server.
                    if std::mem::replace(&mut is_cancelled, true) {
                        return Ok((Exit(130), json!({ "cancelled": true })));
                    }
                    foreground.cancel();
                }
                output = foreground.output_rx.recv(), if is_open => match output {
                    Some(output) if is_read => {
                        tokio::select! {
                            taken = passed.admit(output) => is_read = taken,
                            // The chunk may be lost with it: whoever interrupts while nothing is read does not read on.
                            () = interrupts.next() => is_read = false,
                        }
                        if !is_read {
                            is_cancelled = true;
                            foreground.cancel();
                        }
                    }
                    Some(_) => {}
                    None => is_open = false,
                },
                outcome = &mut foreground.outcome => break outcome,
            }
        };
        let record = match outcome {
            Ok(record) => record,
            Err(failure) if was_lost(&failure) => {
                // A run that nobody waits for any more is ended by the next server, which is started with this where there is none.
                let is_up = self.client.summary().await.is_ok();
                let hint = match is_up {
                    true => "the command is being ended by the next server: what it has done until then is in its log",
                    false => "the command is ended as soon as there is a server again",
                };
                let failure = failure.with_hint(hint);
                let document = json!({ "error": failure_json(&failure) });
                return Ok((self.not_started(&failure), document));
            }
            Err(failure) => {
                let document = json!({ "error": failure_json(&failure) });
                return Ok((self.not_started(&failure), document));
            }
        };
        let finish = async {
            // What came before the outcome is in the queue already.
            while is_read && let Some(Some(output)) = foreground.output_rx.recv().now_or_never() {
                is_read = passed.admit(output).await;
            }
            if is_read && !is_cancelled {
                self.rest(record.id, &mut passed).await?;
            }
            passed.finish().await
        };
        tokio::select! {
            finished = finish => if let Err(failure) = finished {
                self.console.fail(&failure);
                return Ok((Exit::BROKEN, json!({ "error": failure_json(&failure) })));
            },
            () = interrupts.next() => return Ok((Exit(130), json!({ "cancelled": true }))),
        }
        // A failure that the exit code does not tell by itself.
        let is_told = matches!(record.exit_code, Some(1..126));
        if let Some(failure) = record.failure.as_ref().filter(|_| !is_told) {
            self.console.fail(failure);
        }
        Ok((Exit::of_run(&record), record_json(&record)))
    }

    /// Passes on what was too much for the live road, from the log: a wrapper loses nothing.
    async fn rest(&self, run: RunId, passed: &mut Passed) -> Result<(), Failure> {
        for stream in [Stream::Stdout, Stream::Stderr] {
            if !passed.suppressed[place(stream)] {
                continue;
            }
            let mut cursors = [LogCursor::new(stream, passed.bytes[place(stream)], false)];
            while let Some((_, page)) = next_page(self.client.as_ref(), run, &mut cursors).await? {
                if page.skipped_bytes > 0 {
                    let message = format!("{} bytes of the output are not kept any more", page.skipped_bytes);
                    return Err(Failure::new(ErrorCode::Broken, message));
                }
                if !passed.put(stream, page.bytes).await {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
