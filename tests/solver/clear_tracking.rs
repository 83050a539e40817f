//! Tracking that keeps clear: streams of two thousand targets along, into and away from obstacles.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::collision::{Clearance, Geometry, Scene};
use urdf_ik::solver::{FabrikOptions, Method, Mode, Outcome, Problem, Reason, Solution, Solver, SolverKind, Target};

use crate::common;
use crate::common::cell::{Cell, MARGIN, at, clearance};

/// Targets of a stream.
const TICKS: u32 = 2000;
/// Largest step of each joint from target to target \[rad\].
const STEP: f64 = 0.02;
/// Parts between two targets at which distances are looked at, the second among them.
const PARTS: u32 = 2;
/// What the judge's distances and those of the scene may differ by \[m\].
const EXACT: f64 = 2e-6;

/// A configuration with the elbow bent, and where the tool is in it.
const BENT: [f64; 7] = [0.0, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];

/// What a stream was like.
#[derive(Debug)]
struct Course {
    end: Vec<f64>,
    /// The solution of the last target.
    last: Solution,
    /// For each tenth of the stream, the targets that were not met.
    missed: [u32; 10],
    /// Of these, how often a collision was the reason.
    collisions: u32,
    /// The largest step of any joint.
    largest_step: f64,
    /// The largest change of a step of any joint from one target to the next, and how often one is more than half a step.
    largest_jerk: f64,
    jerks: u32,
    /// The way of all joints.
    way: f64,
    /// The largest distance of the tool from its target \[m\].
    farthest: f64,
    least_distance: f64,
    bits: u64,
}

fn solver(cell: &Cell, method: impl Into<Method>) -> Solver {
    Solver::prepare(method, &cell.arm.chain).unwrap()
}

/// Follows a stream from `start`, and checks every step of it.
fn follow(cell: &Cell, scene: &Scene, solver: &Solver, start: &[f64], target: impl Fn(f64) -> Target) -> Course {
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let steps = vec![STEP; start.len()];
    let mut seed = start.to_vec();
    let mut step_before = vec![0.0; start.len()];
    let mut course = Course {
        end: Vec::new(),
        last: solver.solution(),
        missed: [0; 10],
        collisions: 0,
        largest_step: 0.0,
        largest_jerk: 0.0,
        jerks: 0,
        way: 0.0,
        farthest: 0.0,
        least_distance: f64::INFINITY,
        bits: 0,
    };
    for tick in 1..=TICKS {
        let targets = [target(f64::from(tick) / f64::from(TICKS))];
        let problem = Problem {
            mode: Mode::Track { max_step: &steps },
            clearance: Some(clearance(scene)),
            ..Problem::new(&targets, &seed)
        };
        solver.solve(&problem, &mut scratch, &mut solution).unwrap();
        check_step(cell, &seed, &solution.positions, tick);
        for ((position, seed), before) in solution.positions.iter().zip(&seed).zip(&mut step_before) {
            let step = position - seed;
            course.largest_step = course.largest_step.max(step.abs());
            course.largest_jerk = course.largest_jerk.max((step - *before).abs());
            course.jerks += u32::from((step - *before).abs() > 0.5 * STEP);
            course.way += step.abs();
            *before = step;
            course.bits = course.bits.rotate_left(1) ^ position.to_bits();
        }
        let least = cell.least_distance(&solution.positions);
        course.least_distance = course.least_distance.min(least);
        if let Some((pair, distance)) = solution.nearest {
            assert!((distance - least).abs() < EXACT, "tick {tick}: {distance} of pair {pair}, which is {least}");
        }
        course.farthest = course.farthest.max(solution.residuals[0].position);
        if !solution.is_solved() {
            course.missed[usize::try_from((tick - 1) * 10 / TICKS).unwrap()] += 1;
            course.collisions += u32::from(matches!(solution.outcome, Outcome::Closest(Reason::Collision { .. })));
        }
        seed.clone_from(&solution.positions);
    }
    course.end = seed;
    course.last = solution;
    course
}

