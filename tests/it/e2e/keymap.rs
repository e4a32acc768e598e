//! Keys of the user's own, in the real program.

use std::sync::Arc;

use crate::harness::{Exit, Home, Mouse};

use super::product::{home, launch, one};

/// A home with this as the user's own file, and a run that waits.
fn own(config: &str) -> Arc<Home> {
    let home = home(&one(r#"echo rea"dy"; exec sleep 1000"#, ""));
    let folder = home.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), config).expect("a file");
    home
}

#[test]
fn keys_of_the_users_file_are_in_force_and_can_be_clicked() {
    let mut terminal = launch(&own("[keys]\npreset = 'vim'\n[keys.list]\nstop = 'C-w x'\n")).start();
    terminal.wait_for_text("ready");
    terminal.keys("x<C-w>");
    terminal.wait_for_text("Esc gives it up");
    terminal.keys("<Esc>");
    terminal.wait_for_text("C-w x stop");
    assert!(terminal.screen().has("running"), "{}", terminal.picture());
    let (x, y) = terminal.screen().find("C-w x stop").expect("it is there");
    terminal.mouse(Mouse::Press, x + 2, y);
    terminal.wait_for_text("cancelled");
    terminal.keys("ZZ");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn a_key_with_two_meanings_is_told_at_the_start_with_its_place() {
    let home = own("[keys.list]\nstop = 'r'\n");
    let mut terminal = launch(&home).start();
    assert_eq!(terminal.wait_exit(), Exit::Code(2));
    let text = terminal.screen().text().replace('\n', "");
    assert!(text.contains("config.toml:2:8: \"r\" in [keys.list] is both `stop` and `restart`"), "{text}");
    assert!(text.contains("`restart = false`"), "{text}");
}

#[test]
fn the_palette_finds_actions_and_runs_by_a_few_letters_and_by_mouse() {
    let more = "[tasks.other]\nrun = 'echo oth\"er he\"re; exec sleep 1000'\n";
    let home = home(&(one(r#"echo rea"dy"; exec sleep 1000"#, "") + more));
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("ready");
    terminal.keys(":oth");
    terminal.wait_for_text("go to it: running");
    terminal.keys("<Enter>");
    terminal.wait_for_text("other here");
    terminal.keys("pstop");
    terminal.wait_for("what it finds", |screen| screen.has("stop the run and all") && !screen.has("zoom: give"));
    let (x, y) = terminal.screen().find("stop the run and all").expect("it is there");
    terminal.mouse(Mouse::Press, x, y);
    terminal.wait_for_text("cancelled");
}

#[test]
fn a_theme_of_the_users_file_colours_the_screen_and_no_color_wins() {
    let home = own("[theme]\nname = 'dark'\n[theme.colors]\nselected = 'bold on #102030'\n");
    let background = |terminal: &crate::harness::Terminal| {
        let (x, y) = terminal.screen().find("▌").expect("it is there");
        terminal.screen().vt().cell(y, x + 6).expect("a cell").bgcolor()
    };
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("running");
    assert_eq!(background(&terminal), vt100::Color::Rgb(0x10, 0x20, 0x30));
    drop(terminal);
    let mut terminal = launch(&home).env("NO_COLOR", "1").start();
    terminal.wait_for_text("running");
    assert_eq!(background(&terminal), vt100::Color::Default);
    drop(terminal);
    let home = own("[theme.colors]\nselectde = 'bold'\n");
    let mut terminal = launch(&home).start();
    assert_eq!(terminal.wait_exit(), Exit::Code(2));
    terminal.wait_for_text("did you mean `selected`?");
}
