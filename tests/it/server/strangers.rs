//! Other users of the machine (S9.1). Only root can play them.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use shtask::server::Patience;

use super::served::{Served, supervise};
use crate::harness::have;

const STRANGER: u32 = 65534;

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("opened");
}

/// Runs a program as somebody else.
fn as_stranger(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).env_clear().current_dir("/").uid(STRANGER).gid(STRANGER).output().expect("run")
}

/// Even where the file system lets them through.
#[test]
fn another_user_is_turned_away_by_the_server() {
    if !rustix::process::geteuid().is_root() || !have("perl") {
        eprintln!("left out: it takes root and perl");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("shtask/server.sock");
    let _inside = runtime.enter();
    let _served = Served::at(&socket, supervise(), Patience::default());
    [dir.path(), socket.parent().expect("a folder"), &socket].into_iter().for_each(open_to_all);
    let say = r#"$SIG{PIPE} = 'IGNORE'; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 3;
        my $m = "\x01" . '{"protocol":"shtask","major":1,"minor":0,"session":"s"}';
        $s->syswrite(pack("N", length $m) . $m); $s->sysread(my $answer, 100); print length($answer // "");"#;
    let path = socket.to_str().expect("text");
    let own = Command::new("perl").args(["-MIO::Socket::UNIX", "-e", say, path]).output().expect("run");
    assert_ne!(String::from_utf8_lossy(&own.stdout), "0", "who is let in gets an answer: {own:?}");
    let other = as_stranger("perl", &["-MIO::Socket::UNIX", "-e", say, path]);
    assert_eq!(String::from_utf8_lossy(&other.stdout), "0", "a stranger gets none: {other:?}");
}
