//! Where the robot really is: measured joint states from its drivers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use r2r::QosProfile;
use r2r::sensor_msgs::msg::JointState;

use super::configuration_motion::Configuration;
use super::description::LoadedRobot;
use super::interface::MEASURED_JOINT_STATES;
use super::status::Refused;
use super::{NodeError, Shared, convert};
use crate::names;

/// Greatest number of joints that are remembered: a publisher that invents names must not fill the memory.
const MAX_JOINTS: usize = 10_000;
/// How far outside its limits a joint may be measured without a warning \[rad or m\]: encoders are a little inexact.
const ENCODER_MARGIN: f64 = 0.01;

/// Time and position of the last measurement of each joint, by name. Several drivers may each measure some joints.
#[derive(Default)]
pub(super) struct Measured(Mutex<HashMap<String, (Instant, f64)>>);

impl Measured {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Instant, f64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, message: &JointState) -> Result<(), String> {
        let (names, positions) = (&message.name, &message.position);
        if names.len() != positions.len() {
            return Err(format!("a message has {} names and {} positions", names.len(), positions.len()));
        }
        for (name, &position) in names.iter().zip(positions) {
            convert::check_position(name, position)?;
        }
        let mut known = self.lock();
        if known.len() > MAX_JOINTS {
            known.clear();
        }
        let measurements = names.iter().zip(positions).filter(|(name, _)| name.len() <= convert::MAX_NAME_BYTES);
        known.extend(measurements.map(|(name, &position)| (name.clone(), (Instant::now(), position))));
        Ok(())
    }

    /// The measured positions of the whole robot (one entry a joint), inside the limits. A measurement counts for `measured_timeout`.
    /// Joints outside the chain without a measurement are as in `otherwise`. `None` where a joint of the chain has no measurement.
    pub(super) fn configuration(&self, shared: &Shared, loaded: &LoadedRobot, otherwise: &[f64]) -> Option<Vec<f64>> {
        let robot = &loaded.robot;
        let timeout = shared.settings().measured_timeout;
        let mut positions = otherwise.to_vec();
        let mut fresh = vec![false; positions.len()];
        {
            let known = self.lock();
            for joint in robot.movable() {
                let measurement = known.get(&robot.joints()[joint].name).filter(|(at, _)| at.elapsed() <= timeout);
                if let Some((_, position)) = measurement {
                    // Published positions must not be outside the limits.
                    let domain = robot.domain(joint).unwrap_or(robot.joints()[joint].domain);
                    (positions[joint], fresh[joint]) = (domain.clamp(*position), true);
                    warn_if_far(shared, &robot.joints()[joint].name, *position, positions[joint]);
                }
            }
        }
        let variables = loaded.chain.variables();
        let missing: Vec<&str> =
            variables.iter().filter(|variable| !fresh[variable.joint]).map(|variable| variable.name.as_str()).collect();
        if missing.is_empty() {
            shared.warnings.recovered(MEASURED_JOINT_STATES.short_name());
            robot.apply_mimic(&mut positions);
            return Some(positions);
        }
        if fresh.contains(&true) {
            let sentence = format!("the joints {} are missing, so the measurement is not used", names::list(&missing));
            shared.warnings.warn_once(MEASURED_JOINT_STATES.short_name(), &sentence, &sentence);
        }
        None
    }
}

/// Warns of a joint that is measured well outside its limits: what is `measured` may have another unit, or be of another robot.
fn warn_if_far(shared: &Shared, joint: &str, measured: f64, inside: f64) {
    if (measured - inside).abs() > ENCODER_MARGIN {
        let joint = names::short(joint);
        let sentence = format!(
            "joint '{joint}' is measured at {}, outside its limits: the node takes {}, the nearest position inside",
            names::number(measured),
            names::number(inside)
        );
        shared.warnings.warn_once(MEASURED_JOINT_STATES.short_name(), &joint, &sentence);
    }
}

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let quality = QosProfile::default().keep_last(1).best_effort();
    let mut states = node.subscribe::<JointState>(MEASURED_JOINT_STATES.name, quality)?;
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        while let Some(state) = states.next().await {
            if let Err(sentence) = shared.measured.receive(&state) {
                shared.warnings.warn_once(MEASURED_JOINT_STATES.short_name(), "message", &sentence);
            }
        }
    });
    Ok(())
}

/// Where the next motion starts. After a pause in targets that is where the robot was measured, which may have moved since.
pub(super) fn starting_configuration(shared: &Shared) -> Result<Configuration, Refused> {
    let now = shared.output.configuration().ok_or_else(Refused::no_robot)?;
    if shared.output.idle(shared.settings().measured_timeout)
        && let Some(positions) = shared.measured.configuration(shared, &now.loaded, &now.positions)
    {
        shared.output.set_configuration(&now.loaded, positions.clone());
        return Ok(Configuration { end: positions.clone(), positions, ..now });
    }
    Ok(now)
}
