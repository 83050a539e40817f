//! A chain of seven turning joints, one of which is locked: what is left has a closed form.

use nalgebra::Isometry3;

use super::arm_angle::ArmAngle;
use super::arm_angle_search::Swivel;
use super::offset::Offset;
use crate::robot::ChainPoses;
use crate::solver::closed_form::arm::Arm;
use crate::solver::closed_form::axes::{Axes, JOINTS, REDUNDANT};
use crate::solver::closed_form::family::Family;
use crate::solver::closed_form::self_check::SAMPLES;
use crate::solver::search::Search;

/// The axes' own.
const NUMBERS: [usize; REDUNDANT] = [1, 2, 3, 4, 5, 6, 7];
/// Which joint is tried first. The third and the fifth turn the elbow of an arm with a spherical shoulder or wrist about one line; the
/// last leaves the others where they are.
const ORDER: [usize; REDUNDANT] = [2, 6, 4, 3, 0, 1, 5];
/// By how much the joint is moved to see whether the tip can still be held in place \[rad\].
const MOVES: [f64; 4] = [-1.1, -0.4, 0.4, 1.1];
/// Of the freedom that the freest joint has, the least of one that is locked: an elbow has none where the axes before and behind it
/// meet in points.
const FREE: f64 = 0.75;
/// What conditions may be missed by \[rad, and m over the arm's length\]: where no posture is found, there may be one at another
/// position of the joint.
const SLACK: f64 = 1e-6;

/// A chain of seven turning joints and the one that is locked.
#[derive(Debug, Clone)]
pub(in crate::solver::closed_form) struct Locked {
    axes: Axes<REDUNDANT>,
    /// The joint, counted from 0 at the base.
    pub joint: usize,
    /// The family of the other axes, wherever the joint stands, with what they miss it by at worst.
    pub family: Family,
    /// What goes before, where shoulder and wrist are spherical, or one of them.
    pub(super) swivel: Option<Box<Swivel>>,
    pub(super) offset: Option<Box<Offset>>,
    /// Of the arm \[m\].
    length: f64,
}

impl Locked {
    /// Finds the joint to lock: one that leaves an exact family if there is any, else the nearest.
    ///
    /// # Errors
    /// A clause that says what is in the way.
    pub fn new(search: &Search) -> Result<Self, String> {
        let (axes, length) = (Axes::new(search.chain())?, search.reach()[0].extent);
        let locked = |joint| {
            Some(Self { axes, joint, family: lasting(&axes, joint, length)?, swivel: None, offset: None, length })
        };
        let candidates: Vec<Self> = ORDER.into_iter().filter_map(locked).collect();
        let near = candidates.iter().filter(|locked| locked.family.near());
        let freest = near.map(|locked| locked.freedom(search)).fold(0.0, f64::max);
        let free = |locked: &Self| locked.freedom(search) >= FREE * freest;
        let best = candidates
            .into_iter()
            .filter(free)
            .reduce(|best, next| if next.family.before(&best.family) { next } else { best });
        let swivel = ArmAngle::new(&axes, length).map(|arm| Box::new(Swivel::new(arm)));
        let offset = if swivel.is_some() { None } else { Offset::new(&axes, length).map(Box::new) };
        let best = best.ok_or("too many of its axes are parallel, whichever joint is locked")?;
        if best.family.near() {
            return Ok(Self { swivel, offset, ..best });
        }
        let names = search.chain().variable_names();
        let (common, miss) = (best.family.numbered(best.others(&NUMBERS)), best.family.miss(&best.others(&names)));
        Err(format!("it is nearest to one where '{}' is locked, {common}, but {miss}", names[best.joint]))
    }

    /// What the axes have in common, and by how much they miss it, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        if let Some(swivel) = &self.swivel {
            return swivel.arm.in_words(joints);
        }
        if let Some(offset) = &self.offset {
            return offset.in_words(joints);
        }
        let family = self.family.in_words(self.others(&NUMBERS), &self.others(joints));
        format!("'{}' is locked, {family}", joints[self.joint])
    }

    /// Of postures and of moves of the joint, the part in which the tip can be held in place.
    fn freedom(&self, search: &Search) -> f64 {
        let mut poses = ChainPoses::new(search.chain());
        let (mut all, mut held) = (0.0, 0.0);
        for first in 0..SAMPLES.len() {
            let positions: [f64; REDUNDANT] = std::array::from_fn(|i| SAMPLES[(first + 2 * i) % SAMPLES.len()]);
            search.chain().forward_kinematics(&positions, &mut poses);
            for position in MOVES.map(|step| positions[self.joint] + step) {
                let postures = self.arm(position).postures(&poses.tips()[0], &self.others(&positions));
                held += if postures.as_slice().is_empty() { 0.0 } else { 1.0 };
                all += 1.0;
            }
        }
        held / all
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
    pub fn others<T: Copy>(&self, all: &[T]) -> [T; JOINTS] {
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
