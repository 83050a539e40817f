//! Pitch-yaw arms: solves and paths, with one segment and with many.

use std::f64::consts::TAU;

use allocation_counter::measure;
use nalgebra::{Point3, Vector3};
use urdf_ik::skeleton::pitch_yaw::{
    PathSteps, PathSummary, PitchYawArm, PitchYawOptions, PitchYawProblem, PitchYawSolution, StepMethod,
};
use urdf_ik::skeleton::{Outcome, Reason};

use crate::common::Random;

const METHODS: [StepMethod; 2] = [StepMethod::DampedLeastSquares, StepMethod::Pseudoinverse];
const SEGMENTS: [usize; 5] = [1, 2, 5, 40, 200];

fn options(method: StepMethod) -> PitchYawOptions {
    PitchYawOptions::default().with_method(method)
}

fn arm(random: &mut Random, segments: usize) -> PitchYawArm {
    let lengths = (0..segments).map(|_| random.between(0.05, 0.3)).collect();
    PitchYawArm::new(Point3::new(0.4, -0.3, 0.2), lengths).unwrap()
}

fn positions(random: &mut Random, arm: &PitchYawArm) -> Vec<f64> {
    (0..arm.variables()).map(|_| random.between(-3.0, 3.0)).collect()
}

fn solve(arm: &PitchYawArm, target: Point3<f64>, seed: &[f64], options: PitchYawOptions) -> PitchYawSolution {
    let mut solution = arm.solution();
    arm.solve(&PitchYawProblem { target, seed, options }, &mut arm.scratch(), &mut solution).unwrap();
    assert_eq!(arm.tip(&solution.positions).unwrap(), solution.tip);
    assert_eq!((solution.tip - target).norm(), solution.residual.distance);
    solution
}

/// A point at a random distance within reach.
fn reachable(random: &mut Random, arm: &PitchYawArm) -> Point3<f64> {
    arm.base() + random.direction() * random.between(arm.reach().inner, arm.reach().outer)
}

#[test]
fn reachable_targets_are_solved_from_any_seed() {
    let mut random = Random::new(1);
    for segments in SEGMENTS {
        for method in METHODS {
            for run in 0..100 {
                let arm = arm(&mut random, segments);
                let mut seed = positions(&mut random, &arm);
                if run % 2 == 0 {
                    seed.fill(0.0);
                }
                let target = match run % 4 {
                    0 | 1 => reachable(&mut random, &arm),
                    2 => arm.base() + Vector3::x() * random.between(arm.reach().inner, arm.reach().outer),
                    _ => arm.tip(&positions(&mut random, &arm)).unwrap(),
                };
                let solution = solve(&arm, target, &seed, options(method));
                assert_eq!(solution.residual.outcome, Outcome::Solved, "{segments} {method:?} {run}: {solution:?}");
                assert!(solution.residual.distance <= 1e-6);
            }
        }
    }
}

#[test]
fn targets_out_of_reach_get_the_nearest_point_and_both_bounds() {
    let mut random = Random::new(2);
    for segments in SEGMENTS {
        for method in METHODS {
            for _ in 0..20 {
                let mut lengths = arm(&mut random, segments).lengths().to_vec();
                lengths[segments / 2] += lengths.iter().sum::<f64>();
                let arm = PitchYawArm::new(Point3::new(0.4, -0.3, 0.2), lengths).unwrap();
                let (inner, outer) = (arm.reach().inner, arm.reach().outer);
                let seed = positions(&mut random, &arm);
                for distance in [outer * random.between(1.01, 4.0), outer + 1e-4, 0.9 * inner * random.unit(), 0.0] {
                    let target = arm.base() + random.direction() * distance;
                    let solution = solve(&arm, target, &seed, options(method));
                    let Outcome::Closest(Reason::OutOfReach { distance: found, inner: i, outer: o }) =
                        solution.residual.outcome
                    else {
                        panic!("{segments} {method:?} {distance}: {solution:?}");
                    };
                    assert!((found - distance).abs() < 1e-9 && (i, o) == (inner, outer));
                    let least = (distance - outer).max(inner - distance);
                    assert!((solution.residual.distance - least).abs() < 2e-6, "{least}: {solution:?}");
                }
            }
        }
    }
}

