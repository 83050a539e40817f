//! The joint limits of `urdf_ik info`, with their sources.

use urdf_ik::motion::{JointLimit, JointLimits};
use urdf_ik::robot::{Domain, Joint, JointKind, Robot, UrdfOptions};

use super::Result;

/// The limits of a robot's joints by their sources.
pub struct LimitSources {
    /// The robot with the limits of `<limit>` alone.
    by_limit: Robot,
    /// The robot with its soft limits, if these are valid.
    by_soft_limits: Option<Robot>,
    file: JointLimits,
}

impl LimitSources {
    /// The limits in `urdf`, the text of a URDF, and those in `file`, from a `joint_limits.yaml`.
    ///
    /// # Errors
    /// A message if the URDF is invalid.
    pub fn new(urdf: &str, file: JointLimits) -> Result<Self> {
        let by_soft_limits = Robot::from_urdf_with(urdf, UrdfOptions { soft_limits: true }).ok();
        Ok(Self { by_limit: Robot::from_urdf(urdf)?, by_soft_limits, file })
    }

    /// Describes the limits of joint `index` as text that follows the joint's name; empty if it has no position.
    pub fn of_joint(&self, robot: &Robot, index: usize) -> String {
        let joint = &robot.joints()[index];
        if !joint.kind.has_position() {
            return String::new();
        }
        let unit = if joint.kind == JointKind::Prismatic { "m" } else { "rad" };
        match joint.mimic {
            Some(mimic) => {
                let master = &robot.joints()[mimic.master].name;
                let range = range(&robot.domain(index), unit);
                format!(" {range} = {:?} x {master} + {:?}{}", mimic.multiplier, mimic.offset, self.motion(joint, unit))
            }
            None => format!(" {}{}", self.position(joint, index, unit), self.motion(joint, unit)),
        }
    }

    /// The range of a joint, with the source of each end.
    fn position(&self, joint: &Joint, index: usize, unit: &str) -> String {
        let Domain::Interval { .. } = joint.domain else { return range(&joint.domain, unit) };
        let ends = |robot: &Robot| robot.joints()[index].domain.ends();
        let (used, hard) = (joint.domain.ends(), ends(&self.by_limit));
        let sources = [0, 1].map(|end| if used[end] == hard[end] { "limit" } else { "safety_controller" });
        let soft = self.by_soft_limits.as_ref().map(ends).filter(|soft| *soft != used);
        let unused = soft.map_or_else(String::new, |[lower, upper]| {
            format!(", {lower:?} .. {upper:?} {unit} with --soft-limits (safety_controller)")
        });
        let sources = if sources[0] == sources[1] { sources[0].to_owned() } else { sources.join(", ") };
        format!("{} ({sources}){unused}", range(&joint.domain, unit))
    }

    /// The limits of velocity, acceleration and jerk. Those of mimic joints are in the file alone.
    fn motion(&self, joint: &Joint, unit: &str) -> String {
        let of_file = self.file.0.get(&joint.name).copied().unwrap_or_default();
        let JointLimit { velocity, acceleration, jerk } = of_file;
        let by_urdf =
            (joint.mimic.is_none() && joint.velocity > 0.0 && joint.velocity.is_finite()).then_some(joint.velocity);
        let velocity = match (by_urdf, velocity) {
            (Some(urdf), file) if file.is_none_or(|file| urdf <= file) => format!(", {urdf:?} {unit}/s (limit)"),
            (_, Some(file)) => format!(", {file:?} {unit}/s (joint_limits)"),
            (None, None) if joint.mimic.is_some() => String::new(),
            (_, None) => ", no velocity limit".to_owned(),
        };
        let higher = [(acceleration, "s²"), (jerk, "s³")]
            .into_iter()
            .filter_map(|(limit, per)| Some(format!(", {:?} {unit}/{per} (joint_limits)", limit?)));
        higher.fold(velocity, |words, next| words + &next)
    }
}

/// Describes a range of positions, with `unit` (`rad` or `m`) after the numbers.
pub fn range(domain: &Domain, unit: &str) -> String {
    match domain {
        // Debug format: very large limits have an exponent.
        Domain::Interval { lower, upper } => format!("{lower:?} .. {upper:?} {unit}"),
        Domain::Circle => "without limits".into(),
    }
}
