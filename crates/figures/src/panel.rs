//! Panels of the figures: a canvas below a title and a note.

use urdf_ik_plot::{Area, Bounds, Canvas, Margins, Pixels, caption};

use crate::Result;

/// Where titles are in their panels.
const TITLE: Pixels = (30, 40);

/// A canvas with these margins above, on both sides and below \[half pixels\], and between these corners \[m\].
pub fn panel<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    note: &str,
    [top, side, bottom]: [i32; 3],
    [lower, upper]: [[f64; 2]; 2],
) -> Result<Canvas<'a, 'b>> {
    titled(area, title, note)?;
    Ok(Canvas::new(area, Margins { top, side, bottom }, &Bounds::new(lower, upper)))
}

/// Writes a title, and below it a note if there is one.
pub fn titled(area: &Area, title: &str, note: &str) -> Result {
    let notes: &[_] = if note.is_empty() { &[] } else { &[note] };
    caption(area, TITLE, title, notes)
}
