//! Takes the rows that the grid scrolls off into the history.

use std::fmt;

use vt100::capture::{BasicFormattedCaptureState, RowContents};

use super::history::History;
use super::line::{FILLER_MARK, REPLACEMENT_MARK, width_of};
use super::styles::{ERASED_INK, StyleTable};
use crate::model::{Attributes, Color, Style, Underline};

/// What stands behind the grid: its history and the styles that its cells name by number.
pub(super) struct Behind {
    pub(super) history: History,
    pub(super) styles: StyleTable,
    state: BasicFormattedCaptureState,
    /// The style of the text that is being taken.
    style: Style,
    /// An SGR sequence that is not whole yet.
    sequence: String,
    /// The grid writes a line break before a row when the row before it had ended; here: the last row to be probed.
    probe: Probe,
    /// So many rows that scroll off next stand for nothing.
    pretended: usize,
    /// Whether only the styles and the line breaks of a row are of interest.
    muted: bool,
    /// Whether the newest line of the history is known to have ended.
    ended: bool,
    /// Characters on their way into the history, all of one style: cells come one by one.
    run: Run,
}

#[derive(Debug, Default)]
struct Run {
    text: String,
    cols: u16,
    style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Probe {
    Off,
    /// Only look at whether the next row goes on the one before.
    Waiting,
    Ended,
    Continued,
}

impl Behind {
    pub(super) fn new(history: History, styles: StyleTable) -> Behind {
        Behind {
            history,
            styles,
            state: BasicFormattedCaptureState::new(),
            style: Style::default(),
            sequence: String::new(),
            probe: Probe::Off,
            pretended: 0,
            muted: false,
            ended: false,
            run: Run::default(),
        }
    }

    /// Ignores the next rows that scroll off.
    pub(super) fn pretend(&mut self, rows: usize) {
        self.pretended = rows;
    }

    /// Makes the next row that scrolls off tell only whether it goes on the row before it.
    pub(super) fn begin_probe(&mut self) {
        self.probe = Probe::Waiting;
    }

    /// Returns whether the probed row goes on the row before it, and returns to normal.
    pub(super) fn end_probe(&mut self) -> bool {
        std::mem::replace(&mut self.probe, Probe::Off) == Probe::Continued
    }

    /// Starts anew, because rows did not come from the grid in between. The newest line has `ended` or goes on.
    pub(super) fn restart(&mut self, ended: bool) {
        self.ended = ended;
        self.state = BasicFormattedCaptureState::new();
        self.style = Style::default();
        self.pretended = 0;
    }

    /// Returns whether the style is that of blanks that erasing coloured.
    fn is_erased(&self) -> bool {
        self.style.foreground == Color::Rgb(0, 0, ERASED_INK as u8)
    }

    /// Takes a character without marks.
    fn take(&mut self, text: &str, cols: u16, style: Style) {
        if self.run.style != style {
            self.push_run();
            self.run.style = style;
        }
        self.run.text.push_str(text);
        self.run.cols += cols;
    }

    /// Puts the characters that were taken into the history.
    fn push_run(&mut self) {
        let run = &mut self.run;
        if run.cols > 0 {
            if usize::from(run.cols) == run.text.len() && run.text.is_ascii() {
                self.history.push_ascii(&run.text, run.style);
            } else {
                self.history.push_characters(&run.text, run.cols, run.style);
            }
            run.text.clear();
            run.cols = 0;
        }
    }

