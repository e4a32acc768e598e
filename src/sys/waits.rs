//! What a process waits in, as `/proc` tells. Of other users' processes, and where a security module says so, less can be seen.

use super::proc::{all_tasks, read_all};

/// What the kernel does for a thread at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// It reads from this descriptor; none when only the kind of wait can be seen: that of a terminal.
    Read(Option<i32>),
    /// It waits for any of several descriptors.
    Poll,
    /// Something else: it runs, sleeps, waits for a child.
    Other,
    /// It cannot be seen.
    Unknown,
}

/// Of so many threads of a process it is looked at what they do.
const MAX_THREADS: usize = 32;

#[cfg(target_arch = "x86_64")]
const POLLS: [i64; 6] = [
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
];
#[cfg(not(target_arch = "x86_64"))]
const POLLS: [i64; 3] = [libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait];

/// Looks what the threads of a process do, the first one first.
#[must_use]
pub fn waits(pid: i32) -> Vec<Waits> {
    let tasks = all_tasks(pid).unwrap_or_default();
    tasks.into_iter().take(MAX_THREADS).map(|task| of_thread(pid, task)).collect()
}

fn of_thread(pid: i32, task: i32) -> Waits {
    match read_all(&format!("/proc/{pid}/task/{task}/syscall"), 256).ok().and_then(|line| of_call(&line)) {
        Some(waits) => waits,
        // Only who may trace a process sees its calls; where it waits in the kernel more may see.
        None => {
            read_all(&format!("/proc/{pid}/task/{task}/wchan"), 256).map_or(Waits::Unknown, |place| of_place(&place))
        }
    }
}

/// `0 0x3 …` is a read of descriptor 3; `running` and `-1 …` are no calls.
fn of_call(line: &[u8]) -> Option<Waits> {
    let text = std::str::from_utf8(line).ok()?;
    let mut words = text.split_whitespace();
    let Ok(number) = words.next()?.parse::<i64>() else { return Some(Waits::Other) };
    let first = words.next().and_then(|word| i64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    Some(match number {
        libc::SYS_read | libc::SYS_readv => Waits::Read(first.and_then(|first| i32::try_from(first).ok())),
        number if POLLS.contains(&number) => Waits::Poll,
        _ => Waits::Other,
    })
}

/// The names of the kernel's functions are no promise: one that is not known is nothing that is waited for.
fn of_place(place: &[u8]) -> Waits {
    match place {
        b"" | b"0" => Waits::Unknown,
        b"n_tty_read" | b"wait_woken" => Waits::Read(None),
        b"poll_schedule_timeout" | b"do_poll" | b"do_sys_poll" | b"do_select" | b"ep_poll" | b"do_epoll_wait" => {
            Waits::Poll
        }
        other if other.starts_with(b"poll_schedule_timeout") => Waits::Poll,
        _ => Waits::Other,
    }
}

/// Returns whether a descriptor of a process is a terminal.
#[must_use]
pub fn is_terminal(pid: i32, descriptor: i32) -> bool {
    let target = std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}"));
    target.is_ok_and(|path| {
        ["/dev/pts/", "/dev/tty", "/dev/console"].iter().any(|start| path.to_string_lossy().starts_with(start))
    })
}

/// Returns the arguments of a process, its own name first.
#[must_use]
pub fn arguments(pid: i32) -> Vec<Vec<u8>> {
    let line = read_all(&format!("/proc/{pid}/cmdline"), 64 << 10).unwrap_or_default();
    line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn until(pid: i32, wanted: impl Fn(Waits) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !waits(pid).into_iter().any(&wanted) {
            assert!(Instant::now() < end, "it does {:?}", waits(pid));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_read_is_told_from_a_sleep() {
        let mut reads = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat");
        let mut sleeps = Command::new("sleep").arg("1000").spawn().expect("sleep");
        let pid = |child: &std::process::Child| i32::try_from(child.id()).expect("a pid");
        until(pid(&reads), |waits| waits == Waits::Read(Some(0)));
        assert!(!is_terminal(pid(&reads), 0), "a pipe is none");
        // It has none while it is still becoming the program.
        until(pid(&sleeps), |waits| waits == Waits::Other && !arguments(pid(&sleeps)).is_empty());
        assert_eq!(arguments(pid(&sleeps)), [b"sleep".to_vec(), b"1000".to_vec()]);
        for child in [&mut reads, &mut sleeps] {
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
        assert!(waits(pid(&reads)).is_empty());
    }

    #[test]
    fn lines_of_the_kernel_are_read_as_they_are_written() {
        assert_eq!(of_call(b"running\n"), Some(Waits::Other));
        assert_eq!(of_call(b"-1 0x7ffc 0x7f4a\n"), Some(Waits::Other));
        assert_eq!(of_call(b""), None);
        let read = format!("{} 0x5 0x7fe5 0x20000\n", libc::SYS_read);
        assert_eq!(of_call(read.as_bytes()), Some(Waits::Read(Some(5))));
        let poll = format!("{} 0x1 0x0\n", libc::SYS_pselect6);
        assert_eq!(of_call(poll.as_bytes()), Some(Waits::Poll));
        for (place, waits) in [
            ("0", Waits::Unknown),
            ("wait_woken", Waits::Read(None)),
            ("do_select", Waits::Poll),
            ("do_wait", Waits::Other),
        ] {
            assert_eq!(of_place(place.as_bytes()), waits);
        }
    }
}
