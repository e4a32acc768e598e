//! `run --foreground`: a command as if it was started without shtask: its bytes, its exit code (S3.5). The death of the server is nothing that the
//! command or its reader see: the next server goes on with the run, and its log has every byte (S7.4).

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::args_run::RunArgs;
use super::console::failure_json;
use super::exit::{Exit, Fault};
use super::facts::record_json;
use super::here::Verbs;
use super::logs::{LogCursor, next_page, was_lost};
use crate::api::{Client, Foreground, LiveOutput, LogReading, Stream};
use crate::model::{ErrorCode, Failure, Record, RunId, RunSpec};

/// How many chunks wait for somebody who reads slowly; the run's own queue, which is bounded too, takes what comes meanwhile.
const MAX_WAITING: usize = 16;

/// For how long a server is looked for when one has died and none can be reached, and the pause between two attempts.
const NEXT_SERVER: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(500);

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

/// Where the output of a foreground run comes from.
enum Road {
    Live,
    /// From the log, after the death of the server that had the live road.
    Log([LogCursor; 2]),
}

/// What comes of a run.
enum News {
    Output(LiveOutput),
    /// For now, or for good.
    NoMoreOutput,
    Outcome(Result<Arc<Record>, Failure>),
}

/// A run that is waited for.
struct Waited<'a> {
    client: &'a dyn Client,
    run: RunId,
    spec: RunSpec,
    foreground: Foreground,
    road: Road,
    /// Whether output may still come by the road.
    is_open: bool,
    /// Until when a server is looked for; none while there is one.
    until: Option<Instant>,
}

impl<'a> Waited<'a> {
    fn start(client: &'a dyn Client, run: RunId, spec: RunSpec) -> Waited<'a> {
        let foreground = client.start_foreground(Some(run), spec.clone());
        Waited { client, run, spec, foreground, road: Road::Live, is_open: true, until: None }
    }

    /// Waits for the next that comes of it.
    ///
    /// # Errors
    /// Output that is not kept any more, or whose log cannot be read.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    async fn next(&mut self) -> Result<News, Failure> {
        let Foreground { output_rx, outcome, .. } = &mut self.foreground;
        let output = async {
            let Road::Log(cursors) = &mut self.road else {
                return Ok::<_, Failure>(output_rx.recv().await);
            };
            match next_page(self.client, self.run, cursors).await {
                Ok(Some((at, page))) => Ok(Some(LiveOutput::Chunk(cursors[at].stream, as_printed(page)?))),
                Ok(None) => Ok(None),
                // What keeps it from being read now is told by the outcome, or by the look at what is left behind it.
                Err(_) => Ok(None),
            }
        };
        tokio::select! {
            biased;
            output = output, if self.is_open => match output? {
                Some(output) => Ok(News::Output(output)),
                None => {
                    self.is_open = false;
                    Ok(News::NoMoreOutput)
                }
            },
            outcome = outcome => Ok(News::Outcome(outcome)),
        }
    }

    /// Waits again, where that makes sense, for a run whose outcome could not be told.
    ///
    /// # Errors
    /// The failure, where it does not.
    async fn again(&mut self, failure: Failure, passed: &Passed, is_cancelled: bool) -> Result<(), Failure> {
        if failure.code == ErrorCode::NotFound && self.until.is_some() {
            // Nothing was started before a server had it on record.
            *self = Waited { until: self.until, ..Waited::start(self.client, self.run, self.spec.clone()) };
        } else if was_lost(&failure) {
            self.until.get_or_insert_with(|| Instant::now() + NEXT_SERVER);
            self.rejoin(passed);
        } else if failure.code == ErrorCode::Unavailable && self.until.is_some_and(|until| Instant::now() < until) {
            tokio::time::sleep(LOOK_AGAIN).await;
            self.rejoin(passed);
        } else {
            return Err(failure);
        }
        if is_cancelled {
            self.foreground.cancel();
        }
        Ok(())
    }

    fn rejoin(&mut self, passed: &Passed) {
        self.foreground = self.client.rejoin_foreground(self.run);
        let cursor = |stream| LogCursor::new(stream, passed.bytes[place(stream)], true);
        (self.road, self.is_open) = (Road::Log(STREAMS.map(cursor)), true);
    }
}

/// Returns the bytes of a page, where they are those that the run printed.
fn as_printed(page: LogReading) -> Result<Vec<u8>, Failure> {
    let message = match page.skipped_bytes {
        0 if !page.is_redacted => return Ok(page.bytes),
        0 => "the rest of the output is in its log without its secrets, so it cannot be gone on with".to_owned(),
        bytes => format!("{bytes} bytes of the output are not kept any more"),
    };
    Err(Failure::new(ErrorCode::Broken, message))
}

