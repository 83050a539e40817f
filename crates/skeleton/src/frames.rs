//! The forward and backward pass on frames, with joint limits.

use nalgebra::{UnitQuaternion, Vector3};

use super::configuration::{aligned, product};
use super::joint::LIMITED_TOLERANCE;
use super::merged::{Centroid, MeanRotation};
use super::posture::{Goals, Posture};
use super::setup::SkeletonSetup;

impl SkeletonSetup<'_> {
    /// Forward pass, from the targets to the root: each segment moves and turns such that the joints beyond it satisfy
    /// their limits. At a sub-base it takes the mean of the branches.
    pub(super) fn forward_frames(&self, goals: &Goals, merged: &mut [Centroid], posture: &mut Posture) {
        let Self { skeleton, problem, .. } = self;
        for point in (0..posture.points.len()).rev() {
            let suggested = std::mem::take(&mut merged[point]);
            let Some((end, weight)) = self.pulled_to(point, goals, &suggested) else { continue };
            let target = goals.target(point, problem).and_then(|target| target.orientation);
            let frame = target.unwrap_or_else(|| {
                let was = &posture.orientations[point];
                let along = |segment: usize| end - posture.points[skeleton.parents[segment]];
                let wanted = point.checked_sub(1).map_or(*was, |segment| aligned(was, &along(segment)));
                self.within_branch_limits(point, &wanted, goals, posture)
            });
            (posture.points[point], posture.orientations[point]) = (end, frame);
            if let Some(segment) = point.checked_sub(1) {
                let start = end - frame * Vector3::x() * skeleton.lengths[segment];
                merged[skeleton.parents[segment]].add(&start, weight);
            }
        }
    }

    /// The orientation of a segment nearest to `wanted` such that the joints at its end satisfy their limits, with the
    /// segments beyond them fixed.
    fn within_branch_limits(
        &self,
        point: usize,
        wanted: &UnitQuaternion<f64>,
        goals: &Goals,
        posture: &Posture,
    ) -> UnitQuaternion<f64> {
        let mut mean = MeanRotation::default();
        for branch in self.skeleton.branches[point].iter().filter(|&&branch| goals.leads[branch + 1]) {
            let (joint, after) = (&self.skeleton.joints[*branch], &posture.orientations[branch + 1]);
            let allowed = joint.inward(&((wanted * joint.rest).inverse() * after));
            mean.add(product(after, &(joint.rest * allowed).inverse()));
        }
        mean.mean().unwrap_or(*wanted)
    }

    /// Backward pass, from the root to the ends: each segment within the limits of its joint. Segments without a target
    /// beyond them keep their joint rotation.
    pub(super) fn backward_frames(&self, goals: &Goals, posture: &mut Posture) {
        let Self { skeleton, problem, root, .. } = self;
        if let Some(root) = root {
            (posture.points[0], posture.orientations[0]) = (root.translation.vector.into(), root.rotation);
        }
        for (segment, joint) in skeleton.joints.iter().enumerate() {
            let (parent, point) = (skeleton.parents[segment], segment + 1);
            let (base, start) = (product(&posture.orientations[parent], &joint.rest), posture.points[parent]);
            posture.limited[segment] = false;
            if goals.leads[point] {
                let was = posture.orientations[point];
                let is_oriented = goals.target(point, problem).is_some_and(|target| target.orientation.is_some());
                let wanted =
                    base.inverse() * if is_oriented { was } else { aligned(&was, &(posture.points[point] - start)) };
                let allowed = joint.nearest(&wanted);
                (posture.rotations[segment], posture.limited[segment]) =
                    (allowed, allowed.angle_to(&wanted) > LIMITED_TOLERANCE);
            }
            let frame = product(&base, &posture.rotations[segment]);
            posture.points[point] = start + frame * Vector3::x() * skeleton.lengths[segment];
            posture.orientations[point] = frame;
        }
    }
}
