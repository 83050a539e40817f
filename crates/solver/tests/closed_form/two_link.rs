//! Two links in closed form: angles compared with forward kinematics and with a search, and every special case.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Isometry3, Point2, Point3, Rotation3, Vector2, Vector3};
use urdf_ik::solver::closed_form::two_link::{
    Angles, Freedom, PlaneFreedom, Shape, Solutions, SpatialAngles, SpatialTwoLink, TwoLink,
};

use crate::common::Random;

fn tip(lengths: [f64; 2], angles: &Angles) -> Point2<f64> {
    let link = |length: f64, angle: f64| Vector2::new(angle.cos(), angle.sin()) * length;
    Point2::origin() + link(lengths[0], angles.shoulder) + link(lengths[1], angles.shoulder + angles.elbow)
}

fn spatial_tip(base: &Isometry3<f64>, lengths: [f64; 2], angles: &SpatialAngles) -> Point3<f64> {
    let turned = Rotation3::from_axis_angle(&Vector3::y_axis(), angles.yaw);
    let link = |length: f64, angle: f64| {
        turned * Rotation3::from_axis_angle(&Vector3::x_axis(), angle) * Vector3::y() * length
    };
    base * Point3::from(link(lengths[0], angles.shoulder) + link(lengths[1], angles.shoulder + angles.elbow))
}

fn solve(lengths: [f64; 2], target: [f64; 2]) -> Solutions<Angles, 2> {
    TwoLink::new(lengths).unwrap().solve(&Point2::from(target)).unwrap()
}

/// Difference of two angles modulo 2π.
fn apart(a: f64, b: f64) -> f64 {
    let difference = (a - b).rem_euclid(TAU);
    difference.min(TAU - difference)
}

/// Lengths from a micrometre to a kilometre, sometimes equal.
fn lengths(random: &mut Random) -> [f64; 2] {
    let first = 10f64.powf(random.between(-6.0, 3.0));
    let second = if random.below(4) == 0 { first } else { first * 10f64.powf(random.between(-3.0, 3.0)) };
    [first, second]
}

/// A distance within reach, often at its ends.
fn distance(random: &mut Random, [first, second]: [f64; 2]) -> f64 {
    let (inner, outer) = ((first - second).abs(), first + second);
    let near = 10f64.powf(random.between(-16.0, 0.0));
    match random.below(3) {
        0 => random.between(inner, outer),
        1 => inner + (outer - inner) * near,
        _ => outer - (outer - inner) * near,
    }
}

/// In (-π, π], without regard to limits.
fn in_range(angles: &[f64]) -> bool {
    angles.iter().all(|&angle| angle > -PI && angle <= PI)
}

#[test]
fn every_configuration_in_the_plane_has_its_tip_at_the_target() {
    let mut random = Random::new(1);
    let mut worst: f64 = 0.0;
    for _ in 0..50_000 {
        let lengths = lengths(&mut random);
        let (distance, towards) = (distance(&mut random, lengths), random.between(-PI, PI));
        let target = [distance * towards.cos(), distance * towards.sin()];
        let solutions = solve(lengths, target);
        assert!(solutions.is_reached(), "{lengths:?} {target:?} {solutions:?}");
        assert_eq!(solutions.configurations().len(), if solutions.shape == Shape::Bent { 2 } else { 1 });
        for angles in solutions.configurations() {
            assert!(in_range(&[angles.shoulder, angles.elbow]), "{angles:?}");
            worst = worst.max((tip(lengths, angles) - Point2::from(target)).norm() / (lengths[0] + lengths[1]));
        }
    }
    println!("worst error over reach: {worst:e}");
    assert!(worst < 1e-14, "{worst:e}");
}

#[test]
fn angles_that_made_the_target_are_among_the_configurations() {
    let mut random = Random::new(2);
    for _ in 0..50_000 {
        let lengths = [random.between(0.2, 1.0), random.between(0.2, 1.0)];
        let made = Angles { shoulder: random.between(-PI, PI), elbow: random.between(-3.0, 3.0) };
        let target = tip(lengths, &made);
        if target.coords.norm() < 1e-2 || made.elbow.abs() < 1e-2 {
            continue;
        }
        let solutions = solve(lengths, [target.x, target.y]);
        let found = |angles: &Angles| apart(angles.shoulder, made.shoulder).max(apart(angles.elbow, made.elbow));
        assert!(solutions.configurations().iter().any(|angles| found(angles) < 1e-9), "{made:?} {solutions:?}");
        let [up, down] = solutions.configurations() else { panic!("{solutions:?}") };
        assert!(up.elbow < 0.0 && up.elbow == -down.elbow);
        let elbow = |angles: &Angles| Vector2::new(angles.shoulder.cos(), angles.shoulder.sin());
        assert!(target.coords.perp(&elbow(up)) > 0.0 && target.coords.perp(&elbow(down)) < 0.0, "up is to the left");
    }
}

