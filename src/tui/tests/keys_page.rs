//! The tables of `docs/tui.md` are made from the keymap; the words around them are in `tui_page.md`.

use std::fmt::Write as _;
use std::path::Path;

use crate::settings::KeyPreset;
use crate::tui::keymap::Keymap;
use crate::tui::keys::TABLES;
use crate::tui::theme::ROLES;

/// With this variable set the page is written instead of compared.
const UPDATE: &str = "UPDATE_GENERATED";

/// The words around the tables; `{keys}` and `{presets}` stand for them.
const WORDS: &str = include_str!("tui_page.md");

fn shown(keys: &[String]) -> String {
    let keys: Vec<String> = keys.iter().map(|keys| format!("`{keys}`")).collect();
    if keys.is_empty() { "–".into() } else { keys.join(" ") }
}

fn keys() -> String {
    let keymap = Keymap::default();
    let mut text = String::new();
    for table in TABLES {
        let part = table.part.name();
        write!(text, "### {}: `[keys.{part}]`\n\n| key | action | what it does |\n| --- | --- | --- |\n", table.title)
            .expect("to memory");
        for binding in table.bindings {
            let keys = shown(&keymap.labels(table.part, binding.intent));
            writeln!(text, "| {keys} | `{}` | {} |", binding.intent.name(), binding.help).expect("to memory");
        }
        text.push('\n');
    }
    text
}

fn presets() -> String {
    let default = Keymap::default();
    let mut text = String::new();
    for preset in KeyPreset::ALL.into_iter().filter(|preset| *preset != KeyPreset::Default) {
        let keymap = Keymap::preset(preset);
        write!(text, "### `{preset}`\n\n| part | action | keys |\n| --- | --- | --- |\n").expect("to memory");
        for table in TABLES {
            for binding in table.bindings {
                let keys = keymap.labels(table.part, binding.intent);
                if keys != default.labels(table.part, binding.intent) {
                    let (part, action) = (table.part.name(), binding.intent.name());
                    writeln!(text, "| {part} | `{action}` | {} |", shown(&keys)).expect("to memory");
                }
            }
        }
        text.push('\n');
    }
    text
}

fn roles() -> String {
    let mut text = String::from("| role | what it is |\n| --- | --- |\n");
    for (role, about) in ROLES {
        writeln!(text, "| `{}` | {about} |", role.name()).expect("to memory");
    }
    text + "\n"
}

fn page() -> String {
    let page = WORDS.replace("{keys}\n", &keys()).replace("{presets}\n", &presets()).replace("{roles}\n", &roles());
    page.trim_end().to_owned() + "\n"
}

#[test]
fn the_page_of_keys_says_what_the_keymap_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tui.md");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, page()).expect("docs/tui.md is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page(), "docs/tui.md is not up to date: {UPDATE}=1 cargo test keys_page writes it");
}
