//! Closed forms of chains with two to five revolute joints: they have all solutions of a search, and claim no others.

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

use allocation_counter::measure;
use nalgebra::{Isometry3, Point3, Vector3};
use urdf_ik::robot::ChainJoint;
use urdf_ik::solver::closed_form::ClosedForm;
use urdf_ik::solver::{Mode, Pick, Problem, Solution, Solver, SolverKind, Target, Tolerance};

use crate::common::{Arm, Random, all_solutions, apart, bits, solve, urdf};

/// A direction and a point \[m\] for each axis at zero positions.
type Axes = Vec<(Vector3<f64>, Vector3<f64>)>;

/// The arm with these axes, and its tip in `tip`.
fn arm(name: &str, axes: &[(Vector3<f64>, Vector3<f64>)], tip: &Isometry3<f64>) -> Arm {
    let (mut joints, mut before) = (String::new(), Vector3::zeros());
    for (index, (axis, point)) in axes.iter().enumerate() {
        let shift = point - before;
        before = *point;
        let inside = format!(
            "<origin xyz='{:e} {:e} {:e}'/><axis xyz='{:e} {:e} {:e}'/><limit lower='-3' upper='3'/>",
            shift.x, shift.y, shift.z, axis.x, axis.y, axis.z
        );
        let (parent, child) = (format!("l{index}"), format!("l{}", index + 1));
        joints += &urdf::joint(&format!("j{}", index + 1), "revolute", &parent, &child, &inside);
    }
    let (shift, (roll, pitch, yaw)) = (tip.translation.vector - before, tip.rotation.euler_angles());
    let inside = format!("<origin xyz='{:e} {:e} {:e}' rpy='{roll:e} {pitch:e} {yaw:e}'/>", shift.x, shift.y, shift.z);
    joints += &urdf::joint("flange", "fixed", &format!("l{}", axes.len()), "tip", &inside);
    let links: Vec<String> = (0..=axes.len()).map(|index| format!("l{index}")).collect();
    let mut arm = Arm::from_text(&urdf::robot(&(links.join(" ") + " tip"), &joints), "l0", &["tip"]);
    name.clone_into(&mut arm.name);
    arm
}

/// Common chains and random ones, with the number of sets of free rotations for which each has a closed form.
fn arms(random: &mut Random) -> Vec<(Arm, usize)> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let at = |x: f64, y: f64, z: f64| Vector3::new(x, y, z);
    let hand = Isometry3::new(at(0.62, 0.0, 0.33), at(0.1, 1.3, 0.2));
    let palletizer =
        vec![(z, at(0.0, 0.0, 0.1)), (y, at(0.03, 0.0, 0.2)), (y, at(0.03, 0.0, 0.5)), (y, at(0.4, 0.0, 0.5))];
    let mut roll = palletizer.clone();
    roll.push((x, at(0.5, 0.0, 0.45)));
    let mut wrist = palletizer[..3].to_vec();
    wrist.extend([(x, at(0.3, 0.0, 0.5)), (y, at(0.5, 0.0, 0.5))]);
    let three_links = vec![
        (y, at(0.0, 0.1, 0.0)),
        (z, at(0.0, 0.1, 0.2)),
        (x, at(0.1, 0.1, 0.0)),
        (x, at(0.0, 0.5, 0.0)),
        (x, at(0.0, 0.8, 0.1)),
    ];
    let up = Isometry3::translation(0.0, 1.0, 0.1);
    let spherical = [(z, at(0.0, 0.0, 0.4)), (y, at(0.0, 0.1, 0.4)), (z, at(0.0, 0.0, 0.7))];
    let mut line = || (random.direction(), random.direction() * 0.5);
    let skew = [line(), line(), line(), line()];
    // One of them somewhere else.
    let place = Isometry3::new(at(0.3, -0.2, 0.5), at(0.4, -0.8, 1.2));
    let moved: Axes = roll.iter().map(|(axis, point)| (place * axis, (place * Point3::from(*point)).coords)).collect();
    vec![
        (arm("planar, two links", &planar()[..2], &flat()), 8),
        (arm("planar, three links", &planar()[..3], &flat()), 4),
        (arm("pan and tilt", &palletizer[..2], &hand), 8),
        (arm("upright", &palletizer[..3], &hand), 8),
        (arm("palletizer", &palletizer, &hand), 7),
        (arm("three parallel and a roll", &roll, &hand), 4),
        (arm("wrist of two", &wrist, &hand), 4),
        (arm("three links", &three_links, &up), 3),
        (arm("spherical", &spherical, &hand), 7),
        (arm("skew, two", &skew[..2], &hand), 8),
        (arm("skew, three", &skew[..3], &hand), 8),
        (arm("skew, four", &skew, &hand), 7),
        (arm("turned", &moved, &(place * hand)), 4),
    ]
}

