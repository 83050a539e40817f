//! Streams of targets for redundant arms with null-space tasks: the arm flows to what it prefers, and never leaps there.

use urdf_ik::solver::{Mode, Preference, Problem, Solution};

use crate::common::joint_curves::{Follower, PERIOD, curve, velocities};
use crate::common::{self, Arm, Random};

/// Streams of each arm with each task.
const STREAMS: usize = 3;
/// What rounding may add to a step \[rad or m\].
const ROUNDING: f64 = 1e-12;

fn redundant_arms() -> Vec<Arm> {
    common::all_arms().into_iter().filter(|arm| arm.chain.variables().len() > 6).collect()
}

/// Each task by itself and all together, about `posture`, with steps of at most `max_step`.
fn tasks<'a>(posture: &'a [f64], max_step: &'a [f64]) -> [(&'static str, Preference<'a>); 4] {
    let none = Preference { posture: Some(posture), max_step: Some(max_step), ..Preference::default() };
    [
        ("limits", Preference { limits_weight: 1.0, ..none }),
        ("manipulability", Preference { manipulability_weight: 1.0, ..none }),
        ("posture", Preference { posture_weight: 1.0, ..none }),
        ("all", Preference { limits_weight: 1.0, manipulability_weight: 1.0, posture_weight: 1.0, ..none }),
    ]
}

fn max_steps(arm: &Arm) -> Vec<f64> {
    velocities(arm).iter().map(|velocity| velocity * PERIOD).collect()
}

/// Tracks the poses of the tip in configurations along a curve, each from the solution before, with `preference`, and passes on the seed,
/// the solution without the preference and that with it.
fn track(arm: &Arm, preference: &Preference, random: &mut Random, mut each: impl FnMut(&[f64], &Solution, &Solution)) {
    let (solver, configurations) = (arm.solver(), curve(arm, random));
    let unbounded = vec![f64::INFINITY; arm.chain.variables().len()];
    let mut seed = configurations[0].clone();
    for configuration in &configurations {
        let targets = arm.targets_at(configuration);
        let plain = Problem { mode: Mode::Track { max_step: &unbounded }, ..Problem::new(&targets, &seed) };
        let without = common::solve(&solver, &plain);
        let with = common::solve(&solver, &Problem { preference: *preference, ..plain });
        each(&seed, &without, &with);
        seed.clone_from(&with.positions);
    }
}

#[test]
fn no_joint_moves_for_the_task_farther_than_it_may_and_the_targets_stay_met() {
    for arm in redundant_arms() {
        let (posture, max_step) = (arm.chain.nominal_positions(), max_steps(&arm));
        for (task, preference) in tasks(&posture, &max_step) {
            let (mut random, mut moved) = (Random::new(5), 0.0_f64);
            for _ in 0..STREAMS {
                track(&arm, &preference, &mut random, |seed, without, with| {
                    assert_eq!(with.is_solved(), without.is_solved(), "{}, {task}", arm.name);
                    assert!(arm.chain.contains(&with.positions), "{}, {task}: {with:?}", arm.name);
                    for (i, (plain, at)) in without.positions.iter().zip(&with.positions).enumerate() {
                        let lower = plain.min(seed[i] - max_step[i]) - ROUNDING;
                        let upper = plain.max(seed[i] + max_step[i]) + ROUNDING;
                        assert!(
                            (lower..=upper).contains(at),
                            "{}, {task}: {at} from {}, not {plain}",
                            arm.name,
                            seed[i]
                        );
                        moved = moved.max((at - plain).abs());
                    }
                });
            }
            assert!(moved > 1e-3, "{}, {task}: the task does nothing", arm.name);
        }
    }
}

#[test]
fn a_target_that_rests_lets_the_task_come_to_its_optimum() {
    for arm in redundant_arms() {
        let (posture, max_step, velocities) = (arm.chain.nominal_positions(), max_steps(&arm), velocities(&arm));
        for (task, preference) in tasks(&posture, &max_step) {
            let (mut random, mut gain) = (Random::new(6), 0.0);
            for _ in 0..STREAMS {
                let start = &curve(&arm, &mut random)[0];
                let rest = Follower::new(&arm, preference, start).rest(start, &velocities);
                assert!(rest.arrives() && rest.course.unmet == 0, "{}, {task}: {rest:?}", arm.name);
                gain += rest.gain;
            }
            assert!(gain > 1e-3, "{}, {task}: there was nothing to gain", arm.name);
        }
    }
}

#[test]
fn without_weights_no_bit_changes() {
    for arm in redundant_arms() {
        let (posture, max_step) = (arm.chain.nominal_positions(), max_steps(&arm));
        let preference = Preference { posture: Some(&posture), max_step: Some(&max_step), ..Preference::default() };
        track(&arm, &preference, &mut Random::new(7), |_, without, with| {
            assert_eq!(common::bits(without), common::bits(with), "{}", arm.name);
        });
    }
}
