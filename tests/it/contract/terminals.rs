//! Terminals as programs see them (BUGS E).

use std::sync::Arc;

use shtask::model::{Key, Limits, Modifiers, Size, Status, WriteStdin};

use super::ground::{Ground, on_every_ground, screen, within};

on_every_ground!(
    the_size_is_right_from_the_first_instant_on,
    each_process_of_the_foreground_gets_an_interrupt_once_and_other_runs_none,
    an_interrupt_while_a_run_is_ending_harms_nobody,
    a_large_paste_and_its_echo_move_at_the_same_time,
    a_background_job_that_prints_is_not_stopped_for_it,
);

fn ctrl_c() -> WriteStdin {
    WriteStdin::key(Key::Char('c'), Modifiers { ctrl: true, ..Modifiers::default() })
}

/// BUGS B38.
async fn the_size_is_right_from_the_first_instant_on(ground: Arc<Ground>) {
    let record = ground.outcome(ground.pty("stty size")).await;
    assert_eq!(screen(&record).0, "24 80");
    for (cols, rows) in [(2, 1), (132, 43), (1000, 500)] {
        let mut spec = ground.pty("stty size > size; printf x");
        spec.size = Size::new(cols, rows).expect("a size");
        let record = ground.outcome(spec).await;
        let seen = std::fs::read_to_string(ground.dir.path().join("size")).expect("a file");
        assert_eq!((seen.trim(), screen(&record).0), (format!("{rows} {cols}").as_str(), "x"));
    }
}

/// BUGS B16, B17.
async fn each_process_of_the_foreground_gets_an_interrupt_once_and_other_runs_none(ground: Arc<Ground>) {
    let child = "trap 'echo C-int' INT; echo ready; until [ -e go ]; do sleep 0.02; done";
    let line = format!("trap 'echo P-int' INT; sh -c \"{child}\"; echo over");
    let run = ground.start(ground.pty(line)).await;
    let other = ground.start(ground.pty("trap 'echo int' INT; echo other; read x; exit 0")).await;
    ground.until_shown(other, "other").await;
    ground.until_shown(run, "ready").await;
    ground.control(run, ctrl_c()).await.expect("a cut");
    ground.until_shown(run, "C-int").await;
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let record = ground.ended(run).await;
    let text = screen(&record).0;
    assert_eq!((text.matches("C-int").count(), text.matches("P-int").count()), (1, 1), "{text}");
    ground.type_text(other, "\r").await;
    let record = ground.ended(other).await;
    assert!(record.status == Status::Completed && !screen(&record).0.contains("int"), "{record:?}");
}

/// BUGS B17.
async fn an_interrupt_while_a_run_is_ending_harms_nobody(ground: Arc<Ground>) {
    let other = ground.start(ground.pty("echo other; exec cat")).await;
    let run =
        ground
            .start(ground.pty(
                "trap 'sleep 0.3; echo cleaned; exit' TERM HUP; echo ready; while :; do sleep 1000 & wait $!; done",
            ))
            .await;
    ground.until_shown(run, "ready").await;
    let stopping = ground.client.stop(run, shtask::api::StopRequest { kill: false });
    for _ in 0..5 {
        ground.control(run, ctrl_c()).await.expect_err("control is closed");
    }
    let record = within("the stop", stopping.reply).await.expect("stopped").record;
    assert!(screen(&record).0.ends_with("cleaned"), "{:?}", screen(&record).0);
    ground.type_text(other, "still here\r").await;
    ground.until_shown(other, "still here").await;
}

/// BUGS B34: 200 KB of lines in one go. The kernel may drop echoes when its echo buffer is full, but never input or output: so all
/// copies are counted where there is no echo, and with the echo at least as many letters come.
async fn a_large_paste_and_its_echo_move_at_the_same_time(ground: Arc<Ground>) {
    for echo in [true, false] {
        let stty = if echo { "stty echo" } else { "stty -echo" };
        let run = ground.start(ground.pty(format!("{stty}; echo ready; cat; echo over"))).await;
        ground.until_shown(run, "ready").await;
        let line = format!("{}\r", "w".repeat(63));
        let lines = Limits::MAX_INPUT_BYTES / line.len();
        let replies: Vec<_> =
            (0..3).map(|_| ground.client.control(run, WriteStdin::text(line.repeat(lines)))).collect();
        for reply in replies {
            assert!(within("a cut", reply).await.expect("a cut").outcome.input.expect("input").queued);
        }
        ground.type_text(run, "\u{4}").await;
        let record = ground.ended(run).await;
        let (screen, scrollback) = screen(&record);
        assert!(screen.ends_with("over"), "{screen}");
        let letters = |text: &str| text.bytes().filter(|byte| *byte == b'w').count();
        let (seen, typed) = (letters(screen) + letters(scrollback), 3 * 63 * lines);
        assert!(if echo { seen > typed && seen <= 2 * typed } else { seen == typed }, "{seen} of {typed}, echo {echo}");
    }
}

/// BUGS B80.
async fn a_background_job_that_prints_is_not_stopped_for_it(ground: Arc<Ground>) {
    let record = ground.outcome(ground.pty("(echo a; echo b) & wait; echo c")).await;
    assert_eq!(screen(&record).0, "a\nb\nc");
    // With `tostop` a job is stopped by its terminal; a stop ends it all the same.
    let run = ground.start(ground.pty("set -m; stty tostop; (echo a; sleep 1) & echo up; exec sleep 100")).await;
    ground.until_shown(run, "up").await;
    assert_eq!(ground.stop(run).await.status, Status::Cancelled);
}
