//! Shapes of links and obstacles.

mod decomposition;
pub(crate) mod geometry;
pub(crate) mod hull;
pub(crate) mod mesh;
pub(crate) mod primitive;
mod simplified_hull;
pub(crate) mod spheres;
pub(crate) mod transform;

use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use parry3d_f64::math::{Pose, Rotation, Vector as Point};
use parry3d_f64::shape::{Ball, Cuboid, Cylinder, Segment, Shape};

pub use geometry::Geometry;
use hull::ConvexBound;
use mesh::Mesh;
use primitive::Primitive;
use spheres::Sphere;
use transform::{pose, vector};

/// Maximum size of a shape, and its maximum distance from the frame of its link or obstacle \[m\].
pub const MAX_EXTENT: f64 = 1e6;
/// Minimum size of a shape \[m\].
pub(crate) const MIN_SIZE: f64 = 1e-9;

/// True if a pose is finite and no farther than [`MAX_EXTENT`] from its frame.
pub(crate) fn is_near(pose: &Isometry3<f64>) -> bool {
    // Written so that NaN fails.
    pose.translation.vector.iter().chain(&pose.rotation.coords).all(|number| number.abs() <= MAX_EXTENT)
}

/// A shape fixed to a link or an obstacle.
#[derive(Clone)]
pub struct PlacedShape {
    /// The geometry.
    pub geometry: Geometry,
    /// Its pose in the frame of the link or obstacle.
    pub(crate) pose: Isometry3<f64>,
    /// The pose of `core` in that frame.
    pub(crate) core_pose: Isometry3<f64>,
    pub(crate) core: Core,
}

/// Representation of a shape in computations.
#[derive(Clone)]
pub(crate) enum Core {
    Convex(Convex),
    Mesh(Arc<Mesh>),
}

/// A box, cylinder, sphere or capsule.
#[derive(Clone)]
pub(crate) struct Convex {
    pub shape: Arc<dyn Shape>,
    /// Radius by which `shape` is inflated \[m\].
    pub rounding: f64,
    /// The whole shape as a primitive.
    pub solid: Primitive,
}

impl PlacedShape {
    /// The shape at `pose` in the frame of its link or obstacle. `mesh` has the triangles of [`Geometry::Mesh`]; `None`
    /// if they are missing.
    pub(crate) fn new(geometry: Geometry, pose: &Isometry3<f64>, mesh: Option<Arc<Mesh>>) -> Option<Self> {
        let core = match geometry {
            Geometry::Box { size } => {
                let half = size.map(|edge| 0.5 * edge);
                convex(Cuboid::new(half.into()), 0.0, Primitive::Box(half))
            }
            Geometry::Cylinder { radius, length } => {
                let half = 0.5 * length;
                convex(Cylinder::new(half, radius), 0.0, Primitive::Cylinder { radius, half })
            }
            Geometry::Sphere { radius } => convex(Ball::new(radius), 0.0, Primitive::Capsule { radius, half: 0.0 }),
            Geometry::Capsule { radius, length } => {
                let half = 0.5 * length;
                let end = Point::new(0.0, 0.0, half);
                convex(Segment::new(-end, end), radius, Primitive::Capsule { radius, half })
            }
            Geometry::Mesh { .. } => Core::Mesh(mesh?),
        };
        let core_pose = core_pose(pose, matches!(geometry, Geometry::Cylinder { .. }));
        Some(Self { geometry, pose: *pose, core_pose, core })
    }

    /// The convex core, unless it is a mesh.
    pub(crate) fn convex(&self) -> Option<&Convex> {
        if let Core::Convex(convex) = &self.core { Some(convex) } else { None }
    }

    /// A bounding sphere of `core`, in its frame.
    pub(crate) fn sphere(&self) -> Sphere {
        match &self.core {
            Core::Convex(convex) => Sphere { centre: Point::ZERO, radius: convex.solid.radius(), surface: 0.0 },
            Core::Mesh(mesh) => mesh.spheres.all,
        }
    }

    /// A convex bound of `core`.
    pub(crate) fn outline(&self) -> ConvexBound<'_> {
        match &self.core {
            Core::Convex(convex) => ConvexBound::Primitive(convex.solid),
            Core::Mesh(mesh) => ConvexBound::Hull(&mesh.hull),
        }
    }

    /// Convex bounds that together contain `core`.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = ConvexBound<'_>> + Clone {
        let (pieces, solid) = match &self.core {
            Core::Convex(convex) => (&[][..], Some(ConvexBound::Primitive(convex.solid))),
            Core::Mesh(mesh) => (&mesh.convex_pieces[..], None),
        };
        pieces.iter().map(|piece| ConvexBound::Hull(&piece.hull)).chain(solid)
    }
}

fn convex(shape: impl Shape, rounding: f64, solid: Primitive) -> Core {
    Core::Convex(Convex { shape: Arc::new(shape), rounding, solid })
}

/// The pose of the core of a shape at this pose: parry's cylinders are along y.
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
