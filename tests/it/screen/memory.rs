//! What screens cost (issue: 10,000 lines of 200 columns below 12 MiB, an idle 80×24 below 300 KiB).

use std::fs;
use std::process::Command;

use shtask::model::Size;
use shtask::screen::Screen;

/// Returns the memory of this process that no file is behind, in bytes: what a file is behind is its own or shared with whoever runs it, too.
fn anonymous() -> usize {
    let text = fs::read_to_string("/proc/self/smaps_rollup").expect("the kernel tells");
    let line = text.lines().find(|line| line.starts_with("Anonymous:")).expect("a line");
    line.split_whitespace().nth(1).expect("a number").parse::<usize>().expect("a number") * 1024
}

/// Lines that fill 200 columns, in colours, as a build writes them.
fn lines(count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * 260);
    for number in 0..count {
        let start = format!("\x1b[2m{number:08}\x1b[0m \x1b[32mok\x1b[0m ");
        bytes.extend_from_slice(start.as_bytes());
        bytes.extend(b"compiling another crate of the tree; ".iter().cycle().take(200 - 12));
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Runs `measure` in a process where nothing else goes on: this one again, with only the test that is called `name`.
fn alone(name: &str, measure: impl Fn()) {
    const MARK: &str = "SHTASK_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        measure();
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let name = format!("screen::memory::{name}");
    let output = Command::new(program).args(["--exact", &name]).env(MARK, "1").output().expect("it runs again");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Makes many screens, so that one costs much more than what the rest of the process does meanwhile.
fn cost_of_one(count: usize, make: impl Fn() -> Screen) -> usize {
    let warm = make();
    let before = anonymous();
    let screens: Vec<Screen> = (0..count).map(|_| make()).collect();
    let after = anonymous();
    drop((warm, screens));
    after.saturating_sub(before) / count
}

#[test]
fn ten_thousand_lines_of_200_columns_take_less_than_12_mib() {
    alone("ten_thousand_lines_of_200_columns_take_less_than_12_mib", || {
        let bytes = lines(10_050);
        let cost = cost_of_one(4, || {
            let mut screen = Screen::new(Size::clamped(200, 50), 10_000);
            bytes.chunks(4096).for_each(|chunk| screen.admit(chunk));
            assert!(screen.history().rows() >= 9_999, "all lines are kept: {:?}", screen.history());
            screen
        });
        assert!(cost < 12 * 1024 * 1024, "a screen takes {cost} bytes");
        assert!(cost > 1024 * 1024, "that much text takes memory: {cost} bytes were seen");
    });
}

#[test]
fn an_idle_screen_of_80_by_24_takes_less_than_300_kib() {
    alone("an_idle_screen_of_80_by_24_takes_less_than_300_kib", || {
        let cost = cost_of_one(100, || {
            let mut screen = Screen::new(Size::DEFAULT, 10_000);
            screen.admit("$ ls -l --color\r\n".repeat(24).as_bytes());
            screen.frame();
            screen
        });
        assert!(cost < 300 * 1024, "a screen takes {cost} bytes");
        assert!(cost > 10 * 1024, "cells take memory: {cost} bytes were seen");
    });
}

#[test]
fn a_screen_at_rest_takes_less_than_8_kib() {
    alone("a_screen_at_rest_takes_less_than_8_kib", || {
        let cost = cost_of_one(200, || {
            let mut screen = Screen::new(Size::DEFAULT, 10_000);
            screen.admit("$ ls -l --color\r\n".repeat(23).as_bytes());
            screen.frame();
            assert!(screen.rest() > 60_000);
            screen
        });
        assert!(cost < 8 * 1024, "a screen takes {cost} bytes");
    });
}
