//! Where the robot comes from: a parameter, a file or a topic.

use std::sync::Arc;

use futures::StreamExt;
use r2r::std_msgs::msg::String as Text;

use super::{NodeError, Shared, latched};
use crate::parameters::Settings;
use crate::robot::{Chain, ChainError, Robot, read_urdf_file};
use crate::solver::{Solver, SolverKind};

/// A robot in use, with its chain and solver.
pub(super) struct Loaded {
    /// The URDF that it was read from.
    pub text: String,
    pub robot: Robot,
    pub chain: Arc<Chain>,
    pub solver: Solver,
}

impl Loaded {
    /// The solver named `kind` with the options of `settings`.
    pub(super) fn solver(&self, kind: SolverKind, settings: &Settings) -> Solver {
        match kind {
            SolverKind::Jacobian => self.solver.with_method(settings.jacobian),
        }
    }
}

/// Reads a robot and prepares its chain, without taking it into use; also gives the initial posture (one entry a joint).
///
/// # Errors
/// A sentence that says what is wrong with the URDF, the names of base and tip links, or the initial posture.
pub(super) fn load(text: String, settings: &Settings) -> Result<(Arc<Loaded>, Vec<f64>), String> {
    let robot = Robot::from_urdf(&text).map_err(|e| e.to_string())?;
    let tips: Vec<&str> = settings.tip_links.iter().map(String::as_str).collect();
    let chain = Chain::with_defaults(&robot, settings.base_link.as_deref(), &tips).map_err(|e| match e {
        ChainError::TipNeeded { .. } => format!("{e} (parameter tip_links)"),
        _ => e.to_string(),
    })?;
    let chain = Arc::new(chain);
    let solver = Solver::prepare(settings.solver, &chain).map_err(|e| e.to_string())?;
    let initial = settings.initial_posture.apply(&robot).map_err(|e| format!("initial_posture: {e}"))?;
    Ok((Arc::new(Loaded { text, robot, chain, solver }), initial))
}

/// Takes a robot into use, standing where it was measured a moment ago, else at `initial`.
pub(super) fn take_into_use(shared: &Shared, loaded: Arc<Loaded>, initial: Vec<f64>) {
    let (robot, chain) = (&loaded.robot, &loaded.chain);
    for warning in robot.warnings() {
        log::warn!("{warning}");
    }
    let tips: Vec<&str> = chain.tips().iter().map(|tip| tip.link.as_str()).collect();
    let names: Vec<&str> = chain.variables().iter().map(|variable| variable.name.as_str()).collect();
    log::info!("robot {}: from {} to {}, moving {}", robot.name(), chain.base(), tips.join(", "), names.join(", "));
    for tip in chain.tips().iter().filter(|tip| tip.variables.len() < 6) {
        log::warn!(
            "{} joints move {}: most full poses cannot be met; publish ~/target_point, or leave axes free in ~/solve_ik",
            tip.variables.len(),
            tip.link
        );
    }
    let positions = shared.measured.posture(shared, &loaded, &initial).unwrap_or(initial);
    shared.output.replace_robot(loaded, positions);
}

/// Loads the robot that the parameters give, or waits for the topic where they give none.
pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let settings = shared.settings();
    let (source, text) = if !settings.robot_description.is_empty() {
        ("robot_description", Ok(settings.robot_description.clone()))
    } else if !settings.urdf_file.is_empty() {
        ("urdf_file", read_urdf_file(&settings.urdf_file).map_err(|e| e.to_string()))
    } else {
        return listen(node, shared);
    };
    match text.and_then(|text| load(text, &settings)) {
        Ok((loaded, initial)) => take_into_use(shared, loaded, initial),
        Err(sentence) => log::error!("the robot of the parameter {source} is refused: {sentence}"),
    }
    Ok(())
}

fn listen(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let mut descriptions = node.subscribe::<Text>("robot_description", latched())?;
    let shared = Arc::clone(shared);
    log::info!("waiting for the topic robot_description");
    tokio::spawn(async move {
        while let Some(Text { data }) = descriptions.next().await {
            let settings = shared.settings();
            let known = shared.output.posture().is_some_and(|now| now.loaded.text == data);
            // A parameter that was set meanwhile goes before the topic.
            if known || !settings.robot_description.is_empty() {
                continue;
            }
            match load(data, &settings) {
                Ok((loaded, initial)) => {
                    shared.complaints.well("robot_description");
                    take_into_use(&shared, loaded, initial);
                }
                Err(sentence) => {
                    let kept = if shared.output.posture().is_some() { "; the robot in use is kept" } else { "" };
                    let sentence = format!("the description is refused: {sentence}{kept}");
                    shared.complaints.complain("robot_description", &sentence, &sentence);
                }
            }
        }
    });
    Ok(())
}
