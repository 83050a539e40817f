//! General 6R arms, which do not decompose: all of up to 16 solutions.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_6, PI, TAU};
use std::ops::ControlFlow;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use urdf_ik::solver::closed_form::{ClosedForm, FamilyKind};
use urdf_ik::solver::{Mode, Pick, Problem, Target};

use crate::axes::{Axes, check_all, check_target, closed_form, exact};
use crate::common::{Arm, Random, Share, apart, distance, solve};

/// Robots without a spherical wrist, from published data of their makers.
fn robots() -> Vec<(&'static str, Axes)> {
    let (x, y, z, nothing) = (Vector3::x(), Vector3::y(), Vector3::z(), Vector3::zeros());
    // Fanuc CRX-10iA/L: 0.71 m from shoulder to elbow, 0.54 m from there to the wrist, 0.15 m aside (Abbes and
    // Poisson 2024, "Geometric approach for inverse kinematics of the FANUC CRX collaborative robot").
    let wrist = 0.71 * z + 0.54 * x;
    let crx = Axes {
        directions: [z, y, -y, -x, -y, -x],
        points: [nothing, nothing, 0.71 * z, 0.71 * z, wrist, wrist + 0.15 * y],
    };
    // Kinova Jaco 2 with six joints (j2n6s), wrist of 60°: lengths of the user guide's table.
    let (near, far) = (FRAC_PI_6.sin() / FRAC_PI_3.sin() * 0.0741, 0.2073);
    let jaco = Axes::by_parameters([
        [FRAC_PI_2, 0.0, 0.2755, 0.0],
        [PI, 0.41, 0.0, 0.0],
        [FRAC_PI_2, 0.0, -0.0098, 0.0],
        [FRAC_PI_3, 0.0, -(far + near), 0.0],
        [FRAC_PI_3, 0.0, -2.0 * near, 0.0],
        [PI, 0.0, -(0.16 + near), 0.0],
    ]);
    // UFACTORY xArm 6: parameters from the manufacturer's manual.
    let bend = 1.384_917_9;
    let xarm = Axes::by_parameters([
        [-FRAC_PI_2, 0.0, 0.267, 0.0],
        [0.0, 0.289_488_66, 0.0, -bend],
        [-FRAC_PI_2, 0.0775, 0.0, bend],
        [FRAC_PI_2, 0.0, 0.3425, 0.0],
        [-FRAC_PI_2, 0.076, 0.0, 0.0],
        [0.0, 0.0, 0.097, 0.0],
    ]);
    // Kinova Gen3 lite: joint frames from the manufacturer's URDF (kortex_description).
    let lite = Axes::by_placements(&[
        ([0.0, 0.0, 0.128_25], [0.0; 3]),
        ([0.0, -0.03, 0.115], [FRAC_PI_2, 0.0, 0.0]),
        ([0.0, 0.28, 0.0], [-PI, 0.0, 0.0]),
        ([0.0, -0.14, 0.02], [FRAC_PI_2, 0.0, 0.0]),
        ([0.0285, 0.0, 0.105], [0.0, FRAC_PI_2, 0.0]),
        ([-0.105, 0.0, 0.0285], [0.0, -FRAC_PI_2, 0.0]),
    ]);
    vec![("CRX-10iA/L", crx), ("Jaco 2", jaco), ("xArm 6", xarm), ("Gen3 lite", lite)]
}

/// Axes with one common property, or in general position.
fn drawn(random: &mut Random) -> Vec<(&'static str, Axes)> {
    let (mut meeting, mut parallel, mut both) = (Axes::skew(random), Axes::skew(random), Axes::skew(random));
    let (mut elbow, mut pairs) = (Axes::skew(random), Axes::skew(random));
    meeting.meet(4..6, random);
    parallel.align(1..3, random);
    elbow.meet(2..4, random);
    pairs.align(0..2, random);
    pairs.align(3..5, random);
    both.align(0..2, random);
    both.meet(4..6, random);
    let named = [
        ("5 and 6 meet", meeting),
        ("2 and 3 parallel", parallel),
        ("3 and 4 meet", elbow),
        ("1 and 2 parallel, 5 and 6 meet", both),
        ("1 and 2 parallel, 4 and 5 parallel", pairs),
        ("nothing", Axes::skew(random)),
    ];
    named.into_iter().flat_map(|(name, axes)| [(name, axes), (name, axes.reversed())]).collect()
}

