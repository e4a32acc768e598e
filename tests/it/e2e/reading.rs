//! Reading: search, filter and copies, in the real program.

use crate::harness::{Mouse, Screen};

use super::product::{launch, one, open};

/// A run that prints 300 numbered lines, one of them long, and stays.
const LINES: &str = r#"i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "row-$i."; done; exec sleep 1000"#;

#[test]
fn a_search_finds_what_has_scrolled_off_long_ago() {
    let mut terminal = open(&one(LINES, ""));
    terminal.wait_for_text("row-300.");
    terminal.keys("/");
    terminal.keys("row-17");
    terminal.wait_for("the nearest of eleven hits", |screen| screen.has("11/11") && screen.has("row-179."));
    terminal.keys("<Enter>");
    terminal.keys("n");
    terminal.wait_for("round to the oldest", |screen| {
        screen.has("1/11") && screen.has("row-17.") && screen.has("on from the oldest hit")
    });
    terminal.keys("N");
    terminal.wait_for_text("11/11");
    terminal.keys("<Esc>");
    terminal.wait_for_text("row-300.");
    terminal.keys("[");
    terminal.wait_for_text("Esc back");
    terminal.keys("/row-179<Enter>");
    terminal.wait_for_text("row-179.");
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("1/1");
    terminal.keys("&");
    terminal.keys("9[05]\\.");
    terminal.keys("<C-r>");
    terminal.wait_for("only lines that match", |screen| {
        screen.has("row-90.") && screen.has("row-295.") && !screen.has("row-91.")
    });
    terminal.keys("<Enter>");
    terminal.keys("<Esc>");
    terminal.wait_for_text("row-179.");
    terminal.keys("G");
    terminal.wait_for("back to live", |screen| screen.has("row-300.") && screen.has("row-299."));
}

/// Four hits in a log of 1 MB, of which the view has the end: it is looked at when all is printed.
const LONG: &str = r#"
[tasks.first]
run = "echo first-of-all; exec sleep 1000"
[tasks.long]
run = "echo needle-a; seq -f %0100.0f 5000; echo needle-b >&2; seq -f %0100.0f 5000; echo needle-c; echo needle-d; touch printed; exec sleep 1000"
mode = "pipes"
"#;

#[test]
fn a_search_in_a_run_with_pipes_goes_on_in_its_whole_log() {
    let mut terminal = open(LONG);
    terminal.wait_for_text("first-of-all");
    terminal.wait_until("all is printed", |terminal| terminal.home().read("printed").is_some());
    terminal.keys("j");
    terminal.wait_for_text("needle-d");
    terminal.keys("/needle");
    terminal.wait_for_text("2/2");
    terminal.keys("<Enter>");
    terminal.keys("N");
    terminal.wait_for_text("1/2");
    terminal.keys("N");
    terminal.wait_for("the next older one in the log", |screen| {
        screen.has("log of long · line 1 of stderr") && screen.has("needle-b") && screen.has("1/1 loaded")
    });
    terminal.keys("N");
    terminal.wait_for("the first line", |screen| screen.has("1/1 loaded") && screen.has("needle-a"));
    terminal.keys("N");
    terminal.wait_for("round to the newest", |screen| {
        screen.has("needle-d") && screen.has("2/2 loaded") && screen.has("on from the newest hit")
    });
    terminal.keys("<Esc>");
    terminal.wait_for("the run itself", |screen| !screen.has("log of long") && screen.has("needle-d"));
    // What is not in sight at all is gone to at once.
    terminal.keys("/needle-a<Enter>");
    terminal.wait_for("its place", |screen| screen.has("log of long · line 1 of stdout") && screen.has("1/1 loaded"));
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("log of long");
    terminal.keys("/haystack<Enter>");
    terminal.wait_for_text("haystack is not in the output");
}

/// A log of 5 MB that has the word in its middle.
const MIDDLE: &str = r#"
[tasks.first]
run = "echo first-of-all; exec sleep 1000"
[tasks.long]
run = "seq -f row-%08.0f 200000; echo the-needle; seq -f row-%08.0f 200000; touch printed; exec sleep 1000"
mode = "pipes"
"#;

#[test]
fn a_hit_in_the_middle_of_a_long_log_is_shown_and_stays() {
    let mut terminal = open(MIDDLE);
    terminal.wait_for_text("first-of-all");
    terminal.wait_until("all is printed", |terminal| terminal.home().read("printed").is_some());
    terminal.keys("j");
    terminal.wait_for_text("row-00200000");
    terminal.keys("/needle<Enter>");
    let is_there =
        |screen: Screen<'_>| screen.has("the-needle") && screen.has("row-00199999") && screen.has("row-00000002");
    terminal.wait_for("the hit, when as much as is read by itself was looked at", |screen| {
        is_there(screen) && screen.has("line 200001 of stdout") && screen.has("1/1 loaded")
    });
    // What is below comes when it is looked at, and the hit is left only then.
    terminal.wait_until("what follows the first part", |terminal| {
        terminal.keys("<PgDn>");
        terminal.screen().has("row-00002")
    });
    terminal.keys("G");
    terminal.wait_for("the end of the log", |screen| screen.has("row-00200000") && screen.has("follows"));
    terminal.keys("n");
    terminal.wait_for("the only hit again", |screen| is_there(screen) && screen.has("on from the oldest hit"));
    terminal.keys("<Esc>");
    terminal.wait_for("the run itself", |screen| !screen.has("log of long") && screen.has("row-00200000"));
}

/// A program that keeps what it is given in the home folder.
fn with_clipboard(task: &str) -> (String, String) {
    (one(task, ""), "[tui]\nclipboard = ['sh', '-c', 'cat > \"copied.part\"; mv \"copied.part\" \"copied\"']\n".into())
}

#[test]
fn a_selection_by_keys_and_one_by_mouse_reach_the_clipboard_program() {
    let (config, own) = with_clipboard(r#"printf 'first line\nsecond line\n'; exec sleep 1000"#);
    let home = super::product::home(&config);
    std::fs::create_dir_all(home.folder("config").join("shtask")).expect("a folder");
    std::fs::write(home.folder("config").join("shtask/config.toml"), own).expect("a file");
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("second line");
    terminal.keys("[");
    terminal.keys("k");
    terminal.keys("vV");
    terminal.wait_for_text("select lines");
    terminal.keys("g");
    terminal.keys("y");
    terminal.wait_for_text("copied ");
    terminal.wait_until("the program has it", |terminal| {
        terminal.home().read("copied").is_some_and(|text| text.starts_with("first line\nsecond line"))
    });
    terminal.keys("<Esc>");
    terminal.keys("<Esc>");
    let (col, row) = terminal.screen().find("second line").expect("it is shown");
    terminal.mouse(Mouse::Press, col, row);
    terminal.mouse(Mouse::Drag, col + 5, row);
    terminal.mouse(Mouse::Release, col + 5, row);
    terminal.wait_for_text("copied 1 line, 6 characters");
    terminal.wait_until("the program has it", |terminal| terminal.home().read("copied").as_deref() == Some("second"));
}
