//! Paths followed by arms: to the end, or to a stop with its position and reason.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::motion::{
    FollowError, FollowOptions, Followed, JointLimits, MotionLimits, Path, PathOptions, PathProblem, StopReason, follow,
};
use urdf_ik::robot::{Domain, Variable};
use urdf_ik::solver::{Preference, Problem, Residual, Target, Tolerance};

use crate::common::{self, Arm, Random, distance, urdf};

fn arm7() -> Arm {
    common::bundled_arms().swap_remove(0)
}

fn path(poses: &[Isometry3<f64>], blend_radius: f64) -> Path {
    Path::new(poses, PathOptions::default().with_blend_radius(blend_radius)).unwrap()
}

/// Follows with the limits of the robot.
fn followed_by(
    arm: &Arm,
    target: &Target,
    path: &Path,
    seed: &[f64],
    options: &FollowOptions,
) -> Result<Followed, FollowError> {
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
    let problem = PathProblem::new(path, target, seed, &limits);
    follow(&arm.solver(), &problem, options)
}

fn followed(arm: &Arm, path: &Path, seed: &[f64]) -> Followed {
    followed_by(arm, &Target::new(0, Isometry3::identity()), path, seed, &FollowOptions::default()).unwrap()
}

/// The configurations of a followed path, evenly along it.
fn samples(followed: &Followed, count: u32) -> Vec<(f64, Vec<f64>)> {
    let curve = followed.curve.as_ref().unwrap();
    let lengths = (0..=count).map(|i| curve.length() * f64::from(i) / f64::from(count));
    lengths.map(|length| (length, curve.positions_at(length))).collect()
}

/// Checks the properties of every path with the default options.
fn check(arm: &Arm, path: &Path, followed: &Followed, what: &str) {
    let (allowed, tolerance) = (FollowOptions::default().deviation, Tolerance::default());
    let curve = followed.curve.as_ref().unwrap();
    let mut worst = Residual::default();
    for (length, positions) in samples(followed, 1999) {
        assert!(arm.chain.contains(&positions), "{what}: {positions:?}");
        // By the kinematics of the complete robot.
        let apart = distance(&arm.tip_poses(&positions)[0], &path.pose_at(length));
        worst.position = worst.position.max(apart.0);
        worst.orientation = worst.orientation.max(apart.1);
    }
    for (found, reported, allowed) in [
        (worst.position, followed.deviation.position, allowed.position),
        (worst.orientation, followed.deviation.orientation, allowed.orientation),
    ] {
        assert!(found <= 1.5 * reported + 1e-6 && found <= allowed, "{what}: {found} {reported}");
    }
    let apart = distance(&arm.tip_poses(&curve.positions_at(path.length()))[0], &path.pose_at(path.length()));
    let reached = curve.length() == path.length() && apart.0 <= tolerance.position && apart.1 <= tolerance.orientation;
    assert_eq!((followed.fraction == 1.0, followed.stop.is_none()), (reached, reached), "{what}: {:?}", followed.stop);
    assert!((0.0..=1.0).contains(&followed.fraction));
}

#[test]
fn random_lines_are_followed_as_far_as_claimed() {
    let mut random = Random::new(111);
    let arms: Vec<Arm> = common::all_arms().into_iter().filter(|arm| arm.chain.variables().len() >= 6).collect();
    assert_eq!(arms.len(), 10);
    for arm in arms {
        let (mut whole, mut stopped) = (0, 0);
        for case in 0..12 {
            let seed = random.positions(&arm.chain);
            let start = arm.tip_poses(&seed)[0];
            let mut poses = vec![start];
            for _ in 0..2 {
                let at = poses[poses.len() - 1].translation.vector + random.direction() * random.between(0.0, 0.4);
                let turn = Isometry3::rotation(random.direction() * random.between(0.0, 1.0));
                poses.push(Isometry3::from_parts(at.into(), start.rotation * turn.rotation));
            }
            let path = path(&poses, 0.1 * f64::from(case % 2));
            let followed = followed(&arm, &path, &seed);
            check(&arm, &path, &followed, &format!("{} {case}", arm.name));
            let first = followed.curve.as_ref().unwrap().positions_at(0.0);
            assert!(first.iter().zip(&seed).all(|(first, seed)| (first - seed).abs() < 1e-14), "{first:?} {seed:?}");
            if let Some(stop) = &followed.stop {
                assert!(!stop.to_string().is_empty() && stop.length < path.length());
                stopped += 1;
            } else {
                whole += 1;
            }
        }
        println!("{}: {whole} to the end, {stopped} stopped", arm.name);
        assert!(whole > 0, "{}", arm.name);
    }
}

