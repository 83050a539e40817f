//! Three links with an up vector in closed form, compared with independent forward kinematics, and every special case.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Isometry3, Point3, Rotation3, Vector3};
use urdf_ik::solver::closed_form::three_link::{BallWristAngles, ThreeLink, ThreeLinkAngles};
use urdf_ik::solver::closed_form::two_link::{Freedom, PlaneFreedom, Shape, Solutions};

use crate::common::Random;

/// End and direction of the last link, by successive rotations.
fn forward(base: &Isometry3<f64>, lengths: [f64; 3], angles: &ThreeLinkAngles) -> (Point3<f64>, Vector3<f64>) {
    let mut turned = base.rotation.to_rotation_matrix()
        * Rotation3::from_axis_angle(&Vector3::y_axis(), angles.yaw)
        * Rotation3::from_axis_angle(&Vector3::z_axis(), angles.roll);
    let mut end = Point3::from(base.translation.vector);
    for (length, turn) in lengths.into_iter().zip([angles.shoulder, angles.elbow, angles.wrist]) {
        turned *= Rotation3::from_axis_angle(&Vector3::x_axis(), turn);
        end += turned * Vector3::y() * length;
    }
    (end, turned * Vector3::y())
}

fn forward_ball(base: &Isometry3<f64>, lengths: [f64; 3], angles: &BallWristAngles) -> (Point3<f64>, Vector3<f64>) {
    let turned = base.rotation.to_rotation_matrix() * Rotation3::from_axis_angle(&Vector3::y_axis(), angles.arm.yaw);
    let about = |angle: f64| turned * Rotation3::from_axis_angle(&Vector3::x_axis(), angle);
    let (first, second) = (about(angles.arm.shoulder), about(angles.arm.shoulder + angles.arm.elbow));
    let up = second * angles.wrist.to_rotation_matrix() * Vector3::y();
    let end = first * Vector3::y() * lengths[0] + second * Vector3::y() * lengths[1] + up * lengths[2];
    (Point3::from(base.translation.vector + end), up)
}

fn list(angles: &ThreeLinkAngles) -> [f64; 5] {
    [angles.yaw, angles.roll, angles.shoulder, angles.elbow, angles.wrist]
}

fn apart(a: f64, b: f64) -> f64 {
    let difference = (a - b).rem_euclid(TAU);
    difference.min(TAU - difference)
}

/// A configuration with the roll at most a quarter turn, an arm and its base.
fn configuration(random: &mut Random) -> (Isometry3<f64>, [f64; 3], ThreeLinkAngles) {
    let lengths = [0; 3].map(|_| random.between(0.1, 1.0));
    let base = Isometry3::new(random.direction(), random.direction() * random.between(0.0, PI));
    let mut turn = || random.between(-PI, PI);
    let (yaw, roll, shoulder, elbow, wrist) = (turn(), turn() / 2.0, turn(), turn(), turn());
    (base, lengths, ThreeLinkAngles { yaw, roll, shoulder, elbow, wrist })
}

/// Checks that every configuration points along `up` and misses `end` by the stated distance. Returns
/// the greatest error.
fn check(
    base: &Isometry3<f64>,
    lengths: [f64; 3],
    end: Point3<f64>,
    up: Vector3<f64>,
    solutions: &Solutions<ThreeLinkAngles, 4>,
) -> f64 {
    solutions.configurations().iter().fold(0.0, |worst: f64, angles| {
        assert!(list(angles).iter().all(|&angle| angle > -PI && angle <= PI), "{angles:?}");
        assert!(angles.roll.abs() <= FRAC_PI_2, "{angles:?}");
        let (found, direction) = forward(base, lengths, angles);
        let error = ((found - end).norm() - solutions.missing).abs();
        worst.max(error).max((direction - up.normalize()).norm())
    })
}

#[test]
fn four_configurations_and_the_one_that_made_the_target_is_among_them() {
    let mut random = Random::new(1);
    let (mut worst, mut compared) = (0.0_f64, 0);
    for _ in 0..40_000 {
        let (base, lengths, made) = configuration(&mut random);
        let (end, up) = forward(&base, lengths, &made);
        let arm = ThreeLink::new(base, lengths).unwrap();
        let solutions = arm.solve(&end, &(up * random.between(0.1, 10.0))).unwrap();
        assert!(solutions.is_reached() && solutions.freedom == Freedom::None, "{made:?} {solutions:?}");
        assert_eq!((solutions.plane, solutions.shape), (PlaneFreedom::None, Shape::Bent), "{made:?}");
        assert_eq!(solutions.configurations().len(), 4, "{made:?} {solutions:?}");
        worst = worst.max(check(&base, lengths, end, up, &solutions));
        for angles in solutions.configurations() {
            let [.., last] = arm.link_ends(angles);
            assert!((last - end).norm() < 1e-13, "{angles:?}");
        }
        // Near special cases the angles are sensitive to the target.
        let wrist = base.inverse_transform_point(&(end - up * lengths[2])).coords;
        let local = base.inverse_transform_vector(&up);
        let well_determined = wrist.cross(&local).norm() > 1e-2
            && FRAC_PI_2 - made.roll.abs() > 1e-2
            && (1e-2..PI - 1e-2).contains(&made.elbow.abs());
        if well_determined {
            let near = |angles: &ThreeLinkAngles| {
                list(angles).iter().zip(list(&made)).all(|(&found, made)| apart(found, made) < 1e-9)
            };
            assert!(solutions.configurations().iter().any(near), "{made:?} {solutions:?}");
            compared += 1;
        }
    }
    println!("worst error: {worst:e}, {compared} configurations compared");
    assert!(worst < 2e-14 && compared > 35_000, "{worst:e} {compared}");
}

