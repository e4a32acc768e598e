//! Search everywhere, the history browser, replays and merged logs, in the real program.

use std::path::PathBuf;

use super::product::{home, launch, one, open};
use super::server::Served;

const CONFIG: &str = r#"
[tasks.web]
run = 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "web-$i."; done; exec sleep 1000'
[tasks.api]
run = 'echo api-first; echo api-trouble >&2; exec sleep 1000'
mode = "pipes"
[tasks.job]
run = 'i=0; while [ $i -lt 90 ]; do i=$((i+1)); echo "job-$i."; done; printf "\033[31mtrouble\033[0m ahead\n"; exit 3'
"#;

#[test]
fn trouble_in_a_finished_run_is_found_and_gone_to() {
    let mut terminal = open(CONFIG);
    terminal.wait_for_text("failed 3");
    terminal.wait_for_text("web-200.");
    terminal.keys("F");
    terminal.wait_for_text("Search everywhere");
    terminal.keys("trouble<Enter>");
    terminal.wait_for("both runs", |screen| screen.has("trouble ahead") && screen.has("api-trouble"));
    // Both were started at the same time: either may be the newer one, which comes first.
    let text = terminal.screen().text();
    if text.find("api-trouble") < text.find("trouble ahead") {
        terminal.keys("<Down>");
    }
    terminal.keys("<Enter>");
    terminal.wait_for("the place in the log of the finished run", |screen| {
        screen.has("log of job") && screen.has("line 91") && screen.has("job-88.") && screen.has("1/1")
    });
    terminal.keys("<Esc>");
    terminal.wait_for_text("Search everywhere");
    terminal.keys("<Esc>");
    terminal.wait_for("the list again", |screen| screen.has("web-200.") && !screen.has("Search everywhere"));
}

#[test]
fn what_is_found_everywhere_is_shown_while_the_search_goes_on() {
    let home = home("[tasks.old]\nrun = 'echo needle-old'\nmode = 'pipes'\n[tasks.web]\nrun = 'echo needle-web'\n");
    let mut terminal = launch(&home).start();
    terminal.wait_for("both to end", |screen| screen.has("pipes completed") && screen.has("pty   completed"));
    let inside =
        |folder: PathBuf| std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("there").path());
    let project = inside(home.folder("state").join("shtask/projects")).next().expect("the folder of the project");
    let mut logs = inside(project.join("logs")).map(|run| run.join("000001.stdout"));
    let old = logs.find(|log| log.exists()).expect("the log of the run with pipes");
    // Nobody has read that much by the end of the day.
    let file = std::fs::File::options().write(true).open(old).expect("the log");
    file.set_len(1 << 40).expect("a file with a hole");
    terminal.keys("Fneedle<Enter>");
    terminal.wait_for("a hit and how far it is", |screen| {
        screen.has("needle-old") && screen.has("searching…") && screen.has("of 2 runs")
    });
    terminal.keys("<Enter>");
    terminal.wait_for("its place", |screen| screen.has("log of ") && screen.has("line 1"));
    terminal.keys("<Esc>");
    terminal.wait_for("the search, which went on", |screen| screen.has("Search everywhere") && screen.has("of 2 runs"));
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("Search everywhere");
}

/// What a run prints after its log was opened is shown, by the next server as well.
#[test]
fn the_log_of_a_hit_goes_on_with_its_run() {
    const LINE: &str = "echo the-needle; for n in 1 2; do while ! [ -e go-$n ]; do sleep 0.05; done; echo and-then-$n; done; exec sleep 1000";
    for mode in ["pty", "pipes"] {
        let served = Served::new(&one(LINE, &format!("mode = '{mode}'")));
        let mut terminal = served.open_sized(100, 30);
        terminal.keys("s");
        terminal.wait_for_text("the-needle");
        terminal.keys("F");
        terminal.wait_for_text("Search everywhere");
        terminal.keys("needle<Enter>");
        terminal.wait_for_text("Enter goes there");
        terminal.keys("<Enter>");
        terminal.wait_for_text("log of task");
        served.0.write("go-1", "");
        terminal.wait_for_text("and-then-1");
        terminal.keys("G");
        terminal.wait_for_text("follows");
        served.kill_server();
        terminal.wait_for_text("the server is there again");
        served.0.write("go-2", "");
        terminal.wait_for_text("and-then-2");
        assert_eq!(terminal.screen().count("and-then-1"), 1, "{}", terminal.picture());
        served.verb(&["stop", "task"]);
        terminal.wait_for_no_text("follows");
        terminal.wait_for_text("the end");
    }
}

#[test]
fn more_than_a_thousand_lines_are_gone_through() {
    let mut terminal = open("[tasks.job]\nrun = 'seq 1 2500 | sed s/^/trouble-/'\n");
    terminal.wait_for_text("trouble-2500");
    terminal.keys("Ftrouble<Enter>");
    terminal.wait_for_text("the first 1000 lines in 1 run");
    for wanted in ["the first 2000 lines in 1 run", "2500 lines in 1 run"] {
        terminal.keys(&"<PgDn>".repeat(80));
        terminal.wait_for_text(wanted);
    }
    terminal.keys(&"<PgDn>".repeat(80));
    terminal.wait_for_text("2500 trouble-2500");
}

#[test]
fn a_finished_run_is_looked_at_and_replayed_from_the_history() {
    let mut terminal = open(CONFIG);
    terminal.wait_for_text("failed 3");
    terminal.keys("H");
    terminal.wait_for("the finished run", |screen| screen.has("History") && screen.has("1 of 1"));
    terminal.keys("<Enter>");
    terminal.wait_for("its last screen", |screen| screen.has("as it ended") && screen.has("job-90."));
    terminal.keys("g");
    terminal.wait_for("its scrollback", |screen| screen.has("job-1.") && screen.has("job-20."));
    terminal.keys("<Esc>");
    terminal.wait_for_text("1 of 1");
    terminal.keys("p");
    terminal.wait_for("the end of the replay", |screen| screen.has("replay of job") && screen.has("trouble ahead"));
    terminal.keys("<Esc>");
    terminal.wait_for_text("1 of 1");
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("1 of 1");
}

#[test]
fn marked_runs_are_read_in_one_and_followed() {
    let mut terminal = open(
        "[tasks.one]\nrun = 'echo from-one; while :; do n=$((n+1)); echo tick-$n; sleep 0.2; done'\n\
         [tasks.two]\nrun = 'echo from-two; exec sleep 1000'\nmode = 'pipes'\n",
    );
    terminal.wait_for_text("tick-2");
    terminal.keys("  =");
    terminal.wait_for("lines of both with their names", |screen| {
        screen.has("one │ from-one") && screen.has("two │ from-two") && screen.has("one │ tick-1")
    });
    terminal.wait_for("what comes later", |screen| screen.has("one │ tick-12"));
    terminal.keys("<Esc>");
    terminal.wait_for_no_text("two │ from-two");
}
