//! Where the robot comes from: a parameter, a file or a topic.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use futures::StreamExt;
use r2r::std_msgs::msg::String as Text;

use super::{NodeError, Shared, latched};
use crate::config::Yaml;
use crate::motion::{JointLimits, MotionLimits};
use crate::names;
use crate::parameters::Settings;
use crate::robot::{Chain, ChainError, Robot, read_urdf_file};
use crate::solver::{Method, Solver, SolverKind, free_axes_in_words, names_of_free_axes};

/// A robot in use, with its chain and solver.
pub(super) struct Loaded {
    /// The URDF that it was read from.
    pub text: String,
    /// Whether that came from the topic: only then may the topic replace it.
    pub from_topic: bool,
    pub robot: Robot,
    pub chain: Arc<Chain>,
    pub solver: Solver,
    /// Or why there is none.
    closed_form: Result<Solver, String>,
    /// For each tip, the axes that its targets should leave free.
    free_axes: Vec<[bool; 6]>,
}

impl Loaded {
    /// The solver that `settings` name, with their options.
    ///
    /// # Errors
    /// A sentence, where the chain has no closed form but that is asked for.
    pub(super) fn solver(&self, settings: &Settings) -> Result<Solver, String> {
        match settings.solver {
            SolverKind::ClosedForm => self.closed_form.clone(),
            SolverKind::Fabrik => self.solver.with_method(settings.fabrik).map_err(|e| e.to_string()),
            _ => self.solver.with_method(settings.jacobian).map_err(|e| e.to_string()),
        }
    }

    /// How fast the joints may move as `settings` have it.
    ///
    /// # Errors
    /// A sentence for limits that are not in MoveIt's format, or of joints that the robot does not have.
    pub(super) fn limits(&self, settings: &Settings) -> Result<MotionLimits, String> {
        limits(&self.robot, &self.chain, settings)
    }
}

fn limits(robot: &Robot, chain: &Chain, settings: &Settings) -> Result<MotionLimits, String> {
    let Yaml { place, text } = &settings.joint_limits;
    let file = JointLimits::from_yaml(text, robot).map_err(|e| format!("joint_limits: {place}: {e}"))?;
    Ok(MotionLimits::new(robot, chain, &file).or(&settings.default_limits))
}

fn check_command_joints(robot: &Robot, settings: &Settings) -> Result<(), String> {
    match settings.command_joints.iter().find(|name| robot.movable_index(name).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let known: Vec<&str> = robot.movable_names().collect();
            Err(format!("command_joints: the robot has no movable joint '{unknown}'; it has {}", names::list(&known)))
        }
    }
}

/// A robot that can be taken into use.
pub(super) struct Ready {
    loaded: Arc<Loaded>,
    /// Where it stands at first: one entry a joint.
    initial: Vec<f64>,
    limits: MotionLimits,
}

/// Reads a robot and prepares its chain, without taking it into use.
///
/// # Errors
/// A sentence that says what is wrong with the URDF, the names of base and tip links, or one of the postures.
pub(super) fn load(text: String, from_topic: bool, settings: &Settings) -> Result<Ready, String> {
    // Whatever a description can still do to the library must not end the task that reads descriptions.
    panic::catch_unwind(AssertUnwindSafe(|| prepare(text, from_topic, settings)))
        .unwrap_or_else(|_| Err("reading it failed; please report this description as a defect of urdf_ik".into()))
}

fn prepare(text: String, from_topic: bool, settings: &Settings) -> Result<Ready, String> {
    let robot = Robot::from_urdf(&text).map_err(|e| e.to_string())?;
    let tips: Vec<&str> = settings.tip_links.iter().map(String::as_str).collect();
    let chain = Chain::with_defaults(&robot, settings.base_link.as_deref(), &tips).map_err(|e| match e {
        ChainError::TipNeeded { .. } => format!("{e} (parameter tip_links)"),
        _ => e.to_string(),
    })?;
    let chain = Arc::new(chain);
    let solver = Solver::prepare(Method::default(), &chain).map_err(|e| e.to_string())?;
    let closed_form = solver.with_method(Method::ClosedForm).map_err(|e| e.to_string());
    if let (SolverKind::ClosedForm, Err(sentence)) = (settings.solver, &closed_form) {
        return Err(format!("{sentence} (parameter solver)"));
    }
    let initial = settings.initial_posture.apply(&robot).map_err(|e| format!("initial_posture: {e}"))?;
    settings.posture.apply(&robot).map_err(|e| format!("posture: {e}"))?;
    let limits = limits(&robot, &chain, settings)?;
    check_command_joints(&robot, settings)?;
    let free_axes = (0..chain.tips().len()).map(|tip| solver.sensible_free_axes(tip)).collect();
    let loaded = Arc::new(Loaded { text, from_topic, robot, chain, solver, closed_form, free_axes });
    Ok(Ready { loaded, initial, limits })
}

