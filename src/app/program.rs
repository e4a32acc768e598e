//! From the command line to an exit code.

use std::process::ExitCode;

use super::{config, doctor, render, serve, tui, verbs};
use crate::cli::{self, Args, Console, Exit, Fault, Parsed, ServeArgs, Verb};

/// Runs the program as its arguments say; returns its exit code.
pub fn main() -> ExitCode {
    let args = match cli::parse(std::env::args_os().collect()) {
        Parsed::Args(args) => args,
        Parsed::Text { plain, colored } => {
            let mut console = Console::of_process(false);
            let text = if console.look.colored { colored } else { plain };
            let printed = console.bytes(text.as_bytes());
            return code(console.end(printed.map(|()| Exit::DONE)));
        }
        Parsed::Wrong { failure, json } => {
            let mut console = Console::of_process(json);
            console.fail(&failure);
            return code(Exit::USAGE);
        }
    };
    let Args { global, verb } = *args;
    let verb = verb.unwrap_or(Verb::Tui);
    if let Verb::Serve(ServeArgs { detached: true, .. }) = verb {
        // Before anything else has a copy of the pipe by which it tells that it listens.
        return code(serve::detached(&global));
    }
    let mut console = Console::of_process(global.json);
    let outcome = match &verb {
        Verb::Tui => tui::open(&global, &mut console).map_err(Fault::from),
        Verb::Render(asked) => render::render(asked, &mut console),
        Verb::Completions(asked) => cli::completions(asked, &mut console),
        Verb::Man(asked) => cli::man(asked, &mut console),
        Verb::Config(asked) => config::perform(*asked, &global, &mut console),
        Verb::Doctor => doctor::perform(&global, &mut console),
        Verb::Serve(asked) => serve::serve(*asked, &global, &mut console),
        Verb::Run(_)
        | Verb::Ls(_)
        | Verb::Show(_)
        | Verb::Read(_)
        | Verb::Logs(_)
        | Verb::Write(_)
        | Verb::Resize(_)
        | Verb::Signal(_)
        | Verb::Stop(_)
        | Verb::Restart(_)
        | Verb::Rename(_)
        | Verb::Wait(_)
        | Verb::Attach(_)
        | Verb::Why(_)
        | Verb::Search(_)
        | Verb::Summary
        | Verb::History(_)
        | Verb::Prune(_)
        | Verb::Reap(_)
        | Verb::Replay(_)
        | Verb::Export(_)
        | Verb::Server(_)
        | Verb::Session(_) => verbs::perform(&verb, &global, &mut console),
    };
    code(console.end(outcome))
}

fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit.0)
}
