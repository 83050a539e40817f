//! One problem, what follows from it before anything moves, how far a configuration is from its targets, and the configurations from which attempts start.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::joint::{LIMITED, Limit};
use super::problem::{Problem, Root, Target};
use super::state::{Aims, State};
use super::tree::Skeleton;
use urdf_ik_mathematics::pseudorandom;
use urdf_ik_mathematics::segments::Reach;

/// One problem, and what follows from it alone.
pub(super) struct Setup<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem<'a>,
    /// The root frame, unless it is free.
    pub root: Option<Isometry3<f64>>,
    /// Whether limits or targets ask for orientations.
    pub has_orientations: bool,
    /// Whether it is one row of free segments from a fixed root to one target at its end. Then the error never grows
    /// from one cycle to the next, and a stall means a straight line.
    pub is_single_chain: bool,
    /// The distances that the last point can have from the root.
    pub reach: Reach,
    /// The distance \[m\] from an axis at which an angle counts as a distance: the mean length of segments.
    pub arm: f64,
}

impl<'a> Setup<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, problem: &'a Problem) -> Self {
        let Problem { seed, targets, .. } = problem;
        let orientation = seed.orientations.first().copied().unwrap_or_default();
        let root = match problem.root {
            Root::Fixed => Some(Isometry3::from_parts(Translation3::from(seed.points[0]), orientation)),
            Root::At(place) => Some(place),
            Root::Free => None,
        };
        let has_orientations = !skeleton.is_free() || targets.iter().any(|target| target.orientation.is_some());
        let only_end = matches!(targets, [target] if target.point == skeleton.segment_count());
        let is_single_chain = skeleton.is_chain() && only_end && root.is_some() && !has_orientations;
        let count = f64::from(u32::try_from(skeleton.segment_count()).unwrap_or(u32::MAX));
        let arm = skeleton.total_length() / count;
        let reach = skeleton.reach_between(0, skeleton.segment_count());
        Self { skeleton, problem, root, has_orientations, is_single_chain, reach, arm }
    }

    pub(super) fn errors(&self, aims: &Aims, state: &State) -> Errors {
        Errors::of(self.problem, aims, self.arm, state)
    }
}

/// The errors of a configuration, as roots of weighted sums of squares \[m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Over the targets that may be met. An angle counts as the distance of a point that is `arm` from the axis.
    near: f64,
    /// Over those out of reach: the distance beyond the unavoidable one.
    far: f64,
    /// Whether all targets that may be met are, and whether those out of reach are as near as they can be.
    near_is_met: bool,
    far_is_met: bool,
}

impl Target {
    /// The distance \[m\] and the angle \[rad\] between the target and its point in `state`; no angle where it has no
    /// orientation.
    pub(super) fn apart(&self, state: &State) -> (f64, f64) {
        let distance = (state.points[self.point] - self.position).norm();
        let orientations = self.orientation.zip(state.orientations.get(self.point));
        (distance, orientations.map_or(0.0, |(wish, orientation)| orientation.angle_to(&wish)))
    }
}

impl Errors {
    pub(super) fn of(problem: &Problem, aims: &Aims, arm: f64, state: &State) -> Self {
        let (mut near, mut far, mut near_is_met) = (0.0, 0.0, true);
        for (index, target) in problem.targets.iter().enumerate() {
            let (distance, angle) = target.apart(state);
            if let Some((_, least)) = aims.far[index] {
                far += aims.weights[index] * (distance - least).powi(2);
                continue;
            }
            near += aims.weights[index] * (distance * distance + (arm * angle).powi(2));
            near_is_met &= problem.options.allow(distance, angle);
        }
        let (near, far) = (near.sqrt(), far.sqrt());
        Self { near, far, near_is_met, far_is_met: far <= problem.options.tolerance }
    }

    /// Whether nothing is left to do.
    pub(super) fn are_met(&self) -> bool {
        self.near_is_met && self.far_is_met
    }

