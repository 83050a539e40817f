//! Checks of numbers in a request. Targets have the names of their points: the library could only number them.

use std::collections::BTreeSet;

use urdf_ik::nalgebra::UnitQuaternion;
use urdf_ik::segments::FARTHEST;
use urdf_ik::skeleton::Target;
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::spatial::rotation_from;

use super::request::TargetEntry;
use crate::Result;

/// The targets of a request in the terms of the library.
pub fn targets(model: &NamedSkeleton, entries: &[TargetEntry]) -> Result<Vec<Target>> {
    let mut points = BTreeSet::new();
    let mut target = |entry: &TargetEntry| {
        let point = model.target_point(&entry.point)?;
        let name = &entry.point;
        if !points.insert(point) {
            return Err(format!("there are two targets for '{name}'; give one").into());
        }
        let (orientation, weight) =
            check(entry, model.skeleton.is_planar()).map_err(|reason| format!("the target for '{name}' {reason}"))?;
        Ok(Target { orientation, weight, ..Target::new(point, entry.position.into()) })
    };
    entries.iter().map(&mut target).collect()
}

/// The orientation and the weight of a target, or what is wrong with it.
fn check(entry: &TargetEntry, is_planar: bool) -> Result<(Option<UnitQuaternion<f64>>, f64)> {
    check_position(entry.position)?;
    let orientation = entry.orientation.map(rotation).transpose()?;
    let is_turned = orientation.is_some_and(|rotation| rotation.i != 0.0 || rotation.j != 0.0);
    if is_planar && (entry.position[2] != 0.0 || is_turned) {
        return Err("leaves the plane; there z is 0, and rotations are about z".into());
    }
    let weight = entry.weight.unwrap_or(1.0);
    if !(1e-6..=1e6).contains(&weight) {
        return Err(format!("has the weight {weight:?}; give a number from 1e-6 to 1e6").into());
    }
    Ok((orientation, weight))
}

/// The rotation of a quaternion.
pub fn rotation(quaternion: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    rotation_from(quaternion)
        .map_err(|_| format!("has the orientation {quaternion:?}; give a quaternion [x, y, z, w] of length 1").into())
}

/// Refuses a position \[m\] that is too far away.
pub fn check_position(position: [f64; 3]) -> Result {
    let mut named = ['x', 'y', 'z'].into_iter().zip(position);
    match named.find(|(_, value)| value.is_nan() || value.abs() > FARTHEST) {
        Some((axis, value)) => {
            Err(format!("is at {axis} = {value:?} m; give a finite number within {FARTHEST:e} m").into())
        }
        None => Ok(()),
    }
}
