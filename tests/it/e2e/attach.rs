//! Typing into runs.

use crate::harness::{Exit, Marker, Mouse, Terminal, have, modes_left_on};

use super::product::{home, launch, one, open};

#[test]
fn a_shell_that_is_attached_to_answers() {
    let mut terminal = open("[tasks.shell]\nargv = ['/bin/sh']\n");
    terminal.wait_for_text("$ ");
    terminal.keys("<Enter>echo the answer is $((6*7))<Enter>");
    terminal.wait_for_text("the answer is 42");
}

#[test]
fn vim_in_a_run_edits_and_saves_a_file() {
    if !have("vim") {
        return;
    }
    let mut terminal = open("[tasks.editor]\nargv = ['vim', '-u', 'NONE', 'note.txt']\n");
    terminal.wait_for_text("\"note.txt\" [New");
    terminal.keys("<Enter>ifirst line<Enter>second 世界<Esc>");
    terminal.wait_for_text("second 世界");
    terminal.keys(":w<Enter>");
    terminal.wait_until("the file is saved", |terminal| {
        terminal.home().read("note.txt").as_deref() == Some("first line\nsecond 世界\n")
    });
    // Cursor keys go through in the mode that vim asked for.
    terminal.keys("<Up><Home>xx:wq<Enter>");
    terminal.wait_until("the file is saved again", |terminal| {
        terminal.home().read("note.txt").as_deref() == Some("rst line\nsecond 世界\n")
    });
    terminal.wait_for_text("completed");
}

