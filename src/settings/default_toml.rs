//! The default configuration as a commented file.

use std::fmt::Write as _;

use super::keys::{KeyEntry, sections};

const HEAD: &str = "\
# Every key of shtask's configuration with its default or, where it has none, an example.
#
# shtask reads shtask.toml of the project, searched upwards from the working directory, and under it your own
# $XDG_CONFIG_HOME/shtask/config.toml (~/.config/shtask/config.toml). An unknown key is an error.
# This file is made from the code (`settings::default_toml`) and checked by a test.
";

/// Returns the commented default configuration: every key, with its meaning. Uncommented, the values of all tables but tasks
/// are those in force without any file.
pub fn default_toml() -> String {
    let mut text = String::from(HEAD);
    for section in sections() {
        let heading = section.heading.replace("NAME", "example").replace("PART", "list");
        // These stay comments: the file as it is has no task, and it can be copied to a project, where [tui] and [retention] are refused.
        let mark =
            if matches!(section.heading, "limits" | "defaults" | "output" | "redact" | "store") { "" } else { "# " };
        write!(text, "\n# {}\n{mark}[{heading}]\n", section.about).expect("writing to a string does not fail");
        section.entries.iter().for_each(|entry| write_entry(&mut text, entry));
    }
    text
}

fn write_entry(text: &mut String, entry: &KeyEntry) {
    let example = if entry.is_default { "" } else { " Example:" };
    writeln!(text, "# {}{example}\n# {} = {}", entry.about, entry.name, entry.value)
        .expect("writing to a string does not fail");
}
