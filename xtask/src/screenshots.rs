//! The screenshots of the README, view by view, from the demo configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Home, Launch, Terminal};
use crate::svg;

/// A picture: its file's name, the size of the terminal, and the keys that lead there.
struct View {
    name: &'static str,
    cols: u16,
    rows: u16,
    go: fn(&mut Terminal),
}

const VIEWS: [View; 6] = [
    View { name: "attached-vim", cols: 100, rows: 30, go: attached_vim },
    View { name: "attached-shell", cols: 100, rows: 30, go: attached_shell },
    View { name: "full-screen-program", cols: 100, rows: 30, go: full_screen_program },
    View { name: "inspect", cols: 100, rows: 30, go: inspect },
    View { name: "help", cols: 100, rows: 30, go: help },
    View { name: "small", cols: 40, rows: 12, go: small },
];

/// Makes the views with these names, or all, in `screenshots/`.
///
/// # Errors
///
/// A name that no view has, a program that cannot be built, a file that cannot be written.
pub(crate) fn make(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| VIEWS.iter().all(|view| view.name != **name)) {
        let known: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
        return Err(format!("no view is called {unknown:?}; there are {}", known.join(", ")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project");
    let program = build(root)?;
    let out = root.join("screenshots");
    fs::create_dir_all(&out).map_err(|error| format!("cannot make {}: {error}", out.display()))?;
    for view in VIEWS.iter().filter(|view| names.is_empty() || names.contains(&view.name)) {
        let path = out.join(format!("{}.svg", view.name));
        let drawing = picture(root, &program, view)?;
        fs::write(&path, drawing).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(["build", "--release", "--bin", "shtask"]).current_dir(root).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(_) => return Err("shtask cannot be built".to_owned()),
        Err(error) => return Err(format!("cargo cannot be started: {error}")),
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/shtask"))
}

/// Starts the demo in a home that is called the same each time, goes to the view, and draws it.
fn picture(root: &Path, program: &Path, view: &View) -> Result<String, String> {
    let home = Arc::new(Home::named("shtask-demo"));
    for folder in ["config", "assets"] {
        copy(&root.join(folder), &home.work().join(folder))
            .map_err(|error| format!("cannot copy {folder}: {error}"))?;
    }
    home.write("notes.rs", NOTES);
    let vimrc = home.folder("home").join(".vimrc");
    fs::write(vimrc, "syntax on\nset number nomodeline\n").map_err(|error| format!("cannot write .vimrc: {error}"))?;
    let launch = Launch::in_home(&home, program).args(["--embedded", "--config", "config/demo.toml"]);
    let mut terminal = launch.env("SHELL", "/bin/sh").size(view.cols, view.rows).start();
    terminal.wait_for("the running demo", |screen| screen.has("shell") && screen.has("running"));
    (view.go)(&mut terminal);
    Ok(svg::draw(terminal.screen(), "shtask"))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    fs::copy(from, to).map(drop)
}

/// What vim shows.
const NOTES: &str = r#"//! vim runs here as if it were alone.

use std::time::Duration;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// By itself.
    Exited { code: i32 },
    /// Past its deadline: 124.
    TimedOut(Duration),
}

impl Ending {
    pub fn code(self) -> i32 {
        match self {
            Ending::Exited { code } => code,
            Ending::TimedOut(_) => 124,
        }
    }
}
"#;

/// Starts an ad hoc run of vim and attaches to it.
fn attached_vim(terminal: &mut Terminal) {
    terminal.keys("nvim notes.rs<Enter>");
    terminal.wait_for("the file in vim", |screen| screen.has("19 ") && screen.has("TimedOut"));
    terminal.keys("<Enter>9G");
    terminal.wait_quiet(Duration::from_millis(300));
}

/// Types into the demo's shell.
fn attached_shell(terminal: &mut Terminal) {
    terminal.keys("g");
    terminal.keys("<Enter>ls --color=always -l<Enter>");
    terminal.wait_for_text("notes.rs");
    terminal.keys("stty size; tty; echo $TERM<Enter>");
    terminal.wait_for_text("xterm-256color");
    terminal.wait_quiet(Duration::from_millis(50));
}

/// Looks at the demo's animation.
fn full_screen_program(terminal: &mut Terminal) {
    terminal.keys("jj");
    terminal.wait_for_text("comets");
    // Long enough for the animation to have something to show.
    let end = terminal.raw().len() + 20_000;
    terminal.wait_until("some frames", |terminal| terminal.raw().len() > end);
}

/// Looks into the run that minds no signal: it has a child, and grace.
fn inspect(terminal: &mut Terminal) {
    terminal.keys("Gk");
    terminal.keys("i");
    // The second look at the processes is the first that knows how busy they are.
    terminal.wait_for("the tree and its processor time", |screen| screen.has("sleep") && screen.has("0%"));
}

/// All keys.
fn help(terminal: &mut Terminal) {
    terminal.keys("?");
    terminal.wait_for_text("select the next run");
}

/// A terminal as small as a phone's.
fn small(terminal: &mut Terminal) {
    terminal.keys("jjj");
    terminal.wait_quiet(Duration::from_millis(100));
}
