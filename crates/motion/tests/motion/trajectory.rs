//! Trajectories along paths: constant speed, and all limits.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::motion::{
    FollowOptions, Followed, JointLimits, MotionLimits, Path, PathOptions, PathProblem, Timing, TimingError,
    Trajectory, TrajectoryPoint, follow,
};
use urdf_ik::robot::{Domain, Variable};
use urdf_ik::solver::Target;

use super::joint_limits::LIMITS;
use crate::common::{self, Arm, Random, Share, distance};

/// An arm, and a path for its tip.
struct Asked {
    arm: Arm,
    path: Path,
    target: Target,
    seed: Vec<f64>,
    limits: MotionLimits,
}

impl Asked {
    fn new(arm: Arm, path: Path, seed: &[f64], file: &JointLimits) -> Self {
        let limits = MotionLimits::new(&arm.robot, &arm.chain, file).or(&common::LIMITS);
        Self { arm, path, target: Target::new(0, Isometry3::identity()), seed: seed.to_vec(), limits }
    }

    fn of_arm7(path: Path) -> Self {
        let arm = common::bundled_arms().swap_remove(0);
        let seed = arm.chain.nominal_positions();
        Self::new(arm, path, &seed, &JointLimits::default())
    }

    fn problem(&self) -> PathProblem<'_> {
        let Self { path, target, seed, limits, .. } = self;
        PathProblem::new(path, target, seed, limits)
    }

    fn followed(&self) -> Followed {
        follow(&self.arm.solver(), &self.problem(), &FollowOptions::default()).unwrap()
    }

    fn timed(&self, followed: &Followed, timing: &Timing) -> Result<Trajectory, TimingError> {
        Trajectory::new(&self.arm.chain, &self.problem(), followed, timing)
    }

    fn made(self, timing: Timing) -> Made {
        let followed = self.followed();
        let trajectory = self.timed(&followed, &timing).unwrap();
        let Self { arm, path, limits, .. } = self;
        Made { arm, path, limits, timing, trajectory, fraction: followed.fraction }
    }
}

/// A trajectory with its path and options.
struct Made {
    arm: Arm,
    path: Path,
    limits: MotionLimits,
    timing: Timing,
    trajectory: Trajectory,
    fraction: f64,
}

/// Whether a joint is at its limit at a point of a trajectory.
fn is_at_limit(arm: &Arm, point: &TrajectoryPoint) -> bool {
    let at_limit = |(position, variable): (&f64, &Variable)| match variable.domain {
        Domain::Interval { lower, upper } => *position <= lower + 1e-9 || *position >= upper - 1e-9,
        Domain::Circle => false,
    };
    point.positions.iter().zip(arm.chain.variables()).any(at_limit)
}

/// Accelerations are bounded at places along the path; between them they may be this many times as large as allowed.
const STRAIN: f64 = 1.02;

