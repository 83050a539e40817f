//! Collision-free tracking: streams of two thousand targets along, into and away from obstacles.

use std::f64::consts::TAU;

use nalgebra::Vector3;
use urdf_ik::collision::{Clearance, Geometry};
use urdf_ik::solver::{FabrikOptions, Method, Mode, Outcome, Problem, Reason, Solver, SolverKind};

use crate::common;
use crate::common::cell::{Cell, MARGIN, at, clearance};
use crate::streams::{BENT, STEP, TICKS, follow, moved, slab, tool};

fn solver(cell: &Cell, method: impl Into<Method>) -> Solver {
    Solver::prepare(method, &cell.arm.chain).unwrap()
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
            let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &[STEP; 7] });
            let without = common::solve(&solver, &problem);
            let with = common::solve(&solver, &problem.with_clearance(Some(clearance(&scene))));
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
        Method::Fabrik(FabrikOptions::new(3, false)),
        SolverKind::ClosedForm.into(),
    ] {
        let solver = solver(&cell, method);
        let first = [path(0.0)];
        let start = Problem::new(&first, &BENT).with_clearance(Some(clearance(&scene)));
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
    // The target is at most 10 cm inside; the tool is at least that and the margin away from it, and not much more.
    assert!((0.10..0.13).contains(&course.farthest), "{course:?}");
    // It slides without jumps from side to side.
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
    let sentence = course.last.sentence_in(&cell.arm.chain, Some(&scene));
    assert!(
        sentence.starts_with("link 'hand_link' is 0.0100 m from obstacle 'obstacle0', and keeps clear"),
        "{sentence}"
    );
    let nameless = course.last.sentence(&cell.arm.chain);
    assert!(nameless.starts_with("two bodies are 0.0100 m apart, and keep clear of each other"), "{nameless}");
    // It is stationary.
    let targets = [there(1.0)];
    let problem = Problem::new(&targets, &course.end)
        .with_mode(Mode::Track { max_step: &[STEP; 7] })
        .with_clearance(Some(clearance(&scene)));
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
        let problem = Problem::new(&targets, &start)
            .with_mode(Mode::Track { max_step: &[STEP; 7] })
            .with_clearance(Some(Clearance { scene: &scene, margin: 0.002 }));
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
        free.with_free_axes([false; 6])
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
