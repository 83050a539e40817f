//! Where the names of targets stand.

use nalgebra::Point2;

use crate::{Canvas, Pixels};

/// Height of a name \[half pixels\].
const HEIGHT: i32 = 34;
/// Distance of a name from its target \[half pixels\].
const AWAY: i32 = 28;

/// Names that were placed: the middle of each and its half width \[half pixels\].
pub struct Names {
    placed: Vec<(Pixels, i32)>,
    /// Where joints are.
    joints: Vec<Pixels>,
    width: i32,
}

impl Names {
    /// None yet.
    pub fn new(canvas: &Canvas, points: &[Point2<f64>]) -> Self {
        let joints = points.iter().map(|point| canvas.pixel(point)).collect();
        Self { placed: Vec::new(), joints, width: i32::try_from(canvas.area.dim_in_pixel().0).unwrap_or(i32::MAX) }
    }

    /// Where the middle of a name of some `width` stands from its target: on the side away from the root, or else where it stays in the
    /// picture, off joints and off the names before.
    pub fn place(&mut self, target: Pixels, width: i32, root: i32) -> Pixels {
        let (x, y) = target;
        let half = width / 2;
        let side = if x < root { -half - AWAY } else { half + AWAY };
        // Above and below, moved into the picture.
        let inside = x.clamp(half, (self.width - half).max(half)) - x;
        let places =
            [(side, 0), (inside, -HEIGHT - 8), (inside, HEIGHT + 8), (-side, 0), (side, -HEIGHT), (side, HEIGHT)];
        let found = places.into_iter().find(|(across, up)| self.is_free((x + across, y + up), half));
        let (across, up) = found.unwrap_or(places[0]);
        self.placed.push(((x + across, y + up), half));
        (across, up)
    }

    fn is_free(&self, middle: Pixels, half: i32) -> bool {
        let (x, y) = middle;
        let is_apart = |(other, other_half): &(Pixels, i32)| {
            (x - other.0).abs() > half + other_half || (y - other.1).abs() > HEIGHT
        };
        let is_beside = |joint: &Pixels| (x - joint.0).abs() > half || (y - joint.1).abs() > HEIGHT / 2;
        let is_inside = x >= half && x + half <= self.width;
        is_inside && self.placed.iter().all(is_apart) && self.joints.iter().all(is_beside)
    }
}
