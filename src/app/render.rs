//! `shtask render`: a byte stream or a recording as its final screen.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::{Console, Exit, Fault, RenderArgs, RenderFormat};
use crate::model::{ErrorCode, Failure, Frame, Size, shown, with_sources};
use crate::screen;

/// What can be rendered.
const READABLE: &str = "name a file with the output of a program, or - for standard input";

/// Prints the screen that the input leads to.
pub(super) fn render(args: &RenderArgs, console: &mut Console) -> Result<Exit, Fault> {
    let mut screen = if args.file == Path::new("-") {
        read(std::io::stdin().lock(), "standard input", args.size)?
    } else {
        let name = shown(&args.file);
        let file = File::open(&args.file).map_err(|error| {
            Failure::new(ErrorCode::Invalid, format!("cannot read {name}: {error}")).with_hint(READABLE)
        })?;
        read(BufReader::new(file), &name, args.size)?
    };
    console.bytes(&draw(&screen.frame(), args.format)?)?;
    Ok(Exit::DONE)
}

/// Draws the last screen of an asciicast.
pub(super) fn draw_recording(recording: &mut dyn BufRead, format: RenderFormat) -> Result<Vec<u8>, Failure> {
    draw(&read(recording, "the recording", None)?.frame(), format)
}

fn draw(frame: &Frame, format: RenderFormat) -> Result<Vec<u8>, Failure> {
    Ok(match format {
        RenderFormat::Text => screen::text(frame).into_bytes(),
        RenderFormat::Json => screen::json(frame).into_bytes(),
        RenderFormat::Svg => screen::svg(frame).into_bytes(),
        RenderFormat::Png => png(&screen::svg(frame))?,
        RenderFormat::Html => screen::html(frame).into_bytes(),
    })
}

fn read(input: impl BufRead, name: &str, size: Option<Size>) -> Result<screen::Screen, Failure> {
    screen::render_stream(input, size).map_err(|error| {
        let failure = Failure::new(ErrorCode::Invalid, format!("{name}: {}", with_sources(&error)));
        failure.with_hint(error.hint().unwrap_or(READABLE))
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
    let mut input = child.stdin.take().expect("a pipe was asked for at the start");
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
