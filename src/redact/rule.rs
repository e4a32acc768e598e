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
    /// From here on it must be looked at again.
    pub(super) hold_from: usize,
    /// From here on it would not be shown.
    pub(super) hide_from: usize,
    /// Up to here the bytes are no part of a secret, whatever comes.
    pub(super) pass_to: usize,
    /// Where the secret starts, should it be one that has grown long.
    pub(super) value_from: usize,
    /// How far the secret would reach.
    pub(super) extent: Extent,
}

impl Open {
    /// What may become a secret, and starts at `value_at`.
    pub(super) fn value(hold_from: usize, value_at: usize, extent: Extent) -> Open {
        Open { hold_from, hide_from: value_at, pass_to: value_at, value_from: value_at, extent }
    }

    /// What may become a secret, of which no byte is there yet.
    pub(super) fn undecided(hold_from: usize, text: Text<'_>) -> Open {
        Open::value(hold_from, text.bytes.len(), Extent::Word)
    }
}
