//! Control cuts: what is validated, in which order they come, what each answers (S4.1, S4.2).

use std::fmt::Write as _;
use std::sync::Arc;

use shtask::model::{Action, Applied, ErrorCode, Input, Limits, Size, Status, WriteStdin};

use super::ground::{DEADLINE, Ground, live_frame, on_every_ground, within};

on_every_ground!(
    a_control_that_is_not_valid_changes_nothing,
    a_pipes_run_takes_no_control_and_says_so,
    a_resize_is_seen_by_the_program_and_an_equal_size_is_applied_but_not_changed,
    size_comes_before_input_in_one_control,
    cuts_are_answered_in_call_order_in_the_middle_of_a_flood,
    resize_behind_a_blocked_paste_is_not_delayed,
    a_reply_dropped_before_the_cut_changes_nothing,
    a_control_after_the_end_is_refused_as_closed,
    a_control_that_the_end_overtakes_gets_the_final_record,
    input_that_nobody_reads_is_bounded_and_says_so,
);

fn size(cols: u16, rows: u16) -> Size {
    Size::new(cols, rows).expect("a size")
}

/// S4.1.
async fn a_control_that_is_not_valid_changes_nothing(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo; echo ready; cat")).await;
    ground.until_shown(run, "ready").await;
    let other = Some(size(33, 7));
    let too_long = "x".repeat(Limits::MAX_INPUT_BYTES + 1);
    let text = |text: &str| Some(Input::Text(text.to_owned()));
    let actions = |actions: Vec<Action>| Some(Input::Actions(actions));
    let many = (0..=Limits::MAX_ACTIONS).map(|_| Action::Text("x".into())).collect();
    let invalid = [
        WriteStdin { input: None, size: None },
        WriteStdin { input: text(""), size: other },
        WriteStdin { input: text(&too_long), size: other },
        WriteStdin { input: actions(vec![]), size: other },
        WriteStdin { input: actions(many), size: other },
        WriteStdin { input: actions(vec![Action::Text(String::new())]), size: other },
    ];
    for control in invalid {
        let failure = ground.control(run, control).await.expect_err("not valid");
        assert_eq!(failure.code, ErrorCode::Invalid, "{failure}");
    }
    assert!(Size::new(1, 24).is_err() && Size::new(80, 501).is_err(), "a size out of range cannot even be asked for");
    let cut = ground.control(run, WriteStdin::text("y".repeat(4000))).await.expect("a cut");
    let frame = live_frame(&cut);
    assert_eq!((frame.size, frame.cut), (Size::DEFAULT, 1), "it is the first cut: {}", frame.text());
}

/// S4.1.
async fn a_pipes_run_takes_no_control_and_says_so(ground: Arc<Ground>) {
    let run = ground.start(ground.sh("exec sleep 100")).await;
    for control in [WriteStdin::text("x"), WriteStdin::resize(size(40, 10))] {
        let failure = ground.control(run, control).await.expect_err("pipes");
        assert_eq!(failure.code, ErrorCode::Unsupported, "{failure}");
        assert!(failure.message.contains("pipes"), "{failure}");
    }
}

/// S4.2.
async fn a_resize_is_seen_by_the_program_and_an_equal_size_is_applied_but_not_changed(ground: Arc<Ground>) {
    let line = "trap 'echo size=$(stty size)' WINCH; echo ready; while :; do sleep 0.02; done";
    let run = ground.start(ground.pty(line)).await;
    ground.until_shown(run, "ready").await;
    let cut = ground.control(run, WriteStdin::resize(size(101, 31))).await.expect("a cut");
    let resize = cut.outcome.resize.expect("a resize");
    assert_eq!((resize.size, resize.applied, resize.changed), (size(101, 31), true, true));
    assert_eq!(live_frame(&cut).size, size(101, 31), "the frame is of that very instant");
    assert_eq!(live_frame(&cut).rows.len(), 31);
    ground.until_shown(run, "size=31 101").await;
    let cut = ground.control(run, WriteStdin::resize(size(101, 31))).await.expect("a cut");
    let resize = cut.outcome.resize.expect("a resize");
    assert_eq!((resize.applied, resize.changed), (true, false));
    let record = ground.client.inspect(run).await.expect("a look").view.record;
    assert_eq!(record.size, Some(size(101, 31)));
    // The kernel sends no signal for an equal size, so the program has heard of one change.
    let frame = ground.until_shown(run, "size=").await;
    assert_eq!(frame.text().matches("size=").count(), 1);
}

