//! The topic `/rosout`, on which every ROS node publishes its log.
//!
//! In Humble rcl makes its publisher when a node is created. In later ones each client library has to, and r2r does not.

use std::time::{Duration, SystemTime};

use log::{Level, Record};
use r2r::rcl_interfaces::msg::Log;
use r2r::{Node, QosProfile};

use super::interface::ROSOUT;
use super::lock::Lock;
use crate::Result;

/// Number of messages that later subscribers receive too, as in rcl.
const DEPTH: usize = 1000;
/// How long a message is kept for later subscribers, as in rcl.
const LIFESPAN: Duration = Duration::from_secs(10);
/// The ROS 2 whose rcl publishes the log by itself.
const RCL_PUBLISHES: &str = "humble";

/// Publishes the log.
pub(crate) struct Rosout(Lock<r2r::Publisher<Log>>);

impl Rosout {
    /// The publisher; `None` where rcl has one.
    pub(crate) fn new(node: &mut Node) -> Result<Option<Self>> {
        if option_env!("ROS_DISTRO") == Some(RCL_PUBLISHES) {
            return Ok(None);
        }
        let quality = QosProfile::default().keep_last(DEPTH).reliable().transient_local().lifespan(LIFESPAN);
        Ok(Some(Self(Lock::new(node.create_publisher(ROSOUT.name, quality)?))))
    }

    /// Publishes a record of `logger` with its `text`.
    pub(crate) fn publish(&self, record: &Record, logger: &str, text: String) {
        // r2r logs that it could not publish: that cannot be published either.
        if record.target().starts_with("r2r::publishers") {
            return;
        }
        // As in rcl, this is the time of the system even where the node follows a simulation.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let message = Log {
            stamp: r2r::Clock::to_builtin_time(&now),
            level: level(record.level()),
            name: logger.to_owned(),
            msg: text,
            file: record.file().unwrap_or_default().to_owned(),
            // Rust does not tell a function its name.
            function: String::new(),
            line: record.line().unwrap_or_default(),
        };
        // There is nowhere to report a failure.
        let _ = self.0.lock().publish(&message);
    }
}

fn level(level: Level) -> u8 {
    match level {
        Level::Error => Log::ERROR as u8,
        Level::Warn => Log::WARN as u8,
        Level::Info => Log::INFO as u8,
        Level::Debug | Level::Trace => Log::DEBUG as u8,
    }
}
