//! ROS infrastructure: names, publishers, services, spin thread, clock, log. Independent of robots.

pub(crate) mod action_client;
pub(crate) mod action_server;
pub(crate) mod clock;
pub(crate) mod command_line;
pub(crate) mod environment;
pub(crate) mod error;
pub(crate) mod interface;
pub(crate) mod lock;
pub(crate) mod logging;
pub(crate) mod publisher;
pub(crate) mod quality;
pub(crate) mod quality_overrides;
pub(crate) mod remapping;
pub(crate) mod service_server;
pub(crate) mod spin;
pub(crate) mod task;
pub(crate) mod tip_namespaces;
#[cfg(feature = "type_description")]
pub(crate) mod type_descriptions;

pub(crate) use action_client::{AcceptedGoal, ActionClient, GoalNews, NotAccepted};
pub(crate) use action_server::{Action, EndedGoal, Goal, GoalEnd};
pub(crate) use clock::{Clock, TickTimes};
pub(crate) use interface::*;
pub(crate) use lock::{Lock, OrderedLock};
pub(crate) use publisher::Publisher;
pub(crate) use quality::latched;
pub(crate) use quality_overrides::{QUALITY_OVERRIDES, QualityParameters};
pub(crate) use remapping::TopicNames;
pub(crate) use service_server::{Service, answer_each};
pub(crate) use spin::{Commands, Spinner};

/// Defines constants from those of a message, with the type of the field that uses them.
macro_rules! constants {
    ($visibility:vis $field:ty: $message:ty { $($name:ident),* $(,)? }) => {
        $($visibility const $name: $field = <$message>::$name as $field;)*
    };
}
pub(crate) use constants;
