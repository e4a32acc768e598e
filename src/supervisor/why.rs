//! Why a run is not running, or how it stands, in one paragraph (S6.8).

use std::time::Duration;

use jiff::Timestamp;
use nix::sys::signal::Signal;

use super::core::At;
use crate::api::{RunView, Termination};
use crate::model::{Cause, Failure, Need, Record, Status, TimeoutKind};

/// A start that was refused: when, and why.
pub(super) type Refused = (Timestamp, Failure);

/// Tells how a run stands. `refused` is the last attempt to start another run of its name that was refused, if one was.
pub(super) fn why(view: &RunView, refused: Option<&Refused>, at: At) -> String {
    let record = &view.record;
    let mut sentences = vec![format!("{} {}", called(record), state(view, at))];
    sentences.extend(need(view, at));
    sentences.extend(deadline(view, at));
    sentences.extend(termination(view, at));
    sentences.extend(tree(record));
    sentences.extend(keeping(record, at));
    sentences.extend(attention(record));
    if let Some((when, failure)) = refused {
        sentences.push(format!("The last start of its name was refused {}: {}", ago(*when, at), said(failure)));
    }
    sentences.join(" ")
}

fn called(record: &Record) -> String {
    match &record.name {
        Some(name) => format!("Run {}, {name}:{},", record.id.short(), record.generation),
        None => format!("Run {}", record.id.short()),
    }
}

/// Returns what a failure says, and what helps, as a sentence.
fn said(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{}; {hint}.", failure.message),
        None => format!("{}.", failure.message),
    }
}

fn state(view: &RunView, at: At) -> String {
    let record = &view.record;
    match record.status {
        Status::Queued => "waits in the queue for a free slot.".to_owned(),
        Status::Starting if record.process.is_some() => {
            "is being started: its process exists, and that is being recorded.".to_owned()
        }
        Status::Starting => "is being started: it is on record and has no process yet.".to_owned(),
        Status::Running => {
            let since = record.started_at.map_or_else(String::new, |since| format!(" since {}", span(since, at.wall)));
            let pid =
                record.process.as_ref().map_or_else(String::new, |process| format!(", as process {}", process.pid));
            format!("runs{since}{pid}.")
        }
        Status::Completed => format!("ended by itself with exit code 0{}.", after(record, at)),
        Status::Failed => failed(record, at),
        Status::TimedOut => format!("was ended{} because {}.", after(record, at), timeout(record)),
        Status::Cancelled => {
            let by = match record.cause {
                Some(Cause::Shutdown) => "with everything else, when shtask was shut down",
                Some(Cause::Cancel | Cause::Timeout) | None => "because somebody stopped it",
            };
            format!("was ended{} {by}.", after(record, at))
        }
        Status::Orphaned => {
            let what = record.failure.as_ref().map_or_else(|| "why is not known.".to_owned(), said);
            format!("was lost sight of{}: {what}", after(record, at))
        }
    }
}

fn failed(record: &Record, at: At) -> String {
    let after = after(record, at);
    let own = match (record.signal, record.exit_code) {
        (Some(number), _) => {
            let name = Signal::try_from(number).map_or_else(|_| String::new(), |signal| format!(" ({signal})"));
            Some(format!("its process was ended by signal {number}{name}"))
        }
        (None, Some(code)) => Some(format!("its process ended with exit code {code}")),
        (None, None) => None,
    };
    match (&record.failure, own, record.started_at) {
        (Some(failure), _, None) => format!("could not be started{after}: {}", said(failure)),
        (Some(failure), Some(own), Some(_)) => format!("failed{after}: {} Before that {own}.", said(failure)),
        (Some(failure), None, Some(_)) => format!("failed{after}: {}", said(failure)),
        (None, Some(own), _) => format!("failed{after}: {own}, and not at shtask's request."),
        (None, None, _) => format!("failed{after}."),
    }
}

