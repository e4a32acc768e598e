//! Closes and fences of sessions over the end of the program (S7.1, S7.5).

use std::sync::Arc;

use shtask::api::{Client, StartRequest};
use shtask::model::{ErrorCode, Guard, LeaseId};

use super::ground::{Program, Setup, run, sh, within};

async fn begin(client: &Arc<dyn Client>) -> LeaseId {
    let closing = client.close_session();
    let lease = within("a lease", closing.lease).await.expect("a lease");
    within("the end of the runs", closing.ended).await.expect("a report");
    lease
}

async fn start(client: &Arc<dyn Client>) -> Result<(), ErrorCode> {
    let started = within("a start", client.start(StartRequest { spec: sh("exec sleep 1000"), replace: false })).await;
    started.map(drop).map_err(|failure| failure.code)
}

fn fenced(client: &Arc<dyn Client>, token: &str) -> Arc<dyn Client> {
    client.guarded(Guard { fence: Some(token.parse().expect("a token")), generation: None })
}

/// S7.1, S7.5.
#[test]
fn what_was_committed_and_what_is_fenced_stays_so_when_the_program_dies() {
    let state = tempfile::tempdir().expect("a folder");
    run(async {
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let (closed, fence) = (program.client_of("closed"), program.client_of("fenced"));
        closed.commit_close(begin(&closed).await).await.expect("committed");
        fence.set_fence(Some("token".parse().expect("a token"))).await.expect("set");
        program.die().await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let (closed, fence) = (program.client_of("closed"), program.client_of("fenced"));
        assert_eq!(start(&closed).await, Err(ErrorCode::Closing));
        assert_eq!(start(&fence).await, Err(ErrorCode::Stale));
        start(&fenced(&fence, "token")).await.expect("it has the token");
        start(&program.client_of("other")).await.expect("nobody closed it");
        assert!(closed.resume_session().await.expect("an answer"));
        fenced(&fence, "token").set_fence(None).await.expect("removed");
        program.die().await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        assert!(program.records.sessions().expect("sessions").is_empty(), "nothing is kept that does not matter");
        start(&program.client_of("closed")).await.expect("it was resumed");
        start(&program.client_of("fenced")).await.expect("it has no fence");
        program.leave().await;
    });
}

/// S7.1.
#[test]
fn a_close_that_was_under_way_goes_on_by_its_lease_when_the_program_dies() {
    let state = tempfile::tempdir().expect("a folder");
    run(async {
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let (one, two) = (program.client_of("one"), program.client_of("two"));
        let leases = [begin(&one).await, begin(&two).await, begin(&two).await];
        program.die().await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let (one, two) = (program.client_of("one"), program.client_of("two"));
        assert_eq!((start(&one).await, start(&two).await), (Err(ErrorCode::Closing), Err(ErrorCode::Closing)));
        one.commit_close(leases[0]).await.expect("its lease is held");
        assert_eq!(one.commit_close(leases[0]).await.expect_err("once").code, ErrorCode::Stale);
        two.roll_back_close(leases[1]).await.expect("its lease is held");
        assert_eq!(start(&two).await, Err(ErrorCode::Closing), "the other one is held");
        let newest = begin(&two).await;
        assert!(!leases.contains(&newest), "no lease is given twice");
        two.roll_back_close(newest).await.expect("rolled back");
        two.roll_back_close(leases[2]).await.expect("its lease is held");
        start(&two).await.expect("it is open");
        drop((one, two));
        program.leave().await;
    });
}
