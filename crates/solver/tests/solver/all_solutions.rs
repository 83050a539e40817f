//! Every distinct solution, and one search on several cores.

use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;

use urdf_ik::solver::{Bounds, Mode, Pick, Problem, Scratch, Solution, Target};

use crate::common::{
    self, Arm, Random, all_solutions, apart, solve,
    urdf::{self, fixed, joint, robot},
};

/// Six joints whose last three axes meet, as in most industrial arms: eight solutions where limits exclude none.
fn industrial() -> Arm {
    let turn = |name: &str, parent: &str, child: &str, xyz: &str, axis: &str| {
        let inside = format!("<origin xyz='{xyz}'/><axis xyz='{axis}'/><limit lower='-3.1' upper='3.1'/>");
        joint(name, "revolute", parent, child, &inside)
    };
    let joints = turn("j1", "base", "l1", "0 0 0.4", "0 0 1")
        + &turn("j2", "l1", "l2", "0.05 0 0", "0 1 0")
        + &turn("j3", "l2", "l3", "0 0 0.45", "0 1 0")
        + &turn("j4", "l3", "l4", "0.42 0 0.035", "1 0 0")
        + &turn("j5", "l4", "l5", "0 0 0", "0 1 0")
        + &turn("j6", "l5", "l6", "0 0 0", "1 0 0")
        + &fixed("flange", "l6", "tip", "0.09 0 0");
    Arm::from_text(&robot("base l1 l2 l3 l4 l5 l6 tip", &joints), "base", &["tip"])
}

fn all(arm: &Arm, problem: &Problem) -> Vec<Solution> {
    all_solutions(&arm.solver(), problem)
}

#[test]
fn an_elbow_points_up_or_down() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.4), "base", &["tip"]);
    let mut random = Random::new(1);
    for _ in 0..20 {
        let mut goal = random.positions(&arm.chain);
        goal[1] = random.between(0.3, 2.5);
        let targets = [arm.targets_at(&goal)[0].position_only()];
        let found = all(&arm, &Problem::new(&targets, &goal));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(apart(&found[0].positions, &goal) < 1e-4, "the seed meets the target: it comes first");
        let mirrored = [found[1].positions[0], -found[1].positions[1]];
        assert!(apart(&found[0].positions[1..], &mirrored[1..]) < 1e-3, "{found:?}");
    }
}

#[test]
fn an_industrial_arm_has_every_solution_that_many_searches_find() {
    let (arm, mut random) = (industrial(), Random::new(2));
    let solver = arm.solver();
    let (mut most, mut missed) = (0, 0);
    for _ in 0..20 {
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let seed = random.positions(&arm.chain);
        let mode = Mode::Search { pick: Pick::First, attempts: 300, random_seed: 0 };
        let found = all(&arm, &Problem::new(&targets, &seed).with_mode(mode));
        for (index, solution) in found.iter().enumerate() {
            assert!(solution.is_solved() && arm.errors(&targets, solution).0 <= 1e-5, "{solution:?}");
            let others = found[..index].iter().map(|other| apart(&other.positions, &solution.positions));
            assert!(others.fold(f64::INFINITY, f64::min) > 0.009, "returned twice: {found:?}");
        }
        most = most.max(found.len());
        // From many other starts.
        for _ in 0..100 {
            let other = solve(&solver, &Problem::new(&targets, &random.positions(&arm.chain)));
            let nearest = found.iter().map(|known| apart(&known.positions, &other.positions)).fold(9.0, f64::min);
            missed += u32::from(nearest > 0.02);
        }
    }
    assert_eq!(most, 8);
    assert!(missed <= 20, "{missed} of 2000 searches found a solution missing from the list");
}

#[test]
fn a_redundant_arm_has_a_few_solutions_not_a_continuum() {
    let arm = &common::bundled_arms()[0];
    let mut random = Random::new(3);
    for _ in 0..5 {
        let seed = random.positions(&arm.chain);
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let found = all(arm, &Problem::new(&targets, &seed));
        assert!((1..=16).contains(&found.len()), "{} solutions", found.len());
        for solution in &found {
            assert!(solution.is_solved() && arm.errors(&targets, solution).0 <= 1e-5, "{solution:?}");
        }
    }
}

