//! Whether a stop stays possible: the greatest acceleration along the look-ahead after which each node can still be
//! passed as slowly as it needs. Closed form and bisection; no plan.

use super::constants::{BEND, PLANNED, TINY};
use super::jerk_bounds::{Limits, greatest};
use super::look_ahead::LookAhead;
use crate::generator::JointState;
use crate::rates::Rates;
use urdf_ik_mathematics::vectors::{dot, length};

/// A node: the length of the motion from there to the end \[rad or m\], and the maximum speed \[rad/s or m/s\].
#[derive(Debug, Clone)]
struct Node {
    left: f64,
    speed: f64,
}

/// The maximum speed along the nodes of a look-ahead, and its greatest change.
#[derive(Debug, Clone)]
pub struct Viability {
    /// The nodes after the first, from the end on.
    nodes: Vec<Node>,
    /// Length of the motion in joint space to the end \[rad or m\].
    pub way: f64,
    /// Acceleration and jerk that the joints can make along the motion at every node.
    rates: Rates,
}

impl Viability {
    /// Memory for this number of `nodes`.
    pub fn new(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), way: 0.0, rates: Rates::UNLIMITED }
    }

    /// Computes the maximum speeds at the nodes, backwards from the end; `limits` has one entry for each variable. With
    /// the unit directions uₖ of the nodes, a step of length s and the curvature c = (uₖ₊₁ - uₖ) / s, the accelerations
    /// of the joints are c v² + uₖ v̇.
    pub fn find(&mut self, ahead: &LookAhead, limits: &[Limits]) {
        let last = ahead.count - 1;
        self.nodes.clear();
        self.rates = Rates::UNLIMITED;
        let (mut left, mut squared) = (0.0, 0.0_f64);
        for node in (0..last).rev() {
            self.nodes.push(Node { left, speed: squared.sqrt() });
            let [here, there] = [node, node + 1].map(|node| ahead.velocities(node));
            let [pace, pace_there] = [here, there].map(|velocities| length(velocities).max(TINY));
            let is_last = node + 1 == last;
            let step = ahead.step(node);
            let is_straight = is_last && ahead.end.is_some();
            let bend = |i: usize| if is_straight { 0.0 } else { (there[i] / pace_there - here[i] / pace) / step };
            self.rates.jerk = self.rates.jerk.min(pace * Limits::along(limits, here).jerk);
            let most = BEND * Limits::along(limits, (0..limits.len()).map(bend)).acceleration;
            let most = most.min(pace.powi(2));
            let rest = |(i, limits): (usize, &Limits)| {
                (PLANNED * limits.rates.acceleration - bend(i).abs() * most) * pace / here[i].abs()
            };
            let deceleration = limits.iter().enumerate().map(rest).fold(f64::INFINITY, f64::min);
            self.rates.acceleration = self.rates.acceleration.min(deceleration);
            let way = if is_last { step * ahead.end.unwrap_or(1.0) } else { step };
            squared = most.min(squared + 2.0 * deceleration * way);
            left += way;
        }
        self.way = left;
    }

    /// The greatest acceleration along the nodes \[rad/s² or m/s²\] at the end of a period of `period` \[s\], for the
    /// joints in the state `now`. `along` is the unit direction of the first node: n entries. It is the least possible
    /// one if there is no time left.
    pub fn greatest_acceleration(&self, along: &[f64], now: &JointState, period: f64) -> f64 {
        let full = self.rates;
        let (speed, now) = (dot(along, &now.velocities), dot(along, &now.accelerations));
        let rates = Rates { jerk: PLANNED * full.jerk, ..full };
        let low = (now - full.jerk * period).max(-full.acceleration / PLANNED);
        let high = (now + full.jerk * period).min(full.acceleration).max(low);
        greatest(low, high, |acceleration| {
            self.can_pass(speed + 0.5 * (now + acceleration) * period, acceleration, rates)
        })
    }

    /// Whether each node can be passed as slowly as needed, and the end at rest.
    fn can_pass(&self, speed: f64, acceleration: f64, rates: Rates) -> bool {
        self.nodes.iter().all(|node| {
            let (distance, time) = rates.stop(speed - node.speed, acceleration);
            distance + node.speed * time <= self.way - node.left
        })
    }
}
