//! Legends.

use plotters::element::PathElement;
use plotters::style::{Color, RGBColor};

use super::{INK, Pixels, PlotArea, SMALL, width_of, write};
use crate::PlotResult;

/// Height of a row \[half pixels\].
const ROW: i32 = 40;
/// Length of the line before a name \[half pixels\].
const LINE: i32 = 44;
/// Distance between a line and its name \[half pixels\].
const GAP: i32 = 14;
/// Distance between a name and the next line \[half pixels\].
const BETWEEN: i32 = 30;

/// A legend: names with lines in their colours, in rows.
pub struct Legend {
    /// Names, their colours, and the left ends of their lines below the top.
    entries: Vec<(String, Option<RGBColor>, Pixels)>,
}

impl Legend {
    /// Arranges names between the horizontal positions `left` and `right` \[half pixels\], in as many rows as needed. A
    /// name without a colour has no line.
    pub fn new(names: Vec<(String, Option<RGBColor>)>, left: i32, right: u32) -> Self {
        let (mut x, mut y) = (left, ROW / 2);
        let mut entries = Vec::with_capacity(names.len());
        for (name, colour) in names {
            let width = LINE + GAP + width_of(&name, SMALL) + BETWEEN;
            if x > left && i64::from(x + width) > i64::from(right) {
                (x, y) = (left, y + ROW);
            }
            entries.push((name, colour, (x, y)));
            x += width;
        }
        Self { entries }
    }

    /// Total height of the rows \[half pixels\].
    pub fn height(&self) -> u32 {
        let last = self.entries.last().map_or(0, |(_, _, (_, y))| y + ROW / 2);
        last.unsigned_abs()
    }

    /// Draws the legend at a distance of `top` \[half pixels\] from the upper edge.
    ///
    /// # Errors
    /// An error of plotters if drawing fails.
    pub fn draw(&self, area: &PlotArea, top: i32) -> PlotResult {
        for (name, colour, (x, y)) in &self.entries {
            let y = top + y;
            if let Some(colour) = colour {
                area.draw(&PathElement::new([(*x, y), (x + LINE, y)], colour.stroke_width(6)))?;
            }
            write(area, name, (x + if colour.is_some() { LINE + GAP } else { 0 }, y), SMALL, INK)?;
        }
        Ok(())
    }
}
