//! The plumbing of ROS: names, publishers, services, the thread that spins, the clock, the log. Nothing here knows of robots.

pub(crate) mod clock;
pub(crate) mod command_line;
pub(crate) mod error;
pub(crate) mod interface;
pub(crate) mod lock;
pub(crate) mod logging;
pub(crate) mod publisher;
pub(crate) mod quality;
pub(crate) mod remapping;
pub(crate) mod service_server;
pub(crate) mod spin;
pub(crate) mod task;
pub(crate) mod tip_namespaces;

pub(crate) use clock::{Clock, TickTimes};
pub(crate) use interface::*;
pub(crate) use lock::Lock;
pub(crate) use publisher::Publisher;
pub(crate) use quality::latched;
pub(crate) use remapping::Names;
pub(crate) use service_server::answer_each;
pub(crate) use spin::{Commands, Spinner};

/// Makes constants of those of a message, which r2r gives a type of their own: they have the type of the field whose values they are.
macro_rules! constants {
    ($visibility:vis $field:ty: $message:ty { $($name:ident),* $(,)? }) => {
        $($visibility const $name: $field = <$message>::$name as $field;)*
    };
}
pub(crate) use constants;
