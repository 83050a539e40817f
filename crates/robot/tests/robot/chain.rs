//! Chains between any two links of a robot: folded, shared, reversed and narrowed joints, and chains that are refused.

use nalgebra::{Isometry3, Vector3};
use urdf_ik::robot::{Chain, ChainError, ChainPoses, Domain, Robot};

use crate::common::{
    self, Arm, Random,
    urdf::{fixed, joint, one_joint, robot, turn},
};

fn tips_of(chain: &Chain, positions: &[f64]) -> Vec<Isometry3<f64>> {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    poses.tips().to_vec()
}

/// Compares the chain's kinematics with those of the complete robot at random positions. Returns the
/// largest difference.
fn greatest_difference(arm: &Arm, random: &mut Random) -> f64 {
    let mut worst: f64 = 0.0;
    for _ in 0..20 {
        let positions = random.positions(&arm.chain);
        for (found, expected) in tips_of(&arm.chain, &positions).iter().zip(arm.tip_poses(&positions)) {
            let (shift, angle) = common::distance(found, &expected);
            worst = worst.max(shift).max(angle);
        }
    }
    worst
}

fn names(chain: &Chain) -> Vec<&str> {
    chain.variables().iter().map(|variable| variable.name.as_str()).collect()
}

fn refused(robot: &Robot, base: &str, tips: &[&str], words: &[&str]) -> ChainError {
    let error = Chain::new(robot, base, tips).unwrap_err();
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "'{word}' is not in: {message}");
    }
    error
}

