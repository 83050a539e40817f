//! One cycle on the joints of random robots: invariants, and optimality of each joint.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};
use nalgebra::{Matrix3, Vector3};

use crate::kernel::fabrik_fit::Moments;
use crate::kernel::frame::{LaneFrame, StoredFrame};
use crate::kernel::lanes::{LANES, Lanes};
use crate::method::FabrikOptions;
use crate::testing::four::Four;
use urdf_ik_random::random::Random;
use urdf_ik_random::robots::{Axes, Recipe};

/// Weight of each point over that of the next nearer one.
const DECAY: f64 = 0.7;

const DEPTHS: [usize; 3] = [0, 3, 6];

/// Chains of revolute joints, and trees with prismatic and mimic joints and several tips.
fn recipes() -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = (2..10).map(|joints| Recipe::plain(Axes::Mixed, joints)).collect();
    recipes.extend((1..4).flat_map(|tips| [5, 9, 14].map(|joints| Recipe::tree(Axes::Mixed, joints, tips))));
    recipes
}

fn options(acceleration: usize) -> FabrikOptions {
    FabrikOptions::new(acceleration, false)
}

/// Four configurations of each recipe's chain, without the chains whose tip no joint can move.
fn fours(random: &mut Random) -> Vec<(Recipe, String, Four)> {
    let drawn = recipes().into_iter().map(|recipe| (recipe, recipe.make(random)));
    let drawn: Vec<_> = drawn.collect();
    let count = drawn.len();
    let fours: Vec<_> =
        drawn.into_iter().map(|(recipe, (chain, text))| (recipe, text, Four::new(&chain, random))).collect();
    println!("{} of {count} chains have an extent", fours.len());
    assert!(2 * fours.len() > count);
    fours
}

#[test]
fn a_configuration_that_meets_its_targets_is_a_fixed_point() {
    let (mut random, mut worst) = (Random::new(1), 0.0_f64);
    for (recipe, text, mut four) in fours(&mut random) {
        for depth in DEPTHS {
            for lane in 0..LANES {
                four.forget();
                four.write_positions();
                four.set_goals(&four.targets_of(lane));
                // From the second cycle on there is a history to accelerate with.
                for _ in 0..2 {
                    four.measure();
                    let led = four.cycle(options(depth), 100.0);
                    for (led, at) in led.iter().zip(&four.positions[lane]) {
                        worst = worst.max((led[lane] - at).abs());
                        // Where axes nearly coincide, rounding decides between them.
                        assert!((led[lane] - at).abs() < 1e-6, "{recipe:?}, depth {depth}: {led:?} {at}\n{text}");
                    }
                }
            }
        }
    }
    println!("{worst:e}");
}

#[test]
fn cycles_stay_inside_the_bounds() {
    let mut random = Random::new(2);
    for (recipe, _, mut four) in fours(&mut random) {
        for depth in DEPTHS {
            four.forget();
            // All lanes start equal, with the targets at another configuration.
            let (goals, mut before) = (four.targets_of(1), four.positions[0].clone());
            four.positions.fill(before.clone());
            four.write_positions();
            four.set_goals(&goals);
            for _ in 0..4 {
                four.measure();
                for (led, before) in four.cycle(options(depth), 0.05).iter().zip(&mut before) {
                    assert!(
                        led.iter().all(|led| (led - *before).abs() <= 0.05 + 1e-12),
                        "{recipe:?}: {led:?} {before}"
                    );
                    assert_eq!(*led, [led[0]; LANES], "{recipe:?}: lanes differ");
                    *before = led[0];
                }
            }
        }
    }
}

/// Axes and origin of a random frame.
fn frame(random: &mut Random) -> (Matrix3<f64>, Vector3<f64>) {
    let turn = nalgebra::Rotation3::new(random.vector(3.0));
    (*turn.matrix(), random.vector(1.0))
}

fn in_memory((axes, origin): &(Matrix3<f64>, Vector3<f64>)) -> StoredFrame {
    let vector = |v: Vector3<f64>| [Lanes::splat(v.x), Lanes::splat(v.y), Lanes::splat(v.z)];
    [vector(axes.column(0).into()), vector(axes.column(1).into()), vector(axes.column(2).into()), vector(*origin)]
}

#[test]
fn sums_give_the_rotation_and_the_shift_that_fit_points_best() {
    let mut random = Random::new(3);
    for count in [1, 2, 3, 8, 40] {
        let (from, to) = (frame(&mut random), frame(&mut random));
        let points: Vec<Vector3<f64>> = (0..count).map(|_| random.vector(1.0)).collect();
        let mut found = [Lanes::default(); 3];
        dispatch!(Level::new(), simd => {
            let mut sums = Moments::none(simd);
            for point in &points {
                sums.fade(f64x4::splat(simd, DECAY));
                sums.add([point.x, point.y, point.z].map(|entry| Lanes::splat(entry).load(simd)));
            }
            let (from, to) = (LaneFrame::load(simd, &in_memory(&from)), LaneFrame::load(simd, &in_memory(&to)));
            let (turn, shift) = (sums.fit(false, &from, &to), sums.fit(true, &from, &to));
            found[0].store(turn.cosine);
            found[1].store(turn.sine);
            found[2].store(shift.shift);
        });
        let coordinates =
            |(axes, origin): &(Matrix3<f64>, Vector3<f64>), point: &Vector3<f64>| axes.transpose() * (point - origin);
        let (mut expected, mut weights) = ([0.0; 3], 0.0);
        for (i, point) in points.iter().rev().enumerate() {
            let weight = DECAY.powi(i32::try_from(i).unwrap());
            let (u, v) = (coordinates(&from, point), coordinates(&to, point));
            expected[0] += weight * (u.x * v.x + u.y * v.y);
            expected[1] += weight * (u.x * v.y - u.y * v.x);
            expected[2] += weight * (v.z - u.z);
            weights += weight;
        }
        expected[2] /= weights;
        let matched = |turn: f64| expected[0] * turn.cos() + expected[1] * turn.sin();
        let best = matched(found[1].0[0].atan2(found[0].0[0]));
        assert!((0..360).all(|turn| matched(f64::from(turn).to_radians()) <= best + 1e-12), "{count}: {best}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.0[0] - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{count}: {found:?} {expected}");
        }
    }
}
