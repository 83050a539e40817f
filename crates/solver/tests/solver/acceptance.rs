//! Acceptance callbacks during a search, and solutions of least cost.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use urdf_ik::nalgebra::{Isometry3, Vector3};
use urdf_ik::solver::{Mode, Outcome, Pick, Preference, Problem, Reason, Solution, Solver, SolverKind, Stop, Target};

use crate::common::{self, Arm, Random, Share, all_solutions, bits, solve};

/// Every solver that serves the chain.
fn solvers(arm: &Arm) -> Vec<Solver> {
    SolverKind::ALL.into_iter().filter_map(|kind| Solver::prepare(kind, &arm.chain).ok()).collect()
}

/// A pseudorandom number in [0, 1) for each configuration.
fn lot(positions: &[f64]) -> f64 {
    let sum: f64 = positions.iter().zip(1_u32..).map(|(position, weight)| position * f64::from(weight)).sum();
    (1e3 * sum).rem_euclid(1.0)
}

#[test]
fn what_is_handed_out_was_accepted_and_all_that_were_asked_about_meet_the_targets() {
    let mut random = Random::new(1);
    for arm in common::arms_named(&["panda", "ur5", "fetch7", "talos7", "mixed_joints"]) {
        for solver in solvers(&arm) {
            let mut missed = Share { failed: 0, of: 60 };
            for _ in 0..60 {
                let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
                let asked = Mutex::new(Vec::new());
                let accepts = |positions: &[f64]| {
                    asked.lock().unwrap().push(positions.to_vec());
                    lot(positions) < 0.1
                };
                let problem = Problem::new(&targets, &seed).with_accepts(Some(&accepts));
                let solution = solve(&solver, &problem);
                let asked = asked.into_inner().unwrap();
                let (last, refused) = asked.split_last().unwrap();
                for positions in &asked {
                    assert!(arm.chain.contains(positions), "{positions:?}");
                    let (apart, turned) = common::distance(&arm.tip_poses(positions)[0], &targets[0].pose);
                    assert!(apart < 1.1e-5 && turned < 1.1e-5, "{apart} {turned}");
                }
                assert!(refused.iter().all(|positions| lot(positions) >= 0.1));
                if solution.is_solved() {
                    assert_eq!(&solution.positions, last, "{solution:?}");
                } else {
                    assert_eq!(solution.outcome, Outcome::Closest(Reason::Refused), "{solution:?}");
                    assert!(solution.sentence(&arm.chain).contains("refused"));
                    missed.failed += 1;
                }
            }
            // The arms of six joints have eight solutions or fewer; the others have a continuum of them.
            if arm.chain.variables().len() > 6 {
                missed.assert_at_most(0.01, &arm.name);
            }
        }
    }
}

#[test]
fn who_accepts_all_changes_no_bit() {
    let mut random = Random::new(2);
    for arm in common::all_arms() {
        for solver in solvers(&arm) {
            for _ in 0..10 {
                let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
                let plain = Problem::new(&targets, &seed);
                let asking = plain.with_accepts(Some(&|_| true));
                assert_eq!(bits(&solve(&solver, &asking)), bits(&solve(&solver, &plain)), "{}", arm.name);
            }
        }
    }
}

#[test]
fn an_interruption_ends_a_search_with_the_best_positions_so_far() {
    let arm = &common::arms_named(&["panda"])[0];
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    // Near enough, but behind the base and upside down: no attempt meets it, and nothing proves that none can.
    let mut targets = arm.targets_at(&Random::new(4).positions(&arm.chain));
    targets[0].pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.05), Vector3::zeros());
    let asked = AtomicUsize::new(0);
    let interruption = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let mode = Mode::Search { pick: Pick::First, attempts: usize::MAX, random_seed: 0 };
    let problem = Problem::new(&targets, &seed).with_mode(mode).with_interruption(Some(&interruption));
    let solution = solve(&solver, &problem);
    assert!(!solution.is_solved() && solution.stop == Stop::Deadline, "{solution:?}");
    assert!(solution.attempts < 1000 && arm.chain.contains(&solution.positions), "{solution:?}");

    asked.store(0, Ordering::Relaxed);
    let (mut scratch, mut room, mut found) = (solver.scratch(), solver.solution(), 0);
    let count = &mut |_: &Solution| {
        found += 1;
        ControlFlow::Continue(())
    };
    solver.solve_all(&problem, &mut scratch, &mut room, count).unwrap();
    assert_eq!(found, 0);
}

