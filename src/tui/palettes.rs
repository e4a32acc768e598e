//! The themes: how each role looks.

use ratatui::style::{Color, Modifier, Style};

use super::theme::Role;
use crate::settings::ThemeName;

/// The colours that a theme is made of.
struct Palette {
    accent: Color,
    green: Color,
    yellow: Color,
    red: Color,
    magenta: Color,
    faint: Color,
    /// Lines between parts.
    line: Color,
    /// Behind the selected row.
    row: Color,
    /// Behind a row that is selected while something else has the keys.
    row_inactive: Color,
    /// On a coloured ground.
    ink: Color,
    /// Behind an alarm.
    alarm: Color,
}

/// For dark grounds.
const DARK: Palette = Palette {
    accent: Color::Rgb(110, 180, 255),
    green: Color::Rgb(115, 210, 130),
    yellow: Color::Rgb(230, 190, 95),
    red: Color::Rgb(255, 125, 115),
    magenta: Color::Rgb(215, 165, 255),
    faint: Color::Rgb(150, 158, 168),
    line: Color::Rgb(95, 102, 112),
    row: Color::Rgb(48, 58, 75),
    row_inactive: Color::Rgb(38, 42, 50),
    ink: Color::Rgb(10, 12, 16),
    alarm: Color::Rgb(255, 125, 115),
};

/// For light grounds.
const LIGHT: Palette = Palette {
    accent: Color::Rgb(0, 85, 175),
    green: Color::Rgb(15, 105, 40),
    yellow: Color::Rgb(130, 80, 0),
    red: Color::Rgb(185, 20, 35),
    magenta: Color::Rgb(120, 60, 190),
    faint: Color::Rgb(90, 98, 108),
    line: Color::Rgb(140, 148, 158),
    row: Color::Rgb(208, 228, 250),
    row_inactive: Color::Rgb(228, 232, 238),
    ink: Color::Rgb(255, 255, 255),
    alarm: Color::Rgb(185, 20, 35),
};

/// Returns how a role looks in a theme; `auto` has been decided before.
pub(super) fn palette(name: ThemeName, role: Role) -> Style {
    match name {
        ThemeName::Dark => full(&DARK, role),
        ThemeName::Light => full(&LIGHT, role),
        ThemeName::HighContrast => high_contrast(role),
        ThemeName::Auto | ThemeName::Sixteen | ThemeName::None => sixteen(role),
    }
}

fn fg(color: Color) -> Style {
    Style::new().fg(color)
}

fn full(palette: &Palette, role: Role) -> Style {
    let Palette { accent, green, yellow, red, magenta, faint, line, row, row_inactive, ink, alarm } = *palette;
    match role {
        Role::Head | Role::Key => fg(accent).add_modifier(Modifier::BOLD),
        Role::HeadInactive | Role::Dim | Role::Label | Role::Completed => fg(faint),
        Role::Attached => fg(ink).bg(green).add_modifier(Modifier::BOLD),
        Role::Scrolled => fg(ink).bg(yellow),
        Role::Selected => Style::new().bg(row).add_modifier(Modifier::BOLD),
        Role::SelectedInactive => Style::new().bg(row_inactive),
        Role::Info => Style::new().bg(row),
        Role::Error | Role::Failed => fg(red).add_modifier(Modifier::BOLD),
        Role::Alarm => fg(ink).bg(alarm).add_modifier(Modifier::BOLD),
        Role::Mark => fg(yellow).add_modifier(Modifier::BOLD),
        Role::Found => fg(yellow).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Role::Countdown | Role::Waiting | Role::Cancelled => fg(yellow),
        Role::Border => fg(line),
        Role::Running => fg(green),
        Role::TimedOut => fg(magenta),
        Role::Orphaned => fg(magenta).add_modifier(Modifier::BOLD),
    }
}

