//! Models from files: the meaning of their keys, and the bundled models.

use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::file::{Model, NamedSkeleton};
use urdf_ik::skeleton::{
    Limit, Range, Root, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonSolution, SkeletonTarget,
    pitch_yaw,
};

use crate::common::Random;

fn bundled(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("config/skeletons").join(name)
}

fn skeleton(text: &str) -> NamedSkeleton {
    match Model::from_yaml(text).unwrap_or_else(|e| panic!("{e}: {text}")) {
        Model::Skeleton(skeleton) => skeleton,
        Model::PitchYaw(_) => panic!("an arm of pitch and yaw: {text}"),
    }
}

fn read(name: &str) -> NamedSkeleton {
    skeleton(&std::fs::read_to_string(bundled(name)).unwrap())
}

/// The configuration in which each joint is turned from rest by `turn` of its segment's name and limit.
fn turned(model: &NamedSkeleton, mut turn: impl FnMut(&str, &Limit) -> UnitQuaternion<f64>) -> SkeletonConfiguration {
    let limit = |index: usize| model.skeleton.segment(index).unwrap().joint.limit;
    let names = model.points[1..].iter().enumerate();
    let root = Isometry3::from_parts(model.rest.points[0].into(), model.rest.orientations[0]);
    let rotations: Vec<_> = names.map(|(index, name)| turn(name, &limit(index))).collect();
    model.skeleton.place(&root, &rotations).unwrap()
}

/// A rotation well within a limit.
fn within(limit: &Limit, random: &mut Random) -> UnitQuaternion<f64> {
    let about = |axis: Vector3<f64>, angle: f64| UnitQuaternion::new(axis.normalize() * angle);
    match limit {
        Limit::Hinge { axis, angle } => about(*axis, angle.lower + random.unit() * (angle.upper - angle.lower)),
        Limit::Ball { cone, .. } => {
            let least = cone.up.min(cone.down).min(cone.left).min(cone.right);
            let across = Vector3::new(0.0, random.unit() - 0.5, random.unit() - 0.5);
            about(across, 0.9 * least * random.unit())
        }
        _ => about(random.direction(), 0.3),
    }
}

fn solve(model: &NamedSkeleton, targets: &[SkeletonTarget], options: SkeletonOptions) -> SkeletonSolution {
    let (seed, mut solution) = (&model.rest, model.skeleton.solution());
    let problem = SkeletonProblem { targets, root: Root::Fixed, seed, options };
    model.skeleton.solve(&problem, &mut model.skeleton.scratch(&options), &mut solution).unwrap();
    solution
}

#[test]
fn bundled_skeletons_meet_targets_within_their_limits() {
    for (name, ends) in [("noodle.yaml", 1), ("humanoid.yaml", 5), ("hand.yaml", 5)] {
        let model = read(name);
        assert_eq!(model.ends.len(), ends, "{name}");
        assert!(model.skeleton.violation(&model.rest).unwrap() < 1e-12, "{name}");
        let mut random = Random::new(7);
        for _ in 0..10 {
            let wish = turned(&model, |_, limit| within(limit, &mut random));
            assert!(model.skeleton.violation(&wish).unwrap() < 1e-12, "{name}");
            let targets: Vec<_> = model.ends.iter().map(|end| SkeletonTarget::new(*end, wish.points[*end])).collect();
            let solution = solve(&model, &targets, SkeletonOptions::default());
            assert!(solution.is_solved(), "{name}: {:?}", solution.residuals);
            assert!(model.skeleton.violation(&solution.configuration).unwrap() < 1e-9, "{name}");
        }
    }
}

#[test]
fn the_bundled_arm_of_pitch_and_yaw_reaches_within_its_bounds() {
    let Model::PitchYaw(model) = Model::read(&bundled("pitch_yaw.yaml")).unwrap() else { panic!("no arm") };
    assert_eq!(model.points.first().zip(model.points.last()), Some((&"base".to_owned(), &"tip".to_owned())));
    let (arm, count) = (&model.arm, model.arm.lengths().len());
    let (lower, upper) = arm.bounds();
    assert_eq!((lower[0].to_degrees().round(), upper[count + 1].to_degrees().round()), (-30.0, 60.0));
    let wish: Vec<f64> = (0..arm.variables()).map(|variable| if variable < count { 0.3 } else { -0.2 }).collect();
    let problem = pitch_yaw::PitchYawProblem {
        target: arm.tip(&wish).unwrap(),
        seed: &vec![0.0; arm.variables()],
        options: pitch_yaw::PitchYawOptions::default(),
    };
    let mut solution = arm.solution();
    arm.solve(&problem, &mut arm.scratch(), &mut solution).unwrap();
    assert!(solution.is_solved());
}

