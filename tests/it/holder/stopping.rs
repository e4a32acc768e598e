//! The ladder of a stop, with real processes.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use shtask::holder::{Event, FirstStep, Request, SignalTarget, StopCommand};
use shtask::sys::proc;
use shtask::sys::wait::ExitKind;

use super::harness::*;

/// A grace that no test waits for.
const LONG: Duration = Duration::from_secs(600);
/// A grace that a test waits for.
const SHORT: Duration = Duration::from_millis(150);

const NOTHING: [shtask::holder::Left; 0] = [];

#[test]
fn a_stop_ends_more_than_the_shell() {
    let server = server();
    let mark = unique();
    let script = format!("sleep {mark} & sleep {mark} & wait");
    let mut run = Run::start(&server, shell(&script, PIPES));
    until("both sleepers", || alive(&mark) == 2);
    let ended = run.end(LONG);
    assert_eq!(alive(&mark), 0, "gone before the answer");
    assert_eq!((ended.signalled, ended.killed, ended.left), (3, 0, vec![]));
    run.let_go();
}

#[test]
fn a_stop_ends_what_a_script_of_a_script_started() {
    let server = server();
    let mark = unique();
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    std::fs::write(&inner, format!("#!/bin/bash\nsleep {mark} &\nsleep {mark}\n")).expect("written");
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o755)).expect("mode");
    let outer = format!("{}; true", inner.display());
    let mut run = Run::start(&server, command(&["/bin/bash", "-c", &outer], PIPES));
    until("both sleepers", || alive(&mark) == 2);
    assert_eq!(run.end(LONG).left, NOTHING);
    assert_eq!(alive(&mark), 0);
}

#[test]
fn a_broken_line_of_descent_is_no_way_out() {
    let server = server();
    let mark = unique();
    // Double fork, session of its own, nothing left in its environment.
    let script = format!("sh -c 'setsid env -i /bin/sleep {mark} & exit 0'; exit 0");
    let mut run = Run::start(&server, shell(&script, PIPES));
    assert_eq!(run.exit(), ExitKind::Code(0));
    until("the sleeper", || alive(&mark) == 1);
    let ended = run.end(LONG);
    assert_eq!((ended.signalled, ended.left), (1, vec![]));
    assert_eq!(alive(&mark), 0);
    run.let_go();
}

#[test]
fn a_marked_process_that_sits_elsewhere_is_ended_and_others_are_not() {
    let server = server();
    let (mark, other) = (unique(), unique());
    let start = |run_id: &str, mark: &str| {
        std::process::Command::new("/bin/sleep").arg(mark).env("SHTASK_RUN_ID", run_id).spawn().expect("a sleeper")
    };
    let run_id = format!("run-{mark}");
    let mut marked = start(&run_id, &mark);
    let mut longer = start(&format!("{run_id}0"), &other);
    let mut spawn = shell("sleep 600", PIPES);
    spawn.marker = run_id.into();
    let mut run = Run::start(&server, spawn);
    // It stays a zombie of this process until it is reaped here: that counts as ended.
    assert_eq!(run.end(LONG).left, NOTHING);
    assert_eq!((alive(&mark), alive(&other)), (0, 1));
    marked.wait().expect("reaped");
    longer.kill().expect("killed");
    longer.wait().expect("reaped");
}

#[test]
fn hangups_are_not_relied_on() {
    let server = server();
    let mark = unique();
    let script = format!("nohup sleep {mark} & trap '' HUP; sleep {mark}");
    let mut run = Run::start(&server, shell(&script, PTY));
    until("both sleepers", || alive(&mark) == 2);
    assert_eq!(run.end(LONG).left, NOTHING);
    assert_eq!(alive(&mark), 0);
    // The same with the driver's end of the terminal closed.
    let mut run = Run::start(&server, shell(&script, PTY));
    until("both sleepers", || alive(&mark) == 2);
    run.descriptors.clear();
    assert_eq!(run.end(LONG).left, NOTHING);
    assert_eq!(alive(&mark), 0);
}

#[test]
fn an_interactive_shell_in_a_pty_ends_without_a_kill() {
    let server = server();
    let mut spawn = command(&["/bin/bash", "--norc", "-i"], PTY);
    spawn.env.push(("PS1".into(), "prompt> ".into()));
    let mut run = Run::start(&server, spawn);
    run.read_until(0, "prompt> ");
    // A bash that gets both signals before it waits for a key forgets the HUP until the next key.
    let waits_at = || proc::read_all(&format!("/proc/{}/syscall", run.pid), 200).unwrap_or_default();
    until("it waits for a key", || {
        let before = waits_at();
        std::thread::sleep(Duration::from_millis(10));
        before != b"running\n" && before == waits_at()
    });
    let ended = run.end(LONG);
    assert_eq!((ended.signalled, ended.killed, ended.left), (1, 0, vec![]));
}

