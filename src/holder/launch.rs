//! Starting a command: the steps between the fork and the exec, and how their failures come back.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::sys::fork::{self, Side, SingleThreaded};
use crate::sys::{fd, signals, tty};

use super::event::SpawnStage;

/// A failed start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) stage: SpawnStage,
    pub(super) errno: i32,
}

impl Failure {
    pub(super) fn new(stage: SpawnStage, error: &io::Error) -> Self {
        Self { stage, errno: error.raw_os_error().unwrap_or(libc::EINVAL) }
    }
}

/// What to execute, and where.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) program: OsString,
    pub(super) argv: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) cwd: OsString,
}

/// The command's ends of its standard descriptors.
#[derive(Debug)]
pub(super) enum Ends {
    /// The slave of its terminal, for all three.
    Terminal(OwnedFd),
    /// Input, output, errors.
    Separate([OwnedFd; 3]),
}

/// A child that has been forked and may not have come to its exec yet.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) pid: i32,
    report: OwnedFd,
}

/// What has become of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has not come to its exec yet.
    Pending,
    /// The program runs, or the child was killed on its way there.
    Ran,
    /// It failed; the child is about to leave.
    Failed(Failure),
}

/// The bytes of a failure on the report pipe: stage and error number.
const REPORT_BYTES: usize = 5;

/// The exit code of a child that could not become the program.
const NOT_EXECUTED: i32 = 127;

/// Forks a child that becomes the program; into a cgroup where one is given and the kernel takes it.
pub(super) fn launch(
    alone: &SingleThreaded,
    program: &Program,
    ends: &Ends,
    cgroup: Option<BorrowedFd<'_>>,
) -> Result<Launched, Failure> {
    let strings = Strings::of(program)?;
    let (report, report_end) = fd::pipe().map_err(|error| Failure::new(SpawnStage::Pipe, &error))?;
    fd::set_nonblocking(&report, true).map_err(|error| Failure::new(SpawnStage::Pipe, &error))?;
    // A stop may come before the child is ready for it: its signals wait until the child empties its mask.
    let blocked = signals::AllBlocked::now().map_err(|error| Failure::new(SpawnStage::Prepare, &error))?;
    let forked = match cgroup.map(|cgroup| alone.fork_into(cgroup)) {
        Some(Ok(side)) => Ok(side),
        Some(Err(_)) | None => alone.fork(),
    };
    match forked.map_err(|error| Failure::new(SpawnStage::Fork, &error))? {
        Side::Parent(pid) => {
            drop(blocked);
            Ok(Launched { pid, report })
        }
        Side::Child => {
            let failure = become_program(&strings, ends);
            let mut bytes = [failure.stage.to_byte(); REPORT_BYTES];
            bytes[1..].copy_from_slice(&failure.errno.to_le_bytes());
            // Nobody is left to tell when this fails; the exit code says it too.
            let _ = rustix::io::write(&report_end, &bytes);
            fork::leave(NOT_EXECUTED)
        }
    }
}

impl Launched {
    /// Looks whether the exec has happened.
    pub(super) fn outcome(&self) -> Outcome {
        let mut bytes = [0_u8; REPORT_BYTES];
        match rustix::io::read(&self.report, &mut bytes) {
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Outcome::Pending,
            Ok(REPORT_BYTES) => {
                let [stage, errno @ ..] = bytes;
                Outcome::Failed(Failure {
                    stage: SpawnStage::from_byte(stage).unwrap_or(SpawnStage::Prepare),
                    errno: i32::from_le_bytes(errno),
                })
            }
            // The exec closed the other end.
            Ok(_) | Err(_) => Outcome::Ran,
        }
    }
}

impl AsFd for Launched {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.report.as_fd()
    }
}

/// The program's strings as the kernel wants them, made before the fork.
struct Strings {
    program: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
}

impl Strings {
    fn of(program: &Program) -> Result<Self, Failure> {
        let invalid = |stage| Failure { stage, errno: libc::EINVAL };
        let string = |bytes: Vec<u8>, stage| CString::new(bytes).map_err(|_| invalid(stage));
        let text = |text: &OsStr, stage| string(text.as_bytes().to_vec(), stage);
        Ok(Self {
            program: text(&program.program, SpawnStage::Exec)?,
            argv: program.argv.iter().map(|arg| text(arg, SpawnStage::Exec)).collect::<Result<_, _>>()?,
            env: program
                .env
                .iter()
                .map(|(name, value)| {
                    let mut entry = name.clone();
                    entry.push("=");
                    entry.push(value);
                    string(entry.into_vec(), SpawnStage::Exec)
                })
                .collect::<Result<_, _>>()?,
            cwd: text(&program.cwd, SpawnStage::Cwd)?,
        })
    }
}

/// Runs in the child: prepares it and executes; comes back only with a failure.
fn become_program(strings: &Strings, ends: &Ends) -> Failure {
    match prepare(strings, ends) {
        Err(failure) => failure,
        Ok(()) => {
            let error = fork::exec(&strings.program, &strings.argv, &strings.env);
            let is_there = || rustix::fs::access(&*strings.program, rustix::fs::Access::EXISTS).is_ok();
            let stage = if error.raw_os_error() == Some(libc::ENOENT) && is_there() {
                SpawnStage::Interpreter
            } else {
                SpawnStage::Exec
            };
            Failure::new(stage, &error)
        }
    }
}

fn prepare(strings: &Strings, ends: &Ends) -> Result<(), Failure> {
    let at = |stage| move |error: io::Error| Failure::new(stage, &error);
    fork::new_session().map_err(at(SpawnStage::Prepare))?;
    let standard = match ends {
        Ends::Terminal(slave) => {
            tty::take_as_controlling(slave).map_err(at(SpawnStage::Pty))?;
            [slave, slave, slave]
        }
        Ends::Separate([input, output, errors]) => [input, output, errors],
    };
    for (target, source) in (0..).zip(standard) {
        fd::make_standard(source.as_fd(), target).map_err(at(SpawnStage::Prepare))?;
    }
    signals::reset_dispositions();
    signals::empty_mask().map_err(at(SpawnStage::Prepare))?;
    rustix::process::chdir(&*strings.cwd).map_err(|error| Failure::new(SpawnStage::Cwd, &error.into()))?;
    fd::mark_all_close_on_exec().map_err(at(SpawnStage::Prepare))
}
