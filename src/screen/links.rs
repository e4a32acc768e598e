//! Hyperlinks (OSC 8): numbers in styles, addresses here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The most links that are kept at once. Past that the unused are swept; past that, text is drawn without its link.
const MAX_LINKS: usize = 4096;

/// The longest address that is kept, in bytes; what is longer is no link (as other terminals do it).
const MAX_ADDRESS_BYTES: usize = 2083;

/// The links of one terminal.
#[derive(Debug, Default)]
pub(super) struct Links {
    addresses: Arc<BTreeMap<u16, Arc<str>>>,
    /// By the id that the program gave and the address: the parts of one link share a number.
    numbers: HashMap<(String, Arc<str>), u16>,
    next: u16,
}

impl Links {
    /// Returns the addresses by number.
    pub(super) fn addresses(&self) -> Arc<BTreeMap<u16, Arc<str>>> {
        self.addresses.clone()
    }

    /// Returns whether a sweep is due before another link is taken.
    pub(super) fn is_full(&self) -> bool {
        self.addresses.len() >= MAX_LINKS
    }

    /// Returns whether so many more links can be taken without a sweep.
    pub(super) fn has_room_for(&self, more: usize) -> bool {
        self.addresses.len() + more < MAX_LINKS
    }

    /// Returns the number of the link that an OSC 8 begins, from its parameters on; 0 when it ends one or cannot be kept. None when it is no
    /// such sequence.
    pub(super) fn follow(&mut self, rest: &[u8]) -> Option<u16> {
        let at = memchr::memchr(b';', rest)?;
        let (parameters, address) = (&rest[..at], &rest[at + 1..]);
        let id = parameters.split(|&b| b == b':').find_map(|part| part.strip_prefix(b"id=")).unwrap_or_default();
        let (Ok(id), Ok(address)) = (std::str::from_utf8(id), std::str::from_utf8(address)) else { return Some(0) };
        Some(self.number(id, address))
    }

    /// Forgets the links that are not in `used`.
    pub(super) fn sweep(&mut self, used: &HashSet<u16>) {
        Arc::make_mut(&mut self.addresses).retain(|number, _| used.contains(number));
        self.numbers.retain(|_, number| used.contains(number));
    }

    /// Returns the number of a link, or 0 when it cannot be kept.
    pub(super) fn number(&mut self, id: &str, address: &str) -> u16 {
        if address.is_empty() || address.len() > MAX_ADDRESS_BYTES || id.len() > MAX_ADDRESS_BYTES {
            return 0;
        }
        if address.chars().any(char::is_control) {
            return 0;
        }
        let key = (id.to_owned(), Arc::from(address));
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if self.is_full() {
            return 0;
        }
        loop {
            self.next = self.next.checked_add(1).unwrap_or(1);
            if !self.addresses.contains_key(&self.next) {
                break;
            }
        }
        Arc::make_mut(&mut self.addresses).insert(self.next, key.1.clone());
        self.numbers.insert(key, self.next);
        self.next
    }
}
