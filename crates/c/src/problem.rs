//! Problems as C has them, and as the library has them.
//!
//! Problems are plain structs that a function initialises. Their size is constant: new fields take `reserved` words,
//! whose value 0 is the default, so that programs built with an older header work. A handle owns all it needs, so
//! handles may be freed in any order.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use urdf_ik::robot::Chain;
use urdf_ik::solver::{Acceptance, Bounds, Cost, Mode, Pick, Preference, Problem, Target, Tolerance, Unreached};

use crate::failure::Failure;
use crate::plain_structs::{UrdfIkPose, check_reserved, isometry};
use crate::pointers::{entries, optional_text};
use crate::world::{UrdfIkWorld, WorldData};

/// The desired pose of a tip link. urdf_ik_target() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkTarget {
    /// Index of the tip link.
    pub tip: usize,
    /// Desired pose in the frame of the base link.
    pub pose: UrdfIkPose,
    /// Free axes of the tip frame, nonzero for unconstrained ones: translations along x, y, z, then rotations about
    /// x, y, z. Default: none.
    pub free_axes: [u8; 6],
    /// Position tolerance [m]. Default: 1e-5.
    pub position_tolerance: f64,
    /// Orientation tolerance [rad]. Default: 1e-5.
    pub orientation_tolerance: f64,
    /// Weight of the squared error relative to other targets, if not all can be met. Default: 1.
    pub weight: f64,
    /// For fields of later versions: 0.
    pub reserved: [u64; 4],
}

/// The first solution found.
pub const URDF_IK_PICK_FIRST: i32 = 0;
/// Among all solutions found, the one whose largest joint move from the seed is smallest.
pub const URDF_IK_PICK_NEAREST: i32 = 1;
/// Among all solutions found, the one with the greatest manipulability.
pub const URDF_IK_PICK_MOST_MANIPULABLE: i32 = 2;

/// The best joint positions of the attempts, without refinement: the fastest.
pub const URDF_IK_CLOSEST_NONE: u8 = 0;
/// The closest joint positions, and the reason.
pub const URDF_IK_CLOSEST_POSE: u8 = 1;
/// Exact positions of the targets with the closest orientations (URDF_IK_OUTCOME_POSITION_ONLY), for arms of fewer than
/// six joints. If a position is unreachable: as URDF_IK_CLOSEST_POSE.
pub const URDF_IK_CLOSEST_POSITION: u8 = 2;

/// A problem for an arm of n joints. urdf_ik_problem() sets all fields to their defaults; then set the targets and
/// other fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkProblem {
    /// Targets, at most one per tip. Tips without a target are free. At least one target or goal is needed.
    pub targets: *const UrdfIkTarget,
    /// Number of targets.
    pub target_count: usize,
    /// Goals besides the targets: the text of a JSON array of objects (UTF-8), whose fields docs/goals.md lists. Links
    /// off the chain are at the `rest` positions of the world, or at the neutral ones. A workspace reads a text again
    /// only if it differs from that of its previous problem, or the world does. NULL: none.
    pub goals: *const c_char,
    /// Start of the search, n entries [rad or m]. NULL: the middle of the joint ranges.
    pub seed: *const f64,
    /// Largest move of each joint from the seed, n entries [rad or m]. NULL: a search. Otherwise one attempt tracks
    /// the branch of the seed, and fields for searches are ignored.
    pub max_step: *const f64,
    /// Lower bounds in addition to the joint limits, n entries [rad or m], -INFINITY for none. Equal bounds lock a
    /// joint. Positions are not wrapped: a full revolution away is another position. NULL: no bounds.
    pub lower: *const f64,
    /// Upper bounds, n entries [rad or m], INFINITY for none. NULL if `lower` is.
    pub upper: *const f64,
    /// Searches: the choice among several solutions, one of URDF_IK_PICK_….
    pub pick: i32,
    /// Searches: maximum number of starting points, including the seed, without refused solutions, of which there may
    /// be 15 times as many. Default: 100.
    pub attempts: usize,
    /// Searches: seed of the random starting points. Default: 0.
    pub random_seed: u64,
    /// Searches: time limit [s], as a guard (`attempts` is the budget); 0 or INFINITY: none. Default: 0.
    pub timeout: f64,
    /// The answer to unmet targets, one of URDF_IK_CLOSEST_…. Default: URDF_IK_CLOSEST_POSE.
    pub closest: u8,
    /// Null-space task: preferred joint positions, n entries [rad or m]. NULL: none.
    pub posture: *const f64,
    /// Weight of the posture task. Default: 1.
    pub posture_weight: f64,
    /// Weight of the null-space task for the middle of the joint ranges. Default: 0.
    pub limits_weight: f64,
    /// Weight of the null-space task for manipulability. Default: 0.
    pub manipulability_weight: f64,
    /// Costs of joint moves from the seed, n entries, 0 or more [1/rad^2 or 1/m^2]. They act on self-motions of a
    /// redundant arm, not on `pick`. NULL: no costs.
    pub move_weights: *const f64,
    /// Called for joint positions that meet the targets; 0 refuses them, and the search continues. NULL: all are
    /// accepted. Batches call it from several threads at once.
    pub accepts: UrdfIkAccepts,
    /// Searches: cost of joint positions that meet the targets. The answer is the solution of least cost among
    /// all attempts, whatever `pick` and the null-space tasks say. NULL: no cost. Batches call it from several
    /// threads at once.
    pub cost: UrdfIkCost,
    /// First argument of `accepts` and `cost`.
    pub context: *mut c_void,
    /// urdf_ik_solve_all(): if not 0, also reports joint positions that differ from a solution by full revolutions of
    /// joints within their limits: at most this many (10000 or fewer), the nearest to the seed first. Default: 0.
    pub max_turns: usize,
    /// The world to avoid, of this arm or of the same arm with other tools. NULL: collisions are ignored.
    pub avoid: *const UrdfIkWorld,
    /// For fields of later versions: 0.
    pub reserved: [u64; 8],
}

