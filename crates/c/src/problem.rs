//! Problems as C has them, and as the library has them.

use std::ffi::{c_int, c_void};
use std::time::Duration;

use nalgebra::{Isometry3, Translation3};
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Acceptance, Bounds, Cost, Mode, Pick, Preference, Problem, Target, Tolerance, Unreached};
use urdf_ik::spatial::{NotARotation, rotation_from};

use crate::failure::Failure;
use crate::pointers::entries;

/// A position [m], and an orientation as a unit quaternion x, y, z, w.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrdfIkPose {
    /// x, y, z [m].
    pub position: [f64; 3],
    /// x, y, z, w: the scalar is last.
    pub orientation: [f64; 4],
}

/// The desired pose of a tip link. urdf_ik_target() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkTarget {
    /// Index of the tip link.
    pub tip: usize,
    /// Its pose in the frame of the base link.
    pub pose: UrdfIkPose,
    /// Which axes of the tip's frame need not match, not 0 for those: shifts along x, y, z, then turns about x, y, z. Default: none.
    pub free_axes: [u8; 6],
    /// Largest position error with which it counts as met [m]. Default: 1e-5.
    pub position_tolerance: f64,
    /// Largest orientation error with which it counts as met [rad]. Default: 1e-5.
    pub orientation_tolerance: f64,
    /// Weight of its squared error against that of other targets, where not all can be met. Default: 1.
    pub weight: f64,
}

/// The first solution that is found.
pub const URDF_IK_PICK_FIRST: i32 = 0;
/// Of all solutions that are found, the one whose largest joint move from the seed is smallest.
pub const URDF_IK_PICK_NEAREST: i32 = 1;
/// Of all solutions that are found, the one with the greatest manipulability.
pub const URDF_IK_PICK_MOST_MANIPULABLE: i32 = 2;

/// The best joint positions of the attempts, as they are: the fastest.
pub const URDF_IK_CLOSEST_NONE: u8 = 0;
/// The closest joint positions, and the reason.
pub const URDF_IK_CLOSEST_POSE: u8 = 1;
/// The positions of the targets exactly and their orientations as closely as possible (URDF_IK_OUTCOME_POSITION_ONLY), for arms of fewer than
/// six joints. Where a position is not reachable: as URDF_IK_CLOSEST_POSE.
pub const URDF_IK_CLOSEST_POSITION: u8 = 2;

/// A problem for an arm of n joints. urdf_ik_problem() sets all fields to their defaults: set the targets then, and what else is to differ.
/// Fields that a later version adds have no effect by default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkProblem {
    /// Targets, one at most for each tip. Tips without one are free.
    pub targets: *const UrdfIkTarget,
    /// Number of targets.
    pub target_count: usize,
    /// Joint positions from which the search starts, n entries [rad or m]. NULL: the middle of the joint ranges.
    pub seed: *const f64,
    /// Largest move of each joint from the seed, n entries [rad or m]. NULL: a search. Else the seed's branch of solutions is followed, in one
    /// attempt, and what is said of searches does not count.
    pub max_step: *const f64,
    /// Least positions of the joints in this problem, n entries [rad or m], -INFINITY for none: bounds beside the joint limits. Equal bounds lock
    /// a joint. They are of positions as they stand: a whole turn away is another position. NULL: no bounds.
    pub lower: *const f64,
    /// Greatest positions of the joints in this problem, n entries [rad or m], INFINITY for none. NULL where `lower` is.
    pub upper: *const f64,
    /// Searches: which of several solutions, one of URDF_IK_PICK_….
    pub pick: i32,
    /// Searches: largest number of starting points, with the seed. Default: 100.
    pub attempts: usize,
    /// Searches: selects the starting points after those near the seed.
    pub random_seed: u64,
    /// Searches: time after which it ends [s]; 0 or INFINITY: none. It is a guard: the attempts are the budget.
    pub timeout: f64,
    /// The answer to unmet targets, one of URDF_IK_CLOSEST_…. Default: URDF_IK_CLOSEST_POSE.
    pub closest: u8,
    /// Joint positions that a redundant arm prefers, n entries [rad or m]. NULL: none.
    pub posture: *const f64,
    /// How much it prefers them. Default: 1.
    pub posture_weight: f64,
    /// How much it prefers the middle of the joint ranges.
    pub limits_weight: f64,
    /// How much it prefers manipulability.
    pub manipulability_weight: f64,
    /// How much less a redundant arm moves each joint from the seed than others, n entries, 0 or more [1/rad^2 or 1/m^2]. It acts on
    /// self-motions; the pick does not know it. NULL: no weights.
    pub move_weights: *const f64,
    /// Asked of all joint positions that meet the targets; where it refuses, the search goes on to others, with a timeout until that. NULL: none
    /// are refused. Batches ask from several threads at once.
    pub accepts: UrdfIkAccepts,
    /// Searches: what joint positions that meet the targets cost. Of all attempts, those of the least cost are the answer, whatever is picked or
    /// preferred. NULL: no cost. Batches ask from several threads at once.
    pub cost: UrdfIkCost,
    /// What `accepts` and `cost` are called with.
    pub context: *mut c_void,
    /// urdf_ik_solve_all(): if not 0, also calls with the joint positions that differ from a solution by full revolutions of joints within
    /// their limits: the nearest to the seed first, so many at most, and no more than 10000. Default: 0.
    pub max_turns: usize,
}

