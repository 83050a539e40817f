//! The classes `urdfik.Arm` and `urdfik.World` and their data, which threads share: the chain, its solvers, the
//! scene, and a pool of workspaces. Their methods are in other modules.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nalgebra::Isometry3;
use pyo3::prelude::*;

use urdf_ik::collision::{Clearance, MissingShapes, Pairs, Scene, SrdfError};
use urdf_ik::robot::{Chain, ChainPoses};
use urdf_ik::solver::{NotApplicable, Scratch, Solution, Solver, SolverKind};

use crate::arguments::ArgumentType;
use crate::poses::tools;
use crate::refused;
use crate::robot::RobotData;

/// An arm: a chain of a robot, with its solvers.
pub struct ArmData {
    pub robot: Arc<RobotData>,
    pub chain: Arc<Chain>,
    /// The solver that applies to every chain.
    jacobian: Solver,
    fabrik: OnceLock<Result<Solver, NotApplicable>>,
    closed_form: OnceLock<Result<Solver, NotApplicable>>,
    /// The pairs of links that may collide, found on first use.
    pairs: OnceLock<Result<Pairs, SrdfError>>,
    /// The arm with the most recently requested tools.
    with_last_tools: Mutex<Option<Arc<Self>>>,
    /// Workspaces that no thread uses now.
    workers: Mutex<Vec<Workspace>>,
}

/// Working memory for the solves of one thread.
pub struct Workspace {
    pub scratch: Scratch,
    pub solution: Solution,
    pub poses: ChainPoses,
}

impl ArmData {
    /// The arm from the link `base` to the links `tips`, by default the root link and the only leaf link that moves.
    ///
    /// # Errors
    /// A `urdfik.Error` if a link is unknown, or the links do not form a chain.
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

    /// The arm with these tools: one pose per tip \[m\], in the tip link's frame.
    ///
    /// # Errors
    /// A `urdfik.Error` if the tools do not fit the chain.
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

    /// The arm with the tools in a Python argument, as for [`tools`].
    ///
    /// # Errors
    /// A `urdfik.Error` if the argument is invalid.
    pub fn with_tool(self: &Arc<Self>, tool: &Bound<'_, PyAny>) -> PyResult<Arc<Self>> {
        self.with_tools(&tools(tool, &self.chain)?)
    }

    /// True if both arms have the same URDF, base link and tip links. Such arms can share scenes. Their tools may
    /// differ.
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

    /// The solver of this kind, prepared on first use.
    ///
    /// # Errors
    /// A `urdfik.Error` if the solver does not apply to the chain.
    pub fn solver(&self, kind: SolverKind) -> PyResult<&Solver> {
        let kept = match kind {
            SolverKind::Jacobian => return Ok(&self.jacobian),
            SolverKind::Fabrik => &self.fabrik,
            SolverKind::ClosedForm => &self.closed_form,
            other => return Err(refused(format!("the solver '{other}' has no Python interface"))),
        };
        kept.get_or_init(|| self.jacobian.with_method(kind)).as_ref().map_err(refused)
    }

    /// The pairs of links that may collide, found on first use.
    ///
    /// # Errors
    /// A `urdfik.Error` if the shapes or the SRDF are invalid.
    pub fn pairs(&self) -> PyResult<&Pairs> {
        let RobotData { robot, srdf, .. } = &*self.robot;
        let shapes = self.robot.shapes()?;
        let find = || Pairs::of_chain(robot, &self.chain, shapes, srdf.as_ref());
        self.pairs.get_or_init(find).as_ref().map_err(refused)
    }

