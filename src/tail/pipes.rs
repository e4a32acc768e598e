//! Both streams of a pipes run.

use std::collections::VecDeque;

use super::{Tail, TailText};
use crate::model::PipesOutput;

/// The most changes between the streams that are remembered. Beyond that the oldest order is forgotten, not the bytes: far
/// more changes than any window shows lines.
const MAX_TURNS: usize = 4096;

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Pipe {
    /// Returns the name that records use.
    pub const fn name(self) -> &'static str {
        match self {
            Pipe::Stdout => "stdout",
            Pipe::Stderr => "stderr",
        }
    }
}

/// The tails of both streams, and the order in which their newest chunks came.
#[derive(Debug)]
pub struct PipesTail {
    stdout: Tail,
    stderr: Tail,
    /// How many bytes each stream wrote before the other did, oldest first.
    turns: VecDeque<(Pipe, u64)>,
}

impl PipesTail {
    /// Makes empty tails that keep at most `max_bytes` of each stream.
    pub fn new(max_bytes: usize) -> PipesTail {
        PipesTail::beginning_at(max_bytes, [0; 2])
    }

    /// Makes tails of streams of which so many bytes, of standard output and of standard error, came before and are not there any more.
    pub fn beginning_at(max_bytes: usize, before: [u64; 2]) -> PipesTail {
        let [stdout, stderr] = before.map(|before| Tail::beginning_at(max_bytes, before));
        PipesTail { stdout, stderr, turns: VecDeque::new() }
    }

    /// Takes the next bytes of a stream.
    pub fn admit(&mut self, pipe: Pipe, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match self.turns.back_mut() {
            Some((last, length)) if *last == pipe => *length += bytes.len() as u64,
            _ => {
                if self.turns.len() == MAX_TURNS {
                    self.turns.pop_front();
                }
                self.turns.push_back((pipe, bytes.len() as u64));
            }
        }
        match pipe {
            Pipe::Stdout => self.stdout.admit(bytes),
            Pipe::Stderr => self.stderr.admit(bytes),
        }
    }

    /// Returns the tail of one stream.
    pub fn stream(&self, pipe: Pipe) -> &Tail {
        match pipe {
            Pipe::Stdout => &self.stdout,
            Pipe::Stderr => &self.stderr,
        }
    }

    /// Returns the stream that wrote last.
    pub fn latest(&self) -> Option<Pipe> {
        self.turns.back().map(|(pipe, _)| *pipe)
    }

    /// Returns the newest output of both streams in the order it came, at most `max_bytes`: what a person sees of a run.
    ///
    /// It reaches back only as far as both tails do.
    pub fn merged_tail(&self, max_bytes: usize) -> Vec<(Pipe, Vec<u8>)> {
        let mut left = max_bytes;
        let mut unread = [self.stdout.kept_bytes(), self.stderr.kept_bytes()];
        let mut newest_first = Vec::new();
        for &(pipe, length) in self.turns.iter().rev() {
            let unread = &mut unread[pipe as usize];
            let wanted = usize::try_from(length).unwrap_or(usize::MAX);
            let count = wanted.min(*unread).min(left);
            *unread -= count;
            left -= count;
            newest_first.push((pipe, self.stream(pipe).slice(*unread, count)));
            // What comes before a gap would not be in its place.
            if count < wanted {
                break;
            }
        }
        newest_first.reverse();
        newest_first.retain(|(_, bytes)| !bytes.is_empty());
        newest_first
    }

    /// Returns what the record keeps of both streams (S2.4), by a function that returns the text of one and whether something was redacted in it.
    pub fn output(&self, text: impl Fn(&Tail) -> (TailText, bool)) -> PipesOutput {
        let (TailText { text: stdout, truncated: stdout_truncated }, stdout_redacted) = text(&self.stdout);
        let (TailText { text: stderr, truncated: stderr_truncated }, stderr_redacted) = text(&self.stderr);
        PipesOutput {
            stdout,
            stderr,
            latest_stream: self.latest().map(|pipe| pipe.name().to_owned()),
            stdout_truncated,
            stderr_truncated,
            redacted: stdout_redacted || stderr_redacted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merged_tail_keeps_the_order_of_arrival() {
        let mut tail = PipesTail::new(100);
        for (pipe, text) in [(Pipe::Stdout, "a"), (Pipe::Stdout, "b"), (Pipe::Stderr, "X"), (Pipe::Stdout, "c")] {
            tail.admit(pipe, text.as_bytes());
        }
        let merged = |max| tail.merged_tail(max);
        assert_eq!(
            merged(100),
            [(Pipe::Stdout, b"ab".to_vec()), (Pipe::Stderr, b"X".to_vec()), (Pipe::Stdout, b"c".to_vec())]
        );
        assert_eq!(
            merged(3),
            [(Pipe::Stdout, b"b".to_vec()), (Pipe::Stderr, b"X".to_vec()), (Pipe::Stdout, b"c".to_vec())]
        );
        assert_eq!(merged(1), [(Pipe::Stdout, b"c".to_vec())]);
    }

    #[test]
    fn the_merged_tail_does_not_reach_over_what_was_dropped() {
        let mut tail = PipesTail::new(4);
        tail.admit(Pipe::Stderr, b"E");
        tail.admit(Pipe::Stdout, b"123456");
        assert_eq!(tail.merged_tail(100), [(Pipe::Stdout, b"3456".to_vec())]);
    }

    #[test]
    fn many_turns_take_bounded_memory() {
        let mut tail = PipesTail::new(1000);
        for at in 0..10_000 {
            tail.admit(if at % 2 == 0 { Pipe::Stdout } else { Pipe::Stderr }, b"x");
        }
        assert_eq!(tail.turns.len(), MAX_TURNS);
        assert_eq!(tail.latest(), Some(Pipe::Stderr));
    }

    #[test]
    fn the_record_names_the_latest_stream_and_what_was_cut() {
        let mut tail = PipesTail::new(6);
        tail.admit(Pipe::Stderr, b"oops\n");
        tail.admit(Pipe::Stdout, b"one\ntwo\n");
        let output = tail.output(|stream| (stream.text(100), false));
        assert_eq!(output.stdout, "two\n");
        assert!(output.stdout_truncated && !output.stderr_truncated);
        assert_eq!(output.latest_stream.as_deref(), Some("stdout"));
    }
}
