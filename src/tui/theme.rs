//! Colours and emphasis, by role. Every role works without colours, too.

use ratatui::style::{Color, Modifier, Style};

use crate::model::{Status, nearest};
use crate::settings::{Problem, Settings, ThemeName, ThemeSettings};

use super::ColorChoice;
use super::cells::drawn_style;
use super::ground::Ground;
use super::palettes::palette;

/// What a part of the picture stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Head,
    HeadInactive,
    Attached,
    Scrolled,
    Selected,
    SelectedInactive,
    Dim,
    Key,
    Label,
    Info,
    Error,
    Alarm,
    Mark,
    Found,
    Countdown,
    Border,
    Waiting,
    Running,
    Completed,
    Failed,
    TimedOut,
    Cancelled,
    Orphaned,
}

/// All roles with what they are for, in the order of the documentation.
pub(crate) const ROLES: [(Role, &str); 23] = [
    (Role::Head, "head line of the part that has the keys, frames of dialogs"),
    (Role::HeadInactive, "head line of another part"),
    (Role::Attached, "head and bottom line while a run has the keys"),
    (Role::Scrolled, "head line of the scrollback"),
    (Role::Selected, "the selected row or entry"),
    (Role::SelectedInactive, "the same while something else has the keys"),
    (Role::Dim, "what matters less"),
    (Role::Key, "keys"),
    (Role::Label, "what keys do, titles of fields"),
    (Role::Info, "a notice"),
    (Role::Error, "what is wrong, at its place"),
    (Role::Alarm, "a notice that something went wrong"),
    (Role::Mark, "marks in the list: unseen output, bell"),
    (Role::Found, "letters that were searched for"),
    (Role::Countdown, "time that runs out"),
    (Role::Border, "lines between parts"),
    (Role::Waiting, "a run that waits or is being started"),
    (Role::Running, "a run that is live"),
    (Role::Completed, "a run that has ended well"),
    (Role::Failed, "a run that has failed"),
    (Role::TimedOut, "a run that has timed out"),
    (Role::Cancelled, "a run that was stopped"),
    (Role::Orphaned, "a run that was lost"),
];

impl Role {
    /// Its name in the configuration: `head-inactive`.
    pub(crate) fn name(self) -> String {
        super::keys::kebab(&format!("{self:?}"))
    }
}

/// The looks of the interface's own parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    styles: [Style; ROLES.len()],
    has_colors: bool,
}

impl Theme {
    /// Makes the theme of a configuration for a terminal with these colours. `background` is what `COLORFGBG` says, where it is set.
    ///
    /// # Errors
    /// Every role that there is not.
    pub fn of(settings: &Settings, colors: ColorChoice, background: Option<&str>) -> Result<Theme, Vec<Problem>> {
        Theme::new(&settings.theme, colors, background.and_then(Ground::of_variable))
    }