/// Elbow angles at which the tip is at that distance, by grid search and bisection, independent of any triangle.
fn elbows_by_search(lengths: [f64; 2], distance: f64) -> Vec<f64> {
    let error = |elbow: f64| tip(lengths, &Angles { shoulder: 0.0, elbow }).coords.norm() - distance;
    let at = |step: u32| -PI + TAU * (f64::from(step) + 0.5) / 2001.0;
    let mut found = Vec::new();
    for step in 0..2000 {
        let (mut low, mut high) = (at(step), at(step + 1));
        if error(low).signum() == error(high).signum() {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if error(middle).signum() == error(low).signum() { low = middle } else { high = middle }
        }
        found.push(low);
    }
    found
}

#[test]
fn a_dense_search_finds_the_same_configurations() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let lengths = [random.between(0.1, 1.0), random.between(0.1, 1.0)];
        let (inner, outer) = ((lengths[0] - lengths[1]).abs(), lengths[0] + lengths[1]);
        // Twice the double root lies between two neighbours of the grid, and is missed there.
        let (distance, towards) = (inner + (outer - inner) * random.between(0.01, 0.99), random.between(-PI, PI));
        let searched: Vec<Angles> = elbows_by_search(lengths, distance)
            .into_iter()
            .map(|elbow| {
                let straight = tip(lengths, &Angles { shoulder: 0.0, elbow });
                Angles { shoulder: towards - straight.y.atan2(straight.x), elbow }
            })
            .collect();
        let solutions = solve(lengths, [distance * towards.cos(), distance * towards.sin()]);
        assert_eq!((searched.len(), solutions.configurations().len()), (2, 2), "{lengths:?} {distance}");
        for found in &searched {
            let near =
                |angles: &Angles| apart(angles.shoulder, found.shoulder) + apart(angles.elbow, found.elbow) < 1e-8;
            assert!(solutions.configurations().iter().any(near), "{found:?} {solutions:?}");
        }
    }
}

#[test]
fn special_cases_in_the_plane_have_names() {
    use Freedom as F;
    use Shape as S;
    let third = 1.0 / 3.0;
    for (lengths, target, shape, freedom, missing, shoulder, elbow) in [
        // Stretched and folded: one configuration, the first link towards the target or away from it.
        ([0.5, 0.25], [0.0, 0.75], S::Stretched, F::None, 0.0, FRAC_PI_2, 0.0),
        ([0.1, 0.2], [-(0.1 + 0.2), 0.0], S::Stretched, F::None, 0.0, PI, 0.0),
        ([0.5, 0.25], [0.0, 0.25], S::Folded, F::None, 0.0, FRAC_PI_2, PI),
        ([0.25, 0.5], [0.0, 0.25], S::Folded, F::None, 0.0, -FRAC_PI_2, PI),
        // Out of reach: the closest configuration, and its distance.
        ([0.5, 0.25], [0.0, -1.0], S::Stretched, F::None, 0.25, -FRAC_PI_2, 0.0),
        ([0.5, 0.25], [0.125, 0.0], S::Folded, F::None, 0.125, 0.0, PI),
        ([0.25, 0.5], [0.125, 0.0], S::Folded, F::None, 0.125, PI, PI),
        ([0.5, 0.25], [0.0, 0.0], S::Folded, F::Shoulder, 0.25, 0.0, PI),
        // Equal lengths, the target at the shoulder: any direction.
        ([third, third], [0.0, 0.0], S::Folded, F::Shoulder, 0.0, 0.0, PI),
        ([third, third], [-0.0, -0.0], S::Folded, F::Shoulder, 0.0, 0.0, PI),
        // Links without length.
        ([0.0, 0.5], [0.0, 0.5], S::Stretched, F::AllButSum, 0.0, FRAC_PI_2, 0.0),
        ([0.0, 0.5], [0.0, 0.25], S::Stretched, F::AllButSum, 0.25, FRAC_PI_2, 0.0),
        ([0.0, 0.5], [0.0, 0.0], S::Stretched, F::Both, 0.5, 0.0, 0.0),
        ([0.5, 0.0], [0.0, 0.5], S::Stretched, F::Elbow, 0.0, FRAC_PI_2, 0.0),
        ([0.5, 0.0], [0.0, 0.75], S::Stretched, F::Elbow, 0.25, FRAC_PI_2, 0.0),
        ([0.5, 0.0], [0.0, 0.0], S::Stretched, F::Both, 0.5, 0.0, 0.0),
        ([0.0, 0.0], [0.0, 0.0], S::Stretched, F::Both, 0.0, 0.0, 0.0),
        ([0.0, 0.0], [0.0, -2.0], S::Stretched, F::Both, 2.0, -FRAC_PI_2, 0.0),
    ] {
        let solutions = solve(lengths, target);
        let context = format!("{lengths:?} {target:?} {solutions:?}");
        assert_eq!(
            (solutions.shape, solutions.freedom, solutions.plane),
            (shape, freedom, PlaneFreedom::None),
            "{context}"
        );
        assert!((solutions.missing - missing).abs() < 1e-15 && solutions.is_reached() == (missing == 0.0), "{context}");
        assert_eq!(solutions.configurations(), [Angles { shoulder, elbow }], "{context}");
        let missed = (tip(lengths, &solutions.configurations()[0]) - Point2::from(target)).norm();
        assert!((missed - missing).abs() < 1e-15, "{context}");
    }
}

