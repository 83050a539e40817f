//! What can touch something else.

use std::fmt;

use nalgebra::Isometry3;

use super::shape::{Core, PlacedShape, pose};
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
    /// Whether a mesh is among its shapes.
    pub fn has_mesh(&self) -> bool {
        self.shapes.iter().any(|shape| matches!(shape.core, Core::Mesh(_)))
    }

    /// The joint that carries it, and how far it reaches from that joint's origin \[m\].
    pub fn reach(&self) -> (Option<usize>, f64) {
        let pose = pose(&self.pose);
        let reach = |shape: &PlacedShape| (pose * shape.bound.center).length() + shape.bound.radius;
        (self.frame, self.shapes.iter().map(reach).fold(0.0, f64::max))
    }
}
