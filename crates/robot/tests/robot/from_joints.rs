//! Robots built from data.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use urdf_ik::robot::{Chain, ChainError, Domain, JointDescription, JointKind, MimicDescription, Robot, UrdfError};

use crate::common::{all_arms, two_handed};

/// The joints of a robot as data.
fn described(robot: &Robot) -> Vec<JointDescription> {
    let link = |index: usize| robot.links()[index].name.as_str();
    let describe = |joint: &urdf_ik::robot::Joint| JointDescription {
        origin: joint.origin,
        axis: 3.0 * joint.axis.into_inner(),
        domain: joint.domain,
        velocity: joint.velocity,
        mimic: joint.mimic.map(|mimic| MimicDescription {
            joint: robot.joints()[mimic.master].name.clone(),
            multiplier: mimic.multiplier,
            offset: mimic.offset,
        }),
        ..JointDescription::new(&joint.name, joint.kind, link(joint.parent), link(joint.child))
    };
    robot.joints().iter().map(describe).collect()
}

fn interval(lower: f64, upper: f64) -> Domain {
    Domain::Interval { lower, upper }
}

/// A joint from link `a` to link `b` that turns about z, within ±1 rad.
fn hinge() -> JointDescription {
    let domain = interval(-1.0, 1.0);
    JointDescription { axis: Vector3::z(), domain, ..JointDescription::new("j", JointKind::Revolute, "a", "b") }
}

#[test]
fn a_robot_of_data_has_the_chains_of_its_urdf() {
    for arm in all_arms().into_iter().chain([two_handed()]) {
        let robot = Robot::from_joints(arm.robot.name(), &described(&arm.robot)).unwrap();
        let chain = Chain::new(&robot, arm.chain.base(), &arm.chain.tip_names()).unwrap();
        assert_eq!(robot.joints().len(), arm.robot.joints().len());
        assert_eq!(chain.variables(), arm.chain.variables(), "{}", arm.name);
        for (joint, of_urdf) in chain.joints().iter().zip(arm.chain.joints()) {
            // The axis was normalised again.
            assert!((joint.axis.into_inner() - of_urdf.axis.into_inner()).norm() < 1e-15, "{}", arm.name);
            let axis = of_urdf.axis;
            assert_eq!(urdf_ik::robot::ChainJoint { axis, ..joint.clone() }, *of_urdf, "{}", arm.name);
        }
    }
}

#[test]
fn the_limits_of_a_master_alone_bound_its_variable() {
    let follower = JointDescription {
        domain: interval(0.0, 1.0),
        mimic: Some(MimicDescription { joint: "j".into(), multiplier: -2.0, offset: 0.5 }),
        ..JointDescription { name: "k".into(), parent: "b".into(), child: "c".into(), ..hinge() }
    };
    let robot = Robot::from_joints("two", &[hinge(), follower]).unwrap();
    let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
    assert_eq!((chain.base(), chain.tip_names()), ("a", vec!["c"]));
    assert_eq!(chain.domains(), [interval(-1.0, 1.0)]);
    let names: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn what_is_no_robot_is_refused_by_name() {
    let refused = |joints: &[JointDescription]| Robot::from_joints("r", joints).unwrap_err();
    let says = |joint: JointDescription, words: &str| {
        let sentence = refused(&[joint]).to_string();
        assert!(sentence.contains("joint 'j'") && sentence.contains(words), "{sentence}");
    };
    says(JointDescription { origin: Isometry3::translation(0.0, f64::NAN, 0.0), ..hinge() }, "origin");
    says(JointDescription { origin: Isometry3::translation(2e9, 0.0, 0.0), ..hinge() }, "-1e9 to 1e9");
    let turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.5, 0.0, 0.0, 0.0));
    says(JointDescription { origin: Isometry3::from_parts([0.0; 3].into(), turn), ..hinge() }, "quaternion");
    let turn = Unit::new_unchecked(nalgebra::Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    says(JointDescription { origin: Isometry3::from_parts([0.0; 3].into(), turn), ..hinge() }, "quaternion");
    says(JointDescription { axis: Vector3::new(1.0, f64::INFINITY, 0.0), ..hinge() }, "axis");
    says(JointDescription { velocity: f64::NAN, ..hinge() }, "velocity");
    says(JointDescription { domain: interval(f64::NAN, 1.0), ..hinge() }, "limit");
    says(JointDescription { domain: interval(0.0, f64::INFINITY), ..hinge() }, "limit");
    says(JointDescription { domain: Domain::Circle, ..hinge() }, "limit");
    let rule = |multiplier| Some(MimicDescription { joint: "j".into(), multiplier, offset: 0.0 });
    says(JointDescription { mimic: rule(f64::NAN), ..hinge() }, "mimic");

    let other = JointDescription { name: "k".into(), ..hinge() };
    assert!(matches!(refused(&[]), UrdfError::NoLinks));
    assert!(matches!(refused(&[hinge(), hinge()]), UrdfError::Duplicate { kind: "joint", .. }));
    assert!(matches!(refused(&[hinge(), other.clone()]), UrdfError::TwoParents { .. }));
    let back = JointDescription { parent: "b".into(), child: "a".into(), ..other.clone() };
    assert!(matches!(refused(&[hinge(), back]), UrdfError::Cycle { .. }));
    let apart = JointDescription { parent: "c".into(), child: "d".into(), ..other };
    assert!(matches!(refused(&[hinge(), apart]), UrdfError::SeveralRoots { .. }));
}

#[test]
fn as_in_a_urdf_some_faults_are_warnings_until_they_are_in_a_chain() {
    let rule = Some(MimicDescription { joint: "nobody".into(), multiplier: 1.0, offset: 0.0 });
    let robot = Robot::from_joints("r", &[JointDescription { mimic: rule, ..hinge() }]).unwrap();
    assert!(robot.warnings()[0].contains("nobody") && robot.joints()[0].mimic.is_none(), "{:?}", robot.warnings());
    let robot = Robot::from_joints("r", &[JointDescription { velocity: -1.0, ..hinge() }]).unwrap();
    assert_eq!((robot.joints()[0].velocity, robot.warnings().len()), (0.0, 1));
    let robot = Robot::from_joints("r", &[JointDescription { axis: Vector3::zeros(), ..hinge() }]).unwrap();
    let refused = Chain::with_defaults(&robot, None, &[]).unwrap_err();
    assert!(matches!(refused, ChainError::ZeroAxis { .. }), "{refused}");
    let robot = Robot::from_joints("r", &[JointDescription { domain: interval(1.0, -1.0), ..hinge() }]).unwrap();
    assert_eq!(robot.warnings().len(), 1);
    let refused = Chain::with_defaults(&robot, None, &[]).unwrap_err();
    assert!(matches!(refused, ChainError::LimitsReversed { .. }), "{refused}");
    // A fixed joint needs no limits.
    let floating = JointDescription { kind: JointKind::Floating, domain: Domain::Circle, ..hinge() };
    assert!(Robot::from_joints("r", &[floating]).unwrap().warnings().is_empty());
}
