//! The link, and the lives of fork server and holder.

use std::os::fd::AsFd;
use std::time::Duration;

use shtask::holder::{Event, LinkError, OnLost, Request};
use shtask::sys::pidfd::{Pidfd, signal_exact};
use shtask::sys::proc;

use super::harness::*;

#[test]
fn a_lost_link_ends_the_tree_and_the_holder() {
    let server = server();
    let mark = unique();
    let script = format!("trap '' TERM HUP; setsid sleep {mark} & sleep {mark}");
    let run = Run::start(&server, shell(&script, PTY));
    until("both sleepers", || alive(&mark) == 2);
    let holder = proc::stat(run.holder()).expect("the holder").id();
    drop(run);
    until("the sleepers are gone", || alive(&mark) == 0);
    until("the holder is gone", || signal_exact(holder, 0).is_err());
}

#[test]
fn a_lost_link_leaves_a_kept_run_alone_until_it_ends() {
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let flag = folder.path().join("go");
    let script = format!("while ! test -e {}; do sleep 0.02; done", flag.display());
    let mut spawn = shell(&script, PIPES);
    spawn.on_lost = OnLost::Keep;
    let run = Run::start(&server, spawn);
    let holder = proc::stat(run.holder()).expect("the holder").id();
    let root = proc::stat(run.pid).expect("the root").id();
    drop(run);
    // The holder has seen the end of its link once its fork server has seen its own.
    drop(server);
    signal_exact(root, 0).expect("the root lives");
    signal_exact(holder, 0).expect("the holder lives");
    std::fs::write(&flag, "").expect("written");
    until("the holder is gone", || {
        signal_exact(holder, 0).is_err() || proc::stat(holder.pid).is_ok_and(|stat| stat.is_over())
    });
}

#[test]
fn holders_outlive_their_fork_server_and_it_is_started_again() {
    let server = server();
    let mut run = Run::start(&server, shell("echo ready; read x </dev/tty; exit 6", PTY));
    run.read_until(0, "ready");
    let first = server.process_id();
    let pid = i32::try_from(first).expect("fits");
    let fork_server = proc::stat(pid).expect("the fork server").id();
    signal_exact(fork_server, libc::SIGKILL).expect("killed");
    until("it is over", || proc::stat(pid).map_or(true, |stat| stat.is_over()));
    let mut next = Run::start(&server, shell("exit 5", PIPES));
    assert_ne!(server.process_id(), first);
    assert_eq!(next.exit(), shtask::sys::wait::ExitKind::Code(5));
    rustix::io::write(&run.descriptors[0], b"\n").expect("written");
    assert_eq!(run.exit(), shtask::sys::wait::ExitKind::Code(6));
    run.let_go();
}

#[test]
fn the_fork_server_leaves_when_its_server_is_gone() {
    let server = server();
    let run = Run::start(&server, shell("true", PIPES));
    let pid = i32::try_from(server.process_id()).expect("fits");
    let pidfd = Pidfd::open(pid).expect("the fork server");
    drop(server);
    wait_ready(pidfd.as_fd(), rustix::event::PollFlags::IN);
    run.let_go();
}

#[test]
fn a_closed_terminal_or_an_interrupt_ends_neither_fork_server_nor_holder() {
    let server = server();
    let mut run = Run::start(&server, shell("read x; exit 8", PTY));
    let holder = proc::stat(run.holder()).expect("the holder");
    let fork_server = proc::stat(holder.ppid).expect("the fork server");
    // Sessions of their own, so that no terminal's signals reach them in the first place.
    assert_eq!(holder.session, holder.pid);
    assert_eq!(fork_server.session, fork_server.pid);
    assert_eq!(holder.comm, "shtask-hold");
    for signo in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGTSTP, libc::SIGPIPE] {
        signal_exact(holder.id(), signo).expect("sent");
        signal_exact(fork_server.id(), signo).expect("sent");
    }
    rustix::io::write(&run.descriptors[0], b"\n").expect("written");
    assert_eq!(run.exit(), shtask::sys::wait::ExitKind::Code(8));
    assert_eq!(Run::start(&server, shell("exit 1", PIPES)).exit(), shtask::sys::wait::ExitKind::Code(1));
}

#[test]
fn a_request_that_is_larger_than_any_is_refused_before_it_is_sent() {
    let server = server();
    let mut link = server.open().expect("a link");
    let huge = "x".repeat(40 << 20);
    let spawn = command(&["/bin/true", &huge], PIPES);
    assert!(matches!(link.send(&Request::Spawn(Box::new(spawn))), Err(LinkError::TooLarge { .. })));
    assert!(!link.wants_write());
}

#[test]
fn a_fork_server_that_is_started_by_hand_says_what_is_wrong() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_shtask"))
        .arg("__holders")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("socket"));
}

#[tokio::test]
async fn a_driver_waits_for_events_without_polling() {
    let server = server();
    let mut link = server.open().expect("a link");
    let watched = shtask::sys::watched::Watched::new(link.shared_fd()).expect("watched");
    link.send(&Request::Spawn(Box::new(shell("sleep 0.05; exit 2", PIPES)))).expect("sent");
    let mut events = Vec::new();
    let all = async {
        while events.len() < 3 {
            let mut guard = watched.readable().await.expect("ready");
            match link.receive().expect("an event") {
                Some((event, _)) => events.push(event),
                None => guard.clear_ready(),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.expect("in time");
    assert!(matches!(events[0], Event::Spawned { .. }));
    assert!(matches!(events[1], Event::RootExited { .. }));
    assert_eq!(events[2], Event::TreeEmpty);
}
