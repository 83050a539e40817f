//! Time of a collision-free tracking step, far from obstacles and in contact, compared with one without collision
//! checks: `cargo bench --bench clear_tracking`.
//!
//! Each stream is run several times, and the least time of each step counts: other load only adds to it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

use urdf_ik_testing as common;

use std::f64::consts::TAU;
use std::time::Duration;

use common::cell::{Cell, at, clearance};
use common::measure::Times;
use nalgebra::{Isometry3, Vector3};
use urdf_ik::collision::{Geometry, Scene};
use urdf_ik::solver::{Mode, Problem, Target};

const TICKS: u32 = 2000;
const PASSES: usize = 7;
const STEP: f64 = 0.02;
const BENT: [f64; 7] = [0.0, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];

fn main() {
    let middle = Cell::new(Vec::new()).arm.tip_poses(&BENT)[0].translation.vector;
    let wall = |z: f64| vec![at(Geometry::Box { size: [0.5, 1.0, 0.1] }, middle.x, 0.0, z)];
    let (far, near) = (Cell::new(wall(-2.0)), Cell::new(wall(middle.z - 0.15)));
    let (far_scene, near_scene) = (far.scene(), near.scene());
    println!("µs a step of arm7                      median    p99    max");
    // Down by up to so many metres, and sideways.
    for (name, cell, scene, depth) in [
        ("without a clearance", &far, None, 0.05),
        ("far from a wall", &far, Some(&far_scene), 0.05),
        ("above a wall, 5 cm from it at least", &near, Some(&near_scene), 0.05),
        ("sliding along a wall", &near, Some(&near_scene), 0.15),
        ("deep in the wall, without a clearance", &far, None, 0.15),
    ] {
        let times = stream(cell, scene, depth);
        let [median, high, max] = [50, 99, 100].map(|percent| times.percentile(percent));
        println!("{name:38} {median:6.1} {high:6.1} {max:6.1}");
    }
}

/// The least time of each step.
fn stream(cell: &Cell, scene: Option<&Scene>, depth: f64) -> Times {
    let solver = cell.arm.solver();
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let start = cell.arm.tip_poses(&BENT)[0];
    let mut least = vec![Duration::MAX; TICKS as usize];
    for _ in 0..PASSES {
        let mut seed = BENT.to_vec();
        for (tick, least) in (0..TICKS).zip(&mut least) {
            let phase = TAU * f64::from(tick) / f64::from(TICKS);
            let offset = Vector3::new(0.0, 0.3 * phase.sin(), -depth * (0.5 * phase).sin());
            let pose = Isometry3::from_parts((start.translation.vector + offset).into(), start.rotation);
            let targets = [Target::new(0, pose).position_only()];
            let problem = Problem::new(&targets, &seed)
                .with_mode(Mode::Track { max_step: &[STEP; 7] })
                .with_clearance(scene.map(clearance));
            solver.solve(&problem, &mut scratch, &mut solution).unwrap();
            *least = (*least).min(solution.elapsed);
            seed.clone_from(&solution.positions);
        }
    }
    Times(least.into_iter().map(|time| time.as_secs_f64() * 1e6).collect())
}
