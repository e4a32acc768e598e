//! Arguments of `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args_look::RenderFormat;
use crate::model::RunRef;

/// In which form the output of a run is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// The output as plain text
    Text,
    /// An asciicast, for `asciinema play`
    Cast,
    /// The record and its output
    Json,
    /// The last screen as a picture of shapes and text
    Svg,
    /// The last screen as a picture of pixels; drawn by the program rsvg-convert
    Png,
    /// The last screen as a page with the text in its colours
    Html,
}

/// Which form was asked for: exactly one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
#[group(required = true, multiple = false)]
pub struct ExportForms {
    /// In which form
    #[arg(long, value_enum)]
    format: Option<ExportForm>,

    /// The same as --format text
    #[arg(long)]
    text: bool,

    /// The same as --format cast
    #[arg(long)]
    cast: bool,

    /// The same as --format svg
    #[arg(long)]
    svg: bool,

    /// The same as --format png
    #[arg(long)]
    png: bool,

    /// The same as --format html
    #[arg(long)]
    html: bool,
}

impl ExportForms {
    /// Returns the form.
    pub fn form(self) -> ExportForm {
        let flags = [
            (self.text, ExportForm::Text),
            (self.cast, ExportForm::Cast),
            (self.svg, ExportForm::Svg),
            (self.png, ExportForm::Png),
            (self.html, ExportForm::Html),
        ];
        let flagged = flags.into_iter().find_map(|(is_asked, form)| is_asked.then_some(form));
        self.format.or(flagged).expect("clap lets exactly one through")
    }
}

impl ExportForm {
    /// Returns how the last screen is drawn, for the forms that show it.
    pub(super) fn picture(self) -> Option<RenderFormat> {
        match self {
            ExportForm::Svg => Some(RenderFormat::Svg),
            ExportForm::Png => Some(RenderFormat::Png),
            ExportForm::Html => Some(RenderFormat::Html),
            ExportForm::Text | ExportForm::Cast | ExportForm::Json => None,
        }
    }
}

/// What to write.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask export build --cast --output build.cast
  shtask export build --text | less
  shtask export htop --png -o htop.png

Pictures show the screen as the recorded output leaves it.")]
pub struct ExportArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// In which form.
    #[command(flatten)]
    pub forms: ExportForms,

    /// Write it to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