#[test]
fn without_a_deadline_refusals_end_and_with_one_they_go_on_until_then() {
    let arm = &common::arms_named(&["panda"])[0];
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let targets = arm.targets_at(&Random::new(3).positions(&arm.chain));
    let asked = AtomicUsize::new(0);
    let accepts = |_: &[f64]| {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    };
    let mode = Mode::Search { pick: Pick::First, attempts: 20, random_seed: 0 };
    let problem = Problem::new(&targets, &seed).with_mode(mode).with_accepts(Some(&accepts));
    let solution = solve(&solver, &problem);
    assert!(solution.outcome == Outcome::Closest(Reason::Refused) && solution.stop == Stop::Attempts, "{solution:?}");
    // Refused configurations did not count; the closest positions may have been submitted once more.
    let refused = asked.load(Ordering::Relaxed);
    assert!(refused > 10 && [refused, refused - 1].contains(&solution.refused), "{refused} {solution:?}");
    let tried = solution.attempts + solution.refused;
    assert!(tried == 16 * 20 || solution.attempts == 20, "{solution:?}");
    assert!(arm.chain.contains(&solution.positions));

    asked.store(0, Ordering::Relaxed);
    let solution = solve(&solver, &problem.with_deadline(Some(Duration::from_millis(50))));
    assert!(solution.outcome == Outcome::Closest(Reason::Refused) && solution.stop == Stop::Deadline, "{solution:?}");
    // An unreachable target fails as without a callback.
    let mut far = targets.clone();
    far[0].pose.translation.z += 5.0;
    let mut problem = problem.with_deadline(Some(Duration::from_secs(600)));
    problem.targets = &far;
    let solution = solve(&solver, &problem);
    assert!(solution.stop == Stop::Attempts && solution.attempts <= 20, "{solution:?}");
}

#[test]
fn every_way_to_solve_asks() {
    let mut random = Random::new(4);
    let accepts = |positions: &[f64]| positions[0] > 0.0;
    for arm in common::arms_named(&["ur5", "panda", "two_arms"]) {
        for solver in solvers(&arm) {
            let mut solved = 0;
            for _ in 0..30 {
                let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
                let steps = vec![f64::INFINITY; seed.len()];
                let posture = random.positions(&arm.chain);
                let preference = Preference { posture: Some(&posture), posture_weight: 1.0, ..Preference::default() };
                for mode in [
                    Mode::search(),
                    Mode::Search { pick: Pick::Nearest, attempts: 50, random_seed: 0 },
                    Mode::Track { max_step: &steps },
                ] {
                    let problem = Problem::new(&targets, &seed)
                        .with_mode(mode)
                        .with_accepts(Some(&accepts))
                        .with_preference(preference);
                    let mut on_cores = solver.solution();
                    let mut scratches = vec![solver.scratch(), solver.scratch()];
                    solver.solve_on(&problem, &mut scratches, &mut on_cores).unwrap();
                    for solution in [solve(&solver, &problem), on_cores] {
                        assert!(!solution.is_solved() || accepts(&solution.positions), "{solution:?}");
                        solved += usize::from(solution.is_solved());
                    }
                }
                let problem = Problem::new(&targets, &seed).with_accepts(Some(&accepts));
                let all = all_solutions(&solver, &problem);
                assert!(all.iter().all(|solution| accepts(&solution.positions)));
                let batch = solver.solve_batch(&[problem], &|| true);
                assert_eq!(batch.answers[0].is_solved(), solve(&solver, &problem).is_solved());
            }
            assert!(solved > 40, "{} {}: {solved}", arm.name, solver.method().kind());
        }
    }
}

