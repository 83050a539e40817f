//! Speeds from which a stop before a limit remains possible.

use super::rates::Rates;

/// Fraction of the acceleration limit that braking is planned with \[-\]. The rest is a reserve for disturbances.
pub const BRAKING_FRACTION: f64 = 0.35;
/// Change of the acceleration before braking, as a multiple of the acceleration limit.
const ACCELERATION_CHANGE: f64 = 1.5;
/// Time constant of the exponential approach to a goal, in control periods \[-\].
pub const APPROACH_PERIODS: f64 = 3.0;

/// Maximum speed \[rad/s or m/s\] from which a joint can stop within `distance` \[rad or m\] under these limits. The
/// speed over distance is a parabola that ends in an exponential approach; its time constant is the time in which the
/// jerk limit builds up the deceleration.
pub fn braking_speed(distance: f64, Rates { acceleration, jerk }: Rates) -> f64 {
    if distance <= 0.0 {
        return 0.0;
    }
    approach(distance, BRAKING_FRACTION * acceleration, ACCELERATION_CHANGE * acceleration / jerk)
}

/// Speed of approach \[rad/s or m/s\] to a goal at the remaining distance `left` \[rad or m\]. It is limited to the
/// speed that the deceleration `brake` \[rad/s² or m/s²\] can still stop; near the goal it is proportional to the
/// distance, with the time constant `end` \[s\].
pub fn approach(left: f64, brake: f64, end: f64) -> f64 {
    // The positive root of left = rate² / (2 brake) + end · rate.
    2.0 * left / (end + (end * end + 2.0 * left / brake).sqrt())
}
