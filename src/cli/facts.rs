//! Runs as programs and people see them.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::api::{ByteCounts, DeadlineView, Inspection, RunView, Termination};
use crate::model::{Attention, HeldNote, KeyboardOwner, Moment, Record, TimeoutKind};

/// Returns a record as JSON (S2.3): times with milliseconds, spans in milliseconds.
pub(super) fn record_json(record: &Record) -> Value {
    let Ok(Value::Object(mut object)) = serde_json::to_value(record) else {
        unreachable!("a record is an object of plain values");
    };
    object.remove("timeout");
    let millis = record.timeout.map(|span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
    object.insert("timeout_ms".into(), millis.into());
    object.insert("pid".into(), record.process.as_ref().map(|process| process.pid).into());
    object.insert("updated_at".into(), time(record.updated_at).into());
    for (key, at) in
        [("started_at", record.started_at), ("completed_at", record.completed_at), ("observed_at", record.observed_at)]
    {
        object.insert(key.into(), at.map(time).into());
    }
    Value::Object(object)
}

/// Returns a run as JSON: its record, and under `live` what is true of it only now.
pub(super) fn view_json(view: &RunView, now: Moment) -> Value {
    let mut object = record_json(&view.record);
    object["live"] = live_json(view, now).into();
    object
}

fn live_json(view: &RunView, now: Moment) -> Map<String, Value> {
    let mut live = Map::new();
    let deadline = view.deadline.map(|deadline| {
        let left = u64::try_from(deadline.at.since(now).as_millis()).unwrap_or(u64::MAX);
        json!({ "kind": deadline.kind, "left_ms": left })
    });
    live.insert("deadline".into(), deadline.into());
    live.insert("termination".into(), termination_word(view.termination).into());
    live.insert("control_open".into(), view.control_open.into());
    live.insert("output_generation".into(), view.activity.output.into());
    live.insert("bells".into(), view.activity.bells.into());
    let attention = view.attention.as_ref().map(attention_json);
    live.insert("attention".into(), attention.into());
    let said = view.notification.as_ref().map(|said| json!({ "title": said.title, "text": said.text }));
    live.insert("notification".into(), said.into());
    live.insert("keyboard".into(), view.keyboard.as_ref().map(owner_json).into());
    live
}

/// Returns what a run wants of somebody as JSON.
pub(super) fn attention_json(attention: &Attention) -> Value {
    json!({ "need": attention.need, "since": time(attention.since) })
}

/// Returns who holds a keyboard as JSON.
fn owner_json(owner: &KeyboardOwner) -> Value {
    json!({ "kind": owner.who.kind, "name": owner.who.name, "since": time(owner.since) })
}

/// Returns what an agent is told of a hold as JSON.
pub(super) fn note_json(note: &HeldNote) -> Value {
    let held_ms = u64::try_from(note.held.as_millis()).unwrap_or(u64::MAX);
    json!({
        "by": note.by, "held_ms": held_ms, "is_held": note.is_held, "typed": note.typed, "is_cut": note.is_cut,
    })
}

/// Returns what an agent is told of a hold in words.
pub(super) fn note_text(note: &HeldNote) -> String {
    let (by, held) = (&note.by, short_span(note.held));
    let first = match note.is_held {
        true => format!("{by} has the keyboard, for {held} by now"),
        false => format!("{by} had the keyboard for {held}"),
    };
    let cut = if note.is_cut { "; more was typed that is not shown" } else { "" };
    match note.typed.as_str() {
        "" => format!("{first}{cut}"),
        typed => format!("{first} and typed {typed:?}{cut}"),
    }
}

/// Returns all that is known of a run as JSON.
pub(super) fn inspection_json(found: &Inspection, now: Moment) -> Value {
    let ByteCounts { input, output, error } = found.bytes;
    let mut live = live_json(&found.view, now);
    live.insert("processes".into(), json!(found.processes));
    live.insert("bytes".into(), json!({ "input": input, "output": output, "error": error }));
    live.insert("holder_pid".into(), found.holder_pid.into());
    live.insert("cuts".into(), found.cuts.into());
    let mut object = record_json(&found.view.record);
    object["live"] = live.into();
    object
}

/// Returns the word for how far the end of a run has come.
pub(super) fn termination_word(termination: Termination) -> &'static str {
    match termination {
        Termination::None => "none",
        Termination::Preparing => "preparing",
        Termination::Grace { .. } => "grace",
        Termination::Draining => "draining",
    }
}

/// Returns what a deadline is about: `ends in 12s (timeout)`.
pub(super) fn deadline_text(deadline: DeadlineView, now: Moment) -> String {
    let what = match deadline.kind {
        TimeoutKind::Wall => "timeout",
        TimeoutKind::Idle => "idle timeout",
        TimeoutKind::Ready => "ready timeout",
    };
    format!("ends in {} ({what})", short_span(deadline.at.since(now)))
}

/// Writes a time in RFC 3339, UTC, with milliseconds (S2.3).
pub(super) fn time(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// Writes a span for people, in its two largest units: `3s`, `2m 5s`, `4h 12m`, `3d 1h`.
pub(super) fn short_span(span: std::time::Duration) -> String {
    let secs = span.as_secs();
    let (days, hours, minutes) = (secs / 86_400, secs / 3600 % 24, secs / 60 % 60);
    match (days, hours, minutes, secs % 60) {
        (0, 0, 0, secs) => format!("{secs}s"),
        (0, 0, minutes, 0) => format!("{minutes}m"),
        (0, 0, minutes, secs) => format!("{minutes}m {secs}s"),
        (0, hours, 0, _) => format!("{hours}h"),
        (0, hours, minutes, _) => format!("{hours}h {minutes}m"),
        (days, 0, ..) => format!("{days}d"),
        (days, hours, ..) => format!("{days}d {hours}h"),
    }
}

/// Returns how long `from` lies before `to`; zero when it does not.
pub(super) fn elapsed(from: Timestamp, to: Timestamp) -> std::time::Duration {
    std::time::Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// Writes a number of bytes for people: `812 B`, `1.5 MiB`.
pub(super) fn bytes_text(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in units {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        for (secs, text) in [(0, "0s"), (65, "1m 5s"), (120, "2m"), (3600, "1h"), (15_129, "4h 12m"), (90_000, "1d 1h")]
        {
            assert_eq!(short_span(Duration::from_secs(secs)), text);
        }
    }

    #[test]
    fn times_have_milliseconds() {
        let at: Timestamp = "2026-11-29T10:00:00.1239Z".parse().expect("a time");
        assert_eq!(time(at), "2026-11-29T10:00:00.123Z");
        assert_eq!(time("2026-11-29T10:00:00Z".parse().expect("a time")), "2026-11-29T10:00:00.000Z");
    }

    #[test]
    fn bytes_are_told_in_a_unit_that_fits() {
        assert_eq!(
            [bytes_text(0), bytes_text(1023), bytes_text(1536), bytes_text(64 << 20)],
            ["0 B", "1023 B", "1.5 KiB", "64.0 MiB"]
        );
    }
}
