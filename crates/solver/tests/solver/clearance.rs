//! Collision-free searches, verified by exact distances between links: the obstacles are links of a second
//! description of the robot.

use std::ops::ControlFlow;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use urdf_ik::collision::{Clearance, Geometry, Scene};
use urdf_ik::solver::{
    FabrikOptions, Method, Mode, Outcome, Pick, Preference, Problem, Reason, Solver, SolverKind, Target, Unreached,
};

use crate::common::cell::{Cell, MARGIN};
use crate::common::{self, Random};

const CASES: usize = 24;
const BOXES: usize = 8;

/// The arm among boxes at random places around it.
pub fn cell(random: &mut Random) -> Cell {
    let mut some_box = || {
        let (direction, size) = (random.direction(), [0; 3].map(|_| random.between(0.1, 0.3)));
        let at = direction * random.between(0.5, 0.85);
        let turn = UnitQuaternion::new(random.direction() * random.between(0.0, 3.0));
        (Geometry::Box { size }, Isometry3::from_parts(Translation3::new(at.x, at.y, at.z + 0.3), turn))
    };
    Cell::new((0..BOXES).map(|_| some_box()).collect())
}

/// Collision-free positions.
pub fn free_positions(cell: &Cell, random: &mut Random) -> Vec<f64> {
    loop {
        let positions = random.positions(&cell.arm.chain);
        if cell.least_distance(&positions) > 1.5 * MARGIN {
            return positions;
        }
    }
}

fn problem<'a>(targets: &'a [Target], seed: &'a [f64], scene: &'a Scene, pick: Pick) -> Problem<'a> {
    Problem::new(targets, seed)
        .with_mode(Mode::Search { pick, attempts: 300, random_seed: 0 })
        .with_clearance(Some(Clearance { scene, margin: MARGIN }))
}

#[test]
fn every_method_finds_solutions_that_keep_clear() {
    let mut random = Random::new(5);
    let (mut solved_without, mut clear_without) = (0, 0);
    for _ in 0..CASES {
        let cell = cell(&mut random);
        let scene = cell.scene();
        let (seed, goal) = (free_positions(&cell, &mut random), free_positions(&cell, &mut random));
        let targets = cell.arm.targets_at(&goal);
        for method in [
            Method::from(SolverKind::Jacobian),
            Method::from(SolverKind::Fabrik),
            Method::Fabrik(FabrikOptions::new(3, false)),
            Method::from(SolverKind::ClosedForm),
        ] {
            let solver = Solver::prepare(method, &cell.arm.chain).unwrap();
            for pick in Pick::ALL {
                let problem = problem(&targets, &seed, &scene, pick);
                let solution = common::solve(&solver, &problem);
                let least = cell.least_distance(&solution.positions);
                assert!(least >= MARGIN - 1e-9, "{method:?} {pick}: {least} m");
                assert!(solution.is_solved(), "{method:?} {pick}: {}", solution.sentence(&cell.arm.chain));
                cell.arm.errors(&targets, &solution);
            }
        }
        let without = common::solve(&cell.arm.solver(), &Problem::new(&targets, &seed));
        solved_without += usize::from(without.is_solved());
        clear_without += usize::from(cell.least_distance(&without.positions) >= MARGIN);
    }
    // The obstacles are in the way: without the clearance, many solutions collide.
    assert!(solved_without == CASES && clear_without + 2 < CASES, "{clear_without} of {CASES} are clear anyway");
}

#[test]
fn all_solutions_and_preferences_keep_clear() {
    let mut random = Random::new(6);
    for _ in 0..CASES / 4 {
        let cell = cell(&mut random);
        let scene = cell.scene();
        let (seed, goal) = (free_positions(&cell, &mut random), free_positions(&cell, &mut random));
        let targets = cell.arm.targets_at(&goal);
        let posture = random.positions(&cell.arm.chain);
        let preference = Preference { posture: Some(&posture), posture_weight: 1.0, ..Preference::default() };
        let problem = problem(&targets, &seed, &scene, Pick::First).with_preference(preference);
        let solver = cell.arm.solver();
        let solution = common::solve(&solver, &problem);
        assert!(solution.is_solved() && cell.least_distance(&solution.positions) >= MARGIN - 1e-9);
        let mut found = 0;
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let count = solver.solve_all(&problem, &mut scratch, &mut solution, &mut |solution| {
            assert!(cell.least_distance(&solution.positions) >= MARGIN - 1e-9);
            found += 1;
            ControlFlow::Continue(())
        });
        assert!(found > 0 && count.unwrap() == found);
    }
}

