//! `urdfik.Robot`: the links and joints of a URDF.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use urdf_ik::collision::{CollisionsError, LinkShapes, MeshTriangles, Srdf};
use urdf_ik::files::MAX_URDF_BYTES;
use urdf_ik::robot::{MeshFolders, UrdfOptions};
use urdf_ik_text::names::short;

use crate::arguments::{Argument, named, read};
use crate::arrays::{NumberArray, pose_array};
use crate::path_or_text::{PathOrText, is_xml};
use crate::refused;

/// A robot with its source, and its collision shapes from their first use on.
pub struct RobotData {
    pub given: RobotSource,
    pub robot: urdf_ik::robot::Robot,
    pub srdf: Option<Srdf>,
    /// The collision shapes of the links, read on first use.
    shapes: OnceLock<Result<LinkShapes, CollisionsError>>,
}

/// The value of `__reduce__`: a function, and its arguments to restore the object.
pub type Reduced<'py, A> = (Bound<'py, PyAny>, A);

/// The source of a robot, which is also its pickled state.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct RobotSource {
    /// The text of the URDF.
    pub urdf: String,
    /// Path of the URDF, if any. Meshes are searched for around it.
    pub file: Option<PathBuf>,
    /// Folders with ROS packages, in which meshes are searched for.
    pub package_dirs: Vec<PathBuf>,
    /// The text of the SRDF, if any.
    pub srdf: Option<String>,
    /// True if the limits include the soft limits of `<safety_controller>`.
    pub soft_limits: bool,
    /// Meshes that are not in files, by their names in the URDF.
    pub meshes: BTreeMap<String, MeshTriangles>,
}

impl RobotSource {
    /// Reads the URDF and, if given, the SRDF.
    ///
    /// # Errors
    /// A `urdfik.Error` if a file cannot be read.
    pub fn read(urdf: PathOrText, UrdfArguments { package_dirs, srdf, soft_limits }: UrdfArguments) -> PyResult<Self> {
        let (urdf, file) = urdf.read(is_xml, MAX_URDF_BYTES)?;
        let srdf = srdf.map(|srdf| srdf.read(is_xml, MAX_URDF_BYTES)).transpose()?.map(|(text, _)| text);
        Ok(Self { urdf, file, package_dirs, srdf, soft_limits, meshes: BTreeMap::new() })
    }
}

/// The arguments that `Robot` and `Arm` share.
pub struct UrdfArguments {
    package_dirs: Vec<PathBuf>,
    srdf: Option<PathOrText>,
    soft_limits: bool,
}

impl UrdfArguments {
    /// Converts the arguments; omitted ones have their default values.
    ///
    /// # Errors
    /// A `urdfik.Error` that names the invalid argument.
    pub fn new<'py>(
        package_dirs: Option<Argument<'py, Vec<PathBuf>>>,
        srdf: Option<Argument<'py, PathOrText>>,
        soft_limits: Option<Argument<'py, bool>>,
    ) -> PyResult<Self> {
        Ok(Self {
            package_dirs: named(package_dirs, "package_dirs")?.unwrap_or_default(),
            srdf: named(srdf, "srdf")?,
            soft_limits: named(soft_limits, "soft_limits")?.unwrap_or_default(),
        })
    }

    /// True if all arguments have their default values.
    pub fn is_plain(&self) -> bool {
        self.package_dirs.is_empty() && self.srdf.is_none() && !self.soft_limits
    }
}

impl RobotData {
    /// Parses the URDF and, if given, the SRDF.
    ///
    /// # Errors
    /// A `urdfik.Error` if one of them is invalid.
    pub fn new(given: RobotSource) -> PyResult<Self> {
        let options = UrdfOptions { soft_limits: given.soft_limits };
        let robot = urdf_ik::robot::Robot::from_urdf_with(&given.urdf, options).map_err(|e| match &given.file {
            Some(file) => refused(format!("{}: {e}", short(&file.display().to_string()))),
            None => refused(e),
        })?;
        let srdf = given.srdf.as_deref().map(Srdf::from_text).transpose().map_err(refused)?;
        Ok(Self { given, robot, srdf, shapes: OnceLock::new() })
    }

    /// The folders in which meshes are searched for.
    pub fn mesh_folders(&self) -> MeshFolders {
        let RobotSource { file, package_dirs, .. } = &self.given;
        MeshFolders::from_environment(file.as_deref()).with_packages_in(package_dirs.iter().cloned())
    }

    /// The collision shapes of the links, read on first use.
    ///
    /// # Errors
    /// A `urdfik.Error` if the shapes in the URDF are invalid.
    pub fn shapes(&self) -> PyResult<&LinkShapes> {
        let RobotSource { urdf, meshes, .. } = &self.given;
        let read = || LinkShapes::with_meshes(urdf, &self.robot, &self.mesh_folders(), meshes);
        self.shapes.get_or_init(read).as_ref().map_err(refused)
    }

