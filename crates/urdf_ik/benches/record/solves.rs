//! Inverse kinematics of robots: searches by every method, picks, preferences, all solutions, tracking.

use std::ops::ControlFlow;
use std::sync::Arc;

use urdf_ik::robot::Chain;
use urdf_ik::solver::{
    FabrikOptions, JacobianStep, Method, Mode, Outcome, Pick, Preference, Problem, Reason, Scratch, Solution, Solver,
    SolverKind, Target, Tolerance, Unreached,
};

use crate::record::Group;
use crate::robots::Arm;
use crate::{Fallible, Random};

const SEARCHES: usize = 220;
const PICKS: usize = 50;
const PREFERENCES: usize = 100;
const ALL: usize = 40;
const TRACKED: usize = 400;
const ON_TWO_CORES: usize = 20;
/// Number of attempts where all of them are made.
const ATTEMPTS: usize = 20;
/// Chains with more variables have fewer recorded searches by singular value decomposition and for all solutions.
const LONG: usize = 12;

/// A robot, a solver and its memory.
pub struct Solve {
    pub arm: Arm,
    pub solver: Solver,
    pub scratch: Scratch,
    pub solution: Solution,
}

pub fn groups(arm: &Arm) -> Fallible<Vec<Group>> {
    let newton = Solver::prepare(SolverKind::Jacobian, &arm.chain)?;
    let methods: [(&str, Method); 5] = [
        ("jacobian", Method::default()),
        ("pseudoinverse", JacobianStep::Pseudoinverse.into()),
        ("fabrik", FabrikOptions::default().into()),
        ("plain fabrik", FabrikOptions::new(0, false).into()),
        ("closed form", Method::ClosedForm),
    ];
    let is_long = arm.chain.variables().len() > LONG;
    let mut groups = Vec::new();
    for (name, method) in methods {
        // Few chains have a closed form.
        let Ok(solver) = newton.with_method(method) else { continue };
        let solve = || Solve::new(arm, solver.clone());
        let title = |what: &str| format!("{what}, {name}, {}", arm.name);
        groups.push(searches(title("search"), if is_long { SEARCHES / 10 } else { SEARCHES }, solve()));
        if matches!(name, "jacobian" | "fabrik" | "closed form") {
            groups.push(tracking(title("track"), solve()));
            groups.push(picks(title("pick"), solve()));
        }
        if matches!(name, "jacobian" | "closed form") {
            groups.push(all_solutions(title("all solutions"), if is_long { 1 } else { ALL }, solve()));
        }
        if name == "jacobian" {
            groups.push(preferences(title("preference"), solve()));
            groups.push(on_two_cores(title("two cores"), solve()));
        }
    }
    Ok(groups)
}

/// Searches for the first solution.
fn searches(title: String, problems: usize, mut solve: Solve) -> Group {
    Group::new(title, problems, move |random| {
        let (targets, seed) = solve.question(random);
        let attempts = if random.one_in(4) { 5 } else { 100 };
        let mode = Mode::Search { pick: Pick::First, attempts, random_seed: u64::from(random.one_in(2)) };
        let unreached = if random.one_in(4) { Unreached::Stop } else { Unreached::Closest };
        solve.answer(&Problem::new(&targets, &seed).with_mode(mode).with_unreached(unreached))
    })
}

fn picks(title: String, mut solve: Solve) -> Group {
    Group::new(title, PICKS, move |random| {
        let (targets, seed) = solve.question(random);
        let pick = if random.one_in(2) { Pick::Nearest } else { Pick::MostManipulable };
        let mode = Mode::Search { pick, attempts: ATTEMPTS, random_seed: 0 };
        solve.answer(&Problem::new(&targets, &seed).with_mode(mode))
    })
}

fn preferences(title: String, mut solve: Solve) -> Group {
    Group::new(title, PREFERENCES, move |random| {
        let (targets, seed) = solve.question(random);
        let posture = random.positions(&solve.arm.chain);
        let weights: Vec<f64> = seed.iter().map(|_| random.between(0.1, 10.0)).collect();
        let preference = preference(random, &posture, &weights);
        let near = solve.near(random, &seed);
        let (mode, seed) = match &near {
            Some((step, near)) => (Mode::Track { max_step: step }, near),
            None => (Mode::Search { pick: Pick::First, attempts: ATTEMPTS, random_seed: 0 }, &seed),
        };
        solve.answer(&Problem::new(&targets, seed).with_mode(mode).with_preference(preference))
    })
}

/// A preference of one or more kinds.
fn preference<'a>(random: &mut Random, posture: &'a [f64], weights: &'a [f64]) -> Preference<'a> {
    let mut weight = || if random.one_in(2) { random.between(0.01, 1.0) } else { 0.0 };
    Preference {
        posture: Some(posture),
        posture_weight: weight(),
        limits_weight: weight(),
        manipulability_weight: weight(),
        move_weights: random.one_in(2).then_some(weights),
        ..Preference::default()
    }
}

