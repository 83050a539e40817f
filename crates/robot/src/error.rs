//! Errors of a robot description or a chain, each with the element that is wrong.

use thiserror::Error;

use super::xml::XmlError;

use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_text::files::{MAX_URDF_BYTES, ReadError};
use urdf_ik_text::names::{self, number, sentence, short};

/// Most joints of a robot. With more, preparing a solver takes minutes.
pub(super) const MAX_JOINTS: usize = 40_000;

/// Why a URDF is rejected. The message says how to fix the file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] ReadError),
    /// The text is longer than [`MAX_URDF_BYTES`].
    #[error("the robot description has {bytes} bytes; it may have {MAX_URDF_BYTES}")]
    TooLong {
        /// Size of the text \[bytes\].
        bytes: usize,
    },
    /// The URDF has too many joints.
    #[error("the robot description has {joints} joints; it may have {MAX_JOINTS}")]
    TooManyJoints {
        /// Number of joints.
        joints: usize,
    },
    /// The text is not well-formed XML.
    #[error("the robot description is not well-formed XML (line {}): {}", .0.line, sentence(&.0.reason))]
    Xml(#[from] XmlError),
    /// The outermost element is not `<robot>`.
    #[error("the robot description must be one <robot> element, but it has {}", short(found))]
    NotARobot {
        /// Description of the text found instead.
        found: String,
    },
    /// The text is a robot model in another format.
    #[error(
        "the robot description is a model in {format} (<{root}>), and no URDF: give the URDF that it was made from, or convert it"
    )]
    OtherFormat {
        /// Name of the other format.
        format: &'static str,
        /// Name of its root element.
        root: &'static str,
    },
    /// The text is an unexpanded xacro file, and is not a valid URDF.
    #[error("{reason}; this is a xacro file: expand it first, for example by `xacro robot.xacro > robot.urdf`")]
    Xacro {
        /// The fault of the text.
        reason: String,
    },
    /// A required attribute or child of an element is missing.
    #[error("{} has no {missing}", short(element))]
    Missing {
        /// Kind and name of the element.
        element: String,
        /// Name of the missing attribute or child.
        missing: &'static str,
    },
    /// An attribute is not the required number or list of numbers.
    #[error("joint '{}': {attribute}=\"{}\" must be {expected}", short(joint), short(text))]
    Number {
        /// Name of the joint.
        joint: String,
        /// Name of the element and of the attribute.
        attribute: String,
        /// Text of the attribute, or its numbers if the joint is not from a text.
        text: String,
        /// Description of the expected value.
        expected: &'static str,
    },
    /// The joint type is not one of URDF.
    #[error(
        "joint '{}' has the type '{}'; the types of URDF are revolute, continuous, prismatic, fixed, floating and planar",
        short(joint),
        short(found)
    )]
    JointType {
        /// Name of the joint.
        joint: String,
        /// Unknown type of the joint.
        found: String,
    },
    /// Two links or two joints share a name.
    #[error("two {kind}s are named '{}'; names must be unique", short(name))]
    Duplicate {
        /// Kind of the elements: `link` or `joint`.
        kind: &'static str,
        /// The shared name.
        name: String,
    },
    /// A joint refers to a nonexistent link.
    #[error("joint '{}' has the {role} link '{}', which the robot does not have", short(joint), short(link))]
    UnknownLink {
        /// Name of the joint.
        joint: String,
        /// Role of the link: `parent` or `child`.
        role: &'static str,
        /// Name of the missing link.
        link: String,
    },
    /// A link is the child of two joints.
    #[error(
        "link '{}' is the child of both joint '{}' and joint '{}'; a link has one parent",
        short(link),
        short(first),
        short(second)
    )]
    TwoParents {
        /// Name of the link.
        link: String,
        /// Name of the joint that comes first in the file.
        first: String,
        /// Name of the other joint.
        second: String,
    },
    /// Links form a cycle.
    #[error("the joints form a cycle through the links {}", names::list(links))]
    Cycle {
        /// Names of the links in the cycle and below it.
        links: Vec<String>,
    },
    /// More than one link has no parent.
    #[error("the robot has {} root links ({}); all but one must be the child of a joint", roots.len(), names::list(roots))]
    SeveralRoots {
        /// Names of the links without a parent.
        roots: Vec<String>,
    },
    /// The URDF has no links.
    #[error("the robot description has no <link>")]
    NoLinks,
    /// A revolute or prismatic joint has no limits.
    #[error(
        "{kind} joint '{}' has no <limit>; add one with lower and upper (a joint without limits is continuous)",
        short(joint)
    )]
    NoLimits {
        /// Type of the joint: `revolute` or `prismatic`.
        kind: &'static str,
        /// Name of the joint.
        joint: String,
    },
    /// urdf-rs rejects a text that passed all other checks.
    #[error("the robot description cannot be read: {}", sentence(reason))]
    Reader {
        /// Message of urdf-rs.
        reason: String,
    },
}

