use super::*;

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).expect("a pid fits")
}

#[test]
fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
    let line = b"42 (a) b (c)) S 7 42 41 0 -1 4194560 1 2 3 4 10 20 0 0 20 0 3 0 12345 1000 55 1 2\n";
    let stat = parse_stat(line).expect("parsed");
    assert_eq!(stat.comm, "a) b (c)");
    assert_eq!((stat.pid, stat.ppid, stat.group, stat.session), (42, 7, 42, 41));
    assert_eq!((stat.threads, stat.start_ticks, stat.cpu_ticks, stat.rss_pages), (3, 12345, 30, 55));
}

#[test]
fn a_line_that_was_cut_short_is_refused() {
    assert_eq!(parse_stat(b"42 (a) S 7 42"), None);
    assert_eq!(parse_stat(b""), None);
    assert_eq!(parse_stat(b"42 )a( S"), None);
}

#[test]
fn both_ways_down_a_tree_find_the_same_processes() {
    let mut shell = std::process::Command::new("sh")
        .args(["-c", "sleep 600 & echo ready; wait"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut line = String::new();
    let output = shell.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).expect("ready");
    let shell_pid = i32::try_from(shell.id()).expect("a pid fits");
    let lists = descendants_by_lists(shell_pid).expect("by lists");
    let parents = descendants_by_parents(shell_pid).expect("by parents");
    let pids = |found: &[Stat]| found.iter().map(|stat| stat.pid).collect::<Vec<_>>();
    assert_eq!(pids(&lists), pids(&parents));
    assert_eq!(lists.len(), 1);
    for stat in &lists {
        super::super::pidfd::signal_exact(stat.id(), libc::SIGKILL).expect("killed");
    }
    shell.wait().expect("reaped");
}

#[test]
fn facts_of_the_own_process_are_plausible() {
    let own = stat(own_pid()).expect("facts");
    assert!(own.resident_bytes() > 64 << 10, "{own:?}");
    assert!(!own.is_over());
    assert!(boot_id().expect("boot id").len() >= 32);
    assert!(ticks_per_second() >= 1);
}

#[test]
fn a_process_that_is_not_there_counts_as_gone() {
    assert!(is_gone(&stat(i32::MAX - 1).expect_err("no such process")));
}