impl Made {
    /// Checks the properties of every trajectory. Returns the largest acceleration over its limit.
    fn check(&self, what: &str) -> f64 {
        let points = &self.trajectory.points;
        let still = |values: &[f64]| values.iter().all(|value| *value == 0.0);
        assert!(still(&points[0].velocities) && still(&points[points.len() - 1].velocities), "{what}");
        let (mut worst, mut strain) = ((0.0_f64, 0.0_f64), 0.0_f64);
        for (index, point) in points.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "few points")]
            let time = index as f64 * self.timing.period;
            assert!((point.time - time).abs() < 1e-9, "{what}: {} at {time}", point.time);
            assert!(self.arm.chain.contains(&point.positions));
            let over = |values: &[f64], limits: &[f64]| {
                values.iter().zip(limits).map(|(value, limit)| value.abs() / limit).fold(0.0, f64::max)
            };
            assert!(over(&point.velocities, &self.limits.velocities) <= 1.0 + 1e-9, "{what}: {point:?}");
            strain = strain.max(over(&point.accelerations, &self.limits.accelerations));
            let apart = distance(&self.arm.tip_poses(&point.positions)[0], &self.path.pose_at(point.length));
            worst = (worst.0.max(apart.0), worst.1.max(apart.1));
        }
        for pair in points.windows(2) {
            for (variable, limit) in self.limits.velocities.iter().enumerate() {
                let moved = pair[1].positions[variable] - pair[0].positions[variable];
                assert!(moved.abs() <= limit * self.timing.period * (1.0 + 1e-9), "{what}: {pair:?}");
                let mean = 0.5 * (pair[0].velocities[variable] + pair[1].velocities[variable]) * self.timing.period;
                assert!((moved - mean).abs() < 1e-3, "{what}: {moved} by velocities {mean}");
            }
        }
        let reported = self.trajectory.deviation;
        assert!(
            worst.0 <= reported.position + 1e-12 && worst.1 <= reported.orientation + 1e-7,
            "{what}: {worst:?} {reported:?}"
        );
        // Where a joint reaches its limit within a piece, the smooth curve cannot bend as sharply as the
        // motion of the arm.
        let limited = points.iter().any(|point| is_at_limit(&self.arm, point));
        let (allowed, factor) = (FollowOptions::default().deviation, if limited { 5.0 } else { 1.0 });
        assert!(
            worst.0 < factor * allowed.position && worst.1 < factor * allowed.orientation,
            "{what}, {limited}: {worst:?}"
        );
        assert!(strain <= STRAIN, "{what}: {strain} times the greatest acceleration");
        strain
    }

    /// Largest and smallest step of the tip at full speed, over their mean, and how many there are.
    fn evenness(&self) -> (f64, f64, usize) {
        let points = &self.trajectory.points;
        let tips: Vec<_> = points.iter().map(|point| self.arm.tip_poses(&point.positions)[0]).collect();
        let advance = |i: usize| points[i + 1].length - points[i].length;
        let full = (0..points.len() - 1).map(advance).fold(0.0, f64::max);
        let steps: Vec<f64> = (0..points.len() - 1)
            .filter(|i| advance(*i) > full * 0.995)
            .map(|i| distance(&tips[i], &tips[i + 1]).0)
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "few points")]
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        let (least, most) =
            steps.iter().fold((f64::MAX, 0.0_f64), |(least, most), step| (least.min(*step), most.max(*step)));
        (least / mean, most / mean, steps.len())
    }
}

fn tool_down(from: [f64; 3], to: [f64; 3], turn: f64) -> Path {
    let pose = |at: [f64; 3], turn: f64| {
        Isometry3::new(at.into(), Vector3::new(PI, 0.0, 0.0)) * Isometry3::rotation(Vector3::z() * turn)
    };
    Path::new(&[pose(from, 0.0), pose(to, turn)], PathOptions::default()).unwrap()
}

fn straight_and_even(arm: &Arm, path: &Path) {
    for speed in [0.1, 0.5, 100.0] {
        let timing = Timing::default().with_speed(speed).with_acceleration(4.0 * speed.min(5.0)).with_period(0.01);
        let seed = arm.chain.nominal_positions();
        let again = Arm { name: arm.name.clone(), robot: arm.robot.clone(), chain: arm.chain.clone() };
        let made = Asked::new(again, path.clone(), &seed, &JointLimits::default()).made(timing);
        assert_eq!(made.fraction, 1.0);
        made.check(&made.arm.name);
        let (least, most, steps) = made.evenness();
        let points = &made.trajectory.points;
        let last = points.last().unwrap();
        println!(
            "{}: {speed} m/s asked: {} points, {:.2} s, {:.3e} m and {:.3e} rad off, {steps} steps of {least:.5} to {most:.5}",
            made.arm.name,
            points.len(),
            last.time,
            made.trajectory.deviation.position,
            made.trajectory.deviation.orientation
        );
        assert!(made.trajectory.deviation.position < 1e-4);
        assert!(least > 0.99 && most < 1.01 && steps > 5, "{least} {most} {steps}");
        let used = points.iter().flat_map(|point| {
            let velocities = point.velocities.iter().zip(&made.limits.velocities);
            velocities
                .chain(point.accelerations.iter().zip(&made.limits.accelerations))
                .map(|(rate, limit)| rate.abs() / limit)
        });
        let used = used.fold(0.0, f64::max);
        assert!(used <= 1.0 && (speed < 100.0 || used > 0.9), "{used}");
        let end = distance(&made.arm.tip_poses(&last.positions)[0], &made.path.pose_at(f64::INFINITY));
        assert!(end.0 < 1e-5 && end.1 < 1e-5);
    }
}