fn general(axes: &Axes, limits: Option<(f64, f64)>, random: &mut Random) -> Arm {
    let arm = axes.arm(limits, random);
    let form = ClosedForm::prepare(&arm.chain).unwrap();
    assert_eq!((form.family().kind, form.family().exact()), (FamilyKind::General, true), "{}", form.in_words());
    assert_eq!(form.in_words(), "general 6R: one joint angle is searched for");
    arm
}

#[test]
fn no_solution_that_a_search_finds_is_missing() {
    let mut random = Random::new(1);
    for (name, axes) in robots().into_iter().chain(drawn(&mut random)) {
        let arm = general(&axes, None, &mut random);
        let counts = [(); 6].map(|()| {
            let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
            check_all(&arm, &positions, &seed)
        });
        println!("{name}: {counts:?}");
        assert!(counts.iter().all(|count| (1..=16).contains(count)), "{name}: {counts:?}");
    }
}

#[test]
fn known_configurations_are_found_again_in_thousands_of_poses() {
    let mut random = Random::new(2);
    let (mut count, mut missed, mut total) = (0, 0, 0);
    for (_, axes) in robots().into_iter().chain(drawn(&mut random)) {
        let arm = general(&axes, None, &mut random);
        let form = ClosedForm::prepare(&arm.chain).unwrap();
        for _ in 0..200 {
            let positions = random.positions(&arm.chain);
            let target = &arm.targets_at(&positions)[0];
            let found = form.solutions(&target.pose, &[0.0; 6]);
            for configuration in found.as_slice() {
                let (position, orientation) = distance(&arm.tip_poses(configuration)[0], &target.pose);
                assert!(position < 1e-10 && orientation < 1e-10, "{position:e} {orientation:e}");
            }
            count += 1;
            total += found.as_slice().len();
            missed += usize::from(found.as_slice().iter().all(|configuration| apart(configuration, &positions) > 1e-5));
        }
    }
    println!("{missed} of {count} missed, {total} solutions");
    assert_eq!(missed, 0, "of {count}");
}

#[test]
fn some_poses_have_sixteen_solutions() {
    let mut random = Random::new(3);
    let (_, crx) = robots().swap_remove(0);
    let arm = general(&crx, None, &mut random);
    let form = ClosedForm::prepare(&arm.chain).unwrap();
    let sixteen: Vec<_> = (0..1500)
        .map(|_| random.positions(&arm.chain))
        .filter(|positions| form.solutions(&arm.targets_at(positions)[0].pose, &[0.0; 6]).as_slice().len() == 16)
        .collect();
    println!("{} of 1500 poses", sixteen.len());
    assert!(!sixteen.is_empty());
    for positions in sixteen.iter().take(3) {
        assert_eq!(check_all(&arm, positions, positions), 16);
    }
}

/// Tools that point straight down: the last axis is parallel to the first, and solutions share joint angles.
#[test]
fn solutions_that_share_turns_are_all_found() {
    let mut random = Random::new(4);
    for (_, axes) in robots() {
        let arm = general(&axes, None, &mut random);
        let last = arm.tip_poses(&[0.0; 6])[0].rotation.inverse() * axes.directions[5];
        for _ in 0..8 {
            let positions = random.positions(&arm.chain);
            let mut target = exact(&arm, &positions);
            let down = UnitQuaternion::rotation_between(&(target.pose.rotation * last), &-Vector3::z()).unwrap();
            target.pose.rotation = down * target.pose.rotation;
            let form = ClosedForm::prepare(&arm.chain).unwrap();
            if !form.solutions(&target.pose, &[0.0; 6]).as_slice().is_empty() {
                check_target(&arm, &target, &positions, None);
            }
        }
    }
}

