//! A solve allocates nothing, whatever becomes of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod common;

use allocation_counter::measure;
use common::{Arm, Random};
use nalgebra::Isometry3;
use urdf_ik::solver::jacobian::Method;
use urdf_ik::solver::{Mode, Pick, Problem, Target, Tolerance};

/// Solves for some reachable targets, one far away and one that no rounding meets, from several seeds and in every mode; gives
/// the number of attempts that the hardest took.
fn solve_everything(arm: &Arm, method: Method) -> usize {
    let solver = arm.solver().with_method(method);
    let mut random = Random::new(1);
    let mut goals: Vec<Vec<Target>> = (0..5).map(|_| arm.targets_at(&random.positions(&arm.chain))).collect();
    let far = Isometry3::translation(9.0, 9.0, 9.0);
    goals.push((0..arm.chain.tips().len()).map(|tip| Target::new(tip, far)).collect());
    let exact = Tolerance { position: 1e-300, orientation: 1e-300 };
    goals.push(goals[0].iter().map(|target| Target { tolerance: exact, ..*target }).collect());
    goals.push(vec![goals[0][0].position_only()]);
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut hardest = 0;
    for targets in &goals {
        let seed = random.positions(&arm.chain);
        let step = vec![0.05; seed.len()];
        for mode in [
            Mode::search(),
            Mode::Search { pick: Pick::First, attempts: 30, random_seed: 3 },
            Mode::Track { max_step: &step },
        ] {
            let problem = Problem { mode, ..Problem::new(targets, &seed) };
            let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
            assert_eq!(found, 0, "{}, {method:?}: {solution:?}", arm.name);
            hardest = hardest.max(solution.attempts);
        }
    }
    hardest
}

#[test]
fn a_solve_allocates_nothing() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        for method in [Method::default(), Method::Damped { damping: Some(0.1) }, Method::Pseudoinverse] {
            let hardest = solve_everything(&arm, method);
            // More than the starting points that come out of the seed table.
            assert!(hardest > 16, "{}: no problem took more than {hardest} attempts", arm.name);
        }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total, 1);
    assert_eq!(measure(|| ()).count_total, 0);
}
