//! How the user is told when nobody looks: by the terminal, or by a program.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::settings::Notify;

use super::event::Event;
use super::perform::Awaited;

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What the terminal is to be given. The words have no control characters; what would end a part of the sequence is left out.
pub(super) fn sequences(ways: &[Notify], name: &str, what: &str) -> String {
    let clean = |text: &str| text.replace([';', '\u{1b}', '\u{7}', '\u{9c}'], " ");
    let (name, what) = (clean(name), clean(what));
    let sequence = |way: &Notify| match way {
        Notify::Bell => "\u{7}".to_owned(),
        Notify::Osc9 => format!("\u{1b}]9;{name} {what}\u{1b}\\"),
        Notify::Osc777 => format!("\u{1b}]777;notify;shtask;{name} {what}\u{1b}\\"),
        Notify::Osc99 => format!("\u{1b}]99;;{name} {what}\u{1b}\\"),
        Notify::Command(_) => String::new(),
    };
    ways.iter().map(sequence).collect()
}

/// Starts the programs that tell the user; each gets two more arguments: the name of the run and what has happened.
pub(super) fn programs(ways: &[Notify], name: &str, what: &str) -> Vec<Awaited> {
    let start = |way: &Notify| {
        let Notify::Command(argv) = way else { return None };
        let mut argv = argv.clone();
        argv.extend([name.to_owned(), what.to_owned()]);
        let awaited: Awaited = Box::pin(async move {
            let told = tokio::task::spawn_blocking(move || tell(&argv)).await;
            if let Ok(Err(error)) = told {
                tracing::warn!(%error, "the program of tui.notify has failed");
            }
            Event::Done
        });
        Some(awaited)
    };
    ways.iter().filter_map(start).collect()
}

fn tell(argv: &[String]) -> io::Result<()> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() >= PATIENCE {
            // It may have just ended; then there is nothing to end.
            let _ = child.kill();
            child.wait()?;
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_end_a_sequence_early() {
        let all = [Notify::Bell, Notify::Osc9, Notify::Osc777, Notify::Osc99];
        let text = sequences(&all, "a;\u{1b}]0;x\u{7}b", "has failed");
        assert_eq!(
            text,
            "\u{7}\u{1b}]9;a  ]0 x b has failed\u{1b}\\\u{1b}]777;notify;shtask;a  ]0 x b has failed\u{1b}\\\
             \u{1b}]99;;a  ]0 x b has failed\u{1b}\\"
        );
        assert_eq!(sequences(&[], "a", "b"), "");
    }

    #[test]
    fn a_program_is_given_run_and_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = folder.path().join("told");
        let line = format!("echo \"$1: $2\" > {}", told.display());
        let argv = ["sh", "-c", &line, "sh", "web", "has failed"].map(str::to_owned);
        tell(&argv).expect("it runs");
        assert_eq!(std::fs::read_to_string(told).expect("it wrote"), "web: has failed\n");
        assert!(tell(&["/nowhere/notify".to_owned()]).is_err());
    }
}
