//! Whether the value of a name is a secret, or prose, code, or a word that stands for one.

use super::extent::LONG_BYTES;
use super::names::Kind;
use super::redactor::MARK;
use super::words::{ABOUT_SCHEMES, FILE_ENDINGS, OBJECTS, PATHS, PROSE, WAYS, WORDS};

/// How a value is tied to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name=value`
    Assigned,
    /// `name = value`
    AssignedWide,
    /// `name:value`
    Colon,
    /// `name: value`
    ColonWide,
    /// `--name value`
    Flag,
    /// `<name>value</name>`
    Element,
    /// `name: Bearer value`
    Scheme,
}

/// A value and what is around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) form: Form,
    /// Whether the value is in quotation marks.
    pub(super) is_quoted: bool,
    /// Whether the name is in quotation marks, as in JSON.
    pub(super) is_key: bool,
    /// Whether nothing but the pair stands on its line.
    pub(super) is_alone: bool,
}

impl Candidate<'_> {
    /// Returns whether the value is taken for a secret. A long one always is.
    pub(super) fn is_secret(&self) -> bool {
        if self.value.len() >= LONG_BYTES {
            return true;
        }
        let Ok(value) = std::str::from_utf8(self.value) else { return true };
        if value.is_empty() || is_masked(value) || is_reference(value, self.is_quoted) || is_file(value) {
            return false;
        }
        let core = value.trim_end_matches([',', ';', ':', '.', '!', '?', ')', '\'', '"']);
        let is_word = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(core));
        let is_weak = matches!(self.kind, Kind::Weak | Kind::Cookie | Kind::Pwd);
        let has_ways = is_weak || self.kind == Kind::Authorization;
        if core.is_empty() || is_word(&WORDS) || has_ways && is_word(&WAYS) || self.repeats_name(core) {
            return false;
        }
        if self.kind == Kind::Pwd && (core.starts_with(['/', '~', '\\', '.']) || core.get(1..3) == Some(":\\")) {
            return false;
        }
        if !self.is_quoted && is_code(core, self.form) {
            return false;
        }
        let first = core.split_ascii_whitespace().next().unwrap_or(core);
        let is_prose = || PROSE.iter().any(|word| word.eq_ignore_ascii_case(first));
        let is_sentence = || core.split_ascii_whitespace().count() > 2 && is_prose();
        match self.form {
            Form::Element => true,
            Form::Scheme => !is_prose() && !is_word(&ABOUT_SCHEMES),
            Form::Assigned => !(is_weak && is_small_number(core) || self.is_quoted && is_sentence()),
            Form::AssignedWide if self.is_quoted => !is_sentence(),
            Form::AssignedWide => !is_weak || !core.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_'),
            Form::Colon | Form::ColonWide if self.is_key => {
                !(is_weak && is_small_number(core) || self.is_quoted && is_sentence())
            }
            Form::Colon => !is_weak || looks_secret(core),
            // A header's whole line.
            Form::ColonWide if self.kind == Kind::Cookie && core.contains('=') => true,
            Form::ColonWide if is_weak => self.is_alone && !is_prose() && !is_small_number(core) || looks_secret(core),
            Form::Flag if is_flag(core) || self.is_placeholder(core) => false,
            Form::ColonWide | Form::Flag if self.is_quoted => !is_sentence(),
            Form::ColonWide | Form::Flag => !is_prose(),
        }
    }

    /// Returns whether code or help repeats the name in place of a value: `token=token`, `password=user.password`.
    fn repeats_name(&self, core: &str) -> bool {
        let name = String::from_utf8_lossy(self.name);
        let name = name.trim_start_matches('-');
        let last = core.trim_start_matches(['&', '*', '$']).rsplit(['.', ' ']).next().unwrap_or(core);
        let is_same = |a: &str, b: &str| {
            let letters = |text: &str| {
                text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect::<Vec<_>>()
            };
            letters(a) == letters(b)
        };
        core.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.&*$ ".contains(&byte)) && is_same(last, name)
    }

    /// Returns whether a help text names the kind of value: `--api-key KEY`.
    fn is_placeholder(&self, core: &str) -> bool {
        let name = self.name.to_ascii_uppercase();
        let is_capitals = core.bytes().all(|byte| byte.is_ascii_uppercase() || b"_-".contains(&byte));
        let names_it = memchr::memmem::find(&name, core.as_bytes()).is_some();
        is_capitals && (names_it || ["VALUE", "STRING", "TEXT", "KEY", "TOKEN", "PASS"].contains(&core))
    }
}

