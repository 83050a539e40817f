//! The closed form of a chain: of all its six joints, of six of seven, or of two to five and others that are added.

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
/// It answers full poses of its only tip. Targets with free axes go to the search of the Jacobian solver, and so do those that no
/// configuration inside the limits meets: the answer is then the nearest configuration, marked as that.
///
/// Of a chain of two to five joints it answers targets that leave it no freedom: full poses, those with one free turn (position and
/// direction), two, or three (position only), as long as joints and free turns are six together at most. Where all its axes are
/// parallel, the shift along them may be free, too, as far as it is along one of the tip's axes.
///
/// Of seven joints there is a continuum of configurations. It is swept for the one whose largest move of a joint from the seed is
/// smallest ([`Pick::First`](crate::Pick::First) and [`Pick::Nearest`](crate::Pick::Nearest)): with a spherical
/// shoulder and a spherical wrist by the arm angle; with one of them, and an offset between the outermost two joints on the other
/// side, by the outermost joint. Of any other arm, and where the pick is
/// [`Pick::MostManipulable`](crate::Pick::MostManipulable), one joint is locked ([`ClosedForm::locked`]): at the seed's
/// position first, then at others to either side of it. What is found so is refined on the chain itself. Preferences among the
/// continuum of configurations, and [`Solver::solve_all`](crate::Solver::solve_all), are left to the search.
///
/// In a singular configuration the solutions are a continuum: joints whose axes have come to lie on one line share their turn as they
/// like, and a point on an axis does not tell how far that has turned. One solution then stands for all, with these joints near the
/// seed; [`Solution::continuous`](crate::Solution::continuous) tells, and the smallest singular value there is 0. Where two
/// singularities come together, all but exactly, rounding decides which of the solutions is given.
#[derive(Debug, Clone)]
pub struct ClosedForm {
    pub(super) chain: Arc<Chain>,
    pub(super) form: Form,
}

/// What is solved in closed form.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// All six joints.
    SixAxis { arm: SixAxis, family: Family },
    /// Six of seven joints.
    SevenAxis(SevenAxis),
    /// Two to five joints and others that are added.
    ShortChain(Box<ShortChain>),
}

impl ClosedForm {
    /// Finds the closed form of `chain`.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`], which says what is in the way.
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        Self::find(&Search::prepare(chain))
    }

    /// Finds the closed form of the chain that `search` was prepared for.
    pub(crate) fn find(search: &Search) -> Result<Self, NotApplicable> {
        let chain = &search.chain;
        let refuse = |reason| NotApplicable::NoClosedForm { tip: chain.tips()[0].link.clone(), reason };
        let form = match chain.joints().len() {
            JOINTS => {
                let (arm, family) = SixAxis::of(chain, search.reach[0].extent).map_err(refuse)?;
                Form::SixAxis { arm, family }
            }
            ..JOINTS => Form::ShortChain(Box::new(ShortChain::new(search).map_err(refuse)?)),
            _ => Form::SevenAxis(SevenAxis::new(search).map_err(refuse)?),
        };
        Ok(Self { chain: Arc::clone(chain), form })
    }

    /// The family that the chain belongs to, or is near to; of seven joints, the six that are not locked; of fewer than six, the arm
    /// that they become for full poses, or for the smallest set of free turns that there is one for.
    pub fn family(&self) -> &Family {
        match &self.form {
            Form::SixAxis { family, .. } => family,
            Form::SevenAxis(arm) => &arm.locked.family,
            Form::ShortChain(short) => &short.family,
        }
    }

    /// Of a chain of seven joints the one that is locked, counted from 0 at the base.
    pub fn locked(&self) -> Option<usize> {
        match &self.form {
            Form::SixAxis { .. } | Form::ShortChain(_) => None,
            Form::SevenAxis(arm) => Some(arm.locked.joint),
        }
    }

    /// What the axes have in common, and by how much they miss it, in words: the family, of seven joints what is swept, and of
    /// fewer than six those that are added.
    pub fn in_words(&self) -> String {
        let names = self.chain.variable_names();
        match &self.form {
            Form::SixAxis { family, .. } => family.in_words([1, 2, 3, 4, 5, 6], &names),
            Form::SevenAxis(arm) => arm.in_words(&names),
            Form::ShortChain(short) => short.in_words(names),
        }
    }

    /// Every configuration in which the tip has `pose` (base link's frame), limits or not, as the closed form has it:
    /// exact to rounding where [`Family::exact`], else starting points. Joints that are free come near `seed` \[rad\].
    /// With seven joints, it has the positions of those that are not locked while the locked one stands in the middle
    /// of its working range. With fewer than six, zeros follow.
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        match &self.form {
            Form::SixAxis { arm, .. } => arm.solutions(pose, seed),
            Form::SevenAxis(arm) => {
                let locked = &arm.locked;
                let range = self.chain.variables()[locked.joint].working_range;
                locked.arm(range.middle()).solutions(pose, seed)
            }
            Form::ShortChain(short) => {
                short.solutions(&Target::new(0, *pose), seed).map_or(ArmSolutions::none(), |(found, _)| found)
            }
        }
    }
}
