//! `export`: a run in a form that can be taken elsewhere (S10.8).

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use super::args_export::{ExportArgs, ExportForm};
use super::args_look::RenderFormat;
use super::exit::{Exit, Fault};
use super::here::Verbs;
use crate::api::{ExportFormat, ExportReader};
use crate::model::{ErrorCode, Failure, RunId, shown};

/// Draws the last screen of an asciicast.
pub type Draw = fn(&mut dyn BufRead, RenderFormat) -> Result<Vec<u8>, Failure>;

impl Verbs<'_> {
    /// Writes the output of a run in another form.
    pub(super) async fn export(&mut self, args: &ExportArgs) -> Result<Exit, Fault> {
        let run = self.find(&args.run).await?;
        let mut target = Target { path: args.output.as_ref().map(|path| self.here.cwd.join(path)), file: None };
        let form = args.forms.form();
        let format = match form {
            ExportForm::Text => ExportFormat::Text,
            ExportForm::Json => ExportFormat::Json,
            ExportForm::Cast | ExportForm::Svg | ExportForm::Png | ExportForm::Html => ExportFormat::Cast,
        };
        if form == ExportForm::Png && target.path.is_none() && self.console.look.is_terminal {
            let failure = Failure::new(ErrorCode::Invalid, "a PNG is nothing for a terminal");
            return Err(failure.with_hint("write it to a file with --output").into());
        }
        if let Some(form) = form.picture() {
            let picture = self.picture(run, form).await?;
            target.write(self, &picture)?;
            return Ok(Exit::DONE);
        }
        let mut export = self.client.export(run, format);
        while let Some(chunk) = export.chunks_rx.recv().await {
            target.write(self, &chunk)?;
        }
        export.outcome.await?;
        // A run that has printed nothing has an empty file, too.
        target.write(self, b"")?;
        Ok(Exit::DONE)
    }

    /// Draws the last screen of a run, from its recording as it comes.
    async fn picture(&self, run: RunId, form: RenderFormat) -> Result<Vec<u8>, Failure> {
        let export = self.client.export(run, ExportFormat::Cast);
        let draw = self.here.draw;
        let mut recording = BufReader::new(ExportReader::new(export.chunks_rx));
        let drawing = tokio::task::spawn_blocking(move || draw(&mut recording, form));
        let drawn = drawing.await;
        // When there is no recording, this tells why.
        export.outcome.await?;
        drawn.unwrap_or_else(|_| Err(Failure::new(ErrorCode::Broken, "shtask has failed to draw the screen")))
    }
}

/// Where an export goes.
struct Target {
    /// None for standard output.
    path: Option<PathBuf>,
    /// Not before something came: a failure leaves what was there.
    file: Option<File>,
}

impl Target {
    fn write(&mut self, verbs: &mut Verbs<'_>, bytes: &[u8]) -> Result<(), Fault> {
        let Some(path) = &self.path else { return verbs.console.bytes(bytes) };
        let file = match &mut self.file {
            Some(file) => Ok(file),
            none => File::create(path).map(|made| none.insert(made)),
        };
        file.and_then(|file| file.write_all(bytes)).map_err(|error| {
            let failure = Failure::new(ErrorCode::Broken, format!("{} cannot be written: {error}", shown(path)));
            failure.with_hint("name a file in a folder that is there and yours to write").into()
        })
    }
}
