//! Chains of two links, recognised from a URDF and solved in closed form, compared with forward
//! kinematics of the robot.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::robot::{Chain, ChainPoses, Robot};
use urdf_ik::solver::closed_form::three_link::ThreeLinkChain;
use urdf_ik::solver::closed_form::two_link::{
    Freedom, NotOfThisShape, PlanarChain, PlaneFreedom, SHAPE_TOLERANCE, Shape, SpatialChain,
};

use crate::common::{Random, urdf};

/// A point and a unit direction.
type Line = (Vector3<f64>, Vector3<f64>);

fn chain(text: &str) -> Chain {
    Chain::with_defaults(&Robot::from_urdf(text).unwrap(), None, &[]).unwrap()
}

fn tip(chain: &Chain, positions: &[f64]) -> Point3<f64> {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    poses.tips()[0].translation.vector.into()
}

/// A row of joints whose axes at zero are these lines (point, direction) in the base link's frame, with the tip
/// link's origin at `tip`; every joint frame has a random orientation and position along its axis.
fn row(random: &mut Random, axes: &[Line], tip: Vector3<f64>) -> String {
    let mut joints = String::new();
    let mut parent = Isometry3::identity();
    let links: Vec<String> = (0..axes.len() + 2).map(|link| format!("l{link}")).collect();
    let origin = |shift: Vector3<f64>, [roll, pitch, yaw]: [f64; 3]| {
        format!("<origin xyz='{:e} {:e} {:e}' rpy='{roll:e} {pitch:e} {yaw:e}'/>", shift.x, shift.y, shift.z)
    };
    for (index, (point, direction)) in axes.iter().enumerate() {
        let along = direction * random.between(-1.0, 1.0);
        let shift = parent.inverse_transform_point(&Point3::from(point + along)).coords;
        let angles = [random.between(-3.0, 3.0), random.between(-1.5, 1.5), random.between(-3.0, 3.0)];
        let turn = UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]);
        parent *= Isometry3::from_parts(shift.into(), turn);
        let axis = parent.inverse_transform_vector(direction);
        let inside = origin(shift, angles) + &format!("<axis xyz='{:e} {:e} {:e}'/>", axis.x, axis.y, axis.z);
        joints += &urdf::joint(&format!("j{index}"), "continuous", &links[index], &links[index + 1], &inside);
    }
    let last = origin(parent.inverse_transform_point(&Point3::from(tip)).coords, [0.0; 3]);
    joints += &urdf::joint("end", "fixed", &links[axes.len()], &links[axes.len() + 1], &last);
    urdf::robot(&links.join(" "), &joints)
}

fn chain_of(random: &mut Random, axes: &[Line], tip: Vector3<f64>) -> Chain {
    chain(&row(random, axes, tip))
}

/// Axes of a planar arm and its tip at a random pose, the second axis in either direction.
fn planar(random: &mut Random) -> (Vec<Line>, Vector3<f64>) {
    let place = Isometry3::new(random.direction(), random.direction() * random.between(0.0, PI));
    let mut point = || random.direction() * random.between(0.1, 1.0);
    let [shoulder, elbow, tip] = [point(), point(), point()].map(|point| (place * Point3::from(point)).coords);
    let axis = place * Vector3::z();
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    (vec![(shoulder, axis), (elbow, axis * sign)], tip)
}

/// Axes of a planar arm on a rotating base, and its tip, at a random pose.
fn spatial(random: &mut Random) -> (Vec<Line>, Vector3<f64>) {
    let place = Isometry3::new(random.direction(), random.direction() * random.between(0.0, PI));
    let mut in_plane = || place * Point3::new(0.0, random.between(-1.0, 1.0), random.between(-1.0, 1.0));
    let (elbow, tip) = (in_plane().coords, in_plane().coords);
    let [pitch, yaw] = [place * Vector3::x(), place * Vector3::y()];
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    let origin = place.translation.vector;
    (vec![(origin, yaw), (origin, pitch), (elbow, pitch * sign)], tip)
}

