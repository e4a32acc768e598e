//! From a request to what is really executed: program, arguments, environment and working directory (S3.2, S3.3).
//!
//! All that can be known to fail is found here, before a record of the run exists.

mod check;
mod dotenv;
mod environment;
mod error;
mod exec_failure;
mod local;

pub use dotenv::DotenvError;
pub use environment::{EnvVar, RunIdentity};
pub use error::LaunchError;
pub use exec_failure::exec_failure;
pub use local::{Resolved, local, stop_command};
