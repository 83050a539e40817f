//! A random problem for a robot.

use std::f64::consts::PI;

use nalgebra::UnitQuaternion;
use urdf_ik::collision::Clearance;
use urdf_ik::goals::Goal;
use urdf_ik::solver::{Bounds, Mode, Pick, Preference, Problem, Target, Tolerance, Unreached};
use urdf_ik_testing::Random;
use urdf_ik_testing::cell::MARGIN;

use super::goals;
use super::subject::Subject;

/// Largest number of attempts, so that most time is not spent on targets out of reach.
const ATTEMPTS: usize = 20;

/// A problem, and how it is solved.
#[derive(Debug)]
pub struct Question {
    /// Index among the subject's solvers.
    pub solver: usize,
    targets: Vec<Target>,
    goals: Vec<Goal>,
    seed: Vec<f64>,
    /// Largest steps in tracking; `None` for a search.
    max_step: Option<Vec<f64>>,
    search: Mode<'static>,
    bounds: Option<[Vec<f64>; 2]>,
    posture: Vec<f64>,
    weights: [f64; 3],
    move_weights: Option<Vec<f64>>,
    unreached: Unreached,
    /// Positions of the first variable below this are refused.
    accepted_above: Option<f64>,
    pub all: bool,
    pub on_two_threads: bool,
    /// True if a configuration within all limits meets the targets and goals.
    pub is_reachable: bool,
}

impl Question {
    pub fn draw(subject: &Subject, random: &mut Random) -> Self {
        let chain = &subject.arm.chain;
        let at = random.positions(chain);
        let seed = match random.below(4) {
            0 => chain.nominal_positions(),
            1 => near(subject, &at, 0.2, random),
            _ => random.positions(chain),
        };
        let tracks = random.once_in(4);
        let seed = if tracks { near(subject, &at, 0.1, random) } else { seed };
        let mut targets = subject.arm.targets_at(&at);
        let mut is_reachable = true;
        for target in &mut targets {
            is_reachable &= vary(target, subject, random);
        }
        let goals = if random.once_in(3) { goals::draw(&subject.arm, &at, random) } else { Vec::new() };
        if !goals.is_empty() && random.once_in(2) || targets.len() > 1 && random.once_in(4) {
            let index = random.below(targets.len());
            targets.retain(|target| target.tip != index);
        }
        let pick = [Pick::First, Pick::First, Pick::Nearest, Pick::MostManipulable][random.below(4)];
        let attempts = 1 + random.below(ATTEMPTS);
        let mut weight = || if random.once_in(4) { random.between(0.01, 1.0) } else { 0.0 };
        let weights = [weight(), weight(), weight()];
        Self {
            solver: random.below(subject.solvers.len()),
            max_step: tracks.then(|| steps(seed.len(), random)),
            search: Mode::Search { pick, attempts, random_seed: u64::from(random.once_in(2)) },
            bounds: random.once_in(6).then(|| bounds(subject, &seed, random)),
            posture: random.positions(chain),
            weights,
            move_weights: random.once_in(8).then(|| seed.iter().map(|_| random.between(0.1, 10.0)).collect()),
            unreached: [Unreached::Stop, Unreached::Closest, Unreached::Position][random.below(3)],
            accepted_above: random.once_in(12).then(|| at[0] - 0.5),
            all: !tracks && random.once_in(30),
            on_two_threads: random.once_in(200),
            is_reachable,
            targets,
            goals,
            seed,
        }
    }

    /// Calls `act` with the problem.
    pub fn with_problem(&self, subject: &Subject, act: impl FnOnce(&Problem)) {
        let least = self.accepted_above.unwrap_or(f64::NEG_INFINITY);
        let accepts = |positions: &[f64]| positions[0] >= least;
        let [posture_weight, limits_weight, manipulability_weight] = self.weights;
        let preference = Preference {
            posture: Some(&self.posture),
            posture_weight,
            limits_weight,
            manipulability_weight,
            move_weights: self.move_weights.as_deref(),
            ..Preference::default()
        };
        let mode = self.max_step.as_deref().map_or(self.search, |max_step| Mode::Track { max_step });
        let surroundings = subject.surroundings.as_ref();
        let mut problem = Problem::new(&self.targets, &self.seed)
            .with_goals(&self.goals)
            .with_mode(mode)
            .with_bounds(self.bounds.as_ref().map(|[lower, upper]| Bounds { lower, upper }))
            .with_preference(preference)
            .with_clearance(surroundings.map(|around| Clearance { scene: &around.scene, margin: MARGIN }))
            .with_unreached(self.unreached);
        if self.accepted_above.is_some() {
            problem = problem.with_accepts(Some(&accepts));
        }
        act(&problem);
    }

    /// The kind, for a table: robot, solver, and mode.
    pub fn kind(&self, subject: &Subject) -> String {
        let mode = match (self.max_step.is_some(), self.all) {
            (true, _) => "tracking",
            (_, true) => "all solutions",
            _ => "search",
        };
        format!("{mode}, {}", subject.solvers[self.solver].0)
    }
}

/// Varies a target. Returns false if it may be out of reach then.
fn vary(target: &mut Target, subject: &Subject, random: &mut Random) -> bool {
    match random.below(14) {
        0 => *target = target.position_only(),
        1 => target.free_axes = subject.solvers[0].1.sensible_free_axes(target.tip),
        2 => target.free_axes[random.below(6)] = true,
        3 => target.free_axes = [(); 6].map(|()| random.once_in(3)),
        4 => target.tolerance = Tolerance { position: 1e-9, orientation: 1e-9 },
        5 => {
            target.tolerance =
                Tolerance { position: random.between(1e-4, 1e-2), orientation: random.between(1e-4, 0.1) }
        }
        6 => target.weight = random.between(0.1, 10.0),
        7 => {
            target.pose.translation.vector *= random.between(1.0, 3.0);
            return false;
        }
        8 => {
            target.pose.rotation = UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, PI));
            return false;
        }
        _ => {}
    }
    if !target.free_axes.contains(&false) {
        target.free_axes[0] = false;
    }
    true
}

fn steps(variables: usize, random: &mut Random) -> Vec<f64> {
    let step = if random.once_in(2) { f64::INFINITY } else { random.between(0.01, 0.2) };
    vec![step; variables]
}

/// Positions within `step` of others and inside the limits.
fn near(subject: &Subject, positions: &[f64], step: f64, random: &mut Random) -> Vec<f64> {
    let domains = subject.arm.chain.domains().into_iter();
    domains.zip(positions).map(|(domain, at)| domain.clamp(at + random.between(-step, step))).collect()
}

/// Bounds around the seed, some of them equal.
fn bounds(subject: &Subject, seed: &[f64], random: &mut Random) -> [Vec<f64>; 2] {
    let clamped = subject.arm.chain.domains().into_iter().zip(seed).map(|(domain, at)| domain.clamp(*at));
    let pairs = clamped.map(|at| match random.below(4) {
        0 => (at, at),
        1 => (f64::NEG_INFINITY, f64::INFINITY),
        _ => (at - random.between(0.0, 2.0), at + random.between(0.0, 2.0)),
    });
    let (lower, upper) = pairs.unzip();
    [lower, upper]
}
