//! Targets of which only the position is reachable: it is met exactly, with the nearest possible orientation.

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3xX, UnitQuaternion, Vector3};
use urdf_ik::collision::Clearance;
use urdf_ik::solver::{Bounds, Mode, Outcome, Problem, Residual, Solution, Target, Unreached};

use crate::clearance::{cell, free_positions};
use crate::common::cell::MARGIN;
use crate::common::{self, Arm, Random, Share, bits, distance, short_arms, solve, two_handed};

/// Starts of the judge's optimisations.
const STARTS: usize = 20;
/// Maximum steps of one of them.
const STEPS: usize = 300;

fn position<'a>(targets: &'a [Target], seed: &'a [f64]) -> Problem<'a> {
    Problem::new(targets, seed).with_unreached(Unreached::Position)
}

/// A position that the arm reaches, with any orientation.
fn some_pose(arm: &Arm, random: &mut Random) -> Isometry3<f64> {
    let reached = arm.tip_poses(&random.positions(&arm.chain))[0].translation;
    Isometry3::from_parts(reached, UnitQuaternion::new(random.direction() * random.between(0.0, 3.1)))
}

/// Checks by independent kinematics that only the position is met. Returns the remaining angle \[rad\].
fn angle_left(arm: &Arm, targets: &[Target], solution: &Solution) -> f64 {
    assert_eq!(solution.outcome, Outcome::PositionOnly, "{}: {solution:?}", arm.name);
    assert!(!solution.is_solved() && arm.chain.contains(&solution.positions), "{}: {solution:?}", arm.name);
    let (missed, angle) = arm.errors(targets, solution);
    assert!(missed <= 1e-5, "{}: {missed} m off: {solution:?}", arm.name);
    assert!((solution.worst_residual().orientation - angle).abs() < 1e-9, "{}: {angle}: {solution:?}", arm.name);
    angle
}

/// A tool that stays vertical can rotate only about its own axis: the angle between the two axes remains.
#[test]
fn the_tool_of_a_scara_and_of_a_palletiser_turns_as_far_as_it_can() {
    let mut random = Random::new(1);
    for arm in &short_arms()[..2] {
        let solver = arm.solver();
        for _ in 0..100 {
            let targets = [Target::new(0, some_pose(arm, &mut random))];
            let solution = solve(&solver, &position(&targets, &random.positions(&arm.chain)));
            let angle = angle_left(arm, &targets, &solution);
            let axis = |pose: &Isometry3<f64>| pose.rotation * Vector3::z();
            let expected = axis(&arm.tip_poses(&solution.positions)[0]).angle(&axis(&targets[0].pose));
            assert!((angle - expected).abs() < 1e-6, "{}: {angle}, not {expected}: {solution:?}", arm.name);
            let sentence = solution.sentence(&arm.chain);
            assert!(sentence.contains("position only") && sentence.contains(&format!("{angle:.4} rad")), "{sentence}");
        }
    }
}

#[test]
fn the_angle_of_arms_of_five_joints_is_that_of_the_best_of_many_optimisations() {
    let mut random = Random::new(2);
    for arm in &short_arms()[2..] {
        let solver = arm.solver();
        let mut misses = Share { failed: 0, of: 0 };
        for _ in 0..15 {
            let targets = [Target::new(0, some_pose(arm, &mut random))];
            let solution = solve(&solver, &position(&targets, &random.positions(&arm.chain)));
            let angle = angle_left(arm, &targets, &solution);
            let best = judged(arm, &targets[0].pose, &mut random);
            assert!(angle <= 1.02 * best + 1e-4, "{}: {angle}, not {best}: {solution:?}", arm.name);
            misses.failed += usize::from(angle > 1.001 * best + 1e-4);
            misses.of += 1;
        }
        misses.assert_at_most(0.01, &arm.name);
    }
}

/// The smallest angle \[rad\] found with the tip at the position of `pose`, by steps along the projected gradient, with
/// finite differences, from many starts.
fn judged(arm: &Arm, pose: &Isometry3<f64>, random: &mut Random) -> f64 {
    let starts = (0..STARTS).filter_map(|_| descend(arm, pose, random.positions(&arm.chain)));
    starts.fold(f64::INFINITY, f64::min)
}

fn descend(arm: &Arm, pose: &Isometry3<f64>, start: Vec<f64>) -> Option<f64> {
    let (mut now, mut step) = (back_to(arm, pose, start)?, 0.3);
    let angle = |positions: &[f64]| arm.tip_poses(positions)[0].rotation.angle_to(&pose.rotation);
    for _ in 0..STEPS {
        let direction = slope(arm, &now, angle);
        let trial: Vec<f64> = now.iter().zip(&direction).map(|(now, slope)| now - step * slope).collect();
        match back_to(arm, pose, trial) {
            Some(next) if angle(&next) < angle(&now) => (now, step) = (next, 1.5 * step),
            _ => step *= 0.5,
        }
        if step < 1e-7 {
            break;
        }
    }
    Some(angle(&now))
}

