//! Two skew axes, seen along one of them.

use nalgebra::Vector3;

use super::Turn;

/// Two skew axes. What a turn about the first does to a vector along the common perpendicular and along the second axis is a turn in
/// the plane of two unit vectors at right angles to the first.
pub(super) struct Skew {
    /// The common perpendicular, and the direction of the second axis across the first.
    pub normal: Vector3<f64>,
    pub across: Vector3<f64>,
    /// Distance of the axes \[m\], sine of their angle.
    pub length: f64,
    pub sine: f64,
    /// 1 where the first axis turns the common perpendicular towards `across`, else -1.
    pub sense: f64,
}

impl Skew {
    /// `link` goes from one axis to the other along their common perpendicular \[m\].
    pub(super) fn new(first: &Vector3<f64>, second: &Vector3<f64>, link: &Vector3<f64>) -> Self {
        let across = second - first * first.dot(second);
        let (length, sine) = (link.norm(), across.norm());
        let (normal, across) = (link / length, across / sine);
        let sense = first.cross(&normal).dot(&across).signum();
        Self { normal, across, length, sine, sense }
    }

    /// The turn about the first axis that gives a vector with these components the product `distance` with the link and the height
    /// `height` along the second axis; `None` where the vector lies on the first axis.
    pub(super) fn turn(&self, distance: f64, height: f64, across: f64, outwards: f64) -> Option<Turn> {
        let (distance, height) = (distance / self.length, height / self.sine);
        let cos = outwards * distance + across * height;
        let sin = self.sense * (outwards * height - across * distance);
        (cos != 0.0 || sin != 0.0).then(|| Turn::towards(cos, sin))
    }
}