#[test]
fn nearly_special_targets_lose_no_digits() {
    let mut random = Random::new(2);
    let mut worst = 0.0_f64;
    for _ in 0..20_000 {
        let (base, lengths, mut made) = configuration(&mut random);
        let case = random.below(5);
        let mut tiny = || 10f64.powf(random.between(-17.0, -1.0));
        // The up vector nearly along P_T or along the base axis, elbow nearly stretched or folded, roll
        // nearly a quarter turn.
        let shoulder_to_wrist =
            |made: &ThreeLinkAngles| (lengths[1] * made.elbow.sin()).atan2(lengths[0] + lengths[1] * made.elbow.cos());
        match case {
            0 => made.wrist = shoulder_to_wrist(&made) - made.elbow + tiny(),
            1 => (made.wrist, made.roll) = (tiny() - made.shoulder - made.elbow, tiny()),
            2 => made.elbow = tiny(),
            3 => made.elbow = PI - tiny(),
            _ => made.roll = FRAC_PI_2 - tiny(),
        }
        let (end, up) = forward(&base, lengths, &made);
        let solutions = ThreeLink::new(base, lengths).unwrap().solve(&end, &up).unwrap();
        assert!(solutions.missing < 1e-14, "{made:?} {solutions:?}");
        worst = worst.max(check(&base, lengths, end, up, &solutions));
    }
    println!("worst error: {worst:e}");
    assert!(worst < 2e-14, "{worst:e}");
}

#[test]
fn a_ball_wrist_takes_the_up_vector_without_roll() {
    let mut random = Random::new(3);
    let mut worst = 0.0_f64;
    for _ in 0..20_000 {
        let (base, lengths, made) = configuration(&mut random);
        let (end, up) = forward(&base, lengths, &made);
        let solutions = ThreeLink::new(base, lengths).unwrap().solve_with_ball_wrist(&end, &up).unwrap();
        assert!(solutions.is_reached() && solutions.configurations().len() == 4, "{made:?} {solutions:?}");
        for angles in solutions.configurations() {
            let (found, direction) = forward_ball(&base, lengths, angles);
            worst = worst.max((found - end).norm()).max((direction - up).norm());
        }
    }
    println!("worst error: {worst:e}");
    assert!(worst < 2e-14, "{worst:e}");
    // The last link along the second one, and back upon it.
    let (arm, base) = (ThreeLink::new(Isometry3::identity(), [0.5, 0.25, 0.25]).unwrap(), Isometry3::identity());
    for (height, direction, turn) in [(1.0, 1.0, 0.0), (0.5, -1.0, PI)] {
        let (end, up) = (Point3::new(0.0, height, 0.0), Vector3::y() * direction);
        let solutions = arm.solve_with_ball_wrist(&end, &up).unwrap();
        assert_eq!((solutions.plane, solutions.shape), (PlaneFreedom::Yaw, Shape::Stretched));
        let [angles] = solutions.configurations() else { panic!("{solutions:?}") };
        assert!((angles.wrist.angle() - turn).abs() < 1e-15);
        let (found, towards) = forward_ball(&base, [0.5, 0.25, 0.25], angles);
        assert!((found - end).norm() < 1e-15 && (towards - up).norm() < 1e-15);
    }
}

