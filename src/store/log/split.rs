//! Where in a chunk a segment ends.

/// Returns how much of a chunk still belongs to a segment that has `used` of `max` bytes; none when all of it does.
///
/// A segment ends behind a line end, so that what follows can be read by itself. When no line ends within a quarter more, it
/// ends there.
pub(super) fn end_of_segment(bytes: &[u8], used: u64, max: u64) -> Option<usize> {
    let length = bytes.len() as u64;
    if used + length <= max {
        return None;
    }
    let first = usize::try_from(max.saturating_sub(used)).unwrap_or(usize::MAX).min(bytes.len());
    let last = usize::try_from((max + max / 4).saturating_sub(used)).unwrap_or(usize::MAX).min(bytes.len());
    match memchr::memchr(b'\n', &bytes[first..last]) {
        Some(at) => Some(first + at + 1),
        None if used + length > max + max / 4 => Some(last),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_ends_behind_a_line_and_at_a_quarter_more_at_the_latest() {
        assert_eq!(end_of_segment(b"ab\ncd\n", 0, 10), None, "it fits");
        assert_eq!(end_of_segment(b"ab\ncd\nef", 94, 100), None, "no line ends past the mark yet");
        assert_eq!(end_of_segment(b"ab\ncd\nef\n", 96, 100), Some(6));
        assert_eq!(end_of_segment(b"ab\ncd", 110, 100), Some(3));
        assert_eq!(end_of_segment(&[b'x'; 100], 50, 100), Some(75));
        assert_eq!(end_of_segment(b"x", 200, 100), Some(0));
    }
}
