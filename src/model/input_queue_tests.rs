//! What is typed arrives in order, whole or not from some point on.

use super::*;
use crate::model::{Applied, CutOutcome, Key, Modifiers, Mouse, MouseButton, MouseKind, WriteOutcome};

fn key(c: char) -> Input {
    Input::Actions(vec![Action::Key(Key::Char(c), Modifiers::default())])
}

fn mouse() -> Input {
    let mouse =
        Mouse { kind: MouseKind::Press, button: MouseButton::Left, x: 0, y: 0, modifiers: Modifiers::default() };
    Input::Actions(vec![Action::Mouse(mouse)])
}

fn text(text: &str) -> Input {
    Input::Text(text.into())
}

fn answer(failed: Option<Failure>) -> Result<Cut, Failure> {
    let input = Some(WriteOutcome { bytes: 1, queued: failed.is_none() });
    let frame = crate::model::Frame::empty(crate::model::Size::DEFAULT);
    Ok(Cut { outcome: CutOutcome { input, resize: None, failed }, view: Applied::Live(frame.into()) })
}

fn no_room() -> Result<Cut, Failure> {
    answer(Some(Failure::new(ErrorCode::Busy, "too much waits already")))
}

fn lost() -> Result<Cut, Failure> {
    Err(Failure::new(ErrorCode::Unavailable, "the connection was lost").with_effects(Effects::Unknown))
}

fn typed(write: Option<WriteStdin>) -> String {
    match write.and_then(|write| write.input) {
        None => String::new(),
        Some(Input::Text(text)) => text,
        Some(Input::Actions(actions)) => actions
            .iter()
            .map(|action| match action {
                Action::Key(Key::Char(c), _) => c.to_string(),
                Action::Paste(text) | Action::Text(text) => text.clone(),
                other => format!("<{other:?}>"),
            })
            .collect(),
    }
}

