//! Arms of seven joints with a spherical shoulder and a spherical wrist, by the arm angle: that by which shoulder, elbow and wrist have
//! turned about the line from shoulder to wrist (Shimizu, Kakuya, Yoon, Kitagaki and Kosuge 2008, "Analytical inverse kinematic
//! computation for 7-DOF redundant manipulators with joint limits and its application to redundancy resolution").
//!
//! The distance from shoulder to wrist gives the elbow, two ways. The rotations that are left to the shoulder and to the wrist have
//! entries that are sums of a constant, a cosine and a sine of the arm angle; each comes apart into three joints two ways.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::axes::{Axes, REDUNDANT};
use super::family::{EXACT, NEAR};
use super::subproblems::turns_to_distance;
use super::trigonometric::Linear;
use super::turn::Turn;

/// Of the arm's length, the least distance of shoulder and wrist from the elbow's axis and from each other.
const APART: f64 = 1e-6;
/// What the distance from shoulder to wrist may be missed by \[m over the arm's length\], by an arm of this kind and by one nearly so.
const SLACK: [f64; 2] = [1e-6, 0.1];
/// A sine of the angle between the first and the last of three axes below this leaves their turns to each other.
const STRAIGHT: f64 = 1e-9;

/// Three axes through one point, the middle one at right angles to the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    /// Unit vectors at zero positions.
    axes: [Vector3<f64>; 3],
    /// The vector product of the second axis with the first, and with the third.
    across: [Vector3<f64>; 2],
    /// The angle from the first axis to the third about the second \[rad\].
    pub offset: f64,
}

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
    /// Greatest angle by which axes miss right angles \[rad\], greatest distance by which they miss each other \[m\], and which.
    angle: (f64, [usize; 2]),
    distance: (f64, [usize; 2]),
}

/// What is left to three joints, as the arm angle has it: of a matrix R that they are to be, and their axes a, b, c with b × a and
/// b × c.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries {
    /// a · Rc, b · Rc and (b × a) · Rc.
    pub end: [Linear; 3],
    /// a · Rb and a · R(b × c).
    pub start: [Linear; 2],
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
        let worst = |a: (f64, [usize; 2]), b: (f64, [usize; 2])| if b.0 > a.0 { b } else { a };
        let square = |[a, b]: [usize; 2]| (axes.directions[a].dot(&axes.directions[b]).abs().asin(), [a, b]);
        let angle = [[0, 1], [1, 2], [4, 5], [5, 6]].map(square).into_iter().fold((0.0, [0, 1]), worst);
        let off = |[a, b]: [usize; 2], centre: &Vector3<f64>| {
            let from_centre = axes.distance_from(a, centre).max(axes.distance_from(b, centre));
            (axes.distance(a, b).max(from_centre), [a, b])
        };
        let shoulders = [[0, 1], [1, 2], [0, 2]].map(|pair| off(pair, &shoulder));
        let wrists = [[4, 5], [5, 6], [4, 6]].map(|pair| off(pair, &wrist));
        let distance = shoulders.into_iter().chain(wrists).fold((0.0, [0, 1]), worst);
        let elbow = axes.directions[3];
        let (upper, fore) = (axes.points[3] - shoulder, wrist - axes.points[3]);
        let apart = |v: &Vector3<f64>| elbow.cross(v).norm() > APART * length;
        let near = angle.0 <= NEAR && distance.0 <= 2.0 * NEAR * length && apart(&upper) && apart(&fore);
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
            angle,
            distance,
        })
    }

    /// Whether it is such an arm but for rounding.
    pub fn exact(&self) -> bool {
        self.angle.0 <= EXACT && self.distance.0 <= EXACT
    }

    /// What the axes have in common, and by how much they miss that, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let common = "axes 1, 2 and 3 meet in one point, 5, 6 and 7 in another: swept by the arm angle";
        let pair = |[a, b]: [usize; 2]| format!("'{}' and '{}'", joints[a], joints[b]);
        let mut missed = Vec::new();
        if self.angle.0 > EXACT {
            missed.push(format!("{} are {:.3e} rad from a right angle", pair(self.angle.1), self.angle.0));
        }
        if self.distance.0 > EXACT {
            missed.push(format!("{} miss each other by {:.3e} m", pair(self.distance.1), self.distance.0));
        }
        if missed.is_empty() {
            return common.into();
        }
        format!("{common}, but for this, which Newton steps make up for: {}", missed.join(", "))
    }

    /// What there is to know of a pose of the tip; `None` where no elbow brings the wrist there, and where it is in the shoulder.
    pub fn reach(&self, pose: &Isometry3<f64>) -> Option<Reach> {
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        let line = pose.translation.vector - rotation * self.tool - self.centre;
        let distance = line.norm();
        let slack = SLACK[usize::from(!self.exact())] * self.length;
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
        let least = if self.exact() { 0.0 } else { 4.0 * (self.distance.0 / self.length).sqrt() };
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

impl Ball {
    /// The axes, the second as it is, the others at right angles to it.
    fn new([first, second, third]: [Vector3<f64>; 3]) -> Self {
        let square = |axis: Vector3<f64>| (axis - second * second.dot(&axis)).normalize();
        let (first, third) = (square(first), square(third));
        let across = [second.cross(&first), second.cross(&third)];
        let offset = across[0].dot(&third).atan2(first.dot(&third));
        Self { axes: [first, second, third], across, offset }
    }

    /// The entries of a rotation R, given x · Ry of any two vectors.
    fn entries(&self, entry: impl Fn(&Vector3<f64>, &Vector3<f64>) -> Linear) -> Entries {
        let [a, b, c] = &self.axes;
        let [before, after] = &self.across;
        Entries { end: [entry(a, c), entry(b, c), entry(before, c)], start: [entry(a, b), entry(a, after)] }
    }

    /// The positions of the joints \[rad\] whose turns make up `rotation`, the one or the `other` way. Where first and last axis have
    /// come to lie on one line, both go equally far from `near`.
    fn positions(&self, rotation: &Matrix3<f64>, over: bool, near: [f64; 2]) -> [f64; 3] {
        let [a, b, c] = &self.axes;
        let end = rotation * c;
        let sign = if over { -1.0 } else { 1.0 };
        let (cos, sin) = (sign * self.across[0].dot(&end), sign * b.dot(&end));
        if cos * cos + sin * sin > STRAIGHT * STRAIGHT {
            return self.after(Turn::towards(cos, sin), rotation);
        }
        let [_, _, last] = self.after(Turn::new(near[0]), rotation);
        let rest = last - near[1];
        let rest = rest - (rest / TAU).round() * TAU;
        self.after(Turn::new(near[0] + (0.5 * rest).copysign(rest * a.dot(&end))), rotation)
    }

    /// The positions where the turn of the first joint is known.
    fn after(&self, first: Turn, rotation: &Matrix3<f64>) -> [f64; 3] {
        let [a, b, c] = &self.axes;
        let back = |v: &Vector3<f64>| first.back().about(a, &(rotation * v));
        let end = back(c);
        // From where the third axis lies at zero, in the plane that the second turns it in.
        let second = Turn::towards(c.dot(&end), self.across[1].dot(&end));
        let middle = second.back().about(b, &back(b));
        [first.angle(), second.angle(), Turn::towards(b.dot(&middle), c.cross(b).dot(&middle)).angle()]
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
