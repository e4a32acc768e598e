//! Secrets out of a log as it is written (S9.4), and what the program after this one needs to go on with that (S7.4).
//!
//! In such a log the places are not those of what the run printed, and what may become a secret is held back. At some points nothing is: there a
//! place of the one and a place of the other belong together, and with the little that is still looked back at the next program can make of the same
//! bytes what this one would have made, in whatever pieces they come.

use crate::redact::{MARK, Redactor, Stream};

/// A point at which nothing of a stream is held back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rest {
    /// How many bytes the run had printed there.
    pub came: u64,
    /// Where that is in the log.
    pub logged: u64,
    /// What of the past still counts, at most 256 bytes. It may have secrets in it: it is no text for a disk.
    pub behind: Vec<u8>,
}

/// What takes the secrets out of both streams of a log.
#[derive(Debug)]
pub(super) struct Redacting {
    pub(super) redactor: Redactor,
    pub(super) streams: [Redacted; 2],
}

impl Redacting {
    pub(super) fn new(redactor: &Redactor) -> Redacting {
        let streams = [(); 2].map(|()| Redacted::new(Stream::new(redactor)));
        Redacting { redactor: redactor.clone(), streams }
    }

    /// Goes on from these points with a log that has come to `ends`. Of what was printed there is only what begins at `begins`: a secret may have
    /// begun in a part that is missing, so the line in which it ends counts as one.
    pub(super) fn resumed(redactor: Redactor, rests: [Rest; 2], ends: [u64; 2], begins: [u64; 2]) -> Redacting {
        let mut places = ends.into_iter().zip(begins);
        let streams = rests.map(|rest| {
            let (end, begin) = places.next().unwrap_or_default();
            Redacted {
                came: begin.max(rest.came),
                skip: end.saturating_sub(rest.logged),
                is_torn: begin > rest.came,
                ..Redacted::new(Stream::resumed(&redactor, &rest.behind))
            }
        });
        Redacting { redactor, streams }
    }
}

/// One stream without its secrets.
#[derive(Debug)]
pub(super) struct Redacted {
    stream: Stream,
    came: u64,
    /// How much of what comes out is in the log already.
    skip: u64,
    is_torn: bool,
    /// The points whose bytes may not all be with the kernel: an early one, and the newest.
    early: Option<Rest>,
    newest: Option<Rest>,
}

impl Redacted {
    fn new(stream: Stream) -> Redacted {
        Redacted { stream, came: 0, skip: 0, is_torn: false, early: None, newest: None }
    }

    /// Returns how many bytes the run has printed.
    pub(super) fn came(&self) -> u64 {
        self.came
    }

