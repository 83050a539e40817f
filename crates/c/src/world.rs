//! Worlds: an arm with its surroundings, prepared for collision checks.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use urdf_ik::collision::{
    BodyDistances, Clearance, LinkPoses, LinkShapes, MissingShapes, Pairs, Scene, SceneScratch, Srdf, World,
    attach_from_json, world_from_json,
};
use urdf_ik::robot::{Chain, MeshFolders};
use urdf_ik::solver::Solver;

use crate::arm::{UrdfIkArm, name_of};
use crate::failure::{Failure, UrdfIkStatus, c_text, guarded, guarded_or};
use crate::plain_structs::{UrdfIkPose, isometry};
use crate::pointers::{entries, exclusive, finite_positions, hand_out, optional_text, reference, take_back, text};
use crate::robot::RobotData;

/// An arm with its surroundings, prepared for collision checks: its own links, obstacles and attached parts.
/// Immutable: threads can share it.
pub struct UrdfIkWorld(pub(crate) Arc<WorldData>);

/// The content of a world.
pub(crate) struct WorldData {
    pub arm: Arc<ArmShapes>,
    world: World,
    pub scene: Scene,
    /// Names of the bodies that may collide.
    names: BTreeSet<CString>,
}

/// The parts of a world that its moved copies share: all but obstacles.
pub(crate) struct ArmShapes {
    solver: Solver,
    robot: Arc<RobotData>,
    shapes: LinkShapes,
    pairs: Pairs,
    /// Positions of all joints of the robot \[rad or m\], used for those outside the arm.
    pub rest: Vec<f64>,
    margin: f64,
    /// Sentences about shapes that could not be loaded.
    missing_shapes: Vec<CString>,
}

/// The fields of the description of a world.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Description {
    obstacles: Value,
    attached: Value,
    rest: BTreeMap<String, f64>,
    margin: f64,
    missing_shapes: String,
    package_dirs: Vec<PathBuf>,
    srdf: Option<PathBuf>,
}

impl Default for Description {
    fn default() -> Self {
        Self {
            obstacles: Value::Array(Vec::new()),
            attached: Value::Array(Vec::new()),
            rest: BTreeMap::new(),
            margin: 1e-4,
            missing_shapes: MissingShapes::Refuse.name().to_owned(),
            package_dirs: Vec::new(),
            srdf: None,
        }
    }
}

fn refused(sentence: impl std::fmt::Display) -> Failure {
    Failure::new(UrdfIkStatus::World, sentence)
}

impl WorldData {
    fn new(arm: &UrdfIkArm, description: Description) -> Result<Self, Failure> {
        let Description { obstacles, attached, rest, margin, missing_shapes, package_dirs, srdf } = description;
        let data = &arm.robot;
        if !(margin.is_finite() && margin >= 0.0) {
            return Err(refused(format!("the margin is {margin} m; it must be a finite number, 0 or more")));
        }
        let rest = rest.iter().map(|(name, position)| (name.as_str(), *position));
        let rest = data.robot.positions_by_name(rest).map_err(refused)?;
        // Mesh paths of obstacles are relative to the working directory.
        let folders = MeshFolders::from_environment(Some(Path::new("obstacles")));
        let mut world = world_from_json(&obstacles, &folders).map_err(refused)?;
        attach_from_json(&mut world, &attached, &data.robot, &folders).map_err(refused)?;
        let policy: MissingShapes = missing_shapes.parse().map_err(refused)?;
        let shapes = shapes(data, policy, package_dirs)?;
        let srdf = srdf.as_deref().map(Srdf::from_file).transpose().map_err(refused)?;
        let pairs = Pairs::of_chain(&data.robot, arm.solver.chain(), &shapes, srdf.as_ref()).map_err(refused)?;
        let missing_shapes = shapes.faults().iter().map(|fault| c_text(&fault.to_string())).collect();
        let (solver, robot) = (arm.solver.clone(), Arc::clone(data));
        Self::around(Arc::new(ArmShapes { solver, robot, shapes, pairs, rest, margin, missing_shapes }), world)
    }

