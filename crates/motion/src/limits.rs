//! Velocity, acceleration and jerk limits: from the URDF, and from MoveIt's joint_limits.yaml.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use thiserror::Error;

use urdf_ik_robot::{Chain, Joint, Robot, Variable};
use urdf_ik_text::CheckedText;
use urdf_ik_text::names::{self, number, sentence, short};
use urdf_ik_text::yaml::yaml_reader;

/// Limits of joints, keyed by joint name, as in a joint_limits.yaml.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JointLimits(pub BTreeMap<String, JointLimit>);

/// The limits of one joint. The fields are complete: motions have no limits of other orders.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLimit {
    /// Maximum velocity \[rad/s or m/s\], if limited.
    pub velocity: Option<f64>,
    /// Maximum acceleration \[rad/s² or m/s²\], if limited.
    pub acceleration: Option<f64>,
    /// Maximum jerk \[rad/s³ or m/s³\], if limited.
    pub jerk: Option<f64>,
}

impl JointLimit {
    /// The defaults of the node, the command line and Python: a velocity of 1 rad/s or m/s; acceleration and jerk are
    /// [derived](MotionLimits::or) from it.
    pub const DEFAULT: Self = Self { velocity: Some(1.0), acceleration: None, jerk: None };
}

/// Time in which a joint reaches its velocity limit, from which its acceleration limit is derived if it has none \[s\].
///
/// The lag behind a smooth stream grows with it. Together with [`TIME_TO_FULL_ACCELERATION`] these are the greatest
/// times with a lag below 40 ms on a figure of eight at 0.2 m/s for UR5, Panda and the bundled arm (measured;
/// docs/robots.md). The accelerations that Franka publishes for the Panda correspond to 0.13 to 0.29 s.
const TIME_TO_FULL_SPEED: f64 = 0.2;
/// Time in which a joint reaches its acceleration limit, from which its jerk limit is derived if it has none \[s\].
/// With 5 ms the lag is 2 ms less, and the command of a UR5 accelerates and brakes twice as hard between two targets;
/// with 20 ms it lags by 6 ms more.
const TIME_TO_FULL_ACCELERATION: f64 = 0.01;

/// Maximum derived acceleration \[rad/s² or m/s²\] and jerk \[rad/s³ or m/s³\], for URDFs with velocities such as 1e9:
/// the maxima of the node's parameters.
const MAX_DERIVED: [f64; 2] = [1e3, 1e5];

/// Why a joint_limits.yaml is invalid. The message names the line if it is known.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the joint limits are not in MoveIt's format: {}", sentence(reason))]
pub struct JointLimitsError {
    /// Message of the YAML reader.
    pub reason: String,
}

/// The motion limits of the chain's n variables, in their order; infinite if unlimited. The fields are complete, as in
/// [`JointLimit`].
#[derive(Debug, Clone, PartialEq)]
pub struct MotionLimits {
    /// Maximum velocities: n entries \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// Maximum accelerations: n entries \[rad/s² or m/s²\].
    pub accelerations: Vec<f64>,
    /// Maximum jerks: n entries \[rad/s³ or m/s³\].
    pub jerks: Vec<f64>,
}

/// Why motion limits are invalid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionLimitsError {
    /// A list does not have one limit for each variable.
    #[error("there are {found} {which} limits for {expected} joints; give one limit for each")]
    Count {
        /// `velocity`, `acceleration` or `jerk`.
        which: &'static str,
        /// Number of limits.
        found: usize,
        /// Number of variables.
        expected: usize,
    },
    /// A limit is not a finite number above 0.
    #[error(
        "the {which} limit of joint '{}' is {}; it must be a finite number above 0 (MotionLimits::or replaces infinite ones)",
        short(joint),
        number(*value)
    )]
    Value {
        /// `velocity`, `acceleration` or `jerk`.
        which: &'static str,
        /// Name of the joint.
        joint: String,
        /// The invalid limit, of the kind `which` \[rad or m, per s, s² or s³\].
        value: f64,
    },
}

