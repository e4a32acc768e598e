//! Capacity: the right to be live (S5.1).

use super::{ErrorCode, Failure, Limits, Mode};

/// The slots of a server. Each limit is checked on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    max_runs: usize,
    max_pty_runs: usize,
    runs: usize,
    pty_runs: usize,
}

/// The right of one run to be live. It is given back exactly once, to [`Slots::release`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a slot that is dropped is lost for good"]
pub struct Slot(Mode);

impl Slots {
    /// Makes the free slots of `limits`.
    pub fn new(limits: &Limits) -> Slots {
        Slots { max_runs: limits.runs, max_pty_runs: limits.pty_runs, runs: 0, pty_runs: 0 }
    }

    /// Takes a slot.
    ///
    /// # Errors
    /// [`ErrorCode::CapacityFull`] with the limit's name and value; nothing is taken then.
    pub fn reserve(&mut self, mode: Mode) -> Result<Slot, Failure> {
        let full = |what: &str, limit: &str, value: usize| {
            Err(Failure::new(ErrorCode::CapacityFull, format!("capacity is full: {value} of {value} {what} are live"))
                .with_hint(format!("stop one, or raise limits.{limit} in the configuration")))
        };
        if self.runs >= self.max_runs {
            return full("runs", "runs", self.max_runs);
        }
        if mode == Mode::Pty {
            if self.pty_runs >= self.max_pty_runs {
                return full("PTY runs", "pty_runs", self.max_pty_runs);
            }
            self.pty_runs += 1;
        }
        self.runs += 1;
        Ok(Slot(mode))
    }

    /// Gives a slot back.
    pub fn release(&mut self, slot: Slot) {
        self.runs -= 1;
        if slot.0 == Mode::Pty {
            self.pty_runs -= 1;
        }
    }

    /// Returns how many runs are live, and how many of them have a PTY.
    pub fn live(&self) -> (usize, usize) {
        (self.runs, self.pty_runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_checked_on_its_own_and_named_when_full() {
        let limits = Limits { runs: 3, pty_runs: 1, ..Limits::default() };
        let mut slots = Slots::new(&limits);
        let pty = slots.reserve(Mode::Pty).expect("free");
        let full = slots.reserve(Mode::Pty).expect_err("one PTY only");
        assert!(full.message.contains("1 of 1 PTY runs"), "{full}");
        assert!(full.hint.expect("hint").contains("limits.pty_runs"));
        let pipes = [slots.reserve(Mode::Pipes).expect("free"), slots.reserve(Mode::Pipes).expect("free")];
        assert!(slots.reserve(Mode::Pipes).expect_err("three runs only").message.contains("3 of 3 runs"));
        slots.release(pty);
        let again = slots.reserve(Mode::Pty).expect("free again");
        slots.release(again);
        pipes.into_iter().for_each(|slot| slots.release(slot));
        assert_eq!(slots.live(), (0, 0));
    }
}
