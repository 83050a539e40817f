//! Measured joint states from the robot's drivers.
//!
//! If measurements are expected, motions start only from a measured configuration: commands are refused before the
//! first complete measurement, and after measurements have stopped. Measurements are expected after the first message,
//! or from the start if the topic is remapped or a controller takes commands.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::QosProfile;
use r2r::sensor_msgs::msg::JointState;

use super::description::LoadedRobot;
use crate::Result;
use crate::messages::convert;
use crate::reports::{Fault, Warnings, fault};
use crate::ros::{Lock, MEASURED_JOINT_STATES, Spinner};
use urdf_ik_robot::Variable;
use urdf_ik_text::names;

/// Maximum number of remembered joints: bounds the memory that a publisher can fill.
const MAX_JOINTS: usize = 10_000;
/// Distance outside its limits at which a joint may be measured without a warning \[rad or m\]: encoders are slightly
/// inaccurate.
const ENCODER_MARGIN: f64 = 0.01;
/// Noise of the measurement of a joint at rest \[rad or m\]: two steps of a 12-bit encoder.
const NOISE: f64 = 3.1e-3;

/// The measurements of all drivers, each of which may measure some joints.
pub(crate) struct Measured {
    known: Lock<MeasurementStore>,
    warnings: Arc<Warnings>,
}

struct MeasurementStore {
    /// True if measurements are expected.
    is_expected: bool,
    /// By joint name.
    joints: HashMap<String, Measurement>,
    /// Time and reason of the last ignored part of a message.
    fault: Option<(Instant, Fault)>,
}

/// The last measurement of a joint.
#[derive(Clone, Copy)]
pub(crate) struct Measurement {
    /// Time of its arrival.
    pub at: Instant,
    /// \[rad or m\].
    pub position: f64,
    /// Since when the joint has been at rest, and its measured position then \[rad or m\].
    rest: (Instant, f64),
}

impl Measurement {
    /// The measurement of a `position` now, after the one `before`.
    pub(crate) fn new(position: f64, before: Option<&Self>) -> Self {
        let at = Instant::now();
        let rest = before.map(|before| before.rest).filter(|(_, there)| (position - there).abs() <= NOISE);
        Self { at, position, rest: rest.unwrap_or((at, position)) }
    }
}

impl Measured {
    /// Without measurements; `is_expected` is true if measurements are expected.
    pub(crate) fn new(is_expected: bool, warnings: Arc<Warnings>) -> Self {
        Self { known: Lock::new(MeasurementStore { is_expected, joints: HashMap::new(), fault: None }), warnings }
    }

    /// Takes the positions in a message.
    ///
    /// # Errors
    /// [`Fault`] about ignored parts.
    fn receive(&self, message: &JointState) -> Result<(), Fault> {
        let mut known = self.known.lock();
        known.is_expected = true;
        let taken = known.take(message);
        if let Err(sentence) = &taken {
            known.fault = Some((Instant::now(), sentence.clone()));
        }
        taken
    }

    /// The measured positions of the whole robot (one entry a joint), possibly outside the limits. A measurement is
    /// valid for `timeout` after its arrival. Unmeasured joints outside the chain are as in `otherwise`. `None` if no
    /// measurement is expected.
    ///
    /// # Errors
    /// [`Fault`] with the unmeasured joints of the chain.
    pub(crate) fn configuration(
        &self,
        timeout: Duration,
        loaded: &LoadedRobot,
        otherwise: &[f64],
    ) -> Result<Option<Vec<f64>>, Fault> {
        let robot = &loaded.robot;
        let mut positions = otherwise.to_vec();
        let mut fresh = vec![false; positions.len()];
        let known = self.known.lock();
        if !known.is_expected || timeout.is_zero() {
            return Ok(None);
        }
        for joint in robot.movable() {
            let measurement = known.joints.get(&robot.joints()[joint].name);
            if let Some(Measurement { position, .. }) = measurement.filter(|known| known.at.elapsed() <= timeout) {
                (positions[joint], fresh[joint]) = (*position, true);
                let inside = robot.domain(joint).clamp(*position);
                warn_if_far(&self.warnings, &robot.joints()[joint].name, *position, inside);
            }
        }
        let variables = loaded.chain.variables();
        let missing: Vec<&str> =
            variables.iter().filter(|variable| !fresh[variable.joint]).map(|variable| variable.name.as_str()).collect();
        if !missing.is_empty() {
            return Err(known.lack_of(&missing, timeout));
        }
        self.warnings.recovered(MEASURED_JOINT_STATES.short_name());
        robot.apply_mimic(&mut positions);
        Ok(Some(positions))
    }

