//! The parameters `qos_overrides.TOPIC.publisher.POLICY` and `qos_overrides.TOPIC.subscription.POLICY`, as in rclcpp.
//! They are read once, when the node creates the topic.

use std::sync::PoisonError;

use r2r::qos::{DurabilityPolicy, HistoryPolicy, ReliabilityPolicy};
use r2r::{Node, QosProfile};

use super::lock::Lock;
use urdf_ik_parameters::{Definition, Refusal, TakesEffect, Value, ValueBounds};
use urdf_ik_text::names;

/// Prefix of the names.
pub(crate) const QUALITY_OVERRIDES: &str = "qos_overrides.";

/// The side of a topic that the node is on.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Publisher,
    Subscription,
}

/// A policy that can be overridden.
struct Policy {
    name: &'static str,
    sentence: &'static str,
    bounds: ValueBounds,
    get: fn(&QosProfile) -> Value,
    set: fn(&mut QosProfile, &Value),
}

/// A policy with two values, with their names in parameters.
macro_rules! either {
    ($field:ident, $sentence:literal; $policy:ident: $first:ident = $word:literal, $second:ident = $other:literal) => {
        Policy {
            name: stringify!($field),
            sentence: $sentence,
            bounds: ValueBounds::OneOf(&[$word, $other]),
            get: |quality| Value::Text(if quality.$field == $policy::$second { $other } else { $word }.into()),
            set: |quality, value| {
                let is_second = *value == Value::Text($other.into());
                quality.$field = if is_second { $policy::$second } else { $policy::$first };
            },
        }
    };
}

const POLICIES: [Policy; 4] = [
    Policy {
        name: "depth",
        sentence: "Length of the queue of this topic, with the history keep_last.",
        bounds: ValueBounds::Range(1.0, 100_000.0),
        get: |quality| Value::Integer(quality.depth.try_into().unwrap_or(i64::MAX)),
        set: |quality, value| {
            if let Value::Integer(depth) = value {
                quality.depth = usize::try_from(*depth).unwrap_or(quality.depth);
            }
        },
    },
    either! {
        durability, "Whether late subscribers of this topic receive earlier messages.";
        DurabilityPolicy: Volatile = "volatile", TransientLocal = "transient_local"
    },
    either! {
        history, "Whether the queue of this topic has a limit.";
        HistoryPolicy: KeepLast = "keep_last", KeepAll = "keep_all"
    },
    either! {
        reliability, "Whether lost messages of this topic are sent again.";
        ReliabilityPolicy: Reliable = "reliable", BestEffort = "best_effort"
    },
];

/// The parameters of all topics of the node. The default of each is its value.
#[derive(Default)]
pub(crate) struct QualityParameters(Lock<Vec<&'static Definition>>);

impl QualityParameters {
    /// `quality` with the overrides for a topic, by its full name. Declares their parameters.
    ///
    /// # Errors
    /// The [`Refusal`] of an invalid override.
    pub(super) fn apply(
        &self,
        node: &Node,
        topic: &str,
        role: Role,
        mut quality: QosProfile,
    ) -> Result<QosProfile, Refusal> {
        let role = match role {
            Role::Publisher => "publisher",
            Role::Subscription => "subscription",
        };
        let given = node.params.lock().unwrap_or_else(PoisonError::into_inner);
        for Policy { name, sentence, bounds, get, set } in POLICIES {
            let name = format!("{QUALITY_OVERRIDES}{topic}.{role}.{name}");
            let value = given.get(&name).map_or(Value::NotSet, |parameter| value(&parameter.value));
            let (default, takes_effect) = (get(&quality), TakesEffect::AtStart);
            let known = self.definition(&name);
            let mut definition = Definition { name: "", default, unit: "", bounds, takes_effect, sentence };
            // The names of the topics of a node are few, and last as long as the node.
            definition.name = known.map_or_else(|| &*name.leak(), |known| known.name);
            definition.default = definition.check(value)?;
            set(&mut quality, &definition.default);
            if known.is_none() {
                self.0.lock().push(Box::leak(Box::new(definition)));
            }
        }
        Ok(quality)
    }

    pub(crate) fn definition(&self, name: &str) -> Option<&'static Definition> {
        self.0.lock().iter().find(|known| known.name == name).copied()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().iter().map(|known| known.name.to_owned()).collect()
    }

    /// Warns about overrides without effect, after all topics have been created.
    pub(crate) fn warn_of_unused(&self, node: &Node) {
        let given = node.params.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unused = |name: &&String| name.starts_with(QUALITY_OVERRIDES) && self.definition(name).is_none();
        for name in given.keys().filter(is_unused) {
            let policies = POLICIES.map(|policy| policy.name).join(", ");
            log::warn!(
                "there is no parameter {}: its value is ignored; the node has the parameters \
                 qos_overrides.TOPIC.publisher.POLICY and qos_overrides.TOPIC.subscription.POLICY for the full names of its \
                 topics and the policies {policies}",
                names::short(name)
            );
        }
    }
}

/// The value of a parameter override.
pub(crate) fn value(given: &r2r::ParameterValue) -> Value {
    use r2r::ParameterValue as Given;
    match given {
        Given::NotSet => Value::NotSet,
        Given::Bool(value) => Value::Bool(*value),
        Given::Integer(value) => Value::Integer(*value),
        Given::Double(value) => Value::Double(*value),
        Given::String(value) => Value::Text(value.clone().into()),
        Given::StringArray(values) => Value::Texts(values.clone()),
        Given::BoolArray(_) => Value::Other("bool_array"),
        Given::ByteArray(_) => Value::Other("byte_array"),
        Given::IntegerArray(_) => Value::Other("integer_array"),
        Given::DoubleArray(_) => Value::Other("double_array"),
    }
}
