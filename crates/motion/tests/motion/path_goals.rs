//! Goals along paths: met by every configuration, and named where they end a path.

use nalgebra::{Isometry3, Vector3};
use serde_json::{Value, json};
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::motion::{
    FollowError, FollowOptions, Followed, MotionLimits, Path, PathOptions, PathProblem, StopReason, Timing, Trajectory,
    follow,
};
use urdf_ik::solver::{Problem, Target};

use crate::common::{self, Arm, solve};

/// Allowed violations along a path \[m and rad\].
const ALLOWED: [f64; 2] = [1e-4, 1e-3];

fn arm7() -> Arm {
    common::bundled_arms().swap_remove(0)
}

fn read(arm: &Arm, list: &[Value]) -> Vec<Goal> {
    let positions = arm.robot.neutral_positions();
    let context = GoalContext { robot: &arm.robot, chain: &arm.chain, positions: &positions, frames: &[] };
    Goal::read_all(list, &context).unwrap()
}

/// The path through positions of the tip, with any orientation.
fn path_of(corners: &[[f64; 3]]) -> Path {
    let poses: Vec<_> = corners.iter().map(|&[x, y, z]| Isometry3::translation(x, y, z)).collect();
    Path::new(&poses, PathOptions::default().with_blend_radius(0.02)).unwrap()
}

/// A path of positions with goals.
struct Case<'a> {
    arm: &'a Arm,
    path: &'a Path,
    goals: &'a [Goal],
    limits: MotionLimits,
}

impl Case<'_> {
    fn target(&self) -> Target {
        Target::new(0, self.path.pose_at(0.0)).position_only()
    }

    /// A configuration at the start of the path that meets the goals.
    fn start(&self) -> Vec<f64> {
        let seed = self.arm.chain.nominal_positions();
        let solution = solve(&self.arm.solver(), &Problem::new(&[self.target()], &seed).with_goals(self.goals));
        assert!(solution.is_solved(), "{solution:?}");
        solution.positions
    }

    fn follow(&self, seed: &[f64]) -> Result<(Followed, Trajectory), FollowError> {
        self.follow_with(seed, false)
    }

    fn follow_from_anywhere(&self) -> (Followed, Trajectory) {
        self.follow_with(&self.arm.chain.nominal_positions(), true).unwrap()
    }

    fn follow_with(&self, seed: &[f64], free_start: bool) -> Result<(Followed, Trajectory), FollowError> {
        let target = self.target();
        let problem =
            PathProblem::new(self.path, &target, seed, &self.limits).with_goals(self.goals).with_free_start(free_start);
        let followed = follow(&self.arm.solver(), &problem, &FollowOptions::default())?;
        let trajectory = Trajectory::new(&self.arm.chain, &problem, &followed, &Timing::default()).unwrap();
        Ok((followed, trajectory))
    }
}

/// The angle between an axis of the tip and a direction.
fn angle(arm: &Arm, positions: &[f64], axis: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
    let axis = arm.tip_poses(positions)[0] * axis;
    axis.cross(direction).norm().atan2(axis.dot(direction))
}

#[test]
fn a_cup_stays_level_along_a_path_of_positions() {
    let arm = arm7();
    let path = path_of(&[[0.45, -0.25, 0.3], [0.45, 0.25, 0.35], [0.3, 0.3, 0.5]]);
    for bound in [0.0, 0.1] {
        let level =
            json!({"type": "cone", "axis": [0, 0, 1], "direction": [0, 0, -1], "angle": bound, "name": "level"});
        let goals = read(&arm, &[level]);
        let case = Case { arm: &arm, path: &path, goals: &goals, limits: arm.limits() };
        let start = case.start();
        let (followed, trajectory) = case.follow(&start).unwrap();
        assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
        let tilt = |positions: &[f64]| angle(&arm, positions, &Vector3::z(), &-Vector3::z());
        let curve = followed.curve.as_ref().unwrap();
        let worst = (0..=2000).map(|i| tilt(&curve.positions_at(curve.length() * f64::from(i) / 2000.0)));
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= bound + ALLOWED[1], "{bound}: {worst}");
        let claimed = trajectory.violations[0];
        assert!(worst - bound <= 1.5 * claimed.max(followed.violations[0]) + 1e-6, "{worst} {claimed}");
        assert!(claimed <= ALLOWED[1] && followed.violations[0] <= ALLOWED[1]);
        // Without the goal the cup tips over.
        let (_, without) = Case { goals: &[], ..case }.follow(&start).unwrap();
        assert!(without.points.iter().any(|point| tilt(&point.positions) > bound + 0.1));
        assert!(without.violations.is_empty());
    }
}

