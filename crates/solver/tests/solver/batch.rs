//! Batches: the answers of single solves in order, on any number of threads; errors affect only their own problem.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use allocation_counter::measure;
use nalgebra::Isometry3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use urdf_ik::solver::{
    Answer, Batch, Mode, NotApplicable, Outcome, Pick, Problem, ProblemError, Solver, SolverKind, Stop, Target,
};

use crate::common::{self, Arm, Random};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn solve_on(threads: usize, solver: &Solver, problems: &[Problem]) -> Batch {
    pool(threads).install(|| solver.solve_batch(problems, &|| true))
}

/// Targets and seeds of problems: most reachable, every fifth far away.
fn questions(arm: &Arm, count: usize) -> Vec<(Vec<Target>, Vec<f64>)> {
    let mut random = Random::new(77);
    let question = |index: usize| {
        let mut targets = arm.targets_at(&random.positions(&arm.chain));
        if index % 5 == 4 {
            targets[0].pose.translation.x += 3.0;
        }
        (targets, random.positions(&arm.chain))
    };
    (0..count).map(question).collect()
}

fn problems(questions: &[(Vec<Target>, Vec<f64>)]) -> Vec<Problem<'_>> {
    questions.iter().map(|(targets, seed)| Problem::new(targets, seed)).collect()
}

fn bits(positions: &[f64]) -> Vec<u64> {
    positions.iter().map(|position| position.to_bits()).collect()
}

fn row<'a>(arm: &Arm, batch: &'a Batch, index: usize) -> &'a [f64] {
    batch.positions.chunks(arm.chain.variables().len()).nth(index).unwrap()
}

#[test]
fn each_answer_is_that_of_a_single_solve_on_any_number_of_threads() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        for kind in SolverKind::ALL {
            let solver = match Solver::prepare(kind, &arm.chain) {
                Err(NotApplicable::NoClosedForm { .. }) => continue,
                solver => solver.unwrap(),
            };
            let questions = questions(&arm, 203);
            let problems = problems(&questions);
            for threads in [1, 2, 5] {
                let batch = solve_on(threads, &solver, &problems);
                assert_eq!(batch.answers.len(), problems.len());
                for (index, problem) in problems.iter().enumerate() {
                    let single = common::solve(&solver, problem);
                    let context = format!("{}, {kind}, {threads} threads, problem {index}", arm.name);
                    assert_eq!(batch.answers[index], Answer::from(&single), "{context}");
                    assert_eq!(bits(row(&arm, &batch, index)), bits(&single.positions), "{context}");
                }
            }
        }
    }
}

#[test]
fn reachable_targets_are_reached_by_independent_kinematics() {
    let arm = &common::bundled_arms()[0];
    let questions = questions(arm, 1000);
    let batch = solve_on(2, &arm.solver(), &problems(&questions));
    for (index, (targets, _)) in questions.iter().enumerate() {
        assert_eq!(batch.answers[index].is_solved(), index % 5 != 4, "{:?}", batch.answers[index]);
        let apart = common::distance(&arm.tip_poses(row(arm, &batch, index))[0], &targets[0].pose);
        let Answer::Given { residual, .. } = batch.answers[index] else { panic!("{:?}", batch.answers[index]) };
        assert!((apart.0 - residual.position).abs() < 1e-9 && (apart.1 - residual.orientation).abs() < 1e-7);
        assert!(arm.chain.contains(row(arm, &batch, index)));
    }
}

#[test]
fn only_the_invalid_problem_is_refused() {
    let arm = &common::bundled_arms()[0];
    let solver = arm.solver();
    let mut questions = questions(arm, 100);
    questions[3].0[0].pose.translation.y = f64::NAN;
    questions[40].1[2] = f64::INFINITY;
    questions[41].1.pop();
    questions[42].0.clear();
    questions[43].0[0].tip = 1;
    questions[99].0[0].free_axes = [true; 6];
    let batch = solve_on(2, &solver, &problems(&questions));
    let bad = [3, 40, 41, 42, 43, 99];
    for index in 0..100 {
        let refused = matches!(batch.answers[index], Answer::Refused(_));
        assert_eq!(refused, bad.contains(&index), "problem {index}: {:?}", batch.answers[index]);
        assert_eq!(row(arm, &batch, index).iter().all(|position| position.is_nan()), refused, "problem {index}");
        assert!(refused || batch.answers[index].is_solved() || index % 5 == 4);
    }
    assert_eq!(batch.answers[3], Answer::Refused(ProblemError::TargetNotFinite("tool0".into())));
    assert_eq!(batch.answers[42], Answer::Refused(ProblemError::NoTarget));
}

#[test]
fn no_problems_have_no_answers() {
    let batch = solve_on(2, &common::bundled_arms()[0].solver(), &[]);
    assert!(batch.answers.is_empty() && batch.positions.is_empty());
}

#[test]
fn a_cancelled_batch_skips_problems_that_have_not_begun() {
    let arm = &common::bundled_arms()[0];
    let (solver, questions) = (arm.solver(), questions(arm, 400));
    let problems = problems(&questions);
    for (threads, allowed) in [(1, 0), (1, 37), (3, 37), (3, 400)] {
        let asked = AtomicUsize::new(0);
        let go_on = || asked.fetch_add(1, Ordering::Relaxed) < allowed;
        let batch = pool(threads).install(|| solver.solve_batch(&problems, &go_on));
        let given: Vec<bool> = batch.answers.iter().map(|answer| *answer != Answer::Skipped).collect();
        assert_eq!(given.iter().filter(|given| **given).count(), allowed, "{threads} threads");
        for (index, given) in given.iter().enumerate() {
            assert_eq!(row(arm, &batch, index).iter().all(|position| position.is_finite()), *given);
        }
        if allowed == 0 {
            assert!(batch.positions.iter().all(|position| position.is_nan()));
        }
    }
}

#[test]
fn each_problem_has_its_own_deadline_and_budget() {
    let arm = &common::bundled_arms()[0];
    let seed = arm.chain.nominal_positions();
    // Just within reach, but no wrist can point back there.
    let turned = Isometry3::new([0.8, 0.0, 0.34].into(), [0.0, -std::f64::consts::FRAC_PI_2, 0.0].into());
    let (hard, easy) = ([Target::new(0, turned)], arm.targets_at(&seed));
    let mode = Mode::Search { pick: Pick::First, attempts: 1_000_000, random_seed: 0 };
    let deadline = Some(Duration::from_millis(5));
    let problems =
        [&hard[..], &easy, &hard].map(|targets| Problem::new(targets, &seed).with_mode(mode).with_deadline(deadline));
    let batch = solve_on(2, &arm.solver(), &problems);
    assert!(batch.answers[1].is_solved());
    for index in [0, 2] {
        let Answer::Given { outcome: Outcome::Closest(_), stop, .. } = batch.answers[index] else {
            panic!("{:?}", batch.answers[index])
        };
        assert_eq!(stop, Stop::Deadline);
    }
}

#[test]
fn memory_is_allocated_once_for_any_number_of_problems() {
    let arm = &common::bundled_arms()[0];
    let (solver, questions) = (arm.solver(), questions(arm, 3000));
    let (problems, pool) = (problems(&questions), pool(1));
    let allocations =
        |count: usize| pool.install(|| measure(|| drop(solver.solve_batch(&problems[..count], &|| true))).count_total);
    let few = allocations(30);
    assert!(few > 0);
    assert_eq!(allocations(3000), few);
}
