//! A server as a process of its own, which a test can kill: this very test program, started with the name of one test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Tells the child which state directory is its own; without it the child's test does nothing.
pub(super) const STATE: &str = "SHTASK_TEST_ADOPT_STATE";

/// What the child says when it has taken everything up.
pub(super) const READY: &str = "ready to be killed";

/// A server in a child process.
pub(super) struct Server {
    child: Child,
}

impl Server {
    /// Starts the child whose server is the test of this name, and waits until it is ready.
    pub(super) fn start(test: &str, state: &Path) -> Server {
        let exe = std::env::current_exe().expect("this program");
        let mut child = Command::new(exe)
            .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(STATE, state)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let ready = lines.any(|line| line.expect("a line").contains(READY));
        assert!(ready, "the server of {test} ended before it was ready: {:?}", child.wait());
        // What it says later is read by nobody, and its pipe is closed: it says nothing later.
        Server { child }
    }

    /// Kills it, and waits until it is gone.
    pub(super) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("its end");
    }
}

/// Numbers that look random and are the same each time.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
