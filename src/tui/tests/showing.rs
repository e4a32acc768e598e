//! What shows draw, with a client that is played.

use std::sync::Arc;
use std::time::Duration;

use super::fake::Fake;
use super::stage::id;
use crate::api::{ExportedLine, LinePlace, Stream};
use crate::model::{Frame, Mode, Size};
use crate::tui::shows::{Order, Playing, Show, Source, Told, What, next};

const SIZE: Size = Size::DEFAULT;

fn line(stream: Stream, number: u64, second: u8, text: &str) -> String {
    let at = format!("2026-11-29T14:02:{second:02}Z").parse().expect("time");
    let line = ExportedLine { stream, line: number, offset: number * 10, at, text: text.into() };
    serde_json::to_string(&line).expect("json") + "\n"
}

fn fake(exports: &[(u8, String)]) -> Arc<Fake> {
    let fake = Fake::new(Vec::new(), Frame::empty(SIZE));
    let exports = exports.iter().map(|(n, text)| (id(*n), text.clone().into_bytes()));
    fake.exports.lock().expect("exports").extend(exports);
    fake
}

/// What a show has told last, of each kind.
struct Seen {
    show: Option<Show>,
    frame: Arc<Frame>,
    playing: Option<Playing>,
    place: Option<u64>,
    before: Option<LinePlace>,
    cut: Option<LinePlace>,
    is_gone: bool,
    end: Option<Result<(), String>>,
}

impl Seen {
    fn of(fake: &Arc<Fake>, what: What) -> Seen {
        let show = Some(Show::begin(fake.clone(), 1, what, SIZE));
        Seen {
            show,
            frame: Arc::new(Frame::empty(SIZE)),
            playing: None,
            place: None,
            before: None,
            cut: None,
            is_gone: false,
            end: None,
        }
    }

    async fn until(&mut self, wanted: impl Fn(&Seen) -> bool) {
        while !wanted(self) {
            let told = tokio::time::timeout(Duration::from_secs(20), next(&mut self.show)).await;
            match told.expect("it is told").1 {
                Told::Frame(frame) => self.frame = frame,
                Told::Playing(playing) => self.playing = Some(playing),
                Told::Place(row) => self.place = Some(row),
                Told::Before(place) => self.before = Some(place),
                Told::Paused(place) | Told::Cut(place) => self.cut = Some(place),
                Told::Gone => self.is_gone = true,
                Told::Whole => self.end = Some(Ok(())),
                Told::Failed(failure) => self.end = Some(Err(failure.message)),
                Told::Rows { .. } | Told::End(_) | Told::Follows(_) => {}
            }
        }
    }

    fn order(&self, order: Order) {
        assert!(self.show.as_ref().expect("a show").order(order).is_none());
    }
}

#[tokio::test]
async fn a_log_is_drawn_and_its_place_told() {
    let lines: String = (1..=100).map(|n| line(Stream::Stdout, n, 1, &format!("line {n}"))).collect();
    let mut seen = Seen::of(
        &fake(&[(1, lines)]),
        What::Log { run: id(1), place: Some(LinePlace { stream: Stream::Stdout, offset: 500 }) },
    );
    seen.until(|seen| seen.end.is_some()).await;
    assert_eq!((seen.place, &seen.end), (Some(49), &Some(Ok(()))), "the fiftieth line");
    assert!(seen.frame.text().contains("line 100") && seen.frame.history.end + 24 > 100);
    seen.order(Order::Resize(Size::clamped(40, 10)));
    seen.until(|seen| seen.frame.size == Size::clamped(40, 10)).await;
}

#[tokio::test]
async fn a_log_that_goes_on_far_behind_its_place_is_cut_and_says_where() {
    let long = "x".repeat(1024 * 1024);
    let lines: String = (1..=9).map(|n| line(Stream::Stderr, n, 1, &format!("line {n} {long}"))).collect();
    let at = |offset| Some(LinePlace { stream: Stream::Stderr, offset });
    let mut seen = Seen::of(&fake(&[(1, lines)]), What::Log { run: id(1), place: at(20) });
    for offset in [20, 30] {
        seen.until(|seen| seen.cut == at(offset)).await;
        assert!(seen.end.is_none(), "it waits to be asked for more");
        seen.order(Order::More);
    }
    seen.until(|seen| seen.end.is_some()).await;
    assert_eq!((seen.cut, seen.is_gone), (at(40), false));
    assert!(seen.frame.text().contains("the rest of the log is not shown here"));
}

