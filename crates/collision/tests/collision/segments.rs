//! The clear part of a straight motion, against distances at many of its configurations.

use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::collision::{
    Clearance, Geometry, KnownGaps, MotionCheck, NearStart, Obstacle, Pairs, Scene, SceneScratch, SegmentScratch,
    World, interpolate_into,
};
use urdf_ik::robot::Chain;

use crate::common::Random;
use crate::robots::Shaped;

const MARGIN: f64 = 0.01;
const RESOLUTION: f64 = 1e-3;

/// The scene of the two links `fixed` and `free`, with `world` around.
fn scene(fixed: &str, free: &str, world: &World) -> (Scene, Chain) {
    let shaped = Shaped::two(fixed, free, None);
    let chain = Chain::new(&shaped.robot, "fixed", &["free"]).unwrap();
    let pairs = Pairs::of_chain(&shaped.robot, &chain, &shaped.shapes, None).unwrap();
    let rest = shaped.robot.neutral_positions();
    (Scene::new(&shaped.robot, &chain, &shaped.shapes, &pairs, world, &rest).unwrap(), chain)
}

/// Two spheres of 0.1 m, the second of which moves along x in front.
fn spheres() -> Scene {
    let sphere = r#"<sphere radius="0.1"/>"#;
    scene(sphere, sphere, &World::default()).0
}

fn along_x(x: f64) -> Vec<f64> {
    vec![x, 0.0, 0.0, 0.0, 0.0, 0.0]
}

/// The distance of each pair at `positions`, in the order of the pairs; infinite beyond 0.1 m.
fn distances(scene: &Scene, positions: &[f64]) -> Vec<f64> {
    let mut scratch = SceneScratch::default();
    scene.find_near(positions, 0.1, &mut scratch);
    let mut all = vec![f64::INFINITY; scene.pairs().len()];
    scratch.near.iter().for_each(|near| all[near.pair] = near.distance);
    all
}

#[test]
fn a_motion_ends_where_a_pair_reaches_the_margin() {
    let scene = spheres();
    let clearance = Clearance { scene: &scene, margin: MARGIN };
    let mut scratch = SegmentScratch::default();
    let mut part = |from: f64, to: f64| clearance.free_part(&along_x(from), &along_x(to), RESOLUTION, &mut scratch);
    let stopped = part(-1.0, 1.0);
    let exact = (1.0 - 0.2 - MARGIN) / 2.0;
    assert!((0.0..1e-5).contains(&(exact - stopped.fraction)), "{stopped:?}");
    assert_eq!(stopped.stopped_by.unwrap().pair, 0);
    for (from, to) in [(-1.0, -0.22), (-0.3, -1.0), (-0.5, -0.5), (-1.0, -0.2101), (2.0, 0.5)] {
        let free = part(from, to);
        assert_eq!((free.fraction, free.stopped_by), (1.0, None), "{from} to {to}");
    }
}

#[test]
fn a_pair_within_the_margin_may_open_but_not_close() {
    let scene = spheres();
    let clearance = Clearance { scene: &scene, margin: MARGIN };
    let mut scratch = SegmentScratch::default();
    let mut part = |from: &[f64], to: &[f64]| clearance.free_part(from, to, RESOLUTION, &mut scratch);
    let near = along_x(0.205);
    assert_eq!(part(&near, &along_x(0.5)).fraction, 1.0);
    // A mere rotation keeps the distance.
    let turned: Vec<f64> = near.iter().enumerate().map(|(i, x)| if i == 5 { 1.0 } else { *x }).collect();
    assert_eq!(part(&near, &turned).fraction, 1.0);
    let closing = part(&near, &along_x(0.201));
    assert!(closing.fraction < 0.01, "{closing:?}");
    // A gap that has opened may not close below its initial value.
    let through = part(&near, &along_x(-0.5));
    assert!(through.fraction < 0.01, "{through:?}");
    // Leaving a contact.
    assert_eq!(part(&along_x(0.15), &along_x(0.5)).fraction, 1.0);
}

