//! The real program, a server of its own in a home of its own.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use crate::harness::{Home, Launch};

/// The program.
pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_shtask");

/// A home with a server, which ends with it.
pub(super) struct Served(pub(super) Arc<Home>);

impl Served {
    pub(super) fn new() -> Served {
        Served(Arc::new(Home::new()))
    }

    /// A verb that is about to be started.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).env_clear().envs(self.0.environment()).current_dir(self.0.work()).stdin(Stdio::null());
        command
    }

    /// A verb in a terminal.
    pub(super) fn launch(&self, words: &[&str]) -> Launch {
        Launch::in_home(&self.0, PROGRAM).args(words)
    }

    /// Does what a verb says.
    pub(super) fn verb(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program starts")
    }

    /// The output of a verb that must be done.
    pub(super) fn done(&self, words: &[&str]) -> String {
        let output = self.verb(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        text(&output.stdout)
    }

    /// Starts a command and returns its ref.
    pub(super) fn start(&self, words: &[&str]) -> String {
        self.done(&[&["run"], words].concat()).trim_end().to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The home ends whatever is left.
        let _ = self.command(&["server", "stop"]).output();
    }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Waits for a child; returns its exit code and what it printed.
pub(super) fn ended(mut child: Child) -> (Option<i32>, String, String) {
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().map(|mut stream| stream.read_to_string(&mut out));
    child.stderr.take().map(|mut stream| stream.read_to_string(&mut err));
    let status = child.wait().expect("an exit status");
    (status.code().or_else(|| status.signal().map(|signal| 128 + signal)), out, err)
}