#[test]
fn the_humanoid_is_a_standing_person_whose_sides_mirror_each_other() {
    let model = read("humanoid.yaml");
    let rest = &model.rest;
    let at = |name: &str| rest.points[model.point(name).unwrap()];
    assert!((at("head").z - 1.75).abs() < 1e-9 && at("left_foot").z.abs() < 0.05);
    let mut pairs = 0;
    for (index, name) in model.points.iter().enumerate() {
        let Some(part) = name.strip_prefix("left_") else { continue };
        let other = model.point(&format!("right_{part}")).unwrap();
        pairs += 1;
        let (a, b) = (rest.points[index], rest.points[other]);
        assert!(((a.x - b.x).abs()).max((a.y + b.y).abs()).max((a.z - b.z).abs()) < 1e-12, "{name}");
        // The mirror image of a frame, kept right-handed by reversing its y axis.
        for (axis, sign) in [(Vector3::x(), 1.0), (Vector3::y(), -1.0), (Vector3::z(), 1.0)] {
            let (a, b) = (rest.orientations[index] * axis, rest.orientations[other] * axis * sign);
            assert!((Vector3::new(a.x, -a.y, a.z) - b).norm() < 1e-9, "{name}");
        }
        let limit = |point: usize| model.skeleton.segment(point - 1).unwrap().joint.limit;
        match (limit(index), limit(other)) {
            (Limit::Ball { cone, twist }, Limit::Ball { cone: mirrored, twist: opposite }) => {
                assert_eq!(
                    (cone.up, cone.down, cone.left, cone.right),
                    (mirrored.up, mirrored.down, mirrored.right, mirrored.left)
                );
                assert_eq!((twist.lower, twist.upper), (-opposite.upper, -opposite.lower));
            }
            (limit, mirrored) => assert_eq!(limit, mirrored, "a hinge across the body"),
        }
    }
    assert_eq!(pairs, 8);
}

#[test]
fn elbows_bend_forward_knees_back_and_fingers_down() {
    let bent = |file: &str, joint: &str, point: &str| {
        let model = read(file);
        let quarter = |name: &str, limit: &Limit| match limit {
            Limit::Hinge { axis, angle } if name == joint => {
                assert!(angle.nearest(0.9) == 0.9, "{joint}");
                UnitQuaternion::new(axis.normalize() * 0.9)
            }
            _ => UnitQuaternion::identity(),
        };
        let point = model.point(point).unwrap();
        turned(&model, quarter).points[point] - model.rest.points[point]
    };
    for side in ["left", "right"] {
        assert!(bent("humanoid.yaml", &format!("{side}_forearm"), &format!("{side}_hand")).x > 0.2, "{side}");
        assert!(bent("humanoid.yaml", &format!("{side}_shin"), &format!("{side}_shin")).x < -0.2, "{side}");
    }
    assert!(bent("hand.yaml", "index_middle", "index_tip").z < -0.02);
    // The thumb bends across the palm.
    assert!(bent("hand.yaml", "thumb_proximal", "thumb_tip").y < -0.02);
}

#[test]
fn the_cone_of_a_shoulder_opens_most_outward() {
    let model = read("humanoid.yaml");
    let swing = |name: &str, towards: Vector3<f64>| {
        let index = model.point(name).unwrap();
        let frame = model.rest.orientations[index];
        let Limit::Ball { cone, .. } = model.skeleton.segment(index - 1).unwrap().joint.limit else { panic!("{name}") };
        let local = frame.inverse() * towards;
        cone.limit(local.z.atan2(local.y)).to_degrees().round()
    };
    for part in ["upper_arm", "thigh"] {
        let (left, right) = (format!("left_{part}"), format!("right_{part}"));
        let (x, y) = (Vector3::x(), Vector3::y());
        assert_eq!([swing(&left, x), swing(&left, -x), swing(&left, y), swing(&left, -y)], [60.0, 40.0, 70.0, 30.0]);
        assert_eq!(
            [swing(&right, x), swing(&right, -x), swing(&right, -y), swing(&right, y)],
            [60.0, 40.0, 70.0, 30.0]
        );
    }
}

#[test]
fn lengths_with_rests_and_ends_say_the_same() {
    let by_length = skeleton(
        "name: l
root: {name: hip, position: [1, 2, 3], rotation: [0, 0, 90]}
segments:
  - {name: knee, length: 2, rest: [0, 90, 0]}
  - {name: foot, length: 1, rest: [0, -90, 0]}",
    );
    let by_end = skeleton(
        "kind: skeleton
ends: [foot]
segments:
  - {name: knee, parent: hip, end: [1, 2, 1]}
  - {name: foot, end: [1, 3, 1]}
root: {name: hip, position: [1, 2, 3], rotation: [0, 0, 90]}",
    );
    let (a, b) = (&by_length.rest, &by_end.rest);
    assert_eq!((by_length.name.as_str(), by_end.name.as_str()), ("l", "skeleton"));
    assert_eq!((&by_length.points, &by_length.ends), (&by_end.points, &by_end.ends));
    for (point, (a, b)) in a.points.iter().zip(&b.points).enumerate() {
        assert!((a - b).norm() < 1e-12, "{point}");
    }
    for (a, b) in a.orientations.iter().zip(&b.orientations) {
        assert!(a.angle_to(b) < 1e-7);
    }
}

