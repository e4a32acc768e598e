//! What becomes of a tree while it lives and when its root has left.

use std::time::Duration;

use shtask::holder::{Event, Request};
use shtask::sys::proc;
use shtask::sys::wait::ExitKind;

use super::harness::*;

fn zombies_below(pid: i32) -> Vec<proc::Stat> {
    let below = proc::descendants(pid).expect("descendants");
    below.into_iter().filter(proc::Stat::is_over).collect()
}

#[test]
fn strangers_are_reaped_while_the_run_lives() {
    let server = server();
    let script = "for i in 1 2 3 4 5 6 7 8; do sh -c 'true & exec true'; (sh -c 'sleep 0.01 & exit' &) ; done; echo ready; sleep 600";
    let mut run = Run::start(&server, shell(script, PIPES));
    run.read_until(0, "ready");
    let holder = run.holder();
    until("no zombies", || zombies_below(holder).is_empty());
    until("only the root's sleep", || proc::descendants(holder).expect("list").len() == 2);
    assert_eq!(run.end(Duration::from_secs(10)).left, []);
}

#[test]
fn strangers_behind_the_roots_zombie_are_reaped_too() {
    let server = server();
    let script = "(sleep 0.1 &); (sleep 0.2 &); (sleep 600 &); exit 3";
    let mut run = Run::start(&server, shell(script, PIPES));
    assert_eq!(run.exit(), ExitKind::Code(3));
    let holder = run.holder();
    until("the short sleeps are reaped", || {
        let below = proc::descendants(holder).expect("list");
        let zombies: Vec<i32> = below.iter().filter(|stat| stat.is_over()).map(|stat| stat.pid).collect();
        zombies == [run.pid] && below.len() == 2
    });
    assert_eq!(run.end(Duration::from_secs(10)).left, []);
}

#[test]
fn the_roots_pid_stays_taken_until_the_run_is_let_go() {
    let server = server();
    let mut run = Run::start(&server, shell("exit 0", PIPES));
    run.until_event(|event| (event == Event::TreeEmpty).then_some(()));
    let pid = run.pid;
    assert!(proc::stat(pid).expect("a zombie").is_over());
    run.let_go();
    assert!(proc::stat(pid).is_err());
}

#[test]
fn two_hundred_short_runs_leave_nothing() {
    let server = server();
    let server_pid = i32::try_from(server.process_id()).expect("fits");
    for batch in 0..10 {
        let runs: Vec<Run> = (0..20)
            .map(|index| {
                let script = if index % 2 == 0 { "true & exec true" } else { "echo x; exit 1" };
                let io = if index % 4 == 0 { PTY } else { PIPES };
                Run::start(&server, shell(script, io))
            })
            .collect();
        for (index, mut run) in runs.into_iter().enumerate() {
            match index % 3 {
                // Finished in order, stopped in the middle, and lost.
                0 => {
                    run.exit();
                    run.let_go();
                }
                1 => {
                    assert_eq!(run.end(Duration::from_secs(10)).left, [], "batch {batch}");
                    run.let_go();
                }
                _ => drop(run),
            }
        }
    }
    until("no holder is left", || proc::descendants(server_pid).expect("list").is_empty());
    let open = std::fs::read_dir(format!("/proc/{server_pid}/fd")).expect("descriptors").count();
    // 0, 1, 2, the socket, the signals, and the directory's own entry is the reader's.
    assert!(open <= 6, "{open} descriptors");
}

#[test]
fn events_of_an_end_that_a_grandchild_outlives_come_in_order() {
    let server = server();
    let mark = unique();
    let mut run = Run::start(&server, shell(&format!("sleep {mark} & echo ok"), PIPES));
    assert_eq!(run.event(), Event::RootExited { how: ExitKind::Code(0) });
    assert!(run.read_until(0, "ok").starts_with("ok"));
    until("the sleeper", || alive(&mark) == 1);
    // The output is still held open: only the stop closes it.
    run.send(&Request::EndTree {
        first: shtask::holder::FirstStep::Signals(Vec::new()),
        grace: Duration::from_secs(10),
    });
    let mut rest = vec![run.event(), run.event(), run.event()];
    // The sleeper's end may be seen before the first step's report or after it.
    rest.retain(|event| *event != Event::TreeEmpty);
    assert_eq!(
        rest,
        [Event::FirstSignalSent { signalled: 1 }, Event::TreeEnded { signalled: 1, killed: 0, left: vec![] }]
    );
    assert_eq!(run.read_to_end(0), "");
    run.let_go();
}

#[test]
fn a_tree_that_empties_by_itself_says_so_once() {
    let server = server();
    let script = "exec > >(cat); (sleep 0.1 &); echo ok";
    let mut run = Run::start(&server, command(&["/bin/bash", "-c", script], PIPES));
    assert_eq!(run.event(), Event::RootExited { how: ExitKind::Code(0) });
    assert_eq!(run.event(), Event::TreeEmpty);
    assert_eq!(run.read_to_end(0), "ok\n");
    assert_eq!(run.end(Duration::from_secs(10)).left, []);
    run.let_go();
}

#[test]
fn members_are_listed_with_the_root_first() {
    let server = server();
    let mark = unique();
    let mut run = Run::start(&server, shell(&format!("sleep {mark} & echo ready; wait"), PIPES));
    run.read_until(0, "ready");
    until("the sleeper", || alive(&mark) == 1);
    run.send(&Request::Tree);
    let event = run.event();
    let Event::Members { members } = event else {
        panic!("{event:?}");
    };
    let names: Vec<_> = members.iter().map(|member| member.comm.to_str()).collect();
    assert_eq!(names, [Some("sh"), Some("sleep")]);
    assert_eq!((members[0].pid, members[1].ppid), (run.pid, run.pid));
    assert!(members.iter().all(|member| member.start_ticks > 0));
}

#[test]
fn a_run_has_a_cgroup_where_one_can_be_made_and_it_is_removed_afterwards() {
    let server = server();
    let script = "trap '' TERM; echo ready; sleep 600 & wait; sleep 600";
    let mut run = Run::start(&server, shell(script, PIPES));
    run.read_until(0, "ready");
    let membership = proc::read_all(&format!("/proc/{}/cgroup", run.pid), 1 << 16).expect("read");
    let membership = String::from_utf8_lossy(&membership).into_owned();
    let name = format!("shtask-{}", run.holder());
    if !membership.lines().any(|line| line.starts_with("0::") && line.ends_with(&name)) {
        println!("skipped: no cgroup can be made here: {membership}");
        return;
    }
    let mounts = proc::read_all("/proc/mounts", 1 << 20).expect("read");
    let mounts = String::from_utf8_lossy(&mounts).into_owned();
    let mount = mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some("cgroup2"))
        .and_then(|line| line.split(' ').nth(1))
        .expect("a mount");
    let own = membership.lines().find_map(|line| line.strip_prefix("0::")).expect("a place");
    let directory = format!("{mount}{own}");
    // A cgroup that the run makes inside its own is the run's too.
    std::fs::create_dir(format!("{directory}/inner")).expect("made");
    let ended = run.end(Duration::from_millis(100));
    assert_eq!(ended.left, []);
    assert!(ended.killed >= 1);
    run.let_go();
    until("the directory is removed", || !std::path::Path::new(&directory).exists());
}
