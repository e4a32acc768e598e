//! The loop of `attach`: keys one way, frames the other.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::input::{Typed, Typing};
use super::keyboard::Keyboard;
use super::steal::forms;
use super::terminal::{OuterTerminal, keyboard, size};
use crate::api::{Client, Reply, View, Watch};
use crate::cli::args_look::AttachArgs;
use crate::cli::exit::{Exit, Fault};
use crate::cli::here::Verbs;
use crate::cli::target::label;
use crate::cli::wait::ended;
use crate::model::{Action, Cut, ErrorCode, Failure, KeyChord, Limits, Mode, Record, RunId, Size, WriteStdin};

/// Within this time the stolen key pressed twice reaches the run; after it, once leaves.
const TWICE_WITHIN: Duration = Duration::from_millis(400);

/// For how long the notice at the bottom is shown when nothing is typed.
const NOTICE_FOR: Duration = Duration::from_secs(3);

/// What takes the keyboard behind the stolen key.
const TAKE: &str = "t";

/// How many writes may be on their way: the keyboard waits when the run takes nothing.
const MAX_ON_THE_WAY: usize = 64;

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
    continued: Signal,
    ends: Ends,
}

impl Outside {
    fn new() -> io::Result<Outside> {
        Ok(Outside {
            window: signal(SignalKind::window_change())?,
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
        let stolen = stolen(chord)?;
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
            typing: Typing::new(stolen),
            on_the_way: FuturesOrdered::new(),
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

fn stolen(chord: KeyChord) -> Result<Vec<Vec<u8>>, Failure> {
    let forms = forms(chord);
    if forms.is_empty() {
        let failure = Failure::new(ErrorCode::Invalid, format!("{chord} cannot be the detach key: every run needs it"));
        return Err(failure.with_hint("take a key with Ctrl or Alt, such as C-a or C-], or a function key"));
    }
    Ok(forms)
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
    typing: Typing,
    /// Writes that were not answered yet. A reply that is dropped withdraws its write.
    on_the_way: FuturesOrdered<Reply<Cut>>,
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
            let may_type = self.on_the_way.len() < MAX_ON_THE_WAY;
            tokio::select! {
                biased;
                exit = outside.ends.next() => return Ok(Left::Signal(exit)),
                _ = outside.window.recv() => {
                    self.resize();
                    terminal.resized();
                }
                _ = outside.continued.recv() => {
                    terminal.again().map_err(|error| Failure::new(ErrorCode::Broken, format!("the terminal is gone: {error}")))?;
                    self.resize();
                }
                Some(cut) = self.on_the_way.next() => {
                    if let Some(trouble) = trouble(cut) {
                        notes.say(&trouble);
                    }
                }
                read = keys_rx.recv(), if may_type => {
                    // A terminal that is gone hangs up.
                    let Some(bytes) = read else { return Ok(Left::Signal(Exit(129))) };
                    notes.clear();
                    for typed in self.typing.admit(&bytes) {
                        if let Typed::Aside(text) = typed {
                            if self.keyboard.is_held() {
                                self.text(&text);
                            }
                            continue;
                        }
                        match (typed, stolen_at.take()) {
                            (Typed::Stolen, None) => stolen_at = Some(Instant::now()),
                            (Typed::Stolen, Some(_)) if self.keyboard.press().is_ok() => self.pass_on(Typed::Stolen),
                            (Typed::Stolen, Some(_)) => {}
                            (Typed::Text(text), Some(_)) if text == TAKE => {
                                self.keyboard.take();
                                self.resize();
                                notes.say("the keyboard is this terminal's");
                            }
                            // What follows the key is for nobody.
                            (_, Some(_)) => return Ok(Left::Detached),
                            (typed, None) => match self.keyboard.press() {
                                Err(words) => notes.say(&format!("{words}; {} {TAKE} takes the keyboard", self.chord)),
                                Ok(is_taken) => {
                                    if is_taken {
                                        self.resize();
                                    }
                                    self.pass_on(typed);
                                }
                            },
                        }
                    }
                }
                () = at(leave_at) => return Ok(Left::Detached),
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

    /// Passes on what was typed.
    fn pass_on(&mut self, typed: Typed) {
        match typed {
            Typed::Text(text) | Typed::Aside(text) => self.text(&text),
            Typed::Mouse(mouse) => self.send(vec![Action::Mouse(mouse)]),
            Typed::Stolen => self.send(vec![Action::Key(self.chord.key, self.chord.modifiers)]),
        }
    }

    /// Gives the run the size of this terminal, while that is this terminal's to say.
    fn resize(&mut self) {
        if !self.keyboard.is_held() {
            return;
        }
        self.on_the_way.push_back(self.client.control(self.run, WriteStdin::resize(own_size())));
    }

    fn text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let cut = rest.floor_char_boundary(Limits::MAX_INPUT_BYTES);
            let (part, after) = rest.split_at(cut);
            self.on_the_way.push_back(self.client.control(self.run, WriteStdin::text(part)));
            rest = after;
        }
    }

    fn send(&mut self, actions: Vec<Action>) {
        self.on_the_way.push_back(self.client.control(self.run, WriteStdin::actions(actions)));
    }
}

/// Waits for a moment; without one, for ever.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Returns what somebody who types must know. That a run ends is seen anyway; the mouse may come where a program has just stopped listening.
fn trouble(cut: Result<Cut, Failure>) -> Option<String> {
    match cut {
        Ok(_) => None,
        Err(failure) if failure.code == ErrorCode::ControlClosed => None,
        Err(failure) => Some(failure.message),
    }
}
