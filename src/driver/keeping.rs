//! A driver's part in keeping its run for the server after this one.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::io::Sink;
use super::keep::stream_of;
use super::kept::{Counters, Kept};
use super::task::Driver;
use crate::holder::Request;
use crate::model::{ErrorCode, Failure, Mode, StdinSpec};

/// How much of a redacted stream is kept at most while it has no point from which the next program could go on: within one secret of that length. What
/// is given up then is lost if the server dies, and the line that it belongs to counts as secret.
const MAX_UNRESTED_BYTES: u64 = 16 * 1024 * 1024;

impl Driver {
    /// Makes the keepsakes of a run that is to outlive this program; returns what its holder gets.
    pub(super) fn make_keepsakes(&mut self) -> Result<Vec<OwnedFd>, Failure> {
        let Some(keeping) = &mut self.setup.keeping else { return Ok(Vec::new()) };
        let failed = |error: std::io::Error| {
            Failure::new(ErrorCode::SpawnFailed, format!("the run cannot be kept for a later shtask: {error}"))
        };
        let payload = match &self.setup.stdin {
            StdinSpec::Null => None,
            StdinSpec::Payload(payload) => Some(&**payload),
        };
        let is_redacted = self.keep.log().is_some_and(|log| log.redactor().is_some());
        let (kept, duplicates) =
            Kept::new(self.setup.mode, payload, &std::mem::take(&mut keeping.word), is_redacted).map_err(failed)?;
        let socket = keeping.sockets.listen(self.setup.id).map_err(failed)?;
        self.kept = Some(kept);
        Ok(std::iter::once(socket).chain(duplicates).collect())
    }

    /// Takes the write end of standard input, for what is left of the payload.
    pub(super) fn take_kept_input(&mut self, end: Option<OwnedFd>) -> std::io::Result<()> {
        let payload = self.kept.as_mut().and_then(|kept| kept.payload.take());
        match (end, payload) {
            (Some(end), Some(payload)) if payload.left > 0 => {
                self.sink = Some(Sink::of_payload(Arc::new(end), payload));
            }
            (_, Some(_)) => self.input_ended(),
            (_, None) => {}
        }
        Ok(())
    }

    /// Takes note that the payload is delivered: its end is the end of input.
    pub(super) fn input_ended(&mut self) {
        if self.kept.is_some() && self.setup.mode == Mode::Pipes {
            self.ask_holder(&Request::CloseInput);
        }
    }

    /// Counts for the program after this one; the change gets what was printed so far.
    pub(super) fn count(&mut self, change: impl FnOnce(&mut Counters, u64)) {
        let printed = self.printed_bytes;
        if let Some(kept) = &mut self.kept {
            kept.notes.count(|counters| change(counters, printed));
        }
    }

    /// Notes what the program after this one has to know.
    pub(super) fn note(&mut self, word: &[u8]) {
        if let Some(kept) = &mut self.kept
            && let Err(error) = kept.notes.add(word)
        {
            tracing::warn!(run = %self.setup.id, %error, "something could not be noted for the next server");
        }
    }

    /// Gives back what is kept of output that is settled in the log.
    pub(super) fn forget_settled(&mut self, is_idle: bool) {
        let (Some(kept), Some(log)) = (&mut self.kept, self.keep.log()) else { return };
        for source in &mut self.sources {
            if let Some(came) = log.came(stream_of(source.pipe)) {
                if let Some(rest) = log.settled_rest(stream_of(source.pipe)) {
                    let settled = rest.came;
                    match kept.notes.rest(source.pipe, rest) {
                        Ok(()) => source.settled(settled, is_idle),
                        Err(error) => tracing::warn!(%error, "how far a redacted log has come could not be noted"),
                    }
                }
                source.settled(came.saturating_sub(MAX_UNRESTED_BYTES), is_idle);
                continue;
            }
            source.settled(log.settled(stream_of(source.pipe)), is_idle);
        }
    }

    /// Lets the holder of a kept run go.
    pub(super) fn let_go(&mut self) {
        if self.kept.take().is_none() || !self.finished {
            return;
        }
        self.ask_holder(&Request::LetGo);
        self.link = None;
        if let Some(keeping) = &self.setup.keeping
            && let Err(error) = keeping.sockets.remove(self.setup.id)
        {
            tracing::warn!(run = %self.setup.id, %error, "the socket of a holder could not be removed");
        }
    }
}
