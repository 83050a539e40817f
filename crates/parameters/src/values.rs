//! A value for every parameter of the table.

use std::collections::BTreeMap;

use super::definition::Definition;
use super::value::Value;

/// A value for every parameter of the [`TABLE`](super::TABLE): the default where none has been set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub(super) BTreeMap<&'static str, Value>);

impl Values {
    /// The value of a parameter.
    #[must_use]
    pub fn of(&self, parameter: &Definition) -> Value {
        self.0.get(parameter.name).cloned().unwrap_or_else(|| parameter.default_value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn refusal(name: &str, value: Value) -> String {
        Values::default().set(name, value).unwrap_err().0
    }

    #[test]
    fn an_integer_passes_for_a_double_and_nothing_for_the_default() {
        let mut values = Values::default();
        values.set("publish_rate", Value::Integer(10)).unwrap();
        assert_eq!(values.of(Settings::publish_rate()), Value::Double(10.0));
        values.set("publish_rate", Value::NotSet).unwrap();
        assert_eq!(values.of(Settings::publish_rate()), Value::Double(50.0));
        values.set("tip_links", Value::NotSet).unwrap();
        assert_eq!(values.of(Settings::tip_links()), Value::Texts(Vec::new()));
    }

    #[test]
    fn the_text_of_a_number_passes_for_the_number() {
        let mut values = Values::default();
        for (name, text, value) in [
            ("position_tolerance", "1e-05", Value::Double(1e-5)),
            ("timeout", " 1 ", Value::Double(1.0)),
            ("attempts", "7", Value::Integer(7)),
            ("attempts", "1e6", Value::Integer(1_000_000)),
            ("random_seed", "9000000000000000", Value::Integer(9_000_000_000_000_000)),
        ] {
            let parameter = values.set(name, Value::Text(text.into())).unwrap();
            assert_eq!(values.of(parameter), value);
        }
        for (name, text) in [("attempts", "2.5"), ("attempts", "many"), ("attempts", "1e300"), ("attempts", "")] {
            assert_eq!(refusal(name, Value::Text(text.into())), format!("{name} takes an integer, not a string"));
        }
        assert!(refusal("timeout", Value::Text("nan".into())).contains("from 0.0001 to 60 s; it was set to NaN"));
        assert!(refusal("timeout", Value::Text("1e300".into())).ends_with("it was set to 1e300"));
        assert!(refusal("solver", Value::Text("x".repeat(1_000_000))).len() < 300);
        assert!(refusal(&"x".repeat(1_000_000), Value::NotSet).len() < 300);
    }

    #[test]
    fn refusals_name_parameter_and_bounds() {
        assert_eq!(
            refusal("position_tolerance", Value::Double(-1.0)),
            "position_tolerance must be from 0.000000001 to 1 m; it was set to -1.0"
        );
        assert_eq!(
            refusal("on_unreachable", Value::Text("panic".into())),
            "on_unreachable must be one of closest, hold; it was set to \"panic\""
        );
        assert_eq!(refusal("timeout", Value::Text("long".into())), "timeout takes a double, not a string");
        assert_eq!(refusal("colour", Value::Bool(true)), "there is no parameter colour");
        assert!(refusal("timeout", Value::Double(f64::NAN)).contains("must be from 0.0001 to 60 s"));
        assert!(refusal("attempts", Value::Integer(0)).contains("must be from 1"));
        assert_eq!(
            refusal("free_axes", Value::Texts(vec!["rz".into(), "yaw".into()])),
            "free_axes must be some of x, y, z, rx, ry, rz; it was set to [rz, yaw]"
        );
    }
}