const STREAMS: [Stream; 2] = [Stream::Stdout, Stream::Stderr];

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
        if chunk.is_empty() {
            return true;
        }
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
        let client = Arc::clone(&self.client);
        let waited = Waited::start(client.as_ref(), (self.here.mint)(), spec);
        let (exit, document) = self.passed_on(waited, passed, &mut interrupts).await?;
        if json {
            self.console.json(&document)?;
        }
        Ok(self.console.end_of_run(exit))
    }

    fn not_started(&mut self, failure: &Failure) -> Exit {
        self.console.fail(failure);
        Exit::of_start(failure.code)
    }

    async fn passed_on(
        &mut self,
        mut waited: Waited<'_>,
        mut passed: Passed,
        interrupts: &mut Interrupts,
    ) -> Result<(Exit, serde_json::Value), Fault> {
        let interrupted = Ok((Exit(130), json!({ "cancelled": true })));
        let (mut is_cancelled, mut is_read) = (false, true);
        let outcome = loop {
            let news = tokio::select! {
                biased;
                () = interrupts.next() => {
                    // The second time nobody waits for the grace any more: dropping it leaves the rest to the server.
                    if std::mem::replace(&mut is_cancelled, true) {
                        return interrupted;
                    }
                    waited.foreground.cancel();
                    continue;
                }
                news = waited.next() => news,
            };
            let lost = match news {
                Ok(News::Output(output)) => {
                    if is_read {
                        tokio::select! {
                            taken = passed.admit(output) => is_read = taken,
                            // The chunk may be lost with it: whoever interrupts while nothing is read does not read on.
                            () = interrupts.next() => is_read = false,
                        }
                        if !is_read {
                            is_cancelled = true;
                            waited.foreground.cancel();
                        }
                    }
                    continue;
                }
                Ok(News::NoMoreOutput) => continue,
                Ok(News::Outcome(Ok(record))) => break Ok(record),
                Ok(News::Outcome(Err(failure))) => failure,
                Err(failure) => break Err(failure),
            };
            // What had come by the live road is not read again.
            while is_read && let Some(Some(output)) = waited.foreground.output_rx.recv().now_or_never() {
                is_read = passed.admit(output).await;
            }
            tokio::select! {
                again = waited.again(lost, &passed, is_cancelled) => if let Err(failure) = again {
                    break Err(failure);
                },
                () = interrupts.next() => return interrupted,
            }
        };
        let record = match outcome {
            Ok(record) => record,
            Err(failure) => {
                let document = json!({ "error": failure_json(&failure) });
                return Ok((self.not_started(&failure), document));
            }
        };
        let finish = async {
            // What came before the outcome is in the queue already.
            while is_read && let Some(Some(output)) = waited.foreground.output_rx.recv().now_or_never() {
                is_read = passed.admit(output).await;
            }
            let is_from_log = matches!(waited.road, Road::Log(_));
            if is_read && (is_from_log || !is_cancelled) {
                self.rest(record.id, &mut passed, is_from_log).await?;
            }
            passed.finish().await
        };
        tokio::select! {
            finished = finish => if let Err(failure) = finished {
                self.console.fail(&failure);
                return Ok((Exit::BROKEN, json!({ "error": failure_json(&failure) })));
            },
            () = interrupts.next() => return interrupted,
        }
        self.outcome_of(&record)
    }

    fn outcome_of(&mut self, record: &Record) -> Result<(Exit, serde_json::Value), Fault> {
        // A failure that the exit code does not tell by itself.
        let is_told = matches!(record.exit_code, Some(1..126));
        if let Some(failure) = record.failure.as_ref().filter(|_| !is_told) {
            self.console.fail(failure);
        }
        Ok((Exit::of_run(record), record_json(record)))
    }

    /// Passes on what was too much for the live road, or all that is left, from the log: a wrapper loses nothing.
    async fn rest(&self, run: RunId, passed: &mut Passed, all: bool) -> Result<(), Failure> {
        for stream in STREAMS {
            if !all && !passed.suppressed[place(stream)] {
                continue;
            }
            let mut cursors = [LogCursor::new(stream, passed.bytes[place(stream)], false)];
            loop {
                let bytes = match next_page(self.client.as_ref(), run, &mut cursors).await {
                    Ok(Some((_, page))) => as_printed(page)?,
                    Ok(None) => break,
                    // A run that has never printed has none.
                    Err(failure) if failure.code == ErrorCode::NotFound => break,
                    Err(failure) => return Err(failure),
                };
                if !passed.put(stream, bytes).await {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
