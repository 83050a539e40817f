//! Skeletons: figures of segments, without a URDF.

use std::ffi::{CString, c_char, c_int};
use std::path::Path;
use std::ptr;

use nalgebra::Point3;
use urdf_ik::skeleton::file::{Model, ModelError, NamedArm, NamedSkeleton, NamedSolution};
use urdf_ik::skeleton::pitch_yaw::{PitchYawOptions, PitchYawProblem};
use urdf_ik::skeleton::{Root, SkeletonOptions, SkeletonProblem, SkeletonTarget};
use urdf_ik::spatial::rotation_from;

use crate::arm::name_of;
use crate::failure::{Failure, UrdfIkStatus, c_text, guarded, guarded_or};
use crate::plain_structs::{UrdfIkPose, check_reserved, isometry};
use crate::pointers::{entries, exclusive_entries, hand_out, reference, take_back, text};
use crate::skeleton_answer::{OwnedSkeletonAnswer, UrdfIkSkeletonAnswer};

/// The root stays where the seed has it.
pub const URDF_IK_ROOT_FIXED: i32 = 0;
/// The root moves with the rest, and may have a target.
pub const URDF_IK_ROOT_FREE: i32 = 1;
/// The root is moved to `root_pose`.
pub const URDF_IK_ROOT_AT: i32 = 2;

/// A figure of segments: a person, a hand, a rope. Immutable: threads can share it.
pub struct UrdfIkSkeleton {
    pub(crate) model: Model,
    point_names: Vec<CString>,
}

/// The target of a point. urdf_ik_skeleton_target() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkSkeletonTarget {
    /// Index of the point: 0 is the root, then the ends of the segments.
    pub point: usize,
    /// Target position [m].
    pub position: [f64; 3],
    /// Nonzero if the segment that ends at the point has a target orientation. Default: 0.
    pub has_orientation: c_int,
    /// Target orientation as a unit quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Weight relative to other targets, from 1e-6 to 1e6, if not all can be met. Default: 1.
    pub weight: f64,
    /// For fields of later versions: 0.
    pub reserved: [u64; 4],
}

/// A problem for a skeleton. urdf_ik_skeleton_problem() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkSkeletonProblem {
    /// Targets, at most one per point. A pitch-yaw arm has one, a position of its tip.
    pub targets: *const UrdfIkSkeletonTarget,
    /// Number of targets.
    pub target_count: usize,
    /// Start of the search: an answer of this skeleton. With the previous answer a dragged figure moves smoothly. NULL:
    /// the pose at rest.
    pub seed: *const UrdfIkSkeletonAnswer,
    /// One of URDF_IK_ROOT_…. Default: URDF_IK_ROOT_FIXED, the only one of pitch-yaw arms.
    pub root: i32,
    /// Pose of the root for URDF_IK_ROOT_AT.
    pub root_pose: UrdfIkPose,
    /// Position tolerance [m]. Default: 1e-6.
    pub tolerance: f64,
    /// Orientation tolerance [rad]. Default: 1e-6.
    pub orientation_tolerance: f64,
    /// For fields of later versions: 0.
    pub reserved: [u64; 8],
}

/// Reads a skeleton from the YAML file at `path` (UTF-8); docs/skeletons.md lists its keys. Fails with
/// URDF_IK_STATUS_SKELETON if it is invalid.
///
/// # Safety
/// `path` is a null-terminated string; `skeleton` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_from_file(
    path: *const c_char,
    skeleton: *mut *mut UrdfIkSkeleton,
) -> UrdfIkStatus {
    guarded(|| unsafe { made(Model::read(Path::new(text(path, "path")?)), skeleton) })
}

/// Reads a skeleton from the text of a YAML file. Otherwise as urdf_ik_skeleton_from_file().
///
/// # Safety
/// `yaml` is a null-terminated string; `skeleton` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_from_yaml(
    yaml: *const c_char,
    skeleton: *mut *mut UrdfIkSkeleton,
) -> UrdfIkStatus {
    guarded(|| unsafe { made(Model::from_yaml(text(yaml, "yaml")?), skeleton) })
}

