//! Joints: their limits, and the nearest permitted rotation.

use std::f64::consts::{PI, TAU};

use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::cone::Polar;
use super::swing_twist::SwingTwist;
use super::{Cone, Range};
use urdf_ik_mathematics::segments::{InputError, InputErrorKind, direction, require};
use urdf_ik_text::names::number;

/// Minimum sine of the angle between a hinge axis and its segment at which the hinge can steer the segment.
const MIN_LEVER: f64 = 1e-6;
/// A rotation that differs by more than this \[rad\] from the requested one counts as limited.
pub(super) const LIMITED_TOLERANCE: f64 = 1e-9;

/// The limit of a joint in the joint's frame, which is the frame of the preceding segment rotated by [`Joint::rest`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// A ball joint without limits.
    Free,
    /// A limited ball joint. Its rotation is decomposed into a *twist* about the segment, followed by a *swing*, the
    /// shortest rotation that takes the x axis to the segment's direction.
    Ball {
        /// Permitted directions of the segment, in the joint's frame.
        cone: Cone,
        /// Permitted twist \[rad\].
        twist: Range,
    },
    /// A revolute joint.
    Hinge {
        /// Axis of rotation in the joint's frame; any nonzero length.
        axis: Vector3<f64>,
        /// Permitted angle \[rad\].
        angle: Range,
    },
}

impl Limit {
    /// True if the joint cannot move from its rest orientation.
    pub fn is_stiff(&self) -> bool {
        let still = Range::new(0.0, 0.0);
        match self {
            Self::Free => false,
            Self::Hinge { angle, .. } => *angle == still,
            Self::Ball { cone, twist } => *cone == Cone::circular(0.0) && *twist == still,
        }
    }
}

/// The joint at the start of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Limit of the joint.
    pub limit: Limit,
    /// Orientation of the joint's frame in the frame of the preceding segment, or of the root for the first segments.
    /// Cones are centred on its x axis, and hinge angles are measured from it.
    pub rest: UnitQuaternion<f64>,
}

impl Joint {
    /// A joint whose rest direction continues the preceding segment.
    pub fn new(limit: Limit) -> Self {
        Self { limit, rest: UnitQuaternion::identity() }
    }

    /// A ball joint without limits.
    pub fn free() -> Self {
        Self::new(Limit::Free)
    }

    /// A ball joint with directions limited to `cone` and twist limited to `twist` \[rad\].
    pub fn ball(cone: Cone, twist: Range) -> Self {
        Self::new(Limit::Ball { cone, twist })
    }

    /// A revolute joint about `axis`, a vector of any nonzero length in the joint's frame, limited to the range from
    /// `lower` to `upper` \[rad\].
    pub fn hinge(axis: Vector3<f64>, lower: f64, upper: f64) -> Self {
        Self::new(Limit::Hinge { axis, angle: Range::new(lower, upper) })
    }

    /// The joint with another rest orientation, in the frame of the preceding segment.
    #[must_use]
    pub fn with_rest(self, rest: UnitQuaternion<f64>) -> Self {
        Self { rest, ..self }
    }

    /// The angle \[rad\] of a hinge for `rotation`, which is from the joint's frame to the frame of the segment. The
    /// angle is within the range of the hinge; if several fit, it is the one nearest to 0. `None` for a ball joint.
    pub fn angle(&self, rotation: &UnitQuaternion<f64>) -> Option<f64> {
        let Limit::Hinge { axis, angle } = &self.limit else { return None };
        Some(angle.inside(angle_about(&Unit::new_normalize(*axis), rotation)))
    }

    /// Checks the limits.
    pub(super) fn check(&self) -> Result<(), InputError> {
        let check_range = |what, Range { lower, upper }: &Range| {
            let is_valid = lower.abs() <= TAU && upper.abs() <= TAU && lower <= upper;
            require(is_valid, || {
                let [lower, upper] = [*lower, *upper].map(number);
                InputErrorKind::Model(format!(
                    "its {what} is limited by {lower} and {upper} rad; they must be in ascending order and within ±2π"
                ))
            })
        };
        match &self.limit {
            Limit::Free => Ok(()),
            Limit::Ball { cone: Cone { up, down, left, right }, twist } => {
                for (side, angle) in [("up", up), ("down", down), ("left", left), ("right", right)] {
                    require((0.0..=PI).contains(angle), || {
                        InputErrorKind::Model(format!(
                            "its cone opens by {} rad {side}; that must be a number from 0 to π",
                            number(*angle)
                        ))
                    })?;
                }
                check_range("twist", twist)
            }
            Limit::Hinge { axis, angle } => {
                direction("its axis", axis)?;
                check_range("angle", angle)
            }
        }
    }

