//! The program under test with a configuration made for one test.

use std::sync::Arc;

use crate::harness::{Home, Launch, Terminal};

/// The program.
pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_shtask");

/// Makes a home with this `shtask.toml`.
pub(super) fn home(config: &str) -> Arc<Home> {
    let home = Arc::new(Home::new());
    home.write("shtask.toml", config);
    home
}

/// The start of the program in a home, in a terminal of 100×30.
pub(super) fn launch(home: &Arc<Home>) -> Launch {
    Launch::in_home(home, PROGRAM).args(["--embedded", "--config", "shtask.toml"]).size(100, 30)
}

/// Opens the program with this configuration in a terminal of 100×30.
pub(super) fn open(config: &str) -> Terminal {
    launch(&home(config)).start()
}

/// A configuration of one task called `task` with this shell line and further lines.
///
/// The line is put between three single quotes, so it may have any quotes but those.
pub(super) fn one(line: &str, more: &str) -> String {
    format!("[tasks.task]\nrun = '''{line}'''\n{more}\n")
}
