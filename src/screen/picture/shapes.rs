//! Box drawing, blocks and braille as SVG shapes, so that they meet without gaps.

use super::boxes::{Shape, Weight};
use super::look::{Rgb, hex};
use super::svg::{CELL, put};

/// A straight line: colour, thickness, start and end.
type Line = (Rgb, f32, [f32; 4]);

/// The shapes of one row; lines that meet end to end are joined.
#[derive(Default)]
pub(super) struct Shapes {
    out: String,
    lines: Vec<Line>,
}

impl Shapes {
    /// Adds the shape of a cell whose upper left corner is at `x`, `y`.
    pub(super) fn add(&mut self, shape: &Shape, (x, y): (f32, f32), colour: Rgb) {
        let fill = hex(colour);
        match shape {
            Shape::Strokes(sides) => self.strokes(*sides, (x, y), colour),
            Shape::Arc(sides) => {
                let [top, right, _, _] = sides.map(|side| side != Weight::None);
                let (middle_x, middle_y) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
                let (from_y, to_x) = (if top { y } else { y + CELL.1 }, if right { x + CELL.0 } else { x });
                put(
                    &mut self.out,
                    format_args!(
                        "<path d=\"M{middle_x} {from_y}Q{middle_x} {middle_y} {to_x} {middle_y}\" fill=\"none\" stroke=\"{fill}\"/>\n"
                    ),
                );
            }
            Shape::Rectangles(all) => {
                for [left, top, width, height] in all.iter().map(|one| one.map(f32::from)) {
                    let (left, top) = (x + left * CELL.0 / 8.0, y + top * CELL.1 / 8.0);
                    self.rectangle([left, top, width * CELL.0 / 8.0, height * CELL.1 / 8.0], &fill, 100);
                }
            }
            Shape::Shade(hundredths) => self.rectangle([x, y, CELL.0, CELL.1], &fill, *hundredths),
            Shape::Dots(all) => {
                for (col, row) in all {
                    let (left, top) =
                        (x + CELL.0 * (0.25 + 0.5 * f32::from(*col)), y + CELL.1 * (0.125 + 0.25 * f32::from(*row)));
                    put(
                        &mut self.out,
                        format_args!("<circle cx=\"{left}\" cy=\"{top}\" r=\"1.2\" fill=\"{fill}\"/>\n"),
                    );
                }
            }
        }
    }

    /// Returns the SVG elements.
    pub(super) fn finish(mut self) -> String {
        for (colour, thick, [x1, y1, x2, y2]) in self.lines {
            put(
                &mut self.out,
                format_args!(
                    "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"{}\" stroke-width=\"{thick}\"/>\n",
                    hex(colour)
                ),
            );
        }
        self.out
    }

    fn rectangle(&mut self, [x, y, width, height]: [f32; 4], fill: &str, hundredths: u8) {
        let opacity = if hundredths < 100 { format!(" opacity=\"0.{hundredths:02}\"") } else { String::new() };
        put(
            &mut self.out,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"{opacity} shape-rendering=\"crispEdges\"/>\n"
            ),
        );
    }

    fn strokes(&mut self, [top, right, bottom, left]: [Weight; 4], (x, y): (f32, f32), colour: Rgb) {
        let (middle_x, middle_y) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
        let ends = [
            (left, [x, middle_y, middle_x, middle_y]),
            (right, [middle_x, middle_y, x + CELL.0, middle_y]),
            (top, [middle_x, y, middle_x, middle_y]),
            (bottom, [middle_x, middle_y, middle_x, y + CELL.1]),
        ];
        for (weight, line) in ends {
            match weight {
                Weight::None => {}
                Weight::Light => self.line((colour, 1.0, line)),
                Weight::Heavy => self.line((colour, 2.5, line)),
                Weight::Double => {
                    let is_level = is_level(line);
                    for off in [-1.5, 1.5] {
                        let (dx, dy) = if is_level { (0.0, off) } else { (off, 0.0) };
                        let [x1, y1, x2, y2] = line;
                        self.line((colour, 1.0, [x1 + dx, y1 + dy, x2 + dx, y2 + dy]));
                    }
                }
            }
        }
    }

    fn line(&mut self, line: Line) {
        let same = |a: f32, b: f32| a.total_cmp(&b).is_eq();
        let joined = self.lines.iter_mut().rev().take(4).find(|(colour, thick, end)| {
            let meets = same(end[2], line.2[0]) && same(end[3], line.2[1]);
            is_level(*end) && is_level(line.2) && meets && *colour == line.0 && same(*thick, line.1)
        });
        match joined {
            Some((_, _, end)) => end[2] = line.2[2],
            None => self.lines.push(line),
        }
    }
}

fn is_level(line: [f32; 4]) -> bool {
    line[1].total_cmp(&line[3]).is_eq()
}
