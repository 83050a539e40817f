//! What every problem of the node begins with, and every solution ends with.

use nalgebra::Isometry3;

use crate::reports::{RefuseAs, Refused};
use urdf_ik_parameters::Settings;
use urdf_ik_solver::{Mode, Scratch, Solution, Solver, Target};

/// The target for the first tip at `pose` in the base link's frame, with the settings' tolerance and free axes.
pub(crate) fn target(pose: Isometry3<f64>, settings: &Settings) -> Target {
    Target { tolerance: settings.tolerance(), free_axes: settings.free_axes, ..Target::new(0, pose) }
}

/// The search that the settings describe.
pub(crate) fn search_mode(settings: &Settings) -> Mode<'static> {
    Mode::Search { pick: settings.pick, attempts: settings.attempts, random_seed: settings.random_seed }
}

/// Computes what a search leaves out of its solution: the smallest singular value.
pub(crate) fn complete(
    solver: &Solver,
    targets: &[Target],
    scratch: &mut Scratch,
    solution: &mut Solution,
) -> Result<(), Refused> {
    if solution.smallest_singular_value.is_none() {
        let smallest = solver.smallest_singular_value(targets, &solution.positions, scratch);
        solution.smallest_singular_value = Some(smallest.refuse_as("problem")?);
    }
    Ok(())
}
