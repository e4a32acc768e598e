//! The loop of `attach`: keys one way, frames the other.

use std::future::poll_fn;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::input::{Keys, Typed};
use super::keyboard::Keyboard;
use super::steal::forms;
use super::terminal::{OuterTerminal, keyboard, size, wait_for_foreground};
use crate::api::{Client, Reply, Typing, View, Watch};
use crate::cli::args_look::AttachArgs;
use crate::cli::exit::{Exit, Fault};
use crate::cli::here::Verbs;
use crate::cli::target::label;
use crate::cli::wait::ended;
use crate::model::{Action, Cut, ErrorCode, Failure, Input, KeyChord, Limits, Mode, Record, RunId, Size, WriteStdin};

/// Within this time the stolen key pressed twice reaches the run; after it, once leaves.
const TWICE_WITHIN: Duration = Duration::from_millis(400);

/// For how long the notice at the bottom is shown when nothing is typed.
const NOTICE_FOR: Duration = Duration::from_secs(3);

/// What takes the keyboard behind the stolen key.
const TAKE: &str = "t";

/// How long what was typed before the stolen key may take to arrive.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);

/// The signals that end a program which has the terminal.
pub(in crate::cli) struct Ends([(Signal, u8); 4]);

/// Listens to the signals that end a program.
pub(in crate::cli) fn terminal_ends() -> io::Result<Ends> {
    let end = |kind: SignalKind| Ok::<_, io::Error>((signal(kind)?, 128 + kind.as_raw_value() as u8));
    Ok(Ends([
        end(SignalKind::hangup())?,
        end(SignalKind::terminate())?,
        end(SignalKind::interrupt())?,
        end(SignalKind::quit())?,
    ]))
}

impl Ends {
    /// Waits for one; returns the exit code that it would have caused.
    pub(in crate::cli) async fn next(&mut self) -> Exit {
        let [(hang_up, one), (terminate, two), (interrupt, three), (quit, four)] = &mut self.0;
        tokio::select! {
            _ = hang_up.recv() => Exit(*one),
            _ = terminate.recv() => Exit(*two),
            _ = interrupt.recv() => Exit(*three),
            _ = quit.recv() => Exit(*four),
        }
    }
}

/// The signals that matter meanwhile.
struct Outside {
    window: Signal,
    stopped: Signal,
    continued: Signal,
    ends: Ends,
}

impl Outside {
    fn new() -> io::Result<Outside> {
        Ok(Outside {
            window: signal(SignalKind::window_change())?,
            stopped: signal(SignalKind::from_raw(nix::libc::SIGTSTP))?,
            continued: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
            ends: terminal_ends()?,
        })
    }
}

/// How an attachment ended.
enum Left {
    /// The run has ended.
    Ended(Arc<Record>),
    /// By the stolen key.
    Detached,
    /// By a signal, or because the terminal is gone.
    Signal(Exit),
}

impl Verbs<'_> {
    /// Attaches this terminal to a run.
    pub(in crate::cli) async fn attach(&mut self, args: &AttachArgs) -> Result<Exit, Fault> {
        let chord = args.detach_key.unwrap_or(self.here.attach_key);
        chord.check_leaving().map_err(|fault| {
            Failure::new(ErrorCode::Invalid, format!("--detach-key: {fault}")).with_hint(fault.hint())
        })?;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let failure = Failure::new(ErrorCode::Unsupported, "attach needs a terminal at standard input and output");
            return Err(failure.with_hint("read shows what a run shows, write types into it").into());
        }
        if !self.here.nested && self.here.env.iter().any(|(name, _)| name == "SHTASK") {
            let failure = Failure::new(ErrorCode::Invalid, "this terminal belongs to a run of shtask");
            return Err(failure.with_hint("leave it first, or use --nested").into());
        }
        let run = self.find(&args.run).await?;
        let record = Arc::clone(&self.client.inspect(run).await?.view.record);
        attachable(&record)?;
        let terminal_failed =
            |error: io::Error| Failure::new(ErrorCode::Broken, format!("the terminal cannot be used: {error}"));
        wait_for_foreground();
        let mut outside = Outside::new().map_err(terminal_failed)?;
        let watch = self.client.watch(run, View { size: own_size() }).await?;
        let terminal = OuterTerminal::take().map_err(terminal_failed)?;
        let keys_rx = keyboard().map_err(terminal_failed)?;
        let name = label(&record);
        terminal.notice(Some(format!(" attached to {name}: {chord} leaves, twice reaches the run ")));
        let attached = Attached {
            client: self.client.as_ref(),
            run,
            chord,
            keyboard: Keyboard::take_of(self.client.as_ref(), run, self.here.hold),
            keys: Keys::new(forms(chord)),
            typing: Typing::new(run),
            sizes: FuturesOrdered::new(),
        };
        let left = attached.serve(watch, keys_rx, &terminal, &mut outside).await;
        drop(terminal);
        match left? {
            Left::Ended(record) => {
                let code = record.exit_code.map_or_else(String::new, |code| format!(" with exit code {code}"));
                self.console.note(&format!("{name} {}{code}", record.status.word()));
                Ok(Exit::of_run(&record))
            }
            Left::Detached => {
                self.console.note(&format!("detached from {name}, which goes on"));
                Ok(Exit::DONE)
            }
            Left::Signal(exit) => Ok(exit),
        }
    }
}