#[test]
fn just_beyond_rounding_a_double_root_is_two_and_a_miss_is_a_miss() {
    assert_eq!(solve([1.0, 1.0], [2.0 - 1e-14, 0.0]).configurations().len(), 2);
    assert_eq!(solve([1.0, 0.5], [0.5 + 1e-14, 0.0]).configurations().len(), 2);
    for (x, missing) in [(2.0 + 1e-14, 1e-14), (3.0, 1.0)] {
        let solutions = solve([1.0, 1.0], [x, 0.0]);
        assert!((solutions.missing - missing).abs() < 1e-15 && !solutions.is_reached());
    }
    // Tiny arms.
    let tiny = solve([1e-200, 1e-200], [1e-200, 0.0]);
    assert_eq!((tiny.shape, tiny.configurations().len()), (Shape::Bent, 2));
    assert!((tiny.configurations()[1].elbow - TAU / 3.0).abs() < 1e-15);
}

#[test]
fn bad_numbers_are_named() {
    let arm = TwoLink::new([1.0, 1.0]).unwrap();
    let base = Isometry3::identity();
    let spatial = SpatialTwoLink::new(base, [1.0, 1.0]).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2e9] {
        let error = arm.solve(&Point2::new(0.0, bad)).unwrap_err();
        assert!(error.to_string().starts_with("coordinate y of the target is"), "{error}");
        let error = spatial.solve(&Point3::new(0.0, 0.0, bad)).unwrap_err();
        assert!(error.to_string().starts_with("coordinate z of the target is"), "{error}");
        let error = SpatialTwoLink::new(Isometry3::translation(bad, 0.0, 0.0), [1.0, 1.0]).unwrap_err();
        assert!(error.to_string().starts_with("coordinate x of the base is"), "{error}");
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let error = TwoLink::new([1.0, bad]).unwrap_err();
        assert!(error.to_string().starts_with("link 1 (from 0) is"), "{error}");
        let error = SpatialTwoLink::new(base, [bad, 1.0]).unwrap_err();
        assert!(error.to_string().starts_with("link 0 (from 0) is"), "{error}");
    }
    let error = TwoLink::new([1e9, 1.0]).unwrap_err();
    assert!(error.to_string().contains("long together"), "{error}");
}

