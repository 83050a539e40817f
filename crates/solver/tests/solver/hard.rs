//! Hard targets to a nanometre: joints at or near their limits, configurations at or near singularities.

use urdf_ik::solver::{Method, Mode, Pick, Problem, SolverKind, Target, Tolerance};

use crate::common::{self, Arm, Random};

/// Targets of each kind and robot.
const TARGETS: usize = 60;

/// Some joints at their limits, or at most `beside` inside them, the others anywhere.
fn at_limits(arm: &Arm, beside: f64, random: &mut Random) -> Vec<f64> {
    let mut positions = random.positions(&arm.chain);
    for (position, variable) in positions.iter_mut().zip(arm.chain.variables()) {
        let inside = random.between(0.0, beside);
        match random.below(3) {
            0 => *position = variable.domain.clamp(-1e9) + inside,
            1 => *position = variable.domain.clamp(1e9) - inside,
            _ => (),
        }
        // A circle has no limits.
        if position.abs() > 1e3 {
            *position = inside;
        }
    }
    positions
}

/// Some joints at `beside`, the others anywhere: the axes of many arms line up where joints are at zero.
fn singular(arm: &Arm, beside: f64, random: &mut Random) -> Vec<f64> {
    let share = random.below(5);
    let positions = random.positions(&arm.chain);
    let moved = positions.into_iter().zip(arm.chain.variables());
    moved
        .map(|(position, variable)| if random.below(5) <= share { variable.domain.clamp(beside) } else { position })
        .collect()
}

/// Number of targets of `make` that the method misses, from two seeds each.
fn missed(method: Method, make: fn(&Arm, f64, &mut Random) -> Vec<f64>) -> Vec<(String, Vec<f64>)> {
    let mut missed = Vec::new();
    for arm in common::all_arms() {
        let solver = arm.solver().with_method(method).unwrap();
        let (mut scratch, mut solution, mut random) = (solver.scratch(), solver.solution(), Random::new(11));
        for round in 0..TARGETS {
            let goal = make(&arm, [0.0, 1e-3, 1e-4][round % 3], &mut random);
            let tolerance = Tolerance { position: 1e-9, orientation: 1e-9 };
            let targets = arm.targets_at(&goal).into_iter().map(|target| target.with_tolerance(tolerance));
            let targets: Vec<Target> = targets.collect();
            for seed in [arm.chain.nominal_positions(), random.positions(&arm.chain)] {
                let mode = Mode::Search { pick: Pick::First, attempts: 1000, random_seed: 0 };
                solver.solve(&Problem::new(&targets, &seed).with_mode(mode), &mut scratch, &mut solution).unwrap();
                if solution.is_solved() {
                    let (position, orientation) = arm.errors(&targets, &solution);
                    assert!(position <= 1e-9 && orientation <= 1e-9, "{}: {solution:?}", arm.name);
                } else {
                    missed.push((arm.name.clone(), goal.clone()));
                }
            }
        }
    }
    missed
}

#[test]
fn every_method_solves_all_but_one_of_a_thousand() {
    for kind in [SolverKind::Jacobian, SolverKind::Fabrik] {
        for make in [at_limits, singular] {
            let missed = missed(kind.into(), make);
            assert!(missed.len() <= 2, "{kind}: {missed:?}");
        }
    }
}
