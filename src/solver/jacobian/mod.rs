//! The Jacobian solver: Newton steps by damped least squares or by the pseudoinverse, inside joint limits.
//!
//! Each iteration linearises the task and solves for a step; variables whose step would leave their bounds are stopped there and the
//! others are solved for again (an active set). The damping is the squared error up to a bound (after Sugihara 2011, "Solvability-
//! unconcerned inverse kinematics by the Levenberg-Marquardt method"), so that steps are careful far from the target and
//! converge quadratically near it. An attempt that stalls is given up for another starting point. Where no attempt succeeds,
//! the best is refined to a local minimum of the error.

mod attempts;
mod branches;
mod cores;
pub(super) mod factor;
#[cfg(test)]
mod goal_tests;
pub(super) mod kernel;
mod linear;
pub(super) mod normal;
mod null_space;
pub mod pitch_yaw;
mod polish;
mod pseudoinverse;
mod refine;
mod search;
pub(super) mod self_motion;
mod verdict;

use std::f64::consts::TAU;
use std::sync::Arc;

use fearless_simd::{Level, dispatch};

use super::fabrik::{self, ReachingScratch};
use super::goal::Goal;
use super::lanes::Lanes;
use super::links::Links;
use super::reach::TipReach;
use super::restart::{Ranking, SeedTable};
use super::{NotApplicable, Solution};
use crate::robot::{Chain, ChainPoses, Domain, JointKind, Variable};
use kernel::{Batch, Dynamic, Fixed};
use linear::LinearScratch;
use normal::{Bounds, StepScratch};

/// Length scale over extent: position errors in metres are divided by this fraction of [`TipReach::extent`] to weigh them
/// against radians. Found by experiment on eleven arms.
const LENGTH_SCALE_OF_REACH: f64 = 0.4;

/// How a step is found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Damped least squares.
    Damped {
        /// The factor λ, in the sense of λ² on the diagonal of the normal equations; `None` adapts it to the error.
        damping: Option<f64>,
    },
    /// Moore-Penrose pseudoinverse by singular value decomposition; a step that does not lessen the error is halved until
    /// it does.
    Pseudoinverse,
}

impl Default for Method {
    /// Adaptive damping.
    fn default() -> Self {
        Self::Damped { damping: None }
    }
}

/// What a search goes by from each of its starting points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Steps {
    /// Newton steps.
    Newton(Method),
    /// Cycles of forward and backward reaching.
    Reaching(fabrik::Options),
}

/// A Jacobian solver prepared for one chain. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Jacobian {
    chain: Arc<Chain>,
    links: Arc<Links>,
    table: Arc<SeedTable>,
    reach: Arc<[TipReach]>,
    /// For each variable, whether positions 2π apart are the same posture and no less than 2π is allowed.
    turns: Arc<[bool]>,
    length_scale: f64,
    steps: Steps,
    /// The vector instructions of this processor.
    level: Level,
}

/// What the Jacobian solver works in.
#[derive(Debug, Clone)]
pub struct JacobianScratch {
    /// Four postures at once, their steps, and what they shall meet.
    batch: Batch,
    step: StepScratch,
    goals: Vec<Goal>,
    linear: LinearScratch,
    reaching: ReachingScratch,
    ranking: Ranking,
    poses: ChainPoses,
    /// Where the first attempt starts.
    start: Vec<f64>,
    /// The best posture so far, and its squared error.
    best: Vec<f64>,
    best_error: f64,
    /// The best of those that meet the targets.
    picked: Vec<f64>,
    /// Postures found, one after the other, and what is put aside while one of them is looked at.
    branches: Vec<f64>,
    aside: Batch,
    steps_aside: Vec<Lanes>,
    /// A step in the null space, and the scale of each variable in it.
    direction: Vec<f64>,
    units: Vec<f64>,
    /// A posture under way from one place to another.
    trial: Vec<f64>,
    /// Bounds while solving: limits, unless the variable turns, and the step bounds of tracking.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Variables that stand at their bounds during a step.
    stopped: Vec<bool>,
    /// Whole turns \[rad\] that are taken off each variable while solving.
    whole_turns: Vec<f64>,
}

