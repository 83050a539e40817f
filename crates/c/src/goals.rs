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

/// Goals by their text, each read once.
#[derive(Default)]
pub(crate) struct GoalsByText(BTreeMap<String, Vec<Goal>>);

impl GoalsByText {
    /// The goals of a text, or none. Reads a text that is not known.
    pub fn read(&mut self, text: Option<&str>, robot: &Robot, chain: &Chain) -> Result<&[Goal], Failure> {
        if let Some(text) = text
            && !self.0.contains_key(text)
        {
            self.0.insert(text.to_owned(), read_goals(text, robot, chain)?);
        }
        Ok(self.get(text).unwrap_or_default())
    }

    /// The goals of a text, or none; `None` for a text that is not known.
    pub fn get(&self, text: Option<&str>) -> Option<&[Goal]> {
        text.map_or(Some(&[]), |text| self.0.get(text).map(Vec::as_slice))
    }

    /// Forgets all other texts.
    pub fn keep_only(&mut self, text: Option<&str>) {
        self.0.retain(|known, _| Some(known.as_str()) == text);
    }
}
