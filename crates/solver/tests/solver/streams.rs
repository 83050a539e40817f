//! Streams of two thousand targets for a tracking solver among obstacles, every step of which is checked.

use nalgebra::{Isometry3, Vector3};
use urdf_ik::collision::{Geometry, Scene};
use urdf_ik::robot::Domain;
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Solution, Solver, Target};

use crate::common::cell::{Cell, MARGIN, clearance};

/// Targets of a stream.
pub const TICKS: u32 = 2000;
/// Largest step of each joint from target to target \[rad\].
pub const STEP: f64 = 0.02;
/// Samples between two targets at which distances are checked, including the second.
const PARTS: u32 = 2;
/// Tolerance between the referee's distances and those of the scene \[m\].
const EXACT: f64 = 2e-6;
/// Distance beyond the margin \[m\] up to which a pair counts as a contact.
const NEAR: f64 = 1e-3;

/// A configuration of the arm with seven joints in which its elbow is bent.
pub const BENT: [f64; 7] = [0.0, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];

/// Statistics of a stream.
#[derive(Debug)]
pub struct Course {
    pub end: Vec<f64>,
    /// The solution of the last target.
    pub last: Solution,
    /// For each tenth of the stream, the targets that were not met.
    pub missed: [u32; 10],
    /// Of these, how often a collision was the reason.
    pub collisions: u32,
    /// How often a joint was at its limit while a pair was at the margin.
    pub held_by_both: u32,
    /// The largest change of a step of any joint from one target to the next.
    pub largest_jerk: f64,
    /// The largest distance of a tool from its target \[m\].
    pub farthest: f64,
    pub least_distance: f64,
    pub bits: u64,
    /// The last step of each joint.
    step: Vec<f64>,
}

impl Course {
    fn new(start: &[f64], last: Solution) -> Self {
        Self {
            end: start.to_vec(),
            last,
            missed: [0; 10],
            collisions: 0,
            held_by_both: 0,
            largest_jerk: 0.0,
            farthest: 0.0,
            least_distance: f64::INFINITY,
            bits: 0,
            step: vec![0.0; start.len()],
        }
    }

    /// Registers the solution of a target.
    fn add(&mut self, cell: &Cell, solution: &Solution, tick: u32) {
        for ((position, end), step) in solution.positions.iter().zip(&self.end).zip(&mut self.step) {
            let step_before = std::mem::replace(step, position - end);
            self.largest_jerk = self.largest_jerk.max((*step - step_before).abs());
            self.bits = self.bits.rotate_left(1) ^ position.to_bits();
        }
        let least = cell.least_distance(&solution.positions);
        self.least_distance = self.least_distance.min(least);
        if let Some((pair, distance)) = solution.nearest {
            assert!((distance - least).abs() < EXACT, "tick {tick}: {distance} of pair {pair}, which is {least}");
        }
        self.held_by_both += u32::from(least < MARGIN + NEAR && is_at_a_limit(cell, &solution.positions));
        self.farthest = solution.residuals.iter().map(|residual| residual.position).fold(self.farthest, f64::max);
        if !solution.is_solved() {
            self.missed[usize::try_from((tick - 1) * 10 / TICKS).unwrap()] += 1;
            self.collisions += u32::from(matches!(solution.outcome, Outcome::Closest(Reason::Collision { .. })));
        }
        self.end.clone_from(&solution.positions);
    }
}

fn is_at_a_limit(cell: &Cell, positions: &[f64]) -> bool {
    let mut variables = cell.arm.chain.variables().iter().zip(positions);
    variables.any(|(variable, position)| {
        matches!(variable.domain, Domain::Interval { lower, upper } if [lower, upper].contains(position))
    })
}

/// Follows a stream of targets for the first tip from `start`, and checks every step of it.
pub fn follow(cell: &Cell, scene: &Scene, solver: &Solver, start: &[f64], target: impl Fn(f64) -> Target) -> Course {
    follow_all(cell, scene, solver, start, |fraction| vec![target(fraction)])
}

/// Follows a stream of targets for several tips from `start`, and checks every step of it.
pub fn follow_all(
    cell: &Cell,
    scene: &Scene,
    solver: &Solver,
    start: &[f64],
    targets: impl Fn(f64) -> Vec<Target>,
) -> Course {
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let steps = vec![STEP; start.len()];
    let mut course = Course::new(start, solver.solution());
    for tick in 1..=TICKS {
        let targets = targets(f64::from(tick) / f64::from(TICKS));
        let problem = Problem::new(&targets, &course.end)
            .with_mode(Mode::Track { max_step: &steps })
            .with_clearance(Some(clearance(scene)));
        solver.solve(&problem, &mut scratch, &mut solution).unwrap();
        check_step(cell, &course.end, &solution.positions, tick);
        course.add(cell, &solution, tick);
    }
    course.last = solution;
    course
}

/// Checks that the step is within its bounds, and that every pair keeps its required distance along it.
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

/// The first tool's pose in `positions`, moved by `offset` \[m\], its orientation free.
pub fn moved(cell: &Cell, positions: &[f64], offset: Vector3<f64>) -> Target {
    let pose = cell.arm.tip_poses(positions)[0];
    Target::new(0, Isometry3::from_parts((pose.translation.vector + offset).into(), pose.rotation)).position_only()
}

/// The position of the first tool \[m\].
pub fn tool(cell: &Cell, positions: &[f64]) -> Vector3<f64> {
    cell.arm.tip_poses(positions)[0].translation.vector
}

/// A box of these edges \[m\].
pub fn slab(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Box { size: [x, y, z] }
}