#[test]
fn a_program_that_cleans_up_on_term_is_not_cut_short_by_the_hangup() {
    let server = server();
    let script = "trap 'sleep 0.2; echo cleaned; exit 5' TERM; echo ready; while :; do sleep 600 & wait; done";
    let mut run = Run::start(&server, shell(script, PTY));
    run.read_until(0, "ready");
    run.send(&Request::EndTree { first: FirstStep::Signals(Vec::new()), grace: LONG });
    assert_eq!(run.exit(), ExitKind::Code(5));
    assert!(run.read_to_end(0).contains("cleaned"));
    assert_eq!(run.ended().left, NOTHING);
}

#[test]
fn loops_on_both_sides_of_a_fifo_end_when_the_reader_is_stopped() {
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mkfifo f; (while :; do echo c; sleep 0.1; done) > f & cat f";
    let mut spawn = shell(script, PIPES);
    spawn.cwd = folder.path().into();
    let mut run = Run::start(&server, spawn);
    run.read_until(0, "c");
    let members = members(&mut run);
    assert!(members.len() >= 3, "{members:?}");
    assert_eq!(run.end(LONG).left, NOTHING);
    for member in members {
        let gone = proc::stat(member.pid).map_or(true, |stat| stat.start_ticks != member.start_ticks || stat.is_over());
        assert!(gone, "{member:?}");
    }
    // Both ends are closed, so the reader of the output sees its end.
    run.read_to_end(0);
}

#[test]
fn a_child_in_another_session_that_ignores_term_is_killed() {
    let server = server();
    let mark = unique();
    let script = format!("trap '' TERM HUP INT; setsid sleep {mark} & setsid sleep {mark}");
    let mut run = Run::start(&server, shell(&script, PIPES));
    until("both sleepers", || alive(&mark) == 2);
    let ended = run.end(SHORT);
    assert_eq!(alive(&mark), 0);
    assert_eq!((ended.signalled, ended.killed, ended.left), (3, 3, vec![]));
}

#[test]
fn a_stopped_child_is_continued_so_that_it_can_end() {
    let server = server();
    let mark = unique();
    let script = format!("sleep {mark} & kill -STOP $!; echo ready; wait");
    let mut run = Run::start(&server, shell(&script, PIPES));
    run.read_until(0, "ready");
    let ended = run.end(LONG);
    assert_eq!((ended.killed, ended.left), (0, vec![]));
    assert_eq!(alive(&mark), 0);
}

#[test]
fn a_chain_of_forks_is_ended() {
    let server = server();
    let mark = unique();
    // Each link forks the next and leaves, as fast as it can, and listens to nobody.
    let script = "$SIG{TERM}=$SIG{HUP}='IGNORE'; if(fork){exit} while(1){ my $p=fork; exit if $p; }";
    for io in [PIPES, PTY] {
        let mut run = Run::start(&server, command(&["/usr/bin/perl", "-e", script, &mark], io));
        assert_eq!(run.exit(), ExitKind::Code(0));
        let ended = run.end(SHORT);
        assert_eq!(ended.left, NOTHING);
        assert!(ended.killed >= 1, "{ended:?}");
        assert_eq!(alive(&mark), 0);
        run.let_go();
    }
}

#[test]
fn a_tree_that_grows_while_it_is_stopped_is_ended() {
    let server = server();
    let mark = unique();
    let script = "$SIG{TERM}='IGNORE'; for(1..4){ if(!fork){ while(1){ my $p=fork; if(!$p){ select(undef,undef,undef,0.05); exit } select(undef,undef,undef,0.01); waitpid(-1,1) } } } sleep 600";
    let mut run = Run::start(&server, command(&["/usr/bin/perl", "-e", script, &mark], PIPES));
    until("a crowd", || alive(&mark) > 6);
    let ended = run.end(SHORT);
    assert_eq!(ended.left, NOTHING);
    assert_eq!(alive(&mark), 0);
}

#[test]
fn a_hurried_stop_does_not_wait_for_the_grace() {
    let server = server();
    let mark = unique();
    let script = format!("trap '' TERM; echo ready; sleep {mark}; sleep {mark}");
    let mut run = Run::start(&server, shell(&script, PIPES));
    run.read_until(0, "ready");
    run.send(&Request::EndTree { first: FirstStep::Signals(Vec::new()), grace: LONG });
    run.until_event(|event| matches!(event, Event::FirstSignalSent { .. }).then_some(()));
    run.send(&Request::Hurry);
    let ended = run.ended();
    assert_eq!(ended.left, NOTHING);
    assert!(ended.killed >= 1);
    assert_eq!(alive(&mark), 0);
}

