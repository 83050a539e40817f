//! Reach of chains of segments; pitch-yaw arms: forward kinematics, Jacobian, and invalid arguments.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{DVector, Matrix3xX, Point3, Vector3};
use urdf_ik::skeleton::pitch_yaw::{PitchYawArm, PitchYawOptions, PitchYawProblem, StepMethod};
use urdf_ik::skeleton::{InputError, Reach};

use crate::common::Random;

/// Angles in (-π, π).
fn angles(count: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.between(-PI, PI)).collect()
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
fn steps_agree_with_a_singular_value_decomposition_at_every_rank() {
    // Bent, stretched, and in one plane.
    for seed in [[0.3, -0.5, 0.9, 0.4, 0.8, -1.1], [0.2, 0.0, 0.0, 0.7, 0.0, 0.0], [0.3, -0.5, 0.9, 0.4, 0.0, 0.0]] {
        let arm = PitchYawArm::new(Point3::origin(), vec![0.4, 0.3, 0.2]).unwrap();
        let mut columns = [Vector3::zeros(); 6];
        let tip = arm.jacobian(&seed, &mut columns).unwrap();
        let error = Vector3::new(-3e-5, -2e-5, -4e-5);
        let jacobian = Matrix3xX::from_columns(&columns);
        for method in [StepMethod::Pseudoinverse, StepMethod::DampedLeastSquares] {
            let options = PitchYawOptions::default().with_method(method).with_tolerance(1e-12).with_iterations(1);
            let problem = PitchYawProblem { target: tip + error, seed: &seed, options };
            let mut solution = arm.solution();
            arm.solve(&problem, &mut arm.scratch(), &mut solution).unwrap();
            let step = DVector::from_fn(6, |i, _| solution.positions[i] - seed[i]);
            if method == StepMethod::Pseudoinverse {
                let expected = jacobian.clone().pseudo_inverse(1e-6).unwrap() * error;
                assert!((&step - &expected).norm() < 1e-6 * expected.norm(), "{step} {expected}");
            }
            let gradient = jacobian.transpose() * (&jacobian * &step - error) + step * error.norm_squared();
            assert!(gradient.norm() < 1e-6 * error.norm(), "{gradient}");
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
    for (lengths, inner, outer) in [
        (&[][..], 0.0, 0.0),
        (&[0.5], 0.5, 0.5),
        (&[0.25, 1.0], 0.75, 1.25),
        (&[1.0, 0.25], 0.75, 1.25),
        (&[0.25, 1.0, 0.5], 0.25, 1.75),
        (&[0.5, 1.0, 0.5], 0.0, 2.0),
        (&[0.0, 0.0], 0.0, 0.0),
    ] {
        let reach = Reach { inner, outer };
        assert_eq!(Reach::of(lengths), reach, "{lengths:?}");
        if outer > 0.0 {
            assert_eq!(PitchYawArm::new(Point3::origin(), lengths.to_vec()).unwrap().reach(), reach);
        }
    }
}

#[test]
fn the_gap_is_what_is_missing_on_either_side() {
    let reach = Reach { inner: 1.0, outer: 3.0 };
    for (distance, gap) in [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 1.0)] {
        assert_eq!(reach.gap(distance), gap);
    }
}

fn sentence<T>(result: Result<T, InputError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn invalid_arms_are_refused_with_the_number() {
    let error = |base: [f64; 3], lengths: &[f64]| sentence(PitchYawArm::new(Point3::from(base), lengths.to_vec()));
    assert_eq!(error([0.0; 3], &[]), "there is no segment; there must be at least 1");
    for value in [0.0, -0.1, f64::INFINITY, f64::NAN] {
        let expected = format!("the length of segment 1 (from 0) is {value} m; it must be a finite number above 0");
        assert_eq!(error([0.0; 3], &[1.0, value]), expected);
    }
    assert!(error([0.0; 3], &[6e8, 6e8]).starts_with("the segments are 1200000000 m long together"));
    for value in [f64::NAN, f64::INFINITY] {
        let expected = format!("coordinate z of the base is {value} m; it must be a finite number within 1e9 m");
        assert_eq!(error([0.0, 0.0, value], &[1.0]), expected);
    }

    let bounded = |lower: &[f64], upper: &[f64]| arm(1).with_bounds(lower.to_vec(), upper.to_vec());
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    assert!(bounded(&[low, -1.0], &[2.0, high]).is_ok());
    assert_eq!(sentence(bounded(&[0.0], &[1.0; 2])), "the list of lower bounds has 1 entries; it must have 2");
    assert_eq!(sentence(bounded(&[0.0; 2], &[1.0; 3])), "the list of upper bounds has 3 entries; it must have 2");
    for (lower, upper) in [(1.0, 0.5), (high, high), (low, low), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        let found = sentence(bounded(&[0.0, lower], &[1.0, upper]));
        assert!(found.starts_with(&format!("variable 1 (from 0) is bounded by {lower} and {upper} rad;")), "{found}");
    }
}

#[test]
fn lists_of_another_length_are_refused() {
    let arm = arm(3);
    let found = sentence(arm.tip(&[0.0; 5]));
    assert_eq!(found, "the list of positions has 5 entries; it must have 6");
    let found = sentence(arm.forward_kinematics(&[0.0; 6], &mut [Point3::origin(); 3]));
    assert_eq!(found, "the list of points has 3 entries; it must have 4");
    let found = sentence(arm.jacobian(&[0.0; 6], &mut [Vector3::zeros(); 7]));
    assert_eq!(found, "the list of columns has 7 entries; it must have 6");
}
