//! Starting a run again from its record, when nobody has its spec any more.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CommandSpec, EnvSpec, ErrorCode, Failure, Record, RunSpec, Size, StdinSpec, StopSpec, Timeouts, os_text};

/// What stands in a text in place of a secret.
const COVERED: &str = "[redacted]";

/// What a record has of a run's spec beside command, folder, mode and size. The environment that its client had is not in it, nor is a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// Whether only an allow-list of the client's environment was taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clean_env: bool,
    /// Files of variables, read in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "os_text")]
    pub env_files: Vec<PathBuf>,
    /// Variables that were set, without secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "os_text")]
    pub env: Vec<(OsString, OsString)>,
    /// Variables that were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "os_text")]
    pub unset: Vec<OsString>,
    /// Whether it had a payload on its standard input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub had_payload: bool,
    /// The idle timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Duration>,
    /// The ready timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_timeout: Option<Duration>,
    /// How it is stopped, when that is not the usual way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopSpec>,
    /// Whether what it leaves behind is no failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub daemonizes: bool,
}

impl RunSpec {
    /// Returns what the record of the run has of it.
    pub fn recipe(&self) -> Recipe {
        Recipe {
            clean_env: self.env.clean,
            env_files: self.env.files.clone(),
            env: self.env.set.clone(),
            unset: self.env.unset.clone(),
            had_payload: self.stdin != StdinSpec::Null,
            idle_timeout: self.timeouts.idle,
            ready_timeout: self.timeouts.ready,
            stop: Some(self.stop.clone()).filter(|stop| *stop != StopSpec::default()),
            daemonizes: self.daemonizes,
        }
    }
}

