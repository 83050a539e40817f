//! The standing goals as displays show them: their shape and violation at the current configuration.

use nalgebra::{Isometry3, Point3};

use crate::arm::Arm;
use crate::robot_in_use::Configuration;
use urdf_ik_goals::{Drawing, ExactConfiguration, Goal, Grip, Region, Rows, Subject, TOLERANCE};
use urdf_ik_parameters::Settings;
use urdf_ik_text::names;

/// Length of a cone without a place to see, relative to the robot's size.
const CONE: f64 = 0.18;

/// A standing goal in one configuration. All places are in the base link's frame \[m\].
pub(crate) struct GoalView {
    pub goal: Goal,
    /// The violation \[m or rad\], also of a goal that is met within the tolerance.
    pub violation: f64,
    pub drawing: Option<Drawing>,
    /// The origin of the first joint in a relation of joints.
    pub joint: Option<Point3<f64>>,
    /// Length of the lines of a cone.
    pub cone_length: f64,
}

impl GoalView {
    /// The standing goals of `settings` at `now`, in their order. Empty if they do not fit the robot.
    pub(crate) fn all(arm: &Arm, now: &Configuration, settings: &Settings) -> Vec<Self> {
        let chain = &now.loaded.chain;
        let Ok(goals) = arm.standing_goals(now, settings) else { return Vec::new() };
        if goals.is_empty() {
            return Vec::new();
        }
        let positions = chain.positions_from(&now.positions);
        let poses = chain.poses_at(&positions);
        let at = ExactConfiguration { positions: &positions, poses: &poses };
        let (mut rows, size) = (Rows::default(), now.loaded.size());
        let view = |goal: Goal| {
            let drawing = goal.kind().drawing(&at);
            let first = goal.kind().coefficients().first();
            let joint =
                first.and_then(|(variable, _)| chain.joints().iter().position(|joint| joint.variable == *variable));
            Self {
                violation: goal.violation(&at, &mut rows),
                joint: joint.map(|joint| poses.joints()[joint].translation.vector.into()),
                cone_length: drawing.as_ref().map_or(0.0, |drawing| cone_length(drawing, size)),
                drawing,
                goal,
            }
        };
        goals.iter().cloned().map(view).collect()
    }

    pub(crate) fn is_met(&self) -> bool {
        self.violation <= TOLERANCE
    }

    /// The name of its markers and of its handle.
    pub(crate) fn display_name(&self) -> String {
        format!("goals/{}", names::short(self.goal.name()))
    }

    /// The field that its handle changes; `None` for a goal that people cannot move.
    pub(crate) fn grip(&self) -> Option<&Grip> {
        self.drawing.as_ref()?.grip.as_ref()
    }

    /// The pose of its handle.
    pub(crate) fn grip_pose(&self) -> Option<Isometry3<f64>> {
        Some(self.grip()?.pose(self.cone_length))
    }
}

/// A line of sight ends at the place that it should see.
fn cone_length(drawing: &Drawing, size: f64) -> f64 {
    match (&drawing.region, drawing.subject) {
        (Region::Cone { apex, .. }, Subject::Point(seen)) => (seen - apex).norm(),
        _ => CONE * size,
    }
}
