//! How fast something may come near to where it has to stop.

/// The share of the acceleration limit that braking is planned with. What is left is for what was not foreseen.
pub const SHARE: f64 = 0.35;
/// The change of acceleration before it, over the acceleration limit.
const TURN: f64 = 1.5;

/// The speed from which a joint comes to rest within `distance`, with limits of acceleration and jerk: a parabola, and near the end an
/// exponential approach, whose time constant is the time in which an acceleration is turned into that deceleration.
pub fn braking_speed(distance: f64, acceleration: f64, jerk: f64) -> f64 {
    if distance <= 0.0 {
        return 0.0;
    }
    approach(distance, SHARE * acceleration, TURN * acceleration / jerk)
}

/// The rate at which something may approach its goal, so much of which is `left`: one that `brake`, the rate of the rate, can still end, and
/// near the goal in proportion, with the time constant `end` \[s\].
pub fn approach(left: f64, brake: f64, end: f64) -> f64 {
    // The positive root of left = rate² / (2 brake) + end · rate.
    2.0 * left / (end + (end * end + 2.0 * left / brake).sqrt())
}
