//! A frame as a picture: SVG, or a page of HTML.

mod boxes;
mod html;
mod look;
mod shapes;
mod svg;

pub use html::html;
pub use svg::svg;
