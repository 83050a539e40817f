//! Rotations, poses and their differences.
//!
//! Rotation vectors are the logarithm of a rotation: its axis times its angle in \[0, π\]. Six-vectors are linear first
//! \[m\], then angular \[rad\].

use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3, Vector6};
use thiserror::Error;

use urdf_ik_text::names::number;

/// Largest deviation of an input rotation: of the norm of a quaternion, of the column norms of a matrix, and of the
/// cosines between its columns. It admits half precision and two decimal digits.
const UNIT_TOLERANCE: f64 = 0.02;
/// Deviation of the column products of a matrix from those of a rotation that counts as rounding.
const ORTHONORMAL: f64 = 1e-12;

/// A quaternion whose norm is not 1.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "the orientation quaternion (x {}, y {}, z {}, w {}) has the length {}; it must be 1 within {UNIT_TOLERANCE}",
    number(.0.i),
    number(.0.j),
    number(.0.k),
    number(.0.w),
    number(.0.norm())
)]
pub struct NotARotation(
    /// The rejected quaternion.
    pub Quaternion<f64>,
);

/// True if the norm of a quaternion is 1 within `tolerance`; false for NaN.
pub fn is_unit(quaternion: &Quaternion<f64>, tolerance: f64) -> bool {
    (quaternion.norm() - 1.0).abs() <= tolerance
}

/// Validates and normalises an input quaternion (x, y, z, w).
///
/// # Errors
/// [`NotARotation`] if its norm differs from 1 by more than 0.02, or is not finite.
pub fn rotation_from([x, y, z, w]: [f64; 4]) -> Result<UnitQuaternion<f64>, NotARotation> {
    let quaternion = Quaternion::new(w, x, y, z);
    if is_unit(&quaternion, UNIT_TOLERANCE) {
        Ok(UnitQuaternion::new_normalize(quaternion))
    } else {
        Err(NotARotation(quaternion))
    }
}

/// Reason why a homogeneous matrix is not a pose.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum NotAPose {
    /// The last row, which differs from 0, 0, 0, 1.
    #[error("the last row of the 4×4 pose is ({}); it must be 0, 0, 0, 1", .0.map(number).join(", "))]
    LastRow([f64; 4]),
    /// The upper left 3×3 block is not orthonormal: the maximum deviation of the column norms from 1, and of the
    /// products of two columns from 0.
    #[error(
        "the upper left 3×3 of the pose is not a rotation: the lengths of its columns differ from 1, or their products from 0, by {}, and \
         {UNIT_TOLERANCE} is allowed",
        number(*.0)
    )]
    Skewed(f64),
    /// The upper left 3×3 block has determinant −1: a reflection.
    #[error("the upper left 3×3 of the pose is a reflection: its determinant is -1, and that of a rotation is 1")]
    Mirrored,
}

/// Converts a row-major homogeneous matrix to a pose: rotation in the upper left 3×3 block, position \[m\] in the
/// last column. The rotation is replaced by the nearest orthonormal one.
///
/// # Errors
/// [`NotAPose`] if the last row is not 0, 0, 0, 1, if the rotation is not orthonormal within 0.02, or if it is a
/// reflection.
pub fn pose_from_matrix(rows: &[[f64; 4]; 4]) -> Result<Isometry3<f64>, NotAPose> {
    let [.., last] = *rows;
    if last != [0.0, 0.0, 0.0, 1.0] {
        return Err(NotAPose::LastRow(last));
    }
    let matrix = Matrix3::from_fn(|row, column| rows[row][column]);
    let products = matrix.transpose() * matrix;
    let difference = Matrix3::from_fn(|i, j| if i == j { products[(i, i)].sqrt() - 1.0 } else { products[(i, j)] });
    let difference = greatest(&difference);
    if difference.is_nan() || difference > UNIT_TOLERANCE {
        return Err(NotAPose::Skewed(difference));
    }
    if matrix.determinant() < 0.0 {
        return Err(NotAPose::Mirrored);
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(orthonormalised(matrix)));
    let position = Translation3::new(rows[0][3], rows[1][3], rows[2][3]);
    Ok(Isometry3::from_parts(position, UnitQuaternion::new_normalize(rotation.into_inner())))
}

/// The rotation nearest to an almost orthonormal matrix, by the Newton-Schulz iteration for the polar decomposition
/// (Higham 2008, "Functions of Matrices", chapter 8), which converges quadratically. An exact rotation keeps its
/// bits.
fn orthonormalised(mut matrix: Matrix3<f64>) -> Matrix3<f64> {
    loop {
        let difference = matrix.transpose() * matrix - Matrix3::identity();
        if greatest(&difference) <= ORTHONORMAL {
            return matrix;
        }
        matrix -= matrix * difference * 0.5;
    }
}

