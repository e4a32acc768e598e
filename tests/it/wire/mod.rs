//! The protocol as it is written down: every message has a sample, which older and newer programs must be able to read.

mod samples;
