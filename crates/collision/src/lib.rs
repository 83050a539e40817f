//! Collision geometry: the shapes of the links, the pairs of links that may collide, and the distances between them.
//!
//! ```text
//! URDF text ──▶ LinkShapes ──┬──▶ Pairs (by an SRDF, or by neighbours and samples)
//!                            └──▶ BodyDistances at LinkPlaces (the links at some joint positions)
//! ```
//!
//! Every shape counts as it is: boxes, cylinders, spheres and capsules exactly, meshes by their triangles. Lengths are in metres.
//!
//! ```
//! use urdf_ik_collision::{BodyDistances, LinkPair, LinkPlaces, LinkShapes, Pairs, World};
//! use urdf_ik_robot::{MeshFolders, Robot};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let urdf = r#"<robot name="press">
//!       <link name="plate"> <collision> <geometry> <sphere radius="0.1"/> </geometry> </collision> </link>
//!       <link name="stamp"> <collision> <geometry> <sphere radius="0.2"/> </geometry> </collision> </link>
//!       <joint name="slide" type="prismatic"> <parent link="plate"/> <child link="stamp"/> <axis xyz="1 0 0"/>
//!         <limit lower="0.4" upper="1" effort="1" velocity="1"/> </joint>
//!     </robot>"#;
//! let robot = Robot::from_urdf(urdf)?;
//! let shapes = LinkShapes::of_urdf(urdf, &robot, &MeshFolders::from_environment(None))?;
//! let pairs = Pairs { counted: vec![LinkPair([0, 1])], left_out: Vec::new(), moving: vec![1] };
//! let world = World::default();
//! let distances = BodyDistances::new(&robot, &shapes, &pairs, &world);
//! let places = LinkPlaces::new(&robot, &[0.5])?;
//! assert!((distances.least(&places).unwrap().1 - 0.2).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod body;
mod body_distances;
mod boxes;
mod collada;
mod collada_element;
mod collada_mesh;
mod convex_distance;
mod convex_piece;
mod corners;
mod decomposition;
mod depth;
mod distance;
mod distinct;
mod end_effectors;
mod floors;
mod free_check;
mod hands;
mod hull;
mod json_fields;
mod known_gaps;
mod link_shapes;
mod mesh;
mod mesh_and_solid;
mod mesh_distance;
mod mesh_file;
mod meshes;
mod motion_bounds;
mod moving_joints;
mod near_check;
mod nearness;
mod obstacle;
mod obstacle_list;
mod open_spheres;
mod pairs;
mod part;
mod places;
mod polytope;
mod region;
mod scene;
mod segment;
mod separation;
mod shape;
mod solid;
mod spheres;
mod srdf;
mod standing_contacts;
mod triangle_block;
mod triangles;
mod two_meshes;
mod urdf_collisions;
mod world;

pub use body::Body;
pub use body_distances::BodyDistances;
pub use distance::TOUCHING;
#[doc(hidden)]
pub use floors::Floors;
pub use known_gaps::KnownGaps;
pub use link_shapes::{CollisionsError, LinkShapes, ShapeFault};
pub use mesh_file::{MAX_MESH_BYTES, MeshError};
pub use near_check::Near;
pub use obstacle::{MeshTriangles, Obstacle, ObstacleError};
pub use obstacle_list::{ObstacleListError, world_from_json};
pub use pairs::{LeftOut, LinkPair, Pairs};
pub use places::{LinkPlaces, PlacesError};
pub use scene::{Clearance, Scene, SceneScratch};
pub use segment::{FreePart, Nearer, Rule, SegmentScratch, write_between};
pub use shape::{FARTHEST, Geometry, PlacedShape};
pub use srdf::{Srdf, SrdfError};
pub use standing_contacts::standing_contacts;
pub use triangles::MAX_TRIANGLES;
pub use world::{Attached, MAX_OBSTACLE_SHAPES, MAX_OBSTACLE_TRIANGLES, MAX_OBSTACLES, World, WorldError};
