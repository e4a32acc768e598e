//! Starting: what a command gets, and what its start says when it fails.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use shtask::holder::{Io, SpawnStage, StdinSource};
use shtask::sys::wait::ExitKind;
use shtask::sys::{fd, tty};

use super::harness::*;

fn failure(spawn: shtask::holder::Spawn) -> (SpawnStage, i32) {
    match Run::try_start(&server(), spawn) {
        Ok(run) => panic!("started as {}", run.pid),
        Err(failure) => failure,
    }
}

#[test]
fn an_exit_code_and_both_outputs_come_back() {
    let server = server();
    let mut run = Run::start(&server, shell("echo out; echo err >&2; exit 42", PIPES));
    assert_eq!(run.exit(), ExitKind::Code(42));
    assert_eq!(run.read_to_end(0), "out\n");
    assert_eq!(run.read_to_end(1), "err\n");
    run.let_go();
}

#[test]
fn a_signal_that_ends_the_root_is_known_by_its_number() {
    let server = server();
    let mut run = Run::start(&server, shell("kill -USR1 $$", PIPES));
    assert_eq!(run.exit(), ExitKind::Signal { signo: libc::SIGUSR1, core: false });
    // A real-time signal is one as well.
    let mut run = Run::start(&server, shell("kill -40 $$", PIPES));
    assert_eq!(run.exit(), ExitKind::Signal { signo: 40, core: false });
}

#[test]
fn a_missing_program_a_folder_and_a_file_without_x_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let text = |path: &std::path::Path| path.to_str().expect("utf-8").to_owned();
    assert_eq!(failure(command(&[&text(&missing)], PIPES)), (SpawnStage::Exec, libc::ENOENT));
    assert_eq!(failure(command(&[&text(folder.path())], PTY)), (SpawnStage::Exec, libc::EACCES));
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "#!/bin/sh\n").expect("written");
    assert_eq!(failure(command(&[&text(&plain)], PIPES)), (SpawnStage::Exec, libc::EACCES));
}

#[test]
fn a_bad_interpreter_line_and_a_wrong_format_are_told_apart_from_a_missing_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let make = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        let mut file = std::fs::File::create(&path).expect("created");
        file.write_all(content).expect("written");
        file.set_permissions(std::fs::Permissions::from_mode(0o755)).expect("mode");
        path.to_str().expect("utf-8").to_owned()
    };
    let interpreter = make("interpreter", b"#!/no/such/interpreter\n");
    let format = make("format", b"\x01\x02\x03 not a program\n");
    for io in [PIPES, PTY] {
        assert_eq!(failure(command(&[&interpreter], io)), (SpawnStage::Interpreter, libc::ENOENT));
        assert_eq!(failure(command(&[&format], io)), (SpawnStage::Exec, libc::ENOEXEC));
    }
}

#[test]
fn a_missing_working_folder_does_not_blame_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    for (cwd, errno) in [(folder.path().join("gone"), libc::ENOENT), (file, libc::ENOTDIR)] {
        let mut spawn = shell("true", PIPES);
        spawn.cwd = cwd.into();
        assert_eq!(failure(spawn), (SpawnStage::Cwd, errno));
    }
}

#[test]
fn a_zero_byte_in_an_argument_is_a_failure_and_not_a_shorter_argument() {
    let spawn = command(&["/bin/echo", "a\0b"], PIPES);
    assert_eq!(failure(spawn), (SpawnStage::Exec, libc::EINVAL));
}

#[test]
fn three_megabytes_of_arguments_either_run_or_fail_with_the_kernels_own_reason() {
    let server = server();
    // Each below the kernel's 128 KiB for one argument.
    let mut argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), "echo $#".to_owned()];
    argv.extend(std::iter::repeat_n("x".repeat(100_000), 30));
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    match Run::try_start(&server, command(&argv, PIPES)) {
        Ok(mut run) => {
            assert_eq!(run.exit(), ExitKind::Code(0));
            assert_eq!(run.read_to_end(0), "29\n");
        }
        // The limit follows the stack's.
        Err(failure) => assert_eq!(failure, (SpawnStage::Exec, libc::E2BIG)),
    }
    let one = "x".repeat(3_000_000);
    let spawn = command(&["/bin/echo", &one], PIPES);
    let failed = Run::try_start(&server, spawn).err();
    assert_eq!(failed, Some((SpawnStage::Exec, libc::E2BIG)));
}