    fn around(arm: Arc<ArmShapes>, world: World) -> Result<Self, Failure> {
        let ArmShapes { robot, shapes, pairs, rest, .. } = &*arm;
        let scene = Scene::new(&robot.robot, arm.chain(), shapes, pairs, &world, rest).map_err(refused)?;
        let names = scene.pairs().flatten().map(|body| c_text(body.name())).collect();
        Ok(Self { arm, world, scene, names })
    }

    /// This world with other poses of obstacles.
    fn moved(&self, poses: &[(&str, &UrdfIkPose)]) -> Result<Self, Failure> {
        let mut world = self.world.clone();
        for (id, pose) in poses {
            world.move_to(id, isometry(pose).map_err(refused)?).map_err(refused)?;
        }
        Self::around(Arc::clone(&self.arm), world)
    }

    /// Scene and margin, for an arm with the same links. Tools may differ.
    pub fn clearance(&self, robot: &Arc<RobotData>, solver: &Solver) -> Result<Clearance<'_>, Failure> {
        let (own, other) = (self.arm.chain(), solver.chain());
        let is_same = Arc::ptr_eq(&self.arm.robot, robot) && own.base() == other.base();
        if !is_same || own.tip_names() != other.tip_names() {
            return Err(refused("the world to avoid is of another arm: make one by urdf_ik_world_new() with this arm"));
        }
        Ok(self.own_clearance())
    }

    fn joint_count(&self) -> usize {
        self.arm.chain().variables().len()
    }

    /// Scene and margin.
    pub fn own_clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.arm.margin }
    }

    /// The name of a body.
    pub fn name(&self, name: &str) -> *const c_char {
        self.names.get(c_text(name).as_c_str()).map_or(ptr::null(), |name| name.as_ptr())
    }

    /// The closest pair of bodies and their distance \[m\].
    fn nearest(&self, positions: &[f64]) -> Result<Option<([*const c_char; 2], f64)>, Failure> {
        let ArmShapes { robot, shapes, pairs, rest, .. } = &*self.arm;
        let distances = BodyDistances::new(&robot.robot, shapes, pairs, &self.world).map_err(refused)?;
        let mut joints = rest.clone();
        self.arm.chain().write_into(&robot.robot, positions, &mut joints);
        let least = distances.least(&LinkPoses::new(&robot.robot, &joints).map_err(refused)?);
        Ok(least.map(|(index, distance)| {
            (distances.bodies()[index].each_ref().map(|body| self.name(body.name())), distance)
        }))
    }
}

impl ArmShapes {
    fn chain(&self) -> &Chain {
        self.solver.chain()
    }
}

/// The collision shapes of the links of a URDF.
fn shapes(data: &RobotData, policy: MissingShapes, package_dirs: Vec<PathBuf>) -> Result<LinkShapes, Failure> {
    let urdf = data.urdf.as_deref().ok_or_else(|| {
        refused("the robot has no collision shapes, because it is made of joints: read it from a URDF")
    })?;
    let folders = data.mesh_folders().with_packages_in(package_dirs);
    let shapes = LinkShapes::of_urdf(urdf, &data.robot, &folders).map_err(refused)?;
    policy.check(shapes.missing().as_ref()).map_err(refused)?;
    shapes.check_not_empty().map_err(refused)?;
    Ok(shapes)
}

/// Creates the world of `arm`. `description` is the text of a JSON object (UTF-8), or NULL for the arm alone. All its
/// fields are optional: `obstacles` and `attached`, arrays of objects as docs/collisions.md lists them; `rest`,
/// positions of joints off the arm by name [rad or m]; `margin`, the required clearance [m], 1e-4 by default;
/// `missing_shapes`, "refuse" or "ignore" for shapes of links that cannot be loaded; `package_dirs`, folders of the
/// packages of meshes; `srdf`, the path of an SRDF. Fails with URDF_IK_STATUS_WORLD if one of them is invalid, or no
/// link has a collision shape.
///
/// # Safety
/// `arm` is an arm; `description` is NULL or a null-terminated string; `world` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_new(
    arm: *const UrdfIkArm,
    description: *const c_char,
    world: *mut *mut UrdfIkWorld,
) -> UrdfIkStatus {
    guarded(|| {
        let arm = unsafe { reference(arm, "arm") }?;
        let text = unsafe { optional_text(description, "description") }?.unwrap_or("{}");
        let description = serde_json::from_str::<Map<String, Value>>(text)
            .and_then(|fields| serde_json::from_value(Value::Object(fields)))
            .map_err(|error| refused(format!("description is not the text of a JSON object of a world: {error}")))?;
        let made = UrdfIkWorld(Arc::new(WorldData::new(arm, description)?));
        unsafe { hand_out(world, made, "world") }
    })
}

