//! Closed forms of chains of seven revolute joints: correct claims, and small displacements from the seed.

use allocation_counter::measure;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use urdf_ik::robot::Chain;
use urdf_ik::solver::closed_form::ClosedForm;
use urdf_ik::solver::{Mode, Outcome, Pick, Preference, Problem, Solution, Solver, SolverKind, Target, Tolerance};

use crate::common::{self, Arm, Random, Share, bits, distance, solve, urdf};

/// An arm with these axes through these points \[m\] in a zero configuration, and limits of ±2.8 rad.
fn arm(name: &str, axes: &[Vector3<f64>; 7], points: &[[f64; 3]; 7], kind: &str) -> Arm {
    let (mut joints, mut before) = (String::new(), Vector3::zeros());
    for (index, (axis, point)) in axes.iter().zip(points).enumerate() {
        let (point, number) = (Vector3::from(*point), index + 1);
        let xyz = point - before;
        before = point;
        let inside = format!(
            "<origin xyz='{:e} {:e} {:e}'/><axis xyz='{} {} {}'/><limit lower='-2.8' upper='2.8'/>",
            xyz.x, xyz.y, xyz.z, axis.x, axis.y, axis.z
        );
        let kind = if index == 4 { kind } else { "revolute" };
        joints += &urdf::joint(&format!("j{number}"), kind, &format!("l{index}"), &format!("l{number}"), &inside);
    }
    joints += &urdf::fixed("flange", "l7", "tip", "0.02 0.01 0.1");
    let mut arm = Arm::from_text(&urdf::robot("l0 l1 l2 l3 l4 l5 l6 l7 tip", &joints), "l0", &["tip"]);
    name.clone_into(&mut arm.name);
    arm
}

/// Spherical shoulder and wrist, exact and near; a spherical shoulder and a wrist with an offset; a spherical wrist
/// and a shoulder with one offset, and with two. Lengths are random.
fn arms(random: &mut Random) -> Vec<Arm> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let mut length = |about: f64| about * random.between(0.8, 1.2);
    let (shoulder, elbow, wrist, offset) = (length(0.3), length(0.7), length(1.1), length(0.09));
    let bent = |points: [f64; 7]| points.map(|height| [0.0, 0.0, height]);
    let spherical = bent([0.0, shoulder, shoulder, elbow, elbow, wrist, wrist]);
    let mut off = spherical;
    (off[1][0], off[5][1]) = (4e-4, 3e-4);
    let mut wrist_offset = spherical;
    (wrist_offset[3][0], wrist_offset[6][0]) = (offset, offset);
    let mut shoulder_offset = spherical;
    shoulder_offset[1..].iter_mut().for_each(|point| point[0] += offset);
    let mut shoulder_offsets = shoulder_offset;
    shoulder_offsets[2..].iter_mut().for_each(|point| point[0] -= 0.6 * offset);
    let roll = [z, y, z, y, z, y, z];
    vec![
        arm("spherical", &roll, &spherical, "revolute"),
        arm("nearly spherical", &roll, &off, "revolute"),
        arm("wrist offset", &[z, y, z, -y, z, -y, -z], &wrist_offset, "revolute"),
        arm("shoulder offset", &[z, y, z, y, z, x, z], &shoulder_offset, "revolute"),
        arm("two shoulder offsets", &[z, y, z, y, z, x, z], &shoulder_offsets, "revolute"),
    ]
}

fn closed_form(arm: &Arm) -> Solver {
    Solver::prepare(SolverKind::ClosedForm, &arm.chain).unwrap()
}

fn exact(arm: &Arm, positions: &[f64]) -> [Target; 1] {
    let tolerance = Tolerance { position: 1e-9, orientation: 1e-9 };
    [arm.targets_at(positions)[0].with_tolerance(tolerance)]
}

fn largest_move(solution: &Solution, seed: &[f64]) -> f64 {
    solution.positions.iter().zip(seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn search(pick: Pick) -> Mode<'static> {
    Mode::Search { pick, attempts: 200, random_seed: 0 }
}

/// Description of an arm.
fn words(name: &str) -> &'static str {
    match name {
        "wrist offset" => "axes 1, 2 and 3 meet in one point, 5 and 6 meet, swept by 'j7'",
        "two shoulder offsets" => " is locked, axes 5, 6 and 7 meet in one point",
        _ => "axes 5, 6 and 7 meet in one point, 2 and 3 meet, swept by 'j1'",
    }
}

