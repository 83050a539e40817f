//! Overrides of parameters by request fields.

use std::sync::Arc;

use r2r::geometry_msgs::msg::Pose;
use r2r::urdf_ik::srv::SolveIK::Request;

use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_parameters::{Definition, Setting, Settings, Value, unknown_tip};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Target, Tolerance};
use urdf_ik_text::names::short;

/// Applies the fields that override parameters to `target` and `settings`. Zero and empty mean "use the parameter".
/// Other services copy theirs into a request of `solve_ik`.
///
/// # Errors
/// [`Refused`] for unknown names, and for numbers outside the bounds of their parameters.
pub(crate) fn apply(
    request: &Request,
    chain: &Chain,
    target: &mut Target,
    settings: &mut Settings,
) -> Result<(), Refused> {
    if !request.tip_link.is_empty() {
        target.tip = tip(chain, &request.tip_link)?;
    }
    let text = |text: &String| Value::Text(text.clone().into());
    replace(&mut settings.solver, Settings::solver(), text(&request.solver))?;
    replace(&mut settings.pick, Settings::pick(), text(&request.pick))?;
    replace(&mut settings.on_unreachable, Settings::on_unreachable(), text(&request.on_unreachable))?;
    let Tolerance { position, orientation } = &mut target.tolerance;
    replace(position, Settings::position_tolerance(), Value::Double(request.position_tolerance))?;
    replace(orientation, Settings::orientation_tolerance(), Value::Double(request.orientation_tolerance))?;
    replace(&mut settings.timeout, Settings::timeout(), Value::Double(request.timeout))?;
    replace(&mut settings.attempts, Settings::attempts(), Value::Integer(request.attempts.into()))?;
    if request.random_seed > 0 {
        settings.random_seed = request.random_seed;
    }
    if request.free_axes.contains(&true) {
        target.free_axes = std::array::from_fn(|axis| request.free_axes.get(axis) == Some(&true));
    }
    settings.avoid_collisions = match &*request.avoid_collisions {
        "" => settings.avoid_collisions,
        "on" => true,
        "off" => false,
        other => {
            return Err(refused!(
                "avoid_collisions",
                "avoid_collisions is '{}'; it must be 'on', 'off', or empty for the parameter avoid_collisions",
                short(other)
            ));
        }
    };
    Ok(())
}

/// The robot with the tools `given` in a request for `tips`, indices of tips, in this order; other tips keep theirs.
///
/// # Errors
/// [`Refused`] for invalid poses, or a wrong number of tools.
pub(crate) fn with_tools(
    given: &[Pose],
    loaded: &Arc<LoadedRobot>,
    tips: &[usize],
) -> Result<Arc<LoadedRobot>, Refused> {
    if given.is_empty() {
        return Ok(Arc::clone(loaded));
    }
    if given.len() != tips.len() {
        return Err(refused!(
            "tools",
            "there are {} tools for {} tip links; tools has one entry for each, or none for the parameter tool",
            given.len(),
            tips.len()
        ));
    }
    let mut tools = loaded.chain.tools();
    for (index, (&tip, tool)) in tips.iter().zip(given).enumerate() {
        let pose = convert::pose(tool).map_err(|fault| fault.of(format_args!("tools[{index}]")));
        tools[tip] = pose.refuse_as("tools")?;
    }
    // Preparing a solver for a long chain takes long.
    tokio::task::block_in_place(|| loaded.with_tools(&tools)).refuse_as("tools")
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
