//! Notices when socket or lock are taken away.

use std::path::Path;
use std::time::Duration;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::io::Interest;

use crate::sys::watched::Watched;

/// How often to look where the kernel tells nothing: a folder further up was renamed, or there are no more watches to be had.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

/// Tells when something has happened in a folder.
pub(super) struct Guard {
    /// None where the kernel has no watch to give.
    news: Option<Watched>,
    interval: Duration,
}

impl Guard {
    /// Watches a folder.
    pub(super) fn new(folder: &Path) -> Guard {
        let news = watch(folder);
        if let Err(error) = &news {
            tracing::warn!(%error, folder = %folder.display(), "the folder of the socket is looked at now and then only");
        }
        Guard { news: news.ok(), interval: LOOK_INTERVAL }
    }

    /// Only tells when it is time to look.
    pub(super) fn by_the_clock(interval: Duration) -> Guard {
        Guard { news: None, interval }
    }

    /// Waits until something may have happened.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn stirred(&self) {
        let Some(news) = &self.news else { return tokio::time::sleep(self.interval).await };
        let Ok(Ok(mut ready)) = tokio::time::timeout(self.interval, news.readable()).await else { return };
        // What happened is of no interest, only that something did.
        while rustix::io::read(news.get_ref(), &mut [0_u8; 4096]).is_ok() {}
        ready.clear_ready();
    }
}

fn watch(folder: &Path) -> std::io::Result<Watched> {
    let news = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    let what = WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::ONLYDIR;
    inotify::add_watch(&news, folder, what)?;
    Watched::with_interest(news, Interest::READABLE)
}
