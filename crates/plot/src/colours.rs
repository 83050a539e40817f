//! Colours that remain distinct with colour blindness.

use plotters::style::RGBColor;

/// Colours of lines: those of Okabe and Ito (2008, "Color universal design") without yellow, which is faint on white,
/// and without black, the colour of the tip; plus a brown, an olive and a violet.
pub const SERIES: [RGBColor; 9] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(140, 81, 10),
    RGBColor(153, 153, 51),
    RGBColor(118, 60, 160),
];

/// A scale from light to dark, legible in grey: YlGnBu of ColorBrewer (Brewer 2003) without its lightest colour.
const SHARES: [[f64; 3]; 8] = [
    [237.0, 248.0, 177.0],
    [199.0, 233.0, 180.0],
    [127.0, 205.0, 187.0],
    [65.0, 182.0, 196.0],
    [29.0, 145.0, 192.0],
    [34.0, 94.0, 168.0],
    [37.0, 52.0, 148.0],
    [8.0, 29.0, 88.0],
];

/// Colour for a fraction `share`, from 0 (light) to 1 (dark).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of the scale")]
pub fn share_colour(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * 7.0;
    let lower = (at as usize).min(6);
    let [red, green, blue] =
        [0, 1, 2].map(|channel| between(SHARES[lower][channel], SHARES[lower + 1][channel], at - at.floor().min(6.0)));
    RGBColor(red, green, blue)
}

/// A colour lightened on a white background: `share` (0 to 1) is its remaining opacity.
pub fn pale(colour: RGBColor, share: f64) -> RGBColor {
    let [red, green, blue] = [colour.0, colour.1, colour.2].map(|part| between(255.0, f64::from(part), share));
    RGBColor(red, green, blue)
}

/// A part of a colour, at a `share` of the way between two others.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn between(from: f64, to: f64, share: f64) -> u8 {
    (from + (to - from) * share).round() as u8
}

/// Text colour with contrast on a background: black or white.
pub fn on(background: RGBColor) -> RGBColor {
    let RGBColor(red, green, blue) = background;
    let brightness = 0.3 * f64::from(red) + 0.59 * f64::from(green) + 0.11 * f64::from(blue);
    if brightness > 140.0 { RGBColor(0, 0, 0) } else { RGBColor(255, 255, 255) }
}
