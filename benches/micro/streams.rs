//! Output that is not log lines.

use std::fmt::Write as _;

/// Pages as a full-screen program redraws them: every row addressed, in colours, with a bar in reverse and the rest of the row erased.
pub(crate) fn pages(bytes: usize) -> Vec<u8> {
    let mut all = String::with_capacity(bytes + 8192);
    let mut number = 0_u32;
    while all.len() < bytes {
        all.push_str("\x1b[?25l\x1b[H");
        for row in 1..=24_u32 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let load = number >> 25;
            let colour = 31 + load % 6;
            let _ = write!(
                all,
                "\x1b[{row};1H\x1b[1m{:>7}\x1b[22m root \x1b[{colour}m{load:>3}.{}\x1b[39m \x1b[7m{:<20}\x1b[27m /usr/bin/worker --queue {row}\x1b[K",
                number >> 12,
                load % 10,
                "|".repeat((load / 7) as usize)
            );
        }
        all.push_str("\x1b[24;80H\x1b[?25h");
    }
    all.into_bytes()
}

/// One line that does not end.
pub(crate) fn endless_line(bytes: usize) -> Vec<u8> {
    "every word of this goes on in the next row, ".bytes().cycle().take(bytes).collect()
}

/// Lines with a link each, as compilers and `ls --hyperlink` write them.
pub(crate) fn linked_lines(bytes: usize) -> Vec<u8> {
    let mut all = String::with_capacity(bytes + 256);
    for number in 0_u32.. {
        if all.len() >= bytes {
            break;
        }
        let file = number % 50;
        let _ = write!(
            all,
            "-rw-r--r-- 1 user user {number:>9} \x1b]8;;file://host/home/user/file{file}\x1b\\file{file}.rs\x1b]8;;\x1b\\ checked\r\n"
        );
    }
    all.into_bytes()
}

/// Lines with a title or a mark each, as shells and build tools write them.
pub(crate) fn titled_lines(bytes: usize) -> Vec<u8> {
    let mut all = String::with_capacity(bytes + 256);
    for number in 0_u32.. {
        if all.len() >= bytes {
            break;
        }
        let _ = write!(all, "\x1b]0;step {number}\x07[{number}/100000] compiling the next thing of the build\r\n");
    }
    all.into_bytes()
}
