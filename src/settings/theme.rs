//! The looks that the user wants (`[theme]`). Which roles there are is known to who draws.

use std::fmt;
use std::str::FromStr;

use super::Place;
use super::keys::{THEME, THEME_COLORS};
use super::reader::Value;
use crate::model::{Attributes, Color, Style, Underline, nearest};

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ThemeName {
    /// The one that the terminal seems to want.
    #[default]
    Auto,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// The terminal's own sixteen colours.
    Sixteen,
    /// Bright colours and no faint text.
    HighContrast,
    /// No colours.
    None,
}

impl ThemeName {
    /// All of them.
    pub const ALL: [ThemeName; 6] = [
        ThemeName::Auto,
        ThemeName::Dark,
        ThemeName::Light,
        ThemeName::Sixteen,
        ThemeName::HighContrast,
        ThemeName::None,
    ];

    /// Returns its name in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            ThemeName::Auto => "auto",
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::Sixteen => "sixteen",
            ThemeName::HighContrast => "high-contrast",
            ThemeName::None => "none",
        }
    }
}

impl fmt::Display for ThemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ThemeName {
    type Err = String;

    fn from_str(text: &str) -> Result<ThemeName, String> {
        let known = ThemeName::ALL.into_iter().find(|theme| theme.word() == text);
        known.ok_or_else(|| {
            format!("there is no theme {text:?}; there are {}", ThemeName::ALL.map(ThemeName::word).join(", "))
        })
    }
}

/// The look that the user gives to a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleLook {
    /// The name of the role, as it stands in the file.
    pub role: String,
    /// Where it stands.
    pub place: Place,
    /// How it looks.
    pub style: Style,
}

/// The looks of the terminal interface (`[theme]`), sound but for the names of roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeSettings {
    /// What the looks start from.
    pub name: ThemeName,
    /// The user's own, in the order of the file's names.
    pub looks: Vec<RoleLook>,
}

const COLORS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

const ATTRIBUTES: [(&str, Attributes); 5] = [
    ("bold", Attributes::BOLD),
    ("dim", Attributes::DIM),
    ("italic", Attributes::ITALIC),
    ("reverse", Attributes::REVERSE),
    ("strike", Attributes::STRIKE),
];

/// Reads `[theme]` over what is known.
pub(super) fn read_theme(value: &Value<'_, '_>, settings: &mut ThemeSettings) {
    let Some(table) = value.table() else { return };
    for (name, value) in table.entries() {
        match name {
            "name" => settings.name = value.parsed().unwrap_or(settings.name),
            "colors" => {
                let Some(colors) = value.table() else { continue };
                for (role, value) in colors.entries() {
                    let place = colors.source.place(&value.key_span());
                    let style = value.text().and_then(|text| match look(text) {
                        Ok(style) => Some(style),
                        Err((message, hint)) => {
                            value.fault(message, hint);
                            None
                        }
                    });
                    settings.looks.extend(style.map(|style| RoleLook { role: role.to_owned(), place, style }));
                }
            }
            other => {
                let known = THEME.names().chain(["colors"]);
                let hint = match THEME.meant_by(other).or_else(|| nearest(other, known)) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("looks are set by role: [{}], then `{other} = …`", THEME_COLORS.heading),
                };
                value.misplaced("is no key of [theme]", hint);
            }
        }
    }
}

/// Reads a look: `bold red on #102030`.
fn look(text: &str) -> Result<Style, (String, String)> {
    let mut style = Style::default();
    let mut words = text.split_whitespace();
    let (mut has_color, mut is_empty) = (false, true);
    while let Some(word) = words.next() {
        is_empty = false;
        if word == "on" {
            let missing = || ("there is no colour after `on`".to_owned(), "such as \"white on blue\"".to_owned());
            style.background = color(words.next().ok_or_else(missing)?)?;
        } else if let Some((_, attribute)) = ATTRIBUTES.iter().find(|(name, _)| *name == word) {
            style.attributes = style.attributes.with(*attribute);
        } else if word == "underline" {
            style.underline = Underline::Single;
        } else if has_color {
            return Err((
                format!("{word:?} is a second colour"),
                "a background is written with `on`: \"white on blue\"".into(),
            ));
        } else {
            style.foreground = color(word)?;
            has_color = true;
        }
    }
    if is_empty {
        return Err(("is empty".into(), "write \"default\" for no look at all".into()));
    }
    Ok(style)
}

fn color(word: &str) -> Result<Color, (String, String)> {
    if word == "default" {
        return Ok(Color::Default);
    }
    if let Some(index) = COLORS.iter().position(|name| *name == word) {
        return Ok(Color::Indexed(u8::try_from(index).unwrap_or(0)));
    }
    if let Ok(index) = word.parse::<u8>() {
        return Ok(Color::Indexed(index));
    }
    let hex = word.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if let Some(value) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        let [_, r, g, b] = value.to_be_bytes();
        return Ok(Color::Rgb(r, g, b));
    }
    let names = COLORS.into_iter().chain(ATTRIBUTES.map(|(name, _)| name)).chain(["underline", "default", "on"]);
    let hint = match nearest(word, names) {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "a name such as \"bright-red\", \"#rrggbb\", a number from 0 to 255, or an attribute such as \"bold\""
            .into(),
    };
    Err((format!("{word:?} is no colour"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_read_as_people_write_them() {
        let style = look("bold underline #ff8000 on 236").expect("a look");
        assert_eq!((style.foreground, style.background), (Color::Rgb(255, 128, 0), Color::Indexed(236)));
        assert!(style.attributes.contains(Attributes::BOLD) && style.underline == Underline::Single);
        assert_eq!(look("bright-red").expect("a look").foreground, Color::Indexed(9));
        assert_eq!(look("default").expect("a look"), Style::default());
        for (text, hint) in [
            ("rde", "\"red\""),
            ("256", "0 to 255"),
            ("red blue", "with `on`"),
            ("on", "white on blue"),
            ("#ff80", "#rrggbb"),
            ("", "default"),
        ] {
            let (_, told) = look(text).expect_err(text);
            assert!(told.contains(hint), "{text}: {told}");
        }
    }
}
