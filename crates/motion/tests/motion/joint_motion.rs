//! Joint motions that are interrupted at any time: continuous, within every limit, and exactly at their goal.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::motion::{
    FollowOptions, JointLimit, JointLimits, JointMotion, MotionError, MotionLimits, Path, PathOptions, PathProblem,
    Timing, Trajectory, TrajectoryPoint, follow,
};
use urdf_ik::robot::{Chain, Domain};
use urdf_ik::solver::Target;

use crate::common::{Arm, Random, all_arms, arm_with_tool, bundled_arms};

/// Rounding of the generator's profiles \[rad or m\]: the error at its goals.
const ROUNDING: f64 = 2e-8;

fn random_limits(random: &mut Random, chain: &Chain) -> MotionLimits {
    let mut limits = MotionLimits { velocities: Vec::new(), accelerations: Vec::new(), jerks: Vec::new() };
    for _ in chain.variables() {
        let acceleration = random.between(1.0, 10.0);
        limits.velocities.push(random.between(0.3, 3.0));
        limits.accelerations.push(acceleration);
        limits.jerks.push(acceleration * random.between(2.0, 30.0));
    }
    limits
}

/// A motion that is checked at every step.
struct Watched<'a> {
    chain: &'a Chain,
    limits: &'a MotionLimits,
    motion: JointMotion,
    start: Vec<f64>,
}

impl<'a> Watched<'a> {
    fn new(chain: &'a Chain, limits: &'a MotionLimits, motion: JointMotion) -> Self {
        Self { chain, limits, start: motion.positions().to_vec(), motion }
    }

    fn advance(&mut self, step: f64) {
        let (positions, velocities) = (self.motion.positions().to_vec(), self.motion.velocities().to_vec());
        self.motion.advance(step);
        for i in 0..positions.len() {
            let (position, velocity) = (self.motion.positions()[i], self.motion.velocities()[i]);
            let excess = |position| self.chain.variables()[i].domain.excess(position);
            assert!(excess(position) <= excess(self.start[i]), "{position} after {}", self.start[i]);
            let (most_velocity, most_acceleration) = (self.limits.velocities[i], self.limits.accelerations[i]);
            assert!(velocity.abs() <= most_velocity + 1e-9, "velocity {velocity} of {most_velocity}");
            let change = (velocity - velocities[i]).abs();
            assert!(change <= most_acceleration * step + 1e-7, "velocity {} to {velocity}", velocities[i]);
            // The trapezoid's error under a bounded jerk.
            let passed = position - positions[i] - 0.5 * step * (velocity + velocities[i]);
            let room = self.limits.jerks[i] * step.powi(3) / 12.0 + ROUNDING;
            assert!(passed.abs() <= room, "{} to {position} is {passed:e} off, at most {room:e}", positions[i]);
        }
    }

    /// Checks continuity where a motion was replaced.
    fn check_continuity(&mut self) {
        const MOMENT: f64 = 1e-9;
        let before = (self.motion.positions().to_vec(), self.motion.velocities().to_vec());
        self.motion.advance(MOMENT);
        for i in 0..before.0.len() {
            let (moved, faster) = (self.motion.positions()[i] - before.0[i], self.motion.velocities()[i] - before.1[i]);
            assert!(moved.abs() <= MOMENT * self.limits.velocities[i] + 1e-15 * before.0[i].abs() + 1e-14, "{moved:e}");
            assert!(faster.abs() <= MOMENT * self.limits.accelerations[i] * 1.001 + 1e-13, "{faster:e}");
        }
    }

    fn run_to_rest(&mut self, step: f64) {
        for _ in 0..100_000 {
            if self.motion.is_at_rest() {
                return;
            }
            self.advance(step);
        }
        panic!("still in motion");
    }
}

/// A goal: anywhere, near, or at limits.
fn random_goal(random: &mut Random, chain: &Chain, here: &[f64]) -> Vec<f64> {
    let kind = random.below(3);
    let anywhere = random.positions(chain);
    let entries = chain.variables().iter().zip(here.iter().zip(anywhere));
    entries
        .map(|(variable, (here, anywhere))| match (kind, variable.domain) {
            (1, domain) => domain.clamp(here + random.between(-0.01, 0.01)),
            (2, Domain::Interval { lower, upper }) => {
                if random.unit() < 0.5 {
                    lower
                } else {
                    upper
                }
            }
            _ => anywhere,
        })
        .collect()
}