#[test]
fn special_cases_have_names() {
    use Freedom as F;
    use PlaneFreedom as P;
    use Shape as S;
    let diagonal = Vector3::new(0.6, 0.8, 0.0);
    for (what, lengths, wrist, up, plane, shape, freedom, missing, count) in [
        ("up along P_T", [0.5, 0.4], diagonal * 0.6, diagonal, P::Roll, S::Bent, F::None, 0.0, 1),
        ("up against P_T", [0.5, 0.4], diagonal * 0.6, -diagonal, P::Roll, S::Bent, F::None, 0.0, 1),
        ("the same, stretched", [0.5, 0.4], diagonal * 0.9, diagonal, P::Roll, S::Stretched, F::None, 0.0, 1),
        ("both on the base axis", [0.5, 0.4], Vector3::y() * 0.6, Vector3::y(), P::Yaw, S::Bent, F::None, 0.0, 1),
        ("wrist on the base axis", [0.5, 0.4], Vector3::y() * 0.6, Vector3::z(), P::None, S::Bent, F::None, 0.0, 4),
        ("level plane", [0.5, 0.4], Vector3::x() * 0.6, Vector3::z(), P::YawAgainstShoulder, S::Bent, F::None, 0.0, 4),
        (
            "level, stretched",
            [0.5, 0.4],
            Vector3::x() * 0.9,
            Vector3::z(),
            P::YawAgainstShoulder,
            S::Stretched,
            F::None,
            0.0,
            2,
        ),
        ("stretched", [0.5, 0.25], Vector3::z() * 0.75, Vector3::y(), P::None, S::Stretched, F::None, 0.0, 2),
        ("folded", [0.5, 0.25], Vector3::z() * 0.25, Vector3::y(), P::None, S::Folded, F::None, 0.0, 2),
        ("too far", [0.5, 0.25], Vector3::z(), Vector3::y(), P::None, S::Stretched, F::None, 0.25, 2),
        ("too near", [0.5, 0.25], Vector3::z() * 0.125, Vector3::y(), P::None, S::Folded, F::None, 0.125, 2),
        ("too far, up along P_T", [0.5, 0.25], diagonal, diagonal, P::Roll, S::Stretched, F::None, 0.25, 1),
        ("wrist at the base", [0.5, 0.5], Vector3::zeros(), diagonal, P::Roll, S::Folded, F::Shoulder, 0.0, 1),
        ("the same, up the axis", [0.5, 0.5], Vector3::zeros(), Vector3::y(), P::Yaw, S::Folded, F::Shoulder, 0.0, 1),
        ("the same, too near", [0.5, 0.25], Vector3::zeros(), diagonal, P::Roll, S::Folded, F::Shoulder, 0.25, 1),
        ("no first link", [0.0, 0.5], Vector3::z() * 0.5, Vector3::y(), P::None, S::Stretched, F::AllButSum, 0.0, 2),
        ("no second link", [0.5, 0.0], Vector3::z() * 0.5, Vector3::y(), P::None, S::Stretched, F::Elbow, 0.0, 2),
        ("neither", [0.0, 0.0], Vector3::zeros(), Vector3::z(), P::Roll, S::Stretched, F::Both, 0.0, 1),
        ("neither, too far", [0.0, 0.0], Vector3::z(), Vector3::y(), P::None, S::Stretched, F::Both, 1.0, 2),
    ] {
        for last in [0.0, 0.125, 2.0] {
            let lengths = [lengths[0], lengths[1], last];
            let (base, end) = (Isometry3::identity(), Point3::from(wrist + up * last));
            let solutions = ThreeLink::new(base, lengths).unwrap().solve(&end, &up).unwrap();
            let context = format!("{what}, last {last}: {solutions:?}");
            assert_eq!((solutions.plane, solutions.shape, solutions.freedom), (plane, shape, freedom), "{context}");
            assert!((solutions.missing - missing).abs() < 1e-15, "{context}");
            assert_eq!(solutions.configurations().len(), count, "{context}");
            assert!(check(&base, lengths, end, up, &solutions) < 2e-15, "{context}");
            let zero = |angle: f64| angle == 0.0;
            let first = solutions.configurations()[0];
            assert!(plane == P::None || plane == P::Roll || zero(first.yaw), "{context}");
            assert!(plane != P::Roll || zero(first.roll), "{context}");
        }
    }
}

#[test]
fn bad_numbers_are_named() {
    let arm = ThreeLink::new(Isometry3::identity(), [0.5, 0.4, 0.1]).unwrap();
    let end = Point3::new(0.1, 0.2, 0.3);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for up in [Vector3::new(0.0, bad, 1.0), Vector3::repeat(bad)] {
            let error = arm.solve(&end, &up).unwrap_err();
            assert!(error.to_string().starts_with("the up vector is ("), "{error}");
            assert_eq!(arm.solve_with_ball_wrist(&end, &up).unwrap_err().to_string(), error.to_string());
        }
        let error = arm.solve(&Point3::new(bad, 0.0, 0.0), &Vector3::y()).unwrap_err();
        assert!(error.to_string().starts_with("coordinate x of the end is"), "{error}");
        let error = ThreeLink::new(Isometry3::identity(), [0.5, 0.4, bad]).unwrap_err();
        assert!(error.to_string().starts_with("link 2 (from 0) is"), "{error}");
    }
    let error = arm.solve(&end, &Vector3::zeros()).unwrap_err();
    assert!(error.to_string().contains("(0, 0, 0), which is no direction"), "{error}");
    assert!(ThreeLink::new(Isometry3::identity(), [0.5, 0.4, 1e9]).is_err());
    // The length of the up vector is arbitrary.
    let expected = arm.solve(&end, &Vector3::new(0.5, 1.0, 0.25)).unwrap();
    for scale in [2f64.powi(-1060), 2f64.powi(-600), 2f64.powi(1000)] {
        assert_eq!(arm.solve(&end, &(Vector3::new(0.5, 1.0, 0.25) * scale)).unwrap(), expected, "{scale:e}");
    }
}
