//! The methods compared with FABRIK: cyclic coordinate descent and the Jacobian transpose, on the same chains of
//! points.

use nalgebra::{Point3, UnitQuaternion, Vector3};

/// One step of a method: moves the points of a chain so that its tip comes nearer to the target.
pub type Step = fn(&mut [Point3<f64>], &Point3<f64>);

/// Steps until the tip is at the target. Returns the number of steps and whether it succeeded.
pub fn iterate(
    points: &mut [Point3<f64>],
    target: &Point3<f64>,
    tolerance: f64,
    most: usize,
    step: Step,
) -> (usize, bool) {
    let tip = points.len() - 1;
    for iterations in 0..most {
        if (points[tip] - target).norm() <= tolerance {
            return (iterations, true);
        }
        step(points, target);
    }
    (most, false)
}

/// A sweep of cyclic coordinate descent (Wang and Chen 1991): each joint, from the last to the first, rotates the tip
/// as near to the target as possible.
pub fn descend_by_coordinates(points: &mut [Point3<f64>], target: &Point3<f64>) {
    let tip = points.len() - 1;
    for joint in (0..tip).rev() {
        let pivot = points[joint];
        if let Some(turn) = UnitQuaternion::rotation_between(&(points[tip] - pivot), &(target - pivot)) {
            for point in &mut points[joint + 1..] {
                *point = pivot + turn * (*point - pivot);
            }
        }
    }
}

/// A step of the Jacobian transpose on ball joints: rotation vectors α Jᵀe, with the α that is best to first order
/// (Buss 2004), and no rotation of more than half a radian.
pub fn descend_by_transpose(points: &mut [Point3<f64>], target: &Point3<f64>) {
    let tip = points.len() - 1;
    let error = target - points[tip];
    let turn = |joint: usize| (points[tip] - points[joint]).cross(&error);
    let (mut forward, mut largest) = (Vector3::zeros(), 0.0_f64);
    for joint in 0..tip {
        forward += turn(joint).cross(&(points[tip] - points[joint]));
        largest = largest.max(turn(joint).norm());
    }
    let best = error.dot(&forward) / forward.norm_squared().max(f64::MIN_POSITIVE);
    let step = best.min(0.5 / largest.max(f64::MIN_POSITIVE));
    let turns: Vec<Vector3<f64>> = (0..tip).map(|joint| turn(joint) * step).collect();
    // The rotations of all joints before a segment move it.
    let (mut total, mut was_start) = (UnitQuaternion::identity(), points[0]);
    for (segment, turn) in turns.into_iter().enumerate() {
        total *= UnitQuaternion::from_scaled_axis(turn);
        let was = points[segment + 1];
        points[segment + 1] = points[segment] + total * (was - was_start);
        was_start = was;
    }
}
