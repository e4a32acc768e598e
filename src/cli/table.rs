//! Tables for people: aligned columns, cut at the terminal's width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The space between two columns.
const GAP: usize = 2;

/// The least that is left of the last column of a narrow terminal.
const LEAST_LAST: usize = 8;

/// A colour of a cell, as SGR parameters; empty for none.
pub(super) type Paint = &'static str;

/// A piece of text of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableCell {
    text: String,
    paint: Paint,
}

impl From<String> for TableCell {
    fn from(text: String) -> TableCell {
        TableCell { text, paint: "" }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> TableCell {
        TableCell { text: text.to_owned(), paint: "" }
    }
}

impl TableCell {
    /// Makes a cell that has a colour where colours are shown.
    pub(super) fn painted(text: impl Into<String>, paint: Paint) -> TableCell {
        TableCell { text: text.into(), paint }
    }
}

/// Rows of cells below a heading. The text of cells must be fit to be shown; it is cut here, not escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<TableCell>>,
}

impl Table {
    /// Makes an empty table; an empty heading is not printed.
    pub(super) fn new<const N: usize>(heading: [&'static str; N]) -> Table {
        Table { heading: heading.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn row<const N: usize>(&mut self, cells: [TableCell; N]) {
        debug_assert_eq!(N, self.heading.len(), "a row has a cell for each column");
        self.rows.push(cells.into());
    }

    /// Writes the table; with `cols`, no line is wider. Only the last column is cut.
    pub(super) fn text(&self, cols: Option<u16>, colored: bool) -> String {
        let heads: Vec<TableCell> = self.heading.iter().map(|head| TableCell::painted(*head, "2")).collect();
        let is_headed = self.heading.iter().any(|head| !head.is_empty());
        let all = || is_headed.then_some(&heads).into_iter().chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].text.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        let before_last: usize = widths.iter().rev().skip(1).map(|width| width + GAP).sum();
        let room = cols.map(|cols| usize::from(cols).saturating_sub(before_last).max(LEAST_LAST));
        let mut text = String::new();
        for row in all() {
            let mut line = String::new();
            let last = row.len() - 1;
            for (column, cell) in row.iter().enumerate() {
                let shown = if column == last { cut(&cell.text, room) } else { cell.text.clone() };
                let pad = if column == last { 0 } else { widths[column] + GAP - shown.width() };
                match cell.paint {
                    paint if colored && !paint.is_empty() => line.push_str(&format!("\x1b[{paint}m{shown}\x1b[0m")),
                    _ => line.push_str(&shown),
                }
                line.push_str(&" ".repeat(pad));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Cuts a text to so many columns, with `…` at the end.
fn cut(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|room| text.width() > *room) else { return text.to_owned() };
    let mut shown = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= room {
            break;
        }
        shown.push(c);
    }
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["ID", "STATUS", "COMMAND"]);
        table.row(["4k".into(), TableCell::painted("running", "32"), "npm run dev --host 0.0.0.0".into()]);
        table.row(["漢字".into(), "ok".into(), "".into()]);
        table
    }

    #[test]
    fn columns_are_aligned_also_behind_wide_characters() {
        assert_eq!(
            table().text(None, false),
            "ID    STATUS   COMMAND\n4k    running  npm run dev --host 0.0.0.0\n漢字  ok\n"
        );
    }

    #[test]
    fn the_last_column_is_cut_at_the_width_of_the_terminal() {
        let text = table().text(Some(26), false);
        assert!(text.lines().all(|line| line.width() <= 26), "{text}");
        assert!(text.contains("npm run dev…\n") || text.contains("npm run de…\n"), "{text}");
    }

    #[test]
    fn colours_do_not_move_the_columns() {
        let text = table().text(None, true);
        assert!(text.contains("\x1b[32mrunning\x1b[0m  npm"), "{text:?}");
    }
}
