//! Reading values out of a parsed file: each fault is noted with its place, and reading goes on.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::bytes::{parse_bytes, show_bytes};
use super::error::{Place, Problem};
use super::files::line_and_column;
use super::keys::{KeyEntry, Kind, Section};
use crate::model::{parse_span, show_span, shown};

/// A file that is being read.
pub(super) struct Source<'a> {
    path: &'a Path,
    text: &'a str,
    problems: RefCell<Vec<(usize, Problem)>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Source<'a> {
        Source { path, text, problems: RefCell::default() }
    }

    /// Returns the folder of the file.
    pub(super) fn folder(&self) -> PathBuf {
        self.path.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned)
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        let (line, column) = line_and_column(self.text, span.start);
        Place::Point { path: self.path.to_owned(), line, column }
    }

    /// Parses the file. Wrong syntax is noted and gives none: what follows such a fault cannot be judged.
    pub(super) fn parse(&self) -> Option<Spanned<DeTable<'a>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            let hint =
                error.message().starts_with("string values must be quoted").then_some("put quotes around the text");
            self.note(&span, error.message().lines().collect::<Vec<_>>().join(", "), hint.map(String::from));
        }
        errors.is_empty().then_some(table)
    }

    pub(super) fn note(&self, span: &Range<usize>, message: String, hint: Option<String>) {
        self.problems.borrow_mut().push((span.start, Problem { place: self.place(span), message, hint }));
    }

    /// Returns what was noted, in the order of the file.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|(offset, _)| *offset);
        problems.into_iter().map(|(_, problem)| problem).collect()
    }
}

/// A table, its place and its name.
pub(super) struct Table<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    table: &'s DeTable<'a>,
    /// The dotted name; empty for the whole file.
    label: String,
    /// What is known of its keys.
    section: Option<&'static Section>,
}

impl<'s, 'a> Table<'s, 'a> {
    pub(super) fn root(source: &'s Source<'a>, table: &'s DeTable<'a>) -> Table<'s, 'a> {
        Table { source, table, label: String::new(), section: None }
    }

    /// Notes every key that the section does not have.
    pub(super) fn only(self, section: &'static Section) -> Self {
        for (key, _) in self.table {
            if !section.names().any(|known| known == key.get_ref()) {
                let hint = match section.meant_by(key.get_ref()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("known keys: {}", section.names().collect::<Vec<_>>().join(", ")),
                };
                self.unknown(key, hint);
            }
        }
        Table { section: Some(section), ..self }
    }

    pub(super) fn unknown(&self, key: &Spanned<impl AsRef<str>>, hint: String) {
        let place = if self.label.is_empty() { String::new() } else { format!(" in [{}]", self.label) };
        self.source.note(&key.span(), format!("unknown key `{}`{place}", shown(key.get_ref().as_ref())), Some(hint));
    }

    pub(super) fn get(&self, name: &str) -> Option<Value<'s, 'a>> {
        let (key, value) = self.table.get_key_value(name)?;
        let entry = self.section.and_then(|section| section.entries.iter().find(|entry| entry.name == name));
        Some(Value { source: self.source, value, key: key.span(), label: self.dotted(name), entry })
    }

    /// Returns all entries with their keys.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'s str, Value<'s, 'a>)> {
        self.table.iter().map(|(key, value)| {
            let label = self.dotted(key.get_ref());
            (key.get_ref().as_ref(), Value { source: self.source, value, key: key.span(), label, entry: None })
        })
    }

    fn dotted(&self, name: &str) -> String {
        if self.label.is_empty() { shown(name) } else { format!("{}.{}", self.label, shown(name)) }
    }
}

/// A value, its key's place and its full name.
pub(super) struct Value<'s, 'a> {
    source: &'s Source<'a>,
    value: &'s Spanned<DeValue<'a>>,
    key: Range<usize>,
    label: String,
    /// What is known of its key.
    entry: Option<&'static KeyEntry>,
}

impl<'s, 'a> Value<'s, 'a> {
    /// Notes that the value is not what it must be.
    pub(super) fn wrong(&self, expected: impl Display) {
        self.wrong_at(self.value, expected);
    }

