//! Whether a stop stays possible: the greatest acceleration along the look-ahead after which each node can still be passed as slowly as it
//! needs. Closed form and bisection; no plan.

use super::constants::{BEND, BISECTIONS, PLANNED, TINY};
use super::jerk_bounds::Limits;
use super::look_ahead::LookAhead;
use crate::rates::Rates;
use urdf_ik_mathematics::vectors::{dot, length};

/// The speed along the nodes, and its greatest change.
#[derive(Debug, Clone, Default)]
pub struct Viability {
    /// The length from the node before.
    steps: Vec<f64>,
    /// Unit directions of the nodes, one after the other.
    directions: Vec<f64>,
    /// The greatest speed at each node, and the deceleration from there to the next.
    speeds: Vec<f64>,
    decelerations: Vec<f64>,
    /// Length to the end.
    pub way: f64,
    /// Acceleration and jerk along the nodes.
    rates: Option<Rates>,
}

impl Viability {
    pub fn new(variables: usize, nodes: usize) -> Self {
        Self {
            steps: Vec::with_capacity(nodes),
            directions: Vec::with_capacity(nodes * variables),
            speeds: Vec::with_capacity(nodes),
            decelerations: Vec::with_capacity(nodes),
            way: 0.0,
            rates: None,
        }
    }

    /// The unit direction of the first node.
    pub fn direction(&self, variables: usize) -> &[f64] {
        &self.directions[..variables]
    }

    /// Length of the first step.
    pub fn first_step(&self) -> f64 {
        self.steps[1]
    }

    /// Finds the speeds backwards from the end.
    pub fn find(&mut self, ahead: &LookAhead, limits: &[Limits]) {
        let (n, last) = (limits.len(), ahead.count - 1);
        self.steps.clear();
        self.directions.clear();
        self.speeds.clear();
        for node in 0..ahead.count {
            let speed = length(ahead.velocities(node)).max(TINY);
            self.speeds.push(speed);
            self.directions.extend(ahead.velocities(node).iter().map(|velocity| velocity / speed));
            self.steps.push(if node == 0 {
                0.0
            } else {
                let pairs = ahead.positions(node).iter().zip(ahead.positions(node - 1));
                pairs.map(|(to, from)| (to - from).powi(2)).sum::<f64>().sqrt().max(TINY)
            });
        }
        let end = self.steps[last] * ahead.end.unwrap_or(1.0);
        self.way = self.steps[1..last].iter().sum::<f64>() + end;
        self.decelerations.clear();
        self.decelerations.resize(ahead.count, 0.0);
        let (mut jerk, mut braking) = (f64::INFINITY, f64::INFINITY);
        let (mut squared, mut step) = (0.0, end);
        for node in (0..last).rev() {
            let (here, there) = (&self.directions[node * n..][..n], &self.directions[(node + 1) * n..][..n]);
            let is_end = node + 1 == last && ahead.end.is_some();
            let bend = |i: usize| if is_end { 0.0 } else { (there[i] - here[i]) / self.steps[node + 1] };
            jerk = Limits::along(limits, here).jerk.min(jerk);
            let mut most = self.speeds[node].powi(2);
            for (i, limits) in limits.iter().enumerate() {
                most = most.min(BEND * limits.rates.acceleration / bend(i).abs());
            }
            let left = |(i, limits): (usize, &Limits)| {
                (PLANNED * limits.rates.acceleration - bend(i).abs() * most) / here[i].abs()
            };
            let deceleration = limits.iter().enumerate().map(left).fold(f64::INFINITY, f64::min);
            if node < 2 {
                braking = braking.min(deceleration);
            }
            most = most.min(squared + 2.0 * deceleration * step);
            self.decelerations[node] = ((most - squared) / (2.0 * step.max(TINY))).max(0.0);
            (squared, self.speeds[node], step) = (most, most.sqrt(), self.steps[node]);
        }
        self.rates = Some(Rates { acceleration: braking, jerk });
    }

    /// The greatest acceleration along the nodes at the end of a period, for joints with these velocities and accelerations; the least if
    /// there is no time left.
    pub fn greatest_acceleration(&self, velocities: &[f64], accelerations: &[f64], period: f64) -> f64 {
        let Some(full) = self.rates else { return f64::INFINITY };
        let direction = self.direction(velocities.len());
        let (speed, now) = (dot(direction, velocities), dot(direction, accelerations));
        let rates = Rates { jerk: PLANNED * full.jerk, ..full };
        let mut low = (now - full.jerk * period).max(-full.acceleration / PLANNED);
        let mut high = (now + full.jerk * period).min(full.acceleration).max(low);
        let allowed =
            |acceleration: f64| self.can_pass(speed + 0.5 * (now + acceleration) * period, acceleration, rates);
        if allowed(high) {
            return high;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if allowed(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether the end and each node can be passed as slowly as needed.
    fn can_pass(&self, speed: f64, acceleration: f64, rates: Rates) -> bool {
        if rates.stop(speed, acceleration).0 > self.way {
            return false;
        }
        let mut way = 0.0;
        let last = self.steps.len() - 1;
        for node in 1..last {
            way += self.steps[node];
            let deceleration = self.decelerations[node];
            let ramp = deceleration / rates.jerk;
            let passing = self.speeds[node] - 0.5 * deceleration * ramp;
            if passing <= 0.0 {
                continue;
            }
            let (distance, time) = rates.stop(speed - passing, acceleration);
            let room =
                way + self.speeds[node] * ramp - 0.5 * deceleration * ramp * ramp + rates.jerk * ramp.powi(3) / 6.0;
            if distance + passing * time > room {
                return false;
            }
        }
        true
    }
}
