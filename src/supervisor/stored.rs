//! Requests on runs that are no longer listed: their records and logs are on the disk.

use std::sync::Arc;

use jiff::Timestamp;

use super::core::{After, At, Core, Do};
use super::kept::Kept;
use super::records;
use super::request::Request;
use super::serving::{control_closed, has_pipes, not_found};
use super::sessions::stale_generation;
use super::why;
use crate::api::{
    Activity, ByteCounts, Inspection, Part, PartName, Reading, RunView, StopOutcome, Surroundings, Termination,
};
use crate::driver::Command;
use crate::model::{ErrorCode, Failure, Mode, Moment, Record, RecordOutput, SessionName};
use crate::sys::clock;

impl Core {
    /// Takes a request in on a run that is not in the list of its session. Of a run that never was, that is of another session and that was deleted
    /// the same is found: nothing.
    pub(super) fn unlisted(&mut self, session: &SessionName, generation: Option<u64>, request: Request) -> Vec<Do> {
        match request {
            Request::Forget(run, answer) => self.forget_earlier(session, generation, run, answer),
            Request::Watch(run, view, answer) if self.is_earlier(session, run) => {
                self.look_back(run, Command::Watch(view, answer))
            }
            Request::History { run, first, count, answer } if self.is_earlier(session, run) => {
                self.look_back(run, Command::History { first, count, answer })
            }
            other => {
                let session = session.clone();
                vec![Do::Beside(Box::new(move |kept| kept.answer_unlisted(&session, generation, other)))]
            }
        }
    }

    /// Marks a record as read. Somebody else may be quicker: then the store refuses this one, and it is marked all the same.
    pub(super) fn mark_observed(&mut self, record: &Record, at: Timestamp) -> Do {
        let mut record = records::observed(record, at);
        let revision = record.revision + 1;
        Arc::make_mut(&mut record).revision = revision;
        self.renew_earlier(&record);
        Do::Store(record, revision)
    }
}

impl Kept {
    fn answer_unlisted(&self, session: &SessionName, generation: Option<u64>, request: Request) -> After {
        let Some(run) = request.listed_run() else { return After::Nothing };
        let stored = self.records.as_ref().map(|records| records.of(session, run)).transpose();
        let record = match stored.map(Option::flatten) {
            Ok(Some(record)) => record,
            Ok(None) => {
                request.refuse(not_found(run));
                return After::Gone(session.clone(), run);
            }
            Err(error) => {
                request.refuse(Failure::from(error));
                return After::Nothing;
            }
        };
        if let Some(expected) = generation.filter(|expected| *expected != record.generation && request.is_change()) {
            request.refuse(stale_generation(expected, record.generation));
            return After::Nothing;
        }
        match request {
            Request::Read(_, limit_bytes, answer) => {
                if let Err(failure) = super::serving::check_limit(limit_bytes) {
                    answer.send(Err(failure));
                    return After::Nothing;
                }
                let parts = parts(record.output.as_ref(), limit_bytes);
                let is_new = record.status.is_final() && record.observed_at.is_none();
                let seen = if is_new { After::Observed(Box::new(record.clone())) } else { After::Nothing };
                answer.send(Ok(Reading { record: record.into(), parts, note: None }));
                return seen;
            }
            Request::Inspect(_, answer) => answer.send(Ok(Inspection {
                view: view(record.into()),
                processes: Vec::new(),
                bytes: ByteCounts::default(),
                holder_pid: None,
                cuts: 0,
            })),
            Request::Surroundings(_, answer) => answer.send(Ok(Surroundings::default())),
            Request::RejoinForeground(_, _, answer) if record.status.is_final() => answer.send(Ok(record.into())),
            Request::Stop(_, _, _, answer) => answer.send(Ok(StopOutcome { applied: false, record: record.into() })),
            Request::Why(_, answer) => answer.send(Ok(why::why(&view(record.into()), None, now()))),
            Request::WithdrawStop(_, _, answer) => answer.send(Ok(false)),
            Request::Rename(_, _, answer) => answer.send(Err(super::renaming::keeps_its_name(true))),
            Request::Control(_, _, answer) if record.mode == Mode::Pipes => answer.send(Err(has_pipes())),
            Request::Restart(_, _, answer) => {
                let message = "the run has ended, and what it was started with is not kept";
                let failure = Failure::new(ErrorCode::ControlClosed, message);
                answer.send(Err(failure.with_hint("start its command anew: its record has it")));
            }
            other => other.refuse(control_closed(true)),
        }
        After::Nothing
    }
}

