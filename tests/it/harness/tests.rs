//! The harness against programs that everybody knows.

use std::time::Duration;

use rustix::process::Signal;

use super::*;

#[test]
fn a_shell_answers_and_its_exit_code_is_seen() {
    let mut terminal = Launch::new("/bin/sh").start();
    terminal.wait_for_text("$ ");
    terminal.keys("echo 4$((1+1))<Enter>");
    terminal.wait_for("the answer", |screen| screen.row(1) == "42");
    terminal.keys("exit 7<Enter>");
    assert_eq!(terminal.wait_exit(), Exit::Code(7));
}

#[test]
fn a_home_is_clean_and_belongs_to_one_terminal() {
    let mut terminal = Launch::new("/usr/bin/env").env("GIVEN", "yes").unset("LOGNAME").size(200, 24).start();
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let text = terminal.screen().text();
    let root = terminal.home().folder("home");
    assert!(text.contains(&format!("HOME={}", root.display())), "{text}");
    assert!(text.contains("GIVEN=yes"), "{text}");
    assert!(!text.contains("LOGNAME") && !text.contains("CARGO"), "{text}");
}

#[test]
fn vim_gets_its_answers_and_saves_a_file() {
    if !have("vim") {
        return;
    }
    let mut terminal = Launch::new("vim").args(["-u", "NONE", "note.txt"]).start();
    terminal.wait_for_text("note.txt");
    assert!(terminal.screen().vt().alternate_screen());
    terminal.keys("ihello wide 世界<Esc>");
    terminal.wait_for_text("hello wide 世界");
    assert_eq!(terminal.screen().find("界"), Some((13, 0)));
    terminal.keys(":wq<Enter>");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(terminal.home().read("note.txt").as_deref(), Some("hello wide 世界\n"));
    assert_eq!(modes_left_on(terminal.raw()), [].into());
    assert_eq!(terminal.line_settings(), terminal.line_settings_at_start());
}

#[test]
fn less_follows_keys_and_a_resize() {
    if !have("less") {
        return;
    }
    let home = std::sync::Arc::new(Home::new());
    let lines: String = (1..=500).map(|n| format!("line {n}\n")).collect();
    let path = home.write("lines", lines);
    let mut terminal = Launch::in_home(&home, "less").args([path]).start();
    terminal.wait_for_text("line 23");
    terminal.keys("<Down><PgDn>");
    terminal.wait_for_no_text("line 24");
    terminal.keys("G");
    // It waits for a key again: a resize in the middle of its drawing would be answered by another prompt.
    terminal.wait_for_text("(END)");
    terminal.resize(40, 12);
    // It throws keys away that come while it draws anew, and its prompt does not tell when that is over.
    terminal.wait_until("the first page at the new height", |terminal| {
        let is_there = terminal.screen().row(10) == "line 11";
        if !is_there {
            terminal.keys("g");
        }
        is_there
    });
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn a_large_paste_into_cat_comes_back_whole() {
    let mut terminal = Launch::new("/bin/sh").args(["-c", "stty raw -echo; echo ready; exec cat"]).start();
    terminal.wait_for_text("ready");
    let text = "0123456789abcdef".repeat(20_000);
    let before = terminal.raw().len();
    terminal.paste(&text);
    terminal.wait_until("all bytes came back", |terminal| terminal.raw().len() >= before + text.len());
    assert_eq!(&terminal.raw()[before..], text.as_bytes());
}

#[test]
fn the_mouse_is_reported_to_a_program_that_asks() {
    let ask = r"stty raw -echo; printf '\033[?1000h\033[?1006hready'; exec cat -v";
    let mut terminal = Launch::new("/bin/sh").args(["-c", ask]).start();
    terminal.wait_for_text("ready");
    terminal.mouse(Mouse::Press, 4, 2);
    terminal.mouse(Mouse::WheelDown, 0, 0);
    terminal.wait_for_text("^[[<0;5;3M^[[<65;1;1M");
    assert_eq!(modes_left_on(terminal.raw()), [1000, 1006].into());
}

#[test]
fn a_closed_terminal_hangs_its_program_up() {
    let mut terminal = Launch::new("/bin/sh").start();
    terminal.wait_for_text("$ ");
    terminal.hang_up();
    // dash ends by SIGHUP, other shells by themselves.
    let exit = terminal.wait_exit();
    assert!(matches!(exit, Exit::Signal(1) | Exit::Code(129)), "{exit:?}");
}

#[test]
fn a_signal_reaches_the_program() {
    let mut terminal = Launch::new("/bin/sleep").args(["1000"]).start();
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.wait_exit(), Exit::Signal(15));
}

