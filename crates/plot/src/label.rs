//! Words in a drawing: captions, and names of quantities.

use nalgebra::Point2;
use plotters::element::Text;
use plotters::prelude::FontStyle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{RGBColor, TextStyle};

use super::canvas::Canvas;
use super::{Area, FAINT_INK, INK, Pixels, style, width_of, write};
use crate::Result;

/// Size of names and words in a drawing.
pub const LABEL: f64 = 28.0;
/// Size of an index over that of its name.
const INDEX: f64 = 0.7;
/// Writes what a panel shows: a title, and notes below it in rows.
pub fn caption(area: &Area, at: Pixels, title: &str, notes: &[&str]) -> Result {
    write(area, title, at, LABEL + 2.0, INK)?;
    for (row, note) in (1..).zip(notes) {
        write(area, note, (at.0, at.1 + 38 * row), LABEL - 2.0, FAINT_INK)?;
    }
    Ok(())
}

/// Writes words with their middle at `offset` \[half pixels\] from a point.
pub fn words(canvas: &Canvas, text: &str, at: &Point2<f64>, offset: Pixels, colour: RGBColor) -> Result {
    let (x, y) = canvas.pixel(at);
    let style = style(LABEL, colour, HPos::Center, VPos::Center);
    Ok(canvas.area.draw(&Text::new(text.to_owned(), (x + offset.0, y + offset.1), style))?)
}

/// Writes the name of a quantity, such as `l_1`, with what stands after `_` as its index.
pub fn name(canvas: &Canvas, name: &str, at: &Point2<f64>, offset: Pixels, colour: RGBColor) -> Result {
    let (symbol, index) = name.split_once('_').unwrap_or((name, ""));
    let (symbol_width, index_width) = (symbol_width(symbol), width_of(index, LABEL * INDEX));
    let (x, y) = canvas.pixel(at);
    let width = symbol_width + index_width;
    let (left, y) = (x + offset.0 - width / 2, y + offset.1);
    italic(canvas.area, symbol, (left, y), LABEL, colour)?;
    if index.is_empty() {
        return Ok(());
    }
    italic(canvas.area, index, (left + symbol_width + 1, y + 10), LABEL * INDEX, colour)
}

/// How wide a slanted letter is, about \[half pixels\].
fn symbol_width(symbol: &str) -> i32 {
    match symbol {
        "l" | "r" => 9,
        "E" | "P" => 18,
        _ => width_of(symbol, LABEL),
    }
}

fn italic(area: &Area, text: &str, at: Pixels, size: f64, colour: RGBColor) -> Result {
    let upright = style(size, colour, HPos::Left, VPos::Center);
    let slanted = TextStyle { font: upright.font.style(FontStyle::Italic), ..upright };
    Ok(area.draw(&Text::new(text.to_owned(), at, slanted))?)
}
