//! The configurations from which attempts start.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::Limit;
use super::joint::LIMITED;
use super::posture::{Goals, Posture};
use super::setup::Setup;
use urdf_ik_mathematics::pseudorandom;

/// Points nearer to each other than this fraction of the skeleton's length differ by rounding.
const ROUNDING: f64 = 1e-13;

impl Setup<'_> {
    /// Writes the configuration from which an attempt starts: the seed, or one in which the segments that lead to a
    /// target are scattered, always the same way.
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

    /// The seed's own points if they fit, to the last digit; else the skeleton in their directions, drawn to its root.
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
        // Without orientations in the seed, those of its segments follow from the root's.
        posture.orientations[0] = root.rotation;
        posture.points.copy_from_slice(&self.problem.seed.points);
        self.skeleton.turn_into(&self.problem.seed.orientations, posture);
        (posture.points[0], posture.orientations[0]) = (root.translation.vector.into(), root.rotation);
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            let is_scattered = attempt > 0 && goals.leads[index + 1];
            let wanted = if is_scattered { self.sample(attempt, index) } else { posture.rotations[index] };
            let allowed = joint.nearest(&wanted);
            // Decomposing and composing a rotation changes its last digits.
            posture.limited[index] = allowed.angle_to(&wanted) > LIMITED;
            posture.rotations[index] = if posture.limited[index] { allowed } else { wanted };
        }
        self.skeleton.place_into(0..self.skeleton.segment_count(), posture);
        let seed = self.problem.seed;
        let is_seed =
            attempt == 0 && !posture.limited.contains(&true) && seed.orientations.first() == Some(&root.rotation);
        let slack = ROUNDING * self.skeleton.total_length();
        if is_seed && seed.points.iter().zip(&posture.points).all(|(seed, placed)| (seed - placed).norm() <= slack) {
            // Placing anew changes last digits.
            posture.points.copy_from_slice(&seed.points);
            posture.orientations.copy_from_slice(&seed.orientations);
        }
    }

    /// A rotation that a joint allows.
    fn sample(&self, attempt: usize, index: usize) -> UnitQuaternion<f64> {
        let joint = &self.skeleton.joints[index];
        let fractions = [0, 1, 2].map(|number| pseudorandom::fraction(attempt, 3 * index + number));
        if self.skeleton.is_planar() && joint.limit == Limit::Free {
            return UnitQuaternion::from_axis_angle(&Vector3::z_axis(), TAU * fractions[0]);
        }
        joint.sample(fractions)
    }
}
