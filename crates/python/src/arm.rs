//! `urdfik.Arm`: the joints between a base link and one or several tips, and their inverse kinematics.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use urdf_ik::motion::Timing;
use urdf_ik::robot::{Chain, Domain};
use urdf_ik::solver::{Mode, Solution, Solver, Target};
use urdf_ik_text::names::{list, short};

use crate::answers::answer;
use crate::arrays::{PositionRows, read_positions, read_rows};
use crate::batch::Batch;
use crate::kinematics::{Frame, Quantity, compute};
use crate::motion::{PathRequest, limits};
use crate::options::{OF_SEARCHES, Options};
use crate::path_or_text::PathOrText;
use crate::poses::{Poses, tip_index};
use crate::refused;
use crate::robot::{Given, Reduced, Robot, RobotData};
use crate::servo::{Servo, ServoRequest};
use crate::shared::{Arm, ArmData, Worker};

/// A URDF, or a robot that has been read.
#[derive(FromPyObject)]
enum RobotOrUrdf<'py> {
    Robot(Bound<'py, Robot>),
    Urdf(PathOrText),
}

/// The names of one tip or of several.
#[derive(FromPyObject)]
enum Tips {
    One(String),
    Several(Vec<String>),
}

impl Tips {
    fn names(&self) -> Vec<&str> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

#[pymethods]
impl Arm {
    #[new]
    #[pyo3(
        signature = (robot, tip = None, base = None, *, package_dirs = Vec::new(), srdf = None),
        text_signature = "(robot, tip=None, base=None, *, package_dirs=(), srdf=None)"
    )]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python")]
    fn new(
        robot: RobotOrUrdf<'_>,
        tip: Option<Tips>,
        base: Option<&str>,
        package_dirs: Vec<PathBuf>,
        srdf: Option<PathOrText>,
    ) -> PyResult<Self> {
        let robot = match robot {
            RobotOrUrdf::Urdf(urdf) => Arc::new(RobotData::new(Given::read(urdf, package_dirs, srdf)?)?),
            RobotOrUrdf::Robot(robot) if package_dirs.is_empty() && srdf.is_none() => Arc::clone(&robot.get().0),
            RobotOrUrdf::Robot(_) => {
                return Err(refused("package_dirs and srdf are those of the robot: give them to Robot(…)"));
            }
        };
        let tips = tip.as_ref().map(Tips::names).unwrap_or_default();
        Ok(Self(Arc::new(ArmData::new(robot, base, &tips)?)))
    }

    /// Names of the n joints, from the base on, in the order of joint positions. Joints that mimic others are not among them.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.0.chain.variable_names()
    }

    /// Lower limits (n,) of the joints [rad or m]; -inf for continuous ones.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, bounds(&self.0.chain).map(|[lower, _]| lower))
    }

    /// Upper limits (n,) of the joints [rad or m]; inf for continuous ones.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, bounds(&self.0.chain).map(|[_, upper]| upper))
    }

    /// The middle (n,) of the joint ranges [rad or m], 0 for continuous joints: where solves start that have no seed.
    #[getter]
    fn nominal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.chain.nominal_positions())
    }

    /// Names of the tip links.
    #[getter]
    fn tips(&self) -> Vec<&str> {
        self.0.chain.tip_names()
    }

    /// Name of the base link.
    #[getter]
    fn base(&self) -> &str {
        self.0.chain.base()
    }

    /// The robot that the arm is part of.
    #[getter]
    fn robot(&self) -> Robot {
        Robot(Arc::clone(&self.0.robot))
    }

    /// For each of another program's joint names, its index among ``joint_names``.
    ///
    /// ``theirs = q[..., order]`` puts joint positions into the other program's order, ``q[..., order] = theirs`` takes them back.
    ///
    /// Parameters
    /// ----------
    /// names : list of str
    ///     Names of joints of this arm.
    ///
    /// Returns
    /// -------
    /// array (len(names),) of int
    #[expect(clippy::needless_pass_by_value, reason = "an argument from Python")]
    fn order<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let known = self.0.chain.variable_names();
        let index = |name: &String| {
            let found = known.iter().position(|known| known == name);
            found.ok_or_else(|| {
                refused(format!("the arm has no joint '{}'; its joints are: {}", short(name), list(&known)))
            })
        };
        Ok(PyArray1::from_vec(py, names.iter().map(index).collect::<PyResult<_>>()?))
    }

    /// Poses of the tips.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// tip : str, optional
    ///     One of several tips.
    ///
    /// Returns
    /// -------
    /// array (4, 4) or (N, 4, 4)
    ///     Homogeneous matrices [m] in the frame of the base link. Of several tips (tips, 4, 4) or (N, tips, 4, 4).
    #[pyo3(signature = (q, *, tip = None))]
    fn forward_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        tip: Option<&str>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let tip = tip.map(|tip| tip_index(&self.0.chain, tip)).transpose()?;
        compute(py, &self.0, Quantity::Poses(tip), &read_rows(q, &self.0.chain, "q")?)
    }

    /// The geometric Jacobian of a tip: the twist of its origin for joint velocities, linear part first.
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// frame : "base" or "tip"
    ///     Along which axes twists are: those of the base link, or those of the tip.
    /// tip : str, optional
    ///     Which tip, if there are several.
    ///
    /// Returns
    /// -------
    /// array (6, n) or (N, 6, n)
    ///     In m/rad and rad/rad; in m/m and 0 for prismatic joints.
    #[pyo3(signature = (q, frame = "base", *, tip = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frame: &str,
        tip: Option<&str>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let quantity = Quantity::Jacobian(self.one_tip(tip)?, Frame::named(frame)?);
        compute(py, &self.0, quantity, &read_rows(q, &self.0.chain, "q")?)
    }

    /// How well a tip can move in all directions: the product of the singular values of its Jacobian (Yoshikawa 1985), 0 at a
    /// singularity. With six joints or more it is sqrt(det(J Jᵀ)), with fewer sqrt(det(Jᵀ J)).
    ///
    /// Parameters
    /// ----------
    /// q : array (n,) or (N, n), or dict by joint name
    ///     Joint positions [rad or m].
    /// tip : str, optional
    ///     Which tip, if there are several.
    ///
    /// Returns
    /// -------
    /// float, or array (N,)
    ///     In units of m and rad.
    #[pyo3(signature = (q, *, tip = None))]
    fn manipulability<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        tip: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = read_rows(q, &self.0.chain, "q")?;
        let computed = compute(py, &self.0, Quantity::Manipulability(self.one_tip(tip)?), &rows)?;
        if rows.rows.is_some() { Ok(computed.into_any()) } else { computed.call_method0("item") }
    }

    /// Finds joint positions that bring the tips to their poses, within the joint limits.
    ///
    /// Where that is not possible, the answer has the nearest positions that were found, and says why. The same problem always has
    /// the same answer, to the bit.
    ///
    /// Parameters
    /// ----------
    /// pose : array, or dict by tip
    ///     The pose of the tip in the frame of the base link: see Arm.
    /// seed : array (n,), or dict by joint name, optional
    ///     Where the search starts [rad or m]: near positions are preferred to far ones. By default ``nominal``.
    /// solver : "jacobian", "closed_form" or "fabrik"
    ///     The method.
    /// free_axes : list of "x", "y", "z", "rx", "ry", "rz", or dict of such lists by tip
    ///     Axes of the tip's frame that need not match: shifts along them and turns about them.
    /// position_tolerance, orientation_tolerance : float
    ///     Largest errors with which a pose counts as met [m, rad].
    /// pick : "first", "nearest" or "most_manipulable"
    ///     Which of several solutions: the first that is found, or of all that are found the one that is nearest to the seed by its
    ///     largest joint move, or that with the greatest manipulability.
    /// attempts : int
    ///     Largest number of starting points, with the seed.
    /// random_seed : int
    ///     Selects the starting points after those near the seed.
    /// timeout : float, optional
    ///     Time after which the search ends [s]. It is a guard: the attempts are the budget.
    /// avoid : World, optional
    ///     What the arm has to keep clear of.
    /// posture, posture_weight
    ///     Joint positions [rad or m] that a redundant arm prefers, and how much.
    /// limits_weight, manipulability_weight : float
    ///     How much it prefers the middle of the joint ranges, and manipulability.
    /// closest : True, False or "position"
    ///     Whether a pose that is not met is searched on for the nearest positions and the reason; False is faster. "position", for arms
    ///     of fewer than six joints: the position exactly, and the orientation as closely as it goes there (POSITION_ONLY).
    ///
    /// Returns
    /// -------
    /// Answer
    ///
    /// Raises
    /// ------
    /// Error
    ///     For what makes no sense: a pose that is none, a seed of another length, a tolerance of 0.
    #[pyo3(
        signature = (pose, seed = None, **options),
        text_signature = "($self, pose, seed=None, *, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, pick='first', attempts=100, random_seed=0, timeout=None, avoid=None, posture=None, \
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, closest=True)"
    )]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(&self.0, options, "solve", &[])?;
        self.answered(py, pose, seed, &options, None)
    }

    /// Finds all distinct solutions that the attempts lead to, 64 at most.
    ///
    /// Where the arm is redundant for the pose, a continuum of solutions counts as one, at the configuration that is preferred, or
    /// nearest to the seed.
    ///
    /// Parameters
    /// ----------
    /// pose, seed, and the others
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// list of Answer
    ///     Solved ones, in the order in which they were found.
    #[pyo3(
        signature = (pose, seed = None, **options),
        text_signature = "($self, pose, seed=None, *, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, attempts=100, random_seed=0, timeout=None, avoid=None, posture=None, \
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0)"
    )]
    fn solve_all<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = Options::read(&self.0, options, "solve_all", &["pick", "closest"])?;
        let (targets, seed) = (self.targets(pose, &options)?, self.seed(seed)?);
        let solver = self.0.solver(options.kind)?;
        let found = py.detach(|| self.0.work(|worker| all_solutions(solver, &options, &targets, &seed, worker)))?;
        let list = PyList::empty(py);
        for solution in &found {
            list.append(answer(py, solution, &self.0.chain, options.world())?)?;
        }
        Ok(list)
    }

    /// Solves many problems, each on its own, with arrays in the place of answers.
    ///
    /// Each row has the same bits as by solve, on any number of threads. Other threads of Python run meanwhile, and Ctrl-C ends it.
    ///
    /// Parameters
    /// ----------
    /// poses : array, or dict by tip
    ///     (N, 4, 4), (N, 7) or (N, 3); of several tips (N, tips, 4, 4), (N, tips, 7), (N, tips, 3), or a dict from tips to such arrays.
    /// seeds : array (N, n) or (n,), optional
    ///     Where the searches start [rad or m]. By default ``nominal``.
    /// threads : int
    ///     Number of threads; 0 for all cores.
    /// progress : callable, optional
    ///     Called with the number of problems that are done and the number of all, now and then.
    /// solver, and the others
    ///     As in solve; ``timeout`` is that of each problem.
    ///
    /// Returns
    /// -------
    /// Answers
    ///     With an array in the place of each field of an Answer. A row that makes no sense is refused, and the others are solved.
    #[pyo3(
        signature = (poses, seeds = None, *, threads = 1, progress = None, **options),
        text_signature = "($self, poses, seeds=None, *, threads=1, progress=None, solver='jacobian', free_axes=None, \
                          position_tolerance=1e-05, orientation_tolerance=1e-05, pick='first', attempts=100, random_seed=0, timeout=None, \
                          avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, closest=True)"
    )]
    fn solve_batch<'py>(
        &self,
        py: Python<'py>,
        poses: &Bound<'py, PyAny>,
        seeds: Option<&Bound<'py, PyAny>>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let chain = &self.0.chain;
        let options = Options::read(&self.0, options, "solve_batch", &[])?;
        let (poses, count) = Poses::many(poses, chain, "poses")?;
        let seeds = match seeds {
            Some(seeds) => read_rows(seeds, chain, "seeds")?,
            None => PositionRows { numbers: chain.nominal_positions(), rows: None },
        };
        match seeds.rows {
            Some(rows) if rows != count => Err(refused(format!("there are {rows} seeds for {count} poses"))),
            _ => Batch { arm: &self.0, poses, count, seeds, options, threads, progress }.solve(py),
        }
    }

    /// Follows a pose from where the arm is, without a jump to another branch of solutions: one attempt, in which each joint moves
    /// ``max_step`` at most. For streams of poses.
    ///
    /// Parameters
    /// ----------
    /// pose : array, or dict by tip
    ///     The pose of the tip in the frame of the base link: see Arm.
    /// q : array (n,), or dict by joint name
    ///     Where the arm is [rad or m].
    /// max_step : float, or array (n,), optional
    ///     Largest move of each joint [rad or m]. By default there is no bound.
    /// solver, and the others
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// Answer
    ///     Its outcome is STEP_LIMITED where the arm is on its way.
    #[pyo3(
        signature = (pose, q, max_step = None, **options),
        text_signature = "($self, pose, q, max_step=None, *, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, \
                          manipulability_weight=0.0, closest=True)"
    )]
    fn track<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        max_step: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(&self.0, options, "track", &OF_SEARCHES)?;
        let variables = self.0.variables();
        let max_step = match max_step {
            None => vec![f64::INFINITY; variables],
            Some(step) => match step.extract::<f64>() {
                Ok(step) => vec![step; variables],
                Err(_) => read_positions(step, &self.0.chain, "max_step")?,
            },
        };
        self.answered(py, pose, Some(q), &options, Some(&max_step))
    }

    /// Follows straight lines through poses of the tip, and gives the fastest trajectory of the joints within their limits.
    ///
    /// Parameters
    /// ----------
    /// waypoints : array (K, 4, 4), (K, 7) or (K, 3)
    ///     Poses of the tip in the frame of the base link: see Arm.
    /// q : array (n,), or dict by joint name
    ///     Where the arm is [rad or m]. The path begins there, or at the nearest joint positions for its first pose.
    /// blend_radius : float
    ///     Length before and after a waypoint over which its corner is rounded [m]; with 0 the tip stops at corners.
    /// speed, acceleration : float
    ///     Largest speed [m/s] and acceleration [m/s²] along the path.
    /// period : float
    ///     Time from point to point of the trajectory [s].
    /// joint_limits : str, path or dict, optional
    ///     A joint_limits.yaml in MoveIt's format, its text, or a dict from joints to dicts with some of ``velocity``, ``acceleration``
    ///     and ``jerk``. Joints without limits have those of the URDF, or 1 rad/s, 5 rad/s², 50 rad/s³, and the same in metres.
    /// solver, free_axes, avoid, and preferences
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// Trajectory
    ///     As far as the path can be followed; it says where and why it ends before.
    #[pyo3(
        signature = (waypoints, q, *, blend_radius = 0.0, speed = 0.1, acceleration = 0.5, period = 0.01, joint_limits = None, **options),
        text_signature = "($self, waypoints, q, *, blend_radius=0.0, speed=0.1, acceleration=0.5, period=0.01, joint_limits=None, \
                          solver='jacobian', free_axes=None, avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, \
                          manipulability_weight=0.0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    fn path<'py>(
        &self,
        py: Python<'py>,
        waypoints: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        blend_radius: f64,
        speed: f64,
        acceleration: f64,
        period: f64,
        joint_limits: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let without = [&OF_SEARCHES[..], &["position_tolerance", "orientation_tolerance", "closest"]].concat();
        let request = PathRequest {
            arm: &self.0,
            waypoints,
            q: &read_positions(q, &self.0.chain, "q")?,
            blend_radius,
            timing: Timing { speed, acceleration, period },
            limits: limits(joint_limits, &self.0)?,
            options: Options::read(&self.0, options, "path", &without)?,
        };
        request.follow(py)
    }

    /// A servo, which follows velocities of the tip from rest at ``q``.
    ///
    /// Parameters
    /// ----------
    /// rate : float
    ///     Number of steps in a second.
    /// q : array (n,), or dict by joint name
    ///     Where the arm is at rest [rad or m].
    /// joint_limits : str, path or dict, optional
    ///     As in path.
    /// linear_speed, angular_speed : float
    ///     Largest speeds of the tip [m/s, rad/s].
    /// held_back : "wait" or "slide"
    ///     What the tip does where a joint limit is in the way of its line: wait on it, or slide along the part that the limits allow.
    /// give_position, give_orientation : float
    ///     How far the position [m] and the orientation [rad] of what is not commanded may give way, where the tip could not follow
    ///     otherwise or would be slower.
    /// free_axes : list of "rx", "ry", "rz", optional
    ///     Axes of the tip's frame about which it turns as it likes, unless a twist commands a rotation.
    /// avoid : World, optional
    ///     What the arm has to keep clear of.
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    #[pyo3(signature = (
        rate, q, *, joint_limits = None, linear_speed = 0.5, angular_speed = 1.5, held_back = "wait",
        give_position = 0.02, give_orientation = 0.1, free_axes = None, avoid = None
    ))]
    fn servo(
        &self,
        rate: f64,
        q: &Bound<'_, PyAny>,
        joint_limits: Option<&Bound<'_, PyAny>>,
        linear_speed: f64,
        angular_speed: f64,
        held_back: &str,
        give_position: f64,
        give_orientation: f64,
        free_axes: Option<&Bound<'_, PyAny>>,
        avoid: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Servo> {
        let give = [give_position, give_orientation];
        let request = ServoRequest { joint_limits, linear_speed, angular_speed, held_back, give, free_axes, avoid };
        Servo::start(&self.0, rate, q, &request)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Given, Vec<String>, String)>> {
        let tips = self.tips().into_iter().map(str::to_owned).collect();
        let state = (self.0.robot.given.clone(), tips, self.base().to_owned());
        Ok((py.import("urdfik._urdfik")?.getattr("rebuild_arm")?, state))
    }

    fn __repr__(&self) -> String {
        let chain = &self.0.chain;
        format!(
            "<urdfik.Arm {}: {} joints from {} to {}>",
            short(self.0.robot.robot.name()),
            self.0.variables(),
            short(chain.base()),
            list(&chain.tip_names())
        )
    }
}