#[test]
fn the_message_has_the_distance_and_both_bounds() {
    let arm = PitchYawArm::new(Point3::origin(), vec![1.0, 0.25]).unwrap();
    let solution = solve(&arm, Point3::new(0.0, 0.0, 2.0), &[0.0; 4], PitchYawOptions::default());
    let expected = "out of reach: 2.000000 m from the root, where 0.750000 to 1.250000 m are possible";
    assert_eq!(solution.residual.outcome.to_string(), expected);
}

#[test]
fn bounds_are_kept_and_named_where_they_block_the_target() {
    let mut random = Random::new(3);
    for method in METHODS {
        let mut solved = 0;
        for _ in 0..200 {
            let arm = arm(&mut random, 6);
            let upper: Vec<f64> = (0..12).map(|_| random.between(0.1, 1.0)).collect();
            let lower: Vec<f64> = upper.iter().map(|upper| -0.7 * upper).collect();
            let inside: Vec<f64> = lower.iter().zip(&upper).map(|(l, u)| random.between(*l, *u)).collect();
            let arm = arm.with_bounds(lower.clone(), upper.clone()).unwrap();
            let solution = solve(&arm, arm.tip(&inside).unwrap(), &positions(&mut random, &arm), options(method));
            for (position, (lower, upper)) in solution.positions.iter().zip(lower.iter().zip(&upper)) {
                assert!(lower <= position && position <= upper);
            }
            solved += usize::from(solution.residual.outcome == Outcome::Solved);
        }
        assert!(solved >= 195, "{method:?}: {solved} of 200");

        // The arm can hardly leave the x axis.
        let stiff = PitchYawArm::new(Point3::origin(), vec![1.0; 3]).unwrap();
        let stiff = stiff.with_bounds(vec![-0.1; 6], vec![0.1; 6]).unwrap();
        let solution = solve(&stiff, Point3::new(0.0, 0.0, 2.0), &[0.0; 6], options(method));
        assert_eq!(solution.residual.outcome, Outcome::Closest(Reason::Limits));
        let raised = solve(&stiff, stiff.tip(&[0.1, 0.1, 0.1, 0.0, 0.0, 0.0]).unwrap(), &[0.0; 6], options(method));
        assert!(solution.residual.distance <= (raised.tip - Point3::new(0.0, 0.0, 2.0)).norm() + 1e-3, "{solution:?}");
    }
}

#[test]
fn the_same_problem_gives_the_same_bits_whatever_the_scratch_was_used_for() {
    let mut random = Random::new(4);
    for method in METHODS {
        let arm = arm(&mut random, 12);
        let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
        for _ in 0..20 {
            let (target, seed) = (reachable(&mut random, &arm), positions(&mut random, &arm));
            let problem = PitchYawProblem { target, seed: &seed, options: options(method) };
            arm.solve(&problem, &mut scratch, &mut solution).unwrap();
            let fresh = solve(&arm, target, &seed, options(method));
            assert_eq!(solution, fresh);
            let bits = |solution: &PitchYawSolution| solution.positions.iter().map(|p| p.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&solution), bits(&fresh));
        }
    }
}

