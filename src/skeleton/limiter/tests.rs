use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Unit, UnitQuaternion, Vector3};

use super::joint::SwingTwist;
use super::moments::{Moments, Place};
use super::{ChainError, Cone, Element, InputError, Joint, Limit, LimitedChain, Options, Problem, Range, Scratch};
use crate::pseudorandom::{direction, fraction};

fn cone(number: usize) -> Cone {
    let side = |index: usize| PI / 180.0 * (1.0 + 178.0 * fraction(number, 500 + index));
    Cone { up: side(0), down: side(1), left: side(2), right: side(3) }
}

fn rotation(number: usize, index: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(direction(number, index) * (PI * fraction(number, 700 + index)))
}

#[test]
fn the_cone_keeps_directions_inside_and_moves_others_to_its_border_at_the_same_azimuth() {
    let regular = [1.0_f64, 45.0, 90.0, 135.0, 179.0].map(|angle| Cone::circular(angle.to_radians()));
    for cone in regular.into_iter().chain((0..200).map(cone)) {
        for index in 0..100 {
            let wish = direction(3, index);
            let found = cone.nearest(&wish);
            assert!((found.norm() - 1.0).abs() < 1e-15);
            // By the angles alone, and as the equation of the ellipse.
            let (polar, azimuth) = (wish.x.acos(), wish.z.atan2(wish.y));
            let a = if wish.y >= 0.0 { cone.left } else { cone.right };
            let b = if wish.z >= 0.0 { cone.up } else { cone.down };
            let measure = |polar: f64| (polar * azimuth.cos() / a).powi(2) + (polar * azimuth.sin() / b).powi(2);
            if measure(polar) <= 1.0 {
                assert!((found - wish).norm() < 1e-15, "{cone:?} {wish}");
            } else {
                assert!((measure(found.x.acos()) - 1.0).abs() < 1e-10, "{cone:?} {wish} {found}");
                assert!((found.z.atan2(found.y) - azimuth).abs() < 1e-11);
            }
            assert!((cone.limit(azimuth).powi(-2) - measure(1.0)).abs() < 1e-9 * measure(1.0));
            assert!(cone.contains(&found, 1e-12) && (cone.nearest(&found) - found).norm() < 1e-14);
        }
    }
}

#[test]
fn a_circular_cone_gives_the_nearest_direction() {
    let cone = Cone::circular(0.7);
    for index in 0..300 {
        let wish = direction(4, index);
        let found = cone.nearest(&wish).angle(&wish);
        assert!((found - (wish.x.acos() - 0.7).max(0.0)).abs() < 1e-7);
    }
}

#[test]
fn the_sides_of_a_cone_are_where_its_documentation_says() {
    let cone = Cone { up: 0.1, down: 0.2, left: 0.3, right: 2.0 };
    for (azimuth, angle) in [(FRAC_PI_2, 0.1), (-FRAC_PI_2, 0.2), (0.0, 0.3), (PI, 2.0)] {
        assert!((cone.limit(azimuth) - angle).abs() < 1e-15);
    }
    // Straight back counts as left; everything is allowed by a cone of π.
    assert!((cone.nearest(&-Vector3::x()) - Vector3::new(0.3_f64.cos(), 0.3_f64.sin(), 0.0)).norm() < 1e-15);
    assert_eq!(Cone::ALL.nearest(&-Vector3::x()), -Vector3::x());
}

#[test]
fn a_cone_that_is_flat_is_an_arc() {
    let flat = Cone { up: 1.0, down: 0.5, left: 0.0, right: 0.0 };
    for index in 0..100 {
        let found = flat.nearest(&direction(5, index));
        assert!(found.y.abs() < 1e-15);
        assert!((-0.5 - 1e-12..=1.0 + 1e-12).contains(&found.z.atan2(found.x)), "{found}");
        assert!(flat.contains(&found, 1e-12));
        assert!((Cone::circular(0.0).nearest(&direction(5, index)) - Vector3::x()).norm() < 1e-15);
    }
}

