//! Angles modulo 2π.

use std::f64::consts::{PI, TAU};

use urdf_ik_robot::without_whole_turns;

/// An angle \[rad\], at most a few revolutions from 0, wrapped to (-π, π\].
pub(super) fn wrapped(angle: f64) -> f64 {
    let wrapped = without_whole_turns(angle);
    if wrapped <= -PI { wrapped + TAU } else { wrapped }
}

/// True if each joint differs by at most `slack` \[rad\] modulo 2π between the configurations `a` and `b` \[rad\], with
/// one entry per joint.
pub fn same(a: &[f64], b: &[f64], slack: f64) -> bool {
    let step = |a: f64, b: f64| without_whole_turns(a - b).abs();
    a.iter().zip(b).all(|(a, b)| step(*a, *b) <= slack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_is_wrapped_to_half_a_turn_and_never_to_the_lower_end() {
        for (angle, expected) in [(PI, PI), (-PI, PI), (3.0 * PI, PI), (0.5, 0.5), (-4.0, TAU - 4.0), (7.0, 7.0 - TAU)]
        {
            assert!((wrapped(angle) - expected).abs() < 1e-15, "{angle}: {}", wrapped(angle));
        }
    }

    #[test]
    fn configurations_are_the_same_whole_turns_apart() {
        assert!(same(&[1.0, -2.0], &[1.0 + TAU, -2.0 - 2.0 * TAU], 1e-12));
        assert!(!same(&[1.0, -2.0], &[1.0, -2.0 + 1e-6], 1e-7) && !same(&[PI, 0.0], &[0.0, 0.0], 3.0));
    }
}
