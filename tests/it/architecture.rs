//! The plan of the house, enforced: which floor may know which, how long a file may be, and where dangerous things may stand.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A top-level module: its floor and what it may import. Imports only go down. The picture of it is in ARCHITECTURE.md.
struct Module {
    name: &'static str,
    floor: u8,
    may_import: &'static [&'static str],
}

const fn module(floor: u8, name: &'static str, may_import: &'static [&'static str]) -> Module {
    Module { name, floor, may_import }
}

const PLAN: [Module; 23] = [
    module(1, "model", &[]),
    module(1, "redact", &[]),
    module(1, "sys", &[]),
    module(2, "api", &["model"]),
    module(2, "screen", &["model"]),
    module(2, "tail", &["model"]),
    module(2, "store", &["model", "redact", "sys"]),
    module(2, "settings", &["model", "redact"]),
    module(3, "launch", &["model", "settings"]),
    module(3, "holder", &["model", "sys"]),
    module(3, "wire", &["model", "api"]),
    module(3, "tui", &["model", "api", "settings", "screen", "sys"]),
    module(3, "cli", &["model", "api"]),
    module(3, "mcp", &["model", "api"]),
    module(3, "import", &["model", "api", "settings"]),
    module(4, "driver", &["model", "api", "screen", "tail", "redact", "store", "sys", "holder", "launch"]),
    module(4, "server", &["model", "api", "wire", "sys"]),
    module(4, "remote", &["model", "api", "wire", "sys"]),
    module(4, "services", &["model", "api", "settings"]),
    module(5, "supervisor", &["model", "api", "driver", "launch", "store", "holder", "sys"]),
    module(
        6,
        "app",
        &[
            "model",
            "redact",
            "sys",
            "api",
            "screen",
            "tail",
            "store",
            "settings",
            "launch",
            "holder",
            "wire",
            "tui",
            "cli",
            "mcp",
            "import",
            "driver",
            "server",
            "remote",
            "services",
            "supervisor",
        ],
    ),
    // The program's first act is to look whether it is a holder, before anything else is set up in its memory.
    module(7, "main", &["app", "holder"]),
    module(7, "lib", &[]),
];

/// Past 300 lines a file wants a second look, past 400 two things are in it.
const MAX_LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the Rust files below `folder` with their paths from the root of the package.
fn rust_files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                files.push((path.strip_prefix(root()).expect("a path below the root").to_owned(), text));
            }
        }
    }
    files.sort();
    files
}

