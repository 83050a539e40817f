//! The two passes of a cycle with orientations: segments that are frames, joints that have limits.

use nalgebra::{UnitQuaternion, Vector3};

use super::configuration::{aligned, product};
use super::joint::LIMITED;
use super::merged::{MeanRotation, Merged};
use super::posture::{Goals, Posture};
use super::setup::Setup;

impl Setup<'_> {
    /// Forward reaching, from the targets to the root: each segment is moved and turned so that the joints beyond it
    /// keep their limits. At a sub-base it takes the mean of what the branches ask for.
    pub(super) fn forward_frames(&self, goals: &Goals, merged: &mut [Merged], posture: &mut Posture) {
        let Self { skeleton, problem, .. } = self;
        for point in (0..posture.points.len()).rev() {
            let suggested = std::mem::take(&mut merged[point]);
            let Some((end, weight)) = self.pulled_to(point, goals, &suggested) else { continue };
            let target = goals.target(point, problem).and_then(|target| target.orientation);
            let frame = target.unwrap_or_else(|| {
                let was = &posture.orientations[point];
                let along = |segment: usize| end - posture.points[skeleton.parents[segment]];
                let wanted = point.checked_sub(1).map_or(*was, |segment| aligned(was, &along(segment)));
                self.before_branches(point, &wanted, goals, posture)
            });
            (posture.points[point], posture.orientations[point]) = (end, frame);
            if let Some(segment) = point.checked_sub(1) {
                let start = end - frame * Vector3::x() * skeleton.lengths[segment];
                merged[skeleton.parents[segment]].add(&start, weight);
            }
        }
    }

    /// The orientation of a segment next to `wanted` with which the joints at its end keep their limits, the segments
    /// beyond them being where they are.
    fn before_branches(
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

    /// Backward reaching, from the root to the ends: each segment within the limits of the joint at which it begins.
    /// Segments with no target beyond them keep the rotation of their joint.
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
                (posture.rotations[segment], posture.limited[segment]) = (allowed, allowed.angle_to(&wanted) > LIMITED);
            }
            let frame = product(&base, &posture.rotations[segment]);
            posture.points[point] = start + frame * Vector3::x() * skeleton.lengths[segment];
            posture.orientations[point] = frame;
        }
    }
}
