//! MoveIt's constraints as goals.

use std::f64::consts::FRAC_PI_2;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::moveit_msgs::msg::{
    Constraints, JointConstraint, OrientationConstraint, PositionConstraint, VisibilityConstraint,
};
use r2r::shape_msgs::msg::SolidPrimitive;
use serde_json::{Value, json};

use crate::messages::convert;
use crate::reports::{Fault, RefuseAs, Refused, fault};
use crate::ros::constants;
use urdf_ik_text::names::number;

constants! { u8: SolidPrimitive { BOX, SPHERE } }
constants! { u8: OrientationConstraint { XYZ_EULER_ANGLES, ROTATION_VECTOR } }

/// Axes of the sensor frame along which a sensor may look, by the code `sensor_view_direction`: z, y, x.
const VIEW_AXES: [usize; 3] = [2, 1, 0];

/// The goals of constraints. `base` is the base link, the frame of constraints without one.
///
/// # Errors
/// [`Refused`] with the name of a constraint that is invalid or not supported.
pub(super) fn goals(constraints: &Constraints, base: &str) -> Result<Vec<Value>, Refused> {
    let mut goals = Vec::new();
    add(&mut goals, "joint_constraints", &constraints.joint_constraints, joint)?;
    add(&mut goals, "position_constraints", &constraints.position_constraints, position)?;
    add(&mut goals, "orientation_constraints", &constraints.orientation_constraints, orientation)?;
    let visibility = |constraint: &_| visibility(constraint, base);
    add(&mut goals, "visibility_constraints", &constraints.visibility_constraints, visibility)?;
    Ok(goals)
}

/// Adds the goals of a list of constraints.
fn add<T>(
    goals: &mut Vec<Value>,
    list: &str,
    constraints: &[T],
    convert: impl Fn(&T) -> Result<Vec<Value>, Fault>,
) -> Result<(), Refused> {
    for (index, constraint) in constraints.iter().enumerate() {
        let name = format!("{list}[{index}]");
        let objects = convert(constraint).map_err(|fault| fault.of(format_args!("constraints.{name}")));
        for mut object in objects.refuse_as("constraints")? {
            object["name"] = json!(name);
            goals.push(object);
        }
    }
    Ok(())
}

fn joint(constraint: &JointConstraint) -> Result<Vec<Value>, Fault> {
    let position = finite("position", constraint.position)?;
    Ok(vec![json!({
        "type": "joints",
        "coefficients": { (constraint.joint_name.as_str()): 1.0 },
        "lower": position - tolerance("tolerance_below", constraint.tolerance_below)?,
        "upper": position + tolerance("tolerance_above", constraint.tolerance_above)?,
        "weight": weight(constraint.weight)?,
    })])
}

fn position(constraint: &PositionConstraint) -> Result<Vec<Value>, Fault> {
    let region = &constraint.constraint_region;
    let ([primitive], [pose], []) = (&*region.primitives, &*region.primitive_poses, &*region.meshes) else {
        return Err(fault!(
            "constraint_region has {} primitives, {} primitive_poses and {} meshes; it must be one box or sphere with its \
             pose",
            region.primitives.len(),
            region.primitive_poses.len(),
            region.meshes.len()
        ));
    };
    let pose = convert::pose(pose).map_err(|fault| fault.of("primitive_poses[0]"))?;
    let offset = &constraint.target_point_offset;
    let mut goal = json!({
        "link": constraint.link_name,
        "point": [offset.x, offset.y, offset.z],
        "frame": constraint.header.frame_id,
        "p": pose.translation.vector.as_slice(),
        "weight": weight(constraint.weight)?,
    });
    match (primitive.type_, &*primitive.dimensions) {
        (BOX, &[x, y, z]) => {
            let mut half = [0.0; 3];
            for (half, edge) in half.iter_mut().zip([x, y, z]) {
                *half = 0.5 * tolerance("an edge of the box", edge)?;
            }
            goal["type"] = json!("position");
            goal["q_xyzw"] = json!(pose.rotation.coords.as_slice());
            (goal["lower"], goal["upper"]) = (json!(half.map(|half| -half)), json!(half));
        }
        (SPHERE, &[radius]) => {
            goal["type"] = json!("distance");
            goal["upper"] = json!(tolerance("the radius of the sphere", radius)?);
        }
        (kind, dimensions) => {
            return Err(fault!(
                "the primitive has type {kind} and {} dimensions; it must be a BOX with 3 or a SPHERE with 1",
                dimensions.len()
            ));
        }
    }
    Ok(vec![goal])
}

