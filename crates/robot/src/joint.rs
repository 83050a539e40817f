//! Joints of a URDF, and their allowed positions.
//!
//! Limits depend on the joint type, never on the range: a revolute joint from 0 to 0 is fixed, not unbounded.

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use urdf_ik_text::named_values;

named_values! {
    /// The type of a joint, with its name in URDF. All types of URDF are listed.
    pub enum JointKind("joint type", "joint types") {
        /// No motion.
        Fixed = "fixed",
        /// Rotation about the axis \[rad\], within limits.
        Revolute = "revolute",
        /// Rotation about the axis \[rad\], without limits.
        Continuous = "continuous",
        /// Translation along the axis \[m\], within limits.
        Prismatic = "prismatic",
        /// Motion in all six axes. Such a joint is fixed at identity and cannot be part of a chain.
        Floating = "floating",
        /// Motion in a plane. Such a joint is fixed at identity and cannot be part of a chain.
        Planar = "planar",
    }
}

impl JointKind {
    /// True for revolute, continuous and prismatic joints: their position is a single number.
    pub fn has_position(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }

    /// Pose of the child link at `position` \[rad or m\] along `axis`, a unit vector in the joint's frame. The result
    /// is in the frame in which `origin` is the pose of the joint's frame.
    pub(crate) fn child_pose(
        self,
        origin: &Isometry3<f64>,
        axis: &Unit<Vector3<f64>>,
        position: f64,
    ) -> Isometry3<f64> {
        match self {
            Self::Revolute | Self::Continuous => origin * UnitQuaternion::from_axis_angle(axis, position),
            Self::Prismatic => origin * Translation3::from(axis.into_inner() * position),
            Self::Fixed | Self::Floating | Self::Planar => *origin,
        }
    }
}

/// Permitted positions of a joint or a variable \[rad or m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// All positions from `lower` to `upper`, both included \[rad or m\].
    Interval {
        /// Minimum position \[rad or m\].
        lower: f64,
        /// Maximum position \[rad or m\].
        upper: f64,
    },
    /// Any angle \[rad\]. Positions that differ by 2π are equivalent.
    Circle,
}

impl Domain {
    /// True if `position` \[rad or m\] is finite and within the domain.
    pub fn contains(&self, position: f64) -> bool {
        match self {
            Self::Interval { lower, upper } => (*lower..=*upper).contains(&position),
            Self::Circle => position.is_finite(),
        }
    }

    /// The position \[rad or m\] within the domain nearest to `position` \[rad or m\].
    #[inline]
    pub fn clamp(&self, position: f64) -> f64 {
        match self {
            Self::Interval { lower, upper } => position.max(*lower).min(*upper),
            Self::Circle => position,
        }
    }

    /// Distance \[rad or m\] of `position` \[rad or m\] from the domain; 0 inside, and on a circle.
    pub fn excess(&self, position: f64) -> f64 {
        (position - self.clamp(position)).abs()
    }

    /// The smallest domain that contains both this one and `position` \[rad or m\].
    #[must_use]
    pub fn extended_to(&self, position: f64) -> Self {
        let Self::Interval { lower, upper } = *self else { return Self::Circle };
        Self::Interval { lower: lower.min(position), upper: upper.max(position) }
    }

    /// Half the length of the interval \[rad or m\]; infinite for a circle and for an interval of length zero.
    pub fn half_range(&self) -> f64 {
        let [lower, upper] = self.ends();
        if upper > lower { 0.5 * (upper - lower) } else { f64::INFINITY }
    }

    /// The middle of the interval \[rad or m\]; 0 for a circle.
    pub fn middle(&self) -> f64 {
        match self {
            Self::Interval { lower, upper } => 0.5 * (lower + upper),
            Self::Circle => 0.0,
        }
    }

