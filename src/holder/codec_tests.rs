use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::sys::wait::ExitKind;

use super::event::{Event, Left, Member, SpawnStage, WhyLeft};
use super::hello::{Hello, PROTOCOL, StartState, StopState};
use super::request::{FirstStep, Io, OnLost, Request, SignalTarget, Spawn, StdinSource, StopCommand};

fn text() -> impl Strategy<Value = OsString> {
    vec(any::<u8>(), 0..20).prop_map(OsString::from_vec)
}

fn environment() -> impl Strategy<Value = Vec<(OsString, OsString)>> {
    vec((text(), text()), 0..4)
}

fn millis() -> impl Strategy<Value = Duration> {
    any::<u64>().prop_map(Duration::from_millis)
}

fn spawn() -> impl Strategy<Value = Request> {
    let io = prop_oneof![
        (any::<u16>(), any::<u16>()).prop_map(|(cols, rows)| Io::Pty { cols, rows }),
        Just(Io::Pipes { stdin: StdinSource::Null }),
        Just(Io::Pipes { stdin: StdinSource::Pipe }),
    ];
    let on_lost = prop_oneof![millis().prop_map(|grace| OnLost::End { grace }), Just(OnLost::Keep)];
    (text(), vec(text(), 0..4), environment(), text(), io, text(), on_lost).prop_map(
        |(program, argv, env, cwd, io, marker, on_lost)| {
            Request::Spawn(Box::new(Spawn { program, argv, env, cwd, io, marker, on_lost }))
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let target = prop_oneof![
        Just(SignalTarget::Root),
        Just(SignalTarget::Group),
        Just(SignalTarget::Foreground),
        Just(SignalTarget::Tree)
    ];
    let command = (text(), vec(text(), 0..4), environment(), text())
        .prop_map(|(program, argv, env, cwd)| FirstStep::Command(StopCommand { program, argv, env, cwd }));
    let first = prop_oneof![vec(any::<i32>(), 0..4).prop_map(FirstStep::Signals), command];
    prop_oneof![
        spawn(),
        (any::<i32>(), target).prop_map(|(signo, target)| Request::Signal { signo, target }),
        (first, millis()).prop_map(|(first, grace)| Request::EndTree { first, grace }),
        Just(Request::Hurry),
        Just(Request::Tree),
        Just(Request::CloseInput),
        Just(Request::LetGo),
    ]
}

fn left() -> impl Strategy<Value = Left> {
    let why = prop_oneof![Just(WhyLeft::NotPermitted), Just(WhyLeft::Uninterruptible), Just(WhyLeft::StillThere)];
    (any::<i32>(), any::<u64>(), why).prop_map(|(pid, start_ticks, why)| Left { pid, start_ticks, why })
}

fn hello() -> impl Strategy<Value = Hello> {
    let start = prop_oneof![
        Just(StartState::Pending),
        (any::<i32>(), any::<u64>()).prop_map(|(pid, start_ticks)| StartState::Spawned { pid, start_ticks }),
        (0..7_u8, any::<i32>()).prop_map(|(stage, errno)| StartState::Failed {
            stage: SpawnStage::from_byte(stage).expect("a stage"),
            errno
        }),
    ];
    let stop = prop_oneof![
        Just(StopState::None),
        any::<bool>().prop_map(|has_begun| StopState::UnderWay { has_begun }),
        (any::<u32>(), any::<u32>(), vec(left(), 0..4)).prop_map(|(signalled, killed, left)| StopState::Ended {
            signalled,
            killed,
            left
        }),
    ];
    let exited = proptest::option::of(any::<i32>().prop_map(ExitKind::Code));
    (text(), start, exited, any::<bool>(), stop, any::<u8>()).prop_map(
        |(marker, start, exited, is_empty, stop, descriptors)| Hello {
            version: PROTOCOL,
            marker,
            start,
            exited,
            is_empty,
            stop,
            descriptors,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let left = left();
    let member = (any::<i32>(), any::<i32>(), any::<u64>(), any::<u8>(), text())
        .prop_map(|(pid, ppid, start_ticks, state, comm)| Member { pid, ppid, start_ticks, state, comm });
    prop_oneof![
        (any::<i32>(), any::<u64>()).prop_map(|(pid, start_ticks)| Event::Spawned { pid, start_ticks }),
        (0..7_u8, any::<i32>()).prop_map(|(stage, errno)| Event::SpawnFailed {
            stage: SpawnStage::from_byte(stage).expect("a stage"),
            errno
        }),
        any::<i32>().prop_map(|code| Event::RootExited { how: ExitKind::Code(code) }),
        (any::<i32>(), any::<bool>())
            .prop_map(|(signo, core)| Event::RootExited { how: ExitKind::Signal { signo, core } }),
        Just(Event::TreeEmpty),
        (any::<u32>(), any::<u32>(), any::<i32>())
            .prop_map(|(reached, refused, errno)| { Event::Signalled { reached, refused, errno } }),
        any::<u32>().prop_map(|signalled| Event::FirstSignalSent { signalled }),
        (any::<u32>(), any::<u32>(), vec(left, 0..4))
            .prop_map(|(signalled, killed, left)| { Event::TreeEnded { signalled, killed, left } }),
        vec(member, 0..4).prop_map(|members| Event::Members { members }),
        hello().prop_map(|hello| Event::Hello(Box::new(hello))),
    ]
}

proptest! {
    #[test]
    fn every_request_comes_back_as_it_was(request in request()) {
        prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
    }

    #[test]
    fn every_event_comes_back_as_it_was(event in event()) {
        prop_assert_eq!(Event::decode(&event.encode()), Ok(event));
    }

    #[test]
    fn of_a_hello_of_another_version_only_the_version_is_read(version in PROTOCOL + 1.., rest in vec(any::<u8>(), 0..50)) {
        let bytes = [&[9][..], &version.to_le_bytes(), &rest].concat();
        let Ok(Event::Hello(hello)) = Event::decode(&bytes) else { panic!("no hello") };
        prop_assert_eq!(hello.version, version);
    }

    #[test]
    fn a_message_that_was_cut_or_grew_is_refused(request in request(), event in event()) {
        let mut bytes = request.encode();
        bytes.push(0);
        prop_assert!(Request::decode(&bytes).is_err());
        let bytes = event.encode();
        prop_assert!(Event::decode(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn no_bytes_are_a_panic_or_a_large_allocation(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Request::decode(&bytes);
        let _ = Event::decode(&bytes);
    }
}
