//! Links and frames that goals name.

use nalgebra::Isometry3;
use serde_json::{Value, json};

use urdf_ik_goals::{FixedFrame, Goal, GoalContext};
use urdf_ik_parameters::{Refusal, Settings};
use urdf_ik_robot::Robot;

/// Index of the link `name`, optionally with `prefix`.
pub(super) fn link_index(robot: &Robot, prefix: &str, name: &str) -> Option<usize> {
    let name = name.strip_prefix('/').unwrap_or(name);
    let bare = name.strip_prefix(prefix).unwrap_or(name);
    robot.link_index(bare).or_else(|| robot.link_index(name))
}

/// A frame in a list of goals that is no link of the robot.
pub(super) struct OutsideFrame<'a> {
    pub name: &'a str,
    /// Number of the first goal with it, from 1.
    pub goal: usize,
}

/// The frames in goals that are no links of the robot, each once.
pub(super) fn outside_frames<'a>(robot: &Robot, prefix: &str, goals: &'a [Value]) -> Vec<OutsideFrame<'a>> {
    let mut frames: Vec<OutsideFrame> = Vec::new();
    for (goal, object) in (1..).zip(goals) {
        if let Some(name) = object.get("frame").and_then(Value::as_str)
            && link_index(robot, prefix, name).is_none()
            && frames.iter().all(|frame| frame.name != name)
        {
            frames.push(OutsideFrame { name, goal });
        }
    }
    frames
}

/// Goals with names of links in place of those with the frame prefix.
pub(super) fn with_link_names(robot: &Robot, prefix: &str, goals: &[Value]) -> Vec<Value> {
    let mut goals = goals.to_vec();
    for goal in &mut goals {
        for field in ["link", "frame"] {
            if let Some(name) = goal.get(field).and_then(Value::as_str)
                && let Some(link) = link_index(robot, prefix, name)
            {
                goal[field] = json!(robot.links()[link].name);
            }
        }
    }
    goals
}

/// Reads the standing goals of the parameters.
///
/// # Errors
/// [`Refusal`] if one of them is invalid.
pub(super) fn standing(settings: &Settings, context: &GoalContext) -> Result<Vec<Goal>, Refusal> {
    let goals = with_link_names(context.robot, &settings.frame_prefix, &settings.goals);
    let goals = Goal::read_all(&goals, context).map_err(|e| Settings::goals().refuse(e))?;
    Ok(goals.into_iter().map(Goal::standing).collect())
}

/// Checks the standing goals of a robot whose frames in TF may still come: until then they equal the base link.
///
/// # Errors
/// [`Refusal`], as [`standing`].
pub(super) fn check_standing(settings: &Settings, context: &GoalContext) -> Result<(), Refusal> {
    let outside = outside_frames(context.robot, &settings.frame_prefix, &settings.goals);
    let frame = |frame: &OutsideFrame| FixedFrame { name: frame.name.to_owned(), pose: Isometry3::identity() };
    let frames: Vec<FixedFrame> = outside.iter().map(frame).collect();
    standing(settings, &GoalContext { frames: &frames, ..*context }).map(drop)
}