fn all_solutions(title: String, problems: usize, solve: Solve) -> Group {
    let Solve { arm, solver, mut scratch, mut solution } = solve;
    Group::new(title, problems, move |random| {
        let target = arm.tips(&random.positions(&arm.chain))[0];
        let targets = [Target::new(0, target)];
        let seed = random.positions(&arm.chain);
        let mode = Mode::Search { pick: Pick::First, attempts: ATTEMPTS, random_seed: 0 };
        let (mut numbers, problem) = (Vec::new(), Problem::new(&targets, &seed).with_mode(mode));
        solver.solve_all(&problem, &mut scratch, &mut solution, &mut |solution| {
            numbers.extend(numbers_of(solution));
            ControlFlow::Continue(())
        })?;
        Ok(numbers)
    })
}

/// Steps from a seed near the target, with a bound for each variable or without.
fn tracking(title: String, mut solve: Solve) -> Group {
    Group::new(title, TRACKED, move |random| {
        let (mut targets, seed) = solve.question(random);
        let unbounded = vec![f64::INFINITY; seed.len()];
        let at = random.positions(&solve.arm.chain);
        for (target, pose) in targets.iter_mut().zip(solve.arm.tips(&at)) {
            target.pose = pose;
        }
        let step = 0.2 * random.unit();
        let near = random.near(&solve.arm.chain, &at, step);
        let bounded = vec![random.between(0.5, 1.5) * step; seed.len()];
        let max_step = if random.one_in(2) { &unbounded } else { &bounded };
        solve.answer(&Problem::new(&targets, &near).with_mode(Mode::Track { max_step }))
    })
}

/// Searches on two cores give the same bits.
fn on_two_cores(title: String, mut solve: Solve) -> Group {
    let mut scratches = vec![solve.solver.scratch(), solve.solver.scratch()];
    Group::new(title, ON_TWO_CORES, move |random| {
        let (targets, seed) = solve.question(random);
        let mode = Mode::Search { pick: Pick::Nearest, attempts: ATTEMPTS, random_seed: 0 };
        let problem = Problem::new(&targets, &seed).with_mode(mode);
        solve.solver.solve_on(&problem, &mut scratches, &mut solve.solution)?;
        Ok(numbers_of(&solve.solution))
    })
}

impl Solve {
    pub fn new(arm: &Arm, solver: Solver) -> Self {
        Self { arm: arm.clone(), scratch: solver.scratch(), solution: solver.solution(), solver }
    }

    pub fn answer(&mut self, problem: &Problem) -> Fallible<Vec<f64>> {
        self.solver.solve(problem, &mut self.scratch, &mut self.solution)?;
        Ok(numbers_of(&self.solution))
    }

    /// Targets of most kinds, some of them out of reach, and a seed.
    pub fn question(&self, random: &mut Random) -> (Vec<Target>, Vec<f64>) {
        let chain: &Chain = &self.arm.chain;
        let poses = self.arm.tips(&random.positions(chain));
        let mut targets: Vec<Target> = poses.into_iter().enumerate().map(|(tip, at)| Target::new(tip, at)).collect();
        for target in &mut targets {
            self.vary(target, random);
        }
        if targets.len() > 1 && random.one_in(4) {
            targets.pop();
        }
        let seed = if random.one_in(2) { chain.nominal_positions() } else { random.positions(chain) };
        (targets, seed)
    }

    fn vary(&self, target: &mut Target, random: &mut Random) {
        match random.below(12) {
            0 => *target = target.position_only(),
            1 => target.free_axes = self.solver.sensible_free_axes(target.tip),
            2 => target.free_axes[random.below(6)] = true,
            3 => target.pose.translation.vector *= random.between(1.0, 3.0),
            4 => target.pose.rotation = random.rotation(),
            5 => target.tolerance = Tolerance { position: 1e-9, orientation: 1e-9 },
            6 => target.weight = random.between(0.1, 10.0),
            _ => {}
        }
    }

    /// Occasionally, step bounds and a position near the seed.
    fn near(&self, random: &mut Random, seed: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        random.one_in(2).then(|| (vec![0.1; seed.len()], random.near(&Arc::clone(&self.arm.chain), seed, 0.05)))
    }
}

/// The numbers of a solution, except its counts and its time.
pub fn numbers_of(solution: &Solution) -> Vec<f64> {
    let reason = match solution.outcome {
        Outcome::Solved => 0.0,
        Outcome::Closest(Reason::OutOfReach { .. }) => 1.0,
        Outcome::Closest(Reason::JointLimits) => 2.0,
        Outcome::Closest(Reason::StepLimited) => 3.0,
        Outcome::Closest(Reason::Collision { .. }) => 4.0,
        Outcome::Closest(_) => 5.0,
        _ => 6.0,
    };
    let residuals = solution.residuals.iter().flat_map(|residual| [residual.position, residual.orientation]);
    let others = [reason, solution.squared_error, f64::from(u8::from(solution.continuous))];
    let nearest = solution.nearest.map(|(_, distance)| distance);
    others
        .into_iter()
        .chain(solution.positions.iter().copied())
        .chain(residuals)
        .chain(solution.smallest_singular_value)
        .chain(nearest)
        .collect()
}
