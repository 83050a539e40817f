//! The parameters as typed settings.

use std::time::Duration;

use super::value::{Refusal, Value};
use super::values::Values;
use crate::config::{self, Yaml};
use crate::motion::{FollowOptions, JointLimit, Timing};
use crate::solver::{FabrikOptions, JacobianStep, Pick, SolverKind, Tolerance, free_axes_from_names};

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

/// The weights of `null_space`, in the sense of [`Preference`](crate::solver::Preference).
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the table describes each field under the same name")]
pub struct NullSpace {
    pub posture: f64,
    pub limits: f64,
    pub manipulability: f64,
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
    /// As [`Target::free_axes`](crate::solver::Target::free_axes).
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
        let seconds = |name| Duration::try_from_secs_f64(values.double(name)).unwrap_or(Duration::ZERO);
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
            timeout: seconds("timeout"),
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
            join_targets: seconds("join_targets"),
            command_joints: values.names("command_joints"),
            interactive_target: values.bool("interactive_target"),
            initial_posture,
            initial_posture_text,
            posture,
            posture_text,
            null_space: values.null_space(),
            measured_timeout: seconds("measured_timeout"),
            transform_timeout: seconds("transform_timeout"),
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
mod tests {
    use super::*;
    use crate::solver::AXIS_NAMES;

    #[test]
    fn defaults_are_read_as_the_table_has_them() {
        let settings = Settings::new(&Values::default(), None).unwrap();
        assert_eq!(settings.tolerance, Tolerance::default());
        assert_eq!(settings.timeout, Duration::from_millis(50));
        assert_eq!((settings.attempts, settings.random_seed), (100, 0));
        assert_eq!((settings.cores, settings.batch_cores), (1, None));
        assert_eq!(settings.on_unreachable, OnUnreachable::Closest);
        assert_eq!((settings.pick, settings.free_axes), (Pick::First, [false; 6]));
        assert!(settings.posture.0.is_empty());
        assert_eq!(settings.null_space, NullSpace { posture: 1.0, limits: 0.0, manipulability: 0.0 });
        assert_eq!(settings.publish_period, Duration::from_millis(20));
        assert_eq!(settings.transform_timeout, Duration::from_millis(100));
        assert_eq!(settings.measured_timeout, Duration::from_millis(500));
        assert_eq!(settings.default_limits, JointLimit::DEFAULT);
        assert_eq!(settings.jacobian, JacobianStep::Damped { damping: None });
        assert_eq!(settings.fabrik, FabrikOptions::default());
        assert_eq!((settings.motion, settings.join_targets), (Motion::Immediate, Duration::from_millis(100)));
        assert_eq!(settings.path.timing, Timing { period: 0.02, ..Timing::default() });
        assert_eq!((settings.path.follow, settings.path.blend_radius), (FollowOptions::default(), 0.0));
        assert!(!settings.path.partial && settings.command_joints.is_empty() && settings.joint_limits.text.is_empty());
        assert!(settings.branch_jumps && !settings.best_effort_targets && !settings.use_sim_time);
        assert!(!settings.avoid_collisions && settings.robot_description_semantic.is_empty());
        assert_eq!(settings.collision_margin, 0.01);
        assert!(settings.base_link.is_none() && settings.tip_links.is_empty() && settings.max_joint_step.is_none());
    }

