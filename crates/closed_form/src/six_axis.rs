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
    /// Analyses a six-joint chain of `length` \[m\]: the arm and its family.
    ///
    /// # Errors
    /// [`NoClosedForm`] with the reason.
    pub fn of(chain: &Chain, length: f64) -> Result<(Self, Family), NoClosedForm> {
        let axes = Axes::new(chain)?;
        if let Some((arm, family)) = Self::decomposable(&axes, length)
            && (!family.exact() || self_check(chain, true, &|pose, seed| arm.solutions(pose, seed)))
        {
            return Ok((arm, family));
        }
        Self::general(&axes, length).ok_or_else(|| in_the_way(&axes, chain))
    }

    /// The arm with these axes and its family; `None` if no decomposable family is exact or near. `length` is in
    /// \[m\].
    pub fn decomposable(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        let family = Family::of(axes, length).filter(Family::near)?;
        Some((Self::Decomposable(DecomposableArm::new(axes, &family, length)), family))
    }

    /// The arm with these axes as a general arm. `None` if some axes are always redundant. `length` is in \[m\].
    pub fn general(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        Some((Self::General(Box::new(General6R::new(axes, length)?)), Family::GENERAL))
    }

    /// All joint positions \[rad\] for `pose` of the tip (base link's frame \[m\]). Undetermined joints are near
    /// `seed` \[rad\].
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
