//! The descriptors of a run: a PTY, or pipes.

use std::io;
use std::os::fd::OwnedFd;

use crate::sys::{fd, tty};

use super::event::SpawnStage;
use super::launch::{Ends, Failure};
use super::request::{Io, StdinSource};

/// What a spawn hands out: the command's ends, the driver's, and the holder's own.
#[derive(Debug)]
pub(super) struct Descriptors {
    pub(super) ends: Ends,
    pub(super) driver: Vec<OwnedFd>,
    pub(super) terminal: Option<OwnedFd>,
    pub(super) pipes: Vec<OwnedFd>,
}

impl Descriptors {
    /// Opens them; all that goes to the driver is non-blocking.
    pub(super) fn open(io: Io) -> Result<Self, Failure> {
        let at = |stage| move |error: io::Error| Failure::new(stage, &error);
        match io {
            Io::Pty { cols, rows } => {
                let at = at(SpawnStage::Pty);
                let (master, slave) = tty::open_pair(cols, rows).map_err(at)?;
                fd::set_nonblocking(&master, true).map_err(at)?;
                Ok(Self {
                    ends: Ends::Terminal(slave),
                    driver: vec![fd::duplicate(&master).map_err(at)?],
                    terminal: Some(master),
                    pipes: Vec::new(),
                })
            }
            Io::Pipes { stdin } => {
                let at = at(SpawnStage::Pipe);
                let (output, output_end) = fd::pipe().map_err(at)?;
                let (errors, errors_end) = fd::pipe().map_err(at)?;
                let mut driver = vec![fd::duplicate(&output).map_err(at)?, fd::duplicate(&errors).map_err(at)?];
                let input_end = match stdin {
                    StdinSource::Null => fd::null().map_err(at)?,
                    StdinSource::Pipe => {
                        let (input_end, input) = fd::pipe().map_err(at)?;
                        driver.push(input);
                        input_end
                    }
                };
                for descriptor in &driver {
                    fd::set_nonblocking(descriptor, true).map_err(at)?;
                }
                Ok(Self {
                    ends: Ends::Separate([input_end, output_end, errors_end]),
                    driver,
                    terminal: None,
                    pipes: vec![output, errors],
                })
            }
        }
    }

    /// The write end of standard input, where there is one.
    pub(super) fn input(&self) -> Option<&OwnedFd> {
        // Of pipes it is the third, behind both outputs.
        self.driver.get(2)
    }
}
