//! What stays on the user's screen when the TUI has been left (S10.7).

use std::io::Write as _;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Prints the few lines that stay on the user's screen.
pub(super) fn summary(lines: &[String]) {
    let out = std::io::stdout();
    let mut polled = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut polled, PollTimeout::ZERO) == Ok(0) {
        // A terminal that takes nothing would be waited for without end.
        return;
    }
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    // The terminal may have gone meanwhile; then nobody misses them.
    let _ = out.lock().write_all(text.as_bytes());
}