#[test]
fn ranges_clamp_round_the_circle() {
    let through = Range::new(3.0, 4.0);
    for (angle, expected) in [(3.5, 3.5), (-2.9, TAU - 2.9), (2.0, 3.0), (-2.0, 4.0), (3.0, 3.0), (4.0 - TAU, 4.0)] {
        assert!((through.nearest(angle) - expected).abs() < 1e-12, "{angle}");
    }
    assert_eq!(Range::ALL.nearest(PI), PI);
    assert_eq!(Range::new(0.5, 0.5).nearest(-3.0), 0.5);
    for index in 0..1000 {
        let ends = [0, 1].map(|end| TAU * (2.0 * fraction(index, end) - 1.0));
        let range = Range::new(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let angle = PI * (2.0 * fraction(index, 2) - 1.0);
        let found = range.nearest(angle);
        let apart = |other: f64| ((other - angle + PI).rem_euclid(TAU) - PI).abs();
        assert!(range.upper - range.lower >= TAU || (range.lower <= found && found <= range.upper));
        let inside = [-TAU, 0.0, TAU].iter().any(|turn| (range.lower..=range.upper).contains(&(angle + turn)));
        let least = if inside { 0.0 } else { apart(range.lower).min(apart(range.upper)) };
        assert!((apart(found) - least).abs() < 1e-12, "{range:?} {angle} {found}");
    }
}

#[test]
fn swing_times_twist_is_the_rotation() {
    for index in 0..500 {
        let wish = rotation(6, index);
        let parts = SwingTwist::of(&wish);
        assert!(parts.rotation().angle_to(&wish) < 1e-7 && (-PI..=PI).contains(&parts.twist));
        assert!((parts.swing.direction() - wish * Vector3::x()).norm() < 1e-14);
        // The swing is that of the crate, and the rest is a rotation about x.
        let swing = crate::spatial::swing(&wish, &Vector3::x());
        let rest = UnitQuaternion::from_scaled_axis(swing).inverse() * wish;
        assert!(rest.angle_to(&UnitQuaternion::from_axis_angle(&Vector3::x_axis(), parts.twist)) < 1e-7);
    }
}

#[test]
fn a_twist_is_clamped_and_the_direction_kept() {
    let joint = Joint::ball(Cone::ALL, Range::new(-0.2, 0.4));
    for index in 0..300 {
        let wish = rotation(7, index);
        let (outward, inward) = (joint.nearest(&wish), joint.inward(&wish, &Matrix3::zeros()));
        let twist = SwingTwist::of(&wish).twist;
        for allowed in [&outward, &inward] {
            let expected = Range::new(-0.2, 0.4).nearest(twist);
            assert!((SwingTwist::of(allowed).twist - expected).abs() < 1e-12);
        }
        // Outward, the segment after points where it did; inward, the one before does, as the one after sees it.
        assert!((outward * Vector3::x() - wish * Vector3::x()).norm() < 1e-14);
        assert!((inward.inverse() * Vector3::x() - wish.inverse() * Vector3::x()).norm() < 1e-14);
    }
}

fn mixed(number: usize, joints: usize) -> LimitedChain {
    let joint = |index: usize| {
        let angle = |offset: usize| 2.0 * fraction(number, 900 + 7 * index + offset);
        let joint = match index % 3 {
            0 => Joint::ball(cone(number + index), Range::new(-angle(0), angle(1))),
            1 => Joint::hinge(direction(number, 40 + index), -angle(0), angle(1)),
            _ => Joint::ball(Cone::circular(angle(2)), Range::ALL),
        };
        if index.is_multiple_of(2) { joint } else { joint.with_rest(rotation(number, 300 + index)) }
    };
    let lengths = (0..joints).map(|index| 0.1 + 0.3 * fraction(number, index)).collect();
    LimitedChain::new((0..joints).map(joint).collect(), lengths).unwrap()
}

#[test]
fn lengths_and_limits_hold_inward_and_outward() {
    for number in 0..60 {
        let chain = mixed(number, 7);
        let seed: Vec<_> = (0..7).map(|index| rotation(number, index)).collect();
        let root = Isometry3::from_parts(direction(number, 1).into(), rotation(number, 50));
        let target = Point3::from(direction(number, 2) * (3.0 * fraction(number, 3)));
        let Scratch { current: mut state, mut sums, .. } = chain.scratch(&Options::default());
        chain.start(0, &Problem { target, root, seed: &seed, options: Options::default() }, &mut state);
        for _ in 0..15 {
            chain.inward(&target, &mut state, &mut sums);
            assert_eq!(state.points[7], target);
            let between =
                |joint: usize| (state.frames[joint - 1] * chain.joints[joint].rest).inverse() * state.frames[joint];
            for joint in 1..7 {
                let relative = between(joint);
                assert!(chain.joints[joint].nearest(&relative).angle_to(&relative) < 1e-7, "{joint}");
            }
            for _ in 0..2 {
                for (index, length) in chain.lengths.iter().enumerate() {
                    assert!(((state.points[index + 1] - state.points[index]).norm() - length).abs() < 1e-14);
                }
                chain.outward(&root, &mut state, &mut sums);
            }
            assert!(chain.violation(&state.rotations).unwrap() < 1e-13);
        }
    }
}

#[test]
fn lengths_and_limits_hold_after_every_accelerated_cycle() {
    let mut mixed_ones = 0;
    for number in 0..60 {
        let chain = mixed(number, 7);
        let seed: Vec<_> = (0..7).map(|index| rotation(number, index)).collect();
        let root = Isometry3::from_parts(direction(number, 1).into(), rotation(number, 50));
        let target = Point3::from(direction(number, 2) * (3.0 * fraction(number, 3)));
        let problem = Problem { target, root, seed: &seed, options: Options::default() };
        let mut scratch = chain.scratch(&problem.options);
        chain.start(0, &problem, &mut scratch.current);
        for _ in 0..30 {
            let mut plain = scratch.current.clone();
            chain.cycle(&target, &root, &mut plain, &mut scratch.sums);
            chain.advance(&problem, &mut scratch);
            let current = &scratch.current;
            // Never farther away than the plain cycle leads.
            assert!(current.distance(&target) <= plain.distance(&target));
            mixed_ones += usize::from(current.distance(&target) < plain.distance(&target));
            assert!(chain.violation(&current.rotations).unwrap() < 1e-13);
            assert_eq!(current.points[0].coords, root.translation.vector);
            for (index, length) in chain.lengths.iter().enumerate() {
                assert!(((current.points[index + 1] - current.points[index]).norm() - length).abs() < 1e-14);
            }
        }
    }
    assert!(mixed_ones > 500, "{mixed_ones}");
}

#[test]
fn a_hinge_fits_all_points_beyond_it() {
    for number in 0..200 {
        let (axis, lower, upper) = (direction(number, 1), -2.0 * fraction(number, 2), 2.0 * fraction(number, 3));
        let joint = Joint::hinge(axis, lower, upper);
        let place = |index: usize| Place { frame: rotation(number, index), origin: direction(number, 10 + index) };
        let (outer, inner) = (place(4), place(5));
        let points: Vec<_> = (0..6).map(|index| direction(number, 20 + index)).collect();
        let sums = points.iter().fold(Moments::default(), |sums, point| sums.with(point));
        let (found, _) = joint.outward(&UnitQuaternion::identity(), &sums.between(&outer, &inner));
        // The weighted sum of squared distances, from the points alone, the origins put together.
        let mismatch = |turn: &UnitQuaternion<f64>| {
            points.iter().rev().enumerate().fold(0.0, |sum, (age, point)| {
                let seen = outer.frame.inverse() * (point - outer.origin);
                let apart = inner.frame * (turn * seen) - (point - inner.origin);
                sum + 0.7_f64.powi(i32::try_from(age).unwrap()) * apart.norm_squared()
            })
        };
        let axis = Unit::new_normalize(axis);
        for step in 0..=100 {
            let angle = lower + (upper - lower) * f64::from(step) / 100.0;
            let other = UnitQuaternion::from_axis_angle(&axis, angle);
            assert!(mismatch(&found) <= mismatch(&other) + 1e-12, "{number}");
        }
        assert!(joint.nearest(&found).angle_to(&found) < 1e-12);
        // Where the points do not determine the rotation, `wish` does.
        let wish = UnitQuaternion::from_axis_angle(&axis, 0.5 * (lower + upper));
        assert!(joint.outward(&wish, &Matrix3::zeros()).0.angle_to(&wish) < 1e-12);
        assert!(joint.inward(&wish, &Matrix3::zeros()).angle_to(&wish) < 1e-12);
    }
}

#[test]
fn a_configuration_at_its_target_is_a_fixed_point_of_the_cycle() {
    for number in 0..60 {
        let chain = mixed(number, 6);
        let seed: Vec<_> = (0..6).map(|index| rotation(number, index)).collect();
        let root = Isometry3::from_parts(direction(number, 1).into(), rotation(number, 50));
        let Scratch { current: mut state, mut sums, .. } = chain.scratch(&Options::default());
        let target = Point3::origin();
        chain.start(0, &Problem { target, root, seed: &seed, options: Options::default() }, &mut state);
        let (points, frames) = (state.points.clone(), state.frames.clone());
        for _ in 0..5 {
            chain.cycle(&points[6], &root, &mut state, &mut sums);
        }
        for (found, expected) in state.points.iter().zip(&points) {
            // Hinges nearly along their segments magnify rounding.
            assert!((found - expected).norm() < 1e-10, "{number}: {found} {expected}");
        }
        assert!(state.frames.iter().zip(&frames).all(|(found, expected)| found.angle_to(expected) < 1e-6));
    }
}

#[test]
fn invalid_chains_are_refused_with_the_joint_named() {
    let with = |joint: Joint| LimitedChain::new(vec![Joint::free(), joint], vec![1.0; 2]).map(|_| ()).unwrap_err();
    assert_eq!(LimitedChain::new(vec![], vec![]), Err(ChainError::Input(InputError::Empty { what: "joint" })));
    let lengths = ChainError::Input(InputError::Count { what: "list of lengths", found: 1, expected: 2 });
    assert_eq!(LimitedChain::new(vec![Joint::free(); 2], vec![1.0]), Err(lengths));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let found = LimitedChain::new(vec![Joint::free(); 2], vec![1.0, value]);
        let text = found.unwrap_err().to_string();
        assert!(text.starts_with(&format!("the segment of joint 1 (from 0) is {value} m long")), "{text}");
    }
    for value in [-0.1, 3.2, f64::NAN, f64::INFINITY] {
        let found = with(Joint::ball(Cone { down: value, ..Cone::ALL }, Range::ALL));
        assert!(matches!(found, ChainError::Cone { joint: 1, side: "down", .. }));
    }
    for (lower, upper) in [(0.2, 0.1), (f64::NAN, 0.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-7.0, 0.0)] {
        let found = with(Joint::hinge(Vector3::z(), lower, upper));
        assert!(matches!(found, ChainError::Range { joint: 1, what: "angle", .. }));
        let found = with(Joint::ball(Cone::ALL, Range::new(lower, upper)));
        assert!(matches!(found, ChainError::Range { joint: 1, what: "twist", .. }));
    }
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0), Vector3::x() * f64::INFINITY] {
        assert!(matches!(with(Joint::hinge(axis, 0.0, 1.0)), ChainError::Axis { joint: 1, .. }));
    }
    let element = Element::of("the rest orientation of joint", 1);
    for length in [f64::NAN, 0.0, 2.0] {
        let rest = UnitQuaternion::new_unchecked(Quaternion::new(length, 0.0, 0.0, 0.0));
        assert_eq!(with(Joint::free().with_rest(rest)), ChainError::Input(InputError::Rotation { element }));
    }
    let text = with(Joint::hinge(Vector3::z(), 0.2, 0.1)).to_string();
    assert_eq!(
        text,
        "the angle of joint 1 is limited by 0.2 and 0.1 rad; they must be in ascending order and within ±2π"
    );
}

