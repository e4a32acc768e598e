//! Looking at runs: inspect, help, scrollback, zoom, small terminals.

use crate::harness::{Marker, Mouse, Screen, survivors};

use super::product::{home, launch, one, open};

/// A run that prints 300 numbered lines and stays.
const LINES: &str = r#"i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "row-$i."; done; exec sleep 1000"#;

/// The numbers of the rows on the screen, in their order.
fn numbers(screen: Screen<'_>) -> Vec<u32> {
    let text = screen.text();
    text.split("row-").skip(1).filter_map(|rest| rest.split('.').next()?.parse().ok()).collect()
}

#[test]
fn the_scrollback_is_walked_by_keys() {
    let mut terminal = open(&one(LINES, ""));
    terminal.wait_for_text("row-300.");
    terminal.keys("<PgUp>");
    terminal.wait_for("older rows", |screen| !screen.has("row-300.") && screen.has("row-260."));
    terminal.keys("g");
    // A whole page: rows that have to be fetched may come a moment later than the first.
    let page = |screen: Screen<'_>, first| numbers(screen).iter().copied().eq(first..first + 28);
    terminal.wait_for("the oldest page", |screen| page(screen, 1));
    terminal.keys("j");
    terminal.wait_for("a row further", |screen| page(screen, 2));
    terminal.keys("G");
    terminal.wait_for_text("row-300.");
}

#[test]
fn the_wheel_scrolls_and_scrolling_stays_put_while_output_flows() {
    let more = "while :; do n=$((n+1)); echo more $n; echo $n > count; sleep 0.01; done";
    let mut terminal = open(&one(&LINES.replace("exec sleep 1000", more), ""));
    terminal.wait_for_text("more 1");
    let (left, top) = terminal.screen().find("more").expect("it is there");
    terminal.wait_until("rows of the start", |terminal| {
        terminal.mouse(Mouse::WheelUp, left, top);
        terminal.take_in(std::time::Duration::from_millis(20));
        numbers(terminal.screen()).first().is_some_and(|first| *first <= 150)
    });
    // What the last turns of the wheel asked for has been done when a key after them has.
    terminal.keys("?");
    terminal.wait_for_text("a row up");
    terminal.keys("?");
    terminal.wait_for_no_text("a row up");
    let seen = numbers(terminal.screen());
    assert!(seen.len() > 20 && seen.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seen:?}");
    let count = |terminal: &crate::harness::Terminal| -> u32 {
        terminal.home().read("count").and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    };
    let before = count(&terminal);
    terminal.wait_until("more output", |terminal| count(terminal) > before + 30);
    assert_eq!(numbers(terminal.screen()), seen, "what is looked at stands still");
}

#[test]
fn inspect_shows_what_is_known_of_a_run() {
    let marker = Marker::new();
    let mut terminal = open(&one(&format!("sleep {marker} & sleep {marker} & wait"), "timeout = '1h'"));
    terminal.wait_alive(&marker, 2);
    terminal.keys("i");
    let tree: Vec<String> = survivors(&marker).iter().map(|one| one.pid.to_string()).collect();
    assert_eq!(tree.len(), 3, "a shell and its two children");
    terminal.wait_for("the record, each process of the tree, and the deadline", |screen| {
        let command = format!("sleep {marker} & sleep {marker} & wait");
        let deadline = screen.has("1h00m left") || screen.has("59m");
        tree.iter().all(|pid| screen.has(pid)) && screen.has(&command) && screen.has("running") && deadline
    });
    terminal.keys("<Esc>");
    terminal.wait_for_no_text(&format!("sleep {marker} & sleep"));
}

#[test]
fn help_shows_every_key_and_goes_away() {
    let mut terminal = open(&one("exec sleep 1000", ""));
    terminal.wait_for_text("running");
    terminal.keys("?");
    terminal.wait_for_text("select the next run");
    terminal.wait_for_text("attach: type into the run's terminal");
    terminal.keys("?");
    terminal.wait_for_no_text("select the next run");
}

#[test]
fn zoom_gives_a_run_the_whole_width_and_its_size_follows() {
    let line = r#"trap 'stty size > size' WINCH; stty size > size; echo rea"dy"; while :; do sleep 0.01; done"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    let cols = |terminal: &crate::harness::Terminal| -> Option<u16> {
        terminal.home().read("size")?.split_whitespace().nth(1)?.parse().ok()
    };
    let narrow = cols(&terminal).expect("a size");
    assert!((20..95).contains(&narrow), "{narrow}");
    terminal.keys("z");
    terminal.wait_until("the whole width", |terminal| cols(terminal).is_some_and(|cols| (98..=100).contains(&cols)));
    terminal.keys("z");
    terminal.wait_until("the width as before", |terminal| cols(terminal) == Some(narrow));
}

#[test]
fn a_small_terminal_and_a_tiny_one_are_borne() {
    let home = home(&one(r#"echo rea"dy"; exec sleep 1000"#, ""));
    let mut terminal = launch(&home).size(40, 12).start();
    terminal.wait_for_text("task");
    for (cols, rows) in [(20, 5), (2, 1), (1, 1), (300, 100), (100, 30)] {
        terminal.resize(cols, rows);
        terminal.keys("jk");
    }
    terminal.wait_for_text("ready");
    assert_eq!(terminal.exit(), None);
}

#[test]
fn a_click_selects_a_run() {
    let config = "[tasks.first]\nrun = 'echo of the fi\"rst\"; exec sleep 1000'\n\
                  [tasks.second]\nrun = 'echo of the sec\"ond\"; exec sleep 1000'\n";
    let mut terminal = open(config);
    terminal.wait_for_text("of the first");
    let (col, row) = terminal.screen().find("second").expect("it is in the list");
    terminal.mouse(Mouse::Press, col, row);
    terminal.mouse(Mouse::Release, col, row);
    terminal.wait_for_text("of the second");
}

#[test]
fn an_idle_program_draws_nothing() {
    let mut terminal = open(&one(r#"echo rea"dy"; exec sleep 1000"#, ""));
    terminal.wait_for_text("ready");
    terminal.wait_quiet(std::time::Duration::from_millis(1500));
}

#[test]
fn the_bottom_line_is_enough_for_the_mouse_alone() {
    let mut terminal = open(&one(r#"echo rea"dy"; exec cat"#, ""));
    terminal.wait_for_text("ready");
    let click = |terminal: &mut crate::harness::Terminal, text: &str| {
        terminal.wait_for_text(text);
        let (col, row) = terminal.screen().find(text).expect("it is there");
        terminal.mouse(Mouse::Press, col, row);
        terminal.mouse(Mouse::Release, col, row);
    };
    click(&mut terminal, "? help");
    terminal.wait_for_text("select the next run");
    click(&mut terminal, "Esc close");
    terminal.wait_for_no_text("select the next run");
    click(&mut terminal, "z zoom");
    terminal.wait_for("the list is gone", |screen| !screen.row(0).contains("shtask"));
    click(&mut terminal, "Enter attach");
    click(&mut terminal, "back to the list");
    click(&mut terminal, "q leave");
    click(&mut terminal, "y stop all");
    assert_eq!(terminal.wait_exit(), crate::harness::Exit::Code(0));
}