#[test]
fn the_first_key_goes_at_once_and_what_comes_meanwhile_is_one_write() {
    let (mut queue, now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    queue.put(key('a'), now).expect("taken");
    assert_eq!(typed(queue.next_write()), "a");
    for c in "bcd".chars() {
        queue.put(key(c), now).expect("taken");
        assert_eq!(queue.next_write(), None, "one at a time");
    }
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    assert_eq!(typed(queue.next_write()), "bcd");
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    assert!(queue.next_write().is_none() && queue.is_idle());
}

#[test]
fn a_burst_of_any_length_arrives_whole_in_writes_that_are_valid() {
    let (mut queue, now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    let burst: String = (0..5000_u32).map(|at| char::from(b'a' + (at % 26) as u8)).collect();
    for c in burst.chars() {
        queue.put(key(c), now).expect("taken");
    }
    let piece = "p".repeat(Limits::MAX_INPUT_BYTES);
    for _ in 0..3 {
        queue.put(Input::Actions(vec![Action::Paste(piece.clone())]), now).expect("taken");
    }
    queue.put(text("x"), now).expect("taken");
    queue.put(text("y"), now).expect("taken");
    let mut all = String::new();
    while let Some(write) = queue.next_write() {
        write.validate().expect("a valid write");
        all.push_str(&typed(Some(write)));
        assert_eq!(queue.answered(answer(None), now), Answered::Done);
    }
    assert!(all == format!("{burst}{piece}{piece}{piece}xy"), "{} characters", all.len());
}

#[test]
fn a_write_without_room_is_sent_again_before_anything_later() {
    let (mut queue, now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    queue.put(text("one"), now).expect("taken");
    queue.next_write().expect("sent");
    queue.put(text("two"), now).expect("taken");
    let busy = Err(Failure::new(ErrorCode::Busy, "too many requests wait already"));
    for (answer, expected) in [(no_room(), 20), (busy, 40), (no_room(), 80)] {
        let Answered::Again(write, pause) = queue.answered(answer, now) else { panic!("it is sent again") };
        assert_eq!((typed(Some(write)).as_str(), pause.as_millis()), ("one", expected));
        assert_eq!(queue.next_write(), None);
    }
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    assert_eq!(typed(queue.next_write()), "two");
    assert!(matches!(queue.answered(no_room(), now), Answered::Again(_, pause) if pause == FIRST_PAUSE));
}

#[test]
fn what_follows_something_lost_is_dropped_until_nothing_is_typed_for_a_moment() {
    let (mut queue, mut now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    queue.put(key('r'), now).expect("taken");
    queue.next_write().expect("sent");
    queue.put(key('m'), now).expect("taken");
    let Answered::Lost(why) = queue.answered(lost(), now) else { panic!("it is lost") };
    assert_eq!(why.hint.as_deref(), Some(HINT));
    assert!(queue.next_write().is_none(), "what waited is dropped");
    for c in " -rf x\r".chars() {
        now = now.plus(QUIET - Duration::from_millis(1));
        assert_eq!(queue.put(key(c), now), Err(why.clone()));
        assert!(!queue.is_spent(now));
    }
    now = now.plus(QUIET);
    assert!(queue.is_spent(now));
    queue.put(key('l'), now).expect("a new line is taken");
    assert_eq!(typed(queue.next_write()), "l");
}

#[test]
fn too_much_is_refused_and_all_that_follows_until_the_queue_is_empty() {
    let (mut queue, mut now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    let piece = "x".repeat(Limits::MAX_INPUT_BYTES);
    let mut count = 0;
    while queue.put(text(&piece), now).is_ok() {
        count += 1;
    }
    assert_eq!(count, MAX_WAITING_BYTES / Limits::MAX_INPUT_BYTES);
    assert!(!queue.has_room());
    for _ in 0..count {
        now = now.plus(QUIET);
        queue.put(text("\r"), now).expect_err("no hole");
        queue.next_write().expect("sent");
        assert_eq!(queue.answered(answer(None), now), Answered::Done);
    }
    queue.put(text("\r"), now).expect_err("it is still the same line");
    now = now.plus(QUIET);
    queue.put(text("new"), now).expect("taken");
    assert_eq!(typed(queue.next_write()), "new");
}

#[test]
fn a_mouse_that_is_not_wanted_takes_no_key_with_it() {
    let (mut queue, now) = (InputQueue::default(), Moment::from_boot(Duration::from_secs(1)));
    for input in [key('a'), mouse(), key('b')] {
        queue.put(input, now).expect("taken");
    }
    assert_eq!(typed(queue.next_write()), "a");
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    queue.next_write().expect("the mouse");
    let unwanted = Failure::new(ErrorCode::Unsupported, "no mouse is wanted");
    assert_eq!(queue.answered(answer(Some(unwanted.clone())), now), Answered::Refused(unwanted));
    assert_eq!(typed(queue.next_write()), "b");
}

const BEGIN: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

fn end_paste() -> WriteStdin {
    WriteStdin::actions(vec![Action::EndPaste])
}

/// A queue that has sent a paste up to its middle, which is under way.
fn pasting(now: Moment) -> InputQueue {
    let mut queue = InputQueue::default();
    queue.put(text(&format!("ls{BEGIN}one")), now).expect("taken");
    queue.next_write().expect("sent");
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    queue.put(text("two"), now).expect("taken");
    queue.next_write().expect("sent");
    queue
}

#[test]
fn a_paste_whose_rest_is_lost_is_ended_for_the_program_as_soon_as_there_is_a_server() {
    let mut now = Moment::from_boot(Duration::from_secs(1));
    let mut queue = pasting(now);
    assert!(matches!(queue.answered(lost(), now), Answered::Lost(_)));
    assert_eq!(queue.next_write(), Some(end_paste()));
    let down = Err(Failure::new(ErrorCode::Unavailable, "there is no server"));
    for answer in [lost(), down, no_room()] {
        let Answered::Again(write, _) = queue.answered(answer, now) else { panic!("it is sent again") };
        assert_eq!(write, end_paste());
        queue.put(text("three"), now).expect_err("it is the rest");
    }
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    assert_eq!(queue.next_write(), None, "once");
    now = now.plus(2 * QUIET);
    queue.put(text("four"), now).expect_err("a paste that comes slowly is no line to be run");
    queue.put(text(&format!("five{END}")), now).expect_err("its end is no new line yet");
    queue.put(text("\r"), now).expect_err("nor is what comes directly behind it");
    now = now.plus(QUIET);
    queue.put(text("new"), now).expect("taken");
    assert_eq!(typed(queue.next_write()), "new");
}

#[test]
fn a_paste_whose_end_never_comes_is_over_after_a_while() {
    let mut now = Moment::from_boot(Duration::from_secs(1));
    let mut queue = pasting(now);
    assert!(matches!(queue.answered(lost(), now), Answered::Lost(_)));
    queue.next_write().expect("the end");
    assert_eq!(queue.answered(answer(None), now), Answered::Done);
    assert!(!queue.is_spent(now.plus(QUIET)), "the rest of the paste would be typed");
    now = now.plus(PASTE_QUIET);
    assert!(queue.is_spent(now));
    queue.put(text("a"), now).expect("taken");
    now = now.plus(QUIET);
    queue.put(text("b"), now).expect("taken");
}

#[test]
fn only_a_paste_that_may_be_open_in_the_program_is_ended() {
    let now = Moment::from_boot(Duration::from_secs(1));
    let after = |input: Input, answer: Result<Cut, Failure>| {
        let mut queue = InputQueue::default();
        queue.put(input, now).expect("taken");
        queue.next_write().expect("sent");
        assert!(matches!(queue.answered(answer, now), Answered::Lost(_)));
        queue.next_write()
    };
    let held = || Failure::new(ErrorCode::Held, "somebody else types");
    let paste = |length: usize| Input::Actions(vec![Action::Paste("x".repeat(length))]);
    assert_eq!(after(text(BEGIN), lost()), Some(end_paste()), "its begin may have come");
    assert_eq!(after(text(BEGIN), answer(Some(held()))), None, "its begin was refused");
    assert_eq!(after(text(BEGIN), Err(held())), None);
    assert_eq!(after(text(&format!("{BEGIN}x{END}")), lost()), None, "it came whole or not at all");
    assert_eq!(after(text("ls"), lost()), None);
    assert_eq!(after(paste(9), lost()), None, "it came whole or not at all");
    assert_eq!(after(paste(Limits::MAX_INPUT_BYTES), lost()), Some(end_paste()), "it may have come in part");
    let mut queue = pasting(now);
    assert!(matches!(queue.answered(answer(Some(held())), now), Answered::Lost(_)), "somebody else types");
    assert_eq!(queue.next_write(), Some(end_paste()));
    assert_eq!(queue.answered(answer(Some(held())), now), Answered::Done, "it cannot be helped");
    assert!(queue.is_idle());
}

#[test]
fn a_paste_that_is_too_much_is_ended_behind_what_was_taken_of_it() {
    let now = Moment::from_boot(Duration::from_secs(1));
    let mut queue = InputQueue::default();
    queue.put(text(BEGIN), now).expect("taken");
    let piece = "x".repeat(Limits::MAX_INPUT_BYTES);
    while queue.put(text(&piece), now).is_ok() {}
    let mut last = None;
    while let Some(write) = queue.next_write() {
        last = Some(write);
        assert_eq!(queue.answered(answer(None), now), Answered::Done);
    }
    assert_eq!(last, Some(end_paste()));
}