#[test]
fn joints_are_what_the_keys_say() {
    let model = skeleton(
        "segments:
  - {name: free, length: 1}
  - {name: hinge, length: 1, hinge: {axis: [0, 2, 0], range: [-90, 180]}}
  - {name: any_angle, length: 1, hinge: {}}
  - {name: cone, parent: free, end: [2, 0, 0], up: [0, 1, 0], cone: {up: 90, down: 0, left: 180, right: 45, twist: [0, 360]}}
  - {name: any_twist, length: 1, cone: {up: 1, down: 1, left: 1, right: 1}}
  - {name: fixed, length: 1, fixed: true}",
    );
    let limit = |name: &str| model.skeleton.segment(model.point(name).unwrap() - 1).unwrap().joint.limit;
    let turn = std::f64::consts::TAU;
    assert_eq!(limit("free"), Limit::Free);
    assert_eq!(limit("hinge"), Limit::Hinge { axis: Vector3::y() * 2.0, angle: Range::new(-0.25 * turn, 0.5 * turn) });
    assert_eq!(limit("any_angle"), Limit::Hinge { axis: Vector3::z(), angle: Range::ALL });
    let Limit::Ball { cone, twist } = limit("cone") else { panic!("no cone") };
    assert_eq!((cone.up, cone.down, cone.left, cone.right), (0.25 * turn, 0.0, 0.5 * turn, 0.125 * turn));
    assert_eq!(twist, Range::new(0.0, turn));
    assert!(matches!(limit("any_twist"), Limit::Ball { twist: Range::ALL, .. }));
    assert!(matches!(limit("fixed"), Limit::Ball { cone, .. } if cone.up == 0.0));
    let frame = model.rest.orientations[model.point("cone").unwrap()];
    assert!((frame * Vector3::z() - Vector3::y()).norm() < 1e-12, "up is the z axis");
    // Without a list, the ends are the leaves.
    assert_eq!(model.ends, [3, 6]);
}

#[test]
fn two_dimensions_stay_in_the_plane() {
    let model = skeleton(
        "dimensions: 2
root: {position: [1, 0.5]}
segments:
  - {name: a, end: [2, 0.5]}
  - {name: b, length: 1, rest: [0, 0, 90], hinge: {range: [-10, 10]}}
  - {name: c, end: [0, 1.7]}",
    );
    assert!(model.skeleton.is_planar());
    let rest = &model.rest;
    assert!((rest.points[2] - Point3::new(2.0, 1.5, 0.0)).norm() < 1e-12);
    let target = [SkeletonTarget::new(3, Point3::new(1.5, 2.0, 0.0))];
    let solution = solve(&model, &target, SkeletonOptions::default());
    assert!(solution.is_solved() && solution.configuration.points.iter().all(|point| point.z == 0.0), "{solution:?}");
}

#[test]
fn the_document_shows_a_model_and_an_error_as_they_are() {
    let page =
        std::fs::read_to_string(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/skeletons.md"))
            .unwrap();
    let lines = page.lines().skip_while(|line| !line.starts_with("    # An arm"));
    let example = lines.map_while(|line| line.strip_prefix("    ")).collect::<Vec<_>>().join("\n");
    let model = skeleton(&example);
    assert_eq!(
        (model.name.as_str(), &model.points),
        ("arm", &["shoulder", "upper_arm", "forearm"].map(str::to_owned).to_vec())
    );
    let error = Model::from_yaml(&example.replace("[0, 140]", "[140, 0]")).unwrap_err();
    let sentence = error.to_string().replace("the model", "arm.yaml");
    assert!(page.contains(&format!("urdf_ik: {sentence}\n")), "{sentence}");
}

#[test]
fn a_hinge_without_keys_and_a_byte_order_mark_are_read() {
    let model = skeleton("\u{feff}segments:\n  - name: a\n    length: 1\n    hinge:\n");
    let hinge = Limit::Hinge { axis: Vector3::z(), angle: Range::ALL };
    assert_eq!(model.skeleton.segment(0).unwrap().joint.limit, hinge);
}

#[test]
fn a_fixed_segment_keeps_the_plane() {
    let model = skeleton(
        "dimensions: 2\nsegments:\n  - {name: a, length: 1}\n  - {name: b, length: 1, rest: [0, 0, 90], fixed: true}",
    );
    let target = SkeletonTarget::new(2, Point3::new(0.0, 2_f64.sqrt(), 0.0));
    let solution = solve(&model, &[target], SkeletonOptions::default());
    assert!(solution.is_solved(), "{:?}", solution.residuals);
    let points = &solution.configuration.points;
    let (before, after) = (points[1] - points[0], points[2] - points[1]);
    assert!(before.dot(&after).abs() < 1e-12 && points[2].z == 0.0);
}
