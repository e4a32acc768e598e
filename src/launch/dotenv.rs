//! Files of variables (dotenv).
//!
//! An own parser, for three reasons: `dotenvy` takes only UTF-8, it expands `$NAME` from the environment of *this* process, so that its
//! secrets could leak into a run, and its errors have no line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::model::shown;

/// What is wrong with a line. Shown it is `LINE: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct DotenvError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it. The value is not part of it, as it may be a secret.
    pub message: String,
}

/// Reads variables, one a line, in their order:
///
/// - `NAME=VALUE`, with blanks around both and `export` before them if you like; empty lines and lines that start with `#` are skipped;
/// - a plain value ends at the end of the line or at ` #`;
/// - `'…'` is taken as it is, `"…"` knows `\n`, `\r`, `\t`, `\"`, `\\` and `\$`; both may go over several lines;
/// - nothing is ever expanded: `$` is a dollar sign.
///
/// Bytes that are no UTF-8 pass through.
///
/// # Errors
/// The first line that is wrong.
pub(super) fn parse_dotenv(bytes: &[u8]) -> Result<Vec<(OsString, OsString)>, DotenvError> {
    let mut reader = Reader { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), line: 1 };
    let mut variables = Vec::new();
    while !reader.rest.is_empty() {
        variables.extend(reader.read_line()?);
    }
    Ok(variables)
}

struct Reader<'b> {
    rest: &'b [u8],
    line: usize,
}

impl Reader<'_> {
    fn read_line(&mut self) -> Result<Option<(OsString, OsString)>, DotenvError> {
        self.skip_blanks();
        if matches!(self.rest.first(), None | Some(b'\n' | b'\r' | b'#')) {
            self.take_until_newline();
            return Ok(None);
        }
        let mut name = self.take_while(is_name_byte);
        if name == b"export" && matches!(self.rest.first(), Some(b' ' | b'\t')) {
            self.skip_blanks();
            name = self.take_while(is_name_byte);
        }
        if name.first().is_none_or(u8::is_ascii_digit) {
            return Err(self.wrong("starts with no name of a variable"));
        }
        self.skip_blanks();
        if self.rest.first() != Some(&b'=') {
            return Err(self.wrong(format!("no `=` after {}", shown(OsString::from_vec(name)))));
        }
        self.rest = &self.rest[1..];
        self.skip_blanks();
        let value = match self.rest.first() {
            Some(&quote @ (b'"' | b'\'')) => self.read_quoted(quote)?,
            _ => plain_value(&self.take_until_newline()),
        };
        if value.contains(&0) {
            return Err(self.wrong("holds a NUL byte"));
        }
        Ok(Some((OsString::from_vec(name), OsString::from_vec(value))))
    }

    fn read_quoted(&mut self, quote: u8) -> Result<Vec<u8>, DotenvError> {
        let unclosed = self.wrong("a quote is opened and never closed");
        let mut value = Vec::new();
        let mut at = 1;
        loop {
            let byte = *self.rest.get(at).ok_or_else(|| unclosed.clone())?;
            at += 1;
            match byte {
                _ if byte == quote => break,
                b'\\' if quote == b'"' => {
                    let escaped = *self.rest.get(at).ok_or_else(|| unclosed.clone())?;
                    at += 1;
                    match escaped {
                        b'n' => value.push(b'\n'),
                        b'r' => value.push(b'\r'),
                        b't' => value.push(b'\t'),
                        b'"' | b'\\' | b'$' => value.push(escaped),
                        _ => value.extend([b'\\', escaped]),
                    }
                }
                _ => value.push(byte),
            }
        }
        self.line += self.rest[..at].iter().filter(|byte| **byte == b'\n').count();
        self.rest = &self.rest[at..];
        self.skip_blanks();
        if !matches!(self.rest.first(), None | Some(b'\n' | b'\r' | b'#')) {
            return Err(self.wrong("there is text after the closing quote"));
        }
        self.take_until_newline();
        Ok(value)
    }

    fn skip_blanks(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> Vec<u8> {
        let end = self.rest.iter().position(|byte| !belongs(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_vec()
    }

    /// Takes the rest of the line and the line's end, which is not returned.
    fn take_until_newline(&mut self) -> Vec<u8> {
        let taken = self.take_while(|byte| byte != b'\n');
        if let Some(rest) = self.rest.strip_prefix(b"\n") {
            self.rest = rest;
            self.line += 1;
        }
        taken
    }

    fn wrong(&self, message: impl Into<String>) -> DotenvError {
        DotenvError { line: self.line, message: message.into() }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || byte >= 0x80
}

fn plain_value(line: &[u8]) -> Vec<u8> {
    let comment = line.windows(2).position(|pair| matches!(pair, [b' ' | b'\t', b'#']));
    let comment = if line.starts_with(b"#") { Some(0) } else { comment };
    line[..comment.unwrap_or(line.len())].trim_ascii().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn parse(text: &str) -> Vec<(String, String)> {
        let text_of = |text: OsString| text.into_string().expect("text");
        let variables = parse_dotenv(text.as_bytes()).expect("a file that is right");
        variables.into_iter().map(|(name, value)| (text_of(name), text_of(value))).collect()
    }

    fn value(line: &str) -> String {
        parse(line).remove(0).1
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let text = "\u{feff}# comment\n\n  A=1\r\nexport B = two words  # said\nC=\nD='a $X \\n # b'\nE=\"l1\nl2\\n\\\"\\$\\q\" # c\nexport=3\nF=a#b\nG=#b";
        let read = parse(text);
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", ""),
            ("D", "a $X \\n # b"),
            ("E", "l1\nl2\n\"$\\q"),
            ("export", "3"),
            ("F", "a#b"),
            ("G", ""),
        ];
        assert_eq!(read, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn nothing_is_expanded() {
        assert_eq!(
            (value("A=$HOME"), value("A=\"${PATH}\""), value("A=$(id)")),
            ("$HOME".into(), "${PATH}".into(), "$(id)".into())
        );
    }

    #[test]
    fn a_wrong_line_is_named_by_its_number_and_never_by_its_value() {
        let cases = [
            ("A=1\nB\n", "2: no `=` after B"),
            ("\n\n=secret", "3: starts with no name of a variable"),
            ("1A=secret", "1: starts with no name of a variable"),
            ("A='x\ny\nB=secret\n", "1: a quote is opened and never closed"),
            ("A=\"x\ny\" secret\n", "2: there is text after the closing quote"),
            ("export B\n", "1: no `=` after B"),
            ("A=\"\\", "1: a quote is opened and never closed"),
        ];
        for (text, message) in cases {
            assert_eq!(parse_dotenv(text.as_bytes()).expect_err(text).to_string(), message, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_pass_through() {
        let read = parse_dotenv(b"K\xa3=\xff\xfe\n").expect("bytes");
        assert_eq!(read, [(OsStr::from_bytes(b"K\xa3").into(), OsStr::from_bytes(b"\xff\xfe").into())]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_dotenv(&bytes);
        }

        #[test]
        fn a_single_quoted_value_reads_back(value in "[^'\0]{0,40}") {
            prop_assert_eq!(parse(&format!("A='{value}'")), [("A".to_owned(), value)]);
        }
    }
}
