//! What real programs wrote, against what a reference terminal showed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shtask::model::Size;
use shtask::screen::{render, text};

/// A recording: its bytes, its size, and the screen that a reference terminal made of it.
pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) size: Size,
    expected: String,
    /// Row and column, from 0.
    cursor: (u16, u16),
    path: PathBuf,
}

pub(super) fn all() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/screens");
    let mut found = Vec::new();
    for set in sorted(&folder) {
        for file in sorted(&set).into_iter().filter(|file| file.extension().is_some_and(|e| e == "raw")) {
            let read = |extension| fs::read_to_string(file.with_extension(extension));
            let pair = |extension| {
                let text = read(extension).expect("a file with two numbers");
                let mut numbers = text.split_whitespace().map(|n| n.parse::<u16>().expect("a number"));
                (numbers.next().expect("a number"), numbers.next().expect("another"))
            };
            let (cols, rows) = pair("size");
            found.push(Recording {
                name: file.strip_prefix(&folder).expect("inside").display().to_string(),
                bytes: fs::read(&file).expect("a recording"),
                size: Size::new(cols, rows).expect("a size"),
                expected: read("txt").expect("an expected screen"),
                cursor: pair("cursor"),
                path: file,
            });
        }
    }
    assert!(!found.is_empty(), "no recordings in {}", folder.display());
    found
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn trimmed(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[test]
fn every_recorded_program_looks_as_in_the_reference_terminal() {
    let mut failed = Vec::new();
    for recording in all() {
        let frame = render(&recording.bytes, recording.size).frame();
        let (got, want) = (trimmed(&text(&frame)), trimmed(&recording.expected));
        for (at, pair) in got.iter().zip(&want).enumerate().filter(|(_, (got, want))| got != want) {
            failed.push(format!("{} row {at}\n  got  {:?}\n  want {:?}", recording.name, pair.0, pair.1));
        }
        if got.len() != want.len() {
            failed.push(format!("{}: {} rows, not {}", recording.name, got.len(), want.len()));
        }
        let cursor = (frame.cursor.y, frame.cursor.x);
        if cursor != recording.cursor {
            failed.push(format!("{}: the cursor is at {cursor:?}, not {:?}", recording.name, recording.cursor));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_built_program_renders_every_recording_as_the_reference_terminal() {
    for recording in all() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shtask"));
        command.arg("render").arg(&recording.path).args(["--size", &recording.size.to_string()]);
        let output = command.output().expect("shtask runs");
        assert!(output.status.success(), "{}: {}", recording.name, String::from_utf8_lossy(&output.stderr));
        let shown = String::from_utf8(output.stdout).expect("text");
        assert_eq!(trimmed(&shown), trimmed(&recording.expected), "{}", recording.name);
        assert_eq!(shown.lines().count(), usize::from(recording.size.rows()), "{}: a line a row", recording.name);
    }
}
