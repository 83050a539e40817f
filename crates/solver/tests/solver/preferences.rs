//! Preferences of a redundant arm: they lower their cost, and the targets are still met.

use nalgebra::{DMatrix, DVector};
use urdf_ik::robot::{Domain, without_whole_turns};
use urdf_ik::solver::{Mode, Preference, PreferenceCost, Problem, Solution, Target};

use crate::common::preference_cost::cost;
use crate::common::{self, Arm, Random, urdf};

const TARGETS: usize = 64;

/// Arms of seven joints.
fn redundant_arms() -> Vec<Arm> {
    common::arms_named(&["arm7", "gen3", "iiwa14", "panda"])
}

/// The gradient of the cost in the null space, restricted to variables that can move in its direction, relative to the
/// full gradient.
fn slope_left(arm: &Arm, scale: f64, preference: &Preference, positions: &[f64], rows: usize) -> f64 {
    let (n, h) = (positions.len(), 1e-5);
    let slope = DVector::from_fn(n, |i, _| {
        let at = |h: f64| {
            let mut moved = positions.to_vec();
            moved[i] += h;
            cost(arm, scale, preference, &moved, rows)
        };
        (at(h) - at(-h)) / (2.0 * h)
    });
    // Variables at a limit are held there.
    let held = |i: usize| match arm.chain.variables()[i].domain {
        Domain::Interval { lower, upper } => positions[i] - lower < 1e-6 || upper - positions[i] < 1e-6,
        Domain::Circle => false,
    };
    let jacobian = common::jacobian(arm, scale, positions, rows);
    let free = DMatrix::from_fn(rows, n, |row, i| if held(i) { 0.0 } else { jacobian[(row, i)] });
    let kept = DVector::from_fn(n, |i, _| if held(i) { 0.0 } else { slope[i] });
    let back = free.clone().pseudo_inverse(1e-6).unwrap() * (&free * &kept);
    (&kept - back).norm() / (1.0 + slope.norm())
}

/// Solves random targets without and with a preference, `make`, and passes on both solutions.
fn compare(arm: &Arm, free: fn(Target) -> Target, preference: &Preference, mut each: impl FnMut(&Solution, &Solution)) {
    let (solver, mut random) = (arm.solver(), Random::new(21));
    for _ in 0..TARGETS {
        let targets: Vec<Target> = arm.targets_at(&random.positions(&arm.chain)).into_iter().map(free).collect();
        let seed = random.positions(&arm.chain);
        let plain = Problem::new(&targets, &seed);
        let without = common::solve(&solver, &plain);
        let with = common::solve(&solver, &plain.with_preference(*preference));
        for solution in [&without, &with] {
            assert!(solution.is_solved() && arm.chain.contains(&solution.positions), "{}: {solution:?}", arm.name);
            let pose = &arm.tip_poses(&solution.positions)[0];
            let residual = targets[0].residual(pose);
            assert!(residual.position <= 1e-5 + 1e-12 && residual.orientation <= 1e-5 + 1e-12, "{residual:?}");
        }
        each(&without, &with);
    }
}

/// Every preference by itself and all together, about `posture`.
fn preferences(posture: &[f64]) -> [(&'static str, Preference<'_>); 4] {
    let none = Preference { posture: Some(posture), ..Preference::default() };
    [
        ("posture", Preference { posture_weight: 1.0, ..none }),
        ("limits", Preference { limits_weight: 1.0, ..none }),
        ("manipulability", Preference { manipulability_weight: 1.0, ..none }),
        ("all", Preference { posture_weight: 0.3, limits_weight: 2.0, manipulability_weight: 0.5, ..none }),
    ]
}

#[test]
fn each_preference_lowers_its_cost_to_a_local_minimum() {
    for arm in redundant_arms() {
        let scale = common::length_scale(&arm.solver());
        let posture = arm.chain.nominal_positions();
        for (what, preference) in preferences(&posture) {
            for (rows, free) in [(6, (|target| target) as fn(Target) -> Target), (3, Target::position_only)] {
                let (mut lowered, mut worse, mut settled) = (0, Vec::new(), 0);
                compare(&arm, free, &preference, |without, with| {
                    let before = cost(&arm, scale, &preference, &without.positions, rows);
                    let after = cost(&arm, scale, &preference, &with.positions, rows);
                    lowered += usize::from(after < before - 1e-6);
                    if after > before + 1e-9 {
                        worse.push((before, after));
                    }
                    let left = slope_left(&arm, scale, &preference, &with.positions, rows);
                    settled += usize::from(left < 1e-2);
                });
                println!("{}, {what}, {rows} rows: {lowered} lowered, {settled} settled", arm.name);
                assert!(worse.is_empty(), "{}, {what}, {rows} rows: {worse:?}", arm.name);
                assert!(lowered >= TARGETS * 5 / 6, "{}, {what}, {rows} rows: only {lowered}", arm.name);
                assert!(settled >= TARGETS / 2, "{}, {what}, {rows} rows: only {settled}", arm.name);
            }
        }
    }
}