#[test]
fn motions_are_continuous_and_within_limits_however_they_are_interrupted() {
    let mut random = Random::new(141);
    for arm in all_arms() {
        for _ in 0..20 {
            let limits = random_limits(&mut random, &arm.chain);
            let start = random.positions(&arm.chain);
            let motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
            let mut watched = Watched::new(&arm.chain, &limits, motion);
            for _ in 0..30 {
                if random.unit() < 0.2 {
                    watched.motion.stop().unwrap();
                } else {
                    let goal = random_goal(&mut random, &arm.chain, watched.motion.positions());
                    watched.motion.move_to(&goal).unwrap();
                }
                watched.check_continuity();
                let step = random.between(1e-3, 0.02);
                for _ in 0..random.below(40) {
                    watched.advance(step);
                }
            }
            watched.run_to_rest(0.01);
            assert!(watched.motion.velocities().iter().chain(watched.motion.accelerations()).all(|rate| *rate == 0.0));
        }
    }
}

#[test]
fn a_goal_is_met_exactly_after_the_predicted_time() {
    let mut random = Random::new(42);
    for arm in all_arms() {
        let limits = random_limits(&mut random, &arm.chain);
        let (start, goal) = (random.positions(&arm.chain), random.positions(&arm.chain));
        let motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
        let mut watched = Watched::new(&arm.chain, &limits, motion);
        let time = watched.motion.move_to(&goal).unwrap();
        let end = watched.motion.end().to_vec();
        for ((end, goal), variable) in end.iter().zip(&goal).zip(arm.chain.variables()) {
            let apart = end - goal;
            let turns = if variable.domain == Domain::Circle { (apart / TAU).round() * TAU } else { 0.0 };
            assert!((apart - turns).abs() < 1e-12);
        }
        watched.advance(0.5 * time);
        assert!(!watched.motion.is_at_rest());
        // From rest the path is straight in joint space.
        let done = |i: usize| (watched.motion.positions()[i] - start[i]) / (end[i] - start[i]);
        for i in 1..start.len() {
            assert!((done(i) - done(0)).abs() < 1e-6, "{} {}", done(i), done(0));
        }
        watched.advance(0.5 * time + 1e-9);
        assert!(watched.motion.is_at_rest());
        assert_eq!(watched.motion.positions(), end);
        assert_eq!(watched.motion.move_to(&end).unwrap(), 0.0);
    }
}

/// Positions, some of them outside the limits by up to `excess` \[rad or m\].
fn outside(random: &mut Random, chain: &Chain, excess: f64) -> Vec<f64> {
    let mut positions = random.positions(chain);
    for (position, variable) in positions.iter_mut().zip(chain.variables()) {
        let [lower, upper] = variable.domain.ends();
        match random.below(3) {
            0 if lower.is_finite() => *position = lower - random.between(0.1, 1.0) * excess,
            1 if upper.is_finite() => *position = upper + random.between(0.1, 1.0) * excess,
            _ => {}
        }
    }
    positions
}

#[test]
fn joints_outside_their_limits_come_inside_and_never_go_farther_outside() {
    let mut random = Random::new(474);
    let mut outside_starts = 0;
    for arm in all_arms() {
        for excess in [1e-3, 3_f64.to_radians(), 20_f64.to_radians()] {
            for _ in 0..10 {
                let limits = random_limits(&mut random, &arm.chain);
                let start = outside(&mut random, &arm.chain, excess);
                let motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
                let mut watched = Watched::new(&arm.chain, &limits, motion);
                assert_eq!(watched.motion.is_outside(), !arm.chain.contains(&start));
                outside_starts += usize::from(watched.motion.is_outside());
                for _ in 0..random.below(6) {
                    match random.below(4) {
                        0 => drop(watched.motion.stop().unwrap()),
                        1 => drop(watched.motion.come_inside().unwrap()),
                        _ => {
                            let goal = random_goal(&mut random, &arm.chain, watched.motion.positions());
                            watched.motion.move_to(&goal).unwrap();
                        }
                    }
                    watched.check_continuity();
                    let step = random.between(1e-3, 0.02);
                    for _ in 0..random.below(20) {
                        watched.advance(step);
                    }
                }
                watched.motion.come_inside().unwrap();
                watched.run_to_rest(0.01);
                assert!(arm.chain.contains(watched.motion.positions()));
            }
        }
    }
    assert!(outside_starts > 100, "{outside_starts}");
}

