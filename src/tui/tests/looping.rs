//! The loop: what is asked of whom, and when something is drawn.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::stream;
use tokio::sync::mpsc;

use super::fake::Fake;
use super::stage::{START, Stage, demo_runs, demo_tasks, frame, run};
use crate::api::{Found, SearchHit, SearchResults, ShutdownReport, Stream};
use crate::model::{CommandSpec, Frame, Mode, RunId, RunSpec, Size, Status};
use crate::tui::Leaving;
use crate::tui::event::Input;
use crate::tui::model::Model;
use crate::tui::outside::{Outside, Outsides};
use crate::tui::run::Ui;
use crate::tui::surface::Surface;

/// Counts what is drawn, and keeps what the last picture said.
#[derive(Clone, Default)]
struct Canvas {
    draws: Arc<AtomicUsize>,
    last: Arc<Mutex<String>>,
    background: Arc<AtomicBool>,
    stalled: Arc<AtomicBool>,
    told: Arc<Mutex<String>>,
}

impl Surface for Canvas {
    fn copy(&mut self, _: &str) -> io::Result<bool> {
        Ok(true)
    }

    fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.draws.fetch_add(1, Ordering::SeqCst);
        let (cols, rows) = model.size;
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(cols, rows)).expect("terminal");
        terminal.draw(|frame| _ = crate::tui::view::view(model, frame.buffer_mut())).expect("draw");
        *self.last.lock().expect("last") = terminal.backend().to_string();
        Ok(())
    }

    fn clear(&mut self, _: (u16, u16)) -> io::Result<()> {
        Ok(())
    }

    fn catch_up(&mut self) -> io::Result<bool> {
        Ok(!self.stalled.load(Ordering::SeqCst))
    }

    fn tell(&mut self, sequences: &str) -> io::Result<()> {
        self.told.lock().expect("told").push_str(sequences);
        Ok(())
    }

    fn size(&self) -> (u16, u16) {
        (80, 24)
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.background.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn lend(&mut self) {}

    fn is_in_foreground(&self) -> bool {
        !self.background.load(Ordering::SeqCst)
    }

    fn resume(&mut self) -> io::Result<(u16, u16)> {
        Ok((100, 30))
    }
}

struct Played(mpsc::UnboundedReceiver<Outside>);

impl Outsides for Played {
    async fn next(&mut self) -> Outside {
        match self.0.recv().await {
            Some(outside) => outside,
            None => std::future::pending().await,
        }
    }
}

struct Show {
    fake: Arc<Fake>,
    canvas: Canvas,
    keys: Option<mpsc::UnboundedSender<Input>>,
    outside: mpsc::UnboundedSender<Outside>,
    ui: tokio::task::JoinHandle<Leaving>,
}

impl Show {
    fn begin() -> Show {
        let screen = frame(Size::clamped(47, 22), &["hello"]);
        let fake = Fake::new(demo_runs(), screen);
        let canvas = Canvas::default();
        let (keys, keys_rx) = mpsc::unbounded_channel();
        let (outside, outside_rx) = mpsc::unbounded_channel();
        let model = Stage::new((80, 24), demo_tasks()).model;
        let new_run = Box::new(|_| RunSpec::new(CommandSpec::line("x"), Mode::Pty, "/"));
        let mut ui = Ui::new(fake.clone(), new_run, || START, model, canvas.clone());
        ui.draw().expect("first frame");
        assert!(fake.said.all().is_empty(), "the first frame is there before anything is asked");
        let keys_rx = Arc::new(Mutex::new(keys_rx));
        let open = move || {
            let keys_rx = Arc::clone(&keys_rx);
            Ok(stream::poll_fn(move |cx| keys_rx.lock().expect("keys").poll_recv(cx)))
        };
        let ui = tokio::spawn(async move { ui.drive(open, Played(outside_rx)).await.expect("left") });
        Show { fake, canvas, keys: Some(keys), outside, ui }
    }

