//! Checks of numbers in a request.

use urdf_ik::nalgebra::UnitQuaternion;
use urdf_ik::segments::MAX_COORDINATE;
use urdf_ik::spatial::rotation_from;

use crate::Result;

/// The rotation of a unit quaternion (x, y, z, w).
pub fn rotation(quaternion: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    rotation_from(quaternion)
        .map_err(|_| format!("has the orientation {quaternion:?}; give a quaternion [x, y, z, w] of length 1").into())
}

/// Refuses a position \[m\] that is too far away.
pub fn check_position(position: [f64; 3]) -> Result {
    let mut named = ['x', 'y', 'z'].into_iter().zip(position);
    match named.find(|(_, value)| value.is_nan() || value.abs() > MAX_COORDINATE) {
        Some((axis, value)) => {
            Err(format!("is at {axis} = {value:?} m; give a finite number within {MAX_COORDINATE:e} m").into())
        }
        None => Ok(()),
    }
}
