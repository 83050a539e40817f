//! Collision-free tracking allocates nothing once its scratch has grown.

use allocation_counter::measure;
use nalgebra::Vector3;
use urdf_ik::collision::Geometry;
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Target};

use crate::common::cell::{Cell, at, clearance};

#[test]
fn tracking_into_an_obstacle_allocates_nothing() {
    let start = [0.0, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];
    let middle = Cell::new(Vec::new()).arm.tip_poses(&start)[0];
    let place = middle.translation.vector;
    let wall = Geometry::Box { size: [0.5, 1.0, 0.1] };
    let cell =
        Cell::new(vec![at(wall, place.x, 0.0, place.z - 0.15), at(Geometry::Sphere { radius: 0.05 }, 0.0, 0.0, 2.0)]);
    let scene = cell.scene();
    let solver = cell.arm.solver();
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut seed = start.to_vec();
    let mut collisions = 0;
    for tick in 0..200 {
        let share = f64::from(tick) / 200.0;
        let mut pose = middle;
        pose.translation.vector += Vector3::new(0.0, 0.2 * share, -0.3 * share);
        let targets = [Target::new(0, pose).position_only()];
        let problem = Problem::new(&targets, &seed)
            .with_mode(Mode::Track { max_step: &[0.02; 7] })
            .with_clearance(Some(clearance(&scene)));
        let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
        let collides = matches!(solution.outcome, Outcome::Closest(Reason::Collision { .. }));
        // The scratch grows until the first avoidance.
        assert!(found == 0 || collisions <= 1, "tick {tick}: {found} allocations, {solution:?}");
        collisions += usize::from(collides);
        seed.copy_from_slice(&solution.positions);
    }
    assert!(collisions > 50, "{collisions}");
}