    fn wrong_at(&self, value: &Spanned<DeValue<'a>>, expected: impl Display) {
        let given = match value.get_ref() {
            DeValue::String(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(_) => "a date".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        };
        self.source.note(&value.span(), format!("`{}` must be {expected}, not {given}", self.label), None);
    }

    /// Notes a fault of the key itself: it may not stand here.
    pub(super) fn misplaced(&self, message: impl Display, hint: impl Into<String>) {
        self.source.note(&self.key, format!("`{}` {message}", self.label), Some(hint.into()));
    }

    pub(super) fn key_span(&self) -> Range<usize> {
        self.key.clone()
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub(super) fn is_flag(&self) -> bool {
        self.value.get_ref().is_bool()
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub(super) fn text(&self) -> Option<&'s str> {
        self.text_of(self.value, "text in quotes")
    }

    /// Returns a text that has at least one character that is not blank.
    pub(super) fn filled_text(&self) -> Option<&'s str> {
        let text = self.text()?;
        if text.trim().is_empty() {
            self.wrong("a text that is not empty");
            return None;
        }
        Some(text)
    }

    fn text_of(&self, value: &'s Spanned<DeValue<'a>>, expected: &str) -> Option<&'s str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_at(value, expected);
        }
        text
    }

    /// Returns the parts of a list.
    pub(super) fn items(&self) -> Option<Vec<Value<'s, 'a>>> {
        let Some(items) = self.value.get_ref().as_array() else {
            self.wrong("a list");
            return None;
        };
        let item = |value: &'s Spanned<DeValue<'a>>| Value {
            source: self.source,
            value,
            key: self.key.clone(),
            label: self.label.clone(),
            entry: None,
        };
        Some(items.iter().map(item).collect())
    }

    /// Returns the texts of a list.
    pub(super) fn texts(&self) -> Option<Vec<&'s str>> {
        let Some(items) = self.value.get_ref().as_array() else {
            self.wrong("a list of texts");
            return None;
        };
        let texts: Vec<_> = items.iter().filter_map(|item| self.text_of(item, "a list of texts")).collect();
        (texts.len() == items.len()).then_some(texts)
    }

    /// Returns the texts of a list, or a lone text as a list of one, each with its place.
    pub(super) fn placed_texts(&self) -> Option<Vec<(Range<usize>, &'s str)>> {
        let texts = self.text_or_texts()?;
        let places: Vec<_> = match self.value.get_ref().as_array() {
            Some(items) => items.iter().map(Spanned::span).collect(),
            None => vec![self.value.span()],
        };
        Some(places.into_iter().zip(texts).collect())
    }

    /// Notes a fault of the value.
    pub(super) fn fault(&self, message: impl Display, hint: impl Into<String>) {
        self.fault_at(&self.value.span(), message, hint);
    }

    /// Notes a fault of a part of the value.
    pub(super) fn fault_at(&self, place: &Range<usize>, message: impl Display, hint: impl Into<String>) {
        self.source.note(place, format!("`{}`: {message}", self.label), Some(hint.into()));
    }

    /// Returns the texts of a list, or a lone text as a list of one.
    pub(super) fn text_or_texts(&self) -> Option<Vec<&'s str>> {
        if self.is_text() { self.text().map(|text| vec![text]) } else { self.texts() }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        let flag = self.value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong("true or false");
        }
        flag
    }

    /// Returns the number of a whole number, whatever its size.
    pub(super) fn integer(&self) -> Option<i64> {
        let number = self.value.get_ref().as_integer()?;
        i64::from_str_radix(number.as_str(), number.radix()).ok()
    }

    /// Returns a whole number of the range that the table of keys gives.
    pub(super) fn count(&self) -> Option<usize> {
        let range = match self.entry.map(|entry| entry.kind) {
            Some(Kind::Count(least, most)) => least..=most,
            Some(_) | None => 0..=usize::MAX,
        };
        let count =
            self.integer().and_then(|number| usize::try_from(number).ok()).filter(|count| range.contains(count));
        if count.is_none() {
            self.wrong(format_args!("a whole number from {} to {}", range.start(), range.end()));
        }
        count
    }

    pub(super) fn bytes(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let read = match self.value.get_ref().as_str() {
            Some(text) => parse_bytes(text),
            None => self.integer().and_then(|number| u64::try_from(number).ok()).ok_or("a size such as \"64MiB\""),
        };
        match read {
            Ok(bytes) if range.contains(&bytes) => return Some(bytes),
            Ok(_) => self.wrong(format_args!("from {} to {}", show_bytes(*range.start()), show_bytes(*range.end()))),
            Err(expected) => self.wrong(expected),
        }
        None
    }

    pub(super) fn span(&self, range: RangeInclusive<Duration>) -> Option<Duration> {
        let read = match self.value.get_ref().as_str().map(parse_span) {
            Some(Ok(span)) if range.contains(&span) => return Some(span),
            Some(Err(expected)) => Err(expected),
            Some(Ok(_)) => Ok(()),
            None => Err("a duration such as \"500ms\", \"10s\" or \"1h 30m\""),
        };
        match read {
            Ok(()) => self.wrong(format_args!("from {} to {}", show_span(*range.start()), show_span(*range.end()))),
            Err(expected) => self.wrong(expected),
        }
        None
    }

    /// Reads a text into a type; its error is the message.
    pub(super) fn parsed<T: FromStr<Err: Display>>(&self) -> Option<T> {
        match self.text()?.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.source.note(&self.value.span(), format!("`{}`: {error}", self.label), None);
                None
            }
        }
    }

    pub(super) fn table(&self) -> Option<Table<'s, 'a>> {
        let Some(table) = self.value.get_ref().as_table() else {
            self.wrong("a table");
            return None;
        };
        Some(Table { source: self.source, table, label: self.label.clone(), section: None })
    }

    /// Returns the text of a text or of a decimal number as it is written.
    pub(super) fn text_or_number(&self) -> Option<&'s str> {
        match self.value.get_ref() {
            DeValue::String(text) => return Some(text),
            DeValue::Integer(number) if number.radix() == 10 => return Some(number.as_str()),
            DeValue::Float(number) => return Some(number.as_str()),
            DeValue::Integer(_) => self.wrong("text in quotes or a decimal number"),
            DeValue::Boolean(_) => {
                self.wrong("text in quotes (\"true\", \"1\"); `unset = [\"NAME\"]` removes a variable")
            }
            DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => self.wrong("text in quotes"),
        }
        None
    }
}
