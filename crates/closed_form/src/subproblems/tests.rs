//! Comparison with a dense search over the rotations.

use std::f64::consts::{PI, TAU};

use super::*;
use urdf_ik_random::random::Random;

const STEPS: u32 = 720;

fn turns() -> impl Iterator<Item = Turn> {
    (0..STEPS).map(|step| Turn::new(f64::from(step) * TAU / f64::from(STEPS)))
}

/// No rotation of the dense search has a smaller residual than the roots, and the roots have the stated residual.
fn compare(claimed: &[f64], miss: f64, least: f64, what: &str) {
    for distance in claimed {
        assert!((distance - miss).abs() < 1e-9, "{what}: claims {miss}, is {distance}");
        assert!(*distance <= least + 1e-9, "{what}: {distance}, but {least} is possible");
    }
}

#[test]
fn a_point_is_turned_nearest_to_another() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let (k, p, q) = (random.direction(), random.vector(1.0), random.vector(2.0));
        let apart = |turn: Turn| (turn.about(&k, &p) - q).norm();
        let roots = turn_onto(&k, &p, &q);
        compare(&[apart(roots.as_slice()[0])], roots.miss, turns().map(apart).fold(f64::INFINITY, f64::min), "onto");
        assert_eq!(roots.fit, Fit::Nearest);
        let there = turn_onto(&k, &p, &Turn::new(2.5).about(&k, &p));
        assert_eq!(there.fit, Fit::Exact);
        assert!((there.as_slice()[0].angle() - 2.5).abs() < 1e-12);
    }
}

#[test]
fn heights_and_distances_are_met_or_come_nearest() {
    let mut random = Random::new(2);
    let mut met = [0; 2];
    for _ in 0..300 {
        let (k, p, q) = (random.direction(), random.vector(1.0), random.vector(1.0));
        let wanted = 1.5 * random.between(0.0, 1.0);
        let height = |turn: Turn| (turn.about(&k, &p).dot(&q) - wanted).abs();
        let distance = |turn: Turn| ((turn.about(&k, &p) - q).norm() - wanted).abs();
        let heights = turns_to_height(&k, &p, &q, wanted);
        let distances = turns_to_distance(&k, &p, &q, wanted);
        let found = |roots: &Roots<Turn>, miss: &dyn Fn(Turn) -> f64| {
            roots.as_slice().iter().map(|t| miss(*t)).collect::<Vec<_>>()
        };
        compare(&found(&heights, &height), heights.miss, turns().map(height).fold(f64::INFINITY, f64::min), "height");
        compare(
            &found(&distances, &distance),
            distances.miss,
            turns().map(distance).fold(f64::INFINITY, f64::min),
            "distance",
        );
        met[0] += usize::from(heights.as_slice().len() == 2);
        met[1] += usize::from(distances.as_slice().len() == 2);
        // A change of sign between neighbours of the dense search brackets a root.
        let signed = |turn: Turn| turn.about(&k, &p).dot(&q) - wanted;
        let values: Vec<f64> = turns().map(signed).collect();
        let changes = (0..values.len()).filter(|&i| values[i] * values[(i + 1) % values.len()] < 0.0).count();
        assert!(changes <= heights.as_slice().len(), "{changes} roots, {heights:?}");
    }
    assert!(met.iter().all(|count| *count > 50), "{met:?} had two roots");
}

#[test]
fn angles_are_met_even_where_heights_are_flat() {
    let mut random = Random::new(5);
    let mut missed = 0;
    for number in 0..300 {
        let (k, p, q) = (random.direction(), random.direction(), random.direction());
        let like = random.direction();
        let (angles, heights) = (turns_to_angle(&k, &p, &q, &like), turns_to_height(&k, &p, &q, q.dot(&like)));
        assert_eq!(angles.as_slice().len(), heights.as_slice().len(), "{number}");
        assert!((angles.miss - heights.miss).abs() < 1e-12, "{angles:?} {heights:?}");
        for turn in angles.as_slice() {
            let apart = |other: &Turn| (turn.cos - other.cos).hypot(turn.sin - other.sin);
            assert!(heights.as_slice().iter().any(|other| apart(other) < 1e-6), "{angles:?} {heights:?}");
        }
        missed += usize::from(angles.fit == Fit::Nearest);
        // Nearly straight: a rotation of 1e-12 is distinguished from none.
        let small = 10.0_f64.powi(-(number % 12) - 1);
        let found = turns_to_angle(&k, &q, &q, &Turn::new(small).about(&k, &q));
        let nearest = found.as_slice().iter().map(|turn| (turn.angle() - small).abs()).fold(f64::INFINITY, f64::min);
        let allowed = 1e-15 / k.cross(&q).norm() + 1e-4 * small;
        assert!(nearest < allowed, "{small:e}: {found:?} {nearest:e}");
    }
    assert!(missed > 30, "{missed}");
}

