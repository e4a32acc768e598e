//! What a holder costs, and that it works without rights.

use std::path::Path;
use std::time::{Duration, Instant};

use shtask::holder::HolderServer;
use shtask::sys::proc;
use shtask::sys::wait::ExitKind;

use super::harness::*;

/// The bound on a holder's private memory.
const MAX_PRIVATE_KIB: u64 = 512;

pub(super) fn private_kib(pid: i32) -> u64 {
    let path = format!("/proc/{pid}/smaps_rollup");
    let rollup = proc::read_all(&path, 1 << 16).expect("a rollup");
    String::from_utf8_lossy(&rollup)
        .lines()
        .filter(|line| line.starts_with("Private_Clean:") || line.starts_with("Private_Dirty:"))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}

#[test]
fn an_idle_holder_has_little_memory_of_its_own_and_never_wakes() {
    let server = server();
    let runs: Vec<Run> = (0..4)
        .map(|index| Run::start(&server, shell("echo ready; sleep 600", if index % 2 == 0 { PTY } else { PIPES })))
        .collect();
    for run in &runs {
        run.read_until(0, "ready");
        let holder = run.holder();
        let kib = private_kib(holder);
        println!("private memory of an idle holder: {kib} KiB");
        assert!(kib < MAX_PRIVATE_KIB, "{kib} KiB");
    }
    println!(
        "private memory of the fork server: {} KiB",
        private_kib(i32::try_from(server.process_id()).expect("fits"))
    );
    let holder = runs[0].holder();
    let switches = || status_line(holder, "voluntary_ctxt_switches:");
    let before = switches();
    // Nothing to wait for: this is about nothing happening.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(switches(), before);
}

#[test]
fn arguments_of_megabytes_do_not_stay_in_a_holders_memory() {
    let server = server();
    let mut argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), "echo ready; sleep 600".to_owned()];
    argv.extend(std::iter::repeat_n("x".repeat(100_000), 12));
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    let run = Run::start(&server, command(&argv, PIPES));
    run.read_until(0, "ready");
    let holder = run.holder();
    // The command may say so before its holder has given the memory back.
    until("the memory is given back", || private_kib(holder) < MAX_PRIVATE_KIB);
}

#[test]
fn starts_are_many_a_second() {
    let server = server();
    let began = Instant::now();
    for _ in 0..100 {
        let mut run = Run::start(&server, command(&["/bin/true"], PTY));
        assert_eq!(run.exit(), ExitKind::Code(0));
        run.let_go();
    }
    let each = began.elapsed() / 100;
    println!("start to let go, one after the other, in a PTY: {each:?}");
}

#[test]
fn a_hundred_starts_at_once_are_served() {
    let server = server();
    let began = Instant::now();
    let mut runs: Vec<Run> = (0..100)
        .map(|_| {
            let mut run = Run { link: server.open().expect("a link"), pid: 0, descriptors: Vec::new() };
            run.send(&shtask::holder::Request::Spawn(Box::new(command(&["/bin/true"], PIPES))));
            run
        })
        .collect();
    for run in &mut runs {
        assert_eq!(run.exit(), ExitKind::Code(0));
    }
    println!("start and end of 100 commands at once: {:?}", began.elapsed());
}

