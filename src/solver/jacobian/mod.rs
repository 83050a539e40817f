//! The Jacobian solver: Newton steps by damped least squares or by the pseudoinverse, inside joint limits.
//!
//! Each iteration linearises the task and solves for a step; variables whose step would leave their bounds are stopped there and the
//! others are solved for again (an active set). The damping is the squared error up to a bound (after Sugihara 2011, "Solvability-
//! unconcerned inverse kinematics by the Levenberg-Marquardt method"), so that steps are careful far from the target and
//! converge quadratically near it. An attempt that stalls is given up for another starting point. Where no attempt succeeds,
//! the best is refined to a local minimum of the error.

mod attempt;
mod linear;
pub mod pitch_yaw;
mod search;

use std::f64::consts::TAU;
use std::sync::Arc;

use nalgebra::Vector6;

use super::reach::TipReach;
use super::restart::{Ranking, SeedTable};
use super::task::Task;
use super::{NotApplicable, Solution};
use crate::robot::{Chain, ChainPoses, Domain, Variable};
use linear::LinearScratch;

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

/// A Jacobian solver prepared for one chain. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Jacobian {
    chain: Arc<Chain>,
    table: Arc<SeedTable>,
    reach: Arc<[TipReach]>,
    /// For each variable, whether positions 2π apart are the same posture and no less than 2π is allowed.
    turns: Arc<[bool]>,
    task: Task,
    method: Method,
}

/// What the Jacobian solver works in.
#[derive(Debug, Clone)]
pub struct JacobianScratch {
    poses: ChainPoses,
    /// The posture that is being measured, and the one to go back to where it is no better.
    current: Vec<f64>,
    previous: Vec<f64>,
    /// The best posture of all attempts.
    best: Vec<f64>,
    step: Vec<f64>,
    free_step: Vec<f64>,
    /// Variables that the active set has stopped.
    stopped: Vec<bool>,
    /// Bounds while solving: limits, unless the variable turns, and the step bounds of tracking.
    lower: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<Vector6<f64>>,
    remaining: Vec<Vector6<f64>>,
    columns: Vec<Vector6<f64>>,
    free_columns: Vec<Vector6<f64>>,
    linear: LinearScratch,
    ranking: Ranking,
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
        // One turn is enough of a joint that has many: the others are the same postures.
        let domains = chain.variables().iter().zip(turns.iter());
        let domains = domains.map(|(variable, turns)| if *turns { Domain::Circle } else { variable.domain }).collect();
        Ok(Self {
            table: Arc::new(SeedTable::new(chain, domains)),
            turns,
            reach,
            task: Task { length_scale: LENGTH_SCALE_OF_REACH * extent },
            chain: Arc::clone(chain),
            method: Method::default(),
        })
    }

    /// The same solver with another method.
    #[must_use]
    pub fn with_method(mut self, method: Method) -> Self {
        self.method = method;
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
        self.task.length_scale
    }

    /// What bounds the reach of each tip, in the order of [`Chain::tips`].
    #[must_use]
    pub fn reach(&self) -> &[TipReach] {
        &self.reach
    }

    /// Scratch for this solver, to keep and reuse.
    #[must_use]
    pub fn scratch(&self) -> JacobianScratch {
        let (variables, tips) = (self.chain.variables().len(), self.chain.tips().len());
        let positions = || vec![0.0; variables];
        let columns = || vec![Vector6::zeros(); variables * tips];
        JacobianScratch {
            poses: ChainPoses::new(&self.chain),
            current: positions(),
            previous: positions(),
            best: positions(),
            step: positions(),
            free_step: positions(),
            stopped: vec![false; variables],
            lower: positions(),
            upper: positions(),
            rows: Vec::with_capacity(tips),
            remaining: Vec::with_capacity(tips),
            columns: columns(),
            free_columns: columns(),
            linear: LinearScratch::new(tips, variables),
            ranking: Ranking::new(),
        }
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
        && moved().all(|joint| joint.kind != crate::robot::JointKind::Prismatic && joint.multiplier.fract() == 0.0)
}
