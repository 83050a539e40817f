//! Robots of any number of joints, and reachable targets for them.

use std::error::Error;
use std::fmt::Write;
use std::sync::Arc;

use urdf_ik::robot::{Chain, ChainPoses, Robot};
use urdf_ik::solver::Target;

/// Arms of at most this many joints have links like real arms; larger ones are noodles, whose hundred joints make three
/// metres.
const JOINTS_OF_AN_ARM: usize = 10;

/// An arm with perpendicular axes, as in most arms, without intersections.
pub fn serial(joints: usize) -> Result<Arc<Chain>, Box<dyn Error>> {
    let mut text = String::from("<robot name='serial'><link name='base'/>");
    add_arm(&mut text, "base", "arm", joints)?;
    text.push_str("</robot>");
    Ok(Arc::new(Chain::new(&Robot::from_urdf(&text)?, "base", &["arm_tool"])?))
}

/// Two arms of seven joints on a torso with a revolute joint.
pub fn two_armed() -> Result<Arc<Chain>, Box<dyn Error>> {
    let mut text = String::from("<robot name='two_armed'><link name='base'/>");
    add_joint(&mut text, "base", "torso", "0 0 0.8", "0 0 1")?;
    for (side, at) in [("left", "0 0.2 0"), ("right", "0 -0.2 0")] {
        let shoulder = format!("{side}_shoulder");
        add_fixed(&mut text, "torso", &shoulder, at)?;
        add_arm(&mut text, &shoulder, side, 7)?;
    }
    text.push_str("</robot>");
    Ok(Arc::new(Chain::new(&Robot::from_urdf(&text)?, "base", &["left_tool", "right_tool"])?))
}

/// Joints and links, named `name` and their number from 1, and a tool, on the link `base`.
fn add_arm(text: &mut String, base: &str, name: &str, joints: usize) -> Result<(), Box<dyn Error>> {
    let at = if joints > JOINTS_OF_AN_ARM { "0.01 0 0.028" } else { "0.03 0.02 0.15" };
    let mut parent = base.to_owned();
    for number in 1..=joints {
        let child = format!("{name}{number}");
        add_joint(text, &parent, &child, at, if number % 2 == 1 { "0 0 1" } else { "0 1 0" })?;
        parent = child;
    }
    add_fixed(text, &parent, &format!("{name}_tool"), at)
}

/// A link that is fixed to `parent`.
fn add_fixed(text: &mut String, parent: &str, child: &str, at: &str) -> Result<(), Box<dyn Error>> {
    writeln!(text, "<link name='{child}'/><joint name='{child}' type='fixed'><parent link='{parent}'/>")?;
    writeln!(text, "<child link='{child}'/><origin xyz='{at}'/></joint>")?;
    Ok(())
}

/// A joint and its moving link. The middle of its range, where a search begins, is not singular.
fn add_joint(text: &mut String, parent: &str, child: &str, at: &str, axis: &str) -> Result<(), Box<dyn Error>> {
    writeln!(text, "<link name='{child}'/><joint name='{child}' type='revolute'><parent link='{parent}'/>")?;
    writeln!(text, "<child link='{child}'/><origin xyz='{at}'/><axis xyz='{axis}'/>")?;
    writeln!(text, "<limit lower='-2.2' upper='2.8' effort='1' velocity='1'/></joint>")?;
    Ok(())
}

/// The poses of all tips at `positions`.
pub fn targets_at(chain: &Chain, positions: &[f64]) -> Vec<Target> {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    poses.tips().iter().enumerate().map(|(tip, pose)| Target::new(tip, *pose)).collect()
}
