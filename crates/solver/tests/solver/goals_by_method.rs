//! Goals by every solver: together with targets, and alone.

use nalgebra::Vector3;
use serde_json::{Value, json};
use urdf_ik::solver::{FabrikOptions, Method, Mode, Pick, Problem, Solution, Solver, SolverKind};

use crate::common::{self, Arm, Random, bits, solve};
use crate::goals::read;

/// Rounding on top of the tolerance of goals.
const TOLERANCE: f64 = 1.001e-5;

/// Goals that a configuration meets: a cone, a box, and an interval of each second joint.
fn goals_at(arm: &Arm, positions: &[f64], random: &mut Random) -> Vec<Value> {
    let (tip, link) = (arm.tip_poses(positions)[0], arm.chain.tip_names()[0]);
    let (axis, aside) = (random.direction(), random.vector(0.02));
    let mut goals = vec![
        json!({"type": "cone", "link": link, "axis": axis.as_slice(), "direction": (tip * axis).as_slice(), "angle": 0.1}),
        json!({"type": "position", "link": link, "p": (tip.translation.vector + aside).as_slice(),
               "lower": [-0.05, -0.05, -0.05], "upper": [0.05, 0.05, 0.05]}),
    ];
    for (variable, position) in arm.chain.variables().iter().zip(positions).step_by(2) {
        goals.push(json!({"type": "joints", "coefficients": {&*variable.name: 1}, "lower": position - 0.2, "upper": position + 0.3}));
    }
    goals
}

/// True for a solution. It meets its goals and targets.
fn is_met(solution: &Solution, problem: &Problem) -> bool {
    let residuals = solution.residuals.iter().zip(problem.targets);
    let is_met = solution.violations.iter().all(|violation| *violation <= TOLERANCE)
        && residuals.into_iter().all(|(residual, target)| residual.within(target));
    assert!(is_met || !solution.is_solved(), "{solution:?}");
    solution.is_solved()
}

#[test]
fn every_solver_meets_goals_with_targets_and_alone() {
    let mut random = Random::new(31);
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        let plain = FabrikOptions::new(0, false);
        for method in [SolverKind::Fabrik.into(), Method::Fabrik(plain), SolverKind::ClosedForm.into()] {
            let Ok(solver) = Solver::prepare(method, &arm.chain) else { continue };
            let (mut solved, mut total) = (0, 0);
            for round in 0..40 {
                let positions = random.positions(&arm.chain);
                let goals = read(&arm, &goals_at(&arm, &positions, &mut random));
                let mut targets = arm.targets_at(&positions);
                match round % 4 {
                    0 => targets.clear(),
                    1 => targets[0] = targets[0].position_only(),
                    _ => {}
                }
                let seed = random.positions(&arm.chain);
                let problem = Problem::new(&targets, &seed).with_goals(&goals);
                let solution = solve(&solver, &problem);
                assert_eq!(bits(&solution), bits(&solve(&solver, &problem)), "the same problem has the same answer");
                solved += usize::from(is_met(&solution, &problem));
                total += 1;
                let track = problem.with_mode(Mode::Track { max_step: &[0.5; 20][..seed.len()] });
                is_met(&solve(&solver, &track), &track);
            }
            assert!(total - solved <= 1, "{}, {method:?}: {solved} of {total}", arm.name);
        }
    }
}

#[test]
fn goals_filter_the_solutions_of_a_closed_form() {
    let mut random = Random::new(32);
    for arm in common::bundled_arms() {
        let Ok(solver) = Solver::prepare(SolverKind::ClosedForm, &arm.chain) else { continue };
        if arm.chain.variables().len() != 6 {
            continue;
        }
        for _ in 0..40 {
            let positions = random.positions(&arm.chain);
            let (targets, seed) = (arm.targets_at(&positions), random.positions(&arm.chain));
            // The bend of the elbow decides between branches.
            let elbow = arm.tip_poses(&positions)[0] * Vector3::z();
            let names = arm.chain.variable_names();
            let relation = json!({"type": "joints", "coefficients": {names[2]: 1}, "lower": positions[2] - 0.3, "upper": positions[2] + 0.3});
            let cone = json!({"type": "cone", "axis": [0, 0, 1], "direction": elbow.as_slice(), "angle": 0.1});
            let problem = Problem::new(&targets, &seed);
            let all = common::all_solutions(&solver, &problem);
            let within = |solution: &Solution| (solution.positions[2] - positions[2]).abs() <= 0.3 + TOLERANCE;
            let with_cone = read(&arm, std::slice::from_ref(&cone));
            let same = common::all_solutions(&solver, &problem.with_goals(&with_cone));
            assert_eq!(same.len(), all.len(), "{}: the cone holds by the pose", arm.name);
            let goals = read(&arm, &[cone, relation]);
            for pick in [Pick::First, Pick::Nearest] {
                let mode = Mode::Search { pick, attempts: 100, random_seed: 0 };
                let solution = solve(&solver, &problem.with_goals(&goals).with_mode(mode));
                assert!(solution.is_solved() && within(&solution), "{solution:?}");
                let moves = |solution: &Solution| {
                    let moves = seed.iter().zip(&solution.positions).map(|(from, to)| (from - to).abs());
                    moves.fold(0.0, f64::max)
                };
                let least = all.iter().filter(|solution| within(solution)).map(moves).fold(f64::INFINITY, f64::min);
                assert!(moves(&solution) <= least + 1e-6, "{}: {} {least}", arm.name, moves(&solution));
            }
            let few = common::all_solutions(&solver, &problem.with_goals(&goals));
            assert_eq!(few.len(), all.iter().filter(|solution| within(solution)).count(), "{}", arm.name);
        }
    }
}

#[test]
fn attempts_start_near_the_goals() {
    let (arm, mut random) = (&common::bundled_arms()[0], Random::new(33));
    let (solver, names) = (arm.solver(), arm.chain.variable_names());
    let mut attempts = 0;
    for _ in 0..200 {
        let positions = random.positions(&arm.chain);
        let (tip, seed) = (arm.tip_poses(&positions)[0], random.positions(&arm.chain));
        let sum = positions[1] + positions[3];
        let goals = read(
            arm,
            &[
                json!({"type": "position", "p": tip.translation.vector.as_slice(), "lower": [-0.02, -0.02, -0.02], "upper": [0.02, 0.02, 0.02]}),
                json!({"type": "orientation", "q_xyzw": tip.rotation.coords.as_slice(), "lower": [-0.1, -0.1, -0.1], "upper": [0.1, 0.1, 0.1]}),
                json!({"type": "joints", "coefficients": {names[1]: 1, names[3]: 1}, "lower": sum - 0.01, "upper": sum + 0.01}),
            ],
        );
        let solution = solve(&solver, &Problem::new(&[], &seed).with_goals(&goals));
        assert!(solution.is_solved(), "{solution:?}");
        attempts += solution.attempts;
    }
    // From starting points that ignore the goals, there are 9 per problem.
    assert!(attempts < 7 * 200, "{attempts}");
}
