//! The speed along a path from rest to rest.

use std::f64::consts::PI;

/// A ramp up, a constant speed, and a ramp down. The ramps are half waves of a cosine, so that the acceleration is continuous and begins
/// and ends at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SpeedProfile {
    length: f64,
    speed: f64,
    /// Time of one ramp \[s\].
    ramp: f64,
    duration: f64,
}

/// Length of the path so far, with the speed and the acceleration along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progress {
    pub(super) length: f64,
    pub(super) speed: f64,
    pub(super) acceleration: f64,
}

impl SpeedProfile {
    /// Over `length` metres, with at most this speed \[m/s\] and acceleration \[m/s²\]. All are above 0.
    pub(super) fn new(length: f64, speed: f64, acceleration: f64) -> Self {
        // A ramp covers speed · ramp / 2; its greatest acceleration is π speed / (2 ramp).
        let speed = speed.min((2.0 * acceleration * length / PI).sqrt());
        let ramp = 0.5 * PI * speed / acceleration;
        Self { length, speed, ramp, duration: length / speed + ramp }
    }

    /// Time that it takes \[s\].
    pub(super) fn duration(&self) -> f64 {
        self.duration
    }

    /// The same, slowed down to take `duration` seconds.
    pub(super) fn stretched(&self, duration: f64) -> Self {
        let factor = duration / self.duration;
        Self { length: self.length, speed: self.speed / factor, ramp: self.ramp * factor, duration }
    }

    /// The progress after `time` seconds; at rest at the ends.
    pub(super) fn at(&self, time: f64) -> Progress {
        if time <= 0.0 || time >= self.duration {
            let length = if time <= 0.0 { 0.0 } else { self.length };
            return Progress { length, speed: 0.0, acceleration: 0.0 };
        }
        let left = self.duration - time;
        if time < self.ramp {
            return self.ramped(time);
        }
        if left < self.ramp {
            let Progress { length, speed, acceleration } = self.ramped(left);
            return Progress { length: self.length - length, speed, acceleration: -acceleration };
        }
        Progress { length: self.speed * (time - 0.5 * self.ramp), speed: self.speed, acceleration: 0.0 }
    }

    fn ramped(&self, time: f64) -> Progress {
        let phase = PI * time / self.ramp;
        Progress {
            length: 0.5 * self.speed * (time - self.ramp / PI * phase.sin()),
            speed: 0.5 * self.speed * (1.0 - phase.cos()),
            acceleration: 0.5 * self.speed * PI / self.ramp * phase.sin(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_smooth_and_within_its_bounds_from_rest_to_rest() {
        for (length, speed, acceleration) in [(1.0, 0.3, 0.5), (0.01, 2.0, 0.5), (1e-6, 0.1, 3.0), (5.0, 0.1, 1e-2)] {
            let fast = SpeedProfile::new(length, speed, acceleration);
            for profile in [fast, fast.stretched(1.7 * fast.duration())] {
                let step = profile.duration() / 1000.0;
                assert_eq!(profile.at(0.0), Progress { length: 0.0, speed: 0.0, acceleration: 0.0 });
                assert_eq!(profile.at(profile.duration()), Progress { length, speed: 0.0, acceleration: 0.0 });
                let samples: Vec<Progress> = (0..=1000).map(|i| profile.at(f64::from(i) * step)).collect();
                for pair in samples.windows(2) {
                    let [a, b] = [pair[0], pair[1]];
                    assert!(b.length >= a.length && a.speed <= speed * (1.0 + 1e-12), "{a:?} {b:?}");
                    assert!(a.acceleration.abs() <= acceleration * (1.0 + 1e-12), "{a:?}");
                    let mean = 0.5 * (a.speed + b.speed) * step;
                    assert!((b.length - a.length - mean).abs() < 1e-5 * length, "{a:?} {b:?}");
                    let mean = 0.5 * (a.acceleration + b.acceleration) * step;
                    assert!((b.speed - a.speed - mean).abs() < 1e-4 * speed, "{a:?} {b:?}");
                }
            }
        }
    }
}
