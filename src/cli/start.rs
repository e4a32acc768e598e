//! `run`: a command with the environment and the folder of this one (S3.3, S11.3).

use std::path::Path;
use std::sync::Arc;

use super::args_run::RunArgs;
use super::exit::{Exit, Fault};
use super::facts::record_json;
use super::here::Verbs;
use super::values::is_shell_line;
use super::wait::ended;
use crate::api::StartRequest;
use crate::model::{
    CommandSpec, Effects, EnvSpec, ErrorCode, Failure, Limits, Mode, RunSpec, StdinSpec, StopSpec, Timeouts,
};

impl Verbs<'_> {
    /// Starts a run, and waits for it where that was asked for.
    pub(super) async fn start(&mut self, args: &RunArgs) -> Result<Exit, Fault> {
        if args.foreground {
            return self.foreground(args).await;
        }
        let spec = self.spec(args)?;
        let record = match self.client.start(StartRequest { spec, replace: args.replace }).await {
            Ok(record) => record,
            // A folder or file of the command line that is not there.
            Err(failure) if failure.code == ErrorCode::NotRunnable => {
                self.console.fail(&failure);
                return Ok(Exit::USAGE);
            }
            Err(failure) => return Err(failure.into()),
        };
        if self.console.look.json && !args.wait {
            self.console.json(&record_json(&record))?;
        } else if !self.console.look.json {
            self.console.line(&record.reference)?;
        }
        match self.console.flush() {
            Ok(()) | Err(Fault::ReaderGone) => {}
            Err(Fault::Failed(failure)) => {
                // It is not lost with its ref.
                let hint = format!("the run was started all the same: {}", record.reference);
                self.console.fail(&failure.with_hint(hint).with_effects(Effects::Pending));
                return Ok(if args.wait { Exit::BROKEN } else { Exit::FAILED });
            }
        }
        if !args.wait {
            return Ok(Exit::DONE);
        }
        let record = ended(self.client.as_ref(), record.id).await?;
        if self.console.look.json {
            self.console.json(&record_json(&record))?;
        }
        Ok(self.console.end_of_run(Exit::of_run(&record)))
    }

    /// Makes what is to be started of the arguments.
    pub(super) fn spec(&mut self, args: &RunArgs) -> Result<RunSpec, Fault> {
        let stdin = match &args.stdin {
            Some(path) => StdinSpec::Payload(self.input(path, Limits::MAX_PAYLOAD_BYTES)?),
            None => StdinSpec::Null,
        };
        let here = &*self.here;
        let absolute = |path: &Path| here.cwd.join(path);
        let env = EnvSpec {
            base: Arc::new(here.env.clone()),
            clean: args.clean_env,
            files: args.env_file.iter().map(|path| absolute(path)).collect(),
            set: args.env.clone(),
            unset: args.unset.clone(),
        };
        let mode = if args.pty { Mode::Pty } else { Mode::Pipes };
        let cwd = args.cwd.as_deref().map_or_else(|| here.cwd.clone(), absolute);
        let spec = RunSpec {
            name: args.name.clone(),
            env,
            stdin,
            size: args.size.unwrap_or(here.defaults.size),
            timeouts: Timeouts { wall: args.timeout, idle: args.idle_timeout, ready: None },
            stop: StopSpec {
                signal: args.stop_signal,
                grace: args.grace.unwrap_or(here.defaults.grace),
                ..StopSpec::default()
            },
            daemonizes: args.daemonizes,
            foreground: args.foreground,
            ..RunSpec::new(self.command(args)?, mode, cwd)
        };
        spec.validate().map_err(Failure::from)?;
        Ok(spec)
    }

    fn command(&self, args: &RunArgs) -> Result<CommandSpec, Failure> {
        let wants_shell = args.login || args.interactive || args.shell.is_some();
        match &args.command[..] {
            [line] if wants_shell || is_shell_line(line) => Ok(CommandSpec::Shell {
                line: line.clone(),
                shell: args.shell.clone().or_else(|| self.here.defaults.shell.clone()),
                login: args.login,
                interactive: args.interactive,
            }),
            _ if wants_shell => {
                let message =
                    "--shell, --login and --interactive are for a command line, not for a program with arguments";
                Err(Failure::new(ErrorCode::Invalid, message).with_hint("put the command into one word: 'make all'"))
            }
            words => Ok(CommandSpec::Argv(words.to_vec())),
        }
    }
}
