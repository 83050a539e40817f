//! Streams of poses along smooth curves of the joints, and an arm that follows them as the node does in immediate motion.

use urdf_ik::solver::{Mode, Preference, Problem, Scratch, Solution, Solver, Target, Tolerance};

use super::preference_cost::{cost, downhill};
use super::{Arm, Random, length_scale};

/// Time between two targets \[s\].
pub const PERIOD: f64 = 0.01;
/// Poses of a stream.
pub const POSES: usize = 200;
/// Length of the step of all joints from one pose to the next, where the poses come from \[rad, or m of prismatic joints\].
const STEP: f64 = 0.015;
/// A larger step of a joint is a jump \[rad or m\].
const JUMP: f64 = 0.2;
/// What is left of the gain when the arm is said to have arrived at the optimum, as a share of it.
const SHARE_LEFT: f64 = 0.01;
/// A smaller gain is none.
const NO_GAIN: f64 = 1e-6;
/// How exactly a resting target is met \[m and rad\]: with less, the room that the tolerance leaves near singularities would count as a gain
/// or a loss.
const EXACT: Tolerance = Tolerance { position: 1e-8, orientation: 1e-8 };

/// Configurations along smooth curves between random ones: quadratic Bézier curves, each with a random configuration as its middle
/// point, joined where they have the same tangent.
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

/// Configurations evenly on the line between two random ones: through all of the limits' neighbourhood, and through singularities.
pub fn line(arm: &Arm, random: &mut Random) -> Vec<Vec<f64>> {
    let (from, to) = (random.positions(&arm.chain), random.positions(&arm.chain));
    let share = |pose: usize| f64::from(u32::try_from(pose).unwrap()) / f64::from(u32::try_from(POSES - 1).unwrap());
    let at = |share: f64| from.iter().zip(&to).map(|(from, to)| from + share * (to - from)).collect();
    (0..POSES).map(|pose| at(share(pose))).collect()
}

/// The greatest velocity of each variable \[rad/s or m/s\].
pub fn velocities(arm: &Arm) -> Vec<f64> {
    arm.limits().velocities
}

/// What came of a stream.
#[derive(Debug, Clone, Copy, Default)]
pub struct Course {
    pub largest_step: f64,
    pub unmet: usize,
    /// Targets that took a search.
    pub searched: usize,
}

impl Course {
    pub fn jumps(&self) -> bool {
        self.largest_step > JUMP
    }
}

/// What came of a rest after a stream.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    /// The cost that could be gained by self-motions, and what could still be gained in the end. Where the null space has several
    /// dimensions, there may be several optima, and the way decides to which one comes.
    pub gain: f64,
    pub left: f64,
    /// How long the rest was \[s\].
    pub time: f64,
    pub course: Course,
}

impl Rest {
    pub fn arrives(&self) -> bool {
        self.left <= SHARE_LEFT * self.gain + NO_GAIN
    }
}

/// An arm that follows a stream of targets: on its branch as long as tracking meets them, else wherever a search leads.
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
    pub fn follow(&mut self, configurations: &[Vec<f64>]) -> Course {
        let mut course = Course::default();
        for configuration in configurations {
            self.go_to(&self.arm.targets_at(configuration), &mut course);
        }
        course
    }

    /// Rests where the tip of the last configuration is, for a second and as long as the joints take for the way to the optimum.
    pub fn rest(&mut self, last: &[f64], velocities: &[f64]) -> Rest {
        let (arm, scale, preference) = (self.arm, length_scale(&self.solver), self.preference);
        let mut targets = arm.targets_at(last);
        for target in &mut targets {
            target.tolerance = EXACT;
        }
        let mut course = Course::default();
        self.go_to(&targets, &mut course);
        let before = cost(arm, scale, &preference, &self.positions, 6);
        let optimum = downhill(arm, scale, &preference, &self.positions);
        let longest = optimum.way.iter().zip(velocities).map(|(way, velocity)| way / velocity).fold(0.0, f64::max);
        let mut time = 0.0;
        while time < 1.0 + longest {
            self.go_to(&targets, &mut course);
            time += PERIOD;
        }
        let after = cost(arm, scale, &preference, &self.positions, 6);
        let left = after - downhill(arm, scale, &preference, &self.positions).cost;
        Rest { gain: before - optimum.cost, left, time, course }
    }

    fn go_to(&mut self, targets: &[Target], course: &mut Course) {
        let unbounded = vec![f64::INFINITY; self.positions.len()];
        let mode = Mode::Track { max_step: &unbounded };
        let track = Problem { mode, preference: self.preference, ..Problem::new(targets, &self.positions) };
        self.solver.solve(&track, &mut self.scratch, &mut self.solution).unwrap();
        if !self.solution.is_solved() {
            course.searched += 1;
            let search = Problem::new(targets, &self.positions);
            self.solver.solve(&search, &mut self.scratch, &mut self.solution).unwrap();
        }
        course.unmet += usize::from(!self.solution.is_solved());
        let steps = self.solution.positions.iter().zip(&self.positions).map(|(to, from)| (to - from).abs());
        course.largest_step = steps.fold(course.largest_step, f64::max);
        self.positions.clone_from(&self.solution.positions);
    }
}