#[test]
fn a_line_out_of_reach_is_followed_to_the_edge() {
    let arm = arm7();
    let mut random = Random::new(3);
    for case in 0..20 {
        let seed = random.positions(&arm.chain);
        let start = arm.tip_poses(&seed)[0];
        let away = Isometry3::from_parts((random.direction() * 5.0).into(), start.rotation);
        let path = path(&[start, away], 0.0);
        let followed = followed(&arm, &path, &seed);
        check(&arm, &path, &followed, &format!("{case}"));
        assert!(followed.fraction < 1.0);
        let stop = followed.stop.as_ref().unwrap();
        assert_eq!((stop.waypoint, stop.of), (1, path.length()));
        assert!(stop.to_string().contains("on the way to waypoint 1, at ("), "{stop}");
        assert!(distance(&stop.pose, &arm.tip_poses(&samples(&followed, 1)[1].1)[0]).0 < 1e-5);
    }
}

#[test]
fn the_reason_of_a_stop_is_reported() {
    let arm = |limit: f64| {
        let limit = format!("<axis xyz='0 0 1'/><limit lower='-{limit}' upper='{limit}'/>");
        let joints = urdf::joint("shoulder", "revolute", "base", "upper", &limit)
            + &urdf::turn("elbow", "upper", "lower", "0.5 0 0", "0 0 1")
            + &urdf::fixed("end", "lower", "tip", "0.5 0 0");
        Arm::from_text(&urdf::robot("base upper lower tip", &joints), "base", &["tip"])
    };
    let reason = |arm: &Arm, to: [f64; 3]| {
        let seed = [0.3, 0.8];
        let start = arm.tip_poses(&seed)[0];
        let path = path(&[start, Isometry3::from_parts(to.into(), start.rotation)], 0.0);
        // In the plane, whatever the orientation.
        let target = Target::new(0, start).with_free_axes([false, false, true, true, true, true]);
        followed_by(arm, &target, &path, &seed, &FollowOptions::default()).unwrap().stop.unwrap().reason
    };
    let far = reason(&arm(3.0), [5.0, 0.0, 0.0]);
    // With a free position axis this is not proven.
    assert!(matches!(far, StopReason::NotFound { .. }), "{far}");
    let limited = reason(&arm(0.5), [-0.5, 0.7, 0.0]);
    assert!(matches!(&limited, StopReason::JointLimits { joints } if joints == &["shoulder"]), "{limited}");
    // Past the shoulder's own axis, which requires an instantaneous rotation: nearer than a piece, farther than the
    // allowed deviation.
    let start = arm(3.0).tip_poses(&[0.3, 0.8])[0].translation.vector;
    let past = Vector3::new(-start.x, -start.y + 6e-4, 0.0);
    let jump = reason(&arm(3.0), past.into());
    assert!(matches!(&jump, StopReason::Jump { joint, by } if joint == "shoulder" && *by > 0.1), "{jump}");
}

#[test]
fn a_start_out_of_reach_has_no_configurations_and_a_reason() {
    let arm = arm7();
    let path = path(&[[9.0, 0.0, 0.0], [8.0, 0.0, 0.0]].map(|at| Isometry3::translation(at[0], at[1], at[2])), 0.0);
    let followed = followed(&arm, &path, &arm.chain.nominal_positions());
    assert_eq!((followed.curve, followed.fraction), (None, 0.0));
    let stop = followed.stop.unwrap();
    assert!(matches!(stop.reason, StopReason::OutOfReach { .. }));
    assert!(stop.to_string().contains("on the way to waypoint 0"), "{stop}");
}

#[test]
fn a_path_of_no_length_is_met_where_it_can_be() {
    let arm = arm7();
    let seed = arm.chain.nominal_positions();
    let down = |x: f64| Isometry3::new(Vector3::new(x, 0.1, 0.4), Vector3::new(PI, 0.0, 0.0));
    for poses in [vec![down(0.4)], vec![down(0.4); 3]] {
        let followed = followed(&arm, &path(&poses, 0.1), &seed);
        assert_eq!((followed.fraction, followed.curve.unwrap().length(), followed.stop), (1.0, 0.0, None));
    }
    assert_eq!(followed(&arm, &path(&[down(9.0)], 0.0), &seed).fraction, 0.0);
}