#[test]
fn an_ordinary_user_needs_no_rights() {
    let id = std::process::Command::new("/usr/bin/id").arg("-u").output().expect("id");
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        // All other tests ran as one already.
        println!("skipped: not root, so every test is this one");
        return;
    }
    // A fork server that drops to nobody, and a program that nobody can read.
    let folder = tempfile::Builder::new().prefix("shtask").tempdir_in("/tmp").expect("a folder");
    let mode = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("mode");
    };
    mode(folder.path());
    let exe = folder.path().join("shtask");
    std::fs::copy(env!("CARGO_BIN_EXE_shtask"), &exe).expect("copied");
    mode(&exe);
    let wrapper = folder.path().join("as-nobody");
    std::fs::write(
        &wrapper,
        format!(
            "#!/bin/sh\nexec /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all {} \"$@\"\n",
            exe.display()
        ),
    )
    .expect("written");
    mode(&wrapper);
    let server = HolderServer::start(&wrapper).expect("fork server");
    let mark = unique();
    for io in [PIPES, PTY] {
        let script = format!("trap '' TERM HUP; id -u; (setsid env -i /bin/sleep {mark} &); setsid sleep {mark}");
        let mut run = Run::start(&server, shell(&script, io));
        assert!(run.read_until(0, "\n").starts_with("65534"));
        until("both sleepers", || alive(&mark) == 2);
        let ended = run.end(Duration::from_millis(150));
        assert_eq!(ended.left, []);
        assert_eq!(alive(&mark), 0);
        run.let_go();
    }
    // Without a cgroup, too, a chain of forks and a crowd that grows are ended.
    for script in [
        "$SIG{TERM}='IGNORE'; if(fork){exit} while(1){ my $p=fork; exit if $p; }",
        "$SIG{TERM}='IGNORE'; $SIG{CHLD}='IGNORE'; if(fork){exit} for(1..4){ if(!fork){ while(1){ if(!fork){ select(undef,undef,undef,0.05); exit } select(undef,undef,undef,0.005) } } } sleep 600",
    ] {
        let mut run = Run::start(&server, command(&["/usr/bin/perl", "-e", script, &mark], PIPES));
        // The root leaves once TERM is ignored.
        assert_eq!(run.exit(), ExitKind::Code(0));
        let began = Instant::now();
        let ended = run.end(Duration::from_millis(100));
        println!("a tree that forks on, without a cgroup: {:?}", began.elapsed());
        assert_eq!(ended.left, []);
        assert!(ended.killed >= 1, "{ended:?}");
        assert_eq!(alive(&mark), 0);
        run.let_go();
    }
}

#[test]
fn a_child_that_may_not_be_signalled_is_no_crash_and_no_endless_wait() {
    let id = std::process::Command::new("/usr/bin/id").arg("-u").output().expect("id");
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        println!("skipped: only root can make a program that runs as another user");
        return;
    }
    let folder = tempfile::Builder::new().prefix("shtask").tempdir_in("/tmp").expect("a folder");
    let mode = |path: &Path, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("mode");
    };
    mode(folder.path(), 0o755);
    let exe = folder.path().join("shtask");
    std::fs::copy(env!("CARGO_BIN_EXE_shtask"), &exe).expect("copied");
    mode(&exe, 0o755);
    // A setuid sleeper: real, effective and saved user become root's by setpriv, which is setuid here.
    let escalate = folder.path().join("escalate");
    std::fs::copy("/usr/bin/setpriv", &escalate).expect("copied");
    mode(&escalate, 0o4755);
    let wrapper = folder.path().join("as-nobody");
    std::fs::write(
        &wrapper,
        format!(
            "#!/bin/sh\nexec /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all {} \"$@\"\n",
            exe.display()
        ),
    )
    .expect("written");
    mode(&wrapper, 0o755);
    let server = HolderServer::start(&wrapper).expect("fork server");
    let mark = unique();
    let script = format!("{} --reuid 0 sleep {mark} & sleep {mark}", escalate.display());
    let mut run = Run::start(&server, shell(&script, PIPES));
    // Before it has become `sleep` it still has the user's own real id and may be signalled.
    until("both sleepers", || alive_as("sleep", &mark) == 2);
    let ended = run.end(Duration::from_millis(300));
    assert_eq!(ended.left.len(), 1, "{ended:?}");
    assert_eq!(ended.left[0].why, shtask::holder::WhyLeft::NotPermitted);
    assert_eq!(alive(&mark), 1);
    shtask::sys::pidfd::signal_exact(ended.left[0].id(), libc::SIGKILL).expect("killed by root");
    until("it is gone", || alive(&mark) == 0);
    run.let_go();
}
