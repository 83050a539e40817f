//! The parameters as typed settings.

use std::time::Duration;

use super::value::{Refusal, Value};
use super::values::Values;
use crate::config::{self, Yaml};
use urdf_ik_motion::servo::{ServoOptions, UnknownName};
use urdf_ik_motion::{FollowOptions, JointLimit, Timing};
use urdf_ik_solver::{FabrikOptions, JacobianStep, Pick, SolverKind, Tolerance, free_axes_from_names};

/// What the arm does when a target cannot be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnreachable {
    /// It moves to the closest pose that was found.
    Closest,
    /// It holds its position.
    Hold,
}

/// How the arm moves to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// At once, or in steps of at most `max_joint_step`.
    Immediate,
    /// Within the limits of velocity, acceleration and jerk.
    Smooth,
}

/// The parameters of Cartesian paths.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
pub struct PathSettings {
    /// Speed and acceleration. The period is that of `publish_rate`.
    pub timing: Timing,
    pub blend_radius: f64,
    /// It has the two deviations.
    pub follow: FollowOptions,
    pub partial: bool,
}

/// The weights of `null_space`, in the sense of [`Preference`](urdf_ik_solver::Preference).
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
pub struct NullSpace {
    pub posture: f64,
    pub limits: f64,
    pub manipulability: f64,
}

/// The parameters of the servo.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
pub struct ServoSettings {
    pub timeout: Duration,
    /// All but the timeout.
    pub options: ServoOptions,
}

/// What the numbers of the commands of MoveIt Servo are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandUnits {
    /// Shares of the scales, from -1 to 1.
    Unitless,
    /// Velocities in m/s and rad/s.
    SpeedUnits,
}

/// The parameters of the names of MoveIt Servo.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
pub struct MoveItServoSettings {
    pub enabled: bool,
    pub command_in_type: CommandUnits,
    pub linear_scale: f64,
    pub rotational_scale: f64,
    pub joint_scale: f64,
}

/// Typed parameters, each as the table describes it.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
#[expect(clippy::struct_excessive_bools, reason = "each of them is a parameter")]
pub struct Settings {
    pub robot_description: String,
    pub urdf_file: String,
    /// Empty where none is given.
    pub robot_description_semantic: String,
    pub base_link: Option<String>,
    pub tip_links: Vec<String>,
    pub frame_prefix: String,
    pub solver: SolverKind,
    pub tolerance: Tolerance,
    /// As [`Target::free_axes`](urdf_ik_solver::Target::free_axes).
    pub free_axes: [bool; 6],
    pub timeout: Duration,
    pub attempts: usize,
    pub random_seed: u64,
    /// At least 1.
    pub cores: usize,
    /// `None` for all but one.
    pub batch_cores: Option<usize>,
    pub pick: Pick,
    pub on_unreachable: OnUnreachable,
    pub branch_jumps: bool,
    pub avoid_collisions: bool,
    pub collision_margin: f64,
    pub publish_period: Duration,
    /// `None` for no bound.
    pub max_joint_step: Option<f64>,
    pub motion: Motion,
    /// Empty where none are given.
    pub joint_limits: Yaml,
    joint_limits_text: String,
    /// The three defaults.
    pub default_limits: JointLimit,
    pub path: PathSettings,
    pub servo: ServoSettings,
    pub moveit_servo: MoveItServoSettings,
    pub join_targets: Duration,
    pub command_joints: Vec<String>,
    pub interactive_target: bool,
    pub initial_posture: config::NamedPositions,
    initial_posture_text: String,
    /// Empty for no preference.
    pub posture: config::NamedPositions,
    posture_text: String,
    pub null_space: NullSpace,
    pub measured_timeout: Duration,
    pub transform_timeout: Duration,
    pub best_effort_targets: bool,
    pub jacobian: JacobianStep,
    pub fabrik: FabrikOptions,
    pub use_sim_time: bool,
}