    fn press(&self, key: &str) {
        let chord = key.parse().expect("key");
        self.keys.as_ref().expect("keys").send(Input::Key(chord)).expect("the loop lives");
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Show) -> bool) {
        let wait = async {
            while !is_so(self) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(10), wait).await;
        assert!(in_time.is_ok(), "{what}; said {:?}; shows\n{}", self.fake.said.all(), self.shown());
    }

    fn said(&self, what: &str) -> bool {
        self.fake.said.all().iter().any(|said| said.starts_with(what))
    }

    fn shown(&self) -> String {
        self.canvas.last.lock().expect("last").clone()
    }

    fn draws(&self) -> usize {
        self.canvas.draws.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn keys_reach_the_run_and_leaving_waits_for_the_shutdown() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    show.press("enter");
    show.press("q");
    show.until("typed", |show| show.said("control") && !show.said("shutdown")).await;
    show.press("C-a");
    show.press("q");
    show.press("y");
    show.until("asked to end", |show| show.said("shutdown hurry=false")).await;
    show.until("waiting", |show| show.shown().contains("Waiting for 3 runs")).await;
    assert!(!show.ui.is_finished());
    let answer = show.fake.shutdowns.lock().expect("shutdowns").pop().expect("one");
    answer.send(Ok(ShutdownReport::default()));
    let left = show.ui.await.expect("no panic");
    assert!(matches!(left, Leaving::Stopped { signal: None, .. }), "{left:?}");
}

#[tokio::test]
async fn what_ended_before_the_shutdown_was_answered_is_not_said_to_be_running() {
    // Which of the two is looked at first is left to chance.
    for _ in 0..16 {
        let show = Show::begin();
        show.until("the run is shown", |show| show.shown().contains("hello")).await;
        show.press("q");
        show.press("y");
        show.until("asked to end", |show| show.said("shutdown hurry=false")).await;
        let answer = show.fake.shutdowns.lock().expect("shutdowns").pop().expect("one");
        for (n, name) in [(1, "web"), (2, "api"), (3, "logs")] {
            show.fake.publish(run(n, Some(name), Mode::Pty, Status::Cancelled));
        }
        answer.send(Ok(ShutdownReport::default()));
        let Leaving::Stopped { summary, .. } = show.ui.await.expect("no panic") else {
            panic!("the terminal is there")
        };
        assert!(!summary.join("\n").contains("running"), "{summary:#?}");
    }
}

#[tokio::test]
async fn what_a_search_finds_is_shown_as_it_comes_and_leaving_ends_it() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    ["F", "x", "enter"].into_iter().for_each(|key| show.press(key));
    show.until("asked", |show| !show.fake.searches.lock().expect("searches").is_empty()).await;
    let (request, sender, answer) = show.fake.searches.lock().expect("searches").pop().expect("one");
    assert_eq!((request.pattern.as_str(), request.after), ("x", None));
    for (line, runs) in [(1, 0), (2, 5)] {
        let run = RunId::from_bits([1; 10]);
        let hit = SearchHit { run, stream: Stream::Stdout, line, offset: 0, at: None, text: format!("x marks {line}") };
        sender.tell(Found { hits: vec![hit], runs, of: 9 });
        show.until("the hit while it goes on", |show| show.shown().contains(&format!("x marks {line}"))).await;
    }
    assert!(show.shown().contains("5 of 9 runs, 2 lines") && !answer.is_abandoned(), "{}", show.shown());
    show.press("escape");
    show.until("it is ended", |_| answer.is_abandoned()).await;
    // The next one ends by itself.
    ["F", "y", "enter"].into_iter().for_each(|key| show.press(key));
    show.until("asked", |show| !show.fake.searches.lock().expect("searches").is_empty()).await;
    let (_, sender, answer) = show.fake.searches.lock().expect("searches").pop().expect("one");
    answer.send(Ok(SearchResults { runs: 9, ..SearchResults::default() }));
    drop(sender);
    show.until("its outcome", |show| show.shown().contains("nothing in 9 runs")).await;
}

#[tokio::test]
async fn nothing_is_drawn_while_nothing_changes() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    // What is on its way settles first; after that only a change may draw.
    let mut before = show.draws();
    loop {
        tokio::time::sleep(Duration::from_millis(60)).await;
        if std::mem::replace(&mut before, show.draws()) == show.draws() {
            break;
        }
    }
    show.fake.publish(run(1, Some("web"), Mode::Pty, Status::Running));
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(show.draws(), before, "an update that shows nothing new draws nothing");
    show.fake.show(frame(Size::clamped(47, 22), &["changed"]));
    show.until("the change is shown", |show| show.shown().contains("changed")).await;
    assert_eq!(show.draws(), before + 1);
    show.ui.abort();
}

