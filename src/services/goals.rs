//! The goals of a request: parsed, and their frames located.

use r2r::std_msgs::msg::Header;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::arm::Arm;
use crate::reports::{Fault, RefuseAs, Refused, fault};
use crate::robot_in_use::{Configuration, LoadedRobot, link_poses};
use urdf_ik_goals::{FixedFrame, Goal, GoalContext, GoalError, MAX_GOALS};
use urdf_ik_parameters::Settings;
use urdf_ik_text::names::{plain_words, sentence};
use urdf_ik_text::yaml::json_from_yaml;

/// Maximum length of all goals of a request \[bytes\]: bounds the time of parsing.
const MAX_BYTES: usize = 1 << 16;

/// Reads the goals of a request.
#[derive(Clone, Copy)]
pub(crate) struct GoalReader<'a> {
    pub arm: &'a Arm,
    /// The configuration in which frames are located.
    pub configuration: &'a Configuration,
    pub settings: &'a Settings,
}

/// The goals of a request, with the frames that they name.
pub(crate) struct RequestedGoals {
    /// Each an object with the fields of a goal.
    goals: Vec<Value>,
    /// Frames that are no links.
    frames: Vec<FixedFrame>,
}

impl GoalReader<'_> {
    /// The goals of the field `goals` of a request.
    ///
    /// # Errors
    /// [`Refused`] with the number of the goal, from 1: a text that is no YAML, an unknown frame, or too much text.
    pub(crate) async fn parse(self, texts: &[String]) -> Result<RequestedGoals, Refused> {
        check_count(texts.len())?;
        let bytes: usize = texts.iter().map(String::len).sum();
        if bytes > MAX_BYTES {
            let sentence = format!("goals has {bytes} bytes; at most {MAX_BYTES} are read");
            return Err(Refused::invalid("goals", sentence));
        }
        let parse = |(number, text): (usize, &String)| {
            json_from_yaml(text).map_err(|e| fault!("goal {number}: {}", sentence(&plain_words(&e.to_string()))))
        };
        let goals: Result<_, Fault> = (1..).zip(texts).map(parse).collect();
        self.locate(goals.refuse_as("goals")?).await
    }

    /// Locates the frames of goals. Names of links may have the frame prefix; other frames are looked up in TF, each
    /// once.
    ///
    /// # Errors
    /// [`Refused`] for too many goals, or with the name of an unknown frame.
    pub(crate) async fn locate(self, mut goals: Vec<Value>) -> Result<RequestedGoals, Refused> {
        let Self { arm, configuration, settings } = self;
        check_count(goals.len())?;
        let (loaded, prefix) = (&configuration.loaded, &settings.frame_prefix);
        let deadline = Instant::now() + settings.transform_timeout;
        let mut frames: Vec<FixedFrame> = Vec::new();
        for (number, object) in (1..).zip(&mut goals) {
            for name in ["link", "frame"] {
                remove_prefix(loaded, prefix, object, name);
            }
            let Some(name) = object.get("frame").and_then(Value::as_str) else { continue };
            if loaded.robot.link_index(name).is_some() || frames.iter().any(|frame| frame.name == name) {
                continue;
            }
            let header = Header { frame_id: name.to_owned(), ..Header::default() };
            let located = arm.frames.locate(loaded, prefix, &header, deadline).await;
            let located = located
                .map_err(|refused| Refused { sentence: format!("goal {number}: {}", refused.sentence), ..refused })?;
            frames.push(FixedFrame { name: name.to_owned(), pose: located.in_base(configuration) });
        }
        Ok(RequestedGoals { goals, frames })
    }
}

impl RequestedGoals {
    /// Number of goals.
    pub(crate) fn len(&self) -> usize {
        self.goals.len()
    }

    /// The goals of the chain of `loaded`, with links outside the chain at `positions` (one entry a joint).
    ///
    /// # Errors
    /// [`GoalError`] for the first invalid goal.
    pub(crate) fn read(&self, loaded: &LoadedRobot, positions: &[f64]) -> Result<Vec<Goal>, GoalError> {
        let LoadedRobot { robot, chain, .. } = loaded;
        Goal::read_all(&self.goals, &GoalContext { robot, chain, positions, frames: &self.frames })
    }
}

fn check_count(goals: usize) -> Result<(), Refused> {
    if goals <= MAX_GOALS {
        return Ok(());
    }
    Err(Refused::invalid("goals", format!("there are {goals} goals; at most {MAX_GOALS} are read")))
}

/// Replaces the name of a link with the frame prefix in a field by the name of the link.
fn remove_prefix(loaded: &LoadedRobot, prefix: &str, object: &mut Value, field: &str) {
    let Some(name) = object.get(field).and_then(Value::as_str) else { return };
    if let Ok(link) = link_poses::index(loaded, prefix, name) {
        object[field] = json!(loaded.robot.links()[link].name);
    }
}
