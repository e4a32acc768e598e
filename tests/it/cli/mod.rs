//! The verbs of the command line: over a supervisor in this process, and as the real program over a server. Words in; output, errors and an
//! exit code out.

mod attaching;
mod changing;
mod errors;
mod foreground;
mod ground;
mod jobs;
#[cfg(feature = "test-hooks")]
mod killed;
mod lists;
mod looking;
mod lost;
mod paused;
mod program;
mod real;
mod records;
mod redacted;
mod searching;
mod starting;
mod stopped;
mod unhappy;
mod unprivileged;
mod waiting;
