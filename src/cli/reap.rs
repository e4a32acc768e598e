//! `reap`: the end of what orphaned runs left behind (S7.3).

use serde_json::json;

use super::args_manage::ReapArgs;
use super::exit::{Exit, Fault};
use super::here::Verbs;
use crate::model::shown;

impl Verbs<'_> {
    /// Ends what is left of orphaned runs.
    pub(super) async fn reap(&mut self, args: &ReapArgs) -> Result<Exit, Fault> {
        let run = match &args.run {
            Some(reference) => Some(self.find(reference).await?),
            None => None,
        };
        let reaped = self.client.reap(run).await?;
        if self.console.look.json {
            self.console.json(&json!({ "reaped": reaped }))?;
        } else if reaped.is_empty() {
            self.console.note("nothing is left of orphaned runs");
        }
        let mut exit = Exit::DONE;
        for found in &reaped {
            if !found.left.is_empty() {
                exit = Exit::FAILED;
            }
            if self.console.look.json {
                continue;
            }
            self.console.line(&format!("{}: {} processes ended", found.run.short(), found.ended))?;
            for left in &found.left {
                self.console.line(&format!(
                    "{}: process {} is left: {}",
                    found.run.short(),
                    left.pid,
                    shown(&left.why)
                ))?;
            }
        }
        Ok(exit)
    }
}
