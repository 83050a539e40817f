//! Options of several commands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use nalgebra::{Isometry3, Translation3};
use serde::Deserialize;
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::{
    AxisNameError, FabrikOptions, JacobianStep, MAX_ACCELERATION, Method, SolverKind, Tolerance, free_axes_from_names,
};
use urdf_ik::spatial::{NotARotation, rotation_from};

use super::Result;
use super::input::RobotFile;

/// A robot and a chain of it.
#[derive(Args)]
pub struct RobotArguments {
    #[command(flatten)]
    pub file: RobotFile,
    /// Base link [default: the root link]
    #[arg(long, value_name = "LINK")]
    base: Option<String>,
    /// Tip link; may be given several times [default: the only leaf link that moves]
    #[arg(long = "tip", value_name = "LINK")]
    pub tips: Vec<String>,
    /// Pose of the tool in the tip link's frame: position [m] and quaternion; with several --tip once for each, in
    /// their order. The tip is the tool then, in targets, paths and reach
    #[arg(long, num_args = 7, allow_hyphen_values = true, value_names = ["X", "Y", "Z", "QX", "QY", "QZ", "QW"])]
    tool: Vec<f64>,
}

impl RobotArguments {
    /// True if the chain is unique: tips are named, or there is only one movable leaf link.
    pub fn has_chain(&self, robot: &Robot) -> bool {
        !self.tips.is_empty() || self.default_tips(robot).len() == 1
    }

    /// The names of the leaf links that may be the default tip.
    pub fn default_tips<'r>(&self, robot: &'r Robot) -> Vec<&'r str> {
        Chain::default_tips(robot, self.base.as_deref())
    }

    /// The chain from the base link to the tips, with their tools.
    ///
    /// # Errors
    /// A message if a link is unknown, the tips do not form a chain with the base, or a tool is not a pose.
    pub fn chain(&self, robot: &Robot) -> Result<Chain> {
        let tips: Vec<&str> = self.tips.iter().map(String::as_str).collect();
        let chain = Chain::with_defaults(robot, self.base.as_deref(), &tips)?;
        if self.tool.is_empty() {
            return Ok(chain);
        }
        let tools = poses_of(&self.tool).map_err(|e| format!("--tool: {e}"))?;
        Ok(chain.with_tools(&tools).map_err(|e| format!("--tool: {e}"))?)
    }
}

/// Converts numbers to poses, seven to each: position (x, y, z) \[m\], then quaternion (x, y, z, w).
///
/// # Errors
/// [`NotARotation`] if a quaternion does not have length 1.
pub fn poses_of(numbers: &[f64]) -> Result<Vec<Isometry3<f64>>, NotARotation> {
    let pose = |n: &[f64]| {
        Ok(Isometry3::from_parts(Translation3::new(n[0], n[1], n[2]), rotation_from([n[3], n[4], n[5], n[6]])?))
    };
    numbers.chunks_exact(7).map(pose).collect()
}

/// The solver and its options.
#[derive(Args)]
pub struct MethodOptions {
    /// Solver: jacobian, fabrik or closed_form
    #[arg(long, default_value_t = SolverKind::Jacobian)]
    pub solver: SolverKind,
    /// Step of the solver jacobian: damped least squares, or the Moore-Penrose pseudoinverse [default: damped]
    #[arg(long, value_enum, value_name = "METHOD")]
    jacobian_method: Option<StepMethod>,
    /// Damping factor of damped least squares; 0: it adapts to the error [default: 0]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    jacobian_damping: Option<f64>,
    /// Number of earlier cycles that the solver fabrik combines; 0: plain cycles [default: 3]
    #[arg(long, value_name = "N")]
    fabrik_acceleration: Option<usize>,
    /// Leave out the Newton steps at the end, for solvers that have them
    #[arg(long)]
    no_polish: bool,
}

/// Step of a solver with a Jacobian.
#[derive(Clone, Copy, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum StepMethod {
    Damped,
    Pseudoinverse,
}

