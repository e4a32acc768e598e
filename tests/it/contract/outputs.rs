//! What a final record keeps of the output (S2.4).

use std::sync::Arc;

use shtask::model::{RecordOutput, Size, Status};

use super::ground::{Ground, on_every_ground, screen, streams};

on_every_ground!(
    a_pipes_record_has_both_streams_apart_and_names_the_latest,
    a_long_pipes_output_is_cut_at_a_line_start_and_says_so,
    a_soft_wrapped_line_of_the_scrollback_is_one_line_in_the_record,
    a_cleared_screen_is_not_a_loss,
    a_line_over_64_kib_stops_nobody,
    a_character_split_over_two_reads_stays_whole,
);

/// S2.4.
async fn a_pipes_record_has_both_streams_apart_and_names_the_latest(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("echo out; echo oops >&2")).await;
    assert_eq!(streams(&record), ("out\n", "oops\n"));
    let Some(RecordOutput::Pipes(pipes)) = &record.output else { panic!("pipes") };
    assert!(!pipes.stdout_truncated && !pipes.stderr_truncated && !pipes.redacted);
    let record = ground.outcome(ground.sh("echo oops >&2")).await;
    let Some(RecordOutput::Pipes(pipes)) = &record.output else { panic!("pipes") };
    assert_eq!(pipes.latest_stream.as_deref(), Some("stderr"));
}

/// S2.4.
async fn a_long_pipes_output_is_cut_at_a_line_start_and_says_so(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("seq 1 300000")).await;
    let Some(RecordOutput::Pipes(pipes)) = &record.output else { panic!("pipes") };
    assert!(pipes.stdout_truncated && !pipes.stderr_truncated);
    assert!(pipes.stdout.ends_with("\n299999\n300000\n"));
    let first = pipes.stdout.lines().next().expect("a line");
    assert_eq!(first.len(), 6, "whole lines only: {first}");
}

/// S2.4.
async fn a_soft_wrapped_line_of_the_scrollback_is_one_line_in_the_record(ground: Arc<Ground>) {
    let long = "0123456789".repeat(12);
    let mut spec = ground.pty(format!("printf '%s\\n' {long}; seq 1 40"));
    spec.size = Size::new(50, 10).expect("a size");
    let record = ground.outcome(spec).await;
    let (screen, scrollback) = screen(&record);
    assert!(scrollback.lines().any(|line| line == long), "{scrollback}");
    assert!(screen.ends_with("39\n40"), "no blank rows follow: {screen:?}");
    let Some(RecordOutput::Pty(pty)) = &record.output else { panic!("a terminal") };
    assert_eq!((pty.cols, pty.rows, pty.truncated, pty.alternate_screen), (50, 10, false, false));
}

/// S2.4: `truncated` only when something was really lost.
async fn a_cleared_screen_is_not_a_loss(ground: Arc<Ground>) {
    let line = r"echo before; printf '\033[H\033[2J\033[3J\033]2;a title\007after'";
    let record = ground.outcome(ground.pty(line)).await;
    let Some(RecordOutput::Pty(pty)) = &record.output else { panic!("a terminal") };
    assert_eq!((pty.screen.as_str(), pty.scrollback.as_str(), pty.truncated), ("after", "", false));
    assert_eq!((pty.title.as_str(), pty.cursor.x, pty.cursor.y), ("a title", 5, 0));
}

/// BUGS B29.
async fn a_line_over_64_kib_stops_nobody(ground: Arc<Ground>) {
    let line = "head -c 70000 /dev/zero | tr '\\0' x; echo; echo after";
    let record = ground.outcome(ground.sh(line)).await;
    assert_eq!(record.status, Status::Completed);
    assert!(streams(&record).0.ends_with("after\n"));
    let record = ground.outcome(ground.pty(line)).await;
    assert_eq!(record.status, Status::Completed);
    assert!(screen(&record).0.ends_with("\nafter"));
}

/// BUGS B27: the halves of a character come in reads of their own.
async fn a_character_split_over_two_reads_stays_whole(ground: Arc<Ground>) {
    let line = r"printf '\342'; sleep 0.05; printf '\200'; sleep 0.05; printf '\223|\377|\n'";
    let record = ground.outcome(ground.sh(line)).await;
    assert_eq!(streams(&record).0, "–|\u{fffd}|\n");
    let record = ground.outcome(ground.pty(line)).await;
    assert_eq!(screen(&record).0, "–|\u{fffd}|");
}
