//! The pose nearest to a commanded one at which a tip meets the standing goals that refer to it alone.

use nalgebra::{Isometry3, IsometryMatrix3, Translation3, UnitQuaternion, Vector3};

use super::standing_goals::{is_length, rest_distance};
use urdf_ik_goals::{Configuration, Goal, Row, Rows};
use urdf_ik_robot::Tip;

/// Most passes over the goals: one is enough for a box, several for goals that influence each other.
const PASSES: usize = 8;
/// Distance to bounds that is rounding \[m or rad\].
const ROUNDING: f64 = 1e-12;

/// A configuration of which only the frame of one joint is known.
struct PosedJoint(IsometryMatrix3<f64>);

impl Configuration for PosedJoint {
    fn frame(&self, _: usize) -> IsometryMatrix3<f64> {
        self.0
    }

    fn position(&self, _: usize) -> f64 {
        f64::NAN
    }
}

/// Moves a pose of a tip, in the base link's frame, to the nearest one at which the tip may rest: lengths of goals by
/// translation, angles by rotation (projections one after the other). Goals of other links have no part.
pub fn project(goals: &[Goal], tip: &Tip, mut pose: Isometry3<f64>) -> Isometry3<f64> {
    let mut rows = Rows::default();
    let is_of_tip = |goal: &&Goal| {
        let bodies = goal.bodies();
        bodies.contains(&Some(tip.parent)) && bodies.iter().flatten().all(|joint| *joint == tip.parent)
    };
    for _ in 0..PASSES {
        let mut is_met = true;
        for goal in goals.iter().filter(is_of_tip) {
            for row in 0..goal.kind().rows() {
                goal.violation(&PosedJoint(nalgebra::convert(pose * tip.placement.inverse())), &mut rows);
                let missing = missing(&rows.values()[row]);
                if missing.abs() > ROUNDING {
                    pose = moved(&pose, goal, rows.wrenches(row), missing);
                    is_met = false;
                }
            }
        }
        if is_met {
            break;
        }
    }
    pose
}

/// The change that brings a value to where it may rest.
fn missing(row: &Row) -> f64 {
    let rest = rest_distance(row);
    let [lower, upper] = row.interval;
    row.value.max(lower + rest).min(upper - rest) - row.value
}

/// A pose, moved so that a value of a goal with these wrenches changes by `change` to first order.
fn moved(pose: &Isometry3<f64>, goal: &Goal, wrenches: &[[Vector3<f64>; 2]], change: f64) -> Isometry3<f64> {
    let moving = goal.bodies().iter().zip(wrenches).find(|(body, _)| body.is_some());
    let Some((_, [force, about_base])) = moving else { return *pose };
    let torque = about_base - pose.translation.vector.cross(force);
    let direction = if is_length(goal) { *force } else { torque };
    let squared = direction.norm_squared();
    if squared < ROUNDING {
        return *pose;
    }
    let by = direction * (change / squared);
    let Isometry3 { translation, rotation } = *pose;
    if is_length(goal) {
        Isometry3::from_parts(Translation3::from(translation.vector + by), rotation)
    } else {
        Isometry3::from_parts(translation, UnitQuaternion::from_scaled_axis(by) * rotation)
    }
}
