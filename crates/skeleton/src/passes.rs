//! The two passes of a cycle: on points alone, and on frames where joints are limited or targets have orientations.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3, Vector4};

use super::configuration::{aligned, product};
use super::joint::LIMITED;
use super::problem::Problem;
use super::state::{Aims, State};
use super::straight::{circle_between, place};
use super::tree::Skeleton;

/// The centroid of the places that branches suggest, by weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merged {
    pub place: Point3<f64>,
    /// Sum of the weights; 0 before the first.
    pub weight: f64,
}

impl Default for Merged {
    fn default() -> Self {
        Self { place: Point3::origin(), weight: 0.0 }
    }
}

impl Merged {
    /// With one more suggestion. One alone stays as it is, to the last bit.
    pub(super) fn add(&mut self, place: &Point3<f64>, weight: f64) {
        let sum = self.weight + weight;
        self.place = if self.weight > 0.0 { self.place + (place - self.place) * (weight / sum) } else { *place };
        self.weight = sum;
    }
}

/// The mean of rotations that lie near each other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MeanRotation {
    sum: Option<(UnitQuaternion<f64>, Vector4<f64>)>,
}

impl MeanRotation {
    pub(super) fn add(&mut self, rotation: UnitQuaternion<f64>) {
        let term = rotation.coords;
        self.sum = Some(match self.sum {
            None => (rotation, term),
            // A quaternion and its opposite are one rotation.
            Some((first, sum)) if sum.dot(&term) < 0.0 => (first, sum - term),
            Some((first, sum)) => (first, sum + term),
        });
    }

    /// None before the first. One alone is exact.
    pub(super) fn mean(&self) -> Option<UnitQuaternion<f64>> {
        let (first, sum) = self.sum?;
        if first.coords.dot(&sum) >= sum.norm() {
            return Some(first);
        }
        Some(UnitQuaternion::new_normalize(nalgebra::Quaternion::from(sum)))
    }
}

/// What a forward pass is led by.
pub(super) struct Pass<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) aims: &'a Aims,
    /// What targets out of reach count, over their weight.
    pub(super) fading: f64,
}

impl Pass<'_> {
    /// Where the pass puts a point, and with what weight: its target, or what its branches suggest, if any.
    #[inline(always)] // A call would cost a tenth of a cycle.
    fn settled(&self, point: usize, suggested: &Merged) -> Option<(Point3<f64>, f64)> {
        let Self { problem, aims, fading } = self;
        if let Some(index) = aims.index(point) {
            let weight = aims.weights[index] * if aims.far[index].is_some() { *fading } else { 1.0 };
            return Some((problem.targets[index].position, weight));
        }
        (suggested.weight > 0.0).then_some((suggested.place, suggested.weight))
    }
}

impl Skeleton {
    /// Forward reaching, from the targets to the root. Every point that has a target is placed there. From it the
    /// segment before is drawn towards where it began, and where branches meet, to the centroid. `merged` has an entry for each point, all empty before and after.
    pub(super) fn forward_points(&self, pass: &Pass, merged: &mut [Merged], points: &mut [Point3<f64>]) {
        let mut suggested = std::mem::take(&mut merged[self.segment_count()]);
        for point in (1..points.len()).rev() {
            // In a row of segments it is at hand without waiting for memory.
            let mut next = std::mem::take(&mut merged[point - 1]);
            if let Some((end, weight)) = pass.settled(point, &suggested) {
                let (was, parent, length) = (points[point], self.parents[point - 1], self.lengths[point - 1]);
                let start = points[parent];
                points[point] = end;
                let wished = place(&end, length, &start, || start - was);
                if parent == point - 1 { &mut next } else { &mut merged[parent] }.add(&wished, weight);
            }
            suggested = next;
        }
        if let Some((root, _)) = pass.settled(0, &suggested) {
            points[0] = root;
        }
    }

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
    /// has between the `wished` points, or, where it has none there, in that of `other`.
    pub(super) fn restore_lengths(
        &self,
        wished: impl Fn(usize) -> Point3<f64>,
        other: &[Point3<f64>],
        points: &mut [Point3<f64>],
    ) {
        for (segment, (&parent, &length)) in self.parents.iter().zip(&self.lengths).enumerate() {
            let end = segment + 1;
            let towards = points[parent] + (wished(end) - wished(parent));
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

impl Skeleton {
    /// Forward reaching, from the targets to the root: each segment is moved and turned so that the joints beyond it
    /// keep their limits. At a sub-base it takes the mean of what the branches ask for.
    pub(super) fn forward_frames(&self, pass: &Pass, merged: &mut [Merged], state: &mut State) {
        let Pass { problem, aims, .. } = *pass;
        for point in (0..state.points.len()).rev() {
            let suggested = std::mem::take(&mut merged[point]);
            let Some((end, weight)) = pass.settled(point, &suggested) else { continue };
            let target = aims.target(point, problem).and_then(|target| target.orientation);
            let frame = target.unwrap_or_else(|| {
                let was = &state.orientations[point];
                let along = |segment: usize| end - state.points[self.parents[segment]];
                let wish = point.checked_sub(1).map_or(*was, |segment| aligned(was, &along(segment)));
                self.before_branches(point, &wish, aims, state)
            });
            (state.points[point], state.orientations[point]) = (end, frame);
            if let Some(segment) = point.checked_sub(1) {
                let start = end - frame * Vector3::x() * self.lengths[segment];
                merged[self.parents[segment]].add(&start, weight);
            }
        }
    }

    /// The orientation of a segment next to `wish` with which the joints at its end keep their limits, the segments
    /// beyond them being where they are.
    fn before_branches(
        &self,
        point: usize,
        wish: &UnitQuaternion<f64>,
        aims: &Aims,
        state: &State,
    ) -> UnitQuaternion<f64> {
        let mut mean = MeanRotation::default();
        for branch in self.branches[point].iter().filter(|&&branch| aims.leads[branch + 1]) {
            let (joint, after) = (&self.joints[*branch], &state.orientations[branch + 1]);
            let allowed = joint.inward(&((wish * joint.rest).inverse() * after));
            mean.add(product(after, &(joint.rest * allowed).inverse()));
        }
        mean.mean().unwrap_or(*wish)
    }

    /// Backward reaching, from the root to the ends: each segment within the limits of the joint at which it begins.
    /// Segments with no target beyond them keep the rotation of their joint.
    pub(super) fn backward_frames(
        &self,
        problem: &Problem,
        aims: &Aims,
        root: Option<&Isometry3<f64>>,
        state: &mut State,
    ) {
        if let Some(root) = root {
            (state.points[0], state.orientations[0]) = (root.translation.vector.into(), root.rotation);
        }
        for (segment, joint) in self.joints.iter().enumerate() {
            let (parent, point) = (self.parents[segment], segment + 1);
            let (base, start) = (product(&state.orientations[parent], &joint.rest), state.points[parent]);
            state.limited[segment] = false;
            if aims.leads[point] {
                let was = state.orientations[point];
                let is_oriented = aims.target(point, problem).is_some_and(|target| target.orientation.is_some());
                let wish =
                    base.inverse() * if is_oriented { was } else { aligned(&was, &(state.points[point] - start)) };
                let allowed = joint.nearest(&wish);
                (state.rotations[segment], state.limited[segment]) = (allowed, allowed.angle_to(&wish) > LIMITED);
            }
            let frame = product(&base, &state.rotations[segment]);
            state.points[point] = start + frame * Vector3::x() * self.lengths[segment];
            state.orientations[point] = frame;
        }
    }
}
