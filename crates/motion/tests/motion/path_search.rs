//! Paths whose start is free, or on which tracking ends early: searched over branches, self-motions and free axes.

use std::sync::{Arc, Mutex};

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use urdf_ik::collision::{Clearance, Geometry, LinkShapes, Obstacle, Pairs, Scene, SceneScratch, World};
use urdf_ik::motion::{
    BranchEnd, FollowError, FollowOptions, Followed, JointLimits, MotionLimits, NextPose, Path, PathOptions,
    PathProblem, StopReason, follow, follow_until, follow_watched,
};
use urdf_ik::robot::MeshFolders;
use urdf_ik::solver::Target;

use crate::common::{self, Arm, Random, distance, urdf};

/// Paths of random motions of the joints.
const CASES: usize = 20;

fn limits(arm: &Arm) -> MotionLimits {
    MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default())
}

/// Two links of 0.5 m in the plane, with a sphere at the end; the shoulder turns by up to `limit` \[rad\].
fn two_links(limit: f64) -> (Arm, String) {
    let limit = format!("<axis xyz='0 0 1'/><limit lower='-{limit}' upper='{limit}'/>");
    let joints = urdf::joint("shoulder", "revolute", "base", "upper", &limit)
        + &urdf::turn("elbow", "upper", "lower", "0.5 0 0", "0 0 1")
        + &urdf::fixed("end", "lower", "tip", "0.5 0 0");
    let text = urdf::robot("base upper lower tip", &joints).replace(
        "<link name='tip'/>",
        "<link name='tip'><collision><geometry><sphere radius='0.02'/></geometry></collision></link>",
    );
    (Arm::from_text(&text, "base", &["tip"]), text)
}

/// In the plane, with any orientation.
fn in_plane() -> Target {
    Target::new(0, Isometry3::identity()).with_free_axes([false, false, true, true, true, true])
}

/// A ball of 5 cm.
fn ball() -> Arc<Obstacle> {
    let mut ball = Obstacle::default();
    ball.add_primitive(Geometry::Sphere { radius: 0.05 }, &Isometry3::identity()).unwrap();
    Arc::new(ball)
}

fn line(corners: &[[f64; 2]]) -> Path {
    let poses: Vec<_> = corners.iter().map(|at| Isometry3::translation(at[0], at[1], 0.0)).collect();
    Path::new(&poses, PathOptions::default()).unwrap()
}

/// A line that only the left elbow can follow to its end, with shoulder limits of 0.9 rad: both branches are possible
/// at its start.
fn line_of_one_branch() -> (Path, Vec<f64>) {
    let (sine, cosine) = 1.4_f64.sin_cos();
    let half = 0.7_f64.acos();
    (line(&[[0.7, 0.0], [0.7 * cosine, 0.7 * sine]]), vec![half, -2.0 * half])
}

