//! Arms of seven joints with a spherical shoulder and a spherical wrist: all joint positions for one arm angle.
//!
//! The arm angle is that by which shoulder, elbow and wrist have turned about the line from shoulder to wrist (Shimizu, Kakuya, Yoon, Kitagaki and Kosuge 2008, "Analytical inverse kinematic
//! computation for 7-DOF redundant manipulators with joint limits and its application to redundancy resolution").
//!
//! The distance from shoulder to wrist gives the elbow, two ways. The rotations that are left to the shoulder and to the wrist have
//! entries that are sums of a constant, a cosine and a sine of the arm angle; each is decomposable into three joints two ways
//! ([`SphericalJoint`]).

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::joint_ranges::Seven;
use super::spherical_joint::{Entries, SphericalJoint};
use urdf_ik_closed_form::subproblems::turns_to_distance;
use urdf_ik_closed_form::{
    Axes, AxisConditions, AxisDeviation, CONDITION_SLACK, Linear, REDUNDANT_JOINTS, Turn, with_deviation,
};

/// The axes of shoulder and wrist meet in one point each, neighbours at right angles.
const CONDITIONS: AxisConditions = AxisConditions {
    parallel: &[],
    square: &[[0, 1], [1, 2], [4, 5], [5, 6]],
    meeting: &[],
    concurrent: &[[0, 1, 2], [4, 5, 6]],
};
/// The least distance of shoulder and wrist from the elbow's axis and from each other, over the arm's length.
const MIN_DISTANCE: f64 = 1e-6;

/// An arm with a spherical shoulder and a spherical wrist.
#[derive(Debug, Clone)]
pub(super) struct ArmAngle {
    shoulder: SphericalJoint,
    wrist: SphericalJoint,
    elbow: Vector3<f64>,
    /// From the shoulder to the elbow's axis and from there to the wrist at zero positions \[m\].
    upper: Vector3<f64>,
    fore: Vector3<f64>,
    /// Where the shoulder is, and from the wrist to the tip \[m\].
    centre: Vector3<f64>,
    tool: Vector3<f64>,
    /// The inverse of the rotation that the tip has at zero positions.
    unturned: Rotation3<f64>,
    /// Of the arm \[m\].
    length: f64,
    /// By how much its axes miss being those of such an arm.
    deviation: AxisDeviation,
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

/// A pose of the tip, as shoulder, elbow and wrist must reach it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShoulderToWrist {
    /// From shoulder to wrist, a unit vector.
    line: Vector3<f64>,
    /// The rotation that shoulder, elbow and wrist must make up together.
    rotation: Matrix3<f64>,
    bends: [Option<Bend>; 2],
}

impl ArmAngle {
    /// The arm that is nearest to `axes`, where it is near. `length` is that of the arm \[m\].
    pub fn new(axes: &Axes<REDUNDANT_JOINTS>, length: f64) -> Option<Self> {
        let (shoulder, wrist) = (axes.centre([0, 1, 2])?, axes.centre([4, 5, 6])?);
        let deviation = CONDITIONS.deviation(axes);
        let elbow = &axes.lines[3];
        let apart = |centre: &Vector3<f64>| elbow.distance_from(centre) > MIN_DISTANCE * length;
        let near = deviation.near(length) && apart(&shoulder) && apart(&wrist);
        near.then(|| Self {
            shoulder: SphericalJoint::new(0, [0, 1, 2].map(|i| axes.lines[i].direction)),
            wrist: SphericalJoint::new(4, [4, 5, 6].map(|i| axes.lines[i].direction)),
            elbow: elbow.direction,
            upper: elbow.point - shoulder,
            fore: wrist - elbow.point,
            centre: shoulder,
            tool: axes.tip.translation.vector - wrist,
            unturned: axes.tip.rotation.to_rotation_matrix().inverse(),
            length,
            deviation,
        })
    }

    /// What the axes have in common, and by how much they miss that, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let common = "axes 1, 2 and 3 meet in one point, 5, 6 and 7 in another, swept by the arm angle";
        with_deviation(common.into(), &self.deviation.in_words(joints))
    }

    /// What a pose of the tip asks of the arm; `None` where no elbow brings the wrist there, and where the wrist is in the shoulder.
    pub fn shoulder_to_wrist(&self, pose: &Isometry3<f64>) -> Option<ShoulderToWrist> {
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        let line = pose.translation.vector - rotation * self.tool - self.centre;
        let distance = line.norm();
        let slack = CONDITION_SLACK[usize::from(!self.deviation.exact())] * self.length;
        let elbows = turns_to_distance(&self.elbow, &self.fore, &-self.upper, distance);
        if distance <= MIN_DISTANCE * self.length || !elbows.within(slack) {
            return None;
        }
        let (line, rotation) = (line / distance, rotation.into_inner());
        let mut bends = [None; 2];
        for (bend, turn) in bends.iter_mut().zip(self.both(elbows.as_slice())) {
            *bend = Some(self.bend(turn, &line, &rotation));
        }
        Some(ShoulderToWrist { line, rotation, bends })
    }

    /// The turns of the elbow. Of an arm that is only near this kind they are kept apart by what its deviation makes of a stretched
    /// elbow: from the middle, Newton steps lead neither way.
    fn both(&self, turns: &[Turn]) -> [Turn; 2] {
        let (one, other) = (turns[0], turns[turns.len() - 1]);
        let apart = one.and(other.back()).angle();
        let least = if self.deviation.exact() { 0.0 } else { 4.0 * (self.deviation.distance.0 / self.length).sqrt() };
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

    /// The configuration \[rad\] at an arm angle, with shoulder and wrist turned over or not. Joints that share a turn stay near
    /// `seed`.
    pub fn configuration(
        &self,
        reach: &ShoulderToWrist,
        bend: &Bend,
        angle: Turn,
        over: [bool; 2],
        seed: &Seven,
    ) -> Seven {
        let shoulder = angle.matrix(&reach.line) * bend.upright;
        let wrist = (shoulder * bend.bent).transpose() * reach.rotation;
        let [a, b, c] = self.shoulder.positions(&shoulder, over[0], [seed[0], seed[2]]);
        let [e, f, g] = self.wrist.positions(&wrist, over[1], [seed[4], seed[6]]);
        [a, b, c, bend.turn.angle(), e, f, g]
    }

    /// Shoulder and wrist.
    pub fn spherical_joints(&self) -> [&SphericalJoint; 2] {
        [&self.shoulder, &self.wrist]
    }
}

impl ShoulderToWrist {
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
