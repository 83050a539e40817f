//! Answers of skeletons.

use std::ffi::{CString, c_char, c_int};

use nalgebra::Point3;
use urdf_ik::skeleton::file::NamedSolution;
use urdf_ik::skeleton::{Outcome, Residual, SkeletonConfiguration};
use urdf_ik::spatial::rotation_from;

use crate::failure::{Failure, c_text, guarded_or};
use crate::pointers::take_back;

/// A pose of a skeleton with m points, within all lengths and limits. Owned by the library; later versions may append
/// fields.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkSkeletonAnswer {
    /// Nonzero if every target is met.
    pub is_solved: c_int,
    /// Number of points, m.
    pub point_count: usize,
    /// m rows of x, y, z [m].
    pub points: *const f64,
    /// m rows of quaternions x, y, z, w: of the root, then of each segment, whose x axis points along it.
    pub orientations: *const f64,
    /// Number of joints; 0 if a joint has more than one angle.
    pub joint_count: usize,
    /// Names of the joints (UTF-8): of the segments, or NAME_pitch and NAME_yaw of a pitch-yaw arm.
    pub joint_names: *const *const c_char,
    /// Positions of the joints [rad].
    pub positions: *const f64,
    /// Number of targets.
    pub target_count: usize,
    /// Remaining distance of each target [m].
    pub distances: *const f64,
    /// Remaining angle of each target [rad].
    pub angles: *const f64,
    /// The outcome of each target as a sentence (UTF-8).
    pub reasons: *const *const c_char,
    /// Number of iterations in all attempts.
    pub iterations: usize,
    /// Number of restarts after the attempt from the seed.
    pub restarts: usize,
}

/// Texts with the array of their addresses.
struct TextList {
    addresses: Vec<*const c_char>,
    /// Owns the texts.
    _texts: Vec<CString>,
}

impl FromIterator<String> for TextList {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Self {
        let texts: Vec<CString> = texts.into_iter().map(|text| c_text(&text)).collect();
        Self { addresses: texts.iter().map(|text| text.as_ptr()).collect(), _texts: texts }
    }
}

/// An answer with its memory.
#[repr(C)]
pub(crate) struct OwnedSkeletonAnswer {
    public: UrdfIkSkeletonAnswer,
    pub points: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    pub positions: Vec<f64>,
    joint_names: TextList,
    errors: [Vec<f64>; 2],
    reasons: TextList,
}

impl OwnedSkeletonAnswer {
    /// Converts the solution of a problem.
    pub fn new(found: NamedSolution) -> Self {
        let NamedSolution { configuration, positions, residuals, iterations, restarts } = found;
        let points: Vec<[f64; 3]> = configuration.points.iter().map(|point| point.coords.into()).collect();
        let orientations: Vec<[f64; 4]> = configuration.orientations.iter().map(|turn| turn.coords.into()).collect();
        let (names, positions): (Vec<String>, Vec<f64>) = positions.unwrap_or_default().into_iter().unzip();
        let joint_names: TextList = names.into_iter().collect();
        let reasons: TextList = residuals.iter().map(|residual| residual.outcome.to_string()).collect();
        let errors = [|residual: &Residual| residual.distance, |residual: &Residual| residual.angle]
            .map(|error| residuals.iter().map(error).collect::<Vec<f64>>());
        let public = UrdfIkSkeletonAnswer {
            is_solved: c_int::from(residuals.iter().all(|residual| residual.outcome == Outcome::Solved)),
            point_count: points.len(),
            points: points.as_ptr().cast(),
            orientations: orientations.as_ptr().cast(),
            joint_count: positions.len(),
            joint_names: joint_names.addresses.as_ptr(),
            positions: positions.as_ptr(),
            target_count: residuals.len(),
            distances: errors[0].as_ptr(),
            angles: errors[1].as_ptr(),
            reasons: reasons.addresses.as_ptr(),
            iterations,
            restarts,
        };
        Self { public, points, orientations, positions, joint_names, errors, reasons }
    }

    /// The configuration of the answer.
    pub fn configuration(&self) -> Result<SkeletonConfiguration, Failure> {
        let orientations = self.orientations.iter().map(|turn| rotation_from(*turn)).collect::<Result<_, _>>();
        let points = self.points.iter().copied().map(Point3::from).collect();
        Ok(SkeletonConfiguration { points, orientations: orientations.map_err(Failure::problem)? })
    }
}

/// Frees an answer of a skeleton.
///
/// # Safety
/// `answer` is NULL, or an answer that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_skeleton_answer_free(answer: *mut UrdfIkSkeletonAnswer) {
    guarded_or((), || unsafe { take_back(answer.cast::<OwnedSkeletonAnswer>()) });
}
