//! Names with values: `name=value`, `name: value`, `"name": "value"`, `--name value`, headers, elements.

use std::ops::Range;

use super::extent::{Extent, LONG_BYTES, blanks_end};
use super::judge::{Candidate, Form};
use super::names::{self, Kind};
use super::rule::{Open, Verdict};
use super::text::{More, Text, is_blank, is_line_end, is_name_byte, is_quote};

/// How far a name reaches to each side of the word that gives it away.
const MAX_NAME_BYTES: usize = 64;
/// The blanks around a separator that are looked over: tables have some.
const MAX_BLANKS: usize = 16;
/// The blanks and signs before a name that starts its line.
const MAX_INDENT_BYTES: usize = 64;
/// The words of a prompt before the name.
const MAX_PROMPT_BYTES: usize = 64;
const MAX_BACKSLASHES: usize = 3;

/// Schemes before the credentials of a request; whether these are one word.
const SCHEMES: [(&[u8], bool); 11] = [
    (b"basic", true),
    (b"bearer", true),
    (b"token", true),
    (b"jwt", true),
    (b"apikey", true),
    (b"bot", true),
    (b"negotiate", true),
    (b"digest", false),
    (b"oauth", false),
    (b"aws4-hmac-sha256", false),
    (b"hawk", false),
];

/// Where a name stands, and how it is tied to what follows.
struct Named {
    word: Range<usize>,
    kind: Kind,
    form: Form,
    is_key: bool,
    value_at: usize,
}

/// Looks at the name around `hit`.
pub(super) fn look(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    let start = text.skip_back(hit.start, MAX_NAME_BYTES, is_name_byte);
    let open = |More| Open::undecided(start, text);
    let end = text.skip(hit.end, MAX_NAME_BYTES, is_name_byte).map_err(open)?;
    let word = with_second_word(text, start..end).map_err(open)?;
    let Some(kind) = classify(text, &word) else { return Ok(Verdict::Clean { resume: hit.end }) };
    // Up to the separator and its blanks nothing belongs to a value, but for a slash that may start a path.
    let is_slash = text.bytes.last() == Some(&b'/');
    let after = |More| Open::value(start, text.bytes.len() - usize::from(is_slash), Extent::Word);
    match separator(text, word, kind).map_err(after)? {
        Some(named) => value(text, named, hit.end),
        None => Ok(Verdict::Clean { resume: hit.end }),
    }
}

/// Takes in the other half of `api key`, `session id`.
fn with_second_word(text: Text<'_>, word: Range<usize>) -> Result<Range<usize>, More> {
    let name = &text.bytes[word.clone()];
    if name.eq_ignore_ascii_case(b"session") && text.has(word.end, b" id")? && !is_name_byte(text.at(word.end + 3)?) {
        return Ok(word.start..word.end + 3);
    }
    if name.eq_ignore_ascii_case(b"key") && text.before(word.start) == b' ' {
        let first = text.skip_back(word.start - 1, MAX_NAME_BYTES, |byte| byte.is_ascii_alphabetic());
        return Ok(first..word.end);
    }
    Ok(word)
}

fn classify(text: Text<'_>, word: &Range<usize>) -> Option<Kind> {
    let kind = names::classify(&text.bytes[word.clone()])?;
    // `sig` and `signature` are secrets only in the query of a URL.
    let name = &text.bytes[word.clone()];
    let ends_with =
        |ending: &[u8]| name.len().checked_sub(ending.len()).is_some_and(|at| name[at..].eq_ignore_ascii_case(ending));
    let is_query_only = ends_with(b"sig") || ends_with(b"signature");
    (!is_query_only || matches!(text.before(word.start), b'?' | b'&')).then_some(kind)
}