#[test]
fn joints_outside_their_limits_stand_where_they_are_and_stop_on_their_way_inside() {
    for arm in all_arms() {
        let limits = random_limits(&mut Random::new(7), &arm.chain);
        let mut start = arm.chain.nominal_positions();
        let limited = arm.chain.variables().iter().position(|variable| variable.domain != Domain::Circle).unwrap();
        start[limited] = arm.chain.variables()[limited].domain.ends()[1] + 0.3;
        let motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
        let mut watched = Watched::new(&arm.chain, &limits, motion);
        assert_eq!(watched.motion.stop().unwrap(), 0.0);
        watched.advance(0.1);
        assert_eq!(watched.motion.positions(), start);
        watched.motion.come_inside().unwrap();
        assert!(!watched.motion.ends_outside());
        watched.advance(0.05);
        watched.motion.stop().unwrap();
        assert!(watched.motion.ends_outside());
        watched.run_to_rest(0.01);
        assert!(watched.motion.is_outside() && watched.motion.positions()[limited] < start[limited]);
    }
}

#[test]
fn continuous_joints_take_the_shorter_direction() {
    let arm = bundled_arms()
        .into_iter()
        .find(|arm| arm.chain.variables().iter().any(|variable| variable.domain == Domain::Circle));
    let arm = arm.expect("a bundled arm has a continuous joint");
    let turning = arm.chain.variables().iter().position(|variable| variable.domain == Domain::Circle).unwrap();
    let limits = random_limits(&mut Random::new(1), &arm.chain);
    let mut start = arm.chain.nominal_positions();
    start[turning] = 3.0;
    let mut motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
    let mut goal = start.clone();
    goal[turning] = -3.0;
    motion.move_to(&goal).unwrap();
    assert!((motion.end()[turning] - (TAU - 3.0)).abs() < 1e-12);
}

/// A trajectory of the seven-joint arm from its middle configuration, with the tool straight ahead.
fn trajectory(arm: &Arm, limits: &MotionLimits, start: &[f64]) -> Arc<[TrajectoryPoint]> {
    let from = arm.tip_poses(start)[0];
    let mut to = from;
    to.translation.vector += nalgebra::Vector3::new(-0.1, 0.15, -0.1);
    let path = Path::new(&[from, to], PathOptions::default()).unwrap();
    let target = Target::new(0, Isometry3::identity());
    let problem = PathProblem::new(&path, &target, start, limits);
    let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
    assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
    let timing = Timing::default().with_speed(0.5).with_acceleration(2.0).with_period(0.01);
    Trajectory::new(&arm.chain, &problem, &followed, &timing).unwrap().points.into()
}

fn arm7() -> (Arm, MotionLimits, Vec<f64>) {
    let arm = arm_with_tool("arm7");
    let defaults = JointLimit { velocity: Some(1.0), acceleration: Some(5.0), jerk: Some(100.0) };
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&defaults);
    let start = vec![0.3, 0.6, 0.2, -1.2, 0.1, 0.8, 0.0];
    (arm, limits, start)
}

#[test]
fn a_trajectory_is_passed_through_its_points_and_can_be_left_at_any_time() {
    let (arm, limits, start) = arm7();
    let points = trajectory(&arm, &limits, &start);
    let mut motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
    motion.follow(Arc::clone(&points)).unwrap();
    for point in &points[1..] {
        motion.advance(0.01);
        for (at, wanted) in motion.positions().iter().zip(&point.positions) {
            assert!((at - wanted).abs() < 1e-9);
        }
        for (at, wanted) in motion.velocities().iter().zip(&point.velocities) {
            assert!((at - wanted).abs() < 1e-6);
        }
    }
    motion.advance(0.01);
    assert!(motion.is_at_rest());
    assert_eq!(motion.positions(), points[points.len() - 1].positions);

    let mut random = Random::new(43);
    for interrupted in 0..20 {
        let mut motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
        motion.follow(Arc::clone(&points)).unwrap();
        let mut watched = Watched::new(&arm.chain, &limits, motion);
        let share = random.between(0.05, 0.95);
        #[expect(clippy::cast_precision_loss, reason = "few points")]
        watched.motion.advance(share * points.len() as f64 * 0.01);
        if interrupted % 2 == 0 {
            watched.motion.stop().unwrap();
        } else {
            watched.motion.move_to(&start).unwrap();
        }
        watched.check_continuity();
        watched.run_to_rest(0.01);
    }
}

