//! Goals other than poses: solved, satisfied by exactly the returned positions, and explained if infeasible.

use std::time::Duration;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::robot::{Domain, without_whole_turns};
use urdf_ik::solver::{
    Mode, Outcome, Part, Pick, Preference, Problem, ProblemError, Reason, Solution, Stop, Target, Unreached,
};

use crate::common::{self, Arm, Random, bits, solve, urdf};

/// Rounding on top of the tolerance of goals.
pub const TOLERANCE: f64 = 1.001e-5;

/// Reads goals for an arm, with all joints outside the chain at their neutral positions.
pub fn read(arm: &Arm, list: &[Value]) -> Vec<Goal> {
    let positions = arm.robot.neutral_positions();
    let context = GoalContext { robot: &arm.robot, chain: &arm.chain, positions: &positions, frames: &[] };
    Goal::read_all(list, &context).unwrap()
}

/// Solves for goals alone.
fn solve_for(arm: &Arm, list: &[Value], seed: &[f64]) -> Solution {
    solve(&arm.solver(), &Problem::new(&[], seed).with_goals(&read(arm, list)))
}

/// Properties of a random configuration: a value of each kind, computed only from the poses of the tips.
struct Found {
    /// Pose of the first tip relative to the last one, or to the base link.
    relative: Isometry3<f64>,
    point: Point3<f64>,
    positions: Vec<f64>,
}

impl Found {
    fn at(arm: &Arm, positions: &[f64], point: &Vector3<f64>) -> Self {
        let tips = arm.tip_poses(positions);
        let relative = if tips.len() > 1 { tips[tips.len() - 1].inv_mul(&tips[0]) } else { tips[0] };
        Self { relative, point: relative * Point3::from(*point), positions: positions.to_vec() }
    }

    /// The angle between an axis of the tip and a direction.
    fn angle(&self, axis: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        let axis = self.relative * axis;
        axis.cross(direction).norm().atan2(axis.dot(direction))
    }
}

/// A goal that holds at a configuration, and an independent measure of its violation.
struct Wanted {
    goal: Value,
    violation: Box<dyn Fn(&Found) -> f64>,
}

/// A goal of each kind around a configuration, with the common fields.
fn wanted(found: &Found, random: &mut Random, names: &[Option<&str>]) -> Vec<Wanted> {
    let list = |vector: &Vector3<f64>| json!(vector.as_slice());
    let beyond = |value: f64, low: f64, high: f64| (low - value).max(value - high).max(0.0);
    let (half, centre) = (random.between(0.0, 0.05), found.point.coords);
    let axis = random.direction();
    let aside = UnitQuaternion::from_scaled_axis(random.direction() * 0.1);
    let direction = aside * (found.relative * axis);
    let other = centre + random.direction() * 0.4;
    let distance = (centre - other).norm();
    let seen = centre + direction * random.between(0.3, 1.0);
    let rotation = found.relative.rotation;
    let turning: Vec<usize> = (0..names.len()).filter(|index| names[*index].is_some()).collect();
    let (first, second) = (turning[random.below(turning.len())], turning[random.below(turning.len())]);
    let sum = found.positions[first] - 2.0 * found.positions[second];
    let coefficients = if first == second {
        json!({names[first].unwrap(): -1.0})
    } else {
        json!({names[first].unwrap(): 1.0, names[second].unwrap(): -2.0})
    };
    vec![
        Wanted {
            goal: json!({"type": "position", "p": list(&centre), "lower": [-half, 0.0, null], "upper": [half, 0.0, 0.01]}),
            violation: Box::new(move |at| {
                let offset = at.point.coords - centre;
                [beyond(offset.x, -half, half), offset.y, beyond(offset.z, f64::NEG_INFINITY, 0.01)]
                    .iter()
                    .map(|part| part * part)
                    .sum::<f64>()
                    .sqrt()
            }),
        },
        Wanted {
            goal: json!({"type": "distance", "p": list(&other), "lower": distance, "upper": distance + half}),
            violation: Box::new(move |at| beyond((at.point.coords - other).norm(), distance, distance + half)),
        },
        Wanted {
            goal: json!({"type": "distance", "p": list(&centre), "direction": list(&axis), "upper": half}),
            violation: Box::new(move |at| beyond((at.point.coords - centre).cross(&axis).norm(), 0.0, half)),
        },
        Wanted {
            goal: json!({"type": "cone", "axis": list(&axis), "direction": list(&direction), "angle": 0.11}),
            violation: Box::new(move |at| beyond(at.angle(&axis, &direction), 0.0, 0.11)),
        },
        Wanted {
            goal: json!({"type": "gaze", "axis": list(&axis), "p": list(&seen), "angle": 0.12}),
            violation: Box::new(move |at| beyond(at.angle(&axis, &(seen - at.point.coords)), 0.0, 0.12)),
        },
        Wanted {
            goal: json!({"type": "orientation", "q_xyzw": rotation.coords.as_slice(), "lower": [-half, -half, null], "upper": [half, 0.0, null]}),
            violation: Box::new(move |at| {
                let error = (rotation.inverse() * at.relative.rotation).scaled_axis();
                beyond(error.x, -half, half).hypot(beyond(error.y, -half, 0.0))
            }),
        },
        Wanted {
            goal: json!({"type": "joints", "coefficients": coefficients, "lower": sum - half, "upper": sum + half}),
            violation: Box::new(move |at| {
                beyond(at.positions[first] - 2.0 * at.positions[second], sum - half, sum + half)
            }),
        },
    ]
}

