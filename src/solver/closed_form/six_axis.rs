//! An arm of six turning joints, of whatever family.

use nalgebra::Isometry3;

use super::arm::{Arm, Postures};
use super::axes::{Axes, JOINTS};
use super::family::{EXACT, Family};
use super::general::General;
use super::self_check::found_again;
use crate::robot::Chain;

/// An arm of six turning joints.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "most arms come apart, and there are few of them for each chain")]
pub(super) enum Whole {
    /// One that comes apart into subproblems.
    Apart(Arm),
    /// Any other.
    General(Box<General>),
}

impl Whole {
    /// The arm that a chain of six joints is, `length` long \[m\], and its family.
    ///
    /// # Errors
    /// A clause that says what is in the way.
    pub fn of(chain: &Chain, length: f64) -> Result<(Self, Family), String> {
        let axes = Axes::new(chain)?;
        if let Some((arm, family)) = Self::apart(&axes, length)
            && (!family.exact() || found_again(chain, true, &|pose, seed| arm.postures(pose, seed)))
        {
            return Ok((arm, family));
        }
        Self::general(&axes, length).ok_or_else(|| in_the_way(&axes, chain))
    }

    /// The arm with these axes, where it belongs to a family that comes apart, or nearly so.
    pub fn apart(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        let family = Family::of(axes, length).filter(Family::near)?;
        Some((Self::Apart(Arm::new(axes, &family, length)), family))
    }

    /// The arm with these axes, whatever they have in common, unless some of them always do what others do.
    pub fn general(axes: &Axes, length: f64) -> Option<(Self, Family)> {
        Some((Self::General(Box::new(General::new(axes, length)?)), Family::GENERAL))
    }

    /// Every posture in which the tip has `pose` (base link's frame). What is free comes near `seed` \[rad\].
    pub fn postures(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> Postures {
        match self {
            Self::Apart(arm) => arm.postures(pose, seed),
            Self::General(arm) => arm.postures(pose, seed),
        }
    }
}

/// Why an arm has no solutions of its own.
fn in_the_way(axes: &Axes, chain: &Chain) -> String {
    let name = |joint: usize| &chain.variables()[joint].name;
    let one_line = |[a, b]: &[usize; 2]| axes.angle(*a, *b) <= EXACT && axes.distance(*a, *b) <= EXACT;
    let mut pairs = (0..JOINTS).flat_map(|a| (a + 1..JOINTS).map(move |b| [a, b]));
    match pairs.find(one_line) {
        Some([a, b]) => format!("'{}' and '{}' turn about one line where all joints stand at 0", name(a), name(b)),
        None => "in every posture some of its joints can move without the tip".into(),
    }
}
