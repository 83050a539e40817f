//! A base that rotates and drives without limits, and joints of many revolutions: all axes, all targets, nearby
//! starting points.

use std::f64::consts::{PI, TAU};

use urdf_ik::robot::Domain;
use urdf_ik::solver::{FabrikOptions, Mode, Preference, Problem, Solution, Solver};

use crate::common::{
    self, Arm, Random, solve,
    urdf::{joint, six_joints},
};

const LIMIT: f64 = 999_999.0;
const TARGETS: usize = 150;

/// The bundled arm of seven joints on a base that turns and then drives, with the limits that some
/// URDFs write for none.
fn mobile_arm() -> Arm {
    let text = std::fs::read_to_string(common::urdf_path("arm7.urdf")).unwrap();
    let base = |axis: &str| format!("<axis xyz='{axis}'/><limit lower='-{LIMIT}' upper='{LIMIT}' velocity='4'/>");
    let joints = joint("turn", "revolute", "ground", "turntable", &base("0 0 1"))
        + &joint("drive", "prismatic", "turntable", "base_link", &base("1 0 0"));
    let links = "<link name='ground'/><link name='turntable'/>";
    Arm::from_text(&text.replace("</robot>", &format!("{links}{joints}</robot>")), "ground", &["tool0"])
}

/// That arm and two manufacturers' arms, 9 and 10 joints. The first joint rotates, the second is prismatic.
fn all_mobile_arms() -> Vec<Arm> {
    let mut arms = vec![mobile_arm()];
    arms.extend(common::mobile_arms());
    assert_eq!(arms.iter().map(|arm| arm.chain.variables().len()).collect::<Vec<_>>(), [9, 9, 10]);
    arms
}

/// Positions with the base up to `far` from the origin \[m\].
fn within(arm: &Arm, far: f64, random: &mut Random) -> Vec<f64> {
    let mut positions = random.positions(&arm.chain);
    (positions[0], positions[1]) = (random.between(-PI, PI), random.between(-far, far));
    positions
}

fn solvers(arm: &Arm) -> [Solver; 2] {
    let newton = arm.solver();
    [newton.with_method(FabrikOptions::default()).unwrap(), newton]
}

/// Checks that a solution meets the targets of these positions.
fn assert_met(arm: &Arm, positions: &[f64], solution: &Solution) {
    assert!(solution.is_solved(), "{}: {}", arm.name, solution.sentence(&arm.chain));
    let (position, orientation) = arm.errors(&arm.targets_at(positions), solution);
    assert!(position <= 1.000_001e-5 && orientation <= 1.000_001e-5, "{position:e} m, {orientation:e} rad");
}

#[test]
fn an_arm_on_a_base_without_limits_follows_all_axes() {
    for arm in all_mobile_arms() {
        assert_eq!(arm.solver().sensible_free_axes(0), [false; 6], "{}", arm.name);
    }
}

#[test]
fn every_target_is_met_near_the_start_and_far_from_it() {
    let mut random = Random::new(1);
    for arm in all_mobile_arms() {
        for solver in solvers(&arm) {
            for far in [5.0, 100.0] {
                for number in 0..TARGETS {
                    let (goal, drawn) = (within(&arm, far, &mut random), within(&arm, far, &mut random));
                    let seed = if number % 2 == 0 { arm.chain.nominal_positions() } else { drawn };
                    assert_met(&arm, &goal, &solve(&solver, &Problem::new(&arm.targets_at(&goal), &seed)));
                }
            }
        }
    }
}

#[test]
fn the_limits_stay_those_of_the_urdf() {
    let (arm, mut random) = (mobile_arm(), Random::new(2));
    assert!(arm.solver().reach()[0].tip.outer > LIMIT && arm.solver().reach()[0].working.outer < 100.0);
    for _ in 0..TARGETS {
        let goal = within(&arm, 5000.0, &mut random);
        let solution = solve(&arm.solver(), &Problem::new(&arm.targets_at(&goal), &arm.chain.nominal_positions()));
        assert_met(&arm, &goal, &solution);
    }
}

#[test]
fn the_preference_for_the_middle_does_not_pull_a_base_that_has_none() {
    let (arm, mut random) = (mobile_arm(), Random::new(3));
    let cost = |solution: &Solution| -> f64 {
        let arm_joints = arm.chain.variables().iter().zip(&solution.positions).skip(2);
        arm_joints.map(|(variable, at)| ((at - variable.domain.middle()) / variable.domain.half_range()).powi(2)).sum()
    };
    let (mut sums, none) = ([0.0; 2], Preference::default());
    for _ in 0..TARGETS {
        let goal = within(&arm, 30.0, &mut random);
        let targets = arm.targets_at(&goal);
        let preferences = [none, Preference { limits_weight: 1.0, ..none }];
        for (sum, preference) in sums.iter_mut().zip(preferences) {
            let solution = solve(&arm.solver(), &Problem::new(&targets, &goal).with_preference(preference));
            assert_met(&arm, &goal, &solution);
            *sum += cost(&solution);
        }
    }
    // The base moves so that the joints of the arm come nearer to the middle of their ranges.
    assert!(sums[1] < 0.5 * sums[0], "{sums:?}");
}

#[test]
fn joints_of_a_billion_turns_are_like_joints_without_limits() {
    let endless = Arm::from_text(&six_joints(None), "base", &["tip"]);
    let many = Arm::from_text(&six_joints(Some(1e9)), "base", &["tip"]);
    assert!(many.chain.variables().iter().all(|variable| variable.domain != Domain::Circle));
    assert_eq!(many.chain.nominal_positions(), endless.chain.nominal_positions());
    let mut random = Random::new(4);
    for (one, other) in std::iter::zip(solvers(&endless), solvers(&many)) {
        for _ in 0..TARGETS {
            let (goal, seed) = (random.positions(&endless.chain), random.positions(&endless.chain));
            let targets = endless.targets_at(&goal);
            let problem = Problem::new(&targets, &seed).with_mode(Mode::search());
            let [first, second] = [solve(&one, &problem), solve(&other, &problem)];
            assert_eq!(first.is_solved(), second.is_solved());
            assert_eq!(first.positions, second.positions);
            let moves = second.positions.iter().zip(&seed).map(|(position, seed)| (position - seed).abs());
            assert!(moves.fold(0.0, f64::max) < TAU, "the nearest turn: {:?} from {seed:?}", second.positions);
        }
    }
}