/// S4.2: first the resize, then the input.
async fn size_comes_before_input_in_one_control(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo; echo ready; read x; stty size")).await;
    ground.until_shown(run, "ready").await;
    let control = WriteStdin { input: Some(Input::Text("go\r".into())), size: Some(size(90, 20)) };
    let cut = ground.control(run, control).await.expect("a cut");
    let input = cut.outcome.input.expect("input");
    assert_eq!((input.bytes, input.queued), (3, true));
    assert!(cut.outcome.resize.expect("a resize").changed && cut.outcome.failed.is_none());
    let record = ground.ended(run).await;
    assert!(super::ground::screen(&record).0.contains("20 90"));
}

/// S4.2: cuts are numbered without a gap, sizes are those that were asked for, and text arrives in order.
async fn cuts_are_answered_in_call_order_in_the_middle_of_a_flood(ground: Arc<Ground>) {
    let line = "stty -echo -icanon; (while :; do seq 1 2000; done) & head -c 600 > typed; kill $!";
    let run = ground.start(ground.pty(line)).await;
    ground.until_frame(run, "the flood", |frame| frame.history.end > 100).await;
    let mut expected = String::new();
    let mut replies = Vec::new();
    for at in 0_u16..200 {
        let wanted = size(60 + at % 40, 20 + at % 7);
        let text = format!("{at:03}");
        expected.push_str(&text);
        let control = match at % 3 {
            0 => WriteStdin { input: Some(Input::Text(text)), size: Some(wanted) },
            1 => WriteStdin { input: Some(Input::Text(text)), size: None },
            _ => WriteStdin { input: Some(Input::Actions(vec![Action::Text(text)])), size: Some(wanted) },
        };
        replies.push((at, wanted, ground.client.control(run, control)));
    }
    let mut now = Size::DEFAULT;
    let mut generation = 0;
    for (at, wanted, reply) in replies {
        let cut = within("a cut", reply).await.expect("a cut");
        if at % 3 != 1 {
            let resize = cut.outcome.resize.expect("a resize");
            assert_eq!((resize.size, resize.applied, resize.changed), (wanted, true, wanted != now));
            now = wanted;
        }
        let frame = live_frame(&cut);
        assert_eq!((frame.cut, frame.size), (u64::from(at) + 1, now), "the cut is exact");
        assert!(frame.generation >= generation, "output goes forward only");
        generation = frame.generation;
    }
    ground.ended(run).await;
    let typed = std::fs::read_to_string(ground.dir.path().join("typed")).expect("a file");
    assert_eq!(typed, expected);
}

/// S4.2: the program reads nothing, the kernel is full, and yet the new size is there at once.
async fn resize_behind_a_blocked_paste_is_not_delayed(ground: Arc<Ground>) {
    let line = "stty -echo raw; echo ready; until [ -e go ]; do sleep 0.01; done; stty size; head -c 262144 | wc -c";
    let run = ground.start(ground.pty(line)).await;
    ground.until_shown(run, "ready").await;
    for _ in 0..4 {
        let cut = ground.type_text(run, &"p".repeat(Limits::MAX_INPUT_BYTES)).await;
        assert!(cut.outcome.input.expect("input").queued);
    }
    let cut = ground.control(run, WriteStdin::resize(size(70, 11))).await.expect("a cut");
    assert_eq!(live_frame(&cut).size, size(70, 11));
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let record = ground.ended(run).await;
    let screen = super::ground::screen(&record).0;
    assert!(screen.contains("11 70"), "the program saw the size before it had read a byte: {screen}");
    assert!(screen.contains("262144"), "the whole paste came: {screen}");
}

