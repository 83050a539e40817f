//! Random goals around a configuration.

use nalgebra::{Isometry3, UnitQuaternion};
use serde_json::{Value, json};
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik_testing::{Arm, Random};

/// Up to three goals that the configuration meets.
pub fn draw(arm: &Arm, positions: &[f64], random: &mut Random) -> Vec<Goal> {
    let neutral = arm.robot.neutral_positions();
    let context = GoalContext { robot: &arm.robot, chain: &arm.chain, positions: &neutral, frames: &[] };
    let mut all = neutral.clone();
    arm.chain.write_into(&arm.robot, positions, &mut all);
    let poses = arm.robot.link_poses(&all);
    let base = poses[arm.robot.link_index(arm.chain.base()).unwrap()].inverse();
    let mut goals = Vec::new();
    for _ in 0..=random.below(3) {
        let joint = arm.chain.joints()[random.below(arm.chain.joints().len())].joint;
        let link = arm.robot.joints()[joint].child;
        let mut goal = around(arm, &(base * poses[link]), positions, random);
        if !["joints", "center_of_mass"].contains(&goal["type"].as_str().unwrap()) {
            goal["link"] = json!(arm.robot.links()[link].name);
        }
        if random.once_in(4) {
            goal["standing"] = json!(true);
        }
        if random.once_in(4) {
            goal["weight"] = json!(random.between(0.1, 10.0));
        }
        // A robot without masses has no centre of mass, and the base link no motion.
        goals.extend(Goal::read(&goal, &context));
    }
    goals
}

/// A goal that a link at `pose` meets, or the positions.
fn around(arm: &Arm, pose: &Isometry3<f64>, positions: &[f64], random: &mut Random) -> Value {
    let half = if random.once_in(3) { 0.0 } else { random.between(0.0, 0.05) };
    let point = random.vector(0.1);
    let centre = (pose * nalgebra::Point3::from(point)).coords;
    let axis = random.direction();
    let aside = UnitQuaternion::from_scaled_axis(random.direction() * 0.1);
    let direction = aside * (pose.rotation * axis);
    match random.below(7) {
        0 => json!({"type": "position", "point": point.as_slice(), "p": centre.as_slice(),
                    "lower": [-half, 0.0, null], "upper": [half, 0.0, 0.01]}),
        1 => {
            let other = centre + random.direction() * 0.4;
            json!({"type": "distance", "point": point.as_slice(), "p": other.as_slice(), "lower": 0.4 - half,
                   "upper": 0.4 + half})
        }
        2 => json!({"type": "cone", "axis": axis.as_slice(), "direction": direction.as_slice(), "angle": 0.11}),
        3 => {
            let seen = centre + direction * random.between(0.3, 1.0);
            json!({"type": "gaze", "point": point.as_slice(), "axis": axis.as_slice(), "p": seen.as_slice(), "angle": 0.12})
        }
        4 => json!({"type": "orientation", "q_xyzw": pose.rotation.coords.as_slice(), "lower": [-half, -half, null],
                    "upper": [half, 0.0, null]}),
        5 => {
            let index = random.below(positions.len());
            let name = &arm.chain.variables()[index].name;
            json!({"type": "joints", "coefficients": {name: -2.0}, "lower": -2.0 * positions[index] - half,
                   "upper": -2.0 * positions[index] + half})
        }
        _ => json!({"type": "center_of_mass", "p": centre.as_slice(), "lower": [-1.0, -1.0, null]}),
    }
}
