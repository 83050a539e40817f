//! `urdfik.Arm`: the solves of one pose.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use urdf_ik::solver::{Mode, Target};

use crate::answers::answer;
use crate::arguments::Argument;
use crate::arrays::read_positions;
use crate::goals::nothing_requested;
use crate::interruption::SignalCheck;
use crate::options::{SEARCH_OPTIONS, SolveOptions};
use crate::poses::PoseArgument;
use crate::refused;
use crate::shared::{PyArm, Workspace};

#[pymethods]
impl PyArm {
    /// Finds joint positions within the joint limits that bring the tips to their poses and meet all goals.
    ///
    /// If there are none, the answer has the closest joint positions that were found, and the reason. The same
    /// problem always has the same answer, bit for bit.
    ///
    /// Parameters
    /// ----------
    /// pose : array, or dict by tip, optional
    ///     The pose of the tip in the frame of the base link: see Arm. None: goals alone.
    /// seed : array (n,), or dict by joint name, optional
    ///     Start of the search [rad or m]; solutions near it are preferred. Default: ``nominal``.
    /// solver : "jacobian", "closed_form" or "fabrik"
    ///     The method.
    /// goals : list of goals of urdfik.goals, or of dicts with the same fields and ``type``, optional
    ///     Goals besides the pose, met within 1e-5 m or rad: points in boxes, distances, cones and bounds of
    ///     orientations of any link, relations of joints. ``constraints`` is another name of this argument.
    /// free_axes : list of "x", "y", "z", "rx", "ry", "rz", or dict of such lists by tip
    ///     Free axes of the tip frame: translations along them and rotations about them are not constrained.
    /// position_tolerance, orientation_tolerance : float
    ///     Tolerances of a solution [m, rad].
    /// pick : "first", "nearest" or "most_manipulable"
    ///     The first solution found, or among all that are found the one with the smallest largest joint move from
    ///     the seed, or with the greatest manipulability.
    /// attempts : int
    ///     Maximum number of starting points, including the seed.
    /// random_seed : int
    ///     Seed of the random starting points.
    /// timeout : float, optional
    ///     Time limit of the search [s], as a guard: ``attempts`` is the budget.
    /// avoid : World, optional
    ///     The world to avoid.
    /// posture, posture_weight
    ///     Null-space task: preferred joint positions [rad or m] and its weight.
    /// limits_weight, manipulability_weight : float
    ///     Weights of the null-space tasks for the middle of the joint ranges and for manipulability.
    /// bounds : dict from joint to (lower, upper), tuple of arrays (lower, upper), or array (n, 2), optional
    ///     Bounds within the joint limits [rad or m]. Equal bounds lock a joint.
    /// move_weights : dict by joint name, or array (n,), optional
    ///     Costs of joint moves from the seed [1/rad² or 1/m²], 0 by default. They act on self-motions
    ///     of a redundant arm, not on ``pick``.
    /// tool : array, or dict by tip, optional
    ///     Replaces the tool of the arm: see with_tool.
    /// closest : True, False or "position"
    ///     For an unmet pose: True searches for the closest joint positions and the reason, False is faster.
    ///     "position", for arms of fewer than six joints, meets the position exactly with the closest orientation
    ///     (POSITION_ONLY).
    ///
    /// Returns
    /// -------
    /// Answer
    ///
    /// Raises
    /// ------
    /// Error
    ///     If an argument is invalid: not a pose, a seed of another length, a tolerance of 0, a goal of an unknown
    ///     link.
    #[pyo3(
        signature = (pose = None, seed = None, **options),
        text_signature = "($self, pose=None, seed=None, *, goals=None, constraints=None, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, pick='first', attempts=100, random_seed=0, timeout=None, avoid=None, posture=None, \
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None, closest=True)"
    )]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (arm, options) = SolveOptions::read(&self.0, options, "solve", &[])?;
        Self(arm).solve_one(py, pose, &self.seed(seed)?, &options, None)
    }

    /// Finds all distinct solutions that the attempts lead to, 64 at most.
    ///
    /// If the arm is redundant for the pose, a continuum of solutions counts as one, at the preferred configuration
    /// or the one nearest to the seed.
    ///
    /// Parameters
    /// ----------
    /// pose, seed, and the others
    ///     As in solve.
    /// max_turns : int
    ///     If not 0, also lists configurations that differ from a solution by full revolutions of joints within their
    ///     limits: at most this many (10000 or fewer), the nearest to the seed.
    ///
    /// Returns
    /// -------
    /// list of Answer
    ///     Solutions in the order of discovery; with ``max_turns`` the nearest to the seed first.
    #[pyo3(
        signature = (pose = None, seed = None, *, max_turns = Argument::Valid(0), **options),
        text_signature = "($self, pose=None, seed=None, *, max_turns=0, goals=None, constraints=None, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, attempts=100, random_seed=0, timeout=None, avoid=None, posture=None, \
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None)"
    )]
    fn solve_all<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
        max_turns: Argument<'py, usize>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let max_turns = max_turns.named("max_turns")?;
        let (arm, options) = SolveOptions::read(&self.0, options, "solve_all", &["pick", "closest"])?;
        let (targets, seed) = (self.targets(pose, &options)?, self.seed(seed)?);
        let solver = arm.solver(options.kind)?;
        let interruption = SignalCheck::new();
        let is_raised = || interruption.is_raised();
        let problem = options.problem(&targets, options.goals.of_one()?, &seed).with_interruption(Some(&is_raised));
        let search = |Workspace { scratch, .. }: &mut Workspace| match max_turns {
            0 => solver.all_solutions(&problem, scratch),
            most => solver.solve_all_turns(&problem, scratch, most).map(|turns| turns.solutions),
        };
        let found = py.detach(|| arm.work(search)).map_err(refused)?;
        interruption.result()?;
        let list = PyList::empty(py);
        for solution in &found {
            list.append(answer(py, solution, &self.0.chain, &options)?)?;
        }
        Ok(list)
    }

    /// Tracks a pose from the current joint positions without a jump to another branch: one attempt, in which each
    /// joint moves ``max_step`` at most. For streams of poses.
    ///
    /// Parameters
    /// ----------
    /// pose : array, or dict by tip, or None
    ///     The pose of the tip in the frame of the base link: see Arm. None: goals alone.
    /// q : array (n,), or dict by joint name
    ///     The current joint positions [rad or m].
    /// max_step : float, or array (n,), optional
    ///     Largest move of each joint [rad or m]. Default: unbounded.
    /// solver, and the others
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// Answer
    ///     The outcome is STEP_LIMITED while ``max_step`` keeps the arm from the pose.
    #[pyo3(
        signature = (pose, q, max_step = None, **options),
        text_signature = "($self, pose, q, max_step=None, *, goals=None, constraints=None, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, \
                          manipulability_weight=0.0, bounds=None, move_weights=None, tool=None, closest=True)"
    )]
    fn track<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
        q: &Bound<'py, PyAny>,
        max_step: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (arm, options) = SolveOptions::read(&self.0, options, "track", &SEARCH_OPTIONS)?;
        let variables = self.0.variables();
        let max_step = match max_step {
            None => vec![f64::INFINITY; variables],
            Some(step) => match step.extract::<f64>() {
                Ok(step) => vec![step; variables],
                Err(_) => read_positions(step, &self.0.chain, "max_step")?,
            },
        };
        Self(arm).solve_one(py, pose, &read_positions(q, &self.0.chain, "q")?, &options, Some(&max_step))
    }
}

