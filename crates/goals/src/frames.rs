//! The frames that a goal refers to, their pose relative to each other in a configuration, and where a goal leads them.

use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Point3, Rotation3, Vector3};

use crate::rows::Derivative;
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_text::fields::Fields;
use urdf_ik_text::{Malformed, names};

/// The robot, the chain and the frames to which the names in a goal refer.
#[derive(Debug, Clone, Copy)]
pub struct GoalContext<'a> {
    /// The robot that has the links.
    pub robot: &'a Robot,
    /// The chain whose variables are solved for.
    pub chain: &'a Chain,
    /// Positions \[rad or m\], one per joint of the robot. Joints that the chain does not move stay there.
    pub positions: &'a [f64],
    /// Frames besides the links. A link takes precedence over a frame of the same name.
    pub frames: &'a [FixedFrame],
}

/// A frame that is fixed to the base link, such as one of ROS.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedFrame {
    /// Its name in goals.
    pub name: String,
    /// Its pose in the base link's frame (translation \[m\]).
    pub pose: Isometry3<f64>,
}

/// A configuration of a chain.
pub trait Configuration {
    /// Pose of the frame of a chain joint after its motion, in the base link's frame (translation \[m\]). `joint` is an
    /// index of [`Chain::joints`].
    fn frame(&self, joint: usize) -> IsometryMatrix3<f64>;

    /// Position \[rad or m\] of a variable, an index of [`Chain::variables`].
    fn position(&self, variable: usize) -> f64;
}

/// A frame that is fixed to the child link of a chain joint, or to the base link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Index among [`Chain::joints`] of the joint that moves it; `None` for the base link.
    pub joint: Option<usize>,
    /// Pose in the frame of that joint after its motion, or in the base link's frame (translation \[m\]).
    pub offset: IsometryMatrix3<f64>,
}

impl Place {
    /// The base link's frame.
    #[must_use]
    pub fn base() -> Self {
        Self { joint: None, offset: IsometryMatrix3::identity() }
    }

    /// The frame of the tip with index `tip`, including its tool.
    ///
    /// # Panics
    /// If `tip` is not an index of [`Chain::tips`].
    #[must_use]
    pub fn of_tip(chain: &Chain, tip: usize) -> Self {
        let tip = &chain.tips()[tip];
        Self { joint: Some(tip.parent), offset: nalgebra::convert(tip.placement) }
    }

    /// The frame of the link named `link`; `None` for an unknown name.
    #[must_use]
    pub fn of_link(context: &GoalContext, link: &str) -> Option<Self> {
        let GoalContext { robot, chain, positions, .. } = *context;
        let (joint, offset) = chain.attachment(robot, robot.link_index(link)?, positions);
        Some(Self { joint, offset: nalgebra::convert(offset) })
    }

    /// True for the base link's frame.
    #[inline]
    #[must_use]
    pub fn is_base(&self) -> bool {
        self.joint.is_none() && self.offset == IsometryMatrix3::identity()
    }

    /// This place, moved by a vector in its frame \[m\].
    #[must_use]
    pub fn shifted(mut self, by: &Vector3<f64>) -> Self {
        self.offset.translation.vector += self.offset.rotation * by;
        self
    }

    /// Its origin in a configuration, in the base link's frame \[m\].
    pub fn origin(&self, at: &dyn Configuration) -> Point3<f64> {
        let origin = self.offset.translation.vector.into();
        self.joint.map_or(origin, |joint| at.frame(joint) * origin)
    }

    /// Its pose in a configuration, in the base link's frame (translation \[m\]).
    #[inline]
    pub fn pose(&self, at: &dyn Configuration) -> IsometryMatrix3<f64> {
        self.joint.map_or(self.offset, |joint| at.frame(joint) * self.offset)
    }
}

/// A point that is fixed to a link, relative to a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The link.
    pub link: Place,
    /// The point in the link's frame \[m\].
    pub point: Vector3<f64>,
    /// The frame.
    pub frame: Place,
}

/// The places on links, and the frame, whose relative pose determines the values of a goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// Places with their shares \[-\], at least one. The point of the goal is the sum of their origins, each times its
    /// share.
    pub points: Vec<(f64, Place)>,
    /// The frame.
    pub frame: Place,
}

/// The pose of a link in a frame, in one configuration.
#[derive(Debug, Clone, Copy)]
pub struct Relative {
    /// Orientation of the first place: a rotation matrix, whose columns are its axes in the frame.
    pub rotation: Matrix3<f64>,
    /// The point of the goal, in the frame \[m\].
    pub point: Vector3<f64>,
}

/// The position or orientation to which a goal leads a place, for starting points near it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// The place.
    pub place: Place,
    /// The frame of `at`: that of a chain joint after its motion, by its index; `None` for the base link's frame.
    pub frame: Option<usize>,
    /// Middle of the bounds of the place, in that frame.
    pub at: Middle,
}

/// The middle of the bounds of a position or an orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Middle {
    /// Position of the origin \[m\].
    Position(Vector3<f64>),
    /// Orientation of the axes.
    Orientation(Rotation3<f64>),
}

