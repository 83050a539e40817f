//! Goals on single joints, which are bounds of a search.

use nalgebra::{DVector, Isometry3, Vector3};
use serde_json::{Value, json};
use urdf_ik::robot::Domain;
use urdf_ik::solver::{Bounds, Mode, Outcome, Pick, Preference, Problem, Reason, Solution, Target, Unreached};

use crate::common::{self, Arm, Random, bits, solve};
use crate::goals::read;

/// A goal on one joint.
fn interval(arm: &Arm, joint: usize, lower: f64, upper: f64) -> Value {
    // The sign exchanges the bounds.
    let name = &*arm.chain.variables()[joint].name;
    json!({"type": "joints", "coefficients": {name: -2.0}, "lower": -2.0 * upper, "upper": -2.0 * lower})
}

#[test]
fn answers_are_exactly_within_the_interval() {
    let mut random = Random::new(41);
    for arm in common::bundled_arms() {
        let (solver, count) = (arm.solver(), arm.chain.variables().len());
        let (mut solved, mut total) = (0, 0);
        for round in 0..60 {
            let positions = random.positions(&arm.chain);
            let (joint, half) = (random.below(count), if round % 3 == 0 { 0.0 } else { 0.1 });
            let (lower, upper) = (positions[joint] - half, positions[joint] + 0.5 * half);
            let goals = read(&arm, &[interval(&arm, joint, lower, upper)]);
            let (targets, seed) = (arm.targets_at(&positions), random.positions(&arm.chain));
            let targets = if round % 2 == 0 { &targets[..] } else { &[] };
            let problem = Problem::new(targets, &seed).with_goals(&goals);
            let solution = solve(&solver, &problem);
            assert_eq!(bits(&solution), bits(&solve(&solver, &problem)));
            let inside = |position: f64| (lower - 1e-15..=upper + 1e-15).contains(&position);
            assert!(!solution.is_solved() || inside(solution.positions[joint]), "{}: {solution:?}", arm.name);
            (solved, total) = (solved + usize::from(solution.is_solved()), total + 1);
            assert!(targets.is_empty() <= solution.is_solved());
            let found = common::all_solutions(&solver, &problem);
            assert!(found.iter().all(|solution| inside(solution.positions[joint])), "{}", arm.name);
        }
        assert!(total - solved <= 1, "{}: {solved} of {total}", arm.name);
    }
}

#[test]
fn an_interval_equals_bounds_of_the_problem() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random, mut solved) = (arm.solver(), Random::new(42), 0);
    // Later attempts start near the interval, and descents of failed ones have its row.
    let mode = Mode::Search { pick: Pick::First, attempts: 1, random_seed: 0 };
    for _ in 0..40 {
        let positions = random.positions(&arm.chain);
        let (targets, mut seed) = (arm.targets_at(&positions), random.positions(&arm.chain));
        seed[3] = positions[3];
        let goals = read(arm, &[interval(arm, 3, positions[3] - 0.125, positions[3] + 0.25)]);
        let ends: Vec<[f64; 2]> = arm.chain.domains().iter().map(Domain::ends).collect();
        let mut bounds = [0, 1].map(|end| ends.iter().map(|ends| ends[end]).collect::<Vec<f64>>());
        (bounds[0][3], bounds[1][3]) = (positions[3] - 0.125, positions[3] + 0.25);
        let [lower, upper] = &bounds;
        let problem = Problem::new(&targets, &seed).with_mode(mode).with_unreached(Unreached::Stop);
        let bounded = solve(&solver, &problem.with_bounds(Some(Bounds { lower, upper })));
        let with_goals = solve(&solver, &problem.with_goals(&goals));
        assert_eq!(bounded.is_solved(), with_goals.is_solved());
        if bounded.is_solved() {
            assert_eq!(bounded.positions, with_goals.positions);
            solved += 1;
        }
    }
    assert!(solved > 5, "{solved}");
}