fn joint_length(followed: &Followed) -> f64 {
    let curve = followed.curve.as_ref().unwrap();
    let at = |i: u32| curve.positions_at(curve.length() * f64::from(i) / 500.0);
    let step = |i: u32| at(i).iter().zip(at(i + 1)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    (0..500).map(step).sum()
}

fn bits(followed: &Followed) -> Vec<u64> {
    let curve = followed.curve.as_ref().unwrap();
    let at = |i: u32| curve.positions_at(curve.length() * f64::from(i) / 100.0);
    (0..=100).flat_map(at).map(f64::to_bits).collect()
}

#[test]
fn a_free_start_is_on_the_branch_that_leads_to_the_end() {
    let (arm, _) = two_links(0.9);
    let (path, right) = line_of_one_branch();
    let (target, limits, solver) = (in_plane(), limits(&arm), arm.solver());
    let problem = PathProblem::new(&path, &target, &right, &limits);
    let given = follow(&solver, &problem, &FollowOptions::default()).unwrap();
    assert!(given.fraction < 0.9, "{:?}", given.stop);
    let free = follow(&solver, &problem.with_free_start(true), &FollowOptions::default()).unwrap();
    assert_eq!(free.fraction, 1.0, "{:?}", free.stop);
    let first = free.curve.as_ref().unwrap().positions_at(0.0);
    assert!(first[1] > 0.0, "{first:?}");
    assert!(distance(&arm.tip_poses(&first)[0], &path.pose_at(0.0)).0 < 1e-5);
    let again = follow(&solver, &problem.with_free_start(true), &FollowOptions::default()).unwrap();
    assert_eq!(bits(&free), bits(&again));
    // A start outside the limits is no start.
    let outside = [5.0, 0.0];
    let problem = PathProblem::new(&path, &target, &outside, &limits);
    assert!(matches!(
        follow(&solver, &problem, &FollowOptions::default()).unwrap_err(),
        FollowError::StartOutsideLimits { .. }
    ));
    assert_eq!(follow(&solver, &problem.with_free_start(true), &FollowOptions::default()).unwrap().fraction, 1.0);
}

#[test]
fn poses_that_cannot_be_connected_are_distinguished_from_poses_without_solution() {
    let (arm, text) = two_links(0.9);
    let (path, right) = line_of_one_branch();
    let (target, limits, solver) = (in_plane(), limits(&arm), arm.solver());
    let stop = |path: &Path, clearance: Option<Clearance>| {
        let problem = PathProblem::new(path, &target, &right, &limits).with_clearance(clearance);
        follow(&solver, &problem, &FollowOptions::default()).unwrap().stop.unwrap()
    };
    let unconnected = stop(&path, None);
    let NextPose::Unconnected { length, ends } = &unconnected.next_pose else { panic!("{unconnected}") };
    assert!(*length > unconnected.length && *length <= unconnected.length + 0.011);
    assert_eq!(*ends, [BranchEnd::JointLimits { joints: vec!["shoulder".to_owned()] }]);
    assert!(unconnected.to_string().ends_with("the branches end at the limits of shoulder"), "{unconnected}");
    // Beyond the reach of both.
    let far = stop(&line(&[[0.7, 0.0], [3.0, 0.0]]), None);
    assert_eq!(far.next_pose, NextPose::NoSolution, "{far}");
    // An obstacle over the line.
    let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None)).unwrap();
    let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
    let mut world = World::default();
    let middle = path.pose_at(0.08).translation.vector;
    world.add("ball", ball(), Isometry3::translation(middle.x, middle.y, 0.0)).unwrap();
    let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &arm.robot.neutral_positions()).unwrap();
    let blocked = stop(&path, Some(Clearance { scene: &scene, margin: 1e-3 }));
    assert!(matches!(blocked.reason, StopReason::Collision { .. }), "{blocked}");
    assert_eq!(blocked.next_pose, NextPose::NoSolution, "{blocked}");
    assert!(blocked.to_string().contains("no solution was found for the next pose: "), "{blocked}");
}

/// The tip is on the path, and the joints are inside their limits.
fn check(arm: &Arm, path: &Path, followed: &Followed, what: &str) {
    let curve = followed.curve.as_ref().unwrap();
    let allowed = FollowOptions::default().deviation;
    for i in 0..=1000 {
        let length = curve.length() * f64::from(i) / 1000.0;
        let positions = curve.positions_at(length);
        assert!(arm.chain.contains(&positions), "{what}: {positions:?}");
        let apart = distance(&arm.tip_poses(&positions)[0], &path.pose_at(length));
        assert!(apart.0 <= allowed.position && apart.1 <= allowed.orientation, "{what}: {apart:?} at {length}");
    }
}

/// The poses of the tip along a smooth motion of the joints between two configurations, which therefore exists.
fn path_of_joints(arm: &Arm, [from, to]: &[Vec<f64>; 2]) -> Path {
    let at = |part: f64| -> Vec<f64> { from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect() };
    let poses: Vec<_> = (0..=100).map(|i| arm.tip_poses(&at(f64::from(i) / 100.0))[0]).collect();
    Path::new(&poses, PathOptions::default().with_blend_radius(0.005)).unwrap()
}

#[test]
fn a_search_leads_farther_than_tracking_and_keeps_what_tracking_completes() {
    let arm = common::bundled_arms().swap_remove(0);
    let (limits, solver, target) = (limits(&arm), arm.solver(), Target::new(0, Isometry3::identity()));
    let mut random = Random::new(7);
    let (mut tracked_whole, mut searched_whole) = (0, 0);
    for case in 0..CASES {
        let ends = [random.positions(&arm.chain), random.positions(&arm.chain)];
        let path = path_of_joints(&arm, &ends);
        let problem = PathProblem::new(&path, &target, &ends[0], &limits);
        let tracked = follow(&solver, &problem, &FollowOptions::default().with_search(0)).unwrap();
        let searched = follow(&solver, &problem, &FollowOptions::default()).unwrap();
        check(&arm, &path, &searched, &format!("{case}"));
        assert!(searched.fraction > tracked.fraction - 0.01, "{case}: {:?}", searched.stop);
        tracked_whole += usize::from(tracked.fraction == 1.0);
        searched_whole += usize::from(searched.fraction == 1.0);
        if tracked.fraction == 1.0 {
            assert_eq!(bits(&tracked), bits(&searched), "{case}");
        }
        if let Some(stop) = &searched.stop {
            println!("{case}: {stop}");
        }
    }
    println!("{tracked_whole} of {CASES} tracked to the end, {searched_whole} searched");
    assert!(tracked_whole > 1 && searched_whole > tracked_whole + 3, "{tracked_whole} {searched_whole}");
    assert!(10 * searched_whole >= 9 * CASES, "{searched_whole}");
}