/// Moves positions to the target's position by Newton steps that end at the limits; `None` if they do not arrive.
fn back_to(arm: &Arm, pose: &Isometry3<f64>, mut positions: Vec<f64>) -> Option<Vec<f64>> {
    for _ in 0..30 {
        positions
            .iter_mut()
            .zip(arm.chain.domains())
            .for_each(|(position, domain)| *position = domain.clamp(*position));
        let miss = pose.translation.vector - arm.tip_poses(&positions)[0].translation.vector;
        if miss.norm() < 1e-9 {
            return Some(positions);
        }
        let mut jacobian = linear_jacobian(arm, &positions);
        // A joint that would leave its limits is fixed, and the others continue.
        let mut step = DVector::zeros(positions.len());
        for _ in 0..positions.len() {
            let square = jacobian.clone() * jacobian.transpose() + nalgebra::Matrix3::identity() * 1e-12;
            step = jacobian.transpose() * square.try_inverse()? * miss;
            let leaves = |i: &usize| {
                let next = positions[*i] + step[*i];
                (arm.chain.domains()[*i].clamp(next) - next).abs() > 1e-12
                    && jacobian.column(*i).norm() > 0.0
                    && (arm.chain.domains()[*i].clamp(next) - positions[*i]).abs() < 1e-12
            };
            let Some(stopped) = (0..positions.len()).find(leaves) else { break };
            jacobian.column_mut(stopped).fill(0.0);
        }
        positions.iter_mut().zip(step.iter()).for_each(|(position, step)| *position += step);
    }
    None
}

/// Gradient of the angle, projected to motions that keep the position and the limits.
fn slope(arm: &Arm, positions: &[f64], angle: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let differences = DVector::from_fn(positions.len(), |i, _| {
        let at = |shift: f64| {
            let mut moved = positions.to_vec();
            moved[i] += shift;
            angle(&moved)
        };
        (at(1e-6) - at(-1e-6)) / 2e-6
    });
    let (mut jacobian, mut slope) = (linear_jacobian(arm, positions), differences);
    for _ in 0..=positions.len() {
        let full = DMatrix::from_iterator(3, positions.len(), jacobian.iter().copied());
        let Ok(inverse) = full.clone().pseudo_inverse(1e-9) else { break };
        let along = &slope - inverse * (&full * &slope);
        let leaves = |i: &usize| {
            let next = positions[*i] - 1e-9 * along[*i].signum();
            along[*i].abs() > 1e-9 && (arm.chain.domains()[*i].clamp(next) - next).abs() > 1e-10
        };
        let Some(stopped) = (0..positions.len()).find(leaves) else { return along.iter().copied().collect() };
        jacobian.column_mut(stopped).fill(0.0);
        slope[stopped] = 0.0;
    }
    vec![0.0; positions.len()]
}

fn linear_jacobian(arm: &Arm, positions: &[f64]) -> Matrix3xX<f64> {
    let column = |i: usize| {
        let at = |shift: f64| {
            let mut moved = positions.to_vec();
            moved[i] += shift;
            arm.tip_poses(&moved)[0].translation.vector
        };
        (at(1e-6) - at(-1e-6)) / 2e-6
    };
    Matrix3xX::from_columns(&(0..positions.len()).map(column).collect::<Vec<_>>())
}

#[test]
fn a_pose_that_can_be_met_is_met() {
    let mut random = Random::new(3);
    for arm in short_arms().into_iter().chain(common::bundled_arms()) {
        let solver = arm.solver();
        let mut misses = Share { failed: 0, of: 0 };
        for _ in 0..50 {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let solution = solve(&solver, &position(&targets, &random.positions(&arm.chain)));
            misses.failed += usize::from(!solution.is_solved());
            misses.of += 1;
        }
        misses.assert_at_most(0.01, &arm.name);
    }
}

#[test]
fn a_position_that_is_not_reachable_has_the_closest_answer() {
    let mut random = Random::new(4);
    for arm in short_arms() {
        let solver = arm.solver();
        for farther in [1.01, 1.5, 30.0] {
            let (reach, seed) = (solver.reach()[0], random.positions(&arm.chain));
            let at = reach.centre.coords + random.direction() * (farther * reach.tip.outer);
            let targets = [Target::new(0, Isometry3::from_parts(at.into(), some_pose(&arm, &mut random).rotation))];
            let closest = solve(&solver, &Problem::new(&targets, &seed));
            let answer = solve(&solver, &position(&targets, &seed));
            assert!(matches!(answer.outcome, Outcome::Closest(_)), "{}: {answer:?}", arm.name);
            assert_eq!(bits(&answer), bits(&closest), "{}", arm.name);
        }
    }
}

