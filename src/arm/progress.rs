//! What there is to say of a motion to a goal: how it goes on, and how it ends.

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
    /// Smooth, with the time until arrival \[s\].
    Smooth(f64),
    /// None: the command is there, and the measured arm follows.
    Settling,
    /// None: something is in the way.
    Stopped(Obstruction),
}
