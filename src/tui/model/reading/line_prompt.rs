//! The line at the bottom in which a search or a filter is typed.

use tui_input::Input;

use super::{Filter, Pattern, Point, Search};

/// What the line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Search,
    Filter,
}

/// What is typed, and how everything was before.
#[derive(Debug, Clone)]
pub(crate) struct LinePrompt {
    pub(crate) kind: LineKind,
    pub(crate) input: Input,
    pub(crate) is_regex: bool,
    pub(crate) exact_case: bool,
    /// Why it is no pattern.
    pub(crate) error: Option<String>,
    pub(crate) before: Before,
}

/// What giving up brings back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Before {
    pub(crate) search: Option<Search>,
    pub(crate) filter: Option<Filter>,
    pub(crate) scroll: Option<u64>,
    pub(crate) cursor: Option<Point>,
    /// Whether the scrollback was left.
    pub(crate) was_in_list: bool,
}

impl LinePrompt {
    pub(crate) fn pattern(&self) -> Pattern {
        Pattern { text: self.input.value().to_owned(), is_regex: self.is_regex, exact_case: self.exact_case }
    }
}
