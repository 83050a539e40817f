//! Arms of seven joints with a spherical shoulder and a spherical wrist, by the arm angle: that by which shoulder, elbow and wrist have
//! turned about the line from shoulder to wrist (Shimizu, Kakuya, Yoon, Kitagaki and Kosuge 2008, "Analytical inverse kinematic
//! computation for 7-DOF redundant manipulators with joint limits and its application to redundancy resolution").
//!
//! The distance from shoulder to wrist gives the elbow, two ways. The rotations that are left to the shoulder and to the wrist have
//! entries that are sums of a constant, a cosine and a sine of the arm angle; each comes apart into three joints two ways ([`Ball`]).

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::miss::Miss;
use super::spherical_joint::{Ball, Entries};
use crate::solver::closed_form::axes::{Axes, REDUNDANT};
use crate::solver::closed_form::subproblems::turns_to_distance;
use crate::solver::closed_form::trigonometric::Linear;
use crate::solver::closed_form::turn::Turn;

/// Of the arm's length, the least distance of shoulder and wrist from the elbow's axis and from each other.
const APART: f64 = 1e-6;
/// What the distance from shoulder to wrist may be missed by \[m over the arm's length\], by an arm of this kind and by one nearly so.
const SLACK: [f64; 2] = [1e-6, 0.1];

/// An arm with a spherical shoulder and a spherical wrist.
#[derive(Debug, Clone)]
pub(super) struct ArmAngle {
    shoulder: Ball,
    wrist: Ball,
    elbow: Vector3<f64>,
    /// From the shoulder to the elbow's axis and from there to the wrist at zero positions \[m\].
    upper: Vector3<f64>,
    fore: Vector3<f64>,
    /// Where the shoulder is, and from the wrist to the tip \[m\].
    centre: Vector3<f64>,
    tool: Vector3<f64>,
    /// Takes off the rotation that the tip has at zero positions.
    unturned: Rotation3<f64>,
    /// Of the arm \[m\].
    length: f64,
    /// By how much its axes miss being those of such an arm.
    miss: Miss,
}

/// One of the ways that the elbow can be bent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    /// Of the elbow joint.
    pub turn: Turn,
    /// Rotations of the upper arm where the arm angle is 0, and of the elbow.
    upright: Matrix3<f64>,
    bent: Matrix3<f64>,
    pub shoulder: Entries,
    pub wrist: Entries,
}

/// Where an arm shall bring its tip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// From shoulder to wrist, a unit vector.
    line: Vector3<f64>,
    /// What shoulder, elbow and wrist are to turn together.
    rotation: Matrix3<f64>,
    bends: [Option<Bend>; 2],
}

impl ArmAngle {
    /// The arm that is nearest to `axes`, where it is near. `length` is that of the arm \[m\].
    pub fn new(axes: &Axes<REDUNDANT>, length: f64) -> Option<Self> {
        let (shoulder, wrist) = (axes.centre([0, 1, 2])?, axes.centre([4, 5, 6])?);
        let balls = [([0, 1, 2], shoulder), ([4, 5, 6], wrist)];
        let miss = Miss::of(axes, &[[0, 1], [1, 2], [4, 5], [5, 6]], &[], &balls);
        let elbow = axes.directions[3];
        let (upper, fore) = (axes.points[3] - shoulder, wrist - axes.points[3]);
        let apart = |v: &Vector3<f64>| elbow.cross(v).norm() > APART * length;
        let near = miss.near(length) && apart(&upper) && apart(&fore);
        near.then(|| Self {
            shoulder: Ball::new([0, 1, 2].map(|i| axes.directions[i])),
            wrist: Ball::new([4, 5, 6].map(|i| axes.directions[i])),
            elbow,
            upper,
            fore,
            centre: shoulder,
            tool: axes.tip.translation.vector - wrist,
            unturned: axes.tip.rotation.to_rotation_matrix().inverse(),
            length,
            miss,
        })
    }