#[test]
fn invalid_problems_are_refused_and_leave_the_solution_unchanged() {
    let arm = arm(&mut Random::new(5), 2);
    let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
    let before = solution.clone();
    let mut check = |target: [f64; 3], seed: &[f64], tolerance: f64, sentence: &str| {
        let options = PitchYawOptions::default().with_tolerance(tolerance);
        let problem = PitchYawProblem { target: Point3::from(target), seed, options };
        let error = arm.solve(&problem, &mut scratch, &mut solution).unwrap_err();
        assert!(error.to_string().starts_with(sentence), "{error}");
        let steps = PathSteps::new(0.1);
        let by_path =
            arm.follow_path(&problem, &steps, &mut scratch, &mut solution, |_| panic!("no point")).unwrap_err();
        assert_eq!((error.to_string(), &solution), (by_path.to_string(), &before));
    };
    let (fine, seed) = ([0.1; 3], [0.0; 4]);
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 2e9] {
        check([0.0, value, 0.0], &seed, 1e-6, &format!("coordinate y of the target is {value} m"));
    }
    check(fine, &[0.0; 3], 1e-6, "the seed has 3 entries; it must have 4");
    for value in [f64::NAN, f64::INFINITY, 1e7] {
        check(fine, &[0.0, 0.0, value, 0.0], 1e-6, &format!("the yaw of segment 0 (from 0) is {value} rad"));
        check(fine, &[0.0, value, 0.0, 0.0], 1e-6, &format!("the pitch of segment 1 (from 0) is {value} rad"));
    }
    for value in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        check(fine, &seed, value, &format!("the tolerance is {value} m; it must be a finite number above 0"));
    }
}

#[test]
fn scratch_and_solution_of_another_arm_are_refused() {
    let (one, two) = (arm(&mut Random::new(6), 1), arm(&mut Random::new(6), 2));
    let problem = PitchYawProblem { target: Point3::origin(), seed: &[0.0; 4], options: PitchYawOptions::default() };
    let error = two.solve(&problem, &mut one.scratch(), &mut two.solution()).unwrap_err();
    assert_eq!(error.to_string(), "the scratch has 2 entries; it must have 4");
    let error = two.solve(&problem, &mut two.scratch(), &mut one.solution()).unwrap_err();
    assert_eq!(error.to_string(), "the solution has 2 entries; it must have 4");
}

#[test]
fn extreme_scales_neither_panic_nor_give_nan() {
    let mut random = Random::new(7);
    for scale in [1e-200, 1e-150, 1e-9, 1e-3, 1e3, 1e8] {
        let lengths = (0..4).map(|_| scale * random.between(0.5, 1.5)).collect();
        let arm = PitchYawArm::new(Point3::origin(), lengths).unwrap();
        for method in METHODS {
            let target = Point3::from(random.direction() * (2.0 * scale));
            let options = options(method).with_tolerance(1e-6 * scale);
            let solution = solve(&arm, target, &positions(&mut random, &arm), options);
            assert!(solution.positions.iter().all(|position| position.is_finite()));
            if scale > 1e-10 {
                assert_eq!(solution.residual.outcome, Outcome::Solved, "{scale}: {solution:?}");
            }
            let far = solve(&arm, Point3::new(1e9, -1e9, 1e9), &[1e6; 8], options);
            assert!(matches!(far.residual.outcome, Outcome::Closest(Reason::OutOfReach { .. })));
            solve(&arm, Point3::new(f64::MIN_POSITIVE, 0.0, -0.0), &[0.0; 8], options);
        }
    }
}