#[test]
fn invalid_problems_are_refused() {
    let chain = LimitedChain::new(vec![Joint::free(); 2], vec![1.0; 2]).unwrap();
    let identity = UnitQuaternion::identity();
    let solve = |change: &dyn Fn(&mut Problem)| {
        let seed = [identity; 2];
        let (target, root) = (Point3::origin(), Isometry3::identity());
        let mut problem = Problem { target, root, seed: &seed, options: Options::default() };
        change(&mut problem);
        chain.solve(&problem, &mut chain.scratch(&Options::default()), &mut chain.solution()).unwrap_err()
    };
    let none = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 0.0));
    let broken = [identity, none];
    let target = solve(&|problem| problem.target.y = f64::NAN);
    assert!(target.to_string().starts_with("coordinate y of the target is NaN m"));
    let root = solve(&|problem| problem.root.translation.z = f64::INFINITY);
    assert!(root.to_string().starts_with("coordinate z of the root is inf m"));
    let root = solve(&|problem| problem.root.rotation = none);
    let what = root.to_string();
    assert!(what.starts_with("the orientation of the root frame is not a unit quaternion"), "{what}");
    // A closure cannot lend the problem a seed that it owns, but one from outside.
    let (target, root) = (Point3::origin(), Isometry3::identity());
    let problem = Problem { target, root, seed: &broken, options: Options::default() };
    let found = chain.solve(&problem, &mut chain.scratch(&Options::default()), &mut chain.solution());
    assert_eq!(found, Err(InputError::Rotation { element: Element::of("the seed's rotation of joint", 1) }));
    let found = solve(&|problem| problem.seed = &problem.seed[1..]);
    assert_eq!(found, InputError::Count { what: "seed", found: 1, expected: 2 });
    for tolerance in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(solve(&|problem| problem.options.tolerance = tolerance), InputError::Tolerance { .. }));
    }
    assert!(chain.violation(&broken[..1]).is_err());
    let element = Element::of("the rotation of joint", 1);
    assert_eq!(chain.violation(&broken), Err(InputError::Rotation { element }));
}

#[test]
fn samples_are_within_the_limits() {
    for number in 0..100 {
        for joint in mixed(number, 6).joints() {
            let sample = joint.sample([0, 1, 2].map(|index| fraction(number, index)));
            assert!(joint.nearest(&sample).angle_to(&sample) < 1e-7);
            assert!(!matches!(joint.limit, Limit::Hinge { axis, .. } if (sample * axis - axis).norm() > 1e-14));
        }
    }
}
