//! Streams of targets for redundant arms with null-space tasks: the arm converges to the preference without jumps.

use urdf_ik::robot::Domain;
use urdf_ik::solver::{Mode, Preference, Problem, Solution};

use crate::common::joint_curves::{Follower, PERIOD, curve, velocities};
use crate::common::{self, Arm, Random, Share};

/// Streams of each arm with each task.
const STREAMS: usize = 3;
/// Rounding error of a step \[rad or m\].
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

/// Tracks the poses of the tip in configurations along a curve, each from the previous solution, with `preference`, and
/// passes on the seed, the solution without the preference and the one with it.
fn track(arm: &Arm, preference: &Preference, random: &mut Random, mut each: impl FnMut(&[f64], &Solution, &Solution)) {
    let (solver, configurations) = (arm.solver(), curve(arm, random));
    let unbounded = vec![f64::INFINITY; arm.chain.variables().len()];
    let mut seed = configurations[0].clone();
    for configuration in &configurations {
        let targets = arm.targets_at(configuration);
        let plain = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &unbounded });
        let without = common::solve(&solver, &plain);
        let with = common::solve(&solver, &plain.with_preference(*preference));
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
            assert!(moved > 1e-3, "{}, {task}: the task has no effect", arm.name);
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
                assert!(rest.arrives() && rest.stream.unmet == 0, "{}, {task}: {rest:?}", arm.name);
                gain += rest.gain;
            }
            assert!(gain > 1e-3, "{}, {task}: no improvement was possible", arm.name);
        }
    }
}

/// Fetch's wrist bends beyond its limit, while the posture task holds the forearm. Only a rotation of the forearm
/// continues the motion, and it must be a large one if the wrist bends straight up.
#[test]
fn the_task_gives_way_before_a_limit_makes_the_arm_jump() {
    /// A step \[rad\] that the arm takes at the limit if it has not begun to turn.
    const LONG: f64 = 0.1;
    let arm = common::arms_named(&["fetch7"]).swap_remove(0);
    let (forearm, wrist) = (4, 5);
    let Domain::Interval { upper, .. } = arm.chain.variables()[wrist].domain else { panic!("the wrist has limits") };
    let (max_step, mut random) = (max_steps(&arm), Random::new(8));
    let (mut followed, mut jumps) = (0, 0);
    for _ in 0..60 {
        let mut start = random.positions(&arm.chain);
        (start[forearm], start[wrist]) = (random.between(0.01, 0.05), upper - 0.5);
        let bent = |step: u32| {
            let mut bent = start.clone();
            bent[wrist] += 0.01 * f64::from(step);
            bent
        };
        let hold = Preference {
            posture: Some(&start),
            posture_weight: 1.0,
            max_step: Some(&max_step),
            ..Preference::default()
        };
        let course = Follower::new(&arm, hold, &start).follow(&(0..60).map(bent).collect::<Vec<_>>());
        // Else it is beyond the reach, or other joints are at their limits.
        if course.searched == 0 {
            followed += 1;
            jumps += usize::from(course.largest_step > LONG);
        }
    }
    println!("{jumps} of {followed} jump");
    assert!(followed >= 10, "{followed} are followed");
    Share { failed: jumps, of: followed }.assert_at_most(0.3, "steps over 0.1 rad");
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