#[test]
fn goals_alone_in_pairs_and_between_tips_hold_at_the_returned_positions() {
    let mut arms = common::bundled_arms();
    arms.push(common::two_handed());
    for arm in arms {
        let (solver, mut random) = (arm.solver(), Random::new(11));
        // A relation adds positions of one unit.
        let turning = arm.chain.variables().iter().map(|variable| (&*variable.name, variable.prismatic));
        let names: Vec<_> = turning.map(|(name, prismatic)| (!prismatic).then_some(name)).collect();
        let tips = arm.chain.tip_names();
        let (mut solved, mut total) = (0_usize, 0_usize);
        for round in 0..12 {
            let point = random.vector(0.1);
            let wanted = wanted(&Found::at(&arm, &random.positions(&arm.chain), &point), &mut random, &names);
            for index in 0..wanted.len() {
                let pair = [&wanted[index], &wanted[(index + round) % wanted.len()]];
                let chosen = &pair[..if round % wanted.len() == 0 { 1 } else { 2 }];
                let mut list: Vec<Value> = chosen.iter().map(|wanted| wanted.goal.clone()).collect();
                for goal in list.iter_mut().filter(|goal| goal["type"] != "joints") {
                    goal["link"] = json!(tips[0]);
                    goal["frame"] = json!(if tips.len() > 1 { tips[tips.len() - 1] } else { arm.chain.base() });
                    if ["position", "distance", "gaze"].contains(&goal["type"].as_str().unwrap()) {
                        goal["point"] = json!(point.as_slice());
                    }
                }
                let (goals, seed) = (read(&arm, &list), random.positions(&arm.chain));
                let problem = Problem::new(&[], &seed).with_goals(&goals);
                let solution = solve(&solver, &problem);
                assert!(arm.chain.contains(&solution.positions) && solution.violations.len() == goals.len());
                assert_eq!(bits(&solution), bits(&solve(&solver, &problem)), "the same problem has the same answer");
                let found = Found::at(&arm, &solution.positions, &point);
                for (wanted, violation) in chosen.iter().zip(&solution.violations) {
                    assert!(((wanted.violation)(&found) - violation).abs() < 1e-9, "{}: {solution:?}", wanted.goal);
                    assert!(!solution.is_solved() || *violation <= TOLERANCE);
                }
                total += 1;
                solved += usize::from(solution.is_solved());
            }
        }
        assert_eq!(solved, total, "{}", arm.name);
    }
}

#[test]
fn an_arm_that_meets_its_goals_does_not_move() {
    let arm = &common::bundled_arms()[0];
    let mut random = Random::new(12);
    let seed = random.positions(&arm.chain);
    let found = Found::at(arm, &seed, &Vector3::zeros());
    let names: Vec<_> = arm.chain.variable_names().into_iter().map(Some).collect();
    let list: Vec<Value> = wanted(&found, &mut random, &names).into_iter().map(|wanted| wanted.goal).collect();
    assert_eq!(solve_for(arm, &list, &seed).positions, seed);
}

#[test]
fn a_target_and_goals_are_met_together() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random) = (arm.solver(), Random::new(13));
    for _ in 0..50 {
        let positions = random.positions(&arm.chain);
        let target = arm.targets_at(&positions)[0].position_only();
        let axis = random.direction();
        let direction = target.pose * axis;
        let cone = json!({"type": "cone", "axis": axis.as_slice(), "direction": direction.as_slice(), "angle": 0.0});
        let (goals, seed) = (read(arm, &[cone]), random.positions(&arm.chain));
        let solution = solve(&solver, &Problem::new(&[target], &seed).with_goals(&goals));
        assert!(solution.is_solved(), "{solution:?}");
        let tip = arm.tip_poses(&solution.positions)[0];
        assert!((tip * axis).cross(&direction).norm() <= TOLERANCE && target.residual(&tip).position <= TOLERANCE);
    }
}