/// Creates a copy of `world` with `count` obstacles at other poses in the frame of the robot's root link, named by
/// `ids`. It shares all shapes with `world`, which does not change.
///
/// # Safety
/// `world` is a world; there are `count` texts `ids` and `poses`; `moved` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_moved(
    world: *const UrdfIkWorld,
    ids: *const *const c_char,
    poses: *const UrdfIkPose,
    count: usize,
    moved: *mut *mut UrdfIkWorld,
) -> UrdfIkStatus {
    guarded(|| {
        let UrdfIkWorld(world) = unsafe { reference(world, "world") }?;
        let (ids, poses) = unsafe { (entries(ids, count, "ids")?, entries(poses, count, "poses")?) };
        let ids = ids.iter().map(|id| unsafe { text(*id, "an entry of ids") }).collect::<Result<Vec<_>, _>>()?;
        let poses: Vec<_> = ids.into_iter().zip(poses).collect();
        unsafe { hand_out(moved, UrdfIkWorld(Arc::new(world.moved(&poses)?)), "moved") }
    })
}

/// Frees a world. Servos that avoid it remain valid.
///
/// # Safety
/// `world` is NULL, or a world that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_free(world: *mut UrdfIkWorld) {
    guarded_or((), || unsafe { take_back(world) });
}

/// Writes 1 to `is_free` if all pairs of bodies that may collide are farther apart than the margin at joint positions
/// (n entries) [rad or m], otherwise 0.
///
/// # Safety
/// `world` is a world; `q` has n entries; `is_free` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_is_free(
    world: *const UrdfIkWorld,
    q: *const f64,
    is_free: *mut c_int,
) -> UrdfIkStatus {
    guarded(|| {
        let UrdfIkWorld(world) = unsafe { reference(world, "world") }?;
        let q = unsafe { finite_positions(q, world.joint_count()) }?;
        *unsafe { exclusive(is_free, "is_free") }? =
            c_int::from(world.scene.is_free(q, world.arm.margin, &mut SceneScratch::default()));
        Ok(())
    })
}

/// Writes the distance of the closest pair of bodies [m] at joint positions (n entries) [rad or m], 0 in contact, and
/// the names of both (UTF-8), valid as long as the world. Attached parts are left out. Without a pair the distance is
/// INFINITY and the names are NULL.
///
/// # Safety
/// `world` is a world; `q` has n entries; `distance` is written, and `first` and `second` unless they are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_nearest(
    world: *const UrdfIkWorld,
    q: *const f64,
    first: *mut *const c_char,
    second: *mut *const c_char,
    distance: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let UrdfIkWorld(world) = unsafe { reference(world, "world") }?;
        let nearest = world.nearest(unsafe { finite_positions(q, world.joint_count()) }?)?;
        let (names, least) = nearest.unwrap_or(([ptr::null(); 2], f64::INFINITY));
        *unsafe { exclusive(distance, "distance") }? = least;
        for (place, name) in [first, second].into_iter().zip(names) {
            if let Some(place) = unsafe { place.as_mut() } {
                *place = name;
            }
        }
        Ok(())
    })
}

/// A sentence (UTF-8) about a shape that could not be loaded and is not checked, valid as long as the world; NULL if
/// the index is out of range.
///
/// # Safety
/// `world` is NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_world_missing_shape(world: *const UrdfIkWorld, index: usize) -> *const c_char {
    unsafe { world.as_ref() }.map_or(ptr::null(), |world| name_of(&world.0.arm.missing_shapes, index))
}
