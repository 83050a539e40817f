//! The two passes of a cycle where nothing is limited or oriented: on points alone.

use nalgebra::Point3;

use super::direction::place;
use super::merged::Merged;
use super::posture::Goals;
use super::setup::Setup;
use super::{Skeleton, circle_between};

impl Skeleton {
    /// Backward reaching, from the root to the ends: draws every point towards where it was until its segment has its
    /// length. The root is in its place already. Where a point meets the one before, its segment keeps the direction
    /// that it has in `before`.
    pub(super) fn backward_points(&self, before: &[Point3<f64>], points: &mut [Point3<f64>]) {
        let mut last = points[0];
        for (segment, (&parent, &length)) in self.parents.iter().zip(&self.lengths).enumerate() {
            let end = segment + 1;
            let start = if parent == segment { last } else { points[parent] };
            last = place(&start, length, &points[end], || before[end] - before[parent]);
            points[end] = last;
        }
    }

    /// Backward reaching in a chain until a joint can be put between the one placed last and the one after it, which is
    /// where the forward pass left it: then all lengths hold and the end is where the forward pass put it. Returns
    /// whether there was such a joint.
    pub(super) fn backward_to_circle(&self, before: &[Point3<f64>], points: &mut [Point3<f64>]) -> bool {
        for (segment, &length) in self.lengths.iter().enumerate() {
            let end = segment + 1;
            if let (Some(next), Some(after)) = (self.lengths.get(segment + 1), points.get(segment + 2))
                && let Some(circle) = circle_between(&points[segment], length, after, *next)
            {
                points[end] = circle.nearest(&points[end]);
                return true;
            }
            points[end] = place(&points[segment], length, &points[end], || before[end] - before[segment]);
        }
        false
    }

    /// Rebuilds the skeleton from its root, which is in its place in `points`: each segment in the direction that it
    /// has between the `wanted` points, or, where it has none there, in that of `other`.
    pub(super) fn restore_lengths(
        &self,
        wanted: impl Fn(usize) -> Point3<f64>,
        other: &[Point3<f64>],
        points: &mut [Point3<f64>],
    ) {
        for (segment, (&parent, &length)) in self.parents.iter().zip(&self.lengths).enumerate() {
            let end = segment + 1;
            let towards = points[parent] + (wanted(end) - wanted(parent));
            points[end] = place(&points[parent], length, &towards, || other[end] - other[parent]);
        }
    }

    /// Whether the distances of `points` are the lengths of the segments, up to the rounding of their coordinates.
    pub(super) fn lengths_hold(&self, points: &[Point3<f64>]) -> bool {
        let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.coords.amax()));
        let is_length = |distance: f64, length: f64| {
            (distance - length).abs() <= 8.0 * f64::EPSILON * farthest + 4.0 * f64::EPSILON * length
        };
        let mut segments = self.parents.iter().zip(&self.lengths).enumerate();
        segments.all(|(segment, (&parent, &length))| is_length((points[segment + 1] - points[parent]).norm(), length))
    }
}

impl Setup<'_> {
    /// Forward reaching, from the targets to the root. Every point that has a target is placed there. From it the
    /// segment before is drawn towards where it began, and where branches meet, to the centroid. Targets out of reach
    /// fade. `merged` has an entry for each point, all empty before and after.
    pub(super) fn forward_points(&self, goals: &Goals, merged: &mut [Merged], points: &mut [Point3<f64>]) {
        let Skeleton { parents, lengths, .. } = self.skeleton;
        let mut suggested = std::mem::take(&mut merged[lengths.len()]);
        for point in (1..points.len()).rev() {
            // In a row of segments it is at hand without waiting for memory.
            let mut next = std::mem::take(&mut merged[point - 1]);
            if let Some((end, weight)) = self.pulled_to(point, goals, &suggested) {
                let (was, parent, length) = (points[point], parents[point - 1], lengths[point - 1]);
                let start = points[parent];
                points[point] = end;
                let wanted = place(&end, length, &start, || start - was);
                if parent == point - 1 { &mut next } else { &mut merged[parent] }.add(&wanted, weight);
            }
            suggested = next;
        }
        if let Some((root, _)) = self.pulled_to(0, goals, &suggested) {
            points[0] = root;
        }
    }

    /// Where the forward pass puts a point, and with what weight: at its target, or where its branches pull it, if any do.
    #[inline(always)]
    pub(super) fn pulled_to(&self, point: usize, goals: &Goals, suggested: &Merged) -> Option<(Point3<f64>, f64)> {
        if let Some(index) = goals.index(point) {
            let weight = goals.weights[index] * if goals.far[index].is_some() { goals.fading } else { 1.0 };
            return Some((self.problem.targets[index].position, weight));
        }
        (suggested.weight > 0.0).then_some((suggested.place, suggested.weight))
    }
}
