//! Invalid problems are refused with the cause, and leave the solution unchanged.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use urdf_ik::collision::Clearance;
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Mode, Pick, Problem, ProblemError, Solver, SolverKind, Target};

use crate::common::{
    self, Arm, Random,
    cell::Cell,
    urdf::{fixed, robot, turn},
};

struct Bench {
    arm: Arm,
    solver: Solver,
    targets: Vec<Target>,
    seed: Vec<f64>,
}

impl Bench {
    fn new() -> Self {
        let arm = common::two_handed();
        let seed = arm.chain.nominal_positions();
        Self { solver: arm.solver(), targets: arm.targets_at(&Random::new(1).positions(&arm.chain)), seed, arm }
    }

    fn problem<'a>(&'a self, targets: &'a [Target]) -> Problem<'a> {
        Problem::new(targets, &self.seed)
    }

    /// The error of the problem: its text contains all of `words`, and the solution is unchanged.
    fn refused(&self, problem: &Problem, words: &[&str]) -> ProblemError {
        let (mut scratch, mut solution) = (self.solver.scratch(), self.solver.solution());
        self.solver.solve(&self.problem(&self.targets), &mut scratch, &mut solution).unwrap();
        let before = solution.clone();
        let error = self.solver.solve(problem, &mut scratch, &mut solution).unwrap_err();
        // Without a scratch, a problem is only checked.
        assert_eq!(self.solver.solve_on(&self.problem(&self.targets), &mut [], &mut solution), Ok(()));
        assert!(self.solver.solve_on(problem, &mut [], &mut solution).is_err());
        assert_eq!(solution, before);
        let message = error.to_string();
        for word in words {
            assert!(message.contains(word), "'{word}' is not in: {message}");
        }
        error
    }

    /// The first target with something changed.
    fn changed(&self, change: impl Fn(&mut Target)) -> Vec<Target> {
        let mut targets = self.targets.clone();
        change(&mut targets[0]);
        targets
    }
}

#[test]
fn targets_that_are_not_there_or_there_twice() {
    let bench = Bench::new();
    assert_eq!(bench.refused(&bench.problem(&[]), &["no target"]), ProblemError::NoTarget);
    let unknown = bench.changed(|target| target.tip = 2);
    let error = bench.refused(&bench.problem(&unknown), &["tip 2", "has 2"]);
    assert_eq!(error, ProblemError::UnknownTip { target: 0, tip: 2, tips: 2 });
    let twice = bench.changed(|target| target.tip = 1);
    let error = bench.refused(&bench.problem(&twice), &["'right_hand'"]);
    assert!(matches!(error, ProblemError::TipTwice { .. }));
}

#[test]
fn targets_that_are_not_finite_or_too_far() {
    let bench = Bench::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let targets = bench.changed(|target| target.pose.translation.vector[axis] = bad);
            let error = bench.refused(&bench.problem(&targets), &["'left_hand'", "finite"]);
            assert!(matches!(error, ProblemError::TargetNotFinite { .. }));
        }
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(bad, 0.0, 0.0, 0.0));
        let targets = bench.changed(|target| target.pose.rotation = rotation);
        let error = bench.refused(&bench.problem(&targets), &["'left_hand'", "finite"]);
        assert!(matches!(error, ProblemError::TargetNotFinite { .. }));
    }
    for far in [1e300, -1e300, 1.1e9] {
        let targets = bench.changed(|target| target.pose.translation = Translation3::new(0.0, far, 0.0));
        let error = bench.refused(&bench.problem(&targets), &["'left_hand'", "1e9"]);
        assert!(matches!(error, ProblemError::TargetTooFar { .. }));
    }
    let far = bench.changed(|target| target.pose.translation = Translation3::new(0.0, 0.9e9, 0.0));
    let mut solution = bench.solver.solution();
    bench.solver.solve(&bench.problem(&far), &mut bench.solver.scratch(), &mut solution).unwrap();
    assert!(bench.arm.chain.contains(&solution.positions) && !solution.is_solved());
}

#[test]
fn targets_without_counted_axes_or_tolerance() {
    let bench = Bench::new();
    let free = bench.changed(|target| target.free_axes = [true; 6]);
    let error = bench.refused(&bench.problem(&free), &["'left_hand'", "free"]);
    assert!(matches!(error, ProblemError::NothingAsked { .. }));
    for bad in [0.0, -1e-5, f64::NAN, f64::INFINITY] {
        let text = bad.to_string();
        let position = bench.changed(|target| target.tolerance.position = bad);
        let error = bench.refused(&bench.problem(&position), &["position tolerance", &text]);
        assert!(matches!(error, ProblemError::Number { .. }));
        let orientation = bench.changed(|target| target.tolerance.orientation = bad);
        let error = bench.refused(&bench.problem(&orientation), &["orientation tolerance", &text]);
        assert!(matches!(error, ProblemError::Number { .. }));
    }
}

