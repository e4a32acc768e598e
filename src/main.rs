//! The `shtask` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = shtask::holder::serve_if_asked() {
        return code;
    }
    ExitCode::SUCCESS
}
