//! Fuzzy search in short texts: letters in their order, with gaps, ranked by how well they sit.

/// The longest text that is searched, in characters; what is behind is not seen.
const MAX_CHARS: usize = 256;

/// A letter at the start of a word.
const START_OF_WORD: i32 = 10;
/// A letter right behind the one before.
const IN_A_ROW: i32 = 10;
/// A letter at the very start of the text.
const START_OF_TEXT: i32 = 4;
/// For each letter that is left out between two that are found, up to [`MAX_GAP`].
const GAP: i32 = -1;
const MAX_GAP: i32 = 8;

/// Where the letters of a search are in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    /// The better the match, the higher.
    pub(crate) score: i32,
    /// The numbers of the found characters, ascending.
    pub(crate) at: Vec<usize>,
}

/// Finds words in a text, each by its letters in their order. Case counts only for words that have upper-case letters.
pub(crate) fn fuzzy(words: &str, text: &str) -> Option<Match> {
    let text: Vec<char> = text.chars().take(MAX_CHARS).collect();
    let mut found = Match { score: 0, at: Vec::new() };
    for word in words.split_whitespace() {
        let is_exact = word.chars().any(char::is_uppercase);
        let word: Vec<char> = word.chars().take(MAX_CHARS).collect();
        let one = best(&word, &text, is_exact)?;
        found.score += one.score;
        found.at.extend(one.at);
    }
    found.at.sort_unstable();
    found.at.dedup();
    Some(found)
}

/// The best way to find the letters of one word.
fn best(word: &[char], text: &[char], is_exact: bool) -> Option<Match> {
    let same =
        |wanted: char, there: char| wanted == there || (!is_exact && wanted.to_lowercase().eq(there.to_lowercase()));
    // For each letter of the word and each place of it: the best score so far, and the place of the letter before.
    let mut rows: Vec<Row> = Vec::with_capacity(word.len());
    for wanted in word {
        let row = next_row(rows.last(), text, |there| same(*wanted, there));
        rows.push(row);
    }
    let last = rows.last()?.iter().enumerate().filter_map(|(at, cell)| cell.map(|(score, _)| (score, at)));
    // Of equal ones the first.
    let (score, mut at) = last.rev().max_by_key(|(score, _)| *score)?;
    let mut places = Vec::with_capacity(word.len());
    for row in rows.iter().rev() {
        places.push(at);
        at = row[at].map_or(at, |(_, from)| from);
    }
    places.reverse();
    Some(Match { score, at: places })
}

/// For each place of a letter: the best score up to it, and the place of the letter before.
type Row = Vec<Option<(i32, usize)>>;

fn next_row(before: Option<&Row>, text: &[char], is_wanted: impl Fn(char) -> bool) -> Row {
    let near = usize::try_from(MAX_GAP).unwrap_or(0) + 1;
    // The best of the places so far back that the gap costs no more.
    let mut far: Option<(i32, usize)> = None;
    let place = |(at, there): (usize, &char)| {
        let Some(before) = before else { return is_wanted(*there).then(|| (bonus(text, at), at)) };
        if let Some(left) = at.checked_sub(near + 1) {
            far = far.max(before[left].map(|(score, _)| (score, left)));
        }
        if !is_wanted(*there) {
            return None;
        }
        let near = (at.saturating_sub(near)..at)
            .filter_map(|from| before[from].map(|(score, _)| (score + step(from, at), from)));
        let far = far.map(|(score, from)| (score + GAP * MAX_GAP, from));
        near.chain(far).max_by_key(|(score, _)| *score).map(|(score, from)| (score + bonus(text, at), from))
    };
    text.iter().enumerate().map(place).collect()
}

fn bonus(text: &[char], at: usize) -> i32 {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return START_OF_WORD + START_OF_TEXT };
    let starts = !before.is_alphanumeric() || (before.is_lowercase() && text[at].is_uppercase());
    if starts && text[at].is_alphanumeric() { START_OF_WORD } else { 0 }
}

fn step(from: usize, at: usize) -> i32 {
    match i32::try_from(at - from - 1).unwrap_or(i32::MAX) {
        0 => IN_A_ROW,
        gap => GAP * gap.min(MAX_GAP),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that are found, the best first.
    fn ranked<'a>(words: &str, texts: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<_> =
            texts.iter().filter_map(|text| fuzzy(words, text).map(|found| (found.score, *text))).collect();
        found.sort_by_key(|(score, _)| -score);
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn starts_of_words_and_letters_in_a_row_come_first() {
        assert_eq!(ranked("kr", &["backer", "kill-restart", "marker"]), ["kill-restart", "backer", "marker"]);
        assert_eq!(ranked("res", &["forest", "restart", "r e s"]), ["restart", "r e s", "forest"]);
        assert_eq!(
            ranked("web", &["a very long wide bar", "web", "api/web"]),
            ["web", "api/web", "a very long wide bar"]
        );
        assert_eq!(ranked("fb", &["foo bar", "fooBar", "fab"]).len(), 3);
    }

    #[test]
    fn letters_keep_their_order_and_are_told() {
        assert_eq!(fuzzy("ba", "ab"), None);
        assert_eq!(fuzzy("kr", "kill-restart").expect("found").at, [0, 5]);
        assert_eq!(fuzzy("start", "restart s").expect("found").at, [2, 3, 4, 5, 6]);
        assert_eq!(fuzzy("", "anything"), Some(Match { score: 0, at: vec![] }));
        assert_eq!(fuzzy("x", ""), None);
    }

    #[test]
    fn every_word_must_be_there_in_any_order() {
        assert_eq!(fuzzy("run new", "new run").expect("found").at, [0, 1, 2, 4, 5, 6]);
        assert_eq!(fuzzy("new api", "new run"), None);
    }

    #[test]
    fn case_counts_when_it_was_typed() {
        assert!(fuzzy("api", "API").is_some() && fuzzy("API", "api").is_none() && fuzzy("É", "é").is_none());
        assert!(fuzzy("é", "É").is_some());
    }

    mod any_text {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn what_is_found_is_there(word in "[abc]{1,5}", text in "[abcA -]{0,30}") {
                if let Some(found) = fuzzy(&word, &text) {
                    let chars: Vec<char> = text.chars().collect();
                    let letters: String = found.at.iter().map(|at| chars[*at].to_ascii_lowercase()).collect();
                    prop_assert_eq!(letters, word);
                }
            }
        }
    }
}