impl Arm {
    /// The answer of a search, or of tracking with largest steps.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        options: &Options,
        max_step: Option<&[f64]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (targets, seed) = (self.targets(pose, options)?, self.seed(seed)?);
        let mut problem = options.problem(&targets, &seed);
        if let Some(max_step) = max_step {
            problem.mode = Mode::Track { max_step };
        }
        let solver = self.0.solver(options.kind)?;
        self.0.work(|Worker { scratch, solution, .. }| {
            if options.is_short() {
                solver.solve(&problem, scratch, solution)
            } else {
                py.detach(|| solver.solve(&problem, scratch, solution))
            }
            .map_err(refused)?;
            answer(py, solution, &self.0.chain, options.world())
        })
    }

    fn targets(&self, pose: &Bound<'_, PyAny>, options: &Options) -> PyResult<Vec<Target>> {
        let poses = Poses::one(pose, &self.0.chain)?.row();
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

    /// The index of the tip of that name, or of the only one.
    fn one_tip(&self, tip: Option<&str>) -> PyResult<usize> {
        match tip {
            Some(tip) => tip_index(&self.0.chain, tip),
            None if self.0.chain.tips().len() == 1 => Ok(0),
            None => Err(refused(format!("the arm has several tips; name one of them by tip=: {}", list(&self.tips())))),
        }
    }
}

