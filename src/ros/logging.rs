//! Sends records of the crate `log` to the ROS log and to the topic `/rosout`, on which every ROS node publishes its
//! log.
//!
//! In Humble rcl creates the publisher of `/rosout` with the node. Later each client library has to, and r2r does not.
//!
//! A publisher of rcl would need unsafe code.

use std::time::{Duration, SystemTime};

use log::{Level, Log, Metadata, Record};
use r2r::rcl_interfaces::msg::Log as Message;
use r2r::{LogSeverity, Node, QosProfile};

use super::command_line::Arguments;
use super::interface::ROSOUT;
use super::lock::Lock;
use crate::Result;
use urdf_ik_text::names::beginning;

/// Maximum number of characters of a record, whatever a sentence quotes.
const MAX_CHARACTERS: usize = 4000;

struct RosLog {
    logger: String,
    rosout: Option<Rosout>,
}

/// Publishes the log.
type Rosout = Lock<r2r::Publisher<Message>>;

/// Sends all log records to the ROS logger of `node`, from the level in `arguments`.
pub(crate) fn install(node: &mut Node, arguments: &Arguments) -> Result {
    let logger = node.logger().to_owned();
    let level = arguments.level_of(&logger);
    let rosout = if arguments.to_rosout { rosout(node)? } else { None };
    // A second logger is refused: the first remains in use.
    if log::set_boxed_logger(Box::new(RosLog { logger, rosout })).is_ok() {
        log::set_max_level(level);
    }
    Ok(())
}

impl Log for RosLog {
    fn enabled(&self, metadata: &Metadata) -> bool {
        // From other crates only warnings and errors.
        metadata.target().starts_with(env!("CARGO_CRATE_NAME")) || metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        // A C string cannot contain NUL.
        let text = beginning(&record.args().to_string(), MAX_CHARACTERS).replace('\0', "␀");
        let (severity, level) = match record.level() {
            Level::Error => (LogSeverity::Error, Message::ERROR as u8),
            Level::Warn => (LogSeverity::Warn, Message::WARN as u8),
            Level::Info => (LogSeverity::Info, Message::INFO as u8),
            Level::Debug | Level::Trace => (LogSeverity::Debug, Message::DEBUG as u8),
        };
        // Called directly: r2r's macros would report this file.
        let (file, line) = (record.file().unwrap_or_default(), record.line().unwrap_or_default());
        r2r::log(&text, &self.logger, file, line, severity);
        // r2r logs failures to publish, which cannot be published either.
        let can_publish = !record.target().starts_with("r2r::publishers");
        let Some(rosout) = self.rosout.as_ref().filter(|_| can_publish) else { return };
        // As in rcl, system time, even with simulated time.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let message = Message {
            stamp: r2r::Clock::to_builtin_time(&now),
            level,
            name: self.logger.clone(),
            msg: text,
            file: file.to_owned(),
            // Rust provides no function names.
            function: String::new(),
            line,
        };
        // A failure cannot be reported.
        let _ = rosout.lock().publish(&message);
    }

    fn flush(&self) {}
}

/// Number of messages for late subscribers, as in rcl.
const DEPTH: usize = 1000;
/// Lifespan of a message for late subscribers, as in rcl.
const LIFESPAN: Duration = Duration::from_secs(10);
/// The ROS 2 distribution whose rcl publishes the log itself.
const RCL_PUBLISHES: &str = "humble";

/// The publisher of the log; `None` if rcl has one.
fn rosout(node: &mut Node) -> Result<Option<Rosout>> {
    if option_env!("ROS_DISTRO") == Some(RCL_PUBLISHES) {
        return Ok(None);
    }
    let quality = QosProfile::default().keep_last(DEPTH).reliable().transient_local().lifespan(LIFESPAN);
    Ok(Some(Lock::new(node.create_publisher(ROSOUT.name, quality)?)))
}
