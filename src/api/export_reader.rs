//! An export as something to read from.

use std::io::{self, Read};

use tokio::sync::mpsc;

/// The chunks of an export as something to read from, on a thread that may wait.
#[derive(Debug)]
pub struct ExportReader {
    chunks_rx: mpsc::Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    read: usize,
}

impl ExportReader {
    /// Reads from these chunks.
    pub fn new(chunks_rx: mpsc::Receiver<Vec<u8>>) -> ExportReader {
        ExportReader { chunks_rx, chunk: Vec::new(), read: 0 }
    }
}

impl Read for ExportReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.chunk.len() {
            match self.chunks_rx.blocking_recv() {
                Some(chunk) => (self.chunk, self.read) = (chunk, 0),
                None => return Ok(0),
            }
        }
        let count = (&self.chunk[self.read..]).read(into)?;
        self.read += count;
        Ok(count)
    }
}
