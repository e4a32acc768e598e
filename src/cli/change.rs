//! `stop`, `restart`, `rename`, `signal`, `write`, `resize`: what changes runs.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::args_change::{RenameArgs, ResizeArgs, RestartArgs, SignalArgs, StopArgs, WriteArgs, WritePart};
use super::exit::{Exit, Fault};
use super::facts::record_json;
use super::here::Verbs;
use super::target::{first_failure, label};
use crate::api::{SignalTarget, StopRequest, restarted};
use crate::model::{Action, Applied, Cut, CutOutcome, ErrorCode, Failure, Input, Limits, RunRef, WriteStdin, shown};

impl Verbs<'_> {
    /// Stops runs, all at once; answers when nothing of them is left.
    pub(super) async fn stop(&mut self, args: &StopArgs) -> Result<Exit, Fault> {
        let mut asked = Vec::new();
        for reference in &args.runs {
            let found = self.find(reference).await;
            let client = self.client_for(reference);
            asked.push(found.map(|run| client.stop(run, StopRequest { kill: args.kill }).reply));
        }
        let (mut exits, mut stopped) = (Vec::new(), Vec::new());
        for asked in asked {
            let outcome = match asked {
                Ok(reply) => reply.await.map_err(Fault::from),
                Err(fault) => Err(fault),
            };
            match outcome {
                Ok(outcome) if self.console.look.json => stopped
                    .push(json!({ "kind": "stop", "applied": outcome.applied, "run": record_json(&outcome.record) })),
                Ok(outcome) => {
                    let record = &outcome.record;
                    let word = if outcome.applied { "" } else { " already" };
                    self.console.line(&format!("{}{word} {}", label(record), record.status.word()))?;
                    self.console.flush()?;
                }
                Err(fault) => exits.push(self.told(fault)?),
            }
        }
        if self.console.look.json {
            self.console.json(&json!({ "stopped": stopped }))?;
        }
        Ok(first_failure(exits))
    }

    /// Stops runs and starts them again; prints the new refs.
    pub(super) async fn restart(&mut self, args: &RestartArgs) -> Result<Exit, Fault> {
        let mut asked = Vec::new();
        for reference in &args.runs {
            let found = self.find(reference).await;
            let client = self.client_for(reference);
            asked.push(found.map(|run| {
                let answer = client.restart(run, StopRequest { kill: args.kill });
                (client, run, answer)
            }));
        }
        let env = Arc::new(self.here.env.clone());
        let (mut exits, mut started) = (Vec::new(), Vec::new());
        for asked in asked {
            let outcome = match asked {
                Ok((client, run, answer)) => {
                    restarted(client.as_ref(), run, answer, Arc::clone(&env)).await.map_err(Fault::from)
                }
                Err(fault) => Err(fault),
            };
            match outcome {
                Ok(record) if self.console.look.json => started.push(record_json(&record)),
                Ok(record) => self.console.line(&record.reference)?,
                Err(fault) => exits.push(self.told(fault)?),
            }
        }
        if self.console.look.json {
            self.console.json(&json!({ "schema": 1, "runs": started }))?;
        }
        Ok(first_failure(exits))
    }

    /// Gives a live run another name; prints the name and generation that it has now.
    pub(super) async fn rename(&mut self, args: &RenameArgs) -> Result<Exit, Fault> {
        let run = self.find(&args.run).await?;
        let record = self.client_for(&args.run).rename(run, args.name.clone()).await?;
        if self.console.look.json {
            self.console.json(&record_json(&record))?;
        } else {
            self.console.line(&label(&record))?;
        }
        Ok(Exit::DONE)
    }

    /// Sends a signal.
    pub(super) async fn signal(&mut self, args: &SignalArgs) -> Result<Exit, Fault> {
        let target = match (args.group, args.root, args.foreground) {
            (true, ..) => SignalTarget::Group,
            (_, true, _) => SignalTarget::Root,
            (_, _, true) => SignalTarget::Foreground,
            (false, false, false) => SignalTarget::Tree,
        };
        let run = self.find(&args.run).await?;
        let processes = self.client.signal(run, args.signal, target).await?;
        if self.console.look.json {
            self.console.json(&json!({ "signal": args.signal, "target": target, "processes": processes }))?;
        } else {
            let noun = if processes == 1 { "process" } else { "processes" };
            self.console.line(&format!("signal {} sent to {processes} {noun}", args.signal))?;
        }
        Ok(if processes == 0 { Exit::FAILED } else { Exit::DONE })
    }

    /// Types into a run.
    pub(super) async fn write(&mut self, args: &WriteArgs) -> Result<Exit, Fault> {
        let mut actions = Vec::new();
        for part in &args.order {
            actions.push(match part {
                WritePart::Text(text) => Action::Text(text.clone()),
                WritePart::Key(key) => Action::Key(key.key, key.modifiers),
                WritePart::Paste(path) => Action::Paste(self.pasted(path)?),
            });
        }
        let input = (!actions.is_empty()).then_some(Input::Actions(actions));
        self.control(&args.run, WriteStdin { input, size: args.size }).await
    }

    /// Gives the terminal of a run another size.
    pub(super) async fn resize(&mut self, args: &ResizeArgs) -> Result<Exit, Fault> {
        self.control(&args.run, WriteStdin::resize(args.size)).await
    }

    fn pasted(&mut self, path: &Path) -> Result<String, Fault> {
        let bytes = self.input(path, Limits::MAX_INPUT_BYTES)?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("{} is no UTF-8 from byte {at} on: a terminal is typed text", shown(path));
            let hint = "what is no text the run has to read for itself, from a file";
            Failure::new(ErrorCode::Invalid, message).with_hint(hint).into()
        })
    }

    /// Reads a file, or standard input for `-`, of at most so many bytes.
    pub(super) fn input(&mut self, path: &Path, max_bytes: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let limit = max_bytes as u64 + 1;
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { "standard input".to_owned() } else { shown(path) };
        let read = if is_stdin {
            self.here.stdin.by_ref().take(limit).read_to_end(&mut bytes)
        } else {
            File::open(self.here.cwd.join(path)).and_then(|file| file.take(limit).read_to_end(&mut bytes))
        };
        read.map_err(|error| {
            let failure = Failure::new(ErrorCode::Invalid, format!("{name} cannot be read: {error}"));
            failure.with_hint("name a file that you can read, or - for standard input")
        })?;
        if bytes.len() > max_bytes {
            let message = format!("{name} has more than {max_bytes} bytes, the most that is taken");
            return Err(Failure::new(ErrorCode::Invalid, message).with_hint("let the run read the file itself").into());
        }
        Ok(bytes)
    }

    async fn control(&mut self, reference: &RunRef, control: WriteStdin) -> Result<Exit, Fault> {
        control.validate()?;
        let run = self.find(reference).await?;
        let cut = self.client.control(run, control).await?;
        self.cut(&cut)
    }

    /// Tells what a control operation did (S11.4).
    fn cut(&mut self, cut: &Cut) -> Result<Exit, Fault> {
        let has_ended = matches!(cut.view, Applied::Final(_));
        if self.console.look.json {
            let mut document = json!({ "outcome": outcome_json(&cut.outcome) });
            if let Applied::Final(record) = &cut.view {
                document["run"] = record_json(record);
            }
            self.console.json(&document)?;
        } else if !has_ended {
            for line in outcome_lines(&cut.outcome) {
                self.console.line(&line)?;
            }
        }
        if let Some(failure) = &cut.outcome.failed {
            return Err(failure.clone().into());
        }
        match &cut.view {
            Applied::Live(_) => Ok(Exit::DONE),
            Applied::Final(record) => {
                let message = format!("{} had ended before: {}", label(record), record.status.word());
                Err(Failure::new(ErrorCode::ControlClosed, message).into())
            }
        }
    }
}

fn outcome_json(outcome: &CutOutcome) -> Value {
    let resize = outcome.resize.map(|resize| {
        json!({ "cols": resize.size.cols(), "rows": resize.size.rows(), "applied": resize.applied, "changed": resize.changed })
    });
    json!({ "input": outcome.input, "resize": resize, "failed": outcome.failed })
}

fn outcome_lines(outcome: &CutOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(resize) = outcome.resize {
        let what = match (resize.applied, resize.changed) {
            (true, true) => "applied",
            (true, false) => "applied, as before",
            (false, _) => "not applied",
        };
        lines.push(format!("size {}: {what}", resize.size));
    }
    if let Some(input) = outcome.input {
        let what = if input.queued { "queued" } else { "not queued" };
        let noun = if input.bytes == 1 { "byte" } else { "bytes" };
        lines.push(format!("input of {} {noun}: {what}", input.bytes));
    }
    lines
}
