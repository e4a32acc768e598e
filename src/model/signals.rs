//! Signals by name.

use nix::sys::signal::Signal;

/// Reads the name of a signal: `SIGINT`, `INT` or `int`.
pub fn signal_number(name: &str) -> Option<i32> {
    let upper = name.to_ascii_uppercase();
    let full = if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") };
    Signal::iterator().find(|signal| signal.as_str() == full).map(|signal| signal as i32)
}

/// Returns the names of all signals, `SIGHUP` and so on.
pub fn signal_names() -> impl Iterator<Item = &'static str> {
    Signal::iterator().map(Signal::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_name_with_or_without_sig() {
        assert_eq!(
            (signal_number("SIGINT"), signal_number("int"), signal_number("Term")),
            (Some(2), Some(2), Some(15))
        );
        assert_eq!((signal_number("SIGNAL"), signal_number(""), signal_number("2")), (None, None, None));
    }
}