    /// Lower and upper end of the interval \[rad or m\]; infinite for a circle.
    #[inline]
    pub fn ends(&self) -> [f64; 2] {
        match self {
            Self::Interval { lower, upper } => [*lower, *upper],
            Self::Circle => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// True if the domain covers a full revolution: a circle, or an interval of at least 2π rad.
    pub fn has_whole_turn(&self) -> bool {
        let [lower, upper] = self.ends();
        upper - lower >= TAU
    }

    /// The angle `position` \[rad\]; if it is beyond an end of the interval by more than `slack` \[rad\], moved back by
    /// the least number of full revolutions. On an interval shorter than 2π the result may be beyond the other end.
    #[inline]
    pub fn turned_into(&self, position: f64, slack: f64) -> f64 {
        match self {
            Self::Interval { upper, .. } if position > upper + slack => {
                position - ((position - upper - slack) / TAU).ceil() * TAU
            }
            Self::Interval { lower, .. } if position < lower - slack => {
                position + ((lower - slack - position) / TAU).ceil() * TAU
            }
            _ => position,
        }
    }

    /// The permitted angle \[rad\] nearest to `seed` \[rad\] among those that differ from `position` \[rad\] by full
    /// revolutions. An angle beyond an end by at most `slack` \[rad\] is clamped to that end. `None` if no angle is
    /// permitted.
    #[inline]
    pub fn turn_near(&self, position: f64, seed: f64, slack: f64) -> Option<f64> {
        let ([lower, upper], turned) = (self.ends(), self.turned_into(nearest_turn(position, seed), slack));
        (lower - slack..=upper + slack).contains(&turned).then(|| self.clamp(turned))
    }

    /// Signed distance \[rad or m\] of `position` \[rad or m\] from the middle of the interval; 0 for a circle.
    pub fn from_middle(&self, position: f64) -> f64 {
        match self {
            Self::Interval { .. } => position - self.middle(),
            Self::Circle => 0.0,
        }
    }

    /// Signed displacement \[rad or m\] from the position `from` to the position `to` \[rad or m\]; on a circle the
    /// shorter way.
    pub fn way(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::Interval { .. } => to - from,
            Self::Circle => without_whole_turns(to - from),
        }
    }

    /// The position \[rad or m\] at `fraction` \[-\] (0 to 1) of the interval, from its lower end. A circle counts as
    /// the interval from -π to π rad.
    pub fn at(&self, fraction: f64) -> f64 {
        match self {
            // Clamped, since the sum may pass the upper end by rounding.
            Self::Interval { lower, upper } => (lower + fraction * (upper - lower)).min(*upper),
            Self::Circle => (fraction - 0.5) * TAU,
        }
    }

    /// Range of a follower while its master covers this domain: the image of `multiplier * x + offset`.
    pub(crate) fn image(&self, multiplier: f64, offset: f64) -> Self {
        if multiplier == 0.0 {
            return Self::Interval { lower: offset, upper: offset };
        }
        let Self::Interval { lower, upper } = *self else { return Self::Circle };
        let ends = [lower, upper].map(|end| multiplier * end + offset);
        Self::Interval { lower: ends[0].min(ends[1]), upper: ends[0].max(ends[1]) }
    }
}

/// The multiple of 2π \[rad\] nearest to `angle` \[rad\].
#[inline]
pub fn whole_turns(angle: f64) -> f64 {
    (angle / TAU).round() * TAU
}

/// `angle` \[rad\], wrapped to -π to π \[rad\].
#[inline]
pub fn without_whole_turns(angle: f64) -> f64 {
    angle - whole_turns(angle)
}

/// The angle \[rad\] nearest to `seed` \[rad\] among those that differ from `angle` \[rad\] by full revolutions.
#[inline]
pub fn nearest_turn(angle: f64, seed: f64) -> f64 {
    let step = seed - angle;
    if step.abs() <= PI { angle } else { angle + whole_turns(step) }
}

/// The rule by which a joint follows another: its position is `multiplier * position of the master + offset`.
///
/// Chains of mimic rules are composed into one, so the master mimics no other joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// Index of the master among [`Robot::joints`](super::Robot::joints).
    pub master: usize,
    /// Position of this joint per unit of the master \[rad or m per rad or m\].
    pub multiplier: f64,
    /// Position of this joint when the master is at 0 \[rad or m\].
    pub offset: f64,
}

