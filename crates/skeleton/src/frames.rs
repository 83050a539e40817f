//! The two passes of a cycle with orientations: segments that are frames, joints that have limits.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::configuration::{aligned, product};
use super::merged::{MeanRotation, Merged};
use super::moments::{Moments, Place};
use super::points::settled;
use super::problem::Problem;
use super::state::{Aims, State};
use super::tree::Skeleton;

/// Scratch memory of the passes, an entry for each point.
#[derive(Debug, Clone)]
pub(super) struct FrameScratch {
    /// Sums over points on one side of each, to which hinges are fitted.
    sums: Vec<Moments>,
    /// The points after the forward pass.
    reached: Vec<Point3<f64>>,
}

impl FrameScratch {
    pub(super) fn new(segments: usize) -> Self {
        Self { sums: vec![Moments::default(); segments + 1], reached: vec![Point3::origin(); segments + 1] }
    }
}

impl Skeleton {
    /// Forward reaching, from the targets to the root: each segment is moved and turned so that the joints beyond it
    /// keep their limits. At a sub-base it takes the mean of what the branches ask for.
    pub(super) fn forward_frames(
        &self,
        problem: &Problem,
        (aims, fading): (&Aims, f64),
        (merged, scratch): (&mut [Merged], &mut FrameScratch),
        state: &mut State,
    ) {
        let origin = state.points[0];
        if self.has_hinges {
            self.sum_towards_root(&origin, &state.points, &mut scratch.sums);
        }
        for point in (0..state.points.len()).rev() {
            let suggested = std::mem::take(&mut merged[point]);
            let Some((end, weight)) = settled(point, problem, (aims, fading), &suggested) else { continue };
            let target = aims.target(point, problem).and_then(|target| target.orientation);
            let frame = target.unwrap_or_else(|| {
                let was = Place { frame: state.orientations[point], origin: state.points[point] - origin };
                let wish = match point.checked_sub(1) {
                    Some(segment) => aligned(&was.frame, &(end - state.points[self.parents[segment]])),
                    None => was.frame,
                };
                self.before_branches(point, &wish, (&was, &(end - origin)), (aims, &scratch.sums), state)
            });
            (state.points[point], state.orientations[point]) = (end, frame);
            if let Some(segment) = point.checked_sub(1) {
                let start = end - frame * Vector3::x() * self.lengths[segment];
                merged[self.parents[segment]].add(&start, weight);
            }
        }
    }

    /// The orientation of a segment next to `wish` with which the joints at its end keep their limits, the segments
    /// beyond them being where they are. `was` is where its end was, and `end` where it is now.
    fn before_branches(
        &self,
        point: usize,
        wish: &UnitQuaternion<f64>,
        (was, end): (&Place, &Vector3<f64>),
        (aims, sums): (&Aims, &[Moments]),
        state: &State,
    ) -> UnitQuaternion<f64> {
        let mut mean = MeanRotation::default();
        for branch in self.branches[point].iter().filter(|&&branch| aims.leads[branch + 1]) {
            let (joint, after) = (&self.joints[*branch], &state.orientations[branch + 1]);
            let turn = (wish * joint.rest).inverse() * after;
            let allowed = joint.inward(&turn, || {
                let outer = Place { frame: *after, origin: *end };
                sums[point].between(&outer, &Place { frame: was.frame * joint.rest, origin: was.origin })
            });
            mean.add(product(after, &(joint.rest * allowed).inverse()));
        }
        mean.mean().unwrap_or(*wish)
    }

    /// Backward reaching, from the root to the ends: each segment within the limits of the joint at which it begins.
    /// The root is in its place already. Segments with no target beyond them keep the rotation of their joint.
    pub(super) fn backward_frames(
        &self,
        problem: &Problem,
        aims: &Aims,
        scratch: &mut FrameScratch,
        (root, state): (Option<&Isometry3<f64>>, &mut State),
    ) {
        let origin = state.points[0];
        if self.has_hinges {
            self.sum_towards_ends(&origin, aims, &state.points, &mut scratch.sums);
        }
        scratch.reached.copy_from_slice(&state.points);
        if let Some(root) = root {
            (state.points[0], state.orientations[0]) = (root.translation.vector.into(), root.rotation);
        }
        for (segment, joint) in self.joints.iter().enumerate() {
            let (parent, point) = (self.parents[segment], segment + 1);
            let (base, start) = (product(&state.orientations[parent], &joint.rest), state.points[parent]);
            let (was, end) = (state.orientations[point], scratch.reached[point]);
            if aims.leads[point] {
                let is_oriented = aims.target(point, problem).is_some_and(|target| target.orientation.is_some());
                let wish = base.inverse() * if is_oriented { was } else { aligned(&was, &(end - start)) };
                let allowed = joint.outward(&wish, || {
                    let outer = Place { frame: was, origin: scratch.reached[parent] - origin };
                    scratch.sums[point].between(&outer, &Place { frame: base, origin: start - origin })
                });
                (state.rotations[segment], state.limited[segment]) = allowed;
            } else {
                state.limited[segment] = false;
            }
            let frame = product(&base, &state.rotations[segment]);
            state.points[point] = start + frame * Vector3::x() * self.lengths[segment];
            state.orientations[point] = frame;
        }
    }

    /// Writes for each point the sums over those between it and the root.
    fn sum_towards_root(&self, origin: &Point3<f64>, points: &[Point3<f64>], sums: &mut [Moments]) {
        sums[0] = Moments::default();
        for (segment, &parent) in self.parents.iter().enumerate() {
            sums[segment + 1] = sums[parent].with(&(points[parent] - origin));
        }
    }

    /// Writes for each point the sums over itself and those beyond it that have a target at them or beyond.
    fn sum_towards_ends(&self, origin: &Point3<f64>, aims: &Aims, points: &[Point3<f64>], sums: &mut [Moments]) {
        sums.fill(Moments::default());
        for (segment, &parent) in self.parents.iter().enumerate().rev() {
            let point = segment + 1;
            if aims.leads[point] {
                sums[point] = sums[point].with(&(points[point] - origin));
                sums[parent] = sums[parent].plus(&sums[point]);
            }
        }
    }
}