/// Finds what ties the name to a value, and where the value starts.
fn separator(text: Text<'_>, word: Range<usize>, kind: Kind) -> Result<Option<Named>, More> {
    let quote_at = text.skip(word.end, MAX_BACKSLASHES, |byte| byte == b'\\')?;
    let is_key = is_quote(text.at(quote_at)?);
    let closed = if is_key { quote_at + 1 } else { word.end };
    let closed = if text.at(closed)? == b']' { closed + 1 } else { closed };
    let at = blanks_end(text, closed, MAX_BLANKS)?;
    let is_wide = at > closed;
    let is_element = text.before(word.start) == b'<';
    let is_flag = text.bytes[word.start] == b'-' && !is_key;
    let (value_at, form) = match text.at(at)? {
        b'=' => match text.at(at + 1)? {
            b'=' | b'~' => return Ok(None),
            b'>' => (at + 2, Form::AssignedWide),
            next => (at + 1, if is_wide || is_blank(next) { Form::AssignedWide } else { Form::Assigned }),
        },
        b':' => match text.at(at + 1)? {
            b':' => return Ok(None),
            b'=' => (at + 2, Form::AssignedWide),
            b'/' if text.at(at + 2)? == b'/' => return Ok(None),
            next => (at + 1, if is_wide || is_blank(next) { Form::ColonWide } else { Form::Colon }),
        },
        b'?' | b'+' if text.at(at + 1)? == b'=' => (at + 2, Form::AssignedWide),
        b'>' if is_element => (at + 1, Form::Element),
        _ if is_flag && is_wide => (at, Form::Flag),
        _ => return Ok(None),
    };
    let value_at = blanks_end(text, value_at, MAX_BLANKS)?;
    let named = Named { word, kind, form, is_key, value_at };
    Ok((!is_line_end(text.at(value_at)?)).then_some(named))
}

fn value(text: Text<'_>, mut named: Named, resume: usize) -> Result<Verdict, Open> {
    let start = named.word.start;
    // Behind a type there may be another value; what is before that is looked at once more when it turns out to be none.
    let first_value = named.value_at;
    let open = |value_at: usize, extent: Extent| Open { pass_to: first_value, ..Open::value(start, value_at, extent) };
    let (word, kind) = (named.word.clone(), named.kind);
    if closes_prompt(text, &named).map_err(|More| open(named.value_at, Extent::Word))? {
        return Ok(Verdict::Clean { resume });
    }
    loop {
        let undecided = |More| open(named.value_at, Extent::Word);
        let (content, quoted) = content(text, named.value_at).map_err(undecided)?;
        let (content, scheme) = after_scheme(text, content).map_err(undecided)?;
        if text.has(content, b"-----begin ").map_err(|More| open(content, Extent::Word))? {
            // The rule for keys knows how far it reaches.
            return Ok(Verdict::Clean { resume });
        }
        let extent = extent(text, &named, quoted, scheme);
        let end = extent.end(text, content).map_err(|_| open(content, extent))?;
        // A long value is decided before its end is seen, so nothing behind it may count.
        let is_long = end - content >= LONG_BYTES;
        let is_last = is_long || is_last(text, end).map_err(|More| open(content, extent))?;
        let candidate = Candidate {
            kind,
            name: &text.bytes[word.clone()],
            value: &text.bytes[content..end],
            form: if scheme.is_some() { Form::Scheme } else { named.form },
            is_quoted: quoted.is_some(),
            is_key: named.is_key,
            is_alone: is_last && starts_line(text, word.start),
        };
        let is_header = kind == Kind::Cookie && named.form == Form::ColonWide && !named.is_key;
        // Cookies have names and values; without, it is prose about them. An element has an end.
        let is_whole = match named.form {
            _ if is_header => candidate.value.contains(&b'='),
            Form::Element => text.has(end, b"</").map_err(|More| open(content, extent))?,
            _ => true,
        };
        if candidate.is_secret() && (is_long || is_whole) {
            return Ok(Verdict::Secret { span: content..end });
        }
        // `password: str = "…"`: behind the type comes the value.
        if named.form != Form::ColonWide || quoted.is_some() {
            return Ok(Verdict::Clean { resume });
        }
        match next_assignment(text, end).map_err(|More| open(end, Extent::Word))? {
            Some(value_at) => (named.value_at, named.form) = (value_at, Form::AssignedWide),
            None => return Ok(Verdict::Clean { resume }),
        }
    }
}

