//! Programs that a test needs and a machine may not have.

use std::path::Path;

/// Whether `program` is on the search path. A test that gets `false` returns; the reason is printed.
///
/// # Panics
///
/// When it is missing and the variable `CI` is `true`: there every test must run.
pub(crate) fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file());
    if !found {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{program} is missing, and CI must run every test");
        eprintln!("skipped: {program} is not installed");
    }
    found
}