    /// What the axes have in common, and by how much they miss that, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let common = "axes 1, 2 and 3 meet in one point, 5, 6 and 7 in another, swept by the arm angle";
        self.miss.in_words(common, joints)
    }

    /// What there is to know of a pose of the tip; `None` where no elbow brings the wrist there, and where it is in the shoulder.
    pub fn reach(&self, pose: &Isometry3<f64>) -> Option<Reach> {
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        let line = pose.translation.vector - rotation * self.tool - self.centre;
        let distance = line.norm();
        let slack = SLACK[usize::from(!self.miss.exact())] * self.length;
        let elbows = turns_to_distance(&self.elbow, &self.fore, &-self.upper, distance);
        if distance <= APART * self.length || !elbows.within(slack) {
            return None;
        }
        let (line, rotation) = (line / distance, rotation.into_inner());
        let mut bends = [None; 2];
        for (bend, turn) in bends.iter_mut().zip(self.both(elbows.as_slice())) {
            *bend = Some(self.bend(turn, &line, &rotation));
        }
        Some(Reach { line, rotation, bends })
    }

    /// The turns of the elbow. Of an arm that is not quite of this kind, both are apart by what that can make of an elbow that is
    /// stretched, where Newton steps lead neither way.
    fn both(&self, turns: &[Turn]) -> [Turn; 2] {
        let (one, other) = (turns[0], turns[turns.len() - 1]);
        let apart = one.and(other.back()).angle();
        let least = if self.miss.exact() { 0.0 } else { 4.0 * (self.miss.distance.0 / self.length).sqrt() };
        if apart.abs() >= least {
            return [one, other];
        }
        let middle = other.and(Turn::new(0.5 * apart));
        [middle.and(Turn::new(0.5 * least)), middle.and(Turn::new(-0.5 * least))]
    }

    fn bend(&self, turn: Turn, line: &Vector3<f64>, rotation: &Matrix3<f64>) -> Bend {
        let bent = turn.matrix(&self.elbow);
        let straight = (self.upper + bent * self.fore).normalize();
        let upright = shortest(&straight, line);
        let whole = upright * bent;
        Bend {
            turn,
            upright,
            bent,
            shoulder: self.shoulder.entries(|x, y| turning(line, x, &(upright * y))),
            wrist: self.wrist.entries(|x, y| turning(line, &(rotation * y), &(whole * x))),
        }
    }

    /// The posture \[rad\] at an arm angle, with shoulder and wrist turned over or not. Joints that share a turn stay near `seed`.
    pub fn posture(
        &self,
        reach: &Reach,
        bend: &Bend,
        (angle, over): (Turn, [bool; 2]),
        seed: &[f64; REDUNDANT],
    ) -> [f64; REDUNDANT] {
        let shoulder = angle.matrix(&reach.line) * bend.upright;
        let wrist = (shoulder * bend.bent).transpose() * reach.rotation;
        let [a, b, c] = self.shoulder.positions(&shoulder, over[0], [seed[0], seed[2]]);
        let [e, f, g] = self.wrist.positions(&wrist, over[1], [seed[4], seed[6]]);
        [a, b, c, bend.turn.angle(), e, f, g]
    }

    /// Shoulder and wrist.
    pub fn balls(&self) -> [&Ball; 2] {
        [&self.shoulder, &self.wrist]
    }
}

impl Reach {
    /// The ways that the elbow can be bent.
    pub fn bends(&self) -> impl Iterator<Item = &Bend> {
        self.bends.iter().flatten()
    }
}

/// x · Dy, where D is a turn about `line`.
fn turning(line: &Vector3<f64>, x: &Vector3<f64>, y: &Vector3<f64>) -> Linear {
    let one = line.dot(x) * line.dot(y);
    Linear { one, cos: x.dot(y) - one, sin: x.dot(&line.cross(y)) }
}

/// The shortest rotation that takes one unit vector to another.
fn shortest(from: &Vector3<f64>, to: &Vector3<f64>) -> Matrix3<f64> {
    let (normal, cosine) = (from.cross(to), from.dot(to));
    if cosine < -0.5 {
        // Half a turn about any vector beside the first is all but the shortest; what is left is short.
        let beside = from.cross(&Vector3::ith(from.iamin(), 1.0)).normalize();
        let half = Turn::HALF.matrix(&beside);
        return shortest(&(half * from), to) * half;
    }
    Matrix3::identity() * cosine + normal.cross_matrix() + normal * normal.transpose() / (1.0 + cosine)
}

#[cfg(test)]
mod tests;
