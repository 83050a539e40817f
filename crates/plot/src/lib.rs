//! Pictures as SVG: charts and skeletons in one style.
//!
//! Lengths are in half pixels, because plotters rounds to whole numbers. Pictures have a white background.
//!
//! plotters with its SVG backend alone compiles fast; charton and kuva take over a minute.
//!
//! ```
//! use urdf_ik_plot::{INK, TITLE, picture, write};
//!
//! let svg = picture((400, 100), |area| write(area, "How it is solved", (40, 44), TITLE, INK))?;
//! assert!(svg.contains("How it is solved"));
//! # Ok::<(), urdf_ik_plot::PlotError>(())
//! ```

#![forbid(unsafe_code)]
#![allow(
    clippy::missing_errors_doc,
    reason = "each function that draws fails where plotters cannot draw, and for no other reason"
)]

mod axis;
mod canvas;
mod colours;
mod legend;
pub mod skeleton;

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use urdf_ik_text::names::beginning;

pub use self::axis::{Chart, ChartFrame, PlotAxis};
use self::colours::pale;
pub use self::colours::{SERIES, on, share_colour};
pub use self::legend::Legend;

/// An error of plotters or of a solver.
pub type PlotError = Box<dyn Error + Send + Sync>;
/// Result of a drawing function.
pub type PlotResult<T = (), E = PlotError> = Result<T, E>;

/// A position in a picture or an offset: to the right and downwards \[half pixels\].
pub type Pixels = (i32, i32);
/// A rectangle of a picture, with coordinates from its upper left corner \[half pixels\].
pub type PlotArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Colour of the background.
const PAPER: RGBColor = RGBColor(255, 255, 255);
/// Colour of text and lines (nearly black).
pub const INK: RGBColor = RGBColor(38, 42, 48);
/// Colour of secondary text and lines (dark grey).
pub const FAINT_INK: RGBColor = RGBColor(110, 116, 124);
/// Colour of grid lines (light grey).
pub const GRID: RGBColor = RGBColor(226, 229, 233);
/// Colour of backgrounds within a picture (light grey).
pub const QUIET: RGBColor = RGBColor(236, 238, 241);

/// Font size of titles \[half pixels\].
pub const TITLE: f64 = 34.0;
/// Font size of subtitles \[half pixels\].
pub const TEXT: f64 = 26.0;
/// Font size of axis labels and legends \[half pixels\].
pub const SMALL: f64 = 22.0;
/// The factor by which plotters divides a font size.
const SIZE_FACTOR: f64 = 1.24;
/// Mean width of a letter over the font size.
const LETTER_WIDTH: f64 = 0.56;
/// Fonts, the preferred one first.
const FONTS: &str = "'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
/// Greatest number of letters of a name.
const MAX_NAME: usize = 32;

/// Draws a picture of a `size` (width and height \[half pixels\]). Returns the text of an SVG file.
///
/// # Errors
/// The error of `draw` or of plotters.
pub fn picture(size: (u32, u32), draw: impl FnOnce(&PlotArea) -> PlotResult) -> PlotResult<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&PAPER)?;
    draw(&area)?;
    area.present()?;
    drop(area);
    let (drawn, shown) = (attributes(size.0, size.1), attributes(size.0 / 2, size.1 / 2));
    // Without attributes at their defaults the file is a third smaller.
    Ok(svg.replacen(&drawn, &shown, 1).replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", ""))
}

/// Draws a picture whose lines have round ends and whose text has a white outline.
fn drawing(size: (u32, u32), draw: impl FnOnce(&PlotArea) -> PlotResult) -> PlotResult<String> {
    const LINES: &str = "<svg stroke-linecap=\"round\" stroke-linejoin=\"round\" paint-order=\"stroke\" ";
    const WORDS: &str = "<text stroke=\"#FFFFFF\" stroke-width=\"8\" ";
    Ok(picture(size, draw)?.replacen("<svg ", LINES, 1).replace("<text ", WORDS))
}

/// Width and height as attributes of SVG.
fn attributes(width: u32, height: u32) -> String {
    format!("width=\"{width}\" height=\"{height}\"")
}

/// A text style with a font size \[half pixels\], a colour, and an anchor relative to the text's box.
pub fn style(size: f64, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let style = TextStyle::from((FONTS, size * SIZE_FACTOR)).pos(Pos::new(horizontal, vertical));
    TextStyle { color: colour.to_backend_color(), ..style }
}

/// Writes a line of text with a font size \[half pixels\]. `at` is the left end, at mid-height.
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn write(area: &PlotArea, text: &str, at: Pixels, size: f64, colour: RGBColor) -> PlotResult {
    Ok(area.draw(&Text::new(text.to_owned(), at, style(size, colour, HPos::Left, VPos::Center)))?)
}

/// Approximate width \[half pixels\] of a text with font size `size` \[half pixels\].
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "texts are short")]
pub fn width_of(text: &str, size: f64) -> i32 {
    (text.chars().count() as f64 * size * LETTER_WIDTH) as i32
}

/// Truncates an untrusted name for a picture to 32 characters, and replaces control characters, because XML does not
/// allow them.
pub fn short(name: &str) -> String {
    let is_whole = beginning(name, MAX_NAME).len() == name.len();
    let text = if is_whole { name.to_owned() } else { format!("{}…", beginning(name, MAX_NAME - 1)) };
    text.replace(char::is_control, "\u{fffd}")
}

/// Simplifies a curve of points (x, y) with increasing x: omits points whose y differs by at most `tolerance` (in the
/// unit of y) from a line between the remaining points.
pub fn straightened(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let Some(&first) = points.first() else { return Vec::new() };
    let mut kept = vec![first];
    // Lines from the last kept point with slopes in this range are within the tolerance of all points since.
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
        assert_eq!(short(&"é".repeat(MAX_NAME)), "é".repeat(MAX_NAME));
        assert_eq!(short(&"é".repeat(MAX_NAME + 1)), format!("{}…", "é".repeat(MAX_NAME - 1)));
    }
}
