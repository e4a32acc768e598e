use proptest::prelude::*;

use super::*;

fn tail_of(max_bytes: usize, chunks: &[&[u8]]) -> Tail {
    let mut tail = Tail::new(max_bytes);
    for chunk in chunks {
        tail.admit(chunk);
    }
    tail
}

#[test]
fn a_character_split_over_two_reads_is_never_broken() {
    let dash = "–".as_bytes();
    let mut tail = Tail::new(100);
    for (at, byte) in dash.iter().enumerate() {
        tail.admit(&[*byte]);
        let expected = if at + 1 == dash.len() { "–" } else { "" };
        assert_eq!(tail.text(100).text, expected, "after byte {at}");
    }
}

#[test]
fn bytes_that_are_broken_give_one_mark_each() {
    assert_eq!(tail_of(100, &[b"a\xff\xfeb\xc3("]).text(100).text, "a\u{fffd}\u{fffd}b\u{fffd}(");
}

#[test]
fn a_cut_tail_starts_at_a_line() {
    let tail = tail_of(8, &[b"first\nsecond\nthird\n"]);
    assert_eq!(tail.text(100), TailText { text: "third\n".into(), truncated: true });
    let tail = tail_of(100, &[b"first\nsecond\n"]);
    assert_eq!(tail.text(7), TailText { text: "second\n".into(), truncated: true }, "the limit falls on a line start");
    assert_eq!(tail.text(9), TailText { text: "second\n".into(), truncated: true });
    assert!(!tail.text(13).truncated);
}

#[test]
fn a_line_longer_than_the_tail_is_shown_from_a_character_on() {
    let tail = tail_of(5, &["äöü".as_bytes()]);
    assert_eq!(tail.text(5), TailText { text: "öü".into(), truncated: true });
}

#[test]
fn a_tail_takes_memory_only_as_output_comes() {
    let tail = tail_of(1 << 20, &[b"hello"]);
    assert!(tail.ring.capacity() < 64);
}

proptest! {
    #[test]
    fn a_tail_holds_the_last_bytes_however_they_came(
        max_bytes in 1_usize..40,
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20),
    ) {
        let mut tail = Tail::new(max_bytes);
        let mut all = Vec::new();
        for chunk in &chunks {
            tail.admit(chunk);
            all.extend_from_slice(chunk);
        }
        prop_assert_eq!(tail.total_bytes(), all.len() as u64);
        prop_assert_eq!(tail.slice(0, usize::MAX), all[all.len().saturating_sub(max_bytes)..].to_vec());
        prop_assert!(tail.ring.capacity() <= max_bytes.max(8));
    }
}