#[test]
fn configurations_at_right_angles_are_solved_and_continua_said_to_be_such() {
    let mut random = Random::new(5);
    let (mut missed, mut continuous, mut count) = (0, 0, 0);
    let mut rough = Share { failed: 0, of: 0 };
    for (_, axes) in robots() {
        let arm = general(&axes, Some((-TAU, TAU)), &mut random);
        let (solver, form) = (closed_form(&arm), ClosedForm::prepare(&arm.chain).unwrap());
        for _ in 0..600 {
            let mut positions = random.positions(&arm.chain);
            for position in &mut positions {
                if random.below(2) == 0 {
                    *position = (*position / FRAC_PI_2).round() * FRAC_PI_2 + [0.0, 1e-14, 1e-9, 1e-6][random.below(4)];
                }
                *position = position.clamp(-6.2, 6.2);
            }
            let target = exact(&arm, &positions);
            let found = form.solutions(&target.pose, positions.as_slice().try_into().unwrap());
            for configuration in found.as_slice() {
                assert!(configuration.iter().all(|position| position.is_finite()), "{configuration:?}");
                let (position, orientation) = distance(&arm.tip_poses(configuration)[0], &target.pose);
                // Near singular configurations digits are lost; the solutions of the solver are accurate to 1e-9.
                assert!(position < 1e-7 && orientation < 1e-7, "{position:e} {orientation:e} {positions:?}");
                rough.failed += usize::from(position > 1e-9 || orientation > 1e-9);
                rough.of += 1;
            }
            count += 1;
            continuous += usize::from(found.continuous().contains(&true));
            missed += usize::from(found.as_slice().iter().all(|configuration| apart(configuration, &positions) > 1e-3));
            let solution = solve(&solver, &Problem::new(std::slice::from_ref(&target), &positions));
            assert!(solution.is_solved(), "{positions:?} {solution:?}");
        }
    }
    println!("{missed} of {count} seeds missed, {continuous} continuous, {rough:?}");
    rough.assert_at_most(1e-3, "solutions off by more than 1e-9");
    assert_eq!(missed, 0);
    assert!(continuous > 5, "{continuous}");
}

/// With the shoulder stretched, the first and the fourth axis of a CRX coincide: only their sum is determined.
#[test]
fn a_continuum_has_one_solution_next_to_the_seed() {
    let mut random = Random::new(6);
    let (_, crx) = robots().swap_remove(0);
    let arm = general(&crx, None, &mut random);
    let form = ClosedForm::prepare(&arm.chain).unwrap();
    for _ in 0..20 {
        let mut positions = random.positions(&arm.chain);
        (positions[1], positions[2]) = (0.0, FRAC_PI_2);
        let seed: [f64; 6] = positions.as_slice().try_into().unwrap();
        let found = form.solutions(&arm.targets_at(&positions)[0].pose, &seed);
        assert!(found.continuous().contains(&true));
        let nearest = found.as_slice().iter().map(|found| apart(found, &positions)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-5, "{nearest} from {positions:?}");
    }
}