/// Follows a path and checks its guarantees with the visited points.
fn follow(arm: &PitchYawArm, problem: &PitchYawProblem, steps: &PathSteps) -> (PathSummary, PitchYawSolution) {
    let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
    let (start, mut tip) = (arm.tip(problem.seed).unwrap(), arm.tip(problem.seed).unwrap());
    let (mut before, mut fraction, mut end) = (problem.seed.to_vec(), 0.0, start);
    let mut check = PathSummary::default();
    let tolerance = problem.options.tolerance;
    let summary = arm.follow_path(problem, steps, &mut scratch, &mut solution, |point| {
        assert!(point.fraction > fraction && point.fraction <= 1.0);
        assert!((point.tip - point.waypoint).norm() <= tolerance);
        assert_eq!(arm.tip(point.positions).unwrap(), point.tip);
        check.points += 1;
        check.longest_step = check.longest_step.max((point.tip - tip).norm());
        for (a, b) in before.iter().zip(point.positions) {
            check.largest_turn = check.largest_turn.max((a - b).abs());
        }
        (tip, fraction, end) = (point.tip, point.fraction, point.waypoint);
        before.copy_from_slice(point.positions);
    });
    let summary = summary.unwrap();
    assert_eq!(summary, check);
    assert!(summary.longest_step <= steps.longest && summary.largest_turn <= steps.largest_turn);
    assert_eq!((&solution.positions, solution.tip), (&before, tip));
    // Straight: the end lies ahead on the line to the target.
    let (way, done) = (problem.target - start, end - start);
    assert!(way.cross(&done).norm() <= 1e-9 + 1e-9 * way.norm() || fraction == 1.0);
    (summary, solution)
}

#[test]
fn paths_keep_their_steps_and_end_at_the_target() {
    let mut random = Random::new(8);
    for segments in [3, 5, 40, 200] {
        for method in METHODS {
            for _ in 0..10 {
                let arm = PitchYawArm::new(Point3::new(0.1, 0.0, 0.2), vec![0.2; segments]).unwrap();
                let seed = positions(&mut random, &arm);
                let target = arm.base() + random.direction() * random.between(0.3, 0.8 * arm.reach().outer.min(4.0));
                let start = arm.tip(&seed).unwrap();
                let problem = PitchYawProblem { target, seed: &seed, options: options(method) };
                let (summary, solution) = follow(&arm, &problem, &PathSteps::new(0.02));
                assert_eq!(
                    solution.residual.outcome,
                    Outcome::Solved,
                    "{segments} {method:?}: {summary:?} {solution:?}"
                );
                let least = (target - start).norm() / 0.02;
                assert!(f64::from(u32::try_from(summary.points).unwrap()) >= least.floor());
            }
        }
    }
}

#[test]
fn a_stretched_arm_bends_on_its_way_back_without_a_jump() {
    for method in METHODS {
        let arm = PitchYawArm::new(Point3::origin(), vec![0.25; 8]).unwrap();
        let problem =
            PitchYawProblem { target: Point3::new(0.5, 0.0, 0.0), seed: &[0.0; 16], options: options(method) };
        let (summary, solution) = follow(&arm, &problem, &PathSteps::new(0.01));
        assert_eq!(solution.residual.outcome, Outcome::Solved, "{method:?} {summary:?}");
    }
}

#[test]
fn a_path_to_a_target_out_of_reach_ends_at_the_nearest_point() {
    for method in METHODS {
        let arm = PitchYawArm::new(Point3::origin(), vec![0.5; 4]).unwrap();
        let seed = [0.3, 0.4, -0.9, 0.5, 0.2, -0.6, 0.7, 0.1];
        let problem = PitchYawProblem { target: Point3::new(2.0, 2.0, 1.0), seed: &seed, options: options(method) };
        let (summary, solution) = follow(&arm, &problem, &PathSteps::new(0.05));
        assert!(matches!(solution.residual.outcome, Outcome::Closest(Reason::OutOfReach { outer: 2.0, .. })));
        assert!((solution.residual.distance - 1.0).abs() < 1e-5, "{method:?} {summary:?} {solution:?}");
    }
}

