//! However the TUI ends, the terminal is as it was (BUGS B52).

use std::sync::Arc;

use shtask::model::Moment;
use shtask::tui::{ColorChoice, NewRun, Options};

use super::played::Played;
use crate::harness::{Exit, Launch, Terminal, modes_left_on};

/// Set in a process of this test program that is to show the TUI: what it is to do besides.
const ROLE: &str = "SHTASK_TEST_TUI";

/// Starts this very test program in a terminal, as one that shows the TUI.
fn open(role: &str) -> Terminal {
    let program = std::env::current_exe().expect("this test program");
    let arguments = ["tui::restoring::the_tui_itself", "--exact", "--nocapture", "--quiet"];
    Launch::new(program).args(arguments).env(ROLE, role).env("RUST_BACKTRACE", "0").start()
}

/// Does nothing as a test of its own: it is what the other tests start.
#[test]
fn the_tui_itself() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let options = Options {
        title: "played".into(),
        tasks: Vec::new(),
        attach_key: "C-a".parse().expect("key"),
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
        clock: || Moment::from_boot(std::time::Duration::from_secs(1)),
        new_run: Box::new(move |_: NewRun| match role.as_str() {
            "elsewhere" => {
                let other = std::thread::spawn(|| panic!("somebody else's trouble"));
                assert!(other.join().is_err());
                shtask::model::RunSpec::new(shtask::model::CommandSpec::line("x"), shtask::model::Mode::Pty, "/")
            }
            _ => panic!("as it was told"),
        }),
        env: Arc::default(),
        cwd: "/".into(),
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
    let left = runtime.block_on(shtask::tui::run(Arc::new(Played::default()), options));
    println!("left as {left:?}");
}

fn assert_given_back(terminal: &Terminal) {
    assert_eq!(modes_left_on(terminal.raw()), [].into(), "{}", terminal.picture());
    assert_eq!(terminal.line_settings(), terminal.line_settings_at_start());
    assert!(!terminal.screen().vt().alternate_screen() && terminal.screen().cursor_visible());
    let off = b"\x1b[?1049l";
    assert_eq!(terminal.raw().windows(off.len()).filter(|part| part == off).count(), 1, "once, not twice");
}

#[test]
fn a_panic_restores_the_terminal_and_its_text_is_readable() {
    let mut terminal = open("panic");
    terminal.wait_for_text("Nothing runs here yet");
    terminal.keys("nsleep<Enter>");
    assert_ne!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
    assert!(terminal.screen().has("as it was told"), "{}", terminal.picture());
}

#[test]
fn a_panic_elsewhere_does_not_spoil_the_picture() {
    let mut terminal = open("elsewhere");
    terminal.wait_for_text("Nothing runs here yet");
    terminal.keys("nsleep<Enter>");
    terminal.wait_for_text("there are no runs");
    assert!(terminal.screen().vt().alternate_screen());
    assert!(!terminal.screen().has("trouble"), "{}", terminal.picture());
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("New run");
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
}

#[test]
fn an_ordinary_end_restores_the_terminal_and_what_is_printed_then_stays() {
    let mut terminal = open("end");
    terminal.wait_for_text("Nothing runs here yet");
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
    assert!(terminal.screen().has("left as Ok(Stopped"), "{}", terminal.picture());
}