    /// Whether all targets are met that may be.
    pub(super) fn near_is_met(&self) -> bool {
        self.near_is_met
    }

    /// What has to fall: over the targets that may be met, and over those out of reach.
    pub(super) fn reducible(&self) -> [f64; 2] {
        [if self.near_is_met { 0.0 } else { self.near }, self.far]
    }

    /// The errors of all targets together.
    pub(super) fn sum(&self) -> f64 {
        self.near + self.far
    }

    pub(super) fn is_nearer_than(&self, other: &Self) -> bool {
        self.is_nearer_by(0.0, other)
    }

    /// Whether it is nearer by more than `margin` \[m\]. Targets that may be met come before those out of reach.
    pub(super) fn is_nearer_by(&self, margin: f64, other: &Self) -> bool {
        match (self.near_is_met, other.near_is_met) {
            (true, true) => self.far + margin < other.far,
            (false, false) => self.near + margin < other.near,
            (is_met, _) => is_met,
        }
    }
}

/// Points nearer to each other than this fraction of the skeleton's length differ by rounding.
const ROUNDING: f64 = 1e-13;

impl Setup<'_> {
    /// Writes the configuration from which an attempt starts: the seed, or one in which the segments that lead to a
    /// target are scattered, always the same way.
    pub(super) fn start(&self, attempt: usize, aims: &Aims, state: &mut State) {
        let root = self.root.unwrap_or_else(|| {
            let orientation = self.problem.seed.orientations.first().copied().unwrap_or_default();
            Isometry3::from_parts(self.problem.seed.points[0].into(), orientation)
        });
        state.limited.fill(false);
        if !state.orientations.is_empty() {
            self.start_frames(attempt, aims, &root, state);
        } else if attempt == 0 {
            self.start_at_seed(&root.translation.vector.into(), &mut state.points);
        } else {
            self.scatter(attempt, aims, &root.translation.vector.into(), &mut state.points);
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

    fn scatter(&self, attempt: usize, aims: &Aims, root: &Point3<f64>, points: &mut [Point3<f64>]) {
        let seed = &self.problem.seed.points;
        points[0] = *root;
        for (segment, (&parent, &length)) in self.skeleton.parents.iter().zip(&self.skeleton.lengths).enumerate() {
            let end = segment + 1;
            let along = (seed[end] - seed[parent]).try_normalize(0.0).filter(|_| !aims.leads[end]);
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

    fn start_frames(&self, attempt: usize, aims: &Aims, root: &Isometry3<f64>, state: &mut State) {
        // Without orientations in the seed, those of its segments follow from the root's.
        state.orientations[0] = root.rotation;
        state.points.copy_from_slice(&self.problem.seed.points);
        self.skeleton.turn_into(&self.problem.seed.orientations, state);
        (state.points[0], state.orientations[0]) = (root.translation.vector.into(), root.rotation);
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            let is_scattered = attempt > 0 && aims.leads[index + 1];
            let wish = if is_scattered { self.sample(attempt, index) } else { state.rotations[index] };
            let allowed = joint.nearest(&wish);
            // Decomposing and composing a rotation changes its last digits.
            state.limited[index] = allowed.angle_to(&wish) > LIMITED;
            state.rotations[index] = if state.limited[index] { allowed } else { wish };
        }
        self.skeleton.place_into(0..self.skeleton.segment_count(), state);
        let seed = self.problem.seed;
        let is_seed =
            attempt == 0 && !state.limited.contains(&true) && seed.orientations.first() == Some(&root.rotation);
        let slack = ROUNDING * self.skeleton.total_length();
        if is_seed && seed.points.iter().zip(&state.points).all(|(seed, placed)| (seed - placed).norm() <= slack) {
            // Placing anew changes last digits.
            state.points.copy_from_slice(&seed.points);
            state.orientations.copy_from_slice(&seed.orientations);
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
