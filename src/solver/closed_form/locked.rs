//! A chain of seven turning joints, one of which is locked: what is left has a closed form.

use nalgebra::Isometry3;

use super::arm::Arm;
use super::axes::{Axes, JOINTS, REDUNDANT};
use super::family::Family;
use crate::robot::ChainPoses;
use crate::solver::jacobian::Jacobian;
use crate::solver::problem::Target;

/// Which joint is tried first. The third and the fifth turn the elbow of an arm with a spherical shoulder or wrist about one line; the
/// last leaves the others where they are.
const ORDER: [usize; REDUNDANT] = [2, 6, 4, 3, 0, 1, 5];
/// Positions at which the same family has to hold \[rad\]: of no special angle, where axes have more in common than elsewhere.
const SAMPLES: [f64; 5] = [0.37, -1.13, 1.91, -2.47, 2.83];

/// Of the fastest joint's rate, the least that the locked one has where the tip stays in place: of an elbow whose shoulder and wrist
/// meet in points each, all postures have the same position.
const MOVING: f64 = 0.02;
/// What conditions may be missed by \[rad, and m over the arm's length\]: where no posture is found, there may be one at another
/// position of the joint.
const SLACK: f64 = 1e-6;

/// A chain of seven turning joints and the one that is locked.
#[derive(Debug, Clone)]
pub(super) struct Locked {
    axes: Axes<REDUNDANT>,
    /// The joint, counted from 0 at the base.
    pub joint: usize,
    /// The family of the other axes, wherever the joint stands, with what they miss it by at worst.
    pub family: Family,
    /// Of the arm \[m\].
    length: f64,
}

impl Locked {
    /// Finds the joint to lock: one that leaves an exact family if there is any, else the nearest.
    ///
    /// # Errors
    /// A clause that says what is in the way.
    pub fn new(search: &Jacobian) -> Result<Self, String> {
        let (axes, length) = (Axes::new(search.chain())?, search.reach()[0].extent);
        let mut best: Option<Self> = None;
        for joint in ORDER.into_iter().filter(|joint| moves(search, *joint)) {
            let Some(family) = lasting(&axes, joint, length) else { continue };
            if best.as_ref().is_none_or(|best| family.before(&best.family)) {
                best = Some(Self { axes, joint, family, length });
            }
        }
        best.ok_or_else(|| "too many of its axes are parallel, whichever joint is locked".into())
    }

    /// The arm that is left where the joint stands at `position` \[rad\].
    pub fn arm(&self, position: f64) -> Arm {
        let mut arm = Arm::new(&self.axes.without(self.joint, position), &self.family, self.length);
        arm.slack = (SLACK * self.length, SLACK);
        arm
    }

    /// Every posture in which the joint stands at `position` \[rad\] and the tip has `pose`, limits or not.
    pub fn postures(
        &self,
        pose: &Isometry3<f64>,
        seed: &[f64; REDUNDANT],
        position: f64,
        found: &mut dyn FnMut(&[f64; REDUNDANT]),
    ) {
        let postures = self.arm(position).postures(pose, &self.others(seed));
        for posture in postures.as_slice() {
            found(&std::array::from_fn(|i| match i.cmp(&self.joint) {
                std::cmp::Ordering::Less => posture[i],
                std::cmp::Ordering::Equal => position,
                std::cmp::Ordering::Greater => posture[i - 1],
            }));
        }
    }

    /// What belongs to the other joints.
    pub fn others<T: Copy>(&self, all: &[T; REDUNDANT]) -> [T; JOINTS] {
        std::array::from_fn(|i| all[i + usize::from(i >= self.joint)])
    }
}

/// The family that the other axes belong to, or are nearest to, wherever a joint stands.
fn lasting(axes: &Axes<REDUNDANT>, joint: usize, length: f64) -> Option<Family> {
    let family = Family::of(&axes.without(joint, SAMPLES[0]), length)?;
    SAMPLES[1..]
        .iter()
        .try_fold(family, |family, position| Some(family.worse(family.again(&axes.without(joint, *position), length)?)))
}

/// Whether a joint moves where the tip stays in place, in every posture of some.
fn moves(search: &Jacobian, joint: usize) -> bool {
    let (mut poses, mut scratch) = (ChainPoses::new(search.chain()), search.scratch());
    (0..SAMPLES.len()).all(|first| {
        let positions: [f64; REDUNDANT] = std::array::from_fn(|i| SAMPLES[(first + 2 * i) % SAMPLES.len()]);
        search.chain().forward_kinematics(&positions, &mut poses);
        let target = Target::new(0, poses.tips()[0]);
        let motion = search.self_motion(&target, &positions, joint, &mut scratch);
        motion.is_some_and(|motion| motion.iter().all(|rate| MOVING * rate.abs() <= 1.0))
    })
}