#[test]
fn half_turns_of_the_tip_are_followed() {
    let arm = arm7();
    let start = Isometry3::new(Vector3::new(0.4, 0.1, 0.4), Vector3::new(PI, 0.0, 0.0));
    let turned = start * Isometry3::rotation(Vector3::z() * PI);
    let solution =
        common::solve(&arm.solver(), &Problem::new(&[Target::new(0, start)], &arm.chain.nominal_positions()));
    let path = path(&[start, turned], 0.0);
    let followed = followed(&arm, &path, &solution.positions);
    check(&arm, &path, &followed, "half turn");
    assert_eq!(followed.fraction, 1.0, "{}", followed.stop.unwrap());
}

#[test]
fn the_same_path_gives_the_same_bits() {
    let arm = arm7();
    let poses = [[0.4, -0.2, 0.3], [0.4, 0.2, 0.3], [0.3, 0.2, 0.5]];
    let poses = poses.map(|at| Isometry3::new(at.into(), Vector3::new(PI, 0.0, 0.0)));
    let run = || {
        let followed = followed(&arm, &path(&poses, 0.05), &arm.chain.nominal_positions());
        samples(&followed, 100).into_iter().flat_map(|(_, positions)| positions).map(f64::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn invalid_options_are_refused() {
    let arm = arm7();
    let seed = arm.chain.nominal_positions();
    let path = path(&[Isometry3::translation(0.3, 0.0, 0.5)], 0.0);
    let target = Target::new(0, Isometry3::identity());
    let refusal = |target: &Target, seed: &[f64], options: &FollowOptions| {
        followed_by(&arm, target, &path, seed, options).unwrap_err()
    };
    let default = FollowOptions::default();
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let deviation = Tolerance { position: bad, ..default.deviation };
        let [mut longest, mut shortest, mut largest] = [default; 3];
        (longest.longest_piece, shortest.shortest_piece, largest.largest_joint_step) = (bad, bad, bad);
        for options in [default.with_deviation(deviation), longest, shortest, largest] {
            assert!(matches!(refusal(&target, &seed, &options), FollowError::Option { .. }), "{bad}");
        }
    }
    assert!(refusal(&target, &seed[1..], &default).to_string().contains("6 entries"));
    assert!(refusal(&target, &[f64::NAN; 7], &default).to_string().contains("NaN"));
    assert!(refusal(&target.with_tip(3), &seed, &default).to_string().contains("tip 3"));
    let mut limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
    limits.jerks[2] = -1.0;
    let problem = PathProblem::new(&path, &target, &seed, &limits);
    let refused = follow(&arm.solver(), &problem, &default).unwrap_err().to_string();
    assert!(refused.starts_with("the jerk limit of joint ") && refused.contains("is -1"), "{refused}");
}

/// No path starts there, and one with another start is not the requested one.
#[test]
fn a_start_outside_the_limits_is_refused() {
    let arm = arm7();
    let target = Target::new(0, Isometry3::identity());
    for beyond in [1e-6, 0.01, 0.2] {
        let mut seed = arm.chain.nominal_positions();
        let Domain::Interval { lower, upper } = arm.chain.variables()[3].domain else { panic!("no limits") };
        seed[3] = upper + beyond;
        let start = arm.tip_poses(&seed)[0];
        let path = path(&[start, start * Isometry3::translation(0.0, 0.05, 0.0)], 0.0);
        let refusal = followed_by(&arm, &target, &path, &seed, &FollowOptions::default()).unwrap_err();
        let (joint, limits) = (arm.chain.variables()[3].name.clone(), [lower, upper]);
        assert_eq!(refusal, FollowError::StartOutsideLimits { joint, position: seed[3], limits });
        assert!(refusal.to_string().contains("'elbow_joint' is at 1."), "{refusal}");
        seed[3] = upper;
        assert!(followed_by(&arm, &target, &path, &seed, &FollowOptions::default()).is_ok());
    }
}

/// ∫ Σ (q′ / v)² ds of a followed path, with the velocity limits v.
fn effort(arm: &Arm, followed: &Followed) -> f64 {
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
    let samples = samples(followed, 400);
    let piece = |pair: &[(f64, Vec<f64>)]| {
        let step = pair[1].0 - pair[0].0;
        let joints = pair[0].1.iter().zip(&pair[1].1).zip(&limits.velocities);
        joints.map(|((from, to), limit)| ((to - from) / limit).powi(2) / step).sum::<f64>()
    };
    samples.windows(2).map(piece).sum()
}

#[test]
fn what_the_path_leaves_free_makes_the_joints_move_less_along_all_of_it() {
    let arm = arm7();
    let mut random = Random::new(2);
    let mut free_beats_full = 0;
    for case in 0..12 {
        let seed = random.positions(&arm.chain);
        let start = arm.tip_poses(&seed)[0];
        let at = start.translation.vector + random.direction() * 0.2;
        let path = path(&[start, Isometry3::from_parts(at.into(), start.rotation)], 0.0);
        let efforts = [[false; 3], [false, false, true], [true; 3]].map(|free| {
            let mut target = Target::new(0, start);
            target.free_axes[3..].copy_from_slice(&free);
            let followed = followed_by(&arm, &target, &path, &seed, &FollowOptions::default()).unwrap();
            assert_eq!(followed.curve.as_ref().unwrap().positions_at(0.0), seed, "{case}");
            (followed.fraction == 1.0).then(|| effort(&arm, &followed))
        });
        if let [Some(full), Some(turn), Some(all)] = efforts {
            assert!(turn <= full * 1.001 && all <= turn * 1.001, "{case}: {efforts:?}");
            free_beats_full += usize::from(all < 0.9 * full);
        }
    }
    assert!(free_beats_full > 3, "{free_beats_full}");
}

/// A value of a configuration.
type Value<'a> = &'a dyn Fn(&[f64]) -> f64;

#[test]
fn preferences_count_along_the_path_and_leave_the_tip_on_it() {
    let arm = arm7();
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
    let scale = common::length_scale(&arm.solver());
    let posture = arm.chain.nominal_positions();
    let apart = |positions: &[f64]| positions.iter().zip(&posture).map(|(a, b)| (a - b).powi(2)).sum();
    let log = |positions: &[f64]| -common::log_manipulability(&arm, scale, positions, 6);
    let from_middle = |positions: &[f64]| {
        let joints = positions.iter().zip(arm.chain.variables());
        let part = |(at, variable): (&f64, &Variable)| match variable.domain {
            Domain::Interval { lower, upper } => ((2.0 * at - lower - upper) / (upper - lower)).powi(2),
            Domain::Circle => 0.0,
        };
        joints.map(part).sum()
    };
    let none = Preference::default();
    let preferences: [(Value, Preference); 3] = [
        (&apart, Preference { posture: Some(&posture), posture_weight: 100.0, ..none }),
        (&log, Preference { manipulability_weight: 100.0, ..none }),
        (&from_middle, Preference { limits_weight: 100.0, ..none }),
    ];
    let mut random = Random::new(4);
    let (mut sums, mut whole) = ([[0.0; 2]; 3], 0);
    for case in 0..20 {
        let seed: Vec<f64> = random.positions(&arm.chain).iter().map(|at| 0.6 * at).collect();
        let start = arm.tip_poses(&seed)[0];
        let at = start.translation.vector + random.direction() * 0.2;
        let path = path(&[start, Isometry3::from_parts(at.into(), start.rotation)], 0.0);
        let target = Target::new(0, start);
        let along = |preference| {
            let problem = PathProblem::new(&path, &target, &seed, &limits).with_preference(preference);
            let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
            check(&arm, &path, &followed, &format!("{case}"));
            (followed.fraction == 1.0).then(|| samples(&followed, 100))
        };
        let Some(plain) = along(none) else { continue };
        whole += 1;
        for ((value, preference), sums) in preferences.iter().zip(&mut sums) {
            let sum = |samples: Vec<(f64, Vec<f64>)>| samples.iter().map(|(_, at)| value(at)).sum::<f64>() / 101.0;
            sums[0] += sum(plain.clone());
            sums[1] += sum(along(*preference).unwrap());
        }
    }
    println!("{whole} paths, cost without and with each preference: {sums:?}");
    assert!(whole > 5 && sums.iter().all(|[without, with]| with < &(without - 0.01 * without.abs())), "{sums:?}");
}
