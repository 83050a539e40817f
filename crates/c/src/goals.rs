//! Goals besides targets, as JSON text.

use std::collections::BTreeMap;

use serde_json::Value;
use urdf_ik::goals::{Goal, GoalContext};
use urdf_ik::robot::Chain;

use crate::failure::Failure;
use crate::robot::RobotData;
use crate::world::WorldData;

/// Reads a JSON array of goals. Links off the chain are at the positions of the world, or at their neutral ones.
pub(crate) fn read_goals(
    text: &str,
    data: &RobotData,
    chain: &Chain,
    world: Option<&WorldData>,
) -> Result<Vec<Goal>, Failure> {
    let values: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| Failure::problem(format!("goals is not the text of a JSON array: {error}")))?;
    let positions = world.map_or_else(|| data.robot.neutral_positions(), |world| world.arm.rest.clone());
    let context = GoalContext { robot: &data.robot, chain, positions: &positions, frames: &[] };
    Goal::read_all(&values, &context).map_err(Failure::problem)
}

/// Goals by their text, each read once for each of the worlds, which live as long.
#[derive(Default)]
pub(crate) struct GoalsByText(BTreeMap<Option<*const WorldData>, BTreeMap<String, Vec<Goal>>>);

impl GoalsByText {
    /// The goals of a text, or none. Reads a text that is not known.
    pub fn read(
        &mut self,
        text: Option<&str>,
        robot: &RobotData,
        chain: &Chain,
        world: Option<&WorldData>,
    ) -> Result<&[Goal], Failure> {
        if let Some(text) = text
            && self.get(Some(text), world).is_none()
        {
            let goals = read_goals(text, robot, chain, world)?;
            self.0.entry(world.map(std::ptr::from_ref)).or_default().insert(text.to_owned(), goals);
        }
        Ok(self.get(text, world).unwrap_or_default())
    }

    /// The goals of a text, or none; `None` for a text that is not known.
    pub fn get(&self, text: Option<&str>, world: Option<&WorldData>) -> Option<&[Goal]> {
        let known = |text: &str| self.0.get(&world.map(std::ptr::from_ref))?.get(text).map(Vec::as_slice);
        text.map_or(Some(&[]), known)
    }

    /// Forgets all other texts and worlds.
    pub fn keep_only(&mut self, text: Option<&str>, world: Option<&WorldData>) {
        let world = world.map(std::ptr::from_ref);
        self.0.retain(|known, _| *known == world);
        for goals in self.0.values_mut() {
            goals.retain(|known, _| Some(known.as_str()) == text);
        }
    }
}
