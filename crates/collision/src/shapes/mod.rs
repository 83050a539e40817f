//! A shape that is fixed to a link or to an obstacle.

mod decomposition;
mod few_corners;
pub(crate) mod frame;
pub(crate) mod hull;
pub(crate) mod mesh;
pub(crate) mod solid;
pub(crate) mod spheres;

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt;
use std::sync::Arc;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use parry3d_f64::math::{Pose, Rotation, Vector as Point};
use parry3d_f64::shape::{Ball, Cuboid, Cylinder, Segment, Shape};

use frame::{pose, vector};
use hull::Outline;
use mesh::Mesh;
use solid::Solid;
use spheres::Sphere;
use urdf_ik_text::names::short;

/// Shapes are no larger than this, and no farther from their link's frame \[m\].
pub const MAX_EXTENT: f64 = 1e6;
/// No size of a shape is less \[m\].
pub(crate) const MIN_SIZE: f64 = 1e-9;

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
            Self::Mesh { file, triangles, .. } => write!(f, "mesh {}, {triangles} triangles", short(file)),
        }
    }
}

/// A shape that is fixed to a link or to an obstacle.
#[derive(Clone)]
pub struct PlacedShape {
    /// What it is.
    pub geometry: Geometry,
    /// Its pose in the frame of what it is fixed to.
    pub(crate) pose: Isometry3<f64>,
    /// The pose of `core` in that frame.
    pub(crate) core_pose: Isometry3<f64>,
    pub(crate) core: Core,
}

/// What a shape is computed as.
#[derive(Clone)]
pub(crate) enum Core {
    Convex(Convex),
    Mesh(Arc<Mesh>),
}

/// A box, cylinder, sphere or capsule.
#[derive(Clone)]
pub(crate) struct Convex {
    pub shape: Arc<dyn Shape>,
    /// What is within this distance of `shape` belongs to it as well \[m\].
    pub rounding: f64,
    /// All of it.
    pub solid: Solid,
}

impl PlacedShape {
    /// The shape at `pose` in the frame of what it is fixed to. `mesh` has the triangles of [`Geometry::Mesh`]; without them that has no
    /// shape.
    pub(crate) fn new(geometry: Geometry, pose: &Isometry3<f64>, mesh: Option<Arc<Mesh>>) -> Option<Self> {
        let core = match geometry {
            Geometry::Box { size } => {
                let half = size.map(|edge| 0.5 * edge);
                convex(Cuboid::new(half.into()), 0.0, Solid::Box(half))
            }
            Geometry::Cylinder { radius, length } => {
                let half = 0.5 * length;
                convex(Cylinder::new(half, radius), 0.0, Solid::Cylinder { radius, half })
            }
            Geometry::Sphere { radius } => convex(Ball::new(radius), 0.0, Solid::Capsule { radius, half: 0.0 }),
            Geometry::Capsule { radius, length } => {
                let half = 0.5 * length;
                let end = Point::new(0.0, 0.0, half);
                convex(Segment::new(-end, end), radius, Solid::Capsule { radius, half })
            }
            Geometry::Mesh { .. } => Core::Mesh(mesh?),
        };
        let core_pose = core_pose(pose, matches!(geometry, Geometry::Cylinder { .. }));
        Some(Self { geometry, pose: *pose, core_pose, core })
    }

    /// What it is if it is no mesh.
    pub(crate) fn convex(&self) -> Option<&Convex> {
        match &self.core {
            Core::Convex(convex) => Some(convex),
            Core::Mesh(_) => None,
        }
    }

    /// A sphere around `core`, in its frame.
    pub(crate) fn sphere(&self) -> Sphere {
        match &self.core {
            Core::Convex(convex) => Sphere { centre: Point::ZERO, radius: convex.solid.radius(), surface: 0.0 },
            Core::Mesh(mesh) => mesh.spheres.all,
        }
    }

    /// A convex shape around `core`.
    pub(crate) fn outline(&self) -> Outline<'_> {
        match &self.core {
            Core::Convex(convex) => Outline::Solid(convex.solid),
            Core::Mesh(mesh) => Outline::Hull(&mesh.hull),
        }
    }

    /// Convex shapes that have together all of `core`.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Outline<'_>> + Clone {
        let (pieces, solid) = match &self.core {
            Core::Convex(convex) => (&[][..], Some(Outline::Solid(convex.solid))),
            Core::Mesh(mesh) => (&mesh.convex_pieces[..], None),
        };
        pieces.iter().map(|piece| Outline::Hull(&piece.hull)).chain(solid)
    }
}

fn convex(shape: impl Shape, rounding: f64, solid: Solid) -> Core {
    Core::Convex(Convex { shape: Arc::new(shape), rounding, solid })
}

/// The pose of the core of a shape that has this one: parry's cylinders are along y.
fn core_pose(of_shape: &Isometry3<f64>, is_cylinder: bool) -> Isometry3<f64> {
    let from_y_to_z = Pose::from_rotation(Rotation::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2));
    let mut turned = pose(of_shape);
    if is_cylinder {
        turned *= from_y_to_z;
    }
    let [x, y, z, w] = turned.rotation.to_array();
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    Isometry3::from_parts(vector(turned.translation).into(), rotation)
}
