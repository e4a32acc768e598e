//! Who uses this program: a person at a terminal, or an agent (S4.4).

use crate::cli::Global;
use crate::model::{ErrorCode, Failure, Typist, TypistKind};
use crate::settings::process_env;

/// Tells who uses this program, for whose writes and holds of keyboards it is. `program` is how it is called when it is a person's.
///
/// An agent is who says so (`--as agent`, or `SHTASK_AS=agent` for all that an agent starts), and whoever calls from inside a run; everybody else is a
/// person, and so is who says that.
///
/// # Errors
/// [`ErrorCode::Invalid`] when `SHTASK_AS` is neither.
pub(super) fn who(global: &Global, program: &str) -> Result<Typist, Failure> {
    let said = match (global.who, process_env("SHTASK_AS")) {
        (Some(who), _) => Some(who.into()),
        (None, Some(word)) => Some(kind(&word.to_string_lossy())?),
        (None, None) => None,
    };
    let task = process_env("SHTASK_TASK").filter(|task| !task.is_empty()).or_else(|| process_env("SHTASK_RUN_ID"));
    let run = process_env("SHTASK").and(task).map(|task| task.to_string_lossy().into_owned());
    let is_inside = run.is_some() && program != "attach" && program != "shtask";
    Ok(match said.unwrap_or(if is_inside { TypistKind::Agent } else { TypistKind::Person }) {
        TypistKind::Agent => {
            let name = run.map_or_else(|| "an agent".to_owned(), |run| format!("an agent in {run}"));
            Typist::new(TypistKind::Agent, name)
        }
        TypistKind::Person => {
            let terminal = std::fs::read_link("/proc/self/fd/0").ok();
            let terminal = terminal.as_deref().and_then(|path| path.strip_prefix("/dev").ok());
            let at = terminal.filter(|path| path.starts_with("pts") || path.to_string_lossy().starts_with("tty"));
            let name = match at {
                Some(at) => format!("{program} on {}", at.display()),
                None => format!("{program} (pid {})", std::process::id()),
            };
            Typist::new(TypistKind::Person, name)
        }
    })
}

fn kind(word: &str) -> Result<TypistKind, Failure> {
    match word {
        "person" => Ok(TypistKind::Person),
        "agent" => Ok(TypistKind::Agent),
        _ => {
            let message = format!("SHTASK_AS is `{word}`: it says who uses shtask, a person or an agent");
            Err(Failure::new(ErrorCode::Invalid, message)
                .with_hint("SHTASK_AS=agent, SHTASK_AS=person, or leave it out"))
        }
    }
}
