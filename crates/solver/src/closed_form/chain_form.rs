//! The closed form of a chain: of its six joints, of six of seven, or of two to five extended by auxiliary joints.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::redundancy::SevenAxis;
use super::short_chains::ShortChain;
use crate::search::Search;
use crate::{NotApplicable, Target};
use urdf_ik_closed_form::{ArmSolutions, Family, JOINTS, SixAxis};
use urdf_ik_robot::Chain;

/// The closed form of one chain.
///
/// **Six joints.** It solves full poses of its only tip. Targets with free axes, and targets without a configuration
/// inside the limits, are solved by the search of the Jacobian solver. For the latter the solution is the closest
/// configuration, as its [`Outcome`](crate::Outcome) reports.
///
/// **Two to five joints.** It solves targets without self-motion: full poses, and targets with one (position and
/// direction), two or three free rotations (position only), if there are at most six joints and free rotations in
/// total. If all axes are parallel to each other and to one of the tip's axes, the translation along them may be free
/// too.
///
/// **Seven joints.** A pose has a continuum of configurations. It is searched for the one with the smallest maximum
/// joint displacement from the seed ([`Pick::First`](crate::Pick::First) and [`Pick::Nearest`](crate::Pick::Nearest)).
/// With a spherical wrist or a spherical shoulder, the outermost joint on the other side is swept. For other arms, and
/// for [`Pick::MostManipulable`](crate::Pick::MostManipulable), one joint is locked ([`ClosedForm::locked`]), at the
/// position of the seed first and then at others on either side. The results are refined on the chain itself.
/// Preferences among the continuum, and [`Solver::solve_all`](crate::Solver::solve_all), use the search.
///
/// **Singular configurations** have a continuum of solutions: joints with coincident axes share their rotation, and a
/// point on an axis does not determine its rotation. One solution represents all, with these joints near the seed;
/// [`Solution::continuous`](crate::Solution::continuous) is then true, and the smallest singular value is 0. Where
/// two singularities nearly coincide, rounding decides which solution is returned.
///
/// ```
/// use std::sync::Arc;
/// use nalgebra::Isometry3;
/// use urdf_ik_robot::{Chain, ChainPoses, Robot};
/// use urdf_ik_solver::closed_form::ClosedForm;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm6.urdf"))?;
/// let chain = Arc::new(Chain::with_defaults(&robot, None, &[])?);
/// let form = ClosedForm::prepare(&chain)?;
///
/// // All configurations of a pose are known at once; each has that pose.
/// let mut poses = ChainPoses::new(&chain);
/// chain.forward_kinematics(&[0.3, -1.1, 0.8, 0.4, 0.9, -0.2], &mut poses);
/// let pose = poses.tips()[0];
/// let solutions = form.solutions(&pose, &[0.0; 6]);
/// assert!(!solutions.as_slice().is_empty());
/// for positions in solutions.as_slice() {
///     chain.forward_kinematics(positions, &mut poses);
///     assert!((poses.tips()[0].translation.vector - pose.translation.vector).norm() < 1e-9);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ClosedForm {
    pub(super) chain: Arc<Chain>,
    pub(super) form: ClosedFormKind,
}

/// The solved arm.
#[derive(Debug, Clone)]
pub(super) enum ClosedFormKind {
    /// All six joints.
    SixAxis { arm: SixAxis, family: Family },
    /// Six of seven joints.
    SevenAxis(SevenAxis),
    /// Two to five joints with auxiliary ones.
    ShortChain(Box<ShortChain>),
}

impl ClosedForm {
    /// Finds the closed form of `chain`.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`] if there is none, with the reason.
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        Self::find(&Search::prepare(chain))
    }

    /// Finds the closed form of the chain of a prepared `search`.
    pub(crate) fn find(search: &Search) -> Result<Self, NotApplicable> {
        let chain = &search.chain;
        let refuse = |reason| NotApplicable::NoClosedForm { tip: chain.tips()[0].link.clone(), reason };
        let form = match chain.joints().len() {
            JOINTS => {
                let (arm, family) = SixAxis::of(chain, search.reach[0].extent).map_err(refuse)?;
                ClosedFormKind::SixAxis { arm, family }
            }
            ..JOINTS => ClosedFormKind::ShortChain(Box::new(ShortChain::new(search).map_err(refuse)?)),
            _ => ClosedFormKind::SevenAxis(SevenAxis::new(search).map_err(refuse)?),
        };
        Ok(Self { chain: Arc::clone(chain), form })
    }

    /// The family of the chain, exact or near. With seven joints, it is that of the six unlocked ones. With fewer than
    /// six, it is that of the extended arm for full poses, or otherwise for the first set of free rotations with a
    /// closed form.
    pub fn family(&self) -> &Family {
        match &self.form {
            ClosedFormKind::SixAxis { family, .. } => family,
            ClosedFormKind::SevenAxis(arm) => &arm.locked.family,
            ClosedFormKind::ShortChain(short) => &short.family,
        }
    }

    /// Index of the locked joint of a seven-joint chain, counted from 0 at the base; `None` for other chains.
    pub fn locked(&self) -> Option<usize> {
        match &self.form {
            ClosedFormKind::SixAxis { .. } | ClosedFormKind::ShortChain(_) => None,
            ClosedFormKind::SevenAxis(arm) => Some(arm.locked.joint),
        }
    }

    /// A sentence on the common property of the axes and on their deviation from it. It names the locked or swept joint
    /// of a chain with seven joints, and the auxiliary joints of a chain with fewer than six.
    pub fn in_words(&self) -> String {
        let names = self.chain.variable_names();
        match &self.form {
            ClosedFormKind::SixAxis { family, .. } => family.in_words([1, 2, 3, 4, 5, 6], &names),
            ClosedFormKind::SevenAxis(arm) => arm.in_words(&names),
            ClosedFormKind::ShortChain(short) => short.in_words(names),
        }
    }

    /// The joint positions \[rad\] of all configurations for `pose` of the tip (base link's frame \[m\]), ignoring
    /// limits. They are exact to rounding if [`Family::exact`] is true, and otherwise starting points. Undetermined
    /// joints stay near `seed` \[rad\]. For seven joints, positions and `seed` are those of the six unlocked ones, and
    /// the locked one is in the middle of its working range. For fewer than six, trailing entries are zero.
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        match &self.form {
            ClosedFormKind::SixAxis { arm, .. } => arm.solutions(pose, seed),
            ClosedFormKind::SevenAxis(arm) => {
                let locked = &arm.locked;
                let range = self.chain.variables()[locked.joint].working_range;
                locked.arm(range.middle()).solutions(pose, seed)
            }
            ClosedFormKind::ShortChain(short) => {
                short.solutions(&Target::new(0, *pose), seed).map(|(found, _)| found).unwrap_or_default()
            }
        }
    }
}
