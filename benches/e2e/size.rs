//! The size of the program on disk.

use crate::product::PROGRAM;
use crate::table::{Goal, Row};

/// The stripped release binary.
pub(crate) fn size() -> Vec<Row> {
    let bytes = std::fs::metadata(PROGRAM).expect("the program is there").len();
    let megabytes = u32::try_from(bytes).map_or(f64::NAN, f64::from) / 1e6;
    vec![Row::new("binary", "MB", megabytes, Goal::AtMost(12.0))]
}