#[test]
fn arguments_environment_and_folder_are_passed_byte_for_byte() {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    std::fs::create_dir(&odd).expect("made");
    let script = r#"printf %s "$1" "$ODD" "${PWD##*/}" | od -An -tx1; env | wc -l"#;
    let mut spawn = command(&["/bin/bash", "-c", script, "bash"], PIPES);
    spawn.argv.push(OsString::from_vec(vec![0xa3]));
    spawn.env = vec![("ODD".into(), OsString::from_vec(vec![0xa4])), ("PATH".into(), "/bin:/usr/bin".into())];
    spawn.cwd = odd.into();
    let mut run = Run::start(&server, spawn);
    assert_eq!(run.exit(), ExitKind::Code(0));
    let output = run.read_to_end(0);
    let mut lines = output.lines();
    assert_eq!(lines.next().map(str::trim), Some("a3 a4 ff"));
    // PWD, SHLVL and _ are the shell's own.
    assert_eq!(lines.next().map(str::trim), Some("5"), "{output}");
}

#[test]
fn only_the_standard_descriptors_reach_the_command() {
    let server = server();
    for io in [PIPES, PTY, Io::Pipes { stdin: StdinSource::Pipe }] {
        // `ls` itself opens the directory that it lists.
        let mut run = Run::start(&server, command(&["/bin/ls", "/proc/self/fd"], io));
        assert_eq!(run.exit(), ExitKind::Code(0));
        let output = run.read_to_end(0);
        let found: Vec<&str> = output.split_whitespace().collect();
        assert_eq!(found, ["0", "1", "2", "3"], "{io:?}");
    }
}

#[test]
fn nothing_is_ignored_or_blocked_in_a_command() {
    let server = server();
    for io in [PIPES, PTY] {
        let mut run = Run::start(&server, command(&["/bin/grep", "^Sig[BI]", "/proc/self/status"], io));
        assert_eq!(run.exit(), ExitKind::Code(0));
        let output = run.read_to_end(0);
        assert_eq!(output.lines().count(), 2, "{output}");
        for line in output.lines() {
            let mask = line.split_whitespace().nth(1).expect("a mask");
            assert_eq!(mask, "0000000000000000", "{io:?}: {output}");
        }
    }
}

#[test]
fn signals_that_the_server_ignores_or_blocks_are_as_usual_in_a_command() {
    // A fork server that is started with nearly everything ignored, as by a careless parent.
    let folder = tempfile::tempdir().expect("a folder");
    let wrapper = folder.path().join("wrapper");
    let exe = env!("CARGO_BIN_EXE_shtask");
    std::fs::write(
        &wrapper,
        format!("#!/bin/bash\ntrap '' INT QUIT TSTP USR1 USR2 CHLD WINCH 40\nexec {exe} \"$@\"\n"),
    )
    .expect("written");
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).expect("mode");
    let server = shtask::holder::HolderServer::start(&wrapper).expect("fork server");
    let mut run = Run::start(&server, command(&["/bin/grep", "^SigIgn", "/proc/self/status"], PIPES));
    assert_eq!(run.exit(), ExitKind::Code(0));
    assert_eq!(run.read_to_end(0), "SigIgn:\t0000000000000000\n");
}

#[test]
fn a_command_with_pipes_has_no_controlling_terminal() {
    let server = server();
    let mut run = Run::start(&server, shell("exec 3</dev/tty || exit 7; exit 0", PIPES));
    assert_ne!(run.exit(), ExitKind::Code(0));
    let mut run = Run::start(&server, command(&["/bin/cat", "/proc/self/stat"], PIPES));
    run.exit();
    let stat = run.read_to_end(0);
    let fields: Vec<&str> = stat.split_whitespace().collect();
    // Group, session, terminal.
    assert_eq!(fields[4], fields[0]);
    assert_eq!(fields[5], fields[0]);
    assert_eq!(fields[6], "0");
}

