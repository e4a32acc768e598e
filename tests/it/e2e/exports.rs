//! The log of a run in the user's pager and editor, and exports, from the real program.

use std::sync::Arc;

use crate::harness::{Home, Terminal};

use super::product::{PROGRAM, home, launch, one};

const LINE: &str = r#"printf '\033[31mred one\033[0m\n'; echo sec"ond"; exec sleep 1000"#;

/// Files of the folder for temporary ones that are shtask's logs.
fn left(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.folder("tmp")).expect("the folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".log")).collect()
}

fn show_in_pager(home: &Arc<Home>, mut terminal: Terminal) {
    terminal.wait_for_text("second");
    terminal.keys("L");
    terminal.wait_for("less with the text", |screen| screen.has("red one") && screen.has("(END)"));
    assert!(!terminal.screen().has("ESC["), "no control sequences\n{}", terminal.picture());
    assert_eq!(left(home).len(), 1);
    terminal.keys("q");
    terminal.wait_for_text("? help");
    assert_eq!(left(home).len(), 0, "the file is removed");
    terminal.keys("z");
    terminal.wait_for("its keys work again", |screen| !screen.has("shtask ·"));
}

#[test]
fn the_log_opens_in_the_pager_and_shtask_comes_back() {
    let home = home(&one(LINE, ""));
    let terminal = launch(&home).env("PAGER", "less").start();
    show_in_pager(&home, terminal);
}

#[test]
fn the_log_opens_in_the_pager_over_a_server() {
    let home = home(&one(LINE, ""));
    let start = crate::harness::Launch::in_home(&home, PROGRAM).args(["--config", "shtask.toml"]);
    let terminal = start.size(100, 30).env("PAGER", "less").start();
    show_in_pager(&home, terminal);
}

#[test]
fn the_editor_gets_the_text_and_a_missing_one_is_told() {
    let home = home(&one(LINE, ""));
    home.script("edit", "cp \"$1\" seen; stat -c %a \"$1\" > mode");
    let mut terminal = launch(&home).env("VISUAL", "./edit").start();
    terminal.wait_for_text("second");
    terminal.keys("E");
    terminal.wait_until("the text", |terminal| {
        terminal.home().read("seen").is_some_and(|text| text.contains("red one\nsecond"))
            && terminal.home().read("mode").as_deref() == Some("600\n")
    });
    drop(terminal);
    let mut terminal = launch(&home).env("PAGER", "no-such-pager").start();
    terminal.wait_for_text("second");
    terminal.keys("L");
    terminal.wait_for_text("no-such-pager was not found");
}

#[test]
fn an_interrupt_is_for_the_editor_that_has_the_terminal() {
    let home = home(&one(LINE, ""));
    home.script("edit", "trap 'echo int > got' INT; echo editor is the\"re\"; while [ ! -e got ]; do sleep 0.01; done");
    let mut terminal = launch(&home).env("VISUAL", "./edit").start();
    terminal.wait_for_text("second");
    terminal.keys("E");
    terminal.wait_for_text("editor is there");
    terminal.keys("<C-c>");
    terminal.wait_for("shtask is there again", |screen| screen.has("? help") && screen.has("running"));
    assert_eq!(home.read("got").as_deref(), Some("int\n"));
}

#[test]
fn a_run_is_exported_into_a_file_that_is_told() {
    let home = home(&one(LINE, ""));
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("second");
    terminal.keys("o");
    terminal.wait_for_text("a picture of the last screen");
    terminal.keys("<Enter>");
    terminal.wait_for_text("task.txt");
    assert!(home.read("task.txt").is_some_and(|text| text.contains("red one\nsecond")), "{:?}", home.read("task.txt"));
    terminal.keys("oj<Enter>");
    terminal.wait_for_text("task.svg");
    assert!(home.read("task.svg").is_some_and(|text| text.contains("<svg")));
}