#[test]
fn the_bundled_arm_moves_straight_and_evenly() {
    straight_and_even(&common::bundled_arms().swap_remove(0), &tool_down([0.4, -0.3, 0.3], [0.4, 0.3, 0.3], 0.0));
}

#[test]
fn panda_moves_straight_and_evenly_over_eighty_centimetres() {
    straight_and_even(&common::arms_named(&["panda"])[0], &tool_down([0.4, -0.4, 0.4], [0.4, 0.4, 0.4], 0.0));
}

#[test]
fn accelerations_and_corners_are_kept_on_paths_of_all_kinds() {
    let mut random = Random::new(8);
    let (mut whole, mut strained) = (0, Share { failed: 0, of: 0 });
    for case in 0..24 {
        let arm = common::bundled_arms().swap_remove(0);
        let limits = JointLimits::from_yaml(LIMITS, &arm.robot).unwrap();
        let seed = random.positions(&arm.chain);
        let start = arm.tip_poses(&seed)[0];
        let mut poses = vec![start];
        for _ in 0..3 {
            let at = poses[poses.len() - 1].translation.vector + random.direction() * random.between(0.0, 0.2);
            poses.push(Isometry3::from_parts(
                at.into(),
                Isometry3::rotation(random.direction()).rotation * start.rotation,
            ));
        }
        let options = PathOptions::default().with_blend_radius(0.03 * f64::from(case % 3));
        let path = Path::new(&poses, options).unwrap();
        let speed = random.between(0.02, 2.0);
        let timing =
            Timing::default().with_speed(speed).with_acceleration(speed * random.between(0.5, 4.0)).with_period(0.01);
        let made = Asked::new(arm, path, &seed, &limits).made(timing);
        if !made.trajectory.points.is_empty() {
            let strain = made.check(&format!("{case}"));
            strained.failed += usize::from(strain > 1.0 + 1e-9);
            strained.of += 1;
        }
        whole += usize::from(made.fraction == 1.0);
        let reached = made.fraction * made.path.length();
        for rest in made.path.rests().iter().filter(|rest| **rest < reached) {
            let there = |point: &&TrajectoryPoint| (point.length - rest).abs() < 1e-12;
            let at_rest = made.trajectory.points.iter().find(there).unwrap();
            assert!(at_rest.velocities.iter().all(|velocity| *velocity == 0.0), "{case}");
        }
    }
    println!("{whole} of 24 to the end, {strained:?}");
    assert!(whole > 2);
    strained.assert_at_most(0.05, "accelerations beyond their limits");
}

/// Also where a joint of a redundant arm reaches its limit on the path and another one continues.
#[test]
fn the_tip_deviates_no_farther_than_allowed() {
    let mut random = Random::new(109);
    let mut limited = 0;
    for case in 0..60 {
        let arm = common::bundled_arms().swap_remove(0);
        let seed = random.positions(&arm.chain);
        let start = arm.tip_poses(&seed)[0];
        let at = start.translation.vector + random.direction() * random.between(0.1, 0.4);
        let path =
            Path::new(&[start, Isometry3::from_parts(at.into(), start.rotation)], PathOptions::default()).unwrap();
        let made = Asked::new(arm, path, &seed, &JointLimits::default()).made(Timing::default().with_speed(0.02));
        limited += usize::from(made.trajectory.points.iter().any(|point| is_at_limit(&made.arm, point)));
        let strayed = made.trajectory.deviation;
        let allowed = FollowOptions::default().deviation;
        assert!(
            strayed.position <= allowed.position && strayed.orientation <= allowed.orientation,
            "{case}: {strayed:?}"
        );
    }
    assert!(limited > 5, "{limited}");
}

