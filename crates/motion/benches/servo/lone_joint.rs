//! A joint that approaches velocities by itself, as fast as its limits allow.

/// Position, velocity and acceleration of a joint.
#[derive(Debug, Clone, Copy)]
pub struct LoneJoint {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

impl LoneJoint {
    /// At rest.
    pub fn new(position: f64) -> Self {
        Self { position, velocity: 0.0, acceleration: 0.0 }
    }

    /// Moves for a period with constant jerk, within bounds of velocity, acceleration and jerk.
    pub fn approach(&mut self, goal: f64, bounds: [f64; 3], period: f64) {
        let goal = goal.clamp(-bounds[0], bounds[0]);
        let next = self.next_acceleration(goal, bounds, period);
        self.position += period * (self.velocity + period * (2.0 * self.acceleration + next) / 6.0);
        self.velocity += 0.5 * period * (self.acceleration + next);
        self.acceleration = next;
    }

    /// The acceleration a′ at the end of a period T that approaches a higher velocity u fastest. It is the largest with
    /// v + T (a + a′) / 2 + a′² / 2j ≤ u, so that the acceleration can end at u.
    fn next_acceleration(&self, goal: f64, [_, most, jerk]: [f64; 3], period: f64) -> f64 {
        let missing = goal - self.velocity - 0.5 * period * self.acceleration;
        let half = 0.5 * period;
        let desired = missing.signum() * jerk * ((half * half + 2.0 * missing.abs() / jerk).sqrt() - half);
        desired.clamp(self.acceleration - period * jerk, self.acceleration + period * jerk).clamp(-most, most)
    }
}
