//! Paths of poses: lines, rotations, rounded corners, and invalid waypoints.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use urdf_ik::motion::{Path, PathError, PathOptions};

use crate::common::{Random, Share, distance};

fn pose(x: f64, y: f64, z: f64, turn: [f64; 3]) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, z), turn.into())
}

fn plain(poses: &[Isometry3<f64>]) -> Path {
    Path::new(poses, PathOptions::default()).unwrap()
}

fn random_poses(random: &mut Random, count: usize) -> Vec<Isometry3<f64>> {
    let mut poses = Vec::new();
    for _ in 0..count {
        let at = random.direction() * random.between(0.1, 0.8);
        let turn = random.direction() * random.between(0.0, 3.0);
        poses.push(Isometry3::new(at, turn));
    }
    poses
}

#[test]
fn a_line_is_straight_and_turns_evenly() {
    let (from, to) = (pose(0.4, -0.4, 0.4, [0.0; 3]), pose(0.4, 0.4, 0.4, [0.0, 0.0, 1.0]));
    let path = plain(&[from, to]);
    assert!((path.length() - 0.8).abs() < 1e-15 && path.rests().is_empty());
    assert_eq!((path.pose_at(0.0), path.pose_at(path.length())), (from, to));
    for share in [0.1, 0.5, 0.77] {
        let expected = pose(0.4, -0.4 + 0.8 * share, 0.4, [0.0, 0.0, share]);
        let apart = distance(&path.pose_at(0.8 * share), &expected);
        assert!(apart.0 < 1e-15 && apart.1 < 1e-12, "{share}: {apart:?}");
    }
    for (outside, end) in [(-1.0, from), (f64::NAN, from), (9.0, to), (f64::INFINITY, to)] {
        assert_eq!(path.pose_at(outside), end, "{outside}");
    }
}

#[test]
fn a_turn_in_place_has_a_length_of_its_own() {
    let path = plain(&[pose(0.4, 0.0, 0.4, [0.0; 3]), pose(0.4, 0.0, 0.4, [0.0, FRAC_PI_2, 0.0])]);
    assert!((path.length() - 0.25 * FRAC_PI_2).abs() < 1e-15);
    let middle = distance(&path.pose_at(0.5 * path.length()), &pose(0.4, 0.0, 0.4, [0.0, 0.5 * FRAC_PI_2, 0.0]));
    assert!(middle.0 < 1e-15 && middle.1 < 1e-12, "{middle:?}");
}

#[test]
fn a_half_turn_has_one_direction_whatever_the_rounding() {
    for axis in
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [-0.6, 0.0, -0.8], [0.3, -0.9, 0.2]].map(|a| Vector3::from(a).normalize())
    {
        let mut middles = Vec::new();
        for rounding in [-1e-12, -1e-16, 0.0, 1e-16, 1e-12] {
            let path = plain(&[Isometry3::identity(), Isometry3::new(Vector3::zeros(), axis * (PI + rounding))]);
            assert!((path.length() - 0.25 * PI).abs() < 1e-11);
            middles.push(path.pose_at(0.5 * path.length()));
        }
        let turned = middles[0].rotation.scaled_axis();
        assert!(turned[turned.iamax()] > 0.0, "{turned}");
        for middle in &middles {
            assert!(distance(middle, &middles[0]).1 < 1e-9, "{axis}: {middles:?}");
        }
    }
}

#[test]
fn repeated_waypoints_count_once_and_one_pose_has_no_length() {
    let [a, b, c] = [pose(0.1, 0.0, 0.0, [0.0; 3]), pose(0.3, 0.0, 0.0, [0.0; 3]), pose(0.3, 0.2, 0.0, [0.0; 3])];
    let path = plain(&[a, a, b, b, b, c, c]);
    let once = plain(&[a, b, c]);
    assert_eq!((path.length(), path.rests()), (once.length(), once.rests()));
    assert!((path.rests()[0] - 0.2).abs() < 1e-15 && path.rests().len() == 1);
    assert_eq!([0.0, 0.1, 0.3].map(|length| path.waypoint_after(length)), [2, 2, 5]);
    for still in [plain(&[a]), plain(&[a, a, a])] {
        assert_eq!((still.length(), still.pose_at(0.0), still.pose_at(1.0), still.waypoint_after(0.0)), (0.0, a, a, 0));
    }
    // A waypoint on the line between its neighbours is not a corner.
    assert!(plain(&[a, pose(0.2, 0.0, 0.0, [0.0; 3]), b]).rests().is_empty());
}

