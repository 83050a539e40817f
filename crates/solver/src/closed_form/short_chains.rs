//! Chains of two to five revolute joints, extended at the tip to arms of six.
//!
//! An auxiliary joint about an axis of the tip, through its origin, represents a free rotation of the target. Any
//! other auxiliary joint must stay at 0: the configurations of the extended arm with these joints at 0 are those of
//! the chain. Its placement is arbitrary, so it is chosen to give the extended arm a closed form: three axes through
//! one point, for example, are a spherical wrist.
//!
//! A short chain is solved as part of a longer one: revolute joints about the free axes of the tip, and locked joints,
//! complete it to six joints of a known family.

use nalgebra::{UnitQuaternion, Vector3};

use crate::Target;
use crate::names_of_free_axes;
use crate::search::Search;
use urdf_ik_closed_form::{
    ArmSolutions, Axes, EXACT_DEVIATION, Family, JOINTS, Line, NoClosedForm, SixAxis, same, self_check,
};
use urdf_ik_robot::Chain;

/// Number of sets of free rotations: subsets of three.
const FREE_TURN_SETS: usize = 8;
/// Largest position \[rad\] of an auxiliary joint that must stay at 0. Forward kinematics of the chain decides after
/// Newton steps.
const MAX_STILL_POSITION: f64 = 0.1;
/// Configurations are the same if no joint differs by more than this \[rad\]. They are compared before Newton steps:
/// subproblems accept residuals of 1e-12, and near a double solution a residual moves the joints by its square root.
const SAME_FORMULA_SOLUTION: f64 = 1e-6;
/// Distance of an auxiliary joint from the last axis, over the arm's length.
const ADDED_JOINT_DISTANCE: f64 = 0.4;

/// A chain of two to five revolute joints, and its extended arms.
#[derive(Debug, Clone)]
pub(super) struct ShortChain {
    joints: usize,
    /// By the set of free rotations: bit i is the rotation about the tip's axis i.
    arms: [Option<LongerArm>; FREE_TURN_SETS],
    /// Family of the first extended arm.
    pub family: Family,
    plane: Option<MotionPlane>,
}

/// The chain extended for one set of free rotations.
#[derive(Debug, Clone)]
struct LongerArm {
    arm: SixAxis,
    family: Family,
    /// Number of auxiliary joints that must stay at 0; they follow those of the chain.
    still: usize,
    /// True if its configurations meet targets exactly: two free rotations are only approximately those of two
    /// joints.
    exact: bool,
}

/// The plane in which a chain of parallel axes moves its tip.
#[derive(Debug, Clone)]
struct MotionPlane {
    /// Unit normal in the base link's frame.
    normal: Vector3<f64>,
    /// Height of the tip link's origin along the normal \[m\].
    height: f64,
    /// Index of the tip's axis along the normal.
    axis: usize,
}

impl ShortChain {
    /// Finds the auxiliary joints that extend the chain to six joints.
    ///
    /// # Errors
    /// [`NoClosedForm`] if no auxiliary joints lead to a closed form, with the reason.
    pub fn new(search: &Search) -> Result<Self, NoClosedForm> {
        let chain = &search.chain;
        let (axes, joints, length) = (Axes::<JOINTS>::new(chain)?, chain.joints().len(), search.reach[0].extent);
        let arms: [_; FREE_TURN_SETS] = std::array::from_fn(|set| LongerArm::new(chain, &axes, set, length));
        let first = arms.iter().flatten().next().map(|arm| arm.family);
        let family = first.ok_or(NoClosedForm::NothingToAdd(joints))?;
        Ok(Self { joints, arms, family, plane: MotionPlane::of(&axes, joints) })
    }

    /// The joint positions \[rad\] of all configurations for `target`, each padded with zeros to six entries, and true
    /// if they are exact for targets within reach. `None` if no extended arm has the target's free axes. Undetermined
    /// joints stay near `seed` \[rad\].
    pub fn solutions(&self, target: &Target, seed: &[f64; JOINTS]) -> Option<(ArmSolutions, bool)> {
        let [free_shifts @ .., rx, ry, rz] = target.free_axes;
        let longer = self.arms[usize::from(rx) + 2 * usize::from(ry) + 4 * usize::from(rz)].as_ref()?;
        let mut pose = target.pose;
        if free_shifts.contains(&true) {
            let plane = self.plane.as_ref().filter(|plane| free_shifts == [0, 1, 2].map(|axis| axis == plane.axis))?;
            pose.translation.vector += plane.normal * (plane.height - plane.normal.dot(&pose.translation.vector));
        }
        Some((longer.of_chain(&longer.arm.solutions(&pose, seed), self.joints), longer.exact))
    }

    /// A sentence on the common properties of the axes, with the names `joints` from base to tip.
    pub fn in_words(&self, mut joints: Vec<&str>) -> String {
        joints.resize(JOINTS, "an added joint");
        let mut entries: Vec<(String, Vec<String>)> = Vec::new();
        for (set, arm) in self.arms.iter().enumerate() {
            let Some(LongerArm { family, .. }) = arm else { continue };
            let free = names_of_free_axes(std::array::from_fn(|axis| axis >= 3 && set >> (axis - 3) & 1 == 1));
            let poses = if free.is_empty() { "full poses".into() } else { format!("free {}", free.join("+")) };
            let text = family.in_words([1, 2, 3, 4, 5, 6], &joints);
            match entries.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => known.push(poses),
                None => entries.push((text, vec![poses])),
            }
        }
        let entries: Vec<_> =
            entries.into_iter().map(|(text, poses)| format!("{text} ({})", poses.join(", "))).collect();
        format!("with axes added to its {}: {}", self.joints, entries.join("; "))
    }
}

