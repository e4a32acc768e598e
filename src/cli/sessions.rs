//! `session close` and `session resume` (S7.1).

use serde_json::json;

use super::args_manage::SessionVerb;
use super::exit::{Exit, Fault};
use super::here::Verbs;
use crate::model::{ErrorCode, Failure, shown};

impl Verbs<'_> {
    /// Closes or opens the session of the client; none for what asks for no single session.
    pub(super) async fn session(&mut self, verb: &SessionVerb) -> Option<Result<Exit, Fault>> {
        match verb {
            SessionVerb::Ls => None,
            SessionVerb::Close(_) => Some(self.close().await),
            SessionVerb::Resume(_) => Some(self.resume().await),
        }
    }

    async fn close(&mut self) -> Result<Exit, Fault> {
        let closing = self.client.close_session();
        let lease = closing.lease.await?;
        let ended = match closing.ended.await {
            Ok(report) if report.left.is_empty() => self.client.commit_close(lease).await.map(|()| report),
            Ok(report) => {
                let left: Vec<String> = report
                    .left
                    .iter()
                    .map(|(run, left)| format!("{} of {}: {}", left.pid, run.short(), shown(&left.why)))
                    .collect();
                let failure = Failure::new(ErrorCode::Unkillable, format!("these would not end: {}", left.join("; ")));
                Err(failure.with_hint("the session is as open as before: end them by hand and close it again"))
            }
            Err(failure) => Err(failure),
        };
        let report = match ended {
            Ok(report) => report,
            Err(failure) => {
                // It was not closed, so it is as before. What went wrong first is told.
                let _ = self.client.roll_back_close(lease).await;
                return Err(failure.into());
            }
        };
        let session = &self.here.session;
        if self.console.look.json {
            let document = json!({ "session": session, "closed": true, "ended": report.ended });
            self.console.json(&document)?;
        } else {
            let noun = if report.ended == 1 { "run" } else { "runs" };
            let line = format!("{session} is closed; {} {noun} ended", report.ended);
            self.console.line(&line)?;
        }
        Ok(Exit::DONE)
    }

    async fn resume(&mut self) -> Result<Exit, Fault> {
        let was_closed = self.client.resume_session().await?;
        let session = &self.here.session;
        if self.console.look.json {
            let document = json!({ "session": session, "was_closed": was_closed });
            self.console.json(&document)?;
        } else {
            let line =
                if was_closed { format!("{session} is open again") } else { format!("{session} was not closed") };
            self.console.line(&line)?;
        }
        Ok(Exit::DONE)
    }
}