    pub(crate) fn new(
        settings: &ThemeSettings,
        colors: ColorChoice,
        ground: Option<Ground>,
    ) -> Result<Theme, Vec<Problem>> {
        let mut theme = Theme::named(settings.name, colors, ground);
        let mut problems = Vec::new();
        for look in &settings.looks {
            let known = ROLES.iter().position(|(role, _)| role.name() == look.role);
            match known {
                Some(index) => {
                    let colors = if theme.has_colors { colors } else { ColorChoice::None };
                    theme.styles[index] = own(drawn_style(&look.style, colors), theme.has_colors);
                }
                None => {
                    let names: Vec<String> = ROLES.iter().map(|(role, _)| role.name()).collect();
                    let hint = match nearest(&look.role, names.iter().map(String::as_str)) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("there are {}", names.join(", ")),
                    };
                    let message = format!("`{}` is no role of [theme.colors]", crate::model::shown(&look.role));
                    problems.push(Problem { place: look.place.clone(), message, hint: Some(hint) });
                }
            }
        }
        if problems.is_empty() { Ok(theme) } else { Err(problems) }
    }

    /// Returns a theme without anything of the user's own.
    pub(crate) fn named(name: ThemeName, colors: ColorChoice, ground: Option<Ground>) -> Theme {
        let name = match (name, colors) {
            (_, ColorChoice::None) | (ThemeName::None, _) => ThemeName::None,
            (ThemeName::HighContrast, _) => ThemeName::HighContrast,
            // Their colours would become others that do not fit together.
            (_, ColorChoice::Sixteen) => ThemeName::Sixteen,
            (ThemeName::Auto, _) => match ground {
                None => ThemeName::Sixteen,
                Some(Ground::Dark) => ThemeName::Dark,
                Some(Ground::Light) => ThemeName::Light,
            },
            (ThemeName::Dark | ThemeName::Light | ThemeName::Sixteen, _) => name,
        };
        let has_colors = name != ThemeName::None;
        let style = |(role, _)| {
            let style = palette(name, role);
            if has_colors { super::cells::in_colors(style, colors) } else { own(style, false) }
        };
        Theme { styles: ROLES.map(style), has_colors }
    }

    fn role(self, role: Role) -> Style {
        ROLES.iter().position(|(known, _)| *known == role).map_or_else(Style::new, |index| self.styles[index])
    }

    /// Lays a look over that of a row. Where the row is reversed a colour would become a solid block: it is left out.
    pub(crate) fn over(self, row: Style, look: Style) -> Style {
        let is_reversed = row.add_modifier.contains(Modifier::REVERSED);
        if is_reversed {
            row.patch(Style { fg: None, bg: None, ..look })
        } else {
            row.patch(Style { bg: None, ..look })
        }
    }

    /// A head line; of the part that has the keys when `active`.
    pub(crate) fn head(self, active: bool) -> Style {
        self.role(if active { Role::Head } else { Role::HeadInactive })
    }

    /// The head line of a terminal that gets the keys.
    pub(crate) fn attached(self) -> Style {
        self.role(Role::Attached)
    }

    /// The head line of the scrollback.
    pub(crate) fn scrolled(self) -> Style {
        self.role(Role::Scrolled)
    }

    /// The selected row.
    pub(crate) fn selected(self, active: bool) -> Style {
        self.role(if active { Role::Selected } else { Role::SelectedInactive })
    }

    /// What a search has found.
    pub(crate) fn hit(self) -> Style {
        if !self.has_colors {
            return Style::new().add_modifier(Modifier::REVERSED);
        }
        Style::new().fg(Color::Black).bg(Color::Yellow)
    }

    /// The hit that the user is at.
    pub(crate) fn current_hit(self) -> Style {
        if !self.has_colors {
            return Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED);
        }
        Style::new().fg(Color::Black).bg(Color::LightGreen).add_modifier(Modifier::BOLD)
    }

    /// What is selected to be copied.
    pub(crate) fn selection(self) -> Style {
        if !self.has_colors {
            return Style::new().add_modifier(Modifier::REVERSED);
        }
        Style::new().fg(Color::Black).bg(Color::LightCyan)
    }

    pub(crate) fn dim(self) -> Style {
        self.role(Role::Dim)
    }

    pub(crate) fn key(self) -> Style {
        self.role(Role::Key)
    }

    pub(crate) fn label(self) -> Style {
        self.role(Role::Label)
    }

    pub(crate) fn info(self) -> Style {
        self.role(Role::Info)
    }

    pub(crate) fn error(self) -> Style {
        self.role(Role::Error)
    }

    pub(crate) fn alarm(self) -> Style {
        self.role(Role::Alarm)
    }

    pub(crate) fn mark(self) -> Style {
        self.role(Role::Mark)
    }

    /// Letters that were searched for and found.
    pub(crate) fn found(self) -> Style {
        self.role(Role::Found)
    }

    pub(crate) fn countdown(self) -> Style {
        self.role(Role::Countdown)
    }

    pub(crate) fn border(self) -> Style {
        self.role(Role::Border)
    }

    pub(crate) fn status(self, status: Status) -> Style {
        self.role(match status {
            Status::Queued | Status::Starting => Role::Waiting,
            Status::Running => Role::Running,
            Status::Completed => Role::Completed,
            Status::Failed => Role::Failed,
            Status::TimedOut => Role::TimedOut,
            Status::Cancelled => Role::Cancelled,
            Status::Orphaned => Role::Orphaned,
        })
    }
}

/// The themes of a configuration for dark and for light grounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByGround {
    dark: Theme,
    light: Theme,
}

impl ByGround {
    /// Makes both. None where the ground decides nothing: a theme was chosen by its name, or there are too few colours.
    pub fn of(settings: &Settings, colors: ColorChoice) -> Option<ByGround> {
        ByGround::new(&settings.theme, colors)
    }

    pub(crate) fn new(settings: &ThemeSettings, colors: ColorChoice) -> Option<ByGround> {
        let theme = |ground| Theme::new(settings, colors, Some(ground)).ok();
        let (dark, light) = (theme(Ground::Dark)?, theme(Ground::Light)?);
        (dark != light).then_some(ByGround { dark, light })
    }

    pub(crate) fn theme(self, ground: Ground) -> Theme {
        match ground {
            Ground::Dark => self.dark,
            Ground::Light => self.light,
        }
    }
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::named(ThemeName::Sixteen, ColorChoice::TrueColor, None)
    }
}

/// A look without colours where there are to be none.
fn own(style: Style, has_colors: bool) -> Style {
    if has_colors {
        return style;
    }
    // What stands out only by its background stands out by being reversed.
    let has_background = style.bg.is_some_and(|color| color != Color::Reset);
    let style = Style { fg: None, bg: None, underline_color: None, ..style };
    if has_background { style.add_modifier(Modifier::REVERSED) } else { style }
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
