//! A piece of a mesh that is nearly convex.

use nalgebra::Vector3;
use parry3d_f64::math::Vector as Point;

use super::hull::Hull;

/// What surrounds a piece of a mesh \[m\].
pub(super) struct ConvexPiece {
    pub hull: Hull,
    /// A sphere around this middle has all of it.
    pub middle: Vector3<f64>,
    pub radius: f64,
}

impl ConvexPiece {
    /// The piece with these points, of which there is at least one; the hull has at most `most` corners.
    pub fn new(points: &[Point], most: usize) -> Self {
        let (low, high) =
            points.iter().fold((Point::INFINITY, Point::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
        let hull = Hull::new(points, most);
        let middle = (low + high) * 0.5;
        let radius = points.iter().fold(0.0_f64, |most, point| most.max(point.distance(middle))) + hull.rounding;
        Self { hull, middle: middle.to_array().into(), radius }
    }
}