#[test]
fn solutions_lie_in_the_limits_at_the_turn_nearest_to_the_seed() {
    let mut random = Random::new(7);
    for limits in [(-TAU, TAU), (-1.5, 2.5), (0.5, 7.5)] {
        for (_, axes) in robots().into_iter().step_by(3) {
            let arm = general(&axes, Some(limits), &mut random);
            for _ in 0..4 {
                let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                check_all(&arm, &positions, &seed);
                let target = exact(&arm, &positions);
                let mode = Mode::Search { pick: Pick::Nearest, attempts: 400, random_seed: 1 };
                let problem = Problem::new(std::slice::from_ref(&target), &seed).with_mode(mode);
                let far = |solution: &urdf_ik::solver::Solution| {
                    solution.positions.iter().zip(&seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                let (ours, theirs) = (solve(&closed_form(&arm), &problem), solve(&arm.solver(), &problem));
                assert!(ours.is_solved() && far(&ours) <= far(&theirs) + 1e-6, "{ours:?}\n{theirs:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_met_is_the_nearest_configuration() {
    let mut random = Random::new(8);
    for (_, axes) in robots() {
        let arm = general(&axes, None, &mut random);
        let (solver, seed) = (closed_form(&arm), random.positions(&arm.chain));
        for place in [Vector3::new(9.0, 0.0, 0.0), Vector3::zeros(), Vector3::new(0.0, 0.0, -4.0)] {
            let target = Target::new(0, Isometry3::new(place, Vector3::new(0.1, 2.0, 0.0)));
            let problem = Problem::new(std::slice::from_ref(&target), &seed);
            let (ours, theirs) = (solve(&solver, &problem), solve(&arm.solver(), &problem));
            assert_eq!(ours.outcome, theirs.outcome);
            assert!(ours.positions.iter().all(|position| position.is_finite()));
            assert!(ours.squared_error <= theirs.squared_error * (1.0 + 1e-9));
        }
    }
    let form = ClosedForm::prepare(&general(&robots()[0].1, None, &mut random).chain).unwrap();
    let nowhere = Isometry3::translation(f64::NAN, 0.0, f64::INFINITY);
    assert!(form.solutions(&nowhere, &[0.0; 6]).as_slice().is_empty());
    assert!(form.solutions(&Isometry3::identity(), &[f64::NAN; 6]).as_slice().iter().flatten().all(|q| q.is_finite()));
}

#[test]
fn a_solve_allocates_nothing() {
    let mut random = Random::new(9);
    for (name, axes) in robots() {
        let arm = general(&axes, Some((-3.0, 3.0)), &mut random);
        let solver = closed_form(&arm);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        for number in 0..10 {
            let mut positions = random.positions(&arm.chain);
            positions[3] *= f64::from(number % 2);
            let (target, seed) = (exact(&arm, &positions), random.positions(&arm.chain));
            let problem = Problem::new(std::slice::from_ref(&target), &seed);
            let count = allocation_counter::measure(|| {
                solver.solve(&problem, &mut scratch, &mut solution).unwrap();
                let every = &mut |_: &_| ControlFlow::Continue(());
                solver.solve_all(&problem, &mut scratch, &mut solution, every).unwrap();
            });
            assert_eq!(count.count_total, 0, "{name}");
        }
    }
}

#[test]
fn tracking_stays_on_the_branch_of_the_seed() {
    let mut random = Random::new(10);
    for (name, axes) in robots() {
        let arm = general(&axes, Some((-3.0, 3.0)), &mut random);
        let (solver, step) = (closed_form(&arm), [0.1; 6]);
        let mut solved = 0;
        for _ in 0..100 {
            let seed = random.positions(&arm.chain);
            let made: Vec<f64> =
                seed.iter().map(|seed| (seed + random.between(-0.02, 0.02)).clamp(-3.0, 3.0)).collect();
            let target = [exact(&arm, &made)];
            let mode = Mode::Track { max_step: &step };
            let solution = solve(&solver, &Problem::new(&target, &seed).with_mode(mode));
            let moved = solution.positions.iter().zip(&seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved <= 0.1 + 1e-12 && arm.chain.contains(&solution.positions), "{name}: {solution:?}");
            assert!(solution.smallest_singular_value.is_some(), "{name}: {solution:?}");
            if solution.is_solved() {
                let (position, orientation) = distance(&arm.tip_poses(&solution.positions)[0], &target[0].pose);
                assert!(position < 1e-9 && orientation < 1e-9, "{name}: {position:e} {orientation:e}");
                solved += usize::from(solution.iterations == 0);
            }
        }
        assert!(solved >= 95, "{name}: {solved} of 100");
    }
}
