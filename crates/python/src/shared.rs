//! What all threads that use an arm share: the chain, its solvers, and a pool of what solves work in.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::PyResult;

use urdf_ik::collision::{Pairs, SrdfError};
use urdf_ik::robot::{Chain, ChainPoses};
use urdf_ik::solver::{NotApplicable, Scratch, Solution, Solver, SolverKind};

use crate::refused;
use crate::robot::RobotData;

/// An arm: a chain of a robot with its solvers.
pub struct ArmData {
    pub robot: Arc<RobotData>,
    pub chain: Arc<Chain>,
    /// The solver that serves every chain.
    jacobian: Solver,
    fabrik: OnceLock<Result<Solver, NotApplicable>>,
    closed_form: OnceLock<Result<Solver, NotApplicable>>,
    /// The pairs of links that may collide, once they have been asked for.
    pairs: OnceLock<Result<Pairs, SrdfError>>,
    /// What no thread works in at present.
    workers: Mutex<Vec<Worker>>,
}

/// What one thread works in.
pub struct Worker {
    pub scratch: Scratch,
    pub solution: Solution,
    pub poses: ChainPoses,
}

impl ArmData {
    pub fn new(robot: Arc<RobotData>, base: Option<&str>, tips: &[&str]) -> PyResult<Self> {
        let chain = Arc::new(Chain::with_defaults(&robot.robot, base, tips).map_err(refused)?);
        let jacobian = Solver::prepare(SolverKind::Jacobian, &chain).map_err(refused)?;
        Ok(Self {
            robot,
            chain,
            jacobian,
            fabrik: OnceLock::new(),
            closed_form: OnceLock::new(),
            pairs: OnceLock::new(),
            workers: Mutex::default(),
        })
    }

    /// Number of the chain's variables.
    pub fn variables(&self) -> usize {
        self.chain.variables().len()
    }

    /// The solver of that kind. It is prepared the first time that it is asked for.
    pub fn solver(&self, kind: SolverKind) -> PyResult<&Solver> {
        let kept = match kind {
            SolverKind::Jacobian => return Ok(&self.jacobian),
            SolverKind::Fabrik => &self.fabrik,
            SolverKind::ClosedForm => &self.closed_form,
        };
        kept.get_or_init(|| self.jacobian.with_method(kind)).as_ref().map_err(refused)
    }

    /// The pairs of links that may collide. They are found the first time that they are asked for.
    pub fn pairs(&self) -> PyResult<&Pairs> {
        let RobotData { robot, srdf, .. } = &*self.robot;
        let shapes = self.robot.shapes()?;
        let find = || Pairs::of_chain(robot, &self.chain, shapes, srdf.as_ref());
        self.pairs.get_or_init(find).as_ref().map_err(refused)
    }

    /// Works with what no other thread works in.
    pub fn work<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let kept = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept_worker = kept().pop();
        let mut worker = kept_worker.unwrap_or_else(|| Worker {
            scratch: self.jacobian.scratch(),
            solution: self.jacobian.solution(),
            poses: ChainPoses::new(&self.chain),
        });
        let done = work(&mut worker);
        kept().push(worker);
        done
    }
}
