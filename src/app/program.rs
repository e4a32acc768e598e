//! From the command line to an exit code.

use std::process::ExitCode;

use clap::Parser;

use super::args::{Args, Verb};
use super::{embedded, exit, render};

/// Runs the program as its arguments say; returns its exit code.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return exit::usage(&error),
    };
    let outcome = match args.verb.unwrap_or(Verb::Tui) {
        Verb::Tui => embedded::tui(args.config.as_deref(), args.nested),
        Verb::Render(asked) => render::render(&asked),
    };
    outcome.unwrap_or_else(|failure| exit::failed(&failure))
}
