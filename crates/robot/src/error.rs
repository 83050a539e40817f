//! Errors of a robot description or a chain, each with the element that is wrong.

use thiserror::Error;

use super::xml::XmlError;

use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_text::files::{MAX_URDF_BYTES, ReadError};
use urdf_ik_text::names::{self, number, sentence, short};

/// Most joints of a robot. With more, preparing a solver takes minutes.
pub(super) const MAX_JOINTS: usize = 40_000;

/// Why a URDF was refused. The message says what to change in the file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] ReadError),
    /// The text is too long to be a robot description.
    #[error("the robot description has {bytes} bytes; it may have {MAX_URDF_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// There are more joints than a robot has.
    #[error("the robot description has {joints} joints; it may have {MAX_JOINTS}")]
    TooManyJoints {
        /// Their number.
        joints: usize,
    },
    /// The text is not well-formed XML.
    #[error("the robot description is not well-formed XML (line {}): {}", .0.line, sentence(&.0.reason))]
    Xml(#[from] XmlError),
    /// The text has no `<robot>` element at the top.
    #[error("the robot description must be one <robot> element, but it has {}", short(found))]
    NotARobot {
        /// What was found instead.
        found: String,
    },
    /// The text is a robot model in another format.
    #[error(
        "the robot description is a model in {format} (<{root}>), and no URDF: give the URDF that it was made from, or convert it"
    )]
    OtherFormat {
        /// The format.
        format: &'static str,
        /// The name of its root element.
        root: &'static str,
    },
    /// The text is refused, and it is a xacro file.
    #[error("{reason}; this is a xacro file: expand it first, for example by `xacro robot.xacro > robot.urdf`")]
    Xacro {
        /// Why it is refused as it is.
        reason: String,
    },
    /// An attribute or a child of an element is missing.
    #[error("{} has no {missing}", short(element))]
    Missing {
        /// The element, by kind and name.
        element: String,
        /// The missing attribute or child.
        missing: &'static str,
    },
    /// An attribute is not the finite number, or numbers, that it must be.
    #[error("joint '{}': {attribute}=\"{}\" must be {expected}{hint}", short(joint), short(text))]
    Number {
        /// The joint.
        joint: String,
        /// Element and attribute.
        attribute: String,
        /// The text found.
        text: String,
        /// The expected value.
        expected: &'static str,
        /// The probable cause, or nothing.
        hint: &'static str,
    },
    /// The joint type is not one of URDF.
    #[error(
        "joint '{}' has the type '{}'; the types of URDF are revolute, continuous, prismatic, fixed, floating and planar",
        short(joint),
        short(found)
    )]
    JointType {
        /// The joint.
        joint: String,
        /// The type found.
        found: String,
    },
    /// Two links or two joints share a name.
    #[error("two {kind}s are named '{}'; names must be unique", short(name))]
    Duplicate {
        /// `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A joint names a link that the robot does not have.
    #[error("joint '{}' has the {role} link '{}', which the robot does not have", short(joint), short(link))]
    UnknownLink {
        /// The joint.
        joint: String,
        /// `parent` or `child`.
        role: &'static str,
        /// The link that is missing.
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
        /// The link.
        link: String,
        /// The joint that came first in the file.
        first: String,
        /// The other joint.
        second: String,
    },
    /// Links form a loop.
    #[error("the joints form a cycle through the links {}", names::list(links))]
    Cycle {
        /// The links of the loop, and those below it.
        links: Vec<String>,
    },
    /// More than one link has no parent.
    #[error("the robot has {} root links ({}); all but one must be the child of a joint", roots.len(), names::list(roots))]
    SeveralRoots {
        /// The links without a parent.
        roots: Vec<String>,
    },
    /// There is no link at all.
    #[error("the robot description has no <link>")]
    NoLinks,
    /// A revolute or prismatic joint has no limits.
    #[error(
        "{kind} joint '{}' has no <limit>; add one with lower and upper (a joint without limits is continuous)",
        short(joint)
    )]
    NoLimits {
        /// `revolute` or `prismatic`.
        kind: &'static str,
        /// The joint.
        joint: String,
    },
    /// The typed reader (urdf-rs) refused what passed the other checks.
    #[error("the robot description cannot be read: {}", sentence(reason))]
    Reader {
        /// What urdf-rs said.
        reason: String,
    },
}

/// Why there is no chain between the named links.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The robot has no link of that name.
    #[error("the robot '{}' has no link '{}'; its links are: {}", short(robot), short(link), names::list(links))]
    UnknownLink {
        /// The robot.
        robot: String,
        /// The name asked for.
        link: String,
        /// The names of its links.
        links: Vec<String>,
    },
    /// No tip link was named and the robot has not exactly one leaf.
    #[error("the robot has {} leaf links; name the tip link, one of: {}", leaves.len(), names::list(leaves))]
    TipNeeded {
        /// The links without children.
        leaves: Vec<String>,
    },
    /// Two of the named tips are one link.
    #[error("the tip link '{}' is named twice", short(link))]
    TipTwice {
        /// The link.
        link: String,
    },
    /// No movable joint is between base and tip.
    #[error("there is no movable joint between the base link '{}' and the tip link '{}'", short(base), short(tip))]
    Empty {
        /// Base link.
        base: String,
        /// Tip link.
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
        /// The joint.
        joint: String,
        /// `floating` or `planar`.
        kind: &'static str,
        /// Base link.
        base: String,
        /// Tip link.
        tip: String,
    },
    /// A joint in the chain has an axis of length zero.
    #[error("joint '{}' has the axis (0, 0, 0); give it a direction", short(joint))]
    ZeroAxis {
        /// The joint.
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
        /// The joint.
        joint: String,
        /// Lower limit, rad or m.
        lower: f64,
        /// Upper limit, rad or m.
        upper: f64,
    },
    /// There is not one tool for each tip.
    #[error("{tools} tools are given for {tips} tip links; each tip link needs one, which may be the identity")]
    ToolCount {
        /// Number of tools.
        tools: usize,
        /// Number of tip links.
        tips: usize,
    },
    /// A tool offset is not finite, or too far from its link.
    #[error("the tool of '{}' must have finite numbers within {MAX_COORDINATE:e} m", short(tip))]
    Tool {
        /// Tip link.
        tip: String,
    },
}
