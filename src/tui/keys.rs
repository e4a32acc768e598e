//! The actions of each part of the interface and the keys that they have by default. What the keys do in the end, after a preset and the
//! user's own wishes, is in the [`Keymap`](super::keymap::Keymap).

pub(crate) use super::key_label::{label, sequence_label};
use crate::model::{Key, KeyChord, Modifiers, NamedKey};

/// What a key means where it is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Intent {
    Down,
    Up,
    First,
    Last,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    Attach,
    Inspect,
    NewRun,
    Duplicate,
    Pager,
    Editor,
    Export,
    Start,
    Stop,
    Kill,
    Restart,
    KillRestart,
    Clear,
    Zoom,
    Scrollback,
    Signal,
    Extend,
    Keyboard,
    Help,
    Palette,
    Detach,
    Leave,
    Back,
    Suspend,
    Redraw,
    Accept,
    Complete,
    Older,
    Newer,
    NextField,
    PreviousField,
    Yes,
    No,
    Hurry,
    Split,
    NextPane,
    PreviousPane,
    MoveList,
    Search,
    NextHit,
    PreviousHit,
    ToggleRegex,
    ToggleCase,
    Filter,
    Follow,
    Select,
    SelectLines,
    SelectBlock,
    OtherEnd,
    Copy,
    CopyAsShown,
    Left,
    Right,
    WordForward,
    WordBack,
    WordEnd,
    LineStart,
    FirstText,
    LineEnd,
    ParagraphBack,
    ParagraphForward,
    FindAll,
    HistoryBrowser,
    Mark,
    MergedLog,
    OpenLog,
    Replay,
    PlayPause,
    Faster,
    Slower,
    Sort,
    Fold,
    Attention,
    Rename,
    Group,
    StopOthers,
}

/// A line of the keymap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) intent: Intent,
    /// The first is the one that the status line shows.
    pub(crate) keys: &'static [KeyChord],
    /// For the status line.
    pub(crate) short: &'static str,
    /// For the help.
    pub(crate) help: &'static str,
}

const NONE: Modifiers = Modifiers { ctrl: false, alt: false, shift: false };
const CTRL: Modifiers = Modifiers { ctrl: true, alt: false, shift: false };
const SHIFT: Modifiers = Modifiers { ctrl: false, alt: false, shift: true };

const fn ch(c: char) -> KeyChord {
    KeyChord { key: Key::Char(c), modifiers: NONE }
}

const fn ctrl(c: char) -> KeyChord {
    KeyChord { key: Key::Char(c), modifiers: CTRL }
}

const fn key(named: NamedKey) -> KeyChord {
    KeyChord { key: Key::Named(named), modifiers: NONE }
}

const BACK_TAB: KeyChord = KeyChord { key: Key::Named(NamedKey::Tab), modifiers: SHIFT };

const fn bind(intent: Intent, keys: &'static [KeyChord], short: &'static str, help: &'static str) -> Binding {
    Binding { intent, keys, short, help }
}

