//! A frame in which a metre is as long upwards as sideways, and what is drawn in it: lines, arcs, arrows and points.

use std::f64::consts::PI;

use nalgebra::{Point2, Rotation2, Vector2};
use plotters::element::{Circle, PathElement, Polygon};
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};

use crate::{Area, Pixels, Result};

/// Length of a dash \[half pixels\].
const DASH: f64 = 14.0;
/// Length of the gap after a dash \[half pixels\].
const GAP: f64 = 12.0;
/// Greatest angle between two points of an arc \[rad\].
const ARC_STEP: f64 = PI / 60.0;

/// What a line is drawn with.
#[derive(Clone, Copy)]
pub struct Pen {
    /// Of the line.
    pub colour: RGBColor,
    /// Of the line \[half pixels\].
    pub width: u32,
    /// Whether the line has gaps.
    pub is_dashed: bool,
}

impl Pen {
    /// A line without gaps, its `width` in half pixels.
    pub fn new(colour: RGBColor, width: u32) -> Self {
        Self { colour, width, is_dashed: false }
    }

    /// A line with gaps.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self { is_dashed: true, ..self }
    }

    fn style(self) -> ShapeStyle {
        self.colour.stroke_width(self.width)
    }
}

/// The lowest and the highest coordinates of what is drawn \[m\].
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The least of each coordinate.
    pub lower: Point2<f64>,
    /// The greatest of each coordinate.
    pub upper: Point2<f64>,
}

impl Bounds {
    /// Bounds by their corners \[m\].
    pub fn new(lower: [f64; 2], upper: [f64; 2]) -> Self {
        Self { lower: lower.into(), upper: upper.into() }
    }

    /// Those of points; the origin's where there are none.
    pub fn around(points: impl Iterator<Item = Point2<f64>>) -> Self {
        let one = points.map(|point| Self { lower: point, upper: point });
        let both = one.reduce(|a, b| Self { lower: a.lower.inf(&b.lower), upper: a.upper.sup(&b.upper) });
        both.unwrap_or_else(|| Self::new([0.0; 2], [0.0; 2]))
    }

    /// A view of another size \[m\] with this middle.
    #[must_use]
    pub fn sized(&self, size: Vector2<f64>) -> Self {
        let middle = nalgebra::center(&self.lower, &self.upper);
        Self { lower: middle - 0.5 * size, upper: middle + 0.5 * size }
    }

    /// Width and height \[m\].
    pub fn size(&self) -> Vector2<f64> {
        self.upper - self.lower
    }
}

/// Margins of a canvas in its area \[half pixels\].
#[derive(Clone, Copy)]
pub struct Margins {
    /// Above.
    pub top: i32,
    /// On the left and on the right.
    pub side: i32,
    /// Below.
    pub bottom: i32,
}

/// Paper with coordinates in metres.
pub struct Canvas<'a, 'b> {
    /// What the canvas lies on.
    pub area: &'a Area<'b>,
    /// Where the middle of the bounds is \[half pixels\].
    middle: Vector2<f64>,
    centre: Point2<f64>,
    /// Half pixels of a metre.
    scale: f64,
}

impl<'a, 'b> Canvas<'a, 'b> {
    /// As large as `area` allows, with `bounds` in the middle.
    pub fn new(area: &'a Area<'b>, margins: Margins, bounds: &Bounds) -> Self {
        let (width, height) = area.dim_in_pixel();
        let Margins { top, side, bottom } = margins;
        let room = [f64::from(width) - f64::from(2 * side), f64::from(height) - f64::from(top + bottom)];
        let size = bounds.size();
        let middle = Vector2::new(0.5 * f64::from(width), f64::from(top) + 0.5 * room[1]);
        let centre = nalgebra::center(&bounds.lower, &bounds.upper);
        Self { area, middle, centre, scale: (room[0] / size.x).min(room[1] / size.y) }
    }

    /// Where a point is on the paper \[half pixels\].
    #[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
    pub fn pixel(&self, point: &Point2<f64>) -> Pixels {
        let at = self.middle + self.paper(&(point - self.centre));
        (at.x.round() as i32, at.y.round() as i32)
    }

    /// A length \[half pixels\] in metres.
    pub fn metres(&self, pixels: f64) -> f64 {
        pixels / self.scale
    }

    fn paper(&self, offset: &Vector2<f64>) -> Vector2<f64> {
        Vector2::new(offset.x, -offset.y) * self.scale
    }

    /// A line through points.
    pub fn line(&self, points: &[Point2<f64>], pen: Pen) -> Result {
        if pen.is_dashed {
            for dash in self.dashes(points) {
                self.stroke(&dash, pen)?;
            }
            return Ok(());
        }
        self.stroke(points, pen)
    }

