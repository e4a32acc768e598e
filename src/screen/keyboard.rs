//! The stack of the kitty keyboard protocol's flags.

/// The deepest stack that is kept, as in kitty; a push past it forgets the oldest.
const MAX_DEPTH: usize = 8;

/// All flags that the protocol knows.
const ALL_FLAGS: u8 = 0b1_1111;

/// The flags of one screen.
#[derive(Debug, Default)]
pub(super) struct KittyStack {
    current: u8,
    pushed: Vec<u8>,
}

impl KittyStack {
    /// Returns the flags in force.
    pub(super) fn flags(&self) -> u8 {
        self.current
    }

    pub(super) fn push(&mut self, flags: u16) {
        if self.pushed.len() == MAX_DEPTH {
            self.pushed.remove(0);
        }
        self.pushed.push(self.current);
        self.current = masked(flags);
    }

    pub(super) fn pop(&mut self, count: u16) {
        for _ in 0..count.min(MAX_DEPTH as u16 + 1) {
            self.current = self.pushed.pop().unwrap_or(0);
        }
    }

    /// Sets (1), adds (2) or removes (3) flags.
    pub(super) fn set(&mut self, flags: u16, how: u16) {
        let flags = masked(flags);
        match how {
            1 => self.current = flags,
            2 => self.current |= flags,
            3 => self.current &= !flags,
            _ => {}
        }
    }

    pub(super) fn clear(&mut self) {
        *self = KittyStack::default();
    }
}

fn masked(flags: u16) -> u8 {
    (flags & u16::from(ALL_FLAGS)) as u8
}