#[test]
fn a_trajectory_waits_until_the_joints_have_reached_its_start() {
    let (arm, limits, start) = arm7();
    let points = trajectory(&arm, &limits, &start);
    let mut motion = JointMotion::new(&arm.chain, &limits, &[0.0; 7]).unwrap();
    assert!(matches!(motion.follow(Arc::clone(&points)), Err(MotionError::Elsewhere { .. })));
    assert!(motion.is_at_rest());
    motion.move_to(&start).unwrap();
    motion.advance(0.1);
    motion.follow(Arc::clone(&points)).unwrap();
    assert_eq!(motion.end(), points[points.len() - 1].positions);
    let mut watched = Watched::new(&arm.chain, &limits, motion);
    watched.check_continuity();
    watched.run_to_rest(0.013);
    assert_eq!(watched.motion.positions(), points[points.len() - 1].positions);
}

#[test]
fn placing_ends_every_motion_and_new_limits_count_from_the_next() {
    let (arm, limits, start) = arm7();
    let mut motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
    let goal = vec![0.0; 7];
    let fast = motion.move_to(&goal).unwrap();
    motion.advance(0.2);
    motion.place(&start);
    assert!(motion.is_at_rest());
    assert_eq!(motion.end(), start);
    let slower = MotionLimits { velocities: vec![0.1; 7], ..limits };
    motion.set_limits(&slower).unwrap();
    assert!(motion.move_to(&goal).unwrap() > 2.0 * fast);
}

#[test]
fn invalid_limits_are_an_error_and_not_a_panic() {
    let (arm, limits, start) = arm7();
    let mut motion = JointMotion::new(&arm.chain, &limits, &start).unwrap();
    for wrong in [0.0, f64::NAN, -1.0, f64::INFINITY] {
        let limits = MotionLimits { accelerations: vec![wrong; 7], ..limits.clone() };
        let refused = JointMotion::new(&arm.chain, &limits, &start).unwrap_err().to_string();
        let joint = &arm.chain.variables()[0].name;
        let expected =
            format!("the acceleration limit of joint '{joint}' is {wrong}; it must be a finite number above 0");
        assert!(refused.starts_with(&expected), "{refused}");
        assert_eq!(motion.set_limits(&limits).unwrap_err().to_string(), refused);
        assert!(motion.is_at_rest());
    }
    let few = MotionLimits { jerks: vec![1.0; 6], ..limits.clone() };
    let refused = JointMotion::new(&arm.chain, &few, &start).unwrap_err().to_string();
    assert_eq!(refused, "there are 6 jerk limits for 7 joints; give one limit for each");
    let refused = JointMotion::new(&arm.chain, &limits, &start[1..]).unwrap_err().to_string();
    assert_eq!(refused, "there are 6 joint positions for 7 joints; give one position for each");
    assert!(JointMotion::new(&arm.chain, &limits, &[f64::NAN; 7]).is_err());
    assert!(motion.move_to(&[f64::NAN; 7]).is_err());
    assert!((motion.positions()[0] - start[0]).abs() < PI);
}

#[test]
fn a_joint_that_is_far_too_slow_is_named() {
    let arm = &bundled_arms()[0];
    let start = arm.chain.nominal_positions();
    let goal: Vec<f64> = start.iter().map(|position| position + 0.3).collect();
    for velocity in [1e-5, 1e-12] {
        let mut limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
        limits.velocities[2] = velocity;
        let limits = limits.or(&JointLimit { velocity: Some(1.0), acceleration: Some(5.0), jerk: Some(50.0) });
        let error = JointMotion::new(&arm.chain, &limits, &start).unwrap().move_to(&goal).unwrap_err();
        assert!(matches!(error, MotionError::TooSlow { .. }), "{error:?}");
        let message = error.to_string();
        assert!(
            message.contains(&arm.chain.variables()[2].name) && message.contains(&format!("{velocity:e}")),
            "{message}"
        );
    }
}
