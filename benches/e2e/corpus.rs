//! Bytes to flood a terminal with, the same in every run.

/// A kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Log lines of printable ASCII.
    Ascii,
    /// Log lines with colours.
    Coloured,
    /// Log lines with Chinese, Japanese and emoji.
    Wide,
}

impl Kind {
    /// The kind's name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Ascii => "ASCII",
            Kind::Coloured => "coloured",
            Kind::Wide => "UTF-8",
        }
    }
}

/// Lines of `kind`, `bytes` in all or a little more, the last one ended.
pub(crate) fn lines(kind: Kind, bytes: usize) -> Vec<u8> {
    const WORDS: [&str; 8] = ["request", "served", "cache", "miss", "worker", "queue", "timeout", "retry"];
    const WIDE: [&str; 8] = ["日志", "要求", "キャッシュ", "worker", "队列", "🚀", "タイム", "重试"];
    let mut all = Vec::with_capacity(bytes + 200);
    let mut state = 0x2545_f491_u32;
    let mut next = move || {
        // A linear congruence: any numbers do, if they are the same each time.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let mut number = 0_u64;
    while all.len() < bytes {
        number += 1;
        let level = if next() % 8 == 0 { "WARN" } else { "INFO" };
        let colour = if level == "WARN" { 33 } else { 32 };
        let mut line = match kind {
            Kind::Ascii | Kind::Wide => format!("2026-11-29T12:00:00.{:03}Z {level} {number}", number % 1000),
            Kind::Coloured => {
                format!(
                    "\x1b[2m2026-11-29T12:00:00.{:03}Z\x1b[0m \x1b[{colour};1m{level}\x1b[0m {number}",
                    number % 1000
                )
            }
        };
        for _ in 0..3 + next() % 8 {
            let word = usize::try_from(next() % 8).unwrap_or(0);
            line.push(' ');
            match kind {
                Kind::Ascii => line.push_str(WORDS[word]),
                Kind::Coloured => line.push_str(&format!("\x1b[38;5;{}m{}\x1b[0m", 17 + next() % 200, WORDS[word])),
                Kind::Wide => line.push_str(WIDE[word]),
            }
        }
        line.push('\n');
        all.extend_from_slice(line.as_bytes());
    }
    all
}
