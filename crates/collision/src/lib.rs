//! Collision geometry: the shapes of the links, the pairs of links that may collide, and the distances between them.
//!
//! Distances come from parry without its feature `enhanced-determinism`, which would turn on `libm_force` of simba for
//! all crates and change the bits of every solution. The parts of parry in use add, multiply and take square roots,
//! which are the same on every machine.
//!
//! ```text
//! URDF text ──▶ LinkShapes ──┬──▶ Pairs (by an SRDF, or by neighbours and samples)
//!                            ├──▶ BodyDistances (exact distances at any LinkPoses)
//!                            └──▶ Scene (fast checks of configurations and motions, among obstacles of a World)
//! ```
//!
//! Boxes, cylinders, spheres and capsules are exact, meshes are sets of triangles. Lengths are in metres,
//! angles in radians.
//!
//! ```
//! use urdf_ik_collision::{BodyDistances, LinkPair, LinkPoses, LinkShapes, Pairs, World};
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
//! let pairs = Pairs { checked: vec![LinkPair([0, 1])], excluded: Vec::new(), moving: vec![1] };
//! let world = World::default();
//! let distances = BodyDistances::new(&robot, &shapes, &pairs, &world)?;
//! let places = LinkPoses::new(&robot, &[0.5])?;
//! assert!((distances.least(&places).unwrap().1 - 0.2).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod links;
mod mesh_files;
mod motion_checks;
mod narrow_phase;
mod scene;
mod shapes;
mod world;

pub use links::distances::{LinkPair, LinkPoses, LinkPosesError};
pub use links::pairs::{ExclusionReason, Pairs};
pub use links::srdf::{Srdf, SrdfError};
pub use links::{CollisionsError, LinkShapes, MissingShapes, MissingShapesError, NoShapesError, ShapeFault};
pub use mesh_files::{MAX_MESH_BYTES, MAX_TRIANGLES, MeshTriangles};
pub use motion_checks::gap_bounds::KnownGaps;
#[doc(hidden)]
pub use motion_checks::gap_bounds::RequiredGaps;
pub use motion_checks::{FreePart, MotionCheck, NearStart, SegmentScratch, interpolate_into};
pub use narrow_phase::TOUCHING;
pub use scene::exact_distances::{BodyDistances, static_contacts};
pub use scene::moving_joints::Body;
pub use scene::near::Near;
pub use scene::{Clearance, Scene, SceneError, SceneScratch};
pub use shapes::{Geometry, MAX_EXTENT, PlacedShape};
pub use world::obstacle::{Obstacle, ObstacleError};
pub use world::obstacle_list::{ObstacleListError, attach_from_json, world_from_json};
pub use world::{Attached, MAX_OBSTACLE_SHAPES, MAX_OBSTACLE_TRIANGLES, MAX_OBSTACLES, World, WorldError};