#[test]
fn goals_of_several_kinds_are_met_along_a_path() {
    let arm = arm7();
    let path = path_of(&[[0.4, -0.2, 0.4], [0.4, 0.2, 0.4]]);
    let seen = Vector3::new(0.9, 0.0, 0.2);
    let first = arm.chain.variable_names()[0].to_owned();
    let goals = read(
        &arm,
        &[
            json!({"type": "gaze", "axis": [0, 0, 1], "p": seen.as_slice(), "angle": 0.2}),
            json!({"type": "joints", "coefficients": {first: 1.0}, "lower": -0.4, "upper": 0.4}),
        ],
    );
    let case = Case { arm: &arm, path: &path, goals: &goals, limits: arm.limits() };
    let (followed, trajectory) = case.follow_from_anywhere();
    assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
    assert!(trajectory.violations.iter().all(|violation| *violation <= ALLOWED[1]), "{:?}", trajectory.violations);
    for point in &trajectory.points {
        let tip = arm.tip_poses(&point.positions)[0];
        let direction = (seen - tip.translation.vector).normalize();
        assert!(angle(&arm, &point.positions, &Vector3::z(), &direction) <= 0.2 + ALLOWED[1]);
        assert!(point.positions[0].abs() <= 0.4 + ALLOWED[1]);
    }
}

#[test]
fn a_goal_violated_at_the_start_is_refused() {
    let arm = arm7();
    let path = path_of(&[[0.45, -0.1, 0.3], [0.45, 0.1, 0.3]]);
    let limits = arm.limits();
    let free = Case { arm: &arm, path: &path, goals: &[], limits: limits.clone() };
    let start = free.start();
    let up = arm.tip_poses(&start)[0] * Vector3::z();
    let goals = read(
        &arm,
        &[json!({"type": "cone", "axis": [0, 0, 1], "direction": (-up).as_slice(), "angle": 0.3, "name": "away"})],
    );
    let refused = Case { goals: &goals, ..free }.follow(&start).unwrap_err();
    assert!(matches!(refused, FollowError::GoalAtStart { .. }), "{refused}");
    assert!(refused.to_string().starts_with("at the start goal 'away' "), "{refused}");
}

#[test]
fn the_goal_that_ends_a_path_is_named() {
    let arm = arm7();
    let path = path_of(&[[0.45, -0.2, 0.3], [0.45, 0.2, 0.3]]);
    let level = json!({"type": "cone", "axis": [0, 0, 1], "direction": [0, 0, -1], "angle": 0.2, "name": "level"});
    let fence = json!({"type": "position", "p": [0.45, -0.2, 0.3], "upper": [null, 0.25, null], "name": "fence"});
    let goals = read(&arm, &[level, fence]);
    let case = Case { arm: &arm, path: &path, goals: &goals, limits: arm.limits() };
    let (followed, _) = case.follow(&case.start()).unwrap();
    let stop = followed.stop.unwrap();
    assert!(matches!(&stop.reason, StopReason::Goal { goal, .. } if goal.name() == "fence"), "{stop}");
    assert!(stop.to_string().contains("goal 'fence'"), "{stop}");
    // The tip leaves the half-space after 0.25 m.
    assert!((stop.length - 0.25).abs() < 2e-3, "{stop}");
}
