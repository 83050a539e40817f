//! Sends the records of the crate `log` to the ROS log and to `/rosout`.

use log::{Level, Log, Metadata, Record};
use r2r::LogSeverity;
use r2r::Node;

use super::command_line::LogArguments;
use super::rosout::Rosout;
use crate::Result;

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
        let text = record.args().to_string().replace('\0', "␀").chars().take(MAX_CHARACTERS).collect::<String>();
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
