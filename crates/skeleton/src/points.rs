//! The forward and backward pass on points, without limits and orientations.

use nalgebra::Point3;

use super::direction::place;
use super::merged::Centroid;
use super::posture::Goals;
use super::setup::SkeletonSetup;
use super::{Skeleton, circle_between};

impl Skeleton {
    /// Backward pass, from the root to the ends: moves each point along the line to its old position until its segment
    /// has its length. The root is in place already. If a point coincides with its parent, the segment keeps its
    /// direction in `before`.
    pub(super) fn backward_points(&self, before: &[Point3<f64>], points: &mut [Point3<f64>]) {
        let mut last = points[0];
        for (segment, (&parent, &length)) in self.parents.iter().zip(&self.lengths).enumerate() {
            let end = segment + 1;
            let start = if parent == segment { last } else { points[parent] };
            last = place(&start, length, &points[end], || before[end] - before[parent]);
            points[end] = last;
        }
    }

    /// Backward pass of a chain until a joint fits between its placed parent and its child, which is where the forward
    /// pass left it: then all lengths hold and the end is on target. Returns whether there was such a joint.
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

    /// Rebuilds the skeleton from the root in `points`: each segment has the direction between its `wanted` points or,
    /// if they coincide, between those of `other`.
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

    /// True if the distances of `points` equal the segment lengths, up to rounding of the coordinates.
    pub(super) fn lengths_hold(&self, points: &[Point3<f64>]) -> bool {
        let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.coords.amax()));
        let is_length = |distance: f64, length: f64| {
            (distance - length).abs() <= 8.0 * f64::EPSILON * farthest + 4.0 * f64::EPSILON * length
        };
        let mut segments = self.parents.iter().zip(&self.lengths).enumerate();
        segments.all(|(segment, (&parent, &length))| is_length((points[segment + 1] - points[parent]).norm(), length))
    }
}

impl SkeletonSetup<'_> {
    /// Forward pass, from the targets to the root. Points with targets move there; the start of each segment moves
    /// along the line to its old position, and to the centroid where branches meet. Weights of targets out of reach
    /// decay. `merged` has an entry for each point, empty before and after.
    pub(super) fn forward_points(&self, goals: &Goals, merged: &mut [Centroid], points: &mut [Point3<f64>]) {
        let Skeleton { parents, lengths, .. } = self.skeleton;
        let mut suggested = std::mem::take(&mut merged[lengths.len()]);
        for point in (1..points.len()).rev() {
            // In a chain it stays in a register instead of memory.
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

    /// Place and weight of a point in the forward pass: its target, or the centroid of its branches, if any.
    #[inline(always)]
    pub(super) fn pulled_to(&self, point: usize, goals: &Goals, suggested: &Centroid) -> Option<(Point3<f64>, f64)> {
        if let Some(index) = goals.index(point) {
            let weight = goals.weights[index] * if goals.far[index].is_some() { goals.fading } else { 1.0 };
            return Some((self.problem.targets[index].position, weight));
        }
        (suggested.weight > 0.0).then_some((suggested.place, suggested.weight))
    }
}
