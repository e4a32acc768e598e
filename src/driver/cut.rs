//! Control cuts: exact points between two chunks of output (S4.1, S4.2).

use super::port::Report;
use super::task::Driver;
use super::view::Collector;
use crate::api::Answer;
use crate::model::{
    Applied, Cut, CutOutcome, ErrorCode, Failure, Input, ResizeOutcome, Size, WriteOutcome, WriteStdin,
};
use crate::sys::tty;

impl Driver {
    /// Applies a control operation: takes in what is there, resizes, types, takes the frame, answers. No `await` inside.
    pub(super) fn cut(&mut self, control: WriteStdin, is_noted: bool, answer: Answer<Cut>) -> Option<Report> {
        if answer.is_abandoned() {
            return None;
        }
        if self.root_exited {
            return Some(Report::TooLate(nothing_applied(&control), answer));
        }
        let Collector::Pty(_) = &self.collector else {
            let message = "this run has pipes: it takes no input and has no size";
            answer.send(Err(
                Failure::new(ErrorCode::Unsupported, message).with_hint("start it with a PTY to type into it")
            ));
            return None;
        };
        self.take_in_for_cut();
        let before = self.size;
        let mut outcome = CutOutcome::default();
        match self.encode(control.input.as_ref()) {
            Err(failure) => {
                outcome = nothing_applied(&control);
                outcome.failed = Some(failure);
            }
            Ok(bytes) => {
                outcome.resize = control.size.map(|size| self.resize(size, &mut outcome.failed));
                let echoed = is_noted && self.echoes();
                outcome.input = bytes.map(|bytes| self.type_in(&bytes, &mut outcome.failed));
                let queued = outcome.input.is_some_and(|input| input.queued);
                if let Some(input) = control.input.as_ref().filter(|_| is_noted && queued) {
                    self.typed.note(input, echoed && self.echoes());
                }
            }
        }
        if outcome.input.is_some_and(|input| input.queued) {
            self.typed_something();
        }
        self.cuts += 1;
        let (cuts, typed_bytes) = (self.cuts, self.typed_bytes);
        self.count(|counters, _| (counters.cuts, counters.typed_bytes) = (cuts, typed_bytes));
        let Collector::Pty(screen) = &mut self.collector else { return None };
        screen.count_cut();
        self.keep.cut(self.cuts);
        let frame = screen.frame();
        answer.send(Ok(Cut { outcome, view: Applied::Live(frame.clone()) }));
        if self.viewers.are_there() {
            if self.size != before {
                self.viewers.show(frame);
            } else {
                self.viewers.pace.typed();
                self.viewers.keep(frame);
            }
        }
        (self.size != before).then_some(Report::Resized(self.size))
    }

    /// Returns whether the terminal echoes what is typed at this moment.
    fn echoes(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| tty::echoes(sink.fd()).unwrap_or(false))
    }

    /// Turns input into bytes, from the modes of the screen at this instant.
    fn encode(&self, input: Option<&Input>) -> Result<Option<Vec<u8>>, Failure> {
        let Collector::Pty(screen) = &self.collector else { return Ok(None) };
        match input {
            None => Ok(None),
            Some(Input::Text(text)) => Ok(Some(text.as_bytes().to_vec())),
            Some(Input::Actions(actions)) => match screen.encode(actions) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) => Err(Failure::new(ErrorCode::Unsupported, error.to_string())),
            },
        }
    }

    /// Gives the terminal another size: the kernel first, then the screen.
    fn resize(&mut self, size: Size, failed: &mut Option<Failure>) -> ResizeOutcome {
        let changed = size != self.size;
        let Collector::Pty(screen) = &mut self.collector else {
            return ResizeOutcome { size, applied: false, changed: false };
        };
        if changed {
            if let Some(sink) = &self.sink
                && let Err(error) = tty::set_window_size(sink.fd(), size.cols(), size.rows())
            {
                failed.get_or_insert(Failure::new(
                    ErrorCode::Broken,
                    format!("the terminal could not be resized: {error}"),
                ));
                return ResizeOutcome { size, applied: false, changed: false };
            }
            screen.resize(size);
            self.size = size;
            self.keep.resized(size);
        }
        ResizeOutcome { size, applied: true, changed }
    }

    /// Queues input and writes what the kernel takes at once.
    fn type_in(&mut self, bytes: &[u8], failed: &mut Option<Failure>) -> WriteOutcome {
        let queued = self.sink.as_mut().is_some_and(|sink| sink.queue(bytes));
        if !queued {
            let message = "the run does not read its input and too much waits already";
            failed.get_or_insert(Failure::new(ErrorCode::Busy, message));
        }
        self.write_input();
        WriteOutcome { bytes: bytes.len(), queued }
    }
}

/// The outcome of a control that came to nothing.
fn nothing_applied(control: &WriteStdin) -> CutOutcome {
    CutOutcome {
        input: control.input.as_ref().map(|_| WriteOutcome { bytes: 0, queued: false }),
        resize: control.size.map(|size| ResizeOutcome { size, applied: false, changed: false }),
        failed: None,
    }
}
