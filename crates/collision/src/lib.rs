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

mod links;
mod malformed;
mod mesh_files;
mod narrow_phase;
mod scene;
mod shapes;
mod ways;
mod world;

pub use links::distances::{LinkPair, LinkPlaces, PlacesError};
pub use links::missing::{MissingShapes, ShapesMissing};
pub use links::pairs::{LeftOut, Pairs};
pub use links::srdf::{Srdf, SrdfError};
pub use links::{CollisionsError, LinkShapes, ShapeFault};
pub use mesh_files::{MAX_MESH_BYTES, MAX_TRIANGLES, MeshError};
pub use narrow_phase::TOUCHING;
pub use scene::exact_distances::{BodyDistances, standing_contacts};
pub use scene::moving_joints::Body;
pub use scene::near::Near;
pub use scene::{Clearance, Scene, SceneScratch};
pub use shapes::{Geometry, MAX_EXTENT, PlacedShape};
pub use ways::kept_gaps::KnownGaps;
#[doc(hidden)]
pub use ways::kept_gaps::RequiredGaps;
pub use ways::{FreePart, Nearer, Rule, SegmentScratch, write_between};
pub use world::obstacle::{MeshTriangles, Obstacle, ObstacleError};
pub use world::obstacle_list::{ObstacleListError, world_from_json};
pub use world::{Attached, MAX_OBSTACLE_SHAPES, MAX_OBSTACLE_TRIANGLES, MAX_OBSTACLES, World, WorldError};
