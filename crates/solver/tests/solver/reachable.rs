//! Reachable targets: success rates, verified claims, and bit-identical repetition.

use nalgebra::{Isometry3, Point3, Vector3};
use urdf_ik::solver::JacobianStep;
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Solution, Stop, Target};

use crate::common::{self, Arm, Random};

/// Random targets of each robot.
const TARGETS: usize = 100;

/// Options of [`solve_random`].
struct Task {
    method: JacobianStep,
    attempts: usize,
    /// Makes the target from a full target pose.
    free: fn(Target) -> Target,
}

/// By default: full poses by the default method with attempts to spare.
const FULL: Task = Task { method: JacobianStep::Damped { damping: None }, attempts: 100, free: |target| target };

/// Solves random targets from the nominal seed with a budget of attempts only. Checks each solution by `claim`, which
/// gets the target and the tip's pose. Returns the fraction solved.
fn solve_random(arm: &Arm, task: &Task, claim: fn(&Target, &Isometry3<f64>) -> bool) -> f64 {
    let solver = arm.solver().with_method(task.method).unwrap();
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut random = Random::new(7);
    let (mut successes, seed) = (0_u32, arm.chain.nominal_positions());
    for _ in 0..TARGETS {
        let goal = random.positions(&arm.chain);
        let targets: Vec<Target> = arm.targets_at(&goal).into_iter().map(task.free).collect();
        let mode = Mode::Search { pick: Pick::First, attempts: task.attempts, random_seed: 0 };
        let problem = Problem::new(&targets, &seed).with_mode(mode);
        solver.solve(&problem, &mut scratch, &mut solution).unwrap();
        assert!(arm.chain.contains(&solution.positions), "{}: outside the limits: {solution:?}", arm.name);
        assert!(solution.attempts >= 1 && solution.attempts <= task.attempts);
        if solution.outcome == Outcome::Solved {
            successes += 1;
            assert_eq!(solution.stop, Stop::Converged);
            let poses = arm.tip_poses(&solution.positions);
            for target in &targets {
                assert!(claim(target, &poses[target.tip]), "{}: not at the claimed pose: {solution:?}", arm.name);
            }
        } else {
            assert_eq!((solution.stop, solution.attempts), (Stop::Attempts, task.attempts));
        }
    }
    f64::from(successes) / f64::from(u32::try_from(TARGETS).unwrap())
}

fn full_pose_met(target: &Target, pose: &Isometry3<f64>) -> bool {
    let (shift, angle) = common::distance(pose, &target.pose);
    shift <= target.tolerance.position && angle <= target.tolerance.orientation
}

fn assert_rate(task: &Task, claim: fn(&Target, &Isometry3<f64>) -> bool, least: f64) {
    for arm in common::all_arms() {
        let rate = solve_random(&arm, task, claim);
        println!("{}: {rate}", arm.name);
        assert!(rate >= least, "{}: {rate}", arm.name);
    }
}

#[test]
fn full_poses() {
    assert_rate(&FULL, full_pose_met, 0.99);
}

#[test]
fn full_poses_to_a_nanometre() {
    let fine = |mut target: Target| {
        (target.tolerance.position, target.tolerance.orientation) = (1e-9, 1e-9);
        target
    };
    assert_rate(&Task { free: fine, ..FULL }, full_pose_met, 0.99);
}

#[test]
fn full_poses_by_the_pseudoinverse() {
    assert_rate(&Task { method: JacobianStep::Pseudoinverse, ..FULL }, full_pose_met, 0.99);
}

#[test]
fn full_poses_with_fixed_damping() {
    assert_rate(&Task { method: JacobianStep::Damped { damping: Some(0.05) }, ..FULL }, full_pose_met, 0.99);
}

#[test]
fn both_hands_of_one_torso_at_once() {
    let arm = common::two_handed();
    let rate = solve_random(&arm, &FULL, full_pose_met);
    assert!(rate >= 0.98, "{rate}");
}