/// A cylinder that moves around a box and three balls.
fn cylinder_among_balls(random: &mut Random) -> Scene {
    let mut world = World::default();
    for at in 0..3 {
        let mut obstacle = Obstacle::default();
        obstacle.add_primitive(Geometry::Sphere { radius: 0.05 }, &Isometry3::identity()).unwrap();
        let place = Isometry3::translation(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.3);
        world.add(&format!("ball{at}"), Arc::new(obstacle), place).unwrap();
    }
    scene(r#"<box size="0.4 0.3 0.2"/>"#, r#"<cylinder radius="0.05" length="0.6"/>"#, &world).0
}

#[test]
fn nothing_is_missed_on_the_way() {
    let mut random = Random::new(3);
    let scene = cylinder_among_balls(&mut random);
    let clearance = Clearance { scene: &scene, margin: MARGIN };
    let mut scratch = SegmentScratch::default();
    let (mut free, mut stopped) = (0, 0);
    for _ in 0..60 {
        let mut positions = || (0..6).map(|_| random.between(-0.8, 0.8)).collect::<Vec<f64>>();
        let (from, to) = (positions(), positions());
        let start = distances(&scene, &from);
        let part = clearance.free_part(&from, &to, RESOLUTION, &mut scratch);
        let mut at = from.clone();
        let mut room = |fraction: f64| {
            interpolate_into(&from, &to, fraction, &mut at);
            let room = distances(&scene, &at).into_iter().zip(&start).map(|(d, start)| d - start.min(MARGIN));
            room.fold(f64::INFINITY, f64::min)
        };
        for sample in 0..=500 {
            let fraction = part.fraction * f64::from(sample) / 500.0;
            assert!(room(fraction) >= -RESOLUTION, "{from:?} to {to:?} at {fraction} of {part:?}");
        }
        assert!(room(part.fraction) >= 0.0, "{part:?}");
        match part.stopped_by {
            Some(_) => stopped += 1,
            None => free += 1,
        }
    }
    assert!(free > 5 && stopped > 5, "{free} free, {stopped} stopped");
}

/// A cylinder circles among the balls, so that most checks are saved by known gaps.
#[test]
fn what_is_known_of_the_gaps_hides_nothing() {
    let mut random = Random::new(7);
    let scene = cylinder_among_balls(&mut random);
    let rule = MotionCheck {
        clearance: Clearance { scene: &scene, margin: MARGIN },
        near_start: NearStart::OpenOnly,
        resolution: RESOLUTION,
    };
    let (mut scratch, mut gaps) = (SegmentScratch::default(), KnownGaps::default());
    let (mut free, mut stopped) = (0, 0);
    let mut here = vec![0.4, 0.4, -0.4, 0.0, 0.0, 0.0];
    for _ in 0..600 {
        let mut step = |from: &[f64]| -> Vec<f64> {
            from.iter().map(|x| (x + random.between(-0.1, 0.1)).clamp(-0.4, 0.4)).collect()
        };
        let middle = step(&here);
        let there = step(&middle);
        let corners: [&[f64]; 3] = [&here, &middle, &there];
        let start = distances(&scene, &here);
        let mut least = f64::INFINITY;
        let mut at = here.clone();
        for sample in 0..=200 {
            let (line, place) = (usize::from(sample > 100), if sample > 100 { sample - 100 } else { sample });
            interpolate_into(corners[line], corners[line + 1], f64::from(place) / 100.0, &mut at);
            let room = distances(&scene, &at).into_iter().zip(&start).map(|(d, start)| d - start.min(MARGIN));
            least = room.fold(least, f64::min);
        }
        let checked = rule.check(&corners, Some(&mut gaps), &mut scratch);
        if checked.is_ok() {
            assert!(least >= -RESOLUTION, "{corners:?}: {least}");
            free += 1;
            here = there;
        } else {
            // The motion stops between two of the configurations here.
            assert!(least < 5e-3, "{corners:?}: {least}");
            stopped += 1;
        }
    }
    assert!(free > 50 && stopped > 50, "{free} free, {stopped} stopped");
}

#[test]
fn no_distance_changes_by_more_than_the_greatest_motion() {
    let (scene, _) = scene(r#"<sphere radius="0.05"/>"#, r#"<box size="0.1 0.2 0.3"/>"#, &World::default());
    let mut random = Random::new(5);
    let mut tightest = 0.0_f64;
    for _ in 0..2000 {
        let from: Vec<f64> = (0..6).map(|_| random.between(-0.2, 0.2)).collect();
        let to: Vec<f64> = from.iter().map(|from| from + random.between(-0.02, 0.02)).collect();
        let [before, after] = [&from, &to].map(|positions| distances(&scene, positions)[0]);
        if before.max(after) > 0.1 || before.min(after) <= 0.0 {
            continue;
        }
        let [of_all, of_pair] = [scene.greatest_motion(&from, &to), scene.greatest_motion_of(0, &from, &to)];
        assert!((after - before).abs() <= of_pair + 1e-9 && of_pair <= of_all, "{from:?} {to:?}");
        tightest = tightest.max((after - before).abs() / of_pair);
    }
    assert!(tightest > 0.5, "the bound is at most {tightest} of the observed value");
}
