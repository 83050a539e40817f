//! Which of several solutions is returned.

use std::f64::consts::TAU;

use urdf_ik::robot::Domain;
use urdf_ik::solver::{Mode, Pick, Problem, Solution, Target};

use crate::common::{self, Arm, Random, urdf};

const TARGETS: usize = 40;

/// A solution with that pick, from other starting points for each `random_seed`.
fn pick<'a>(targets: &'a [Target], seed: &'a [f64], pick: Pick, random_seed: u64) -> Problem<'a> {
    Problem::new(targets, seed).with_mode(Mode::Search { pick, attempts: 100, random_seed })
}

/// The largest move of any joint from the seed to the positions that were returned.
fn largest_move(solution: &Solution, seed: &[f64]) -> f64 {
    seed.iter().zip(&solution.positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Arms of six revolute joints without limits, with limits of one turn and of two, and with narrow limits,
/// each with its seeds.
fn arms() -> Vec<Arm> {
    let six =
        |name: &str, limit| Arm { name: name.to_owned(), ..Arm::from_text(&urdf::six_joints(limit), "base", &["tip"]) };
    let mut arms =
        vec![six("without limits", None), six("3 rad", Some(3.0)), six("4 rad", Some(4.0)), six("6.4 rad", Some(6.4))];
    arms.extend(common::arms_named(&["kr6", "ur5"]));
    arms
}

/// The largest joint displacement from `seed` to `positions`, with every joint at the revolution nearest to the seed
/// within its limits.
fn least_move(arm: &Arm, positions: &[f64], seed: &[f64]) -> f64 {
    let moves = positions.iter().zip(seed).zip(arm.chain.variables()).map(|((position, seed), variable)| {
        let turns = (-3..=3).map(|turns| position + f64::from(turns) * TAU);
        let allowed = turns.filter(|turned| variable.domain == Domain::Circle || variable.domain.contains(*turned));
        allowed.map(|turned| (turned - seed).abs()).fold((position - seed).abs(), f64::min)
    });
    moves.fold(0.0, f64::max)
}

fn check_nearest(arm: &Arm) {
    let (solver, mut random) = (arm.solver(), Random::new(31));
    let mut beaten = Vec::new();
    for _ in 0..TARGETS {
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let seed = random.positions(&arm.chain);
        let first = common::solve(&solver, &pick(&targets, &seed, Pick::First, 0));
        let nearest = common::solve(&solver, &pick(&targets, &seed, Pick::Nearest, 0));
        assert!(first.is_solved() && nearest.is_solved());
        arm.errors(&targets, &nearest);
        let (to_first, to_nearest) = (largest_move(&first, &seed), largest_move(&nearest, &seed));
        // Two solutions within the tolerance differ in their last digits.
        assert!(to_nearest <= to_first + 1e-3, "{}: {to_nearest} rad, but the first {to_first}", arm.name);
        // Searches with other starting points.
        let mut other = |number: u64| {
            let from = random.positions(&arm.chain);
            let found = common::solve(&solver, &pick(&targets, &from, Pick::First, number));
            least_move(arm, &found.positions, &seed)
        };
        let best = (1..=60).map(&mut other).fold(f64::INFINITY, f64::min);
        if to_nearest > best + 1e-3 {
            beaten.push((to_nearest, best));
        }
    }
    println!("{}: {} of {TARGETS} beaten by other searches: {beaten:?}", arm.name, beaten.len());
    assert!(beaten.len() * 20 <= TARGETS, "{}: {beaten:?}", arm.name);
}

/// Whether the range of some joint exceeds a revolution.
fn has_spare_turns(arm: &Arm) -> bool {
    let spare = |domain: Domain| matches!(domain, Domain::Interval { lower, upper } if upper - lower >= TAU);
    arm.chain.variables().iter().any(|variable| spare(variable.domain))
}

#[test]
fn the_nearest_is_nearer_than_the_first_and_than_what_other_searches_find() {
    arms().iter().filter(|arm| !has_spare_turns(arm)).for_each(check_nearest);
}

#[test]
fn the_nearest_is_so_where_limits_leave_more_than_a_turn() {
    arms().iter().filter(|arm| has_spare_turns(arm)).for_each(check_nearest);
}

#[test]
fn the_most_manipulable_is_at_least_as_manipulable_as_the_first() {
    let mut all = arms();
    all.extend(common::arms_named(&["arm7", "panda"]));
    for arm in all {
        let (solver, mut random) = (arm.solver(), Random::new(32));
        let mut better = 0;
        for _ in 0..TARGETS {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let seed = random.positions(&arm.chain);
            let [first, most] = [Pick::First, Pick::MostManipulable].map(|which| {
                let solution = common::solve(&solver, &pick(&targets, &seed, which, 0));
                assert!(solution.is_solved());
                common::log_manipulability(&arm, common::length_scale(&solver), &solution.positions, 6)
            });
            assert!(most >= first - 1e-3, "{}: {most} after {first}", arm.name);
            better += usize::from(most > first + 1e-3);
        }
        println!("{}: {better} of {TARGETS} are more manipulable than the first", arm.name);
        assert!(better > TARGETS / 4, "{}: {better}", arm.name);
    }
}
