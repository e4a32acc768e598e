//! What the user's terminal sends, read and understood here: nothing waits inside, a terminal that is gone is noticed, and a key is
//! known as soon as it was pressed.

mod kitty;
mod parser;
#[cfg(test)]
mod parser_tests;
mod reader;
mod sequence;

pub(super) use reader::inputs;
