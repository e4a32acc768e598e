//! The table of results: measure, limit, what shtask does, the ratio, the goal.

use std::fmt;

/// What a result must reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// At least this part of the limit.
    PartOfLimit(f64),
    /// At most this much more than the limit, in the row's unit.
    OverLimit(f64),
    /// At most this, in the row's unit.
    AtMost(f64),
    /// Nothing: a number to be known.
    Known,
}

/// One line of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    measure: String,
    unit: &'static str,
    limit: Option<f64>,
    /// Nothing when it could not be measured.
    value: Option<f64>,
    goal: Goal,
}

impl Row {
    /// A result in `unit`.
    pub(crate) fn new(measure: impl Into<String>, unit: &'static str, value: f64, goal: Goal) -> Row {
        Row { measure: measure.into(), unit, limit: None, value: Some(value), goal }
    }

    /// Adds the limit measured in the same run.
    pub(crate) fn limit(mut self, limit: f64) -> Row {
        self.limit = Some(limit);
        self
    }

    /// The line of a measure that ended in a panic; its message stands above the table.
    pub(crate) fn failed(measure: &str) -> Row {
        Row { measure: measure.to_owned(), unit: "", limit: None, value: None, goal: Goal::Known }
    }

    fn reached(&self) -> Option<bool> {
        let value = self.value?;
        match self.goal {
            Goal::PartOfLimit(part) => Some(value >= self.limit? * part),
            Goal::OverLimit(more) => Some(value <= self.limit? + more),
            Goal::AtMost(most) => Some(value <= most),
            Goal::Known => None,
        }
    }

    fn cells(&self) -> [String; 6] {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| shown(value, self.unit));
        let ratio = match (self.value, self.limit) {
            (Some(value), Some(limit)) if limit > 0.0 => format!("{:.2}", value / limit),
            _ => "–".to_owned(),
        };
        let goal = match self.goal {
            Goal::PartOfLimit(part) => format!("≥ {part} of the limit"),
            Goal::OverLimit(more) => format!("≤ limit + {}", shown(more, self.unit)),
            Goal::AtMost(most) => format!("≤ {}", shown(most, self.unit)),
            Goal::Known => "–".to_owned(),
        };
        let reached = match (self.value, self.reached()) {
            (None, _) => "FAILED",
            (Some(_), Some(true)) => "yes",
            (Some(_), Some(false)) => "NO",
            (Some(_), None) => "",
        };
        [self.measure.clone(), number(self.limit), number(self.value), ratio, goal, reached.to_owned()]
    }
}

fn shown(value: f64, unit: &str) -> String {
    let digits = if value == 0.0 || value >= 100.0 { 0 } else { 2 };
    format!("{value:.digits$} {unit}")
}

/// All results.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds lines.
    pub(crate) fn add(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    /// Whether every measure came to a result, be it good or bad.
    pub(crate) fn all_measured(&self) -> bool {
        self.rows.iter().all(|row| row.value.is_some())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["measure", "limit", "shtask", "ratio", "goal", "reached"].map(str::to_owned);
        let lines: Vec<[String; 6]> = std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect();
        let width = |col: usize| lines.iter().map(|line| line[col].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        for (index, line) in lines.iter().enumerate() {
            let cells = line.iter().zip(widths).map(|(cell, width)| format!(" {cell:width$} |"));
            writeln!(f, "|{}", cells.collect::<String>())?;
            if index == 0 {
                let rules = widths.iter().map(|width| format!(" {} |", "-".repeat(*width)));
                writeln!(f, "|{}", rules.collect::<String>())?;
            }
        }
        Ok(())
    }
}
