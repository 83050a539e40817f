//! Working ranges: finite parts of the joint limits in which solvers search.
//!
//! Some URDFs write "no limit" as a large number: ±999 999 m for a base that drives, ±1e9 rad for a wheel.
//! Configurations spread over such limits are far from the workspace, and the lengths of the arm are negligible beside
//! them. So each joint has a finite working range inside its limits. Starting points, the number of axes that a
//! tip can follow, middles of ranges, samples and pictures come from it. The limits are those of the URDF: a joint
//! may be moved beyond its working range.

use std::f64::consts::TAU;

use super::{Domain, Joint, JointKind, Robot};

/// Half-width of the working range of a prismatic joint, in sizes of the robot. Rails under arms are about as long, and
/// at that distance the lever arm of a base that rotates before it drives does not yet dominate the
/// Jacobian of the arm.
const SIZES: f64 = 10.0;
/// Half-width of the working range of a revolute joint, in revolutions.
const TURNS: f64 = 10.0;

impl Domain {
    /// The part of an interval that is no farther than `reach` from the allowed position nearest to 0.
    fn within(self, reach: f64) -> Self {
        match self {
            Self::Interval { lower, upper } if lower <= upper => {
                let centre = self.clamp(0.0);
                Self::Interval { lower: lower.max(centre - reach), upper: upper.min(centre + reach) }
            }
            other => other,
        }
    }
}

impl Robot {
    /// The part \[rad or m\] of the [domain](Self::domain) of the joint with index `joint` in which solvers search: the
    /// domain itself, unless its limits are very wide. Then it extends ten robot sizes (prismatic) or ten revolutions
    /// (revolute) from the permitted position nearest to 0. The range of a joint with followers is wide enough for the
    /// slowest of them.
    pub fn working_range(&self, joint: usize) -> Domain {
        let reach = |joint: &Joint| if joint.kind == JointKind::Prismatic { SIZES * self.size } else { TURNS * TAU };
        let followers = self.followers(joint).filter(|(_, mimic)| mimic.multiplier != 0.0);
        let needed = followers.map(|(follower, mimic)| reach(follower) / mimic.multiplier.abs());
        let reach = needed.fold(reach(&self.joints[joint]), f64::max);
        self.domain(joint).within(reach)
    }
}

/// The size of a robot \[m\]: the greatest length from its root to a link along the joint origins, or 1 m if that is 0.
pub(super) fn size(links: usize, joints: &[Joint], parents_first: &[usize]) -> f64 {
    let mut lengths = vec![0.0; links];
    for Joint { parent, child, origin, .. } in parents_first.iter().map(|&index| &joints[index]) {
        lengths[*child] = lengths[*parent] + origin.translation.vector.norm();
    }
    let size = lengths.into_iter().fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}
