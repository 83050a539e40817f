//! A cycle: forward and backward pass, accelerated if that brings the points nearer to their targets.

use nalgebra::{Point3, Quaternion, Unit, UnitQuaternion, Vector4};

use super::anderson::Anderson;
use super::joint::LIMITED_TOLERANCE;
use super::merged::Centroid;
use super::posture::{Goals, Posture};
use super::setup::SkeletonSetup;
use super::{Skeleton, SkeletonOptions};

/// Ridge of the Anderson acceleration as a fraction of the trace; keeps the equations regular as steps become parallel.
const RIDGE: f64 = 1e-10;
/// Shorter extrapolated quaternions are not rotations.
const MIN_QUATERNION_NORM: f64 = 1e-3;

/// Scratch memory of cycles.
#[derive(Debug, Clone)]
pub(super) struct CycleBuffers {
    /// The configuration after a plain cycle, and the accelerated one. They contain no state between cycles.
    pub image: Posture,
    pub mixed: Posture,
    /// The configurations before the cycle, after the plain one and the accelerated one, as flat vectors.
    flat: [Vec<f64>; 3],
    pub anderson: Anderson,
    /// Scratch memory of the forward pass.
    pub merged: Vec<Centroid>,
}

impl CycleBuffers {
    pub(super) fn new(segments: usize, options: &SkeletonOptions) -> Self {
        // All points; or the root, its orientation and all rotations.
        let (numbers, depth) = (4 * segments + 7, options.acceleration);
        let flat = || vec![0.0; if depth > 0 { numbers } else { 0 }];
        Self {
            image: Posture::new(segments),
            mixed: Posture::new(segments),
            flat: [flat(), flat(), flat()],
            anderson: Anderson::new(numbers, depth, RIDGE),
            merged: vec![Centroid::default(); segments + 1],
        }
    }

    pub(super) fn set_kind(&mut self, has_orientations: bool) {
        self.image.set_kind(has_orientations);
        self.mixed.set_kind(has_orientations);
    }

    /// Clears the history: for a new start, or after a jump.
    pub(super) fn reset(&mut self, skeleton: &Skeleton) {
        let segments = skeleton.segment_count();
        self.anderson.reset(if self.image.orientations.is_empty() { 3 * (segments + 1) } else { 4 * segments + 7 });
    }
}

impl SkeletonSetup<'_> {
    /// One cycle from `current`. The weights of targets out of reach decay; `circles` permits closing a chain by a
    /// circle. Returns whether the accelerated configuration was accepted.
    pub(super) fn cycle(
        &self,
        goals: &Goals,
        circles: bool,
        current: &mut Posture,
        scratch: &mut CycleBuffers,
    ) -> bool {
        let CycleBuffers { image, merged, .. } = scratch;
        image.copy_from(current);
        self.forward(goals, merged, image);
        if self.backward(goals, circles, &current.points, image) {
            std::mem::swap(current, image);
            return false;
        }
        let plain = self.errors(goals, image);
        let is_mixed = !plain.are_met()
            && self.problem.options.acceleration > 0
            && self.mix(current, scratch)
            && self.errors(goals, &scratch.mixed).is_nearer_than(&plain);
        std::mem::swap(current, if is_mixed { &mut scratch.mixed } else { &mut scratch.image });
        is_mixed
    }

    pub(super) fn forward(&self, goals: &Goals, merged: &mut [Centroid], posture: &mut Posture) {
        if posture.orientations.is_empty() {
            self.forward_points(goals, merged, &mut posture.points);
        } else {
            self.forward_frames(goals, merged, posture);
        }
    }

    /// The backward pass. Returns whether it closed a chain by a circle, which `circles` permits.
    pub(super) fn backward(&self, goals: &Goals, circles: bool, before: &[Point3<f64>], posture: &mut Posture) -> bool {
        if !posture.orientations.is_empty() {
            self.backward_frames(goals, posture);
            return false;
        }
        if let Some(root) = self.root {
            posture.points[0] = root.translation.vector.into();
        }
        if circles && self.is_single_chain {
            return self.skeleton.backward_to_circle(before, &mut posture.points);
        }
        self.skeleton.backward_points(before, &mut posture.points);
        false
    }

    /// Writes the configuration extrapolated from the last cycles to `mixed`. Returns whether there is one.
    fn mix(&self, current: &Posture, scratch: &mut CycleBuffers) -> bool {
        let CycleBuffers { image, mixed, flat: [x, g, next], anderson, .. } = scratch;
        // q and -q are the same rotation, but distant as numbers.
        let turns = image.orientations.first_mut().into_iter().chain(&mut image.rotations);
        for (turn, before) in turns.zip(current.turns()) {
            *turn = in_hemisphere_of(before, *turn);
        }
        current.write_numbers(x);
        image.write_numbers(g);
        anderson.mix(x, g, next) && self.read_numbers(next, image, mixed)
    }

    /// Converts `numbers` to a configuration with valid lengths and limits. Returns whether there is one.
    fn read_numbers(&self, numbers: &[f64], image: &Posture, mixed: &mut Posture) -> bool {
        if !image.orientations.is_empty() {
            return self.read_turns(numbers, image, mixed);
        }
        let wanted = |point: usize| Point3::from_slice(&numbers[3 * point..3 * point + 3]);
        mixed.points[0] = self.root.map_or_else(|| wanted(0), |_| image.points[0]);
        self.skeleton.restore_lengths(wanted, &image.points, &mut mixed.points);
        true
    }

    /// The rotations of `numbers`, limited, and the root if it is free. Returns whether all are rotations.
    fn read_turns(&self, numbers: &[f64], image: &Posture, mixed: &mut Posture) -> bool {
        let (place, turns) = numbers.split_at(3);
        let turn = |index: usize| {
            let numbers = Vector4::from_column_slice(&turns[4 * index..4 * index + 4]);
            Unit::try_new(Quaternion::from(numbers), MIN_QUATERNION_NORM)
        };
        (mixed.points[0], mixed.orientations[0]) = (image.points[0], image.orientations[0]);
        if self.root.is_none() {
            let Some(orientation) = turn(0) else { return false };
            (mixed.points[0], mixed.orientations[0]) = (Point3::from_slice(place), orientation);
        }
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            let Some(wanted) = turn(index + 1) else { return false };
            let allowed = in_hemisphere_of(&image.rotations[index], joint.nearest(&wanted));
            mixed.limited[index] = image.limited[index] || allowed.angle_to(&wanted) > LIMITED_TOLERANCE;
            mixed.rotations[index] = allowed;
        }
        self.skeleton.place_into(0..self.skeleton.segment_count(), mixed);
        true
    }
}

/// The representation of a rotation as the quaternion nearer to `other`.
fn in_hemisphere_of(other: &UnitQuaternion<f64>, rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    if other.coords.dot(&rotation.coords) < 0.0 {
        UnitQuaternion::new_unchecked(-rotation.into_inner())
    } else {
        rotation
    }
}
