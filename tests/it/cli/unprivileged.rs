//! Which runs wait for somebody, where shtask is an ordinary user (S6.7): of its own programs `/proc` tells, of a program that runs as somebody
//! else it does not. Only root can play one.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::real::{PROGRAM, text};
use crate::harness::{DEADLINE, Home, have};

const NOBODY: [&str; 4] = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];

/// A home of user 65534, with a server of that user's.
struct Ordinary(Arc<Home>);

impl Ordinary {
    fn new() -> Ordinary {
        let home = Arc::new(Home::new());
        let program = home.work().join("shtask");
        std::fs::copy(PROGRAM, &program).expect("the program can be copied");
        home.give_to("65534:65534");
        // One that becomes root, as sudo does.
        let other = home.work().join("as-root");
        std::fs::copy("/usr/bin/setpriv", &other).expect("copied");
        std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o4755)).expect("setuid");
        Ordinary(home)
    }

    fn verb(&self, words: &[&str]) -> Output {
        let mut command = Command::new("setpriv");
        command.args(NOBODY).arg(self.0.work().join("shtask")).args(words);
        command.env_clear().envs(self.0.environment()).current_dir(self.0.work()).output().expect("the program starts")
    }

    fn start(&self, line: &str) -> String {
        let output = self.verb(&["run", "--pty", "--", "sh", "-c", line]);
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).trim_end().to_owned()
    }

    /// Waits until a run needs this; `Null` is nothing.
    fn until_needs(&self, run: &str, wanted: &Value) {
        let end = Instant::now() + DEADLINE;
        loop {
            let shown: Value = serde_json::from_slice(&self.verb(&["show", run, "--json"]).stdout).expect("json");
            let need = &shown["live"]["attention"]["need"];
            if need == wanted {
                return;
            }
            assert!(Instant::now() < end, "{run} needs {need} and not {wanted}: {shown}");
        }
    }
}

impl Drop for Ordinary {
    fn drop(&mut self) {
        self.verb(&["server", "stop"]);
    }
}

#[test]
fn an_ordinary_user_sees_what_waits_and_of_other_users_programs_what_their_line_says() {
    if !rustix::process::geteuid().is_root() || !have("setpriv") {
        eprintln!("left out: it takes root and setpriv, and as an ordinary user every other test of this is this one");
        return;
    }
    let ordinary = Ordinary::new();
    let reads = ordinary.start("printf 'no question'; read -r a");
    let hides = ordinary.start("stty -echo; printf secret; read -r a");
    let as_root = "exec ./as-root --reuid=0 --regid=0 --clear-groups cat";
    let asks = ordinary.start(&format!("stty -echo; printf '[sudo] password: '; {as_root}"));
    let unseen = ordinary.start(&format!("printf 'no question'; {as_root}"));
    ordinary.until_needs(&reads, &"input".into());
    ordinary.until_needs(&hides, &"password".into());
    ordinary.until_needs(&asks, &"password".into());
    // Looked at like the others, and nothing was seen of it.
    ordinary.until_needs(&unseen, &Value::Null);
    let processes = ordinary.verb(&["show", &unseen]);
    assert!(text(&processes.stdout).contains("cat"), "{processes:?}");
}