#[test]
fn a_command_in_a_pty_leads_the_session_of_its_own_controlling_terminal() {
    let server = server();
    let script = "tty; tty </dev/tty; ps -o tpgid= -p $$ | tr -d ' '; echo $$";
    let mut run = Run::start(&server, shell(script, PTY));
    assert_eq!(run.exit(), ExitKind::Code(0));
    let output = run.read_to_end(0);
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("/dev/pts/"), "{output}");
    assert_eq!(lines[1], "/dev/tty");
    assert_eq!(lines[2], lines[3], "the root is in the foreground");
    assert_eq!(lines[3], run.pid.to_string());
}

#[test]
fn the_size_is_right_before_the_first_instruction_and_can_be_changed() {
    let server = server();
    let io = Io::Pty { cols: 101, rows: 33 };
    let script = "stty size; read line; stty size";
    let mut run = Run::start(&server, shell(script, io));
    assert!(run.read_until(0, "\n").starts_with("33 101"));
    let master = &run.descriptors[0];
    assert_eq!(tty::window_size(master).expect("a size"), (101, 33));
    tty::set_window_size(master, 55, 12).expect("resized");
    rustix::io::write(master, b"\n").expect("written");
    assert!(run.read_until(0, "12 55").contains("12 55"));
    assert_eq!(run.exit(), ExitKind::Code(0));
}

#[test]
fn the_foreground_group_is_seen_at_the_master() {
    let server = server();
    let run = Run::start(&server, shell("echo ready; cat", PTY));
    run.read_until(0, "ready");
    let group = tty::foreground_group(&run.descriptors[0]).expect("asked");
    assert_eq!(group, Some(run.pid));
    assert!(tty::echoes(&run.descriptors[0]).expect("asked"));
}

#[test]
fn without_input_a_command_reads_the_end_at_once() {
    let server = server();
    let mut run = Run::start(&server, command(&["/bin/cat"], PIPES));
    assert_eq!(run.exit(), ExitKind::Code(0));
    // From the null device, not from a closed descriptor.
    let mut run = Run::start(&server, command(&["/usr/bin/readlink", "/proc/self/fd/0"], PIPES));
    run.exit();
    assert_eq!(run.read_to_end(0), "/dev/null\n");
}

#[test]
fn input_that_was_given_whole_ends() {
    let server = server();
    let io = Io::Pipes { stdin: StdinSource::Pipe };
    let mut run = Run::start(&server, command(&["/usr/bin/wc", "-c"], io));
    let input = run.descriptors.pop().expect("input");
    fd::set_nonblocking(&input, false).expect("blocking");
    let payload = vec![b'x'; 300_000];
    let mut rest = payload.as_slice();
    while !rest.is_empty() {
        let count = rustix::io::write(&input, rest).expect("written");
        rest = &rest[count..];
    }
    drop(input);
    assert_eq!(run.exit(), ExitKind::Code(0));
    assert_eq!(run.read_to_end(0), "300000\n");
}

#[test]
fn a_second_command_in_the_same_holder_is_refused() {
    let server = server();
    let mut run = Run::start(&server, shell("sleep 600", PIPES));
    run.send(&shtask::holder::Request::Spawn(Box::new(shell("true", PIPES))));
    let event = run.event();
    let shtask::holder::Event::SpawnFailed { errno, .. } = event else {
        panic!("{event:?}");
    };
    assert_eq!(errno, libc::EBUSY);
    assert_eq!(run.end(Duration::from_secs(5)).left, []);
}

#[test]
fn after_a_failed_start_the_holder_takes_another() {
    let server = server();
    let mut link = server.open().expect("a link");
    link.send(&shtask::holder::Request::Spawn(Box::new(command(&["/no/such"], PIPES)))).expect("sent");
    let mut run = Run { link, pid: 0, descriptors: Vec::new() };
    assert!(matches!(run.event(), shtask::holder::Event::SpawnFailed { .. }));
    run.send(&shtask::holder::Request::Spawn(Box::new(shell("exit 3", PIPES))));
    assert_eq!(run.exit(), ExitKind::Code(3));
    run.let_go();
}