    /// Calls `work` with exclusive access to a workspace. Returns its result.
    pub fn work<T>(&self, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let kept = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept_worker = kept().pop();
        let mut worker = kept_worker.unwrap_or_else(|| Workspace {
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
/// Lengths are in metres, angles in radians, times in seconds. Poses are in the frame of the base link. A
/// pose is an array
///
/// - (4, 4): a homogeneous matrix,
/// - (7,): x y z qx qy qz qw, the quaternion with its scalar last (MuJoCo's have it first),
/// - (3,): a position alone, with any orientation,
///
/// with a leading axis of tips, (tips, 4, 4), if the arm has several; or a dict from tip to pose, which leaves other
/// tips free. Joint positions ``q`` are an array (n,) in the order of ``joint_names``, or a dict by joint name.
///
/// An arm is immutable, can be shared between threads, and can be pickled.
///
/// Parameters
/// ----------
/// robot : str, path or Robot
///     The path or the text of a URDF, or a robot.
/// tip : str, or list of str, optional
///     The tip link or links. By default the robot's only leaf link that moves: no frame on its foot.
/// base : str, optional
///     The base link, which need not be an ancestor of a tip. Default: the root link.
/// tool : array, or dict by tip, optional
///     The pose of the tool in the frame of the tip link. All methods then refer to the tool as the tip.
/// package_dirs, srdf, soft_limits
///     As in Robot.
///
/// Raises
/// ------
/// Error
///     If the URDF is invalid, or no chain connects the links.
#[pyclass(frozen, module = "urdfik", name = "Arm")]
pub struct PyArm(pub Arc<ArmData>);

/// An arm with its surroundings, prepared for collision checks.
pub struct WorldData {
    pub arm: Arc<ArmData>,
    pub world: urdf_ik::collision::World,
    /// One position per joint of the robot \[rad or m\]; only those of joints outside the arm are used.
    pub rest: Vec<f64>,
    pub scene: Scene,
    pub options: WorldOptions,
}

/// Options of collision checks.
#[derive(Clone, Copy)]
pub struct WorldOptions {
    /// The smallest allowed distance \[m\].
    pub margin: f64,
    /// The policy for shapes that could not be loaded.
    pub missing_shapes: MissingShapes,
}

impl WorldData {
    /// The scene and the margin \[m\].
    pub fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.options.margin }
    }
}

/// The surroundings of an arm for collision avoidance: its own links, obstacles and attached parts. Argument
/// ``avoid`` of the solving methods.
///
/// The collision shapes of the links are read for the first world of an arm, and are used exactly, meshes as
/// triangles. A world is immutable and can be shared between threads; ``moved`` returns a modified copy. It can be
/// pickled, and used with every arm that has the same URDF, base and tips.
///
/// Parameters
/// ----------
/// arm : Arm
///     The arm.
/// obstacles : list of dicts
///     Each has ``id``, ``type`` and the sizes of its type [m]: a ``box`` has ``size`` (3 numbers), a ``sphere`` has
///     ``radius``, a ``cylinder`` and a ``capsule`` have ``radius`` and ``length`` along z, a ``mesh`` has ``file``,
///     or ``vertices`` (V, 3) and ``faces`` (F, 3), triangles by the indices of their vertices, and optionally
///     ``scale`` (3 numbers). ``p`` is its position [m] and ``q_xyzw`` its orientation, in the frame of the robot's
///     root link; or instead of both, ``pose`` is an array (4, 4) or (7,).
/// attached : list of dicts
///     Parts that the arm carries: the same dicts with ``link``, the carrying link and reference frame of the pose, and
///     optionally ``may_touch``, names of links and obstacles that the part may also touch.
/// rest : dict of str to float, optional
///     Positions of joints outside the arm [rad or m]; defaults as in ``Robot.link_poses``.
/// margin : float
///     The required clearance [m].
/// missing_shapes : "refuse" or "ignore"
///     If shapes of links could not be loaded: raise an error that names the links, or use their other shapes. A link
///     without shapes in the URDF is not an error.
///
/// Raises
/// ------
/// Error
///     If an obstacle is invalid (named by its id), links lack shapes, or no link has a collision shape.
#[pyclass(frozen, module = "urdfik", name = "World")]
pub struct PyWorld(pub Arc<WorldData>);

impl ArgumentType for Bound<'_, PyArm> {
    const WORDS: &'static str = "an Arm";
}

impl ArgumentType for Bound<'_, PyWorld> {
    const WORDS: &'static str = "a World";
}