impl JointLimits {
    /// Reads the text of a joint_limits.yaml for `robot`: `has_velocity_limits` and `max_velocity` of each joint, and
    /// the same for acceleration and jerk. MoveIt's other keys are ignored: positions, decelerations, efforts,
    /// default scaling factors. An empty text has no limits.
    ///
    /// ```
    /// use urdf_ik_motion::JointLimits;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf");
    /// let robot = urdf_ik_robot::Robot::from_urdf_file(urdf)?;
    /// let joint = robot.movable_names().next().ok_or("no joint")?;
    /// let text = format!("joint_limits:\n  {joint}: {{has_velocity_limits: true, max_velocity: 2.0}}");
    /// assert_eq!(JointLimits::from_yaml(&text, &robot)?.0[joint].velocity, Some(2.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`JointLimitsError`] if the text has another format, a joint or key is unknown, or a limit is missing or not a
    /// finite number above 0.
    pub fn from_yaml(text: &str, robot: &Robot) -> Result<Self, JointLimitsError> {
        let empty = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if empty {
            return Ok(Self::default());
        }
        let reader = yaml_reader(text).map_err(|e| JointLimitsError { reason: e.to_string() })?;
        reader.deserialize_map(FileVisitor(robot)).map_err(|e| JointLimitsError { reason: e.to_string() })
    }
}

impl MotionLimits {
    /// The limits of the chain's variables. The velocity limit is the lower of those in the URDF and in `file`; the
    /// acceleration and jerk limits are those of `file`. A limit of a mimic joint in `file` applies to the variable
    /// that it follows, divided by the multiplier; a limit of a mimic joint in the URDF is ignored. A velocity of 0 or
    /// less in the URDF means unlimited.
    pub fn new(robot: &Robot, chain: &Chain, file: &JointLimits) -> Self {
        let from_file = |joint: &Joint| {
            let JointLimit { velocity, acceleration, jerk } = file.0.get(&joint.name).copied().unwrap_or_default();
            [velocity, acceleration, jerk].map(|limit| limit.unwrap_or(f64::INFINITY))
        };
        let of_variable = |variable: &Variable| {
            let joint = &robot.joints()[variable.joint];
            let [velocity, acceleration, jerk] = from_file(joint);
            let urdf = if joint.velocity > 0.0 { joint.velocity } else { f64::INFINITY };
            let own = [velocity.min(urdf), acceleration, jerk];
            robot.followers(variable.joint).fold(own, |own, (follower, mimic)| {
                // A follower that does not move imposes no limit.
                let (factor, follower) = (mimic.multiplier.abs(), from_file(follower));
                let bound = |order: usize| if factor > 0.0 { follower[order] / factor } else { f64::INFINITY };
                std::array::from_fn(|order| own[order].min(bound(order)))
            })
        };
        let limits: Vec<[f64; 3]> = chain.variables().iter().map(of_variable).collect();
        let [velocities, accelerations, jerks] =
            std::array::from_fn(|order| limits.iter().map(|limit| limit[order]).collect());
        Self { velocities, accelerations, jerks }
    }

    /// These limits, with `defaults` for unlimited variables. Without a default, the acceleration limit is derived so
    /// that the velocity limit is reached in 0.2 s, at most 1000 rad/s² or m/s²; the jerk limit so that the
    /// acceleration limit is reached in 10 ms, at most 1e5 rad/s³ or m/s³.
    ///
    /// ```
    /// use urdf_ik_motion::{JointLimit, MotionLimits};
    ///
    /// let [velocities, accelerations, jerks] = [[2.0, f64::INFINITY]; 3].map(Vec::from);
    /// let limits = MotionLimits { velocities, accelerations, jerks };
    /// assert_eq!(limits.or(&JointLimit::DEFAULT).velocities, [2.0, 1.0]);
    /// ```
    #[must_use]
    pub fn or(mut self, defaults: &JointLimit) -> Self {
        let or = |limit: &mut f64, default: f64| {
            if *limit == f64::INFINITY {
                *limit = default;
            }
            *limit
        };
        let [max_acceleration, max_jerk] = MAX_DERIVED;
        let higher = self.accelerations.iter_mut().zip(&mut self.jerks);
        for (velocity, (acceleration, jerk)) in self.velocities.iter_mut().zip(higher) {
            let velocity = or(velocity, defaults.velocity.unwrap_or(f64::INFINITY));
            let acceleration =
                or(acceleration, defaults.acceleration.unwrap_or(max_acceleration.min(velocity / TIME_TO_FULL_SPEED)));
            or(jerk, defaults.jerk.unwrap_or(max_jerk.min(acceleration / TIME_TO_FULL_ACCELERATION)));
        }
        self
    }

    /// Checks that there is one finite limit above 0 of each kind for each of the named joints.
    pub(super) fn check(&self, joints: &[impl AsRef<str>]) -> Result<(), MotionLimitsError> {
        let all = [("velocity", &self.velocities), ("acceleration", &self.accelerations), ("jerk", &self.jerks)];
        for (which, limits) in all {
            if limits.len() != joints.len() {
                return Err(MotionLimitsError::Count { which, found: limits.len(), expected: joints.len() });
            }
            let is_wrong = |value: f64| !(value.is_finite() && value > 0.0);
            if let Some((joint, &value)) = joints.iter().zip(limits).find(|(_, value)| is_wrong(**value)) {
                return Err(MotionLimitsError::Value { which, joint: joint.as_ref().to_owned(), value });
            }
        }
        Ok(())
    }
}