fn attachable(record: &Record) -> Result<(), Failure> {
    if record.mode == Mode::Pipes {
        let failure = Failure::new(ErrorCode::Unsupported, format!("{} has pipes and no terminal", label(record)));
        return Err(failure.with_hint("logs --follow shows its output; run --pty gives a terminal"));
    }
    if record.status.is_final() {
        let message = format!("{} has ended: {}", label(record), record.status.word());
        return Err(Failure::new(ErrorCode::ControlClosed, message).with_hint("read shows what it showed last"));
    }
    Ok(())
}

fn own_size() -> Size {
    let (cols, rows) = size();
    Size::clamped(cols, rows)
}

struct Attached<'a> {
    client: &'a dyn Client,
    run: RunId,
    chord: KeyChord,
    keyboard: Keyboard<'a>,
    keys: Keys,
    typing: Typing,
    /// Sizes that were not answered yet. A reply that is dropped withdraws its request.
    sizes: FuturesOrdered<Reply<Cut>>,
}

/// What is said at the bottom for a while.
struct Notes<'a> {
    terminal: &'a OuterTerminal,
    until: Option<Instant>,
}

impl Notes<'_> {
    fn say(&mut self, text: &str) {
        self.terminal.notice(Some(format!(" {text} ")));
        self.until = Some(Instant::now() + NOTICE_FOR);
    }

    fn clear(&mut self) {
        if self.until.take().is_some() {
            self.terminal.notice(None);
        }
    }
}

