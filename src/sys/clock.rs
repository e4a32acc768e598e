//! The boot clock: time since the machine started, time asleep included, so that a grace or a deadline that passed
//! while the machine was suspended is over at once on waking.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_create,
    timerfd_settime,
};

/// Returns the time since the machine started, suspended time included (`CLOCK_BOOTTIME`).
#[must_use]
pub fn boot_now() -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    // The boot clock starts at zero and never runs backwards, so both parts fit.
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// A timer that becomes readable at an instant of the boot clock.
///
/// It goes off at once after a suspend during which its time came. It is non-blocking and close-on-exec.
#[derive(Debug)]
pub struct BoottimeTimer {
    fd: Arc<OwnedFd>,
}

impl BoottimeTimer {
    /// Creates a timer that is not armed.
    ///
    /// # Errors
    ///
    /// Out of descriptors or memory.
    pub fn new() -> io::Result<Self> {
        let fd = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        Ok(Self { fd: Arc::new(fd) })
    }

    /// Arms the timer for an instant of [`boot_now`], or disarms it with `None`; the earlier instant is forgotten.
    ///
    /// An instant in the past makes it readable at once.
    ///
    /// # Errors
    ///
    /// The instant does not fit the kernel's clock.
    pub fn arm(&self, at: Option<Duration>) -> io::Result<()> {
        let value = match at {
            None => Timespec { tv_sec: 0, tv_nsec: 0 },
            Some(at) => Timespec {
                tv_sec: i64::try_from(at.as_secs()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?,
                // A value of zero would disarm: the first nanosecond of the boot is early enough.
                tv_nsec: i64::from(at.subsec_nanos().max(u32::from(at.is_zero()))),
            },
        };
        let spec = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(&*self.fd, TimerfdTimerFlags::ABSTIME, &spec)?;
        Ok(())
    }

    /// Takes an expiry that has happened; true when there was one.
    ///
    /// # Errors
    ///
    /// The read failed for another reason than that nothing has expired.
    pub fn consume(&self) -> io::Result<bool> {
        let mut count = [0_u8; 8];
        match rustix::io::read(&*self.fd, &mut count) {
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the descriptor for [`crate::sys::watched::Watched`].
    #[must_use]
    pub fn shared_fd(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.fd)
    }
}

impl AsFd for BoottimeTimer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};

    #[test]
    fn an_instant_in_the_past_is_readable_at_once_and_only_once() {
        let timer = BoottimeTimer::new().expect("a timer");
        assert!(!timer.consume().expect("read"));
        timer.arm(Some(Duration::ZERO)).expect("arm");
        let ready = poll(&mut [PollFd::new(&timer, PollFlags::IN)], Some(&Timespec { tv_sec: 5, tv_nsec: 0 }));
        assert_eq!(ready.expect("poll"), 1);
        assert!(timer.consume().expect("read"));
        assert!(!timer.consume().expect("read"));
    }

    #[test]
    fn a_disarmed_timer_does_not_go_off() {
        let timer = BoottimeTimer::new().expect("a timer");
        timer.arm(Some(boot_now() + Duration::from_millis(5))).expect("arm");
        timer.arm(None).expect("disarm");
        let ready = poll(&mut [PollFd::new(&timer, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 20_000_000 }));
        assert_eq!(ready.expect("poll"), 0);
    }
}
