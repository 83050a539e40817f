//! Arms of seven joints with a spherical wrist, whose second and third axes meet and whose shoulder is offset between the first and the
//! second; and the same from the tip to the base.
//!
//! With the outermost joint at a known position the distance of the wrist from where the second and the third axis meet gives the
//! elbow, two ways. The wrist's height along the second axis gives the third joint, two ways, and that the second. The wrist makes up
//! the rotation that is left, and can turn over. So there are eight ways.

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::joint_ranges::Seven;
use super::spherical_joint::SphericalJoint;
use urdf_ik_closed_form::{Axes, AxisConditions, AxisDeviation, Linear, REDUNDANT_JOINTS, Turn, with_deviation};

/// The axes of the wrist meet in one point, neighbours at right angles, and the second and the third axis meet.
const CONDITIONS: AxisConditions =
    AxisConditions { parallel: &[], square: &[[4, 5], [5, 6]], meeting: &[[1, 2]], concurrent: &[[4, 5, 6]] };
/// The least distance of shoulder and wrist from the elbow's axis, over the arm's length.
const MIN_DISTANCE: f64 = 1e-3;
/// The least angle between the first and the second axis, and between the second and the third \[rad\].
const MIN_ANGLE: f64 = 1e-3;

/// Such an arm.
#[derive(Debug, Clone)]
pub(super) struct OffsetArm {
    /// Whether the chain is read from its tip to its base.
    pub reversed: bool,
    /// By how much its axes miss being those of such an arm.
    pub deviation: AxisDeviation,
    /// Directions of the first four axes at zero positions.
    pub axes: [Vector3<f64>; 4],
    pub wrist: SphericalJoint,
    pub elbow: Elbow,
    /// A point on the first axis, and from there to where the next two meet \[m\].
    base: Vector3<f64>,
    shoulder: Vector3<f64>,
    /// From there to the elbow's axis, and on to the wrist \[m\].
    upper: Vector3<f64>,
    fore: Vector3<f64>,
    /// From the wrist to the tip \[m\], and the inverse of the rotation that the tip has at zero positions.
    tool: Vector3<f64>,
    unturned: Rotation3<f64>,
}

/// A vector as the elbow turns it.
pub(super) type Swung = [Vector3<f64>; 3];

/// Where the arm must bring its tip, as functions of the first joint, in the frame that this one turns.
pub(super) struct Goal {
    /// From the shoulder to the wrist \[m\].
    pub wrist: [Linear; 3],
    /// What the wrist's third axis, its second, and the vector product of both must be after the rotation.
    pub ends: [[Linear; 3]; 3],
}

/// How the elbow sets distances: the wrist's squared distance is `one` and `amplitude` times the cosine of its angle less
/// `middle`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elbow {
    pub one: f64,
    pub amplitude: f64,
    pub middle: Turn,
    /// From shoulder to wrist, and the wrist's first and second axis and their product.
    pub reach: Swung,
    pub wrist: [Swung; 3],
}

impl OffsetArm {
    /// The arm that is nearest to `axes`, from whichever end, where one is near. `length` is that of the arm \[m\].
    pub fn new(axes: &Axes<REDUNDANT_JOINTS>, length: f64) -> Option<Self> {
        Self::read(axes, length, false).or_else(|| Self::read(&axes.reversed(), length, true))
    }

    fn read(axes: &Axes<REDUNDANT_JOINTS>, length: f64, reversed: bool) -> Option<Self> {
        let centre = axes.centre([4, 5, 6])?;
        let (one, other) = axes.feet(1, 2);
        let shoulder = 0.5 * (one + other);
        let deviation = CONDITIONS.deviation(axes);
        let elbow = &axes.lines[3];
        let apart = |centre: &Vector3<f64>| elbow.distance_from(centre) > MIN_DISTANCE * length;
        let near = deviation.near(length) && axes.angle(0, 1).min(axes.angle(1, 2)) > MIN_ANGLE;
        let (upper, fore) = (elbow.point - shoulder, centre - elbow.point);
        let wrist = SphericalJoint::new(4, [4, 5, 6].map(|axis| axes.lines[axis].direction));
        let base = axes.lines[0].point;
        (near && apart(&shoulder) && apart(&centre)).then(|| Self {
            reversed,
            deviation: if reversed { deviation.reversed(REDUNDANT_JOINTS) } else { deviation },
            axes: [0, 1, 2, 3].map(|axis| axes.lines[axis].direction),
            elbow: Elbow::new(&elbow.direction, &upper, &fore, &wrist),
            wrist,
            base,
            shoulder: shoulder - base,
            upper,
            fore,
            tool: axes.tip.translation.vector - centre,
            unturned: axes.tip.rotation.to_rotation_matrix().inverse(),
        })
    }