/// Checks that the step stays in its bounds, and that every pair keeps what it has to, on the way too.
fn check_step(cell: &Cell, seed: &[f64], positions: &[f64], tick: u32) {
    assert!(cell.arm.chain.contains(positions), "tick {tick}");
    for (position, seed) in positions.iter().zip(seed) {
        assert!((seed - STEP..=seed + STEP).contains(position), "tick {tick}: {position} from {seed}");
    }
    let floors: Vec<f64> = cell.distances(seed).into_iter().map(|distance| distance.min(MARGIN)).collect();
    for part in 1..=PARTS {
        let fraction = f64::from(part) / f64::from(PARTS);
        let between: Vec<f64> = seed.iter().zip(positions).map(|(a, b)| a + fraction * (b - a)).collect();
        let slack = if part == PARTS { EXACT } else { 1e-3 };
        for (pair, (distance, floor)) in cell.distances(&between).into_iter().zip(&floors).enumerate() {
            assert!(distance >= floor - slack, "tick {tick}: pair {pair} at {distance} has to keep {floor}");
        }
    }
}

/// The tool's pose in `positions`, moved by `offset` \[m\], its orientation free.
fn moved(cell: &Cell, positions: &[f64], offset: Vector3<f64>) -> Target {
    let pose = cell.arm.tip_poses(positions)[0];
    Target::new(0, Isometry3::from_parts((pose.translation.vector + offset).into(), pose.rotation)).position_only()
}

/// The place of the tool \[m\].
fn tool(cell: &Cell, positions: &[f64]) -> Vector3<f64> {
    cell.arm.tip_poses(positions)[0].translation.vector
}

fn slab(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Box { size: [x, y, z] }
}

#[test]
fn without_obstacles_near_nothing_changes() {
    let cell = Cell::new(vec![at(Geometry::Sphere { radius: 0.1 }, 0.0, 0.0, -2.0)]);
    let scene = cell.scene();
    for method in [Method::from(SolverKind::Jacobian), SolverKind::Fabrik.into(), SolverKind::ClosedForm.into()] {
        let solver = solver(&cell, method);
        let mut seed = BENT.to_vec();
        for tick in 0..TICKS {
            let phase = TAU * f64::from(tick) / f64::from(TICKS);
            let targets = [moved(&cell, &BENT, Vector3::new(0.0, 0.1 * phase.sin(), 0.1 * phase.cos() - 0.1))];
            let problem = Problem { mode: Mode::Track { max_step: &[STEP; 7] }, ..Problem::new(&targets, &seed) };
            let without = common::solve(&solver, &problem);
            let with = common::solve(&solver, &Problem { clearance: Some(clearance(&scene)), ..problem });
            assert_eq!(common::bits(&with), common::bits(&without), "{method:?}, tick {tick}");
            seed = with.positions;
        }
    }
}

#[test]
fn a_stream_through_a_sphere_goes_around_it() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(Geometry::Sphere { radius: 0.06 }, middle.x, middle.y + 0.03, middle.z - 0.02)]);
    let scene = cell.scene();
    let path = |fraction: f64| moved(&cell, &BENT, Vector3::new(0.0, 0.3 - 0.6 * fraction, 0.0));
    for method in [
        Method::from(SolverKind::Jacobian),
        SolverKind::Fabrik.into(),
        Method::Fabrik(FabrikOptions { polish: false, ..FabrikOptions::default() }),
        SolverKind::ClosedForm.into(),
    ] {
        let solver = solver(&cell, method);
        let first = [path(0.0)];
        let start = Problem { clearance: Some(clearance(&scene)), ..Problem::new(&first, &BENT) };
        let start = common::solve(&cell.arm.solver(), &start).positions;
        let course = follow(&cell, &scene, &solver, &start, path);
        println!("{method:?}: {course:?}");
        assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{method:?}: {course:?}");
        assert!(course.collisions > 100, "{method:?}: {course:?}");
    }
}

