//! `shtask render`: a byte stream or a recording as its final screen.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::{Args, ValueEnum};

use crate::model::{ErrorCode, Failure, Size};
use crate::screen::{self, RenderError};

/// What `shtask render` is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RenderArgs {
    /// What a program wrote to its terminal, or an asciicast (version 2 or 3); - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,

    /// The size of the screen, 2x1 to 1000x500; without it that of the asciicast with its resizes, or 80x24
    #[arg(long, value_name = "COLSxROWS")]
    size: Option<Size>,

    /// The form in which the screen is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A form of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line a row
    Text,
    /// Cells with their colours and flags, and the cursor
    Json,
    /// A picture of shapes and text
    Svg,
    /// A picture of pixels; drawn by the program rsvg-convert
    Png,
    /// A page with the text in its colours
    Html,
}

const EXAMPLES: &str = "Examples:
  shtask render session.cast
  shtask render --size 100x30 --format svg <output.raw >screen.svg";

/// Prints the screen that the input leads to.
pub(super) fn render(args: &RenderArgs) -> Result<ExitCode, Failure> {
    let mut screen = if args.file == Path::new("-") {
        read(std::io::stdin().lock(), "standard input", args.size)?
    } else {
        let name = args.file.display().to_string();
        let file = File::open(&args.file).map_err(|error| {
            Failure::new(ErrorCode::NotRunnable, format!("cannot read {name}: {error}"))
                .with_hint("name a file with the output of a program, or - for standard input")
        })?;
        read(BufReader::new(file), &name, args.size)?
    };
    let frame = screen.frame();
    let printed = match args.format {
        Format::Text => screen::text(&frame).into_bytes(),
        Format::Json => screen::json(&frame).into_bytes(),
        Format::Svg => screen::svg(&frame).into_bytes(),
        Format::Png => png(&screen::svg(&frame))?,
        Format::Html => screen::html(&frame).into_bytes(),
    };
    print(&printed)
}

fn read(input: impl BufRead, name: &str, size: Option<Size>) -> Result<screen::Screen, Failure> {
    screen::render_stream(input, size).map_err(|error| {
        let code = match error {
            RenderError::Unreadable(_) => ErrorCode::NotRunnable,
            RenderError::Cast { .. } => ErrorCode::Invalid,
        };
        let failure = Failure::new(code, format!("{name}: {}", crate::model::with_sources(&error)));
        match error.hint() {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    })
}

/// Makes pixels of a picture. Fonts for all scripts are many megabytes, so the system's are used, by a program that knows them.
fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(ErrorCode::Unsupported, format!("the picture could not be drawn: {error}"))
            .with_hint("a PNG needs the program rsvg-convert (Debian: librsvg2-bin); --format svg needs nothing")
    };
    let mut command = Command::new("rsvg-convert");
    command.args(["--format", "png"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&format!("rsvg-convert: {error}")))?;
    let mut input = child.stdin.take().expect("it was asked for");
    let output = std::thread::scope(|scope| {
        // It may write before it has read all. When it stops reading, its exit code tells why.
        scope.spawn(move || input.write_all(svg.as_bytes()));
        child.wait_with_output()
    });
    let output = output.map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(output.stdout)
}

/// Writes to standard output. When nobody reads that any more, it is no failure (S11.1).
fn print(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Failure::new(ErrorCode::Broken, format!("cannot write the screen: {error}"))),
    }
}
