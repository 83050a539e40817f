//! Paths of ten seconds: near and through singularities, and out of reach and back.

use std::f64::consts::{PI, TAU};

use urdf_ik::solver::{Mode, Problem, Solver, Target};

use crate::common::{self, Arm, urdf};

/// Poses of a path: a thousand a second.
const POSES: u32 = 10_000;
/// Largest step of each joint from pose to pose \[rad\]: 20 rad/s.
const STEP: f64 = 200.0 / POSES as f64;

/// A path: from a configuration on a smooth course until one joint is close to a singular position, and back.
struct Path {
    arm: Arm,
    start: Vec<f64>,
    /// The joint that comes near alignment, and its position there.
    joint: usize,
    near: f64,
    /// A joint whose sign distinguishes the branches.
    elbow: usize,
}

impl Path {
    /// The configuration after this fraction of the path, from which its poses are computed.
    fn positions(&self, fraction: f64) -> Vec<f64> {
        let (out, sway) = ((PI * fraction).sin().powi(2), (TAU * fraction).sin());
        let mut positions = self.start.clone();
        for (i, position) in positions.iter_mut().enumerate() {
            *position += if i == self.joint { (self.near - *position) * out } else { 0.15 * sway };
        }
        positions
    }

    fn target(&self, fraction: f64) -> Target {
        self.arm.targets_at(&self.positions(fraction))[0]
    }
}

/// The results of tracking a path.
#[derive(Debug, Default)]
struct Course {
    end: Vec<f64>,
    /// Largest step of any joint.
    largest_step: f64,
    /// Poses missed before, in and after the middle fifth of the path.
    missed: [u32; 3],
    /// Smallest singular value at the start, the least on the way, and at the end.
    singular: [f64; 3],
    elbow_changes: usize,
}

fn track(path: &Path, solver: &Solver, target: impl Fn(f64) -> Target) -> Course {
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let (mut seed, steps) = (path.start.clone(), vec![STEP; path.start.len()]);
    let mut course = Course { singular: [0.0, f64::INFINITY, 0.0], ..Course::default() };
    for index in 0..=POSES {
        let fraction = f64::from(index) / f64::from(POSES);
        let targets = [target(fraction)];
        let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &steps });
        solver.solve(&problem, &mut scratch, &mut solution).unwrap();
        assert!(path.arm.chain.contains(&solution.positions));
        for (position, seed) in solution.positions.iter().zip(&seed) {
            assert!((seed - STEP..=seed + STEP).contains(position), "{position} from {seed} at {fraction}");
            course.largest_step = course.largest_step.max((position - seed).abs());
        }
        let third = if fraction < 0.4 { 0 } else { 1 + usize::from(fraction > 0.6) };
        course.missed[third] += u32::from(!solution.is_solved());
        course.elbow_changes += usize::from(solution.positions[path.elbow] * seed[path.elbow] < 0.0);
        let singular = solution.smallest_singular_value.unwrap();
        if index == 0 {
            course.singular[0] = singular;
        }
        course.singular[1] = course.singular[1].min(singular);
        course.singular[2] = singular;
        seed.clone_from(&solution.positions);
    }
    course.end = seed;
    course
}

fn paths() -> Vec<Path> {
    let six = || Arm::from_text(&urdf::six_joints(None), "base", &["tip"]);
    let mut paths = Vec::new();
    let mut add = |arm: Arm, start: &[f64], joint, near, elbow| {
        paths.push(Path { arm, start: start.to_vec(), joint, near, elbow });
    };
    let bent = [0.3, -1.0, 1.3, -0.4, 1.1, 0.2];
    // The wrist comes close to alignment, goes through it and comes back; the elbow comes close to full stretch.
    for (joint, near) in [(4, 0.01), (4, -1.1), (2, 0.02)] {
        add(six(), &bent, joint, near, 2);
    }
    let seven = || common::bundled_arms().swap_remove(0);
    let bent = [0.2, 0.4, 0.5, -0.6, 0.3, -0.3, 0.1];
    for (joint, near) in [(5, -PI / 3.0 + 0.01), (3, -1.44)] {
        add(seven(), &bent, joint, near, 3);
    }
    let makers = |name: &str| common::arms_named(&[name]).swap_remove(0);
    add(makers("ur5"), &[0.3, -1.2, 1.4, -0.6, 1.1, 0.2], 4, 0.01, 2);
    add(makers("panda"), &[0.2, -0.4, 0.3, -1.9, 0.2, 1.7, 0.1], 3, -0.09, 3);
    paths
}