fn orientation(constraint: &OrientationConstraint) -> Result<Vec<Value>, Fault> {
    let q = &constraint.orientation;
    let tolerances = [
        tolerance("absolute_x_axis_tolerance", constraint.absolute_x_axis_tolerance)?,
        tolerance("absolute_y_axis_tolerance", constraint.absolute_y_axis_tolerance)?,
        tolerance("absolute_z_axis_tolerance", constraint.absolute_z_axis_tolerance)?,
    ];
    let mut goal = json!({
        "type": "orientation",
        "link": constraint.link_name,
        "frame": constraint.header.frame_id,
        "q_xyzw": [q.x, q.y, q.z, q.w],
        "lower": tolerances.map(|tolerance| -tolerance),
        "upper": tolerances,
        "weight": weight(constraint.weight)?,
    });
    match constraint.parameterization {
        XYZ_EULER_ANGLES => goal["parameterization"] = json!("xyz_euler"),
        // As in MoveIt, along the axes of the frame.
        ROTATION_VECTOR => goal["axes"] = json!("frame"),
        code => return Err(fault!("there is no parameterization {code}: 0 is XYZ_EULER_ANGLES, 1 ROTATION_VECTOR")),
    }
    Ok(vec![goal])
}

/// The view angle is that between the sensor's axis and the reverse of the target's z axis, the range angle that
/// between the sensor's axis and the line to the target. As in MoveIt, a target behind the sensor is not visible, and
/// an angle of 0 means none.
fn visibility(constraint: &VisibilityConstraint, base: &str) -> Result<Vec<Value>, Fault> {
    if constraint.target_radius != 0.0 {
        return Err(fault!(
            "target_radius is {}, but whether something hides the target is not checked: set it to 0",
            number(constraint.target_radius)
        ));
    }
    let code = constraint.sensor_view_direction;
    let axis = VIEW_AXES.get(usize::from(code));
    let axis = *axis.ok_or_else(|| fault!("there is no sensor_view_direction {code}: it must be 0, 1 or 2"))?;
    let (sensor_frame, sensor) = placed("sensor_pose", &constraint.sensor_pose, base)?;
    let (target_frame, target) = placed("target_pose", &constraint.target_pose, base)?;
    let column =
        |pose: &Isometry3<f64>, axis: usize| pose.rotation.to_rotation_matrix().matrix().column(axis).into_owned();
    let (axis, weight) = (column(&sensor, axis), weight(constraint.weight)?);
    let cone = json!({
        "type": "cone",
        "link": sensor_frame,
        "axis": axis.as_slice(),
        "frame": target_frame,
        "direction": (-column(&target, 2)).as_slice(),
        "angle": tolerance("max_view_angle", constraint.max_view_angle)?.min(FRAC_PI_2),
        "weight": weight,
    });
    let gaze = json!({
        "type": "gaze",
        "link": sensor_frame,
        "axis": axis.as_slice(),
        "frame": target_frame,
        "point": sensor.translation.vector.as_slice(),
        "p": target.translation.vector.as_slice(),
        "angle": tolerance("max_range_angle", constraint.max_range_angle)?.min(FRAC_PI_2),
        "weight": weight,
    });
    let goals: Vec<Value> = [cone, gaze].into_iter().filter(|goal| goal["angle"] != 0.0).collect();
    if goals.is_empty() {
        return Err(Fault::new("max_view_angle and max_range_angle are 0: one of them must be positive"));
    }
    Ok(goals)
}

/// The frame and the pose of a message.
fn placed<'a>(field: &str, stamped: &'a PoseStamped, base: &'a str) -> Result<(&'a str, Isometry3<f64>), Fault> {
    let frame = match &*stamped.header.frame_id {
        "" => base,
        frame => frame,
    };
    Ok((frame, convert::pose(&stamped.pose).map_err(|fault| fault.of(field))?))
}

/// The weight of a constraint. As in MoveIt, 0 means 1.
fn weight(weight: f64) -> Result<f64, Fault> {
    if weight == 0.0 { Ok(1.0) } else { finite("weight", weight) }
}

fn finite(field: &str, value: f64) -> Result<f64, Fault> {
    if value.is_finite() { Ok(value) } else { Err(fault!("{field} is {value}; it must be a finite number")) }
}

/// A distance from the middle of an interval, infinite for no bound. Checked here because JSON has no NaN.
fn tolerance(field: &str, value: f64) -> Result<f64, Fault> {
    if value >= 0.0 { Ok(value) } else { Err(fault!("{field} is {}; it must be 0 or more", number(value))) }
}
