//! Joints of every kind, seeds of many revolutions, robots of every size.

use std::f64::consts::{PI, TAU};

use urdf_ik::robot::Domain;
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Target};

use crate::common::{
    self, Arm, Random,
    urdf::{self, fixed, joint, robot, turn},
};

/// Solves random targets from random seeds, both anywhere inside the limits, and returns how many of a
/// hundred were met.
fn solved_of_100(arm: &Arm, free: fn(Target) -> Target) -> u32 {
    let (solver, mut random) = (arm.solver(), Random::new(51));
    let solve = |random: &mut Random| {
        let mut anywhere =
            || -> Vec<f64> { arm.chain.variables().iter().map(|variable| variable.domain.at(random.unit())).collect() };
        let targets: Vec<Target> = arm.targets_at(&anywhere()).into_iter().map(free).collect();
        let seed = anywhere();
        let solution = common::solve(&solver, &Problem::new(&targets, &seed));
        assert!(arm.chain.contains(&solution.positions));
        let pose = arm.tip_poses(&solution.positions)[0];
        let residual = targets[0].residual(&pose);
        let met = residual.position <= 1.000_001e-5 && residual.orientation <= 1.000_001e-5;
        assert_eq!(met, solution.is_solved(), "{}: {residual:?}", arm.name);
        u32::from(met)
    };
    (0..100).map(|_| solve(&mut random)).sum()
}

/// A prismatic joint along `axis` with this stroke in both directions \[m\].
fn slide(name: &str, parent: &str, child: &str, axis: &str, stroke: f64) -> String {
    let inside = format!("<axis xyz='{axis}'/><limit lower='-{stroke}' upper='{stroke}'/>");
    joint(name, "prismatic", parent, child, &inside)
}

#[test]
fn a_gantry_of_any_stroke() {
    for stroke in [1e-3, 1.0, 30.0, 1000.0] {
        let joints = slide("x", "base", "bridge", "1 0 0", stroke)
            + &slide("y", "bridge", "cart", "0 1 0", stroke)
            + &slide("z", "cart", "head", "0 0 1", 1.0)
            + &turn("yaw", "head", "a", "0 0 -0.1", "0 0 1")
            + &turn("pitch", "a", "b", "0 0 0", "0 1 0")
            + &turn("roll", "b", "c", "0 0 0", "1 0 0")
            + &fixed("mount", "c", "tip", "0.1 0 0");
        let arm = Arm::from_text(&robot("base bridge cart head a b c tip", &joints), "base", &["tip"]);
        let solved = solved_of_100(&arm, |target| target);
        println!("±{stroke} m: {solved} of 100");
        assert!(solved >= 99, "±{stroke} m: {solved}");
    }
}

#[test]
fn chains_from_one_arm_to_the_other_and_from_the_tip_to_the_base() {
    let arms = [
        Arm::new("hand to hand", common::load("two_arms.urdf"), "left_hand", &["right_hand"]),
        Arm::new("mixed, backwards", common::load("mixed_joints.urdf"), "tool", &["base_link"]),
        Arm::new("arm7, backwards", common::load("arm7.urdf"), "tool0", &["base_link"]),
    ];
    for arm in arms {
        let solved = solved_of_100(&arm, |target| target);
        println!("{}: {solved} of 100", arm.name);
        assert!(solved >= 98, "{}: {solved}", arm.name);
    }
}

#[test]
fn snakes_of_few_and_of_many_joints() {
    for joints in [1, 2, 3, 5, 6, 8, 9, 12, 40, 100] {
        for folded in [false, true] {
            let arm = Arm::from_text(&urdf::snake(joints, folded), "l0", &["tip"]);
            let solved = solved_of_100(&arm, |target| target);
            println!("{joints} joints, {folded}: {solved} of 100");
            assert!(solved >= 95, "{joints} joints, {folded}: {solved}");
        }
    }
}

#[test]
fn joints_without_limits_stay_at_the_turn_of_the_seed() {
    let arm = Arm::from_text(&urdf::six_joints(None), "base", &["tip"]);
    let (solver, mut random) = (arm.solver(), Random::new(52));
    assert!(arm.chain.variables().iter().all(|variable| variable.domain == Domain::Circle));
    for turns in [0.0, 1.0, -7.0, 1000.0, -1000.0] {
        for _ in 0..20 {
            let goal = random.positions(&arm.chain);
            let targets = arm.targets_at(&goal);
            let seed: Vec<f64> = random.positions(&arm.chain).iter().map(|position| position + turns * TAU).collect();
            let solution = common::solve(&solver, &Problem::new(&targets, &seed));
            assert!(solution.is_solved(), "{solution:?}");
            for (position, seed) in solution.positions.iter().zip(&seed) {
                assert!((position - seed).abs() <= PI + 1e-9, "{position} from {seed}");
            }
            // Tracking from nearby, with the same revolutions.
            let seed: Vec<f64> = goal.iter().map(|position| position + turns * TAU + 0.01).collect();
            let steps = [0.05; 6];
            let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &steps });
            let solution = common::solve(&solver, &problem);
            let moved = solution.positions.iter().zip(&seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved <= 0.05, "{moved}: {solution:?}");
            assert!(
                solution.is_solved() || solution.smallest_singular_value.unwrap() < 0.05,
                "{turns} turns: {solution:?}"
            );
            // Without a step, every bit of the seed is kept.
            let still = problem.with_mode(Mode::Track { max_step: &[0.0; 6] });
            let solution = common::solve(&solver, &still);
            assert_eq!(solution.positions, seed);
        }
    }
}

#[test]
fn a_bounded_step_is_named_as_the_reason_at_any_number_of_turns() {
    let arm = Arm::from_text(&urdf::six_joints(None), "base", &["tip"]);
    let (solver, mut random, mut others) = (arm.solver(), Random::new(53), Vec::new());
    for turns in [0.0, 3.0, 1000.0, -123_456.0] {
        for _ in 0..50 {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let seed: Vec<f64> = random.positions(&arm.chain).iter().map(|position| position + turns * TAU).collect();
            let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &[0.013; 6] });
            let solution = common::solve(&solver, &problem);
            if solution.outcome != Outcome::Closest(Reason::StepLimited) {
                others.push((turns, solution.outcome));
            }
        }
    }
    assert!(others.len() <= 2, "{others:?}");
}