#[tokio::test]
async fn of_a_long_log_what_is_around_a_place_is_shown_and_more_only_when_it_is_asked_for() {
    let lines: String = (1..=90_000).map(|n| line(Stream::Stdout, n, 1, &format!("line {n}."))).collect();
    let at = |offset| Some(LinePlace { stream: Stream::Stdout, offset });
    let mut seen = Seen::of(&fake(&[(1, lines)]), What::Log { run: id(1), place: at(500_000) });
    seen.until(|seen| seen.cut.is_some()).await;
    assert_eq!((seen.before, seen.cut), (at(480_000), at(519_990)));
    let rows = seen.frame.history.end + u64::from(seen.frame.cursor.y);
    assert_eq!((seen.place, rows), (Some(2001), 4001), "below the words that something comes before");
    assert!(seen.frame.text().contains("line 51999.") && !seen.is_gone);
    seen.order(Order::More);
    seen.until(|seen| seen.cut == at(539_990)).await;
    assert_eq!(seen.frame.history.first, 0, "nothing was pushed out");
}

#[tokio::test]
async fn a_line_that_the_log_has_dropped_meanwhile_is_told_to_be_gone() {
    let lines: String = (5..=9).map(|n| line(Stream::Stdout, n, 1, &format!("line {n}"))).collect();
    for offset in [20, 900] {
        let place = Some(LinePlace { stream: Stream::Stdout, offset });
        let mut seen = Seen::of(&fake(&[(1, lines.clone())]), What::Log { run: id(1), place });
        seen.until(|seen| seen.end.is_some()).await;
        assert!(seen.is_gone && seen.place.is_some(), "{:?}", seen.place);
    }
}

#[tokio::test]
async fn a_log_that_is_gone_is_told() {
    let mut seen = Seen::of(&fake(&[]), What::Screen(id(1)));
    seen.until(|seen| seen.end.is_some()).await;
    assert_eq!(seen.end, Some(Err("there is no log".into())));
}

#[tokio::test]
async fn lines_of_several_runs_come_in_the_order_of_their_times() {
    let one = [line(Stream::Stdout, 1, 1, "first"), line(Stream::Stderr, 1, 4, "fourth")].concat();
    let two = [line(Stream::Stdout, 1, 2, "second"), line(Stream::Stdout, 2, 3, "third")].concat();
    let source = |n, name: &str| Source { run: id(n), name: name.into(), mode: Mode::Pipes, is_live: false };
    let what = What::Merged(vec![source(1, "web"), source(2, "worker")]);
    let mut seen = Seen::of(&fake(&[(1, one), (2, two)]), what);
    seen.until(|seen| seen.end.is_some()).await;
    assert_eq!(seen.frame.text(), "web    │ first\nworker │ second\nworker │ third\nweb    │ fourth");
}

#[tokio::test]
async fn a_replay_is_stopped_and_moved_and_its_pauses_are_cut() {
    let cast = "{\"version\":2,\"width\":80,\"height\":24}\n[0.5,\"o\",\"one\\r\\n\"]\n[60.0,\"o\",\"two\"]\n";
    let mut seen = Seen::of(&fake(&[(1, cast.into())]), What::Replay(id(1)));
    seen.order(Order::Pause);
    seen.until(|seen| seen.playing.is_some_and(|playing| playing.is_paused)).await;
    assert_eq!(seen.playing.expect("told").length, Duration::from_millis(2500));
    seen.order(Order::End);
    seen.until(|seen| seen.frame.text() == "one\ntwo").await;
    seen.order(Order::Begin);
    seen.until(|seen| seen.frame.text().is_empty() && seen.playing.is_some_and(|p| p.at.is_zero())).await;
    seen.order(Order::Seek(1));
    seen.until(|seen| seen.frame.text() == "one").await;
    (0..9).for_each(|_| seen.order(Order::Faster));
    seen.until(|seen| seen.playing.is_some_and(|playing| playing.halves == 32)).await;
    (0..9).for_each(|_| seen.order(Order::Slower));
    seen.until(|seen| seen.playing.is_some_and(|playing| playing.halves == 1)).await;
}
