//! The verbs of the command line over a supervisor in this process: words in; output, errors and an exit code out.

mod changing;
mod errors;
mod ground;
mod looking;
mod records;
mod starting;
mod waiting;