#[test]
fn the_tool_slides_along_a_wall() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    // The face of the wall is 10 cm below the tool.
    let cell = Cell::new(vec![at(slab(0.5, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15)]);
    let scene = cell.scene();
    // Down into the wall by up to 10 cm, and sideways.
    let path = |fraction: f64| {
        let down = 0.2 * (0.5 * TAU * fraction).sin();
        moved(&cell, &BENT, Vector3::new(0.0, 0.3 * (TAU * fraction).sin(), -down))
    };
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    println!("{course:?}");
    assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{course:?}");
    // The target is 10 cm inside at most; the tool is that and the margin away from it at least, and not much more.
    assert!((0.10..0.13).contains(&course.farthest), "{course:?}");
    // It slides without leaps from side to side.
    assert!(course.largest_jerk < 0.8 * STEP, "{course:?}");
}

#[test]
fn the_arm_comes_to_rest_before_an_obstacle_and_can_leave_it() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(slab(0.1, 0.4, 0.1), middle.x + 0.2, 0.0, middle.z - 0.03)]);
    let scene = cell.scene();
    let solver = cell.arm.solver();
    let there = |fraction: f64| moved(&cell, &BENT, Vector3::new(0.2 * (2.0 * fraction).min(1.0), 0.0, 0.0));
    let course = follow(&cell, &scene, &solver, &BENT, there);
    println!("{course:?}");
    let Outcome::Closest(Reason::Collision { pair, distance }) = course.last.outcome else { panic!("{course:?}") };
    assert!((MARGIN..MARGIN + 1e-3).contains(&distance), "{course:?}");
    assert_eq!(course.last.nearest, Some((pair, distance)));
    let sentence = course.last.sentence_in(&cell.arm.chain, &scene);
    assert!(
        sentence.starts_with("link 'hand_link' is 0.0100 m from obstacle 'obstacle0', and keeps clear"),
        "{sentence}"
    );
    let nameless = course.last.sentence(&cell.arm.chain);
    assert!(nameless.starts_with("two bodies are 0.0100 m apart, and keep clear of each other"), "{nameless}");
    // It stands.
    let targets = [there(1.0)];
    let problem = Problem {
        mode: Mode::Track { max_step: &[STEP; 7] },
        clearance: Some(clearance(&scene)),
        ..Problem::new(&targets, &course.end)
    };
    let next = common::solve(&solver, &problem).positions;
    assert!(common::apart(&next, &course.end) < 1e-4, "{next:?} after {:?}", course.end);
    // And back.
    let back = follow(&cell, &scene, &solver, &course.end, |fraction| there(1.0 - fraction));
    assert_eq!((back.missed[0], back.missed[9]), (200, 0), "{back:?}");
}

#[test]
fn a_pair_within_the_margin_opens_and_never_closes() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(slab(0.4, 0.4, 0.1), middle.x, 0.0, middle.z - 0.15)]);
    let scene = cell.scene();
    let solver = cell.arm.solver();
    // Down to 2 mm above it, with a smaller margin.
    let mut start = BENT.to_vec();
    for _ in 0..100 {
        let targets = [moved(&cell, &BENT, Vector3::new(0.0, 0.0, -0.15))];
        let problem = Problem {
            mode: Mode::Track { max_step: &[STEP; 7] },
            clearance: Some(Clearance { scene: &scene, margin: 0.002 }),
            ..Problem::new(&targets, &start)
        };
        start = common::solve(&solver, &problem).positions;
    }
    let near = cell.least_distance(&start);
    assert!((0.002..0.0021).contains(&near), "{near}");
    // Pushed down, sideways, and up again: every step is checked against the distance before.
    let path = |fraction: f64| {
        let up = if fraction < 0.5 { -0.15 } else { -0.15 + 0.4 * (fraction - 0.5) };
        moved(&cell, &BENT, Vector3::new(0.0, 0.2 * fraction, up))
    };
    let course = follow(&cell, &scene, &solver, &start, path);
    println!("{course:?}");
    assert!(course.least_distance >= near - 1e-5, "{course:?}");
    assert_eq!(course.missed[9], 0, "{course:?}");
    assert!(cell.least_distance(&course.end) > MARGIN, "{course:?}");
}