impl From<&Isometry3<f64>> for UrdfIkPose {
    fn from(pose: &Isometry3<f64>) -> Self {
        Self { position: pose.translation.vector.into(), orientation: pose.rotation.coords.into() }
    }
}

/// A target with default fields for the pose of a tip link in the frame of the base link.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_target(tip: usize, pose: UrdfIkPose) -> UrdfIkTarget {
    let Tolerance { position, orientation } = Tolerance::default();
    UrdfIkTarget {
        tip,
        pose,
        free_axes: [0; 6],
        position_tolerance: position,
        orientation_tolerance: orientation,
        weight: 1.0,
    }
}

/// A problem with default fields: a search for the first solution from the middle of the joint ranges, without targets.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_problem() -> UrdfIkProblem {
    UrdfIkProblem {
        targets: std::ptr::null(),
        target_count: 0,
        seed: std::ptr::null(),
        max_step: std::ptr::null(),
        lower: std::ptr::null(),
        upper: std::ptr::null(),
        pick: URDF_IK_PICK_FIRST,
        attempts: 100,
        random_seed: 0,
        timeout: 0.0,
        closest: URDF_IK_CLOSEST_POSE,
        posture: std::ptr::null(),
        posture_weight: 1.0,
        limits_weight: 0.0,
        manipulability_weight: 0.0,
        move_weights: std::ptr::null(),
        accepts: None,
        cost: None,
        context: std::ptr::null_mut(),
        max_turns: 0,
    }
}

/// The pose in the terms of the library.
pub(crate) fn isometry(pose: &UrdfIkPose) -> Result<Isometry3<f64>, NotARotation> {
    Ok(Isometry3::from_parts(Translation3::from(pose.position), rotation_from(pose.orientation)?))
}

impl UrdfIkTarget {
    fn target(&self) -> Result<Target, Failure> {
        Ok(Target {
            tip: self.tip,
            pose: isometry(&self.pose).map_err(Failure::problem)?,
            free_axes: self.free_axes.map(|free| free != 0),
            tolerance: Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance },
            weight: self.weight,
        })
    }
}

impl UrdfIkProblem {
    /// Adds its targets in the terms of the library.
    ///
    /// # Safety
    /// Its pointers are NULL, or point to what they should.
    pub(crate) unsafe fn push_targets(&self, targets: &mut Vec<Target>) -> Result<(), Failure> {
        for target in unsafe { entries(self.targets, self.target_count, "targets of the problem") }? {
            targets.push(target.target()?);
        }
        Ok(())
    }

