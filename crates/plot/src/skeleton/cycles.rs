//! The cycles of a solve, pass by pass.

use urdf_ik_skeleton::{Configuration, Problem, Skeleton};

use crate::Result;

/// Where a skeleton is after the two passes of a cycle.
pub struct Cycle {
    /// After the pass from the ends to the root.
    pub forward: Configuration,
    /// After the pass from the root to the ends.
    pub backward: Configuration,
}

/// Plain cycles from the seed of `problem`, each by its two single passes, until `is_done` says that the last one was enough.
pub fn record(skeleton: &Skeleton, problem: &Problem, mut is_done: impl FnMut(&[Cycle]) -> bool) -> Result<Vec<Cycle>> {
    let mut scratch = skeleton.scratch(&problem.options);
    let mut current = problem.seed.clone();
    if skeleton.is_free() && problem.targets.iter().all(|target| target.orientation.is_none()) {
        // As a whole solve does it: on points alone.
        current.orientations.clear();
    } else {
        current.orientations = skeleton.orientations(problem.seed)?;
    }
    let mut cycles = Vec::new();
    while !is_done(&cycles) {
        skeleton.reach_forward(problem, &mut scratch, &mut current)?;
        let forward = current.clone();
        skeleton.reach_backward(problem, &mut scratch, &mut current)?;
        cycles.push(Cycle { forward, backward: current.clone() });
    }
    Ok(cycles)
}

/// The largest distance between a target and its point \[m\].
pub fn distance(problem: &Problem, configuration: &Configuration) -> f64 {
    let distances = problem.targets.iter().map(|target| (configuration.points[target.point] - target.position).norm());
    distances.fold(0.0, f64::max)
}

/// Plain cycles until every target is met to a thousandth of a metre, at most `most`.
pub fn until_met(skeleton: &Skeleton, problem: &Problem, most: usize) -> Result<Vec<Cycle>> {
    record(skeleton, problem, |cycles| {
        cycles.len() == most || cycles.last().is_some_and(|last| distance(problem, &last.backward) < 1e-3)
    })
}
