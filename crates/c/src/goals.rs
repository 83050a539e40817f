//! Goals besides targets, as JSON text.

use std::collections::BTreeMap;

use serde_json::Value;
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::robot::{Chain, Robot};

use crate::failure::Failure;

/// Reads a JSON array of goals. Links off the chain are at the neutral positions of their joints.
fn read_goals(text: &str, robot: &Robot, chain: &Chain) -> Result<Vec<Goal>, Failure> {
    let values: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| Failure::problem(format!("goals is not the text of a JSON array: {error}")))?;
    let context = GoalContext { robot, chain, positions: &robot.neutral_positions(), frames: &[] };
    Goal::read_all(&values, &context).map_err(Failure::problem)
}

/// The goals of the last problem of a workspace. An unchanged text is not read again.
#[derive(Default)]
pub(crate) struct LastGoals {
    text: Option<String>,
    goals: Vec<Goal>,
}

impl LastGoals {
    /// The goals of a text, or none.
    pub fn read(&mut self, text: Option<&str>, robot: &Robot, chain: &Chain) -> Result<&[Goal], Failure> {
        if text != self.text.as_deref() {
            self.goals = text.map_or(Ok(Vec::new()), |text| read_goals(text, robot, chain))?;
            self.text = text.map(str::to_owned);
        }
        Ok(&self.goals)
    }
}

/// The goals of a batch by their text, each read once. `None`: invalid.
#[derive(Default)]
pub(crate) struct GoalsByText<'a>(BTreeMap<&'a str, Option<Vec<Goal>>>);

impl<'a> GoalsByText<'a> {
    /// Reads the goals of a text.
    pub fn insert(&mut self, text: &'a str, robot: &Robot, chain: &Chain) {
        self.0.entry(text).or_insert_with(|| read_goals(text, robot, chain).ok());
    }

    /// The goals of a text, or none; `None` for an invalid text.
    pub fn get(&self, text: Option<&str>) -> Option<&[Goal]> {
        text.map_or(Some(&[]), |text| self.0.get(text)?.as_deref())
    }
}
