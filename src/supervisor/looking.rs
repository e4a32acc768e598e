//! Looking for what a run needs, on a thread of its own: programs and folders may lie on a file system that hangs.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use crate::launch::{self, Resolved, RunIdentity};
use crate::model::{ErrorCode, Failure, RunSpec};

type Work = Box<dyn FnOnce() + Send>;

/// Starts the look for program, folder and environment of a run; what it finds comes from the future.
///
/// Not tokio's threads for blocking work: where this user may have no more threads, they panic or keep the work for ever.
pub(super) fn look(spec: Box<RunSpec>, identity: RunIdentity) -> impl Future<Output = Result<Resolved, Failure>> {
    look_on(spec, identity, |work| thread::Builder::new().name("look".to_owned()).spawn(work))
}

fn look_on(
    spec: Box<RunSpec>,
    identity: RunIdentity,
    spawn: impl FnOnce(Work) -> io::Result<JoinHandle<()>>,
) -> impl Future<Output = Result<Resolved, Failure>> {
    let wanted = Arc::new((spec, identity));
    let (found_tx, found_rx) = oneshot::channel();
    let look = {
        let wanted = Arc::clone(&wanted);
        move || {
            let found = launch::local(&wanted.0, &wanted.1);
            // Nobody may wait any more: everything is being left.
            let _ = found_tx.send(found);
        }
    };
    let looking = spawn(Box::new(look)).map_err(|error| {
        tracing::warn!(%error, "no thread to look for a program on");
        // Here and now, then: the machine is out of threads, and most file systems do not hang.
        launch::local(&wanted.0, &wanted.1)
    });
    async move {
        let thread = match looking {
            Ok(thread) => thread,
            Err(found) => return found,
        };
        let found = found_rx.await;
        // Its last act was to answer, or it has panicked and is over, too.
        let _ = thread.join();
        found.unwrap_or_else(|_| Err(Failure::new(ErrorCode::Broken, "shtask has failed to look for the program")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CommandSpec, Mode, RunId};

    fn wanted(folder: &str) -> (Box<RunSpec>, RunIdentity) {
        let spec = RunSpec::new(CommandSpec::Argv(vec!["/bin/sh".into()]), Mode::Pipes, folder);
        let session = "test".parse().expect("session");
        (Box::new(spec), RunIdentity { id: RunId::from_bits([1; 10]), session, name: None, generation: 1 })
    }

    #[tokio::test]
    async fn what_a_run_needs_is_found_or_named() {
        let (spec, identity) = wanted("/");
        assert_eq!(look(spec, identity).await.expect("found").cwd.to_str(), Some("/"));
        let (spec, identity) = wanted("/no/such/folder");
        let failure = look(spec, identity).await.expect_err("no folder");
        assert!(failure.message.contains("/no/such/folder"), "{failure}");
    }

    #[tokio::test]
    async fn where_no_thread_can_be_had_it_is_found_without_one() {
        let (spec, identity) = wanted("/");
        let found = look_on(spec, identity, |_| Err(io::Error::from_raw_os_error(nix::libc::EAGAIN))).await;
        assert_eq!(found.expect("found").program.to_str(), Some("/bin/sh"));
    }

    #[tokio::test]
    async fn a_look_that_panics_is_an_error() {
        let (spec, identity) = wanted("/");
        // Dropped without having run, as by a panic.
        let found = look_on(spec, identity, |work| {
            drop(work);
            thread::Builder::new().spawn(|| {})
        });
        assert_eq!(found.await.expect_err("lost").code, ErrorCode::Broken);
    }
}