/// With the list in front. The order is that of the help; the status line picks by context.
pub(crate) const LIST: &[Binding] = &[
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down)], "down", "select the next run"),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up)], "up", "select the previous run"),
    bind(Intent::First, &[ch('g'), key(NamedKey::Home)], "first", "select the first run"),
    bind(Intent::Last, &[ch('G'), key(NamedKey::End)], "last", "select the last run"),
    bind(Intent::Attach, &[key(NamedKey::Enter)], "attach", "attach: type into the run's terminal"),
    bind(Intent::Inspect, &[ch('i')], "inspect", "inspect: record, processes, deadline, bytes"),
    bind(Intent::NewRun, &[ch('n')], "new", "start a new run"),
    bind(Intent::Duplicate, &[ch('D')], "duplicate", "start a new run like this one, with changes"),
    bind(Intent::Start, &[ch('s')], "start", "start the task, or a finished run again"),
    bind(Intent::Stop, &[ch('x')], "stop", "stop the run and all it started, also of a lost one"),
    bind(Intent::Kill, &[ch('X')], "kill", "kill the run and all it started, at once"),
    bind(Intent::StopOthers, &[ch('O')], "stop others", "stop all runs but this one, or but the marked ones"),
    bind(Intent::Restart, &[ch('r')], "restart", "stop the run and start it again"),
    bind(Intent::KillRestart, &[ch('R')], "kill+restart", "kill the run and start it again"),
    bind(Intent::Clear, &[ch('c')], "clear", "clear a finished run from the list"),
    bind(Intent::Zoom, &[ch('z')], "zoom", "zoom: give the terminal the whole width"),
    bind(Intent::Split, &[ch('v')], "split", "let the run stay in sight beside others, or no longer"),
    bind(Intent::NextPane, &[key(NamedKey::Tab)], "next pane", "go to the next pane"),
    bind(Intent::PreviousPane, &[BACK_TAB], "previous pane", "go to the pane before"),
    bind(Intent::Fold, &[ch('-')], "fold", "fold or unfold a group of runs"),
    bind(Intent::Attention, &[ch('!')], "attention", "go to the next run that needs you"),
    bind(Intent::Filter, &[ch('f')], "filter", "filter the list by name, command and status"),
    bind(Intent::Sort, &[ch('S')], "sort", "sort: as configured, status, name, newest, processor, attention"),
    bind(Intent::MoveList, &[ch('w')], "layout", "move the list: left, top, hidden"),
    bind(Intent::Scrollback, &[ch('[')], "scroll", "look back through the output"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp)], "page", "look back a page; inspect: scroll up"),
    bind(Intent::Search, &[ch('/')], "search", "search in the output"),
    bind(Intent::FindAll, &[ch('F')], "find", "search in the logs of all runs, live and finished"),
    bind(Intent::HistoryBrowser, &[ch('H')], "history", "finished runs of any day: last screen, log, replay"),
    bind(Intent::Mark, &[ch(' ')], "mark", "mark the run: keys that start, stop or merge are for all that are marked"),
    bind(
        Intent::MergedLog,
        &[ch('=')],
        "merged",
        "the lines of the marked runs in one; without marks of all live ones",
    ),
    bind(Intent::Signal, &[ch('m')], "signal", "send a signal"),
    bind(Intent::Extend, &[ch('e')], "deadline", "extend or remove the deadline"),
    bind(Intent::Rename, &[ch('M')], "rename", "give the live run, or the group, another name"),
    bind(Intent::Group, &[ch('B')], "group", "put the live run into a group, or take it out"),
    bind(Intent::Pager, &[ch('L')], "pager", "open the log in $PAGER"),
    bind(Intent::Editor, &[ch('E')], "editor", "open the log in $EDITOR"),
    bind(Intent::Export, &[ch('o')], "export", "write the run to a file: text, svg, html, png or cast"),
    bind(Intent::Keyboard, &[ch('t')], "keyboard", "take the keyboard of the run, or hand it back"),
    bind(Intent::Help, &[ch('?'), key(NamedKey::F(1))], "help", "show or hide all keys"),
    bind(Intent::Palette, &[ch('p'), ch(':')], "palette", "find any action or run by a few letters"),
    bind(Intent::Detach, &[ch('d')], "detach", "leave; the runs go on"),
    bind(Intent::Leave, &[ch('q'), ctrl('c')], "leave", "leave; asks first when something runs"),
    bind(Intent::Back, &[key(NamedKey::Escape)], "back", "go back: close the panel, leave zoom, drop filter and marks"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown)], "page", "inspect: scroll down"),
    bind(Intent::Suspend, &[ctrl('z')], "suspend", "suspend shtask; the runs go on"),
    bind(Intent::Redraw, &[ctrl('l')], "redraw", "draw everything anew"),
];