/// Takes a robot into use, standing where it was measured a moment ago, else at `initial`.
pub(super) fn take_into_use(shared: &Shared, ready: Ready) {
    let Ready { loaded, initial, limits } = ready;
    let (robot, chain) = (&loaded.robot, &loaded.chain);
    for warning in robot.warnings() {
        log::warn!("{warning}");
    }
    let names = chain.variable_names();
    log::info!(
        "robot {}: from {} to {}, moving {}",
        robot.name(),
        chain.base(),
        chain.tip_names().join(", "),
        names::list(&names)
    );
    warn_of_axes(&loaded, &shared.settings());
    let positions = shared.measured.posture(shared, &loaded, &initial).unwrap_or(initial);
    shared.output.replace_robot(loaded, positions, &limits);
}

/// Tells of the tips that cannot follow every axis, unless the settings free as many axes as it takes.
fn warn_of_axes(loaded: &Loaded, settings: &Settings) {
    let count = |free: &[bool; 6]| free.iter().filter(|free| **free).count();
    let given = count(&settings.free_axes);
    for (tip, free) in loaded.chain.tips().iter().zip(&loaded.free_axes).filter(|(_, free)| count(free) > given) {
        log::warn!(
            "{} can follow {} of 6 axes, so that most full poses cannot be met: set the parameter free_axes to [{}] \
             ({}), or free_axes of a query; until then ~/target_pose asks for all six, ~/target_point for the position \
             alone",
            tip.link,
            6 - count(free),
            names_of_free_axes(*free).join(", "),
            free_axes_in_words(*free)
        );
    }
}

/// Loads the robot that the parameters give; listens to the topic for where they give none, or none that can be used.
pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let settings = shared.settings();
    let given = if !settings.robot_description.is_empty() {
        Some(("robot_description", Ok(settings.robot_description.clone())))
    } else if !settings.urdf_file.is_empty() {
        Some(("urdf_file", read_urdf_file(&settings.urdf_file).map_err(|e| e.to_string())))
    } else {
        None
    };
    match given.map(|(source, text)| (source, text.and_then(|text| load(text, false, &settings)))) {
        Some((_, Ok(ready))) => take_into_use(shared, ready),
        Some((source, Err(sentence))) => log::error!("the robot of the parameter {source} is refused: {sentence}"),
        None => log::info!("waiting for the topic robot_description"),
    }
    listen(node, shared)
}

fn listen(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let mut descriptions = node.subscribe::<Text>("robot_description", latched())?;
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        while let Some(Text { data }) = descriptions.next().await {
            take_from_topic(&shared, data);
        }
    });
    Ok(())
}

fn take_from_topic(shared: &Shared, text: String) {
    let now = shared.output.posture();
    // A parameter's robot goes before the topic's.
    if now.is_some_and(|now| now.loaded.text == text || !now.loaded.from_topic) {
        return;
    }
    let loaded = if text.is_empty() {
        Err("it is empty, or not valid UTF-8".to_owned())
    } else {
        load(text, true, &shared.settings())
    };
    let now = shared.output.posture();
    match loaded {
        // Loading takes a while, in which a parameter may have been set.
        Ok(_) if now.as_ref().is_some_and(|now| !now.loaded.from_topic) => {}
        Ok(ready) => {
            shared.complaints.well("robot_description");
            take_into_use(shared, ready);
        }
        Err(sentence) => {
            let kept = if now.is_some() { "; the robot in use is kept" } else { "" };
            let sentence = format!("the description is refused: {sentence}{kept}");
            shared.complaints.complain("robot_description", &sentence, &sentence);
        }
    }
}
