//! A run's output in a file: kept for the user, or lent to a pager or an editor.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;

use crate::api::{Client, Export, ExportFormat, ExportReader};
use crate::model::{ErrorCode, Failure, RunId};

use super::{DrawPicture, Picture};

/// How often another name is tried when there is a file of that name.
const MAX_NUMBER: u32 = 1000;

/// What an export is made into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Svg,
    Html,
    Png,
    Cast,
}

impl Form {
    pub(crate) const ALL: [Form; 5] = [Form::Text, Form::Svg, Form::Html, Form::Png, Form::Cast];

    /// What it is, for a menu.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Form::Text => "text: the whole log without control sequences",
            Form::Svg => "svg: a picture of the last screen",
            Form::Html => "html: the last screen as a page",
            Form::Png => "png: a picture (needs rsvg-convert)",
            Form::Cast => "cast: a recording for asciinema",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Form::Text => "txt",
            Form::Svg => "svg",
            Form::Html => "html",
            Form::Png => "png",
            Form::Cast => "cast",
        }
    }

    fn picture(self) -> Option<Picture> {
        match self {
            Form::Svg => Some(Picture::Svg),
            Form::Html => Some(Picture::Html),
            Form::Png => Some(Picture::Png),
            Form::Text | Form::Cast => None,
        }
    }
}

/// The program that shows a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shower {
    Pager,
    Editor,
}

impl Shower {
    /// The command line of the user's choice.
    fn command(self) -> String {
        let set = |name| std::env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
        match self {
            Shower::Pager => set("PAGER").unwrap_or_else(|| "less".into()),
            Shower::Editor => set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".into()),
        }
    }
}

/// A private file with a log; removed when nobody has it any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogFile(Arc<Removed>);

#[derive(Debug, PartialEq, Eq)]
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes an export of a run into a new file of a folder. Answers with its path.
pub(super) fn export(
    client: &dyn Client,
    run: RunId,
    form: Form,
    folder: PathBuf,
    name: String,
    draw: DrawPicture,
) -> impl Future<Output = Result<PathBuf, Failure>> + Send + use<> {
    let Export { chunks_rx, outcome } = match form {
        Form::Text => client.export(run, ExportFormat::Text),
        Form::Svg | Form::Html | Form::Png | Form::Cast => client.export(run, ExportFormat::Cast),
    };
    async move {
        let written = tokio::task::spawn_blocking(move || {
            let mut reader = BufReader::new(ExportReader::new(chunks_rx));
            let picture = form.picture().map(|picture| draw(&mut reader, picture)).transpose()?;
            let (path, mut file) = new_file(&folder, &name, form.ending())?;
            let written = match picture {
                Some(picture) => file.write_all(&picture),
                None => io::copy(&mut reader, &mut file).map(|_| ()),
            };
            written.map(|()| path.clone()).map_err(|error| failed(&path, &error))
        });
        let written = written.await;
        // When there is no recording, this tells why.
        outcome.await?;
        written.unwrap_or_else(|_| Err(Failure::new(ErrorCode::Broken, "shtask has failed to write the export")))
    }
}

/// Writes the log of a run as text into a private file.
pub(super) fn log_file(
    client: &dyn Client,
    run: RunId,
) -> impl Future<Output = Result<LogFile, Failure>> + Send + use<> {
    let Export { chunks_rx, outcome } = client.export(run, ExportFormat::Text);
    async move {
        let written = tokio::task::spawn_blocking(move || {
            let folder = std::env::temp_dir();
            let name = format!("shtask-{}-{}", run.short(), std::process::id());
            let (path, mut file) = new_file(&folder, &name, "log")?;
            let kept = LogFile(Arc::new(Removed(path.clone())));
            io::copy(&mut ExportReader::new(chunks_rx), &mut file).map_err(|error| failed(&path, &error))?;
            Ok(kept)
        });
        let written = written.await;
        outcome.await?;
        written.unwrap_or_else(|_| Err(Failure::new(ErrorCode::Broken, "shtask has failed to write the log")))
    }
}

/// Runs the user's pager or editor on a file, in the terminal as it is, until it ends.
pub(super) async fn visit(shower: Shower, file: LogFile) -> Result<(), String> {
    let command = shower.command();
    let line = format!("{command} \"$1\"");
    let shown = tokio::task::spawn_blocking(move || {
        let status = Command::new("/bin/sh").args(["-c", &line, "shtask"]).arg(&file.0.0).status();
        drop(file);
        status
    });
    let status: io::Result<ExitStatus> = shown.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    match status {
        Ok(status) if status.code() == Some(127) => Err(format!("{command} was not found: set PAGER or EDITOR")),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{command} could not be started: {error}")),
    }
}

/// Makes a file that only its owner reads, under the first name that is free.
fn new_file(folder: &Path, name: &str, ending: &str) -> Result<(PathBuf, File), Failure> {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let name = name.trim_start_matches(['.', '-']);
    let name = if name.is_empty() { "run" } else { name };
    for number in 1..=MAX_NUMBER {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{name}{number}.{ending}"));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match made {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, &error)),
        }
    }
    Err(Failure::new(ErrorCode::Conflict, format!("there are {MAX_NUMBER} files of the name {name} already")))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(ErrorCode::Broken, format!("{} cannot be written: {error}", crate::model::shown(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_written_over_and_names_are_harmless() {
        let folder = tempfile::tempdir().expect("tempdir");
        let made = |name: &str| {
            let (path, _) = new_file(folder.path(), name, "txt").expect("a file");
            path.file_name().expect("a name").to_string_lossy().into_owned()
        };
        assert_eq!(made("web"), "web.txt");
        assert_eq!(made("web"), "web-2.txt");
        assert_eq!(made("../a b"), "a-b.txt");
        assert_eq!(made("..."), "run.txt");
    }
}
