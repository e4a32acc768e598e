//! Which output of live runs was looked at, kept in the state directory: whoever opens the interface again finds marks on what is new only.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::history::write;
use crate::model::RunId;
use crate::settings::Settings;
use crate::tui::Seen;

const NAME: &str = "seen-output";

/// The most runs that are kept, those that were live last.
const MAX_RUNS: usize = 1000;
/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// Finds the file of a configuration; none when there is no place for it.
pub(super) fn path(settings: &Settings) -> Option<PathBuf> {
    Some(settings.directories.state.as_ref()?.join(NAME))
}

/// Reads what was seen. What cannot be read was not.
pub(super) fn read(path: &Path) -> HashMap<RunId, Seen> {
    lines(path).iter().filter_map(|line| entry(line)).collect()
}

/// Adds what was seen of runs. That it cannot be written is told in the log: marks are a help and no more.
pub(super) fn keep(path: &Path, runs: &[(RunId, Seen)]) {
    let mut lines = lines(path);
    lines.retain(|line| entry(line).is_some_and(|(known, _)| runs.iter().all(|(run, _)| *run != known)));
    lines.extend(runs.iter().map(|(run, seen)| format!("{run} {} {}", seen.output, seen.bells)));
    let first = lines.len().saturating_sub(MAX_RUNS);
    if let Err(error) = write(path, &(lines[first..].join("\n") + "\n")) {
        tracing::warn!(%error, path = %path.display(), "what was seen of runs was not written");
    }
}

fn lines(path: &Path) -> Vec<String> {
    let is_small = fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
    let text = if is_small { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    text.lines().map(String::from).collect()
}

fn entry(line: &str) -> Option<(RunId, Seen)> {
    let mut words = line.split(' ');
    let run = words.next()?.parse().ok()?;
    let (output, bells) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some((run, Seen { output, bells }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_kept_for_each_run_and_bounded() {
        let folder = tempfile::tempdir().expect("tempdir");
        let path = folder.path().join(NAME);
        let run = |n: usize| RunId::from_bits([(n / 256) as u8, (n % 256) as u8, 0, 0, 0, 0, 0, 0, 0, 0]);
        let seen = |output| Seen { output, bells: 1 };
        assert!(read(&path).is_empty());
        keep(&path, &[(run(1), seen(5)), (run(2), seen(6))]);
        keep(&path, &[(run(1), seen(9))]);
        assert_eq!(read(&path), HashMap::from([(run(1), seen(9)), (run(2), seen(6))]));
        let many: Vec<_> = (10..MAX_RUNS + 20).map(|n| (run(n), seen(1))).collect();
        keep(&path, &many);
        let kept = read(&path);
        assert_eq!(
            (kept.len(), kept.contains_key(&run(1)), kept.contains_key(&run(MAX_RUNS))),
            (MAX_RUNS, false, true)
        );
        fs::write(&path, "no id\nand more\n").expect("written");
        assert!(read(&path).is_empty());
    }
}
