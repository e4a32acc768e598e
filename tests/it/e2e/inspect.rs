//! Inspect and marks in the real program.

use crate::harness::have;

use super::product::open;

#[test]
fn inspect_shows_tree_port_and_variables_without_secrets() {
    if !have("python3") {
        return;
    }
    let server = r#"import socket, time; s = socket.create_server(("127.0.0.1", 0)); time.sleep(1000)"#;
    let config = format!(
        "[tasks.web]\nrun = \"\"\"python3 -c '{server}' & wait\"\"\"\nenv = {{ API_TOKEN = 'sk-123456789012345678901234' }}\n"
    );
    let mut terminal = open(&config.replace("(\"127.0.0.1\"", "(\\\"127.0.0.1\\\""));
    terminal.resize(140, 100);
    terminal.wait_for_text("web");
    terminal.keys("i");
    terminal.wait_for("tree and port", |screen| screen.has("─python3") && screen.has("tcp 127.0.0.1:"));
    terminal.wait_for("variables", |screen| screen.has("API_TOKEN=") && !screen.has("sk-1234"));
    terminal.wait_for("why and limits", |screen| screen.has("why") && screen.has("open files"));
    terminal.keys("x");
    terminal.wait_for("the footer offers what an ended run takes", |screen| {
        screen.has("cancelled") && screen.has("s start") && !screen.has("x stop")
    });
}

#[test]
fn progress_is_a_bar_and_a_bell_is_found_by_key() {
    let mut terminal = open(
        r#"
        [tasks.quiet]
        run = 'exec sleep 1000'
        [tasks.loud]
        run = '''printf '\033]9;4;1;42\033\\'; printf '\a'; exec sleep 1000'''
        "#,
    );
    terminal.wait_for_text("42%");
    terminal.wait_for_text("!loud");
    terminal.keys("!");
    terminal.wait_for("the loud one is in front", |screen| screen.has("▌●") && screen.has(" loud ● running"));
}
