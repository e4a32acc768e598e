//! Screens as they change: the newest only, and never at the run's cost (DESIGN §3, S6.5).

use std::sync::Arc;

use shtask::api::View;
use shtask::model::{Size, Status};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_watcher_that_does_not_look_slows_nobody_and_sees_the_newest_frame_then,
    a_final_run_has_one_last_frame,
    rows_of_the_history_keep_their_numbers,
    the_log_of_a_pipes_run_is_wrapped_to_the_viewer,
    the_answer_of_the_screen_reaches_a_program_that_asks,
    a_program_that_asks_without_end_and_reads_no_answer_is_ended,
);

const LOOK: View = View { size: Size::DEFAULT };

/// S6.5: without a look in between, and without anybody at all.
async fn a_watcher_that_does_not_look_slows_nobody_and_sees_the_newest_frame_then(ground: Arc<Ground>) {
    let line = "until [ -e go ]; do sleep 0.01; done; seq 1 200000; echo the end; exec sleep 100";
    let run = ground.start(ground.pty(line)).await;
    let absent = ground.client.watch(run, LOOK).await.expect("a watch");
    let mut lazy = absent.clone();
    drop(absent);
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let until_end = ground.until_shown(run, "the end").await;
    assert!(until_end.history.end > 100_000, "no line was lost: {:?}", until_end.history);
    assert!(lazy.has_news());
    let mut frame = lazy.newest();
    while !frame.text().contains("the end") {
        assert!(within("the last frame", lazy.changed()).await);
        frame = lazy.newest();
    }
    assert!(!lazy.has_news(), "there is no backlog of frames");
}

/// The API of `watch`.
async fn a_final_run_has_one_last_frame(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("echo first; until [ -e go ]; do sleep 0.01; done; echo last")).await;
    let mut watch = ground.client.watch(run, LOOK).await.expect("a watch");
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    while within("the end", watch.changed()).await {
        watch.newest();
    }
    assert_eq!(watch.newest().text(), "first\nlast", "the last frame is the end");
    ground.ended(run).await;
    let mut late = ground.client.watch(run, LOOK).await.expect("a watch");
    assert_eq!(late.newest().text(), "first\nlast");
    assert!(!within("an answer", late.changed()).await, "no frame follows");
    let pipes = ground.outcome(ground.sh("echo piped")).await;
    let mut late = ground.client.watch(pipes.id, LOOK).await.expect("a watch");
    assert_eq!(late.newest().text(), "piped");
}

/// DESIGN §3.
async fn rows_of_the_history_keep_their_numbers(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("seq 1 100; until [ -e go ]; do sleep 0.01; done; seq 101 300")).await;
    ground.until_frame(run, "the first hundred", |frame| frame.text().ends_with("100")).await;
    let before = ground.client.history(run, 10, 5).await.expect("rows");
    let texts = |rows: &shtask::api::HistoryRows| rows.rows.iter().map(|row| row.text()).collect::<Vec<_>>();
    assert_eq!((before.first, texts(&before)), (10, ["11", "12", "13", "14", "15"].map(String::from).to_vec()));
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    ground.ended(run).await;
    let after = ground.client.history(run, 10, 5).await.expect("rows");
    assert_eq!((after.first, texts(&after)), (before.first, texts(&before)));
    assert!(after.span.end > before.span.end);
    let clipped = ground.client.history(run, 1_000_000, 5).await.expect("rows");
    assert_eq!((clipped.first, clipped.rows.len()), (clipped.span.end, 0));
    let all = ground.client.history(run, 0, usize::MAX).await.expect("rows");
    assert_eq!(all.rows.len() as u64, all.span.rows());
}

/// The API of `watch`.
async fn the_log_of_a_pipes_run_is_wrapped_to_the_viewer(ground: Arc<Ground>) {
    let run = ground.start(ground.sh("printf '%s\\n' 0123456789abcdef; echo oops >&2; exec sleep 100")).await;
    ground.until_shown(run, "oops").await;
    let narrow = View { size: Size::new(10, 5).expect("a size") };
    let mut watch = ground.client.watch(run, narrow).await.expect("a watch");
    while !watch.newest().text().contains("abcdef") {
        assert!(within("a frame", watch.changed()).await);
    }
    assert_eq!(watch.newest().size, narrow.size);
    assert!(watch.newest().text().starts_with("0123456789\nabcdef\n"), "{}", watch.newest().text());
}

/// S9.3.
async fn the_answer_of_the_screen_reaches_a_program_that_asks(ground: Arc<Ground>) {
    let line =
        r"stty -echo -icanon min 1; printf '\033[5;7H\033[6n'; head -c 6 | cat -v; printf '\033[c'; head -c 3 | cat -v";
    let record = ground.outcome(ground.pty(line)).await;
    let screen = super::ground::screen(&record).0;
    assert!(screen.contains("^[[5;7R^[[?"), "{screen:?}");
}

/// S9.3: replies are bounded; past that it fails closed. BUGS B41: they are of no use to who does not read.
async fn a_program_that_asks_without_end_and_reads_no_answer_is_ended(ground: Arc<Ground>) {
    let yes = ground.pty(r#"stty -echo raw; exec yes "$(printf '\033[6n\033[6n\033[6n\033[6n')""#);
    let record = ground.outcome(yes).await;
    assert_eq!(record.status, Status::Failed);
    let failure = record.failure.as_ref().expect("a reason");
    assert!(failure.message.contains("answers"), "{failure}");
}