    /// The last measurement of each variable of the chain, if available; `None` if no measurement is expected.
    pub(crate) fn of_variables(&self, timeout: Duration, loaded: &LoadedRobot) -> Option<Vec<Option<Measurement>>> {
        let known = self.known.lock();
        let last = |variable: &Variable| known.joints.get(&variable.name).copied();
        (known.is_expected && !timeout.is_zero()).then(|| loaded.chain.variables().iter().map(last).collect())
    }

    /// True if each joint of the chain has been measured at one place for `time` after `since`.
    pub(crate) fn is_at_rest(&self, loaded: &LoadedRobot, time: Duration, since: Option<Instant>) -> bool {
        let known = self.known.lock();
        let rests = |variable: &Variable| {
            known.joints.get(&variable.name).is_some_and(|Measurement { at, rest: (begun, _), .. }| {
                let begun = since.map_or(*begun, |since| since.max(*begun));
                at.saturating_duration_since(begun) >= time
            })
        };
        loaded.chain.variables().iter().all(rests)
    }
}

impl MeasurementStore {
    fn take(&mut self, message: &JointState) -> Result<(), Fault> {
        let (names, positions) = (&message.name, &message.position);
        if names.len() != positions.len() {
            return Err(fault!("a message has {} names and {} positions", names.len(), positions.len()));
        }
        if self.joints.len() > MAX_JOINTS {
            self.joints.clear();
        }
        let mut fault = Ok(());
        for (name, &position) in names.iter().zip(positions).filter(|(name, _)| name.len() <= convert::MAX_NAME_BYTES) {
            match convert::check_position(name, position) {
                Ok(()) => {
                    let measurement = Measurement::new(position, self.joints.get(name));
                    self.joints.insert(name.clone(), measurement);
                }
                bad => fault = fault.and(bad),
            }
        }
        fault
    }

    /// The fault that these joints have no measurement younger than `timeout`.
    fn lack_of(&self, joints: &[&str], timeout: Duration) -> Fault {
        let topic = MEASURED_JOINT_STATES.name;
        let fault = self.fault.as_ref().filter(|(at, _)| at.elapsed() <= timeout);
        let fault = fault.map_or_else(String::new, |(_, sentence)| format!("; {sentence}"));
        fault!(
            "the position of the robot is unknown: within {} s (measured_timeout) {topic} had no positions of the joints {}{fault}; remap \
             {topic} to the topic of the robot's driver, such as /joint_states, or set measured_timeout to 0 if nothing measures it",
            timeout.as_secs_f64(),
            names::list(joints)
        )
    }
}

/// Warns if a joint is measured far outside its limits: the driver may use another unit, or belong to another robot.
fn warn_if_far(warnings: &Warnings, joint: &str, measured: f64, inside: f64) {
    if (measured - inside).abs() > ENCODER_MARGIN {
        let joint = names::short(joint);
        let sentence = format!(
            "joint '{joint}' is measured at {}, outside its limits: a motion of the arm first brings it back to {}; if the joint is not \
             there, its driver may have other units, or be that of another robot",
            names::number(measured),
            names::number(inside)
        );
        warnings.warn_once(MEASURED_JOINT_STATES.short_name(), &joint, &sentence);
    }
}

pub(crate) fn serve(spinner: &mut Spinner, measured: &Arc<Measured>) -> Result {
    let quality = QosProfile::default().keep_last(1).best_effort();
    let measured = Arc::clone(measured);
    spinner.on_each_in_task(MEASURED_JOINT_STATES, quality, move |state| {
        if let Err(sentence) = measured.receive(&state) {
            measured.warnings.warn_once(MEASURED_JOINT_STATES.short_name(), "message", &sentence);
        }
    })
}