    /// The permitted rotation nearest to `wanted`: first the direction is kept, then the twist.
    pub(super) fn nearest(&self, wanted: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        match &self.limit {
            Limit::Free => *wanted,
            Limit::Ball { cone, twist } => {
                let turn = SwingTwist::of(wanted);
                SwingTwist { swing: cone.nearest_polar(turn.swing), twist: twist.nearest(turn.twist) }.rotation()
            }
            Limit::Hinge { axis, angle } => {
                let axis = Unit::new_normalize(*axis);
                let wanted_angle = angle_between(&axis, &Vector3::x(), &(wanted * Vector3::x()));
                let wanted_angle = wanted_angle.unwrap_or_else(|| angle_about(&axis, wanted));
                UnitQuaternion::from_axis_angle(&axis, angle.nearest(wanted_angle))
            }
        }
    }

    /// The permitted rotation nearest to `wanted` in the inward pass, which moves the preceding segment. If the twist
    /// of a ball joint is limited, the preceding segment rolls, and its direction in the frame of the following segment
    /// changes only if necessary.
    pub(super) fn inward(&self, wanted: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let Limit::Ball { cone, twist } = &self.limit else { return self.nearest(wanted) };
        let turn = SwingTwist::of(wanted);
        let allowed = twist.nearest(turn.twist);
        // A roll of the preceding segment changes azimuth and twist by the same angle.
        let (sine, cosine) = (turn.twist - allowed).sin_cos();
        let Polar { angle, cosine: u, sine: v } = turn.swing;
        let rolled = Polar { angle, cosine: u * cosine + v * sine, sine: v * cosine - u * sine };
        SwingTwist { swing: cone.nearest_polar(rolled), twist: allowed }.rotation()
    }

    /// Checks that the joint keeps its segment in the xy plane.
    pub(super) fn check_in_plane(&self) -> Result<(), InputError> {
        let turns_about_z = match &self.limit {
            Limit::Free => true,
            Limit::Ball { .. } => false,
            Limit::Hinge { axis, .. } => axis.x == 0.0 && axis.y == 0.0,
        };
        require(turns_about_z && is_in_plane(&self.rest), || {
            let right = "there it must be free or a hinge about z, at rest turned about z alone";
            InputErrorKind::Model(format!("it leaves the plane; {right}"))
        })
    }

    /// A permitted rotation for three numbers in \[0, 1).
    pub(super) fn sample(&self, fractions: [f64; 3]) -> UnitQuaternion<f64> {
        match &self.limit {
            Limit::Free => Self::ball(Cone::ALL, Range::ALL).sample(fractions),
            Limit::Ball { cone, twist } => {
                let (sine, cosine) = (2.0 * PI * fractions[0]).sin_cos();
                let angle = cone.limit_towards(cosine, sine) * fractions[1].sqrt();
                let swing = cone.nearest_polar(Polar { angle, cosine, sine });
                SwingTwist { swing, twist: twist.at(fractions[2]) }.rotation()
            }
            Limit::Hinge { axis, angle } => {
                UnitQuaternion::from_axis_angle(&Unit::new_normalize(*axis), angle.at(fractions[0]))
            }
        }
    }
}

/// The angle about `axis` that brings `from` closest to `to`; `None` if the distance hardly depends on the angle.
fn angle_between(axis: &Unit<Vector3<f64>>, from: &Vector3<f64>, to: &Vector3<f64>) -> Option<f64> {
    let arm = from - axis.scale(axis.dot(from));
    let (sine, cosine) = (axis.dot(&arm.cross(to)), arm.dot(to));
    (sine.hypot(cosine) > MIN_LEVER).then(|| sine.atan2(cosine))
}

/// The angle of the rotation about `axis` closest to `rotation`.
fn angle_about(axis: &Unit<Vector3<f64>>, rotation: &UnitQuaternion<f64>) -> f64 {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    2.0 * (sign * rotation.imag().dot(axis)).atan2(sign * rotation.w)
}

/// True if a rotation maps the xy plane to itself.
pub(super) fn is_in_plane(rotation: &UnitQuaternion<f64>) -> bool {
    rotation.i == 0.0 && rotation.j == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_mathematics::pseudorandom::{direction, fraction};

    fn rotation(number: usize, index: usize) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(direction(number, index) * (PI * fraction(number, 700 + index)))
    }

    #[test]
    fn a_twist_is_clamped_and_the_direction_kept() {
        let range = Range::new(-0.2, 0.4);
        let joint = Joint::ball(Cone::ALL, range);
        for index in 0..300 {
            let wanted = rotation(7, index);
            let (outward, inward) = (joint.nearest(&wanted), joint.inward(&wanted));
            let twist = SwingTwist::of(&wanted).twist;
            for allowed in [&outward, &inward] {
                assert!((SwingTwist::of(allowed).twist - range.nearest(twist)).abs() < 1e-12);
            }
            // Outward, the following segment keeps its direction; inward, the preceding segment does, seen from the
            // following one.
            assert!((outward * Vector3::x() - wanted * Vector3::x()).norm() < 1e-14);
            assert!((inward.inverse() * Vector3::x() - wanted.inverse() * Vector3::x()).norm() < 1e-14);
        }
    }
}
