//! Search everywhere, the history browser, replays and merged logs, in the real program.

use super::product::open;

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