/// In the scrollback.
pub(crate) const SCROLL: &[Binding] = &[
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up)], "up", "a row up"),
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down)], "down", "a row down"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp), ctrl('b')], "page up", "a page up"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown), ctrl('f')], "page down", "a page down"),
    bind(Intent::HalfUp, &[ctrl('u'), ch('u')], "half up", "half a page up"),
    bind(Intent::HalfDown, &[ctrl('d')], "half down", "half a page down"),
    bind(Intent::First, &[ch('g'), key(NamedKey::Home)], "oldest", "the oldest row that is kept"),
    bind(Intent::Last, &[ch('G'), key(NamedKey::End)], "newest", "the newest row, and back to live"),
    bind(Intent::Search, &[ch('/')], "search", "search in all of the output"),
    bind(Intent::NextHit, &[ch('n')], "next", "the next hit, further down"),
    bind(
        Intent::PreviousHit,
        &[ch('N')],
        "previous",
        "the previous hit, further up; of a run with pipes in all of its log",
    ),
    bind(Intent::Filter, &[ch('&')], "filter", "show only lines that match; with ! before it, that do not"),
    bind(Intent::Follow, &[ch('f')], "follow", "follow the output, or stop"),
    bind(Intent::Select, &[ch('v'), ch(' ')], "select", "copy mode: select by characters"),
    bind(Intent::SelectLines, &[ch('V')], "lines", "select lines"),
    bind(Intent::SelectBlock, &[ctrl('v')], "block", "select a block"),
    bind(Intent::OtherEnd, &[ch('o')], "other end", "go to the other end of the selection"),
    bind(Intent::Copy, &[ch('y'), key(NamedKey::Enter)], "copy", "copy the selection; wrapped lines are joined"),
    bind(Intent::CopyAsShown, &[ch('Y')], "as shown", "copy the selection row by row, as it is shown"),
    bind(Intent::Left, &[ch('h'), key(NamedKey::Left)], "left", "the cursor a cell to the left"),
    bind(Intent::Right, &[ch('l'), key(NamedKey::Right)], "right", "the cursor a cell to the right"),
    bind(Intent::WordForward, &[ch('w')], "word", "the cursor to the next word"),
    bind(Intent::WordBack, &[ch('b')], "word back", "the cursor to the beginning of the word"),
    bind(Intent::WordEnd, &[ch('e')], "word end", "the cursor to the end of the word"),
    bind(Intent::LineStart, &[ch('0')], "start", "the cursor to the first column"),
    bind(Intent::FirstText, &[ch('^')], "text", "the cursor to the first text of the row"),
    bind(Intent::LineEnd, &[ch('$')], "end", "the cursor to the last text of the row"),
    bind(Intent::ParagraphBack, &[ch('{')], "paragraph", "the cursor to the blank row above"),
    bind(Intent::ParagraphForward, &[ch('}')], "paragraph", "the cursor to the blank row below"),
    bind(Intent::Zoom, &[ch('z')], "zoom", "zoom"),
    bind(Intent::Help, &[ch('?'), key(NamedKey::F(1))], "help", "show or hide all keys"),
    bind(Intent::Palette, &[ch('p'), ch(':')], "palette", "find any action or run by a few letters"),
    bind(
        Intent::Back,
        &[key(NamedKey::Escape), ch('q'), ch('[')],
        "back",
        "back: selection, search, filter, then to live",
    ),
    bind(Intent::Suspend, &[ctrl('z')], "suspend", "suspend shtask"),
    bind(Intent::Redraw, &[ctrl('l')], "redraw", "draw everything anew"),
];

/// In the line that a search or a filter is typed into; other keys edit it.
pub(crate) const LINE: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "go", "keep what was found"),
    bind(Intent::ToggleRegex, &[ctrl('r')], "regex", "a regular expression, or plain text"),
    bind(Intent::ToggleCase, &[ctrl('t')], "case", "case always matters, or only when there is upper case"),
    bind(Intent::NextHit, &[key(NamedKey::Down)], "next", "the next hit"),
    bind(Intent::PreviousHit, &[key(NamedKey::Up)], "previous", "the previous hit"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "give up", "everything as it was before"),
];

