use super::*;
use crate::model::{CommandSpec, Mode};

fn at(millis: u64) -> Moment {
    Moment::from_boot(Duration::from_millis(millis))
}

fn spec() -> RunSpec {
    let mut spec = RunSpec::new(CommandSpec::line("true"), Mode::Pipes, "/");
    spec.timeouts =
        Timeouts { wall: Some(Duration::from_millis(500)), ready: None, idle: Some(Duration::from_secs(3)) };
    spec
}

fn machine() -> Run {
    Run::new(RunTraits {
        mode: Mode::Pipes,
        timeouts: spec().timeouts,
        output_drain: Duration::from_secs(2),
        daemonizes: false,
        grace: Duration::from_secs(2),
    })
}

/// Steps a machine; returns what is noted about the wall deadline.
fn noted(machine: &mut Run, now: u64, input: Input) -> Option<Option<Moment>> {
    let effects = machine.step(at(now), input);
    match deadlines(machine, &effects)? {
        Word::Deadlines { wall, .. } => Some(wall),
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn deadlines_are_noted_when_they_move_and_not_when_they_are_over() {
    let mut machine = machine();
    assert_eq!(noted(&mut machine, 0, Input::Recorded(Ok(()))), None);
    assert_eq!(noted(&mut machine, 1000, Input::Spawned), Some(Some(at(1500))));
    assert_eq!(noted(&mut machine, 1001, Input::Confirmed(Ok(()))), None);
    let later = Input::Deadline(TimeoutKind::Wall, Some(Duration::from_millis(100)));
    assert_eq!(noted(&mut machine, 1002, later), Some(Some(at(1600))));
    let mut without = machine.clone();
    assert_eq!(noted(&mut without, 1003, Input::Deadline(TimeoutKind::Wall, None)), Some(None));
    // A server that is killed before the end is commanded must not have said that there is no deadline.
    let Some(Effect::Arm(_, epoch, _)) =
        machine.step(at(1004), Input::Deadline(TimeoutKind::Wall, Some(Duration::ZERO))).into_iter().next()
    else {
        panic!("armed anew")
    };
    let over = Input::TimerFired(RunTimer::Timeout(TimeoutKind::Wall), epoch);
    assert_eq!(noted(&mut machine, 1600, over), None);
    assert!(machine.stop_is_preparing());
}

#[test]
fn what_is_left_of_a_timeout_is_counted_from_the_start_whoever_armed_it() {
    let mut known = Noted { started: Some(at(1000)), ..Noted::default() };
    assert_eq!(timeouts(&spec(), &known, at(1200)).wall, Some(Duration::from_millis(300)));
    assert_eq!(timeouts(&spec(), &known, at(9000)).wall, Some(AT_ONCE), "it was over while nobody was there");
    known.deadlines = Some((Some(at(1700)), None));
    assert_eq!(timeouts(&spec(), &known, at(1200)).wall, Some(Duration::from_millis(500)));
    known.deadlines = Some((None, None));
    assert_eq!(timeouts(&spec(), &known, at(1200)).wall, None, "it was removed");
    assert_eq!(timeouts(&spec(), &known, at(1200)).idle, spec().timeouts.idle);
}

#[test]
fn words_come_back_the_last_of_a_kind_counts_and_a_strange_one_is_passed_over() {
    let mut ending = Ending { cause: Some(Cause::Timeout), timed_out_by: None, failure: None, kill: false };
    let bytes = |word: Word| word.bytes().expect("it can be noted");
    let mut words = vec![bytes(Word::Started(at(5))), bytes(Word::Deadlines { wall: Some(at(9)), ready: None })];
    words.push(b"{\"of_the_future\": 1}".to_vec());
    words.push(bytes(Word::Deadlines { wall: None, ready: Some(at(7)) }));
    ending.kill = true;
    words.push(bytes(Word::Ending(ending)));
    let noted = Noted::read(&words);
    assert_eq!((noted.started, noted.deadlines), (Some(at(5)), Some((None, Some(at(7))))));
    let ending = noted.ending.expect("an ending");
    assert_eq!((ending.cause, ending.kill), (Some(Cause::Timeout), true));
}

#[test]
fn a_run_whose_paths_are_not_utf_8_is_known_to_the_next_server() {
    use std::os::unix::ffi::OsStringExt;
    let odd = std::ffi::OsString::from_vec(b"/tmp/K\xa3".to_vec());
    let spec = RunSpec { cwd: odd.clone().into(), ..spec() };
    let resolved = Resolved {
        program: odd.clone().into(),
        argv: vec![odd.clone()],
        env: vec![(odd.clone(), odd.clone())],
        cwd: odd.clone().into(),
        shell: Some(odd.into()),
        command_line: "odd".to_owned(),
    };
    let word = Word::Begun { spec: Box::new(spec.clone()), resolved: Box::new(resolved.clone()) };
    let noted = Noted::read(&[word.bytes().expect("it can be noted")]);
    assert_eq!(noted.begun, Some((spec, resolved)));
}
