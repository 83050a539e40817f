//! Drawings in metres: a projection of space, skeletons, and marks of roots and targets.

use nalgebra::{Point2, Point3, Vector2, Vector3};
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Circle, EmptyElement, PathElement, Rectangle, Text};
use plotters::prelude::{Cartesian2d, DrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use crate::{INK, PAPER, Pixels, PlotArea, PlotResult, SERIES, style};

/// A drawing area with coordinates in metres. Both axes have the same scale.
pub type Canvas<'b> = DrawingArea<SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// Coordinates of a point on a canvas: to the right and upwards \[m\].
pub type CanvasPoint = (f64, f64);

/// The colour of targets in every drawing.
pub const TARGET: RGBColor = SERIES[3];
/// Font size of names in a drawing \[half pixels\].
pub const LABEL: f64 = 28.0;
/// Left and right margin of a canvas within its area, for names \[half pixels\].
pub const SIDE: i32 = 120;
/// Top margin of a canvas \[half pixels\].
pub const TOP: i32 = 80;
/// Bottom margin of a canvas \[half pixels\].
pub const BOTTOM: i32 = 40;
/// Half the side of the square that marks a fixed root \[half pixels\].
const ROOT: i32 = 12;

/// A parallel projection of space onto a canvas.
#[derive(Clone, Copy)]
pub struct Projection {
    /// The unit vector that points to the right on the canvas.
    pub right: Vector3<f64>,
    /// The unit vector that points upwards on the canvas.
    pub up: Vector3<f64>,
}

impl Projection {
    /// Projects a point \[m\] onto the canvas \[m\].
    pub fn place(&self, point: &Point3<f64>) -> CanvasPoint {
        (self.right.dot(&point.coords), self.up.dot(&point.coords))
    }

    /// Projects points \[m\] onto the canvas \[m\].
    pub fn places(&self, points: &[Point3<f64>]) -> Vec<CanvasPoint> {
        points.iter().map(|point| self.place(point)).collect()
    }
}

/// A rectangle on a canvas: its centre and its size \[m\].
#[derive(Clone, Copy)]
pub struct CanvasBounds {
    /// Centre \[m\].
    pub centre: Point2<f64>,
    /// Width and height \[m\].
    pub size: Vector2<f64>,
}

impl CanvasBounds {
    /// The bounding rectangle of points \[m\]; without points, an empty one at the origin.
    pub fn around(points: impl Iterator<Item = CanvasPoint>) -> Self {
        let corners = points.map(|(x, y)| (Vector2::new(x, y), Vector2::new(x, y)));
        let (lower, upper) = corners.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1))).unwrap_or_default();
        Self { centre: (0.5 * (lower + upper)).into(), size: upper - lower }
    }
}

/// The canvas with the largest scale that shows `bounds` \[m\], centred in the area within its margins.
pub fn canvas<'b>(area: &PlotArea<'b>, bounds: &CanvasBounds) -> Canvas<'b> {
    let (across, down) = area.get_pixel_range();
    let (across, down) = (across.start + SIDE..across.end - SIDE, down.end - BOTTOM..down.start + TOP);
    let pixels = Vector2::new(f64::from(across.end - across.start), f64::from(down.start - down.end));
    let half = 0.5 * pixels / pixels.component_div(&bounds.size).min();
    let (lower, upper) = (bounds.centre - half, bounds.centre + half);
    area.apply_coord_spec(Cartesian2d::new(lower.x..upper.x, lower.y..upper.y, (across, down)))
}

/// Draws the bones of a tree of `points` \[m\] as lines of `width` \[half pixels\]. Bone k connects point
/// `parents[k]` with point `k + 1`.
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn bones(canvas: &Canvas, points: &[CanvasPoint], parents: &[usize], colour: RGBColor, width: u32) -> PlotResult {
    for (end, &parent) in points[1..].iter().zip(parents) {
        canvas.draw(&PathElement::new([points[parent], *end], colour.stroke_width(width)))?;
    }
    Ok(())
}

/// Draws the joints of a tree of `points` \[m\] whose bones have this colour and `width` \[half pixels\]. Joints closer
/// to their parent than `width` are omitted. The parent of point `k + 1` is `parents[k]`.
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn joints(canvas: &Canvas, points: &[CanvasPoint], parents: &[usize], colour: RGBColor, width: u32) -> PlotResult {
    let is_apart = |(end, parent): &(&CanvasPoint, &usize)| {
        let ((x, y), (from_x, from_y)) = (canvas.map_coordinate(end), canvas.map_coordinate(&points[**parent]));
        f64::from(x - from_x).hypot(f64::from(y - from_y)) >= f64::from(width)
    };
    let ends = points[1..].iter().zip(parents).filter(is_apart);
    for point in points[..1].iter().chain(ends.map(|(end, _)| end)) {
        canvas.draw(&Circle::new(*point, width, colour.filled()))?;
        canvas.draw(&Circle::new(*point, width / 2, PAPER.filled()))?;
    }
    Ok(())
}

/// Draws a target marker at a point \[m\].
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn target(canvas: &Canvas, at: CanvasPoint) -> PlotResult {
    canvas.draw(&Circle::new(at, 18, TARGET.stroke_width(4)))?;
    Ok(canvas.draw(&Circle::new(at, 6, TARGET.filled()))?)
}

/// Draws a fixed root at a point \[m\].
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn root(canvas: &Canvas, at: CanvasPoint) -> PlotResult {
    Ok(canvas.draw(&(EmptyElement::at(at) + Rectangle::new([(-ROOT, -ROOT), (ROOT, ROOT)], INK.filled())))?)
}

/// Writes text centred at `offset` \[half pixels\] from the point `at` \[m\].
///
/// # Errors
/// An error of plotters if drawing fails.
pub fn words(canvas: &Canvas, text: &str, at: CanvasPoint, offset: Pixels, colour: RGBColor) -> PlotResult {
    let text = Text::new(text.to_owned(), offset, style(LABEL, colour, HPos::Center, VPos::Center));
    Ok(canvas.draw(&(EmptyElement::at(at) + text))?)
}