/// The terminal's own colours on its own ground.
fn sixteen(role: Role) -> Style {
    let reversed = |style: Style| style.add_modifier(Modifier::REVERSED);
    match role {
        Role::Head | Role::Key => fg(Color::Cyan).add_modifier(Modifier::BOLD),
        Role::HeadInactive | Role::Dim | Role::Label | Role::Border | Role::Completed => {
            Style::new().add_modifier(Modifier::DIM)
        }
        Role::Attached => reversed(fg(Color::Green)).add_modifier(Modifier::BOLD),
        Role::Scrolled => reversed(fg(Color::Yellow)),
        Role::Selected | Role::Info => reversed(Style::new()),
        Role::SelectedInactive => Style::new().add_modifier(Modifier::BOLD),
        Role::Error | Role::Failed => fg(Color::Red).add_modifier(Modifier::BOLD),
        Role::Alarm => reversed(fg(Color::Red)).add_modifier(Modifier::BOLD),
        Role::Mark => fg(Color::Yellow).add_modifier(Modifier::BOLD),
        Role::Found => fg(Color::Yellow).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Role::Countdown | Role::Waiting => fg(Color::Yellow),
        Role::Running => fg(Color::Green),
        Role::TimedOut => fg(Color::Magenta),
        Role::Cancelled => fg(Color::Yellow).add_modifier(Modifier::DIM),
        Role::Orphaned => fg(Color::Magenta).add_modifier(Modifier::BOLD),
    }
}

/// Bright colours on a dark ground of its own where it matters, and nothing faint.
fn high_contrast(role: Role) -> Style {
    let bold = |style: Style| style.add_modifier(Modifier::BOLD);
    match role {
        Role::Head => bold(fg(Color::Black).bg(Color::White)),
        Role::HeadInactive => Style::new().add_modifier(Modifier::UNDERLINED),
        Role::Attached => bold(fg(Color::Black).bg(Color::LightGreen)),
        Role::Scrolled | Role::Info => bold(fg(Color::Black).bg(Color::LightYellow)),
        Role::Selected => bold(Style::new().add_modifier(Modifier::REVERSED)),
        Role::SelectedInactive => bold(Style::new().add_modifier(Modifier::UNDERLINED)),
        Role::Dim | Role::Label | Role::Border | Role::Completed => Style::new(),
        Role::Key => bold(Style::new().add_modifier(Modifier::UNDERLINED)),
        Role::Error | Role::Failed | Role::Alarm => bold(fg(Color::White).bg(Color::Red)),
        Role::Mark | Role::Found | Role::Countdown => bold(fg(Color::Black).bg(Color::LightYellow)),
        Role::Waiting | Role::Running | Role::Cancelled => bold(Style::new()),
        Role::TimedOut | Role::Orphaned => bold(fg(Color::Black).bg(Color::LightMagenta)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::ROLES;

    fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    }

    fn contrast(one: (u8, u8, u8), other: (u8, u8, u8)) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn rgb(color: Option<Color>, unset: (u8, u8, u8)) -> (u8, u8, u8) {
        match color {
            Some(Color::Rgb(r, g, b)) => (r, g, b),
            _ => unset,
        }
    }

    #[test]
    fn every_role_can_be_read_on_its_ground() {
        let grounds = [
            (ThemeName::Dark, (235, 235, 235), [(0, 0, 0), (30, 30, 36)]),
            (ThemeName::Light, (30, 30, 30), [(255, 255, 255), (250, 246, 236)]),
        ];
        for (name, text, grounds) in grounds {
            for ground in grounds {
                for (role, _) in ROLES {
                    let style = palette(name, role);
                    let own = rgb(style.bg, ground);
                    let least = if role == Role::Border { 2.0 } else { 4.5 };
                    let found = contrast(rgb(style.fg, text), own);
                    assert!(found >= least, "{name} {role:?} has {found:.1} on {own:?}");
                }
                // The looks that are laid over the selected row.
                for role in [Role::Dim, Role::Running, Role::Failed, Role::Waiting, Role::Mark, Role::TimedOut] {
                    for row in [Role::Selected, Role::SelectedInactive] {
                        let row = rgb(palette(name, row).bg, ground);
                        let found = contrast(rgb(palette(name, role).fg, text), row);
                        assert!(found >= 3.0, "{name} {role:?} has {found:.1} on a selected row");
                    }
                }
            }
        }
    }

    #[test]
    fn high_contrast_has_nothing_faint() {
        for (role, _) in ROLES {
            assert!(!palette(ThemeName::HighContrast, role).add_modifier.contains(Modifier::DIM), "{role:?}");
        }
    }
}
