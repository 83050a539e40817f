//! MotionProgress and end of a motion to a goal.

use r2r::builtin_interfaces::msg::Time;

use super::collision_check::Obstruction;
use crate::reports::Report;
use urdf_ik_solver::Target;

/// The report of a target for the end of the motion to it.
pub(crate) struct ArrivalReport {
    pub target: Target,
    /// The report on arrival.
    pub report: Report,
}

/// Makes the reports for the arrival. This takes longer than the start of a motion, so it is deferred.
pub(crate) type ArrivalReports<'a> = &'a dyn Fn() -> Vec<ArrivalReport>;

/// The remaining motion to a goal.
pub(crate) enum MotionProgress {
    /// In bounded steps.
    Steps,
    /// Smooth, with the predicate of a sentence about the arrival.
    Smooth(String),
    /// None: the command has arrived, and the measured arm follows.
    Settling,
    /// None: an obstruction stopped it.
    Stopped(Obstruction),
}

/// ArrivalReport after `time` \[s\] at full speed, as the predicate of a sentence.
pub(crate) fn arrives(time: f64, speed_scale: f64) -> String {
    if speed_scale >= 1.0 {
        format!("arrives in {time:.3} s")
    } else if speed_scale > 0.0 {
        format!("arrives in {:.3} s at speed_scale {speed_scale}", time / speed_scale)
    } else {
        "waits until speed_scale is above 0".into()
    }
}

/// The start of a motion to a new goal.
pub(crate) struct StartedMotion {
    /// Stamp of the current joint state.
    pub stamp: Time,
    /// Its positions of the chain's variables.
    pub positions: Vec<f64>,
    /// The remaining motion; `None` at the goal.
    pub progress: Option<MotionProgress>,
    /// For a motion that continues this one.
    pub ticket: u64,
}