/// A position is held while its orientation turns, in small steps of the joints.
#[test]
fn a_tracked_position_is_held_without_a_jump() {
    let mut random = Random::new(5);
    for arm in short_arms() {
        let (solver, steps) = (arm.solver(), vec![f64::INFINITY; arm.chain.variables().len()]);
        let (mut jumps, mut lost) = (Share { failed: 0, of: 0 }, 0);
        for _ in 0..10 {
            let mut seed = random.positions(&arm.chain);
            let (start, axis) = (arm.tip_poses(&seed)[0], random.direction());
            for step in 0..100 {
                let turn = UnitQuaternion::new(axis * (0.01 * f64::from(step)));
                let targets = [Target::new(0, Isometry3::from_parts(start.translation, turn * start.rotation))];
                let mode = Mode::Track { max_step: &steps };
                let solution = solve(&solver, &position(&targets, &seed).with_mode(mode));
                lost += usize::from(arm.errors(&targets, &solution).0 > 1e-5);
                let moved = solution.positions.iter().zip(&seed).map(|(to, from)| (to - from).abs());
                jumps.failed += usize::from(moved.fold(0.0, f64::max) > 0.3);
                jumps.of += 1;
                seed.clone_from(&solution.positions);
            }
        }
        assert_eq!(lost, 0, "{}", arm.name);
        jumps.assert_at_most(0.01, &arm.name);
    }
}

#[test]
fn bounds_free_axes_and_batches() {
    let mut random = Random::new(6);
    let arm = &short_arms()[2];
    let solver = arm.solver();
    let seed = arm.chain.nominal_positions();
    let targets: Vec<_> = (0..20).map(|_| [Target::new(0, some_pose(arm, &mut random))]).collect();
    let problems: Vec<_> = targets.iter().map(|targets| position(targets, &seed)).collect();
    let batch = solver.solve_batch(&problems, &|| true);
    for ((problem, targets), row) in problems.iter().zip(&targets).zip(batch.positions.chunks(seed.len())) {
        let solution = solve(&solver, problem);
        assert_eq!(row, solution.positions);
        let angle = angle_left(arm, targets, &solution);
        // The roll of the gripper is locked: the remaining angle can only grow.
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; seed.len()], vec![f64::INFINITY; seed.len()]);
        (lower[4], upper[4]) = (0.2, 0.2);
        let bounded = solve(&solver, &(*problem).with_bounds(Some(Bounds { lower: &lower, upper: &upper })));
        if bounded.outcome == Outcome::PositionOnly {
            assert!((bounded.positions[4] - 0.2).abs() < 1e-12 && angle_left(arm, targets, &bounded) > angle - 1e-4);
        }
        // With a free axis the constrained angle can only be smaller.
        let free = [targets[0].with_free_axes([false, false, false, false, false, true])];
        let free = solve(&solver, &position(&free, &seed));
        let Residual { position, orientation } = free.worst_residual();
        assert!(position <= 1e-5 && orientation <= 1.001 * angle + 1e-4, "{orientation}, not {angle}: {free:?}");
    }
}

#[test]
fn two_hands_reach_both_positions() {
    let mut random = Random::new(7);
    let arm = two_handed();
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let mut misses = Share { failed: 0, of: 0 };
    for _ in 0..30 {
        let mut targets = arm.targets_at(&random.positions(&arm.chain));
        for target in &mut targets {
            target.pose.rotation *= UnitQuaternion::new(random.direction() * random.between(0.5, 3.0));
        }
        let solution = solve(&solver, &position(&targets, &seed));
        assert!(arm.chain.contains(&solution.positions), "{solution:?}");
        let poses = arm.tip_poses(&solution.positions);
        let missed = targets.iter().map(|target| distance(&poses[target.tip], &target.pose).0).fold(0.0, f64::max);
        misses.failed += usize::from(missed > 1e-5);
        misses.of += 1;
    }
    misses.assert_at_most(0.05, "two hands");
}

/// With its last two joints locked the arm has five left.
#[test]
fn answers_keep_clear_and_are_accepted() {
    let mut random = Random::new(8);
    let (mut found, mut of) = (0, 0);
    for _ in 0..5 {
        let cell = cell(&mut random);
        let (scene, solver) = (cell.scene(), cell.arm.solver());
        for _ in 0..4 {
            let (seed, goal) = (free_positions(&cell, &mut random), free_positions(&cell, &mut random));
            let targets = cell.arm.targets_at(&goal);
            let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; seed.len()], vec![f64::INFINITY; seed.len()]);
            for locked in 5..7 {
                (lower[locked], upper[locked]) = (seed[locked], seed[locked]);
            }
            let accepts = |positions: &[f64]| positions[0] < seed[0] + 1.5;
            let problem = position(&targets, &seed)
                .with_bounds(Some(Bounds { lower: &lower, upper: &upper }))
                .with_clearance(Some(Clearance { scene: &scene, margin: MARGIN }))
                .with_accepts(Some(&accepts));
            let solution = solve(&solver, &problem);
            assert!(cell.least_distance(&solution.positions) >= MARGIN - 1e-9, "{solution:?}");
            of += 1;
            if solution.outcome == Outcome::PositionOnly {
                angle_left(&cell.arm, &targets, &solution);
                assert!(accepts(&solution.positions), "{solution:?}");
                found += 1;
            }
        }
    }
    assert!(3 * found > of, "{found} of {of}");
}