#[test]
fn a_free_start_is_as_good_as_the_best_of_many() {
    let arm = common::bundled_arms().swap_remove(0);
    let (limits, solver) = (limits(&arm), arm.solver());
    let down = |at: [f64; 3]| Isometry3::new(at.into(), Vector3::new(std::f64::consts::PI, 0.0, 0.0));
    let poses = [[0.45, -0.3, 0.3], [0.45, 0.3, 0.3], [0.3, 0.35, 0.5]].map(down);
    let path = Path::new(&poses, PathOptions::default().with_blend_radius(0.02)).unwrap();
    let target = Target::new(0, poses[0]);
    let mut random = Random::new(8);
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        let seed = random.positions(&arm.chain);
        let problem = PathProblem::new(&path, &target, &seed, &limits);
        let followed = follow(&solver, &problem, &FollowOptions::default().with_search(0)).unwrap();
        if followed.fraction == 1.0 {
            best = best.min(joint_length(&followed));
        }
    }
    let seed = arm.chain.nominal_positions();
    let problem = PathProblem::new(&path, &target, &seed, &limits).with_free_start(true);
    let free = follow(&solver, &problem, &FollowOptions::default()).unwrap();
    assert_eq!(free.fraction, 1.0, "{:?}", free.stop);
    check(&arm, &path, &free, "free start");
    let length = joint_length(&free);
    println!("joint length {length:.3}, best of twelve {best:.3}");
    assert!(length <= 1.1 * best, "{length} {best}");
}

#[test]
fn all_joints_count_alike_in_the_motion_from_a_free_start() {
    let arm = common::bundled_arms().swap_remove(0);
    let (mut limits, solver, seed) = (limits(&arm), arm.solver(), arm.chain.nominal_positions());
    let down = |y: f64| Isometry3::new([0.45, y, 0.3].into(), Vector3::new(std::f64::consts::PI, 0.0, 0.0));
    let path = Path::new(&[-0.3, 0.3].map(down), PathOptions::default()).unwrap();
    let target = Target::new(0, path.pose_at(0.0));
    let follow = |limits: &MotionLimits, free_start: bool| {
        let problem = PathProblem::new(&path, &target, &seed, limits).with_free_start(free_start);
        bits(&follow(&solver, &problem, &FollowOptions::default()).unwrap())
    };
    let [free, given] = [true, false].map(|is_free| follow(&limits, is_free));
    let greatest = limits.velocities.iter().copied().fold(0.0, f64::max);
    let slowed = limits.velocities.iter().position(|limit| *limit < greatest).unwrap_or(0);
    limits.velocities[slowed] *= 0.1;
    assert_eq!(free, follow(&limits, true));
    assert_ne!(given, follow(&limits, false));
}

#[test]
fn a_free_start_is_clear_where_a_shorter_motion_starts_in_contact() {
    let (arm, text) = two_links(3.0);
    let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None)).unwrap();
    let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
    // The tip moves along x, with any y.
    let target = Target::new(0, Isometry3::identity()).with_free_axes([false, true, true, true, true, true]);
    let (limits, solver, seed, path) = (limits(&arm), arm.solver(), [0.8, -1.0], line(&[[0.5, 0.0], [0.7, 0.0]]));
    let problem = PathProblem::new(&path, &target, &seed, &limits).with_free_start(true);
    let alone = follow(&solver, &problem, &FollowOptions::default()).unwrap().curve.unwrap();
    let start = arm.tip_poses(&alone.positions_at(0.0))[0].translation;
    let (rest, mut scratch) = (arm.robot.neutral_positions(), SceneScratch::default());
    for place in 0..16 {
        // The bodies touch at 7 cm.
        let (sine, cosine) = (f64::from(place) * std::f64::consts::FRAC_PI_8).sin_cos();
        let mut world = World::default();
        let (x, y) = (start.x + 0.065 * cosine, start.y + 0.065 * sine);
        // The path has a mirror image, whose motion is as long.
        for (name, y) in [("ball", y), ("image", -y)] {
            world.add(name, ball(), Isometry3::translation(x, y, 0.0)).unwrap();
        }
        let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &rest).unwrap();
        let problem = problem.with_clearance(Some(Clearance { scene: &scene, margin: 1e-3 }));
        let followed = follow(&solver, &problem, &FollowOptions::default()).unwrap();
        assert_eq!(followed.fraction, 1.0, "ball {place}: {:?}", followed.stop);
        let curve = followed.curve.unwrap();
        for i in 0..=200 {
            let positions = curve.positions_at(curve.length() * f64::from(i) / 200.0);
            assert!(scene.is_free(&positions, 5e-4, &mut scratch), "ball {place}: {positions:?} at {i}");
        }
    }
}

