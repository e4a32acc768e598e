//! The tree of a run and its end (S4.8), BUGS A.

use std::sync::Arc;
use std::time::Duration;

use shtask::model::{RunSpec, Status, StopSpec};

use super::ground::{Ground, on_every_ground, until};
use crate::harness::{Marker, have, survivors};

on_every_ground!(
    stop_ends_the_children_of_the_shell_before_it_answers,
    a_broken_line_of_descent_hides_nobody,
    whoever_left_session_environment_or_parent_is_ended,
    a_stopped_member_is_ended,
    nohup_and_a_deaf_ear_to_hup_save_nobody,
    what_a_task_leaves_behind_at_its_own_end_is_ended_and_counted,
    a_tree_that_forks_without_end_is_ended,
);

/// Starts a run, waits until so many processes have the mark, stops it, and checks that all of them are gone.
async fn started_and_stopped(ground: &Ground, spec: RunSpec, marker: &Marker, count: usize) {
    let run = ground.start(spec).await;
    until("all are there", || {
        survivors(marker).iter().filter(|process| process.arguments.first().is_some_and(|a| a == "sleep")).count()
            >= count
    })
    .await;
    let record = ground.stop(run).await;
    assert_eq!(survivors(marker), [], "all are gone before the stop is answered");
    assert_eq!(record.status, Status::Cancelled, "{record:?}");
    assert!(record.ended.as_ref().is_some_and(|ended| ended.left.is_empty()), "{record:?}");
}

/// BUGS B01.
async fn stop_ends_the_children_of_the_shell_before_it_answers(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("sleep {marker} & sleep {marker} & wait");
    started_and_stopped(&ground, ground.sh(&line), &marker, 2).await;
    started_and_stopped(&ground, ground.pty(&line), &marker, 2).await;
}

/// BUGS B03.
async fn a_broken_line_of_descent_hides_nobody(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("sh -c 'sh -c \"sleep {marker} &\" & wait'; exec sleep {marker}");
    started_and_stopped(&ground, ground.sh(&line), &marker, 2).await;
    started_and_stopped(&ground, ground.pty(&line), &marker, 2).await;
}

/// S4.8.
async fn whoever_left_session_environment_or_parent_is_ended(ground: Arc<Ground>) {
    if !have("setsid") {
        return;
    }
    let marker = Marker::new();
    let line = format!(
        "setsid sleep {marker} & env -i /bin/sh -c 'exec sleep {marker}' & \
         (setsid env -i /bin/sh -c 'trap \"\" HUP; (sleep {marker} &) ' &) ; exec sleep {marker}"
    );
    started_and_stopped(&ground, ground.sh(&line), &marker, 4).await;
    started_and_stopped(&ground, ground.pty(&line), &marker, 4).await;
}

/// S4.8.
async fn a_stopped_member_is_ended(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line =
        format!("sleep {marker} & until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!; exec sleep {marker}");
    let stop = StopSpec { grace: Duration::from_secs(15), ..StopSpec::default() };
    started_and_stopped(&ground, RunSpec { stop, ..ground.sh(&line) }, &marker, 2).await;
    started_and_stopped(&ground, ground.pty(&line), &marker, 2).await;
}

/// BUGS B10.
async fn nohup_and_a_deaf_ear_to_hup_save_nobody(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("nohup sleep {marker} & trap '' HUP; sleep {marker}");
    started_and_stopped(&ground, ground.pty(&line), &marker, 2).await;
}

/// BUGS B05: the output is closed, so that only the process itself is left.
async fn what_a_task_leaves_behind_at_its_own_end_is_ended_and_counted(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("sleep {marker} >/dev/null 2>&1 & exit 0");
    let record = ground.outcome(ground.sh(line)).await;
    assert_eq!(survivors(&marker), []);
    assert_eq!((record.status, record.failure.clone()), (Status::Completed, None));
    let ended = record.ended.clone().expect("the record counts it");
    assert!(ended.signalled >= 1 && ended.left.is_empty(), "{ended:?}");
}

/// S4.8.
async fn a_tree_that_forks_without_end_is_ended(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("f() {{ trap '' TERM; (sleep 0.{marker}; f) & }}; f; while :; do f; sleep 0.05; done");
    let stop = StopSpec { grace: Duration::from_millis(100), ..StopSpec::default() };
    let run = ground.start(RunSpec { stop, ..ground.sh(line) }).await;
    until("some are there", || survivors(&marker).len() > 4).await;
    let record = ground.stop(run).await;
    assert_eq!(survivors(&marker), []);
    assert_eq!(record.status, Status::Cancelled, "{record:?}");
}
