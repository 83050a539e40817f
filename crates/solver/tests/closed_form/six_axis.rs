//! Closed forms of arms with six revolute joints: they have all solutions of a search, and claim no others.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::solver::closed_form::{ClosedForm, FamilyKind, Shoulder};
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Solution, Solver, SolverKind, Target};

use crate::axes::{Axes, check_all, closed_form, exact};
use crate::common::{self, Arm, Random, all_solutions, apart, distance, solve};

const KINDS: [FamilyKind; 8] = [
    FamilyKind::SphericalWrist(Shoulder::FirstTwoMeet),
    FamilyKind::SphericalWrist(Shoulder::LastTwoParallel),
    FamilyKind::SphericalWrist(Shoulder::FirstTwoParallel),
    FamilyKind::SphericalWrist(Shoulder::LastTwoMeet),
    FamilyKind::SphericalWrist(Shoulder::General),
    FamilyKind::MiddleParallel { last_two_meet: true },
    FamilyKind::MiddleParallel { last_two_meet: false },
    FamilyKind::FirstThreeParallel,
];

/// Axes of that family without further common properties: neighbours are parallel or at least 0.2 rad apart, and
/// intersect or pass at 2 cm or more.
fn axes_of(kind: FamilyKind, random: &mut Random) -> Axes {
    let mut axes = Axes::skew(random);
    match kind {
        FamilyKind::SphericalWrist(shoulder) => {
            axes.meet(3..6, random);
            match shoulder {
                Shoulder::FirstTwoMeet => axes.meet(0..2, random),
                Shoulder::LastTwoMeet => axes.meet(1..3, random),
                Shoulder::LastTwoParallel => axes.align(1..3, random),
                Shoulder::FirstTwoParallel => axes.align(0..2, random),
                Shoulder::General => {}
                other => panic!("no axes for {other:?}"),
            }
        }
        FamilyKind::MiddleParallel { last_two_meet } => {
            axes.align(1..4, random);
            if last_two_meet {
                axes.meet(4..6, random);
            }
        }
        FamilyKind::General => {}
        FamilyKind::FirstThreeParallel => {
            axes.align(0..3, random);
            axes.meet(4..6, random);
        }
        other => panic!("no axes for {other:?}"),
    }
    let angle = |pair: &[Vector3<f64>]| pair[0].cross(&pair[1]).norm();
    let turned = axes.directions.windows(2).map(angle).all(|sine| !(1e-6..0.2).contains(&sine));
    let passing = (0..5).map(|index| axes.gap(index)).all(|gap| !(1e-9..0.02).contains(&gap));
    if turned && passing { axes } else { axes_of(kind, random) }
}

fn family(arm: &Arm) -> ClosedForm {
    ClosedForm::prepare(&arm.chain).unwrap()
}

#[test]
fn no_solution_that_a_search_finds_is_missing() {
    let mut random = Random::new(1);
    for kind in KINDS {
        let (mut total, mut most) = (0, 0);
        for number in 0..6 {
            let axes = axes_of(kind, &mut random);
            let axes = if number % 2 == 1 { axes.reversed() } else { axes };
            let arm = axes.arm(None, &mut random);
            assert_eq!((family(&arm).family().kind, family(&arm).family().exact()), (kind, true), "{:?}", family(&arm));
            for _ in 0..6 {
                let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                let count = check_all(&arm, &positions, &seed);
                total += count;
                most = most.max(count);
            }
        }
        println!(
            "{kind:?}: {:.1} solutions on average, {most} at most",
            f64::from(u32::try_from(total).unwrap()) / 36.0
        );
        assert!((2..=8).contains(&most) && total > 36, "{kind:?}: {most}");
    }
}

/// Arms with right angles, as in practice, with their singular configurations.
fn built() -> Vec<Arm> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let industrial = Axes {
        directions: [z, y, y, x, y, x],
        points: [
            [0.0, 0.0, 0.4],
            [0.05, 0.0, 0.4],
            [0.05, 0.0, 0.85],
            [0.3, 0.0, 0.885],
            [0.47, 0.0, 0.885],
            [0.5, 0.0, 0.885],
        ]
        .map(Vector3::from),
    };
    let without_offset = Axes {
        points: [[0.0, 0.0, 0.4], [0.0, 0.0, 0.4], [0.0, 0.0, 0.8], [0.0, 0.0, 0.8], [0.4, 0.0, 0.8], [0.4, 0.0, 0.8]]
            .map(Vector3::from),
        ..industrial
    };
    let three_parallel = Axes {
        directions: [z, y, y, y, z, y],
        points: [
            [0.0, 0.0, 0.09],
            [0.0, 0.13, 0.09],
            [0.43, 0.01, 0.09],
            [0.82, 0.01, 0.09],
            [0.82, 0.1, 0.09],
            [0.82, 0.1, 0.0],
        ]
        .map(Vector3::from),
    };
    let mut random = Random::new(2);
    [industrial, without_offset, three_parallel, three_parallel.reversed(), industrial.reversed()]
        .map(|axes| axes.arm(Some((-TAU, TAU)), &mut random))
        .into()
}