impl LongerArm {
    /// The first set of auxiliary joints that passes the self-check: with an exact family if possible, otherwise with
    /// a near one, otherwise as a general 6R arm.
    fn new(chain: &Chain, axes: &Axes, set: usize, length: f64) -> Option<Self> {
        let candidates = candidates(axes, chain.joints().len(), set, length);
        let mut best: Option<Self> = None;
        for (still, axes) in &candidates {
            let better = |family: &Family| best.as_ref().is_none_or(|best| family.before(&best.family));
            if let Some((arm, family)) = SixAxis::decomposable(axes, length).filter(|(_, family)| better(family)) {
                best = Some(Self::of(arm, family, *still, set)).filter(|arm| arm.passes_self_check(chain)).or(best);
            }
        }
        // The last of them are in general position.
        let general = || {
            let (still, axes) = candidates.last()?;
            let (arm, family) = SixAxis::general(axes, length)?;
            Some(Self::of(arm, family, *still, set)).filter(|arm| arm.passes_self_check(chain))
        };
        best.or_else(general)
    }

    fn of(arm: SixAxis, family: Family, still: usize, set: usize) -> Self {
        Self { arm, family, still, exact: family.exact() && set.count_ones() != 2 }
    }

    fn passes_self_check(&self, chain: &Chain) -> bool {
        let own = |pose: &_, seed: &_| self.of_chain(&self.arm.solutions(pose, seed), chain.joints().len());
        self_check(chain, self.family.exact(), &own)
    }

    /// The distinct configurations with fixed auxiliary joints at 0, and all auxiliary joints set to 0.
    fn of_chain(&self, solutions: &ArmSolutions, joints: usize) -> ArmSolutions {
        let mut own = ArmSolutions::default();
        for (configuration, free) in solutions.as_slice().iter().zip(solutions.continuous()) {
            if configuration[joints..joints + self.still].iter().all(|position| position.abs() <= MAX_STILL_POSITION) {
                let mut configuration = *configuration;
                configuration[joints..].fill(0.0);
                if !own.as_slice().iter().any(|known| same(known, &configuration, SAME_FORMULA_SOLUTION)) {
                    own.push(configuration, *free);
                }
            }
        }
        own
    }
}

/// Extensions of the chain's axes, with the number of auxiliary joints that must stay at 0; the other ones are the
/// tip's axes.
fn candidates(axes: &Axes, joints: usize, set: usize, length: f64) -> Vec<(usize, Axes)> {
    let free: Vec<usize> = (0..3).filter(|axis| set >> axis & 1 == 1).collect();
    let Some(still) = (JOINTS - joints).checked_sub(free.len()) else { return Vec::new() };
    let mut own = *axes;
    for (index, axis) in free.iter().enumerate() {
        own.lines[joints + still + index] = tip_axis(axes, *axis);
    }
    if still == 0 {
        return vec![(0, own)];
    }
    // In general orientation, perpendicular to each other.
    let turn = axes.tip.rotation * UnitQuaternion::from_euler_angles(0.7, 0.5, 0.9);
    let last = joints - 1;
    let centre = axes.feet(last, last - 1).0;
    let beside = centre + turn * Vector3::new(0.5, 0.7, 0.5) * (ADDED_JOINT_DISTANCE * length);
    let elsewhere = centre + turn * Vector3::new(-0.6, 0.2, 0.8) * (ADDED_JOINT_DISTANCE * length);
    let places = [centre, axes.tip.translation.vector, beside];
    let pairs = places.into_iter().flat_map(|place| [place, beside, centre, elsewhere].map(|first| (first, place)));
    let sets = pairs.flat_map(|pair| (0..3).map(move |direction| (pair, direction)));
    let with = |((first, place), direction): ((Vector3<f64>, Vector3<f64>), usize)| {
        let mut longer = own;
        for index in 0..still {
            let point = if index == 0 { first } else { place };
            longer.lines[joints + index] = Line { direction: turn * Vector3::ith((direction + index) % 3, 1.0), point };
        }
        (still, longer)
    };
    sets.map(with).collect()
}

/// An axis of the tip, through its origin.
fn tip_axis(axes: &Axes, axis: usize) -> Line {
    Line { direction: axes.tip.rotation * Vector3::ith(axis, 1.0), point: axes.tip.translation.vector }
}

impl MotionPlane {
    /// The plane, if all axes are parallel and the tip has an axis along them.
    fn of(axes: &Axes, joints: usize) -> Option<Self> {
        let parallel = (1..joints).all(|index| axes.angle(0, index) <= EXACT_DEVIATION);
        let normal = axes.lines[0].direction;
        let along = |axis: &usize| tip_axis(axes, *axis).angle(&axes.lines[0]) <= EXACT_DEVIATION;
        let axis = (0..3).find(along).filter(|_| parallel)?;
        Some(Self { normal, height: normal.dot(&axes.tip.translation.vector), axis })
    }
}