    #[test]
    fn each_setting_follows_its_parameter() {
        let mut values = Values::default();
        let text = |value: &str| Value::Text(value.into());
        for (name, value) in [
            ("base_link", text("torso")),
            ("tip_links", Value::Texts(vec!["hand".into()])),
            ("frame_prefix", text("left/")),
            ("urdf_file", text("a.urdf")),
            ("robot_description", text("<robot/>")),
            ("robot_description_semantic", text("a.srdf")),
            ("avoid_collisions", Value::Bool(true)),
            ("collision_margin", Value::Double(0.03)),
            ("timeout", Value::Double(1.5)),
            ("attempts", Value::Integer(7)),
            ("random_seed", Value::Integer(9)),
            ("cores", Value::Integer(3)),
            ("batch_cores", Value::Integer(2)),
            ("on_unreachable", text("hold")),
            ("branch_jumps", Value::Bool(false)),
            ("max_joint_step", Value::Double(0.1)),
            ("initial_posture", text("{elbow: 1.0}")),
            ("free_axes", Value::Texts(vec!["rz".into(), String::new()])),
            ("pick", text("nearest")),
            ("posture", text("{elbow: -1.0}")),
            ("null_space.posture", Value::Double(2.0)),
            ("null_space.limits", Value::Double(3.0)),
            ("null_space.manipulability", Value::Double(4.0)),
            ("target_reliability", text("best_effort")),
            ("jacobian.damping", Value::Double(0.2)),
            ("solver", text("fabrik")),
            ("fabrik.acceleration", Value::Integer(5)),
            ("fabrik.polish", Value::Bool(false)),
            ("use_sim_time", Value::Bool(true)),
            ("motion", text("smooth")),
            ("joint_limits", text("joint_limits: {}")),
            ("default_velocity", Value::Double(0.1)),
            ("default_acceleration", Value::Double(0.2)),
            ("default_jerk", Value::Double(0.3)),
            ("path.speed", Value::Double(0.4)),
            ("path.acceleration", Value::Double(0.6)),
            ("path.blend_radius", Value::Double(0.7)),
            ("path.position_deviation", Value::Double(0.08)),
            ("path.orientation_deviation", Value::Double(0.09)),
            ("path.partial", Value::Bool(true)),
            ("join_targets", Value::Double(2.0)),
            ("command_joints", Value::Texts(vec!["elbow".into()])),
            ("interactive_target", Value::Bool(false)),
        ] {
            values.set(name, value).unwrap();
        }
        let settings = Settings::new(&values, None).unwrap();
        assert_eq!(settings.base_link.as_deref(), Some("torso"));
        assert_eq!(settings.tip_links, ["hand"]);
        assert_eq!((settings.frame_prefix.as_str(), settings.urdf_file.as_str()), ("left/", "a.urdf"));
        assert_eq!(settings.robot_description, "<robot/>");
        assert_eq!(settings.robot_description_semantic, "a.srdf");
        assert_eq!((settings.avoid_collisions, settings.collision_margin), (true, 0.03));
        assert_eq!(settings.timeout, Duration::from_millis(1500));
        assert_eq!((settings.attempts, settings.random_seed), (7, 9));
        assert_eq!((settings.cores, settings.batch_cores), (3, Some(2)));
        assert_eq!(settings.on_unreachable, OnUnreachable::Hold);
        assert_eq!(settings.max_joint_step, Some(0.1));
        assert_eq!(settings.initial_posture.0["elbow"], 1.0);
        assert_eq!(settings.posture.0["elbow"], -1.0);
        assert_eq!((settings.pick, settings.free_axes), (Pick::Nearest, [false, false, false, false, false, true]));
        assert_eq!(settings.null_space, NullSpace { posture: 2.0, limits: 3.0, manipulability: 4.0 });
        assert_eq!(settings.jacobian, JacobianStep::Damped { damping: Some(0.2) });
        assert_eq!(settings.solver, SolverKind::Fabrik);
        assert_eq!(settings.fabrik, FabrikOptions { acceleration: 5, polish: false });
        assert!(
            !settings.interactive_target
                && !settings.branch_jumps
                && settings.best_effort_targets
                && settings.use_sim_time
        );
        assert_eq!((settings.motion, settings.join_targets), (Motion::Smooth, Duration::from_secs(2)));
        assert_eq!((settings.joint_limits.text.as_str(), settings.command_joints.len()), ("joint_limits: {}", 1));
        let limits = JointLimit { velocity: Some(0.1), acceleration: Some(0.2), jerk: Some(0.3) };
        assert_eq!(settings.default_limits, limits);
        assert_eq!((settings.path.timing.speed, settings.path.timing.acceleration), (0.4, 0.6));
        assert_eq!((settings.path.blend_radius, settings.path.partial), (0.7, true));
        assert_eq!(settings.path.follow.deviation, Tolerance { position: 0.08, orientation: 0.09 });
        values.set("jacobian.method", text("pseudoinverse")).unwrap();
        assert_eq!(Settings::new(&values, None).unwrap().jacobian, JacobianStep::Pseudoinverse);
    }

    #[test]
    fn what_the_table_cannot_check_is_refused_by_name() {
        let mut values = Values::default();
        values.set("free_axes", Value::Texts(AXIS_NAMES.map(str::to_owned).to_vec())).unwrap();
        assert!(Settings::new(&values, None).unwrap_err().0.starts_with("free_axes "));
        values.set("free_axes", Value::NotSet).unwrap();
        values.set("joint_limits", Value::Text("no/such.yaml".into())).unwrap();
        assert!(Settings::new(&values, None).unwrap_err().0.contains("no/such.yaml"));
        values.set("joint_limits", Value::NotSet).unwrap();
        for name in ["posture", "initial_posture"] {
            values.set(name, Value::Text("elbow".into())).unwrap();
            assert!(Settings::new(&values, None).unwrap_err().0.starts_with(&format!("{name}: ")));
        }
    }
}