#[test]
fn survivors_are_found_by_their_mark_and_a_home_ends_them() {
    let marker = Marker::new();
    let leave = format!("setsid sh -c 'trap \"\" TERM HUP; sleep {marker}; :' & sleep {marker} & wait");
    let mut terminal = Launch::new("/bin/sh").args(["-c".to_owned(), leave]).start();
    terminal.wait_alive(&marker, 2);
    drop(terminal);
    wait_gone(&marker, DEADLINE);
}

#[test]
fn a_marker_ends_what_has_shed_its_environment() {
    let marker = Marker::new();
    let leave = format!("setsid env -i sleep {marker} & wait");
    let mut terminal = Launch::new("/bin/sh").args(["-c".to_owned(), leave]).start();
    terminal.wait_alive(&marker, 1);
    drop(terminal);
    assert!(!survivors(&marker).is_empty(), "the sleeper has left the home");
    let name = marker.to_string();
    drop(marker);
    let left = Process::all().into_iter().filter(|one| one.arguments.contains(&name)).count();
    assert_eq!(left, 0);
}

#[test]
fn the_processes_of_a_home_are_known_with_their_program() {
    let mut terminal = Launch::new("/bin/sh").args(["-c", "(exec sleep 1000) & sleep 1000 & wait"]).start();
    terminal.wait_until("three processes", |terminal| terminal.home().processes().len() == 3);
    let all = terminal.home().processes();
    let shell = all.iter().find(|one| one.pid == terminal.pid()).expect("the shell is among them");
    assert!(!shell.is_zombie() && shell.executable().is_some());
    assert_eq!(all.iter().filter(|one| one.parent == shell.pid).count(), 2, "{all:#?}");
}

#[test]
fn a_wait_in_vain_shows_the_screen() {
    let mut terminal = Launch::new("/bin/sh").args(["-c", "echo only this; sleep 1000"]).start();
    terminal.wait_for_text("only this");
    terminal.set_deadline(Duration::from_millis(20));
    let wait = std::panic::AssertUnwindSafe(|| terminal.wait_for_text("something else"));
    let message = std::panic::catch_unwind(wait).expect_err("the text never comes");
    let message = message.downcast_ref::<String>().expect("a message is text");
    assert!(message.contains("something else") && message.contains("|only this"), "{message}");
}

#[test]
fn modes_that_were_given_back_are_not_left_on() {
    assert_eq!(modes_left_on(b"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[>1u\x1b[3 q\x1b[?1000;1006h"), {
        [25, 1000, 1006, 1049, 2004, 10_000, 10_001].into()
    });
    let undone = b"\x1b[?1049h\x1b[?25l\x1b[>1u\x1b[3 q\x1b[0 q\x1b[<1u\x1b[?25h\x1b[?1049l\x1b[?25h";
    assert_eq!(modes_left_on(undone), [].into());
}

#[test]
fn a_screen_in_the_middle_of_an_update_is_not_looked_at() {
    let update = r"stty -echo; printf '\033[?2026hhalf'; head -c 1 >/dev/null; printf ' whole\033[?2026l'; sleep 1000";
    let mut terminal = Launch::new("/bin/sh").args(["-c", update]).start();
    while !terminal.raw().ends_with(b"half") {
        terminal.take_in(DEADLINE);
    }
    terminal.keys("x<Enter>");
    terminal.wait_for("all of it", |screen| screen.has("half"));
    assert!(terminal.screen().has("half whole"), "{}", terminal.picture());
}

#[test]
fn quiet_is_when_nothing_was_written_for_a_while() {
    let mut terminal = Launch::new("/bin/sh").args(["-c", "echo a; echo b; sleep 1000"]).start();
    terminal.wait_for_text("b");
    terminal.wait_quiet(Duration::from_millis(50));
    assert_eq!(terminal.screen().text().trim(), "a\nb");
    assert_eq!(terminal.screen().count("a"), 1);
}

#[test]
fn a_named_home_is_called_the_same_each_time() {
    let name = format!("shtask-named-{}", std::process::id());
    let first = Home::named(&name).work();
    assert!(!first.exists(), "it vanishes with the home");
    assert_eq!(Home::named(&name).work(), first);
}