#[test]
fn relations_hold_for_the_returned_revolutions() {
    let arm = Arm::from_text(&urdf::spherical(0.5, 0.4), "base", &["tip"]);
    let mut random = Random::new(14);
    for _ in 0..50 {
        let seed: Vec<f64> = (0..3).map(|_| random.between(-9.0, 9.0)).collect();
        let sum = random.between(-9.0, 9.0);
        let goal = json!({"type": "joints", "coefficients": {"yaw": 1, "elbow": -2}, "lower": sum, "upper": sum});
        let solution = solve_for(&arm, &[goal], &seed);
        assert!(solution.is_solved(), "{solution:?}");
        assert!((solution.positions[0] - 2.0 * solution.positions[2] - sum).abs() <= TOLERANCE, "{solution:?}");
    }
}

#[test]
fn tracking_keeps_its_steps() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random, mut solved) = (arm.solver(), Random::new(15), 0);
    for _ in 0..30 {
        let seed = random.positions(&arm.chain);
        let tip = arm.tip_poses(&seed)[0];
        let goal = json!({"type": "position", "p": (tip.translation.vector + random.direction() * 0.02).as_slice(),
                          "lower": [-0.01, -0.01, -0.01], "upper": [0.01, 0.01, 0.01]});
        let goals = read(arm, &[goal]);
        let problem = Problem::new(&[], &seed).with_goals(&goals).with_mode(Mode::Track { max_step: &[0.05; 7] });
        let solution = solve(&solver, &problem);
        let mut moves = seed.iter().zip(&solution.positions);
        assert!(moves.all(|(from, to)| (from - 0.05..=from + 0.05).contains(to)) && solution.attempts == 1);
        solved += usize::from(solution.is_solved());
    }
    assert!(solved > 15, "{solved}");
}

/// The reason of a failure, and its message.
fn reason(arm: &Arm, list: &[Value]) -> (Reason, String) {
    let solution = solve_for(arm, list, &arm.chain.nominal_positions());
    match solution.outcome {
        Outcome::Closest(reason) => (reason, solution.sentence(&arm.chain)),
        _ => panic!("{solution:?}"),
    }
}

#[test]
fn a_failure_has_its_reason() {
    let arm = Arm::from_text(&urdf::spherical(0.5, 0.4), "base", &["tip"]);
    let up = json!({"type": "cone", "axis": [1, 0, 0], "direction": [0, 0, 1], "angle": 0.2, "name": "up"});
    let down = json!({"type": "cone", "axis": [1, 0, 0], "direction": [0, 0, -1], "angle": 0.2, "name": "down"});
    let (found, sentence) = reason(&arm, &[up.clone(), down]);
    assert_eq!(found, Reason::Conflict { part: Part::Goal(0) }, "{sentence}");
    assert!(sentence.contains("goal 'up' excludes the others") && sentence.contains("is violated"), "{sentence}");
    let far = json!({"type": "position", "p": [3, 0, 0], "lower": [0, 0, 0], "upper": [0, 0, 0]});
    let (found, sentence) = reason(&arm, &[up, far]);
    assert_eq!(found, Reason::Unreachable { part: Part::Goal(1) }, "{sentence}");
    let arm = &common::bundled_arms()[0];
    let variable = &arm.chain.variables()[3];
    let [_, upper] = variable.domain.ends();
    let beyond = json!({"type": "joints", "coefficients": {&*variable.name: 1}, "lower": upper + 0.1});
    assert_eq!(reason(arm, &[beyond]).0, Reason::JointLimits);
}

#[test]
fn a_goal_that_excludes_the_target_is_named() {
    let arm = &common::bundled_arms()[0];
    let target = Target::new(0, arm.tip_poses(&arm.chain.nominal_positions())[0]);
    let far = target.pose.translation.vector + Vector3::x() * 0.1;
    let goals = read(arm, &[json!({"type": "position", "p": far.as_slice(), "lower": [0, 0, 0], "upper": [0, 0, 0]})]);
    let seed = arm.chain.nominal_positions();
    let solution = solve(&arm.solver(), &Problem::new(&[target], &seed).with_goals(&goals));
    assert_eq!(solution.outcome, Outcome::Closest(Reason::Conflict { part: Part::Target(0) }));
}