#[test]
fn one_hand_while_the_other_is_free() {
    let arm = common::two_handed();
    let (solver, seed, mut random) = (arm.solver(), arm.chain.nominal_positions(), Random::new(8));
    for _ in 0..20 {
        let targets = [arm.targets_at(&random.positions(&arm.chain))[1]];
        let problem = Problem::new(&targets, &seed);
        let solution = common::solve(&solver, &problem);
        assert!(solution.is_solved() && solution.residuals.len() == 1, "{solution:?}");
        assert!(full_pose_met(&targets[0], &arm.tip_poses(&solution.positions)[1]));
    }
}

#[test]
fn position_alone() {
    let met = |target: &Target, pose: &Isometry3<f64>| common::distance(pose, &target.pose).0 <= 1e-5;
    assert_rate(&Task { free: Target::position_only, ..FULL }, met, 0.99);
}

#[test]
fn pointing_along_an_axis() {
    let roll_free = |mut target: Target| {
        target.free_axes[5] = true;
        target
    };
    let met = |target: &Target, pose: &Isometry3<f64>| {
        let z = Vector3::z();
        let angle = (pose.rotation * z).angle(&(target.pose.rotation * z));
        // The angle of nearly equal vectors by their dot product is accurate to 1e-8 only.
        common::distance(pose, &target.pose).0 <= 1e-5 && angle <= 1e-5 + 1e-7
    };
    assert_rate(&Task { free: roll_free, ..FULL }, met, 0.99);
}

#[test]
fn position_free_along_an_axis_of_the_tip() {
    let slide_free = |mut target: Target| {
        target.free_axes[0] = true;
        target
    };
    let met = |target: &Target, pose: &Isometry3<f64>| {
        let seen = pose.inverse() * Point3::from(target.pose.translation.vector);
        seen.y.hypot(seen.z) <= 1e-5 && pose.rotation.angle_to(&target.pose.rotation) <= 1e-5
    };
    assert_rate(&Task { free: slide_free, ..FULL }, met, 0.99);
}

#[test]
fn orientation_alone() {
    let position_free = |mut target: Target| {
        target.free_axes[..3].fill(true);
        target
    };
    let met = |target: &Target, pose: &Isometry3<f64>| pose.rotation.angle_to(&target.pose.rotation) <= 1e-5;
    assert_rate(&Task { free: position_free, ..FULL }, met, 0.99);
}

/// A solution without its time.
fn bits(solution: &Solution) -> String {
    let mut copy = solution.clone();
    copy.elapsed = std::time::Duration::ZERO;
    let positions: Vec<u64> = copy.positions.iter().map(|position| position.to_bits()).collect();
    format!("{copy:?} {positions:?}")
}

#[test]
fn the_same_problem_gives_the_same_bits_whatever_the_scratch_did_before() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        for method in [JacobianStep::default(), JacobianStep::Pseudoinverse] {
            let solver = arm.solver().with_method(method).unwrap();
            let mut random = Random::new(9);
            let seeds: Vec<Vec<f64>> = (0..6).map(|_| random.positions(&arm.chain)).collect();
            let goals: Vec<Vec<Target>> = (0..6).map(|_| arm.targets_at(&random.positions(&arm.chain))).collect();
            let far = [Target::new(0, Isometry3::translation(50.0, 1.0, 2.0))];
            let (mut used, mut kept) = (solver.scratch(), solver.solution());
            for (seed, targets) in seeds.iter().zip(&goals) {
                let step = vec![0.1; seed.len()];
                for mode in [
                    Mode::search(),
                    Mode::Search { pick: Pick::First, attempts: 40, random_seed: 5 },
                    Mode::Track { max_step: &step },
                ] {
                    let problem = Problem::new(targets, seed).with_mode(mode);
                    let fresh = bits(&common::solve(&solver, &problem));
                    solver.solve(&problem, &mut used, &mut kept).unwrap();
                    assert_eq!(fresh, bits(&kept), "{}", arm.name);
                    let again = common::solve(&arm.solver().with_method(method).unwrap(), &problem);
                    assert_eq!(fresh, bits(&again), "{}: another solver", arm.name);
                }
                let other = Problem::new(&far, seed);
                solver.solve(&other, &mut used, &mut kept).unwrap();
            }
        }
    }
}
