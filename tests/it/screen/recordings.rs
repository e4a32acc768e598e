//! What real programs wrote, against what a reference terminal showed.

use std::fs;
use std::path::{Path, PathBuf};

use shtask::model::Size;
use shtask::screen::{render, text};

/// A recording: its bytes, its size, and the screen that a reference terminal made of it.
pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) size: Size,
    expected: String,
}

pub(super) fn all() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/screens");
    let mut found = Vec::new();
    for set in sorted(&folder) {
        for file in sorted(&set).into_iter().filter(|file| file.extension().is_some_and(|e| e == "raw")) {
            let read = |extension| fs::read_to_string(file.with_extension(extension));
            let size = read("size").map_or(Size::DEFAULT, |text| {
                let numbers: Vec<u16> = text.split_whitespace().map(|n| n.parse().expect("a number")).collect();
                Size::new(numbers[0], numbers[1]).expect("a size")
            });
            found.push(Recording {
                name: file.strip_prefix(&folder).expect("inside").display().to_string(),
                bytes: fs::read(&file).expect("a recording"),
                size,
                expected: read("txt").expect("an expected screen"),
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
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
