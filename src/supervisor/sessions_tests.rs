//! What becomes of a close whose client is gone (S7.1): with a clock that is played.

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::*;
use crate::model::{Limits, Moment, Typist};

fn at(secs: u64) -> At {
    At {
        now: Moment::from_boot(Duration::from_secs(secs)),
        wall: Timestamp::from_second(1_000_000_000).expect("a time"),
    }
}

fn session() -> SessionName {
    "s".parse().expect("a name")
}

fn core() -> Core {
    Core::new(Limits::default(), Box::new(|| RunId::from_bits([0; 10])))
}

fn begin(core: &mut Core, by: &Presence) -> (LeaseId, Vec<Do>) {
    let ((leased, lease), (answer, _ended)) = (reply(), reply());
    let todo = core.close_session(at(1), &session(), by, leased, answer);
    let (kept, mut rest): (Vec<Do>, Vec<Do>) = todo.into_iter().partition(|what| matches!(what, Do::StoreSession(..)));
    for what in kept {
        let Do::StoreSession(state, told) = what else { unreachable!("just chosen") };
        assert_eq!(state.leases.len(), core.sessions[&session()].gate.leases().len());
        told(Ok(()));
    }
    rest.retain(|what| matches!(what, Do::ArmLease(..)));
    (lease.wait().expect("a lease"), rest)
}

fn client(number: u64) -> (Presence, mpsc::UnboundedReceiver<TypistId>) {
    let (left_tx, left_rx) = mpsc::unbounded_channel();
    (Presence::new(TypistId(number), Typist::default(), left_tx), left_rx)
}

#[test]
fn a_close_whose_client_is_gone_is_taken_back_after_a_while_and_those_of_others_stay() {
    let mut core = core();
    let ((gone, mut left_rx), (other, _other_rx)) = (client(1), client(2));
    let (lease, armed) = begin(&mut core, &gone);
    assert!(armed.is_empty(), "its client is there");
    let (stays, _) = begin(&mut core, &other);
    drop(gone);
    let who = left_rx.try_recv().expect("it is told that it left");
    let armed = core.typist_left(at(5), who);
    let [Do::ArmLease(of, until)] = &armed[..] else { panic!("one lease is watched") };
    assert_eq!((*of, until.since(at(5).now)), (lease, LEASE_GRACE));
    assert!(core.closed_session(&session()).is_some());
    drop(core.lease_is_over(lease));
    assert_eq!(core.sessions[&session()].gate.leases(), [stays]);
    drop(core.lease_is_over(lease));
    assert!(core.closed_session(&session()).is_some(), "the other one is held");
}

#[test]
fn a_close_of_the_program_before_is_taken_back_unless_it_is_committed_in_time() {
    for is_committed in [true, false] {
        let mut core = core();
        let lease = LeaseId(7);
        let state = SessionState { session: session(), is_closed: false, leases: [lease].into(), fence: None };
        let armed = core.restore_sessions(at(1), vec![state]);
        assert!(matches!(&armed[..], [Do::ArmLease(of, _)] if *of == lease));
        if is_committed {
            let (answer, _) = reply();
            drop(core.commit_close(&session(), lease, answer));
        }
        drop(core.lease_is_over(lease));
        assert_eq!(core.closed_session(&session()).is_some(), is_committed);
    }
}

#[test]
fn a_close_that_the_disk_does_not_take_says_for_how_long_it_holds() {
    let mut core = core();
    let (answer, told) = reply();
    let todo = core.set_fence(&session(), Some("token".parse().expect("a token")), answer);
    for what in todo {
        if let Do::StoreSession(_, told) = what {
            told(Err(Failure::new(ErrorCode::StoreFailed, "the disk is full")));
        }
    }
    let failure = told.wait().expect_err("not stored");
    assert!(failure.message.contains("until the server ends") && failure.message.contains("full"), "{failure}");
}
