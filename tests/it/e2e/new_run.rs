//! The new-run form of the real program: completion, earlier lines, a run like another one.

use super::product::{home, launch};

#[test]
fn lines_are_completed_and_a_run_like_another_one_is_started_with_a_change() {
    let home = home("");
    home.script("greet-from-here", "echo hello $1; exec sleep 1000");
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("no runs yet");
    terminal.keys("n./gre<Tab>");
    terminal.wait_for_text("./greet-from-here ");
    terminal.keys("world<Enter>");
    terminal.wait_for_text("hello world");
    terminal.keys("D");
    terminal.wait_for_text("Timeout");
    terminal.keys("<C-w>moon<Enter>");
    terminal.wait_for_text("hello moon");
}

#[test]
fn lines_are_kept_over_sessions() {
    let home = home("");
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("no runs yet");
    terminal.keys("necho kept for la\"\"ter<Enter>");
    terminal.wait_for_text("completed");
    let file = home.folder("state").join("shtask/new-run-history");
    terminal.wait_until("the line", |_| std::fs::read_to_string(&file).is_ok_and(|text| text.contains("kept for la")));
    terminal.keys("q");
    terminal.wait_exit();
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("? help");
    terminal.keys("n<Up>");
    terminal.wait_for_text("echo kept for la\"\"ter");
}
