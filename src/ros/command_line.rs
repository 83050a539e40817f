//! The command line of the node: `--help`, `--version`, and ROS arguments about logs and names. rcl reads all other
//! ROS arguments, but does not refuse unknown ones.

use log::LevelFilter;

use crate::NodeError;
use crate::Result;
use urdf_ik_parameters::{Definition, TABLE};

/// ROS arguments without a value that only concern the logs of rcl.
const LOGS_OF_RCL: [&str; 4] =
    ["--enable-stdout-logs", "--disable-stdout-logs", "--enable-external-lib-logs", "--disable-external-lib-logs"];

/// Ignored ROS arguments with a value.
const WITH_VALUE: [&str; 7] =
    ["-p", "--param", "--params-file", "-e", "--enclave", "--log-config-file", "--log-file-name"];

/// The parsed command line.
#[derive(Debug)]
pub(crate) enum CommandLine {
    /// Print a text instead of starting the node.
    Print(String),
    /// Start the node.
    Start(Arguments),
}

/// ROS arguments that rcl does not expose.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// True if the log is published on `/rosout`.
    pub to_rosout: bool,
    /// Rules about the log in their order: the name of a logger, or nothing for all loggers, and its level.
    levels: Vec<(String, LevelFilter)>,
    /// Remapping rules in their order.
    pub remappings: Vec<String>,
}

impl CommandLine {
    /// Parses the arguments after the program name.
    ///
    /// # Errors
    /// [`NodeError::Argument`] for an unknown argument.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut read = Arguments { to_rosout: true, levels: Vec::new(), remappings: Vec::new() };
        let mut is_for_ros = false;
        while let Some(argument) = arguments.next() {
            match (is_for_ros, argument.as_str()) {
                (_, "--ros-args") => is_for_ros = true,
                (true, "--") => is_for_ros = false,
                (true, "--log-level") => read.levels.extend(arguments.next().as_deref().and_then(level_rule)),
                (true, "--enable-rosout-logs") => read.to_rosout = true,
                (true, "--disable-rosout-logs") => read.to_rosout = false,
                (true, "-r" | "--remap") => read.remappings.extend(arguments.next()),
                (true, option) if WITH_VALUE.contains(&option) => drop(arguments.next()),
                (true, flag) if LOGS_OF_RCL.contains(&flag) => {}
                (false, "-h" | "--help") => return Ok(Self::Print(help())),
                (false, "-V" | "--version") => {
                    return Ok(Self::Print(concat!("urdf_ik_node ", env!("CARGO_PKG_VERSION")).into()));
                }
                // rcl treats it as a remapping of ROS 1.
                (false, rule) if rule.contains(":=") => read.remappings.push(argument),
                _ => return Err(NodeError::Argument(argument)),
            }
        }
        Ok(Self::Start(read))
    }
}

impl Arguments {
    /// The level of `logger`: of the rule with its name, otherwise with the longest dot-separated prefix.
    pub(crate) fn level_of(&self, logger: &str) -> LevelFilter {
        let is_below =
            |name: &str| logger.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let fitting = self.levels.iter().filter(|(name, _)| name.is_empty() || is_below(name));
        // The last one of several.
        fitting.max_by_key(|(name, _)| name.len()).map_or(LevelFilter::Info, |(_, level)| *level)
    }
}

/// Parses the argument of `--log-level`: a level, or the name of a logger and its level. `None` if rcl refuses it.
fn level_rule(rule: &str) -> Option<(String, LevelFilter)> {
    let (logger, level) = rule.split_once(":=").unwrap_or(("", rule));
    // The node logs nothing of the level fatal.
    let level = if level.eq_ignore_ascii_case("fatal") { LevelFilter::Off } else { level.parse().ok()? };
    Some((logger.to_owned(), level))
}

fn help() -> String {
    format!(
        "\
urdf_ik_node {}: a ROS 2 node that turns target poses into joint positions for any robot with a URDF

Usage: urdf_ik_node [--ros-args [-p PARAMETER:=VALUE]… [--params-file FILE] [-r FROM:=TO]… [--log-level LEVEL]]

  -h, --help      print this
  -V, --version   print the version

For example: urdf_ik_node --ros-args -p urdf_file:=robot.urdf -p 'tip_links:=[tool0]'

Parameters and their defaults (`ros2 param describe` explains them while the node runs):
{}",
        env!("CARGO_PKG_VERSION"),
        parameters()
    )
}

/// A line for each parameter: name and default.
fn parameters() -> String {
    let line = |known: &&Definition| format!("  {:<28} {}", known.name, known.default);
    TABLE.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> Result<CommandLine> {
        CommandLine::read(arguments.split_whitespace().map(str::to_owned))
    }

    fn arguments(arguments: &str) -> Arguments {
        match read(arguments).unwrap() {
            CommandLine::Start(arguments) => arguments,
            CommandLine::Print(text) => panic!("printed: {text}"),
        }
    }

    #[test]
    fn remappings_are_kept_in_their_order() {
        let remappings = |text: &str| arguments(text).remappings;
        assert_eq!(remappings("x:=y --ros-args -r __node:=arm -p a:=b --remap c:=d"), ["x:=y", "__node:=arm", "c:=d"]);
        assert_eq!(remappings("--ros-args -p a:=b -r"), [""; 0]);
    }

    #[test]
    fn arguments_of_ros_are_left_to_rcl() {
        arguments("");
        arguments("--ros-args -p a:=b --params-file --help -r x:=y --disable-stdout-logs -- --ros-args -e /enclave");
        arguments("--ros-args -p");
        arguments("__node:=other --ros-args");
        for unknown in
            ["--urdf", "--ros-args -- robot.urdf", "--", "--ros-args --help", "--ros-args -p a:=b robot.urdf"]
        {
            let error = read(unknown).unwrap_err().to_string();
            assert!(error.contains(unknown.split_whitespace().next_back().unwrap()), "{error}");
        }
        assert!(matches!(read("--ros-args -p a:=b -- --version"), Ok(CommandLine::Print(_))));
    }

    #[test]
    fn the_most_specific_level_holds() {
        let level = |rules: &str| arguments(&format!("--ros-args {rules}")).level_of("left.urdf_ik");
        assert_eq!(level(""), LevelFilter::Info);
        assert_eq!(level("--log-level DEBUG"), LevelFilter::Debug);
        assert_eq!(level("--log-level debug --log-level warn"), LevelFilter::Warn);
        assert_eq!(
            level("--log-level left.urdf_ik:=error --log-level left:=debug --log-level info"),
            LevelFilter::Error
        );
        assert_eq!(level("--log-level left:=debug --log-level lef:=error"), LevelFilter::Debug);
        assert_eq!(level("--log-level fatal"), LevelFilter::Off);
    }

    #[test]
    fn rosout_can_be_disabled() {
        assert!(arguments("--ros-args").to_rosout);
        assert!(!arguments("--ros-args --disable-rosout-logs").to_rosout);
        assert!(arguments("--ros-args --disable-rosout-logs --enable-rosout-logs").to_rosout);
    }
}
