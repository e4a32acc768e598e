//! Plain data and pure machines: no tokio, no I/O, no clock. Floor 1, so it imports nothing of ours.

mod attention;
mod claim;
mod control;
mod failure;
mod frame;
mod ids;
mod input_queue;
mod keyboard;
mod keys;
mod limits;
mod nearest;
mod notification;
pub mod os_text;
mod plain;
mod recipe;
mod record;
pub mod run;
mod session;
mod shown;
mod signals;
mod size;
mod slots;
mod spans;
mod spec;
pub mod stop;
mod style;
mod time;
mod told_keys;

pub use attention::{Attention, Need};
pub use claim::{Claim, Press};
pub use control::{Applied, Cut, CutOutcome, Input, ResizeOutcome, WriteOutcome, WriteStdin};
pub use failure::{Effects, ErrorCode, Failure, plain_line, with_sources};
pub use frame::{
    Cell, Cursor, CursorShape, Frame, HistorySpan, MouseEncoding, MouseTracking, Progress, Row, TerminalModes,
};
pub use ids::{IdError, RunId, RunName, RunRef, SessionName};
pub use input_queue::{Answered, InputQueue};
pub use keyboard::{HeldNote, Keyboard, KeyboardOwner, Typist, TypistId, TypistKind};
pub use keys::{
    Action, Key, KeyChord, KeyParseError, KeySequence, Modifiers, Mouse, MouseButton, MouseKind, NamedKey, key_names,
};
pub use limits::Limits;
pub use nearest::nearest;
pub use notification::Notification;
pub use plain::{Plain, plain_text};
pub use recipe::Recipe;
pub use record::{
    Cause, Degraded, EndedTree, LogFacts, Mode, PipesOutput, ProcessIdentity, PtyOutput, Record, RecordOutput,
    ScreenPoint, Status, StillAlive, TimeoutKind,
};
pub use session::{Fence, Guard, LeaseId, SessionGate, SessionState};
pub use shown::shown;
pub use signals::{signal_names, signal_number};
pub use size::{Size, SizeError};
pub use slots::{Slot, Slots};
pub use spans::{parse_span, show_span};
pub use spec::{CommandSpec, EnvSpec, RunSpec, SpecError, StdinSpec, StopSpec, Timeouts};
pub use style::{Attributes, Color, Style, Underline};
pub use time::Moment;
pub use told_keys::KeyFault;
