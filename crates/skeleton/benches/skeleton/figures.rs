//! The bundled skeletons with limits: sets of targets for all end effectors, half of them with orientations, from rest.

use nalgebra::Isometry3;
use urdf_ik::skeleton::file::{Model, NamedSkeleton};
use urdf_ik::skeleton::{Root, SkeletonOptions, SkeletonProblem, SkeletonTarget};

use urdf_ik_testing::joints::{Spread, rotation};
use urdf_ik_testing::measure::{Times, number};
use urdf_ik_testing::random::Random;
use urdf_ik_testing::root;

use super::Fallible;

/// Target sets per skeleton.
const SETS: usize = 200;

pub fn table() -> Fallible<()> {
    println!("\nBundled figures with limits: {SETS} sets of targets for all ends, to 1e-4 of the height, from rest\n");
    println!(
        "| figure | configurations | solved [%] | mean [µs] | 95 % [µs] | longest [µs] | mean iterations | mean restarts |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for name in ["humanoid", "hand"] {
        let file = root().join("config/skeletons").join(name).with_extension("yaml");
        let Model::Skeleton(figure) = Model::read(&file)? else { return Err("no skeleton".into()) };
        row(&figure, Spread::Even, "even")?;
        row(&figure, Spread::Border, "many joints at limits")?;
    }
    Ok(())
}

fn row(figure: &NamedSkeleton, spread: Spread, how: &str) -> Fallible<()> {
    let NamedSkeleton { name, skeleton, ends, rest, .. } = figure;
    let heights = || rest.points.iter().map(|point| point.z);
    let height = heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min);
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height.max(0.1)).with_orientation_tolerance(1e-4);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    let root = Isometry3::from_parts(rest.points[0].into(), rest.orientations[0]);
    let (mut random, mut micros) = (Random::new(1), Times::default());
    let (mut solved, mut iterations, mut restarts) = (0, 0, 0);
    for set in 0..SETS {
        let joints = (0..skeleton.segment_count()).filter_map(|segment| skeleton.segment(segment));
        let rotations: Vec<_> = joints.map(|segment| rotation(&mut random, &segment.joint, spread)).collect();
        let goal = skeleton.place(&root, &rotations)?;
        let target = |(index, &end): (usize, &usize)| {
            let target = SkeletonTarget::new(end, goal.points[end]);
            if (index + set).is_multiple_of(2) { target.with_orientation(goal.orientations[end]) } else { target }
        };
        let targets: Vec<_> = ends.iter().enumerate().map(target).collect();
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: rest, options };
        micros.add(|| skeleton.solve(&problem, &mut scratch, &mut solution))?;
        solved += usize::from(solution.is_solved());
        (iterations, restarts) = (iterations + solution.iterations, restarts + solution.restarts);
    }
    let (sets, mean) = (number(SETS), micros.mean());
    println!(
        "| {name} | {how} | {:.1} | {mean:.0} | {:.0} | {:.0} | {:.1} | {:.2} |",
        100.0 * number(solved) / sets,
        micros.percentile(95),
        micros.percentile(100),
        number(iterations) / sets,
        number(restarts) / sets
    );
    Ok(())
}
