//! Precomputed data of a search for one chain.

use std::sync::Arc;

use super::seed_table::SeedTable;
use crate::kernel::{Kernel, Svd};
use crate::{Problem, Reason, TipReach};
use urdf_ik_robot::{Chain, Domain, JointKind, Variable, without_whole_turns};

/// Length scale over [`TipReach::extent`], which weighs position errors against angles. Tuned on eleven arms.
const LENGTH_SCALE_OF_REACH: f64 = 0.4;

/// Factor of position rows in steps that should preserve the positions. The violation falls with its square, to a
/// millionth; a larger factor would lose digits of the orientations to rounding.
const POSITION_WEIGHT: f64 = 1e3;

/// A search prepared for one chain. Immutable, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Search {
    /// The chain of the search.
    pub chain: Arc<Chain>,
    pub kernel: Arc<Kernel>,
    /// The kernel for steps that preserve positions: their rows are weighted by [`POSITION_WEIGHT`].
    pub(super) heavy_kernel: Arc<Kernel>,
    pub(super) table: Arc<SeedTable>,
    /// Bounds on the distances that each tip reaches \[m\], in the order of [`Chain::tips`].
    pub reach: Arc<[TipReach]>,
    /// One entry per variable: true if positions 2π apart are the same configuration and the limits span at least 2π.
    pub turns: Arc<[bool]>,
    /// Displacement of each variable that counts as one radian \[rad or m\]: 1, or the length scale.
    pub units: Arc<[f64]>,
}

impl Search {
    /// Prepares the search for `chain`: seed table, reach, length scale.
    pub fn prepare(chain: &Arc<Chain>) -> Self {
        let reach: Arc<[TipReach]> = (0..chain.tips().len()).map(|tip| TipReach::new(chain, tip)).collect();
        let extent = reach.iter().map(|reach| reach.extent).fold(0.0, f64::max);
        let turns: Arc<[bool]> =
            chain.variables().iter().enumerate().map(|(i, variable)| turns(chain, i, variable)).collect();
        // A chain that can only rotate has no length, and accepts no position target.
        let length_scale = if extent > 0.0 { LENGTH_SCALE_OF_REACH * extent } else { 1.0 };
        let unit = |variable: &Variable| if variable.prismatic { length_scale } else { 1.0 };
        // One revolution covers all configurations of a joint with several.
        let ranges = chain.variables().iter().zip(turns.iter());
        let ranges =
            ranges.map(|(variable, turns)| if *turns { Domain::Circle } else { variable.working_range }).collect();
        Self {
            kernel: Arc::new(Kernel::new(chain, length_scale)),
            heavy_kernel: Arc::new(Kernel::new(chain, length_scale / POSITION_WEIGHT)),
            table: Arc::new(SeedTable::new(chain, ranges, length_scale)),
            units: chain.variables().iter().map(unit).collect(),
            turns,
            reach,
            chain: Arc::clone(chain),
        }
    }

    /// Memory for singular values of the Jacobian of all tips.
    pub fn svd(&self) -> Svd {
        Svd::new(self.chain.tips().len(), self.variables())
    }

    /// Number of variables of the chain.
    pub fn variables(&self) -> usize {
        self.turns.len()
    }

    /// Writes `positions` \[rad or m\] into `wrapped`. Angles are wrapped to \[-π, π\] where full revolutions make no
    /// difference, because large angles lose digits.
    pub fn wrap(&self, positions: &[f64], wrapped: &mut [f64]) {
        for ((wrapped, position), turns) in wrapped.iter_mut().zip(positions).zip(&*self.turns) {
            *wrapped = if *turns { without_whole_turns(*position) } else { *position };
        }
    }
}

/// A search and its problem.
#[derive(Clone, Copy)]
pub struct SearchInput<'a> {
    pub search: &'a Search,
    pub problem: &'a Problem<'a>,
}

impl SearchInput<'_> {
    /// Range of the variable with index `index` \[rad or m\]: the intersection of its limits and the bounds of the
    /// problem.
    pub fn domain(&self, index: usize) -> Domain {
        let limits = self.search.chain.variables()[index].domain;
        self.problem.bounds.map_or(limits, |bounds| bounds.within(index, limits))
    }

    /// The first target that is provably out of reach.
    pub(super) fn out_of_reach(&self) -> Option<Reason> {
        self.problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.search.reach[target.tip].refutes(&self.search.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }
}

/// True if the variable can be treated as an angle on a circle: every joint that it moves makes an integer number of
/// revolutions per revolution, and its limits span a full one.
fn turns(chain: &Chain, index: usize, variable: &Variable) -> bool {
    let moved = || chain.joints().iter().filter(|joint| joint.variable == index);
    variable.domain.has_whole_turn()
        && !variable.prismatic
        && moved().all(|joint| joint.kind != JointKind::Prismatic && joint.multiplier.fract() == 0.0)
}