#[test]
fn an_interval_yields_to_a_target_unless_it_is_standing() {
    let arm = &common::bundled_arms()[0];
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let far = Target::new(0, Isometry3::translation(0.0, 3.0, 0.3)).position_only();
    let goal = interval(arm, 0, -0.2, 0.2);
    let mut standing = goal.clone();
    standing["standing"] = json!(true);
    let answer = |goal: Value, target: Target, unreached: Unreached| -> Solution {
        let goals = read(arm, &[goal]);
        solve(&solver, &Problem::new(&[target], &seed).with_goals(&goals).with_unreached(unreached))
    };
    // Turned towards the target, the violation is weighed against the distance.
    let weighed = answer(goal.clone(), far, Unreached::Closest);
    assert!(!weighed.is_solved() && weighed.violations[0] > 0.1, "{weighed:?}");
    let kept = answer(standing.clone(), far, Unreached::Closest);
    assert!(!kept.is_solved() && kept.violations[0] <= 1e-5, "{kept:?}");
    assert!(kept.residuals[0].position > weighed.residuals[0].position);
    // A pose behind the base that only the interval excludes.
    let mut turned = seed.clone();
    turned[0] = 2.0;
    let behind = Target::new(0, arm.tip_poses(&turned)[0]);
    let (mut locked, others) = (vec![goal], [1, 2, 3, 4, 5]);
    locked.extend(others.map(|joint| interval(arm, joint, seed[joint] - 0.01, seed[joint] + 0.01)));
    let goals = read(arm, &locked);
    let solution = solve(&solver, &Problem::new(&[behind], &seed).with_goals(&goals));
    assert!(matches!(solution.outcome, Outcome::Closest(Reason::Conflict { .. })), "{solution:?}");
}

#[test]
fn tracking_returns_to_the_interval_by_its_steps() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut positions) = (arm.solver(), arm.chain.nominal_positions());
    positions[0] = 0.35;
    let goals = read(arm, &[interval(arm, 0, -0.1, 0.1), json!({"type": "position", "lower": [null, null, 0.0]})]);
    let steps = vec![0.1; positions.len()];
    for count in 0..5 {
        let problem = Problem::new(&[], &positions).with_goals(&goals).with_mode(Mode::Track { max_step: &steps });
        let solution = solve(&solver, &problem);
        let moved = common::apart(&positions, &solution.positions);
        assert!(moved <= 0.1 + 1e-12 && solution.is_solved() == (count >= 2), "{count}: {solution:?}");
        positions.copy_from_slice(&solution.positions);
    }
    let from = arm.tip_poses(&positions)[0].translation.vector;
    let targets = [Target::new(0, Isometry3::from(from + Vector3::new(0.0, 0.01, 0.0))).position_only()];
    let problem = Problem::new(&targets, &positions).with_goals(&goals).with_mode(Mode::Track { max_step: &steps });
    assert!(solve(&solver, &problem).is_solved());
}

/// Slope, along the self-motions of a position, of half the squared displacement from `origin`.
fn slope_left(arm: &Arm, origin: &[f64], positions: &[f64]) -> f64 {
    let jacobian = common::jacobian(arm, common::length_scale(&arm.solver()), positions, 3);
    let displacement = DVector::from_vec(positions.iter().zip(origin).map(|(to, from)| to - from).collect());
    let inverse = jacobian.clone().pseudo_inverse(1e-9).unwrap();
    (&displacement - inverse * (jacobian * &displacement)).norm()
}

#[test]
fn moves_are_measured_from_the_seed_also_outside_the_interval() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random, mut inside) = (arm.solver(), Random::new(43), 0);
    let weights = vec![1.0; arm.chain.variables().len()];
    let preference = Preference { move_weights: Some(&weights), ..Preference::default() };
    for _ in 0..40 {
        let positions = random.positions(&arm.chain);
        let targets = [arm.targets_at(&positions)[0].position_only()];
        let goals = read(arm, &[interval(arm, 3, positions[3] - 1.0, positions[3] + 0.2)]);
        // The middle of the moves of all joints is inside the interval, the seed outside.
        let mut seed = positions.clone();
        seed[3] = arm.chain.domains()[3].clamp(positions[3] + 0.3);
        let mut start = seed.clone();
        start[3] = seed[3].min(positions[3] + 0.2);
        let problem = Problem::new(&targets, &seed).with_goals(&goals).with_preference(preference);
        let solution = solve(&solver, &problem);
        let is_inside = |(position, domain): (&f64, &Domain)| {
            let [lower, upper] = domain.ends();
            *position > lower + 1e-6 && *position < upper - 1e-6
        };
        let is_free = solution.positions.iter().zip(&arm.chain.domains()).all(is_inside);
        if solution.is_solved() && is_free && solution.positions[3] < positions[3] + 0.2 - 1e-6 && start != seed {
            let [from_seed, from_start] = [&seed, &start].map(|origin| slope_left(arm, origin, &solution.positions));
            assert!(from_seed < 1e-2 && from_start > 2.0 * from_seed, "{from_seed} {from_start}: {solution:?}");
            inside += 1;
        }
    }
    assert!(inside >= 5, "{inside}");
}