fn planar() -> [(Vector3<f64>, Vector3<f64>); 4] {
    let (z, at) = (Vector3::z(), |x, y| Vector3::new(x, y, 0.1));
    [(z, at(0.0, 0.0)), (z, at(0.4, 0.0)), (-z, at(0.6, 0.1)), (z, at(0.7, 0.1))]
}

fn flat() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.75, 0.1, 0.3), Vector3::z() * 0.4)
}

fn closed_form(arm: &Arm) -> Solver {
    Solver::prepare(SolverKind::ClosedForm, &arm.chain).unwrap()
}

/// Sets of free axes that leave the chain no self-motion: rotations, and for a chain in the tip's plane the
/// translation out of it.
fn masks(arm: &Arm) -> Vec<[bool; 6]> {
    let turns = (0..8_usize).map(|set| std::array::from_fn(|axis| axis >= 3 && set >> (axis - 3) & 1 == 1));
    let joints = arm.chain.variables().len();
    let few = |mask: &[bool; 6]| joints + mask.iter().filter(|free| **free).count() <= 6;
    let mut masks: Vec<[bool; 6]> = turns.filter(few).collect();
    if arm.name.starts_with("planar") {
        let with_shift: Vec<_> = masks.iter().map(|mask| [mask[0], mask[1], true, mask[3], mask[4], mask[5]]).collect();
        masks.extend(with_shift);
    }
    masks
}

/// Residual of the tip in the constrained axes of the target \[m or rad\]; with two free rotations, of
/// the position only.
fn miss(arm: &Arm, target: &Target, positions: &[f64]) -> f64 {
    let pose = arm.tip_poses(positions)[0];
    let shift = target.pose.inverse_transform_vector(&(pose.translation.vector - target.pose.translation.vector));
    let shift = (0..3).filter(|axis| !target.free_axes[*axis]).map(|axis| shift[axis].abs()).fold(0.0, f64::max);
    let free: Vec<usize> = (0..3).filter(|axis| target.free_axes[3 + axis]).collect();
    let angle = match free[..] {
        [] => pose.rotation.angle_to(&target.pose.rotation),
        [axis] => {
            let axis = Vector3::ith(axis, 1.0);
            let (own, wanted) = (pose.rotation * axis, target.pose.rotation * axis);
            own.cross(&wanted).norm().atan2(own.dot(&wanted))
        }
        _ => 0.0,
    };
    shift.max(angle)
}

/// The axes of an arm at zero positions.
fn axes_of(arm: &Arm) -> Axes {
    let mut pose = Isometry3::identity();
    let line = |joint: &ChainJoint| {
        pose *= joint.placement;
        (pose * joint.axis.into_inner(), pose.translation.vector)
    };
    arm.chain.joints().iter().map(line).collect()
}

fn exact(arm: &Arm, positions: &[f64], free_axes: [bool; 6]) -> [Target; 1] {
    let tolerance = Tolerance { position: 1e-9, orientation: 1e-9 };
    [arm.targets_at(positions)[0].with_tolerance(tolerance).with_free_axes(free_axes)]
}

fn all(pick: Pick) -> Mode<'static> {
    Mode::Search { pick, attempts: 300, random_seed: 1 }
}

