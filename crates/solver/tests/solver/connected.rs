//! Tracked solutions are connected to the seed: on the branch and with the revolutions to which the
//! interpolated pose leads.

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use urdf_ik::solver::{Mode, Outcome, Problem, Reason, Solution, Solver, SolverKind, Target};

use crate::common::line_follower::{LineFollower, LineRun, is_turned, largest_move};
use crate::common::urdf;
use crate::common::{Arm, Random, Share, arms_named, short_arms, solve, wide_arms};

/// Largest joint displacements from the seed to the source of a target \[rad or m\].
const DISTANCES: [f64; 4] = [0.3, 0.8, 1.5, 3.0];

/// Targets for each of ten arms, solvers and distances, or as many as the environment variable `TRACKED_TARGETS` says.
fn targets_each() -> usize {
    std::env::var("TRACKED_TARGETS").map_or(5, |number| number.parse().unwrap())
}

/// Counts of outcomes.
#[derive(Debug, Default)]
struct Tally {
    targets: usize,
    solved: usize,
    /// Reached by the reference, and of these not solved.
    reached: usize,
    missed: usize,
    /// Solved, where the reference ends before the target.
    beyond: usize,
    /// Not solved, and the answer is not reached along the interpolation to its own pose either.
    adrift: usize,
    /// Answers on another branch than the reference, and answers whose revolutions differ from the nearer ones
    /// of the reference.
    elsewhere: usize,
    turned: usize,
}

impl Tally {
    fn add(&mut self, follower: &LineFollower, start: &[f64], solution: &Solution) {
        let reference = follower.follow_to(start, &solution.positions);
        let (is_reached, is_solved) = (reference.share >= 1.0, solution.is_solved());
        self.targets += 1;
        self.solved += usize::from(is_solved);
        self.reached += usize::from(is_reached);
        self.missed += usize::from(is_reached && !is_solved);
        self.beyond += usize::from(!is_reached && is_solved);
        self.adrift += usize::from(!is_solved && !is_led_to(follower, start, &solution.positions));
        if is_reached && is_solved {
            let LineRun { positions, .. } = reference;
            self.elsewhere += usize::from(!follower.are_connected(&positions, &solution.positions));
            self.turned += usize::from(is_turned(follower.chain, &solution.positions, &positions));
        }
    }
}

/// Whether the interpolation to the tip's pose at `answer` leads there.
fn is_led_to(follower: &LineFollower, start: &[f64], answer: &[f64]) -> bool {
    let target = follower.target.with_pose(follower.tip_pose(answer));
    let follower = LineFollower { chain: follower.chain, target };
    let LineRun { positions, share } = follower.follow_to(start, answer);
    share >= 1.0 && follower.are_connected(&positions, answer) && !is_turned(follower.chain, answer, &positions)
}

fn track(solver: &Solver, targets: &[Target], seed: &[f64]) -> Solution {
    let unbounded = vec![f64::INFINITY; seed.len()];
    solve(solver, &Problem::new(targets, seed).with_mode(Mode::Track { max_step: &unbounded }))
}

/// A configuration in which no joint is farther than `distance` from `positions`.
fn near(random: &mut Random, arm: &Arm, positions: &[f64], distance: f64) -> Vec<f64> {
    let moved = |position: &f64| position + random.between(-distance, distance);
    let moved: Vec<f64> = positions.iter().map(moved).collect();
    moved.iter().zip(arm.chain.variables()).map(|(position, variable)| variable.domain.clamp(*position)).collect()
}

/// A target of that pose, restricted to the axes that the arm can follow.
fn target(arm: &Arm, pose: Isometry3<f64>) -> Target {
    let planar = arm.chain.variables().len() == 3;
    Target::new(0, pose).with_free_axes(if planar { [false, false, true, true, true, false] } else { [false; 6] })
}

#[test]
fn tracked_solutions_stay_on_the_branch_and_the_turns_of_the_interpolated_pose() {
    let (mut random, arms) = (Random::new(61), wide_arms());
    for kind in [SolverKind::Jacobian, SolverKind::ClosedForm] {
        let solvers = arms.iter().filter_map(|arm| Some((arm, Solver::prepare(kind, &arm.chain).ok()?)));
        let solvers: Vec<_> = solvers.collect();
        for distance in DISTANCES {
            let mut tally = Tally::default();
            for (arm, solver) in &solvers {
                for _ in 0..targets_each() {
                    let start = random.positions(&arm.chain);
                    let target = target(arm, arm.tip_poses(&near(&mut random, arm, &start, distance))[0]);
                    let follower = LineFollower { chain: &arm.chain, target };
                    tally.add(&follower, &start, &track(solver, &[target], &start));
                }
            }
            println!("{kind:?}, {distance}: {tally:?}");
            assert_eq!((tally.elsewhere, tally.turned), (0, 0), "{kind:?}, {distance}: {tally:?}");
            Share { failed: tally.missed, of: tally.reached }.assert_at_most(0.05, "targets reached by the reference");
            Share { failed: tally.beyond, of: tally.targets }.assert_at_most(0.03, "targets missed by the reference");
            let unmet = tally.targets - tally.solved;
            Share { failed: tally.adrift, of: unmet }.assert_at_most(0.4, "unmet answers");
        }
    }
}

