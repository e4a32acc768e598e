//! The `shtask` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The holders' fork server has to be this program and nothing else: it may have no thread and little memory.
    if let Some(code) = shtask::holder::serve_if_asked() {
        return code;
    }
    shtask::app::main()
}