    /// What the axes have in common, and by how much they miss that, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let common = if self.reversed {
            format!("axes 1, 2 and 3 meet in one point, 5 and 6 meet, swept by '{}'", joints[REDUNDANT_JOINTS - 1])
        } else {
            format!("axes 5, 6 and 7 meet in one point, 2 and 3 meet, swept by '{}'", joints[0])
        };
        with_deviation(common, &self.deviation.in_words(joints))
    }

    /// Where a pose of the tip brings the wrist, read as the arm is.
    pub fn goal(&self, pose: &Isometry3<f64>) -> Goal {
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        let wrist = pose.translation.vector - rotation * self.tool - self.base;
        let axis = &self.axes[0];
        // Turned back by the first joint.
        let back = |v: Vector3<f64>, less: &Vector3<f64>| {
            let (along, beside) = (axis * axis.dot(&v), axis.cross(&v));
            [0, 1, 2].map(|i| Linear { one: along[i] - less[i], cos: v[i] - along[i], sin: -beside[i] })
        };
        let [_, b, c] = &self.wrist.axes;
        let ends = [c, b, &self.wrist.across[1]].map(|v| back(rotation * v, &Vector3::zeros()));
        Goal { wrist: back(wrist, &self.shoulder), ends }
    }

    /// The configuration \[rad\] of a way at a position of the first joint. Joints that share a turn stay near `seed`.
    pub fn configuration(
        &self,
        goal: &Goal,
        first: f64,
        [bent_back, turned_back, over]: [bool; 3],
        seed: &Seven,
    ) -> Seven {
        let ([_, second, third, fourth], elbow) = (&self.axes, &self.elbow);
        let one = Turn::new(first);
        let vector = |entries: &[Linear; 3]| Vector3::from(entries.map(|entry| entry.at(one)));
        let turn = |middle: Turn, cosine: f64, other: bool| {
            let cos = cosine.clamp(-1.0, 1.0);
            let turn = Turn { cos, sin: (1.0 - cos * cos).sqrt() };
            middle.and(if other { turn.back() } else { turn })
        };
        let wrist = vector(&goal.wrist);
        let cosine = (wrist.norm_squared() - elbow.one) / elbow.amplitude;
        let four = turn(elbow.middle, cosine, bent_back);
        let reach = self.upper + four.about(fourth, &self.fore);
        let height = second.dot(third) * third.dot(&reach);
        let (cos, sin) = (second.dot(&reach) - height, second.cross(third).dot(&reach));
        let cosine = (second.dot(&wrist) - height) / cos.hypot(sin).max(f64::MIN_POSITIVE);
        let three = turn(Turn::towards(cos, sin), cosine, turned_back);
        let lifted = three.about(third, &reach);
        let cos = lifted.dot(&wrist) - second.dot(&lifted) * second.dot(&wrist);
        let two = Turn::towards(cos, second.dot(&lifted.cross(&wrist)));
        let [c, b, across] = [&goal.ends[0], &goal.ends[1], &goal.ends[2]].map(vector);
        // The rotation that the tip must have, without that of the first four joints.
        let whole = Matrix3::from_columns(&[c, b, across]);
        let zero = Matrix3::from_columns(&[self.wrist.axes[2], self.wrist.axes[1], self.wrist.across[1]]);
        let arm = two.matrix(second) * three.matrix(third) * four.matrix(fourth);
        let left = arm.transpose() * whole * zero.transpose();
        let [e, f, g] = self.wrist.positions(&left, over, [seed[4], seed[6]]);
        [first, two.angle(), three.angle(), four.angle(), e, f, g]
    }
}

impl Elbow {
    fn new(axis: &Vector3<f64>, upper: &Vector3<f64>, fore: &Vector3<f64>, wrist: &SphericalJoint) -> Self {
        let swung = |v: &Vector3<f64>, fixed: Vector3<f64>| {
            let along = axis * axis.dot(v);
            [fixed + along, v - along, axis.cross(v)]
        };
        let reach = swung(fore, *upper);
        let (cos, sin) = (upper.dot(&reach[1]), upper.dot(&reach[2]));
        let [a, b, _] = &wrist.axes;
        Self {
            one: upper.norm_squared() + fore.norm_squared() + 2.0 * axis.dot(upper) * axis.dot(fore),
            amplitude: 2.0 * cos.hypot(sin),
            middle: Turn::towards(cos, sin),
            reach,
            wrist: [a, b, &wrist.across[0]].map(|v| swung(v, Vector3::zeros())),
        }
    }
}
