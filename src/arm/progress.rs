//! What there is to say of a motion to a goal: how it goes on, and how it ends.

use r2r::builtin_interfaces::msg::Time;

use super::collision_check::Obstruction;
use crate::reports::Report;
use urdf_ik_solver::Target;

/// What to publish of a target when the motion to it has ended.
pub(crate) struct Arrival {
    pub target: Target,
    /// The report for when it has arrived.
    pub report: Report,
}

/// Makes the reports for the arrival. This takes longer than to start a motion, so it is done only where they are needed.
pub(crate) type Arrivals<'a> = &'a dyn Fn() -> Vec<Arrival>;

/// The motion to a goal that is not reached.
pub(crate) enum Progress {
    /// In bounded steps.
    Steps,
    /// Smooth, with the predicate of a sentence about the arrival.
    Smooth(String),
    /// None: the command is there, and the measured arm follows.
    Settling,
    /// None: something is in the way.
    Stopped(Obstruction),
}

/// When an arm arrives that takes `time` \[s\] at full speed, as the predicate of a sentence.
pub(crate) fn arrives(time: f64, speed_scale: f64) -> String {
    if speed_scale >= 1.0 {
        format!("arrives in {time:.3} s")
    } else if speed_scale > 0.0 {
        format!("arrives in {:.3} s at speed_scale {speed_scale}", time / speed_scale)
    } else {
        "waits until speed_scale is above 0".into()
    }
}

/// A command that becomes the measured configuration.
pub(super) struct Synchronizing {
    /// For [`Output::resume`](super::output::Output::resume).
    pub ticket: u64,
    /// Time until rest \[s\].
    pub time: f64,
}

/// What a new goal has changed.
pub(crate) struct Moved {
    /// Stamp of the present joint state.
    pub stamp: Time,
    /// Its positions of the chain's variables.
    pub positions: Vec<f64>,
    /// The motion that is left; `None` where the goal is reached.
    pub progress: Option<Progress>,
    /// For a motion that goes on from this one.
    pub ticket: u64,
}