    fn stroke(&self, points: &[Point2<f64>], pen: Pen) -> Result {
        if points.len() < 2 {
            return Ok(());
        }
        let pixels: Vec<_> = points.iter().map(|point| self.pixel(point)).collect();
        Ok(self.area.draw(&PathElement::new(pixels, pen.style()))?)
    }

    /// The dashes of a line.
    fn dashes(&self, points: &[Point2<f64>]) -> Vec<Vec<Point2<f64>>> {
        let (dash, gap) = (self.metres(DASH), self.metres(GAP));
        let (mut dashes, mut current) = (Vec::new(), points.first().copied().into_iter().collect::<Vec<_>>());
        let (mut is_dash, mut left) = (true, dash);
        for ends in points.windows(2) {
            let (length, direction) = ((ends[1] - ends[0]).norm(), (ends[1] - ends[0]).normalize());
            let mut along = 0.0;
            while along + left < length {
                along += left;
                current.push(ends[0] + direction * along);
                if is_dash {
                    dashes.push(std::mem::take(&mut current));
                }
                is_dash = !is_dash;
                current.clear();
                current.push(ends[0] + direction * along);
                left = if is_dash { dash } else { gap };
            }
            left -= length - along;
            current.push(ends[1]);
        }
        if is_dash {
            dashes.push(current);
        }
        dashes
    }

    /// A filled polygon, through which a share of what lies below it is seen.
    pub fn fill(&self, points: &[Point2<f64>], colour: RGBAColor) -> Result {
        let pixels: Vec<_> = points.iter().map(|point| self.pixel(point)).collect();
        Ok(self.area.draw(&Polygon::new(pixels, colour))?)
    }

    /// A filled point with a radius \[half pixels\].
    pub fn dot(&self, at: &Point2<f64>, radius: u32, colour: RGBColor) -> Result {
        Ok(self.area.draw(&Circle::new(self.pixel(at), radius, colour.filled()))?)
    }

    /// A circle with a radius on the paper \[half pixels\].
    pub fn ring(&self, at: &Point2<f64>, radius: u32, pen: Pen) -> Result {
        Ok(self.area.draw(&Circle::new(self.pixel(at), radius, pen.style()))?)
    }

    /// A circle with a radius in metres.
    pub fn circle(&self, centre: &Point2<f64>, radius: f64, pen: Pen) -> Result {
        self.arc(centre, radius, [0.0, 2.0 * PI], pen)
    }

    /// Part of a circle, between two angles \[rad\] from the first axis.
    pub fn arc(&self, centre: &Point2<f64>, radius: f64, angles: [f64; 2], pen: Pen) -> Result {
        self.line(&arc(centre, radius, angles), pen)
    }

    /// A sector of a circle, filled.
    pub fn sector(&self, centre: &Point2<f64>, radius: f64, angles: [f64; 2], colour: RGBAColor) -> Result {
        let mut points = arc(centre, radius, angles);
        points.push(*centre);
        self.fill(&points, colour)
    }

    /// A line with a head at its end.
    pub fn arrow(&self, from: &Point2<f64>, to: &Point2<f64>, pen: Pen) -> Result {
        self.line(&[*from, *to], pen)?;
        self.head(&(to - from), to, pen)
    }

    /// Part of a circle with a head at its end.
    pub fn turn(&self, centre: &Point2<f64>, radius: f64, angles: [f64; 2], pen: Pen) -> Result {
        let points = arc(centre, radius, angles);
        self.line(&points, pen)?;
        match points[..] {
            [.., before, last] => self.head(&(last - before), &last, pen),
            _ => Ok(()),
        }
    }

    /// The head of an arrow that ends at `tip`.
    fn head(&self, direction: &Vector2<f64>, tip: &Point2<f64>, pen: Pen) -> Result {
        let length = self.metres(12.0 + 3.0 * f64::from(pen.width));
        let Some(along) = direction.try_normalize(1e-12) else { return Ok(()) };
        let side = |angle: f64| tip - Rotation2::new(angle) * along * length;
        // A little beyond the end, lest the line be seen beside the point.
        let front = tip + along * self.metres(f64::from(pen.width));
        self.fill(&[front, side(0.4), side(-0.4)], pen.colour.to_rgba())
    }
}

/// Points of a circle between two angles.
fn arc(centre: &Point2<f64>, radius: f64, [from, to]: [f64; 2]) -> Vec<Point2<f64>> {
    let steps = ((to - from).abs() / ARC_STEP).ceil().max(1.0);
    let angles = (0..).map(f64::from).take_while(|step| *step <= steps).map(|step| from + (to - from) * step / steps);
    angles.map(|angle| centre + Vector2::new(angle.cos(), angle.sin()) * radius).collect()
}