    /// What it asks its caller.
    ///
    /// # Safety
    /// Its functions may be called with its context, as long as the callbacks live.
    pub(crate) unsafe fn callbacks(
        &self,
    ) -> Callbacks<impl Fn(&[f64]) -> bool + Sync + use<>, impl Fn(&[f64]) -> f64 + Sync + use<>> {
        unsafe { callbacks(self.accepts, self.cost, self.context) }
    }

    /// The problem in the terms of the library. `nominal` is the seed where it has none.
    ///
    /// # Safety
    /// Its pointers are NULL, or point to what they should, for `'a`.
    pub(crate) unsafe fn problem<'a>(
        &self,
        chain: &Chain,
        targets: &'a [Target],
        nominal: &'a [f64],
        callbacks: &'a Callbacks<impl Fn(&[f64]) -> bool + Sync, impl Fn(&[f64]) -> f64 + Sync>,
    ) -> Result<Problem<'a>, Failure> {
        let positions = |pointer: *const f64| {
            let length = chain.variables().len();
            (!pointer.is_null()).then(|| unsafe { entries(pointer, length, "positions") }).transpose()
        };
        let mode = match positions(self.max_step)? {
            Some(max_step) => Mode::Track { max_step },
            None => Mode::Search { pick: self.pick()?, attempts: self.attempts, random_seed: self.random_seed },
        };
        let preference = Preference {
            posture: positions(self.posture)?,
            posture_weight: self.posture_weight,
            limits_weight: self.limits_weight,
            manipulability_weight: self.manipulability_weight,
            move_weights: positions(self.move_weights)?,
            ..Preference::default()
        };
        let bounds = match (positions(self.lower)?, positions(self.upper)?) {
            (Some(lower), Some(upper)) => Some(Bounds { lower, upper }),
            (None, None) => None,
            _ => return Err(Failure::argument("one of lower and upper is NULL; bounds need both")),
        };
        Ok(Problem {
            mode,
            bounds,
            preference,
            accepts: callbacks.accepts(),
            cost: callbacks.cost(),
            deadline: self.deadline()?,
            unreached: self.unreached()?,
            ..Problem::new(targets, positions(self.seed)?.unwrap_or(nominal))
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
        // A time that no Duration can hold is none as well.
        let bounded = (timeout != 0.0).then(|| Duration::try_from_secs_f64(timeout).ok());
        Ok(bounded.flatten())
    }
}

/// Whether joint positions (n entries [rad or m]) will do: not 0 for yes. It is called with the `context` of the problem. It must not throw, nor
/// use the workspace.
pub type UrdfIkAccepts = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> c_int>;

/// What joint positions (n entries [rad or m]) cost; INFINITY or NAN refuses them. It is called with the `context` of the problem. It must not
/// throw, nor use the workspace.
pub type UrdfIkCost = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> f64>;

/// The callbacks of a problem as the library calls them.
pub(crate) struct Callbacks<A, C> {
    accepts: Option<A>,
    cost: Option<C>,
}

/// A function of the caller's with its context. In batches several threads call it at once, which is the caller's to allow.
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

/// # Safety
/// The functions may be called with the context, as long as the callbacks live.
unsafe fn callbacks(
    accepts: UrdfIkAccepts,
    cost: UrdfIkCost,
    context: *mut c_void,
) -> Callbacks<impl Fn(&[f64]) -> bool + Sync, impl Fn(&[f64]) -> f64 + Sync> {
    Callbacks {
        accepts: accepts.map(|function| {
            let callback = Callback { function, context };
            move |positions: &[f64]| callback.about(positions) != 0
        }),
        cost: cost.map(|function| {
            let callback = Callback { function, context };
            move |positions: &[f64]| callback.about(positions)
        }),
    }
}

impl<A: Fn(&[f64]) -> bool + Sync, C: Fn(&[f64]) -> f64 + Sync> Callbacks<A, C> {
    pub fn accepts(&self) -> Option<Acceptance<'_>> {
        self.accepts.as_ref().map(|accepts| accepts as _)
    }

    pub fn cost(&self) -> Option<Cost<'_>> {
        self.cost.as_ref().map(|cost| cost as _)
    }
}