fn now() -> At {
    At { now: Moment::from_boot(clock::boot_now()), wall: Timestamp::now() }
}

/// Makes what lists would show of a run that is in none any more.
pub(super) fn view(record: Arc<Record>) -> RunView {
    RunView {
        record,
        deadline: None,
        termination: Termination::None,
        control_open: false,
        started: None,
        ended: None,
        activity: Activity::default(),
        attention: None,
        notification: None,
        keyboard: None,
    }
}

/// Makes the parts of a reading (S6.1) from the last snapshot.
fn parts(output: Option<&RecordOutput>, limit_bytes: usize) -> Vec<Part> {
    let part = |name, text: &str, was_cut: bool| {
        let tail = tail(text, limit_bytes);
        Part { name, text: tail.to_owned(), cut: was_cut || tail.len() < text.len() }
    };
    match output {
        None => Vec::new(),
        Some(RecordOutput::Pipes(pipes)) => vec![
            part(PartName::Stdout, &pipes.stdout, pipes.stdout_truncated),
            part(PartName::Stderr, &pipes.stderr, pipes.stderr_truncated),
        ],
        Some(RecordOutput::Pty(pty)) => {
            let alternate = pty.last_alternate_screen.as_deref().filter(|text| !text.is_empty());
            let mut parts = vec![part(PartName::Screen, &pty.screen, false)];
            parts.extend(alternate.map(|text| part(PartName::Alternate, text, false)));
            parts.push(part(PartName::Scrollback, &pty.scrollback, pty.truncated));
            parts
        }
    }
}

/// Returns the end of a text, from a line start on where there is one within the limit.
fn tail(text: &str, limit_bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(limit_bytes);
    if start == 0 {
        return text;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    if text.as_bytes().get(start.wrapping_sub(1)) == Some(&b'\n') {
        return &text[start..];
    }
    let rest = &text[start..];
    rest.split_once('\n').map_or(rest, |(_, lines)| if lines.is_empty() { rest } else { lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_begins_at_a_line_and_never_within_a_character() {
        for (text, limit, expected) in [
            ("one\ntwo\n", 100, "one\ntwo\n"),
            ("one\ntwo\n", 4, "two\n"),
            ("one\ntwo\n", 6, "two\n"),
            ("a long line", 4, "line"),
            ("äöü", 3, "ü"),
            ("äöü", 1, ""),
            ("", 1, ""),
        ] {
            assert_eq!(tail(text, limit), expected, "{text:?} {limit}");
        }
    }

    #[test]
    fn the_parts_of_a_stored_terminal_come_in_the_order_of_a_live_one() {
        let pty = crate::model::PtyOutput {
            screen: "$".into(),
            scrollback: "1\n2\n3\n".into(),
            last_alternate_screen: Some("~".into()),
            cols: 80,
            rows: 24,
            cursor: crate::model::ScreenPoint { x: 0, y: 0, visible: true },
            alternate_screen: false,
            title: String::new(),
            truncated: false,
            redacted: false,
        };
        let parts = parts(Some(&RecordOutput::Pty(Box::new(pty))), 4);
        let told: Vec<_> = parts.iter().map(|part| (part.name, part.text.as_str(), part.cut)).collect();
        assert_eq!(
            told,
            [(PartName::Screen, "$", false), (PartName::Alternate, "~", false), (PartName::Scrollback, "2\n3\n", true)]
        );
    }
}