impl PyArm {
    /// The answer to one problem: by a search, or with `max_step` by tracking.
    fn solve_one<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'py, PyAny>>,
        seed: &[f64],
        options: &SolveOptions,
        max_step: Option<&[f64]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let targets = self.targets(pose, options)?;
        let interruption = SignalCheck::new();
        let is_raised = || interruption.is_raised();
        let mut problem = options.problem(&targets, options.goals.of_one()?, seed).with_interruption(Some(&is_raised));
        if let Some(max_step) = max_step {
            problem.mode = Mode::Track { max_step };
        }
        let solver = self.0.solver(options.kind)?;
        self.0.work(|Workspace { scratch, solution, .. }| {
            if options.is_short() {
                solver.solve(&problem, scratch, solution)
            } else {
                py.detach(|| solver.solve(&problem, scratch, solution))
            }
            .map_err(refused)?;
            interruption.result()?;
            answer(py, solution, &self.0.chain, options)
        })
    }

    fn targets(&self, pose: Option<&Bound<'_, PyAny>>, options: &SolveOptions) -> PyResult<Vec<Target>> {
        let poses = match pose {
            Some(pose) => PoseArgument::one(pose, &self.0.chain)?.row(),
            None if options.goals.most() == 0 => return Err(nothing_requested("pose")),
            None => PoseArgument::none().row(),
        };
        let mut targets = options.targets[..1].repeat(poses.targets());
        poses.write(0, &options.targets, &mut targets).map_err(refused)?;
        Ok(targets)
    }

    fn seed(&self, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        match seed {
            Some(seed) => read_positions(seed, &self.0.chain, "seed"),
            None => Ok(self.0.chain.nominal_positions()),
        }
    }
}