/// Between the ends these arms cannot follow the interpolated poses exactly: they follow as closely as possible.
#[test]
fn arms_of_few_joints_track_full_poses() {
    let mut random = Random::new(62);
    for arm in short_arms() {
        let (solver, mut missed) = (arm.solver(), Share { failed: 0, of: 0 });
        for _ in 0..100 {
            let start = random.positions(&arm.chain);
            let targets = arm.targets_at(&near(&mut random, &arm, &start, 0.5));
            missed.failed += usize::from(!track(&solver, &targets, &start).is_solved());
            missed.of += 1;
        }
        missed.assert_at_most(0.1, &arm.name);
    }
    let hinge = urdf::joint("hinge", "continuous", "base", "arm", "<axis xyz='0 0 1'/>");
    let text = urdf::robot("base arm tip", &(hinge + &urdf::fixed("end", "arm", "tip", "0.5 0 0")));
    let hinge = Arm::from_text(&text, "base", &["tip"]);
    let solution = track(&hinge.solver(), &hinge.targets_at(&[1.5]), &[-1.4]);
    assert!(solution.is_solved(), "{solution:?}");
}

/// The searches after the end of a branch take each joint to the revolution nearest to the seed.
#[test]
fn searches_take_the_nearest_turns() {
    let mut random = Random::new(62);
    for arm in wide_arms() {
        for kind in SolverKind::ALL {
            let Ok(solver) = Solver::prepare(kind, &arm.chain) else { continue };
            for far in [false, true].repeat(10) {
                let start = random.positions(&arm.chain);
                let mut target = target(&arm, arm.tip_poses(&random.positions(&arm.chain))[0]);
                if far {
                    target.pose.translation.vector *= 3.0;
                }
                let solution = solve(&solver, &Problem::new(&[target], &start));
                assert!(!is_turned(&arm.chain, &solution.positions, &start), "{} {kind:?}: {solution:?}", arm.name);
            }
        }
    }
}

fn ur5() -> Arm {
    arms_named(&["ur5"]).swap_remove(0)
}

/// Found with a UR5 at default parameters: lift -6.11 and wrist_1 3.76, where 0.17 and -2.53 are the same pose.
#[test]
fn a_target_beyond_the_shoulder_takes_no_needless_turn() {
    let (arm, seed) = (ur5(), [0.3, -1.2, 1.5, -1.8, -1.5, 0.4]);
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(0.8243, 0.4813, -0.2579, -0.1496));
    let targets = [Target::new(0, Isometry3::from_parts(Translation3::new(-0.1026, 0.0355, -0.0982), turn))];
    for kind in SolverKind::ALL {
        let solver = Solver::prepare(kind, &arm.chain).unwrap();
        let tracked = track(&solver, &targets, &seed);
        // The line passes through the cylinder about the shoulder's axis that the wrist cannot enter.
        assert!(LineFollower { chain: &arm.chain, target: targets[0] }.follow(&seed, &seed, 0.0).share < 1.0);
        assert!(!tracked.is_solved() && largest_move(&tracked.positions, &seed) < PI, "{kind:?}: {tracked:?}");
        let searched = solve(&solver, &Problem::new(&targets, &seed));
        assert!(searched.is_solved() && largest_move(&searched.positions, &seed) < PI, "{kind:?}: {searched:?}");
    }
}

/// Found with three parallel joints and limits of a whole revolution: the elbow at 6.207 instead of 0.077.
#[test]
fn a_planar_elbow_takes_no_needless_turn() {
    let arm = wide_arms().into_iter().find(|arm| arm.name == "wide").unwrap();
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(-0.33, 0.0, 0.0, 0.944));
    let target = target(&arm, Isometry3::from_parts(Translation3::new(0.5473, -0.7085, 0.0), turn));
    for kind in SolverKind::ALL {
        let Ok(solver) = Solver::prepare(kind, &arm.chain) else { continue };
        let solution = track(&solver, &[target], &[0.3, 1.0, -0.5]);
        assert!(solution.is_solved() && (solution.positions[1] - 0.077).abs() < 2e-3, "{kind:?}: {solution:?}");
    }
}

/// Found with a UR5: shoulder_pan moved by 2.795 rad in one step, and no limit was named.
#[test]
fn a_branch_that_ends_at_a_limit_is_not_left() {
    let (arm, seed) = (ur5(), [0.3, -1.2, 1.5, -1.8, -1.5, 6.2]);
    let turned = |angle: f64| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        Target::new(0, arm.tip_poses(&seed)[0] * turn)
    };
    for kind in SolverKind::ALL {
        let solver = Solver::prepare(kind, &arm.chain).unwrap();
        let limited = track(&solver, &[turned(1.6)], &seed);
        assert_eq!((limited.outcome, &limited.saturated[..]), (Outcome::Closest(Reason::JointLimits), &[5][..]));
        assert!(limited.positions[5] > TAU - 1e-3, "{kind:?}: {limited:?}");
        let solved = track(&solver, &[turned(-1.6)], &seed);
        let expected = [0.3, -1.2, 1.5, -1.8, -1.5, 4.6];
        assert!(solved.is_solved() && largest_move(&solved.positions, &expected) < 1e-4, "{kind:?}: {solved:?}");
    }
}
