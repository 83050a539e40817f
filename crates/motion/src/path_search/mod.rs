//! Search for a motion along a path where tracking ends early, or where the start is free: a layered graph of
//! configurations and dynamic programming (compare Morgan and others 2024, "CppFlow: Generative inverse kinematics for
//! efficient and robust Cartesian path planning").
//!
//! Each layer has configurations for one pose of the path, over all branches, self-motions and free axes that are
//! reachable from the starts. [`expansion`] makes the next layer from the last one. The cheapest route is checked
//! piece by piece; [`graph`] removes an edge that fails, until a route passes. [`relaxation`] shortens it, and the
//! fit of the curve smooths it.

mod connection;
mod expansion;
mod graph;
mod layers;
mod relaxation;

use super::path_problem::FollowError;
use super::path_solver::PathSolver;
use super::path_stop::BranchEnd;
use super::tracking::{Knot, end_of_branch};
use connection::connect;
use expansion::Expansion;
pub(super) use expansion::starts;
use graph::{Graph, Place};

/// Nodes of a layer in the first and in the second search, relative to the effort of the options.
const EFFORTS: [usize; 2] = [1, 4];
/// Checked edges per node of a layer, on top of one for each layer: bounds the time of the search.
const CHECKS: usize = 20;
/// Greatest number of configurations whose branches are examined.
const EXAMINED: usize = 20;

/// A motion found along the path.
#[derive(Default)]
pub(super) struct Route {
    /// Configurations from the start on; empty if there is no motion to the second layer.
    pub(super) knots: Vec<Knot>,
    /// Why the branches end at the last layer reached; empty if that is the end of the path.
    pub(super) ends: Vec<BranchEnd>,
}

impl Route {
    fn length(&self) -> f64 {
        self.knots.last().map_or(0.0, |knot| knot.length)
    }
}

/// Searches for a motion along the path from one of the `starts`, as far as possible. The effort grows once if it does
/// not reach the end.
pub(super) fn search(solver: &mut PathSolver, starts: &[Vec<f64>]) -> Result<Route, FollowError> {
    let mut best = Route::default();
    for growth in EFFORTS {
        let route = search_with(solver, starts, growth * solver.options.search)?;
        if route.length() >= best.length() {
            best = route;
        }
        if best.length() >= solver.problem.path.length() {
            break;
        }
    }
    Ok(best)
}

/// A search with at most so many nodes in each layer.
fn search_with(solver: &mut PathSolver, starts: &[Vec<f64>], most_nodes: usize) -> Result<Route, FollowError> {
    let lengths = layers::lengths(solver.problem.path);
    let nodes = layers::nodes(lengths.len(), most_nodes);
    let mut graph = Graph::new(starts);
    let mut expansion = Expansion::new(solver, nodes);
    let done = solver.progress;
    for ends in lengths.windows(2) {
        // Half of the remaining work, as another search may follow.
        solver.progress = done + 0.5 * (1.0 - done) * ends[0] / solver.problem.path.length();
        let layer = expansion.next(solver, graph.last(), [ends[0], ends[1]])?;
        if layer.is_empty() {
            break;
        }
        graph.push(layer);
    }
    let route = passable_route(solver, &mut graph, &lengths, CHECKS * nodes + lengths.len())?;
    let ends = match lengths.get(route.len()) {
        Some(&next) => branch_ends(solver, &graph.reached(route.len() - 1), next)?,
        None => Vec::new(),
    };
    let knots = if route.len() > 1 { relaxation::relax(solver, &route, &lengths)? } else { Vec::new() };
    Ok(Route { knots, ends })
}

/// The distinct reasons why the branches of some configurations of the last layer `reached` end before the pose at path
/// length `next`.
fn branch_ends(solver: &mut PathSolver, reached: &[&[f64]], next: f64) -> Result<Vec<BranchEnd>, FollowError> {
    let mut ends = Vec::new();
    for here in reached.iter().step_by(reached.len().div_ceil(EXAMINED).max(1)) {
        let end = BranchEnd::from(end_of_branch(solver, next, here)?);
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    Ok(ends)
}

/// The cheapest route to the last layer that can be reached, of edges that are all passable. `lengths` has the path
/// length of each layer \[m\], `checks` is the greatest number of edges that are checked.
fn passable_route(
    solver: &mut PathSolver,
    graph: &mut Graph,
    lengths: &[f64],
    mut checks: usize,
) -> Result<Vec<Vec<f64>>, FollowError> {
    'routes: loop {
        solver.check_interruption()?;
        let route = graph.cheapest_route();
        for (layer, pair) in route.windows(2).enumerate() {
            let [from, to] = [Place { layer, node: pair[0] }, Place { layer: layer + 1, node: pair[1] }];
            if graph.edge(from, to).is_some_and(|edge| edge.is_checked) {
                continue;
            }
            let ends = [from, to]
                .map(|place| Knot { length: lengths[place.layer], positions: graph.positions(place).to_vec() });
            // Without checks left, the route ends here.
            let is_passable = checks > 0 && connect(solver, &ends)?.is_some();
            checks = checks.saturating_sub(1);
            if !is_passable {
                graph.remove_edge(from, to);
                continue 'routes;
            }
            if let Some(edge) = graph.edge(from, to) {
                edge.is_checked = true;
            }
        }
        let positions = route.iter().enumerate().map(|(layer, &node)| graph.positions(Place { layer, node }).to_vec());
        return Ok(positions.collect());
    }
}
