//! Starts of a path whose start is free: solutions of its first pose over branches, self-motions and free axes.

use super::expansion::Expansion;
use crate::path_problem::FollowError;
use crate::path_solver::PathSolver;
use std::f64::consts::PI;
use urdf_ik_mathematics::pseudorandom;
use urdf_ik_robot::Domain;

/// Attempts per start.
const ATTEMPTS: usize = 4;

/// Distinct solutions of the first pose, clear of collisions: the one nearest to the seed, and others from starting
/// points spread over the joint ranges.
pub(in super::super) fn find(solver: &mut PathSolver) -> Result<Vec<Vec<f64>>, FollowError> {
    let mut found = Vec::new();
    if solver.search(0.0, solver.problem.seed)? {
        found.push(solver.solution.positions.clone());
    }
    let domains = solver.solver.chain().domains();
    for attempt in 0..ATTEMPTS * solver.options.search {
        let position = |(joint, domain): (usize, &Domain)| {
            let [lower, upper] = if *domain == Domain::Circle { [-PI, PI] } else { domain.ends() };
            lower + pseudorandom::fraction(attempt, joint) * (upper - lower)
        };
        let seed: Vec<f64> = domains.iter().enumerate().map(position).collect();
        if solver.attempt(0.0, &seed, None)? {
            found.push(solver.solution.positions.clone());
        }
    }
    Ok(Expansion::new(solver, solver.options.search).starts(solver, found))
}
