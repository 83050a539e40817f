//! The URDF of a skeleton of hinges and fixed segments.
//!
//! The joint of a segment has the segment's name, and is at 0 at rest. Its child is a link NAME_link, whose frame is
//! at the joint, with x along the segment. Each point has a link of its name, with the orientation of the segment
//! that ends there. The root link, `world`, is the frame of the points.

use std::collections::BTreeSet;

use urdf_ik::nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use urdf_ik::robot::Robot;
use urdf_ik::robot::xml::Writer;
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::skeleton::{Joint, Limit, Range};

use crate::Result;

/// The text of a URDF of a skeleton. `root` is the pose of its root \[m\] in the link `world`.
///
/// # Errors
/// A message if a name is blank, a joint is neither a hinge nor fixed, or the result is not a valid robot.
pub fn urdf(model: &NamedSkeleton, root: &Isometry3<f64>) -> Result<String> {
    let points = &model.points;
    if points.iter().chain([&model.name]).any(|name| name.trim().is_empty()) {
        return Err("the figure, its root or a segment has a blank name, which ROS does not take; give it one".into());
    }
    let mut names = UniqueNames(points.iter().cloned().collect());
    let world = names.add("world");
    let mut out = Writer::for_people();
    out.open("robot", [("name", model.name.clone())]);
    out.empty("link", [("name", world.clone())]);
    write_joint(&mut out, &names.add("world_joint"), &world, &points[0], root, None);
    for (index, hinge) in model.hinges()?.iter().enumerate() {
        let Some(segment) = model.skeleton.segment(index) else { continue };
        let (name, begin) = (&points[index + 1], &points[segment.parent]);
        let body = names.add(&format!("{name}_link"));
        let rest = Isometry3::from_parts(Translation3::identity(), segment.joint.rest);
        write_joint(&mut out, name, begin, &body, &rest, hinge.as_ref());
        let end = Isometry3::translation(segment.length, 0.0, 0.0);
        write_joint(&mut out, &names.add(&format!("{name}_end")), &body, name, &end, None);
    }
    out.close("robot");
    let text = out.finish() + "\n";
    Robot::from_urdf(&text).map_err(|e| format!("the figure is no robot: {e}"))?;
    Ok(text)
}

/// Names in use.
struct UniqueNames(BTreeSet<String>);

impl UniqueNames {
    /// Adds `name`, followed by underscores until it is unique.
    fn add(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Writes a joint at `origin` of its parent, and its child link. Without a hinge the joint is fixed.
fn write_joint(
    out: &mut Writer,
    name: &str,
    parent: &str,
    child: &str,
    origin: &Isometry3<f64>,
    hinge: Option<&Joint>,
) {
    let turn =
        hinge.and_then(|joint| if let Limit::Hinge { axis, angle } = joint.limit { Some((axis, angle)) } else { None });
    let kind = match turn {
        None => "fixed",
        Some((_, Range::ALL)) => "continuous",
        Some(_) => "revolute",
    };
    out.empty("link", [("name", child.to_owned())]);
    out.open("joint", [("name", name.to_owned()), ("type", kind.to_owned())]);
    out.empty("parent", [("link", parent.to_owned())]);
    out.empty("child", [("link", child.to_owned())]);
    let (xyz, rpy) = (origin.translation.vector.into(), roll_pitch_yaw(&origin.rotation));
    out.empty("origin", [("xyz", numbers(xyz)), ("rpy", numbers(rpy))]);
    if let Some((axis, angle)) = turn {
        out.empty("axis", [("xyz", numbers(axis.into()))]);
        out.limit((kind == "revolute").then_some([angle.lower, angle.upper]));
    }
    out.close("joint");
}

/// The numbers as text, without negative zeros.
fn numbers(numbers: [f64; 3]) -> String {
    numbers.map(|number| format!("{:?}", number + 0.0)).join(" ")
}

/// Roll, pitch and yaw of URDF. Each angle is found after the previous one is undone, which loses no digits near
/// a pitch of ±90°.
fn roll_pitch_yaw(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| rotation * axis);
    let yaw = x.y.atan2(x.x);
    let (sine, cosine) = yaw.sin_cos();
    let pitch = (-x.z).atan2(cosine * x.x + sine * x.y);
    let roll = (sine * z.x - cosine * z.y).atan2(cosine * y.y - sine * y.x);
    [roll, pitch, yaw]
}
