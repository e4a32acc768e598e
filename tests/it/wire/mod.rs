//! The protocol as it is written down: every message has a sample that older and newer programs must be able to read.
