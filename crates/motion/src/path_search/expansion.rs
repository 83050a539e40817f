//! Layers of the graph. The first one, where the start is free, has solutions over branches, self-motions and free
//! axes; the next one has images of the configurations of the last one, and random self-motions around them.

use std::f64::consts::PI;

use super::connection::track_on;
use super::graph::{Edge, Node};
use crate::path_problem::FollowError;
use crate::path_solver::PathSolver;
use crate::tracking::Knot;
use urdf_ik_mathematics::pseudorandom;
use urdf_ik_robot::{Domain, JointKind};
use urdf_ik_solver::Bounds;

/// Largest change of a joint from layer to layer \[rad\]; of a prismatic joint this times the solver's length scale.
const LARGEST_STEP: f64 = 0.3;
/// Attempts per start.
const ATTEMPTS: usize = 4;
/// Configurations near each image, of its self-motions and free axes.
const NEIGHBOURS: usize = 3;
/// Edges to a node: the cheapest ones.
const EDGES: usize = 8;
/// Cost of a motion to a configuration with bodies nearer than this beyond the margin \[m\], relative to others: of
/// motions about as long, one with more clearance is cheaper.
const NEAR: f64 = 0.02;
const COST_NEAR: f64 = 1.05;
/// Least distance of the nodes of a layer \[rad\], and its growth until the layer has no more nodes than allowed.
const MIN_DISTANCE: f64 = 0.02;
const DISTANCE_GROWTH: f64 = 1.5;

/// Makes layers, with scratch memory.
pub(super) struct Expansion {
    domains: Vec<Domain>,
    /// The largest step of each variable \[rad or m\].
    steps: Vec<f64>,
    /// Number of random configurations so far.
    samples: usize,
    /// Greatest number of nodes of a layer.
    nodes: usize,
}

/// A configuration of the next layer.
struct Child {
    positions: Vec<f64>,
    /// Index of the node of the last layer that it was made from.
    parent: usize,
    /// Cost of the route through its parent.
    cost: f64,
    /// Whether it is clear of collisions, once that is known.
    is_free: Option<bool>,
}

/// Distinct solutions of the first pose, clear of collisions: the one nearest to the seed, and others from starting
/// points spread over the joint ranges.
pub(in super::super) fn starts(solver: &mut PathSolver) -> Result<Vec<Vec<f64>>, FollowError> {
    let mut found = Vec::new();
    if solver.search(0.0, solver.problem.seed)? {
        found.push(solver.solution.positions.clone());
    }
    let expansion = Expansion::new(solver, solver.options.search);
    for attempt in 0..ATTEMPTS * solver.options.search {
        let position = |(joint, domain): (usize, &Domain)| {
            let [lower, upper] = if *domain == Domain::Circle { [-PI, PI] } else { domain.ends() };
            lower + pseudorandom::fraction(attempt, joint) * (upper - lower)
        };
        let seed: Vec<f64> = expansion.domains.iter().enumerate().map(position).collect();
        if solver.attempt(0.0, &seed, None)? {
            found.push(solver.solution.positions.clone());
        }
    }
    let children = found.into_iter().map(|positions| Child { positions, parent: 0, cost: 0.0, is_free: None });
    Ok(expansion.select(solver, children.collect()).into_iter().map(|child| child.positions).collect())
}

impl Expansion {
    pub(super) fn new(solver: &PathSolver, nodes: usize) -> Self {
        let chain = solver.solver.chain();
        let mut steps = vec![LARGEST_STEP; chain.variables().len()];
        for joint in chain.joints().iter().filter(|joint| joint.kind == JointKind::Prismatic) {
            steps[joint.variable] = LARGEST_STEP * solver.solver.length_scale();
        }
        Self { domains: chain.domains(), steps, samples: 0, nodes }
    }

    /// The layer at path length `to` \[m\] after the `last` one at `from` \[m\].
    pub(super) fn next(
        &mut self,
        solver: &mut PathSolver,
        last: &[Node],
        [from, to]: [f64; 2],
    ) -> Result<Vec<Node>, FollowError> {
        let mut children = Vec::new();
        for (parent, node) in last.iter().enumerate().filter(|(_, node)| node.cost.is_finite()) {
            let mut images = self.images(solver, &node.positions, to)?;
            if images.is_empty() {
                // Near a singularity joints move fast.
                let knot = Knot { length: from, positions: node.positions.clone() };
                images.extend(track_on(solver, &knot, to)?.and_then(|mut pieces| Some(pieces.pop()?.positions)));
            }
            children.extend(images.into_iter().map(|positions| {
                let cost = node.cost + joint_length(&node.positions, &positions);
                Child { positions, parent, cost, is_free: None }
            }));
        }
        let kept = self.select(solver, children);
        Ok(kept.into_iter().filter_map(|child| self.node(solver, last, child)).collect())
    }

