//! What is found, what is left alone, and what no way of cutting changes.

mod cases;
mod commands;
mod patterns;
mod planted;
mod rows;
mod streams;
mod table;
