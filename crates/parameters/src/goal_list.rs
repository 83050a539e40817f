//! Goals in YAML text or files.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::Value;

use super::config::Yaml;
use super::value::Refusal;
use urdf_ik_goals::{Goal, GoalContext};
use urdf_ik_text::files::ReadError;
use urdf_ik_text::names::sentence;
use urdf_ik_text::yaml::json_from_yaml;

/// Goals as parsed objects with the fields of their types. Their links and joints are not yet checked against a robot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoalList(Arc<[Value]>);

impl GoalList {
    /// True if both are clones of one list, so they need not be compared.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for GoalList {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl FromStr for GoalList {
    type Err = Refusal;

    /// Reads goals from YAML or JSON, or from the YAML file with the path `text`: one object, or a list of them. An
    /// empty text has no goals.
    ///
    /// # Errors
    /// [`Refusal`] if the file cannot be read, or the text is not valid YAML.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let yaml: Yaml = text.parse().map_err(|e: ReadError| Refusal(e.to_string()))?;
        if yaml.text.trim().is_empty() {
            return Ok(Self::default());
        }
        let value = json_from_yaml(&yaml.text)
            .map_err(|e| Refusal(format!("{} is no list of goals: {}", yaml.place, sentence(&e.to_string()))))?;
        Ok(Self(if let Value::Array(list) = value { list.into() } else { Arc::new([value]) }))
    }
}

/// Reads goals from the YAML or JSON `text`, or from the YAML file with that path: one object, or a list of them.
///
/// # Errors
/// [`Refusal`] if the text or file has no such list, or for the first invalid goal, with its number.
pub fn read_goals(text: &str, context: &GoalContext) -> Result<Vec<Goal>, Refusal> {
    Goal::read_all(&text.parse::<GoalList>()?, context).map_err(|e| Refusal(e.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_yaml_or_json_or_one_object() {
        let read = |text: &str| text.parse::<GoalList>().unwrap().to_vec();
        assert!(read(" ").is_empty());
        let cone = json!({"type": "cone", "link": "left/hand", "angle": 1e-5});
        // JSON with a slash is no path.
        for text in [&*cone.to_string(), &json!([cone]).to_string(), "{type: cone, link: left/hand, angle: 1e-5}"] {
            assert_eq!(read(text), std::slice::from_ref(&cone), "{text}");
        }
        let refused = |text: &str| text.parse::<GoalList>().unwrap_err().0;
        assert!(refused("[{type: cone}").contains("is no list of goals"), "{}", refused("[{type: cone}"));
        assert!(refused("no/such/goals.yaml").contains("no/such/goals.yaml"));
    }
}