    /// Configurations for the pose at path length `length` \[m\] within the steps around `positions`.
    fn images(
        &mut self,
        solver: &mut PathSolver,
        positions: &[f64],
        length: f64,
    ) -> Result<Vec<Vec<f64>>, FollowError> {
        let moved = |sign: f64| positions.iter().zip(&self.steps).map(|(at, step)| at + sign * step).collect();
        let (lower, upper): (Vec<f64>, Vec<f64>) = (moved(-1.0), moved(1.0));
        let mut images = Vec::new();
        for neighbour in 0..=NEIGHBOURS {
            let seed = if neighbour == 0 { positions.to_vec() } else { self.beside(positions) };
            if solver.attempt(length, &seed, Some(Bounds { lower: &lower, upper: &upper }))? {
                images.push(solver.solution.positions.clone());
            }
        }
        Ok(images)
    }

    /// A random configuration within the steps around `positions` and the limits.
    fn beside(&mut self, positions: &[f64]) -> Vec<f64> {
        self.samples += 1;
        let shift = |i: usize| 2.0 * pseudorandom::fraction(self.samples, i) - 1.0;
        let moved = positions.iter().zip(&self.steps).zip(&self.domains).enumerate();
        moved.map(|(i, ((at, step), domain))| domain.clamp(at + shift(i) * step)).collect()
    }

    /// The cheapest of the children that are clear and apart from each other, so many that they cover all of them.
    fn select(&self, solver: &mut PathSolver, mut children: Vec<Child>) -> Vec<Child> {
        children.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut distance = MIN_DISTANCE / LARGEST_STEP;
        loop {
            let mut kept: Vec<usize> = Vec::new();
            for index in 0..children.len() {
                let child = &children[index];
                let is_apart = kept.iter().all(|&other| self.are_apart(&children[other], child, distance));
                if child.is_free == Some(false) || !is_apart {
                    continue;
                }
                let is_free = child.is_free.unwrap_or_else(|| solver.is_free(&child.positions, 0.0));
                children[index].is_free = Some(is_free);
                if is_free {
                    kept.push(index);
                }
                if kept.len() > self.nodes {
                    break;
                }
            }
            if kept.len() <= self.nodes {
                let mut index = 0..;
                children.retain(|_| index.next().is_some_and(|index| kept.binary_search(&index).is_ok()));
                return children;
            }
            distance *= DISTANCE_GROWTH;
        }
    }

    /// True if a joint differs by more than a fraction of its largest step.
    fn are_apart(&self, one: &Child, other: &Child, fraction: f64) -> bool {
        let mut positions = one.positions.iter().zip(&other.positions).zip(&self.steps);
        positions.any(|((a, b), step)| (a - b).abs() > fraction * step)
    }

    /// The node of a child with its edges: from its parent and from near nodes.
    fn node(&self, solver: &mut PathSolver, last: &[Node], Child { positions, parent, .. }: Child) -> Option<Node> {
        let is_near = |node: &Node| {
            let mut joints = node.positions.iter().zip(&positions).zip(&self.steps);
            node.cost.is_finite() && joints.all(|((a, b), step)| (a - b).abs() <= *step)
        };
        let weight = if solver.is_free(&positions, NEAR) { 1.0 } else { COST_NEAR };
        let near = last.iter().enumerate().filter(|(from, node)| *from == parent || is_near(node));
        let edge = |(from, node): (usize, &Node)| Edge {
            from,
            cost: weight * joint_length(&node.positions, &positions),
            is_checked: false,
        };
        let mut edges: Vec<Edge> = near.map(edge).collect();
        edges.sort_by(|a, b| (last[a.from].cost + a.cost).total_cmp(&(last[b.from].cost + b.cost)));
        edges.truncate(EDGES);
        let cost = edges.first().map(|edge| last[edge.from].cost + edge.cost)?;
        Some(Node { positions, cost, edges })
    }
}

/// Length of a straight motion in joint space: the norm over all variables, the cost of an edge.
fn joint_length(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
