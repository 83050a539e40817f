//! Kinds of shapes, their names and sizes.

use std::fmt;
use std::slice::from_ref;

use urdf_ik_text::Malformed;
use urdf_ik_text::names::short;

/// The primitives by name, for errors about unknown kinds.
pub(crate) const PRIMITIVES: &str = "box, sphere, cylinder, capsule";

/// Sizes of a primitive by name, in a URDF or a list of obstacles.
pub(crate) trait Sizes {
    /// A length \[m\].
    ///
    /// # Errors
    /// [`Malformed`] if it is missing or invalid.
    fn length(&mut self, name: &'static str) -> Result<f64, Malformed>;

    /// Three lengths \[m\].
    ///
    /// # Errors
    /// [`Malformed`] if they are missing or invalid.
    fn lengths(&mut self, name: &'static str) -> Result<[f64; 3], Malformed>;
}

/// The geometry of a shape. Lengths are in \[m\]; cylinders and capsules are along z.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A box centred at the origin.
    Box {
        /// Edge lengths along x, y and z \[m\].
        size: [f64; 3],
    },
    /// A cylinder centred at the origin.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Length along z \[m\].
        length: f64,
    },
    /// A sphere centred at the origin.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// A cylinder capped by two hemispheres, centred at the origin.
    Capsule {
        /// Radius of cylinder and hemispheres \[m\].
        radius: f64,
        /// Length of the cylindrical part along z \[m\].
        length: f64,
    },
    /// A triangle mesh. It is a surface: a body entirely inside it is not in contact.
    Mesh {
        /// File name as in the URDF.
        file: String,
        /// Scale factors along x, y and z (dimensionless).
        scale: [f64; 3],
        /// Number of triangles.
        triangles: usize,
    },
}

impl Geometry {
    /// Kind of the geometry in one word, such as `box`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Mesh { .. } => "mesh",
        }
    }

    /// The primitive of this kind; `None` for any other kind.
    ///
    /// # Errors
    /// [`Malformed`] if `sizes` has no valid size of that name.
    pub(crate) fn primitive(kind: &str, sizes: &mut impl Sizes) -> Result<Option<Self>, Malformed> {
        Ok(Some(match kind {
            "box" => Self::Box { size: sizes.lengths("size")? },
            "sphere" => Self::Sphere { radius: sizes.length("radius")? },
            "cylinder" => Self::Cylinder { radius: sizes.length("radius")?, length: sizes.length("length")? },
            "capsule" => Self::Capsule { radius: sizes.length("radius")?, length: sizes.length("length")? },
            _ => return Ok(None),
        }))
    }

    /// The dimensions \[m\] of a primitive, with their names in a URDF and in a list of obstacles; empty for a mesh.
    pub fn sizes(&self) -> Vec<(&'static str, &[f64])> {
        match self {
            Self::Box { size } => vec![("size", size)],
            Self::Sphere { radius } => vec![("radius", from_ref(radius))],
            Self::Cylinder { radius, length } | Self::Capsule { radius, length } => {
                vec![("radius", from_ref(radius)), ("length", from_ref(length))]
            }
            Self::Mesh { .. } => Vec::new(),
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
