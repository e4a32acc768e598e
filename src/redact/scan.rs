//! Finding the places worth a look, and looking at them in order.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::rule::{Open, Verdict};
use super::shapes::SHAPES;
use super::text::Text;
use super::{pair, pem, shapes, url};

/// Words that names of secrets have in them, as they are written: whatever a name is, one of these is within.
const STEMS: [[&str; 3]; 10] = [
    ["pass", "Pass", "PASS"],
    ["pwd", "Pwd", "PWD"],
    ["secret", "Secret", "SECRET"],
    ["token", "Token", "TOKEN"],
    ["key", "Key", "KEY"],
    ["auth", "Auth", "AUTH"],
    ["credential", "Credential", "CREDENTIAL"],
    ["cookie", "Cookie", "COOKIE"],
    ["sess", "Sess", "SESS"],
    ["jwt", "Jwt", "JWT"],
];
const HOOKS: [&str; 2] = ["hooks.slack.com/services/", "discord.com/api/webhooks/"];

/// Which rule looks at a word that was found.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Pair,
    Signature,
    Bearer,
    Shape(usize),
    Jwt,
    Url,
    Hook,
    PemBegin,
    PemEnd,
}

/// The words to look for. One pass over the text finds all of them; only there the rules look.
#[derive(Debug)]
pub(super) struct Triggers {
    words: AhoCorasick,
    rules: Vec<Rule>,
    literals: Vec<&'static str>,
}

/// What is known of a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The bytes of secrets, in order, without overlap.
    pub(super) spans: Vec<Range<usize>>,
    /// Where what comes next decides.
    pub(super) open: Option<Open>,
    /// Up to here nothing that comes next changes anything.
    pub(super) settled: usize,
    /// How often a rule looked: what time grows with.
    pub(super) looks: usize,
}

impl Triggers {
    pub(super) fn new() -> Triggers {
        let mut words: Vec<(&'static str, Rule)> = Vec::new();
        words.extend(STEMS.as_flattened().iter().map(|stem| (*stem, Rule::Pair)));
        words.extend([("bearer", Rule::Bearer), ("Bearer", Rule::Bearer), ("BEARER", Rule::Bearer)]);
        words.extend(["sig=", "signature=", "Signature="].map(|word| (word, Rule::Signature)));
        words.extend(SHAPES.iter().enumerate().map(|(index, shape)| (shape.prefix, Rule::Shape(index))));
        words.extend(HOOKS.map(|hook| (hook, Rule::Hook)));
        words.extend([("eyJ", Rule::Jwt), ("://", Rule::Url)]);
        words.extend([("-----BEGIN ", Rule::PemBegin), ("-----END ", Rule::PemEnd)]);
        let (literals, rules): (Vec<&'static str>, Vec<Rule>) = words.into_iter().unzip();
        let words = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&literals)
            .expect("a hundred short words make a small automaton");
        Triggers { words, rules, literals }
    }

    /// Finds the secrets from `from` on; what is before it has been passed on and only tells what is around.
    ///
    /// `is_start` says that the text may have lost what was before it.
    pub(super) fn scan(&self, text: Text<'_>, from: usize, is_start: bool) -> Found {
        let mut found = Found::default();
        let (mut at, mut floor) = (from, from);
        while let Some(hit) = self.words.find(Input::new(text.bytes).span(at..text.bytes.len())) {
            let range = hit.range();
            found.looks += 1;
            let rule = self.rules[hit.pattern().as_usize()];
            let verdict = match rule {
                Rule::Pair => pair::look(text, &range),
                Rule::Signature => pair::look(text, &(range.start..range.end - 1)),
                Rule::Bearer => match shapes::look_bearer(text, &range) {
                    Ok(Verdict::Clean { .. }) => pair::look(text, &range),
                    other => other,
                },
                Rule::Shape(index) => shapes::look(text, &range, &SHAPES[index]),
                Rule::Jwt => shapes::look_jwt(text, &range),
                Rule::Url => url::look(text, &range),
                Rule::Hook => url::look_hook(text, &range),
                Rule::PemBegin => pem::look_begin(text, &range),
                Rule::PemEnd if is_start => {
                    pem::look_headless(text, &range, floor.max(found.spans.last().map_or(from, |span| span.end)))
                }
                Rule::PemEnd => Ok(Verdict::Clean { resume: range.end }),
            };
            if matches!(rule, Rule::PemBegin | Rule::PemEnd) {
                // No key reaches over the border of another.
                floor = range.end;
            }
            match verdict {
                Ok(Verdict::Clean { resume }) => at = resume.max(range.start + 1),
                Ok(Verdict::Secret { span }) => {
                    at = span.end.max(range.end);
                    if matches!(rule, Rule::Url | Rule::Pair) && span.start > range.end {
                        // The name before the value, or the user's before the password, may have a token in it.
                        let before = Text { bytes: &text.bytes[..span.start], ended: true };
                        let inner = self.scan(before, range.end, false);
                        found.looks += inner.looks;
                        found.spans.extend(inner.spans);
                    }
                    found.spans.push(span);
                }
                Err(open) => {
                    let open = self.with_tokens_behind(text, &range, open);
                    found.settled = open.pass_to;
                    found.open = Some(open);
                    return found;
                }
            }
        }
        let unfinished = if text.ended { 0 } else { self.unfinished_bytes(&text.bytes[at..]) };
        found.settled = text.bytes.len() - unfinished;
        found
    }

    /// Keeps back what may be a token in the rest of a name that has not ended: `auth-ghp_…`.
    fn with_tokens_behind(&self, text: Text<'_>, hit: &Range<usize>, mut open: Open) -> Open {
        let mut at = hit.start + 1;
        while let Some(next) = self.words.find(Input::new(text.bytes).span(at.min(open.pass_to)..open.pass_to)) {
            if !matches!(self.rules[next.pattern().as_usize()], Rule::Pair | Rule::Signature) {
                open.pass_to = next.start();
                open.hide_from = open.hide_from.min(next.start());
            }
            at = next.start() + 1;
        }
        open.pass_to = open.pass_to.min(text.bytes.len() - self.unfinished_bytes(text.bytes));
        open
    }

    /// Returns how many bytes at the end are the start of a word to look for.
    fn unfinished_bytes(&self, bytes: &[u8]) -> usize {
        let longest = self.literals.iter().map(|word| word.len()).max().unwrap_or(0);
        let starts_word = |end: &[u8]| self.literals.iter().any(|word| word.as_bytes().starts_with(end));
        (1..longest.min(bytes.len() + 1)).rev().find(|length| starts_word(&bytes[bytes.len() - length..])).unwrap_or(0)
    }
}
