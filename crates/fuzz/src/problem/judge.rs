//! Judges an answer by the kinematics of the complete robot, exact distances, and formulas of its own.

use nalgebra::{Isometry3, Unit, Vector3};
use urdf_ik::collision::{BodyDistances, LinkPoses};
use urdf_ik::goals::{ExactConfiguration, Rows, TOLERANCE};
use urdf_ik::robot::ChainPoses;
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Solution, Target};

use super::{Question, Subject};

/// Rounding of positions and angles, per metre from the origin.
const ROUNDING: f64 = 1e-12;
/// How much more a value may exceed its limit, relative to it.
const RELATIVE: f64 = 1.0 + 1e-9;

/// Panics if the positions violate a limit, or a claim is false.
pub fn check(subject: &Subject, question: &Question, problem: &Problem, solution: &Solution) {
    let fail = |what: &str| panic!("{what}: {}, {question:?}, {solution:?}", subject.arm.name);
    let is_solved = solution.outcome == Outcome::Solved;
    check_limits(subject, problem, solution, &fail);
    check_targets(subject, problem, solution, &fail);
    check_goals(subject, problem, solution, &fail);
    if is_solved {
        if problem.accepts.is_some_and(|accepts| !accepts(&solution.positions)) {
            fail("an answer that was refused");
        }
        check_clearance(subject, problem, solution, &fail);
    }
    let is_refuted =
        matches!(solution.outcome, Outcome::Closest(Reason::OutOfReach { .. } | Reason::Unreachable { .. }));
    if is_refuted && question.is_reachable {
        fail("a target that a configuration meets is called out of reach");
    }
}

fn check_limits(subject: &Subject, problem: &Problem, solution: &Solution, fail: &impl Fn(&str)) {
    let chain = &subject.arm.chain;
    let positions = &solution.positions;
    if !chain.contains(positions) {
        fail("outside the limits");
    }
    if problem.bounds.is_some_and(|bounds| {
        let within = |(at, (lower, upper)): (&f64, (&f64, &f64))| lower <= at && at <= upper;
        !positions.iter().zip(bounds.lower.iter().zip(bounds.upper)).all(within)
    }) {
        fail("outside the bounds");
    }
    if let Mode::Track { max_step } = problem.mode {
        let seed = chain.domains().into_iter().zip(problem.seed).map(|(domain, at)| domain.clamp(*at));
        let too_far = |((at, seed), step): ((&f64, f64), &f64)| (at - seed).abs() > step * RELATIVE + ROUNDING;
        if positions.iter().zip(seed).zip(max_step).any(too_far) {
            fail("a step that is too large");
        }
    }
}

fn check_targets(subject: &Subject, problem: &Problem, solution: &Solution, fail: &impl Fn(&str)) {
    let poses = subject.arm.tip_poses(&solution.positions);
    for (target, residual) in problem.targets.iter().zip(&solution.residuals) {
        let tip = &poses[target.tip];
        let [position, orientation] = errors(target, tip);
        let slack = ROUNDING * (1.0 + tip.translation.vector.norm());
        let differ = |one: f64, other: f64| (one - other).abs() > slack + 1e-9 * one.abs();
        if differ(position, residual.position) || differ(orientation, residual.orientation) {
            fail(&format!("a false residual; the errors are {position} and {orientation}"));
        }
        let position_met = position <= target.tolerance.position * RELATIVE + slack;
        let orientation_met = orientation <= target.tolerance.orientation * RELATIVE + slack;
        match solution.outcome {
            Outcome::Solved if !(position_met && orientation_met) => fail("a false success"),
            Outcome::PositionOnly if !position_met => fail("a false position"),
            _ => {}
        }
    }
}

/// Position error \[m\] and orientation error \[rad\] over the axes that are not free.
fn errors(target: &Target, tip: &Isometry3<f64>) -> [f64; 2] {
    let apart = tip.rotation.inverse() * (target.pose.translation.vector - tip.translation.vector);
    let squares = apart.iter().zip(&target.free_axes).map(|(d, free)| if *free { 0.0 } else { d * d });
    let turn = tip.rotation.inverse() * target.pose.rotation;
    let free: Vec<usize> = (0..3).filter(|axis| target.free_axes[3 + axis]).collect();
    let unit = |axis: usize| Unit::new_unchecked(Vector3::ith(axis, 1.0));
    let angle = match free[..] {
        [] => 2.0 * turn.coords.xyz().norm().atan2(turn.coords.w.abs()),
        [axis] => {
            let (from, to) = (unit(axis).into_inner(), turn * unit(axis).into_inner());
            from.cross(&to).norm().atan2(from.dot(&to))
        }
        [_, _] => (0..3).filter(|axis| !free.contains(axis)).map(|axis| turn.scaled_axis()[axis].abs()).sum(),
        _ => 0.0,
    };
    [squares.sum::<f64>().sqrt(), angle]
}

fn check_goals(subject: &Subject, problem: &Problem, solution: &Solution, fail: &impl Fn(&str)) {
    let mut poses = ChainPoses::new(&subject.arm.chain);
    subject.arm.chain.forward_kinematics(&solution.positions, &mut poses);
    let at = ExactConfiguration { positions: &solution.positions, poses: &poses };
    let mut rows = Rows::default();
    for goal in problem.goals {
        let violation = goal.violation(&at, &mut rows);
        let needed =
            solution.outcome == Outcome::Solved || solution.outcome == Outcome::PositionOnly && goal.is_standing();
        if needed && violation > TOLERANCE * RELATIVE + ROUNDING {
            fail(&format!("a false success: goal '{}' is violated by {violation}", goal.name()));
        }
    }
}

/// Compares the exact distance of each pair with the margin, or with its distance at the seed if that is smaller.
fn check_clearance(subject: &Subject, problem: &Problem, solution: &Solution, fail: &impl Fn(&str)) {
    let (Some(clearance), Some(around)) = (problem.clearance, &subject.surroundings) else { return };
    let arm = &subject.arm;
    let distances = BodyDistances::new(&arm.robot, &around.shapes, &around.pairs, &around.world).unwrap();
    let at = |positions: &[f64]| {
        let mut all = arm.robot.neutral_positions();
        arm.chain.write_into(&arm.robot, positions, &mut all);
        distances.all(&LinkPoses::new(&arm.robot, &all).unwrap()).collect::<Vec<_>>()
    };
    let pairs = at(&solution.positions).into_iter().zip(at(problem.seed));
    for (pair, (distance, before)) in pairs.enumerate() {
        if distance < clearance.margin.min(before) - 1e-9 {
            fail(&format!(
                "a collision: {:?} are {distance} m apart, and {before} m at the seed",
                distances.bodies()[pair]
            ));
        }
    }
}
