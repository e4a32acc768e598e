//! A kept run between two servers (S7.4). To a holder a dropped link and a killed server are the same: the kernel closes it.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
use shtask::holder::{
    Event, FirstStep, Hello, HolderServer, HolderSockets, Io, LinkError, OnLost, PROTOCOL, Request, Spawn, StartState,
    StdinSource, StopState,
};
use shtask::model::RunId;
use shtask::sys::wait::ExitKind;
use shtask::sys::{memory, proc};

use super::harness::*;

/// A state directory, and the server that works with it.
struct Ground {
    folder: tempfile::TempDir,
    sockets: HolderSockets,
    server: HolderServer,
    id: RunId,
}

fn ground() -> Ground {
    let folder = tempfile::tempdir().expect("a folder");
    let sockets = HolderSockets::open(&folder.path().join("holders")).expect("a folder of sockets");
    Ground { folder, sockets, server: server(), id: RunId::from_bits([3; 10]) }
}

impl Ground {
    /// Starts a run that is kept, with one keepsake that says `remember`.
    fn start(&self, script: &str, io: Io) -> Run {
        self.start_spawn(shell(script, io))
    }

    fn start_spawn(&self, mut spawn: Spawn) -> Run {
        spawn.on_lost = OnLost::Keep;
        spawn.marker = self.id.as_str().into();
        let listener = self.sockets.listen(self.id).expect("listens");
        let keepsake = memory::file(c"keepsake").expect("a file");
        memory::write_at(&keepsake, b"remember", 0).expect("written");
        let mut run = Run { link: self.server.open().expect("a link"), pid: 0, descriptors: Vec::new() };
        run.link.send_with(&Request::Spawn(Box::new(spawn)), vec![listener, keepsake]).expect("sent");
        let (Event::Spawned { pid, .. }, descriptors) = run.next() else { panic!("not spawned") };
        (run.pid, run.descriptors) = (pid, descriptors);
        run
    }

    /// Takes the run up as the next server does.
    fn take_up(&self) -> (Hello, Run, Vec<OwnedFd>) {
        let link = self.sockets.connect(self.id).expect("asked").expect("its holder");
        let mut run = Run { link, pid: 0, descriptors: Vec::new() };
        let (Event::Hello(hello), mut descriptors) = run.next() else { panic!("no hello") };
        assert_eq!((hello.version, &*hello.marker), (PROTOCOL, OsStr::new(self.id.as_str())));
        let keepsakes = descriptors.split_off(usize::from(hello.descriptors));
        let mut text = [0; 20];
        assert_eq!(memory::read_at(&keepsakes[0], &mut text, 0).expect("read"), 8);
        assert_eq!(&text[..8], b"remember");
        if let StartState::Spawned { pid, .. } = hello.start {
            run.pid = pid;
        }
        run.descriptors = descriptors;
        (*hello, run, keepsakes)
    }

    fn nobody_listens(&self) -> bool {
        self.sockets.connect(self.id).expect("asked").is_none()
    }
}

#[test]
fn the_next_server_gets_the_run_with_all_its_descriptors_and_what_was_printed_meanwhile() {
    for io in [PTY, Io::Pipes { stdin: StdinSource::Pipe }] {
        let ground = ground();
        let script = "echo first; read x; echo second; read y; exit 7";
        let mut run = ground.start(script, io);
        run.read_until(0, "first");
        let (input, pid) = (run.descriptors.len() - 1, run.pid);
        rustix::io::write(&run.descriptors[if io == PTY { 0 } else { input }], b"\n").expect("written");
        run.send(&Request::Tree);
        run.until_event(|event| matches!(event, Event::Members { .. }).then_some(()));
        drop(run);
        let (hello, mut run, _keepsakes) = ground.take_up();
        assert!(
            matches!(hello.start, StartState::Spawned { pid: told, start_ticks } if told == pid && start_ticks > 0)
        );
        assert_eq!((hello.exited, hello.is_empty, &hello.stop), (None, false, &StopState::None));
        run.read_until(0, "second");
        rustix::io::write(&run.descriptors[if io == PTY { 0 } else { input }], b"\n").expect("written");
        assert_eq!(run.exit(), ExitKind::Code(7));
        run.let_go();
        assert!(ground.nobody_listens());
    }
}

#[test]
fn an_exit_between_two_servers_waits_for_the_one_that_lets_go() {
    let ground = ground();
    let run = ground.start("echo last words; exit 9", PIPES);
    let root = proc::stat(run.pid).expect("the root");
    drop(run);
    until("it has ended", || proc::stat(root.pid).is_ok_and(|stat| stat.is_over()));
    // A server that dies again changes nothing.
    for _ in 0..3 {
        let (hello, run, _keepsakes) = ground.take_up();
        assert_eq!(hello.exited, Some(ExitKind::Code(9)));
        drop(run);
    }
    let (hello, run, _keepsakes) = ground.take_up();
    assert!(hello.is_empty);
    assert_eq!(run.read_to_end(0), "last words\n");
    assert!(proc::stat(root.pid).is_ok(), "its pid stays taken");
    run.let_go();
    until("the root is reaped", || proc::stat(root.pid).is_err());
}

