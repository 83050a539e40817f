//! A solve allocates nothing, whatever its outcome.

use std::ops::ControlFlow;

use allocation_counter::measure;
use nalgebra::Isometry3;
use serde_json::json;
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::solver::JacobianStep;
use urdf_ik::solver::{Mode, Pick, Preference, Problem, Target, Tolerance, Unreached};

use crate::common::{self, Arm, Random, joint_curves, urdf};

/// Solves for some reachable targets, one far away and one with a tolerance below rounding, from several seeds and in
/// every mode. Returns the number of attempts that the hardest took.
fn solve_everything(arm: &Arm, method: JacobianStep) -> usize {
    let solver = arm.solver().with_method(method).unwrap();
    let mut random = Random::new(1);
    let mut goals: Vec<Vec<Target>> = (0..5).map(|_| arm.targets_at(&random.positions(&arm.chain))).collect();
    let far = Isometry3::translation(9.0, 9.0, 9.0);
    goals.push((0..arm.chain.tips().len()).map(|tip| Target::new(tip, far)).collect());
    let exact = Tolerance { position: 1e-300, orientation: 1e-300 };
    goals.push(goals[0].iter().map(|target| (*target).with_tolerance(exact)).collect());
    goals.push(vec![goals[0][0].position_only()]);
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut hardest = 0;
    for targets in &goals {
        let seed = random.positions(&arm.chain);
        let step = vec![0.05; seed.len()];
        for mode in [
            Mode::search(),
            Mode::Search { pick: Pick::First, attempts: 30, random_seed: 3 },
            Mode::Track { max_step: &step },
        ] {
            let problem = Problem::new(targets, &seed).with_mode(mode);
            let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
            assert_eq!(found, 0, "{}, {method:?}: {solution:?}", arm.name);
            hardest = hardest.max(solution.attempts);
            for unreached in [Unreached::Stop, Unreached::Position] {
                let problem = problem.with_unreached(unreached);
                let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
                assert_eq!(found, 0, "{}, {method:?}, {unreached}: {solution:?}", arm.name);
            }
        }
    }
    hardest
}

#[test]
fn goals_allocate_only_where_there_are_more_than_before() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
        let positions = arm.robot.neutral_positions();
        let context = GoalContext { robot: &arm.robot, chain: &arm.chain, positions: &positions, frames: &[] };
        let link = arm.chain.tip_names()[0];
        let list = [
            json!({"type": "position", "link": link, "p": [0.2, 0.1, 0.3], "lower": [-0.1, -0.1, -0.1], "upper": [0.1, 0.1, 0.1]}),
            json!({"type": "cone", "link": link, "axis": [0, 0, 1], "direction": [0, 0, 1], "angle": 0.1, "standing": true}),
            json!({"type": "cone", "link": link, "axis": [0, 0, 1], "direction": [0, 0, -1], "angle": 0.1}),
            json!({"type": "joints", "coefficients": {&*arm.chain.variables()[0].name: 1}, "lower": 0.1}),
        ];
        let goals = Goal::read_all(&list, &context).unwrap();
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let mut count = |goals: &[Goal]| {
            let problem = Problem::new(&[], &seed).with_goals(goals);
            measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total
        };
        count(&goals);
        for goals in [&goals[..], &goals[..2], &goals[3..]] {
            assert_eq!(count(goals), 0, "{}: {goals:?}", arm.name);
        }
    }
}

#[test]
fn a_solve_allocates_nothing() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        for method in
            [JacobianStep::default(), JacobianStep::Damped { damping: Some(0.1) }, JacobianStep::Pseudoinverse]
        {
            let hardest = solve_everything(&arm, method);
            // More than the starting points of the seed table.
            assert!(hardest > 16, "{}: no problem took more than {hardest} attempts", arm.name);
        }
    }
}

#[test]
fn a_target_of_a_stream_with_a_task_allocates_nothing() {
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        let (solver, steps) = (arm.solver(), vec![0.02; arm.chain.variables().len()]);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let preference = Preference {
            limits_weight: 1.0,
            manipulability_weight: 1.0,
            max_step: Some(&steps),
            ..Preference::default()
        };
        let unbounded = vec![f64::INFINITY; steps.len()];
        let configurations = joint_curves::curve(&arm, &mut Random::new(3));
        let mut seed = configurations[0].clone();
        for configuration in configurations.iter().take(50) {
            let targets = arm.targets_at(configuration);
            let mode = Mode::Track { max_step: &unbounded };
            let problem = Problem::new(&targets, &seed).with_mode(mode).with_preference(preference);
            let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
            assert_eq!(found, 0, "{}: {solution:?}", arm.name);
            seed.clone_from(&solution.positions);
        }
    }
}

/// Solves with every mode, method, pick and preference; asserts that nothing is allocated.
fn solve_every_way(arm: &Arm) {
    let mut random = Random::new(2);
    let (posture, steps) = (random.positions(&arm.chain), vec![0.1; arm.chain.variables().len()]);
    let none = Preference { posture: Some(&posture), ..Preference::default() };
    let preferences = [
        none,
        Preference { posture_weight: 1.0, ..none },
        Preference { limits_weight: 1.0, manipulability_weight: 0.1, ..none },
    ];
    let modes = [Pick::First, Pick::Nearest, Pick::MostManipulable]
        .map(|pick| Mode::Search { pick, attempts: 20, random_seed: 1 })
        .into_iter()
        .chain([Mode::Track { max_step: &steps }]);
    for method in [JacobianStep::default(), JacobianStep::Damped { damping: Some(0.1) }, JacobianStep::Pseudoinverse] {
        let solver = arm.solver().with_method(method).unwrap();
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        for mode in modes.clone() {
            for preference in preferences {
                let mut targets = arm.targets_at(&random.positions(&arm.chain));
                for free in
                    [[false; 6], [false, false, false, true, true, true], [true, false, false, false, false, true]]
                {
                    targets[0].free_axes = free;
                    let seed = random.positions(&arm.chain);
                    let problem = Problem::new(&targets, &seed).with_mode(mode).with_preference(preference);
                    let found = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap()).count_total;
                    assert_eq!(found, 0, "{}, {method:?}, {mode:?}, {preference:?}", arm.name);
                }
                let seed = random.positions(&arm.chain);
                let problem = Problem::new(&targets, &seed).with_mode(mode).with_preference(preference);
                let on_solution = &mut |_: &_| ControlFlow::Continue(());
                let all = measure(|| drop(solver.solve_all(&problem, &mut scratch, &mut solution, on_solution)));
                assert_eq!(all.count_total, 0, "{}, {method:?}, {mode:?}, {preference:?}: all", arm.name);
                let found = measure(|| drop(solver.smallest_singular_value(&targets, &posture, &mut scratch)));
                assert_eq!(found.count_total, 0, "{}", arm.name);
            }
        }
    }
}

#[test]
fn no_mode_method_pick_or_preference_allocates_for_chains_of_any_size() {
    let all = [1, 2, 3, 4, 5, 6, 7, 8, 12, 40];
    for joints in all {
        let mut arm = Arm::from_text(&urdf::snake(joints, joints == 12), "l0", &["tip"]);
        arm.name = format!("{joints} joints");
        solve_every_way(&arm);
    }
    common::bundled_arms().iter().chain([&common::two_handed()]).for_each(solve_every_way);
}

#[test]
fn the_counter_counts() {
    // An allocation that an optimiser must not remove.
    assert_eq!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total, 1);
    assert_eq!(measure(|| ()).count_total, 0);
}
