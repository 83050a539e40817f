//! The two passes of a cycle, and the configurations that need no cycle.

use nalgebra::SVector;

use super::PointChain;
use super::circle::circle_between;
use crate::skeleton::segments::is_length;

/// Squares of shorter vectors \[m\] lose digits to underflow.
const LEAST_NORM: f64 = 1e-140;

impl<const D: usize> PointChain<D> {
    /// Forward reaching, from the tip to the root: the tip to `target`, each joint towards where it was.
    pub(super) fn forward(&self, target: &SVector<f64, D>, points: &mut [SVector<f64, D>]) {
        let mut was_end = points[self.segments()];
        points[self.segments()] = *target;
        for (segment, length) in self.lengths.iter().enumerate().rev() {
            let was = points[segment];
            points[segment] = place(&points[segment + 1], *length, &was, &(was - was_end));
            was_end = was;
        }
    }

    /// Backward reaching, from the root to the tip: the root to `root`, each joint towards where it was.
    pub(super) fn backward(&self, root: &SVector<f64, D>, points: &mut [SVector<f64, D>]) {
        let mut was_start = points[0];
        points[0] = *root;
        for (segment, length) in self.lengths.iter().enumerate() {
            let was = points[segment + 1];
            points[segment + 1] = place(&points[segment], *length, &was, &(was - was_start));
            was_start = was;
        }
    }

    /// Backward reaching until a joint can be put between the one placed last and the one after it, which is where the forward
    /// pass left it: then all lengths hold and the tip is where the forward pass put it. Returns whether there was such a joint.
    pub(super) fn backward_to_circle(&self, root: &SVector<f64, D>, points: &mut [SVector<f64, D>]) -> bool {
        let mut was_start = points[0];
        points[0] = *root;
        for segment in 0..self.segments() {
            let was = points[segment + 1];
            let length = self.lengths[segment];
            if let (Some(next), Some(after)) = (self.lengths.get(segment + 1), points.get(segment + 2))
                && let Some(circle) = circle_between(&points[segment], length, after, *next)
            {
                points[segment + 1] = circle.nearest(&was);
                return true;
            }
            points[segment + 1] = place(&points[segment], length, &was, &(was - was_start));
            was_start = was;
        }
        false
    }

    /// Restores the lengths of accelerated points: rebuilds the chain from its root, each segment in the direction that it has in
    /// `points`, or, where it has none there, in `other`.
    pub(super) fn restore_lengths(&self, points: &mut [SVector<f64, D>], other: &[SVector<f64, D>]) {
        let mut was_start = points[0];
        for (segment, length) in self.lengths.iter().enumerate() {
            let was = points[segment + 1];
            let towards = points[segment] + (was - was_start);
            let fallback = other[segment + 1] - other[segment];
            points[segment + 1] = place(&points[segment], *length, &towards, &fallback);
            was_start = was;
        }
    }

    /// Lays the chain along `direction` (a unit vector), from `root` on. The longest segment runs along it; the others do
    /// with `sign` 1, and run the opposite way with `sign` -1.
    pub(super) fn lay(
        &self,
        root: &SVector<f64, D>,
        direction: &SVector<f64, D>,
        sign: f64,
        points: &mut [SVector<f64, D>],
    ) {
        let mut along = 0.0;
        points[0] = *root;
        for (segment, length) in self.lengths.iter().enumerate() {
            along += if segment == self.longest { *length } else { sign * length };
            points[segment + 1] = root + direction * along;
        }
    }

    /// Bends the chain into a flat arc that is `height` \[m\] high, at right angles to the line in which it lies.
    pub(super) fn bend(&self, direction: &SVector<f64, D>, height: f64, points: &mut [SVector<f64, D>]) {
        let across = perpendicular(direction);
        let straight = points[0];
        let (mut along, mut was_start) = (0.0, straight);
        let mut bow_start = 0.0;
        for (segment, length) in self.lengths.iter().enumerate() {
            along += length;
            let was = points[segment + 1];
            let bow = height * (std::f64::consts::PI * along / self.reach.outer).sin();
            let towards = points[segment] + (was - was_start) + across * (bow - bow_start);
            points[segment + 1] = place(&points[segment], *length, &towards, direction);
            (was_start, bow_start) = (was, bow);
        }
    }

    /// Whether the distances of the points are the lengths of the chain, up to the rounding of their coordinates.
    pub(super) fn lengths_hold(&self, points: &[SVector<f64, D>]) -> bool {
        let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.amax()));
        let mut segments = self.lengths.iter().zip(points.windows(2));
        segments.all(|(length, ends)| is_length((ends[1] - ends[0]).norm(), *length, farthest))
    }
}

/// Direction of the line in which all of `points` and `target` lie within `slack` \[m\], if there is one.
pub(super) fn line<const D: usize>(
    points: &[SVector<f64, D>],
    target: &SVector<f64, D>,
    slack: f64,
) -> Option<SVector<f64, D>> {
    let offsets = || points.iter().chain([target]).map(|point| point - points[0]);
    let farthest = offsets().fold(SVector::zeros(), |farthest: SVector<f64, D>, offset| {
        if offset.norm_squared() > farthest.norm_squared() { offset } else { farthest }
    });
    let direction = unit(&farthest)?;
    offsets().all(|offset| (offset - direction * direction.dot(&offset)).norm() <= slack).then_some(direction)
}

/// The point at `length` from `anchor` towards the point `towards`; where that is `anchor` itself, in the direction `fallback`,
/// or where that is no direction either, along the first axis.
fn place<const D: usize>(
    anchor: &SVector<f64, D>,
    length: f64,
    towards: &SVector<f64, D>,
    fallback: &SVector<f64, D>,
) -> SVector<f64, D> {
    let offset = towards - anchor;
    let distance = offset.norm();
    if distance > LEAST_NORM {
        return anchor + offset * (length / distance);
    }
    let direction = unit(&offset).or_else(|| unit(fallback)).unwrap_or_else(first_axis);
    anchor + direction * length
}

/// The unit vector in the direction of `vector`, unless that is zero.
pub(super) fn unit<const D: usize>(vector: &SVector<f64, D>) -> Option<SVector<f64, D>> {
    let norm = vector.norm();
    if norm > LEAST_NORM {
        return Some(vector / norm);
    }
    let largest = vector.amax();
    (largest > 0.0).then(|| (vector / largest).normalize())
}

/// The direction that is used where none is determined.
pub(super) fn first_axis<const D: usize>() -> SVector<f64, D> {
    SVector::from_fn(|axis, _| if axis == 0 { 1.0 } else { 0.0 })
}

/// A unit vector at right angles to the unit vector `direction`: in the plane of the first two axes, a quarter turn
/// counterclockwise from where `direction` points in that plane, and the first axis where it does not.
pub(super) fn perpendicular<const D: usize>(direction: &SVector<f64, D>) -> SVector<f64, D> {
    let (x, y) = (direction[0], direction[1]);
    let turned: SVector<f64, D> = SVector::from_fn(|axis, _| [-y, x].get(axis).copied().unwrap_or(0.0));
    turned.try_normalize(1e-6).unwrap_or_else(first_axis)
}
