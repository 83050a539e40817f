//! Arms of seven joints with a spherical wrist, whose second and third axes meet; and the same read from tip to base.
//!
//! Such an arm has at most eight configurations for each position of its outermost joint
//! ([`branches`](super::branches)).

use nalgebra::{Isometry3, Rotation3, Vector3};

use super::lanes32::{Orbit, entries};
use urdf_ik_closed_form::{
    Axes, AxisConditions, AxisDeviation, NEAR_DEVIATION, REDUNDANT_JOINTS, Turn, with_deviation,
};

/// The axes of the wrist meet in one point, neighbours at right angles, and the second and the third axis meet.
const CONDITIONS: AxisConditions =
    AxisConditions { parallel: &[], square: &[[4, 5], [5, 6]], meeting: &[[1, 2]], concurrent: &[[4, 5, 6]] };
/// Least distance of shoulder and wrist from the elbow's axis, relative to the arm's length.
const MIN_ELBOW_DISTANCE: f64 = 1e-3;
/// Least angle between the first and the second axis, and between the second and the third \[rad\].
const MIN_ANGLE: f64 = 1e-3;

/// An arm with a spherical wrist. The shoulder is the point where the second and the third axis meet. Vectors are in
/// the base link's frame at zero positions.
#[derive(Debug, Clone)]
pub(super) struct SphericalWristArm {
    /// True if the chain is read from tip to base.
    pub reversed: bool,
    /// Deviation of the axes from the conditions of the family.
    pub deviation: AxisDeviation,
    /// Unit vectors along the first three axes.
    pub axes: [Vector3<f64>; 3],
    /// Unit vectors along the second and the third axis, in single precision.
    pub shoulder_axes: [[f32; 3]; 2],
    /// True if the first axis passes through the shoulder, at least nearly. The elbow then does not depend on the first
    /// joint.
    pub is_shoulder_spherical: bool,
    pub elbow: Elbow,
    pub wrist: Wrist,
    /// A point on the first axis, and from there to the shoulder \[m\].
    base: Vector3<f64>,
    shoulder: Vector3<f64>,
    /// From the wrist to the tip \[m\], and the inverse of the tip's rotation.
    tool: Vector3<f64>,
    tip_inverse: Rotation3<f64>,
}

/// The elbow joint: the squared distance from shoulder to wrist is `mean` + `amplitude` · cos(position − `straight`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Elbow {
    /// Mean of the squared distance \[m²\].
    pub mean: f64,
    /// Amplitude of the squared distance \[m²\].
    pub amplitude: f64,
    /// Position of the elbow at the largest distance.
    pub straight: Turn,
    /// Vector from shoulder to wrist \[m\] in the base link's frame, as a function of the elbow's position.
    pub reach: Orbit,
}

/// The wrist, with unit vectors a, b, c along its axes; b is at right angles to the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrist {
    /// The vectors a, b and b × a in the base link's frame, as functions of the elbow's position.
    pub base: [Orbit; 3],
    /// c, b and b × c.
    flange: [Vector3<f64>; 3],
    /// The angle from a to c about b \[rad\].
    pub offset: f64,
}

/// The wrist's goal as a function of the first joint's position, in the frame that this joint rotates.
pub(super) struct WristGoal {
    /// Vector from the shoulder to the wrist \[m\].
    pub position: Orbit,
    /// The vectors c, b and b × c.
    pub flange: [Orbit; 3],
}

impl SphericalWristArm {
    /// The arm with these `axes`, read from the first end at which it is near; `None` if it is near at neither.
    /// `length` is that of the arm \[m\].
    pub fn new(axes: &Axes<REDUNDANT_JOINTS>, length: f64) -> Option<Self> {
        Self::read(axes, length, false).or_else(|| Self::read(&axes.reversed(), length, true))
    }