#[test]
fn a_path_near_a_singularity_is_followed_without_a_jump() {
    for path in paths() {
        let name = format!("{}, joint {} near {}", path.arm.name, path.joint, path.near);
        let course = track(&path, &path.arm.solver(), |fraction| path.target(fraction));
        println!("{name}: {course:?}");
        assert_eq!((course.missed, course.elbow_changes), ([0; 3], 0), "{name}");
        assert!(course.largest_step < 0.25 * STEP, "{name}: a jump of {} rad", course.largest_step);
        // A redundant arm may return to another configuration of the same pose, but not to another branch.
        let room = if path.start.len() == 6 { 1e-4 } else { 0.1 };
        let apart = course.end.iter().zip(&path.start).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < room, "{name}: {apart} rad away from its start");
        let [before, least, after] = course.singular;
        let fall = if path.start.len() == 6 { 0.05 } else { 0.8 };
        assert!(least < fall * before && after > 0.9 * before, "{name}: {:?}", course.singular);
    }
}

#[test]
fn tracking_catches_up_with_a_path_that_is_too_fast_near_a_singularity() {
    for path in paths() {
        let name = format!("{}, joint {} near {}", path.arm.name, path.joint, path.near);
        // Sideways by some centimetres and back within a second: near the singularity this needs unbounded
        // joint velocities.
        let target = |fraction: f64| {
            let mut target = path.target(fraction);
            if (0.45..0.55).contains(&fraction) {
                target.pose.translation.vector.y += 0.03 * (PI * (fraction - 0.45) / 0.1).sin().powi(2);
            }
            target
        };
        let course = track(&path, &path.arm.solver(), target);
        println!("{name}: {course:?}");
        assert_eq!([course.missed[0], course.missed[2]], [0; 2], "{name}: {course:?}");
    }
}

#[test]
fn a_path_out_of_reach_and_back_is_met_again() {
    for path in paths() {
        let solver = path.arm.solver();
        let start = path.target(0.0).position_only();
        let away = start.pose.translation.vector.normalize();
        let at = |far: f64| {
            let mut target = start;
            target.pose.translation.vector += away * far;
            target
        };
        // The reach of the arm in that direction.
        let (mut inside, mut outside) = (0.0, 3.0);
        for _ in 0..30 {
            let middle = 0.5 * (inside + outside);
            let solved = common::solve(&solver, &Problem::new(&[at(middle)], &path.start)).is_solved();
            if solved { inside = middle } else { outside = middle }
        }
        // Beyond it for about a second of the ten.
        let most = inside / (0.45 * PI).sin().powi(2);
        let course = track(&path, &solver, |fraction| at(most * (PI * fraction).sin().powi(2)));
        println!("{}, {most} m out: {course:?}", path.arm.name);
        let [before, beyond, after] = course.missed;
        assert_eq!([before, after], [0; 2], "{}: {course:?}", path.arm.name);
        assert!((POSES / 20..=POSES / 20 * 3).contains(&beyond), "{}: {course:?}", path.arm.name);
    }
}

#[test]
fn two_runs_of_one_path_give_the_same_bits() {
    let path = paths().swap_remove(1);
    let run = || track(&path, &path.arm.solver(), |fraction| path.target(fraction)).end;
    assert_eq!(
        run().into_iter().map(f64::to_bits).collect::<Vec<_>>(),
        run().into_iter().map(f64::to_bits).collect::<Vec<_>>()
    );
}

#[test]
fn a_target_that_stays_out_of_reach_lets_the_arm_come_to_rest() {
    for path in paths() {
        let solver = path.arm.solver();
        for (far, whole) in [(0.01, false), (0.1, false), (0.5, false), (2.0, false), (0.1, true), (0.5, true)] {
            let mut target = path.target(0.0);
            target.pose.translation.vector *= 1.0 + (0.5 + far) / target.pose.translation.vector.norm();
            if !whole {
                target = target.position_only();
            }
            let (mut seed, steps) = (path.start.clone(), vec![STEP; path.start.len()]);
            let mut late = 0.0_f64;
            for tick in 0..POSES / 5 {
                let problem =
                    Problem::new(std::slice::from_ref(&target), &seed).with_mode(Mode::Track { max_step: &steps });
                let solution = common::solve(&solver, &problem);
                assert!(!solution.is_solved());
                if tick >= POSES / 20 * 3 {
                    late = seed.iter().zip(&solution.positions).map(|(a, b)| (a - b).abs()).fold(late, f64::max);
                }
                seed = solution.positions;
            }
            assert!(late < 1e-4, "{}, {far} m beyond, {whole}: still {late:e} rad per pose", path.arm.name);
        }
    }
}
