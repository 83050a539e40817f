//! Streams of poses along smooth joint curves, and an arm that follows them like the node in immediate motion.

use urdf_ik::solver::{Mode, Preference, Problem, Scratch, Solution, Solver, Target, Tolerance};

use super::preference_cost::{cost, downhill};
use super::{Arm, Random, length_scale};

/// Time between two targets \[s\].
pub const PERIOD: f64 = 0.01;
/// Number of poses of a stream.
pub const POSES: usize = 200;
/// Norm of the joint step from one pose of the stream to the next \[rad, or m of prismatic joints\].
const STEP: f64 = 0.015;
/// Step of a joint above which it is a jump \[rad or m\].
const JUMP: f64 = 0.2;
/// Remaining gain at which the arm has arrived at the optimum, relative to the initial gain.
const ARRIVED: f64 = 0.01;
/// Gain that counts as zero.
const GAIN_TOLERANCE: f64 = 1e-6;
/// Tolerance of a stationary target \[m and rad\]: a wider one would allow gains and losses near singularities.
const EXACT: Tolerance = Tolerance { position: 1e-8, orientation: 1e-8 };

/// Configurations along smooth curves between random ones: quadratic Bézier curves, each with a random configuration as
/// its middle control point, joined with equal tangents.
pub fn curve(arm: &Arm, random: &mut Random) -> Vec<Vec<f64>> {
    let between =
        |a: &[f64], b: &[f64], t: f64| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect() };
    let mut middle = random.positions(&arm.chain);
    let mut from = between(&random.positions(&arm.chain), &middle, 0.5);
    let mut configurations = Vec::new();
    while configurations.len() < POSES {
        let next = random.positions(&arm.chain);
        let to = between(&middle, &next, 0.5);
        let mut t = 0.0;
        while t < 1.0 && configurations.len() < POSES {
            let (a, b) = (between(&from, &middle, t), between(&middle, &to, t));
            configurations.push(between(&a, &b, t));
            let speed = a.iter().zip(&b).map(|(a, b)| (2.0 * (b - a)).powi(2)).sum::<f64>().sqrt();
            t += STEP / speed;
        }
        (from, middle) = (to, next);
    }
    configurations
}

/// Configurations at even distances on the line between two random ones: near all limits, and through singularities.
pub fn line(arm: &Arm, random: &mut Random) -> Vec<Vec<f64>> {
    let (from, to) = (random.positions(&arm.chain), random.positions(&arm.chain));
    let share = |pose: usize| f64::from(u32::try_from(pose).unwrap()) / f64::from(u32::try_from(POSES - 1).unwrap());
    let at = |share: f64| from.iter().zip(&to).map(|(from, to)| from + share * (to - from)).collect();
    (0..POSES).map(|pose| at(share(pose))).collect()
}

/// Velocity limit of each variable \[rad/s or m/s\].
pub fn velocities(arm: &Arm) -> Vec<f64> {
    arm.limits().velocities
}

/// The result of a stream.
#[derive(Debug, Clone, Copy, Default)]
pub struct StreamResult {
    pub largest_step: f64,
    pub unmet: usize,
    /// Number of targets that needed a search.
    pub searched: usize,
}

impl StreamResult {
    pub fn jumps(&self) -> bool {
        self.largest_step > JUMP
    }
}

/// The result of a rest after a stream.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    /// The possible gain by self-motions, and the remaining one at the end. A null space of several dimensions may have
    /// several optima; the path decides which one is reached.
    pub gain: f64,
    pub left: f64,
    /// Duration of the rest \[s\].
    pub time: f64,
    pub stream: StreamResult,
}

impl Rest {
    pub fn arrives(&self) -> bool {
        self.left <= ARRIVED * self.gain + GAIN_TOLERANCE
    }
}

/// An arm that follows a stream of targets: on its branch as long as tracking succeeds, otherwise wherever a search
/// leads.
pub struct Follower<'a> {
    arm: &'a Arm,
    solver: Solver,
    scratch: Scratch,
    solution: Solution,
    preference: Preference<'a>,
    pub positions: Vec<f64>,
}

impl<'a> Follower<'a> {
    pub fn new(arm: &'a Arm, preference: Preference<'a>, start: &[f64]) -> Self {
        let solver = arm.solver();
        let (scratch, solution) = (solver.scratch(), solver.solution());
        Self { arm, solver, scratch, solution, preference, positions: start.to_vec() }
    }

    /// Follows the poses of the tip in these configurations.
    pub fn follow(&mut self, configurations: &[Vec<f64>]) -> StreamResult {
        let mut result = StreamResult::default();
        for configuration in configurations {
            self.go_to(&self.arm.targets_at(configuration), &mut result);
        }
        result
    }

    /// Rests with the tip at that of the last configuration, for a second plus the time that the joints need to the
    /// optimum.
    pub fn rest(&mut self, last: &[f64], velocities: &[f64]) -> Rest {
        let (arm, scale, preference) = (self.arm, length_scale(&self.solver), self.preference);
        let mut targets = arm.targets_at(last);
        for target in &mut targets {
            target.tolerance = EXACT;
        }
        let mut result = StreamResult::default();
        self.go_to(&targets, &mut result);
        let before = cost(arm, scale, &preference, &self.positions, 6);
        let optimum = downhill(arm, scale, &preference, &self.positions);
        let longest = optimum
            .travelled
            .iter()
            .zip(velocities)
            .map(|(travelled, velocity)| travelled / velocity)
            .fold(0.0, f64::max);
        let mut time = 0.0;
        while time < 1.0 + longest {
            self.go_to(&targets, &mut result);
            time += PERIOD;
        }
        let after = cost(arm, scale, &preference, &self.positions, 6);
        let left = after - downhill(arm, scale, &preference, &self.positions).cost;
        Rest { gain: before - optimum.cost, left, time, stream: result }
    }

    fn go_to(&mut self, targets: &[Target], result: &mut StreamResult) {
        let unbounded = vec![f64::INFINITY; self.positions.len()];
        let mode = Mode::Track { max_step: &unbounded };
        let track = Problem::new(targets, &self.positions).with_mode(mode).with_preference(self.preference);
        self.solver.solve(&track, &mut self.scratch, &mut self.solution).unwrap();
        if !self.solution.is_solved() {
            result.searched += 1;
            let search = Problem::new(targets, &self.positions);
            self.solver.solve(&search, &mut self.scratch, &mut self.solution).unwrap();
        }
        result.unmet += usize::from(!self.solution.is_solved());
        let steps = self.solution.positions.iter().zip(&self.positions).map(|(to, from)| (to - from).abs());
        result.largest_step = steps.fold(result.largest_step, f64::max);
        self.positions.clone_from(&self.solution.positions);
    }
}