#[test]
fn a_stop_goes_on_without_a_server_and_its_report_waits_for_the_next() {
    let ground = ground();
    let mark = unique();
    let mut run = ground.start(&format!("trap '' TERM; echo ready; sleep {mark} & while :; do wait; done"), PIPES);
    run.read_until(0, "ready");
    until("the sleeper", || alive(&mark) == 1);
    run.send(&Request::EndTree { first: FirstStep::Signals(Vec::new()), grace: Duration::from_millis(300) });
    run.until_event(|event| matches!(event, Event::FirstSignalSent { .. }).then_some(()));
    drop(run);
    let (hello, run, _keepsakes) = ground.take_up();
    assert_eq!((&hello.stop, hello.exited), (&StopState::UnderWay { has_begun: true }, None));
    drop(run);
    until("all are gone", || alive(&mark) == 0);
    until("the report is there", || {
        let (hello, _run, _keepsakes) = ground.take_up();
        match hello.stop {
            StopState::Ended { killed, ref left, .. } => {
                assert!(killed >= 1 && left.is_empty(), "{hello:?}");
                assert!(matches!(hello.exited, Some(ExitKind::Signal { signo: libc::SIGKILL, .. })), "{hello:?}");
                true
            }
            StopState::None | StopState::UnderWay { .. } => false,
        }
    });
    ground.take_up().1.let_go();
}

#[test]
fn a_second_server_is_heard_only_when_the_first_is_gone() {
    let ground = ground();
    let mut run = ground.start("read x </dev/tty; exit 4", PTY);
    let mut second = ground.sockets.connect(ground.id).expect("asked").expect("its holder");
    // The first is served while the second waits.
    run.send(&Request::Tree);
    run.until_event(|event| matches!(event, Event::Members { .. }).then_some(()));
    assert!(second.receive().expect("connected").is_none(), "nothing is said to it yet");
    drop(run);
    wait_ready(&second, PollFlags::IN);
    assert!(matches!(second.receive(), Ok(Some((Event::Hello(_), _)))));
    drop(second);
    let (_, mut run, _keepsakes) = ground.take_up();
    rustix::io::write(&run.descriptors[0], b"\n").expect("written");
    assert_eq!(run.exit(), ExitKind::Code(4));
    run.let_go();
}

#[test]
fn a_server_that_dies_while_it_starts_a_run_leaves_it_to_the_next() {
    for (program, is_there) in [("/bin/cat", true), ("/nowhere/at/all", false)] {
        let ground = ground();
        let mut spawn = command(&[program], PTY);
        spawn.on_lost = OnLost::Keep;
        spawn.marker = ground.id.as_str().into();
        let mut link = ground.server.open().expect("a link");
        let descriptors =
            vec![ground.sockets.listen(ground.id).expect("listens"), memory::file(c"keepsake").expect("a file")];
        link.send_with(&Request::Spawn(Box::new(spawn)), descriptors).expect("sent");
        drop(link);
        let link = ground.sockets.connect(ground.id).expect("asked").expect("its holder");
        let mut run = Run { link, pid: 0, descriptors: Vec::new() };
        let (Event::Hello(hello), _) = run.next() else { panic!("no hello") };
        let start = match hello.start {
            StartState::Pending => match run.event() {
                Event::Spawned { .. } => true,
                Event::SpawnFailed { errno: libc::ENOENT, .. } => false,
                other => panic!("unexpected {other:?}"),
            },
            StartState::Spawned { .. } => true,
            StartState::Failed { errno, .. } => {
                assert_eq!(errno, libc::ENOENT);
                false
            }
        };
        assert_eq!(start, is_there);
        run.end(Duration::ZERO);
        run.let_go();
    }
}

#[test]
fn input_ends_only_when_the_payload_is_said_to_be_delivered() {
    let ground = ground();
    let run = ground.start("cat; echo end", Io::Pipes { stdin: StdinSource::Pipe });
    rustix::io::write(&run.descriptors[2], b"half ").expect("written");
    run.read_until(0, "half ");
    drop(run);
    let (_, mut run, _keepsakes) = ground.take_up();
    rustix::io::write(&run.descriptors[2], b"whole\n").expect("written");
    run.read_until(0, "whole\n");
    run.descriptors.truncate(2);
    run.send(&Request::CloseInput);
    run.read_until(0, "end");
    assert_eq!(run.exit(), ExitKind::Code(0));
    run.let_go();
}

