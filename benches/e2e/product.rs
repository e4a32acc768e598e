//! The real program with a configuration made for one measure.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Home, Launch, Terminal};

/// The program under measure, built as a release.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_shtask");

/// The size of the terminal around it.
pub(crate) const SIZE: (u16, u16) = (120, 30);

/// A task of a configuration.
pub(crate) struct Task {
    /// Its name.
    pub(crate) name: String,
    /// `pty` or `pipes`.
    pub(crate) mode: &'static str,
    /// Its shell line.
    pub(crate) line: String,
}

impl Task {
    /// A task in a terminal.
    pub(crate) fn pty(name: &str, line: &str) -> Task {
        Task { name: name.to_owned(), mode: "pty", line: line.to_owned() }
    }

    /// A task with pipes.
    pub(crate) fn pipes(name: &str, line: &str) -> Task {
        Task { name: name.to_owned(), mode: "pipes", line: line.to_owned() }
    }
}

/// Makes a task of a name and a shell line.
pub(crate) type MakeTask = fn(&str, &str) -> Task;

/// Writes `shtask.toml` with these tasks, all started at once, into the home.
pub(crate) fn configure(home: &Home, tasks: &[Task]) {
    configure_with(home, "", tasks);
}

/// The same, with other tables of the configuration before the tasks.
pub(crate) fn configure_with(home: &Home, head: &str, tasks: &[Task]) {
    let mut text = format!("[limits]\nruns = 1000\npty_runs = 1000\n{head}");
    for Task { name, mode, line } in tasks {
        assert!(!line.contains('\''), "the line stands between single quotes");
        text.push_str(&format!("\n[tasks.{name}]\nmode = \"{mode}\"\nautostart = true\nrun = '{line}'\n"));
    }
    home.write("shtask.toml", text);
}

/// Starts the program in a home that has a configuration.
pub(crate) fn open(home: &Arc<Home>) -> Terminal {
    let mut terminal = launch(home).start();
    terminal.set_deadline(Duration::from_secs(120));
    terminal
}

/// Starts it as the client of a server, which it starts, too.
pub(crate) fn open_on_a_server(home: &Arc<Home>) -> Terminal {
    let launch = Launch::in_home(home, PROGRAM).args(["--config", "shtask.toml"]).size(SIZE.0, SIZE.1);
    let mut terminal = launch.start();
    terminal.set_deadline(Duration::from_secs(120));
    terminal
}

/// Ends the server of a home, with all its runs.
pub(crate) fn stop_server(home: &Home) {
    let mut stop = std::process::Command::new(PROGRAM);
    let stopped = stop.args(["server", "stop"]).envs(home.environment()).current_dir(home.work()).output();
    assert!(stopped.is_ok_and(|output| output.status.success()), "the server can be stopped");
}

/// The start of the program in a home that has a configuration, not done yet.
pub(crate) fn launch(home: &Arc<Home>) -> Launch {
    Launch::in_home(home, PROGRAM).args(["--embedded", "--config", "shtask.toml"]).size(SIZE.0, SIZE.1)
}

/// A gate in a shell line: `mkfifo NAME; …; read x < NAME` waits until [`open_gate`].
pub(crate) fn open_gate(home: &Home, name: &str) {
    std::fs::write(home.work().join(Path::new(name)), "\n").expect("a pipe that is read can be written");
}
