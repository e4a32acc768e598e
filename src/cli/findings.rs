//! What `doctor` has found, and how it is told.

use serde_json::json;

use super::console::Console;
use super::exit::{Exit, Fault};
use super::table::{Table, TableCell};
use crate::model::shown;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Good,
    /// Something may not work.
    Doubtful,
    /// Something does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// How it is.
    pub level: Level,
    /// What was found, in plain words.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Finding {
    /// Makes one that is as it should be.
    pub fn good(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, level: Level::Good, text: text.into(), hint: None }
    }

    /// Makes one because of which something may not work.
    pub fn doubtful(what: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding { what, level: Level::Doubtful, text: text.into(), hint: Some(hint.into()) }
    }

    /// Makes one because of which something does not work.
    pub fn bad(what: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding { what, level: Level::Bad, text: text.into(), hint: Some(hint.into()) }
    }
}

/// Tells what was found; 1 when something does not work.
///
/// # Errors
/// When it cannot be written.
pub fn tell(findings: &[Finding], console: &mut Console) -> Result<Exit, Fault> {
    if console.look.json {
        let all: Vec<_> = findings
            .iter()
            .map(|found| json!({ "what": found.what, "level": word(found.level), "text": found.text, "hint": found.hint }))
            .collect();
        console.json(&json!({ "findings": all }))?;
    } else {
        let mut table = Table::new(["", "", ""]);
        for found in findings {
            let hint = found.hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
            let text = shown(format!("{}{hint}", found.text));
            table.row([TableCell::painted(word(found.level), paint(found.level)), found.what.into(), text.into()]);
        }
        // Whole sentences: cutting them would take away the hint.
        let text = table.text(None, console.look.colored);
        console.bytes(text.as_bytes())?;
    }
    let is_bad = findings.iter().any(|found| found.level == Level::Bad);
    Ok(if is_bad { Exit::FAILED } else { Exit::DONE })
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Good => "ok",
        Level::Doubtful => "look",
        Level::Bad => "bad",
    }
}

fn paint(level: Level) -> &'static str {
    match level {
        Level::Good => "32",
        Level::Doubtful => "33",
        Level::Bad => "31",
    }
}
