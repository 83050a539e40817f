//! The pose nearest to a commanded one at which a tip meets the standing goals that refer to it alone.

use nalgebra::{Isometry3, IsometryMatrix3, Translation3, UnitQuaternion};

use super::standing_goals::{is_length, rest_distance};
use urdf_ik_goals::{Configuration, Derivative, Goal, Places, Row, Rows};
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

/// The pose nearest to `pose` at which the tip may rest, both in the base link's frame. Goals that bound lengths \[m\]
/// translate the pose, and goals that bound angles \[rad\] rotate it, one after the other. Goals of other links have no
/// effect.
pub fn project(goals: &[Goal], tip: &Tip, mut pose: Isometry3<f64>) -> Isometry3<f64> {
    let mut rows = Rows::default();
    let is_of_tip = |places: &&Places| places.joints().flatten().all(|joint| joint == tip.parent);
    let of_tip = || goals.iter().filter_map(|goal| Some((goal, goal.places().filter(is_of_tip)?)));
    for _ in 0..PASSES {
        let mut is_met = true;
        for (goal, places) in of_tip() {
            for row in 0..goal.kind().rows() {
                let at = PosedJoint(nalgebra::convert(pose * tip.placement.inverse()));
                goal.measure(&at, &mut rows);
                let missing = missing(&rows.values()[row]);
                if missing.abs() > ROUNDING
                    && let Some((_, wrench)) = places.wrenches(&at, &rows.derivatives()[row]).next()
                {
                    pose = moved(&pose, goal, &wrench, missing);
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

/// A pose, moved so that a value of a goal with this wrench on the tip changes by `change` to first order.
fn moved(pose: &Isometry3<f64>, goal: &Goal, [force, about_base]: &Derivative, change: f64) -> Isometry3<f64> {
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