impl Settings {
    /// Reads the values of the table. Where a text of joint positions or joint limits is the same as in the settings `before`, they are not
    /// read again: their file may not exist any more.
    ///
    /// # Errors
    /// A [`Refusal`] where a value has the right type but no meaning, such as joint positions that are no YAML mapping.
    pub fn new(values: &Values, before: Option<&Self>) -> Result<Self, Refusal> {
        let (initial_posture_text, initial_posture) =
            values.named_positions("initial_posture", before.map(|b| (&b.initial_posture_text, &b.initial_posture)))?;
        let (posture_text, posture) =
            values.named_positions("posture", before.map(|b| (&b.posture_text, &b.posture)))?;
        let joint_limits_text = values.text("joint_limits");
        let joint_limits = match before.filter(|before| before.joint_limits_text == joint_limits_text) {
            Some(before) => before.joint_limits.clone(),
            None => Yaml::read(&joint_limits_text).map_err(|e| Refusal(format!("joint_limits: {e}")))?,
        };
        let damping = values.double("jacobian.damping");
        let publish_period = Duration::from_secs_f64(1.0 / values.double("publish_rate").max(0.1));
        Ok(Self {
            robot_description: values.text("robot_description"),
            urdf_file: values.text("urdf_file"),
            robot_description_semantic: values.text("robot_description_semantic"),
            base_link: Some(values.text("base_link")).filter(|name| !name.is_empty()),
            tip_links: values.names("tip_links"),
            frame_prefix: values.text("frame_prefix"),
            solver: values.text("solver").parse().map_err(|e| Refusal(format!("solver: {e}")))?,
            tolerance: values.tolerance("position_tolerance", "orientation_tolerance"),
            free_axes: values.free_axes()?,
            timeout: values.seconds("timeout"),
            attempts: usize::try_from(values.integer("attempts")).unwrap_or(1),
            random_seed: u64::try_from(values.integer("random_seed")).unwrap_or(0),
            pick: values.text("pick").parse().map_err(|e| Refusal(format!("pick: {e}")))?,
            cores: usize::try_from(values.integer("cores")).unwrap_or(1).max(1),
            batch_cores: usize::try_from(values.integer("batch_cores")).ok().filter(|cores| *cores > 0),
            on_unreachable: match values.text("on_unreachable").as_str() {
                "hold" => OnUnreachable::Hold,
                _ => OnUnreachable::Closest,
            },
            branch_jumps: values.bool("branch_jumps"),
            avoid_collisions: values.bool("avoid_collisions"),
            collision_margin: values.double("collision_margin"),
            publish_period,
            max_joint_step: Some(values.double("max_joint_step")).filter(|step| *step > 0.0),
            motion: match values.text("motion").as_str() {
                "smooth" => Motion::Smooth,
                _ => Motion::Immediate,
            },
            joint_limits,
            joint_limits_text,
            default_limits: values.default_limits(),
            path: values.path(publish_period),
            servo: values.servo()?,
            moveit_servo: values.moveit_servo(),
            join_targets: values.seconds("join_targets"),
            command_joints: values.names("command_joints"),
            interactive_target: values.bool("interactive_target"),
            initial_posture,
            initial_posture_text,
            posture,
            posture_text,
            null_space: values.null_space(),
            measured_timeout: values.seconds("measured_timeout"),
            transform_timeout: values.seconds("transform_timeout"),
            best_effort_targets: values.text("target_reliability") == "best_effort",
            jacobian: match values.text("jacobian.method").as_str() {
                "pseudoinverse" => JacobianStep::Pseudoinverse,
                _ => JacobianStep::Damped { damping: Some(damping).filter(|damping| *damping > 0.0) },
            },
            fabrik: FabrikOptions {
                acceleration: usize::try_from(values.integer("fabrik.acceleration")).unwrap_or(0),
                polish: values.bool("fabrik.polish"),
            },
            use_sim_time: values.bool("use_sim_time"),
        })
    }
}

