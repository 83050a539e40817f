//! The goals of a request and the standing goals of the parameters, with the frames of TF that they name.

use std::sync::Arc;

use r2r::std_msgs::msg::Header;
use serde_json::Value;
use tokio::time::Instant;

use super::configuration::Configuration;
use super::description::LoadedRobot;
use super::frames::{Frames, LocatedFrame};
use super::goal_names::{OutsideFrame, outside_frames, standing, with_link_names};
use crate::reports::{Fault, RefuseAs, Refused, fault, refused};
use crate::ros::Lock;
use urdf_ik_goals::{FixedFrame, Goal, GoalContext};
use urdf_ik_parameters::{GoalList, Settings};
use urdf_ik_text::names::{plain_words, sentence};
use urdf_ik_text::yaml::json_from_yaml;

/// Maximum length of all goals of a request \[bytes\]: bounds the time of parsing.
const MAX_BYTES: usize = 1 << 16;

/// Reads the goals of a request.
pub(crate) struct GoalReader<'a> {
    pub frames: &'a Frames,
    /// The configuration in which frames are located.
    pub configuration: &'a Configuration,
    pub settings: &'a Settings,
}

/// The goals of a request, with the frames of TF that they name.
pub(crate) struct RequestedGoals {
    /// Each an object with the fields of a goal.
    goals: Vec<Value>,
    frames: Vec<FixedFrame>,
}

impl GoalReader<'_> {
    /// The goals of the field `goals` of a request.
    ///
    /// # Errors
    /// [`Refused`] with the number of the goal, from 1: a text that is no YAML, an unknown frame, or too much text.
    pub(crate) async fn parse(self, texts: &[String]) -> Result<RequestedGoals, Refused> {
        let bytes: usize = texts.iter().map(String::len).sum();
        if bytes > MAX_BYTES {
            return Err(refused!("goals", "goals has {bytes} bytes; at most {MAX_BYTES} are read"));
        }
        let parse = |(number, text): (usize, &String)| {
            json_from_yaml(text).map_err(|e| fault!("goal {number}: {}", sentence(&plain_words(&e.to_string()))))
        };
        let goals: Result<Vec<Value>, Fault> = (1..).zip(texts).map(parse).collect();
        self.locate(&goals.refuse_as("goals")?).await
    }

    /// Locates the frames of goals. Names of links may have the frame prefix; other frames are looked up in TF, each
    /// once.
    ///
    /// # Errors
    /// [`Refused`] with the name of an unknown frame.
    pub(crate) async fn locate(self, goals: &[Value]) -> Result<RequestedGoals, Refused> {
        let Self { frames, configuration, settings } = self;
        let (loaded, prefix) = (&configuration.loaded, &settings.frame_prefix);
        let deadline = Instant::now() + settings.transform_timeout;
        let mut located = Vec::new();
        for frame in outside_frames(&loaded.robot, prefix, goals) {
            let found = frames.locate(loaded, prefix, &latest(frame.name), deadline).await;
            located.push(fixed(&frame, found, configuration)?);
        }
        Ok(RequestedGoals { goals: with_link_names(&loaded.robot, prefix, goals), frames: located })
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
    /// [`Refused`] for the first invalid goal, or too many.
    pub(crate) fn read(&self, loaded: &LoadedRobot, positions: &[f64]) -> Result<Vec<Goal>, Refused> {
        let LoadedRobot { robot, chain, .. } = loaded;
        Goal::read_all(&self.goals, &GoalContext { robot, chain, positions, frames: &self.frames }).refuse_as("goals")
    }
}

/// The last standing goals. They are read again only after a change of their parameter, robot, frames or uncontrolled
/// joints.
#[derive(Default)]
pub(crate) struct StandingGoals(Lock<Option<LastRead>>);

/// Standing goals, with their dependencies.
struct LastRead {
    list: GoalList,
    loaded: Arc<LoadedRobot>,
    /// The joints that the chain does not move, and their positions.
    uncontrolled: Vec<usize>,
    rest: Vec<f64>,
    frames: Vec<FixedFrame>,
    goals: Arc<[Goal]>,
}

impl StandingGoals {
    /// The standing goals of `settings` at a configuration of the robot in use. Frames of TF are looked up now, without
    /// waiting.
    ///
    /// # Errors
    /// [`Refused`] for the first invalid goal, or a frame that TF does not know.
    pub(crate) fn at(
        &self,
        frames: &Frames,
        configuration: &Configuration,
        settings: &Settings,
    ) -> Result<Arc<[Goal]>, Refused> {
        if settings.goals.is_empty() {
            return Ok(Arc::default());
        }
        let Configuration { loaded, positions, .. } = configuration;
        let LoadedRobot { robot, chain, .. } = &**loaded;
        let prefix = &settings.frame_prefix;
        let locate = |frame: &OutsideFrame| {
            let found = fixed(frame, frames.find(loaded, prefix, &latest(frame.name)), configuration);
            found.map_err(|refused| Refused { sentence: Settings::goals().refuse(refused.sentence).0, ..refused })
        };
        let outside = outside_frames(robot, prefix, &settings.goals);
        let frames = outside.iter().map(locate).collect::<Result<Vec<FixedFrame>, Refused>>()?;
        let mut last = self.0.lock();
        let known = last.as_ref().filter(|last| last.is_of(&settings.goals, configuration) && last.frames == frames);
        if let Some(known) = known {
            return Ok(Arc::clone(&known.goals));
        }
        let goals = standing(settings, &GoalContext { robot, chain, positions, frames: &frames }).refuse_as("goals")?;
        let uncontrolled: Vec<usize> = robot.movable().filter(|&joint| !chain.moves(robot, joint)).collect();
        let rest = uncontrolled.iter().map(|&joint| positions[joint]).collect();
        let (list, loaded) = (GoalList::clone(&settings.goals), Arc::clone(loaded));
        let read = LastRead { list, loaded, uncontrolled, rest, frames, goals: goals.into() };
        Ok(Arc::clone(&last.insert(read).goals))
    }
}

impl LastRead {
    /// True for the same list, robot, and positions of joints outside the chain.
    fn is_of(&self, list: &GoalList, configuration: &Configuration) -> bool {
        let Configuration { loaded, positions, .. } = configuration;
        // Only for the same robot are the indices valid.
        let rests = || self.uncontrolled.iter().zip(&self.rest).all(|(&joint, rest)| positions[joint] == *rest);
        self.list.is_same(list) && Arc::ptr_eq(&self.loaded, loaded) && rests()
    }
}

/// The header of a frame with its latest transform.
fn latest(name: &str) -> Header {
    Header { frame_id: name.to_owned(), ..Header::default() }
}

/// A frame of goals where it was found.
fn fixed(
    frame: &OutsideFrame,
    found: Result<LocatedFrame, Refused>,
    configuration: &Configuration,
) -> Result<FixedFrame, Refused> {
    let of_goal = |refused: Refused| {
        let sentence = format!("goal {}: {}", frame.goal, refused.sentence);
        Refused { sentence, ..refused }
    };
    let pose = found.map_err(of_goal)?.in_base(configuration);
    Ok(FixedFrame { name: frame.name.to_owned(), pose })
}