#[test]
fn a_signal_of_the_tasks_own_choice_is_the_first() {
    let server = server();
    let script = "trap 'echo got-int; exit 9' INT; echo ready; while :; do sleep 600 & wait; done";
    let mut run = Run::start(&server, shell(script, PIPES));
    run.read_until(0, "ready");
    run.send(&Request::EndTree { first: FirstStep::Signals(vec![libc::SIGINT]), grace: SHORT });
    assert_eq!(run.exit(), ExitKind::Code(9));
    assert_eq!(run.ended().left, NOTHING);
}

#[test]
fn a_stop_command_ends_the_tree_and_a_failing_one_is_replaced_by_signals() {
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let stop_by = |script: String| {
        FirstStep::Command(StopCommand {
            program: "/bin/sh".into(),
            argv: ["sh", "-c", &script].map(Into::into).into(),
            env: vec![("PATH".into(), "/bin:/usr/bin".into())],
            cwd: folder.path().into(),
        })
    };
    for (script, code) in [("touch stop", 4), ("exit 1", 143)] {
        let flag = folder.path().join("stop");
        let body = format!(
            "trap 'exit 143' TERM; echo ready; while ! test -e {}; do sleep 0.02; done; exit 4",
            flag.display()
        );
        let mut run = Run::start(&server, shell(&body, PIPES));
        run.read_until(0, "ready");
        run.send(&Request::EndTree { first: stop_by(script.to_owned()), grace: LONG });
        assert_eq!(run.exit(), ExitKind::Code(code), "{script}");
        let ended = run.ended();
        assert_eq!((ended.killed, ended.left), (0, vec![]));
        let _ = std::fs::remove_file(flag);
    }
}

#[test]
fn a_stop_command_that_hangs_is_killed_with_the_rest() {
    let server = server();
    let (mark, hanging) = (unique(), unique());
    let mut run = Run::start(&server, command(&["/bin/sleep", &mark], PIPES));
    run.send(&Request::EndTree {
        first: FirstStep::Command(StopCommand {
            program: "/bin/sleep".into(),
            argv: vec!["sleep".into(), hanging.clone().into()],
            env: Vec::new(),
            cwd: "/".into(),
        }),
        grace: SHORT,
    });
    let ended = run.ended();
    assert_eq!((ended.signalled, ended.killed, ended.left), (0, 2, vec![]));
    assert_eq!((alive(&mark), alive(&hanging)), (0, 0));
}

#[test]
fn a_second_stop_finds_nothing_more_to_do() {
    let server = server();
    let mut run = Run::start(&server, command(&["/bin/sleep", "600"], PIPES));
    assert_eq!(run.end(LONG).signalled, 1);
    let again = run.end(LONG);
    assert_eq!((again.signalled, again.killed, again.left), (0, 0, vec![]));
    run.let_go();
}

#[test]
fn a_stop_right_behind_the_start_leaves_nothing() {
    let server = server();
    let mark = unique();
    for _ in 0..20 {
        let mut run = Run { link: server.open().expect("a link"), pid: 0, descriptors: Vec::new() };
        run.send(&Request::Spawn(Box::new(command(&["/bin/sleep", &mark], PIPES))));
        assert_eq!(run.end(LONG).left, NOTHING);
        run.let_go();
    }
    assert_eq!(alive(&mark), 0);
}

#[test]
fn the_root_the_group_and_the_foreground_are_signalled_each_by_itself() {
    let server = server();
    let script = "trap 'echo got-usr1' USR1; (trap 'echo child-usr1; exit' USR1; echo ready; while :; do sleep 0.02; done) & while :; do sleep 0.02; done";
    let mut run = Run::start(&server, shell(script, PTY));
    run.read_until(0, "ready");
    let signalled = |run: &mut Run, signo, target| {
        run.send(&Request::Signal { signo, target });
        run.until_event(|event| match event {
            Event::Signalled { reached, errno, .. } => Some((reached, errno)),
            _ => None,
        })
    };
    assert_eq!(signalled(&mut run, libc::SIGUSR1, SignalTarget::Root), (1, 0));
    let output = run.read_until(0, "got-usr1");
    assert!(!output.contains("child-usr1"));
    assert_eq!(signalled(&mut run, 0, SignalTarget::Root), (0, libc::EINVAL));
    assert_eq!(signalled(&mut run, 65, SignalTarget::Tree), (0, libc::EINVAL));
    assert_eq!(signalled(&mut run, libc::SIGINT, SignalTarget::Foreground), (1, 0));
    assert!(matches!(run.exit(), ExitKind::Signal { signo: libc::SIGINT, .. } | ExitKind::Code(130)));
    assert_eq!(signalled(&mut run, libc::SIGUSR1, SignalTarget::Root), (0, libc::ESRCH));
    assert_eq!(run.end(SHORT).left, NOTHING);
}

fn members(run: &mut Run) -> Vec<shtask::holder::Member> {
    run.send(&Request::Tree);
    run.until_event(|event| match event {
        Event::Members { members } => Some(members),
        _ => None,
    })
}