/// In search everywhere; other keys edit the pattern.
pub(crate) const FIND: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "search, go", "search; then go to the place in the log"),
    bind(
        Intent::Down,
        &[key(NamedKey::Down)],
        "down",
        "the next line that was found; past the last one, the next 1000",
    ),
    bind(Intent::Up, &[key(NamedKey::Up)], "up", "the previous line that was found"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown)], "page", "a page down"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp)], "page", "a page up"),
    bind(
        Intent::First,
        &[key(NamedKey::Home)],
        "first",
        "the first line that was found; while a word is typed, its beginning",
    ),
    bind(Intent::Last, &[key(NamedKey::End)], "last", "the last line that was found; while a word is typed, its end"),
    bind(Intent::ToggleRegex, &[ctrl('r')], "regex", "a regular expression, or plain text"),
    bind(Intent::ToggleCase, &[ctrl('t')], "case", "case always matters, or only when there is upper case"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "close", "close"),
];

/// In the history browser.
pub(crate) const HISTORY: &[Binding] = &[
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down)], "down", "the next run"),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up)], "up", "the previous run"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown), ch(' ')], "page", "a page down"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp)], "page", "a page up"),
    bind(Intent::First, &[ch('g'), key(NamedKey::Home)], "newest", "the newest run"),
    bind(Intent::Last, &[ch('G'), key(NamedKey::End)], "oldest", "the oldest run that was fetched"),
    bind(Intent::Search, &[ch('/'), ch('f')], "filter", "filter by name, command, status or date"),
    bind(
        Intent::Accept,
        &[key(NamedKey::Enter)],
        "screen",
        "the last screen and what scrolled off it; of pipes the log",
    ),
    bind(Intent::OpenLog, &[ch('l')], "log", "the whole log"),
    bind(Intent::Replay, &[ch('p')], "replay", "play what the run printed, in its time"),
    bind(Intent::Inspect, &[ch('i')], "record", "show or hide the record"),
    bind(Intent::Restart, &[ch('r')], "again", "start the run again"),
    bind(Intent::Back, &[key(NamedKey::Escape), ch('q'), ctrl('c')], "close", "close"),
];

/// In the filter of the history browser; other keys edit it.
pub(crate) const HISTORY_FILTER: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "keep", "back to the runs"),
    bind(Intent::Down, &[key(NamedKey::Down)], "down", "the next run"),
    bind(Intent::Up, &[key(NamedKey::Up)], "up", "the previous run"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "no filter", "all runs again"),
];

/// In a replay.
pub(crate) const REPLAY: &[Binding] = &[
    bind(Intent::PlayPause, &[ch(' '), ch('p')], "pause", "pause, or play on; at the end from the beginning"),
    bind(Intent::Faster, &[ch('+'), ch('>'), key(NamedKey::Up)], "faster", "twice as fast, up to 16 times"),
    bind(Intent::Slower, &[ch('-'), ch('<'), key(NamedKey::Down)], "slower", "half as fast, down to half the speed"),
    bind(Intent::Left, &[key(NamedKey::Left), ch('h')], "back 5s", "five seconds back"),
    bind(Intent::Right, &[key(NamedKey::Right), ch('l')], "on 5s", "five seconds on"),
    bind(Intent::First, &[ch('g'), ch('0'), key(NamedKey::Home)], "begin", "to the beginning"),
    bind(Intent::Last, &[ch('G'), key(NamedKey::End)], "end", "to the end"),
    bind(Intent::Zoom, &[ch('z')], "zoom", "zoom"),
    bind(Intent::Help, &[ch('?'), key(NamedKey::F(1))], "help", "show or hide all keys"),
    bind(Intent::Back, &[key(NamedKey::Escape), ch('q')], "close", "close"),
    bind(Intent::Suspend, &[ctrl('z')], "suspend", "suspend shtask"),
    bind(Intent::Redraw, &[ctrl('l')], "redraw", "draw everything anew"),
];

