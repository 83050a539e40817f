//! Shared by the integration tests and benches: repeatable random numbers, robots, poses by independent kinematics.

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "not published")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]
#![allow(clippy::missing_panics_doc, reason = "tests alone use it")]

pub mod cell;
pub mod hand;
pub mod joint_curves;
pub mod joints;
pub mod line_follower;
pub mod measure;
pub mod preference_cost;
mod robots;
mod share;
pub mod urdf;

use std::path::Path;
use std::sync::Arc;

use nalgebra::{DMatrix, Isometry3, Translation3, Vector6};
use serde_json::Value;
use urdf_ik::motion::{JointLimit, JointLimits, MotionLimits};
use urdf_ik::robot::{Chain, ChainPoses, Robot, without_whole_turns};
use urdf_ik::solver::{Problem, Solution, Solver, SolverKind, Target};

pub use robots::{
    all_arms, arm_of_cases, arm_with_tool, arms_named, bundled_arms, load, makers_arms, mobile_arms, short_arms,
    two_handed, urdf_path, wide_arms,
};
pub use share::Share;
pub use urdf_ik_random::random::{self, Random};

/// Joint limits of tests and benches, so that their results do not depend on the defaults: 1 rad/s or m/s for joints
/// without a limit in the URDF; 5 rad/s² and 50 rad/s³, or the same in metres.
pub const LIMITS: JointLimit = JointLimit { velocity: Some(1.0), acceleration: Some(5.0), jerk: Some(50.0) };

/// A robot with one of its chains.
pub struct Arm {
    pub name: String,
    pub robot: Robot,
    pub chain: Arc<Chain>,
}

impl Arm {
    pub fn new(name: &str, robot: Robot, base: &str, tips: &[&str]) -> Self {
        let chain = Arc::new(Chain::new(&robot, base, tips).unwrap());
        Self { name: name.to_owned(), robot, chain }
    }

    pub fn from_text(text: &str, base: &str, tips: &[&str]) -> Self {
        Self::new("inline", Robot::from_urdf(text).unwrap(), base, tips)
    }

    pub fn solver(&self) -> Solver {
        Solver::prepare(SolverKind::Jacobian, &self.chain).unwrap()
    }

    /// The velocities of the URDF, and [`LIMITS`].
    pub fn limits(&self) -> MotionLimits {
        MotionLimits::new(&self.robot, &self.chain, &JointLimits::default()).or(&LIMITS)
    }

    /// Poses of the tips in the base link's frame by the kinematics of the complete robot, link by link: independent of
    /// the chain's.
    pub fn tip_poses(&self, positions: &[f64]) -> Vec<Isometry3<f64>> {
        let mut all = self.robot.neutral_positions();
        self.chain.write_into(&self.robot, positions, &mut all);
        let poses = self.robot.link_poses(&all);
        let pose = |link: &str| poses[self.robot.link_index(link).unwrap()];
        let base = pose(self.chain.base()).inverse();
        self.chain.tips().iter().map(|tip| tip.pose_on(&(base * pose(&tip.link)))).collect()
    }

    /// A full target for every tip, reached at `positions`.
    pub fn targets_at(&self, positions: &[f64]) -> Vec<Target> {
        self.tip_poses(positions).into_iter().enumerate().map(|(tip, pose)| Target::new(tip, pose)).collect()
    }

    /// Checks by independent kinematics that a solution is inside the limits and that its residuals are true. Returns
    /// the largest errors in position \[m\] and orientation \[rad\] of full targets.
    pub fn errors(&self, targets: &[Target], solution: &Solution) -> (f64, f64) {
        assert!(self.chain.contains(&solution.positions), "{}: outside the limits: {solution:?}", self.name);
        let poses = self.tip_poses(&solution.positions);
        targets.iter().fold((0.0, 0.0), |(position, orientation), target| {
            let apart = distance(&poses[target.tip], &target.pose);
            (apart.0.max(position), apart.1.max(orientation))
        })
    }
}

/// A solution without its time, to the bit.
pub fn bits(solution: &Solution) -> impl PartialEq + std::fmt::Debug + use<> {
    let Solution { positions, residuals, iterations, attempts, outcome, stop, saturated, .. } = solution.clone();
    let positions: Vec<u64> = positions.iter().map(|position| position.to_bits()).collect();
    let residuals: Vec<u64> = residuals
        .iter()
        .flat_map(|r| [r.position, r.orientation])
        .chain([solution.squared_error])
        .map(f64::to_bits)
        .collect();
    (positions, residuals, iterations, attempts, format!("{outcome:?} {stop:?} {saturated:?}"))
}

/// Metres that count as one radian.
pub fn length_scale(solver: &Solver) -> f64 {
    solver.length_scale()
}

/// The first `rows` rows of the Jacobian of the first tip as the solver scales it: position rows over the length scale.
pub fn jacobian(arm: &Arm, scale: f64, positions: &[f64], rows: usize) -> DMatrix<f64> {
    let mut poses = ChainPoses::new(&arm.chain);
    arm.chain.forward_kinematics(positions, &mut poses);
    let mut columns = vec![Vector6::zeros(); positions.len()];
    arm.chain.jacobian(&poses, 0, &poses.tips()[0].translation.vector.into(), &mut columns);
    let scaled = |row: usize, i: usize| columns[i][row] / if row < 3 { scale } else { 1.0 };
    DMatrix::from_fn(rows, positions.len(), scaled)
}

/// The logarithm of the product of its singular values.
pub fn log_manipulability(arm: &Arm, scale: f64, positions: &[f64], rows: usize) -> f64 {
    jacobian(arm, scale, positions, rows).singular_values().iter().map(|value| value.ln()).sum()
}

/// Solves with new scratch.
pub fn solve(solver: &Solver, problem: &Problem) -> Solution {
    let mut solution = solver.solution();
    solver.solve(problem, &mut solver.scratch(), &mut solution).unwrap();
    solution
}

/// A full target of the first tip, reached at `positions`.
pub fn reached_at(chain: &Chain, positions: &[f64]) -> Target {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    Target::new(0, poses.tips()[0])
}

/// Every solution that `solver` returns.
pub fn all_solutions(solver: &Solver, problem: &Problem) -> Vec<Solution> {
    solver.all_solutions(problem, &mut solver.scratch()).unwrap()
}

/// The largest difference of any variable, modulo whole turns.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| without_whole_turns(a - b).abs()).fold(0.0, f64::max)
}

/// Distance \[m\] and angle \[rad\] between two poses, which must be finite.
pub fn distance(a: &Isometry3<f64>, b: &Isometry3<f64>) -> (f64, f64) {
    let apart = ((a.translation.vector - b.translation.vector).norm(), a.rotation.angle_to(&b.rotation));
    assert!(apart.0.is_finite() && apart.1.is_finite(), "{a} {b}");
    apart
}

/// The folder of the package.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The numbers of a JSON list.
pub fn numbers<const N: usize>(list: &Value) -> [f64; N] {
    let values: Vec<f64> = list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    values.try_into().unwrap()
}

/// A pose as the data files and the command line write it.
pub fn pose_from_json(pose: &Value) -> Isometry3<f64> {
    let [x, y, z] = numbers(&pose["p"]);
    let rotation = urdf_ik::spatial::rotation_from(numbers(&pose["q_xyzw"])).unwrap();
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

/// Runs the examples of docs/library.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
