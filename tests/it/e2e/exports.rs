//! Exports from the real program.

use super::product::{home, launch, one};

const LINE: &str = r#"printf '\033[31mred one\033[0m\n'; echo sec"ond"; exec sleep 1000"#;

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
