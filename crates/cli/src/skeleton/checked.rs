//! Checks of numbers in a request.

use urdf_ik::nalgebra::UnitQuaternion;
use urdf_ik::segments::MAX_COORDINATE;
use urdf_ik::spatial::rotation_from;

use crate::Result;

/// Converts a unit quaternion (x, y, z, w) to a rotation.
///
/// # Errors
/// A message if the quaternion does not have length 1.
pub fn rotation(quaternion: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    rotation_from(quaternion)
        .map_err(|_| format!("has the orientation {quaternion:?}; give a quaternion [x, y, z, w] of length 1").into())
}

/// Checks that the coordinates of a position \[m\] are numbers within [`MAX_COORDINATE`].
///
/// # Errors
/// A message that names the first coordinate beyond it.
pub fn check_position(position: [f64; 3]) -> Result {
    let mut named = ['x', 'y', 'z'].into_iter().zip(position);
    match named.find(|(_, value)| value.is_nan() || value.abs() > MAX_COORDINATE) {
        Some((axis, value)) => {
            Err(format!("is at {axis} = {value:?} m; give a finite number within {MAX_COORDINATE:e} m").into())
        }
        None => Ok(()),
    }
}
