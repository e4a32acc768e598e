//! Colours and emphasis. Every role works without colours, too.

use ratatui::style::{Color, Modifier, Style};

use crate::model::Status;

use super::ColorChoice;

/// The looks of the TUI's own parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theme {
    colors: ColorChoice,
}

impl Theme {
    pub(crate) fn new(colors: ColorChoice) -> Theme {
        Theme { colors }
    }

    fn fg(self, color: Color) -> Style {
        if self.colors == ColorChoice::None { Style::new() } else { Style::new().fg(color) }
    }

    /// A head line; of the part that has the keys when `active`.
    pub(crate) fn head(self, active: bool) -> Style {
        if active {
            self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
        } else {
            Style::new().add_modifier(Modifier::DIM)
        }
    }

    /// The head line of a terminal that gets the keys.
    pub(crate) fn attached(self) -> Style {
        self.fg(Color::Green).add_modifier(Modifier::REVERSED | Modifier::BOLD)
    }

    /// The head line of the scrollback.
    pub(crate) fn scrolled(self) -> Style {
        self.fg(Color::Yellow).add_modifier(Modifier::REVERSED)
    }

    /// The selected row.
    pub(crate) fn selected(self, active: bool) -> Style {
        if active { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new().add_modifier(Modifier::BOLD) }
    }

    /// What a search has found.
    pub(crate) fn hit(self) -> Style {
        if self.colors == ColorChoice::None {
            return Style::new().add_modifier(Modifier::REVERSED);
        }
        Style::new().fg(Color::Black).bg(Color::Yellow)
    }

    /// The hit that the user is at.
    pub(crate) fn current_hit(self) -> Style {
        if self.colors == ColorChoice::None {
            return Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED);
        }
        Style::new().fg(Color::Black).bg(Color::LightGreen).add_modifier(Modifier::BOLD)
    }

    /// What is selected to be copied.
    pub(crate) fn selection(self) -> Style {
        if self.colors == ColorChoice::None {
            return Style::new().add_modifier(Modifier::REVERSED);
        }
        Style::new().fg(Color::Black).bg(Color::LightCyan)
    }

    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn key(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn label(self) -> Style {
        self.dim()
    }

    pub(crate) fn info(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(crate) fn error(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn alarm(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::REVERSED | Modifier::BOLD)
    }

    pub(crate) fn mark(self) -> Style {
        self.fg(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn countdown(self) -> Style {
        self.fg(Color::Yellow)
    }

    pub(crate) fn border(self) -> Style {
        self.dim()
    }

    pub(crate) fn status(self, status: Status) -> Style {
        match status {
            Status::Queued | Status::Starting => self.fg(Color::Yellow),
            Status::Running => self.fg(Color::Green),
            Status::Completed => self.dim(),
            Status::Failed => self.error(),
            Status::TimedOut => self.fg(Color::Magenta),
            Status::Cancelled => self.fg(Color::Yellow).add_modifier(Modifier::DIM),
            Status::Orphaned => self.fg(Color::Magenta).add_modifier(Modifier::BOLD),
        }
    }
}

/// The sign of a status, one column wide.
pub(crate) fn glyph(status: Status) -> &'static str {
    match status {
        Status::Queued => "…",
        Status::Starting => "◌",
        Status::Running => "●",
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::TimedOut => "◷",
        Status::Cancelled => "■",
        Status::Orphaned => "?",
    }
}
