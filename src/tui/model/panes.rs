//! The panes of a model: that of the selected row, and those beside it.

use ratatui::layout::Rect;

use crate::model::{RunId, Size};

use super::{Model, Pane, Row, areas};

impl Model {
    /// The number of the pane of the selected row.
    pub(crate) fn focused_pane(&self) -> usize {
        self.split.focused(self.list.selected_key())
    }

    /// A pane by its number.
    pub(crate) fn pane_at(&self, index: usize) -> Option<&Pane> {
        match index.checked_sub(self.focused_pane()) {
            Some(0) => Some(&self.pane),
            Some(_) => self.beside.get(index - 1),
            None => self.beside.get(index),
        }
    }

    pub(crate) fn pane_at_mut(&mut self, index: usize) -> Option<&mut Pane> {
        match index.checked_sub(self.focused_pane()) {
            Some(0) => Some(&mut self.pane),
            Some(_) => self.beside.get_mut(index - 1),
            None => self.beside.get_mut(index),
        }
    }

    /// The pane that is to show a run.
    pub(crate) fn pane_of_mut(&mut self, run: RunId) -> Option<&mut Pane> {
        std::iter::once(&mut self.pane).chain(&mut self.beside).find(|pane| pane.run == Some(run))
    }

    /// The row of a pane.
    pub(crate) fn row_at(&self, index: usize) -> Option<&Row> {
        let key = self.split.key_at(index, self.list.selected_key())?;
        self.list.rows.iter().find(|row| row.key == *key)
    }

    /// The terminals that are shown: the number of each pane and its cells.
    pub(crate) fn terminals(&self) -> impl Iterator<Item = (usize, Rect)> {
        let focused = self.focused_pane();
        let is_covered = self.inspect.is_some();
        let panes = if self.ending.is_some() { None } else { areas(self) }.map(|areas| areas.panes);
        let places = panes.into_iter().flatten().enumerate();
        places.filter_map(move |(index, place)| {
            let body = place?.body;
            let is_hidden = body.is_empty() || (is_covered && index == focused);
            (!is_hidden).then_some((index, body))
        })
    }

    /// The cells of the terminal of a run, when it is shown.
    pub(crate) fn terminal_of(&self, run: RunId) -> Option<Rect> {
        self.terminals()
            .find(|(index, _)| self.pane_at(*index).is_some_and(|pane| pane.run == Some(run)))
            .map(|(_, area)| area)
    }

    /// The runs whose terminals are shown.
    pub(crate) fn shown_runs(&self) -> Vec<RunId> {
        self.terminals().filter_map(|(index, _)| self.pane_at(index)?.run).collect()
    }

    /// The size that a run gets in these cells.
    pub(crate) fn size_in(&self, area: Rect) -> Size {
        if self.size.0 == 0 || self.size.1 == 0 {
            return Size::DEFAULT;
        }
        Size::clamped(area.width, area.height)
    }
}
