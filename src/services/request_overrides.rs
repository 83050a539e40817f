//! Overrides of parameters by request fields.

use std::sync::Arc;

use r2r::geometry_msgs::msg::Pose;
use r2r::urdf_ik::srv::{SolveIK, SolveIKBatch, SolvePath};

use crate::messages::convert;
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_parameters::{Definition, Setting, Settings, Value, unknown_tip};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Target, Tolerance};
use urdf_ik_text::names::short;

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
        let text = |text: &String| Value::Text(text.clone().into());
        replace(&mut settings.solver, Settings::solver(), text(&self.solver))?;
        replace(&mut settings.pick, Settings::pick(), text(&self.pick))?;
        replace(&mut settings.on_unreachable, Settings::on_unreachable(), text(&self.on_unreachable))?;
        let Tolerance { position, orientation } = &mut target.tolerance;
        replace(position, Settings::position_tolerance(), Value::Double(self.position_tolerance))?;
        replace(orientation, Settings::orientation_tolerance(), Value::Double(self.orientation_tolerance))?;
        replace(&mut settings.timeout, Settings::timeout(), Value::Double(self.timeout))?;
        replace(&mut settings.attempts, Settings::attempts(), Value::Integer(self.attempts.into()))?;
        if self.random_seed > 0 {
            settings.random_seed = self.random_seed;
        }
        if self.free_axes.contains(&true) {
            target.free_axes = std::array::from_fn(|axis| self.free_axes.get(axis) == Some(&true));
        }
        settings.avoid_collisions = match &*self.avoid_collisions {
            "" => settings.avoid_collisions,
            "on" => true,
            "off" => false,
            other => {
                let sentence = format!(
                    "avoid_collisions is '{}'; it must be 'on', 'off', or empty for the parameter avoid_collisions",
                    short(other)
                );
                return Err(Refused::invalid("avoid_collisions", sentence));
            }
        };
        Ok(())
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
}

/// Index of the tip link with that name.
///
/// # Errors
/// [`Refused`] with the names of the tip links.
pub(crate) fn tip(chain: &Chain, link: &str) -> Result<usize, Refused> {
    chain.tip_index(link).ok_or_else(|| unknown_tip(chain, link)).refuse_as("tip_link")
}

/// Replaces the `value` of a parameter by that of a request, unless empty or zero.
///
/// # Errors
/// [`Refused`] outside the bounds of the parameter.
pub(crate) fn replace<T: Setting>(value: &mut T, parameter: &Definition, given: Value) -> Result<(), Refused> {
    let is_given = match &given {
        Value::Text(text) => !text.is_empty(),
        Value::Double(number) => *number != 0.0,
        Value::Integer(number) => *number != 0,
        _ => true,
    };
    if is_given {
        *value = parameter.parse(given).refuse_as(parameter.name)?;
    }
    Ok(())
}
