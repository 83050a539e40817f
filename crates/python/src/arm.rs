//! `urdfik.Arm`: the joints between a base link and one or several tips, and their inverse kinematics.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use urdf_ik::motion::Timing;
use urdf_ik::motion::servo::ServoOptions;
use urdf_ik::robot::{Chain, Domain};
use urdf_ik::solver::{Mode, Problem, Solution, Solver, Target};
use urdf_ik_text::names::{list, short};

use crate::answers::answer;
use crate::arguments::{Argument, Expected, Names, named, parsed};
use crate::arrays::{PositionRows, array, push_pose, read_positions, read_rows};
use crate::batch::Batch;
use crate::interruption::Interruption;
use crate::kinematics::{Frame, Quantity, compute};
use crate::motion::{PathRequest, limits};
use crate::options::{OF_SEARCHES, Options, world};
use crate::path_or_text::PathOrText;
use crate::poses::{Poses, from_numbers, tip_index, to_numbers};
use crate::refused;
use crate::robot::{Given, Reading, Reduced, Robot, RobotData};
use crate::servo::{Servo, ServoRequest};
use crate::shared::{Arm, ArmData, Worker};

/// A URDF, or a robot that has been read.
#[derive(FromPyObject)]
enum RobotOrUrdf<'py> {
    Robot(Bound<'py, Robot>),
    Urdf(PathOrText),
}

impl Expected for RobotOrUrdf<'_> {
    const WORDS: &'static str = "the path or the text of a URDF, or a Robot";
}

/// What an arm is pickled as: its robot, tips, base and tools.
type State = (Given, Vec<String>, String, Vec<[f64; 7]>);

