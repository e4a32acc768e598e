//! Why the system would not execute a program that is there.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Resolved;
use super::check::{check_cwd, reason};
use crate::model::{ErrorCode, Failure, shown};

/// The longest first line of a script that the kernel looks at (`BINPRM_BUF_SIZE`).
const SHEBANG_BYTES: u64 = 256;

/// Puts a failed `execve` into words: what was wrong with the program, its interpreter or its arguments, with the path.
///
/// `errno` is the system's error number. The result has the code [`ErrorCode::ExecFailed`].
pub fn exec_failure(run: &Resolved, errno: i32) -> Failure {
    let program = shown(&run.program);
    let failed = |message: String| Failure::new(ErrorCode::ExecFailed, message);
    // The folder may have gone since it was looked at, with the same error number as a missing program.
    if let Err(fault) = check_cwd(&run.cwd) {
        return failed(fault.to_string());
    }
    let interpreter = interpreter(&run.program);
    match (errno, interpreter) {
        (libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::ELOOP, Some(interpreter)) if run.program.exists() => {
            let why = reason(&io::Error::from_raw_os_error(errno));
            failed(format!("program {program} cannot start: its interpreter {interpreter}: {why}"))
                .with_hint("see the first line of the script")
        }
        (libc::ENOENT, None) if run.program.exists() => {
            failed(format!("program {program} cannot start: the loader that it asks for is not on this machine"))
                .with_hint("it was built for another system or C library")
        }
        (libc::ENOEXEC, _) => failed(format!("program {program} cannot start: it has no format that can be executed"))
            .with_hint("a script needs a first line such as #!/bin/sh; a binary must be built for this machine"),
        (libc::E2BIG, _) => failed(format!(
            "program {program} cannot start: its arguments ({} bytes) and environment ({} bytes) are too long",
            run.argv.iter().map(|word| word.len() + 1).sum::<usize>(),
            run.env.iter().map(|(name, value)| name.len() + value.len() + 2).sum::<usize>(),
        ))
        .with_hint("pass long lists in a file or on standard input, or start it with a clean environment"),
        _ => failed(format!("program {program} cannot start: {}", reason(&io::Error::from_raw_os_error(errno)))),
    }
}

/// Returns the interpreter of a script, as it is shown: of one that was written on Windows it ends with `\r`.
fn interpreter(program: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(program).ok()?.take(SHEBANG_BYTES).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.next().map(|path| shown(OsStr::from_bytes(path)))
}
