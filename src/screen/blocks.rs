//! Many finished lines in few allocations: a flood adds and drops a million a second.

use std::collections::VecDeque;

use super::line::{LineView, OpenLine, Run};

/// A block takes no more lines once its text has this many bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// Nor once it has this many lines.
const BLOCK_LINES: usize = 1024;

/// Finished lines, oldest first.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: VecDeque<Block>,
    /// Lines of the first block that are dropped already.
    dropped: usize,
    len: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Block {
    text: String,
    runs: Vec<Run>,
    ends: Vec<End>,
}

/// Where a line ends in its block, and what is known of it.
#[derive(Debug, Clone, Copy)]
struct End {
    text: u32,
    runs: u32,
    cols: u32,
    mixed: bool,
}

impl Block {
    fn line(&self, index: usize) -> LineView<'_> {
        let start = index.checked_sub(1).map_or((0, 0), |before| (self.ends[before].text, self.ends[before].runs));
        let end = self.ends[index];
        LineView {
            text: &self.text[start.0 as usize..end.text as usize],
            runs: &self.runs[start.1 as usize..end.runs as usize],
            cols: end.cols,
            mixed: end.mixed,
        }
    }

    fn is_full(&self) -> bool {
        self.text.len() >= BLOCK_BYTES || self.ends.len() >= BLOCK_LINES
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.runs.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn memory(line: LineView<'_>) -> usize {
    size_of::<End>() + line.text.len() + size_of_val(line.runs)
}

impl Blocks {
    /// Returns how many lines there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the memory that the lines take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends a line.
    pub(super) fn push(&mut self, line: LineView<'_>) {
        if self.blocks.back().is_none_or(Block::is_full) {
            if let Some(full) = self.blocks.back_mut() {
                full.shrink();
            }
            self.blocks.push_back(Block::default());
        }
        let block = self.blocks.back_mut().expect("there is one now");
        block.text.push_str(line.text);
        block.runs.extend_from_slice(line.runs);
        block.ends.push(End {
            text: block.text.len() as u32,
            runs: block.runs.len() as u32,
            cols: line.cols,
            mixed: line.mixed,
        });
        self.len += 1;
        self.bytes += memory(line);
    }

    /// Drops the oldest line; returns how many rows of `width` columns it took.
    pub(super) fn drop_oldest(&mut self, width: u16) -> Option<u64> {
        let block = self.blocks.front()?;
        let line = block.line(self.dropped);
        let rows = line.rows(width);
        self.bytes -= memory(line);
        self.len -= 1;
        self.dropped += 1;
        if self.dropped == block.ends.len() {
            self.blocks.pop_front();
            self.dropped = 0;
        }
        Some(rows)
    }

    /// Takes the newest line.
    pub(super) fn pop(&mut self) -> Option<OpenLine> {
        let is_first = self.blocks.len() == 1;
        let block = self.blocks.back_mut()?;
        let last = block.ends.len() - 1;
        let view = block.line(last);
        self.bytes -= memory(view);
        self.len -= 1;
        let line = OpenLine::from(view);
        let start = last.checked_sub(1).map_or((0, 0), |before| (block.ends[before].text, block.ends[before].runs));
        block.text.truncate(start.0 as usize);
        block.runs.truncate(start.1 as usize);
        block.ends.pop();
        if block.ends.is_empty() || is_first && block.ends.len() == self.dropped {
            self.blocks.pop_back();
            if is_first {
                self.dropped = 0;
            }
        }
        Some(line)
    }

    /// Returns the lines, oldest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = LineView<'_>> {
        self.blocks.iter().enumerate().flat_map(|(at, block)| {
            let from = if at == 0 { self.dropped } else { 0 };
            (from..block.ends.len()).map(|index| block.line(index))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Style;

    fn line(text: &str) -> OpenLine {
        let mut line = OpenLine::default();
        line.push_text(text, text.len() as u32, false, Style::default());
        line
    }

    #[test]
    fn lines_come_and_go_at_both_ends() {
        let mut blocks = Blocks::default();
        for number in 0..3000 {
            blocks.push(line(&number.to_string()).view());
        }
        assert_eq!(blocks.drop_oldest(2), Some(1));
        assert_eq!(blocks.pop().map(|line| line.view().text.to_owned()).as_deref(), Some("2999"));
        for _ in 0..2000 {
            blocks.drop_oldest(80);
        }
        let texts: Vec<&str> = blocks.iter().map(|line| line.text).collect();
        assert_eq!((texts.len(), texts[0], texts[997]), (998, "2001", "2998"));
        while blocks.pop().is_some() {}
        assert_eq!((blocks.len(), blocks.bytes(), blocks.iter().count()), (0, 0, 0));
        blocks.push(line("again").view());
        assert_eq!(blocks.iter().next().map(|line| line.text), Some("again"));
    }
}
