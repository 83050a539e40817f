//! What can touch something else.

use std::fmt;

use nalgebra::Isometry3;

use super::motion_bounds::Reach;
use super::moving_joints::Frame;
use super::shape::PlacedShape;
use urdf_ik_text::names::short;

/// What can touch something else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Body {
    /// The link of that name.
    Link(String),
    /// A part of that name, which a link carries.
    Attached(String),
    /// An obstacle of that name.
    Obstacle(String),
}

impl Body {
    /// Its name, without what it is.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Link(name) | Self::Attached(name) | Self::Obstacle(name) => name,
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(name) => write!(f, "link '{}'", short(name)),
            Self::Attached(name) => write!(f, "attached part '{}'", short(name)),
            Self::Obstacle(name) => write!(f, "obstacle '{}'", short(name)),
        }
    }
}

/// A body in the frame of the joint that moves it.
#[derive(Clone)]
pub(super) struct PlacedBody {
    pub body: Body,
    /// The moving joint that carries it; `None` where it stands still. Its frame is then that of the root link.
    pub frame: Option<usize>,
    /// The body's pose in that frame.
    pub pose: Isometry3<f64>,
    pub shapes: Vec<PlacedShape>,
}

impl PlacedBody {
    /// How far it reaches from a joint that has this inverse `frame` in the frame that carries the body.
    pub fn reach(&self, frame: &Frame) -> Reach {
        let none = Reach { from_axis: 0.0, from_origin: 0.0 };
        let of_shape = |shape: &PlacedShape| shape.reach(&frame.times(&Frame::of(&(self.pose * shape.place()))));
        self.shapes.iter().map(of_shape).fold(none, Reach::or)
    }
}