/// # Safety
/// As [`hand_out`].
unsafe fn made(model: Result<Model, ModelError>, skeleton: *mut *mut UrdfIkSkeleton) -> Result<(), Failure> {
    let model = model.map_err(refused)?;
    let names = match &model {
        Model::Skeleton(skeleton) => &skeleton.points,
        Model::PitchYaw(arm) => &arm.points,
    };
    let point_names = names.iter().map(|name| c_text(name)).collect();
    unsafe { hand_out(skeleton, UrdfIkSkeleton { model, point_names }, "skeleton") }
}

fn refused(sentence: impl std::fmt::Display) -> Failure {
    Failure::new(UrdfIkStatus::Skeleton, sentence)
}

/// Frees a skeleton. Its answers remain valid.
///
/// # Safety
/// `skeleton` is NULL, or a skeleton that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_free(skeleton: *mut UrdfIkSkeleton) {
    guarded_or((), || unsafe { take_back(skeleton) });
}

/// Number of points m: the root, and the end of each segment. 0 if `skeleton` is NULL.
///
/// # Safety
/// `skeleton` is NULL or a skeleton.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_point_count(skeleton: *const UrdfIkSkeleton) -> usize {
    unsafe { skeleton.as_ref() }.map_or(0, |skeleton| skeleton.point_names.len())
}

/// Name of a point (UTF-8), valid as long as the skeleton; NULL if the index is out of range.
///
/// # Safety
/// `skeleton` is NULL or a skeleton.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_point_name(skeleton: *const UrdfIkSkeleton, point: usize) -> *const c_char {
    unsafe { skeleton.as_ref() }.map_or(ptr::null(), |skeleton| name_of(&skeleton.point_names, point))
}

/// Nonzero if a point is meant to have a target.
///
/// # Safety
/// `skeleton` is NULL or a skeleton.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_is_end(skeleton: *const UrdfIkSkeleton, point: usize) -> c_int {
    c_int::from(unsafe { skeleton.as_ref() }.is_some_and(|skeleton| match &skeleton.model {
        Model::Skeleton(skeleton) => skeleton.ends.contains(&point),
        Model::PitchYaw(arm) => point + 1 == arm.points.len(),
    }))
}

/// Writes the points at rest, m rows of x, y, z [m].
///
/// # Safety
/// `skeleton` is a skeleton; `points`, 3 m entries, are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_rest(skeleton: *const UrdfIkSkeleton, points: *mut f64) -> UrdfIkStatus {
    guarded(|| {
        let skeleton = unsafe { reference(skeleton, "skeleton") }?;
        let points = unsafe { exclusive_entries(points, 3 * skeleton.point_names.len(), "points") }?;
        let rest = match &skeleton.model {
            Model::Skeleton(skeleton) => skeleton.rest.clone(),
            Model::PitchYaw(NamedArm { arm, .. }) => arm.configuration(&vec![0.0; arm.variables()]),
        };
        for (row, point) in points.chunks_exact_mut(3).zip(&rest.points) {
            row.copy_from_slice(point.coords.as_slice());
        }
        Ok(())
    })
}

/// A target with default fields for the position of a point [m].
///
/// # Safety
/// `position` has 3 entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_target(point: usize, position: *const f64) -> UrdfIkSkeletonTarget {
    // NaN is refused by the solve.
    let position = unsafe { position.cast::<[f64; 3]>().as_ref() }.copied().unwrap_or([f64::NAN; 3]);
    let orientation = [0.0, 0.0, 0.0, 1.0];
    UrdfIkSkeletonTarget { point, position, has_orientation: 0, orientation, weight: 1.0, reserved: [0; 4] }
}

/// A problem with default fields, without targets.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_skeleton_problem() -> UrdfIkSkeletonProblem {
    let SkeletonOptions { tolerance, orientation_tolerance, .. } = SkeletonOptions::default();
    UrdfIkSkeletonProblem {
        root: URDF_IK_ROOT_FIXED,
        tolerance,
        orientation_tolerance,
        ..UrdfIkSkeletonProblem::default()
    }
}