/// A joint between two links, in the parsed robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name, unique in the robot.
    pub name: String,
    /// Type of the joint.
    pub kind: JointKind,
    /// Index of the parent link among [`Robot::links`](super::Robot::links).
    pub parent: usize,
    /// Index of the child link among [`Robot::links`](super::Robot::links).
    pub child: usize,
    /// Pose of the joint's frame in the parent link's frame (translation \[m\]).
    pub origin: Isometry3<f64>,
    /// Axis in the joint's frame, a unit vector. The x axis for joints without an axis.
    pub axis: Unit<Vector3<f64>>,
    /// True for a joint of a movable type with the axis (0, 0, 0). Such a joint is fixed and cannot be part of a chain.
    pub lacks_axis: bool,
    /// The joint's own limits \[rad or m\]. [`Domain::Circle`] for a continuous joint. Without meaning for a joint that
    /// has no position or mimics another: see [`Robot::domain`](super::Robot::domain).
    pub domain: Domain,
    /// Velocity limit \[rad/s or m/s\]; infinite if the URDF has none, 0 if it is unknown (0 or less in the URDF).
    pub velocity: f64,
    /// The mimic rule, if any.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// Lower and upper limit \[rad or m\] if the lower one is above the upper one, so that no position is permitted;
    /// `None` otherwise, and for a joint that mimics another.
    pub fn reversed_limits(&self) -> Option<(f64, f64)> {
        let [lower, upper] = self.domain.ends();
        (lower > upper && self.mimic.is_none()).then_some((lower, upper))
    }

    /// Its mimic rule. A joint that mimics no other follows itself: `index`, its own, with multiplier 1 and offset 0.
    #[doc(hidden)]
    pub fn rule(&self, index: usize) -> Mimic {
        self.mimic.unwrap_or(Mimic { master: index, multiplier: 1.0, offset: 0.0 })
    }

    /// The child link's pose in the parent link's frame (translation \[m\]) at `position` \[rad or m\], which is
    /// ignored for joints without a position.
    pub fn transform(&self, position: f64) -> Isometry3<f64> {
        self.kind.child_pose(&self.origin, &self.axis, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follower_goes_where_its_master_takes_it() {
        let master = Domain::Interval { lower: -1.0, upper: 2.0 };
        assert_eq!(master.image(-2.0, 0.5), Domain::Interval { lower: -3.5, upper: 2.5 });
        assert_eq!(master.image(0.0, 9.0), Domain::Interval { lower: 9.0, upper: 9.0 });
        assert_eq!(Domain::Circle.image(0.0, 9.0), Domain::Interval { lower: 9.0, upper: 9.0 });
        assert_eq!(Domain::Circle.image(-2.0, 0.5), Domain::Circle);
    }

    #[test]
    fn a_domain_holds_its_samples_and_no_strangers() {
        let interval = Domain::Interval { lower: -0.1, upper: 0.3 };
        for step in 0..=10 {
            let fraction = f64::from(step) / 10.0;
            assert!(interval.contains(interval.at(fraction)), "{fraction}");
            assert!(Domain::Circle.at(fraction).abs() <= PI);
        }
        assert!(!interval.contains(f64::NAN) && !Domain::Circle.contains(f64::NAN));
        assert!(!Domain::Circle.contains(f64::INFINITY));
        assert_eq!(interval.clamp(1.0), 0.3);
        assert_eq!(Domain::Circle.clamp(9.0), 9.0);
    }

    #[test]
    fn a_position_comes_to_the_turn_nearest_to_the_seed() {
        let wide = Domain::Interval { lower: -TAU, upper: TAU };
        assert_eq!(wide.turn_near(1.0, 5.0, 1e-9), Some(1.0));
        assert!((wide.turn_near(1.0, -5.0, 1e-9).unwrap() - (1.0 - TAU)).abs() < 1e-15);
        let shifted = Domain::Interval { lower: 3.0, upper: 8.0 };
        assert!((shifted.turn_near(1.0, 3.5, 1e-9).unwrap() - (1.0 + TAU)).abs() < 1e-15);
        assert!(shifted.turn_near(2.5, 3.5, 1e-9).is_none());
        assert_eq!(Domain::Interval { lower: -1.0, upper: 1.0 }.turn_near(1.0 + 1e-12, 0.0, 1e-9), Some(1.0));
        assert!((Domain::Circle.turn_near(1.0, 100.0, 1e-9).unwrap() - 101.530_964_9).abs() < 1e-6);
        let narrow = Domain::Interval { lower: -1.0, upper: 1.0 };
        assert!(narrow.turn_near(3.0, -1.0, 1e-9).is_none() && narrow.turn_near(-3.0, 1.0, 1e-9).is_none());
    }
}
