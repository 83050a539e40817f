//! The URDFs of noodles: their contents, and noodles that are refused.

use std::f64::consts::PI;

use nalgebra::Vector3;
use urdf_ik::robot::{Chain, Domain, Noodle, NoodleError, NoodleJoints, Robot};

use crate::common::Arm;

const KINDS: [(NoodleJoints, usize); 2] = [(NoodleJoints::Alternating, 1), (NoodleJoints::Ball, 3)];

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn arm(noodle: &Noodle) -> Arm {
    Arm::from_text(&noodle.urdf().unwrap(), Noodle::BASE_LINK, &[Noodle::TIP_LINK])
}

#[test]
fn it_has_the_requested_joints_and_tip() {
    for (joints, hinges) in KINDS {
        for segments in [1, 2, 7, 100] {
            let noodle = Noodle { joints, ..Noodle::new(segments) };
            let robot = Robot::from_urdf(&noodle.urdf().unwrap()).unwrap();
            assert_eq!((robot.name(), robot.warnings().len()), ("noodle", 0));
            assert_eq!((robot.movable().count(), robot.leaves()), (hinges * segments, vec![Noodle::TIP_LINK]));
            let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
            assert_eq!((chain.base(), chain.tip_names()), (Noodle::BASE_LINK, vec![Noodle::TIP_LINK]));
            assert_eq!(chain.variables().len(), hinges * segments);
            assert!(chain.variables().iter().all(|variable| variable.domain == Domain::Circle));
            for segment in 1..=segments {
                assert!(robot.link_index(&format!("segment_{segment}")).is_some());
            }
        }
    }
}

#[test]
fn hinges_bend_in_turn_or_three_in_one_point() {
    let axes = |joints| {
        let arm = arm(&Noodle { joints, ..Noodle::new(2) });
        let axes = arm.chain.joints().iter().map(|joint| joint.axis.into_inner());
        let steps = arm.chain.joints().iter().map(|joint| joint.placement.translation.z);
        let names = arm.chain.variables().iter().map(|variable| variable.name.clone());
        (axes.collect::<Vec<_>>(), steps.collect::<Vec<_>>(), names.collect::<Vec<_>>())
    };
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(axes(NoodleJoints::Alternating), (vec![x, y], vec![0.0, 0.5], named(&["joint_1", "joint_2"])));
    let names = named(&["joint_1_x", "joint_1_y", "joint_1_z", "joint_2_x", "joint_2_y", "joint_2_z"]);
    assert_eq!(axes(NoodleJoints::Ball), (vec![x, y, z, x, y, z], vec![0.0, 0.0, 0.0, 0.5, 0.0, 0.0], names));
}

#[test]
fn a_straight_noodle_has_the_requested_length_and_is_upright() {
    for (joints, _) in KINDS {
        for (segments, length) in [(1, 0.001), (10, 1.0), (33, 7.7), (1000, 10_000.0)] {
            let noodle = Noodle { joints, length, ..Noodle::new(segments) };
            let arm = arm(&noodle);
            let tip = arm.tip_poses(&arm.chain.nominal_positions())[0];
            assert!((tip.translation.vector - Vector3::z() * length).norm() < 1e-12 * length, "{tip}");
            assert_eq!(tip.rotation.angle(), 0.0);
        }
    }
}

#[test]
fn an_evenly_bent_noodle_is_a_circle() {
    // A regular polygon: the hinges about x, every second one, rotate by the same angle; those about y stay at zero.
    let arm = arm(&Noodle::new(200));
    let turn = |index: usize| if index.is_multiple_of(2) { 2.0 * PI / 100.0 } else { 0.0 };
    let tip = arm.tip_poses(&(0..200).map(turn).collect::<Vec<_>>())[0];
    assert!(tip.translation.vector.norm() < 1e-12 && tip.rotation.angle() < 1e-12, "{tip}");
}

#[test]
fn limits_hold_for_each_hinge() {
    for (joints, _) in KINDS {
        for limit in [1e-3, 0.3, PI] {
            let arm = arm(&Noodle { joints, limit: Some(limit), ..Noodle::new(5) });
            let domain = Domain::Interval { lower: -limit, upper: limit };
            assert!(arm.chain.variables().iter().all(|variable| variable.domain == domain));
        }
    }
}