fn is_masked(value: &str) -> bool {
    // What was in it is gone; a line with blanks may have more.
    if value.contains(MARK.trim_end_matches(']')) && !value.contains(' ') {
        return true;
    }
    let starts = |mark: &str| value.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    let is_all = |signs: &[char]| value.chars().all(|c| signs.contains(&c));
    ["[redacted", "<redacted", "[filtered", "[masked", "[hidden", "(redacted", "(hidden", "(sensitive"]
        .iter()
        .any(|mark| starts(mark))
        || is_all(&['*', '•', '.', '…', '-', '█', '●', '#', '_'])
        || value.len() >= 3 && is_all(&['x', 'X', '-'])
}

/// Returns whether a value only says where the secret is: `$TOKEN`, `${…}`, `<token>`, `{{ token }}`, `!secret x`.
fn is_reference(value: &str, is_quoted: bool) -> bool {
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if let Some(rest) = value.strip_prefix('$') {
        return rest.starts_with(['{', '(']) || is_name(rest) && !rest.starts_with(|c: char| c.is_ascii_digit());
    }
    if let Some(rest) = value.strip_prefix('%') {
        return rest.strip_suffix('%').is_some_and(is_name) || rest.len() == 1;
    }
    let is_tag =
        || ["!secret", "!ref", "!vault", "!env", "!sub", "!reference"].iter().any(|tag| value.starts_with(tag));
    value.starts_with("{{")
        || value.starts_with('<')
        || value.starts_with('{') && (value.ends_with('}') || !is_quoted)
        || !is_quoted && value.starts_with(['[', '(', '{'])
        || ["|", "|-", ">", ">-", "|+"].contains(&value)
        || is_tag()
}

fn is_file(value: &str) -> bool {
    PATHS.iter().any(|path| value.starts_with(path))
        || FILE_ENDINGS.iter().any(|ending| value.ends_with(ending)) && !value.contains(' ')
}

/// Returns whether an unquoted value is an expression: a call, a path through objects, a type.
fn is_code(core: &str, form: Form) -> bool {
    let word_bytes = core.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte)).count();
    let (word, rest) = core.split_at(word_bytes);
    let starts_as_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_path = word.split_once(['.', ':']).is_some_and(|(object, _)| OBJECTS.contains(&object));
    let is_indexed = OBJECTS.contains(&word) && rest.starts_with('[');
    let is_call = starts_as_name && rest.starts_with('(');
    let is_generic = starts_as_name && word.starts_with(|c: char| c.is_ascii_uppercase()) && rest.starts_with('<');
    let is_type = form == Form::ColonWide && core.starts_with("&") || core.contains("::") || core.contains("->");
    is_path || is_indexed || is_call || is_generic || is_type
}

fn is_flag(core: &str) -> bool {
    core.starts_with("--") || core.len() == 2 && core.starts_with('-')
}

fn is_small_number(core: &str) -> bool {
    core.len() < 6 && core.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word looks made by a machine.
pub(super) fn looks_secret(core: &str) -> bool {
    let has = |is: fn(&u8) -> bool| core.as_bytes().iter().any(is);
    let is_word = !core.contains([' ', '(', '/']);
    let has_letters = has(u8::is_ascii_alphabetic);
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    is_word && has_letters && (core.len() >= 8 && has(u8::is_ascii_digit) || core.len() >= 20 && is_mixed)
}
