//! From words to [`Args`], and what is said about wrong ones.

use std::ffi::OsString;

use clap::error::ErrorKind;
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
    let verb = verb_of(&words);
    // Only of paths, commands and variables it may be more than text; those do not fail so.
    let odd = words.iter().skip(1).find(|word| word.to_str().is_none()).map(shown);
    let wrong = |error: &clap::Error| match &odd {
        Some(odd) if error.kind() == ErrorKind::InvalidUtf8 => {
            let failure = Failure::new(ErrorCode::Invalid, format!("\"{odd}\" is no UTF-8 text"));
            failure.with_hint("only paths, commands and variables may have other bytes")
        }
        Some(_) | None => wrong(error, &verb),
    };
    let matches = match Args::command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) if !error.use_stderr() => {
            let text = error.render();
            return Parsed::Text { plain: text.to_string(), colored: text.ansi().to_string() };
        }
        Err(error) => return Parsed::Wrong { failure: wrong(&error), json },
    };
    match Args::from_arg_matches(&matches) {
        Ok(mut args) => {
            if let (Some(Verb::Write(write)), Some(("write", matches))) = (&mut args.verb, matches.subcommand()) {
                write.order = write_order(matches);
            }
            Parsed::Args(Box::new(args))
        }
        Err(error) => Parsed::Wrong { failure: wrong(&error), json },
    }
}

/// Returns the program's name with the verbs that the words name, and the commands that may follow.
fn verb_of(words: &[OsString]) -> (String, Vec<String>) {
    let mut command = Args::command();
    let mut path = command.get_name().to_owned();
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(next) = command.find_subcommand(word).cloned() {
            path = format!("{path} {}", next.get_name());
            command = next;
        }
    }
    let names = command.get_subcommands().map(|next| next.get_name().to_owned()).collect();
    (path, names)
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
fn wrong(error: &clap::Error, (verb, commands): &(String, Vec<String>)) -> Failure {
    let help = format!("{verb} --help shows how it is used");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let message = format!("{verb} needs one of these words behind it: {}", commands.join(", "));
        return Failure::new(ErrorCode::Invalid, message).with_hint(help);
    }
    let report = error.render().to_string();
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
            // A negative number is no value of any option, behind `--` either.
            if text.strip_prefix("to pass '-").is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit())) {
                continue;
            }
            tip = tip.or_else(|| Some(text.to_owned()));
        } else if let Some(text) = text.strip_prefix("Usage: ") {
            usage = Some(format!("usage: {text}"));
        }
    }
    let failure = Failure::new(ErrorCode::Invalid, message);
    failure.with_hint(tip.or(usage).unwrap_or(help))
}
