//! `urdfik.Arm`: construction, properties and pickling. Its other methods are in `kinematics`, `solve`, `batch`,
//! `motion` and `servo`.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyType;

use urdf_ik_text::names::{list, short};

use crate::arguments::{Argument, ArgumentType, StringOrList, named};
use crate::arrays::{array, push_pose};
use crate::kinematics::shape_of_poses;
use crate::path_or_text::PathOrText;
use crate::poses::{from_numbers, to_numbers};
use crate::refused;
use crate::robot::{PyRobot, Reduced, RobotData, RobotSource, UrdfArguments};
use crate::shared::{ArmData, PyArm};

/// A URDF or a `Robot`.
#[derive(FromPyObject)]
enum RobotOrUrdf<'py> {
    Robot(Bound<'py, PyRobot>),
    Urdf(PathOrText),
}

impl ArgumentType for RobotOrUrdf<'_> {
    const WORDS: &'static str = "the path or the text of a URDF, or a Robot";
}

/// The pickled state of an arm: robot, tips, base and tools.
type PickledArm = (RobotSource, Vec<String>, String, Vec<[f64; 7]>);

#[pymethods]
impl PyArm {
    #[new]
    #[pyo3(
        signature = (
            robot, tip = None, base = None, *, tool = None, package_dirs = None, srdf = None, soft_limits = None
        ),
        text_signature = "(robot, tip=None, base=None, *, tool=None, package_dirs=(), srdf=None, soft_limits=False)"
    )]
    fn new<'py>(
        robot: Argument<'py, RobotOrUrdf<'py>>,
        tip: Option<Argument<'py, StringOrList>>,
        base: Option<Argument<'py, String>>,
        tool: Option<&Bound<'py, PyAny>>,
        package_dirs: Option<Argument<'py, Vec<PathBuf>>>,
        srdf: Option<Argument<'py, PathOrText>>,
        soft_limits: Option<Argument<'py, bool>>,
    ) -> PyResult<Self> {
        const MISPLACED: &str = "package_dirs, srdf and soft_limits are those of the robot: give them to Robot(…)";
        let reading = UrdfArguments::new(package_dirs, srdf, soft_limits)?;
        let robot = match robot.named("robot")? {
            RobotOrUrdf::Urdf(urdf) => Arc::new(RobotData::new(RobotSource::read(urdf, reading)?)?),
            RobotOrUrdf::Robot(robot) if reading.is_plain() => Arc::clone(&robot.get().0),
            RobotOrUrdf::Robot(_) => return Err(refused(MISPLACED)),
        };
        let tip = named(tip, "tip")?;
        let tips = tip.as_ref().map(StringOrList::as_strs).unwrap_or_default();
        Self::of_robot(robot, &tips, named(base, "base")?.as_deref(), tool)
    }

    /// Builds an arm from a compiled MuJoCo model. Joint positions are those of ``qpos``, and poses those of bodies and
    /// sites. Hinges and slides with their limits, joint equalities of the first degree, masses, and the shapes of
    /// colliding geoms are taken over. ``Arm.robot.urdf`` is the text of the resulting URDF.
    ///
    /// Bodies below ball and free joints are at their poses in ``qpos0``, and such joints cannot be part of the arm.
    /// Equalities between bodies, tendons and actuators are ignored. A World checks the pairs of bodies that MuJoCo
    /// checks, with meshes as triangles; it has no planes, height fields, ellipsoids and signed distance fields.
    ///
    /// Parameters
    /// ----------
    /// model : mujoco.MjModel
    ///     The model, for example ``mujoco.MjModel.from_xml_path("robot.xml")``.
    /// site : str, or list of str, optional
    ///     The site or sites that are tips.
    /// body : str, or list of str, optional
    ///     The body or bodies that are tips, before the sites. Default without site: as the tip of Arm.
    /// base : str, optional
    ///     The base body. Default: ``"world"``.
    /// tool : array, or dict by tip, optional
    ///     As in Arm.
    ///
    /// Returns
    /// -------
    /// Arm
    ///
    /// Raises
    /// ------
    /// Error
    ///     If the package mujoco is missing, the model has no such site or body, the arm contains a ball or free joint,
    ///     or a joint equality is not of the first degree.
    #[classmethod]
    #[pyo3(
        signature = (model, *, site = None, body = None, base = None, tool = None),
        text_signature = "($cls, model, *, site=None, body=None, base=None, tool=None)"
    )]
    fn from_mujoco<'py>(
        class: &Bound<'py, PyType>,
        model: &Bound<'py, PyAny>,
        site: Option<Argument<'py, StringOrList>>,
        body: Option<Argument<'py, StringOrList>>,
        base: Option<Argument<'py, String>>,
        tool: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let [bodies, sites] = [named(body, "body")?, named(site, "site")?];
        let [bodies, sites] =
            [&bodies, &sites].map(|names| names.as_ref().map(StringOrList::as_strs).unwrap_or_default());
        let source = class.py().import("urdfik._mujoco")?.call_method1("robot_source", (model, sites.clone()))?;
        let robot = Arc::new(RobotData::new(source.extract()?)?);
        Self::of_robot(robot, &[bodies, sites].concat(), named(base, "base")?.as_deref(), tool)
    }

    /// Returns this arm with a tool. Targets, paths, twists, forward kinematics and Jacobians then refer to the tool.
    /// A World of either arm serves both.
    ///
    /// Parameters
    /// ----------
    /// tool : array, or dict by tip
    ///     The pose of the tool in the frame of the tip link, as a pose array (see Arm). Tips that a dict omits keep
    ///     their tool.
    ///
    /// Returns
    /// -------
    /// Arm
    fn with_tool(&self, tool: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.0.with_tool(tool).map(Self)
    }

    /// The pose (4, 4) of the tool in the frame of the tip link [m], the identity without a tool; (tips, 4, 4)
    /// for several tips.
    #[getter]
    fn tool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let mut numbers = Vec::new();
        self.0.chain.tips().iter().for_each(|tip| push_pose(&tip.tool, &mut numbers));
        array(py, shape_of_poses(&self.0.chain), numbers)
    }

    /// Names of the n joints from base to tip, in the order of joint positions, without mimic joints.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.0.chain.variable_names()
    }

    /// Lower limits (n,) of the joints [rad or m]; -inf for continuous ones.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.chain.variables().iter().map(|variable| variable.domain.ends()[0]))
    }

    /// Upper limits (n,) of the joints [rad or m]; inf for continuous ones.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.chain.variables().iter().map(|variable| variable.domain.ends()[1]))
    }

    /// The middle (n,) of the joint ranges [rad or m], 0 for continuous joints: the default seed.
    #[getter]
    fn nominal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.chain.nominal_positions())
    }

    /// Names of the tip links.
    #[getter]
    fn tips(&self) -> Vec<&str> {
        self.0.chain.tip_names()
    }

    /// Name of the base link.
    #[getter]
    fn base(&self) -> &str {
        self.0.chain.base()
    }

    /// The robot that the arm is part of.
    #[getter]
    fn robot(&self) -> PyRobot {
        PyRobot(Arc::clone(&self.0.robot))
    }

    /// The index in ``joint_names`` of each name, to convert between joint orders.
    ///
    /// ``theirs = q[..., order]`` converts joint positions to the other order, ``q[..., order] = theirs``
    /// converts them back.
    ///
    /// Parameters
    /// ----------
    /// names : list of str
    ///     Names of joints of this arm.
    ///
    /// Returns
    /// -------
    /// array (len(names),) of int
    fn order<'py>(&self, py: Python<'py>, names: Argument<'py, Vec<String>>) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let names = names.named("names")?;
        let known = self.0.chain.variable_names();
        let index = |name: &String| {
            let found = known.iter().position(|known| known == name);
            found.ok_or_else(|| {
                refused(format!("the arm has no joint '{}'; its joints are: {}", short(name), list(&known)))
            })
        };
        Ok(PyArray1::from_vec(py, names.iter().map(index).collect::<PyResult<_>>()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, PickledArm>> {
        let tips = self.tips().into_iter().map(str::to_owned).collect();
        let tools = self.0.chain.tools().iter().map(to_numbers).collect();
        let state = (self.0.robot.given.clone(), tips, self.base().to_owned(), tools);
        Ok((py.import("urdfik._urdfik")?.getattr("rebuild_arm")?, state))
    }

    fn __repr__(&self) -> String {
        let chain = &self.0.chain;
        format!(
            "<urdfik.Arm {}: {} joints from {} to {}>",
            short(self.0.robot.robot.name()),
            self.0.variables(),
            short(chain.base()),
            list(&chain.tip_names())
        )
    }
}

impl PyArm {
    /// The arm between these links, the default ones if omitted, with the tools of an argument.
    fn of_robot(
        robot: Arc<RobotData>,
        tips: &[&str],
        base: Option<&str>,
        tool: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let arm = Arc::new(ArmData::new(robot, base, tips)?);
        tool.map_or_else(|| Ok(Self(Arc::clone(&arm))), |tool| arm.with_tool(tool).map(Self))
    }
}

/// Restores a pickled arm.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python")]
pub fn rebuild_arm(given: RobotSource, tips: Vec<String>, base: String, tools: Vec<[f64; 7]>) -> PyResult<PyArm> {
    let tips: Vec<&str> = tips.iter().map(String::as_str).collect();
    let tools: Vec<_> = tools.iter().map(from_numbers).collect::<PyResult<_>>()?;
    Arc::new(ArmData::new(Arc::new(RobotData::new(given)?), Some(&base), &tips)?).with_tools(&tools).map(PyArm)
}
