//! Whether a stop stays possible: the greatest acceleration along the look-ahead after which each node can still be passed as slowly as it
//! needs. Closed form and bisection; no plan.

use super::constants::{BEND, PLANNED, TINY};
use super::jerk_bounds::{Limits, greatest};
use super::look_ahead::LookAhead;
use crate::rates::{Rates, after};
use urdf_ik_mathematics::vectors::{dot, length};

/// A node: the length from the node before, the greatest speed, and the deceleration from there to the next node.
#[derive(Debug, Clone)]
struct Node {
    step: f64,
    speed: f64,
    deceleration: f64,
}

/// The maximum speed along the nodes of a look-ahead, and its greatest change.
#[derive(Debug, Clone)]
pub struct Viability {
    nodes: Vec<Node>,
    /// Unit directions of the nodes, one after the other.
    directions: Vec<f64>,
    /// Length of the motion in joint space to the end \[rad or m\].
    pub way: f64,
    /// Acceleration and jerk along the nodes.
    rates: Rates,
}

impl Viability {
    /// Memory for this number of `variables` and `nodes`.
    pub fn new(variables: usize, nodes: usize) -> Self {
        let directions = Vec::with_capacity(nodes * variables);
        Self { nodes: Vec::with_capacity(nodes), directions, way: 0.0, rates: Rates::UNLIMITED }
    }

    /// The unit direction in joint space at the first node, with one entry for each of the `variables`.
    pub fn direction(&self, variables: usize) -> &[f64] {
        &self.directions[..variables]
    }

    /// Length of the first step in joint space \[rad or m\].
    pub fn first_step(&self) -> f64 {
        self.nodes[1].step
    }

    /// Computes the maximum speeds at the nodes, backwards from the end; `limits` has one entry for each variable.
    pub fn find(&mut self, ahead: &LookAhead, limits: &[Limits]) {
        let (n, last) = (limits.len(), ahead.count - 1);
        self.nodes.clear();
        self.directions.clear();
        for node in 0..ahead.count {
            let speed = length(ahead.velocities(node)).max(TINY);
            self.directions.extend(ahead.velocities(node).iter().map(|velocity| velocity / speed));
            let pairs = ahead.positions(node).iter().zip(ahead.positions(node.saturating_sub(1)));
            let step = pairs.map(|(to, from)| (to - from).powi(2)).sum::<f64>().sqrt().max(TINY);
            self.nodes.push(Node { step, speed, deceleration: 0.0 });
        }
        let end = self.nodes[last].step * ahead.end.unwrap_or(1.0);
        self.way = self.nodes[1..last].iter().map(|node| node.step).sum::<f64>() + end;
        self.rates = Rates::UNLIMITED;
        let (mut squared, mut step) = (0.0, end);
        for node in (0..last).rev() {
            let (here, there) = (&self.directions[node * n..][..n], &self.directions[(node + 1) * n..][..n]);
            let is_end = node + 1 == last && ahead.end.is_some();
            let bend = |i: usize| if is_end { 0.0 } else { (there[i] - here[i]) / self.nodes[node + 1].step };
            self.rates.jerk = Limits::along(limits, here).jerk.min(self.rates.jerk);
            let mut most = self.nodes[node].speed.powi(2);
            for (i, limits) in limits.iter().enumerate() {
                most = most.min(BEND * limits.rates.acceleration / bend(i).abs());
            }
            let left = |(i, limits): (usize, &Limits)| {
                (PLANNED * limits.rates.acceleration - bend(i).abs() * most) / here[i].abs()
            };
            let deceleration = limits.iter().enumerate().map(left).fold(f64::INFINITY, f64::min);
            if node < 2 {
                self.rates.acceleration = self.rates.acceleration.min(deceleration);
            }
            most = most.min(squared + 2.0 * deceleration * step);
            let here = &mut self.nodes[node];
            (here.speed, here.deceleration) = (most.sqrt(), ((most - squared) / (2.0 * step.max(TINY))).max(0.0));
            (squared, step) = (most, here.step);
        }
    }

    /// The greatest acceleration along the nodes \[rad/s² or m/s²\] at the end of a period of `period` \[s\], for
    /// joints with these `velocities` \[rad/s or m/s\] and `accelerations` \[rad/s² or m/s²\]. It is the least possible
    /// one if there is no time left.
    pub fn greatest_acceleration(&self, velocities: &[f64], accelerations: &[f64], period: f64) -> f64 {
        let full = self.rates;
        let direction = self.direction(velocities.len());
        let (speed, now) = (dot(direction, velocities), dot(direction, accelerations));
        let rates = Rates { jerk: PLANNED * full.jerk, ..full };
        let low = (now - full.jerk * period).max(-full.acceleration / PLANNED);
        let high = (now + full.jerk * period).min(full.acceleration).max(low);
        greatest(low, high, |acceleration| {
            self.can_pass(speed + 0.5 * (now + acceleration) * period, acceleration, rates)
        })
    }

    /// Whether the end and each node can be passed as slowly as needed.
    fn can_pass(&self, speed: f64, acceleration: f64, rates: Rates) -> bool {
        if rates.stop(speed, acceleration).0 > self.way {
            return false;
        }
        let mut position = 0.0;
        self.nodes[1..self.nodes.len() - 1].iter().all(|node| {
            position += node.step;
            let at_node = [position, node.speed, -node.deceleration];
            // Where the deceleration has ended.
            let [end, slow, _] = after(at_node, node.deceleration / rates.jerk, rates.jerk);
            let (distance, time) = rates.stop(speed - slow, acceleration);
            slow <= 0.0 || distance + slow * time <= end
        })
    }
}
