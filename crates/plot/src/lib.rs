//! Pictures as SVG, and what all of them look like: paper, colours, fonts and lines.
//!
//! Lengths are in half pixels: plotters draws at whole numbers, and lines are smoother so. Pictures have a light background of their own.
//!
//! ```
//! use urdf_ik_plot::{INK, TITLE, picture, write};
//!
//! let svg = picture((400, 100), |area| write(area, "How it is solved", (40, 44), TITLE, INK))?;
//! assert!(svg.contains("How it is solved"));
//! # Ok::<(), urdf_ik_plot::Failure>(())
//! ```

#![forbid(unsafe_code)]
#![allow(
    clippy::missing_errors_doc,
    reason = "each function that draws fails where plotters cannot draw, and for no other reason"
)]

mod axis;
mod bones;
mod canvas;
mod colours;
mod label;
mod legend;
pub mod skeleton;
mod view;

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use urdf_ik_text::names::beginning;

pub use self::axis::{Axis, Chart, Frame};
pub use self::bones::{Bones, TARGET, pale, root, target};
pub use self::canvas::{Bounds, Canvas, Margins, Pen};
pub use self::colours::{SERIES, on, share_colour};
pub use self::label::{LABEL, caption, name, words};
pub use self::legend::Legend;
pub use self::view::View;

/// Why there is no picture.
pub type Failure = Box<dyn Error + Send + Sync>;
/// What comes of drawing.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// A place in a picture, or an offset, to the right and downwards \[half pixels\]: as plotters has them.
pub type Pixels = (i32, i32);
/// Where is drawn.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The background.
const PAPER: RGBColor = RGBColor(255, 255, 255);
/// Words and lines.
pub const INK: RGBColor = RGBColor(38, 42, 48);
/// Words that matter less.
pub const FAINT_INK: RGBColor = RGBColor(110, 116, 124);
/// Lines behind what is drawn.
pub const GRID: RGBColor = RGBColor(226, 229, 233);
/// What has no colour of its own.
pub const QUIET: RGBColor = RGBColor(236, 238, 241);

/// Size of the letters of a title.
pub const TITLE: f64 = 34.0;
/// Size of the letters of a text.
pub const TEXT: f64 = 26.0;
/// Size of the letters beside axes and in legends.
pub const SMALL: f64 = 22.0;
/// plotters divides the size of letters by this.
const SIZE_FACTOR: f64 = 1.24;
/// Width of a letter over its size, about.
const LETTER: f64 = 0.56;
/// The fonts of words, the best one first.
const FONTS: &str = "'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
/// Letters of a name at most.
const NAME: usize = 32;

/// Draws a picture of so many half pixels: the text of an SVG file.
pub fn picture(size: (u32, u32), draw: impl FnOnce(&Area) -> Result) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&PAPER)?;
    draw(&area)?;
    area.present()?;
    drop(area);
    let (drawn, shown) = (attributes(size.0, size.1), attributes(size.0 / 2, size.1 / 2));
    // Without what goes without saying, the file is a third smaller.
    Ok(svg.replacen(&drawn, &shown, 1).replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", ""))
}

/// A picture whose lines have round ends and whose words stand out from the lines below them.
pub fn drawing(size: (u32, u32), draw: impl FnOnce(&Area) -> Result) -> Result<String> {
    const LINES: &str = "<svg stroke-linecap=\"round\" stroke-linejoin=\"round\" paint-order=\"stroke\" ";
    const WORDS: &str = "<text stroke=\"#FFFFFF\" stroke-width=\"8\" ";
    Ok(picture(size, draw)?.replacen("<svg ", LINES, 1).replace("<text ", WORDS))
}

/// Width and height as attributes of SVG.
fn attributes(width: u32, height: u32) -> String {
    format!("width=\"{width}\" height=\"{height}\"")
}

/// The style of text of some size and colour, with the given point of it where it is put.
pub fn style(size: f64, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let style = TextStyle::from((FONTS, size * SIZE_FACTOR)).pos(Pos::new(horizontal, vertical));
    TextStyle { color: colour.to_backend_color(), ..style }
}

/// Writes a line of text that begins at `at`, in the middle of its height.
pub fn write(area: &Area, text: &str, at: Pixels, size: f64, colour: RGBColor) -> Result {
    Ok(area.draw(&Text::new(text.to_owned(), at, style(size, colour, HPos::Left, VPos::Center)))?)
}

/// How wide a text is, about.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "texts are short")]
pub fn width_of(text: &str, size: f64) -> i32 {
    (text.chars().count() as f64 * size * LETTER) as i32
}

/// A name from outside as part of a picture: short, and without characters that XML does not have.
pub fn short(name: &str) -> String {
    let is_whole = beginning(name, NAME).len() == name.len();
    let text = if is_whole { name.to_owned() } else { format!("{}…", beginning(name, NAME - 1)) };
    text.replace(char::is_control, "\u{fffd}")
}

/// The points of a curve without those that a straight line comes closer to than `tolerance` (in y). Its x must rise.
pub fn straightened(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let Some(&first) = points.first() else { return Vec::new() };
    let mut kept = vec![first];
    // Lines from the last point that was kept, with slopes between these, are within the tolerance of all points since.
    let (mut from, mut slopes) = (first, ALL);
    for pair in points.windows(2) {
        let (last, next) = (pair[0], pair[1]);
        let slope = |from: (f64, f64), offset: f64| (next.1 + offset - from.1) / (next.0 - from.0);
        if !(slopes.0..=slopes.1).contains(&slope(from, 0.0)) {
            kept.push(last);
            (from, slopes) = (last, ALL);
        }
        slopes = (slopes.0.max(slope(from, -tolerance)), slopes.1.min(slope(from, tolerance)));
    }
    kept.extend(points[1..].last());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_without_control_characters() {
        assert_eq!(short("tool\n0"), "tool\u{fffd}0");
        assert_eq!(short(&"é".repeat(NAME)), "é".repeat(NAME));
        assert_eq!(short(&"é".repeat(NAME + 1)), format!("{}…", "é".repeat(NAME - 1)));
    }
}
