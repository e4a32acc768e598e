//! The waist: everything a front end can ask of runs, whoever answers (in this process or over a socket).

mod again;
mod client;
mod export_reader;
mod facts;
mod feed;
mod link;
mod live;
mod query;
mod recording;
mod reply;
mod search;
mod server;
mod sessions;
mod typing;
mod watch;

pub use again::restarted;
pub use client::{
    Client, Deadline, Foreground, LiveOutput, ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId,
    StopOutcome, StopRequest, Stopping,
};
pub use export_reader::ExportReader;
pub use facts::{
    Activity, ByteCounts, DeadlineView, Inspection, LogReading, LogRequest, Part, PartName, ProcessFacts, Reading,
    Reaped, RunView, Stream, Termination,
};
pub use feed::{Feed, FeedSender, Update, empty_feed, feed};
pub use link::Link;
pub use live::{LimitFacts, PortFacts, RunUsage, Surroundings};
pub use query::{Export, ExportFormat, ExportedLine, Pruned, RecordsPage, RecordsRequest, Summary};
pub use recording::{Recorded, RecordedEvent, Recording};
pub use reply::{Answer, Reply, reply};
pub use search::{
    Found, FoundSender, LinePlace, Newest, SearchHit, SearchPlace, SearchRequest, SearchResults, SearchScope,
    Searching, searching,
};
pub use server::{RunsAtStop, Server, ServerStatus, ServerStopped, SessionStatus, StopServer};
pub use sessions::{Closing, SessionCounts, Sessions};
pub use typing::Typing;
pub use watch::{HistoryRows, View, Watch};
