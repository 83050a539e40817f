//! Warnings about a robot's limits.

use super::{Joint, JointKind, Robot};
use urdf_ik_text::names::{self, number, short};

/// Excess over its own limits that a follower may have without a warning \[rad or m\]: files have limits and
/// multipliers with few digits.
const ROUNDING: f64 = 1e-3;

/// The condition of a warning about a joint.
type Condition = fn(&Joint) -> bool;

impl Robot {
    /// A sentence with the names of the mimic joints that can exceed their own limits, which are ignored. `None` if
    /// there are no such joints.
    pub fn followers_beyond_limits(&self) -> Option<String> {
        let leaves = |&joint: &usize| {
            let [own, image] = [self.joints[joint].domain.ends(), self.domain(joint).ends()];
            self.joints[joint].mimic.is_some() && (image[0] < own[0] - ROUNDING || image[1] > own[1] + ROUNDING)
        };
        let found: Vec<&str> = self.movable().filter(leaves).map(|joint| self.joints[joint].name.as_str()).collect();
        let sentence = "the limits of a joint that mimics another do not count; these can leave theirs";
        about(sentence, &found)
    }
}

/// A sentence about joints, with their names. `None` if there are none.
pub(super) fn about(sentence: &str, joints: &[&str]) -> Option<String> {
    (!joints.is_empty()).then(|| format!("{sentence}: {}", names::list(joints)))
}

/// A sentence for each kind of limits that are ignored, missing, or allow no motion. The limits of mimic joints are
/// ignored.
pub(super) fn limit_warnings(robot: &Robot) -> Vec<String> {
    let lacks_velocity = |joint: &Joint| joint.velocity == 0.0;
    let lacks_axis = |joint: &Joint| joint.lacks_axis;
    let is_locked = |joint: &Joint| {
        let [lower, upper] = joint.domain.ends();
        matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) && lower == upper
    };
    let kinds: [(&str, Condition); 3] = [
        ("a velocity limit of 0 or less is taken for a missing one; these joints have it", lacks_velocity),
        ("the axis (0, 0, 0) is no direction, so these joints do not move, and cannot be part of a chain", lacks_axis),
        (
            "the lower limit is the upper limit, so these joints are locked (a file without lower and upper means 0 to 0)",
            is_locked,
        ),
    ];
    let sentences = kinds.into_iter().filter_map(|(sentence, is_one)| {
        let joints = robot.joints().iter().filter(|joint| joint.mimic.is_none() && is_one(joint));
        about(sentence, &joints.map(|joint| joint.name.as_str()).collect::<Vec<_>>())
    });
    robot.joints().iter().filter_map(reversed_limits).chain(sentences).collect()
}

/// A warning where limits allow no position. A chain with such a joint is refused, but not a robot that has one
/// outside the chain.
fn reversed_limits(joint: &Joint) -> Option<String> {
    let (lower, upper) = joint.reversed_limits()?;
    Some(format!(
        "joint '{}' has the lower limit {} above the upper limit {}: it cannot be part of a chain",
        short(&joint.name),
        number(lower),
        number(upper)
    ))
}
