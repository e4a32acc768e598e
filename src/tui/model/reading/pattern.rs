//! What is looked for.

use regex::{Regex, RegexBuilder};

/// How large a compiled pattern may become, in bytes.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

/// A pattern as the user types it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) is_regex: bool,
    /// Whether upper and lower case always differ; otherwise only when the pattern has upper case.
    pub(crate) exact_case: bool,
}

impl Pattern {
    /// Whether upper and lower case are the same.
    pub(crate) fn ignores_case(&self) -> bool {
        // In a regular expression `\S` is no upper case.
        let mut before = None;
        let mut is_upper = |c: char| {
            let escaped = self.is_regex && before == Some('\\');
            before = if escaped { None } else { Some(c) };
            c.is_uppercase() && !escaped
        };
        !self.exact_case && !self.text.chars().any(&mut is_upper)
    }

    /// Makes the expression; none for nothing to look for.
    ///
    /// # Errors
    /// Why it is no regular expression, in a few words.
    pub(crate) fn compile(&self) -> Result<Option<Regex>, String> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let text = if self.is_regex { self.text.clone() } else { regex::escape(&self.text) };
        let built = RegexBuilder::new(&text).case_insensitive(self.ignores_case()).size_limit(MAX_REGEX_BYTES).build();
        built.map(Some).map_err(|error| {
            let reason = error.to_string();
            reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })
    }

    /// How the kind of the pattern is shown: `regex`, `Aa`.
    pub(crate) fn kind(&self) -> String {
        let kind = if self.is_regex { "regex" } else { "plain" };
        let case = if self.exact_case { "exact case" } else { "smart case" };
        format!("{kind} · {case}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_matters_when_the_pattern_has_upper_case() {
        let ignores =
            |text: &str, is_regex, exact_case| Pattern { text: text.into(), is_regex, exact_case }.ignores_case();
        assert!(ignores("error", false, false) && !ignores("Error", false, false));
        assert!(!ignores("error", false, true));
        assert!(ignores(r"\S+ \Wx", true, false), "a class is no upper case");
        assert!(!ignores(r"\\S", true, false) && !ignores(r"\S", false, false));
    }

    #[test]
    fn plain_text_is_found_as_it_is_and_a_bad_expression_is_explained() {
        let pattern = |text: &str, is_regex| Pattern { text: text.into(), is_regex, exact_case: false };
        assert!(pattern("a.(b", false).compile().expect("plain").expect("some").is_match("A.(B"));
        assert!(pattern("a(", true).compile().expect_err("open").contains("unclosed"));
        assert!(pattern("", true).compile().expect("nothing").is_none());
    }
}