#[test]
fn a_path_through_the_inner_reach_ends_at_its_edge() {
    let arm = PitchYawArm::new(Point3::origin(), vec![1.0, 0.5]).unwrap();
    let seed = [0.2, -0.5, 0.1, 0.7];
    let target = Point3::origin() - arm.tip(&seed).unwrap().coords;
    let problem = PitchYawProblem { target, seed: &seed, options: PitchYawOptions::default() };
    let (_, solution) = follow(&arm, &problem, &PathSteps::new(0.05));
    assert!(solution.tip.coords.norm() - arm.reach().inner < 0.01, "{solution:?}");
    assert!(matches!(solution.residual.outcome, Outcome::Closest(_)));

    let one = PitchYawArm::new(Point3::origin(), vec![1.0]).unwrap();
    let problem =
        PitchYawProblem { target: Point3::new(0.0, 1.0, 0.0), seed: &[0.0; 2], options: PitchYawOptions::default() };
    let (_, solution) = follow(&one, &problem, &PathSteps::new(0.05));
    assert!(matches!(solution.residual.outcome, Outcome::Closest(Reason::OutOfReach { .. })), "{solution:?}");
}

#[test]
fn a_path_of_no_length_gives_the_point_of_the_seed() {
    let arm = PitchYawArm::new(Point3::origin(), vec![0.25; 3]).unwrap();
    let seed = [0.3; 6];
    let problem = PitchYawProblem { target: arm.tip(&seed).unwrap(), seed: &seed, options: PitchYawOptions::default() };
    let (summary, solution) = follow(&arm, &problem, &PathSteps::new(0.1));
    assert_eq!(summary, PathSummary { points: 1, ..PathSummary::default() });
    assert_eq!((solution.residual.outcome, &solution.positions[..]), (Outcome::Solved, &seed[..]));
}

#[test]
fn invalid_steps_are_refused() {
    let arm = arm(&mut Random::new(9), 3);
    let problem = PitchYawProblem { target: Point3::origin(), seed: &[0.0; 6], options: PitchYawOptions::default() };
    let error = |longest: f64, largest_turn: f64| {
        let steps = PathSteps { longest, largest_turn };
        arm.follow_path(&problem, &steps, &mut arm.scratch(), &mut arm.solution(), |_| ()).unwrap_err().to_string()
    };
    for longest in [f64::NAN, 0.0, -1.0, 3.9e-6, f64::INFINITY] {
        let expected = format!("the longest step of the path is {longest} m; it must be a finite number of at least");
        assert!(error(longest, 0.1).starts_with(&expected));
    }
    for turn in [f64::NAN, 0.0, -1.0] {
        let expected = format!("the greatest turn between points of the path is {turn} rad; it must be above 0");
        assert_eq!(error(0.1, turn), expected);
    }
    let fine = PitchYawProblem { options: PitchYawOptions::default().with_tolerance(1e-12), ..problem };
    let steps = PathSteps::new(1e-8);
    let found = arm.follow_path(&fine, &steps, &mut arm.scratch(), &mut arm.solution(), |_| ());
    assert!(found.unwrap_err().to_string().ends_with("; it must be at most 1e6"));
}

#[test]
fn neither_solve_nor_path_allocates() {
    let mut random = Random::new(10);
    for segments in SEGMENTS {
        let arm = arm(&mut random, segments);
        let bound = vec![1.0; arm.variables()];
        let bounded = arm.clone().with_bounds(bound.iter().map(|b| -b).collect(), bound).unwrap();
        let (mut scratch, mut solution) = (arm.scratch(), arm.solution());
        for method in METHODS {
            let seed = positions(&mut random, &arm);
            let far = arm.base() + Vector3::new(0.0, TAU, 2.0 * arm.reach().outer);
            for target in [reachable(&mut random, &arm), far, arm.base()] {
                let problem = PitchYawProblem { target, seed: &seed, options: options(method) };
                let steps = PathSteps::new(0.2);
                let allocations = measure(|| {
                    for arm in [&arm, &bounded] {
                        arm.solve(&problem, &mut scratch, &mut solution).unwrap();
                        if segments <= 40 {
                            arm.follow_path(&problem, &steps, &mut scratch, &mut solution, |_| ()).unwrap();
                        }
                    }
                });
                assert_eq!(allocations.count_total, 0, "{segments} {method:?}");
            }
        }
    }
}
