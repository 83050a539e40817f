//! Forward kinematics, Jacobian, and invalid arms.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;

/// Pseudorandom angles in (-π, π), the same in each run.
fn angles(count: usize, seed: u128) -> Vec<f64> {
    let mut random = oorandom::Rand64::new(seed);
    (0..count).map(|_| (2.0 * random.rand_float() - 1.0) * PI).collect()
}

fn arm(segments: usize) -> PitchYawArm {
    let lengths = angles(segments, 3).iter().map(|angle| 0.1 + 0.1 * angle.abs()).collect();
    PitchYawArm::new(Point3::new(0.3, -0.2, 0.5), lengths).unwrap()
}

#[test]
fn points_of_a_configuration_computed_by_hand() {
    let arm = PitchYawArm::new(Point3::new(1.0, 2.0, 3.0), vec![2.0, 1.0, 4.0]).unwrap();
    // Sums: pitch 30°, 90°, 0°; yaw 90°, 90°, 180°.
    let positions = [PI / 6.0, PI / 3.0, -FRAC_PI_2, FRAC_PI_2, 0.0, FRAC_PI_2];
    let mut points = [Point3::origin(); 4];
    arm.forward_kinematics(&positions, &mut points).unwrap();
    let (y, z) = (2.0 + 3.0_f64.sqrt(), 4.0);
    let expected = [
        Point3::new(1.0, 2.0, 3.0),
        Point3::new(1.0, y, z),
        Point3::new(1.0, y, z + 1.0),
        Point3::new(-3.0, y, z + 1.0),
    ];
    for (found, expected) in points.iter().zip(&expected) {
        assert!((found - expected).norm() < 1e-14, "{found} {expected}");
    }
    assert_eq!(arm.tip(&positions).unwrap(), points[3]);
    assert_eq!(arm.tip(&[0.0; 6]).unwrap(), Point3::new(8.0, 2.0, 3.0));
}

#[test]
fn jacobian_agrees_with_central_differences() {
    for segments in [1, 2, 7, 40] {
        let arm = arm(segments);
        let positions = angles(2 * segments, 11);
        let mut columns = vec![Vector3::zeros(); 2 * segments];
        assert_eq!(arm.jacobian(&positions, &mut columns).unwrap(), arm.tip(&positions).unwrap());
        for (i, column) in columns.iter().enumerate() {
            let h = 1e-5;
            let shifted = |by: f64| {
                let mut shifted = positions.clone();
                shifted[i] += by;
                arm.tip(&shifted).unwrap()
            };
            let difference = (shifted(h) - shifted(-h)) / (2.0 * h);
            assert!((column - difference).norm() < 1e-8 * arm.reach().outer, "{segments} {i}: {column} {difference}");
        }
    }
}

#[test]
fn suffix_sums_agree_with_the_double_sum() {
    let segments = 60;
    let arm = arm(segments);
    let positions = angles(2 * segments, 5);
    let mut columns = vec![Vector3::zeros(); 2 * segments];
    arm.jacobian(&positions, &mut columns).unwrap();
    for k in 0..segments {
        let (mut by_pitch, mut by_yaw) = (Vector3::zeros(), Vector3::zeros());
        for i in k..segments {
            let pitch: f64 = positions[..=i].iter().sum();
            let yaw: f64 = positions[segments..=segments + i].iter().sum();
            let length = arm.lengths()[i];
            by_pitch += Vector3::new(-pitch.sin() * yaw.cos(), -pitch.sin() * yaw.sin(), pitch.cos()) * length;
            by_yaw += Vector3::new(-pitch.cos() * yaw.sin(), pitch.cos() * yaw.cos(), 0.0) * length;
        }
        assert!((columns[k] - by_pitch).norm() < 1e-12, "pitch {k}");
        assert!((columns[segments + k] - by_yaw).norm() < 1e-12, "yaw {k}");
    }
}

#[test]
fn reach_is_the_sum_and_what_the_longest_exceeds_the_others_by() {
    for (lengths, inner, outer) in
        [(vec![0.5], 0.5, 0.5), (vec![1.0, 0.25], 0.75, 1.25), (vec![1.0, 0.5, 0.5], 0.0, 2.0)]
    {
        let arm = PitchYawArm::new(Point3::origin(), lengths).unwrap();
        assert_eq!((arm.reach().inner, arm.reach().outer), (inner, outer));
    }
}

#[test]
fn invalid_arms_are_refused_with_the_number() {
    let error = |base: [f64; 3], lengths: &[f64]| PitchYawArm::new(Point3::from(base), lengths.to_vec()).unwrap_err();
    assert_eq!(error([0.0; 3], &[]), ArmError::Input(InputError::Empty { what: "segment" }));
    for value in [0.0, -0.1, f64::INFINITY] {
        let length = InputError::Length { element: Element::of("segment", 1), value, bound: "above 0" };
        assert_eq!(error([0.0; 3], &[1.0, value]), ArmError::Input(length));
    }
    assert!(error([0.0; 3], &[f64::NAN]).to_string().contains("segment 0 (from 0) is NaN m"));
    assert_eq!(error([0.0; 3], &[6e8, 6e8]), ArmError::Input(InputError::TooLong { total: 1.2e9 }));
    let base = InputError::Coordinate { element: "base".into(), axis: 'y', value: f64::INFINITY };
    assert_eq!(error([0.0, f64::INFINITY, 0.0], &[1.0]), ArmError::Input(base));
    assert!(matches!(error([0.0, 0.0, f64::NAN], &[1.0]), ArmError::Input(InputError::Coordinate { axis: 'z', .. })));

    let bounded = |lower: &[f64], upper: &[f64]| arm(1).with_bounds(lower.to_vec(), upper.to_vec()).map(|_| ());
    let count = |what, found| Err(ArmError::Input(InputError::Count { what, found, expected: 2 }));
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    assert_eq!(bounded(&[low, -1.0], &[2.0, high]), Ok(()));
    assert_eq!(bounded(&[0.0], &[1.0; 2]), count("list of lower bounds", 1));
    assert_eq!(bounded(&[0.0; 2], &[1.0; 3]), count("list of upper bounds", 3));
    for (lower, upper) in [(1.0, 0.5), (high, high), (low, low), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        assert!(matches!(bounded(&[0.0, lower], &[1.0, upper]), Err(ArmError::Bounds { variable: 1, .. })));
    }
}

#[test]
fn lists_of_another_length_are_refused() {
    let arm = arm(3);
    let length = |what, found, expected| Err(InputError::Count { what, found, expected });
    assert_eq!(arm.tip(&[0.0; 5]).map(|_| ()), length("list of positions", 5, 6));
    assert_eq!(arm.forward_kinematics(&[0.0; 6], &mut [Point3::origin(); 3]), length("list of points", 3, 4));
    assert_eq!(arm.jacobian(&[0.0; 6], &mut [Vector3::zeros(); 7]).map(|_| ()), length("list of columns", 7, 6));
}
