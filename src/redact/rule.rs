//! What a rule says about the place where it was asked to look.

use std::ops::Range;

use super::extent::Extent;
use super::text::Text;

/// The answer of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No secret; the next one may start at `resume`.
    Clean { resume: usize },
    /// The bytes to take out; the next secret may start behind them.
    Secret { span: Range<usize> },
}

/// What comes next decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Open {
    /// From here on nothing may be passed on.
    pub(super) hold_from: usize,
    /// From here on it would be the secret.
    pub(super) hide_from: usize,
    /// How far the secret would reach.
    pub(super) extent: Extent,
}

impl Open {
    /// What may become a secret, of which no byte is there yet.
    pub(super) fn undecided(hold_from: usize, text: Text<'_>) -> Open {
        Open { hold_from, hide_from: text.bytes.len(), extent: Extent::Word }
    }
}
