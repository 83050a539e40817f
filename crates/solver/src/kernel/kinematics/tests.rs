//! The kernel compared with the chain's forward kinematics and Jacobian, for robots of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use nalgebra::{Matrix3, Point3, Vector3, Vector6};

use crate::kernel::lanes::{LANES, Lanes};
use crate::kernel::links::KernelTip;
use crate::testing::four::{Four, levels};
use urdf_ik_random::random::Random;
use urdf_ik_random::robots::{Axes, Recipe};

/// Largest differences seen, in units of the length scale and in radians.
#[derive(Debug, Default, Clone, Copy)]
struct Worst {
    pose: f64,
    column: f64,
    slope: f64,
}

/// Position and orientation of a tip from the frames that the kernel wrote, in units of the length scale.
fn tip_pose(four: &Four, tip: usize, lane: usize) -> (Vector3<f64>, Matrix3<f64>) {
    let KernelTip { parent, position, rotation, .. } = &four.kernel.links.ends[tip];
    let frame = &four.configurations.frames[*parent];
    let axes = Matrix3::from_fn(|row, column| frame[column][row].0[lane]);
    let origin = Vector3::from_fn(|row, _| frame[3][row].0[lane]);
    (origin + axes * Vector3::from(*position), axes * rotation.matrix())
}

fn column(four: &Four, target: usize, variable: usize, lane: usize) -> Vector6<f64> {
    let entries = &four.configurations.columns[target * four.chain.variables().len() + variable];
    Vector6::from_fn(|row, _| entries[row].0[lane])
}

fn compare(four: &mut Four) -> Worst {
    let mut worst = Worst::default();
    let (tips, n, scale) = (four.chain.tips().len(), four.chain.variables().len(), four.kernel.length_scale);
    four.set_goals(&four.targets_of(0));
    four.measure();
    four.linearise();
    let mut expected = vec![Vector6::zeros(); n];
    for lane in 0..LANES {
        for tip in 0..tips {
            let pose = four.poses[lane].tips()[tip];
            let (position, rotation) = tip_pose(four, tip, lane);
            let shift = (position - pose.translation.vector / scale).norm();
            let turn = (rotation - pose.rotation.to_rotation_matrix().matrix()).norm();
            worst.pose = worst.pose.max(shift).max(turn);
            four.chain.jacobian(&four.poses[lane], tip, &Point3::from(pose.translation.vector), &mut expected);
            for (variable, expected) in expected.iter().enumerate() {
                let found = column(four, tip, variable, lane);
                let scaled = Vector6::from_fn(|row, _| if row < 3 { expected[row] / scale } else { expected[row] });
                worst.column = worst.column.max((found - scaled).norm() / (1.0 + scaled.norm()));
            }
        }
    }
    worst
}

/// The Jacobian against differences of the rows, with the targets at each lane in turn.
fn compare_slopes(four: &mut Four) -> f64 {
    let mut worst = 0.0_f64;
    for lane in 0..LANES {
        four.set_goals(&four.targets_of(lane));
        four.measure();
        four.linearise();
        for target in 0..four.chain.tips().len() {
            for variable in 0..four.chain.variables().len() {
                let expected = column(four, target, variable, lane);
                let found = -Vector6::from(four.slopes(target, variable, 1e-5)[lane]);
                worst = worst.max((found - expected).norm() / (1.0 + expected.norm()));
            }
        }
    }
    worst
}

fn check(recipe: &Recipe, robots: usize, seed: u64) -> Worst {
    let (mut random, mut worst) = (Random::new(seed), Worst::default());
    for index in 0..robots {
        let (chain, text) = recipe.make(&mut random);
        let mut four = Four::new(&chain, &mut random);
        let mut found = compare(&mut four);
        if recipe.joints <= 12 {
            found.slope = compare_slopes(&mut four);
        }
        let size = f64::from(u32::try_from(recipe.joints).unwrap()).max(10.0) / 10.0;
        let (base, tips) = (chain.base(), chain.tip_names());
        assert!(
            found.pose < 1e-11 * size && found.column < 1e-11 * size && found.slope < 1e-6,
            "{recipe:?}, robot {index}, from {base} to {tips:?}: {found:?}\n{text}"
        );
        worst.pose = worst.pose.max(found.pose);
        worst.column = worst.column.max(found.column);
        worst.slope = worst.slope.max(found.slope);
    }
    worst
}

fn check_plain(axes: Axes) {
    for joints in 1..=12 {
        let worst = check(&Recipe::plain(axes, joints), 2, 100 + joints as u64);
        println!("{axes:?}, {joints} joints: {worst:?}");
    }
}

#[test]
fn chains_of_arbitrary_axes() {
    check_plain(Axes::Any);
}

#[test]
fn chains_along_coordinate_axes() {
    check_plain(Axes::Square);
}

#[test]
fn chains_of_parallel_axes() {
    check_plain(Axes::Parallel);
    check_plain(Axes::AntiParallel);
    check_plain(Axes::Coincident);
}

#[test]
fn chains_of_intersecting_axes() {
    check_plain(Axes::Intersecting);
}

