//! Common parts of all solver problems and solutions of the node, and the null-space task.

use nalgebra::Isometry3;

use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use crate::surroundings::Avoidance;
use urdf_ik_goals::Goal;
use urdf_ik_parameters::{NullSpace, Settings};
use urdf_ik_solver::{Mode, Preference, Problem, Scratch, Solution, Solver, Target};

/// The target for the first tip at `pose` in the base link's frame, with the tolerance and free axes of the settings.
pub(crate) fn target(pose: Isometry3<f64>, settings: &Settings) -> Target {
    Target::new(0, pose).with_tolerance(settings.tolerance()).with_free_axes(settings.free_axes)
}

/// The search described by the settings for a configuration that meets `targets`, from `seed` (positions of the chain's
/// variables), without preferences.
pub(crate) fn search<'a>(
    targets: &'a [Target],
    seed: &'a [f64],
    settings: &Settings,
    avoidance: Option<&'a Avoidance>,
) -> Problem<'a> {
    Problem::new(targets, seed)
        .with_mode(Mode::Search { pick: settings.pick, attempts: settings.attempts, random_seed: settings.random_seed })
        .with_deadline(Some(settings.timeout))
        .with_clearance(avoidance.map(Avoidance::clearance))
        .with_unreached(settings.on_unreachable.into())
}

/// False if all axes of a target are free and this number of goals is requested instead.
pub(crate) fn has_pose(target: &Target, goals: usize) -> bool {
    goals == 0 || target.free_axes.contains(&false)
}

/// The targets of a problem with `goals`: none if goals are requested instead.
pub(crate) fn with_poses<'a>(targets: &'a [Target], goals: &[Goal]) -> &'a [Target] {
    if targets.iter().any(|target| has_pose(target, goals.len())) { targets } else { &[] }
}

/// Adds the smallest singular value, which searches omit, to a solution for `targets`, if there are any.
pub(crate) fn complete(
    solver: &Solver,
    targets: &[Target],
    scratch: &mut Scratch,
    solution: &mut Solution,
) -> Result<(), Refused> {
    if solution.smallest_singular_value.is_none() && !targets.is_empty() {
        let smallest = solver.smallest_singular_value(targets, &solution.positions, scratch);
        solution.smallest_singular_value = Some(smallest.refuse_as("problem")?);
    }
    Ok(())
}

/// The null-space task of the settings for one robot.
pub(crate) struct NullSpaceTask {
    /// The posture as positions of the chain's variables; `None` if not set.
    positions: Option<Vec<f64>>,
    weights: NullSpace,
}

impl NullSpaceTask {
    pub(crate) fn new(loaded: &LoadedRobot, settings: &Settings) -> Result<Self, Refused> {
        let mut positions = None;
        if !settings.posture.0.is_empty() {
            let all = settings.posture_positions(&loaded.robot).refuse_as("posture")?;
            positions = Some(loaded.chain.positions_from(&all));
        }
        Ok(Self { positions, weights: settings.null_space })
    }

    pub(crate) fn preference(&self) -> Preference<'_> {
        Preference {
            posture: self.positions.as_deref(),
            posture_weight: self.weights.posture,
            limits_weight: self.weights.limits,
            manipulability_weight: self.weights.manipulability,
            ..Preference::default()
        }
    }
}