/// Why a list of joint positions is invalid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PositionsError {
    /// The list does not have one position for each joint.
    #[error("there are {found} joint positions for {expected} joints; give one position for each")]
    Count {
        /// Number of positions.
        found: usize,
        /// Number of joints.
        expected: usize,
    },
    /// A position is NaN or infinite.
    #[error("the position of joint '{}' is {value}; it must be a finite number", short(joint))]
    NotFinite {
        /// Name of the joint.
        joint: String,
        /// The invalid position \[rad or m\].
        value: f64,
    },
    /// No joint of that name has a position.
    #[error("the robot has no joint '{}' that moves; it has: {}", short(joint), names::list(joints))]
    Unknown {
        /// The unknown name.
        joint: String,
        /// Names of the joints that have a position.
        joints: Vec<String>,
    },
}

/// Checks that there is one finite position \[rad or m\] for each of the named joints.
pub(super) fn check_positions<'a>(
    joints: impl ExactSizeIterator<Item = &'a String>,
    positions: &[f64],
) -> Result<(), PositionsError> {
    if positions.len() != joints.len() {
        return Err(PositionsError::Count { found: positions.len(), expected: joints.len() });
    }
    match joints.zip(positions).find(|(_, position)| !position.is_finite()) {
        Some((joint, &value)) => Err(PositionsError::NotFinite { joint: joint.clone(), value }),
        None => Ok(()),
    }
}

/// Why there is no chain between the named links.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The robot has no link with the requested name.
    #[error("the robot '{}' has no link '{}'; its links are: {}", short(robot), short(link), names::list(links))]
    UnknownLink {
        /// Name of the robot.
        robot: String,
        /// The requested name.
        link: String,
        /// Names of the robot's links.
        links: Vec<String>,
    },
    /// No tip link was named, although the chain needs one or there are several default tips.
    #[error("the robot has {} leaf links; name the tip link, one of: {}", leaves.len(), names::list(leaves))]
    TipNeeded {
        /// Names of the leaf links to choose from.
        leaves: Vec<String>,
    },
    /// Two of the tips are the same link.
    #[error("the tip link '{}' is named twice", short(link))]
    TipTwice {
        /// Name of the link.
        link: String,
    },
    /// No movable joint is between base and tip.
    #[error("there is no movable joint between the base link '{}' and the tip link '{}'", short(base), short(tip))]
    Empty {
        /// Name of the base link.
        base: String,
        /// Name of the tip link.
        tip: String,
    },
    /// A floating or planar joint is in the chain.
    #[error(
        "joint '{}' between the base link '{}' and the tip link '{}' is {kind}; \
         a chain may have revolute, continuous, prismatic and fixed joints: choose a base link beyond it",
        short(joint),
        short(base),
        short(tip)
    )]
    NotOneAxis {
        /// Name of the joint.
        joint: String,
        /// Type of the joint: `floating` or `planar`.
        kind: &'static str,
        /// Name of the base link.
        base: String,
        /// Name of the tip link.
        tip: String,
    },
    /// A joint in the chain has a zero axis.
    #[error("joint '{}' has the axis (0, 0, 0); give it a direction", short(joint))]
    ZeroAxis {
        /// Name of the joint.
        joint: String,
    },
    /// The lower limit is above the upper one.
    #[error(
        "joint '{}' has the lower limit {} above the upper limit {}",
        short(joint),
        number(*lower),
        number(*upper)
    )]
    LimitsReversed {
        /// Name of the joint.
        joint: String,
        /// Lower limit \[rad or m\].
        lower: f64,
        /// Upper limit \[rad or m\].
        upper: f64,
    },
    /// The number of tools differs from the number of tips.
    #[error("{tools} tools are given for {tips} tip links; each tip link needs one, which may be the identity")]
    ToolCount {
        /// Number of tools.
        tools: usize,
        /// Number of tip links.
        tips: usize,
    },
    /// A tool offset is not finite, or has a coordinate beyond 1e9 m.
    #[error("the tool of '{}' must have finite numbers within {MAX_COORDINATE:e} m", short(tip))]
    Tool {
        /// Name of the tip link.
        tip: String,
    },
}