/// The complete text as read by another parser, which requires every part in order.
#[test]
fn it_is_a_complete_description_with_shapes_and_without_masses() {
    for (joints, hinges) in KINDS {
        let noodle = Noodle { joints, limit: Some(1.0), radius: Some(0.03), ..Noodle::new(4) };
        let text = noodle.urdf().unwrap();
        assert!(text.starts_with("<?xml") && text.ends_with("</robot>\n"));
        assert!(!text.contains("inertial") && !text.contains("<mesh"));
        let urdf = urdf_rs::read_from_string(&text).unwrap();
        assert_eq!((urdf.links.len(), urdf.joints.len()), (4 * hinges + 2, 4 * hinges + 1));
        let declared: Vec<&str> = urdf.materials.iter().map(|material| material.name.as_str()).collect();
        let mut colours = Vec::new();
        for link in &urdf.links {
            let wanted = if link.name.ends_with("_link") { 0..=1 } else { 2..=2 };
            assert!(wanted.contains(&link.visual.len()), "{}", link.name);
            for visual in &link.visual {
                let material = visual.material.as_ref().unwrap().name.clone();
                assert!(declared.contains(&material.as_str()), "{material} is not declared");
                colours.push(material);
                match visual.geometry {
                    urdf_rs::Geometry::Sphere { radius } => assert_eq!(radius, 0.03),
                    urdf_rs::Geometry::Cylinder { radius, length } => assert!(radius > 0.0 && length > 0.0),
                    ref other => panic!("{other:?}"),
                }
            }
        }
        colours.dedup();
        assert_eq!(colours.len(), 1 + 4 + 1, "neighbours have different colours: {colours:?}");
        for joint in urdf.joints.iter().filter(|joint| joint.joint_type == urdf_rs::JointType::Revolute) {
            assert!(joint.limit.effort > 0.0 && joint.limit.velocity > 0.0);
        }
    }
}

#[test]
fn the_same_noodle_has_the_same_text() {
    for (joints, _) in KINDS {
        let noodle = Noodle { joints, length: 0.7, limit: Some(0.9), ..Noodle::new(23) };
        assert_eq!(noodle.urdf(), noodle.clone().urdf());
    }
}

#[test]
fn names_are_escaped() {
    for name in ["a <b> & \"c\" 'd'", "]]>", "Spaghetti al pomodoro", "面条", "&amp;"] {
        let text = Noodle { name: name.into(), ..Noodle::new(3) }.urdf().unwrap();
        assert_eq!(Robot::from_urdf(&text).unwrap().name(), name);
        assert_eq!(urdf_rs::read_from_string(&text).unwrap().name, name);
    }
}

/// The error of an invalid noodle; its text must contain the words.
fn refusal(noodle: &Noodle, words: &[&str]) -> NoodleError {
    let error = noodle.urdf().unwrap_err();
    for word in words {
        assert!(error.to_string().contains(word), "'{word}' is not in: {error}");
    }
    error
}

#[test]
fn invalid_noodles_are_refused_with_the_cause() {
    let ten = Noodle::new(10);
    for segments in [0, 10_001, usize::MAX] {
        let error = refusal(&Noodle::new(segments), &[&segments.to_string(), "1 to 10000"]);
        assert_eq!(error, NoodleError::Segments(segments));
    }
    for length in [0.0, -1.0, 1e-4, 1e5, f64::NAN, f64::INFINITY] {
        let error = refusal(&Noodle { length, ..ten.clone() }, &["length", &length.to_string(), "0.001 to 10000 m"]);
        assert!(matches!(error, NoodleError::Length(_)), "{error:?}");
    }
    for radius in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        let noodle = Noodle { radius: Some(radius), ..ten.clone() };
        let error = refusal(&noodle, &["radius", &radius.to_string(), "above 0", "length, 1 m"]);
        assert!(matches!(error, NoodleError::Radius { .. }), "{error:?}");
    }
    for limit in [0.0, -1.0, 3.2, f64::NAN, f64::INFINITY] {
        let noodle = Noodle { limit: Some(limit), ..ten.clone() };
        let error = refusal(&noodle, &["limit", &limit.to_string(), "above 0", "3.14"]);
        assert!(matches!(error, NoodleError::Limit(_)), "{error:?}");
    }
    for name in ["", " ", "a\0b", "a\nb", "a\u{ffff}b"] {
        let error = refusal(&Noodle { name: name.into(), ..ten.clone() }, &["name", "control characters"]);
        assert_eq!(error, NoodleError::Name(name.into()));
    }
}

#[test]
fn the_longest_loads() {
    let noodle = Noodle { joints: NoodleJoints::Ball, ..Noodle::new(*Noodle::SEGMENTS.end()) };
    let robot = Robot::from_urdf(&noodle.urdf().unwrap()).unwrap();
    let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
    assert_eq!(number(chain.variables().len()), 3.0 * number(noodle.segments));
}
