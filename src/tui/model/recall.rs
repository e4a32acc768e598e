//! Command lines that were started before, walked through by keys.

/// The most lines that are kept.
pub(crate) const MAX_LINES: usize = 200;

/// The lines, the newest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recall {
    lines: Vec<String>,
}

/// Where in the lines the user is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecallPlace {
    /// How many lines back; 0 is what was typed.
    back: usize,
    /// What was typed before the first step back.
    typed: String,
}

impl Recall {
    pub(crate) fn new(lines: Vec<String>) -> Recall {
        let mut recall = Recall::default();
        lines.into_iter().for_each(|line| recall.add(line));
        recall
    }

    /// Adds a line; one that is there already becomes the newest.
    pub(crate) fn add(&mut self, line: String) {
        self.lines.retain(|known| *known != line);
        self.lines.push(line);
        let more = self.lines.len().saturating_sub(MAX_LINES);
        self.lines.drain(..more);
    }

    /// The next older line that begins with what was typed; none at the end.
    pub(crate) fn older(&self, place: &mut RecallPlace, now: &str) -> Option<String> {
        if place.back == 0 {
            now.clone_into(&mut place.typed);
        }
        let mut older = self.lines.iter().rev().enumerate().skip(place.back);
        let (index, line) = older.find(|(_, line)| line.starts_with(&place.typed) && *line != now)?;
        place.back = index + 1;
        Some(line.clone())
    }

    /// The next newer line, at last what was typed; none when that is shown already.
    pub(crate) fn newer(&self, place: &mut RecallPlace) -> Option<String> {
        if place.back == 0 {
            return None;
        }
        let mut newer = self.lines.iter().rev().enumerate().take(place.back - 1);
        match newer.rfind(|(_, line)| line.starts_with(&place.typed)) {
            Some((index, line)) => {
                place.back = index + 1;
                Some(line.clone())
            }
            None => {
                place.back = 0;
                Some(place.typed.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_walked_back_and_forth_and_what_was_typed_comes_back() {
        let recall = Recall::new(["make", "cargo run", "make watch", "make"].map(String::from).to_vec());
        let mut place = RecallPlace::default();
        assert_eq!(recall.older(&mut place, ""), Some("make".into()));
        assert_eq!(recall.older(&mut place, "make"), Some("make watch".into()));
        assert_eq!(recall.older(&mut place, "make watch"), Some("cargo run".into()));
        assert_eq!(recall.older(&mut place, "cargo run"), None);
        assert_eq!(recall.newer(&mut place), Some("make watch".into()));
        assert_eq!(recall.newer(&mut place), Some("make".into()));
        assert_eq!(recall.newer(&mut place), Some(String::new()));
        assert_eq!(recall.newer(&mut place), None);
    }

    #[test]
    fn what_was_typed_chooses_the_lines() {
        let recall = Recall::new(["make a", "cargo run", "make b"].map(String::from).to_vec());
        let mut place = RecallPlace::default();
        assert_eq!(recall.older(&mut place, "ma"), Some("make b".into()));
        assert_eq!(recall.older(&mut place, "make b"), Some("make a".into()));
        assert_eq!(recall.older(&mut place, "make a"), None);
        assert_eq!(recall.newer(&mut place), Some("make b".into()));
        assert_eq!(recall.newer(&mut place), Some("ma".into()));
    }

    #[test]
    fn there_is_a_bound() {
        let recall = Recall::new((0..500).map(|n| n.to_string()).collect());
        assert_eq!(recall.lines.len(), MAX_LINES);
        assert_eq!(recall.lines.last().map(String::as_str), Some("499"));
    }
}
