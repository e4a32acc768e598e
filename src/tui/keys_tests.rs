//! Tests of the tables of keys.

use super::*;
use std::collections::HashSet;

#[test]
fn no_key_means_two_things_in_one_place() {
    for Table { title, bindings, .. } in TABLES {
        let mut seen = HashSet::new();
        for chord in bindings.iter().flat_map(|binding| binding.keys) {
            assert!(seen.insert(*chord), "{title}: {chord} twice");
        }
    }
}

#[test]
fn keys_do_not_depend_on_what_plain_terminals_cannot_tell_apart() {
    for chord in TABLES.iter().flat_map(|table| table.bindings).flat_map(|binding| binding.keys) {
        if chord.modifiers.ctrl {
            assert!(!matches!(chord.key, Key::Char('i' | 'm' | 'h' | 'j' | '[')), "{chord}");
        }
    }
}
