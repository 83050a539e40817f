//! Skeletons on a canvas: bones, joints, roots and targets.

use nalgebra::Point2;
use plotters::element::Rectangle;
use plotters::style::{Color, RGBColor};

use super::canvas::{Canvas, Pen};
use super::{INK, PAPER, SERIES};
use crate::Result;

/// The colour of targets in every figure.
pub const TARGET: RGBColor = SERIES[3];
/// Half the side of the square that is a root \[half pixels\].
const ROOT: i32 = 12;

/// How bones look.
#[derive(Clone, Copy)]
pub struct Bones {
    /// Of bones and joints.
    pub colour: RGBColor,
    /// Of a bone \[half pixels\].
    pub width: u32,
}

impl Bones {
    /// Bones as wide as most of them.
    pub fn new(colour: RGBColor) -> Self {
        Self { colour, width: 9 }
    }

    /// These bones in a lighter colour: `share` of the colour is left.
    #[must_use]
    pub fn pale(self, share: f64) -> Self {
        Self { colour: pale(self.colour, share), ..self }
    }

    /// These bones with another width \[half pixels\].
    #[must_use]
    pub fn thin(self, width: u32) -> Self {
        Self { width, ..self }
    }

    /// Draws the bones and the joints of a tree. Bone k is from the point of index `parents[k]` to that of index k + 1. Joints with no
    /// room on their bone are left out.
    pub fn draw(self, canvas: &Canvas, points: &[Point2<f64>], parents: &[usize]) -> Result {
        self.draw_lines(canvas, points, parents)?;
        let least = canvas.metres(f64::from(self.width));
        let ends = points[1..].iter().zip(parents).filter(|(end, parent)| (*end - points[**parent]).norm() >= least);
        for point in points[..1].iter().chain(ends.map(|(end, _)| end)) {
            canvas.dot(point, self.width, self.colour)?;
            canvas.dot(point, self.width / 2, PAPER)?;
        }
        Ok(())
    }

    /// Draws the bones of a tree without its joints.
    pub fn draw_lines(self, canvas: &Canvas, points: &[Point2<f64>], parents: &[usize]) -> Result {
        let pen = Pen::new(self.colour, self.width);
        let mut row = Vec::new();
        for (segment, (end, &parent)) in points[1..].iter().zip(parents).enumerate() {
            // Bones in a row are one line.
            if parent != segment || row.is_empty() {
                canvas.line(&row, pen)?;
                row = vec![points[parent]];
            }
            row.push(*end);
        }
        canvas.line(&row, pen)
    }

    /// Draws the bones and the joints of a chain.
    pub fn draw_chain(self, canvas: &Canvas, points: &[Point2<f64>]) -> Result {
        let parents: Vec<usize> = (0..points.len()).collect();
        self.draw(canvas, points, &parents)
    }
}

/// A colour of which `share` is left on the paper.
pub fn pale(colour: RGBColor, share: f64) -> RGBColor {
    let (RGBColor(red, green, blue), RGBColor(white, ..)) = (colour, PAPER);
    let part = |part: u8| mixed(f64::from(part) * share + f64::from(white) * (1.0 - share));
    RGBColor(part(red), part(green), part(blue))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn mixed(part: f64) -> u8 {
    part.round() as u8
}

/// Marks a target.
pub fn target(canvas: &Canvas, at: &Point2<f64>) -> Result {
    canvas.ring(at, 18, Pen::new(TARGET, 4))?;
    canvas.dot(at, 6, TARGET)
}

/// Marks a root that stays in its place.
pub fn root(canvas: &Canvas, at: &Point2<f64>) -> Result {
    let (x, y) = canvas.pixel(at);
    Ok(canvas.area.draw(&Rectangle::new([(x - ROOT, y - ROOT), (x + ROOT, y + ROOT)], INK.filled()))?)
}
