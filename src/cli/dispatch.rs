//! From a verb to what it does.

use super::args::Verb;
use super::exit::{Exit, Fault};
use super::here::Verbs;

impl Verbs<'_> {
    /// Does what a verb says that asks for runs; none for one that asks for something else.
    pub async fn perform(&mut self, verb: &Verb) -> Option<Result<Exit, Fault>> {
        Some(match verb {
            Verb::Run(args) => self.start(args).await,
            Verb::Ls(args) => self.list(args).await,
            Verb::Show(args) => self.show(args).await,
            Verb::Read(args) => self.read(args).await,
            Verb::Logs(args) => self.logs(args).await,
            Verb::Write(args) => self.write(args).await,
            Verb::Resize(args) => self.resize(args).await,
            Verb::Signal(args) => self.signal(args).await,
            Verb::Stop(args) => self.stop(args).await,
            Verb::Restart(args) => self.restart(args).await,
            Verb::Rename(args) => self.rename(args).await,
            Verb::Wait(args) => self.wait(args).await,
            Verb::Attach(args) => self.attach(args).await,
            Verb::Why(args) => self.why(args).await,
            Verb::Search(args) => self.search(args).await,
            Verb::Summary => self.summary().await,
            Verb::History(args) => self.history(args).await,
            Verb::Prune(_) => self.prune().await,
            Verb::Replay(args) => self.replay(args).await,
            Verb::Export(args) => self.export(args).await,
            Verb::Session(verb) => return self.session(verb).await,
            Verb::Reap(args) => self.reap(args).await,
            Verb::Tui
            | Verb::Render(_)
            | Verb::Serve(_)
            | Verb::Server(_)
            | Verb::Config(_)
            | Verb::Doctor
            | Verb::Completions(_)
            | Verb::Man(_) => return None,
        })
    }
}
