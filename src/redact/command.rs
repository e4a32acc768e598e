//! Commands: argument lists, shell lines, variables.

use std::borrow::Cow;
use std::ops::Range;

use super::judge::{Candidate, Form};
use super::names::{self, Kind};
use super::redactor::{MARK, Redacted, Redactor};
use super::text::is_name_byte;

/// Flags whose value is `user:password`, and the programs they belong to.
const USER_FLAGS: [(&[&str], &[&str]); 3] = [
    (&["curl", "xh", "xhs", "http", "https"], &["-u", "--user", "-U", "--proxy-user", "-a", "--auth"]),
    (&["ab", "hey", "wrk"], &["-A", "-a", "-P"]),
    (&["aws-curl", "smbclient"], &["-U", "--user"]),
];
/// Flags whose value is a password, which in other programs are something else.
const PASSWORD_FLAGS: [(&[&str], &[&str]); 5] = [
    (&["sshpass"], &["-p"]),
    (&["ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami"], &["-w"]),
    (&["redis-cli"], &["-a"]),
    (&["sqlcmd"], &["-P"]),
    (&["smbclient"], &["-W"]),
];
/// Flags to which the password is tied without a blank.
const TIED_FLAGS: [(&[&str], &str); 2] =
    [(&["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"], "-p"), (&["7z", "7za", "7zz"], "-p")];
/// Programs that start the one that is named behind them.
const STARTERS: [&str; 10] = ["sudo", "doas", "env", "nice", "nohup", "time", "timeout", "stdbuf", "setsid", "exec"];
/// Flags of those that have a word behind them.
const STARTER_FLAGS: [&str; 5] = ["-u", "-g", "-C", "-s", "-S"];

impl Redactor {
    /// Replaces the secrets of an argument list, and says whether there were any.
    ///
    /// Besides what is found in text: values in the argument behind their flag (`--password X`), whole values with
    /// blanks in them (`PASSWORD=a b`), `curl -u user:password`, `sshpass -p`, `mysql -pX` and the like.
    pub fn redact_argv(&self, argv: &[String]) -> (Vec<String>, bool) {
        let words: Vec<&str> = argv.iter().map(String::as_str).collect();
        let programs = programs(&words);
        let mut found = false;
        let shown = (0..words.len()).map(|index| {
            let is_script = index > 0 && is_script_flag(words[index - 1]);
            let secret = if is_script { None } else { argument_secret(&words, index, programs[index]) };
            if let Some(span) = secret {
                found = true;
                return replaced(words[index], &span);
            }
            let redacted = if is_script { self.redact_command(words[index]) } else { self.redact(words[index]) };
            found |= redacted.found;
            redacted.text.into_owned()
        });
        (shown.collect(), found)
    }

    /// Replaces the secrets of a shell line: as in text, and what [`Redactor::redact_argv`] knows of programs.
    pub fn redact_command<'a>(&self, line: &'a str) -> Redacted<'a> {
        let ranges = shell_words(line);
        let words: Vec<&str> = ranges.iter().map(|range| unquoted(&line[range.clone()])).collect();
        let programs = programs(&words);
        let mut shown = Cow::Borrowed(line);
        for (index, range) in ranges.iter().enumerate().rev() {
            let Some(span) = program_secret(&words, index, programs[index]) else { continue };
            let start = range.start + line[range.clone()].find(words[index]).unwrap_or(0);
            shown = Cow::Owned(replaced(&shown, &(start + span.start..start + span.end)));
        }
        let found = matches!(shown, Cow::Owned(_));
        match shown {
            Cow::Borrowed(line) => self.redact(line),
            Cow::Owned(line) => {
                let text = self.redact(&line).text.into_owned();
                Redacted { text: Cow::Owned(text), found }
            }
        }
    }

    /// Replaces the value of a variable: the whole of it under a sensitive name, otherwise the secrets in it.
    pub fn redact_env<'a>(&self, name: &str, value: &'a str) -> Redacted<'a> {
        match names::classify(name.as_bytes()) {
            Some(kind) if is_value(kind, name, value, Form::Assigned) => {
                Redacted { text: Cow::Borrowed(MARK), found: true }
            }
            _ => self.redact(value),
        }
    }
}

/// Returns what of an argument is a secret by its place or its name.
fn argument_secret(words: &[&str], index: usize, program: Option<&str>) -> Option<Range<usize>> {
    let word = words[index];
    if let Some(span) = program_secret(words, index, program) {
        return Some(span);
    }
    // Behind its flag.
    if let Some(flag) = index.checked_sub(1).map(|before| words[before])
        && flag.starts_with('-')
        && let Some(kind) = sensitive(flag)
        && is_value(kind, flag, word, Form::Flag)
    {
        return Some(after_method(word)..word.len());
    }
    // `NAME=value`, `--name=value`: here the value reaches to the end, blanks or not.
    let (name, value) = word.split_once('=')?;
    let kind = sensitive(name)?;
    is_value(kind, name, value, Form::Assigned).then(|| name.len() + 1 + after_method(value)..word.len())
}

