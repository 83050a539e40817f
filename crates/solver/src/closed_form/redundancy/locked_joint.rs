//! The locked joint of a chain of seven: the other six have a closed form.

use nalgebra::Isometry3;

use super::joint_ranges::Seven;
use crate::search::Search;
use urdf_ik_closed_form::{Axes, DecomposableArm, Family, JOINTS, NoClosedForm, REDUNDANT_JOINTS, SAMPLE_POSITIONS};
use urdf_ik_robot::ChainPoses;

/// The numbers of the axes in sentences.
const AXIS_NUMBERS: [usize; REDUNDANT_JOINTS] = [1, 2, 3, 4, 5, 6, 7];
/// The order in which joints are tried. The third and the fifth rotate the elbow of an arm with a spherical shoulder
/// or wrist about one line; the last does not move the others.
const LOCKING_ORDER: [usize; REDUNDANT_JOINTS] = [2, 6, 4, 3, 0, 1, 5];
/// Moves of the joint \[rad\] that test whether the other joints can keep the tip in place.
const TRIAL_MOVES: [f64; 4] = [-1.1, -0.4, 0.4, 1.1];
/// Least freedom of a locked joint, relative to the freest joint: an elbow has none if the axes before and behind
/// it meet in points.
const MIN_FREEDOM: f64 = 0.75;
/// Largest miss of a condition \[rad, and m over the arm's length\]: if no configuration is found, another position
/// of the joint may have one.
const CONDITION_SLACK: f64 = 1e-6;

/// A joint of a chain of seven whose other joints have a closed form while it is locked.
#[derive(Debug, Clone)]
pub(in crate::closed_form) struct LockedJoint {
    axes: Axes<REDUNDANT_JOINTS>,
    /// Index of the joint, counted from 0 at the base.
    pub joint: usize,
    /// Family of the other axes at any position of the joint, with their largest deviation from it.
    pub family: Family,
    /// Length of the arm \[m\].
    length: f64,
}

impl LockedJoint {
    /// Finds the joint to lock in the chain with these `axes`. The six other axes belong to a family exactly, or
    /// otherwise nearly.
    ///
    /// # Errors
    /// [`NoClosedForm`] if there is no such joint, with the reason.
    pub fn find(axes: &Axes<REDUNDANT_JOINTS>, search: &Search) -> Result<Self, NoClosedForm> {
        let length = search.reach[0].extent;
        let locked = |joint| Some(Self { axes: *axes, joint, family: lasting(axes, joint, length)?, length });
        let candidates: Vec<Self> = LOCKING_ORDER.into_iter().filter_map(locked).collect();
        let near = candidates.iter().filter(|locked| locked.family.near());
        let freest = near.map(|locked| locked.freedom(search)).fold(0.0, f64::max);
        let free = |locked: &Self| locked.freedom(search) >= MIN_FREEDOM * freest;
        let best = candidates
            .into_iter()
            .filter(free)
            .reduce(|best, next| if next.family.before(&best.family) { next } else { best });
        let best = best.ok_or(NoClosedForm::Parallel)?;
        if best.family.near() {
            return Ok(best);
        }
        let names = search.chain.variable_names();
        let common = best.family.numbered(best.others(&AXIS_NUMBERS));
        let deviation = best.family.deviation.in_words(&best.others(&names));
        Err(NoClosedForm::NotNear { locked: names[best.joint].to_owned(), common, deviation })
    }

    /// A sentence on the common property of the other axes and their deviations, with the names `joints` from base to
    /// tip.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let family = self.family.in_words(self.others(&AXIS_NUMBERS), &self.others(joints));
        format!("'{}' is locked, {family}", joints[self.joint])
    }

    /// The share of configurations and moves of the joint at which the tip can stay in place.
    fn freedom(&self, search: &Search) -> f64 {
        let mut poses = ChainPoses::new(&search.chain);
        let (mut all, mut held) = (0.0, 0.0);
        for first in 0..SAMPLE_POSITIONS.len() {
            let positions: Seven = std::array::from_fn(|i| SAMPLE_POSITIONS[(first + 2 * i) % SAMPLE_POSITIONS.len()]);
            search.chain.forward_kinematics(&positions, &mut poses);
            for position in TRIAL_MOVES.map(|step| positions[self.joint] + step) {
                let solutions = self.arm(position).solutions(&poses.tips()[0], &self.others(&positions));
                held += if solutions.as_slice().is_empty() { 0.0 } else { 1.0 };
                all += 1.0;
            }
        }
        held / all
    }

    /// The arm of the six other joints, with the locked joint at `position` \[rad\].
    pub fn arm(&self, position: f64) -> DecomposableArm {
        let mut arm = DecomposableArm::new(&self.axes.without(self.joint, position), &self.family, self.length);
        arm.slack = (CONDITION_SLACK * self.length, CONDITION_SLACK);
        arm
    }

    /// Calls `found` with the seven joint positions \[rad\] of each configuration with the locked joint at `position`
    /// \[rad\] and the tip at `pose` (base link's frame \[m\]), ignoring limits. Undetermined joints stay near `seed`
    /// \[rad\].
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &Seven, position: f64, found: &mut dyn FnMut(&Seven)) {
        let solutions = self.arm(position).solutions(pose, &self.others(seed));
        for others in solutions.as_slice() {
            let mut configuration = [position; REDUNDANT_JOINTS];
            configuration[..self.joint].copy_from_slice(&others[..self.joint]);
            configuration[self.joint + 1..].copy_from_slice(&others[self.joint..]);
            found(&configuration);
        }
    }

    /// The entries of the six other joints among those of `all` seven, in the same order.
    pub fn others<T: Copy>(&self, all: &[T]) -> [T; JOINTS] {
        std::array::from_fn(|i| all[i + usize::from(i >= self.joint)])
    }
}

/// The family that is exact or nearest for the other axes at all positions of a joint.
fn lasting(axes: &Axes<REDUNDANT_JOINTS>, joint: usize, length: f64) -> Option<Family> {
    let family = Family::of(&axes.without(joint, SAMPLE_POSITIONS[0]), length)?;
    SAMPLE_POSITIONS[1..].iter().try_fold(family, |family, position| {
        Some(family.worse(family.of_other(&axes.without(joint, *position), length)?))
    })
}
