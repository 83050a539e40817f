//! What a search knows of its chain before the first problem.

use std::sync::Arc;

use super::seed_table::SeedTable;
use crate::kernel::{Kernel, Svd};
use crate::{Problem, Reason, TipReach};
use urdf_ik_robot::{Chain, Domain, JointKind, Variable};

/// Length scale over extent: position errors in metres are divided by this fraction of [`TipReach::extent`] to weigh them
/// against radians. Found by experiment on eleven arms.
const LENGTH_SCALE_OF_REACH: f64 = 0.4;

/// How many times as much a position row counts in steps that are to leave the positions as they are. What such a step still trades of
/// the positions falls with its square, to a millionth; a larger weight would lose digits of the orientations to rounding.
const POSITION_WEIGHT: f64 = 1e3;

/// A search prepared for one chain. Constant, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Search {
    /// The chain that it was prepared for.
    pub chain: Arc<Chain>,
    pub kernel: Arc<Kernel>,
    /// The kernel for steps along the positions: these weigh [`POSITION_WEIGHT`] times as much against orientations.
    pub(super) heavy_kernel: Arc<Kernel>,
    pub(super) table: Arc<SeedTable>,
    /// What bounds the reach of each tip, in the order of [`Chain::tips`].
    pub reach: Arc<[TipReach]>,
    /// For each variable, whether positions 2π apart are the same configuration and no less than 2π is allowed.
    pub turns: Arc<[bool]>,
}

impl Search {
    /// Prepares the search for `chain`: seed table, reach, length scale.
    pub fn prepare(chain: &Arc<Chain>) -> Self {
        let reach: Arc<[TipReach]> = (0..chain.tips().len()).map(|tip| TipReach::new(chain, tip)).collect();
        let extent = reach.iter().map(|reach| reach.extent).fold(0.0, f64::max);
        let turns: Arc<[bool]> =
            chain.variables().iter().enumerate().map(|(i, variable)| turns(chain, i, variable)).collect();
        // A chain that only rotates has no length to compare with an angle, and no target for its position is accepted.
        let length_scale = if extent > 0.0 { LENGTH_SCALE_OF_REACH * extent } else { 1.0 };
        // One turn is enough of a joint that has many: the others are the same configurations.
        let ranges = chain.variables().iter().zip(turns.iter());
        let ranges =
            ranges.map(|(variable, turns)| if *turns { Domain::Circle } else { variable.working_range }).collect();
        Self {
            kernel: Arc::new(Kernel::new(chain, length_scale)),
            heavy_kernel: Arc::new(Kernel::new(chain, length_scale / POSITION_WEIGHT)),
            table: Arc::new(SeedTable::new(chain, ranges, length_scale)),
            turns,
            reach,
            chain: Arc::clone(chain),
        }
    }

    /// Memory for singular values of the Jacobian.
    pub(super) fn svd(&self) -> Svd {
        Svd::new(self.chain.tips().len(), self.variables())
    }

    /// Number of variables.
    pub(super) fn variables(&self) -> usize {
        self.turns.len()
    }

    /// The step of a variable that counts as one radian \[rad or m\].
    pub fn unit(&self, variable: usize) -> f64 {
        if self.chain.variables()[variable].prismatic { self.kernel.length_scale } else { 1.0 }
    }
}

/// A problem, posed to a search.
#[derive(Clone, Copy)]
pub struct Posed<'a> {
    pub search: &'a Search,
    pub problem: &'a Problem<'a>,
}

impl Posed<'_> {
    /// Where the variable of that index may be: within its limits, and within the bounds of the problem.
    pub fn domain(&self, index: usize) -> Domain {
        let limits = self.search.chain.variables()[index].domain;
        self.problem.bounds.map_or(limits, |bounds| bounds.within(index, limits))
    }

    /// The first target that is certainly out of reach.
    pub(super) fn out_of_reach(&self) -> Option<Reason> {
        self.problem.targets.iter().enumerate().find_map(|(index, target)| {
            let (distance, reach) = self.search.reach[target.tip].refutes(&self.search.chain, target)?;
            Some(Reason::OutOfReach { target: index, distance, reach })
        })
    }
}

/// Whether the variable can be solved for as an angle on a circle: all that it moves turns a whole number of times with it,
/// and its limits leave a whole turn.
fn turns(chain: &Chain, index: usize, variable: &Variable) -> bool {
    let moved = || chain.joints().iter().filter(|joint| joint.variable == index);
    variable.domain.has_whole_turn()
        && !variable.prismatic
        && moved().all(|joint| joint.kind != JointKind::Prismatic && joint.multiplier.fract() == 0.0)
}
