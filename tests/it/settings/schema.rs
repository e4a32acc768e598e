//! The JSON schema says what the parser says.

use serde_json::Value;
use shtask::settings::{Kind, default_toml, schema, sections};

use super::root;

/// Whether a value fits a schema: as much of JSON schema as ours uses. Returns where it does not.
fn misfit(schema: &Value, value: &Value, at: &str) -> Option<String> {
    let no = |why: &str| Some(format!("{at}: {why}"));
    if let Some(ways) = schema["anyOf"].as_array()
        && ways.iter().all(|way| misfit(way, value, at).is_some())
    {
        return no("fits none of several");
    }
    if let Some(ways) = schema["oneOf"].as_array()
        && ways.iter().filter(|way| misfit(way, value, at).is_none()).count() != 1
    {
        return no("does not fit exactly one of several");
    }
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some(other) => panic!("an unknown type {other}"),
        None => true,
    };
    if !fits {
        return no("is of another type");
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        return no("is none of the words");
    }
    if let Some(number) = value.as_i64()
        && (schema["minimum"].as_i64().is_some_and(|least| number < least)
            || schema["maximum"].as_i64().is_some_and(|most| number > most))
    {
        return no("is out of range");
    }
    if schema["required"]
        .as_array()
        .is_some_and(|names| names.iter().any(|name| value.get(name.as_str().unwrap_or("")).is_none()))
    {
        return no("lacks a key");
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(found) = schema.get("items").and_then(|items| misfit(items, item, &format!("{at}[{index}]"))) {
            return Some(found);
        }
    }
    for (name, item) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        let found = match known {
            Some(Value::Bool(false)) => no(&format!("has an unknown key {name}")),
            Some(Value::Bool(true)) | None => None,
            Some(schema) => misfit(schema, item, &format!("{at}.{name}")),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn misfit_of(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().expect("TOML");
    misfit(&schema(&shtask::tui::names()), &serde_json::to_value(table).expect("JSON"), "")
}

#[test]
fn the_configurations_of_the_repository_fit_it() {
    let is_key =
        |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let bare = |line: &str| line.strip_prefix("# ").filter(|rest| is_key(rest)).unwrap_or(line).to_owned();
    // A task has `run` or `argv`, not both, and no [tasks.NAME.stop] beside `stop`.
    let all: String = default_toml().lines().map(|line| bare(line) + "\n").collect();
    let all = all.replace("argv = [\"python3\"", "# argv = [\"python3\"").replace("\nstop = \"SIGINT\"", "\n# stop");
    assert!(all.contains("\nrun = ") && all.contains("[tasks.example.stop]"), "{all}");
    assert_eq!(misfit_of(&all), None);
    let demo = std::fs::read_to_string(root().join("config/demo.toml")).expect("config/demo.toml");
    assert_eq!(misfit_of(&demo), None);
    assert_eq!(misfit_of("[tasks.a]\nargv = ['x']\nstop = 2\nenv = { A = 1 }\nenv_file = ['a', 'b']\n"), None);
    assert_eq!(misfit_of("[keys.list]\nstop = false\nkill = ['X', 'C-k']\n[theme.colors]\nselected = 'red'\n"), None);
}

#[test]
fn what_the_parser_refuses_does_not_fit_it() {
    for (text, at) in [
        ("[limits]\nruns = 0\n", ".limits.runs: is out of range"),
        ("[limits]\nruns = 'many'\n", ".limits.runs: is of another type"),
        ("[limits]\nrnus = 3\n", ".limits: has an unknown key rnus"),
        ("[nothing]\n", ": has an unknown key nothing"),
        ("[defaults]\nmode = 'pipe'\n", ".defaults.mode: is none of the words"),
        ("[tasks.a]\ncwd = 'x'\n", ".tasks.a: does not fit exactly one of several"),
        ("[tasks.a]\nrun = 'x'\nargv = ['x']\n", ".tasks.a: does not fit exactly one of several"),
        ("[tasks.a]\nrun = 'x'\nstop = { signl = 2 }\n", ".tasks.a.stop: fits none of several"),
        ("[keys]\npreset = 'emacs'\n", ".keys.preset: is none of the words"),
        ("[keys.list]\nsotp = 'x'\n", ".keys.list: has an unknown key sotp"),
        ("[keys.list]\nstop = true\n", ".keys.list.stop: fits none of several"),
        ("[theme.colors]\nselectde = 'red'\n", ".theme.colors: has an unknown key selectde"),
    ] {
        assert_eq!(misfit_of(text).as_deref(), Some(at), "{text}");
    }
}

#[test]
fn every_word_of_it_is_taken_and_no_other() {
    let folder = tempfile::tempdir().expect("tempdir");
    std::fs::create_dir(folder.path().join("shtask")).expect("folder");
    let is_taken = |heading: &str, name: &str, value: &str| {
        let command = if heading.starts_with("tasks") { "run = 'x'\n" } else { "" };
        let text = format!("[{}]\n{command}{name} = {value}\n", heading.replace("NAME", "t"));
        std::fs::write(folder.path().join("shtask/config.toml"), text).expect("file");
        let env = |name: &str| (name == "XDG_CONFIG_HOME").then(|| folder.path().into());
        let request = shtask::settings::LoadRequest { start_dir: std::path::Path::new("/"), env: &env, config: None };
        shtask::settings::load(request).is_ok()
    };
    let mut count = 0;
    for section in sections() {
        for entry in section.entries {
            match entry.kind {
                Kind::OneOf(words) => {
                    for word in words {
                        assert!(is_taken(section.heading, entry.name, &format!("'{word}'")), "{}: {word}", entry.name);
                    }
                    assert!(!is_taken(section.heading, entry.name, "'nonsense'"), "{}", entry.name);
                    count += 1;
                }
                Kind::Count(least, most) => {
                    assert!(is_taken(section.heading, entry.name, &least.to_string()), "{}", entry.name);
                    assert!(is_taken(section.heading, entry.name, &most.to_string()), "{}", entry.name);
                    assert!(!is_taken(section.heading, entry.name, &(most + 1).to_string()), "{}", entry.name);
                    count += 1;
                }
                Kind::AsExample | Kind::Bytes | Kind::Texts | Kind::TextsOrFalse | Kind::TextOrTable(_) => {}
            }
        }
    }
    assert!(count > 8, "{count}");
}