#[test]
fn the_arm_moves_out_of_a_contact() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(slab(0.4, 0.4, 0.1), middle.x, 0.0, middle.z - 0.04)]);
    let scene = cell.scene();
    assert_eq!(cell.least_distance(&BENT), 0.0);
    let path = |fraction: f64| moved(&cell, &BENT, Vector3::new(-0.1 * fraction, 0.0, 0.3 * fraction));
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    assert_eq!(course.missed[9], 0, "{course:?}");
    assert!(cell.least_distance(&course.end) > MARGIN, "{course:?}");
}

#[test]
fn the_tool_stops_in_a_corner() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let floor = at(slab(0.6, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15);
    let wall = at(slab(0.6, 0.1, 0.4), middle.x, 0.25, middle.z + 0.1);
    let cell = Cell::new(vec![floor, wall]);
    let scene = cell.scene();
    let path = |fraction: f64| moved(&cell, &BENT, Vector3::new(0.0, 0.3 * fraction, -0.2 * fraction));
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    println!("{course:?}");
    let mut near = cell.distances(&course.end);
    near.sort_by(f64::total_cmp);
    assert!((MARGIN..MARGIN + 2e-3).contains(&near[1]), "{near:?}");
    assert!(matches!(course.last.outcome, Outcome::Closest(Reason::Collision { .. })), "{course:?}");
}

#[test]
fn a_stream_around_the_base_slides_over_the_floor() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(slab(0.6, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15)]);
    let scene = cell.scene();
    // Low around the arm, at first inside the floor.
    let path = |fraction: f64| {
        let angle = 3.3 * fraction;
        let mut target = moved(&cell, &BENT, Vector3::new(0.0, 0.0, -0.15));
        let place = target.pose.translation.vector;
        target.pose.translation.vector = Vector3::new(place.x * angle.cos(), place.x * angle.sin(), place.z);
        target
    };
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    println!("{course:?}");
    assert!(course.collisions > 200, "{course:?}");
}

#[test]
fn the_arm_keeps_clear_of_itself() {
    let cell = Cell::new(Vec::new());
    let scene = cell.scene();
    let start = tool(&cell, &BENT);
    // To the column, where the tool cannot be, and back.
    let path = |fraction: f64| {
        let share = (0.5 * TAU * fraction).sin();
        let to = Vector3::new(0.0, 0.0, 0.1);
        moved(&cell, &BENT, (to - start) * share)
    };
    for method in [Method::from(SolverKind::Jacobian), SolverKind::Fabrik.into(), SolverKind::ClosedForm.into()] {
        let course = follow(&cell, &scene, &solver(&cell, method), &BENT, path);
        println!("{method:?}: {course:?}");
        assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{method:?}: {course:?}");
        assert!(course.collisions > 100, "{method:?}: {course:?}");
    }
}

#[test]
fn full_poses_are_followed_past_an_obstacle() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let cell = Cell::new(vec![at(Geometry::Sphere { radius: 0.05 }, middle.x, middle.y, middle.z - 0.12)]);
    let scene = cell.scene();
    let path = |fraction: f64| {
        let down = 0.12 * (0.5 * TAU * fraction).sin();
        let free = moved(&cell, &BENT, Vector3::new(0.0, 0.1 * (TAU * fraction).sin(), -down));
        Target { free_axes: [false; 6], ..free }
    };
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    println!("{course:?}");
    assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{course:?}");
    assert!(course.collisions > 100, "{course:?}");
}

#[test]
fn neither_a_second_run_nor_the_order_of_obstacles_changes_a_bit() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let ball = |y: f64| at(Geometry::Sphere { radius: 0.04 }, middle.x, middle.y + y, middle.z - 0.02);
    let cell = Cell::new(vec![ball(-0.1), ball(0.1), at(slab(0.5, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15)]);
    let path = |fraction: f64| moved(&cell, &BENT, Vector3::new(0.0, 0.3 * (TAU * fraction).sin(), -0.15 * fraction));
    let run = |order: [usize; 3]| {
        let scene = cell.scene_in(order.into_iter());
        follow(&cell, &scene, &cell.arm.solver(), &BENT, path)
    };
    let first = run([0, 1, 2]);
    assert!(first.collisions > 100, "{first:?}");
    assert_eq!(first.bits, run([0, 1, 2]).bits);
    assert_eq!(first.bits, run([2, 1, 0]).bits);
}
