//! Motions of one coordinate with bounded acceleration and jerk: the distance to a stop, and the approach to a
//! velocity.

/// Bounds of acceleration and jerk.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Acceleration \[rad/s² or m/s²\].
    pub acceleration: f64,
    /// Jerk \[rad/s³ or m/s³\].
    pub jerk: f64,
}

impl Rates {
    /// No bounds.
    pub const UNLIMITED: Self = Self { acceleration: f64::INFINITY, jerk: f64::INFINITY };

    /// Both bounds multiplied by `share` \[-\].
    pub fn times(self, share: f64) -> Self {
        Self { acceleration: share * self.acceleration, jerk: share * self.jerk }
    }

    /// Distance \[rad or m\] and time \[s\] to a stop in positive direction, from a `velocity` \[rad/s or m/s\] and an
    /// `acceleration` \[rad/s² or m/s²\]; both are 0 if nothing moves that way.
    pub fn stop(self, velocity: f64, acceleration: f64) -> (f64, f64) {
        let Self { acceleration: most, jerk } = self;
        let (mut v, mut a) = (velocity, acceleration);
        if v <= 0.0 {
            // It turns round first.
            let squared = a * a + 2.0 * jerk * v;
            if a <= 0.0 || squared <= 0.0 {
                return (0.0, 0.0);
            }
            (v, a) = (0.0, squared.sqrt());
        }
        if a < 0.0 && a * a > 2.0 * jerk * v {
            let time = (-a - (a * a - 2.0 * jerk * v).sqrt()) / jerk;
            let [way, ..] = after([0.0, v, a], time, jerk);
            return (way, time);
        }
        // The deceleration grows to its peak, stays, and ends.
        let peak = (jerk * v + 0.5 * a * a).sqrt();
        let staying = if peak > most { (v + 0.5 * a * a / jerk - most * most / jerk) / most } else { 0.0 };
        let peak = peak.min(most).max(-a);
        let growing = (a + peak) / jerk;
        let [grown, fast, _] = after([0.0, v, a], growing, -jerk);
        let slow = fast - peak * staying;
        let ending = peak / jerk;
        let way = grown + staying * (fast - 0.5 * peak * staying) + ending * (slow - ending * peak / 3.0);
        (way, growing + staying + ending)
    }

    /// The acceleration a \[rad/s² or m/s²\] at the end of a `period` T \[s\] for a `change` of the velocity \[rad/s or
    /// m/s\] in the least time, including the time in which the acceleration returns to 0: a² / (2 j) + a T = change.
    /// The second term ends the motion within two periods, without an oscillation.
    pub fn approach(self, change: f64, period: f64) -> f64 {
        let wanted = self.jerk * ((period * period + 2.0 * change.abs() / self.jerk).sqrt() - period);
        wanted.min(self.acceleration).copysign(change)
    }
}

/// Position \[rad or m\], velocity \[rad/s or m/s\] and acceleration \[rad/s² or m/s²\] after `time` \[s\] with
/// constant `jerk` \[rad/s³ or m/s³\], from the state in the same order.
pub fn after([position, velocity, acceleration]: [f64; 3], time: f64, jerk: f64) -> [f64; 3] {
    [
        position + time * (velocity + time * (0.5 * acceleration + time * jerk / 6.0)),
        velocity + time * (acceleration + time * 0.5 * jerk),
        acceleration + time * jerk,
    ]
}