fn timeout(record: &Record) -> String {
    match record.timed_out_by {
        Some(TimeoutKind::Idle) => "it printed nothing for as long as its idle timeout allows".to_owned(),
        Some(TimeoutKind::Ready) => "it was not ready in time".to_owned(),
        Some(TimeoutKind::Wall) | None => match record.timeout {
            Some(timeout) => format!("its timeout of {} was over", shown(timeout)),
            None => "its timeout was over".to_owned(),
        },
    }
}

fn need(view: &RunView, at: At) -> Option<String> {
    let attention = view.attention?;
    let since = span(attention.since, at.wall);
    Some(match attention.need {
        Need::Prompt => format!("Its shell has been at the prompt for {since}."),
        Need::Input => format!("It has been waiting for {since} for something to be typed."),
        Need::Password => format!("It has been waiting for {since} for a password: what is typed is not shown."),
        Need::Bell => format!("It rang its bell {since} ago, and nobody has typed since."),
    })
}

fn deadline(view: &RunView, at: At) -> Option<String> {
    let deadline = view.deadline.as_ref()?;
    let which = match deadline.kind {
        TimeoutKind::Wall => "timeout",
        TimeoutKind::Idle => "idle timeout",
        TimeoutKind::Ready => "ready timeout",
    };
    Some(format!("Its {which} ends it in {}.", shown(deadline.at.since(at.now))))
}

/// Tells where on the ladder of a stop it stands (S4.7).
fn termination(view: &RunView, at: At) -> Option<String> {
    match view.termination {
        Termination::None => None,
        Termination::Preparing => Some("A stop was asked for; no signal has been sent yet.".to_owned()),
        Termination::Grace { until } => {
            let left = until.since(at.now);
            Some(if left.is_zero() {
                "It was told to end; its grace is over, and what is left of it is being killed.".to_owned()
            } else {
                format!("It was told to end; what is left of it in {} is killed.", shown(left))
            })
        }
        Termination::Draining => {
            Some("It is ending: its last output is taken in, and what it has left behind is ended.".to_owned())
        }
    }
}

fn tree(record: &Record) -> Option<String> {
    let ended = record.ended.as_ref()?;
    let killed = match ended.killed {
        0 => "none had to be killed".to_owned(),
        1 => "1 had to be killed".to_owned(),
        killed => format!("{killed} had to be killed"),
    };
    let mut text =
        format!("Of its tree {} got the stop signal and {killed}.", counted(ended.signalled, "process", "processes"));
    if !ended.left.is_empty() {
        let left: Vec<String> = ended.left.iter().map(|left| format!("{} ({})", left.pid, left.why)).collect();
        text.push_str(&format!(" Still there: {}.", left.join(", ")));
    }
    Some(text)
}

fn keeping(record: &Record, at: At) -> Option<String> {
    let degraded = record.degraded.as_ref()?;
    Some(match degraded.until {
        Some(until) => {
            format!("For {} something of it could not be stored: {}.", span(degraded.since, until), degraded.why)
        }
        None => format!("For {} it could not be stored: {}.", span(degraded.since, at.wall), degraded.why),
    })
}

fn attention(record: &Record) -> Option<String> {
    let is_new = record.status.is_final() && record.observed_at.is_none();
    is_new.then(|| "Nobody has read its output since it ended.".to_owned())
}

/// Returns how long it ran and since when it is over, as far as both are known.
fn after(record: &Record, at: At) -> String {
    let ran = record.started_at.zip(record.completed_at).map(|(from, to)| format!(" after {}", span(from, to)));
    let ended = record.completed_at.map(|ended| format!(", {}", ago(ended, at)));
    format!("{}{}", ran.unwrap_or_default(), ended.unwrap_or_default())
}

fn ago(when: Timestamp, at: At) -> String {
    format!("{} ago", span(when, at.wall))
}

fn span(from: Timestamp, to: Timestamp) -> String {
    // A clock that was set back makes no negative times.
    shown(Duration::try_from(to.duration_since(from)).unwrap_or_default())
}

fn counted(count: u32, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}

/// Shows a time in its two largest units.
fn shown(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{} ms", span.subsec_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
#[path = "why_tests.rs"]
mod tests;
