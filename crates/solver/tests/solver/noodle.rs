//! Noodles of 10, 100 and 1000 joints, by every solver.

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use urdf_ik::robot::{Noodle, NoodleJoints};
use urdf_ik::solver::FabrikOptions;
use urdf_ik::solver::{Outcome, Problem, Reason, Scratch, Solution, Solver, Target};

use crate::common::{self, Arm, Random, Share};

/// Length of every noodle \[m\].
const LENGTH: f64 = 1.0;

fn noodle(joints: NoodleJoints, segments: usize, limit: Option<f64>) -> Arm {
    let noodle = Noodle { joints, limit, length: LENGTH, ..Noodle::new(segments) };
    let mut arm = Arm::from_text(&noodle.urdf().unwrap(), Noodle::BASE_LINK, &[Noodle::TIP_LINK]);
    arm.name = format!("{segments} joints, {joints:?}, limit {limit:?}");
    arm
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// The solvers, each with its name: Newton steps, FABRIK alone and polished.
fn solvers(arm: &Arm) -> [(&'static str, Solver); 3] {
    let newton = arm.solver();
    let fabrik = |polish| newton.with_method(FabrikOptions::new(3, polish)).unwrap();
    [("fabrik alone", fabrik(false)), ("fabrik", fabrik(true)), ("jacobian", newton)]
}

/// A noodle in waves: the hinges about each axis bend together as one slow wave, up to half a turn in all
/// before they bend back.
fn smooth(arm: &Arm, random: &mut Random) -> Vec<f64> {
    let count = number(arm.chain.variables().len());
    let waves = [0, 1, 2].map(|_| (random.between(0.3, PI), random.between(0.2, 1.2), random.unit()));
    let position = |(index, variable): (usize, &urdf_ik::robot::Variable)| {
        let axis = arm.chain.joints()[index].axis.into_inner().iamax();
        let (bend, frequency, phase) = waves[axis];
        variable.domain.clamp(3.0 * bend / count * (TAU * (frequency * number(index) / count + phase)).sin())
    };
    arm.chain.variables().iter().enumerate().map(position).collect()
}

/// One noodle with one solver, and the memory of its solves.
struct Trial<'a> {
    arm: &'a Arm,
    name: &'a str,
    solver: &'a Solver,
    scratch: Scratch,
    solution: Solution,
}

impl<'a> Trial<'a> {
    fn new(arm: &'a Arm, name: &'a str, solver: &'a Solver) -> Self {
        Self { arm, name, solver, scratch: solver.scratch(), solution: solver.solution() }
    }

    /// Solves for the target. Checks the limits and, by independent kinematics, every claim.
    fn solve(&mut self, target: Target, seed: &[f64]) -> &Solution {
        let targets = [target];
        self.solver.solve(&Problem::new(&targets, seed), &mut self.scratch, &mut self.solution).unwrap();
        let (arm, solution) = (self.arm, &self.solution);
        assert!(arm.chain.contains(&solution.positions), "{}, {}: outside the limits", arm.name, self.name);
        let found = target.residual(&arm.tip_poses(&solution.positions)[0]);
        let (position, orientation) = (found.position, found.orientation);
        let claimed = &solution.residuals[0];
        let apart = (position - claimed.position).abs().max((orientation - claimed.orientation).abs());
        assert!(apart < 1e-9, "{}, {}: {found:?} {claimed:?}", arm.name, self.name);
        assert_eq!(solution.is_solved(), claimed.position <= 1e-5 && claimed.orientation <= 1e-5);
        solution
    }
}

/// Targets reached by known configurations, from a straight and from a random configuration, with
/// orientation and without.
fn meets_reachable_targets(arm: &Arm, count: usize) {
    let mut random = Random::new(121);
    let straight = arm.chain.nominal_positions();
    let (mut missed, mut of) = (Vec::new(), 0);
    for round in 0..count {
        let (wave, any) = (smooth(arm, &mut random), random.positions(&arm.chain));
        let seed = random.positions(&arm.chain);
        for (name, solver) in &solvers(arm) {
            let mut trial = Trial::new(arm, name, solver);
            for (shape, positions) in [("smooth", &wave), ("rough", &any)] {
                let target = arm.targets_at(positions)[0];
                for (from, seed) in [("straight", &straight), ("random", &seed)] {
                    let what = format!("target {round}, {shape}, from a {from} configuration");
                    for target in [target, target.position_only()] {
                        let solution = trial.solve(target, seed);
                        of += 1;
                        if !solution.is_solved() {
                            missed.push(format!("{}, {name}, {what}: {}", arm.name, solution.sentence(&arm.chain)));
                        }
                    }
                }
            }
        }
    }
    println!("{}: {} of {of} missed {missed:#?}", arm.name, missed.len());
    Share { failed: missed.len(), of }.assert_at_most(0.002, &arm.name);
}

#[test]
fn ten_joints() {
    for joints in [NoodleJoints::Alternating, NoodleJoints::Ball] {
        for limit in [None, Some(1.0)] {
            meets_reachable_targets(&noodle(joints, 10, limit), 10);
        }
    }
}

#[test]
fn a_hundred_joints() {
    for joints in [NoodleJoints::Alternating, NoodleJoints::Ball] {
        for limit in [None, Some(0.5)] {
            meets_reachable_targets(&noodle(joints, 100, limit), 3);
        }
    }
}

#[test]
fn a_thousand_joints() {
    for joints in [NoodleJoints::Alternating, NoodleJoints::Ball] {
        for limit in [None, Some(0.2)] {
            meets_reachable_targets(&noodle(joints, 1000, limit), 1);
        }
    }
}

#[test]
fn targets_beyond_the_reach_are_reported_with_the_distance() {
    for segments in [10, 100, 1000] {
        let arm = noodle(NoodleJoints::Alternating, segments, None);
        let straight = arm.chain.nominal_positions();
        for (name, solver) in &solvers(&arm) {
            let mut trial = Trial::new(&arm, name, solver);
            for direction in [Vector3::z(), Vector3::x(), Vector3::new(1.0, -2.0, -2.0) / 3.0] {
                let place = Translation3::from(1.2 * LENGTH * direction);
                for target in [Target::new(0, Isometry3::from(place)), Target::new(0, place.into()).position_only()] {
                    let solution = trial.solve(target, &straight);
                    let Outcome::Closest(Reason::OutOfReach { target: 0, distance, reach }) = solution.outcome else {
                        panic!("{}, {name}: {:?}", arm.name, solution.outcome);
                    };
                    assert!(distance > reach.outer && (reach.outer - LENGTH).abs() < LENGTH / number(segments) + 1e-9);
                    assert!(solution.residuals[0].position > 0.2 * LENGTH - 1e-9);
                }
            }
        }
    }
}

/// Hinges that can bend by 45° in total about each axis cannot bring the tip back to the base.
#[test]
fn no_solution_is_claimed_where_limits_forbid_it() {
    for segments in [10, 100, 1000] {
        let arm = noodle(NoodleJoints::Alternating, segments, Some(0.5 * PI / number(segments)));
        let straight = arm.chain.nominal_positions();
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        let target = Target::new(0, Isometry3::from_parts(Translation3::new(0.1, 0.0, 0.1), down));
        for (name, solver) in &solvers(&arm) {
            for target in [target, target.position_only()] {
                let mut trial = Trial::new(&arm, name, solver);
                let solution = trial.solve(target, &straight);
                let honest = matches!(solution.outcome, Outcome::Closest(Reason::JointLimits | Reason::NotConverged));
                assert!(honest, "{}, {name}: {:?}", arm.name, solution.outcome);
                assert!(solution.residuals[0].position > 0.1, "{}, {name}", arm.name);
            }
        }
    }
}

#[test]
fn the_same_problem_has_the_same_solution() {
    let arm = noodle(NoodleJoints::Alternating, 1000, None);
    let mut random = Random::new(22);
    let (target, seed) = (arm.targets_at(&smooth(&arm, &mut random))[0], random.positions(&arm.chain));
    for (name, solver) in &solvers(&arm) {
        let once = common::bits(Trial::new(&arm, name, solver).solve(target, &seed));
        assert_eq!(once, common::bits(Trial::new(&arm, name, solver).solve(target, &seed)), "{name}");
    }
}