#[pymethods]
impl Arm {
    #[new]
    #[pyo3(
        signature = (
            robot, tip = None, base = None, *, tool = None, package_dirs = None, srdf = None, soft_limits = None
        ),
        text_signature = "(robot, tip=None, base=None, *, tool=None, package_dirs=(), srdf=None, soft_limits=False)"
    )]
    fn new<'py>(
        robot: Argument<'py, RobotOrUrdf<'py>>,
        tip: Option<Argument<'py, Names>>,
        base: Option<Argument<'py, String>>,
        tool: Option<&Bound<'py, PyAny>>,
        package_dirs: Option<Argument<'py, Vec<PathBuf>>>,
        srdf: Option<Argument<'py, PathOrText>>,
        soft_limits: Option<Argument<'py, bool>>,
    ) -> PyResult<Self> {
        let reading = Reading::new(package_dirs, srdf, soft_limits)?;
        let robot = match robot.named("robot")? {
            RobotOrUrdf::Urdf(urdf) => Arc::new(RobotData::new(Given::read(urdf, reading)?)?),
            RobotOrUrdf::Robot(robot) if reading.is_plain() => Arc::clone(&robot.get().0),
            RobotOrUrdf::Robot(_) => {
                return Err(refused(
                    "package_dirs, srdf and soft_limits are those of the robot: give them to Robot(…)",
                ));
            }
        };
        let (tip, base) = (named(tip, "tip")?, named(base, "base")?);
        let tips = tip.as_ref().map(Names::as_strs).unwrap_or_default();
        let arm = Arc::new(ArmData::new(robot, base.as_deref(), &tips)?);
        tool.map_or_else(|| Ok(Self(Arc::clone(&arm))), |tool| arm.with_tool(tool).map(Self))
    }

    /// The same arm with a tool: the tip is the tool then, in targets, paths, twists, forward kinematics and Jacobians. A world of one of
    /// them serves both.
    ///
    /// Parameters
    /// ----------
    /// tool : array, or dict by tip
    ///     The pose of the tool in the frame of the tip link, in one of the forms of poses: see Arm. Tips that a dict does not name keep
    ///     theirs.
    ///
    /// Returns
    /// -------
    /// Arm
    fn with_tool(&self, tool: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.0.with_tool(tool).map(Self)
    }

    /// The tool: its pose (4, 4) in the frame of the tip link, the identity if there is none. Of several tips (tips, 4, 4).
    #[getter]
    fn tool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let mut numbers = Vec::new();
        self.0.chain.tips().iter().for_each(|tip| push_pose(&tip.tool, &mut numbers));
        array(py, Quantity::Poses(None).shape(&self.0.chain), numbers)
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
    fn order<'py>(&self, py: Python<'py>, names: Argument<'py, Vec<String>>) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let names = names.named("names")?;
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
        tip: Option<Argument<'py, String>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let tip = named(tip, "tip")?.map(|tip| tip_index(&self.0.chain, &tip)).transpose()?;
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
    #[pyo3(
        signature = (q, frame = None, *, tip = None),
        text_signature = "($self, q, frame='base', *, tip=None)"
    )]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frame: Option<Argument<'py, String>>,
        tip: Option<Argument<'py, String>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let quantity = Quantity::Jacobian(self.one_tip(tip)?, Frame::read(frame)?);
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
        tip: Option<Argument<'py, String>>,
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
    /// bounds : dict from joint to (lower, upper), tuple of arrays (lower, upper), or array (n, 2), optional
    ///     Bounds within the joint limits [rad or m]. Equal bounds lock a joint.
    /// move_weights : dict by joint name, or array (n,), optional
    ///     How much less a redundant arm moves each joint from the seed than others [1/rad² or 1/m²], 0 for joints without one. The weights
    ///     act on self-motions: the pick does not know them.
    /// tool : array, or dict by tip, optional
    ///     In place of the arm's own tool: see with_tool.
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
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None, closest=True)"
    )]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arm = self.tooled(options)?;
        let options = Options::read(&arm.0, options, "solve", &[])?;
        arm.answered(py, pose, &arm.seed(seed)?, &options, None)
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
    /// max_turns : int
    ///     If not 0, also lists the configurations that differ from a solution by full revolutions of joints within their limits: the
    ///     nearest to the seed, so many at most, and no more than 10000.
    ///
    /// Returns
    /// -------
    /// list of Answer
    ///     Solved ones, in the order in which they were found; with ``max_turns`` the nearest to the seed first.
    #[pyo3(
        signature = (pose, seed = None, *, max_turns = Argument::Valid(0), **options),
        text_signature = "($self, pose, seed=None, *, max_turns=0, solver='jacobian', free_axes=None, position_tolerance=1e-05, \
                          orientation_tolerance=1e-05, attempts=100, random_seed=0, timeout=None, avoid=None, posture=None, \
                          posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None)"
    )]
    fn solve_all<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: Option<&Bound<'py, PyAny>>,
        max_turns: Argument<'py, usize>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (arm, max_turns) = (self.tooled(options)?, max_turns.named("max_turns")?);
        let options = Options::read(&arm.0, options, "solve_all", &["pick", "closest"])?;
        let (targets, seed) = (arm.targets(pose, &options)?, arm.seed(seed)?);
        let solver = arm.0.solver(options.kind)?;
        let interruption = Interruption::new();
        let is_raised = || interruption.is_raised();
        let problem = Problem { interruption: Some(&is_raised), ..options.problem(&targets, &seed) };
        let found = py.detach(|| arm.0.work(|worker| all_solutions(solver, &problem, max_turns, worker)))?;
        interruption.result()?;
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
        signature = (poses, seeds = None, *, threads = Argument::Valid(1), progress = None, **options),
        text_signature = "($self, poses, seeds=None, *, threads=1, progress=None, solver='jacobian', free_axes=None, \
                          position_tolerance=1e-05, orientation_tolerance=1e-05, pick='first', attempts=100, random_seed=0, timeout=None, \
                          avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, manipulability_weight=0.0, bounds=None, move_weights=None, \
                          tool=None, closest=True)"
    )]
    fn solve_batch<'py>(
        &self,
        py: Python<'py>,
        poses: &Bound<'py, PyAny>,
        seeds: Option<&Bound<'py, PyAny>>,
        threads: Argument<'py, usize>,
        progress: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Self(arm) = self.tooled(options)?;
        let (chain, threads) = (&arm.chain, threads.named("threads")?);
        if progress.as_ref().is_some_and(|progress| !progress.is_callable()) {
            return Err(refused(
                "progress must be callable, with the number of problems that are done and that of all",
            ));
        }
        let options = Options::read(&arm, options, "solve_batch", &[])?;
        let (poses, count) = Poses::many(poses, chain, "poses")?;
        let seeds = match seeds {
            Some(seeds) => read_rows(seeds, chain, "seeds")?,
            None => PositionRows { numbers: chain.nominal_positions(), rows: None },
        };
        match seeds.rows {
            Some(rows) if rows != count => Err(refused(format!("there are {rows} seeds for {count} poses"))),
            _ => Batch { arm: &arm, poses, count, seeds, options, threads, progress }.solve(py),
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
                          manipulability_weight=0.0, bounds=None, move_weights=None, tool=None, closest=True)"
    )]
    fn track<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        max_step: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arm = self.tooled(options)?;
        let options = Options::read(&arm.0, options, "track", &OF_SEARCHES)?;
        let variables = self.0.variables();
        let max_step = match max_step {
            None => vec![f64::INFINITY; variables],
            Some(step) => match step.extract::<f64>() {
                Ok(step) => vec![step; variables],
                Err(_) => read_positions(step, &self.0.chain, "max_step")?,
            },
        };
        arm.answered(py, pose, &read_positions(q, &self.0.chain, "q")?, &options, Some(&max_step))
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
    ///     and ``jerk``. A joint without limits has the velocity of the URDF or 1 rad/s or m/s, the acceleration
    ///     that reaches it in 0.2 s, and the jerk that reaches that in 10 ms.
    /// solver, free_axes, avoid, and preferences
    ///     As in solve.
    ///
    /// Returns
    /// -------
    /// Trajectory
    ///     As far as the path can be followed; it says where and why it ends before.
    #[pyo3(
        signature = (
            waypoints, q, *, blend_radius = Argument::Valid(0.0), speed = Argument::Valid(0.1), acceleration = Argument::Valid(0.5),
            period = Argument::Valid(0.01), joint_limits = None, **options
        ),
        text_signature = "($self, waypoints, q, *, blend_radius=0.0, speed=0.1, acceleration=0.5, period=0.01, joint_limits=None, \
                          solver='jacobian', free_axes=None, avoid=None, posture=None, posture_weight=1.0, limits_weight=0.0, \
                          manipulability_weight=0.0, tool=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a method in Python")]
    fn path<'py>(
        &self,
        py: Python<'py>,
        waypoints: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        blend_radius: Argument<'py, f64>,
        speed: Argument<'py, f64>,
        acceleration: Argument<'py, f64>,
        period: Argument<'py, f64>,
        joint_limits: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        const OF_SOLVES: [&str; 5] =
            ["position_tolerance", "orientation_tolerance", "bounds", "move_weights", "closest"];
        let without = [&OF_SEARCHES[..], &OF_SOLVES].concat();
        let Self(arm) = self.tooled(options)?;
        let request = PathRequest {
            arm: &arm,
            waypoints,
            q: &read_positions(q, &self.0.chain, "q")?,
            blend_radius: blend_radius.named("blend_radius")?,
            timing: Timing {
                speed: speed.named("speed")?,
                acceleration: acceleration.named("acceleration")?,
                period: period.named("period")?,
            },
            limits: limits(joint_limits, &self.0)?,
            options: Options::read(&arm, options, "path", &without)?,
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
    ///     Where the arm is at rest [rad or m]. Joints outside their limits move inside first, once something is commanded.
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
    #[pyo3(
        signature = (
            rate, q, *, joint_limits = None, linear_speed = Argument::Valid(0.5), angular_speed = Argument::Valid(1.5), held_back = None,
            give_position = Argument::Valid(0.02), give_orientation = Argument::Valid(0.1), free_axes = None, avoid = None
        ),
        text_signature = "($self, rate, q, *, joint_limits=None, linear_speed=0.5, angular_speed=1.5, held_back='wait', \
                          give_position=0.02, give_orientation=0.1, free_axes=None, avoid=None)"
    )]
    fn servo<'py>(
        &self,
        rate: Argument<'py, f64>,
        q: &Bound<'py, PyAny>,
        joint_limits: Option<&Bound<'py, PyAny>>,
        linear_speed: Argument<'py, f64>,
        angular_speed: Argument<'py, f64>,
        held_back: Option<Argument<'py, String>>,
        give_position: Argument<'py, f64>,
        give_orientation: Argument<'py, f64>,
        free_axes: Option<&Bound<'py, PyAny>>,
        avoid: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Servo> {
        let held_back = named(held_back, "held_back")?.map(|name| parsed(&name, "held_back")).transpose()?;
        let options = ServoOptions {
            linear_speed: linear_speed.named("linear_speed")?,
            angular_speed: angular_speed.named("angular_speed")?,
            held_back: held_back.unwrap_or_default(),
            give: [give_position.named("give_position")?, give_orientation.named("give_orientation")?],
            free_axes: free_axes.map(crate::options::free_axes).transpose()?.unwrap_or_default(),
            ..ServoOptions::default()
        };
        let limits = limits(joint_limits, &self.0)?;
        let world = avoid.map(|avoid| world(avoid, &self.0)).transpose()?.flatten();
        let request = ServoRequest { rate: rate.named("rate")?, options, limits, world };
        Servo::start(&self.0, &read_positions(q, &self.0.chain, "q")?, request)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State>> {
        let tips = self.tips().into_iter().map(str::to_owned).collect();
        let tools = self.0.chain.tools().iter().map(to_numbers).collect();
        let state = (self.0.robot.given.clone(), tips, self.base().to_owned(), tools);
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
    /// The arm with the tool that the keyword arguments of a method name.
    fn tooled(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let tool = options.map(|options| options.get_item("tool")).transpose()?.flatten();
        match tool.filter(|tool| !tool.is_none()) {
            Some(tool) => self.with_tool(&tool),
            None => Ok(Self(Arc::clone(&self.0))),
        }
    }

    /// The answer of a search, or of tracking with largest steps.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        seed: &[f64],
        options: &Options,
        max_step: Option<&[f64]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let targets = self.targets(pose, options)?;
        let interruption = Interruption::new();
        let is_raised = || interruption.is_raised();
        let mut problem = Problem { interruption: Some(&is_raised), ..options.problem(&targets, seed) };
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
            interruption.result()?;
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
    fn one_tip(&self, tip: Option<Argument<'_, String>>) -> PyResult<usize> {
        match named(tip, "tip")? {
            Some(tip) => tip_index(&self.0.chain, &tip),
            None if self.0.chain.tips().len() == 1 => Ok(0),
            None => Err(refused(format!("the arm has several tips; name one of them by tip=: {}", list(&self.tips())))),
        }
    }
}

/// All solutions, with up to `max_turns` configurations that differ from these by full revolutions of joints.
fn all_solutions(
    solver: &Solver,
    problem: &Problem,
    max_turns: usize,
    Worker { scratch, solution, .. }: &mut Worker,
) -> PyResult<Vec<Solution>> {
    if max_turns > 0 {
        return Ok(solver.solve_all_turns(problem, scratch, max_turns).map_err(refused)?.solutions);
    }
    let mut found = Vec::new();
    let keep = &mut |solution: &Solution| {
        found.push(solution.clone());
        ControlFlow::Continue(())
    };
    solver.solve_all(problem, scratch, solution, keep).map_err(refused)?;
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
pub fn rebuild_arm(given: Given, tips: Vec<String>, base: String, tools: Vec<[f64; 7]>) -> PyResult<Arm> {
    let tips: Vec<&str> = tips.iter().map(String::as_str).collect();
    let tools: Vec<_> = tools.iter().map(from_numbers).collect::<PyResult<_>>()?;
    Arc::new(ArmData::new(Arc::new(RobotData::new(given)?), Some(&base), &tips)?).with_tools(&tools).map(Arm)
}