#[test]
fn a_holder_that_waits_takes_little_memory_and_no_processor() {
    let ground = ground();
    let run = ground.start("sleep 1000", PTY);
    let (holder, root) = (run.holder(), run.pid);
    drop(run);
    drop(ground.take_up());
    until("it sleeps", || proc::stat(holder).is_ok_and(|stat| stat.state == b'S'));
    let switches = || status_line(holder, "voluntary_ctxt_switches:");
    // It has yet to see that the link is gone.
    until("it rests", || {
        let before = switches();
        std::thread::sleep(Duration::from_millis(50));
        switches() == before
    });
    let before = switches();
    let kib = super::cost::private_kib(holder);
    // Without its fork server, pages that both had are its own; those of an unoptimised program are more.
    let most = if cfg!(debug_assertions) { 1024 } else { 512 };
    assert!(kib <= most, "{kib} KiB of private memory");
    assert_eq!(status_line(holder, "Threads:"), "1");
    // Nothing to wait for: this is about nothing happening.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(switches(), before);
    let (_, mut run, _keepsakes) = ground.take_up();
    assert_eq!(run.pid, root);
    run.end(Duration::ZERO);
    run.let_go();
    assert!(ground.folder.path().join("holders").exists());
    // Whoever let go removes the name.
    assert_eq!(ground.sockets.runs().expect("runs"), [ground.id]);
    ground.sockets.remove(ground.id).expect("removed");
    assert!(ground.sockets.runs().expect("runs").is_empty());
}

#[test]
fn a_holder_out_of_descriptors_rests_and_takes_the_next_server_when_there_is_room_again() {
    // No room for the connection; room for that alone.
    for room in [0, 1] {
        let ground = ground();
        let run = ground.start("read x </dev/tty", PTY);
        let holder = run.holder();
        let open = || std::fs::read_dir(format!("/proc/{holder}/fd")).map_or(0, Iterator::count);
        let with_link = open();
        drop(run);
        // Its place is free from then on.
        until("the holder has seen that its link is gone", || open() < with_link);
        let is_open = |number: &u64| std::fs::symlink_metadata(format!("/proc/{holder}/fd/{number}")).is_ok();
        let limit = (0..).filter(|number| !is_open(number)).nth(room);
        let pid = rustix::process::Pid::from_raw(holder);
        let limited = Rlimit { current: limit, ..getrlimit(Resource::Nofile) };
        let before = prlimit(pid, Resource::Nofile, limited).expect("limited");
        let link = ground.sockets.connect(ground.id).expect("asked").expect("its holder");
        let rests = || status_line(holder, "voluntary_ctxt_switches:").parse::<u64>().expect("a number");
        let first = rests();
        // One that goes round without a rest never sleeps.
        until("it has rested and looked again", || rests() >= first + 3);
        prlimit(pid, Resource::Nofile, before).expect("no longer limited");
        let mut run = Run { link, pid: 0, descriptors: Vec::new() };
        let (Event::Hello(hello), descriptors) = run.next() else { panic!("no hello") };
        assert_eq!(descriptors.len(), usize::from(hello.descriptors) + 1);
        run.end(Duration::ZERO);
        run.let_go();
    }
}

#[tokio::test]
async fn a_kept_run_that_its_driver_has_lost_is_killed_and_its_socket_is_gone() {
    let mark = unique();
    for ends_already in [false, true] {
        let ground = ground();
        let mut run = ground.start(&format!("trap '' TERM; echo ready; sleep {mark} & while :; do wait; done"), PIPES);
        run.read_until(0, "ready");
        until("the sleeper", || alive(&mark) == 1);
        if ends_already {
            let grace = Duration::from_secs(600);
            run.send(&Request::EndTree { first: FirstStep::Signals(vec![libc::SIGWINCH]), grace });
            run.until_event(|event| matches!(event, Event::FirstSignalSent { .. }).then_some(()));
        }
        drop(run);
        shtask::driver::end_lost(&ground.sockets, ground.id).await.expect("ended");
        assert_eq!(alive(&mark), 0);
        assert!(ground.sockets.runs().expect("runs").is_empty());
        shtask::driver::end_lost(&ground.sockets, ground.id).await.expect("there is nothing to end");
    }
}

#[test]
fn a_kept_run_without_a_socket_is_left_alone_until_it_ends() {
    let server = server();
    let mut spawn = shell("exit 0", PIPES);
    spawn.on_lost = OnLost::Keep;
    let mut run = Run::start(&server, spawn);
    run.until_event(|event| (event == Event::TreeEmpty).then_some(()));
    let holder = run.holder();
    drop(run);
    until("the holder is gone", || proc::stat(holder).map_or(true, |stat| stat.is_over()));
}

#[test]
fn a_link_of_a_holder_that_was_let_go_is_closed() {
    let ground = ground();
    let mut run = ground.start("true", PIPES);
    run.exit();
    let mut waiting = ground.sockets.connect(ground.id).expect("asked").expect("its holder");
    run.let_go();
    wait_ready(&waiting, PollFlags::IN);
    assert!(matches!(waiting.receive(), Err(LinkError::Closed | LinkError::Io(_))));
}