/// Finds a pose in which points are at their targets. All lengths and limits hold in every answer. Fails with
/// URDF_IK_STATUS_PROBLEM if the problem is invalid; targets that cannot be met are no failure.
///
/// # Safety
/// `skeleton` is a skeleton; `problem` is a problem; `answer` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_solve(
    skeleton: *const UrdfIkSkeleton,
    problem: *const UrdfIkSkeletonProblem,
    answer: *mut *mut UrdfIkSkeletonAnswer,
) -> UrdfIkStatus {
    guarded(|| {
        let (skeleton, problem) = unsafe { (reference(skeleton, "skeleton")?, reference(problem, "problem")?) };
        check_reserved(&problem.reserved, "the problem", "urdf_ik_skeleton_problem")?;
        let targets = unsafe { problem.targets() }?;
        let seed = unsafe { problem.seed.cast::<OwnedSkeletonAnswer>().as_ref() };
        if seed.is_some_and(|seed| seed.points.len() != skeleton.point_names.len()) {
            return Err(Failure::problem("seed is the answer of another skeleton: give one of this skeleton, or NULL"));
        }
        let found = match &skeleton.model {
            Model::Skeleton(skeleton) => problem.solve(skeleton, &targets, seed),
            Model::PitchYaw(arm) => problem.solve_pitch_yaw(arm, &targets, seed),
        }?;
        unsafe { hand_out(answer.cast(), OwnedSkeletonAnswer::new(found), "answer") }
    })
}

impl UrdfIkSkeletonProblem {
    /// # Safety
    /// The pointers are NULL or valid.
    unsafe fn targets(&self) -> Result<Vec<SkeletonTarget>, Failure> {
        let given = unsafe { entries(self.targets, self.target_count, "targets of the problem") }?;
        let read = |given: &UrdfIkSkeletonTarget| {
            check_reserved(&given.reserved, "a target", "urdf_ik_skeleton_target")?;
            let orientation = (given.has_orientation != 0).then(|| rotation_from(given.orientation));
            let orientation = orientation.transpose().map_err(Failure::problem)?;
            let target = SkeletonTarget::new(given.point, Point3::from(given.position));
            Ok(SkeletonTarget { orientation, weight: given.weight, ..target })
        };
        given.iter().map(read).collect()
    }

    fn root(&self) -> Result<Root, Failure> {
        match self.root {
            URDF_IK_ROOT_FIXED => Ok(Root::Fixed),
            URDF_IK_ROOT_FREE => Ok(Root::Free),
            URDF_IK_ROOT_AT => Ok(Root::At(isometry(&self.root_pose).map_err(Failure::problem)?)),
            other => Err(Failure::problem(format!("root is {other}; it must be 0, 1 or 2"))),
        }
    }

    fn solve(
        &self,
        named: &NamedSkeleton,
        targets: &[SkeletonTarget],
        seed: Option<&OwnedSkeletonAnswer>,
    ) -> Result<NamedSolution, Failure> {
        let seed = match seed {
            Some(seed) => seed.configuration()?,
            None => named.rest.clone(),
        };
        let options = SkeletonOptions::default()
            .with_tolerance(self.tolerance)
            .with_orientation_tolerance(self.orientation_tolerance);
        let problem = SkeletonProblem { targets, root: self.root()?, seed: &seed, options };
        named.solve(&problem).map_err(Failure::problem)
    }

    fn solve_pitch_yaw(
        &self,
        named: &NamedArm,
        targets: &[SkeletonTarget],
        seed: Option<&OwnedSkeletonAnswer>,
    ) -> Result<NamedSolution, Failure> {
        if self.root()? != Root::Fixed {
            return Err(Failure::problem("the root of a pitch-yaw arm is fixed: leave the default"));
        }
        let tip = named.points.len() - 1;
        let [SkeletonTarget { point, position, orientation: None, .. }] = *targets else {
            return Err(Failure::problem(format!("a pitch-yaw arm has one target, a position of its point {tip}")));
        };
        if point != tip {
            return Err(Failure::problem(format!("a pitch-yaw arm has a target of its point {tip}, and of no other")));
        }
        let at_rest = vec![0.0; named.arm.variables()];
        let seed = seed.map_or(&at_rest, |seed| &seed.positions);
        let options = PitchYawOptions::default().with_tolerance(self.tolerance);
        named.solve(&PitchYawProblem { target: position, seed, options }).map_err(Failure::problem)
    }
}
