//! A run's holder as its driver sees it, for tests.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use shtask::holder::{
    Event, FirstStep, HolderLink, HolderServer, Io, Left, LinkError, OnLost, Request, Spawn, SpawnStage, StdinSource,
};
use shtask::sys::proc;
use shtask::sys::wait::ExitKind;

/// How long anything may take on a loaded machine.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

/// A command with pipes and no input.
pub(super) const PIPES: Io = Io::Pipes { stdin: StdinSource::Null };
/// A command in a terminal.
pub(super) const PTY: Io = Io::Pty { cols: 80, rows: 24 };

/// Starts a fork server from the real program.
pub(super) fn server() -> HolderServer {
    HolderServer::start(Path::new(env!("CARGO_BIN_EXE_shtask"))).expect("fork server")
}

/// A number that only one test uses, as the argument of a `sleep` that is to be found.
pub(super) fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}", 100_000_000 + u64::from(std::process::id()) * 1000 + next)
}

/// Counts living processes that have this argument.
pub(super) fn alive(argument: &str) -> usize {
    count_alive(argument, |_| true)
}

/// Counts living processes of this name that have this argument.
pub(super) fn alive_as(name: &str, argument: &str) -> usize {
    count_alive(argument, |stat| stat.comm == name)
}

fn count_alive(argument: &str, fits: impl Fn(&proc::Stat) -> bool) -> usize {
    let pids = proc::all_pids().expect("a list of processes");
    pids.into_iter()
        .filter(|pid| {
            let arguments = proc::read_all(&format!("/proc/{pid}/cmdline"), 1 << 20).unwrap_or_default();
            let found = arguments.split(|byte| *byte == 0).any(|found| found == argument.as_bytes());
            found && proc::stat(*pid).is_ok_and(|stat| !stat.is_over() && fits(&stat))
        })
        .count()
}

/// Waits until a condition holds.
pub(super) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A request to start a shell command line.
pub(super) fn shell(script: &str, io: Io) -> Spawn {
    command(&["/bin/sh", "-c", script], io)
}

/// A request to start a command.
pub(super) fn command(argv: &[&str], io: Io) -> Spawn {
    let env = ["PATH", "LANG"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
    Spawn {
        program: argv[0].into(),
        argv: argv.iter().map(OsString::from).collect(),
        env: env.into(),
        cwd: "/".into(),
        io,
        marker: OsString::new(),
        on_lost: OnLost::End { grace: Duration::ZERO },
    }
}

/// One run. Dropping it loses the link, which ends what is left of it.
pub(super) struct Run {
    pub(super) link: HolderLink,
    pub(super) pid: i32,
    pub(super) descriptors: Vec<OwnedFd>,
}

/// What a stop did.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) signalled: u32,
    pub(super) killed: u32,
    pub(super) left: Vec<Left>,
}

impl Run {
    pub(super) fn start(server: &HolderServer, spawn: Spawn) -> Self {
        Self::try_start(server, spawn).expect("spawned")
    }

    pub(super) fn try_start(server: &HolderServer, spawn: Spawn) -> Result<Self, (SpawnStage, i32)> {
        let mut run = Self { link: server.open().expect("a link"), pid: 0, descriptors: Vec::new() };
        run.send(&Request::Spawn(Box::new(spawn)));
        match run.next() {
            (Event::Spawned { pid, start_ticks }, descriptors) => {
                assert!(start_ticks > 0);
                run.pid = pid;
                run.descriptors = descriptors;
                Ok(run)
            }
            (Event::SpawnFailed { stage, errno }, _) => Err((stage, errno)),
            (other, _) => panic!("unexpected {other:?}"),
        }
    }

    pub(super) fn send(&mut self, request: &Request) {
        self.link.send(request).expect("sent");
        while !self.link.flush().expect("flushed") {
            wait_ready(&self.link, PollFlags::OUT);
        }
    }

    /// The next event; panics when the link ends or nothing comes.
    pub(super) fn next(&mut self) -> (Event, Vec<OwnedFd>) {
        loop {
            if let Some(event) = self.link.receive().expect("an event") {
                return event;
            }
            wait_ready(&self.link, PollFlags::IN);
        }
    }

    pub(super) fn event(&mut self) -> Event {
        self.next().0
    }

    /// Passes over events until one fits.
    pub(super) fn until_event<T>(&mut self, mut fits: impl FnMut(Event) -> Option<T>) -> T {
        loop {
            if let Some(found) = fits(self.event()) {
                return found;
            }
        }
    }

    pub(super) fn exit(&mut self) -> ExitKind {
        self.until_event(|event| match event {
            Event::RootExited { how } => Some(how),
            _ => None,
        })
    }

    pub(super) fn end(&mut self, grace: Duration) -> Ended {
        self.send(&Request::EndTree { first: FirstStep::Signals(Vec::new()), grace });
        self.ended()
    }

    pub(super) fn ended(&mut self) -> Ended {
        self.until_event(|event| match event {
            Event::TreeEnded { signalled, killed, left } => Some(Ended { signalled, killed, left }),
            _ => None,
        })
    }

    /// Lets go and waits until the holder has closed the link.
    pub(super) fn let_go(mut self) {
        self.send(&Request::LetGo);
        loop {
            match self.link.receive() {
                Ok(Some(_)) => {}
                Ok(None) => wait_ready(&self.link, PollFlags::IN),
                Err(LinkError::Closed) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Reads one of the run's descriptors to its end.
    pub(super) fn read_to_end(&self, index: usize) -> String {
        let mut all = String::new();
        while self.read_some(index, &mut all) {}
        all
    }

    /// Reads until the output has a text in it.
    pub(super) fn read_until(&self, index: usize, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert!(self.read_some(index, &mut all), "ended before {text:?}: {all:?}");
        }
        all
    }

    fn read_some(&self, index: usize, all: &mut String) -> bool {
        let fd = &self.descriptors[index];
        let mut buffer = [0_u8; 4096];
        loop {
            match rustix::io::read(fd, &mut buffer) {
                // A PTY whose last slave is closed.
                Ok(0) | Err(rustix::io::Errno::IO) => return false,
                Ok(count) => {
                    all.push_str(&String::from_utf8_lossy(&buffer[..count]));
                    return true;
                }
                Err(rustix::io::Errno::AGAIN) => wait_ready(fd, PollFlags::IN),
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The holder's process id: the root's parent.
    pub(super) fn holder(&self) -> i32 {
        proc::stat(self.pid).expect("the root").ppid
    }
}

/// Waits until a descriptor is ready, or panics.
pub(super) fn wait_ready(fd: impl AsFd, wanted: PollFlags) {
    let timeout = Timespec { tv_sec: i64::try_from(DEADLINE.as_secs()).expect("fits"), tv_nsec: 0 };
    let count = poll(&mut [PollFd::new(&fd, wanted)], Some(&timeout)).expect("poll");
    assert!(count > 0, "nothing came in time");
}

/// Reads `NAME:` of a `/proc/PID/status`.
pub(super) fn status_line(pid: i32, name: &str) -> String {
    let status = proc::read_all(&format!("/proc/{pid}/status"), 1 << 16).expect("a status");
    String::from_utf8_lossy(&status)
        .lines()
        .find_map(|line| line.strip_prefix(name).map(|rest| rest.trim().to_owned()))
        .expect("the line")
}