/// Tracking allows a seed in collision; a search from a seed that meets its target in collision does not.
#[test]
fn a_seed_in_collision_is_no_solution() {
    let mut random = Random::new(8);
    let (mut solved, mut blocked) = (0, 0);
    for _ in 0..CASES {
        let free = Cell::new(Vec::new());
        let seed = random.positions(&free.arm.chain);
        let targets = free.arm.targets_at(&seed);
        let ball = (Geometry::Sphere { radius: 0.2 }, Isometry3::from(targets[0].pose.translation));
        let cell = Cell::new(vec![ball]);
        let scene = cell.scene();
        let solution = common::solve(&cell.arm.solver(), &problem(&targets, &seed, &scene, Pick::First));
        assert!(cell.least_distance(&solution.positions) > 0.0 || !solution.is_solved(), "{solution:?}");
        solved += usize::from(solution.is_solved());
        blocked += usize::from(matches!(solution.outcome, Outcome::Closest(Reason::Collision { .. })));
    }
    assert!(blocked > CASES / 2, "{solved} solved and {blocked} blocked of {CASES}");
}

#[test]
fn the_order_of_obstacles_and_the_cores_change_no_bit() {
    let mut random = Random::new(7);
    for _ in 0..CASES / 4 {
        let cell = cell(&mut random);
        let (seed, goal) = (free_positions(&cell, &mut random), free_positions(&cell, &mut random));
        let targets = cell.arm.targets_at(&goal);
        let (forwards, backwards) = (cell.scene(), cell.scene_in((0..BOXES).rev()));
        let solver = cell.arm.solver();
        let one = common::solve(&solver, &problem(&targets, &seed, &forwards, Pick::First));
        let other = common::solve(&solver, &problem(&targets, &seed, &backwards, Pick::First));
        assert_eq!(one.positions, other.positions);
        let batch = solver.solve_batch(&[problem(&targets, &seed, &forwards, Pick::First)], &|| true);
        assert_eq!(batch.positions, one.positions);
        let mut several = solver.solution();
        let mut scratches = vec![solver.scratch(), solver.scratch()];
        let problem = problem(&targets, &seed, &forwards, Pick::Nearest);
        solver.solve_on(&problem, &mut scratches, &mut several).unwrap();
        assert!(several.is_solved() && cell.least_distance(&several.positions) >= MARGIN - 1e-9);
    }
}

#[test]
fn a_target_inside_an_obstacle_is_not_met_and_the_answer_keeps_clear() {
    let mut random = Random::new(8);
    let cell = cell(&mut random);
    let scene = cell.scene();
    for pose in cell.poses() {
        let seed = free_positions(&cell, &mut random);
        let targets = [Target::new(0, *pose).position_only()];
        for kind in [SolverKind::Jacobian, SolverKind::Fabrik, SolverKind::ClosedForm] {
            let solver = Solver::prepare(kind, &cell.arm.chain).unwrap();
            let attempts = Mode::Search { pick: Pick::First, attempts: 100, random_seed: 0 };
            for unreached in Unreached::ALL {
                let problem =
                    problem(&targets, &seed, &scene, Pick::First).with_mode(attempts).with_unreached(unreached);
                let solution = common::solve(&solver, &problem);
                assert!(!solution.is_solved());
                assert!(cell.least_distance(&solution.positions) >= MARGIN - 1e-9, "{kind} {unreached}");
            }
        }
    }
}

#[test]
fn what_is_within_the_margin_at_the_seed_may_stay_so() {
    let mut random = Random::new(9);
    let mut stayed = 0;
    for _ in 0..400 {
        let cell = cell(&mut random);
        let seed = random.positions(&cell.arm.chain);
        let before = cell.least_distance(&seed);
        if before <= 0.0 || before >= MARGIN {
            continue;
        }
        let (scene, targets) = (cell.scene(), cell.arm.targets_at(&seed));
        let solution = common::solve(&cell.arm.solver(), &problem(&targets, &seed, &scene, Pick::First));
        assert!(solution.is_solved() && cell.least_distance(&solution.positions) >= before - 1e-9);
        stayed += 1;
    }
    assert!(stayed > 3, "{stayed}");
}

#[test]
fn an_obstacle_around_the_target_is_the_reason() {
    let mut random = Random::new(23);
    for _ in 0..30 {
        let arm = Cell::new(Vec::new());
        let goal = free_positions(&arm, &mut random);
        let targets = arm.arm.targets_at(&goal);
        let cell = Cell::new(vec![(Geometry::Box { size: [0.2; 3] }, targets[0].pose)]);
        let (scene, seed) = (cell.scene(), free_positions(&cell, &mut random));
        let solution = common::solve(&cell.arm.solver(), &problem(&targets, &seed, &scene, Pick::First));
        let sentence = solution.sentence(&cell.arm.chain);
        let Outcome::Closest(Reason::Collision { pair, .. }) = solution.outcome else { panic!("{sentence}") };
        assert!(scene.has_obstacle(pair), "{sentence}");
        assert!(cell.least_distance(&solution.positions) >= MARGIN - 1e-9, "{sentence}");
        // The arm gets about as near as the box allows.
        assert!(solution.residuals[0].position < 0.4, "{sentence}");
    }
}