#[test]
fn a_resize_while_output_flows_reaches_the_run_and_the_screen() {
    let line = r#"
        i=0; while [ ! -e enough ]; do i=$((i+1)); echo "row $i of a screen of $(stty size)."; done
        size=$(stty size); clear; cols=${size#* }
        while [ "$cols" -gt 0 ]; do cols=$((cols-1)); printf X; done; echo "<n"ext
        exec sleep 1000"#;
    let mut terminal = open(&one(line, ""));
    for (cols, rows) in [(90, 25), (140, 45), (60, 20), (120, 40)] {
        terminal.resize(cols, rows);
        // The flood goes on, and says the size of the pane: from its left edge to the right one.
        terminal.wait_for("a flood at the new size", |screen| {
            let Some((left, row)) = screen.find(" of a screen of ") else { return false };
            let text = screen.row(row);
            let size = text.split("screen of ").nth(1).and_then(|rest| rest.split('.').next());
            let edge = screen
                .row(row)
                .split("row ")
                .next()
                .map_or(left, |before| u16::try_from(before.chars().count()).unwrap_or(0));
            let numbers = size
                .map(|size| size.split_whitespace().filter_map(|word| word.parse::<u16>().ok()).collect::<Vec<u16>>());
            numbers.is_some_and(|numbers| {
                numbers.len() == 2 && numbers[1] + edge == cols && (rows - 4..=rows).contains(&numbers[0])
            })
        });
    }
    terminal.home().write("enough", "");
    terminal.wait_for("a row of X to the edge, and what follows it in the next row", |screen| {
        let (Some((left, row)), Some((below_left, below))) = (screen.find("XX"), screen.find("<next")) else {
            return false;
        };
        let crosses = screen.row(row).matches('X').count();
        usize::from(left) + crosses == 120 && (below_left, below) == (left, row + 1)
    });
}

#[test]
fn an_interrupt_while_attached_goes_to_the_run_and_only_once() {
    // It starts nothing while it waits: dash loses a signal that reaches it in its vfork.
    let line = r#"trap "echo hit >> hits" INT; sleep 1000 & echo rea"dy"; while :; do wait; done"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    let hits = |terminal: &crate::harness::Terminal| terminal.home().read("hits").unwrap_or_default();
    terminal.keys("<Enter><C-c>");
    terminal.wait_until("the first interrupt", |terminal| hits(terminal) == "hit\n");
    terminal.keys("<C-c>");
    terminal.wait_until("the second interrupt", |terminal| hits(terminal) == "hit\nhit\n");
    // The program lives on: the key that leaves the run and the list work.
    terminal.keys("<C-a>?");
    terminal.wait_for_text("select the next run");
    assert_eq!(hits(&terminal), "hit\nhit\n");
}

#[test]
fn an_interrupt_while_the_run_ends_does_not_end_the_program() {
    let line = r#"trap 'echo go"ing"; sleep 0.5; exit 3' TERM HUP; echo rea"dy"; while :; do sleep 0.01; done"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("x");
    terminal.wait_for_text("going");
    terminal.keys("<Enter><C-c><C-c>");
    terminal.wait_for_text("cancelled");
    assert_eq!(terminal.exit(), None);
}

#[test]
fn the_attach_key_pressed_twice_reaches_the_run() {
    let mut terminal = open(&one(r#"stty raw -echo; echo rea"dy"; od -An -tx1 -N3; exec sleep 1000"#, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter><C-a><C-a>bc");
    terminal.wait_for_text("01 62 63");
}

#[test]
fn a_paste_has_a_frame_only_for_a_run_that_asked() {
    let echo = r#"stty raw -echo; printf "$ASK"; echo rea"dy"; exec cat -vt"#;
    let mut terminal = open(&one(echo, "env = { ASK = '' }"));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.paste("one\ntwo;");
    terminal.wait_for_text("one^Mtwo;");
    assert!(!terminal.screen().has("200~"), "{}", terminal.picture());

    let mut terminal = open(&one(echo, r"env = { ASK = '\033[?2004h' }"));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.paste("one\ntwo;");
    terminal.wait_for_text("^[[200~one^Mtwo;^[[201~");
}

#[test]
fn a_large_paste_arrives_whole() {
    let count = r#"stty raw -echo; echo rea"dy"; head -c 200000 | sha1sum; exec sleep 1000"#;
    let mut terminal = open(&one(count, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.paste(&"0123456789".repeat(20_000));
    // sha1sum of the same bytes.
    terminal.wait_for_text("419d0b2d548e586507293045e21a524a4b3ec225");
}

/// A paste that the terminal does not frame, for instance.
#[test]
fn thousands_of_keys_at_once_arrive_whole() {
    let read = r#"stty raw -echo; echo rea"dy"; head -c 5001 > typed; echo al"l"; exec sleep 1000"#;
    let mut terminal = open(&one(read, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    let burst: String = (0..1000).map(|number| format!("{number:04};")).collect();
    terminal.send(format!("{burst}\r").as_bytes());
    terminal.wait_for_text("all");
    assert!(terminal.home().read("typed") == Some(format!("{burst}\r")));
}

#[test]
fn a_large_paste_into_a_program_that_prints_it_arrives_whole() {
    let read = r#"stty raw -echo; echo rea"dy"; head -c 3145728 | tee typed; echo al"l"; exec sleep 1000"#;
    let mut terminal = open(&one(read, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    let text: String = (0..393_216).map(|number| format!("{number:07};")).collect();
    terminal.paste(&text);
    terminal.wait_for_text("all");
    assert!(terminal.home().read("typed") == Some(text));
}

#[test]
fn the_mouse_reaches_a_run_that_asks_with_the_place_in_its_own_pane() {
    let line = r#"stty raw -echo; printf "\033[?1002h\033[?1006h"; echo rea"dy"; exec cat -vt"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    let (left, top) = terminal.screen().find("ready").expect("it is there");
    terminal.mouse(Mouse::Press, left + 4, top + 2);
    terminal.mouse(Mouse::Drag, left + 5, top + 3);
    terminal.mouse(Mouse::Release, left + 5, top + 3);
    terminal.wait_for_text("^[[<0;5;3M^[[<32;6;4M^[[<0;6;4m");
}

#[test]
fn wide_characters_stand_where_the_run_put_them() {
    let line = r#"printf "世%s|\nab한%s|\ne\314\201x|\n" 界 글; exec sleep 1000"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("世界|");
    terminal.wait_for_text("ab한글|");
    let screen = terminal.screen();
    let (left, top) = screen.find("世界|").expect("it is there");
    assert_eq!(screen.part(top, left + 4, left + 5), "|");
    assert_eq!(screen.part(top + 1, left + 6, left + 7), "|");
    assert_eq!(screen.part(top + 2, left + 2, left + 3), "|");
    assert_eq!(screen.vt().cell(top + 2, left).map(vt100::Cell::contents), Some("e\u{301}"));
}

#[test]
fn colours_and_attributes_of_a_run_are_shown() {
    let line = r#"printf "\033[1;31mRED\033[0;3;48;5;27mBACK\033[0;4;38;2;1;2;3mRGB\033[0m\n"; exec sleep 1000"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("REDBACKRGB");
    let screen = terminal.screen();
    let (left, row) = screen.find("REDBACKRGB").expect("it is there");
    let cell = |offset| screen.vt().cell(row, left + offset).expect("it is on the screen");
    assert_eq!((cell(0).fgcolor(), cell(0).bold()), (vt100::Color::Idx(1), true));
    assert_eq!((cell(3).bgcolor(), cell(3).italic()), (vt100::Color::Idx(27), true));
    assert_eq!((cell(7).fgcolor(), cell(7).underline()), (vt100::Color::Rgb(1, 2, 3), true));
}

#[test]
fn the_cursor_of_an_attached_run_is_the_terminals_own() {
    let line = r#"stty raw -echo; printf "\033[5 qab%s" c; head -c 1 >/dev/null; printf "\033[?25l"; exec sleep 1000"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("abc");
    terminal.keys("<Enter>");
    terminal.wait_for("a visible bar behind abc", |screen| {
        let Some((left, row)) = screen.find("abc") else { return false };
        let bar = screen.vt().cursor_style() == vt100::CursorStyle::BlinkVerticalBar;
        screen.cursor_visible() && screen.cursor() == (left + 3, row) && bar
    });
    terminal.keys("x");
    terminal.wait_for("a hidden cursor", |screen| !screen.cursor_visible());
}

#[test]
fn a_new_run_is_started_from_the_prompt_and_ends_with_its_tree() {
    let marker = Marker::new();
    let mut terminal = open("");
    terminal.wait_for_text("no runs yet");
    terminal.keys("n");
    terminal.keys(&format!("echo started by h\"and\"; sleep {marker} & wait<Enter>"));
    terminal.wait_for_text("started by hand");
    terminal.wait_alive(&marker, 1);
    terminal.keys("x");
    terminal.wait_gone(&marker);
    terminal.wait_for_text("cancelled");
}

#[test]
fn two_runs_are_typed_into_in_turn() {
    let cat = r#"stty -echo; echo rea"dy"; while read line; do echo "$NAME has $line"; done"#;
    let config = format!(
        "[tasks.first]\nrun = '''{cat}'''\nenv = {{ NAME = 'first' }}\n\
         [tasks.second]\nrun = '''{cat}'''\nenv = {{ NAME = 'second' }}\n"
    );
    let home = home(&config);
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>apples<Enter>");
    terminal.wait_for_text("first has apples");
    terminal.keys("<C-a>j");
    terminal.wait_for_no_text("first has apples");
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>pears<Enter>");
    terminal.wait_for_text("second has pears");
    terminal.keys("<C-a>k");
    terminal.wait_for_text("first has apples");
}

/// Whether the program has written these bytes to its terminal.
fn said(terminal: &Terminal, bytes: &[u8]) -> bool {
    terminal.raw().windows(bytes.len()).any(|part| part == bytes)
}

/// S4.3: Shift+Enter, Ctrl+I and Enter, Tab are different keys to a program that asked for it, when the user's terminal tells them apart.
#[test]
fn a_run_that_asks_for_the_kitty_keyboard_gets_it_from_a_terminal_that_has_it() {
    let line = r#"stty raw -echo; printf '\033[>1urea%s' dy; exec cat -vt"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    assert!(!said(&terminal, b"\x1b[?u") && !said(&terminal, b"\x1b[>5u"), "nobody is attached yet");
    terminal.keys("<Enter>");
    terminal.wait_until("the question", |terminal| said(terminal, b"\x1b[?u"));
    assert!(!said(&terminal, b"\x1b[>5u"), "not before the answer");
    terminal.send(b"\x1b[?0u");
    terminal.wait_until("the flags", |terminal| said(terminal, b"\x1b[>5u"));
    terminal.send(b"\x1b[13;2u\x1b[105;5u\t\x1b[27u\x1b[97;6u");
    terminal.wait_for_text("^[[13;2u^[[105;5u^I^[[27u^[[97;6u");
    // The attach key in its new form, with Num Lock.
    terminal.send(b"\x1b[97;133u");
    terminal.wait_until("the flags are taken back", |terminal| said(terminal, b"\x1b[<u"));
    assert!(modes_left_on(terminal.raw()).iter().all(|mode| *mode != 10_001));
    terminal.keys("<Enter>");
    terminal.wait_until("the flags again", |terminal| modes_left_on(terminal.raw()).contains(&10_001));
    let asked = terminal.raw().windows(4).filter(|part| part == b"\x1b[?u").count();
    assert_eq!(asked, 1, "the answer is remembered");
    // However it ends.
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    assert_eq!(modes_left_on(terminal.raw()), [].into(), "{}", terminal.picture());
}

#[test]
fn a_terminal_without_the_kitty_keyboard_is_asked_once_and_gets_no_flags() {
    let line = r#"stty raw -echo; printf '\033[>1urea%s' dy; exec cat -vt"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.wait_until("the question", |terminal| said(terminal, b"\x1b[?u"));
    terminal.send(b"\r\tx");
    terminal.wait_for_text("^M^Ix");
    terminal.keys("<C-a>");
    terminal.keys("qy");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(!said(&terminal, b"\x1b[>5u") && !said(&terminal, b"\x1b[<u"));
}