#[test]
fn singular_configurations_have_solutions_that_stay_near_the_seed() {
    let mut random = Random::new(3);
    for arm in built() {
        let solver = closed_form(&arm);
        for number in 0..300 {
            let mut positions = random.positions(&arm.chain);
            // One or several joints at multiples of a right angle, exactly or nearly.
            let one = (number % 2 == 0).then(|| random.below(6));
            for (index, position) in positions.iter_mut().enumerate() {
                if one.map_or_else(|| random.below(2) == 0, |one| one == index) {
                    let off = [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6][random.below(6)];
                    *position = (*position / (TAU / 4.0)).round() * (TAU / 4.0) + off;
                    // Not at the limits, where rounding decides between revolutions.
                    *position = position.clamp(-6.2, 6.2);
                }
            }
            let target = exact(&arm, &positions);
            let solution = solve(&solver, &Problem::new(std::slice::from_ref(&target), &positions));
            assert_eq!(solution.outcome, Outcome::Solved, "{number}: {positions:?} {solution:?}");
            let (position, orientation) = distance(&arm.tip_poses(&solution.positions)[0], &target.pose);
            assert!(position < 1e-9 && orientation < 1e-9, "{number}: {position:e} {orientation:e} {positions:?}");
            let moved = solution.positions.iter().zip(&positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Where two singularities meet, rounding in one determines the other.
            assert!(
                one.is_none() || moved < 1e-3,
                "{number}: moved {moved} from {positions:?} to {:?}",
                solution.positions
            );
            let step = vec![0.01; 6];
            let track =
                Problem::new(std::slice::from_ref(&target), &positions).with_mode(Mode::Track { max_step: &step });
            let tracked = solve(&solver, &track);
            assert!(tracked.is_solved() && tracked.smallest_singular_value.is_some(), "{tracked:?}");
        }
    }
}

#[test]
fn one_of_a_continuum_says_so() {
    let mut random = Random::new(9);
    // A straight wrist; the wrist on the axis of the base, unless there is an offset.
    let straight = [0.3, -0.5, 0.9, 0.4, 0.0, -0.7];
    let arms = built();
    let (industrial, without_offset) = (&arms[0], &arms[1]);
    let above = [0.3, 0.0, -TAU / 4.0, 0.4, 0.8, -0.7];
    for (arm, positions, continuous) in [
        (industrial, straight, true),
        (industrial, above, false),
        (without_offset, straight, true),
        (without_offset, above, true),
    ] {
        let elsewhere = random.positions(&arm.chain);
        for seed in [&positions[..], &elsewhere] {
            let (solver, target) = (closed_form(arm), [exact(arm, &positions)]);
            let solution = solve(&solver, &Problem::new(&target, seed));
            let sentence = solution.sentence(&arm.chain);
            // From elsewhere, another branch may be nearer.
            assert!(solution.continuous == continuous || seed != positions, "{positions:?}: {sentence}");
            assert_eq!(sentence.contains("one of a continuum of solutions"), solution.continuous, "{sentence}");
            let value = solver.smallest_singular_value(&target, &solution.positions, &mut solver.scratch()).unwrap();
            assert_eq!(value < 1e-9, solution.continuous, "{positions:?}: {value:e}");
            assert!(!solve(&arm.solver(), &Problem::new(&target, seed)).continuous);
        }
    }
}

#[test]
fn solutions_lie_in_the_limits_at_the_turn_nearest_to_the_seed() {
    let mut random = Random::new(4);
    for limits in [(-TAU, TAU), (-1.5, 2.5), (0.5, 7.5)] {
        for kind in [KINDS[1], KINDS[5]] {
            let arm = axes_of(kind, &mut random).arm(Some(limits), &mut random);
            let solver = closed_form(&arm);
            for _ in 0..20 {
                let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                check_all(&arm, &positions, &seed);
                let target = exact(&arm, &positions);
                let problem = Problem::new(std::slice::from_ref(&target), &seed).with_mode(Mode::Search {
                    pick: Pick::Nearest,
                    attempts: 400,
                    random_seed: 1,
                });
                let far = |s: &Solution| s.positions.iter().zip(&seed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let (ours, theirs) = (solve(&solver, &problem), solve(&arm.solver(), &problem));
                // Near a singular configuration, a pose error of 1e-9 m leaves joint errors of some 1e-5 rad.
                assert!(ours.is_solved() && far(&ours) <= far(&theirs) + 1e-4, "{ours:?}\n{theirs:?}");
                let most =
                    problem.with_mode(Mode::Search { pick: Pick::MostManipulable, attempts: 400, random_seed: 1 });
                let (ours, theirs) = (solve(&solver, &most), solve(&arm.solver(), &most));
                let scale = common::length_scale(&arm.solver());
                let worth = |s: &Solution| common::log_manipulability(&arm, scale, &s.positions, 6);
                assert!(worth(&ours) >= worth(&theirs) - 1e-3, "{ours:?}\n{theirs:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_met_is_the_nearest_configuration_and_says_so() {
    let mut random = Random::new(5);
    for arm in built() {
        let (solver, seed) = (closed_form(&arm), random.positions(&arm.chain));
        for place in [Vector3::new(9.0, 0.0, 0.0), Vector3::zeros(), Vector3::new(0.0, 0.0, -4.0)] {
            let target = Target::new(0, Isometry3::new(place, Vector3::new(0.1, 2.0, 0.0)));
            let solution = solve(&solver, &Problem::new(std::slice::from_ref(&target), &seed));
            assert!(solution.positions.iter().all(|position| position.is_finite()));
            assert!(arm.chain.contains(&solution.positions));
            let theirs = solve(&arm.solver(), &Problem::new(std::slice::from_ref(&target), &seed));
            assert_eq!(solution.outcome, theirs.outcome);
            assert!(solution.squared_error <= theirs.squared_error * (1.0 + 1e-9));
        }
        let target = [arm.targets_at(&seed)[0].position_only()];
        let free = solve(&solver, &Problem::new(&target, &arm.chain.nominal_positions()));
        assert!(free.is_solved(), "free axes are the search's: {free:?}");
    }
}

#[test]
fn a_family_is_lost_at_the_stated_tolerance_and_nothing_wrong_is_claimed() {
    let mut random = Random::new(6);
    for kind in KINDS {
        for amount in [1e-13, 1e-7, 1e-5, 1e-3, 0.3] {
            let mut axes = axes_of(kind, &mut random);
            for index in 0..6 {
                axes.directions[index] = (axes.directions[index] + random.direction() * amount).normalize();
                axes.points[index] += random.direction() * amount;
            }
            let arm = axes.arm(None, &mut random);
            let prepared = family(&arm);
            let general = prepared.family().kind == FamilyKind::General;
            assert!(amount > 0.1 || !general, "{kind:?} {amount}: {}", prepared.in_words());
            assert_eq!(
                prepared.family().exact(),
                amount < 1e-9 || general,
                "{kind:?} {amount}: {}",
                prepared.in_words()
            );
            let solver = closed_form(&arm);
            let mut solved = 0;
            for _ in 0..10 {
                let (positions, seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                let target = exact(&arm, &positions);
                let problem = Problem::new(std::slice::from_ref(&target), &seed);
                for solution in all_solutions(&solver, &problem) {
                    let (position, orientation) = distance(&arm.tip_poses(&solution.positions)[0], &target.pose);
                    assert!(position < 1e-9 && orientation < 1e-9, "{kind:?} {amount}: {position:e} {orientation:e}");
                    solved += usize::from(apart(&solution.positions, &positions) < 1e-4);
                }
            }
            assert!(solved >= 9 || amount > 1e-4 && !general, "{kind:?} {amount}: {solved} of 10 found again");
        }
    }
}

#[test]
fn chains_without_a_closed_form_say_what_is_in_the_way() {
    let refusal = |arm: &Arm| match Solver::prepare(SolverKind::ClosedForm, &arm.chain) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{} has a closed form", arm.name),
    };
    for arm in common::bundled_arms() {
        let text = if arm.chain.variables().len() == 6 || arm.name == "arm7" { continue } else { refusal(&arm) };
        assert!(text.contains("has no closed form: ") && text.contains("jacobian"), "{text}");
    }
    let mut random = Random::new(7);
    let general = axes_of(FamilyKind::General, &mut random);
    // Two joints about one line: effectively five.
    let mut doubled = general;
    (doubled.directions[5], doubled.points[5]) = (doubled.directions[4], doubled.points[4]);
    for axes in [doubled, doubled.reversed()] {
        let text = refusal(&axes.arm(None, &mut random));
        assert!(text.contains("rotate about the same line"), "{text}");
    }
    let parallel = Axes { directions: [Vector3::z(); 6], ..general };
    let text = refusal(&parallel.arm(None, &mut random));
    assert!(text.contains("in every configuration some of its joints can move without the tip"), "{text}");
    let coinciding = Axes { points: [Vector3::zeros(); 6], ..parallel };
    assert!(refusal(&coinciding.arm(None, &mut random)).contains("'j1' and 'j2' rotate about the same line"));
}

#[test]
fn a_solve_allocates_nothing() {
    let mut random = Random::new(8);
    for kind in KINDS {
        for off in [0.0, 1e-4] {
            let mut axes = axes_of(kind, &mut random);
            axes.points[4] += random.direction() * off;
            let arm = axes.arm(Some((-3.0, 3.0)), &mut random);
            let solver = closed_form(&arm);
            let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
            for _ in 0..10 {
                let (target, seed) = (exact(&arm, &random.positions(&arm.chain)), random.positions(&arm.chain));
                let problem = Problem::new(std::slice::from_ref(&target), &seed);
                let count = allocation_counter::measure(|| {
                    solver.solve(&problem, &mut scratch, &mut solution).unwrap();
                    let all =
                        solver.solve_all(&problem, &mut scratch, &mut solution, &mut |_| ControlFlow::Continue(()));
                    all.unwrap();
                });
                assert_eq!(count.count_total, 0, "{kind:?}");
            }
        }
    }
}
