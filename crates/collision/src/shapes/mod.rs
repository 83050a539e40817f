//! A shape that is fixed to a link or to an obstacle.

pub(crate) mod decomposition;
pub(crate) mod few_corners;
pub(crate) mod hull;
pub(crate) mod mesh;
pub(crate) mod solid;
pub(crate) mod spheres;

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt;
use std::sync::Arc;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use parry3d_f64::bounding_volume::BoundingSphere;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape::{Ball, Cuboid, Cylinder, Segment, Shape};

use crate::scene::motion_bounds::Reach;
use crate::scene::moving_joints::Frame;
use crate::shapes::mesh::Mesh;
use crate::shapes::solid::Solid;

/// Shapes are no larger than this, and no farther from their link's frame \[m\].
pub const FARTHEST: f64 = 1e6;
/// No size of a shape is less \[m\].
pub(crate) const LEAST_SIZE: f64 = 1e-9;

/// What a URDF says of a shape \[m\]. Cylinders and capsules are along z.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A box with its centre in the origin.
    Box {
        /// Its edges along x, y and z.
        size: [f64; 3],
    },
    /// A cylinder with its centre in the origin.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        length: f64,
    },
    /// A sphere around the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder between two half spheres.
    Capsule {
        /// The radius of both.
        radius: f64,
        /// The length of the cylinder alone.
        length: f64,
    },
    /// The triangles of a file. They are a surface: what is wholly inside does not touch it.
    Mesh {
        /// Its name in the URDF.
        file: String,
        /// Factors along x, y and z.
        scale: [f64; 3],
        /// Number of its triangles.
        triangles: usize,
    },
}

impl Geometry {
    /// What it is, in a word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Mesh { .. } => "mesh",
        }
    }
}

impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Box { size: [x, y, z] } => write!(f, "box {x} x {y} x {z} m"),
            Self::Cylinder { radius, length } => write!(f, "cylinder of radius {radius} m and length {length} m"),
            Self::Sphere { radius } => write!(f, "sphere of radius {radius} m"),
            Self::Capsule { radius, length } => write!(f, "capsule of radius {radius} m and length {length} m"),
            Self::Mesh { file, triangles, .. } => {
                write!(f, "mesh {}, {triangles} triangles", urdf_ik_text::names::short(file))
            }
        }
    }
}

/// A shape that is fixed to a link or to an obstacle.
#[derive(Clone)]
pub struct PlacedShape {
    /// What it is.
    pub geometry: Geometry,
    /// Pose of `core` in the frame of what it is fixed to.
    pub(crate) pose: Pose,
    pub(crate) core: Core,
    /// What is within this distance of `core` belongs to the shape as well \[m\].
    pub(crate) margin: f64,
    /// A sphere around the whole shape, in the same frame.
    pub(crate) bound: BoundingSphere,
}

/// What distances are computed of.
#[derive(Clone)]
pub(crate) enum Core {
    Convex(Convex),
    Mesh(Arc<Mesh>),
}

/// A box, cylinder, sphere or capsule.
#[derive(Clone)]
pub(crate) struct Convex {
    pub shape: Arc<dyn Shape>,
    /// All of it, in the same frame.
    pub solid: Solid,
}

impl Core {
    pub(crate) fn shape(&self) -> &dyn Shape {
        match self {
            Self::Convex(convex) => &*convex.shape,
            Self::Mesh(mesh) => &mesh.triangles,
        }
    }
}

impl PlacedShape {
    /// The shape at `origin` in the frame of what it is fixed to. `mesh` has the triangles of [`Geometry::Mesh`]; without them that has no
    /// shape.
    pub(crate) fn new(geometry: Geometry, origin: &Isometry3<f64>, mesh: Option<Arc<Mesh>>) -> Option<Self> {
        let mut pose = pose(origin);
        let mut margin = 0.0;
        let core = match geometry {
            Geometry::Box { size } => {
                let half = size.map(|edge| 0.5 * edge);
                convex(Cuboid::new(half.into()), Solid::Box(half))
            }
            Geometry::Cylinder { radius, length } => {
                pose *= from_y_to_z();
                let half = 0.5 * length;
                convex(Cylinder::new(half, radius), Solid::Cylinder { radius, half })
            }
            Geometry::Sphere { radius } => convex(Ball::new(radius), Solid::Capsule { radius, half: 0.0 }),
            Geometry::Capsule { radius, length } => {
                margin = radius;
                let half = 0.5 * length;
                let end = Vector::new(0.0, 0.0, half);
                convex(Segment::new(-end, end), Solid::Capsule { radius, half })
            }
            Geometry::Mesh { .. } => Core::Mesh(mesh?),
        };
        let mut bound = core.shape().compute_bounding_sphere(&pose);
        bound.radius += margin;
        Some(Self { geometry, pose, core, margin, bound })
    }

    /// The pose of `core` in the frame of what it is fixed to.
    pub(crate) fn place(&self) -> Isometry3<f64> {
        let (translation, rotation) = (self.pose.translation, self.pose.rotation);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(rotation.w, rotation.x, rotation.y, rotation.z));
        Isometry3::from_parts(Vector3::from(translation.to_array()).into(), rotation)
    }

    /// How far it reaches from a joint in whose frame `core` has this place.
    pub(crate) fn reach(&self, place: &Frame) -> Reach {
        let (corners, rounding) = match &self.core {
            Core::Mesh(mesh) => mesh.hull.corners(),
            Core::Convex(convex) => convex.solid.corners(),
        };
        let none = Reach { from_axis: 0.0, from_origin: 0.0 };
        let of_corner = |corner: &Vector3<f64>| Reach::around(place.point(corner).into(), rounding);
        corners.iter().map(of_corner).fold(none, Reach::or)
    }
}

fn convex(shape: impl Shape, solid: Solid) -> Core {
    Core::Convex(Convex { shape: Arc::new(shape), solid })
}

/// parry's cylinders are along y.
fn from_y_to_z() -> Pose {
    Pose::from_rotation(Rotation::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2))
}

/// A pose as parry has it.
pub(crate) fn pose(pose: &Isometry3<f64>) -> Pose {
    let (translation, rotation) = (pose.translation.vector, pose.rotation.coords);
    Pose::from_parts(
        Vector::new(translation.x, translation.y, translation.z),
        Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
    )
}