#[test]
fn the_search_ends_when_the_visitor_has_enough() {
    let (arm, mut random) = (industrial(), Random::new(4));
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let targets = arm.targets_at(&random.positions(&arm.chain));
    let mut handed = 0;
    let count =
        solver.solve_all(&Problem::new(&targets, &seed), &mut solver.scratch(), &mut solver.solution(), &mut |_| {
            handed += 1;
            if handed == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    assert_eq!((count.unwrap(), handed), (2, 2));
    // No solution for an unreachable target, and at most one in tracking.
    let far = [targets[0].with_pose(nalgebra::Isometry3::translation(9.0, 0.0, 0.0))];
    assert!(all(&arm, &Problem::new(&far, &seed)).is_empty());
    let mode = Mode::Track { max_step: &[f64::INFINITY; 6] };
    assert!(all(&arm, &Problem::new(&targets, &random.positions(&arm.chain)).with_mode(mode)).len() < 2);
}

#[test]
fn several_cores_give_the_same_answer_each_time() {
    let mut random = Random::new(5);
    for arm in common::bundled_arms().iter().chain([&industrial(), &common::two_handed()]) {
        let solver = arm.solver();
        for pick in [Pick::First, Pick::Nearest, Pick::MostManipulable] {
            for _ in 0..5 {
                let seed = random.positions(&arm.chain);
                let targets = arm.targets_at(&random.positions(&arm.chain));
                let mode = Mode::Search { pick, attempts: 60, random_seed: 7 };
                let problem = Problem::new(&targets, &seed).with_mode(mode);
                let alone = solve(&solver, &problem);
                for cores in [2, 3, 8, 100] {
                    let mut scratches: Vec<Scratch> = (0..cores).map(|_| solver.scratch()).collect();
                    let mut twice = [solver.solution(), solver.solution()];
                    for solution in &mut twice {
                        solver.solve_on(&problem, &mut scratches, solution).unwrap();
                    }
                    assert_eq!(twice[0].positions, twice[1].positions, "{}", arm.name);
                    assert_eq!(twice[0].is_solved(), alone.is_solved(), "{}: {:?}", arm.name, twice[0]);
                    if pick != Pick::First {
                        assert_eq!(
                            twice[0].positions, alone.positions,
                            "{}: the same attempts, the same pick",
                            arm.name
                        );
                        assert_eq!(twice[0].attempts, alone.attempts);
                    }
                }
            }
        }
    }
}

#[test]
fn several_cores_refuse_the_same_problems_as_one_and_come_as_near() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.4), "base", &["tip"]);
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let mut scratches = vec![solver.scratch(), solver.scratch()];
    let mut solution = solver.solution();
    assert!(solver.solve_on(&Problem::new(&[], &seed), &mut scratches, &mut solution).is_err());
    let far = [Target::new(0, nalgebra::Isometry3::translation(1.0, 1.0, 0.0)).position_only()];
    solver.solve_on(&Problem::new(&far, &seed), &mut scratches, &mut solution).unwrap();
    assert!(!solution.is_solved());
    assert!((solution.residuals[0].position - (2.0_f64.sqrt() - 0.9)).abs() < 1e-3, "{solution:?}");
}

/// Limits of two revolutions to either side, but for the third joint, which has none.
fn wide() -> Arm {
    let turn = |name: &str, kind: &str, parent: &str, child: &str, xyz: &str, axis: &str| {
        let inside = format!("<origin xyz='{xyz}'/><axis xyz='{axis}'/><limit lower='-6.5' upper='6.5'/>");
        joint(name, kind, parent, child, &inside)
    };
    let joints = turn("j1", "revolute", "base", "l1", "0 0 0.4", "0 0 1")
        + &turn("j2", "revolute", "l1", "l2", "0.05 0 0", "0 1 0")
        + &turn("j3", "continuous", "l2", "l3", "0 0 0.45", "0 1 0")
        + &fixed("flange", "l3", "tip", "0.4 0 0");
    Arm::from_text(&robot("base l1 l2 l3 tip", &joints), "base", &["tip"])
}