/// Returns the module path of a file of `src`: `["model", "spec"]` for `src/model/spec.rs`.
fn module_path(file: &Path) -> Vec<String> {
    let inner = file.strip_prefix("src").expect("a file of src").with_extension("");
    let mut parts: Vec<String> = inner.iter().map(|part| part.to_str().expect("text").to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Returns the words and signs of Rust code, without comments, texts and characters.
fn tokens(code: &str) -> Vec<String> {
    let chars: Vec<char> = code.chars().collect();
    let next_is = |at: usize, text: &str| text.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if next_is(at, "//") {
            at += chars[at..].iter().position(|c| *c == '\n').unwrap_or(chars.len() - at);
        } else if next_is(at, "/*") {
            at += 2;
            while at < chars.len() && !next_is(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if let Some(hashes) = raw_text(&chars, at) {
            let end = format!("\"{}", "#".repeat(hashes));
            at += chars[at..].iter().position(|c| *c == '"').expect("a raw text has a quote") + 1;
            while at < chars.len() && !next_is(at, &end) {
                at += 1;
            }
            at += end.len();
        } else if c == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if c == '\'' && (chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'')) {
            // A character; anything else after the sign is a lifetime.
            at += 3;
            while at <= chars.len() && chars.get(at - 1) != Some(&'\'') {
                at += 1;
            }
        } else if c.is_alphanumeric() || c == '_' {
            let length = chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
            found.push(chars[at..at + length].iter().collect());
            at += length;
        } else {
            if next_is(at, "::") {
                found.push("::".into());
                at += 1;
            } else if !c.is_whitespace() {
                found.push(c.into());
            }
            at += 1;
        }
    }
    found
}

/// Returns the number of `#` of a raw text that starts at `at`.
fn raw_text(chars: &[char], at: usize) -> Option<usize> {
    let goes_on = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    let start = match chars[at..] {
        ['r', ..] if !goes_on => at + 1,
        ['b' | 'c', 'r', ..] if !goes_on => at + 2,
        _ => return None,
    };
    let hashes = chars[start..].iter().take_while(|c| **c == '#').count();
    (chars.get(start + hashes) == Some(&'"')).then_some(hashes)
}

/// Returns the first words of the paths that start at `at`: one, or several of a group in braces.
fn first_words(tokens: &[String], at: usize) -> Vec<String> {
    match tokens.get(at).map(String::as_str) {
        Some("{") => {}
        Some(word) => return vec![word.to_owned()],
        None => return vec![],
    }
    let (mut words, mut depth, mut is_first) = (Vec::new(), 0, false);
    for token in &tokens[at..] {
        match token.as_str() {
            "{" => (depth, is_first) = (depth + 1, depth == 0),
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            "," => is_first = depth == 1,
            word if is_first => {
                words.push(word.to_owned());
                is_first = false;
            }
            _ => {}
        }
    }
    words
}

/// Returns the top-level modules that the code of a file names, its own among them.
fn named_modules(module_path: &[String], code: &str) -> Vec<String> {
    let tokens = tokens(code);
    let mut names = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() {
        let starts_path = at == 0 || tokens[at - 1] != "::";
        match tokens[at].as_str() {
            "crate" | "shtask" if tokens[at + 1] == "::" && starts_path => names.extend(first_words(&tokens, at + 2)),
            "super" if starts_path => {
                let mut levels = 0;
                while tokens.get(at).is_some_and(|token| token == "super") {
                    (levels, at) = (levels + 1, at + 2);
                }
                // So many steps lead to the root; from a module inside the file they only might, hence the look into the plan.
                if levels >= module_path.len() {
                    let is_planned = |word: &String| PLAN.iter().any(|module| module.name == word);
                    names.extend(first_words(&tokens, at).into_iter().filter(is_planned));
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

fn forbidden_arrows(file: &Path, code: &str) -> Vec<String> {
    let path = module_path(file);
    let own = path.first().expect("a module").as_str();
    let Some(module) = PLAN.iter().find(|module| module.name == own) else {
        return vec![format!("{}: module `{own}` is not in the plan: say on which floor it stands", file.display())];
    };
    let is_allowed = |name: &String| name == own || module.may_import.contains(&name.as_str());
    let mut names = named_modules(&path, code);
    names.sort();
    names.dedup();
    let fault = |name| format!("{}: `{own}` (floor {}) may not know `{name}`", file.display(), module.floor);
    names.into_iter().filter(|name| !is_allowed(name)).map(fault).collect()
}

fn assert_none(faults: Vec<String>, rule: &str) {
    let mut list = String::new();
    for fault in &faults {
        writeln!(list, "  {fault}").expect("writing to a string does not fail");
    }
    assert!(faults.is_empty(), "{rule} (see ARCHITECTURE.md):\n{list}");
}

#[test]
fn imports_only_go_down_the_floors() {
    let faults = rust_files("src").iter().flat_map(|(file, code)| forbidden_arrows(file, code)).collect();
    assert_none(faults, "imports only go down the floors");
}

#[test]
fn the_plan_itself_only_goes_down() {
    let floor_of = |name: &str| PLAN.iter().find(|module| module.name == name).expect("a module of the plan").floor;
    for module in &PLAN {
        for import in module.may_import {
            assert!(floor_of(import) < module.floor, "{} → {import}", module.name);
        }
    }
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let files = ["src", "tests", "benches"].into_iter().flat_map(rust_files);
    let long = files.filter(|(_, text)| text.lines().count() > MAX_LINES);
    let faults = long.map(|(file, text)| format!("{}: {} lines", file.display(), text.lines().count())).collect();
    assert_none(faults, "a file has at most 500 lines: find the two things that are in it");
}

#[test]
fn only_the_screen_names_vt100_and_only_sys_is_unsafe() {
    let mut faults = Vec::new();
    for (file, code) in rust_files("src") {
        for (word, home) in [("vt100", "screen"), ("unsafe", "sys")] {
            if module_path(&file)[0] != home && tokens(&code).iter().any(|token| token == word) {
                faults.push(format!("{}: `{word}` belongs into src/{home}", file.display()));
            }
        }
    }
    assert_none(faults, "what is dangerous or may change has one home");
}

#[test]
fn a_mod_file_has_no_logic() {
    let is_fault =
        |(file, code): &(PathBuf, String)| file.ends_with("mod.rs") && tokens(code).iter().any(|token| token == "fn");
    let faults = rust_files("src").into_iter().filter(is_fault);
    let faults = faults.map(|(file, _)| format!("{}: has a function", file.display())).collect();
    assert_none(faults, "a mod.rs has its comment and re-exports, no logic");
}

#[test]
fn the_reader_sees_every_form_of_a_path_and_no_text_or_comment() {
    let code = r##"
        use crate::{model::{Size, Mode}, api::Client};
        use super::super::tui::Theme; // crate::cli
        fn f<'a>(x: &'a str) -> crate::store::Store { "crate::mcp"; r#"crate::wire"#; 'c'; '\''; b"\"crate::app"; self::g::<crate::sys::Fd>() }
        /* crate::remote */ pub(crate) fn h() { other::crate_name::x(); super::sibling(); }
    "##;
    let path = ["driver", "x"].map(String::from);
    assert_eq!(named_modules(&path, code), ["model", "api", "tui", "store", "sys"]);
    let faults = forbidden_arrows(Path::new("src/tail/mod.rs"), "use super::driver::X; use super::{tail::Y, model};");
    assert_eq!(faults, ["src/tail/mod.rs: `tail` (floor 2) may not know `driver`"]);
    assert!(forbidden_arrows(Path::new("src/attic/x.rs"), "")[0].contains("not in the plan"));
}