/// The greatest magnitude of the entries; NaN if one is NaN.
fn greatest(matrix: &Matrix3<f64>) -> f64 {
    // In the total order NaN is the greatest.
    matrix.abs().iter().copied().max_by(f64::total_cmp).unwrap_or_default()
}

/// The pose of `target` relative to `current` as a six-vector \[m, rad\] in the frame of `current`: the position of
/// `target`, then the rotation vector. Both poses are in one common frame.
///
/// To first order it is the body twist of `current` that reaches `target` in unit time.
pub fn pose_difference(current: &Isometry3<f64>, target: &Isometry3<f64>) -> Vector6<f64> {
    let relative = current.inv_mul(target);
    stacked(&relative.translation.vector, &rotation_vector(&relative.rotation))
}

/// The motion from one pose to another along the axes of their common frame: translation \[m\], then the rotation
/// vector \[rad\] of the shortest rotation.
pub fn motion_between(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Vector6<f64> {
    let turn = rotation_vector(&(to.rotation * from.rotation.inverse()));
    stacked(&(to.translation.vector - from.translation.vector), &turn)
}

/// Rotates the linear and the angular part of a six-vector.
pub fn turned(rotation: &UnitQuaternion<f64>, six: &Vector6<f64>) -> Vector6<f64> {
    let [linear, angular] = [0, 3].map(|row| rotation * six.fixed_rows::<3>(row).into_owned());
    stacked(&linear, &angular)
}

/// The logarithm of a rotation: axis times angle \[rad\], with the angle in \[0, π\].
pub fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let vector = rotation.imag();
    // Of the two quaternions of a rotation, the one with a positive scalar part has the smaller angle.
    let (sign, scalar) = if rotation.w < 0.0 { (-1.0, -rotation.w) } else { (1.0, rotation.w) };
    let sine = vector.norm();
    // angle / sine -> 2 as both vanish; below this sine the quotient differs from it by less than rounding.
    let factor = if sine < 1e-10 { 2.0 } else { 2.0 * sine.atan2(scalar) / sine };
    vector * (sign * factor)
}

/// The rotation vector \[rad\] of the shortest rotation that maps the unit vector `axis` to its image under
/// `rotation`: `rotation` without its twist about `axis`.
pub fn swing(rotation: &UnitQuaternion<f64>, axis: &Vector3<f64>) -> Vector3<f64> {
    let turned = rotation * axis;
    let normal = axis.cross(&turned);
    let (sine, cosine) = (normal.norm(), axis.dot(&turned));
    if sine > 1e-10 {
        return normal * (sine.atan2(cosine) / sine);
    }
    if cosine > 0.0 {
        return normal;
    }
    // Exactly opposite: any perpendicular axis will do.
    let least = axis.iamin();
    let across = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    across * std::f64::consts::PI
}