/// Runs `$work` with the vector instructions of this processor and, for plain chains of up to eight joints, sizes that are known when
/// the program is compiled.
macro_rules! specialised {
    ($self:ident, $targets:expr, |$simd:ident, $dimension:ident| $work:expr) => {{
        let Links { joints, variables, plain, .. } = &*$self.links;
        let general = Dynamic { variables: *variables, joints: joints.len(), targets: $targets };
        match (plain, variables) {
            (true, 1) => specialised!(@ $self, $simd, $dimension, Fixed::<1>, $work),
            (true, 2) => specialised!(@ $self, $simd, $dimension, Fixed::<2>, $work),
            (true, 3) => specialised!(@ $self, $simd, $dimension, Fixed::<3>, $work),
            (true, 4) => specialised!(@ $self, $simd, $dimension, Fixed::<4>, $work),
            (true, 5) => specialised!(@ $self, $simd, $dimension, Fixed::<5>, $work),
            (true, 6) => specialised!(@ $self, $simd, $dimension, Fixed::<6>, $work),
            (true, 7) => specialised!(@ $self, $simd, $dimension, Fixed::<7>, $work),
            (true, 8) => specialised!(@ $self, $simd, $dimension, Fixed::<8>, $work),
            _ => specialised!(@ $self, $simd, $dimension, general, $work),
        }
    }};
    (@ $self:ident, $simd:ident, $dimension:ident, $size:expr, $work:expr) => {{
        let $dimension = $size;
        dispatch!($self.level, $simd => $work)
    }};
}