#[tokio::test]
async fn a_flood_of_frames_is_drawn_at_most_sixty_times_a_second() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    let (before, start) = (show.draws(), std::time::Instant::now());
    let shown: fn(usize) -> Frame = |n| frame(Size::clamped(47, 22), &[&format!("frame {n}")]);
    for n in 0..300 {
        show.fake.show(shown(n));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    show.until("the last frame is shown", |show| show.shown().contains("frame 299")).await;
    let most = usize::try_from(start.elapsed().as_millis() / 16).expect("few") + 3;
    assert!(show.draws() - before <= most, "{} draws, at most {most}", show.draws() - before);
    show.ui.abort();
}

#[tokio::test]
async fn a_terminal_that_takes_nothing_holds_up_only_the_pictures() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    show.canvas.stalled.store(true, Ordering::SeqCst);
    show.fake.show(frame(Size::clamped(47, 22), &["meanwhile"]));
    show.press("enter");
    show.press("q");
    show.until("keys go on", |show| show.said("control")).await;
    assert!(!show.shown().contains("meanwhile"), "nothing is drawn over what was not taken");
    show.canvas.stalled.store(false, Ordering::SeqCst);
    show.until("the newest is shown", |show| show.shown().contains("meanwhile")).await;
    show.canvas.stalled.store(true, Ordering::SeqCst);
    show.outside.send(Outside::Terminate(15)).expect("the loop lives");
    show.until("asked to end", |show| show.said("shutdown hurry=false")).await;
    show.ui.abort();
}

#[tokio::test]
async fn only_the_selected_run_is_watched() {
    let show = Show::begin();
    show.until("the first is watched", |show| show.said(&format!("watch {}", super::stage::id(1).short()))).await;
    show.press("j");
    show.until("the next is watched", |show| show.said(&format!("watch {}", super::stage::id(2).short()))).await;
    let watches = show.fake.said.all().iter().filter(|said| said.starts_with("watch")).count();
    assert_eq!(watches, 2);
    show.ui.abort();
}

#[tokio::test]
async fn a_terminal_that_is_gone_is_left_at_once() {
    let mut show = Show::begin();
    show.keys = None;
    assert_eq!(show.ui.await.expect("no panic"), Leaving::TerminalLost);
    assert!(!show.fake.said.all().iter().any(|said| said.starts_with("shutdown")), "that is left to the caller");

    let show = Show::begin();
    show.outside.send(Outside::HangUp).expect("the loop lives");
    assert_eq!(show.ui.await.expect("no panic"), Leaving::TerminalLost);
}

#[tokio::test]
async fn a_termination_signal_ends_the_runs_first() {
    let show = Show::begin();
    show.outside.send(Outside::Terminate(15)).expect("the loop lives");
    show.until("asked to end", |show| show.said("shutdown hurry=false")).await;
    show.outside.send(Outside::Terminate(15)).expect("the loop lives");
    show.until("hurried", |show| show.said("shutdown hurry=true")).await;
    for answer in show.fake.shutdowns.lock().expect("shutdowns").drain(..) {
        answer.send(Ok(ShutdownReport::default()));
    }
    assert!(matches!(show.ui.await.expect("no panic"), Leaving::Stopped { signal: Some(15), .. }));
}

#[tokio::test]
async fn a_suspended_program_draws_nothing_until_it_is_in_the_foreground() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    show.press("C-z");
    show.until("it is suspended", |show| show.canvas.background.load(Ordering::SeqCst)).await;
    let before = show.draws();
    show.fake.show(frame(Size::clamped(47, 22), &["meanwhile"]));
    show.outside.send(Outside::Continued).expect("the loop lives");
    // Long enough for it to look whether it was stopped at all.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(show.draws(), before, "continued in the background it still waits");
    show.canvas.background.store(false, Ordering::SeqCst);
    show.until("the new size is used", |show| show.shown().lines().count() == 30).await;
    assert!(show.shown().contains("meanwhile"));
    show.ui.abort();
}

#[tokio::test]
async fn a_suspended_program_that_is_killed_ends_its_runs() {
    let show = Show::begin();
    show.until("the run is shown", |show| show.shown().contains("hello")).await;
    show.press("C-z");
    show.until("it is suspended", |show| show.canvas.background.load(Ordering::SeqCst)).await;
    show.outside.send(Outside::Terminate(15)).expect("the loop lives");
    show.outside.send(Outside::Continued).expect("the loop lives");
    show.until("asked to end", |show| show.said("shutdown hurry=false")).await;
    let answer = show.fake.shutdowns.lock().expect("shutdowns").pop().expect("one");
    answer.send(Ok(ShutdownReport::default()));
    assert!(matches!(show.ui.await.expect("no panic"), Leaving::Stopped { signal: Some(15), .. }));
}
