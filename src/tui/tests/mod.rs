//! Tests of the pure part and of the loop.
