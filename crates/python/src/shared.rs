//! The classes `urdfik.Arm` and `urdfik.World`, and what all threads that use them share: the chain, its solvers, the scene, and a pool of
//! what solves work in. Their methods are in `arm` and `world`.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nalgebra::Isometry3;
use pyo3::prelude::*;

use urdf_ik::collision::{Clearance, MissingShapes, Pairs, Scene, SrdfError};
use urdf_ik::robot::{Chain, ChainPoses};
use urdf_ik::solver::{NotApplicable, Scratch, Solution, Solver, SolverKind};

use crate::arguments::Expected;
use crate::poses::tools;
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
    /// The arm with the tools that were asked for last.
    with_last_tools: Mutex<Option<Arc<Self>>>,
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
        let chain = Chain::with_defaults(&robot.robot, base, tips).map_err(refused)?;
        Self::of_chain(robot, chain)
    }

    fn of_chain(robot: Arc<RobotData>, chain: Chain) -> PyResult<Self> {
        let chain = Arc::new(chain);
        let jacobian = Solver::prepare(SolverKind::Jacobian, &chain).map_err(refused)?;
        Ok(Self {
            robot,
            chain,
            jacobian,
            fabrik: OnceLock::new(),
            closed_form: OnceLock::new(),
            pairs: OnceLock::new(),
            with_last_tools: Mutex::default(),
            workers: Mutex::default(),
        })
    }

    /// The arm with these tools, one for each tip.
    pub fn with_tools(self: &Arc<Self>, tools: &[Isometry3<f64>]) -> PyResult<Arc<Self>> {
        if self.chain.tools() == tools {
            return Ok(Arc::clone(self));
        }
        let mut last = self.with_last_tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.chain.tools() == tools) {
            return Ok(Arc::clone(last));
        }
        let chain = self.chain.with_tools(tools).map_err(refused)?;
        let made = Self::of_chain(Arc::clone(&self.robot), chain)?;
        Ok(Arc::clone(last.insert(Arc::new(made))))
    }

    /// The arm with the tools of an argument from Python: see `tools` in `poses`.
    pub fn with_tool(self: &Arc<Self>, tool: &Bound<'_, PyAny>) -> PyResult<Arc<Self>> {
        self.with_tools(&tools(tool, &self.chain)?)
    }

    /// Whether both arms have the same URDF, base and tip links, whatever their tools, so that a scene of one is a scene of the other.
    pub fn has_the_links_of(&self, other: &Self) -> bool {
        let (own, others) = (&self.chain, &other.chain);
        let same_links = || own.base() == others.base() && own.tip_names() == others.tip_names();
        let same_robot = || {
            let [own, other] = [self, other].map(|arm| &arm.robot.given);
            own.urdf == other.urdf && own.soft_limits == other.soft_limits
        };
        std::ptr::eq(self, other) || (same_robot() && same_links())
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

/// The joints between a base link and one or several tip links, and their inverse kinematics.
///
/// Lengths are in metres, angles in radians, times in seconds. Poses are in the frame of the base link. A pose is an array
///
/// - (4, 4): a homogeneous matrix,
/// - (7,): x y z qx qy qz qw, the quaternion with its scalar last (MuJoCo's have it first),
/// - (3,): a position alone, with any orientation,
///
/// with an index of tips in front, (tips, 4, 4), if the arm has several; or a dict from tips to poses, which leaves other tips free.
/// Joint positions ``q`` are an array (n,) in the order of ``joint_names``, or a dict by joint name.
///
/// An arm does not change, and threads can share it. It can be pickled.
///
/// Parameters
/// ----------
/// robot : str, path or Robot
///     The path or the text of a URDF, or a robot.
/// tip : str, or list of str, optional
///     The tip link or links. By default the robot's only leaf link that moves: no frame on its foot.
/// base : str, optional
///     The base link, which need not be an ancestor of a tip. By default the robot's root link.
/// tool : array, or dict by tip, optional
///     The pose of the tool in the frame of the tip link. The tip is the tool then, wherever a tip is spoken of.
/// package_dirs, srdf, soft_limits
///     As in Robot.
///
/// Raises
/// ------
/// Error
///     For a URDF that is refused, and links between which is no chain.
#[pyclass(frozen, module = "urdfik")]
pub struct Arm(pub Arc<ArmData>);

/// An arm with what is around it, prepared for solves.
pub struct WorldData {
    pub arm: Arc<ArmData>,
    pub world: urdf_ik::collision::World,
    /// Positions of all joints of the robot. Those that the arm does not move stand there.
    pub rest: Vec<f64>,
    pub scene: Scene,
    pub options: WorldOptions,
}

/// How collisions are judged.
#[derive(Clone, Copy)]
pub struct WorldOptions {
    /// The least distance \[m\].
    pub margin: f64,
    /// Whether links may count without shapes that could not be loaded.
    pub missing_shapes: MissingShapes,
}

impl WorldData {
    pub fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.options.margin }
    }
}

/// What an arm keeps clear of: its own links, obstacles, and what it carries. For ``avoid=`` of the solving methods.
///
/// The shapes of the links are read when the first world of an arm is made, and count as the URDF has them, meshes by their triangles. A
/// world does not change, and threads can share it: ``moved`` gives another one. It can be pickled, and serves every
/// equal arm: of the same URDF, base and tips.
///
/// Parameters
/// ----------
/// arm : Arm
///     The arm that has to keep clear.
/// obstacles : list of dicts
///     Each has ``id``, ``type`` and the sizes of its type [m]: a ``box`` has ``size`` (3 numbers), a ``sphere`` has ``radius``, a
///     ``cylinder`` and a ``capsule`` have ``radius`` and ``length`` along z, a ``mesh`` has ``file``, or ``vertices``
///     (V, 3) and ``faces`` (F, 3), triangles by the indices of their vertices, and perhaps ``scale`` (3 numbers).
///     ``p`` is its position [m] and ``q_xyzw`` its orientation, in the frame of the robot's root link; or in their
///     place ``pose`` is an array (4, 4) or (7,).
/// attached : list of dicts
///     Parts that the arm carries: such dicts with ``link``, the name of the link that carries it and in whose frame its pose is, and
///     perhaps ``may_touch``, names of links and obstacles that it may touch besides.
/// rest : dict of str to float, optional
///     Positions of joints that the arm does not move [rad or m]; those that are not named are as in ``Robot.link_poses``.
/// margin : float
///     The least distance that is kept [m].
/// missing_shapes : "refuse" or "ignore"
///     What to do where shapes of links could not be loaded: raise an error that names the links, or let them count by the shapes that
///     they have left. A link that has no shape in the URDF lacks none.
///
/// Raises
/// ------
/// Error
///     For an obstacle that is none, with its id, for links that lack shapes, and where no link has a collision shape.
#[pyclass(frozen, module = "urdfik")]
pub struct World(pub Arc<WorldData>);

impl Expected for Bound<'_, Arm> {
    const WORDS: &'static str = "an Arm";
}

impl Expected for Bound<'_, World> {
    const WORDS: &'static str = "a World";
}