/// The whole file.
struct FileVisitor<'a>(&'a Robot);
/// The mapping under `joint_limits`.
struct JointsSeed<'a>(&'a Robot);

/// The keys of a file.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum FileKey {
    JointLimits,
    DefaultVelocityScalingFactor,
    DefaultAccelerationScalingFactor,
}

/// The limits of one joint in a file, with MoveIt's other keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read to check their types, and then ignored")]
struct JointEntry {
    has_position_limits: Option<bool>,
    min_position: Option<f64>,
    max_position: Option<f64>,
    has_velocity_limits: Option<bool>,
    max_velocity: Option<f64>,
    has_acceleration_limits: Option<bool>,
    max_acceleration: Option<f64>,
    has_deceleration_limits: Option<bool>,
    max_deceleration: Option<f64>,
    has_jerk_limits: Option<bool>,
    max_jerk: Option<f64>,
    has_effort_limits: Option<bool>,
    max_effort: Option<f64>,
    angle_wraparound: Option<bool>,
}

/// Checks an entry while the reader knows its line.
struct EntrySeed;

impl<'de> DeserializeSeed<'de> for EntrySeed {
    type Value = JointLimit;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JointLimit, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed {
    type Value = JointLimit;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping such as {has_velocity_limits: true, max_velocity: 2.0}")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JointLimit, A::Error> {
        let entry = JointEntry::deserialize(MapAccessDeserializer::new(map))?;
        let velocity = given(entry.has_velocity_limits, entry.max_velocity, "velocity")?;
        let acceleration = given(entry.has_acceleration_limits, entry.max_acceleration, "acceleration")?;
        let jerk = given(entry.has_jerk_limits, entry.max_jerk, "jerk")?;
        Ok(JointLimit { velocity, acceleration, jerk })
    }
}

/// The limit of an entry, if any. As in MoveIt, a number is ignored unless `has_…_limits` is true.
fn given<E: Error>(has: Option<bool>, limit: Option<f64>, what: &str) -> Result<Option<f64>, E> {
    match (has.unwrap_or(false), limit) {
        (false, _) => Ok(None),
        (true, Some(value)) if value.is_finite() && value > 0.0 => Ok(Some(value)),
        (true, Some(value)) => {
            Err(E::custom(format!("max_{what} is {}; it must be a finite number above 0", number(value))))
        }
        (true, None) => Err(E::custom(format!("has_{what}_limits is true, but there is no max_{what}"))),
    }
}

impl<'de> Visitor<'de> for FileVisitor<'_> {
    type Value = JointLimits;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping with the key joint_limits")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JointLimits, A::Error> {
        let mut limits = None;
        while let Some(key) = map.next_key()? {
            match key {
                FileKey::JointLimits if limits.is_none() => limits = Some(map.next_value_seed(JointsSeed(self.0))?),
                FileKey::JointLimits => return Err(A::Error::duplicate_field("joint_limits")),
                FileKey::DefaultVelocityScalingFactor | FileKey::DefaultAccelerationScalingFactor => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        limits.ok_or_else(|| A::Error::missing_field("joint_limits"))
    }
}

impl<'de> DeserializeSeed<'de> for JointsSeed<'_> {
    type Value = JointLimits;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JointLimits, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for JointsSeed<'_> {
    type Value = JointLimits;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping of joint names to limits")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JointLimits, A::Error> {
        let mut limits = BTreeMap::new();
        let check = |name: &str| movable(self.0, name);
        while let Some(name) = map.next_key_seed(CheckedText { what: "the name of a joint", check })? {
            if limits.insert(name.clone(), map.next_value_seed(EntrySeed)?).is_some() {
                return Err(A::Error::custom(format!("joint '{}' occurs twice", short(&name))));
            }
        }
        Ok(JointLimits(limits))
    }
}

/// The name of a movable joint of `robot`.
fn movable(robot: &Robot, name: &str) -> Result<String, String> {
    if robot.movable_index(name).is_some() {
        return Ok(name.to_owned());
    }
    let (name, joints) = (short(name), names::list(&robot.movable_names().collect::<Vec<_>>()));
    Err(format!("'{name}' is not a movable joint of the robot; its movable joints are: {joints}"))
}