/// Axes of an arm of three links on a base with yaw and roll, and its tip, at a random pose.
fn three_links(random: &mut Random) -> (Vec<Line>, Vector3<f64>) {
    let (axes, _) = spatial(random);
    // Between yaw and shoulder the roll, perpendicular to both; the shoulder at a random angle about it.
    let (origin, yaw, roll) = (axes[0].0, axes[0].1, axes[1].1);
    let pitch = UnitQuaternion::from_scaled_axis(roll * random.between(-PI, PI)) * yaw;
    let along = pitch.cross(&roll);
    let mut in_plane = || origin + along * random.between(-1.0, 1.0) + roll * random.between(-1.0, 1.0);
    let (elbow, wrist, end) = (in_plane(), in_plane(), in_plane());
    (vec![(origin, yaw), (origin, roll), (origin, pitch), (elbow, -pitch), (wrist, pitch)], end)
}

#[test]
fn planar_chains_are_recognised_in_any_frames_and_both_configurations_found() {
    let mut random = Random::new(1);
    for _ in 0..300 {
        let (axes, end) = planar(&mut random);
        let chain = chain_of(&mut random, &axes, end);
        let arm = PlanarChain::of(&chain).unwrap();
        for _ in 0..30 {
            let made = random.positions(&chain);
            let target = tip(&chain, &made);
            let solutions = arm.solve(&target).unwrap();
            assert!(solutions.missing < 1e-13 && solutions.shape == Shape::Bent, "{solutions:?}");
            for positions in solutions.configurations() {
                assert!((tip(&chain, positions) - target).norm() < 1e-13, "{solutions:?}");
            }
            contains(solutions.configurations(), &made);
        }
        // Off the plane, by the length of the step.
        let beside = tip(&chain, &[0.3, 0.4]) + axes[0].1 * 0.25;
        let solutions = arm.solve(&beside).unwrap();
        assert!((solutions.missing - 0.25).abs() < 1e-13 && !solutions.is_reached());
        assert!(((tip(&chain, &solutions.configurations()[0]) - beside).norm() - 0.25).abs() < 1e-13);
    }
}

#[test]
fn chains_on_a_turning_base_are_recognised_in_any_frames_and_four_configurations_found() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let (axes, end) = spatial(&mut random);
        let chain = chain_of(&mut random, &axes, end);
        let arm = SpatialChain::of(&chain).unwrap();
        for _ in 0..30 {
            let made = random.positions(&chain);
            let target = tip(&chain, &made);
            let solutions = arm.solve(&target).unwrap();
            assert!(solutions.missing < 1e-13 && solutions.configurations().len() == 4, "{solutions:?}");
            for positions in solutions.configurations() {
                assert!((tip(&chain, positions) - target).norm() < 1e-13, "{solutions:?}");
            }
            contains(solutions.configurations(), &made);
        }
    }
}

#[test]
fn chains_of_three_links_are_recognised_in_any_frames_and_eight_configurations_found() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let (mut axes, end) = three_links(&mut random);
        let (across, wrist) = (axes[1].1, axes[4].0);
        let chain = chain_of(&mut random, &axes, end);
        let arm = ThreeLinkChain::of(&chain).unwrap();
        for _ in 0..30 {
            let made = random.positions(&chain);
            let (target, up) = (tip(&chain, &made), last_link(&chain, &made));
            let solutions = arm.solve(&target, &up).unwrap();
            assert!(solutions.missing < 1e-13 && solutions.configurations().len() == 8, "{solutions:?}");
            for positions in solutions.configurations() {
                assert!((tip(&chain, positions) - target).norm() < 1e-13, "{solutions:?}");
                assert!((last_link(&chain, positions) - up).norm() < 1e-12, "{solutions:?}");
            }
            contains(solutions.configurations(), &made);
        }
        // A tip on the last axis leaves the up vector undefined; a shoulder off the yaw axis is another shape.
        let on_axis = ThreeLinkChain::of(&chain_of(&mut random, &axes, wrist));
        assert!(matches!(on_axis, Err(NotOfThisShape::NoLastLink { .. })), "{on_axis:?}");
        axes[2].0 += across * 1e-3;
        let beside = ThreeLinkChain::of(&chain_of(&mut random, &axes, end));
        let Err(NotOfThisShape::NotMeeting { distance, .. }) = beside else { panic!("{beside:?}") };
        assert!((distance - 1e-3).abs() < 1e-12);
    }
}