impl MethodOptions {
    /// The method with its options.
    ///
    /// # Errors
    /// A message if an option is invalid, or belongs to another method.
    pub fn method(&self) -> Result<Method> {
        let for_jacobian = self.solver == SolverKind::Jacobian;
        let for_fabrik = self.solver == SolverKind::Fabrik;
        for (option, is_given, has_meaning) in [
            ("--jacobian-method", self.jacobian_method.is_some(), for_jacobian),
            ("--jacobian-damping", self.jacobian_damping.is_some(), for_jacobian),
            ("--fabrik-acceleration", self.fabrik_acceleration.is_some(), for_fabrik),
            ("--no-polish", self.no_polish, for_fabrik),
        ] {
            if is_given && !has_meaning {
                return Err(format!("{option} has no meaning for the solver {}", self.solver).into());
            }
        }
        match self.solver {
            SolverKind::Jacobian => Ok(self.jacobian_step()?.into()),
            SolverKind::Fabrik => Ok(self.fabrik_options()?.into()),
            other => Ok(other.into()),
        }
    }

    fn jacobian_step(&self) -> Result<JacobianStep> {
        match (self.jacobian_method.unwrap_or(StepMethod::Damped), self.jacobian_damping) {
            (StepMethod::Damped, None | Some(0.0)) => Ok(JacobianStep::default()),
            (StepMethod::Damped, Some(damping)) if damping.is_finite() && damping > 0.0 => {
                Ok(JacobianStep::Damped { damping: Some(damping) })
            }
            (StepMethod::Damped, Some(damping)) => {
                Err(format!("--jacobian-damping is {damping:?}; it must be a finite number, 0 or more").into())
            }
            (StepMethod::Pseudoinverse, None) => Ok(JacobianStep::Pseudoinverse),
            (StepMethod::Pseudoinverse, Some(_)) => {
                Err("--jacobian-damping has no meaning for the method pseudoinverse".into())
            }
        }
    }

    fn fabrik_options(&self) -> Result<FabrikOptions> {
        let acceleration = self.fabrik_acceleration.unwrap_or(FabrikOptions::default().acceleration);
        if acceleration > MAX_ACCELERATION {
            return Err(format!("--fabrik-acceleration is {acceleration}; the most is {MAX_ACCELERATION}").into());
        }
        Ok(FabrikOptions::new(acceleration, !self.no_polish))
    }
}

/// Tolerances of targets.
#[derive(Args)]
pub struct ToleranceOptions {
    /// Greatest distance from the target [m]
    #[arg(long, value_name = "M", default_value_t = Tolerance::default().position, allow_negative_numbers = true)]
    position_tolerance: f64,
    /// Greatest angle from the target [rad]
    #[arg(long, value_name = "RAD", default_value_t = Tolerance::default().orientation, allow_negative_numbers = true)]
    orientation_tolerance: f64,
}

impl ToleranceOptions {
    /// The tolerances of position \[m\] and orientation \[rad\].
    pub fn tolerance(&self) -> Tolerance {
        Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance }
    }
}

/// Free axes of targets.
#[derive(Args)]
pub struct FreeAxes {
    /// Axes of the tip link's frame that need not match, separated by commas: translation along x, y, z, rotation rx,
    /// ry, rz about them
    #[arg(long, value_name = "AXES", value_delimiter = ',')]
    free_axes: Vec<String>,
}

impl FreeAxes {
    /// True for each free axis, in the order x, y, z, rx, ry, rz of the tip link's frame.
    ///
    /// # Errors
    /// [`AxisNameError`] for an unknown name.
    pub fn mask(&self) -> Result<[bool; 6], AxisNameError> {
        free_axes_from_names(self.free_axes.iter().map(String::as_str))
    }
}

/// A robot and configurations of all its joints.
#[derive(Args)]
pub struct ConfigurationArguments {
    #[command(flatten)]
    pub robot: RobotFile,
    /// JSON: a list of {joint: position}; joints that are not named are at 0, mimic joints follow their master
    #[arg(long, value_name = "FILE.json")]
    pub positions: PathBuf,
}
