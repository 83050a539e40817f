//! Modes of a solver: tracking within step bounds, revolutions nearest to the seed, deadlines, singularities.

use std::f64::consts::{PI, TAU};
use std::time::Duration;

use nalgebra::{DMatrix, Isometry3, UnitQuaternion, Vector3, Vector6};
use urdf_ik::robot::{ChainPoses, Domain};
use urdf_ik::solver::JacobianStep;
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Reason, Solver, SolverKind, Stop, Target};

use crate::common::{
    self, Arm, Random, solve,
    urdf::{self, fixed, joint, robot},
};

fn track<'a>(targets: &'a [Target], seed: &'a [f64], max_step: &'a [f64]) -> Problem<'a> {
    Problem::new(targets, seed).with_mode(Mode::Track { max_step })
}

fn search<'a>(targets: &'a [Target], seed: &'a [f64]) -> Problem<'a> {
    Problem::new(targets, seed)
}

#[test]
fn tracking_respects_step_bounds_and_limits_exactly() {
    let mut random = Random::new(1);
    let mut limited = 0;
    for arm in common::bundled_arms() {
        for method in
            [JacobianStep::default(), JacobianStep::Pseudoinverse, JacobianStep::Damped { damping: Some(0.1) }]
        {
            let solver = arm.solver().with_method(method).unwrap();
            for _ in 0..30 {
                let seed = random.positions(&arm.chain);
                let targets = arm.targets_at(&random.positions(&arm.chain));
                let steps: Vec<f64> = seed.iter().map(|_| random.between(0.0, 0.2)).collect();
                let solution = solve(&solver, &track(&targets, &seed, &steps));
                assert!(arm.chain.contains(&solution.positions), "{solution:?}");
                for ((position, seed), step) in solution.positions.iter().zip(&seed).zip(&steps) {
                    assert!((seed - step..=seed + step).contains(position), "{position} from {seed} by {step}");
                }
                assert_eq!(solution.attempts, 1);
                limited += u32::from(solution.outcome == Outcome::Closest(Reason::StepLimited));
            }
        }
    }
    assert!(limited > 200, "only {limited} of 270 far targets were limited by the step");
}

#[test]
fn a_step_of_zero_stays_where_it_is() {
    let arm = &common::bundled_arms()[0];
    let mut random = Random::new(2);
    let seed = random.positions(&arm.chain);
    let targets = arm.targets_at(&random.positions(&arm.chain));
    let solution = solve(&arm.solver(), &track(&targets, &seed, &[0.0; 7]));
    assert_eq!(solution.positions, seed);
    assert_eq!(solution.outcome, Outcome::Closest(Reason::StepLimited));
}