impl Record {
    /// Returns the spec of a run like this one, in an environment that begins with `base`.
    ///
    /// # Errors
    /// [`ErrorCode::Unsupported`] when the record does not have all that is needed.
    pub fn spec_again(&self, base: Arc<Vec<(OsString, OsString)>>) -> Result<RunSpec, Failure> {
        let cannot = |why: &str| {
            let message = format!("run {} cannot be started again from its record: {why}", self.id.short());
            Err(Failure::new(ErrorCode::Unsupported, message).with_hint("start it anew with `run`"))
        };
        let Some(recipe) = self.recipe.as_deref() else { return cannot("an older shtask has made it") };
        let stop = recipe.stop.clone().unwrap_or_default();
        let is_covered = |text: &OsString| text.to_string_lossy().contains(COVERED);
        if self.argv.iter().any(|word| word.contains(COVERED))
            || recipe.env.iter().any(|(_, value)| is_covered(value))
            || stop.command.as_ref().is_some_and(is_covered)
        {
            return cannot("it does not have the secrets");
        }
        if recipe.had_payload {
            return cannot("it does not have the standard input");
        }
        let command = match (&self.shell, self.argv.as_slice()) {
            _ if self.argv.iter().any(|word| word.contains(char::REPLACEMENT_CHARACTER)) => {
                return cannot("its command is no UTF-8");
            }
            (_, []) => return cannot("it does not have the command"),
            (Some(shell), [_, flags @ .., line]) => CommandSpec::Shell {
                line: line.into(),
                shell: Some(shell.clone()),
                login: flags.iter().any(|flag| flag == "-l"),
                interactive: flags.iter().any(|flag| flag == "-i"),
            },
            (_, argv) => CommandSpec::Argv(argv.iter().map(OsString::from).collect()),
        };
        Ok(RunSpec {
            name: self.name.clone(),
            env: EnvSpec {
                base,
                clean: recipe.clean_env,
                files: recipe.env_files.clone(),
                set: recipe.env.clone(),
                unset: recipe.unset.clone(),
            },
            size: self.size.unwrap_or(Size::DEFAULT),
            timeouts: Timeouts { wall: self.timeout, idle: recipe.idle_timeout, ready: recipe.ready_timeout },
            stop,
            daemonizes: recipe.daemonizes,
            ..RunSpec::new(command, self.mode, self.cwd.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mode, Status};

    fn record(spec: &RunSpec, argv: &[&str], shell: Option<&str>) -> Record {
        let id = "0123456789abcdef".parse().expect("an id");
        let now = jiff::Timestamp::UNIX_EPOCH;
        Record {
            schema: 1,
            reference: String::new(),
            id,
            session: "s".parse().expect("a name"),
            name: spec.name.clone(),
            generation: 3,
            mode: spec.mode,
            status: Status::Failed,
            command: "as people see it".into(),
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            shell: shell.map(PathBuf::from),
            cwd: spec.cwd.clone(),
            process: None,
            size: (spec.mode == Mode::Pty).then_some(spec.size),
            started_at: None,
            updated_at: now,
            completed_at: Some(now),
            observed_at: None,
            timeout: spec.timeouts.wall,
            timed_out_by: None,
            exit_code: None,
            signal: None,
            cause: None,
            failure: None,
            ended: None,
            degraded: None,
            log: None,
            recipe: Some(Box::new(spec.recipe())),
            revision: 3,
            output: None,
        }
    }

    fn spec(command: CommandSpec) -> RunSpec {
        RunSpec { name: Some("web".parse().expect("a name")), ..RunSpec::new(command, Mode::Pty, "/work") }
    }

    #[test]
    fn a_spec_comes_back_from_its_record_whole() {
        let base: Arc<Vec<(OsString, OsString)>> = Arc::new(vec![("PATH".into(), "/bin".into())]);
        let argv = spec(CommandSpec::Argv(vec!["make".into(), "all of it".into()]));
        let argv = RunSpec {
            env: EnvSpec {
                base: Arc::clone(&base),
                clean: true,
                files: vec!["/work/.env".into()],
                set: vec![("PORT".into(), "3000".into())],
                unset: vec!["DEBUG".into()],
            },
            timeouts: Timeouts {
                wall: Some(Duration::from_secs(9)),
                idle: Some(Duration::from_secs(3)),
                ready: Some(Duration::from_secs(2)),
            },
            stop: StopSpec { signal: Some(2), command: Some("bye".into()), grace: Duration::from_secs(1) },
            daemonizes: true,
            ..argv
        };
        let stored = record(&argv, &["make", "all of it"], None);
        let json = serde_json::to_string(&stored).expect("json");
        let read: Record = serde_json::from_str(&json).expect("a record");
        assert_eq!(read.spec_again(Arc::clone(&base)).expect("all is there"), argv);
        let shell = |login, interactive| CommandSpec::Shell {
            line: "echo a\necho b".into(),
            shell: Some("/bin/zsh".into()),
            login,
            interactive,
        };
        for (flags, login, interactive) in
            [(&["-c"][..], false, false), (&["-l", "-c"], true, false), (&["-l", "-i", "-c"], true, true)]
        {
            let spec = spec(shell(login, interactive));
            let argv = [&["/bin/zsh"], flags, &["echo a\necho b"]].concat();
            let again = record(&spec, &argv, Some("/bin/zsh")).spec_again(Arc::default());
            assert_eq!(again.expect("all is there"), spec);
        }
        assert_eq!(serde_json::to_string(&spec(shell(false, false)).recipe()).expect("json"), "{}");
    }

    #[test]
    fn what_the_record_does_not_have_is_not_made_up() {
        let plain = spec(CommandSpec::Argv(vec!["true".into()]));
        let refused = |record: Record| record.spec_again(Arc::default()).expect_err("it lacks something").message;
        assert!(refused(record(&plain, &["true", "--token=[redacted]"], None)).contains("secrets"));
        assert!(refused(record(&plain, &["true", "\u{fffd}"], None)).contains("UTF-8"));
        let secret = EnvSpec { set: vec![("TOKEN".into(), "[redacted]".into())], ..EnvSpec::default() };
        assert!(refused(record(&RunSpec { env: secret, ..plain.clone() }, &["true"], None)).contains("secrets"));
        let fed = RunSpec { stdin: StdinSpec::Payload(vec![1]), ..plain.clone() };
        assert!(refused(record(&fed, &["true"], None)).contains("standard input"));
        let old = Record { recipe: None, ..record(&plain, &["true"], None) };
        let failure = old.spec_again(Arc::default()).expect_err("an old one");
        assert_eq!((failure.code, failure.hint.is_some()), (ErrorCode::Unsupported, true));
    }
}