impl Jacobian {
    /// Prepares the solver for `chain`: seed table, reach, length scale.
    ///
    /// # Errors
    /// [`NotApplicable::NoExtent`] where joints and tip of every tip's chain lie in one point.
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        let reach: Arc<[TipReach]> = (0..chain.tips().len()).map(|tip| TipReach::new(chain, tip)).collect();
        let farthest = reach.iter().map(|reach| reach.tip.outer).fold(0.0, f64::max);
        if farthest <= 0.0 {
            return Err(NotApplicable::NoExtent { tip: chain.tips()[0].link.clone() });
        }
        let extent = reach.iter().map(|reach| reach.extent).fold(0.0, f64::max);
        let turns: Arc<[bool]> =
            chain.variables().iter().enumerate().map(|(i, variable)| turns(chain, i, variable)).collect();
        let length_scale = LENGTH_SCALE_OF_REACH * extent;
        // One turn is enough of a joint that has many: the others are the same postures.
        let domains = chain.variables().iter().zip(turns.iter());
        let domains = domains.map(|(variable, turns)| if *turns { Domain::Circle } else { variable.domain }).collect();
        Ok(Self {
            links: Arc::new(Links::new(chain, length_scale)),
            table: Arc::new(SeedTable::new(chain, domains, length_scale)),
            turns,
            reach,
            length_scale,
            chain: Arc::clone(chain),
            steps: Steps::Newton(Method::default()),
            level: Level::new(),
        })
    }

    /// The same solver with another method.
    #[must_use]
    pub fn with_method(mut self, method: Method) -> Self {
        self.steps = Steps::Newton(method);
        self
    }

    /// The same search, by cycles of forward and backward reaching.
    #[must_use]
    pub(super) fn reaching(mut self, options: fabrik::Options) -> Self {
        self.steps = Steps::Reaching(options);
        self
    }

    /// The chain that it was prepared for.
    #[must_use]
    pub fn chain(&self) -> &Arc<Chain> {
        &self.chain
    }

    /// Metres of position error that weigh as much as one radian of orientation error.
    #[must_use]
    pub fn length_scale(&self) -> f64 {
        self.length_scale
    }

    /// The vector instructions of this processor.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// What bounds the reach of each tip, in the order of [`Chain::tips`].
    #[must_use]
    pub fn reach(&self) -> &[TipReach] {
        &self.reach
    }

    /// Scratch for this solver, to keep and reuse.
    #[must_use]
    pub fn scratch(&self) -> JacobianScratch {
        let positions = || vec![0.0; self.links.variables];
        JacobianScratch {
            batch: Batch::new(&self.links),
            step: StepScratch::new(&self.links),
            goals: Vec::with_capacity(self.links.ends.len()),
            linear: LinearScratch::new(self.links.ends.len(), self.links.variables),
            reaching: ReachingScratch::new(&self.links, (0..self.links.variables).map(|i| self.unit(i)).collect()),
            ranking: Ranking::new(),
            poses: ChainPoses::new(&self.chain),
            start: positions(),
            best: positions(),
            best_error: f64::INFINITY,
            picked: positions(),
            branches: Vec::with_capacity(branches::MOST * self.links.variables),
            aside: Batch::new(&self.links),
            steps_aside: vec![Lanes::default(); self.links.variables],
            direction: positions(),
            units: positions(),
            trial: positions(),
            lower: positions(),
            upper: positions(),
            stopped: vec![false; self.links.variables],
            whole_turns: positions(),
        }
    }

    /// Forward kinematics and residuals of the four postures in `scratch.batch`.
    fn measure(&self, scratch: &mut JacobianScratch) {
        let (JacobianScratch { batch, goals, .. }, links) = (scratch, &*self.links);
        specialised!(self, goals.len(), |simd, dimension| kernel::measure(simd, dimension, links, goals, batch));
    }

    /// Their Jacobian, from what [`Jacobian::measure`] left.
    fn linearise(&self, scratch: &mut JacobianScratch) {
        let (JacobianScratch { batch, goals, .. }, links) = (scratch, &*self.links);
        specialised!(self, goals.len(), |simd, dimension| kernel::linearise(simd, dimension, links, goals, batch));
    }

    /// Linearises, and takes damped steps inside the bounds in the lanes that are `moving` (1, or 0). Uses up the rows.
    fn damped_step(&self, scratch: &mut JacobianScratch, damping: &Lanes, moving: &Lanes) {
        let (JacobianScratch { batch, step, goals, lower, upper, .. }, links) = (scratch, &*self.links);
        let bounds = Bounds { lower, upper };
        specialised!(self, goals.len(), |simd, dimension| {
            kernel::linearise(simd, dimension, links, goals, batch);
            normal::bounded_step(simd, dimension, (batch, step), bounds, damping);
            normal::advance(simd, dimension, batch, &step.step, bounds, moving);
        });
    }

    /// One cycle of reaching, in the same lanes in the same way.
    pub(super) fn reaching_step(&self, scratch: &mut JacobianScratch, options: fabrik::Options, moving: &Lanes) {
        let (JacobianScratch { batch, step, goals, lower, upper, reaching, .. }, links) = (scratch, &*self.links);
        let bounds = Bounds { lower, upper };
        specialised!(self, goals.len(), |simd, dimension| {
            reaching.cycle(simd, options, links, goals, batch, bounds, &mut step.step);
            normal::advance(simd, dimension, batch, &step.step, bounds, moving);
        });
        reaching.keep(moving);
    }

    /// Takes the steps that are in the scratch, in the same way.
    fn advance(&self, scratch: &mut JacobianScratch, moving: &Lanes) {
        let JacobianScratch { batch, step, goals, lower, upper, .. } = scratch;
        let bounds = Bounds { lower, upper };
        specialised!(self, goals.len(), |simd, dimension| {
            normal::advance(simd, dimension, batch, &step.step, bounds, moving);
        });
    }

    /// Room for a solution, to keep and reuse.
    #[must_use]
    pub fn solution(&self) -> Solution {
        Solution::new(&self.chain)
    }
}

/// Whether the variable can be solved for as an angle on a circle: all that it moves turns a whole number of times with it,
/// and its limits leave a whole turn.
fn turns(chain: &Chain, index: usize, variable: &Variable) -> bool {
    let whole = match variable.domain {
        Domain::Circle => true,
        Domain::Interval { lower, upper } => upper - lower >= TAU,
    };
    let moved = || chain.joints().iter().filter(|joint| joint.variable == index);
    whole
        && !variable.prismatic
        && moved().all(|joint| joint.kind != JointKind::Prismatic && joint.multiplier.fract() == 0.0)
}
