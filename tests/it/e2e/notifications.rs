//! What the user is told of runs that are out of sight (S6.7, S9.2).

use std::sync::Arc;

use crate::harness::{Home, Marker, Terminal};

use super::product::{home, launch};

/// Opens these tasks with these ways of telling.
fn open(tasks: &str, notify: &str) -> Terminal {
    let home: Arc<Home> = home(tasks);
    home.script("tell", "echo \"$1: $2\" >> told");
    let folder = home.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), format!("[tui]\nnotify = {notify}\n")).expect("a file");
    launch(&home).start()
}

/// A task that does something once there is a file called like it.
fn once(name: &str, what: &str, marker: &Marker) -> String {
    format!("[tasks.{name}]\nrun = '''while ! [ -e {name} ]; do sleep 0.02; done; {what}; exec sleep {marker}'''\n")
}

fn quiet(name: &str, marker: &Marker) -> String {
    format!("[tasks.{name}]\nrun = 'exec sleep {marker}'\n")
}

fn has(terminal: &Terminal, bytes: &str) -> bool {
    terminal.raw().windows(bytes.len()).any(|part| part == bytes.as_bytes())
}

fn wait_told(terminal: &mut Terminal, line: &str) {
    let told = |terminal: &Terminal| terminal.home().read("told").unwrap_or_default();
    terminal.wait_until(&format!("told: {line}"), |terminal| told(terminal).lines().any(|other| other == line));
}

#[test]
fn a_notification_of_a_run_that_is_out_of_sight_reaches_the_terminal_and_the_users_command() {
    let marker = Marker::new();
    let says = once("other", "printf '\\033]9;the build; is done\\007'", &marker);
    let ways = "['bell', 'osc9', 'osc777', 'osc99', { command = ['./tell'] }]";
    let mut terminal = open(&format!("{}{says}", quiet("shown", &marker)), ways);
    terminal.wait_alive(&marker, 1);
    terminal.home().write("other", "");
    wait_told(&mut terminal, "other: says: the build; is done");
    // What would end a part of a sequence is a blank.
    let line = "other says: the build  is done\u{1b}\\";
    for sequence in
        [format!("\u{1b}]9;{line}"), format!("\u{1b}]777;notify;shtask;{line}"), format!("\u{1b}]99;;{line}")]
    {
        terminal.wait_until(&sequence, |terminal| has(terminal, &sequence));
    }
    assert_eq!(terminal.screen().bells(), 1);
}

#[test]
fn the_run_in_sight_tells_nobody_until_the_terminal_has_lost_the_focus() {
    let marker = Marker::new();
    // It says it again and again: of one run at most one in a while is told.
    let again = "while ! [ -e enough ]; do printf '\\033]777;notify;tests;3 failed\\033\\\\'; sleep 0.1; done";
    let shown = once("shown", "printf '\\033]9;seen\\007said it'; while ! [ -e more ]; do sleep 0.02; done", &marker);
    let shown = shown.replace("exec sleep", &format!("{again}; exec sleep"));
    let other = once("other", again, &marker);
    let mut terminal = open(&format!("{shown}{other}"), "['osc9', { command = ['./tell'] }]");
    terminal.keys("g");
    terminal.home().write("shown", "");
    terminal.wait_for_text("said it");
    // Behind it in the order of what happens.
    terminal.home().write("other", "");
    wait_told(&mut terminal, "other: says: tests: 3 failed");
    assert!(!has(&terminal, "]9;shown"), "it is in sight");
    terminal.send(b"\x1b[O");
    terminal.home().write("more", "");
    wait_told(&mut terminal, "shown: says: tests: 3 failed");
    terminal.wait_until("OSC 9", |terminal| has(terminal, "\u{1b}]9;shown says: tests: 3 failed\u{1b}\\"));
    assert!(!has(&terminal, "seen\u{1b}\\"), "what was seen is old");
    terminal.home().write("enough", "");
}

#[test]
fn chunks_and_base64_of_kitty_are_put_together_and_nothing_in_them_reaches_the_terminal_unparsed() {
    let marker = Marker::new();
    // "Tests", then an attempt at the window's title.
    let first = "\\033]99;i=1:d=0:e=1;VGVzdHM=\\033\\\\";
    let second = "\\033]99;i=1:p=body:e=1;YWxsIBtdMDtldmlsB2dyZWVu\\033\\\\";
    let other = once("other", &format!("printf '{first}{second}'"), &marker);
    let mut terminal = open(&format!("{}{other}", quiet("shown", &marker)), "['osc9', { command = ['./tell'] }]");
    terminal.wait_alive(&marker, 1);
    terminal.home().write("other", "");
    wait_told(&mut terminal, "other: says: Tests: all ]0;evilgreen");
    terminal.wait_until("OSC 9", |terminal| has(terminal, "\u{1b}]9;other says: Tests: all ]0 evilgreen\u{1b}\\"));
    assert!(!has(&terminal, "\u{1b}]0;evil") && !terminal.screen().title().contains("evil"));
}

#[test]
fn a_bell_and_a_failure_out_of_sight_are_told() {
    let marker = Marker::new();
    let fails = "while ! [ -e fails ]; do sleep 0.02; done; exit 3";
    let fails = format!("[tasks.fails]\nrun = '''{fails} # {marker}'''\n");
    // At most one in two seconds is told, so each has a program of its own.
    for (name, task, words) in
        [("rings", once("rings", "printf '\\007'", &marker), "rings its bell"), ("fails", fails, "has failed")]
    {
        let tasks = format!("{}{task}", quiet("shown", &marker));
        let mut terminal = open(&tasks, "[{ command = ['./tell'] }, 'bell']");
        terminal.wait_alive(&marker, 1);
        terminal.home().write(name, "");
        wait_told(&mut terminal, &format!("{name}: {words}"));
        terminal.wait_for("the bell of the terminal", |screen| screen.bells() == 1);
    }
}

#[test]
fn a_command_that_cannot_be_started_and_no_way_at_all_cost_nothing() {
    let marker = Marker::new();
    for ways in ["[{ command = ['./nothing-here'] }, 'osc9']", "[]"] {
        let other = once("other", "printf '\\033]9;done\\007'; touch said", &marker);
        let mut terminal = open(&format!("{}{other}", quiet("shown", &marker)), ways);
        terminal.home().write("other", "");
        if ways == "[]" {
            terminal.wait_until("said", |terminal| terminal.home().read("said").is_some());
            // An answer to a key comes behind it.
            terminal.keys("G");
            terminal.wait_for("the other is selected", |screen| screen.has("▌"));
            assert!(!has(&terminal, "]9;"));
        } else {
            terminal.wait_until("OSC 9", |terminal| has(terminal, "\u{1b}]9;other says: done\u{1b}\\"));
        }
        terminal.keys("?");
        terminal.wait_for_text("select the next run");
    }
}