#[test]
fn every_target_is_met_exactly_inside_the_limits() {
    let mut random = Random::new(1);
    for arm in arms(&mut random).into_iter().chain(arms(&mut random)) {
        let (solver, form) = (closed_form(&arm), ClosedForm::prepare(&arm.chain).unwrap());
        assert_eq!(form.family().exact(), arm.name != "nearly spherical", "{}: {}", arm.name, form.in_words());
        assert!(form.locked().is_some_and(|joint| joint != 3), "{}: an elbow: {}", arm.name, form.in_words());
        assert!(form.in_words().contains(words(&arm.name)), "{}: {}", arm.name, form.in_words());
        assert_eq!(form.in_words().contains("except for this"), arm.name == "nearly spherical", "{}", form.in_words());
        let mut by_formula = 0;
        for _ in 0..30 {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let targets = exact(&arm, &positions);
            for pick in Pick::ALL {
                let problem = Problem::new(&targets, &seed).with_mode(search(pick));
                let solution = solve(&solver, &problem);
                assert_eq!(solution.outcome, Outcome::Solved, "{}, {pick}: {solution:?}", arm.name);
                assert!(arm.chain.contains(&solution.positions), "{solution:?}");
                let (position, orientation) = distance(&arm.tip_poses(&solution.positions)[0], &targets[0].pose);
                assert!(position < 1e-9 && orientation < 1e-9, "{}: {position:e} {orientation:e}", arm.name);
                assert_eq!(bits(&solve(&solver, &problem)), bits(&solution), "{}: not the same again", arm.name);
                by_formula += usize::from(solution.iterations == 0);
            }
        }
        println!("{}: {}, {by_formula} of 90 without a search", arm.name, form.in_words());
        assert!(by_formula >= 80, "{}: {by_formula} of 90 without a search", arm.name);
    }
}

#[test]
fn the_largest_move_is_seldom_beaten_by_the_best_of_many_searches() {
    let mut random = Random::new(102);
    for arm in arms(&mut random) {
        let (solver, other) = (closed_form(&arm), arm.solver());
        let (mut beaten, mut beats, count) = (0, 0, 200);
        for number in 0..count {
            let (positions, drawn) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let seed = if number % 2 == 0 { arm.chain.nominal_positions() } else { drawn };
            let targets = exact(&arm, &positions);
            let ours = largest_move(&solve(&solver, &Problem::new(&targets, &seed)), &seed);
            let mode = Mode::Search { pick: Pick::Nearest, attempts: 1000, random_seed: 0 };
            let theirs = solve(&other, &Problem::new(&targets, &seed).with_mode(mode));
            let theirs = if theirs.is_solved() { largest_move(&theirs, &seed) } else { f64::INFINITY };
            beaten += usize::from(ours > theirs + 1e-3);
            beats += usize::from(ours < theirs - 1e-3);
        }
        println!("{}: beaten {beaten} times of {count}, better {beats} times", arm.name);
        let most = match arm.name.as_str() {
            "spherical" | "nearly spherical" => 0.005,
            "two shoulder offsets" => 0.06,
            _ => 0.015,
        };
        Share { failed: beaten, of: count }.assert_at_most(most, &arm.name);
        assert!(beats > beaten, "{}: beaten {beaten} times of {count}, better {beats} times", arm.name);
    }
}

#[test]
fn the_most_manipulable_is_more_so_than_the_first() {
    let mut random = Random::new(3);
    for arm in arms(&mut random) {
        let (solver, scale) = (closed_form(&arm), common::length_scale(&arm.solver()));
        let mut better = 0;
        for _ in 0..20 {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let targets = arm.targets_at(&positions);
            let worth = |pick| {
                let solution = solve(&solver, &Problem::new(&targets, &seed).with_mode(search(pick)));
                common::log_manipulability(&arm, scale, &solution.positions, 6)
            };
            better += usize::from(worth(Pick::MostManipulable) > worth(Pick::First));
        }
        assert!(better >= 15, "{}: {better} of 20", arm.name);
    }
}

#[test]
fn tracking_keeps_to_its_steps() {
    let mut random = Random::new(4);
    for arm in arms(&mut random) {
        let (solver, step) = (closed_form(&arm), [0.1; 7]);
        for _ in 0..30 {
            let seed = random.positions(&arm.chain);
            let moved: Vec<f64> =
                seed.iter().map(|seed| (seed + random.between(-0.02, 0.02)).clamp(-2.8, 2.8)).collect();
            let targets = arm.targets_at(&moved);
            let mode = Mode::Track { max_step: &step };
            let solution = solve(&solver, &Problem::new(&targets, &seed).with_mode(mode));
            assert!(solution.is_solved() && solution.smallest_singular_value.is_some(), "{}: {solution:?}", arm.name);
            assert!(largest_move(&solution, &seed) <= 0.1 && arm.chain.contains(&solution.positions), "{solution:?}");
        }
    }
}

#[test]
fn what_cannot_be_met_or_is_not_a_full_pose_goes_to_the_search() {
    let mut random = Random::new(5);
    for arm in arms(&mut random) {
        let (solver, other, seed) = (closed_form(&arm), arm.solver(), random.positions(&arm.chain));
        let far = [Target::new(0, Isometry3::translation(9.0, 0.0, 0.0))];
        let position_only = [arm.targets_at(&random.positions(&arm.chain))[0].position_only()];
        for targets in [far, position_only] {
            let problem = Problem::new(&targets, &seed);
            assert_eq!(bits(&solve(&solver, &problem)), bits(&solve(&other, &problem)), "{}", arm.name);
        }
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let preference = Preference { limits_weight: 1.0, ..Preference::default() };
        let problem = Problem::new(&targets, &seed).with_preference(preference);
        assert_eq!(bits(&solve(&solver, &problem)), bits(&solve(&other, &problem)), "{}", arm.name);
    }
}

