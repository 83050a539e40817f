//! Unusual robot descriptions that must load, and the resulting robots.

use std::path::Path;

use nalgebra::{UnitQuaternion, Vector3};
use urdf_ik::robot::{Chain, ChainError, Domain, Joint, JointKind, Robot, UrdfOptions};

use crate::common::{
    self,
    urdf::{joint, one_joint, robot, turn},
};

fn loaded(text: &str) -> Robot {
    Robot::from_urdf(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn only_joint(kind: &str, inside: &str) -> Joint {
    loaded(&one_joint(kind, inside)).joints()[0].clone()
}

#[test]
fn elements_that_kinematics_does_not_read_are_ignored() {
    let link = "<link name='b'><visual><geometry><box size='what'/></geometry>
        <material name='one'/><material name='two'/></visual><inertial><mass value='nan'/></inertial></link>";
    let rest = format!(
        "{link}{}<gazebo><sensor:plugin name='p'/></gazebo>
        <transmission name='t'><joint name='j'><hardwareInterface>effort</hardwareInterface></joint></transmission>
        <ros2_control name='c'><joint name='j'><command_interface name='position'/></joint></ros2_control>",
        joint("j", "continuous", "a", "b", "<safety_controller k_velocity='x'/><dynamics damping='y'/>")
    );
    let robot = loaded(&robot("a", &rest));
    assert_eq!(robot.joints().len(), 1);
    assert_eq!(robot.links().len(), 2);
    // An invalid mass affects only the centre of mass.
    assert!(robot.links().iter().all(|link| link.mass.is_none()));
    assert!(matches!(robot.warnings(), [warning] if warning.contains("an invalid mass") && warning.contains(": b")));
}

#[test]
fn byte_order_mark_declaration_comments_and_entities() {
    let body = one_joint("continuous", "<!-- <origin xyz='9 9 9'/> & < -- --><origin xyz=' 1\n2\t3 '/>");
    let body = body.replace("-- -->", "-->");
    for text in [
        format!("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{body}"),
        format!("<?xml version='1.0'?>\n<!DOCTYPE robot>\n<!-- made by hand -->\n{body}\n<!-- end -->\n"),
    ] {
        let robot = loaded(&text);
        assert_eq!(robot.joints()[0].origin.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    }
    let named = loaded(&one_joint("fixed", "").replace("small", "R&amp;D &quot;&lt;é&gt;&quot;"));
    assert_eq!(named.name(), "R&D \"<é>\"");
}

#[test]
fn files_with_bytes_that_are_not_utf8_are_refused() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin1.urdf");
    let mut bytes = b"<?xml version='1.0' encoding='ISO-8859-1'?><!-- gr\xfc\xdfe \xb0 -->".to_vec();
    bytes.extend_from_slice(one_joint("continuous", "").as_bytes());
    std::fs::write(&path, bytes).unwrap();
    let message = Robot::from_urdf_file(&path).unwrap_err().to_string();
    assert!(message.ends_with("latin1.urdf: byte 50 is not UTF-8 text: save it as UTF-8"), "{message}");
}

#[test]
fn omitted_elements_have_the_defaults_of_urdf() {
    let bare = only_joint("continuous", "");
    assert_eq!(bare.axis.into_inner(), Vector3::x());
    assert_eq!(bare.origin, nalgebra::Isometry3::identity());
    assert!(bare.velocity.is_infinite());
    let turned = only_joint("continuous", "<origin rpy='0 0 1'/>").origin;
    assert_eq!(turned.translation.vector, Vector3::zeros());
    assert!((turned.rotation.angle() - 1.0).abs() < 1e-15);
    let shifted = only_joint("continuous", "<origin xyz='1 2 3'/>").origin;
    assert_eq!(shifted.rotation, UnitQuaternion::identity());
    let limited = only_joint("prismatic", "<limit effort='1' upper='2'/>");
    assert_eq!(limited.domain, Domain::Interval { lower: 0.0, upper: 2.0 });
    assert!(limited.velocity.is_infinite());
    let fast = only_joint("revolute", "<limit lower='-1' upper='1' velocity='2.5'/>");
    assert!((fast.velocity - 2.5).abs() < 1e-15);
}

#[test]
fn roll_pitch_yaw_turn_about_fixed_axes_in_this_order() {
    let found = only_joint("fixed", "<origin rpy='0.3 -0.4 1.1'/>").origin.rotation;
    let about = |axis: Vector3<f64>, angle: f64| UnitQuaternion::from_scaled_axis(axis * angle);
    let expected = about(Vector3::z(), 1.1) * about(Vector3::y(), -0.4) * about(Vector3::x(), 0.3);
    assert!(found.angle_to(&expected) < 1e-15);
}

#[test]
fn quaternions_count_from_urdf_1_1_on() {
    let urdf = one_joint("fixed", "<origin rpy='0.3 0 0' quat_xyzw='0 0 0.6 0.8'/>");
    let old = loaded(&urdf).joints()[0].origin.rotation;
    assert!((old.scaled_axis() - Vector3::x() * 0.3).norm() < 1e-15, "before 1.1 only rpy is known: {old}");
    let new = urdf.replace("name='small'", "name='small' version='1.1'");
    assert!(Robot::from_urdf(&new).is_err(), "both at once");
    let rotation = loaded(&new.replace("rpy='0.3 0 0'", "")).joints()[0].origin.rotation;
    assert!((rotation.scaled_axis() - Vector3::z() * 2.0 * 0.6_f64.asin()).norm() < 1e-12, "{rotation}");
}

#[test]
fn axes_are_normalised_however_long_they_are() {
    for (text, expected) in [
        ("0 0 -5", -Vector3::z()),
        ("3 4 0", Vector3::new(0.6, 0.8, 0.0)),
        ("0 1e-200 0", Vector3::y()),
        ("1e300 1e300 0", Vector3::new(1.0, 1.0, 0.0).normalize()),
    ] {
        let axis = only_joint("continuous", &format!("<axis xyz='{text}'/>")).axis;
        assert!((axis.into_inner() - expected).norm() < 1e-15, "{text}: {axis:?}");
    }
}

#[test]
fn limits_depend_on_the_type_of_the_joint_not_on_the_range() {
    let still = only_joint("revolute", "<limit lower='0' upper='0'/>");
    assert_eq!((still.kind, still.domain), (JointKind::Revolute, Domain::Interval { lower: 0.0, upper: 0.0 }));
    let bare = only_joint("revolute", "<limit effort='1' velocity='1'/>");
    assert_eq!(bare.domain, Domain::Interval { lower: 0.0, upper: 0.0 });
    let wide = only_joint("revolute", "<limit lower='-100' upper='100'/>");
    assert_eq!(wide.domain, Domain::Interval { lower: -100.0, upper: 100.0 });
    for limit in ["<limit lower='-1' upper='1' velocity='1'/>", "<limit lower='nan' upper='x'/>", "<limit effort='x'/>"]
    {
        assert_eq!(only_joint("continuous", limit).domain, Domain::Circle, "{limit}");
    }
}

#[test]
fn a_velocity_limit_of_0_or_less_is_told_as_a_missing_one() {
    let limit = |velocity: &str| format!("<limit lower='-1' upper='1' velocity='{velocity}'/>");
    let joints = joint("still", "revolute", "a", "b", &limit("0.0"))
        + &joint("fast", "revolute", "b", "c", &limit("inf"))
        + &joint("unknown", "prismatic", "c", "d", &limit("-1.0"))
        + &joint("never", "continuous", "d", "e", &limit("-inf"));
    let robot = loaded(&robot("a b c d e", &joints));
    let warning =
        "a velocity limit of 0 or less is taken for a missing one; these joints have it: still, unknown, never";
    assert_eq!(robot.warnings(), [warning]);
    let velocities: Vec<f64> = robot.joints().iter().map(|joint| joint.velocity).collect();
    assert_eq!(velocities, [0.0, f64::INFINITY, 0.0, 0.0]);
}

#[test]
fn joints_that_cannot_leave_one_position_are_told() {
    let follower = "<limit effort='1'/><mimic joint='turns'/>";
    let joints = joint("bare", "revolute", "a", "b", "<limit effort='1' velocity='1'/>")
        + &joint("slide", "prismatic", "b", "c", "<limit lower='0.5' upper='0.5'/>")
        + &joint("turns", "continuous", "c", "d", "<limit lower='0' upper='0'/>")
        + &joint("follower", "revolute", "d", "e", follower);
    let robot = loaded(&robot("a b c d e", &joints));
    let warnings = robot.warnings();
    assert!(warnings[0].contains("locked") && warnings[0].ends_with(": bare, slide"), "{warnings:?}");
    assert_eq!(warnings.len(), 1);
    assert!(robot.followers_beyond_limits().unwrap().ends_with(": follower"));
}

#[test]
fn a_mimic_rule_without_a_movable_master_is_dropped_with_a_warning() {
    for master in ["nobody", "fixed"] {
        let mimic = format!("<mimic joint='{master}'/>");
        let rest = joint("fixed", "fixed", "a", "b", "") + &joint("j", "continuous", "b", "c", &mimic);
        let robot = loaded(&robot("a b c", &rest));
        assert_eq!(robot.joints()[1].mimic, None);
        assert_eq!(robot.warnings().len(), 1);
        assert!(robot.warnings()[0].contains("'j'") && robot.warnings()[0].contains(master), "{:?}", robot.warnings());
    }
}

#[test]
fn a_mimic_of_a_mimic_is_composed() {
    let last = joint("last", "continuous", "a", "b", "<mimic joint='middle' multiplier='-3' offset='0.5'/>");
    let middle = joint("middle", "continuous", "b", "c", "<mimic joint='first' multiplier='2' offset='0.1'/>");
    let first = turn("first", "c", "d", "0 0 0", "0 0 1");
    let robot = loaded(&robot("a b c d", &(last + &middle + &first)));
    let mimic = robot.joints()[0].mimic.unwrap();
    assert_eq!(mimic.master, 2);
    assert!((mimic.multiplier + 6.0).abs() < 1e-15 && (mimic.offset - 0.2).abs() < 1e-15, "{mimic:?}");
    let mut positions = [9.0, 9.0, 1.0];
    robot.apply_mimic(&mut positions);
    assert!((positions[1] - 2.1).abs() < 1e-15 && (positions[0] + 5.8).abs() < 1e-14, "{positions:?}");
}

#[test]
fn mimic_rules_that_lead_nowhere_are_dropped_with_a_warning() {
    let mimic = |name: &str, parent: &str, child: &str, master: &str, factor: &str| {
        joint(name, "continuous", parent, child, &format!("<mimic joint='{master}' multiplier='{factor}'/>"))
    };
    let robot_of = |links: &str, joints: String| loaded(&robot(links, &joints));
    let masters = |robot: &Robot| -> Vec<Option<usize>> {
        robot.joints().iter().map(|joint| joint.mimic.map(|mimic| mimic.master)).collect()
    };
    let own = "mimics itself, through others or alone: it moves on its own";
    let alone = robot_of("a b", mimic("j", "a", "b", "j", "1"));
    assert_eq!((masters(&alone), alone.warnings()), (vec![None], [format!("joint 'j' {own}")].as_slice()));
    // A joint that mimics a continuous one keeps its rule.
    let circle = mimic("tail", "a", "b", "i", "1") + &mimic("i", "b", "c", "j", "1") + &mimic("j", "c", "d", "i", "1");
    let circle = robot_of("a b c d", circle);
    assert_eq!(masters(&circle), [Some(1), None, None]);
    assert_eq!(circle.warnings(), ["i", "j"].map(|name| format!("joint '{name}' {own}")));
    // Finite factors whose product is not.
    let huge = turn("h", "a", "b", "0 0 0", "0 0 1")
        + &mimic("i", "b", "c", "h", "1e308")
        + &mimic("j", "c", "d", "i", "1e308");
    let huge = robot_of("a b c d", huge);
    assert_eq!(masters(&huge), [None, Some(0), None]);
    assert!(huge.warnings()[0].contains("'j' mimics 'h' by a rule that is not finite"), "{:?}", huge.warnings());
}

/// `mimic_outside.urdf` from users' reports, and the same with a follower that has no position in common with its
/// master.
#[test]
fn the_limits_of_a_follower_outside_the_chain_do_not_count() {
    for (lower, upper) in [("0", "3"), ("2", "3"), ("3", "2"), ("0", "0")] {
        let limit = |lower: &str, upper: &str| {
            format!("<axis xyz='0 0 1'/><limit lower='{lower}' upper='{upper}' velocity='1'/>")
        };
        let joints = joint("j", "revolute", "base", "a", &limit("-1.5", "1.5"))
            + &joint("t", "fixed", "a", "tip", "<origin xyz='1 0 0'/>")
            + &joint("d", "revolute", "base", "deco", &(limit(lower, upper) + "<mimic joint='j' multiplier='-1'/>"));
        let robot = loaded(&robot("base a tip deco", &joints));
        let warning = "the limits of a joint that mimics another do not count; these can leave theirs: d";
        assert_eq!(robot.followers_beyond_limits().as_deref(), Some(warning), "{lower} .. {upper}");
        assert!(robot.warnings().is_empty(), "{:?}", robot.warnings());
        for tip in ["tip", "deco"] {
            let chain = Chain::new(&robot, "base", &[tip]).unwrap();
            assert_eq!(chain.domains(), [Domain::Interval { lower: -1.5, upper: 1.5 }]);
        }
        assert_eq!(robot.neutral_positions(), [0.0; 3]);
    }
}

#[test]
fn soft_limits_narrow_the_limits_where_they_are_asked_for() {
    let bounds = |kind: &str, limit: &str, safety: &str, soft_limits: bool| {
        let safety = format!("{limit}<safety_controller k_velocity='1' {safety}/>");
        let robot = Robot::from_urdf_with(&one_joint(kind, &safety), UrdfOptions { soft_limits }).unwrap();
        (robot.joints()[0].domain.ends(), robot.warnings().join("\n"))
    };
    let hard = "<limit lower='-2' upper='2' velocity='1'/>";
    for kind in ["revolute", "prismatic"] {
        for (safety, range) in [
            ("soft_lower_limit='-1.5' soft_upper_limit='1'", [-1.5, 1.0]),
            ("soft_lower_limit='-1.5'", [-1.5, 2.0]),
            ("soft_upper_limit='1' k_position='x'", [-2.0, 1.0]),
            ("soft_lower_limit='-9' soft_upper_limit='1'", [-2.0, 1.0]),
            ("soft_lower_limit='-inf' soft_upper_limit='inf'", [-2.0, 2.0]),
            ("", [-2.0, 2.0]),
        ] {
            assert_eq!(bounds(kind, hard, safety, true), (range, String::new()), "{safety}");
            assert_eq!(bounds(kind, hard, safety, false).0, [-2.0, 2.0], "{safety}");
        }
        // Limits without a range are not used.
        for safety in [
            "soft_lower_limit='0' soft_upper_limit='0'",
            "soft_lower_limit='1' soft_upper_limit='-1'",
            "soft_lower_limit='3'",
        ] {
            let (range, warning) = bounds(kind, hard, safety, true);
            assert_eq!(range, [-2.0, 2.0], "{safety}");
            assert!(
                warning.starts_with("soft limits are not used where they leave no range") && warning.ends_with(": j"),
                "{warning}"
            );
        }
    }
    let turns = bounds("continuous", "", "soft_lower_limit='-1' soft_upper_limit='x'", true);
    assert_eq!(turns, ([f64::NEG_INFINITY, f64::INFINITY], String::new()));
    let nonsense = one_joint("revolute", &format!("{hard}<safety_controller soft_upper_limit='nan'/>"));
    assert!(Robot::from_urdf(&nonsense).is_ok());
    let refused = Robot::from_urdf_with(&nonsense, UrdfOptions { soft_limits: true }).unwrap_err().to_string();
    assert_eq!(refused, "joint 'j': safety_controller soft_upper_limit=\"nan\" must be a number");
}

#[test]
fn floating_and_planar_joints_are_refused_only_in_the_chain() {
    for kind in ["floating", "planar"] {
        let rest =
            joint("free", kind, "world", "base", "<origin xyz='0 0 1'/>") + &turn("j", "base", "tip", "1 0 0", "0 0 1");
        let robot = loaded(&robot("world base tip", &rest));
        assert!(Chain::new(&robot, "base", &["tip"]).is_ok());
        for (base, tip) in [("world", "tip"), ("tip", "world")] {
            let error = Chain::new(&robot, base, &[tip]).unwrap_err();
            assert!(matches!(error, ChainError::NotOneAxis { .. }), "{error:?}");
            let message = error.to_string();
            for word in ["'free'", kind, "'world'", "'tip'"] {
                assert!(message.contains(word), "'{word}' is not in: {message}");
            }
        }
        let poses = robot.link_poses(&[7.0, 0.0]);
        assert_eq!(poses[2].translation.vector, Vector3::new(1.0, 0.0, 1.0), "it stays at identity");
    }
}

#[test]
fn positions_by_name_are_complete_and_follow_mimic_rules() {
    for arm in common::bundled_arms() {
        let robot = &arm.robot;
        let Some(joint) = robot.movable().next() else { continue };
        let name = robot.joints()[joint].name.as_str();
        let positions = robot.positions_by_name([(name, 0.25)]).unwrap();
        let mut expected = robot.neutral_positions();
        expected[joint] = 0.25;
        robot.apply_mimic(&mut expected);
        assert_eq!(positions, expected);
        let refused = |given: &str, position| robot.positions_by_name([(given, position)]).unwrap_err().to_string();
        assert!(refused("nobody", 0.0).contains("no joint 'nobody'") && refused("nobody", 0.0).contains(name));
        assert!(refused(name, f64::NAN).contains("must be a finite number"));
    }
}

#[test]
fn the_neutral_configuration_is_inside_the_limits() {
    for arm in common::all_arms().into_iter().chain(common::mobile_arms()) {
        let positions = arm.robot.neutral_positions();
        for (joint, position) in
            arm.robot.joints().iter().zip(&positions).filter(|(joint, _)| joint.kind.has_position())
        {
            let is_inside = joint.mimic.is_some() || joint.domain.contains(*position);
            assert!(is_inside, "{}: {} at {position}", arm.name, joint.name);
        }
        assert!(arm.chain.contains(&arm.chain.nominal_positions()), "{}", arm.name);
    }
}