/// Steps over `pass:`, as openssl has it before a password.
fn after_method(value: &str) -> usize {
    if value.starts_with("pass:") { "pass:".len() } else { 0 }
}

fn sensitive(name: &str) -> Option<Kind> {
    name.bytes().all(is_name_byte).then(|| names::classify(name.as_bytes())).flatten()
}

fn is_value(kind: Kind, name: &str, value: &str, form: Form) -> bool {
    let value = &value[after_method(value)..];
    let (name, value) = (name.as_bytes(), value.as_bytes());
    Candidate { kind, name, value, form, is_quoted: true, is_key: false, is_alone: false }.is_secret()
}

/// Returns what of a word is a secret because of the program it is given to.
fn program_secret(words: &[&str], index: usize, program: Option<&str>) -> Option<Range<usize>> {
    let (word, program) = (words[index], program?);
    if word.contains(MARK) {
        return None;
    }
    let before = words[..index].last().copied().unwrap_or("");
    let of = |programs: &[&str]| programs.contains(&program);
    let is_reference = |value: &str| value.is_empty() || value.starts_with('$') || value.starts_with('-');
    let password = |value: &str| value.find(':').map(|at| at + 1).filter(|at| !is_reference(&value[*at..]));
    for (_, flags) in USER_FLAGS.iter().filter(|(programs, _)| of(programs)) {
        if flags.contains(&before) {
            return password(word).map(|at| at..word.len());
        }
        let tied = flags.iter().find_map(|flag| {
            let rest = word.strip_prefix(flag)?;
            (flag.len() == 2 || rest.starts_with('=')).then_some(flag.len())
        });
        if let Some(start) = tied {
            return password(&word[start..]).map(|at| start + at..word.len());
        }
    }
    for (_, flags) in PASSWORD_FLAGS.iter().filter(|(programs, _)| of(programs)) {
        if flags.contains(&before) && !is_reference(word) {
            return Some(0..word.len());
        }
        if let Some(flag) = flags.iter().find(|flag| word.starts_with(**flag) && !is_reference(&word[flag.len()..])) {
            return Some(flag.len()..word.len());
        }
    }
    let (_, flag) = TIED_FLAGS.iter().find(|(programs, _)| of(programs))?;
    let value = word.strip_prefix(flag)?;
    (!is_reference(value)).then_some(flag.len()..word.len())
}

/// Returns for each word the program that it is given to: the first word of its command, behind `sudo` and `A=b`.
fn programs<'a>(words: &[&'a str]) -> Vec<Option<&'a str>> {
    let (mut program, mut is_behind_starter) = (None, false);
    let mut before = "";
    let mut programs = Vec::with_capacity(words.len());
    for word in words {
        programs.push(program);
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_skipped = word.contains('=')
            || word.starts_with('-')
            || is_behind_starter && (is_duration(word) || STARTER_FLAGS.contains(&before));
        if matches!(*word, "|" | ";" | "&") {
            (program, is_behind_starter) = (None, false);
        } else if STARTERS.contains(&name) && program.is_none() {
            is_behind_starter = true;
        } else if !is_skipped && program.is_none() {
            program = Some(name);
        }
        before = word;
    }
    programs
}

/// Returns whether a flag is `-c`, alone or behind others, as shells have it before a script.
fn is_script_flag(word: &str) -> bool {
    word.len() <= 4 && word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

fn is_duration(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Cuts a shell line into words and separators; quotation marks stay at the words.
fn shell_words(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut words = Vec::new();
    let mut start: Option<usize> = None;
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte.is_ascii_whitespace() => words.extend(start.take().map(|start| start..at)),
            None if matches!(byte, b';' | b'|' | b'&') => {
                words.extend(start.take().map(|start| start..at));
                words.push(at..at + 1);
            }
            None => {
                start.get_or_insert(at);
                if matches!(byte, b'"' | b'\'') {
                    quote = Some(byte);
                }
            }
        }
        let is_escape = byte == b'\\' && quote != Some(b'\'') && bytes.get(at + 1).is_some_and(u8::is_ascii);
        at += if is_escape { 2 } else { 1 };
    }
    words.extend(start.map(|start| start..bytes.len()));
    words
}

fn unquoted(word: &str) -> &str {
    let inner = |quote: char| word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(word)
}

fn replaced(text: &str, span: &Range<usize>) -> String {
    [&text[..span.start], MARK, &text[span.end..]].concat()
}
