//! What the processes of runs use, in the list of the real program (S10.6).

use crate::harness::{Marker, Terminal};

use super::product::{home, launch};

const TASKS: &str = "[tasks.busy]\nrun = 'while :; do :; done # MARKER'\n[tasks.idle]\nrun = 'exec sleep MARKER'\n";

fn open(marker: &Marker, own: &str, cols: u16) -> Terminal {
    let home = home(&TASKS.replace("MARKER", &marker.to_string()));
    let folder = home.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), own).expect("a file");
    launch(&home).size(cols, 30).start()
}

/// The share of a processor and the memory in the row of a task.
fn columns(terminal: &Terminal, task: &str) -> Option<(u32, String)> {
    // Below the head lines, and not in the pane beside the list.
    let line = (1..29).map(|row| terminal.screen().part(row, 0, 56)).find(|line| line.contains(task))?;
    let mut words = line.split_whitespace();
    let share = words.find_map(|word| word.strip_suffix('%'))?.parse().ok()?;
    let memory = words.next().filter(|word| word.ends_with(['K', 'M', 'G']))?;
    Some((share, memory.to_owned()))
}

#[test]
fn the_list_shows_processor_and_memory_of_each_runs_processes() {
    let marker = Marker::new();
    let mut terminal = open(&marker, "[tui]\nusage = true\n", 160);
    terminal.wait_alive(&marker, 1);
    terminal.wait_until("both columns in both rows", |terminal| {
        let (busy, idle) = (columns(terminal, "busy"), columns(terminal, "idle"));
        busy.is_some_and(|(share, _)| share > 0) && idle.is_some_and(|(share, _)| share == 0)
    });
    // By the processor, the busy one comes first, whichever way the tasks stand in the file.
    terminal.keys("SSSS");
    terminal.wait_for("sorted by processor", |screen| {
        let row = |text| (1..29).find(|row| screen.part(*row, 0, 56).contains(text));
        screen.has("↓ processor") && row("busy").zip(row("idle")).is_some_and(|(busy, idle)| busy < idle)
    });
    terminal.keys("gx");
    terminal.wait_until("what has ended uses nothing", |terminal| {
        columns(terminal, "busy").is_none() && columns(terminal, "idle").is_some()
    });
}

#[test]
fn without_the_wish_or_the_room_there_are_no_such_columns() {
    let marker = Marker::new();
    for (own, cols) in [("", 160), ("[tui]\nusage = true\n", 100)] {
        let mut terminal = open(&marker, own, cols);
        terminal.wait_alive(&marker, 1);
        terminal.wait_for_text("running");
        assert_eq!((columns(&terminal, "busy"), columns(&terminal, "idle")), (None, None));
    }
}