/// A target with default fields for the pose of a tip link in the frame of the base link.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_target(tip: usize, pose: UrdfIkPose) -> UrdfIkTarget {
    let Tolerance { position, orientation } = Tolerance::default();
    UrdfIkTarget {
        tip,
        pose,
        position_tolerance: position,
        orientation_tolerance: orientation,
        weight: 1.0,
        ..UrdfIkTarget::default()
    }
}

/// A problem with default fields: a search for the first solution from the middle of the joint ranges, without targets.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_problem() -> UrdfIkProblem {
    UrdfIkProblem {
        pick: URDF_IK_PICK_FIRST,
        attempts: 100,
        closest: URDF_IK_CLOSEST_POSE,
        posture_weight: 1.0,
        ..UrdfIkProblem::default()
    }
}

/// The entries of all joints at `pointer`; `None` if it is NULL.
///
/// # Safety
/// The pointer is NULL, or valid for `'a`.
pub(crate) unsafe fn optional_positions<'a>(pointer: *const f64, chain: &Chain) -> Result<Option<&'a [f64]>, Failure> {
    let length = chain.variables().len();
    (!pointer.is_null()).then(|| unsafe { entries(pointer, length, "positions") }).transpose()
}

impl UrdfIkTarget {
    fn target(&self) -> Result<Target, Failure> {
        check_reserved(&self.reserved, "a target", "urdf_ik_target")?;
        let tolerance = Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance };
        Ok(Target::new(self.tip, isometry(&self.pose).map_err(Failure::problem)?)
            .with_free_axes(self.free_axes.map(|free| free != 0))
            .with_tolerance(tolerance)
            .with_weight(self.weight))
    }
}

impl UrdfIkProblem {
    /// Appends the targets, converted to the type of the library.
    ///
    /// # Safety
    /// The pointers are NULL or valid.
    pub(crate) unsafe fn push_targets(&self, targets: &mut Vec<Target>) -> Result<(), Failure> {
        for target in unsafe { entries(self.targets, self.target_count, "targets of the problem") }? {
            targets.push(target.target()?);
        }
        Ok(())
    }

    /// The text of the goals, if any.
    ///
    /// # Safety
    /// The pointer is NULL, or points to a text that lives for `'a`.
    pub(crate) unsafe fn goals<'a>(&self) -> Result<Option<&'a str>, Failure> {
        unsafe { optional_text(self.goals, "goals of the problem") }
    }

    /// The world to avoid.
    ///
    /// # Safety
    /// The pointer is NULL, or points to a world that lives for `'a`.
    pub(crate) unsafe fn world<'a>(&self) -> Option<&'a Arc<WorldData>> {
        unsafe { self.avoid.as_ref() }.map(|world| &world.0)
    }

    /// The callbacks of the problem.
    ///
    /// # Safety
    /// Its functions may be called with its context, as long as the callbacks live.
    pub(crate) unsafe fn callbacks(
        &self,
    ) -> Callbacks<impl Fn(&[f64]) -> bool + Sync + use<>, impl Fn(&[f64]) -> f64 + Sync + use<>> {
        let context = self.context;
        Callbacks {
            accepts: self.accepts.map(|function| {
                let callback = Callback { function, context };
                move |positions: &[f64]| callback.about(positions) != 0
            }),
            cost: self.cost.map(|function| {
                let callback = Callback { function, context };
                move |positions: &[f64]| callback.about(positions)
            }),
        }
    }