#[test]
fn steps_lead_to_the_target_and_stay_on_the_branch() {
    for arm in common::bundled_arms() {
        let solver = arm.solver();
        let mut random = Random::new(3);
        for _ in 0..10 {
            let start: Vec<f64> = random.positions(&arm.chain).iter().map(|position| 0.5 * position).collect();
            let start: Vec<f64> = arm.chain.variables().iter().zip(start).map(|(v, p)| v.domain.clamp(p)).collect();
            let goal =
                start.iter().zip(arm.chain.variables()).map(|(p, v)| v.domain.clamp(p + random.between(-0.1, 0.1)));
            let targets = arm.targets_at(&goal.collect::<Vec<_>>());
            let free = solve(&solver, &track(&targets, &start, &vec![f64::INFINITY; start.len()]));
            assert!(free.is_solved(), "{}: {free:?}", arm.name);
            let furthest = start.iter().zip(&free.positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(furthest < 1.0, "{}: {furthest} away for a target nearby", arm.name);
            // The same in steps of 0.02, each from the previous solution.
            let (steps, mut seed) = (vec![0.02; start.len()], start);
            let arrived = (0..100).any(|_| {
                let solution = solve(&solver, &track(&targets, &seed, &steps));
                seed.clone_from(&solution.positions);
                solution.is_solved()
            });
            assert!(arrived, "{}: not at the target after 100 steps", arm.name);
        }
    }
}

#[test]
fn a_seed_outside_the_limits_is_moved_to_them() {
    let arm = &common::bundled_arms()[0];
    let targets = arm.targets_at(&Random::new(4).positions(&arm.chain));
    for seed in [[50.0; 7], [-50.0; 7], [1e300; 7]] {
        let solution = solve(&arm.solver(), &search(&targets, &seed));
        assert!(arm.chain.contains(&solution.positions), "{solution:?}");
        let still = solve(&arm.solver(), &track(&targets, &seed, &[0.0; 7]));
        let clamped = arm.chain.variables().iter().zip(&seed).map(|(variable, seed)| variable.domain.clamp(*seed));
        assert_eq!(still.positions, clamped.collect::<Vec<_>>());
    }
}

#[test]
fn continuous_joints_come_to_rest_at_the_turn_nearest_to_the_seed() {
    for arm in common::bundled_arms() {
        let circles: Vec<usize> =
            (0..arm.chain.variables().len()).filter(|&i| arm.chain.variables()[i].domain == Domain::Circle).collect();
        assert!(!circles.is_empty());
        let (solver, mut random) = (arm.solver(), Random::new(5));
        for turns in [-40.0, -1.0, 0.0, 3.0, 1000.0] {
            let mut seed = random.positions(&arm.chain);
            for &i in &circles {
                seed[i] += turns * TAU;
            }
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let solution = solve(&solver, &search(&targets, &seed));
            assert!(solution.is_solved(), "{}: {solution:?}", arm.name);
            for &i in &circles {
                let apart = (solution.positions[i] - seed[i]).abs();
                assert!(apart <= PI + 1e-9, "{}: {apart} rad from the seed", arm.name);
            }
        }
    }
}

/// Two joints in a plane, with limits of about two turns in each direction.
fn wide_planar(lower: f64, upper: f64) -> Arm {
    let turn = |name: &str, parent: &str, child: &str, x: f64| {
        let inside = format!("<origin xyz='{x} 0 0'/><axis xyz='0 0 1'/><limit lower='{lower}' upper='{upper}'/>");
        joint(name, "revolute", parent, child, &inside)
    };
    let joints = turn("shoulder", "base", "upper", 0.0)
        + &turn("elbow", "upper", "lower", 0.5)
        + &fixed("end", "lower", "tip", "0.4 0 0");
    Arm::from_text(&robot("base upper lower tip", &joints), "base", &["tip"])
}

#[test]
fn joints_of_more_than_a_turn_are_folded_into_their_limits() {
    for (lower, upper) in [(-10.0, 10.0), (-PI, PI), (1.0, 8.0), (-TAU, 0.5)] {
        let arm = wide_planar(lower, upper);
        let (solver, mut random) = (arm.solver(), Random::new(6));
        for _ in 0..50 {
            let seed = random.positions(&arm.chain);
            let targets = [arm.targets_at(&random.positions(&arm.chain))[0].position_only()];
            let solution = solve(&solver, &search(&targets, &seed));
            assert!(solution.is_solved(), "{lower} .. {upper}: {solution:?}");
            assert!(arm.errors(&targets, &solution).0 <= 1e-5);
            for (position, seed) in solution.positions.iter().zip(&seed) {
                // A nearer revolution would be outside the limits.
                let nearer = position - ((position - seed) / TAU).round() * TAU;
                assert!(
                    (nearer - position).abs() < 1e-9 || !(lower..=upper).contains(&nearer),
                    "{position} from {seed}"
                );
            }
        }
    }
}

#[test]
fn tracking_never_jumps_a_turn() {
    let arm = wide_planar(-10.0, 10.0);
    let (solver, mut seed) = (arm.solver(), vec![0.0, 1.0]);
    // Two and a half revolutions about the base, in steps of a tenth of a radian: it cannot follow past the limit of 10
    // rad.
    for step in 1..=160 {
        let ahead = vec![0.1 * f64::from(step), 1.0];
        let targets = [arm.targets_at(&ahead)[0].position_only()];
        let solution = solve(&solver, &track(&targets, &seed, &[0.5, 0.5]));
        assert!(arm.chain.contains(&solution.positions));
        assert!(step > 100 || solution.is_solved(), "step {step}: {solution:?}");
        assert!((solution.positions[0] - seed[0]).abs() <= 0.5 + 1e-12);
        if step <= 95 {
            assert!((solution.positions[0] - ahead[0]).abs() < 1e-3, "step {step}: {:?}", solution.positions);
        }
        seed = solution.positions;
    }
}

#[test]
fn a_deadline_ends_the_search() {
    let arm = common::two_handed();
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    // Both hands at one position, which no attempt meets, with attempts for hours.
    let targets = [
        Target::new(0, Isometry3::translation(0.01, 0.01, 0.75)),
        Target::new(1, Isometry3::translation(0.01, 0.01, 0.76)),
    ];
    let mode = Mode::Search { pick: Pick::First, attempts: 1_000_000_000, random_seed: 0 };
    let deadline = Duration::from_millis(20);
    let solution = solve(&solver, &Problem::new(&targets, &seed).with_mode(mode).with_deadline(Some(deadline)));
    assert_eq!(solution.stop, Stop::Deadline);
    assert!(solution.elapsed >= deadline && solution.attempts < 1_000_000, "{solution:?}");
    assert!(arm.chain.contains(&solution.positions));
    // The solver reads the clock only after a few microseconds of work.
    let at_once = Problem::new(&targets, &seed).with_mode(mode).with_deadline(Some(Duration::ZERO));
    let solution = solve(&solver, &at_once);
    assert_eq!((solution.stop, solution.attempts), (Stop::Deadline, 16), "{solution:?}");
}

/// Smallest singular value of a Jacobian in the sense of the solver, by nalgebra's decomposition.
fn reference_singular_value(arm: &Arm, solver: &Solver, positions: &[f64], rows: usize) -> f64 {
    let mut poses = ChainPoses::new(&arm.chain);
    arm.chain.forward_kinematics(positions, &mut poses);
    let mut columns = vec![Vector6::zeros(); positions.len()];
    arm.chain.jacobian(&poses, 0, &poses.tips()[0].translation.vector.into(), &mut columns);
    let scale = |row: usize| if row < 3 { 1.0 / solver.length_scale() } else { 1.0 };
    DMatrix::from_fn(rows, positions.len(), |row, column| columns[column][row] * scale(row)).singular_values().min()
}

#[test]
fn the_smallest_singular_value_tells_a_stretched_arm_from_a_bent_one() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.4), "base", &["tip"]);
    let solver = arm.solver();
    for (elbow, singular) in [(0.0, true), (PI, true), (1e-5, true), (0.8, false), (-1.5, false)] {
        let seed = [0.3, elbow];
        let targets = [arm.targets_at(&seed)[0].position_only()];
        let solution = solve(&solver, &search(&targets, &seed));
        assert!(solution.is_solved(), "{solution:?}");
        // Three position rows for two joints: the row normal to the plane is always zero.
        let expected = reference_singular_value(&arm, &solver, &solution.positions, 3);
        let found = solver.smallest_singular_value(&targets, &solution.positions, &mut solver.scratch()).unwrap();
        assert!((found - expected).abs() < 1e-12, "elbow {elbow}: {found} instead of {expected}");
        assert_eq!(found < 1e-4, singular, "elbow {elbow}: {found}");
    }
}