/// All solutions, each as it was found.
fn all_solutions(
    solver: &Solver,
    options: &Options,
    targets: &[Target],
    seed: &[f64],
    Worker { scratch, solution, .. }: &mut Worker,
) -> PyResult<Vec<Solution>> {
    let mut found = Vec::new();
    let problem = options.problem(targets, seed);
    let keep = &mut |solution: &Solution| {
        found.push(solution.clone());
        ControlFlow::Continue(())
    };
    solver.solve_all(&problem, scratch, solution, keep).map_err(refused)?;
    Ok(found)
}

/// The lower and the upper limit of each variable.
fn bounds(chain: &Chain) -> impl ExactSizeIterator<Item = [f64; 2]> {
    chain.variables().iter().map(|variable| match variable.domain {
        Domain::Interval { lower, upper } => [lower, upper],
        Domain::Circle => [f64::NEG_INFINITY, f64::INFINITY],
    })
}

/// The arm that was pickled.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python")]
pub fn rebuild_arm(given: Given, tips: Vec<String>, base: String) -> PyResult<Arm> {
    let tips: Vec<&str> = tips.iter().map(String::as_str).collect();
    Ok(Arm(Arc::new(ArmData::new(Arc::new(RobotData::new(given)?), Some(&base), &tips)?)))
}
