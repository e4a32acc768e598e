//! One picture of any program.

use std::path::Path;
use std::time::Duration;

use crate::harness::Launch;
use crate::svg;

/// Starts `program` in a terminal of `size` (`COLSxROWS`), waits until it is quiet, and draws the screen into `out`.
///
/// # Errors
///
/// A size that is none, and a file that cannot be written.
pub(crate) fn make(size: &str, out: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    /// So long without output counts as quiet.
    const QUIET: Duration = Duration::from_millis(300);
    let numbers = size.split_once('x').and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    let (cols, rows) = numbers.ok_or_else(|| format!("{size:?} is no size such as 100x30"))?;
    let mut terminal = Launch::new(program).args(arguments.iter().copied()).size(cols, rows).start();
    terminal.wait_quiet(QUIET);
    let drawing = svg::draw(terminal.screen(), program);
    std::fs::write(out, drawing).map_err(|error| format!("cannot write {}: {error}", out.display()))
}