/// Typed access. The table fixes each type, and a test reads every field, so the fallbacks are never used.
impl Values {
    fn bool(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Bool(true)))
    }

    fn integer(&self, name: &str) -> i64 {
        if let Some(Value::Integer(value)) = self.get(name) { *value } else { 0 }
    }

    fn double(&self, name: &str) -> f64 {
        if let Some(Value::Double(value)) = self.get(name) { *value } else { 0.0 }
    }

    fn seconds(&self, name: &str) -> Duration {
        Duration::try_from_secs_f64(self.double(name)).unwrap_or(Duration::ZERO)
    }

    fn text(&self, name: &str) -> String {
        if let Some(Value::Text(value)) = self.get(name) { value.clone() } else { String::new() }
    }

    /// Joint positions with their text; those of `before` where the text is the same.
    fn named_positions(
        &self,
        name: &str,
        before: Option<(&String, &config::NamedPositions)>,
    ) -> Result<(String, config::NamedPositions), Refusal> {
        let text = self.text(name);
        let positions = match before.filter(|before| *before.0 == text) {
            Some((_, positions)) => positions.clone(),
            None => config::NamedPositions::read(&text).map_err(|e| Refusal(format!("{name}: {e}")))?,
        };
        Ok((text, positions))
    }

    fn tolerance(&self, position: &str, orientation: &str) -> Tolerance {
        Tolerance { position: self.double(position), orientation: self.double(orientation) }
    }

    fn null_space(&self) -> NullSpace {
        NullSpace {
            posture: self.double("null_space.posture"),
            limits: self.double("null_space.limits"),
            manipulability: self.double("null_space.manipulability"),
        }
    }

    fn default_limits(&self) -> JointLimit {
        JointLimit {
            velocity: Some(self.double("default_velocity")),
            acceleration: Some(self.double("default_acceleration")),
            jerk: Some(self.double("default_jerk")),
        }
    }

    fn path(&self, period: Duration) -> PathSettings {
        PathSettings {
            timing: Timing {
                speed: self.double("path.speed"),
                acceleration: self.double("path.acceleration"),
                period: period.as_secs_f64(),
            },
            blend_radius: self.double("path.blend_radius"),
            follow: FollowOptions {
                deviation: self.tolerance("path.position_deviation", "path.orientation_deviation"),
                ..FollowOptions::default()
            },
            partial: self.bool("path.partial"),
        }
    }

    fn servo(&self) -> Result<ServoSettings, Refusal> {
        let refusal = |name: &str, e: UnknownName| Refusal(format!("{name}: {e}"));
        let [priority, held_back] = ["servo.priority", "servo.held_back"];
        let options = ServoOptions {
            linear_speed: self.double("servo.linear_speed"),
            angular_speed: self.double("servo.angular_speed"),
            priority: self.text(priority).parse().map_err(|e| refusal(priority, e))?,
            held_back: self.text(held_back).parse().map_err(|e| refusal(held_back, e))?,
            give: ["servo.give.position", "servo.give.orientation"].map(|name| self.double(name)),
        };
        Ok(ServoSettings { timeout: self.seconds("servo.timeout"), options })
    }

    fn moveit_servo(&self) -> MoveItServoSettings {
        MoveItServoSettings {
            enabled: self.bool("moveit_servo.enabled"),
            command_in_type: match self.text("moveit_servo.command_in_type").as_str() {
                "speed_units" => CommandUnits::SpeedUnits,
                _ => CommandUnits::Unitless,
            },
            linear_scale: self.double("moveit_servo.scale.linear"),
            rotational_scale: self.double("moveit_servo.scale.rotational"),
            joint_scale: self.double("moveit_servo.scale.joint"),
        }
    }

    fn free_axes(&self) -> Result<[bool; 6], Refusal> {
        let names = self.names("free_axes");
        let free =
            free_axes_from_names(names.iter().map(String::as_str)).map_err(|e| Refusal(format!("free_axes: {e}")))?;
        if free == [true; 6] {
            return Err(Refusal("free_axes must not have all six axes: nothing would be left of the target".into()));
        }
        Ok(free)
    }

    /// A list of names. Launch files write an empty list as a list of one empty text.
    fn names(&self, name: &str) -> Vec<String> {
        let Some(Value::Texts(values)) = self.get(name) else { return Vec::new() };
        values.iter().filter(|name| !name.is_empty()).cloned().collect()
    }
}

#[cfg(test)]
mod tests;