#[test]
fn singular_configurations_and_seeds_of_many_turns_are_no_trouble() {
    let mut random = Random::new(6);
    for arm in arms(&mut random) {
        let solver = closed_form(&arm);
        for number in 0..40 {
            let positions = [(); 7].map(|()| [0.0, 1e-12, 1e-8, 1.5, -0.7, 2.8][random.below(6)]);
            let seed = [(); 7].map(|()| random.between(-40.0, 40.0));
            let targets = arm.targets_at(&positions);
            let problem = Problem::new(&targets, &seed).with_mode(search(Pick::First));
            let solution = solve(&solver, &problem);
            assert!(arm.chain.contains(&solution.positions), "{}: {solution:?}", arm.name);
            let there = solve(&solver, &Problem::new(&targets, &positions));
            assert!(there.is_solved(), "{}, {number}: {positions:?} {there:?}", arm.name);
        }
    }
}

#[test]
fn singular_shoulders_wrists_and_elbows_are_met() {
    let mut random = Random::new(9);
    let arm = arms(&mut random).swap_remove(0);
    let solver = closed_form(&arm);
    for number in 0..60 {
        let (mut positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
        for joint in [[1, 1], [5, 5], [3, 3], [1, 5]][number % 4] {
            positions[joint] = 0.0;
        }
        let solution = solve(&solver, &Problem::new(&arm.targets_at(&positions), &seed));
        assert!(solution.is_solved(), "{number}: {positions:?} {solution:?}");
    }
}

#[test]
fn a_stretched_elbow_is_met_and_what_is_beyond_it_is_not() {
    let mut random = Random::new(10);
    let arm = arms(&mut random).swap_remove(0);
    let solver = closed_form(&arm);
    for _ in 0..50 {
        let (mut positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
        positions[3] = 0.0;
        let mut targets = arm.targets_at(&positions);
        assert!(solve(&solver, &Problem::new(&targets, &seed)).is_solved(), "{positions:?}");
        // The line from the shoulder to the wrist is the z axis of the fifth link.
        let turn = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
        let wrist = turn(Vector3::y_axis(), positions[5]) * turn(Vector3::z_axis(), positions[6]);
        let outwards = targets[0].pose.rotation * wrist.inverse() * Vector3::z();
        targets[0].pose.translation.vector += 1e-3 * outwards;
        assert!(!solve(&solver, &Problem::new(&targets, &seed)).is_solved(), "{positions:?}");
    }
}

#[test]
fn a_solve_allocates_nothing() {
    let mut random = Random::new(7);
    for arm in arms(&mut random) {
        let (solver, step) = (closed_form(&arm), [0.3; 7]);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        for mode in Pick::ALL.map(search).into_iter().chain([Mode::Track { max_step: &step }]) {
            for _ in 0..5 {
                let (targets, seed) = (exact(&arm, &random.positions(&arm.chain)), random.positions(&arm.chain));
                let problem = Problem::new(&targets, &seed).with_mode(mode);
                let count = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap());
                assert_eq!(count.count_total, 0, "{}, {mode:?}", arm.name);
            }
        }
    }
}

#[test]
fn chains_without_a_closed_form_say_what_is_in_the_way() {
    let refusal = |chain: Chain| match ClosedForm::prepare(&chain.into()) {
        Err(error) => error.to_string(),
        Ok(form) => panic!("a closed form: {}", form.in_words()),
    };
    let mut random = Random::new(8);
    let axes = [(); 7].map(|()| random.direction());
    let points = [(); 7].map(|()| (random.direction() * 0.4).into());
    let text = refusal(Chain::clone(&arm("general", &axes, &points, "revolute").chain));
    assert!(text.contains(" is locked, axes ") && text.contains(", but 'j"), "{text}");
    let text = refusal(Chain::clone(&arm("parallel", &[Vector3::z(); 7], &points, "revolute").chain));
    assert!(text.contains("too many of its axes are parallel, whichever joint is locked"), "{text}");
    let sliding = arm("sliding", &axes, &points, "prismatic");
    assert!(refusal(Chain::clone(&sliding.chain)).contains("the joint 'j5' is prismatic"));
}

#[test]
fn seven_joint_robots_are_solved() {
    for arm in common::arms_named(&["iiwa14", "panda", "gen3", "fetch7", "talos7"]) {
        let solver = closed_form(&arm);
        let mut random = Random::new(9);
        for _ in 0..50 {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let targets = arm.targets_at(&positions);
            let solution = solve(&solver, &Problem::new(&targets, &seed));
            assert!(solution.is_solved(), "{}: {solution:?}", arm.name);
            let (position, orientation) = arm.errors(&targets, &solution);
            assert!(position < 1e-5 && orientation < 1e-5, "{}: {position:e} {orientation:e}", arm.name);
        }
    }
}
