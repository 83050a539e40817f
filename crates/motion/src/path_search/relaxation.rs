//! Shortens a route through the layers.

use super::connection::connect;
use crate::path_problem::FollowError;
use crate::path_solver::PathSolver;
use crate::tip_kinematics::interpolated;
use crate::tracking::Knot;

/// Number of passes over the route.
const PASSES: usize = 20;

/// Moves the inner configurations of a passable route to the middle of their neighbours, on their poses and clear of
/// collisions, and returns the route in pieces. Where a relaxed motion does not follow the path, the route stays.
pub(super) fn relax(solver: &mut PathSolver, route: &[Vec<f64>], lengths: &[f64]) -> Result<Vec<Knot>, FollowError> {
    let mut relaxed = route.to_vec();
    for _ in 0..PASSES {
        for layer in 1..route.len() - 1 {
            let (before, after) = (lengths[layer] - lengths[layer - 1], lengths[layer + 1] - lengths[layer]);
            let fraction = before / (before + after);
            let middle = interpolated(&relaxed[layer - 1], &relaxed[layer + 1], fraction);
            if solver.attempt(lengths[layer], &middle, None)? {
                let positions = solver.solution.positions.clone();
                if solver.is_free(&positions, 0.0) {
                    relaxed[layer] = positions;
                }
            }
        }
    }
    let knot = |layer: usize, positions: &[f64]| Knot { length: lengths[layer], positions: positions.to_vec() };
    loop {
        let mut knots = vec![knot(0, &relaxed[0])];
        let mut is_passable = true;
        for layer in 1..route.len() {
            let ends = [layer - 1, layer].map(|layer| knot(layer, &relaxed[layer]));
            if let Some(pieces) = connect(solver, &ends)? {
                knots.extend(pieces);
            } else {
                is_passable = false;
                relaxed[layer - 1].clone_from(&route[layer - 1]);
                relaxed[layer].clone_from(&route[layer]);
            }
        }
        if is_passable {
            return Ok(knots);
        }
    }
}
