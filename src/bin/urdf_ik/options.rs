//! Options that several commands have.

use std::path::PathBuf;

use clap::Args;
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::{
    FabrikOptions, GREATEST_ACCELERATION, Method, SolverKind, Tolerance, UnknownAxis, free_axes_from_names,
};

use super::Failure;
use super::input::read_robot;

/// Which robot, and which chain of it.
#[derive(Args)]
pub struct RobotArguments {
    /// The robot's URDF; -: standard input
    #[arg(long, value_name = "FILE")]
    urdf: PathBuf,
    /// Base link [default: the root link]
    #[arg(long, value_name = "LINK")]
    base: Option<String>,
    /// Tip link; may be given several times [default: the only leaf link]
    #[arg(long = "tip", value_name = "LINK")]
    pub tips: Vec<String>,
}

impl RobotArguments {
    pub fn robot(&self) -> Result<Robot, Failure> {
        read_robot(&self.urdf)
    }

    pub fn chain(&self, robot: &Robot) -> Result<Chain, Failure> {
        let tips: Vec<&str> = self.tips.iter().map(String::as_str).collect();
        Ok(Chain::with_defaults(robot, self.base.as_deref(), &tips)?)
    }
}

/// How joint positions are found.
#[derive(Args)]
pub struct MethodOptions {
    /// Solver: jacobian, fabrik or closed_form
    #[arg(long, default_value_t = SolverKind::Jacobian)]
    pub solver: SolverKind,
    /// Number of earlier cycles that FABRIK combines; 0: plain cycles [default: 3]
    #[arg(long, value_name = "N")]
    fabrik_acceleration: Option<usize>,
    /// Leave out the Newton steps at the end, for solvers that have them
    #[arg(long)]
    no_polish: bool,
}

impl MethodOptions {
    /// The method with its options. Options that it does not have are refused.
    pub fn method(&self) -> Result<Method, Failure> {
        let default = FabrikOptions::default();
        if self.solver == SolverKind::Fabrik {
            let acceleration = self.fabrik_acceleration.unwrap_or(default.acceleration);
            if acceleration > GREATEST_ACCELERATION {
                return Err(
                    format!("--fabrik-acceleration is {acceleration}; the most is {GREATEST_ACCELERATION}").into()
                );
            }
            return Ok(FabrikOptions { acceleration, polish: !self.no_polish }.into());
        }
        if self.fabrik_acceleration.is_some() {
            return Err(format!("--fabrik-acceleration has no meaning for the solver {}", self.solver).into());
        }
        let reason = match self.solver {
            SolverKind::Jacobian => "which has only Newton steps",
            _ => "which uses Newton steps only where its formulas are not exact",
        };
        if self.no_polish {
            return Err(format!("--no-polish has no meaning for the solver {}, {reason}", self.solver).into());
        }
        Ok(self.solver.into())
    }
}

/// When a target counts as met.
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
    pub fn tolerance(&self) -> Tolerance {
        Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance }
    }
}

/// Which axes of a target do not count.
#[derive(Args)]
pub struct FreeAxes {
    /// Axes of the tip link's frame that need not match, separated by commas: translation along x, y, z, rotation rx, ry, rz about them
    #[arg(long, value_name = "AXES", value_delimiter = ',')]
    free_axes: Vec<String>,
}

impl FreeAxes {
    pub fn mask(&self) -> Result<[bool; 6], UnknownAxis> {
        free_axes_from_names(self.free_axes.iter().map(String::as_str))
    }
}
