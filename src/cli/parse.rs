//! From words to [`Args`], and what is said about wrong ones.

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::args::{Args, Verb};
use super::args_change::WritePart;
use crate::model::{ErrorCode, Failure, shown};

/// What the words of a command line come to.
#[derive(Debug)]
pub enum Parsed {
    /// Something to do.
    Args(Box<Args>),
    /// Help or the version: a text to print, without colours and with.
    Text {
        /// For files and pipes.
        plain: String,
        /// For terminals.
        colored: String,
    },
    /// They make no sense.
    Wrong {
        /// Why.
        failure: Failure,
        /// Whether JSON was asked for.
        json: bool,
    },
}

/// Reads a command line; the first word is the program's name.
pub fn parse(words: Vec<OsString>) -> Parsed {
    let json = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let matches = match Args::command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) if !error.use_stderr() => {
            let text = error.render();
            return Parsed::Text { plain: text.to_string(), colored: text.ansi().to_string() };
        }
        Err(error) => return Parsed::Wrong { failure: wrong(&error.render().to_string()), json },
    };
    match Args::from_arg_matches(&matches) {
        Ok(mut args) => {
            if let (Some(Verb::Write(write)), Some(("write", matches))) = (&mut args.verb, matches.subcommand()) {
                write.order = write_order(matches);
            }
            Parsed::Args(Box::new(args))
        }
        Err(error) => Parsed::Wrong { failure: wrong(&error.render().to_string()), json },
    }
}

/// Returns the parts of a write in the order of the command line.
fn write_order(matches: &ArgMatches) -> Vec<WritePart> {
    fn at<T: Clone + Send + Sync + 'static>(
        matches: &ArgMatches,
        id: &str,
        part: impl Fn(T) -> WritePart,
    ) -> Vec<(usize, WritePart)> {
        let values = matches.get_many::<T>(id).into_iter().flatten().cloned();
        matches.indices_of(id).into_iter().flatten().zip(values.map(part)).collect()
    }
    let mut parts = at(matches, "text", WritePart::Text);
    parts.extend(at(matches, "key", WritePart::Key));
    parts.extend(at(matches, "paste", WritePart::Paste));
    parts.sort_by_key(|(index, _)| *index);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Makes an error of one line and a hint of what clap says in several: its paragraphs, the tip, the usage.
fn wrong(report: &str) -> Failure {
    let mut paragraphs = report.split("\n\n");
    let one_line = |text: &str| {
        let words: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        shown(words.join(" "))
    };
    let first = one_line(paragraphs.next().unwrap_or_default());
    let message = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    let (mut tip, mut usage) = (None, None);
    for paragraph in paragraphs {
        let text = one_line(paragraph);
        if let Some(text) = text.strip_prefix("tip: ") {
            tip = tip.or_else(|| Some(text.to_owned()));
        } else if let Some(text) = text.strip_prefix("Usage: ") {
            usage = Some(format!("usage: {text}"));
        }
    }
    let failure = Failure::new(ErrorCode::Invalid, message);
    failure.with_hint(tip.or(usage).unwrap_or_else(|| "shtask --help shows how it is used".to_owned()))
}