/// Returns whether the quotation mark where a value would start closes the text that the name ends instead, as in `printf "Password: "; read x`.
///
/// The one that opens the text must start a word, and what follows must part words or commands: a value begins with none of these.
fn closes_prompt(text: Text<'_>, named: &Named) -> Result<bool, More> {
    let quote = text.at(named.value_at)?;
    if named.is_key || !matches!(named.form, Form::Colon | Form::ColonWide) || !is_quote(quote) {
        return Ok(false);
    }
    let start = text.skip_back(named.word.start, MAX_PROMPT_BYTES, |byte| !is_quote(byte) && !is_line_end(byte));
    let opens =
        text.before(start) == quote && matches!(text.before(start - 1), b' ' | b'\t' | b'\n' | b'\r' | b'(' | b'=');
    let next = text.at(named.value_at + 1)?;
    Ok(opens && (is_blank(next) || is_line_end(next) || matches!(next, b';' | b'&' | b'|' | b')' | b',')))
}

/// Steps over an opening quotation mark, with what shells and languages write before it.
fn content(text: Text<'_>, at: usize) -> Result<(usize, Option<Extent>), More> {
    let prefix_end = text.skip(at, 2, |byte| b"bBrRfFuU$@".contains(&byte))?;
    for start in [at, prefix_end] {
        let quote_at = text.skip(start, MAX_BACKSLASHES, |byte| byte == b'\\')?;
        let quote = text.at(quote_at)?;
        if is_quote(quote) {
            return Ok((quote_at + 1, Some(Extent::Quoted { quote, backslashes: quote_at - start })));
        }
    }
    Ok((at, None))
}

/// Steps over the scheme before credentials, and says whether these are one word.
fn after_scheme(text: Text<'_>, at: usize) -> Result<(usize, Option<bool>), More> {
    for (scheme, is_word) in SCHEMES {
        if text.has(at, scheme)? && is_blank(text.at(at + scheme.len())?) {
            let start = blanks_end(text, at + scheme.len(), MAX_BLANKS)?;
            let next = text.at(start)?;
            if !is_line_end(next) && !is_quote(next) && next != b'=' {
                return Ok((start, Some(is_word)));
            }
        }
    }
    Ok((at, None))
}

fn extent(text: Text<'_>, named: &Named, quoted: Option<Extent>, scheme: Option<bool>) -> Extent {
    let outer = text.before(named.word.start);
    let line = Extent::Line { quote: (is_quote(outer) && !named.is_key).then_some(outer) };
    let is_colon = matches!(named.form, Form::Colon | Form::ColonWide);
    match (quoted, scheme) {
        (Some(quoted), _) => quoted,
        (None, Some(false)) => line,
        (None, Some(true)) => Extent::Word,
        (None, None) if named.form == Form::Element => Extent::Element,
        (None, None) if is_colon && matches!(named.kind, Kind::Authorization | Kind::Cookie) => line,
        (None, None) if named.kind == Kind::Password && named.form == Form::ColonWide => {
            if starts_line(text, named.word.start) { Extent::Words } else { Extent::Word }
        }
        (None, None) => Extent::Word,
    }
}

/// Returns whether nothing but blanks, list signs and quotation marks is before `at` on its line.
fn starts_line(text: Text<'_>, at: usize) -> bool {
    let start = text.skip_back(at, MAX_INDENT_BYTES, |byte| is_blank(byte) || b"-*\"'".contains(&byte));
    is_line_end(text.before(start))
}

/// Returns whether nothing but signs follows on the line.
fn is_last(text: Text<'_>, at: usize) -> Result<bool, More> {
    let end = text.skip(at, MAX_BLANKS, |byte| is_blank(byte) || is_quote(byte) || b",;".contains(&byte))?;
    Ok(is_line_end(text.at(end)?))
}

/// Returns where the value of an assignment behind a type starts.
fn next_assignment(text: Text<'_>, at: usize) -> Result<Option<usize>, More> {
    let sign = blanks_end(text, at, MAX_BLANKS)?;
    if text.at(sign)? != b'=' || text.at(sign + 1)? == b'=' {
        return Ok(None);
    }
    let value_at = blanks_end(text, sign + 1, MAX_BLANKS)?;
    Ok((!is_line_end(text.at(value_at)?)).then_some(value_at))
}
