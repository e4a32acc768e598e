//! The word that was probably meant.

/// Returns the candidate that is nearest to `word`, when it is near enough to have been meant: at most a third of its letters differ
/// (at least one, at most three). Case does not count, nor `-` in place of `_`.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    let limit = (word.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn folded(word: &str) -> Vec<char> {
    word.chars().take(64).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Counts the letters to insert, remove, change or swap with their neighbour (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_word() {
        let keys = ["run", "argv", "autostart", "idle_timeout", "timeout", "env", "env_file"];
        for (typed, meant) in
            [("rnu", "run"), ("autstart", "autostart"), ("idle-timeout", "idle_timeout"), ("Env_Files", "env_file")]
        {
            assert_eq!(nearest(typed, keys), Some(meant), "{typed}");
        }
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
    }
}