#[test]
fn every_option_works_without_a_target() {
    let mut random = Random::new(17);
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        let link = arm.chain.tip_names()[0];
        let tip = arm.tip_poses(&random.positions(&arm.chain))[0];
        let boxed = json!({"type": "position", "link": link, "p": tip.translation.vector.as_slice(), "lower": [-0.1, -0.1, -0.1], "upper": [0.1, 0.1, 0.1]});
        let cone = json!({"type": "cone", "link": link, "axis": [0, 0, 1], "direction": (tip * Vector3::z()).as_slice(), "angle": 0.2});
        let goals = read(&arm, &[boxed, cone]);
        let (seed, posture, steps) = (random.positions(&arm.chain), random.positions(&arm.chain), vec![0.1; 40]);
        let steps = &steps[..seed.len()];
        let modes = [Pick::First, Pick::Nearest, Pick::MostManipulable].map(|pick| Mode::Search {
            pick,
            attempts: 100,
            random_seed: 0,
        });
        for mode in modes.into_iter().chain([Mode::Track { max_step: steps }]) {
            for posture in [None, Some(&*posture)] {
                let mut preference = Preference { posture, posture_weight: 1.0, ..Preference::default() };
                preference.manipulability_weight = if posture.is_some() { 0.1 } else { 0.0 };
                for unreached in Unreached::ALL {
                    for goals in [&goals[..], &goals[1..]] {
                        let problem =
                            Problem::new(&[], &seed).with_goals(goals).with_mode(mode).with_unreached(unreached);
                        let solution = solve(&arm.solver(), &problem.with_preference(preference));
                        assert!(
                            solution.is_solved() || matches!(mode, Mode::Track { .. }),
                            "{}: {solution:?}",
                            arm.name
                        );
                        assert_eq!(solution.smallest_singular_value, None);
                    }
                }
            }
        }
        let found = common::all_solutions(&arm.solver(), &Problem::new(&[], &seed).with_goals(&goals));
        assert!(!found.is_empty() && found.iter().all(Solution::is_solved), "{}", arm.name);
    }
}

#[test]
fn a_posture_uses_the_freedom_of_goals() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random) = (arm.solver(), Random::new(18));
    for _ in 0..20 {
        let tip = arm.tip_poses(&random.positions(&arm.chain))[0];
        let boxed = json!({"type": "position", "p": tip.translation.vector.as_slice(), "lower": [-0.05, -0.05, -0.05], "upper": [0.05, 0.05, 0.05]});
        let goals = read(arm, &[boxed]);
        let (seed, posture) = (random.positions(&arm.chain), random.positions(&arm.chain));
        // The revolutions of a continuous joint make no difference.
        let distance = |solution: &Solution| {
            let variables = arm.chain.variables().iter().zip(&solution.positions).zip(&posture);
            let moves = variables.map(|((variable, position), preferred)| match variable.domain {
                Domain::Circle => without_whole_turns(position - preferred),
                Domain::Interval { .. } => position - preferred,
            });
            moves.map(|distance| distance * distance).sum::<f64>()
        };
        let problem = Problem::new(&[], &seed).with_goals(&goals);
        let without = solve(&solver, &problem);
        let preference = Preference { posture: Some(&posture), posture_weight: 1.0, ..Preference::default() };
        let with = solve(&solver, &problem.with_preference(preference));
        assert!(with.is_solved() && without.is_solved());
        assert!(distance(&with) <= distance(&without), "{} {}", distance(&with), distance(&without));
    }
}

#[test]
fn a_problem_without_targets_and_goals_is_refused() {
    let arm = &common::bundled_arms()[0];
    let (seed, solver) = (arm.chain.nominal_positions(), arm.solver());
    let refused = solver.solve(&Problem::new(&[], &seed), &mut solver.scratch(), &mut solver.solution());
    assert_eq!(refused, Err(ProblemError::NoTarget));
}

#[test]
fn a_search_that_time_ends_has_no_reason() {
    let arm = &common::bundled_arms()[0];
    let cone = |direction: [f64; 3]| json!({"type": "cone", "axis": [0, 0, 1], "direction": direction, "angle": 0.1});
    let goals = read(arm, &[cone([0.0, 0.0, 1.0]), cone([0.0, 0.0, -1.0])]);
    let seed = arm.chain.nominal_positions();
    let problem = Problem::new(&[], &seed).with_goals(&goals).with_deadline(Some(Duration::ZERO));
    let solution = solve(&arm.solver(), &problem);
    assert_eq!((solution.outcome, solution.stop), (Outcome::Closest(Reason::NotConverged), Stop::Deadline));
}