#[test]
fn chains_of_nearly_parallel_axes() {
    for exponent in 2..=16 {
        for factor in [1.0, 1.5, 5.0] {
            let tilt = factor * 10.0_f64.powi(-exponent);
            for axes in [Axes::NearlyParallel(tilt), Axes::NearlyAntiParallel(tilt)] {
                for joints in [2, 7] {
                    let worst = check(&Recipe::plain(axes, joints), 1, exponent.unsigned_abs().into());
                    println!("{axes:?}, {joints} joints: {worst:?}");
                }
            }
        }
    }
}

#[test]
fn chains_of_all_kinds_of_joints() {
    for joints in 1..=12 {
        for (seed, axes) in [Axes::Any, Axes::Square, Axes::Mixed, Axes::Parallel].into_iter().enumerate() {
            let recipe = Recipe { prismatic: 3, fixed: 5, mimic: 5, ..Recipe::plain(axes, joints) };
            let worst = check(&recipe, 3, seed as u64);
            println!("{axes:?}, {joints} joints: {worst:?}");
            let worst = check(&Recipe { any_base: true, ..recipe }, 3, seed as u64);
            println!("{axes:?}, {joints} joints from anywhere: {worst:?}");
        }
    }
}

#[test]
fn trees() {
    for joints in [2, 3, 5, 8, 12] {
        for (seed, axes) in [Axes::Any, Axes::Square, Axes::Mixed, Axes::Mixed].into_iter().enumerate() {
            for tips in 1..=3 {
                let worst = check(&Recipe::tree(axes, joints, tips.min(joints)), 4, seed as u64);
                println!("{axes:?}, {joints} joints, {tips} tips: {worst:?}");
            }
        }
    }
}

#[test]
fn chains_of_a_hundred_joints() {
    for axes in [Axes::Any, Axes::Square, Axes::Mixed, Axes::Parallel, Axes::NearlyParallel(1e-6)] {
        let worst = check(&Recipe::plain(axes, 100), 2, 3);
        println!("{axes:?}: {worst:?}");
        let worst = check(&Recipe::tree(axes, 100, 3), 2, 4);
        println!("{axes:?}, a tree: {worst:?}");
    }
}

/// Rows, columns and the step of each lane, from configurations within ±0.1 of the goals, with narrow bounds.
fn outcome(four: &mut Four) -> Vec<f64> {
    let n = four.chain.variables().len();
    let lanes = |lanes: &[[Lanes; 6]]| lanes.iter().flatten().flat_map(|entry| entry.0).collect::<Vec<f64>>();
    for i in 0..n {
        let around = four.positions[1][i];
        (four.lower[i], four.upper[i]) = (around - 0.05, around + 0.05);
        for lane in 0..LANES {
            four.configurations.positions[i].0[lane] = around + [0.01, -0.04, 0.03, 0.0][(i + lane) % LANES];
        }
    }
    four.measure();
    four.linearise();
    let mut all = lanes(&four.configurations.rows);
    all.extend(lanes(&four.configurations.columns));
    all.extend(four.configurations.squared_error.0);
    let damping = Lanes([1e-6, 1e-3, 0.1, 0.0]);
    four.damped_step(&damping, &Lanes([1.0, 1.0, 0.0, 1.0]));
    all.extend(four.configurations.step.iter().flat_map(|step| step.0));
    all.extend(four.configurations.positions.iter().flat_map(|position| position.0));
    all
}

/// Chains with and without fixed size, and trees.
fn recipes() -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = (1..=10).map(|joints| Recipe::plain(Axes::Mixed, joints)).collect();
    recipes.extend((1..=10).map(|joints| Recipe { prismatic: 3, ..Recipe::plain(Axes::Any, joints) }));
    recipes.extend((1..=4).map(|tips| Recipe::tree(Axes::Mixed, 9, tips)));
    recipes
}

#[test]
fn a_size_that_the_compiler_knows_changes_nothing() {
    let (mut random, mut worst) = (Random::new(11), 0.0_f64);
    for recipe in recipes() {
        for _ in 0..3 {
            let (chain, text) = recipe.make(&mut random);
            let mut four = Four::new(&chain, &mut random);
            let mut other = four.without_fixed_size();
            for four in [&mut four, &mut other] {
                four.set_goals(&four.targets_of(0));
            }
            for (a, b) in outcome(&mut four).into_iter().zip(outcome(&mut other)) {
                worst = worst.max((a - b).abs());
                assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} or {b}: {text}");
            }
        }
    }
    println!("{worst:e}");
}

#[test]
fn every_set_of_vector_instructions_gives_the_same_bits() {
    let levels = levels();
    println!("{levels:?}");
    let mut random = Random::new(12);
    for recipe in recipes() {
        for _ in 0..3 {
            let (chain, text) = recipe.make(&mut random);
            let mut four = Four::new(&chain, &mut random);
            four.set_goals(&four.targets_of(0));
            let mut all = levels.iter().map(|level| {
                four.kernel.level = *level;
                outcome(&mut four).into_iter().map(f64::to_bits).collect::<Vec<_>>()
            });
            let first = all.next().unwrap();
            assert!(all.all(|other| other == first), "{text}");
        }
    }
}
