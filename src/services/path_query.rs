//! The path of a request: of the service `solve_path`, or of a motion.

use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::Pose;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIK::Request as Overrides;
use r2r::urdf_ik::srv::SolvePath::Request;

use super::request_overrides;
use crate::arm::Arm;
use crate::messages::copied;
use crate::reports::Refused;
use crate::robot_in_use::{Configuration, GoalReader, LoadedRobot, LocatedFrame, RequestedGoals};
use crate::solving::{PathStart, PathToPlan, path_plan, problem};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{PathSettings, Settings, Value};
use urdf_ik_solver::Target;

/// A checked request for a path. Its start is still open.
pub(crate) struct PathQuery {
    /// The robot with the tools of the request.
    loaded: Arc<LoadedRobot>,
    poses: Vec<Pose>,
    frame: LocatedFrame,
    goals: RequestedGoals,
    /// The tip, its tolerance and its free axes.
    pattern: Target,
    /// The parameters with the overrides of the request.
    settings: Settings,
    /// Header of the request, with the frame in use.
    pub header: Header,
}

impl PathQuery {
    /// Checks all fields but the start. Frames of goals are located at `configuration`.
    ///
    /// # Errors
    /// [`Refused`] with the name of the field.
    pub(crate) async fn new(arm: &Arm, request: &Request, configuration: &Configuration) -> Result<Self, Refused> {
        let mut settings = (*arm.settings()).clone();
        let mut pattern = problem::target(Isometry3::identity(), &settings);
        request_overrides::apply(&overrides_of(request), &configuration.loaded.chain, &mut pattern, &mut settings)?;
        override_path(request, &mut settings.path)?;
        let loaded = request_overrides::with_tools(&request.tools, &configuration.loaded, &[pattern.tip])?;
        let frame = arm.frames.of_request(&loaded, &settings, &request.header).await?;
        path_plan::poses(&request.poses, &Isometry3::identity())?;
        let reader = GoalReader { frames: &arm.frames, configuration, settings: &settings };
        let goals = reader.parse(&request.goals).await?;
        goals.read(&loaded, &configuration.end)?;
        let header = Header { frame_id: frame.name.clone(), ..request.header.clone() };
        Ok(Self { loaded, poses: request.poses.clone(), frame, goals, pattern, settings, header })
    }

    /// The name of the link that moves along the path.
    pub(crate) fn tip_link(&self) -> String {
        self.loaded.chain.tips()[self.pattern.tip].link.clone()
    }

    /// The path of an arm at rest at `start`, with points every `period` \[s\]; 0 is that of the publish rate.
    ///
    /// # Errors
    /// [`Refused`] if standing goals or collision shapes cannot be used.
    pub(crate) async fn at(
        self,
        arm: &Arm,
        start: &Configuration,
        from: PathStart,
        period: f64,
    ) -> Result<PathToPlan, Refused> {
        let Self { loaded, poses, frame, goals, pattern, settings, .. } = self;
        let poses = path_plan::poses(&poses, &frame.in_base(start))?;
        let mut goals = goals.read(&loaded, &start.end)?;
        goals.extend_from_slice(&arm.standing_goals(&arm.configuration()?, &settings)?);
        let avoidance = Avoidance::of(&arm.surroundings, &loaded, &start.end, &settings).await?;
        let period = if period == 0.0 { settings.publish_period().as_secs_f64() } else { period };
        let start = loaded.chain.positions_from(&start.end);
        Ok(PathToPlan { loaded, poses, pattern, goals, start, from, avoidance, period, settings })
    }
}

/// The fields of a request that override parameters of searches.
fn overrides_of(request: &Request) -> Overrides {
    copied!(&request => Overrides {
        tip_link, free_axes, solver, position_tolerance, orientation_tolerance, avoid_collisions,
    } Overrides::default())
}

/// Applies the request's path fields to the settings.
fn override_path(request: &Request, path: &mut PathSettings) -> Result<(), Refused> {
    for (value, parameter, given) in [
        (&mut path.speed, PathSettings::speed(), request.speed),
        (&mut path.acceleration, PathSettings::acceleration(), request.acceleration),
        (&mut path.blend_radius, PathSettings::blend_radius(), request.blend_radius),
        (&mut path.position_deviation, PathSettings::position_deviation(), request.position_deviation),
        (&mut path.orientation_deviation, PathSettings::orientation_deviation(), request.orientation_deviation),
    ] {
        request_overrides::replace(value, parameter, Value::Double(given))?;
    }
    Ok(())
}
