//! Overrides of parameters by request fields.

use std::sync::Arc;
use std::time::Duration;

use r2r::geometry_msgs::msg::Pose;
use r2r::urdf_ik::srv::{SolveIK, SolveIKBatch, SolvePath};

use crate::messages::convert;
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_parameters::{Definition, Settings, Value};
use urdf_ik_robot::Chain;
use urdf_ik_solver::Target;
use urdf_ik_text::names::{self, short};

/// The common fields of requests. Zero and empty mean "use the parameter".
#[derive(Default)]
pub(crate) struct RequestOverrides {
    tip_link: String,
    free_axes: Vec<bool>,
    solver: String,
    pick: String,
    position_tolerance: f64,
    orientation_tolerance: f64,
    timeout: f64,
    attempts: u32,
    random_seed: u64,
    avoid_collisions: String,
    tools: Vec<Pose>,
    on_unreachable: String,
}

macro_rules! from_requests {
    ($($service:ident { $($field:ident),* })*) => {$(
        impl From<&$service::Request> for RequestOverrides {
            fn from(request: &$service::Request) -> Self {
                let mut overrides = Self::default();
                $(overrides.$field.clone_from(&request.$field);)*
                overrides
            }
        }
    )*};
}

from_requests! {
    SolveIK {
        tip_link, free_axes, solver, pick, position_tolerance, orientation_tolerance, timeout, attempts, random_seed, avoid_collisions,
        on_unreachable, tools
    }
    SolveIKBatch {
        tip_link, free_axes, solver, pick, position_tolerance, orientation_tolerance, timeout, attempts, random_seed, avoid_collisions,
        on_unreachable, tools
    }
    SolvePath { tip_link, free_axes, solver, position_tolerance, orientation_tolerance, avoid_collisions, tools }
}

impl RequestOverrides {
    /// Applies the request's values to `target` and `settings`.
    ///
    /// # Errors
    /// [`Refused`] for unknown names, and for numbers outside the bounds of their parameters.
    pub(crate) fn apply(&self, chain: &Chain, target: &mut Target, settings: &mut Settings) -> Result<(), Refused> {
        if !self.tip_link.is_empty() {
            target.tip = tip(chain, &self.tip_link)?;
        }
        if !self.solver.is_empty() {
            settings.solver = self.solver.parse().refuse_as("solver")?;
        }
        if !self.pick.is_empty() {
            settings.pick = self.pick.parse().refuse_as("pick")?;
        }
        if !self.on_unreachable.is_empty() {
            settings.on_unreachable = self.on_unreachable.parse().refuse_as("on_unreachable")?;
        }
        if self.free_axes.contains(&true) {
            target.free_axes = std::array::from_fn(|axis| self.free_axes.get(axis) == Some(&true));
        }
        settings.avoid_collisions = match &*self.avoid_collisions {
            "" => settings.avoid_collisions,
            "on" => true,
            "off" => false,
            other => return Err(neither_on_nor_off(other)),
        };
        self.apply_numbers(target, settings)
    }

    /// The robot with the tools of the request for `tips`, indices of tips, in this order; other tips keep theirs.
    ///
    /// # Errors
    /// [`Refused`] for invalid poses, or a wrong number of tools.
    pub(crate) fn with_tools(&self, loaded: &Arc<LoadedRobot>, tips: &[usize]) -> Result<Arc<LoadedRobot>, Refused> {
        if self.tools.is_empty() {
            return Ok(Arc::clone(loaded));
        }
        if self.tools.len() != tips.len() {
            let sentence = format!(
                "there are {} tools for {} tip links; tools has one entry for each, or none for the parameter tool",
                self.tools.len(),
                tips.len()
            );
            return Err(Refused::invalid("tools", sentence));
        }
        let mut tools = loaded.chain.tools();
        for (index, (&tip, tool)) in tips.iter().zip(&self.tools).enumerate() {
            let pose = convert::pose(tool).map_err(|fault| fault.of(format_args!("tools[{index}]")));
            tools[tip] = pose.refuse_as("tools")?;
        }
        // Preparing a solver for a long chain takes long.
        tokio::task::block_in_place(|| loaded.with_tools(&tools)).refuse_as("tools")
    }

    fn apply_numbers(&self, target: &mut Target, settings: &mut Settings) -> Result<(), Refused> {
        replace(&mut target.tolerance.position, Settings::position_tolerance(), self.position_tolerance)?;
        replace(&mut target.tolerance.orientation, Settings::orientation_tolerance(), self.orientation_tolerance)?;
        apply_timeout(self.timeout, settings)?;
        if self.attempts > 0 {
            in_bounds(Settings::attempts(), Value::Integer(i64::from(self.attempts)))?;
            settings.attempts = usize::try_from(self.attempts).unwrap_or(usize::MAX);
        }
        if self.random_seed > 0 {
            settings.random_seed = self.random_seed;
        }
        Ok(())
    }
}

fn neither_on_nor_off(given: &str) -> Refused {
    let given = short(given);
    let sentence =
        format!("avoid_collisions is '{given}'; it must be 'on', 'off', or empty for the parameter avoid_collisions");
    Refused::invalid("avoid_collisions", sentence)
}

/// Replaces the parameter `timeout` by `seconds` \[s\] of a request, unless 0.
pub(crate) fn apply_timeout(seconds: f64, settings: &mut Settings) -> Result<(), Refused> {
    let mut timeout = settings.timeout.as_secs_f64();
    replace(&mut timeout, Settings::timeout(), seconds)?;
    settings.timeout = Duration::from_secs_f64(timeout);
    Ok(())
}

/// Index of the tip link with that name.
///
/// # Errors
/// [`Refused`] with the names of the tip links.
pub(crate) fn tip(chain: &Chain, link: &str) -> Result<usize, Refused> {
    chain.tip_index(link).ok_or_else(|| {
        let known = names::list(&chain.tip_names());
        Refused::invalid("tip_link", format!("'{}' is not a tip link; the tip links are: {known}", short(link)))
    })
}

/// Replaces a parameter by the number `given` in a request, unless 0.
///
/// # Errors
/// [`Refused`] outside the bounds of the parameter.
pub(crate) fn replace(value: &mut f64, parameter: &Definition, given: f64) -> Result<(), Refused> {
    if given != 0.0 {
        in_bounds(parameter, Value::Double(given))?;
        *value = given;
    }
    Ok(())
}

/// Checks a request's value against the bounds of the parameter that it replaces.
fn in_bounds(parameter: &Definition, value: Value) -> Result<Value, Refused> {
    parameter.check(value).refuse_as(parameter.name)
}
