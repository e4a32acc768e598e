//! Who types into a run, with two TUIs of different sizes over one server (S4.4).

use super::product::one;
use super::server::Served;
use crate::harness::Terminal;

/// Answers every line with the size of its terminal.
const SIZES: &str = "stty -echo; echo rea\"dy\"; while read line; do echo \"$line $(stty size)\"; done";

/// The two numbers behind a line that was answered.
fn answer(picture: &str, line: &str) -> Option<(u16, u16)> {
    let mut words = picture.split(&format!("{line} ")).nth(1)?.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// Types a line; returns the size that the run says it has.
fn size_told(terminal: &mut Terminal, line: &str) -> (u16, u16) {
    terminal.keys(&format!("{line}<Enter>"));
    terminal.wait_until("a size", |terminal| answer(&terminal.picture(), line).is_some());
    answer(&terminal.picture(), line).expect("it was just there")
}

fn attach(terminal: &mut Terminal) {
    terminal.keys("<Enter>");
    terminal.wait_for_text("back to the list");
}

#[test]
fn only_the_tui_that_has_the_keyboard_types_and_says_the_size() {
    let served = Served::new(&one(SIZES, "autostart = true"));
    let mut large = served.open_sized(110, 34);
    large.wait_for_text("ready");
    attach(&mut large);
    let its = size_told(&mut large, "alpha");

    let mut small = served.open_sized(70, 20);
    small.wait_for_text("alpha");
    small.wait_for_text(" types ");
    assert_eq!(size_told(&mut large, "beta"), its, "whoever looks changes no size");

    small.keys("t");
    small.wait_for_text("the keyboard is yours");
    large.wait_for_text("types into task");
    large.keys("lost<Enter>");
    attach(&mut small);
    let other = size_told(&mut small, "gamma");
    assert_ne!(other, its);
    assert!(!served.verb(&["logs", "task"]).contains("lost"), "no key of the other one went through");

    small.keys("<C-a>");
    small.wait_for_text("the keyboard is yours");
    small.keys("t");
    small.wait_for_text("is handed back");
    small.wait_for_no_text(" types ");
    large.wait_for_text("nobody types into task any more");
    size_told(&mut large, "delta");
    assert_eq!(size_told(&mut large, "epsilon"), its);
    small.wait_for_text(" types ");
}

#[test]
fn a_keyboard_without_keys_for_a_while_is_handed_back() {
    let served = Served::new(&one(SIZES, "autostart = true"));
    let folder = served.0.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), "[tui]\nhold = '300ms'\n").expect("a file");
    let mut terminal = served.open_sized(100, 30);
    terminal.wait_for_text("ready");
    attach(&mut terminal);
    terminal.wait_until("nobody has it", |_| {
        let ls: serde_json::Value = serde_json::from_str(&served.verb(&["show", "task", "--json"])).expect("json");
        ls["live"]["keyboard"].is_null()
    });
    size_told(&mut terminal, "alpha");
}