    /// One position per joint of the robot \[rad or m\]: the one in `given`, by joint name, or the neutral one. Mimic
    /// joints follow their master.
    ///
    /// # Errors
    /// A `urdfik.Error` if `given` has an unknown joint or an invalid position.
    pub fn positions(&self, given: &HashMap<String, f64>) -> PyResult<Vec<f64>> {
        let given = given.iter().map(|(name, position)| (name.as_str(), *position));
        self.robot.positions_by_name(given).map_err(refused)
    }
}

/// A robot: the links and joints of a URDF.
///
/// Parameters
/// ----------
/// urdf : str or path
///     The path of a URDF file, or the text of a URDF, which begins with ``<``.
/// package_dirs : list of paths
///     Folders of packages, in which the meshes of ``package://NAME/…`` are searched for, before the ament index and
///     the folders around the URDF file. Meshes are read only for collisions.
/// srdf : str or path, optional
///     The path or text of an SRDF, which lists the links that may touch.
/// soft_limits : bool
///     Whether the limits of the joints are also those of ``<safety_controller>``, as in MoveIt.
///
/// Raises
/// ------
/// Error
///     For a file that cannot be read, and a text that is no robot.
#[pyclass(frozen, module = "urdfik", name = "Robot")]
pub struct PyRobot(pub Arc<RobotData>);

#[pymethods]
impl PyRobot {
    #[new]
    #[pyo3(
        signature = (urdf, *, package_dirs = None, srdf = None, soft_limits = None),
        text_signature = "(urdf, *, package_dirs=(), srdf=None, soft_limits=False)"
    )]
    fn new<'py>(
        urdf: Argument<'py, PathOrText>,
        package_dirs: Option<Argument<'py, Vec<PathBuf>>>,
        srdf: Option<Argument<'py, PathOrText>>,
        soft_limits: Option<Argument<'py, bool>>,
    ) -> PyResult<Self> {
        let reading = UrdfArguments::new(package_dirs, srdf, soft_limits)?;
        Ok(Self(Arc::new(RobotData::new(RobotSource::read(urdf.named("urdf")?, reading)?)?)))
    }

    /// The robot's name in its URDF.
    #[getter]
    fn name(&self) -> &str {
        self.0.robot.name()
    }

    /// The text of the URDF.
    #[getter]
    fn urdf(&self) -> &str {
        &self.0.given.urdf
    }

    /// The root link of the kinematic tree.
    #[getter]
    fn root(&self) -> &str {
        &self.0.robot.links()[self.0.robot.root()].name
    }

    /// Names of all links, in the order of the URDF.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        self.0.robot.links().iter().map(|link| link.name.as_str()).collect()
    }

    /// Names of the links without children, in the order of the URDF.
    #[getter]
    fn leaves(&self) -> Vec<&str> {
        self.0.robot.leaves()
    }

    /// Names of the movable joints, including mimic joints, in the order of the URDF.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.0.robot.movable_names().collect()
    }

    /// A sentence for each part of the URDF that was ignored.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let robot = &self.0.robot;
        robot.warnings().iter().cloned().chain(robot.followers_beyond_limits()).collect()
    }

    /// The pose of every link, as a dict from link name to a homogeneous matrix (4, 4) [m], in the frame
    /// of the root link.
    ///
    /// Parameters
    /// ----------
    /// positions : dict of str to float, or array (j,)
    ///     Joint positions [rad or m], by name or in the order of ``joint_names``. Joints that a dict omits are
    ///     at 0, or in the middle of their range if that excludes 0. Mimic joints follow their rule, whatever is
    ///     given for them.
    #[pyo3(signature = (positions = None), text_signature = "($self, positions={})")]
    fn link_poses<'py>(&self, py: Python<'py>, positions: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let robot = &self.0.robot;
        let by_name = match positions {
            None => HashMap::new(),
            Some(positions) if positions.is_instance_of::<PyDict>() => read(positions, "positions")?,
            Some(positions) => {
                let names = self.joint_names().into_iter().map(str::to_owned);
                let meaning = ", one number for each of the robot's joint_names, or a dict";
                let positions = NumberArray::read_shaped(positions, &[names.len()], "positions", meaning)?;
                names.zip(positions).collect()
            }
        };
        let poses = PyDict::new(py);
        for (link, pose) in robot.links().iter().zip(robot.link_poses(&self.0.positions(&by_name)?)) {
            poses.set_item(&link.name, pose_array(py, &pose)?)?;
        }
        Ok(poses)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (RobotSource,)>> {
        Ok((py.import("urdfik._urdfik")?.getattr("rebuild_robot")?, (self.0.given.clone(),)))
    }

    fn __repr__(&self) -> String {
        let robot = &self.0.robot;
        format!(
            "<urdfik.Robot {}: {} links, {} joints that move>",
            short(robot.name()),
            robot.links().len(),
            robot.movable().count()
        )
    }
}

/// Restores a pickled robot.
#[pyfunction]
pub fn rebuild_robot(given: RobotSource) -> PyResult<PyRobot> {
    Ok(PyRobot(Arc::new(RobotData::new(given)?)))
}