#[test]
fn two_turns_bring_points_together_or_nearest() {
    let mut random = Random::new(3);
    let (mut met, mut missed) = (0, 0);
    let coarse: Vec<Turn> = turns().step_by(6).collect();
    for _ in 0..100 {
        let (k1, k2, p) = (random.direction(), random.direction(), random.vector(1.0));
        let q = random.vector(1.0).normalize() * p.norm();
        let roots = turns_together(Orbit::new(&k1, &p), Orbit::new(&k2, &q));
        let apart = |(one, other): (Turn, Turn)| (one.about(&k1, &p) - other.about(&k2, &q)).norm();
        let pairs = coarse.iter().flat_map(|one| coarse.iter().map(move |other| (*one, *other)));
        let least = pairs.map(apart).fold(f64::INFINITY, f64::min);
        for pair in roots.as_slice() {
            assert!((apart(*pair) - roots.miss).abs() < 1e-9, "{roots:?}: {}", apart(*pair));
            assert!(apart(*pair) <= least + 1e-9, "{roots:?}: {least} is possible");
        }
        met += usize::from(roots.as_slice().len() == 2);
        missed += usize::from(roots.fit == Fit::Nearest);
    }
    assert!(met > 20 && missed > 20, "{met} met, {missed} missed");
}

#[test]
fn a_double_root_is_not_lost_to_rounding() {
    let mut random = Random::new(4);
    for _ in 0..1000 {
        let (k, p, q) = (random.direction(), random.vector(1.0), random.vector(1.0));
        let (cos, sin) = (p.dot(&q) - k.dot(&p) * k.dot(&q), k.cross(&p).dot(&q));
        for sign in [1.0, -1.0] {
            let touching = Turn::towards(sign * cos, sign * sin);
            let top = touching.about(&k, &p);
            for roots in [turns_to_height(&k, &p, &q, top.dot(&q)), turns_to_distance(&k, &p, &q, (top - q).norm())] {
                assert_eq!((roots.fit, roots.miss), (Fit::Exact, 0.0), "{roots:?}");
                for turn in roots.as_slice() {
                    assert!((turn.about(&k, &p) - top).norm() < 1e-6, "{roots:?}");
                }
            }
        }
        // Two circles about axes in one plane touch where a point in that plane is turned by both.
        let k2 = random.direction();
        let touch = k * random.between(0.0, 1.0) + k2 * random.between(0.0, 1.0);
        let (one, other) = (Turn::new(1.0), Turn::new(-2.0));
        let roots = turns_together(Orbit::new(&k, &one.about(&k, &touch)), Orbit::new(&k2, &other.about(&k2, &touch)));
        assert_eq!((roots.fit, roots.miss), (Fit::Exact, 0.0), "{roots:?}");
    }
}

#[test]
fn what_is_free_is_said_to_be_and_nothing_is_nan() {
    let (k, k2) = (Vector3::z(), Vector3::x());
    let (on, off) = (Vector3::z() * 0.7, Vector3::new(0.3, 0.0, 0.2));
    assert_eq!(turn_onto(&k, &on, &off).fit, Fit::Free);
    assert!((turn_onto(&k, &on, &off).miss - (off - on).norm()).abs() < 1e-12);
    assert_eq!((turn_onto(&k, &on, &on).fit, turn_onto(&k, &on, &on).miss), (Fit::Free, 0.0));
    let height = turns_to_height(&k, &on, &off, on.dot(&off));
    assert_eq!((height.fit, height.miss), (Fit::Free, 0.0));
    let missed = turns_to_height(&k, &on, &off, 1.0);
    assert!(missed.fit == Fit::Free && missed.miss > 0.5, "{missed:?}");
    assert_eq!(turns_together(Orbit::new(&k, &off), Orbit::new(&k, &off)).fit, Fit::Free);
    assert_eq!(turns_together(Orbit::new(&k, &on), Orbit::new(&k2, &on)).fit, Fit::Free);
    let zero = Vector3::zeros();
    for (p, q) in [(zero, zero), (zero, on), (on, zero), (off, zero), (off, off), (on, -on), (off, on)] {
        for second in [k, -k, k2] {
            let pair = turns_together(Orbit::new(&k, &p), Orbit::new(&second, &q));
            let singles =
                [turn_onto(&k, &p, &q), turns_to_height(&second, &p, &q, 0.1), turns_to_distance(&k, &p, &q, 0.0)];
            let turns = singles.iter().flat_map(|roots| roots.as_slice().to_vec());
            let turns = turns.chain(pair.as_slice().iter().flat_map(|(one, other)| [*one, *other]));
            for turn in turns {
                assert!((turn.cos.hypot(turn.sin) - 1.0).abs() < 1e-12, "{p} {q}: {turn:?}");
            }
            assert!(pair.miss.is_finite() && singles.iter().all(|roots| roots.miss.is_finite()));
        }
    }
}

#[test]
fn turns_add_and_go_back() {
    for angle in [-3.0, -0.5, 0.0, 1.0, PI] {
        let turn = Turn::new(angle);
        assert!((turn.angle() - angle).abs() < 1e-15);
        let sum = turn.and(Turn::new(0.25)).and(turn.back());
        assert!((sum.angle() - 0.25).abs() < 1e-15);
    }
    assert_eq!(Turn::towards(0.0, 0.0), Turn::ZERO);
}