#[test]
fn the_smallest_singular_value_of_seven_joints() {
    let arm = &common::bundled_arms()[0];
    let (solver, mut random) = (arm.solver(), Random::new(8));
    for _ in 0..20 {
        let seed = random.positions(&arm.chain);
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let searched = solve(&solver, &search(&targets, &seed));
        let expected = reference_singular_value(arm, &solver, &searched.positions, 6);
        let found = solver.smallest_singular_value(&targets, &searched.positions, &mut solver.scratch()).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}: {searched:?}");
        // Tracking returns it too.
        let tracked = solve(&solver, &track(&targets, &seed, &[0.1; 7]));
        let expected = reference_singular_value(arm, &solver, &tracked.positions, 6);
        let found = tracked.smallest_singular_value.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}: {tracked:?}");
    }
}

#[test]
fn a_target_half_a_turn_away_is_reached() {
    let arm = &common::bundled_arms()[0];
    let solver = arm.solver();
    let seed = arm.chain.nominal_positions();
    let pose = arm.tip_poses(&seed)[0];
    for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
        let mut target = Target::new(0, pose * UnitQuaternion::from_axis_angle(&axis, PI));
        target.free_axes[..3].fill(true);
        let solution = solve(&solver, &search(&[target], &seed));
        assert!(solution.is_solved(), "about {axis:?}: {solution:?}");
    }
}

#[test]
fn a_search_that_ends_by_itself_has_the_bits_of_one_with_more_attempts() {
    const FEW: usize = 16;
    let (mut ended, mut unfinished, mut solvers) = (0, 0, 0);
    for arm in common::bundled_arms() {
        for method in [SolverKind::Jacobian, SolverKind::Fabrik, SolverKind::ClosedForm] {
            let Ok(solver) = arm.solver().with_method(method) else { continue };
            solvers += 1;
            let mut random = Random::new(5);
            for _ in 0..100 {
                let seed = random.positions(&arm.chain);
                let mut targets = arm.targets_at(&random.positions(&arm.chain));
                // Some are beyond the reach, others just inside it.
                targets[0].pose.translation.vector *= random.between(0.8, 1.6);
                for pick in [Pick::First, Pick::Nearest] {
                    let [few, many] = [FEW, 200].map(|attempts| {
                        let mode = Mode::Search { pick, attempts, random_seed: 3 };
                        solve(&solver, &Problem::new(&targets, &seed).with_mode(mode))
                    });
                    if few.attempts < FEW {
                        assert_eq!(common::bits(&few), common::bits(&many), "{}, {method:?}", arm.name);
                        ended += 1;
                    } else {
                        unfinished += 1;
                    }
                }
            }
        }
    }
    assert_eq!(solvers, 7, "a closed form for one of three arms");
    assert!(ended > 100 && unfinished > 100, "{ended} searches ended by themselves, {unfinished} did not");
}
