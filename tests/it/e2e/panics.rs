//! A TUI that panics gives the terminal back first.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::Signal;
use shtask::api::Client;
use shtask::holder::OnLost;
use shtask::model::{Limits, Moment};
use shtask::settings;
use shtask::supervisor::{Storage, Supervisor, SupervisorSetup};
use shtask::sys::clock;
use shtask::tui::{self, ColorChoice, Options};

use crate::harness::{DEADLINE, Exit, Launch, Marker, modes_left_on, wait_gone};

use super::product::{PROGRAM, home, one};

/// Tells the child of the test below that it is one.
const IS_CHILD: &str = "SHTASK_TEST_PANICS";
const WORDS: &str = "a bug in making the new run";

/// The real TUI over a real supervisor, with one fault: it panics when a new run is asked for.
#[test]
#[ignore = "no test of its own: the test below starts it as the program that panics"]
fn child_that_panics() {
    if std::env::var_os(IS_CHILD).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("threads can be had").block_on(async {
        let setup = SupervisorSetup {
            limits: Limits::default(),
            storage: Storage::in_memory(),
            holder_exe: Path::new(PROGRAM),
            on_lost: OnLost::End { grace: Limits::GRACE },
        };
        let (supervisor, clients) = Supervisor::new(setup).expect("holders can be had");
        let supervising = tokio::spawn(supervisor.run());
        let client: Arc<dyn Client> = Arc::new(clients.client("test".parse().expect("a name")));
        drop(clients);
        let folder = std::env::current_dir().expect("a folder");
        let settings = settings::load(settings::LoadRequest {
            start_dir: &folder,
            env: &settings::process_env,
            config: Some(Path::new("shtask.toml")),
        });
        let settings = settings.expect("a good configuration");
        let base: Arc<Vec<_>> = Arc::new(std::env::vars_os().collect());
        let tasks = settings.task_specs(&base).into_iter();
        let options = Options {
            title: "panics".to_owned(),
            tasks: tasks.map(|(name, spec, autostart)| tui::TaskEntry { name, spec, autostart }).collect(),
            attach_key: settings.tui.attach_key,
            keys: shtask::tui::Keymap::default(),
            theme: shtask::tui::Theme::default(),
            by_ground: None,
            draw: |_, _| Ok(Vec::new()),
            history: Vec::new(),
            remember: std::sync::Arc::new(|_| {}),
            mouse: true,
            list_place: shtask::settings::ListPlace::Left,
            clipboard: Vec::new(),
            copy_on_release: true,
            usage: false,
            notify: Vec::new(),
            clock: || Moment::from_boot(clock::boot_now()),
            new_run: Box::new(|_| panic!("{WORDS}")),
            env: std::sync::Arc::default(),
            cwd: PathBuf::from("/"),
            new_run_mode: shtask::model::Mode::Pty,
            home: None,
            colors: ColorChoice::TrueColor,
            again: String::new(),
            server: None,
            started_server: false,
            seen: std::collections::HashMap::new(),
            keep_seen: Box::new(|_| {}),
            hold: None,
        };
        let _ = tui::run(client, options).await;
        let _ = supervising.await;
    });
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_readable_and_leaves_nothing_behind() {
    let marker = Marker::new();
    let home = home(&one(&format!("setsid sleep {marker} & exec sleep {marker}"), ""));
    let this = std::env::current_exe().expect("this test's own program");
    let arguments = ["--exact", "e2e::panics::child_that_panics", "--ignored", "--nocapture"];
    let launch = Launch::in_home(&home, this).args(arguments).env(IS_CHILD, "1").env("RUST_BACKTRACE", "0");
    let mut terminal = launch.size(100, 30).start();
    terminal.wait_for("the TUI", |screen| screen.vt().alternate_screen() && screen.has("task"));
    terminal.wait_alive(&marker, 2);
    terminal.keys("n");
    terminal.keys("true<Enter>");
    terminal.wait_for("the panic on the normal screen", |screen| {
        !screen.vt().alternate_screen() && screen.text().matches(WORDS).count() == 1
    });
    assert_eq!(terminal.wait_exit(), Exit::Code(101), "as a test that failed ends");
    assert_eq!(modes_left_on(terminal.raw()), [].into());
    assert_eq!(terminal.line_settings(), terminal.line_settings_at_start());
    assert!(terminal.screen().cursor_visible());
    wait_gone(&marker, DEADLINE);
}

#[test]
fn after_a_kill_the_next_start_in_the_same_terminal_works_and_gives_it_back() {
    let home = home(&one("true", ""));
    let twice = format!(
        "{PROGRAM} --embedded --config shtask.toml; {PROGRAM} --embedded --config shtask.toml; echo 'AFT'ER; exec sleep 1000"
    );
    let mut shell = Launch::in_home(&home, "/bin/sh").args(["-c".to_owned(), twice]).size(100, 30).start();
    shell.wait_for("the TUI", |screen| screen.vt().alternate_screen() && screen.has("completed"));
    let own = shell.pid();
    let first = shell.home().processes().into_iter().find(|one| one.parent == own).expect("the first one runs");
    let handle = first.handle().expect("it lives");
    rustix::process::pidfd_send_signal(handle, Signal::KILL).expect("it is ours");
    shell.wait_until("the second one", |shell| {
        let all = shell.home().processes();
        all.iter().any(|one| one.parent == own && one.pid != first.pid) && shell.screen().has("completed")
    });
    shell.wait_quiet(std::time::Duration::from_millis(200));
    shell.keys("q");
    shell.wait_for_text("AFTER");
    assert_eq!(modes_left_on(shell.raw()), [].into());
    assert!(!shell.screen().vt().alternate_screen());
}
