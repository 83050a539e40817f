//! Initial configurations of attempts.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::Limit;
use super::joint::LIMITED_TOLERANCE;
use super::posture::{Goals, Posture};
use super::setup::SkeletonSetup;
use urdf_ik_mathematics::pseudorandom;

/// Smaller differences of points are rounding errors, as a fraction of the skeleton's length.
const PLACEMENT_TOLERANCE: f64 = 1e-13;

impl SkeletonSetup<'_> {
    /// Writes the initial configuration of an attempt: the seed, or deterministic random directions of the leading
    /// segments.
    pub(super) fn start(&self, attempt: usize, goals: &Goals, posture: &mut Posture) {
        let root = self.root.unwrap_or_else(|| {
            let orientation = self.problem.seed.orientations.first().copied().unwrap_or_default();
            Isometry3::from_parts(self.problem.seed.points[0].into(), orientation)
        });
        posture.limited.fill(false);
        if !posture.orientations.is_empty() {
            self.start_frames(attempt, goals, &root, posture);
        } else if attempt == 0 {
            self.start_at_seed(&root.translation.vector.into(), &mut posture.points);
        } else {
            self.scatter(attempt, goals, &root.translation.vector.into(), &mut posture.points);
        }
    }

    /// The seed's own points if they fit exactly; otherwise the skeleton in their directions, moved to its root.
    fn start_at_seed(&self, root: &Point3<f64>, points: &mut [Point3<f64>]) {
        let seed = &self.problem.seed.points;
        points.copy_from_slice(seed);
        if !self.skeleton.lengths_hold(seed) {
            self.skeleton.restore_lengths(|point| seed[point], seed, points);
        }
        if points[0] != *root {
            points[0] = *root;
            self.skeleton.backward_points(seed, points);
        }
    }

    fn scatter(&self, attempt: usize, goals: &Goals, root: &Point3<f64>, points: &mut [Point3<f64>]) {
        let seed = &self.problem.seed.points;
        points[0] = *root;
        for (segment, (&parent, &length)) in self.skeleton.parents.iter().zip(&self.skeleton.lengths).enumerate() {
            let end = segment + 1;
            let along = (seed[end] - seed[parent]).try_normalize(0.0).filter(|_| !goals.leads[end]);
            let direction = if let Some(along) = along {
                along
            } else if self.skeleton.is_planar() {
                let (sine, cosine) = (TAU * pseudorandom::fraction(attempt, end)).sin_cos();
                Vector3::new(cosine, sine, 0.0)
            } else {
                pseudorandom::direction(attempt, end)
            };
            points[end] = points[parent] + direction * length;
        }
    }

    fn start_frames(&self, attempt: usize, goals: &Goals, root: &Isometry3<f64>, posture: &mut Posture) {
        // Without orientations in the seed, they follow from the root's.
        posture.orientations[0] = root.rotation;
        posture.points.copy_from_slice(&self.problem.seed.points);
        self.skeleton.turn_into(&self.problem.seed.orientations, posture);
        (posture.points[0], posture.orientations[0]) = (root.translation.vector.into(), root.rotation);
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            let is_scattered = attempt > 0 && goals.leads[index + 1];
            let wanted = if is_scattered { self.sample(attempt, index) } else { posture.rotations[index] };
            let allowed = joint.nearest(&wanted);
            // Decomposing and recomposing a rotation changes its last digits.
            posture.limited[index] = allowed.angle_to(&wanted) > LIMITED_TOLERANCE;
            posture.rotations[index] = if posture.limited[index] { allowed } else { wanted };
        }
        self.skeleton.place_into(0..self.skeleton.segment_count(), posture);
        let seed = self.problem.seed;
        let is_seed =
            attempt == 0 && !posture.limited.contains(&true) && seed.orientations.first() == Some(&root.rotation);
        let slack = PLACEMENT_TOLERANCE * self.skeleton.total_length();
        if is_seed && seed.points.iter().zip(&posture.points).all(|(seed, placed)| (seed - placed).norm() <= slack) {
            // Forward kinematics changes last digits.
            posture.points.copy_from_slice(&seed.points);
            posture.orientations.copy_from_slice(&seed.orientations);
        }
    }

    /// A random permitted rotation of a joint.
    fn sample(&self, attempt: usize, index: usize) -> UnitQuaternion<f64> {
        let joint = &self.skeleton.joints[index];
        let fractions = [0, 1, 2].map(|number| pseudorandom::fraction(attempt, 3 * index + number));
        if self.skeleton.is_planar() && joint.limit == Limit::Free {
            return UnitQuaternion::from_axis_angle(&Vector3::z_axis(), TAU * fractions[0]);
        }
        joint.sample(fractions)
    }
}
