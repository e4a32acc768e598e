//! `read`: the newest output of a run (S6.1).

use std::sync::Arc;

use serde_json::json;

use super::ansi::row_text;
use super::args_look::{ReadArgs, ReadFormat, ReadPart};
use super::exit::{Exit, Fault};
use super::facts::{note_json, note_text, record_json};
use super::here::Verbs;
use super::target::label;
use crate::api::{Part, PartName, Reading, View};
use crate::model::{ErrorCode, Failure, Mode, Row, RunId, Size, plain_text};

/// The most rows of the scrollback that are asked for in colours.
const MAX_ROWS: u64 = 10_000;

impl Verbs<'_> {
    /// Prints the newest output of a run. That something was cut, and where a part begins, is said on standard error: no output can forge it.
    pub(super) async fn read(&mut self, args: &ReadArgs) -> Result<Exit, Fault> {
        let run = self.find(&args.run).await?;
        let reading = self.client.read(run, args.limit as usize).await?;
        let parts = chosen(&reading, args.part)?;
        if self.console.look.json || args.format == ReadFormat::Json {
            let parts: Vec<_> = parts.iter().map(|part| json!(part)).collect();
            let mut document = json!({ "schema": 1, "run": record_json(&reading.record), "parts": parts });
            if let Some(note) = &reading.note {
                document["note"] = note_json(note);
            }
            self.console.json(&document)?;
            return Ok(Exit::DONE);
        }
        if let Some(note) = &reading.note {
            self.console.mark(&note_text(note));
        }
        let several = parts.iter().filter(|part| !part.text.is_empty()).count() > 1;
        for part in parts {
            if several && !part.text.is_empty() {
                self.console.mark(word(part.name));
            }
            if part.cut {
                self.console.mark("cut: there was more before this");
            }
            let text = match args.format {
                ReadFormat::Ansi if reading.record.mode == Mode::Pty => self.colored(run, part).await?,
                ReadFormat::Ansi => plain_text(&part.text, true),
                ReadFormat::Text | ReadFormat::Json => plain_text(&part.text, false),
            };
            self.console.bytes(text.as_bytes())?;
            if !text.is_empty() && !text.ends_with('\n') {
                self.console.bytes(b"\n")?;
            }
        }
        Ok(Exit::DONE)
    }

    /// Returns a part of a PTY run with its colours, made from cells; the alternate screen is kept as text only.
    async fn colored(&self, run: RunId, part: &Part) -> Result<String, Fault> {
        let rows: Vec<Arc<Row>> = match part.name {
            PartName::Screen => {
                let mut watch = self.client.watch(run, View { size: Size::DEFAULT }).await?;
                let mut rows = watch.newest().rows.clone();
                while rows.last().is_some_and(|row| row.text().is_empty()) {
                    rows.pop();
                }
                rows
            }
            PartName::Scrollback => {
                let span = self.client.history(run, u64::MAX, 0).await?.span;
                let count = span.rows().min(MAX_ROWS);
                self.client.history(run, span.end - count, count as usize).await?.rows
            }
            PartName::Alternate | PartName::Stdout | PartName::Stderr => return Ok(plain_text(&part.text, true)),
        };
        Ok(rows.iter().map(|row| row_text(row) + "\n").collect())
    }
}

/// Returns the parts that were asked for.
fn chosen(reading: &Reading, wanted: ReadPart) -> Result<Vec<&Part>, Failure> {
    let name = match wanted {
        ReadPart::All => return Ok(reading.parts.iter().collect()),
        ReadPart::Screen => PartName::Screen,
        ReadPart::Scrollback => PartName::Scrollback,
        ReadPart::Alternate => PartName::Alternate,
    };
    if reading.record.mode == Mode::Pipes {
        let message = format!("{} has pipes and no {}", label(&reading.record), word(name));
        return Err(Failure::new(ErrorCode::Unsupported, message).with_hint("leave --part out"));
    }
    Ok(reading.parts.iter().filter(|part| part.name == name).collect())
}

fn word(name: PartName) -> &'static str {
    match name {
        PartName::Stdout => "stdout",
        PartName::Stderr => "stderr",
        PartName::Screen => "screen",
        PartName::Alternate => "alternate screen",
        PartName::Scrollback => "scrollback",
    }
}