#[test]
fn a_free_start_keeps_the_margin_where_the_shortest_motion_begins_inside_it_and_leaves_it() {
    let (arm, text) = two_links(3.0);
    let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None)).unwrap();
    let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
    let target = Target::new(0, Isometry3::identity()).with_free_axes([false, true, true, true, true, true]);
    let (limits, solver, seed, path) = (limits(&arm), arm.solver(), [0.8, -1.0], line(&[[0.1, 0.0], [0.3, 0.0]]));
    let problem = PathProblem::new(&path, &target, &seed, &limits).with_free_start(true);
    let alone = follow(&solver, &problem, &FollowOptions::default()).unwrap().curve.unwrap();
    let start = arm.tip_poses(&alone.positions_at(0.0))[0].translation;
    let (rest, margin, mut scratch) = (arm.robot.neutral_positions(), 1e-2, SceneScratch::default());
    for place in 1..=8 {
        // 5 mm of free space at that start.
        let (angle, mut world) = (f64::from(place) * std::f64::consts::FRAC_PI_8, World::default());
        let shift = Isometry3::translation(0.075 * angle.cos(), 0.075 * angle.sin(), 0.0);
        world.add("ball", ball(), start * shift).unwrap();
        let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &rest).unwrap();
        assert!(!scene.is_free(&alone.positions_at(0.0), margin, &mut scratch), "ball {place}");
        let problem = problem.with_clearance(Some(Clearance { scene: &scene, margin }));
        let first = follow(&solver, &problem, &FollowOptions::default()).unwrap().curve.unwrap().positions_at(0.0);
        assert!(scene.is_free(&first, margin - 1e-4, &mut scratch), "ball {place}: {first:?}");
    }
}

#[test]
fn a_curve_that_would_miss_an_end_of_the_path_keeps_its_ends() {
    let text = std::fs::read_to_string(common::root().join("urdf/arm7.urdf")).unwrap();
    let arm = Arm::from_text(&text, "base_link", &["tool0"]);
    // A circle near the greatest reach, where corrections of the tip converge slowly.
    let (middle, outward, along) =
        (Vector3::new(0.548, -0.358, 0.631), Vector3::new(-0.053, 0.042, 0.105), Vector3::new(-0.072, -0.102, 0.005));
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(0.648, 0.589, 0.396, 0.275));
    let pose = |part: i32| {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(part) / 106.0).sin_cos();
        Isometry3::from_parts((middle + (cosine - 1.0) * outward + sine * along).into(), rotation)
    };
    let poses: Vec<_> = (-53..=53).map(pose).collect();
    let path = Path::new(&poses, PathOptions::default().with_blend_radius(5e-4)).unwrap();
    let (target, limits, seed) = (Target::new(0, poses[0]), limits(&arm), arm.chain.nominal_positions());
    let problem = PathProblem::new(&path, &target, &seed, &limits).with_free_start(true);
    let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
    assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
    let curve = followed.curve.unwrap();
    for length in [0.0, curve.length()] {
        let (position, angle) = distance(&arm.tip_poses(&curve.positions_at(length))[0], &path.pose_at(length));
        assert!(position <= target.tolerance.position && angle <= target.tolerance.orientation, "{position} {angle}");
    }
}

