//! The waist: everything a front end can ask of runs, whoever answers (in this process or over a socket).

mod client;
mod facts;
mod feed;
mod query;
mod reply;
mod sessions;
mod watch;

pub use client::{
    Client, Deadline, Foreground, LiveOutput, ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId,
    StopOutcome, StopRequest, Stopping,
};
pub use facts::{
    Activity, ByteCounts, DeadlineView, Inspection, LogReading, LogRequest, Part, PartName, ProcessFacts, Reading,
    Reaped, RunView, Stream, Termination,
};
pub use feed::{Feed, FeedSender, Update, empty_feed, feed};
pub use query::{
    Export, ExportFormat, Pruned, RecordsPage, RecordsRequest, SearchHit, SearchRequest, SearchResults, SearchScope,
    Summary,
};
pub use reply::{Answer, Reply, reply};
pub use sessions::{Closing, SessionCounts, Sessions};
pub use watch::{HistoryRows, View, Watch};