#[test]
fn a_rounded_corner_bends_smoothly_and_misses_its_waypoint_by_less_than_its_radius() {
    let mut random = Random::new(5);
    let mut slow = Share { failed: 0, of: 0 };
    for case in 0..40 {
        let poses = random_poses(&mut random, 4);
        let radius = random.between(0.01, 0.3);
        let path = Path::new(&poses, PathOptions::default().with_blend_radius(radius)).unwrap();
        let sharp = plain(&poses);
        assert!(path.length() < sharp.length() + 1e-12);
        for (length, end) in [(0.0, poses[0]), (9e9, poses[3])] {
            let apart = distance(&path.pose_at(length), &end);
            assert!(apart.0 == 0.0 && apart.1 < 1e-7, "{case}: {apart:?}");
        }
        let steps = 4000_u32;
        let step = path.length() / f64::from(steps);
        let at = |index: u32| path.pose_at(f64::from(index) * step);
        let rate = |a: &Isometry3<f64>, b: &Isometry3<f64>| urdf_ik::spatial::pose_difference(a, b) / step;
        let sizes = poses.windows(2).map(|pair| {
            let apart = distance(&pair[0], &pair[1]);
            apart.0.max(0.25 * apart.1)
        });
        let least_radius = sizes.fold(radius, |least, size| least.min(0.5 * size));
        let mut nearest = [f64::INFINITY; 4];
        let (mut bend_before, mut slowest) = (None, f64::INFINITY);
        for index in 1..steps {
            let [a, b, c] = [at(index - 1), at(index), at(index + 1)];
            let [before, after] = [rate(&a, &b), rate(&b, &c)];
            let (shift, turn) = (after.fixed_rows::<3>(0).norm(), after.fixed_rows::<3>(3).norm());
            let at_rest = path.rests().iter().any(|rest| (rest - f64::from(index) * step).abs() <= 2.001 * step);
            let speed = shift.max(0.25 * turn);
            assert!(shift < 1.01 && (at_rest || (0.05..1.01).contains(&speed)), "{case}: {shift}, {turn}");
            slowest = if at_rest { slowest } else { speed.min(slowest) };
            // The second derivative is continuous: the third one is bounded.
            let bend = (after - before) / step;
            if let (false, Some(before)) = (at_rest, bend_before) {
                let change: nalgebra::Vector6<f64> = bend - before;
                assert!(change.norm() < 30.0 * step / least_radius.powi(2), "{case}: {change} {least_radius}");
            }
            bend_before = (!at_rest).then_some(bend);
            for (nearest, pose) in nearest.iter_mut().zip(&poses) {
                *nearest = nearest.min(distance(&b, pose).0);
            }
        }
        // Where both translation and rotation reverse, the middle of a corner is slow.
        slow.failed += usize::from(slowest < 0.4);
        slow.of += 1;
        assert!(nearest.iter().all(|near| *near < radius + step), "{case}: {nearest:?} {radius}");
    }
    println!("slow corners: {slow:?}");
    slow.assert_at_most(0.02, "slow corners");
}

#[test]
fn a_path_that_turns_back_rests_there() {
    let back = [pose(0.1, 0.0, 0.0, [0.0; 3]), pose(0.3, 0.0, 0.0, [0.0; 3]), pose(0.1, 0.001, 0.0, [0.0; 3])];
    let path = Path::new(&back, PathOptions::default().with_blend_radius(0.05)).unwrap();
    assert_eq!(path.rests().len(), 1);
    assert!(distance(&path.pose_at(path.rests()[0]), &back[1]).0 < 1e-12);
}

#[test]
fn invalid_waypoints_are_refused() {
    let good = pose(0.1, 0.2, 0.3, [0.0; 3]);
    assert_eq!(Path::new(&[], PathOptions::default()), Err(PathError::Empty));
    let radian = |metres: f64| {
        let mut options = PathOptions::default();
        options.metres_per_radian = metres;
        options
    };
    let refusal = |poses: &[Isometry3<f64>], options| Path::new(poses, options).unwrap_err().to_string();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let text = refusal(&[good, pose(0.1, bad, 0.3, [0.0; 3])], PathOptions::default());
        assert_eq!(text, "the position of waypoint 1 has an entry that is not a finite number");
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(1.0, bad, 0.0, 0.0));
        let turned = Isometry3::from_parts(Translation3::identity(), rotation);
        assert!(refusal(&[turned, good], PathOptions::default()).starts_with("waypoint 0: the orientation quaternion"));
        for options in [PathOptions::default().with_blend_radius(bad), radian(bad)] {
            assert!(refusal(&[good, good], options).contains("it must be"));
        }
    }
    let zero = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 0.0));
    let zero = Isometry3::from_parts(Translation3::identity(), zero);
    assert!(refusal(&[zero], PathOptions::default()).contains("length 0"));
    assert!(refusal(&[pose(1e200, 0.0, 0.0, [0.0; 3])], PathOptions::default()).contains("must be within"));
    assert!(refusal(&[good], PathOptions::default().with_blend_radius(-0.1)).contains("-0.1 m"));
    assert!(refusal(&[good], radian(0.0)).contains("0 m"));
}
