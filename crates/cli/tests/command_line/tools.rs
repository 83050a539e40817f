//! Tools on the tip links, and bounds and weights of joints, in the command `solve`.

use nalgebra::{Isometry3, Vector3};
use serde_json::Value;
use urdf_ik::robot::Variable;

use crate::common::{self, Arm, Random};
use crate::shell::{fails, parse, run, succeeds, target_of, urdf};

/// The answer of `solve` on the bundled arm.
fn solve(pose: &Isometry3<f64>, more: &[&str]) -> Value {
    let (urdf, target) = (urdf("arm7.urdf"), target_of(pose));
    let mut arguments = vec!["solve", "--urdf", &urdf, "--target"];
    arguments.extend(target.iter().map(String::as_str));
    arguments.extend(more);
    parse(&succeeds(&arguments))
}

fn positions(arm: &Arm, answer: &Value) -> Vec<f64> {
    let position = |variable: &Variable| answer["positions"][&variable.name].as_f64().unwrap();
    arm.chain.variables().iter().map(position).collect()
}

#[test]
fn a_tool_is_brought_to_the_target() {
    let arm = &common::bundled_arms()[0];
    let tool = Isometry3::new(Vector3::new(0.05, -0.03, 0.12), Vector3::new(0.4, -0.7, 0.3));
    let pose = arm.tip_poses(&Random::new(21).positions(&arm.chain))[0] * tool;
    let numbers = target_of(&tool);
    let mut option = vec!["--tool"];
    option.extend(numbers.iter().map(String::as_str));
    let reached = arm.tip_poses(&positions(arm, &solve(&pose, &option)))[0] * tool;
    let (shift, angle) = common::distance(&reached, &pose);
    assert!(shift <= 1.001e-5 && angle <= 1.001e-5, "{shift:e} m, {angle:e} rad");
}

#[test]
fn bounds_lock_a_joint_and_weights_hold_it_back() {
    let arm = &common::bundled_arms()[0];
    let pose = arm.tip_poses(&[0.4, 0.3, 0.5, -0.5, 0.2, 0.7, 0.1])[0];
    let name = &arm.chain.variables()[2].name;
    let locked = solve(&pose, &["--bounds", &format!("{{{name}: [0.4, 0.4]}}")]);
    assert_eq!(positions(arm, &locked)[2], 0.4);
    let [light, heavy] = ["1e-3", "1e3"].map(|weight| {
        let weights = arm.chain.variables().iter().map(|v| if v.name == *name { weight } else { "1" });
        let weights: Vec<String> =
            arm.chain.variables().iter().zip(weights).map(|(v, w)| format!("{}: {w}", v.name)).collect();
        let weights = format!("{{{}}}", weights.join(", "));
        (positions(arm, &solve(&pose, &["--move-weights", &weights]))[2] - arm.chain.nominal_positions()[2]).abs()
    });
    assert!(heavy < 0.5 * light, "{heavy} {light}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let urdf = urdf("arm7.urdf");
    let refused = |more: &[&str], words: &[&str]| {
        fails(&[&["solve", "--urdf", &urdf, "--position", "0.4", "0", "0.5"], more].concat(), words);
    };
    refused(&["--tool", "0", "0", "0.1", "0", "0", "0", "0"], &["--tool", "quaternion"]);
    refused(&["--tool", "nan", "0", "0.1", "0", "0", "0", "1"], &["--tool", "tool0"]);
    let two = ["--tool", "0", "0", "0.1", "0", "0", "0", "1"].repeat(2);
    refused(&two, &["--tool", "2 tools", "1 tip"]);
    refused(&["--bounds", "{knee: [0, 1]}"], &["bounds", "knee"]);
    refused(&["--bounds", "{elbow_joint: 1}"], &["--bounds"]);
    refused(&["--bounds", "{elbow_joint: [1, 0]}"], &["elbow_joint"]);
    refused(&["--bounds", "{elbow_joint: [.nan, 0]}"], &["elbow_joint", "NaN"]);
    refused(&["--move-weights", "{elbow_joint: -1}"], &["elbow_joint", "-1"]);
    refused(&["--move-weights", "{knee: 1}"], &["move_weights", "knee"]);
    assert!(run(&["info", "--urdf", &urdf, "--tool", "0", "0", "1", "0", "0", "0", "1"]).code == 0);
}
