//! Starting a run again, also when the server that had started it is gone.

use std::ffi::OsString;
use std::sync::Arc;

use super::{Client, Reply, StartRequest};
use crate::model::{ErrorCode, Failure, Record, RunId};

/// Waits for the answer to a [`Client::restart`]. When nobody has the spec of the run any more, it is started again from its record, in this
/// environment.
///
/// # Errors
/// As [`Client::restart`] and [`Record::spec_again`].
///
/// # Cancel safety
/// When it is dropped the run may be started all the same.
pub async fn restarted(
    client: &dyn Client,
    run: RunId,
    answer: Reply<Arc<Record>>,
    env: Arc<Vec<(OsString, OsString)>>,
) -> Result<Arc<Record>, Failure> {
    match answer.await {
        Err(failure) if failure.code == ErrorCode::ControlClosed => {
            let spec = client.inspect(run).await?.view.record.spec_again(env)?;
            client.start(StartRequest { spec, replace: true }).await
        }
        answer => answer,
    }
}
