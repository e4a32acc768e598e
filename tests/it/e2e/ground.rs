//! The theme `auto` and what the terminal answers about its background.

use crate::harness::{Exit, Launch, Terminal, modes_left_on};

use super::product::{PROGRAM, home, launch, one};

/// Asks to be told when the colours change.
const FOLLOW: &[u8] = b"\x1b[?2031h";

const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// Shows every byte that reaches the run.
const BYTES: &str = "stty raw -echo; echo rea\"dy\"; exec cat -vt";

fn questions(terminal: &Terminal) -> usize {
    times(terminal, QUESTION)
}

fn times(terminal: &Terminal, bytes: &[u8]) -> usize {
    terminal.raw().windows(bytes.len()).filter(|part| *part == bytes).count()
}

/// The background of the selected row, at the left edge of the list.
fn selected(terminal: &Terminal) -> vt100::Color {
    terminal.screen().vt().cell(1, 2).map_or(vt100::Color::Default, vt100::Cell::bgcolor)
}

const DARK: vt100::Color = vt100::Color::Rgb(48, 58, 75);
const LIGHT: vt100::Color = vt100::Color::Rgb(208, 228, 250);

fn ready(launch: Launch) -> Terminal {
    let mut terminal = launch.start();
    terminal.wait_for_text("ready");
    terminal
}

#[test]
fn the_theme_follows_the_background_that_the_terminal_tells_however_it_is_torn() {
    for (answer, theme) in [("rgb:fdfd/f6f6/e3e3\x07", LIGHT), ("rgb:1e/1e/2e\x1b\\", DARK)] {
        let mut terminal = ready(launch(&home(&one(BYTES, ""))));
        assert_eq!(questions(&terminal), 1, "asked at once, with the first picture");
        let first = |bytes: &[u8]| terminal.raw().windows(bytes.len()).position(|part| part == bytes);
        assert!(first(b"leave") < first(QUESTION), "and after it");
        assert_eq!(selected(&terminal), vt100::Color::Default, "drawn in the terminal's own colours meanwhile");
        terminal.send(b"\x1b]11;");
        for byte in answer.bytes() {
            terminal.send(&[byte]);
        }
        terminal.wait_until("the theme", |terminal| selected(terminal) == theme);
        terminal.keys("<Enter>");
        terminal.wait_for_text("keys go to task");
        // One that nobody has asked for, and much later: it is no key either.
        terminal.send(b"one\x1b]11;rgb:0000/0000/0000\x1b\\two");
        terminal.wait_for_text("onetwo");
        assert!(!terminal.screen().has("rgb") && !terminal.screen().has("^["), "{}", terminal.picture());
        terminal.keys("<C-a>");
        terminal.wait_until("the other theme", |terminal| selected(terminal) == DARK);
        assert_eq!(questions(&terminal), 1, "once");
    }
}

#[test]
fn a_terminal_that_tells_of_other_colours_is_followed_and_asked_again_after_a_suspension() {
    if !crate::harness::have("bash") {
        return;
    }
    let home = home(&one(BYTES, ""));
    let mut shell = Launch::in_home(&home, "bash").args(["--norc", "--noprofile", "-i"]).size(100, 30).start();
    shell.wait_for_text("$ ");
    shell.keys(&format!("{PROGRAM} --embedded --config shtask.toml<Enter>"));
    shell.wait_for_text("ready");
    for (report, theme) in [(&b"\x1b[?997;2n"[..], LIGHT), (b"\x1b[?997;1n", DARK)] {
        shell.send(report);
        shell.wait_until("the theme", |shell| selected(shell) == theme);
    }
    shell.keys("<Enter>");
    shell.wait_for_text("keys go to task");
    shell.send(b"one\x1b[?997;1ntwo");
    shell.wait_for_text("onetwo");
    shell.keys("<C-a>");
    shell.wait_for_text("? help");
    shell.send(b"\x1b]11;rgb:0/0/0\x1b\\");
    shell.keys("<C-z>");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen() && screen.has("Stopped"));
    // What readline itself switches on at its prompt (2004) is the shell's own.
    assert!(modes_left_on(shell.raw()).is_subset(&[2004].into()), "{:?}", modes_left_on(shell.raw()));
    assert_eq!((questions(&shell), times(&shell, FOLLOW)), (1, 1));
    shell.keys("fg<Enter>");
    shell.wait_for("the program's screen again", |screen| screen.vt().alternate_screen() && screen.has("onetwo"));
    shell.wait_until("the question", |shell| (questions(shell), times(shell, FOLLOW)) == (2, 2));
    shell.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    shell.wait_until("the theme of another terminal", |shell| selected(shell) == LIGHT);
    shell.keys("qy");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen());
    shell.keys("echo code $?<Enter>");
    shell.wait_for_text("code 0");
    assert!(modes_left_on(shell.raw()).is_subset(&[2004].into()), "{:?}", modes_left_on(shell.raw()));
}

#[test]
fn the_first_picture_is_drawn_by_the_variable_and_the_answer_is_believed_more() {
    let mut terminal = ready(launch(&home(&one(BYTES, ""))).env("COLORFGBG", "15;0"));
    assert_eq!(selected(&terminal), DARK);
    terminal.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    terminal.wait_until("the theme", |terminal| selected(terminal) == LIGHT);
}

#[test]
fn a_terminal_that_never_answers_keeps_its_colours_and_its_escape_key() {
    let mut terminal = ready(launch(&home(&one(BYTES, ""))));
    terminal.keys("?");
    terminal.wait_for_text("select the next run");
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("select the next run");
    assert_eq!((questions(&terminal), selected(&terminal)), (1, vt100::Color::Default));
    terminal.keys("qy");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn who_has_chosen_a_theme_or_has_few_colours_is_not_asked() {
    let chosen = home(&one(BYTES, ""));
    let folder = chosen.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), "[theme]\nname = 'dark'\n").expect("a file");
    let plain = || launch(&home(&one(BYTES, "")));
    let few = plain().unset("COLORTERM").env("TERM", "xterm");
    for launch in [launch(&chosen), few, plain().env("NO_COLOR", "1")] {
        let mut terminal = ready(launch);
        terminal.keys("jk");
        terminal.wait_for_text("? help");
        assert_eq!((questions(&terminal), times(&terminal, FOLLOW)), (0, 0));
    }
}
