//! An arm of six revolute joints of any family.

use nalgebra::Isometry3;

use super::general::General6R;
use super::{ArmSolutions, Axes, DecomposableArm, EXACT_DEVIATION, Family, JOINTS, NoClosedForm, self_check};
use urdf_ik_robot::Chain;

/// An arm of six revolute joints.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "most arms are decomposable, and there are few of them for each chain")]
pub enum SixAxis {
    /// An arm that decomposes into subproblems.
    Decomposable(DecomposableArm),
    /// The general 6R arm.
    General(Box<General6R>),
}

impl SixAxis {
    /// The arm of a six-joint chain of `length` \[m\], and its family.
    ///
    /// # Errors
    /// [`NoClosedForm`] unless the chain has one tip and revolute joints, each with its own variable, or if some joints
    /// are always redundant.
    pub fn of(chain: &Chain, length: f64) -> Result<(Self, Family), NoClosedForm> {
        let axes = Axes::new(chain)?;
        if let Some((arm, family)) = Self::decomposable(&axes, length)
            && (!family.exact() || self_check(chain, true, &|pose, seed| arm.solutions(pose, seed)))
        {
            return Ok((arm, family));
        }
        Self::general(&axes, length).ok_or_else(|| in_the_way(&axes, chain))
    }

    /// The decomposable arm with these axes, and its family; `None` if no such family is exact or near. `length` is the
    /// arm's length \[m\].
    pub fn decomposable(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        let family = Family::of(axes, length).filter(Family::near)?;
        Some((Self::Decomposable(DecomposableArm::new(axes, &family, length)), family))
    }

    /// The general arm with these axes, and the general family; `None` if some axes are always redundant. `length` is
    /// the arm's length \[m\].
    pub fn general(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        Some((Self::General(Box::new(General6R::new(axes, length)?)), Family::GENERAL))
    }

    /// All joint positions for which the tip is at `pose`, in the base link's frame (translation \[m\]). Undetermined
    /// joints are near `seed` \[rad\], one entry per joint from base to tip.
    pub fn solutions(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> ArmSolutions {
        match self {
            Self::Decomposable(arm) => arm.solutions(pose, seed),
            Self::General(arm) => arm.solutions(pose, seed),
        }
    }
}

/// Why an arm has no solutions of its own.
fn in_the_way(axes: &Axes, chain: &Chain) -> NoClosedForm {
    let name = |joint: usize| chain.variables()[joint].name.clone();
    let one_line = |[a, b]: &[usize; 2]| axes.angle(*a, *b).max(axes.distance(*a, *b)) <= EXACT_DEVIATION;
    let mut pairs = (0..JOINTS).flat_map(|a| (a + 1..JOINTS).map(move |b| [a, b]));
    match pairs.find(one_line) {
        Some([a, b]) => NoClosedForm::OneLine { first: name(a), second: name(b) },
        None => NoClosedForm::AlwaysFree,
    }
}