#[test]
fn seeds_and_steps_of_the_wrong_length_or_value() {
    let bench = Bench::new();
    let good = bench.problem(&bench.targets);
    for length in [0, 15, 17] {
        let positions = vec![0.0; length];
        let words = [&length.to_string() as &str, "16"];
        let error = bench.refused(&Problem::new(&bench.targets, &positions), &[["seed"].as_slice(), &words].concat());
        assert_eq!(error, ProblemError::Length { what: "seed", found: length, expected: 16 });
        let mode = Mode::Track { max_step: &positions };
        let error = bench.refused(&good.with_mode(mode), &[["max_step"].as_slice(), &words].concat());
        assert_eq!(error, ProblemError::Length { what: "max_step", found: length, expected: 16 });
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut seed = bench.seed.clone();
        seed[1] = bad;
        let error = bench.refused(&Problem::new(&bench.targets, &seed), &["'torso_yaw_joint'", &bad.to_string()]);
        assert!(matches!(error, ProblemError::Number { .. }));
    }
    for bad in [f64::NAN, -0.1, f64::NEG_INFINITY] {
        let mut max_step = [0.1; 16];
        max_step[0] = bad;
        let problem = good.with_mode(Mode::Track { max_step: &max_step });
        let error = bench.refused(&problem, &["'torso_lift_joint'", &bad.to_string()]);
        assert!(matches!(error, ProblemError::Number { .. }));
    }
}

#[test]
fn a_chain_without_length_solves_orientations_and_refuses_positions() {
    let joints = turn("i", "base", "a", "1 0 0", "0 0 1")
        + &turn("j", "a", "b", "0 0 0", "0 1 0")
        + &turn("k", "b", "c", "0 0 0", "0 0 1")
        + &fixed("l", "c", "tip", "0 0 0");
    let arm = Arm::from_text(&robot("base a b c tip", &joints), "base", &["tip"]);
    let (seed, mut random) = (arm.chain.nominal_positions(), Random::new(3));
    for kind in [SolverKind::Jacobian, SolverKind::Fabrik] {
        let solver = Solver::prepare(kind, &arm.chain).unwrap();
        for _ in 0..50 {
            let target = arm.targets_at(&random.positions(&arm.chain))[0];
            let turned = [target.with_free_axes([true, true, true, false, false, false])];
            let solution = common::solve(&solver, &Problem::new(&turned, &seed));
            assert!(solution.is_solved() && arm.errors(&turned, &solution).1 <= 1e-5, "{kind}: {solution:?}");
            for placed in [target, target.position_only()] {
                let mut solution = solver.solution();
                let refused = solver.solve(&Problem::new(&[placed], &seed), &mut solver.scratch(), &mut solution);
                let error = refused.unwrap_err();
                assert_eq!(error, ProblemError::OnlyRotates("tip".into()));
                assert!(error.to_string().contains("position free"), "{error}");
            }
        }
    }
}

#[test]
fn solvers_have_names() {
    for kind in SolverKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert_eq!(kind.to_string(), kind.name());
    }
    let error = "newton".parse::<SolverKind>().unwrap_err().to_string();
    assert!(error.contains("'newton'") && error.contains("jacobian"), "{error}");
}

#[test]
fn no_attempts_at_all_counts_as_one() {
    let bench = Bench::new();
    let mode = Mode::Search { pick: Pick::First, attempts: 0, random_seed: 0 };
    let mut solution = bench.solver.solution();
    let problem = bench.problem(&bench.targets).with_mode(mode);
    bench.solver.solve(&problem, &mut bench.solver.scratch(), &mut solution).unwrap();
    assert_eq!(solution.attempts, 1);
}

#[test]
fn a_single_joint_is_enough_for_a_chain() {
    let text =
        robot("base arm tip", &(turn("j", "base", "arm", "0 0 0", "0 0 1") + &fixed("f", "arm", "tip", "0.5 0 0")));
    let arm = Arm::from_text(&text, "base", &["tip"]);
    let chain: &Chain = &arm.chain;
    let pose =
        Isometry3::new(nalgebra::Vector3::new(0.0, 0.5, 0.0), nalgebra::Vector3::z() * std::f64::consts::FRAC_PI_2);
    let targets = [Target::new(0, pose)];
    let problem = Problem::new(&targets, &[0.0]);
    let solution = common::solve(&arm.solver(), &problem);
    assert!(solution.is_solved() && chain.contains(&solution.positions));
    assert!((solution.positions[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-4, "{solution:?}");
}

#[test]
fn clearances_of_another_chain_or_without_a_margin() {
    let (bench, cell) = (Bench::new(), Cell::new(Vec::new()));
    let scene = cell.scene();
    let problem = |margin| bench.problem(&bench.targets).with_clearance(Some(Clearance { scene: &scene, margin }));
    for margin in [f64::NAN, f64::INFINITY, -0.01] {
        bench.refused(&problem(margin), &["the margin of the clearance", "0 or more"]);
    }
    assert!(matches!(
        bench.refused(&problem(0.01), &["the same chain"]),
        ProblemError::OtherScene { variables: 7, .. }
    ));
}