impl Attached<'_> {
    async fn serve(
        mut self,
        mut watch: Watch,
        mut keys_rx: mpsc::Receiver<Vec<u8>>,
        terminal: &OuterTerminal,
        outside: &mut Outside,
    ) -> Result<Left, Failure> {
        let mut run_end = std::pin::pin!(ended(self.client, self.run));
        self.resize();
        terminal.show(watch.newest());
        let mut has_frames = true;
        let mut stolen_at: Option<Instant> = None;
        let mut notes = Notes { terminal, until: Some(Instant::now() + NOTICE_FOR) };
        loop {
            let leave_at = stolen_at.map(|at| at + TWICE_WITHIN);
            // The terminal is not read while too much waits: its kernel holds back who types.
            let may_type = self.typing.has_room();
            tokio::select! {
                biased;
                exit = outside.ends.next() => return Ok(Left::Signal(exit)),
                _ = outside.window.recv() => {
                    self.resize();
                    terminal.resized();
                }
                _ = outside.stopped.recv() => terminal.stop(),
                _ = outside.continued.recv() => {
                    terminal.again().map_err(|error| Failure::new(ErrorCode::Broken, format!("the terminal is gone: {error}")))?;
                    self.resize();
                }
                Some(cut) = self.sizes.next() => {
                    if let Some(words) = cut.err().and_then(words) {
                        notes.say(&words);
                    }
                }
                failure = trouble(&mut self.typing, self.client) => {
                    if let Some(words) = words(failure) {
                        notes.say(&words);
                    }
                }
                read = keys_rx.recv(), if may_type => {
                    // A terminal that is gone hangs up.
                    let Some(bytes) = read else { return Ok(Left::Signal(Exit(129))) };
                    notes.clear();
                    for typed in self.keys.admit(&bytes) {
                        if let Typed::Aside(text) = typed {
                            if self.keyboard.is_held() {
                                self.pass_on(Typed::Aside(text), &mut notes);
                            }
                            continue;
                        }
                        match (typed, stolen_at.take()) {
                            (Typed::Stolen, None) => stolen_at = Some(Instant::now()),
                            (Typed::Stolen, Some(_)) if self.keyboard.press().is_ok() => self.pass_on(Typed::Stolen, &mut notes),
                            (Typed::Stolen, Some(_)) => {}
                            (Typed::Text(text), Some(_)) if text == TAKE => {
                                self.keyboard.take();
                                self.resize();
                                notes.say("the keyboard is this terminal's");
                            }
                            // What follows the key is for nobody.
                            (_, Some(_)) => return Ok(self.leave().await),
                            (typed, None) => match self.keyboard.press() {
                                Err(words) => notes.say(&format!("{words}; {} {TAKE} takes the keyboard", self.chord)),
                                Ok(is_taken) => {
                                    if is_taken {
                                        self.resize();
                                    }
                                    self.pass_on(typed, &mut notes);
                                }
                            },
                        }
                    }
                }
                () = at(leave_at) => return Ok(self.leave().await),
                () = at(notes.until) => notes.clear(),
                () = at(self.keyboard.idle_at()) => {
                    self.keyboard.hand_back();
                    notes.say("no key for a while: the keyboard is handed back; any key takes it");
                }
                news = self.keyboard.news() => match news {
                    Ok(words) => notes.say(&words),
                    Err(()) => self.resize(),
                },
                is_new = watch.changed(), if has_frames => {
                    has_frames = is_new;
                    if is_new {
                        terminal.show(watch.newest());
                    }
                }
                record = &mut run_end => return Ok(Left::Ended(record?)),
            }
        }
    }

    /// Passes on what was typed, or says why it is dropped.
    fn pass_on(&mut self, typed: Typed, notes: &mut Notes<'_>) {
        let passed = match typed {
            Typed::Text(text) | Typed::Aside(text) => self.text(&text),
            Typed::Mouse(mouse) => self.actions(vec![Action::Mouse(mouse)]),
            Typed::Stolen => self.actions(vec![Action::Key(self.chord.key, self.chord.modifiers)]),
        };
        if let Some(words) = passed.err().and_then(words) {
            notes.say(&words);
        }
    }

    /// Gives the run the size of this terminal, while that is this terminal's to say.
    fn resize(&mut self) {
        if !self.keyboard.is_held() {
            return;
        }
        self.sizes.push_back(self.client.control(self.run, WriteStdin::resize(own_size())));
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        let mut rest = text;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(Limits::MAX_INPUT_BYTES));
            self.typing.put(self.client, Input::Text(part.to_owned()))?;
            rest = after;
        }
        Ok(())
    }

    fn actions(&mut self, actions: Vec<Action>) -> Result<(), Failure> {
        self.typing.put(self.client, Input::Actions(actions))
    }

    /// Waits for what was typed before the terminal is left; what the run does not take in time is dropped.
    async fn leave(&mut self) -> Left {
        let all_taken = poll_fn(|cx| match self.typing.poll_trouble(self.client, cx) {
            Poll::Pending if !self.typing.is_idle() => Poll::Pending,
            Poll::Pending | Poll::Ready(_) => Poll::Ready(()),
        });
        let _ = tokio::time::timeout(LEAVE_WITHIN, all_taken).await;
        Left::Detached
    }
}

/// Waits for a moment; without one, for ever.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Waits until something that was typed was lost or refused; meanwhile the rest goes on.
async fn trouble(typing: &mut Typing, client: &dyn Client) -> Failure {
    poll_fn(|cx| typing.poll_trouble(client, cx)).await
}

/// Returns what somebody who types must know. That a run ends is seen anyway; the mouse may come where a program has just stopped listening.
fn words(failure: Failure) -> Option<String> {
    match (failure.code, failure.hint) {
        (ErrorCode::ControlClosed, _) => None,
        (_, Some(hint)) => Some(format!("{}; {hint}", failure.message)),
        (_, None) => Some(failure.message),
    }
}
