//! `show`: one run.

use super::args_look::OneRef;
use super::exit::{Exit, Fault};
use super::facts::{bytes_text, deadline_text, elapsed, inspection_json, short_span, termination_word, time};
use super::here::Verbs;
use super::list::paint;
use super::table::{Table, TableCell};
use crate::api::{Inspection, ProcessFacts, Termination};
use crate::model::{Mode, Record, shown};

impl Verbs<'_> {
    /// Shows a run; marks nothing (S6.2).
    pub(super) async fn show(&mut self, args: &OneRef) -> Result<Exit, Fault> {
        let run = self.find(&args.run).await?;
        let found = self.client.inspect(run).await?;
        if self.console.look.json {
            let document = inspection_json(&found, (self.here.boot_now)());
            self.console.json(&document)?;
            return Ok(Exit::DONE);
        }
        let table = self.show_table(&found);
        self.console.table(&table)?;
        if !found.processes.is_empty() {
            self.console.line("")?;
            self.console.table(&processes(&found.processes))?;
        }
        Ok(Exit::DONE)
    }

    fn show_table(&self, found: &Inspection) -> Table {
        let record = &found.view.record;
        let mut table = Table::new(["", ""]);
        let mut put = |key: &'static str, value: TableCell| table.row([TableCell::painted(key, "2"), value]);
        put("ref", record.reference.as_str().into());
        if let Some(name) = &record.name {
            put("name", format!("{name}, generation {}", record.generation).into());
        }
        put("status", TableCell::painted(self.status_line(found), paint(record.status)));
        put("command", shown(&record.command).into());
        put("folder", shown(&record.cwd).into());
        put("mode", mode_text(record).into());
        if let Some(said) = &found.view.notification {
            put("said", said.words().into());
        }
        if let Some(attention) = found.view.attention {
            put("needs you", format!("{} since {}", attention.need.words(), time(attention.since)).into());
        }
        if let Some(owner) = &found.view.keyboard {
            put("keyboard", format!("{} since {}", shown(&owner.who.name), time(owner.since)).into());
        }
        if let Some(process) = &record.process {
            let holder = found.holder_pid.map_or_else(String::new, |pid| format!(", holder {pid}"));
            put("process", format!("{}{holder}", process.pid).into());
        }
        for (key, at) in
            [("started", record.started_at), ("ended", record.completed_at), ("observed", record.observed_at)]
        {
            if let Some(at) = at {
                put(key, time(at).into());
            }
        }
        let bytes = found.bytes;
        let error =
            if record.mode == Mode::Pipes { format!(", {} on stderr", bytes_text(bytes.error)) } else { String::new() };
        put("bytes", format!("{} out{error}, {} in", bytes_text(bytes.output), bytes_text(bytes.input)).into());
        if let Some(log) = &record.log {
            let gone = log.dropped_bytes + log.lost_bytes;
            let gone = if gone > 0 { format!(", {} of it not kept", bytes_text(gone)) } else { String::new() };
            put("log", format!("{}{gone}", bytes_text(log.bytes)).into());
        }
        if let Some(failure) = &record.failure {
            put("failure", TableCell::painted(shown(&failure.message), "31"));
        }
        if let Some(ended) = &record.ended {
            let left: Vec<String> =
                ended.left.iter().map(|left| format!("{} ({})", left.pid, shown(&left.why))).collect();
            let left = if left.is_empty() { String::new() } else { format!(", left: {}", left.join(", ")) };
            put("tree", format!("{} signalled, {} killed{left}", ended.signalled, ended.killed).into());
        }
        if let Some(degraded) = &record.degraded {
            let until = degraded.until.map_or_else(String::new, |at| format!(" until {}", time(at)));
            put("degraded", format!("since {}{until}: {}", time(degraded.since), shown(&degraded.why)).into());
        }
        table
    }

    fn status_line(&self, found: &Inspection) -> String {
        let record = &found.view.record;
        let mut line = record.status.word().to_owned();
        if let Some(code) = record.exit_code {
            line.push_str(&format!(", exit code {code}"));
        }
        if let Some(signal) = record.signal {
            line.push_str(&format!(", by signal {signal}"));
        }
        let until = record.completed_at.unwrap_or_else(self.here.now);
        if let Some(started) = record.started_at {
            let word = if record.status.is_final() { "after" } else { "for" };
            line.push_str(&format!(", {word} {}", short_span(elapsed(started, until))));
        }
        if let Some(deadline) = found.view.deadline {
            line.push_str(&format!(", {}", deadline_text(deadline, (self.here.boot_now)())));
        }
        match found.view.termination {
            Termination::None => {}
            stopping @ (Termination::Preparing | Termination::Grace { .. } | Termination::Draining) => {
                line.push_str(&format!(", ending ({})", termination_word(stopping)));
            }
        }
        line
    }
}

fn mode_text(record: &Record) -> String {
    match (record.mode, record.size) {
        (Mode::Pipes, _) => "pipes".to_owned(),
        (Mode::Pty, Some(size)) => format!("pty, {size}"),
        (Mode::Pty, None) => "pty".to_owned(),
    }
}

fn processes(processes: &[ProcessFacts]) -> Table {
    let mut table = Table::new(["PID", "PARENT", "STATE", "CPU", "MEMORY", "PROGRAM"]);
    for process in processes {
        table.row([
            process.pid.to_string().into(),
            process.parent.to_string().into(),
            process.state.to_string().into(),
            format!("{:.1}s", process.cpu.as_secs_f64()).into(),
            bytes_text(process.resident_bytes).into(),
            shown(&process.name).into(),
        ]);
    }
    table
}
