//! What a run sees of the world around it (S3.3).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use shtask::model::RunSpec;

use super::ground::{Ground, on_every_ground, screen, streams};

on_every_ground!(
    a_run_is_told_who_it_is_and_never_where_the_server_is,
    a_pty_run_gets_a_term_that_is_kept_and_a_pipes_run_what_the_user_has,
    the_users_wish_about_colours_is_never_overwritten,
    a_variable_that_is_not_utf_8_is_passed_byte_for_byte,
    a_clean_environment_has_the_allow_list_and_what_is_given,
);

fn with_base(mut spec: RunSpec, more: &[(&str, &str)]) -> RunSpec {
    Arc::make_mut(&mut spec.env.base).extend(more.iter().map(|(name, value)| (name.into(), value.into())));
    spec
}

/// S3.3.
async fn a_run_is_told_who_it_is_and_never_where_the_server_is(ground: Arc<Ground>) {
    let line = "env | grep ^SHTASK | sort";
    let mut spec = with_base(ground.sh(line), &[("SHTASK_SOCKET", "/run/secret"), ("SHTASK_RUN_ID", "another")]);
    spec.name = Some("web".parse().expect("a name"));
    let record = ground.outcome(spec).await;
    let expected = format!(
        "SHTASK=1\nSHTASK_GENERATION=1\nSHTASK_RUN_ID={}\nSHTASK_SESSION={}\nSHTASK_TASK=web\n",
        record.id, record.session
    );
    assert_eq!(streams(&record).0, expected);
}

/// S3.3, BUGS B43.
async fn a_pty_run_gets_a_term_that_is_kept_and_a_pipes_run_what_the_user_has(ground: Arc<Ground>) {
    let line = "echo $TERM,$COLORTERM; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal || echo none";
    let outer = [("TERM", "tmux-256color"), ("TMUX", "/tmp/x"), ("COLUMNS", "33")];
    let record = ground.outcome(with_base(ground.pty(line), &outer)).await;
    assert_eq!(screen(&record).0, "xterm-256color,truecolor\nterminal");
    let record = ground.outcome(with_base(ground.sh(line), &outer)).await;
    assert_eq!(streams(&record).0, "tmux-256color,\nnone\n");
    let mut spec = ground.pty(line);
    spec.env.set = vec![("TERM".into(), "vt100".into())];
    let record = ground.outcome(spec).await;
    assert!(screen(&record).0.starts_with("vt100,truecolor"), "unless given otherwise");
}

/// BUGS B43.
async fn the_users_wish_about_colours_is_never_overwritten(ground: Arc<Ground>) {
    let wish = [("NO_COLOR", "1"), ("FORCE_COLOR", "0")];
    let record = ground.outcome(with_base(ground.pty("echo $NO_COLOR,$FORCE_COLOR"), &wish)).await;
    assert_eq!(screen(&record).0, "1,0");
    let record = ground.outcome(with_base(ground.sh("echo $NO_COLOR,$FORCE_COLOR"), &wish)).await;
    assert_eq!(streams(&record).0, "1,0\n");
}

/// S3.3, BUGS B73: in value, name and working directory.
async fn a_variable_that_is_not_utf_8_is_passed_byte_for_byte(ground: Arc<Ground>) {
    // Shells drop what they cannot name, so the program is asked itself.
    let mut spec = ground.argv(&["od", "-An", "-v", "-tx1", "/proc/self/environ"]);
    Arc::make_mut(&mut spec.env.base)
        .push((OsStr::from_bytes(b"POUND\xa3").into(), OsStr::from_bytes(b"\xa3\xff!").into()));
    let folder = spec.cwd.join(OsStr::from_bytes(b"\xff-folder"));
    std::fs::create_dir(&folder).expect("a folder");
    spec.cwd = folder;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let seen = |record: &shtask::model::Record| streams(record).0.split_whitespace().collect::<String>();
    let record = ground.outcome(spec.clone()).await;
    assert!(seen(&record).contains(&hex(b"POUND\xa3=\xa3\xff!\0")), "{}", seen(&record));
    let in_folder = RunSpec { cwd: spec.cwd, ..ground.sh("/bin/pwd | od -An -v -tx1") };
    let record = ground.outcome(in_folder).await;
    assert!(seen(&record).contains(&hex(b"/\xff-folder\n")), "{}", seen(&record));
}

/// S3.3.
async fn a_clean_environment_has_the_allow_list_and_what_is_given(ground: Arc<Ground>) {
    let given = [("SECRET", "s"), ("LC_ALL", "C"), ("XDG_X", "x"), ("LANG", "C"), ("GONE", "g")];
    let mut spec = with_base(ground.argv(&["env"]), &given);
    spec.env.clean = true;
    spec.env.set = vec![("GIVEN".into(), "yes".into()), ("LANG".into(), "de".into())];
    spec.env.unset = vec![OsString::from("XDG_X")];
    let record = ground.outcome(spec).await;
    let names: Vec<&str> = streams(&record).0.lines().map(|line| line.split('=').next().expect("a name")).collect();
    for name in ["PATH", "HOME", "LC_ALL", "LANG", "GIVEN", "SHTASK"] {
        assert!(names.contains(&name), "{name} is there: {names:?}");
    }
    for name in ["SECRET", "GONE", "XDG_X"] {
        assert!(!names.contains(&name), "{name} is not there: {names:?}");
    }
    assert!(streams(&record).0.contains("LANG=de\n"));
}