#[test]
fn a_search_stays_clear_of_obstacles_and_can_be_interrupted() {
    let (arm, text) = two_links(3.0);
    let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None)).unwrap();
    let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
    let mut world = World::default();
    world.add("ball", ball(), Isometry3::translation(0.5, 0.1, 0.0)).unwrap();
    let rest = arm.robot.neutral_positions();
    let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &rest).unwrap();
    let (target, limits, seed) = (in_plane(), limits(&arm), [0.0, 0.0]);
    let path = line(&[[0.4, -0.4], [0.7, 0.0]]);
    let problem = PathProblem::new(&path, &target, &seed, &limits)
        .with_free_start(true)
        .with_clearance(Some(Clearance { scene: &scene, margin: 1e-3 }));
    let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
    assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
    let (curve, mut scratch) = (followed.curve.unwrap(), SceneScratch::default());
    for i in 0..=1000 {
        let positions = curve.positions_at(curve.length() * f64::from(i) / 1000.0);
        assert!(scene.is_free(&positions, 5e-4, &mut scratch), "{positions:?}");
    }
    let interrupted = follow_until(&arm.solver(), &problem, &FollowOptions::default(), &|| true);
    assert_eq!(interrupted.unwrap_err(), FollowError::Interrupted);
}

#[test]
fn a_free_start_passes_near_a_singularity() {
    let (arm, _) = two_links(3.0);
    let (target, limits, seed) = (in_plane(), limits(&arm), [0.5, 1.0]);
    // At 3 mm from the shoulder, which turns by half a revolution there.
    let path = line(&[[-0.3, 0.003], [0.3, 0.003]]);
    let problem = PathProblem::new(&path, &target, &seed, &limits).with_free_start(true);
    let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
    assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
    let curve = followed.curve.unwrap();
    for i in 0..=1000 {
        let length = curve.length() * f64::from(i) / 1000.0;
        let apart =
            arm.tip_poses(&curve.positions_at(length))[0].translation.vector - path.pose_at(length).translation.vector;
        assert!(apart.norm() <= FollowOptions::default().deviation.position, "{apart:?} at {length}");
    }
}

#[test]
fn of_equally_long_motions_a_free_start_chooses_the_one_with_more_clearance() {
    let (arm, text) = two_links(3.0);
    let shapes = LinkShapes::of_urdf(
        &text.replace(
            "<link name='lower'/>",
            "<link name='lower'><collision><geometry><sphere radius='0.02'/></geometry></collision></link>",
        ),
        &arm.robot,
        &MeshFolders::new([], None),
    )
    .unwrap();
    let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
    let (target, limits, path) = (in_plane(), limits(&arm), line(&[[0.6, 0.0], [0.8, 0.0]]));
    for side in [-1.0, 1.0] {
        // The elbow moves from (0.3, 0.4) to (0.4, 0.3), and with the other branch to the other side.
        let mut world = World::default();
        world.add("ball", ball(), Isometry3::translation(0.41, side * 0.41, 0.0)).unwrap();
        let rest = arm.robot.neutral_positions();
        let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &rest).unwrap();
        for elbow in [-1.8, 1.8] {
            let seed = [-0.5 * elbow, elbow];
            let problem = PathProblem::new(&path, &target, &seed, &limits)
                .with_free_start(true)
                .with_clearance(Some(Clearance { scene: &scene, margin: 1e-3 }));
            let followed = follow(&arm.solver(), &problem, &FollowOptions::default()).unwrap();
            assert_eq!(followed.fraction, 1.0, "{:?}", followed.stop);
            let first = followed.curve.unwrap().positions_at(0.0);
            assert!(side * first[0] < 0.0, "{first:?} beside a ball at {side}");
        }
    }
}

#[test]
fn a_search_reports_its_progress_and_can_be_interrupted_in_the_middle() {
    let (arm, _) = two_links(0.9);
    let (path, right) = line_of_one_branch();
    let (target, limits, solver) = (in_plane(), limits(&arm), arm.solver());
    let problem = PathProblem::new(&path, &target, &right, &limits).with_free_start(true);
    let reports = Mutex::new(Vec::new());
    let watch = |progress: f64| {
        reports.lock().unwrap().push(progress);
        false
    };
    let watched = follow_watched(&solver, &problem, &FollowOptions::default(), &watch).unwrap();
    assert_eq!(bits(&watched), bits(&follow(&solver, &problem, &FollowOptions::default()).unwrap()));
    let reports = reports.into_inner().unwrap();
    assert!(reports.is_sorted() && reports[0] == 0.0 && reports[reports.len() - 1] <= 1.0, "{reports:?}");
    assert!(reports[reports.len() - 1] > 0.4, "{reports:?}");
    let interrupted = follow_watched(&solver, &problem, &FollowOptions::default(), &|progress| progress > 0.2);
    assert_eq!(interrupted.unwrap_err(), FollowError::Interrupted);
}