/// In the help.
pub(crate) const HELP: &[Binding] = &[
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down)], "down", "scroll down"),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up)], "up", "scroll up"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown), ch(' ')], "page down", "a page down"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp)], "page up", "a page up"),
    bind(Intent::Back, &[key(NamedKey::Escape), ch('q'), ch('?'), key(NamedKey::F(1))], "close", "close"),
];

/// In the filter of the list; other keys edit it.
pub(crate) const FILTER: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "keep", "keep the filter, and back to the list"),
    bind(Intent::Down, &[key(NamedKey::Down), key(NamedKey::Tab)], "down", "select the next run"),
    bind(Intent::Up, &[key(NamedKey::Up), BACK_TAB], "up", "select the previous run"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "clear", "show all runs again"),
];

/// In the new-run prompt; other keys edit the field.
pub(crate) const PROMPT: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "start", "start the run"),
    bind(Intent::Complete, &[key(NamedKey::Tab)], "complete", "complete what was typed, else the next field"),
    bind(Intent::Older, &[key(NamedKey::Up)], "older", "command: an older line; elsewhere the previous field"),
    bind(Intent::Newer, &[key(NamedKey::Down)], "next", "command: back to newer lines; then the next field"),
    bind(Intent::NextField, &[ctrl('n')], "next field", "the next field"),
    bind(Intent::PreviousField, &[BACK_TAB, ctrl('p')], "previous field", "the previous field"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "cancel", "close without starting"),
];

/// In a menu.
pub(crate) const MENU: &[Binding] = &[
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down)], "down", "the next entry"),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up)], "up", "the previous entry"),
    bind(Intent::Accept, &[key(NamedKey::Enter)], "choose", "choose the entry"),
    bind(Intent::NextField, &[key(NamedKey::Tab)], "target", "signals: to whom it goes"),
    bind(Intent::Back, &[key(NamedKey::Escape), ch('q'), ctrl('c')], "cancel", "close without choosing"),
];

/// In the palette; other keys are text.
pub(crate) const PALETTE: &[Binding] = &[
    bind(Intent::Down, &[key(NamedKey::Down), ctrl('n'), key(NamedKey::Tab)], "down", "the next entry"),
    bind(Intent::Up, &[key(NamedKey::Up), ctrl('p'), BACK_TAB], "up", "the previous entry"),
    bind(Intent::PageDown, &[key(NamedKey::PageDown)], "page down", "a page down"),
    bind(Intent::PageUp, &[key(NamedKey::PageUp)], "page up", "a page up"),
    bind(Intent::Accept, &[key(NamedKey::Enter)], "do it", "do what the entry says, or go to its run"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "close", "close without doing anything"),
];

/// In the question before leaving.
pub(crate) const QUESTION: &[Binding] = &[
    bind(Intent::Detach, &[ch('d')], "detach", "leave; the runs go on"),
    bind(Intent::Yes, &[ch('y')], "stop all and leave", "stop all runs and leave"),
    bind(Intent::No, &[ch('n'), key(NamedKey::Escape)], "stay", "stay"),
    bind(
        Intent::Down,
        &[ch('j'), key(NamedKey::Down), key(NamedKey::Tab), key(NamedKey::Right)],
        "other",
        "the other answer",
    ),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up), BACK_TAB, key(NamedKey::Left)], "other", "the other answer"),
    bind(Intent::Accept, &[key(NamedKey::Enter)], "choose", "choose the answer"),
];

