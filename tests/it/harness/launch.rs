//! What to start in a terminal, and how.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use portable_pty::CommandBuilder;

use super::home::Home;
use super::pty::Pty;
use super::terminal::Terminal;

/// A program about to be started in a terminal of its own, 80×24 unless said otherwise.
pub(crate) struct Launch {
    home: Arc<Home>,
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    cols: u16,
    rows: u16,
}

impl Launch {
    /// Prepares the start of `program`, a path or a name on the search path, in a new home.
    pub(crate) fn new(program: impl Into<OsString>) -> Launch {
        Launch::in_home(&Arc::new(Home::new()), program)
    }

    /// Prepares the start of `program` in a home that exists.
    pub(crate) fn in_home(home: &Arc<Home>, program: impl Into<OsString>) -> Launch {
        Launch {
            home: Arc::clone(home),
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            cols: 80,
            rows: 24,
        }
    }

    /// Adds arguments.
    pub(crate) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Launch {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Launch {
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Takes a variable away.
    pub(crate) fn unset(mut self, name: impl Into<OsString>) -> Launch {
        self.environment.push((name.into(), None));
        self
    }

    /// Gives the terminal this size.
    pub(crate) fn size(mut self, cols: u16, rows: u16) -> Launch {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    /// Starts the program.
    pub(crate) fn start(self) -> Terminal {
        let (home, cols, rows) = (Arc::clone(&self.home), self.cols, self.rows);
        Terminal::new(self.start_bare(), home, cols, rows)
    }

    /// Starts the program in a terminal without an emulator. The home must be kept by the caller.
    pub(crate) fn start_bare(self) -> Pty {
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.arguments);
        command.env_clear();
        for (name, value) in self.home.environment() {
            command.env(name, value);
        }
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove::<&OsStr>(name),
            }
        }
        command.cwd(self.home.work());
        Pty::start(command, self.cols, self.rows)
    }
}
