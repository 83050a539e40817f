//! Standing goals, which have priority over targets.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use serde_json::json;
use urdf_ik::robot::Domain;
use urdf_ik::solver::{Mode, Outcome, Problem, Solution, Target, Unreached};

use crate::common::{self, Random, solve};
use crate::goals::{TOLERANCE, read};

#[test]
fn standing_goals_are_kept_where_a_target_is_out_of_reach() {
    let (mut random, mut ratios) = (Random::new(16), Vec::new());
    for arm in common::bundled_arms() {
        let solver = arm.solver();
        for round in 0..15 {
            let at = random.positions(&arm.chain);
            let tip = arm.tip_poses(&at)[0];
            let axis = random.direction();
            let cone = json!({"type": "cone", "link": arm.chain.tip_names()[0], "axis": axis.as_slice(),
                              "direction": (tip * axis).as_slice(), "angle": if round % 2 == 0 { 0.05 } else { 0.0 }, "standing": true});
            let goals = read(&arm, &[cone]);
            let pose = Isometry3::from_parts(
                (random.direction() * random.between(1.5, 30.0)).into(),
                UnitQuaternion::from_scaled_axis(random.vector(2.0)),
            );
            let (targets, seed) = ([Target::new(0, pose)], random.positions(&arm.chain));
            let problem = Problem::new(&targets, &seed).with_goals(&goals);
            let solution = solve(&solver, &problem);
            assert!(!solution.is_solved() && solution.violations[0] <= TOLERANCE, "{}: {solution:?}", arm.name);
            // The deviation from the target is minimal, as far as other seeds show.
            let error = |solution: &Solution| solution.residuals[0].position / common::length_scale(&solver);
            let error = |solution: &Solution| error(solution).powi(2) + solution.residuals[0].orientation.powi(2);
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let seed = random.positions(&arm.chain);
                let other = solve(&solver, &Problem::new(&targets, &seed).with_goals(&goals));
                best = best.min(error(&other));
            }
            ratios.push(error(&solution) / best);
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] < 1.001 && ratios[ratios.len() * 9 / 10] < 1.05, "{ratios:?}");
}

#[test]
fn positions_and_standing_goals_come_before_orientations() {
    let mut random = Random::new(19);
    let (mut met, mut tried) = (0, 0);
    for arm in common::bundled_arms() {
        for _ in 0..10 {
            let tip = arm.tip_poses(&random.positions(&arm.chain))[0];
            let axis = random.direction();
            let elsewhere = UnitQuaternion::new(random.direction() * 0.4) * (tip * axis);
            let cone = json!({"type": "cone", "link": arm.chain.tip_names()[0], "axis": axis.as_slice(),
                              "direction": elsewhere.as_slice(), "angle": 0.1, "standing": true});
            let (goals, targets) = (read(&arm, &[cone]), [Target::new(0, tip)]);
            let seed = random.positions(&arm.chain);
            let problem = Problem::new(&targets, &seed).with_goals(&goals).with_unreached(Unreached::Position);
            let solution = solve(&arm.solver(), &problem);
            tried += 1;
            if solution.outcome == Outcome::PositionOnly {
                let moved = arm.tip_poses(&solution.positions)[0];
                let angle = (moved * axis).cross(&elsewhere).norm().atan2((moved * axis).dot(&elsewhere));
                assert!(angle <= 0.1 + TOLERANCE, "{}: {angle}", arm.name);
                assert!((moved.translation.vector - tip.translation.vector).norm() <= TOLERANCE, "{}", arm.name);
                met += 1;
            }
        }
    }
    // At the limits of short arms, the position may be infeasible with the cone.
    assert!(met * 2 > tried, "{met} of {tried}");
}

#[test]
fn tracking_leaves_joint_limits_by_the_freedom_of_goals() {
    let (mut random, mut left, mut tried) = (Random::new(23), 0, 0);
    for arm in common::bundled_arms().into_iter().filter(|arm| arm.chain.tips().len() == 1) {
        let (solver, variables) = (arm.solver(), arm.chain.variables().len());
        for joint in (0..variables).filter(|_| variables > 5) {
            let mut at = random.positions(&arm.chain);
            let Domain::Interval { upper, .. } = arm.chain.variables()[joint].domain else { continue };
            at[joint] = upper - 0.05;
            let tip = arm.tip_poses(&at)[0];
            let axis = random.direction();
            let goals = read(
                &arm,
                &[json!({"type": "cone", "link": arm.chain.tip_names()[0], "axis": axis.as_slice(),
                         "direction": (tip * axis).as_slice(), "angle": 0.2, "standing": true})],
            );
            let (shift, steps) = (random.direction() * 0.01, vec![f64::INFINITY; variables]);
            let track = |at: &[f64], fraction: f64| {
                let target = Target::new(0, Translation3::from(shift * fraction.sin()) * tip).position_only();
                let problem = Problem::new(std::slice::from_ref(&target), at)
                    .with_goals(&goals)
                    .with_mode(Mode::Track { max_step: &steps });
                solve(&solver, &problem)
            };
            assert_eq!(track(&at, 0.0).positions, at, "{}: a satisfied target moved the arm", arm.name);
            for tick in 0..100 {
                let solution = track(&at, f64::from(tick) * 0.2);
                assert!(solution.violations[0] <= TOLERANCE, "{}: {solution:?}", arm.name);
                at = solution.positions;
            }
            tried += 1;
            left += u32::from(upper - at[joint] > 0.15);
        }
    }
    assert!(tried >= 10 && left * 10 > tried * 7, "{left} of {tried}");
}