    /// Takes the next bytes; returns what is to be appended to a log that ends at `logged`.
    pub(super) fn push(&mut self, bytes: &[u8], logged: u64) -> Vec<u8> {
        self.came += bytes.len() as u64;
        let mut whole = bytes;
        let mut clean = Vec::new();
        if self.is_torn {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return clean };
            self.is_torn = false;
            clean.extend_from_slice(MARK.as_bytes());
            whole = &bytes[end..];
        }
        clean.extend(self.stream.push(whole));
        self.leave_out_logged(&mut clean);
        if self.skip == 0
            && let Some(behind) = self.stream.at_rest()
        {
            let rest = Rest { came: self.came, logged: logged + clean.len() as u64, behind: behind.to_owned() };
            *(if self.early.is_none() { &mut self.early } else { &mut self.newest }) = Some(rest);
        }
        clean
    }

    /// Returns what was held back, as the end decides it.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut clean = self.stream.finish();
        self.leave_out_logged(&mut clean);
        clean
    }

    fn leave_out_logged(&mut self, clean: &mut Vec<u8>) {
        let count = usize::try_from(self.skip).unwrap_or(usize::MAX).min(clean.len());
        clean.drain(..count);
        self.skip -= count as u64;
    }

    /// Returns the newest point of which everything is settled, once.
    pub(super) fn settled(&mut self, settled: u64) -> Option<Rest> {
        let is_settled = |rest: &Rest| rest.logged <= settled;
        if self.newest.as_ref().is_some_and(is_settled) {
            self.early = None;
            return self.newest.take();
        }
        if !self.early.as_ref().is_some_and(is_settled) {
            return None;
        }
        std::mem::replace(&mut self.early, self.newest.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"one\npassword=hunter2Secret and on\ntwo API_TOKEN=abcdefSecretToken\npassword=\"quoted Secret\" end\nthree\n";

    fn redactor() -> Redactor {
        Redactor::new(&["EMP-(?<secret>[a-z]+)".to_owned()]).expect("patterns")
    }

    /// What a log gets of pieces of a text when nobody dies.
    fn whole(redactor: &Redactor) -> Vec<u8> {
        let mut redacting = Redacting::new(redactor);
        let mut log = redacting.streams[0].push(TEXT, 0);
        log.extend(redacting.streams[0].finish());
        log
    }

    /// S7.4, S9.4: killed when so much had come in pieces, and so much of the log was with the kernel.
    #[test]
    fn the_next_program_logs_what_this_one_would_have_wherever_it_was_killed() {
        for redactor in [redactor(), Redactor::new(&[]).expect("no patterns")] {
            let whole = whole(&redactor);
            assert!(!whole.windows(6).any(|part| part == b"Secret"), "{}", String::from_utf8_lossy(&whole));
            for piece in [1, 7, 40] {
                for killed in 0..=TEXT.len() {
                    let mut first = Redacting::new(&redactor);
                    let (mut log, mut noted) = (Vec::new(), Rest::default());
                    for bytes in TEXT[..killed].chunks(piece) {
                        let clean = first.streams[0].push(bytes, log.len() as u64);
                        log.extend(clean);
                        noted = first.streams[0].settled(log.len() as u64).unwrap_or(noted);
                    }
                    for end in [noted.logged, (noted.logged + log.len() as u64) / 2, log.len() as u64] {
                        let mut log = log[..usize::try_from(end).expect("small")].to_vec();
                        let rests = [noted.clone(), Rest::default()];
                        let from = usize::try_from(noted.came).expect("small");
                        let mut next = Redacting::resumed(redactor.clone(), rests, [end, 0], [noted.came, 0]);
                        log.extend(next.streams[0].push(&TEXT[from..], end));
                        log.extend(next.streams[0].finish());
                        assert_eq!(
                            String::from_utf8_lossy(&log),
                            String::from_utf8_lossy(&whole),
                            "killed at {killed} of pieces of {piece}, {end} logged"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_whose_beginning_is_missing_counts_as_a_secret() {
        let rest = Rest { came: 100, logged: 80, behind: b"password=".to_vec() };
        let mut next = Redacting::resumed(redactor(), [rest, Rest::default()], [80, 0], [150, 0]);
        assert_eq!(next.streams[0].push(b"tailOfA", 80), b"");
        assert_eq!(next.streams[0].push(b"Secret\nclean\n", 80), format!("{MARK}\nclean\n").as_bytes());
        assert_eq!(next.streams[0].came(), 170);
    }

    #[test]
    fn a_point_counts_when_its_bytes_are_settled() {
        let mut one = Redacting::new(&redactor());
        one.streams[0].push(b"first\n", 0);
        one.streams[0].push(b"second\n", 6);
        assert_eq!(one.streams[0].settled(5), None);
        assert_eq!(one.streams[0].settled(6).map(|rest| (rest.came, rest.logged)), Some((6, 6)));
        assert_eq!(one.streams[0].settled(12), None);
        assert_eq!(one.streams[0].settled(13).map(|rest| (rest.came, rest.logged)), Some((13, 13)));
        assert_eq!(one.streams[0].settled(13), None);
    }
}