#[test]
fn the_cost_along_a_path_is_the_documented_one_and_its_gradient_is_its_slope() {
    for arm in redundant_arms() {
        let (solver, mut random) = (arm.solver(), Random::new(8));
        let (scale, posture) = (common::length_scale(&solver), arm.chain.nominal_positions());
        for (what, preference) in preferences(&posture) {
            for _ in 0..16 {
                let positions = random.positions(&arm.chain);
                let target = arm.targets_at(&positions)[0];
                let mut path_cost = PreferenceCost::new(&solver, preference, &target);
                // The path's cost is finite at singularities, and so a little less near them.
                let (expected, found) = (cost(&arm, scale, &preference, &positions, 6), path_cost.value(&positions));
                assert!((found - expected).abs() < 1e-3, "{}, {what}: {found} instead of {expected}", arm.name);
                let mut gradient = vec![0.0; positions.len()];
                path_cost.write_gradient(&positions, &mut gradient);
                for (i, gradient) in gradient.into_iter().enumerate() {
                    let mut at = |step: f64| {
                        let mut moved = positions.clone();
                        moved[i] += step;
                        path_cost.value(&moved)
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let tolerance = 1e-3 * (1.0 + slope.abs());
                    assert!((gradient - slope).abs() < tolerance, "{}, {what}: {gradient}, {slope}", arm.name);
                }
            }
        }
    }
}

#[test]
fn weights_of_zero_change_no_bit_and_preferences_give_the_same_bits_twice() {
    for arm in common::bundled_arms() {
        let posture = arm.chain.nominal_positions();
        let zero = Preference { posture: Some(&posture), ..Preference::default() };
        compare(&arm, |target| target, &zero, |without, with| assert_eq!(common::bits(without), common::bits(with)));
        let posture_left_out = Preference { posture_weight: 3.0, ..Preference::default() };
        let same = |without: &Solution, with: &Solution| assert_eq!(common::bits(without), common::bits(with));
        compare(&arm, |target| target, &posture_left_out, same);
        for (_, preference) in preferences(&posture) {
            let run = || {
                let mut all = Vec::new();
                compare(&arm, Target::position_only, &preference, |_, with| all.push(common::bits(with)));
                all
            };
            assert_eq!(run(), run(), "{}", arm.name);
        }
    }
}

#[test]
fn six_joints_have_no_freedom_for_a_full_pose_and_some_for_a_position() {
    let mut arms = vec![Arm::from_text(&urdf::six_joints(Some(3.0)), "base", &["tip"])];
    arms.extend(common::arms_named(&["kr6", "ur5"]));
    for arm in arms {
        let posture = arm.chain.nominal_positions();
        for (what, preference) in preferences(&posture) {
            let apart = |without: &Solution, with: &Solution| {
                let pairs = without.positions.iter().zip(&with.positions);
                pairs.map(|(a, b)| without_whole_turns(a - b).abs()).fold(0.0, f64::max)
            };
            let mut most = 0.0_f64;
            compare(&arm, |target| target, &preference, |without, with| most = most.max(apart(without, with)));
            assert!(most <= 1e-6, "{}, {what}: moved by {most:e}", arm.name);
            let mut moved = 0;
            let count = |without: &Solution, with: &Solution| moved += usize::from(apart(without, with) > 0.01);
            compare(&arm, Target::position_only, &preference, count);
            assert!(moved >= TARGETS * 5 / 6, "{}, {what}: only {moved} moved", arm.name);
        }
    }
}

#[test]
fn slow_joints_move_less_where_moves_are_weighted_by_their_velocities() {
    let arm = common::bundled_arms().swap_remove(0);
    let solver = arm.solver();
    let mut random = Random::new(3);
    let (slow, unbounded) = (2, vec![f64::INFINITY; 7]);
    let mut weights = vec![1.0; 7];
    weights[slow] = 1e4;
    let (mut solved, mut moved) = (0, [0.0; 2]);
    for _ in 0..30 {
        let seed: Vec<f64> = random.positions(&arm.chain).iter().map(|at| 0.7 * at).collect();
        let near: Vec<f64> = seed.iter().map(|at| at + random.between(-0.1, 0.1)).collect();
        let targets = arm.targets_at(&near);
        let tracked = |move_weights| {
            let preference = Preference { move_weights, ..Preference::default() };
            let mode = Mode::Track { max_step: &unbounded };
            common::solve(&solver, &Problem::new(&targets, &seed).with_mode(mode).with_preference(preference))
        };
        let (plain, weighted) = (tracked(None), tracked(Some(&weights[..])));
        if !plain.is_solved() {
            continue;
        }
        assert!(weighted.is_solved(), "{weighted:?}");
        solved += 1;
        let cost = |solution: &Solution| -> f64 {
            let moves = solution.positions.iter().zip(&seed).zip(&weights);
            moves.map(|((at, seed), weight)| weight * (at - seed).powi(2)).sum()
        };
        assert!(cost(&weighted) <= cost(&plain) * 1.001, "{} {}", cost(&weighted), cost(&plain));
        for (moved, solution) in moved.iter_mut().zip([&plain, &weighted]) {
            *moved += (solution.positions[slow] - seed[slow]).abs();
        }
    }
    assert!(solved > 20 && moved[1] < 0.5 * moved[0], "{solved} {moved:?}");
}