impl Places {
    /// The chain joint that moves each place, by its index, and finally that of the frame; `None` for the base link.
    pub fn joints(&self) -> impl Iterator<Item = Option<usize>> {
        self.points.iter().map(|(_, place)| place.joint).chain([self.frame.joint])
    }

    /// The point of the goal, in the base link's frame \[m\].
    pub fn point(&self, at: &dyn Configuration) -> Point3<f64> {
        self.points.iter().map(|(share, place)| place.origin(at).coords * *share).sum::<Vector3<f64>>().into()
    }

    /// The first place's orientation and the point, in the frame, in a configuration.
    pub fn relative(&self, at: &dyn Configuration) -> Relative {
        let IsometryMatrix3 { rotation, translation } = self.points[0].1.pose(at);
        let point = if self.points.len() == 1 { translation.vector.into() } else { self.point(at) };
        if self.frame.is_base() {
            return Relative { rotation: rotation.into_inner(), point: point.coords };
        }
        let frame = self.frame.pose(at);
        Relative {
            rotation: (frame.rotation.inverse() * rotation).into_inner(),
            point: frame.inverse_transform_point(&point).coords,
        }
    }

    /// Converts a `derivative`, along the axes of the frame, to wrenches on the bodies that the chain moves. Each has
    /// the index of the body's chain joint, its force, and its torque about the origin of the base link's frame, both
    /// along the axes of that frame.
    pub fn wrenches(
        &self,
        at: &dyn Configuration,
        derivative: &Derivative,
    ) -> impl Iterator<Item = (usize, Derivative)> {
        let (frame, mean) = (self.frame.pose(at).rotation, self.point(at));
        let [force, torque] = derivative.map(|part| frame * part);
        let points = self.points.iter().map(|(share, place)| (*share, place.joint, place.origin(at)));
        points.chain([(-1.0, self.frame.joint, mean)]).filter_map(move |(share, joint, point)| {
            let about_base = torque + point.coords.cross(&force);
            Some((joint?, [force * share, about_base * share]))
        })
    }
}

impl Between {
    /// Reads `link` (left out: the only tip), `point` and `frame` (left out: the base link).
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Self, Malformed> {
        let link = match fields.optional("link") {
            Some(_) => named(fields.text("link")?, context)?,
            None if context.chain.tips().len() == 1 => Place::of_tip(context.chain, 0),
            None => {
                let tips = names::list(&context.chain.tip_names());
                return Err(format!("the field 'link' is missing; it is needed with several tips: {tips}").into());
            }
        };
        let frame = named_frame(fields, context)?;
        let point = Vector3::from(fields.numbers_or("point", [0.0; 3])?);
        if link.joint == frame.joint {
            return Err("no joint of the chain moves its 'link' relative to its 'frame'".into());
        }
        Ok(Self { link, point, frame })
    }

    /// An aim of the link.
    pub(crate) fn aim(&self, at: impl FnOnce(&Place) -> Middle) -> Aim {
        Aim { place: self.link.shifted(&self.point), frame: self.frame.joint, at: at(&self.frame) }
    }

    /// The point and the frame as places.
    pub fn places(&self) -> Places {
        Places { points: vec![(1.0, self.link.shifted(&self.point))], frame: self.frame }
    }
}

/// The middle of intervals; `None` without bounds on both sides.
pub(crate) fn middle(lower: &[f64; 3], upper: &[f64; 3]) -> Option<Vector3<f64>> {
    let middle = (Vector3::from(*lower) + Vector3::from(*upper)) * 0.5;
    middle.iter().all(|entry| entry.is_finite()).then_some(middle)
}

/// Reads `frame` (left out: the base link).
pub(crate) fn named_frame(fields: &mut Fields, context: &GoalContext) -> Result<Place, Malformed> {
    match fields.optional("frame") {
        Some(_) => named(fields.text("frame")?, context),
        None => Ok(Place::base()),
    }
}

fn named(name: &str, context: &GoalContext) -> Result<Place, Malformed> {
    let GoalContext { robot, chain, .. } = *context;
    let is_followed =
        |joint: usize| chain.moves(robot, joint) && chain.joints().iter().all(|known| known.joint != joint);
    let base = robot.link_index(chain.base()).unwrap_or_else(|| robot.root());
    if let Some(link) = robot.link_index(name)
        && robot.joints_between([base, link]).into_iter().flatten().any(is_followed)
    {
        let link = names::short(name);
        return Err(
            format!("a joint that mimics one of the chain moves the link '{link}'; make that link a tip").into()
        );
    }
    let fixed = || {
        let frame = context.frames.iter().find(|frame| frame.name == name)?;
        Some(Place { joint: None, offset: nalgebra::convert(frame.pose) })
    };
    Place::of_link(context, name).or_else(fixed).ok_or_else(|| {
        let links: Vec<&str> = context.robot.links().iter().map(|link| link.name.as_str()).collect();
        format!("there is no link '{}'; the links are: {}", names::short(name), names::list(&links)).into()
    })
}
