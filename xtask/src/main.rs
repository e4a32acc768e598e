//! Makes the project's screenshots: the real program in a real terminal, driven by keys, drawn as SVG.
//!
//! `cargo run -p xtask -- screenshots [VIEW…]` makes those of the README; `cargo run -p xtask -- picture 100x30 OUT.svg
//! PROGRAM [ARG…]` makes one of any program once it has become quiet.

use std::path::PathBuf;
use std::process::ExitCode;

#[path = "../../src/screen/picture/boxes.rs"]
mod boxes;
mod colours;
#[expect(dead_code, reason = "the terminal of the tests has more than the screenshots need")]
#[cfg_attr(not(test), expect(unused_imports, reason = "the same"))]
#[path = "../../tests/it/harness/mod.rs"]
mod harness;
mod picture;
mod screenshots;
mod svg;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["screenshots", views @ ..] => screenshots::make(views),
        ["picture", size, out, program, arguments @ ..] => picture::make(size, &PathBuf::from(out), program, arguments),
        _ => Err("usage: xtask screenshots [VIEW…] | xtask picture COLSxROWS OUT.svg PROGRAM [ARG…]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