#[test]
fn a_level_plane_leaves_one_configuration_of_each_family() {
    let (x, y, z, o) = (Vector3::x(), Vector3::y(), Vector3::z(), Vector3::zeros());
    let axes = [(o, y), (o, z), (o, x), (y * 0.5, x), (y * 0.9, x)];
    let chain = chain_of(&mut Random::new(5), &axes, y);
    let (end, up) = (Point3::new(0.6, 0.0, 0.1), z);
    let solutions = ThreeLinkChain::of(&chain).unwrap().solve(&end, &up).unwrap();
    assert_eq!((solutions.plane, solutions.configurations().len()), (PlaneFreedom::YawAgainstShoulder, 4));
    for positions in solutions.configurations() {
        assert!((tip(&chain, positions) - end).norm() < 1e-14, "{solutions:?}");
        assert!((last_link(&chain, positions) - up).norm() < 1e-13, "{solutions:?}");
    }
}

/// Direction from the last joint's axis to the tip link's origin, perpendicular to that axis.
fn last_link(chain: &Chain, positions: &[f64]) -> Vector3<f64> {
    let Some(last) = chain.joints().last() else { panic!("no joint") };
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    let placement = &chain.tips()[0].placement;
    let (tip, axis) = (placement.translation.vector, last.axis);
    let across = tip - axis.scale(axis.dot(&tip));
    poses.tips()[0].rotation * (placement.rotation.inverse() * across.normalize())
}

/// Checks that one of the configurations is `made`, up to rounding amplified by a nearly stretched or
/// nearly vertical arm.
fn contains<const N: usize>(configurations: &[[f64; N]], made: &[f64]) {
    let apart = |a: f64, b: f64| UnitQuaternion::from_scaled_axis(Vector3::z() * (a - b)).angle();
    let near = |found: &[f64; N]| found.iter().zip(made).all(|(&found, &made)| apart(found, made) < 1e-6);
    assert!(configurations.iter().any(near), "{made:?} {configurations:?}");
}

#[test]
fn bundled_shapes_and_special_targets() {
    let planar = PlanarChain::of(&chain(&urdf::planar(0.5, 0.25))).unwrap();
    assert_eq!(planar.links().lengths(), [0.5, 0.25]);
    let stretched = planar.solve(&Point3::new(0.75, 0.0, 0.0)).unwrap();
    let [[shoulder, elbow]] = stretched.configurations() else { panic!("{stretched:?}") };
    assert!(stretched.shape == Shape::Stretched && shoulder.abs().max(elbow.abs()) < 1e-15, "{stretched:?}");
    let at_base = PlanarChain::of(&chain(&urdf::planar(0.5, 0.5))).unwrap().solve(&Point3::origin()).unwrap();
    assert_eq!((at_base.freedom, at_base.configurations().len()), (Freedom::Shoulder, 1));
    let spherical = SpatialChain::of(&chain(&urdf::spherical(0.5, 0.25))).unwrap();
    assert_eq!(spherical.arm().links().lengths(), [0.5, 0.25]);
    let above = spherical.solve(&Point3::new(0.0, 0.0, 0.6)).unwrap();
    assert_eq!((above.plane, above.configurations().len()), (PlaneFreedom::Yaw, 1));
    let far = spherical.solve(&Point3::new(1.0, 0.0, 0.0)).unwrap();
    assert!((far.missing - 0.25).abs() < 1e-15 && far.configurations().len() == 2);
    let error = planar.solve(&Point3::new(0.0, f64::NAN, 0.0)).unwrap_err();
    assert!(error.to_string().starts_with("coordinate y of the target is"), "{error}");
}

/// `vector` rotated by `angle` towards another one.
fn tilted(vector: Vector3<f64>, towards: Vector3<f64>, angle: f64) -> Vector3<f64> {
    UnitQuaternion::from_scaled_axis(vector.cross(&towards).normalize() * angle) * vector
}

