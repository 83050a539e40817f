//! Very wide limits: the working range inside them.

use std::f64::consts::TAU;

use urdf_ik::robot::{Chain, Domain, Robot};

use crate::common::{
    bundled_arms,
    urdf::{fixed, joint, robot},
};

/// The size of the robots here \[m\].
const SIZE: f64 = 0.5;
/// Working range of a prismatic joint \[m\] and of a rotation \[rad\].
const STROKE: f64 = 10.0 * SIZE;
const TURNS: f64 = 10.0 * TAU;

fn interval(lower: f64, upper: f64) -> Domain {
    Domain::Interval { lower, upper }
}

/// A joint of that type and with these limits, and a link after it; between both, `more`, from the link `b` to the link
/// `c`.
fn robot_with(kind: &str, [lower, upper]: [f64; 2], more: &str) -> Robot {
    let limits = format!("<axis xyz='0 0 1'/><limit lower='{lower:?}' upper='{upper:?}'/>");
    let joints = joint("j", kind, "a", "b", &limits) + more + &fixed("end", "c", "tip", &format!("{SIZE} 0 0"));
    Robot::from_urdf(&robot("a b c tip", &joints)).unwrap()
}

/// A robot whose only movable joint has these limits.
fn alone(kind: &str, limits: [f64; 2]) -> Robot {
    robot_with(kind, limits, &fixed("rest", "b", "c", "0 0 0"))
}

#[test]
fn usual_limits_are_the_working_range() {
    for arm in bundled_arms() {
        for variable in arm.chain.variables() {
            assert_eq!(variable.working_range, variable.domain, "{}: {}", arm.name, variable.name);
        }
    }
    for limits in [[-4.0, 4.0], [0.0, 3.0], [100.0, 104.0]] {
        assert_eq!(alone("prismatic", limits).working_range(0), interval(limits[0], limits[1]));
    }
    assert_eq!(alone("revolute", [-9.0 * TAU, 9.0 * TAU]).working_range(0), interval(-9.0 * TAU, 9.0 * TAU));
    assert_eq!(alone("continuous", [0.0; 2]).working_range(0), Domain::Circle);
}

#[test]
fn limits_without_measure_have_a_working_range_near_zero() {
    for (kind, limits, [lower, upper]) in [
        ("prismatic", [-999_999.0, 999_999.0], [-STROKE, STROKE]),
        ("prismatic", [-f64::MAX, f64::MAX], [-STROKE, STROKE]),
        ("prismatic", [0.0, 1e6], [0.0, STROKE]),
        ("prismatic", [-1e6, -100.0], [-100.0 - STROKE, -100.0]),
        ("prismatic", [-1.0, 1e6], [-1.0, STROKE]),
        ("revolute", [-1e9, 1e9], [-TURNS, TURNS]),
        ("revolute", [100.0, 1e9], [100.0, 100.0 + TURNS]),
    ] {
        let robot = alone(kind, limits);
        let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
        let variable = &chain.variables()[0];
        assert_eq!(variable.working_range, interval(lower, upper), "{kind} {limits:?}");
        assert_eq!(variable.domain, interval(limits[0], limits[1]), "the limits stay");
        let middle = 0.5 * (lower + upper);
        assert_eq!(chain.nominal_positions(), [middle], "{kind} {limits:?}");
        let neutral = if lower <= 0.0 && 0.0 <= upper { 0.0 } else { middle };
        assert_eq!(robot.neutral_positions()[0], neutral, "{kind} {limits:?}");
    }
}

#[test]
fn a_joint_that_is_geared_has_what_its_follower_needs() {
    let follower = |factor: f64| {
        let rule = format!("<limit lower='-1e6' upper='1e6'/><mimic joint='j' multiplier='{factor}'/>");
        robot_with("revolute", [-1e9, 1e9], &joint("k", "prismatic", "b", "c", &rule))
    };
    // A spindle moves its follower by 1 mm per radian; a wheel by 1 m.
    let spindle = follower(-0.001).working_range(0);
    assert_eq!(spindle, interval(-1000.0 * STROKE, 1000.0 * STROKE));
    assert_eq!(follower(1.0).working_range(0), interval(-TURNS, TURNS));
    // A fixed one has no requirements.
    assert_eq!(follower(0.0).working_range(0), interval(-TURNS, TURNS));
}
