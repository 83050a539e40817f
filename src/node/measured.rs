//! Where the robot really is, as its drivers tell.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use r2r::QosProfile;
use r2r::sensor_msgs::msg::JointState;

use super::description::Loaded;
use super::{NodeError, Shared, convert};
use crate::names;

/// What stands before complaints about measured joint states.
const SUBJECT: &str = "measured_joint_states";

/// Joints remembered at most: a publisher that invents names must not fill the memory.
const REMEMBERED: usize = 10_000;

/// When and where each joint was measured last, by name. Several drivers may each tell of some joints.
#[derive(Default)]
pub(super) struct Measured(Mutex<HashMap<String, (Instant, f64)>>);

impl Measured {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Instant, f64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_in(&self, message: &JointState) -> Result<(), String> {
        let (names, positions) = (&message.name, &message.position);
        if names.len() != positions.len() {
            return Err(format!("a message has {} names and {} positions", names.len(), positions.len()));
        }
        for (name, &position) in names.iter().zip(positions) {
            convert::check_position(name, position)?;
        }
        let mut known = self.lock();
        if known.len() > REMEMBERED {
            known.clear();
        }
        known.extend(names.iter().cloned().zip(positions.iter().map(|&position| (Instant::now(), position))));
        Ok(())
    }

    /// The measured positions of the whole robot (one entry a joint), inside the limits; joints outside the chain that were not
    /// measured of late stand as in `otherwise`. `None` where nothing of the robot is fresh, or a joint of the chain is not.
    pub(super) fn posture(&self, shared: &Shared, loaded: &Loaded, otherwise: &[f64]) -> Option<Vec<f64>> {
        let robot = &loaded.robot;
        let timeout = shared.settings().measured_timeout;
        let mut positions = otherwise.to_vec();
        let mut fresh = vec![false; positions.len()];
        {
            let known = self.lock();
            for joint in robot.movable() {
                let measured = known.get(&robot.joints()[joint].name).filter(|(at, _)| at.elapsed() <= timeout);
                if let Some((_, position)) = measured {
                    // Encoders may stand a little outside; what is published must not.
                    let domain = robot.domain(joint).unwrap_or(robot.joints()[joint].domain);
                    (positions[joint], fresh[joint]) = (domain.clamp(*position), true);
                }
            }
        }
        let variables = loaded.chain.variables();
        let missing: Vec<&str> =
            variables.iter().filter(|variable| !fresh[variable.joint]).map(|variable| variable.name.as_str()).collect();
        if missing.is_empty() {
            shared.complaints.well(SUBJECT);
            robot.apply_mimic(&mut positions);
            return Some(positions);
        }
        if fresh.contains(&true) {
            let sentence = format!("the joints {} are missing; the measurement is not used", names::list(&missing));
            shared.complaints.complain(SUBJECT, &sentence, &sentence);
        }
        None
    }
}

pub(super) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let quality = QosProfile::default().keep_last(1).best_effort();
    let mut states = node.subscribe::<JointState>("~/measured_joint_states", quality)?;
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        while let Some(state) = states.next().await {
            if let Err(sentence) = shared.measured.take_in(&state) {
                shared.complaints.complain(SUBJECT, "message", &sentence);
            }
        }
    });
    Ok(())
}
