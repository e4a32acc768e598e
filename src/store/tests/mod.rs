//! The store against what S2 says, and against damage.

mod make;
mod opening;
mod records;
mod retention;