/// The message names the allowed deviation, and the one found by measuring more finely than the trajectory does.
#[test]
fn points_that_are_too_far_apart_are_told() {
    let asked = Asked::of_arm7(tool_down([0.4, -0.3, 0.3], [0.4, 0.3, 0.3], 0.0));
    let allowed = FollowOptions::default().deviation;
    let followed = asked.followed();
    let mut reported = 0;
    for period in [0.01, 0.05, 0.2, 0.5, 1.0, 2.0, 20.0] {
        let trajectory = asked.timed(&followed, &Timing::default().with_period(period)).unwrap();
        let mut worst = 0.0_f64;
        for pair in trajectory.points.windows(2) {
            for part in (0..=100).map(|part| f64::from(part) / 100.0) {
                let mean = |from: f64, to: f64| from + part * (to - from);
                let between: Vec<f64> =
                    pair[0].positions.iter().zip(&pair[1].positions).map(|(from, to)| mean(*from, *to)).collect();
                let pose = asked.path.pose_at(mean(pair[0].length, pair[1].length));
                worst = worst.max(distance(&asked.arm.tip_poses(&between)[0], &pose).0);
            }
        }
        println!("period {period} s: {worst:.3e} m, reported {:.3e} m", trajectory.deviation.position);
        assert!((worst - trajectory.deviation.position).abs() <= 0.03 * worst, "{period} {worst}");
        let sentence = trajectory.too_coarse(&followed, &allowed);
        assert_eq!(sentence.is_some(), worst > allowed.position, "{period}: {worst} {sentence:?}");
        reported += usize::from(sentence.is_some());
        let number = format!("{:.2e} m", trajectory.deviation.position);
        assert!(sentence.is_none_or(|sentence| sentence.contains(&number) && sentence.contains("1.00e-4 m")));
    }
    assert!((2..7).contains(&reported), "{reported}");
}

#[test]
fn a_rounded_corner_is_passed_at_full_speed_where_the_joints_allow() {
    let down = |at: [f64; 3]| Isometry3::new(at.into(), Vector3::new(PI, 0.0, 0.0));
    let poses = [[0.4, -0.2, 0.3], [0.4, 0.1, 0.3], [0.4, 0.1, 0.5]].map(down);
    let path = Path::new(&poses, PathOptions::default().with_blend_radius(0.08)).unwrap();
    let timing = Timing::default().with_speed(0.05).with_acceleration(0.5).with_period(0.01);
    let made = Asked::of_arm7(path).made(timing);
    made.check("corner");
    let points = &made.trajectory.points;
    let tip = |point: &TrajectoryPoint| made.arm.tip_poses(&point.positions)[0];
    let speeds = points.windows(2).map(|pair| distance(&tip(&pair[0]), &tip(&pair[1])).0 / timing.period);
    let speeds: Vec<f64> = speeds.collect();
    assert!(speeds.iter().all(|speed| *speed <= timing.speed * (1.0 + 1e-6)));
    let ramp = speeds.len() / 20;
    assert!(speeds[ramp..speeds.len() - ramp].iter().all(|speed| *speed > 0.985 * timing.speed), "{speeds:?}");
}

#[test]
fn a_path_of_no_length_is_one_point_and_none_where_nothing_is_reached() {
    for (x, points) in [(0.4, 1), (9.0, 0)] {
        let made = Asked::of_arm7(tool_down([x, 0.1, 0.4], [x, 0.1, 0.4], 0.0)).made(Timing::default());
        assert_eq!(made.trajectory.points.len(), points);
    }
}

#[test]
fn invalid_timing_is_refused() {
    let asked = Asked::of_arm7(tool_down([0.4, -0.1, 0.4], [0.4, 0.1, 0.4], 0.0));
    let followed = asked.followed();
    let refused = |timing| asked.timed(&followed, &timing).unwrap_err();
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        for timing in [
            Timing::default().with_speed(bad),
            Timing::default().with_acceleration(bad),
            Timing::default().with_period(bad),
        ] {
            assert!(matches!(refused(timing), TimingError::Value { .. }), "{bad}");
        }
    }
    let slow = refused(Timing::default().with_speed(1e-12));
    assert!(slow.to_string().contains("the most is 1000000"), "{slow}");
}
