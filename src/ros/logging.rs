//! Sends the records of the crate `log` to the ROS log and to the topic `/rosout`, on which every ROS node publishes its log.
//!
//! In Humble rcl makes the publisher of `/rosout` when a node is created. In later ones each client library has to, and r2r does not.

use std::time::{Duration, SystemTime};

use log::{Level, Log, Metadata, Record};
use r2r::rcl_interfaces::msg::Log as Message;
use r2r::{LogSeverity, Node, QosProfile};

use super::command_line::LogArguments;
use super::interface::ROSOUT;
use super::lock::Lock;
use crate::Result;
use urdf_ik_text::names::beginning;

/// Greatest number of characters of a record: whatever a sentence quotes, the log and `/rosout` stay small.
const MAX_CHARACTERS: usize = 4000;

struct RosLog {
    logger: String,
    rosout: Option<Rosout>,
}

/// Sends everything that is logged to the ROS logger of `node`, from the level on that `arguments` give it.
pub(crate) fn install(node: &mut Node, arguments: &LogArguments) -> Result {
    let logger = node.logger().to_owned();
    let level = arguments.level_of(&logger);
    let rosout = if arguments.to_rosout { Rosout::new(node)? } else { None };
    // A second logger is refused: the first serves as well.
    if log::set_boxed_logger(Box::new(RosLog { logger, rosout })).is_ok() {
        log::set_max_level(level);
    }
    Ok(())
}

impl Log for RosLog {
    fn enabled(&self, metadata: &Metadata) -> bool {
        // From other crates only what a user of the node should know.
        metadata.target().starts_with(env!("CARGO_CRATE_NAME")) || metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        // The C string that carries it cannot hold a NUL.
        let text = beginning(&record.args().to_string(), MAX_CHARACTERS).replace('\0', "␀");
        let severity = match record.level() {
            Level::Error => LogSeverity::Error,
            Level::Warn => LogSeverity::Warn,
            Level::Info => LogSeverity::Info,
            Level::Debug | Level::Trace => LogSeverity::Debug,
        };
        // What r2r's macros call: they would name this file instead of the record's.
        let (file, line) = (record.file().unwrap_or_default(), record.line().unwrap_or_default());
        r2r::log(&text, &self.logger, file, line, severity);
        if let Some(rosout) = &self.rosout {
            rosout.publish(record, &self.logger, text);
        }
    }

    fn flush(&self) {}
}

/// Number of messages that later subscribers receive too, as in rcl.
const DEPTH: usize = 1000;
/// How long a message is kept for later subscribers, as in rcl.
const LIFESPAN: Duration = Duration::from_secs(10);
/// The ROS 2 whose rcl publishes the log by itself.
const RCL_PUBLISHES: &str = "humble";

/// Publishes the log.
struct Rosout(Lock<r2r::Publisher<Message>>);

impl Rosout {
    /// The publisher; `None` where rcl has one.
    fn new(node: &mut Node) -> Result<Option<Self>> {
        if option_env!("ROS_DISTRO") == Some(RCL_PUBLISHES) {
            return Ok(None);
        }
        let quality = QosProfile::default().keep_last(DEPTH).reliable().transient_local().lifespan(LIFESPAN);
        Ok(Some(Self(Lock::new(node.create_publisher(ROSOUT.name, quality)?))))
    }

    /// Publishes a record of `logger` with its `text`.
    fn publish(&self, record: &Record, logger: &str, text: String) {
        // r2r logs that it could not publish: that cannot be published either.
        if record.target().starts_with("r2r::publishers") {
            return;
        }
        // As in rcl, this is the time of the system even where the node follows a simulation.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let message = Message {
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
        Level::Error => Message::ERROR as u8,
        Level::Warn => Message::WARN as u8,
        Level::Info => Message::INFO as u8,
        Level::Debug | Level::Trace => Message::DEBUG as u8,
    }
}
