//! One cycle: forward and backward reaching over the segments, with their limits.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::LimitedChain;
use super::moments::{Moments, Place};

/// The frames and points of the segments of a chain.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub rotations: Vec<UnitQuaternion<f64>>,
    pub frames: Vec<UnitQuaternion<f64>>,
    pub points: Vec<Point3<f64>>,
    pub limited: Vec<bool>,
}

impl State {
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.rotations.copy_from_slice(&other.rotations);
        self.frames.copy_from_slice(&other.frames);
        self.points.copy_from_slice(&other.points);
        self.limited.copy_from_slice(&other.limited);
    }

    pub(super) fn distance(&self, target: &Point3<f64>) -> f64 {
        self.points.last().map_or(f64::INFINITY, |tip| (tip - target).norm())
    }
}

impl LimitedChain {
    /// Forward kinematics: frames and points of the rotations.
    pub(super) fn place(&self, root: &Isometry3<f64>, state: &mut State) {
        let (mut frame, mut end) = (root.rotation, Point3::from(root.translation.vector));
        state.points[0] = end;
        for (index, joint) in self.joints.iter().enumerate() {
            frame = product(&product(&frame, &joint.rest), &state.rotations[index]);
            end += frame * Vector3::x() * self.lengths[index];
            (state.frames[index], state.points[index + 1]) = (frame, end);
        }
    }

    /// One cycle, after which every limit holds. `sums` has an entry for each point.
    pub(super) fn cycle(&self, target: &Point3<f64>, root: &Isometry3<f64>, state: &mut State, sums: &mut [Moments]) {
        self.inward(target, state, sums);
        self.outward(root, state, sums);
    }

    /// Forward reaching: segments from the tip inward, each within the limits of the joint at its outer end.
    pub(super) fn inward(&self, target: &Point3<f64>, state: &mut State, sums: &mut [Moments]) {
        let origin = state.points[0];
        add_up(sums.iter_mut().zip(&state.points), &origin);
        let mut end = *target;
        for index in (0..self.joints.len()).rev() {
            let was = state.frames[index];
            let mut frame = aligned(&was, &(end - state.points[index]));
            if let (Some(joint), Some(after)) = (self.joints.get(index + 1), state.frames.get(index + 1)) {
                let wish = (frame * joint.rest).inverse() * after;
                let outer = Place { frame: *after, origin: end - origin };
                let inner = Place { frame: was * joint.rest, origin: state.points[index + 1] - origin };
                let allowed = joint.inward(&wish, &sums[index + 1].between(&outer, &inner));
                frame = product(after, &(joint.rest * allowed).inverse());
            }
            state.points[index + 1] = end;
            end -= frame * Vector3::x() * self.lengths[index];
            state.frames[index] = frame;
        }
        state.points[0] = end;
    }

    /// Backward reaching: segments from the root outward, each within the limits of the joint at its inner end.
    pub(super) fn outward(&self, root: &Isometry3<f64>, state: &mut State, sums: &mut [Moments]) {
        let origin = state.points[0];
        add_up(sums.iter_mut().zip(&state.points).rev(), &origin);
        let (mut frame, mut end) = (root.rotation, Point3::from(root.translation.vector));
        let mut was_start = state.points[0];
        state.points[0] = end;
        for (index, joint) in self.joints.iter().enumerate() {
            let (was, was_end) = (state.frames[index], state.points[index + 1]);
            let base = product(&frame, &joint.rest);
            let wish = base.inverse() * aligned(&was, &(was_end - end));
            let outer = Place { frame: was, origin: was_start - origin };
            let inner = Place { frame: base, origin: end - origin };
            let (allowed, limited) = joint.outward(&wish, &sums[index].between(&outer, &inner));
            frame = product(&base, &allowed);
            end += frame * Vector3::x() * self.lengths[index];
            was_start = was_end;
            (state.rotations[index], state.frames[index], state.points[index + 1]) = (allowed, frame, end);
            state.limited[index] = limited;
        }
    }
}

/// Writes the sums over the points that come before each, seen from `origin`.
fn add_up<'a>(points: impl Iterator<Item = (&'a mut Moments, &'a Point3<f64>)>, origin: &Point3<f64>) {
    let mut sum = Moments::default();
    for (sums, point) in points {
        *sums = sum;
        sum = sum.with(&(point - origin));
    }
}

/// `frame` after the shortest rotation that brings its x axis to the direction of `along`; unchanged where `along` has none.
fn aligned(frame: &UnitQuaternion<f64>, along: &Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(direction) = along.try_normalize(1e-150) else { return *frame };
    let axis = frame * Vector3::x();
    let scalar = 1.0 + axis.dot(&direction);
    if scalar < 1e-12 {
        // Straight back, where every direction of rotation is equally short: about z.
        return frame * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
    }
    let vector = axis.cross(&direction);
    product(&UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), frame)
}

/// The product of two rotations, normalised, so that rounding does not add up along a chain.
fn product(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(a.into_inner() * b.into_inner())
}