#[test]
fn fixed_joints_are_folded_at_the_start_in_the_middle_and_at_the_end() {
    let rest = fixed("f1", "a", "b", "1 0 0")
        + &fixed("f2", "b", "c", "0 2 0")
        + &turn("t1", "c", "d", "0 0 3", "0 0 1")
        + &fixed("f3", "d", "e", "0 0 4")
        + &turn("t2", "e", "f", "5 0 0", "0 1 0")
        + &fixed("f4", "f", "g", "0 6 0")
        + &fixed("f5", "g", "h", "7 0 0");
    let arm = Arm::from_text(&robot("a b c d e f g h", &rest), "a", &["h"]);
    assert_eq!((arm.chain.joints().len(), names(&arm.chain)), (2, vec!["t1", "t2"]));
    assert_eq!(arm.chain.joints()[0].placement.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    let tip = tips_of(&arm.chain, &[0.0, 0.0])[0];
    assert_eq!(tip.translation.vector.as_slice(), [13.0, 8.0, 7.0]);
    assert!(greatest_difference(&arm, &mut Random::new(1)) < 1e-13);
}

#[test]
fn any_two_links_make_a_chain_or_an_error_that_says_why_not() {
    for file in ["arm7.urdf", "mixed_joints.urdf", "two_arms.urdf"] {
        let robot = common::load(file);
        let mut random = Random::new(2);
        let (mut chains, mut worst) = (0, 0.0_f64);
        let links: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
        for base in &links {
            for tip in &links {
                match Chain::new(&robot, base, &[tip]) {
                    Ok(_) => {
                        chains += 1;
                        worst =
                            worst.max(greatest_difference(&Arm::new(file, robot.clone(), base, &[tip]), &mut random));
                    }
                    Err(error) => assert!(matches!(error, ChainError::Empty { .. }), "{base} to {tip}: {error}"),
                }
            }
        }
        println!("{file}: {chains} chains, largest difference {worst:e}");
        assert!(chains > 2 * links.len(), "{file}: {chains} chains");
        assert!(worst < 1e-12, "{file}: {worst:e}");
    }
}

#[test]
fn a_chain_upwards_is_the_inverse_of_the_chain_downwards() {
    for (file, root, leaf) in [("arm7.urdf", "base_link", "tool0"), ("mixed_joints.urdf", "base_link", "tool")] {
        let robot = common::load(file);
        let down = Chain::new(&robot, root, &[leaf]).unwrap();
        let up = Chain::new(&robot, leaf, &[root]).unwrap();
        assert_eq!(down.variables().len(), up.variables().len());
        let mut random = Random::new(3);
        for _ in 0..20 {
            let all = random.robot_positions(&robot);
            let there = tips_of(&down, &down.positions_from(&all))[0];
            let back = tips_of(&up, &up.positions_from(&all))[0];
            let (shift, angle) = common::distance(&(there * back), &Isometry3::identity());
            assert!(shift < 1e-12 && angle < 1e-12, "{file}: {shift:e} m, {angle:e} rad");
        }
    }
}

#[test]
fn a_reversed_joint_keeps_its_limits_and_moves_the_other_way() {
    let text = one_joint("prismatic", "<axis xyz='0 0 1'/><limit lower='-0.1' upper='0.4'/>");
    let arm = Arm::from_text(&text, "b", &["a"]);
    assert_eq!(arm.chain.variables()[0].domain, Domain::Interval { lower: -0.1, upper: 0.4 });
    assert_eq!(tips_of(&arm.chain, &[0.3])[0].translation.vector, Vector3::z() * -0.3);
}

#[test]
fn two_tips_share_the_joints_before_they_part() {
    let arm = common::two_handed();
    let chain = &arm.chain;
    assert_eq!((chain.variables().len(), chain.joints().len()), (16, 16));
    let [left, right] = chain.tips() else { panic!("two tips") };
    let shared: Vec<usize> = left.variables.iter().filter(|i| right.variables.contains(i)).copied().collect();
    assert_eq!(shared, [0, 1]);
    assert_eq!((left.variables.len(), right.variables.len()), (9, 9));
    assert_eq!(chain.tip_index("right_hand"), Some(1));
    assert!(greatest_difference(&arm, &mut Random::new(4)) < 1e-12);
    let across = Arm::new("across", common::load("two_arms.urdf"), "left_hand", &["right_hand", "head_link"]);
    assert_eq!(across.chain.variables().len(), 14, "the torso does not move one hand against the other");
    assert!(greatest_difference(&across, &mut Random::new(5)) < 1e-12);
}

#[test]
fn a_tip_may_branch_off_the_path_of_another() {
    let arm = Arm::new("elbow too", common::load("arm7.urdf"), "base_link", &["tool0", "elbow_link"]);
    assert_eq!(arm.chain.variables().len(), 7);
    assert_eq!(arm.chain.tips()[1].variables, [0, 1, 2, 3]);
    assert!(greatest_difference(&arm, &mut Random::new(6)) < 1e-12);
}

#[test]
fn mimic_joints_have_no_variable_and_the_limits_of_theirs_alone_count() {
    let arm = Arm::new("mixed", common::load("mixed_joints.urdf"), "base_link", &["tool"]);
    let expected = [
        "turntable_joint",
        "carriage_joint",
        "lower_arm_joint",
        "upper_arm_joint",
        "wrist_yaw_joint",
        "wrist_pitch_joint",
        "wrist_spin_joint",
    ];
    assert_eq!(names(&arm.chain), expected);
    assert_eq!(arm.chain.joints().len(), 10);
    let Domain::Interval { lower, upper } = arm.chain.variables()[2].domain else { panic!("an interval") };
    assert_eq!([lower, upper], [-1.5, 1.5]);
    assert!(arm.chain.variables()[1].prismatic && !arm.chain.variables()[2].prismatic);
    // At its ends a follower obeys its rule, and its domain includes both.
    let mut all = arm.robot.neutral_positions();
    let follower = arm.robot.joint_index("lower_arm_follower_joint").unwrap();
    for (position, followed) in [(lower, 0.95), (upper, -0.55)] {
        all[arm.chain.variables()[2].joint] = position;
        arm.robot.apply_mimic(&mut all);
        assert!((all[follower] - followed).abs() < 1e-12, "{}", all[follower]);
        assert!(arm.robot.domain(follower).contains(all[follower]));
    }
}

#[test]
fn a_mimicked_joint_outside_the_chain_is_still_a_variable() {
    let limit = |lower: f64, upper: f64| format!("<axis xyz='0 0 1'/><limit lower='{lower}' upper='{upper}'/>");
    let follower = limit(-0.5, 0.5) + "<mimic joint='master' multiplier='-2' offset='0.25'/>";
    let rest = joint("master", "revolute", "base", "left", &limit(-1.0, 1.0))
        + &joint("follower", "revolute", "base", "right", &follower)
        + &fixed("end", "right", "tip", "1 0 0");
    let arm = Arm::from_text(&robot("base left right tip", &rest), "base", &["tip"]);
    assert_eq!(names(&arm.chain), ["master"]);
    assert_eq!(arm.chain.variables()[0].domain, Domain::Interval { lower: -1.0, upper: 1.0 });
    let angle = tips_of(&arm.chain, &[0.3])[0].rotation.scaled_axis().z;
    assert!((angle + 0.35).abs() < 1e-15, "{angle}");
    assert!(greatest_difference(&arm, &mut Random::new(7)) < 1e-15);
}

#[test]
fn chains_without_a_joint_and_names_that_are_unknown_or_repeated() {
    let robot = common::load("arm7.urdf");
    for (base, tip) in [("base_link", "base_link"), ("hand_link", "tool0"), ("tool0", "hand_link")] {
        let error = refused(&robot, base, &[tip], &[base, tip]);
        assert!(matches!(error, ChainError::Empty { .. }), "{error:?}");
    }
    let all: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    for (base, tip) in [("base_link", "gripper"), ("gripper", "tool0")] {
        let error = refused(&robot, base, &[tip], &[["'arm7'", "'gripper'"].as_slice(), &all].concat());
        assert!(matches!(error, ChainError::UnknownLink { .. }), "{error:?}");
    }
    let twice = refused(&robot, "base_link", &["tool0", "elbow_link", "tool0"], &["'tool0'", "twice"]);
    assert!(matches!(twice, ChainError::TipTwice { .. }));
    let none = refused(&robot, "base_link", &[], &["tool0"]);
    assert!(matches!(none, ChainError::TipNeeded { .. }));
}

#[test]
fn leaves_that_do_not_move_are_no_default_tips() {
    // A frame on the base, as on the iiwa14, the KR 6 and the UR5; in `camera` also one on the upper arm, which moves.
    let links = "world base_link base upper_arm forearm tool0";
    let joints = fixed("stand", "world", "base_link", "0 0 0")
        + &fixed("foot", "base_link", "base", "0 0 0")
        + &turn("shoulder", "base_link", "upper_arm", "0 0 0.3", "0 1 0")
        + &turn("elbow", "upper_arm", "forearm", "0 0 0.3", "0 1 0")
        + &fixed("flange", "forearm", "tool0", "0 0 0.2");
    let plain = Robot::from_urdf(&robot(links, &joints)).unwrap();
    let joints = joints + &fixed("mount", "upper_arm", "camera", "0 0 0.1");
    let camera = Robot::from_urdf(&robot(&format!("{links} camera"), &joints)).unwrap();
    assert_eq!(plain.leaves(), ["base", "tool0"]);
    for (base, variables) in [(None, 2), (Some("base"), 2), (Some("base_link"), 2), (Some("upper_arm"), 1)] {
        let chain = Chain::with_defaults(&plain, base, &[]).unwrap();
        assert_eq!((chain.tip_names(), chain.variables().len()), (vec!["tool0"], variables), "{base:?}");
    }
    // From the tool only the base remains, which must be named.
    assert!(matches!(Chain::with_defaults(&plain, Some("tool0"), &[]), Err(ChainError::TipNeeded { .. })));
    assert_eq!(Chain::with_defaults(&plain, Some("tool0"), &["base"]).unwrap().variables().len(), 2);
    let error = Chain::with_defaults(&camera, None, &[]).unwrap_err();
    assert_eq!(error, ChainError::TipNeeded { leaves: vec!["tool0".into(), "camera".into()] });
    assert_eq!(Chain::with_defaults(&camera, Some("upper_arm"), &[]).unwrap().tip_names(), ["tool0"]);
}

#[test]
fn base_and_tip_have_defaults_where_they_are_unique() {
    let robot = common::load("arm7.urdf");
    let chain = Chain::with_defaults(&robot, None, &[]).unwrap();
    assert_eq!((chain.base(), chain.tips()[0].link.as_str()), ("base_link", "tool0"));
    let chain = Chain::with_defaults(&robot, Some("elbow_link"), &[]).unwrap();
    assert_eq!((chain.base(), chain.variables().len()), ("elbow_link", 3));
    let robot = common::load("two_arms.urdf");
    let message = Chain::with_defaults(&robot, None, &[]).unwrap_err().to_string();
    assert!(message.contains("7 leaf links"), "{message}");
    for leaf in ["head_link", "left_hand", "left_finger_link", "right_hand", "right_finger_mirror_link"] {
        assert!(message.contains(leaf), "'{leaf}' is not in: {message}");
    }
    assert_eq!(Chain::with_defaults(&robot, None, &["right_hand"]).unwrap().variables().len(), 9);
}

#[test]
fn positions_of_the_chain_and_of_the_robot_translate_into_each_other() {
    let arm = Arm::new("mixed", common::load("mixed_joints.urdf"), "base_link", &["tool"]);
    let mut random = Random::new(8);
    let positions = random.positions(&arm.chain);
    let mut all = random.robot_positions(&arm.robot);
    arm.chain.write_into(&arm.robot, &positions, &mut all);
    assert_eq!(arm.chain.positions_from(&all), positions);
    assert!(arm.chain.contains(&positions));
    assert!(
        !arm.chain.contains(&positions[1..]) && !arm.chain.contains(&[f64::NAN; 7]) && !arm.chain.contains(&[99.0; 7])
    );
}

#[test]
fn reversed_limits_are_refused_in_the_chain_and_only_warned_of_elsewhere() {
    let joints = joint("pan", "revolute", "base", "head", "<limit lower='0.75' upper='-0.5'/>")
        + &turn("wrist", "base", "hand", "0 0 0", "0 0 1");
    let text = robot("base hand head", &joints);
    let robot = Robot::from_urdf(&text).unwrap();
    assert!(robot.warnings().iter().any(|warning| warning.contains("'pan'") && warning.contains("0.75")));
    assert!(Chain::new(&robot, "base", &["hand"]).is_ok());
    let error = refused(&robot, "base", &["head"], &["'pan'", "0.75", "-0.5"]);
    assert!(matches!(error, ChainError::LimitsReversed { .. }), "{error:?}");
}

#[test]
fn an_axis_of_length_0_is_refused_in_the_chain_and_only_warned_of_elsewhere() {
    for kind in ["revolute", "continuous", "prismatic"] {
        let joints = joint("pan", kind, "base", "head", "<axis xyz='0 -0 0.0'/><limit lower='-1' upper='1'/>")
            + &joint("nod", "continuous", "base", "neck", "<mimic joint='pan'/>")
            + &turn("wrist", "base", "hand", "0 0 0", "0 0 1");
        let robot = Robot::from_urdf(&robot("base hand head neck", &joints)).unwrap();
        let warnings = robot.warnings().join("\n");
        assert!(
            warnings.contains("the axis (0, 0, 0)") && warnings.contains("do not move") && warnings.contains("pan"),
            "{warnings}"
        );
        assert!(robot.movable_names().eq(["nod", "wrist"]), "{kind}");
        assert!(Chain::new(&robot, "base", &["hand", "neck"]).is_ok());
        let error = refused(&robot, "base", &["head"], &["'pan'", "axis", "direction"]);
        assert!(matches!(error, ChainError::ZeroAxis { .. }), "{error:?}");
    }
}
