//! The service `change_goals`: adds, replaces and removes standing goals.

use std::sync::Arc;

use r2r::urdf_ik::srv::ChangeGoals::{Request, Response};
use serde_json::{Value, json};

use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::GoalReader;
use crate::services::ParameterStore;
use urdf_ik_goals::distinct_names;
use urdf_ik_parameters::{GoalList, Refusal, Settings, Value as ParameterValue};
use urdf_ik_text::names::{self, short};

pub(super) async fn change_goals(parameters: Arc<ParameterStore>, request: Request) -> Result<Response, Refused> {
    let arm = &parameters.arm;
    let Request { clear, remove, goals } = request;
    let added: GoalList = goals.parse().map_err(|refusal: Refusal| Refused::invalid("goals", refusal.0))?;
    let (settings, present) = (arm.settings(), arm.configuration()?);
    // Before the change, for errors with the numbers of the request, and because transforms may still come.
    let reader = GoalReader { frames: &arm.frames, configuration: &present, settings: &settings };
    reader.locate(&added).await?.read(&present.loaded, &present.positions)?;
    let change = Change { clear, remove, added: named(&added) };
    let mut changed = String::new();
    let edit = |settings: &Settings| {
        let goals = change.apply(named(&settings.goals))?;
        changed = json!(goals).to_string();
        let text = if goals.is_empty() { String::new() } else { changed.clone() };
        Ok(ParameterValue::Text(text.into()))
    };
    parameters.edit(Settings::goals(), edit).refuse_as("goals")?;
    Ok(Response { success: true, goals: changed, ..Response::default() })
}

/// A change of the standing goals.
struct Change {
    clear: bool,
    remove: Vec<String>,
    added: Vec<Value>,
}

impl Change {
    /// The goals after the change. All of them have names.
    ///
    /// # Errors
    /// [`Refusal`] of a name that no goal has.
    fn apply(self, present: Vec<Value>) -> Result<Vec<Value>, Refusal> {
        let mut goals = if self.clear { Vec::new() } else { present };
        for name in self.remove {
            let index = goals.iter().position(|goal| goal["name"] == name).ok_or_else(|| {
                let known: Vec<&str> = goals.iter().filter_map(|goal| goal["name"].as_str()).collect();
                let known = if known.is_empty() { "no goal".to_owned() } else { names::list(&known) };
                Refusal(format!("no standing goal has the name '{}'; in force: {known}", short(&name)))
            })?;
            goals.remove(index);
        }
        for goal in self.added {
            match goals.iter_mut().find(|present| present["name"] == goal["name"]) {
                Some(present) => *present = goal,
                None => goals.push(goal),
            }
        }
        Ok(goals)
    }
}

/// Goals with their names as fields: a change of the list does not rename any.
fn named(goals: &[Value]) -> Vec<Value> {
    let with_name = |(goal, name): (&Value, String)| {
        let mut goal = goal.clone();
        if let Some(fields) = goal.as_object_mut() {
            fields.insert("name".to_owned(), json!(name));
        }
        goal
    };
    goals.iter().zip(distinct_names(goals)).map(with_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(clear: bool, remove: &[&str], added: &[Value], present: &[Value]) -> Result<Vec<String>, Refusal> {
        let remove = remove.iter().map(|name| (*name).to_owned()).collect();
        let goals = Change { clear, remove, added: named(added) }.apply(named(present))?;
        Ok(goals.iter().map(|goal| format!("{} {}", goal["name"].as_str().unwrap(), goal["angle"])).collect())
    }

    #[test]
    fn goals_are_known_by_their_names() {
        let cone = |angle: f64| json!({"type": "cone", "angle": angle});
        let level = |angle: f64| json!({"type": "cone", "name": "level", "angle": angle});
        let present = [cone(0.1), level(0.2), cone(0.3)];
        assert_eq!(change(false, &[], &[], &present).unwrap(), ["cone 0.1", "level 0.2", "cone 3 0.3"]);
        assert_eq!(change(false, &["cone"], &[], &present).unwrap(), ["level 0.2", "cone 3 0.3"]);
        assert_eq!(
            change(false, &["cone 3"], &[level(0.4), cone(0.5), cone(0.6)], &present).unwrap(),
            ["cone 0.5", "level 0.4", "cone 3 0.6"]
        );
        assert_eq!(change(true, &[], &[cone(0.5)], &present).unwrap(), ["cone 0.5"]);
        assert!(change(false, &["box"], &[], &present).unwrap_err().0.contains("'box'; in force: cone, level, cone 3"));
        assert!(change(true, &["cone"], &[], &present).unwrap_err().0.contains("in force: no goal"));
    }
}