    fn read(axes: &Axes<REDUNDANT_JOINTS>, length: f64, reversed: bool) -> Option<Self> {
        let wrist = axes.centre([4, 5, 6])?;
        let (one, other) = axes.feet(1, 2);
        let (shoulder, elbow, base) = (0.5 * (one + other), &axes.lines[3], axes.lines[0].point);
        let deviation = CONDITIONS.deviation(axes);
        let apart = |point: &Vector3<f64>| elbow.distance_from(point) > MIN_ELBOW_DISTANCE * length;
        let near = deviation.over_near(length) <= 1.0 && axes.angle(0, 1).min(axes.angle(1, 2)) > MIN_ANGLE;
        let direction = |joint: usize| axes.lines[joint].direction;
        (near && apart(&shoulder) && apart(&wrist)).then(|| Self {
            reversed,
            deviation: if reversed { deviation.reversed(REDUNDANT_JOINTS) } else { deviation },
            axes: [0, 1, 2].map(direction),
            shoulder_axes: [1, 2].map(|joint| entries(&direction(joint))),
            is_shoulder_spherical: axes.lines[0].distance_from(&shoulder) <= NEAR_DEVIATION * length,
            elbow: Elbow::new(&elbow.direction, elbow.point - shoulder, &(wrist - elbow.point)),
            wrist: Wrist::new([4, 5, 6].map(direction), &elbow.direction),
            base,
            shoulder: shoulder - base,
            tool: axes.tip.translation.vector - wrist,
            tip_inverse: axes.tip.rotation.to_rotation_matrix().inverse(),
        })
    }

    /// A sentence on the common property of the axes and their deviations, with the names `joints` from base to tip.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let common = if self.reversed {
            format!("axes 1, 2 and 3 meet in one point, 5 and 6 meet, swept by '{}'", joints[REDUNDANT_JOINTS - 1])
        } else {
            format!("axes 5, 6 and 7 meet in one point, 2 and 3 meet, swept by '{}'", joints[0])
        };
        with_deviation(common, &self.deviation.in_words(joints))
    }

    /// The wrist goal for `pose` \[m\] of the tip in the base link's frame; of the base link in the tip's frame if the
    /// arm is `reversed`.
    pub fn wrist_goal(&self, pose: &Isometry3<f64>) -> WristGoal {
        let rotation = pose.rotation.to_rotation_matrix() * self.tip_inverse;
        let wrist = pose.translation.vector - rotation * self.tool - self.base;
        let back = -self.axes[0];
        WristGoal {
            position: Orbit::new(&back, &wrist, -self.shoulder),
            flange: self.wrist.flange.map(|vector| Orbit::new(&back, &(rotation * vector), Vector3::zeros())),
        }
    }
}

impl Elbow {
    /// `upper` from the shoulder to the elbow's axis, `fore` on to the wrist \[m\].
    fn new(axis: &Vector3<f64>, upper: Vector3<f64>, fore: &Vector3<f64>) -> Self {
        let reach = Orbit::new(axis, fore, upper);
        let (cos, sin) = (upper.dot(fore) - axis.dot(&upper) * axis.dot(fore), upper.dot(&axis.cross(fore)));
        Self {
            mean: upper.norm_squared() + fore.norm_squared() + 2.0 * axis.dot(&upper) * axis.dot(fore),
            amplitude: 2.0 * cos.hypot(sin),
            straight: Turn::towards(cos, sin),
            reach,
        }
    }
}

impl Wrist {
    /// The axes, b as it is, a and c at right angles to it.
    fn new([a, b, c]: [Vector3<f64>; 3], elbow: &Vector3<f64>) -> Self {
        let square = |axis: Vector3<f64>| (axis - b * b.dot(&axis)).normalize();
        let (a, c) = (square(a), square(c));
        let across = b.cross(&a);
        Self {
            base: [a, b, across].map(|vector| Orbit::new(elbow, &vector, Vector3::zeros())),
            flange: [c, b, b.cross(&c)],
            offset: across.dot(&c).atan2(a.dot(&c)),
        }
    }
}

#[cfg(test)]
mod tests;
