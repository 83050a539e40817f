//! How far a tip is from its target at some positions, and how near to a singularity: the numbers of a status.

use crate::reports::Report;
use crate::robot_in_use::LoadedRobot;
use urdf_ik_robot::ChainPoses;
use urdf_ik_solver::{Scratch, Target};

/// Puts into `report` how far the tip is from `target`, and how near to a singularity, at `positions` of the chain's variables.
pub(crate) fn measure(
    report: &mut Report,
    loaded: &LoadedRobot,
    target: &Target,
    positions: &[f64],
    scratch: &mut Scratch,
) {
    let mut poses = ChainPoses::new(&loaded.chain);
    loaded.chain.forward_kinematics(positions, &mut poses);
    report.set_residual(target.residual(&poses.tips()[target.tip]));
    // It is refused only for a target that no solver has taken before.
    let smallest = loaded.solver.smallest_singular_value(&[*target], positions, scratch);
    report.status.smallest_singular_value = smallest.unwrap_or(f64::NAN);
}