    /// Converts to the type of the library, with `nominal` as the default seed.
    ///
    /// # Safety
    /// The pointers are NULL, or valid for `'a`.
    pub(crate) unsafe fn problem<'a>(
        &self,
        chain: &Chain,
        targets: &'a [Target],
        nominal: &'a [f64],
        callbacks: &'a Callbacks<impl Fn(&[f64]) -> bool + Sync, impl Fn(&[f64]) -> f64 + Sync>,
    ) -> Result<Problem<'a>, Failure> {
        check_reserved(&self.reserved, "the problem", "urdf_ik_problem")?;
        let positions = |pointer: *const f64| unsafe { optional_positions(pointer, chain) };
        let mode = match positions(self.max_step)? {
            Some(max_step) => Mode::Track { max_step },
            None => Mode::Search { pick: self.pick()?, attempts: self.attempts, random_seed: self.random_seed },
        };
        let bounds = match (positions(self.lower)?, positions(self.upper)?) {
            (Some(lower), Some(upper)) => Some(Bounds { lower, upper }),
            (None, None) => None,
            _ => return Err(Failure::argument("one of lower and upper is NULL; bounds need both")),
        };
        Ok(Problem::new(targets, positions(self.seed)?.unwrap_or(nominal))
            .with_mode(mode)
            .with_bounds(bounds)
            .with_preference(unsafe { self.preference(chain) }?)
            .with_accepts(callbacks.accepts.as_ref().map(|accepts| accepts as Acceptance))
            .with_cost(callbacks.cost.as_ref().map(|cost| cost as Cost))
            .with_deadline(self.deadline()?)
            .with_unreached(self.unreached()?))
    }

    /// The null-space tasks.
    ///
    /// # Safety
    /// The pointers are NULL, or valid for `'a`.
    pub(crate) unsafe fn preference<'a>(&self, chain: &Chain) -> Result<Preference<'a>, Failure> {
        Ok(Preference {
            posture: unsafe { optional_positions(self.posture, chain) }?,
            posture_weight: self.posture_weight,
            limits_weight: self.limits_weight,
            manipulability_weight: self.manipulability_weight,
            move_weights: unsafe { optional_positions(self.move_weights, chain) }?,
            ..Preference::default()
        })
    }

    fn pick(&self) -> Result<Pick, Failure> {
        let pick = usize::try_from(self.pick).ok().and_then(|pick| Pick::ALL.get(pick));
        pick.copied().ok_or_else(|| Failure::problem(format!("pick is {}; it must be 0, 1 or 2", self.pick)))
    }

    fn unreached(&self) -> Result<Unreached, Failure> {
        let unreached = Unreached::ALL.get(usize::from(self.closest));
        unreached.copied().ok_or_else(|| Failure::problem(format!("closest is {}; it must be 0, 1 or 2", self.closest)))
    }

    fn deadline(&self) -> Result<Option<Duration>, Failure> {
        let timeout = self.timeout;
        if timeout.is_nan() || timeout < 0.0 {
            return Err(Failure::problem(format!("timeout is {timeout} s; it must be a number, 0 or more")));
        }
        // A time beyond the range of Duration means no deadline as well.
        let bounded = (timeout != 0.0).then(|| Duration::try_from_secs_f64(timeout).ok());
        Ok(bounded.flatten())
    }
}

/// Returns nonzero to accept joint positions (n entries [rad or m]). `context` is that of the problem. Must not throw
/// or use the workspace.
pub type UrdfIkAccepts = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> c_int>;

/// Returns the cost of joint positions (n entries [rad or m]); INFINITY or NAN refuses them. `context` is that of the
/// problem. Must not throw or use the workspace.
pub type UrdfIkCost = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> f64>;

/// The callbacks of a problem, as closures for the library.
pub(crate) struct Callbacks<A, C> {
    accepts: Option<A>,
    cost: Option<C>,
}

/// A function of the caller with its context. Batches call it from several threads at once, as
/// documented to the caller.
#[derive(Clone, Copy)]
struct Callback<T> {
    function: unsafe extern "C" fn(*mut c_void, *const f64) -> T,
    context: *mut c_void,
}

unsafe impl<T> Sync for Callback<T> {}

impl<T> Callback<T> {
    fn about(&self, positions: &[f64]) -> T {
        unsafe { (self.function)(self.context, positions.as_ptr()) }
    }
}
