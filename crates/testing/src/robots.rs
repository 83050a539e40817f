//! The robots of the tests. All of them are in the package: a missing one fails the test that needs it.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use urdf_ik::robot::Robot;

use super::{Arm, read_json, root};

/// The path of the URDF file of that name.
pub fn urdf_path(file: &str) -> PathBuf {
    let folders = ["urdf", "tests/data/urdf", "tests/data/robots"];
    let found = folders.iter().map(|folder| root().join(folder).join(file)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{file} is in none of {folders:?}"))
}

pub fn load(file: &str) -> Robot {
    Robot::from_urdf_file(urdf_path(file)).unwrap()
}

/// The arm of a case file, which names its URDF, base link and tip link.
pub fn arm_of_cases(path: &Path) -> Arm {
    let cases = read_json(path);
    let text = |key: &str| cases[key].as_str().unwrap_or_else(|| panic!("{} has no {key}", path.display()));
    let urdf = path.with_file_name(text("urdf"));
    Arm::new(text("robot"), Robot::from_urdf_file(urdf).unwrap(), text("base_link"), &[text("tip_link")])
}

/// One of the package's arms with a tool: `arm6` or `arm7`.
pub fn arm_with_tool(name: &str) -> Arm {
    Arm::new(name, load(&format!("{name}.urdf")), "base_link", &["tool0"])
}

/// The package's own robots, one tip each, with every kind of joint among them.
pub fn bundled_arms() -> Vec<Arm> {
    vec![
        arm_with_tool("arm7"),
        Arm::new("mixed_joints", load("mixed_joints.urdf"), "base_link", &["tool"]),
        Arm::new("two_arms", load("two_arms.urdf"), "base_link", &["left_hand"]),
    ]
}

/// Two hands on one torso.
pub fn two_handed() -> Arm {
    Arm::new("two_arms, both", load("two_arms.urdf"), "base_link", &["left_hand", "right_hand"])
}

/// Arms of seven makers, one tip each.
pub fn makers_arms() -> Vec<Arm> {
    vec![
        Arm::new("fetch7", load("fetch.urdf"), "torso_lift_link", &["gripper_link"]),
        Arm::new("gen3", load("gen3.urdf"), "base_link", &["EndEffector_Link"]),
        Arm::new("iiwa14", load("iiwa14.urdf"), "base_link", &["tool0"]),
        Arm::new("kr6", load("kr6r900sixx.urdf"), "base_link", &["tool0"]),
        Arm::new("panda", load("panda.urdf"), "panda_link0", &["panda_hand_tcp"]),
        Arm::new("talos7", load("talos_full_v2.urdf"), "torso_2_link", &["gripper_left_base_link"]),
        Arm::new("ur5", load("ur5_robot.urdf"), "base_link", &["tool0"]),
    ]
}

/// Arms of four and five joints, which cannot meet most full poses.
pub fn short_arms() -> Vec<Arm> {
    vec![
        Arm::new("scara", load("scara.urdf"), "base", &["tool"]),
        Arm::new("palletiser", load("palletiser.urdf"), "base", &["tool"]),
        Arm::new("so101", load("so101.urdf"), "base_link", &["gripper_frame_link"]),
        Arm::new("arm5", load("arm5.urdf"), "base", &["tool"]),
    ]
}

/// Mobile manipulators: two of their joints have limits of ±999 999 rad and m.
pub fn mobile_arms() -> Vec<Arm> {
    vec![
        Arm::new("frankie", load("frankie.urdf"), "panda_base0", &["frankie_hand"]),
        Arm::new("fetch10", load("fetch.urdf"), "base0", &["gripper_link"]),
    ]
}

/// Every robot except mobile manipulators, one tip each.
pub fn all_arms() -> Vec<Arm> {
    let mut arms = bundled_arms();
    arms.extend(makers_arms());
    assert_eq!(arms.len(), 10);
    arms
}

/// Ten arms whose joints can all turn by more than half a turn either way, one tip each: by design, or with their
/// limits widened to a whole turn.
pub fn wide_arms() -> Vec<Arm> {
    let planar = std::fs::read_to_string(urdf_path("wide.urdf")).unwrap();
    let mut arms = arms_named(&["ur5", "gen3"]);
    arms.push(Arm { name: "wide".into(), ..Arm::from_text(&planar, "b", &["tip"]) });
    let spherical = Arm::from_text(&super::urdf::six_joints(Some(TAU)), "base", &["tip"]);
    arms.push(Arm { name: "six joints".into(), ..spherical });
    for (name, file, base, tip) in [
        ("arm6", "arm6.urdf", "base_link", "tool0"),
        ("arm7", "arm7.urdf", "base_link", "tool0"),
        ("iiwa14", "iiwa14.urdf", "base_link", "tool0"),
        ("kr6", "kr6r900sixx.urdf", "base_link", "tool0"),
        ("panda", "panda.urdf", "panda_link0", "panda_hand_tcp"),
        ("fetch7", "fetch.urdf", "torso_lift_link", "gripper_link"),
    ] {
        let text = widened(&std::fs::read_to_string(urdf_path(file)).unwrap());
        arms.push(Arm::new(&format!("wide {name}"), Robot::from_urdf(&text).unwrap(), base, &[tip]));
    }
    assert_eq!(arms.len(), 10);
    arms
}

/// A URDF with all position limits a whole turn from zero.
fn widened(text: &str) -> String {
    let replace = |text: String, limit: &str, value: f64| {
        let (first, rest) = text.split_once(limit).unwrap();
        let rest = rest.split(limit).map(|part| format!("{limit}{value}\"{}", part.split_once('"').unwrap().1));
        rest.fold(first.to_owned(), |wide, part| wide + &part)
    };
    replace(replace(text.to_owned(), "lower=\"", -TAU), "upper=\"", TAU)
}

/// The arms of [`all_arms`] with these names, in this order.
pub fn arms_named(names: &[&str]) -> Vec<Arm> {
    let mut arms = all_arms();
    let mut take = |name: &&str| match arms.iter().position(|arm| arm.name == *name) {
        Some(index) => arms.swap_remove(index),
        None => panic!("there is no robot '{name}'"),
    };
    names.iter().map(&mut take).collect()
}