/// A six-vector: the linear part, then the angular part.
#[inline]
pub fn stacked(linear: &Vector3<f64>, angular: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn logarithm_inverts_the_exponential_at_every_angle() {
        for angle in [0.0, 1e-300, 1e-12, 1e-9, 1e-4, 1.0, 3.0, PI - 1e-9] {
            let vector = Vector3::new(2.0, -1.0, 2.0) / 3.0 * angle;
            let found = rotation_vector(&UnitQuaternion::from_scaled_axis(vector));
            assert!((found - vector).norm() <= 1e-15 * (1.0 + angle), "{angle}: {found}");
        }
    }

    #[test]
    fn logarithm_takes_the_short_way() {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * (2.0 * PI - 0.5));
        assert!((rotation_vector(&turn) - Vector3::z() * -0.5).norm() < 1e-12);
        let half = rotation_vector(&UnitQuaternion::from_scaled_axis(Vector3::y() * PI));
        assert!((half.norm() - PI).abs() < 1e-12);
    }

    #[test]
    fn a_pose_differs_from_itself_by_nothing_and_from_its_neighbour_by_the_twist() {
        let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.2, 0.9));
        assert!(pose_difference(&pose, &pose).norm() < 1e-15);
        let twist = Vector6::new(0.1, 0.2, 0.3, 0.01, -0.02, 0.03);
        let moved = pose * Isometry3::new(twist.fixed_rows::<3>(0).into(), twist.fixed_rows::<3>(3).into());
        assert!((pose_difference(&pose, &moved) - twist).norm() < 1e-14);
    }

    #[test]
    fn only_unit_quaternions_are_rotations() {
        for length in [0.981, 0.99, 1.0009, 1.01, 1.019] {
            assert_eq!(rotation_from([0.0, 0.0, 0.0, length]), Ok(UnitQuaternion::identity()), "{length}");
        }
        for bad in [
            [0.0; 4],
            [0.0, 0.0, 0.0, 1.021],
            [0.0, 0.0, 0.0, 0.979],
            [f64::NAN, 0.0, 0.0, 1.0],
            [f64::INFINITY, 0.0, 0.0, 0.0],
        ] {
            assert!(rotation_from(bad).is_err(), "{bad:?}");
        }
        let text = rotation_from([0.0; 4]).unwrap_err().to_string();
        assert!(text.contains("length 0"), "{text}");
    }

    #[test]
    fn matrices_of_rotations_are_poses() {
        for angle in [0.0, 1e-9, 1.0, PI - 1e-9, PI] {
            let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(-2.0, 1.0, 2.0) / 3.0 * angle);
            let matrix = pose.to_homogeneous();
            let rows = std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)]));
            let found = pose_from_matrix(&rows).unwrap();
            assert!(pose_difference(&pose, &found).norm() < 1e-14, "{angle}");
        }
    }

    #[test]
    fn other_matrices_are_refused() {
        let identity: [[f64; 4]; 4] = std::array::from_fn(|row| std::array::from_fn(|column| f64::from(row == column)));
        let with = |row: usize, column: usize, value: f64| {
            let mut rows = identity;
            rows[row][column] = value;
            pose_from_matrix(&rows)
        };
        for (row, column, value) in [(0, 0, 1.019), (1, 1, 0.981), (0, 1, 0.019)] {
            let found = with(row, column, value).unwrap();
            assert!(
                found.rotation.angle() < 0.02 && (found.rotation.norm() - 1.0).abs() < 1e-15,
                "{row} {column} {value}"
            );
        }
        for (row, column, value) in
            [(0, 0, 1.021), (1, 1, 0.979), (0, 1, 0.021), (2, 2, 0.0), (1, 2, f64::NAN), (0, 0, f64::INFINITY)]
        {
            assert!(matches!(with(row, column, value), Err(NotAPose::Skewed { .. })), "{row} {column} {value}");
        }
        assert_eq!(with(2, 2, -1.0), Err(NotAPose::Mirrored));
        let text = with(3, 0, 0.5).unwrap_err().to_string();
        assert_eq!(text, "the last row of the 4×4 pose is (0.5, 0, 0, 1); it must be 0, 0, 0, 1");
        let text = with(0, 1, 0.25).unwrap_err().to_string();
        assert!(text.contains("or their products from 0, by 0.25, and 0.02 is allowed"), "{text}");
    }

    #[test]
    fn an_inexact_matrix_becomes_the_nearest_rotation() {
        let exact = UnitQuaternion::from_scaled_axis(Vector3::new(-2.0, 1.0, 2.0) / 3.0);
        let stretch = Matrix3::new(0.015, 0.008, -0.005, 0.008, -0.012, 0.003, -0.005, 0.003, 0.01);
        // By the polar decomposition the nearest rotation of R S is R, where S is symmetric.
        let matrix = exact.to_rotation_matrix().into_inner() * (Matrix3::identity() + stretch);
        let rows = std::array::from_fn(|row| match row {
            3 => [0.0, 0.0, 0.0, 1.0],
            _ => std::array::from_fn(|column| if column < 3 { matrix[(row, column)] } else { 1.0 }),
        });
        let found = pose_from_matrix(&rows).unwrap();
        assert!(found.rotation.angle_to(&exact) < 1e-12, "{}", found.rotation.angle_to(&exact));
        assert_eq!(found.translation.vector, Vector3::repeat(1.0));
    }

    #[test]
    fn swing_ignores_the_turn_about_the_axis() {
        let axis = Vector3::z();
        for twist in [0.0, 1.0, PI] {
            let tilt = Vector3::new(0.3, -0.4, 0.0);
            let rotation = UnitQuaternion::from_scaled_axis(tilt) * UnitQuaternion::from_scaled_axis(axis * twist);
            assert!((swing(&rotation, &axis) - tilt).norm() < 1e-12, "{twist}");
        }
        let flipped = UnitQuaternion::from_scaled_axis(Vector3::x() * PI);
        assert!((swing(&flipped, &axis).norm() - PI).abs() < 1e-9);
    }
}