/// A cost, and the submitted configurations.
fn with_cost(solver: &Solver, problem: &Problem, cost: impl Fn(&[f64]) -> f64 + Sync) -> (Solution, Vec<f64>) {
    let costs = Mutex::new(Vec::new());
    let kept = |positions: &[f64]| {
        let cost = cost(positions);
        costs.lock().unwrap().push(cost);
        cost
    };
    let solution = solve(solver, &(*problem).with_cost(Some(&kept)));
    (solution, costs.into_inner().unwrap())
}

#[test]
fn the_least_cost_is_handed_out() {
    let mut random = Random::new(5);
    for arm in common::arms_named(&["ur5", "panda", "mixed_joints"]) {
        for solver in solvers(&arm) {
            for _ in 0..20 {
                let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
                let problem = Problem::new(&targets, &seed);
                let (solution, costs) = with_cost(&solver, &problem, lot);
                assert!(solution.is_solved(), "{}: {solution:?}", arm.name);
                let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(costs.len() > 1 && lot(&solution.positions) == least, "{} {costs:?}", arm.name);
                // A preference is ignored beside a cost.
                let preference = Preference { posture: Some(&seed), posture_weight: 1.0, ..Preference::default() };
                let (again, _) = with_cost(&solver, &problem.with_preference(preference), lot);
                assert!(lot(&again.positions) <= 1.0 && again.is_solved());
            }
        }
    }
}

/// The pick of the nearest solution is a cost.
#[test]
fn the_largest_move_as_a_cost_gives_the_nearest_solution() {
    let mut random = Random::new(6);
    for arm in common::arms_named(&["panda", "kr6", "gen3"]) {
        for kind in [SolverKind::Jacobian, SolverKind::Fabrik] {
            let solver = Solver::prepare(kind, &arm.chain).unwrap();
            for _ in 0..20 {
                let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
                let moved = |positions: &[f64]| {
                    positions.iter().zip(&seed).map(|(position, seed)| (position - seed).abs()).fold(0.0, f64::max)
                };
                let plain = Problem::new(&targets, &seed);
                let (by_cost, _) = with_cost(&solver, &plain, moved);
                let mode = Mode::Search { pick: Pick::Nearest, attempts: 100, random_seed: 0 };
                let nearest = solve(&solver, &plain.with_mode(mode));
                assert!((moved(&by_cost.positions) - moved(&nearest.positions)).abs() < 1e-12, "{}", arm.name);
            }
        }
    }
}

#[test]
fn what_costs_too_much_is_refused() {
    let arm = &common::arms_named(&["panda"])[0];
    let mut random = Random::new(7);
    for solver in solvers(arm) {
        let (targets, seed) = (arm.targets_at(&random.positions(&arm.chain)), random.positions(&arm.chain));
        let problem = Problem::new(&targets, &seed);
        for none in [f64::INFINITY, f64::NAN] {
            let (solution, costs) = with_cost(&solver, &problem, |_| none);
            assert!(solution.outcome == Outcome::Closest(Reason::Refused) && costs.len() > 10, "{solution:?}");
        }
        let (solution, _) = with_cost(&solver, &problem, |_| f64::NEG_INFINITY);
        assert!(solution.is_solved(), "{solution:?}");
        let (solution, costs) =
            with_cost(&solver, &problem, |positions| if positions[0] > seed[0] { f64::NAN } else { lot(positions) });
        assert!(solution.is_solved() && solution.positions[0] <= seed[0], "{solution:?} {costs:?}");
    }
}

#[test]
fn a_refused_step_of_a_stream_says_so() {
    let arm = &common::arms_named(&["panda"])[0];
    let seed = arm.chain.nominal_positions();
    let mut goal = seed.clone();
    for position in &mut goal {
        *position += 0.01;
    }
    let (targets, steps): (Vec<Target>, _) = (arm.targets_at(&goal), vec![0.1; 7]);
    for solver in solvers(arm) {
        let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &steps });
        assert!(solve(&solver, &problem).is_solved());
        let solution = solve(&solver, &problem.with_accepts(Some(&|_| false)));
        assert_eq!(solution.outcome, Outcome::Closest(Reason::Refused), "{solution:?}");
    }
}
