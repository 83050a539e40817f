//! Collision geometry: the shapes of the links, the pairs of links that may collide, and the distances between them.
//!
//! ```text
//! URDF text ──▶ LinkShapes ──┬──▶ Pairs (by an SRDF, or by neighbours and samples)
//!                            └──▶ distances of pairs at LinkPlaces (the links at some joint positions)
//! ```
//!
//! Every shape counts as it is: boxes, cylinders, spheres and capsules exactly, meshes by their triangles. Lengths are in metres.

mod boxes;
mod collada;
mod collada_element;
mod collada_mesh;
mod convex_distance;
mod distance;
mod link_shapes;
mod mesh_distance;
mod mesh_file;
mod pairs;
mod places;
mod shape;
mod srdf;
mod triangles;
mod urdf_collisions;
mod xml;

pub use distance::TOUCHING;
pub use link_shapes::{CollisionsError, LinkShapes, ShapeFault};
pub use mesh_file::{MAX_MESH_BYTES, MeshError};
pub use pairs::{LeftOut, LinkPair, Pairs};
pub use places::{LinkPlaces, PlacesError};
pub use shape::{Geometry, LinkShape};
pub use srdf::{Srdf, SrdfError};
pub use triangles::MAX_TRIANGLES;