#[test]
fn the_shape_is_lost_at_the_stated_tolerance() {
    let mut random = Random::new(3);
    for (factor, kept) in [(0.5, true), (2.0, false), (1e6, false)] {
        let off = factor * SHAPE_TOLERANCE;
        for _ in 0..100 {
            let (mut axes, end) = planar(&mut random);
            axes[1].1 = tilted(axes[1].1, random.direction(), off);
            let found = PlanarChain::of(&chain_of(&mut random, &axes, end));
            assert_eq!(found.is_ok(), kept, "{found:?}");
            let Err(NotOfThisShape::NotParallel { angle, .. }) = found else { continue };
            assert!((angle - off).abs() < 1e-4 * off + 1e-14, "{angle:e} {off:e}");
        }
        for case in 0..400 {
            let (mut axes, mut end) = spatial(&mut random);
            let (yaw, pitch) = (axes[0].1, axes[1].1);
            match case % 4 {
                0 => axes[0].1 = tilted(yaw, pitch, off),
                1 => axes[2].1 = tilted(axes[2].1, random.direction(), off),
                2 => axes[0].0 += yaw.cross(&pitch) * off,
                _ => end += pitch * off,
            }
            let found = SpatialChain::of(&chain_of(&mut random, &axes, end));
            assert_eq!(found.is_ok(), kept, "{case}: {found:?}");
            let residual = match (case % 4, found) {
                (_, Ok(_)) => continue,
                (0, Err(NotOfThisShape::NotAtRightAngles { angle: residual, .. }))
                | (1, Err(NotOfThisShape::NotParallel { angle: residual, .. }))
                | (2, Err(NotOfThisShape::NotMeeting { distance: residual, .. }))
                | (3, Err(NotOfThisShape::TipBeside { distance: residual, .. })) => residual,
                (_, other) => panic!("{case}: {other:?}"),
            };
            assert!((residual - off).abs() < 1e-4 * off + 1e-14, "{case}: {residual:e} {off:e}");
        }
    }
}

#[test]
fn the_shape_of_three_links_is_lost_at_the_stated_tolerance() {
    let mut random = Random::new(5);
    for (factor, kept) in [(0.5, true), (2.0, false), (1e6, false)] {
        let off = factor * SHAPE_TOLERANCE;
        for case in 0..500 {
            let (mut axes, mut end) = three_links(&mut random);
            let (roll, pitch) = (axes[1].1, axes[2].1);
            match case % 5 {
                0 => axes[0].1 = tilted(axes[0].1, roll, off),
                1 => axes[3].1 = tilted(axes[3].1, random.direction(), off),
                2 => axes[4].1 = tilted(axes[4].1, random.direction(), off),
                3 => axes[2].0 += roll * off,
                _ => end += pitch * off,
            }
            let found = ThreeLinkChain::of(&chain_of(&mut random, &axes, end));
            assert_eq!(found.is_ok(), kept, "{case}: {found:?}");
            let residual = match (case % 5, found) {
                (_, Ok(_)) => continue,
                (0, Err(NotOfThisShape::NotAtRightAngles { angle: residual, .. }))
                | (1 | 2, Err(NotOfThisShape::NotParallel { angle: residual, .. }))
                | (3, Err(NotOfThisShape::NotMeeting { distance: residual, .. }))
                | (4, Err(NotOfThisShape::TipBeside { distance: residual, .. })) => residual,
                (_, other) => panic!("{case}: {other:?}"),
            };
            assert!((residual - off).abs() < 1e-4 * off + 1e-14, "{case}: {residual:e} {off:e}");
        }
    }
}

#[test]
fn other_chains_are_refused_in_words() {
    let words = |text: &str| PlanarChain::of(&chain(text)).unwrap_err().to_string();
    assert!(words(&urdf::spherical(0.5, 0.4)).contains("3 movable joints"), "{}", words(&urdf::spherical(0.5, 0.4)));
    let slide = urdf::turn("turn", "a", "b", "0 0 0", "0 0 1")
        + &urdf::joint(
            "slide",
            "prismatic",
            "b",
            "c",
            "<axis xyz='1 0 0'/><limit lower='0' upper='1' effort='1' velocity='1'/>",
        );
    assert!(words(&urdf::robot("a b c", &slide)).contains("'slide' is prismatic"));
    let mimic = urdf::turn("turn", "a", "b", "0 0 0", "0 0 1")
        + &urdf::joint(
            "follow",
            "continuous",
            "b",
            "c",
            "<origin xyz='1 0 0'/><axis xyz='0 0 1'/><mimic joint='turn' multiplier='1'/>",
        )
        + &urdf::fixed("end", "c", "d", "1 0 0");
    assert!(words(&urdf::robot("a b c d", &mimic)).contains("'turn' is prismatic or mimics"));
    let crossed = urdf::turn("one", "a", "b", "0 0 0", "0 0 1") + &urdf::turn("two", "b", "c", "1 0 0", "0 1 0");
    assert!(words(&urdf::robot("a b c", &crossed)).contains("'one' and 'two' are"));
}