#[test]
fn every_configuration_in_space_has_its_tip_at_the_target() {
    let mut random = Random::new(4);
    let mut worst: f64 = 0.0;
    for _ in 0..20_000 {
        let lengths = lengths(&mut random);
        let reach = lengths[0] + lengths[1];
        let base = Isometry3::new(random.direction() * reach, random.direction() * random.between(0.0, PI));
        let local = random.direction() * distance(&mut random, lengths);
        let target = base * Point3::from(local);
        let solutions = SpatialTwoLink::new(base, lengths).unwrap().solve(&target).unwrap();
        assert!(solutions.missing < 1e-14 * reach, "{local} {solutions:?}");
        let elbows = if solutions.shape == Shape::Bent { 2 } else { 1 };
        // Where links of equal length are folded, the target is on the base axis.
        let expected = if solutions.plane == PlaneFreedom::None { 2 * elbows } else { 1 };
        assert_eq!(solutions.configurations().len(), expected, "{local} {solutions:?}");
        assert!(
            solutions.plane == PlaneFreedom::None || local.x.hypot(local.z) < 1e-14 * reach,
            "{local} {solutions:?}"
        );
        for angles in solutions.configurations() {
            assert!(in_range(&[angles.yaw, angles.shoulder, angles.elbow]), "{angles:?}");
            worst = worst.max((spatial_tip(&base, lengths, angles) - target).norm() / reach);
        }
    }
    println!("worst error over reach: {worst:e}");
    assert!(worst < 2e-14, "{worst:e}");
}

#[test]
fn angles_that_made_a_target_in_space_are_among_the_configurations() {
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let lengths = [random.between(0.2, 1.0), random.between(0.2, 1.0)];
        let made = SpatialAngles {
            yaw: random.between(-PI, PI),
            shoulder: random.between(-PI, PI),
            elbow: random.between(-3.0, 3.0),
        };
        let base = Isometry3::new(random.direction(), random.direction());
        let target = spatial_tip(&base, lengths, &made);
        let local = base.inverse_transform_point(&target);
        if local.x.hypot(local.z) < 1e-2 || made.elbow.abs() < 1e-2 {
            continue;
        }
        let solutions = SpatialTwoLink::new(base, lengths).unwrap().solve(&target).unwrap();
        let near = |angles: &SpatialAngles| {
            apart(angles.yaw, made.yaw) + apart(angles.shoulder, made.shoulder) + apart(angles.elbow, made.elbow) < 1e-9
        };
        assert!(solutions.configurations().iter().any(near), "{made:?} {solutions:?}");
    }
}

#[test]
fn on_the_base_axis_the_yaw_is_free() {
    let arm = |lengths| SpatialTwoLink::new(Isometry3::identity(), lengths).unwrap();
    for (lengths, height, shape, freedom, missing) in [
        ([0.5, 0.4], 0.6, Shape::Bent, Freedom::None, 0.0),
        ([0.5, 0.4], -0.6, Shape::Bent, Freedom::None, 0.0),
        ([0.5, 0.25], 0.75, Shape::Stretched, Freedom::None, 0.0),
        ([0.5, 0.25], 1.0, Shape::Stretched, Freedom::None, 0.25),
        ([0.5, 0.25], 0.25, Shape::Folded, Freedom::None, 0.0),
        ([0.5, 0.5], 0.0, Shape::Folded, Freedom::Shoulder, 0.0),
        ([0.5, 0.25], 0.0, Shape::Folded, Freedom::Shoulder, 0.25),
        ([0.0, 0.0], 0.0, Shape::Stretched, Freedom::Both, 0.0),
    ] {
        let target = Point3::new(0.0, height, 0.0);
        let solutions = arm(lengths).solve(&target).unwrap();
        assert_eq!((solutions.plane, solutions.shape, solutions.freedom), (PlaneFreedom::Yaw, shape, freedom));
        let [angles] = solutions.configurations() else { panic!("{solutions:?}") };
        assert_eq!(angles.yaw, 0.0);
        let missed = (spatial_tip(&Isometry3::identity(), lengths, angles) - target).norm();
        assert!((missed - missing).abs() < 1e-15 && (solutions.missing - missing).abs() < 1e-15);
        // Any other yaw does as well, as the name says.
        let turned = SpatialAngles { yaw: 1.0, ..*angles };
        let missed_turned = (spatial_tip(&Isometry3::identity(), lengths, &turned) - target).norm();
        assert!(freedom == Freedom::Shoulder || (missed_turned - missing).abs() < 1e-15);
    }
    // A hair beside the axis it is determined.
    let beside = arm([0.5, 0.4]).solve(&Point3::new(0.0, 0.6, 1e-14)).unwrap();
    assert_eq!((beside.plane, beside.configurations().len()), (PlaneFreedom::None, 4));
}