#[test]
fn no_solution_that_a_search_finds_is_missing() {
    let mut random = Random::new(1);
    for (arm, sets) in arms(&mut random) {
        let (solver, mut served) = (closed_form(&arm), 0);
        for mask in masks(&arm) {
            let (mut total, mut by_formula) = (0, 0);
            for _ in 0..10 {
                let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                let target = exact(&arm, &positions, mask);
                let problem = Problem::new(&target, &seed).with_mode(all(Pick::First));
                for pick in Pick::ALL {
                    let solution = solve(&solver, &problem.with_mode(all(pick)));
                    assert!(solution.is_solved(), "{}, {pick}: {solution:?}", arm.name);
                    by_formula += usize::from(pick == Pick::First && solution.iterations == 0);
                    assert_eq!(bits(&solve(&solver, &problem.with_mode(all(pick)))), bits(&solution));
                }
                let found = all_solutions(&solver, &problem);
                for (index, solution) in found.iter().enumerate() {
                    let miss = miss(&arm, &target[0], &solution.positions);
                    assert!(miss < 2e-9 && arm.chain.contains(&solution.positions), "{}: {miss:e}", arm.name);
                    let twice = |other: &Solution| apart(&other.positions, &solution.positions) < 1e-6;
                    assert!(!found[..index].iter().any(twice), "{}: {found:?}", arm.name);
                }
                assert!(!found.is_empty(), "{} {mask:?} {positions:?}", arm.name);
                if found.iter().any(|solution| solution.iterations > 0) {
                    continue;
                }
                total += found.len();
                let nearest = |to: &[f64]| found.iter().map(|s| apart(&s.positions, to)).fold(f64::INFINITY, f64::min);
                assert!(nearest(&positions) < 1e-4, "{} {mask:?} {positions:?}: {found:?}", arm.name);
                for other in all_solutions(&arm.solver(), &problem) {
                    let near = nearest(&other.positions);
                    assert!(
                        near < 1e-4,
                        "{} {mask:?}: a search finds {:?}, {near} from {found:?}",
                        arm.name,
                        other.positions
                    );
                }
            }
            assert!([0, 10].contains(&by_formula), "{} {mask:?}: {by_formula} of 10 by formula", arm.name);
            served += usize::from(by_formula > 0 && !mask[..3].contains(&true));
            println!("{} {mask:?}: {by_formula} of 10 by formula, {total} solutions", arm.name);
        }
        assert_eq!(served, sets, "{}", ClosedForm::prepare(&arm.chain).unwrap().in_words());
    }
}

#[test]
fn what_has_no_closed_form_or_cannot_be_met_goes_to_the_search() {
    let mut random = Random::new(2);
    for (arm, _) in arms(&mut random) {
        let (solver, seed) = (closed_form(&arm), random.positions(&arm.chain));
        let place = Isometry3::new(Vector3::new(9.0, 0.0, 0.0), Vector3::x());
        let far = Target::new(0, place);
        let shift = arm.targets_at(&seed)[0].with_free_axes([true, false, false, false, false, false]);
        for target in [far, far.position_only(), shift] {
            let target = [target];
            let problem = Problem::new(&target, &seed);
            let ours = solve(&solver, &problem);
            assert_eq!(bits(&ours), bits(&solve(&arm.solver(), &problem)), "{}", arm.name);
            assert!(ours.is_solved() == (target[0] == shift), "{ours:?}");
        }
    }
}