    fn apply_sequence(&mut self) {
        let body = self.sequence.trim_start_matches("\x1b[").trim_end_matches('m');
        let mut values = body.split(';').map(|value| value.parse::<u16>().unwrap_or(0));
        let byte = |value: Option<u16>| u8::try_from(value.unwrap_or(0)).unwrap_or(0);
        let mut style = self.style;
        while let Some(value) = values.next() {
            match value {
                0 => style = Style::default(),
                1 => {
                    style.attributes = style.attributes.without(Attributes::DIM).with(Attributes::BOLD);
                }
                2 => {
                    style.attributes = style.attributes.without(Attributes::BOLD).with(Attributes::DIM);
                }
                3 => style.attributes = style.attributes.with(Attributes::ITALIC),
                4 => style.underline = Underline::Single,
                7 => style.attributes = style.attributes.with(Attributes::REVERSE),
                22 => style.attributes = style.attributes.without(Attributes::BOLD).without(Attributes::DIM),
                23 => style.attributes = style.attributes.without(Attributes::ITALIC),
                24 => style.underline = Underline::None,
                27 => style.attributes = style.attributes.without(Attributes::REVERSE),
                38 | 48 => {
                    let color = match values.next() {
                        Some(5) => Color::Indexed(byte(values.next())),
                        _ => Color::Rgb(byte(values.next()), byte(values.next()), byte(values.next())),
                    };
                    if value == 38 {
                        style.foreground = color;
                    } else {
                        style.background = color;
                    }
                }
                30..=37 => style.foreground = Color::Indexed((value - 30) as u8),
                39 => style.foreground = Color::Default,
                40..=47 => style.background = Color::Indexed((value - 40) as u8),
                49 => style.background = Color::Default,
                90..=97 => style.foreground = Color::Indexed((value - 82) as u8),
                100..=107 => style.background = Color::Indexed((value - 92) as u8),
                _ => {}
            }
        }
        self.style = style;
        self.sequence.clear();
    }

    /// Returns the full style behind one that the grid holds.
    pub(super) fn full_style(&self, style: Style) -> Style {
        match style.foreground {
            Color::Rgb(high, middle, low) => {
                let ink = self.styles.get(u32::from_be_bytes([0, high, middle, low]));
                Style { background: style.background, ..ink }
            }
            Color::Default | Color::Indexed(_) => style,
        }
    }
}

impl vt100::Callbacks for Behind {
    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if alternate_screen {
            return;
        }
        if self.pretended > 0 {
            self.pretended -= 1;
            return;
        }
        let ended = std::mem::take(&mut self.ended);
        if self.probe == Probe::Waiting {
            self.probe = if ended { Probe::Ended } else { Probe::Continued };
        } else if ended {
            self.history.end_line();
        }
        let probed = self.probe != Probe::Off;
        // Blanks that nothing was done to come before the next style is told. After erased ones they would be taken for
        // erased too, so such a row is told anew from its own start.
        let anew = !probed && self.is_erased();
        self.muted = probed || anew;
        let mut state = std::mem::take(&mut self.state);
        // Writing to `self` does not fail.
        let _ = row.write_formatted_basic(self, &mut state);
        self.push_run();
        self.muted = false;
        self.state = state;
        if probed {
            return;
        }
        self.history.begin_row();
        if anew {
            let style = std::mem::take(&mut self.style);
            let _ = row.write_formatted_basic(self, &mut BasicFormattedCaptureState::new());
            self.push_run();
            self.style = style;
        }
    }
}

impl fmt::Write for Behind {
    /// Blanks come one by one as characters, what cells hold as strings.
    fn write_char(&mut self, character: char) -> fmt::Result {
        if character != ' ' || !self.sequence.is_empty() {
            return self.write_str(character.encode_utf8(&mut [0; 4]));
        }
        if !self.muted {
            let background = if self.is_erased() { self.style.background } else { Color::Default };
            self.take(" ", 1, Style { background, ..Style::default() });
        }
        Ok(())
    }

    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.sequence.is_empty() || text.starts_with('\x1b') {
            self.sequence.push_str(text);
            if text.ends_with('m') {
                self.apply_sequence();
            }
        } else if text == "\n" {
            self.push_run();
            match self.probe {
                Probe::Off => self.history.end_line(),
                Probe::Waiting | Probe::Ended | Probe::Continued => self.probe = Probe::Ended,
            }
        } else if !self.muted {
            let style = self.full_style(self.style);
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(one), None) if text.len() == 1 || !matches!(one, FILLER_MARK | REPLACEMENT_MARK) => {
                    self.take(text, width_of(one).max(1), style);
                }
                _ => {
                    self.push_run();
                    self.history.push_cell(text, style);
                }
            }
        }
        Ok(())
    }
}
