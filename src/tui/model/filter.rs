//! The filter of the list.

use tui_input::Input;

/// What is typed into the filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListFilter {
    pub(crate) input: Input,
    /// Whether keys go there.
    pub(crate) editing: bool,
}