/// In the question before several runs are stopped.
pub(crate) const ASK: &[Binding] = &[
    bind(Intent::Yes, &[ch('y')], "do it", "do it, to the runs that are named"),
    bind(Intent::No, &[ch('n'), key(NamedKey::Escape), ch('q'), ctrl('c')], "do nothing", "do nothing"),
    bind(Intent::Down, &[ch('j'), key(NamedKey::Down), key(NamedKey::Tab)], "other", "the other answer"),
    bind(Intent::Up, &[ch('k'), key(NamedKey::Up), BACK_TAB], "other", "the other answer"),
    bind(Intent::Accept, &[key(NamedKey::Enter)], "choose", "choose the answer"),
];

/// In the prompt for another name or group; other keys edit it.
pub(crate) const RENAME: &[Binding] = &[
    bind(Intent::Accept, &[key(NamedKey::Enter)], "rename", "give that name"),
    bind(Intent::Back, &[key(NamedKey::Escape), ctrl('c')], "cancel", "keep the name"),
];

/// While runs are being ended before leaving.
pub(crate) const WAITING: &[Binding] = &[
    bind(Intent::Hurry, &[ch('q'), ctrl('c'), key(NamedKey::Enter)], "do not wait", "kill what is left now"),
    bind(Intent::Suspend, &[ctrl('z')], "suspend", "suspend shtask"),
    bind(Intent::Redraw, &[ctrl('l')], "redraw", "draw everything anew"),
];

/// A part of the interface with keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    List,
    Scroll,
    Line,
    Find,
    History,
    HistoryFilter,
    Replay,
    Filter,
    Help,
    Palette,
    NewRun,
    Menu,
    Leave,
    Ask,
    Rename,
    Waiting,
}

/// The actions of a part and their keys, before the user's wishes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub(crate) part: Part,
    /// As the help calls it.
    pub(crate) title: &'static str,
    /// Other keys are text there.
    pub(crate) takes_text: bool,
    pub(crate) bindings: &'static [Binding],
}

const fn table(part: Part, title: &'static str, bindings: &'static [Binding]) -> Table {
    Table { part, title, takes_text: false, bindings }
}

/// All tables in the order of the help.
pub(crate) const TABLES: &[Table] = &[
    table(Part::List, "List", LIST),
    table(Part::Scroll, "Scrollback", SCROLL),
    Table { takes_text: true, ..table(Part::Line, "Search and filter", LINE) },
    Table { takes_text: true, ..table(Part::Find, "Search everywhere", FIND) },
    table(Part::History, "History", HISTORY),
    Table { takes_text: true, ..table(Part::HistoryFilter, "Filter of the history", HISTORY_FILTER) },
    table(Part::Replay, "Replay", REPLAY),
    Table { takes_text: true, ..table(Part::Palette, "Palette", PALETTE) },
    Table { takes_text: true, ..table(Part::Filter, "Filter", FILTER) },
    Table { takes_text: true, ..table(Part::NewRun, "New run", PROMPT) },
    table(Part::Menu, "Menus", MENU),
    table(Part::Leave, "Leaving", QUESTION),
    table(Part::Ask, "Questions", ASK),
    Table { takes_text: true, ..table(Part::Rename, "Another name", RENAME) },
    table(Part::Waiting, "Waiting for runs to end", WAITING),
    table(Part::Help, "Help", HELP),
];

/// Returns the table of a part.
pub(crate) fn table_of(part: Part) -> &'static Table {
    TABLES.iter().find(|table| table.part == part).expect("every part has a table")
}

impl Part {
    /// Its name in the configuration: `new-run`.
    pub(crate) fn name(self) -> String {
        kebab(&format!("{self:?}"))
    }
}

impl Intent {
    /// Its name in the configuration: `kill-restart`.
    pub(crate) fn name(self) -> String {
        kebab(&format!("{self:?}"))
    }
}

/// Writes the name of a variant as the configuration does: `KillRestart` is `kill-restart`.
pub(super) fn kebab(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for (index, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && index > 0 {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