#[test]
fn nearly_exact_chains_are_solved_exactly() {
    let mut random = Random::new(3);
    for (exact_arm, _) in arms(&mut random) {
        if !["palletizer", "three parallel and a roll", "wrist of two", "three links"]
            .contains(&exact_arm.name.as_str())
        {
            continue;
        }
        // The arm with small errors, as from a calibration.
        let axes: Axes = axes_of(&exact_arm)
            .iter()
            .map(|(axis, point)| ((axis + random.direction() * 1e-4).normalize(), point + random.direction() * 1e-4))
            .collect();
        let arm = arm(&exact_arm.name, &axes, &exact_arm.tip_poses(&vec![0.0; axes.len()])[0]);
        let solver = closed_form(&arm);
        let mut by_formula = 0;
        for _ in 0..40 {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let target = exact(&arm, &positions, [false; 6]);
            let solution = solve(&solver, &Problem::new(&target, &seed));
            let miss = miss(&arm, &target[0], &solution.positions);
            assert!(solution.is_solved() && miss < 2e-9, "{}: {miss:e} {solution:?}", arm.name);
            by_formula += usize::from(solution.iterations == 0);
        }
        assert!(by_formula >= 36, "{}: {by_formula} of 40 by formula", arm.name);
    }
}

#[test]
fn singular_configurations_are_found_again() {
    let mut random = Random::new(4);
    for (arm, _) in arms(&mut random) {
        let solver = closed_form(&arm);
        for mask in masks(&arm) {
            for number in 0..30 {
                let right = |random: &mut Random| [0.0, FRAC_PI_2, -FRAC_PI_2, 1e-9][random.below(4)];
                let positions: Vec<f64> = (0..arm.chain.variables().len())
                    .map(|_| if random.below(2) == 0 { right(&mut random) } else { random.between(-2.9, 2.9) })
                    .collect();
                let target = exact(&arm, &positions, mask);
                let solution = solve(&solver, &Problem::new(&target, &positions));
                let miss = miss(&arm, &target[0], &solution.positions);
                assert!(
                    solution.is_solved() && miss < 2e-9,
                    "{} {number} {mask:?} {positions:?}: {solution:?}",
                    arm.name
                );
                let step = vec![0.01; positions.len()];
                let mode = Mode::Track { max_step: &step };
                let tracked = solve(&solver, &Problem::new(&target, &positions).with_mode(mode));
                assert!(tracked.is_solved() && tracked.smallest_singular_value.is_some(), "{tracked:?}");
            }
        }
    }
}

#[test]
fn chains_without_a_closed_form_say_why() {
    let refusal = |arm: &Arm| match ClosedForm::prepare(&arm.chain) {
        Err(error) => error.to_string(),
        Ok(form) => panic!("{}: {}", arm.name, form.in_words()),
    };
    let text = refusal(&arm("planar, four links", &planar(), &flat()));
    assert!(text.contains("no joints added to its 4 make an arm of a known family"), "{text}");
    let text = refusal(&arm("one joint", &planar()[..1], &flat()));
    assert!(text.contains("it has 1 joints, not 2 to 7"), "{text}");
    let eight: Axes = planar().into_iter().chain(planar()).collect();
    assert!(refusal(&arm("eight joints", &eight, &flat())).contains("it has 8 joints, not 2 to 7"));
    let coinciding: Axes = vec![(Vector3::z(), Vector3::zeros()); 3];
    let text = refusal(&arm("coinciding", &coinciding, &flat()));
    assert!(text.contains("no joints added to its 3"), "{text}");
    let three = ClosedForm::prepare(&arm("planar", &planar()[..3], &flat()).chain).unwrap();
    assert_eq!(
        three.in_words(),
        "with axes added to its 3: axes 1, 2 and 3 are parallel, 5 and 6 meet (full poses, free rx, free ry, free rx+ry)"
    );
}

#[test]
fn a_solve_allocates_nothing() {
    let mut random = Random::new(5);
    for (arm, _) in arms(&mut random) {
        let solver = closed_form(&arm);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        for mask in masks(&arm) {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            let target = exact(&arm, &positions, mask);
            let problem = Problem::new(&target, &seed);
            let count = measure(|| {
                solver.solve(&problem, &mut scratch, &mut solution).unwrap();
                let all = solver.solve_all(&problem, &mut scratch, &mut solution, &mut |_| ControlFlow::Continue(()));
                all.unwrap();
            });
            assert_eq!(count.count_total, 0, "{} {mask:?}", arm.name);
        }
    }
}