#[test]
fn every_revolution_within_the_limits_is_listed_the_nearest_first() {
    let (arm, mut random) = (wide(), Random::new(5));
    let solver = arm.solver();
    for _ in 0..20 {
        let goal = random.positions(&arm.chain);
        let targets = [arm.targets_at(&goal)[0].position_only()];
        let seed = random.positions(&arm.chain);
        let problem = Problem::new(&targets, &seed);
        let found = all(&arm, &problem);
        let turns = solver.solve_all_turns(&problem, &mut solver.scratch(), 1000).unwrap();
        // By brute force: both limited joints, from two revolutions down to two up.
        let mut expected = 0;
        for solution in &found {
            for [first, second] in (-3..=3).flat_map(|a| (-3..=3).map(move |b| [a, b])) {
                let moved = [(0, first), (1, second)].map(|(i, k)| solution.positions[i] + f64::from(k) * TAU);
                expected += usize::from(moved.iter().all(|angle| angle.abs() <= 6.5));
            }
        }
        assert_eq!((turns.solutions.len(), turns.count), (expected, expected as u64));
        assert!(expected > found.len(), "each joint has two or three revolutions");
        let distance = |solution: &Solution| -> f64 {
            solution.positions.iter().zip(&seed).map(|(position, seed)| (position - seed).powi(2)).sum()
        };
        assert!(turns.solutions.is_sorted_by_key(distance));
        for (index, solution) in turns.solutions.iter().enumerate() {
            assert!(arm.chain.contains(&solution.positions) && arm.errors(&targets, solution).0 <= 1e-5);
            let differ = |other: &Solution| other.positions != solution.positions;
            assert!(turns.solutions[..index].iter().all(differ), "{solution:?}");
        }
        // The nearest few are those of the whole list; and bounds count as limits do.
        let few = solver.solve_all_turns(&problem, &mut solver.scratch(), 3).unwrap();
        let same = few.solutions.iter().zip(&turns.solutions).all(|(few, all)| few.positions == all.positions);
        assert!(same && few.solutions.len() == 3 && few.count == turns.count);
        let (lower, upper) = ([-PI, -6.5, -100.0], [PI, 6.5, 100.0]);
        let bounds = Some(Bounds { lower: &lower, upper: &upper });
        let bounded = problem.with_bounds(bounds);
        let within = solver.solve_all_turns(&bounded, &mut solver.scratch(), 1000).unwrap();
        assert!(!within.solutions.is_empty());
        assert!(within.solutions.iter().all(|solution| solution.positions[0].abs() <= PI));
    }
}

#[test]
fn a_continuum_at_a_singular_wrist_has_one_representative() {
    let kr6 = common::arms_named(&["kr6"]).remove(0);
    for arm in [industrial(), kr6] {
        let mut random = Random::new(5);
        for case in 0..20 {
            // At the singularity, beside it by less than the tolerance of equal solutions, and 2° beside it.
            let wrist = [0.0, 0.001, 2.0_f64.to_radians()][case % 3];
            let mut at = random.positions(&arm.chain);
            at[4] = wrist;
            let found = all(&arm, &Problem::new(&arm.targets_at(&at), &random.positions(&arm.chain)));
            let count = found.len();
            assert!((1..=8).contains(&count), "{} {wrist}: {count} solutions, there are eight", arm.name);
            let of_wrist = |solution: &&Solution| apart(&solution.positions[..3], &at[..3]) < 1e-3;
            // Limits of less than half a turn split the continuum of the first arm.
            let most = if wrist == 0.0 && arm.name == "kr6" { 1 } else { 2 };
            let same = found.iter().filter(of_wrist).count();
            assert!(same <= most, "{} {wrist}: {same} solutions with the same wrist centre: {found:?}", arm.name);
        }
    }
}
