//! What is made from the definition of the command line: completions, man pages, the reference.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::args::Args;
use super::args_manage::{CompletionsArgs, ManArgs};
use super::console::Console;
use super::exit::{Exit, Fault};
use crate::model::{ErrorCode, Failure, nearest, shown};

/// Prints a completion script.
///
/// # Errors
/// When it cannot be written.
pub fn completions(args: &CompletionsArgs, console: &mut Console) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "shtask", &mut script);
    console.bytes(&script)?;
    Ok(Exit::DONE)
}

/// Prints a man page, or writes all of them into a folder.
///
/// # Errors
/// No such verb, or they cannot be written.
pub fn man(args: &ManArgs, console: &mut Console) -> Result<Exit, Fault> {
    if let Some(folder) = &args.output_dir {
        write_pages(folder)?;
        return Ok(Exit::DONE);
    }
    let mut command = Args::command();
    command.build();
    let page = match &args.verb {
        None => command,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned();
            let verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let hint = match nearest(verb, verbs) {
                Some(near) => format!("did you mean {near}?"),
                None => "shtask --help lists the verbs".to_owned(),
            };
            let unknown = || Failure::new(ErrorCode::Invalid, format!("there is no verb {}", shown(verb)));
            found.ok_or_else(|| unknown().with_hint(hint))?
        }
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text).map_err(|error| Fault::of_output(&error))?;
    console.bytes(&text)?;
    Ok(Exit::DONE)
}

fn write_pages(folder: &Path) -> Result<(), Failure> {
    let failed = |error| {
        let failure = Failure::new(ErrorCode::Broken, format!("{} cannot be written: {error}", shown(folder)));
        failure.with_hint("name a folder that is yours to write")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Args::command(), folder).map_err(failed)
}

/// Returns the reference of the command line as Markdown, `docs/cli.md`.
pub fn reference() -> String {
    let mut page = String::from(
        "# Command line\n\nMade from the definition of the command line by `.ci/run generate`; `shtask VERB --help` shows the same, \
         `shtask man` prints it as a man page.\n",
    );
    let root = Args::command();
    section(&mut page, &root, "shtask");
    for verb in root.get_subcommands() {
        let name = format!("shtask {}", verb.get_name());
        section(&mut page, verb, &name);
        for inner in verb.get_subcommands() {
            section(&mut page, inner, &format!("{name} {}", inner.get_name()));
        }
    }
    page
}

fn section(page: &mut String, command: &Command, name: &str) {
    let mut command = command.clone().term_width(110).bin_name(name).disable_help_flag(true);
    let help = command.render_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With this variable set the page is written instead of compared.
    const UPDATE: &str = "UPDATE_GENERATED";

    #[test]
    fn the_reference_says_what_the_command_line_takes() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md");
        if std::env::var_os(UPDATE).is_some() {
            std::fs::write(&path, reference()).expect("docs/cli.md is written");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == reference(), "docs/cli.md is not up to date: {UPDATE}=1 cargo test cli::documents writes it");
    }

    #[test]
    fn every_verb_has_help_with_examples() {
        fn check(command: &Command) {
            for verb in command.get_subcommands() {
                assert!(verb.get_about().is_some(), "{} says what it does", verb.get_name());
                if verb.has_subcommands() {
                    check(verb);
                } else {
                    let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
                    assert!(help.contains("Examples:\n"), "{} has examples", verb.get_name());
                }
            }
        }
        check(&Args::command());
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }
}