/// S4.2. Cuts wait behind each other, so the later ones are still before theirs when their reply is dropped.
async fn a_reply_dropped_before_the_cut_changes_nothing(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo; echo ready; cat > typed")).await;
    ground.until_shown(run, "ready").await;
    let before = ground.control(run, WriteStdin::resize(size(80, 24))).await.expect("a cut");
    assert_eq!(live_frame(&before).cut, 1);
    let mut kept = Vec::new();
    let mut may_be_typed = String::new();
    for at in 0..100 {
        let dropped = ground.client.control(run, WriteStdin::text(format!("no{at}\r")));
        drop(dropped);
        writeln!(may_be_typed, "no{at}").expect("text");
        kept.push(ground.client.control(run, WriteStdin::text(format!("yes{at}\r"))));
        writeln!(may_be_typed, "yes{at}").expect("text");
    }
    let mut last = 0;
    for reply in kept {
        last = live_frame(&within("a cut", reply).await.expect("a cut")).cut;
    }
    ground.type_text(run, "\u{4}").await;
    ground.ended(run).await;
    let typed = std::fs::read_to_string(ground.dir.path().join("typed")).expect("a file");
    let none = typed.lines().filter(|line| line.starts_with("no")).count() as u64;
    assert_eq!(typed.lines().filter(|line| line.starts_with("yes")).count(), 100);
    assert_eq!(last, 101 + none, "what was dropped before its cut made no cut and typed nothing");
    assert!(none < 100, "some were dropped in time");
    let mut possible = may_be_typed.lines();
    assert!(typed.lines().all(|line| possible.any(|one| one == line)), "in call order: {typed}");
}

/// S4.5.
async fn a_control_after_the_end_is_refused_as_closed(ground: Arc<Ground>) {
    let record = ground.outcome(ground.pty("exit 0")).await;
    let failure = ground.control(record.id, WriteStdin::text("x")).await.expect_err("it has ended");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
    ground.client.forget(record.id).await.expect("forgotten");
    let failure = ground.control(record.id, WriteStdin::text("x")).await.expect_err("it is still on record");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
}

/// S4.2: whatever the moment, it is a cut, the final record or the typed error; never silence.
async fn a_control_that_the_end_overtakes_gets_the_final_record(ground: Arc<Ground>) {
    let (mut finals, mut closed) = (0, 0);
    for round in 0..60 {
        let run = ground.start(ground.pty("stty -echo; read x; exit 5")).await;
        ground.type_text(run, "\r").await;
        let end = tokio::time::Instant::now() + DEADLINE;
        loop {
            assert!(tokio::time::Instant::now() < end, "it never ended: {round}");
            match ground
                .control(run, WriteStdin { input: Some(Input::Text("z".into())), size: Some(size(44, 9)) })
                .await
            {
                Ok(cut) => match &cut.view {
                    Applied::Live(frame) => assert_eq!(frame.size, size(44, 9)),
                    Applied::Final(record) => {
                        finals += 1;
                        assert_eq!((record.status, record.exit_code), (Status::Failed, Some(5)));
                        let (input, resize) = (cut.outcome.input.expect("input"), cut.outcome.resize.expect("a size"));
                        assert!(!input.queued && !resize.applied && !resize.changed);
                        break;
                    }
                },
                Err(failure) => {
                    assert_eq!(failure.code, ErrorCode::ControlClosed, "{failure}");
                    closed += 1;
                    break;
                }
            }
        }
    }
    println!("{finals} got the final record, {closed} came after the end was known");
}

/// S4.1, DESIGN §3: nothing waits without a bound.
async fn input_that_nobody_reads_is_bounded_and_says_so(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo raw; echo ready; exec sleep 100")).await;
    ground.until_shown(run, "ready").await;
    let text = "q".repeat(Limits::MAX_INPUT_BYTES);
    let mut refused = None;
    for _ in 0..40 {
        let cut = ground.type_text(run, &text).await;
        if !cut.outcome.input.expect("input").queued {
            refused = cut.outcome.failed;
            break;
        }
    }
    assert_eq!(refused.expect("refused at some point").code, ErrorCode::Busy);
    assert_eq!(ground.stop(run).await.status, Status::Cancelled);
}
