//! How runs, sessions and names are called.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// The digits of Crockford's base 32, in lower case.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH: usize = 16;
const SHOWN: usize = 6;
const MAX_NAME: usize = 128;

/// Why a text is no id, name or ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It is no run id.
    #[error("{text:?} is no run id: a run id has 16 of the characters 0-9 a-z without i, l, o and u")]
    RunId {
        /// The text that was given.
        text: String,
    },
    /// It is no session or task name.
    #[error("{text:?} is no {what} name: use 1 to 128 of the characters A-Z a-z 0-9 _ -{also}")]
    Name {
        /// `session` or `task`.
        what: &'static str,
        /// Further characters that are allowed.
        also: &'static str,
        /// The text that was given.
        text: String,
    },
    /// It is no ref.
    #[error(
        "{text:?} names no run: use a run id, the first 4 or more of its characters, NAME, NAME:GENERATION or shtask://SESSION/RUN-ID"
    )]
    Ref {
        /// The text that was given.
        text: String,
    },
}

/// The id of a run: 80 random bits, written as 16 characters of lower-case Crockford base 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId([u8; ID_LENGTH]);

impl RunId {
    /// Makes the id of 80 bits.
    pub fn from_bits(bits: [u8; 10]) -> RunId {
        let mut digits = [0; ID_LENGTH];
        for (place, digit) in digits.iter_mut().enumerate() {
            // Five bits from bit 5 × place on; they lie in at most two bytes.
            let (byte, shift) = (place * 5 / 8, place * 5 % 8);
            let pair = u16::from(bits[byte]) << 8 | u16::from(*bits.get(byte + 1).unwrap_or(&0));
            *digit = DIGITS[usize::from(pair >> (11 - shift) & 31)];
        }
        RunId(digits)
    }

    /// Returns all 16 characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a run id holds ASCII digits only")
    }

    /// Returns the first 6 characters, as people see them.
    pub fn short(&self) -> &str {
        &self.as_str()[..SHOWN]
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({})", self.as_str())
    }
}

impl FromStr for RunId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<RunId, IdError> {
        match <[u8; ID_LENGTH]>::try_from(text.as_bytes()) {
            Ok(digits) if digits.iter().all(|d| DIGITS.contains(d)) => Ok(RunId(digits)),
            _ => Err(IdError::RunId { text: text.to_owned() }),
        }
    }
}

impl TryFrom<String> for RunId {
    type Error = IdError;

    fn try_from(text: String) -> Result<RunId, IdError> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.as_str().to_owned()
    }
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $what:literal, $also:literal, $allowed:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(CompactString);

        impl $name {
            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<$name, IdError> {
                let allowed: fn(&str) -> bool = $allowed;
                if (1..=MAX_NAME).contains(&text.len()) && allowed(text) {
                    Ok($name(CompactString::new(text)))
                } else {
                    Err(IdError::Name { what: $what, also: $also, text: text.to_owned() })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<$name, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0.into_string()
            }
        }
    };
}

name_type!(
    /// The name of a session: 1–128 of `[A-Za-z0-9_-]`.
    SessionName,
    "session",
    "",
    |text| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
);

name_type!(
    /// The name of a task, and of its runs: 1–128 of `[A-Za-z0-9_./-]`; every part between slashes starts with a letter, a
    /// digit or `_`, so that no name can be taken for a flag or for a path that leads elsewhere.
    RunName,
    "task",
    " . and, between parts, /; a part starts with a letter, digit or _",
    |text| text.split('/').all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    })
);

/// What a person or program types to name a run (SPEC §1, *ref*).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RunRef {
    /// A run id of any session of the caller, `shtask://SESSION/RUN-ID`.
    Full(SessionName, RunId),
    /// A whole run id.
    Id(RunId),
    /// A name or the start of a run id: a text that may be either. A name that exists wins.
    NameOrPrefix(String),
    /// `NAME:GENERATION`.
    Generation(RunName, u64),
}

impl RunRef {
    /// The least length of a prefix that names a run.
    pub const MIN_PREFIX: usize = 4;

    /// Returns whether `id` starts with `prefix` and the prefix is long enough (4) to name a run.
    pub fn is_prefix_of(prefix: &str, id: &RunId) -> bool {
        prefix.len() >= RunRef::MIN_PREFIX && id.as_str().starts_with(prefix)
    }
}

impl FromStr for RunRef {
    type Err = IdError;

    fn from_str(text: &str) -> Result<RunRef, IdError> {
        let bad = || IdError::Ref { text: text.to_owned() };
        if let Some(rest) = text.strip_prefix("shtask://") {
            let (session, id) = rest.split_once('/').ok_or_else(bad)?;
            return Ok(RunRef::Full(session.parse().map_err(|_| bad())?, id.parse().map_err(|_| bad())?));
        }
        if let Ok(id) = text.parse() {
            return Ok(RunRef::Id(id));
        }
        if let Some((name, generation)) = text.split_once(':') {
            let generation = generation.parse().ok().filter(|&g| g > 0).ok_or_else(bad)?;
            return Ok(RunRef::Generation(name.parse().map_err(|_| bad())?, generation));
        }
        text.parse::<RunName>().map(|name| RunRef::NameOrPrefix(name.as_str().to_owned())).map_err(|_| bad())
    }
}

impl TryFrom<String> for RunRef {
    type Error = IdError;

    fn try_from(text: String) -> Result<RunRef, IdError> {
        text.parse()
    }
}

impl From<RunRef> for String {
    fn from(wanted: RunRef) -> String {
        wanted.to_string()
    }
}

impl fmt::Display for RunRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunRef::Full(session, id) => write!(f, "shtask://{session}/{id}"),
            RunRef::Id(id) => write!(f, "{id}"),
            RunRef::NameOrPrefix(text) => f.write_str(text),
            RunRef::Generation(name, generation) => write!(f, "{name}:{generation}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_read_back_as_they_print(bits: [u8; 10]) {
            let id = RunId::from_bits(bits);
            prop_assert_eq!(id.as_str().parse::<RunId>(), Ok(id));
        }

        #[test]
        fn different_bits_are_different_ids(a: [u8; 10], b: [u8; 10]) {
            prop_assert_eq!(a == b, RunId::from_bits(a) == RunId::from_bits(b));
        }

        #[test]
        fn no_text_panics_a_ref(text in ".{0,40}") {
            let _ = text.parse::<RunRef>();
        }
    }

    #[test]
    fn refs_of_every_form_print_as_they_are_read() {
        let id = RunId::from_bits([7; 10]);
        for text in [format!("shtask://project/{id}"), id.to_string(), "web".into(), "web:3".into(), id.short().into()]
        {
            let wanted = text.parse::<RunRef>().expect("ref");
            assert_eq!(wanted.to_string(), text);
            let json = serde_json::to_string(&wanted).expect("json");
            assert_eq!(serde_json::from_str::<RunRef>(&json).expect("a ref"), wanted);
        }
        for text in ["", ":1", "web:0", "web:x", "shtask://x", "shtask://a/b", "a b", "../x:1"] {
            assert!(text.parse::<RunRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn three_characters_are_too_few_to_name_a_run() {
        let id = RunId::from_bits([1; 10]);
        assert!(!RunRef::is_prefix_of(&id.as_str()[..3], &id));
        assert!(RunRef::is_prefix_of(&id.as_str()[..4], &id));
    }
}
