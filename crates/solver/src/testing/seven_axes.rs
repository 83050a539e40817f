//! Random arms of seven joints with their own forward kinematics.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use urdf_ik_closed_form::{Axes, Line, REDUNDANT_JOINTS};
use urdf_ik_random::random::Random;

/// Random positions of seven joints, each between -3.1 and 3.1 \[rad\].
pub fn positions(random: &mut Random) -> [f64; REDUNDANT_JOINTS] {
    [(); REDUNDANT_JOINTS].map(|()| random.between(-3.1, 3.1))
}

fn pose(random: &mut Random) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_scaled_axis(random.vector(1.7));
    Isometry3::from_parts(Translation3::from(random.vector(0.4)), rotation)
}

fn sign(random: &mut Random) -> f64 {
    if random.once_in(2) { -1.0 } else { 1.0 }
}

/// A random unit vector perpendicular to `direction`.
fn across(random: &mut Random, direction: &Vector3<f64>) -> Vector3<f64> {
    direction.cross(&random.vector(1.0)).normalize()
}

/// Three axes of a spherical joint, the middle one perpendicular to the others.
fn spherical_joint(random: &mut Random) -> [Vector3<f64>; 3] {
    let second = random.direction();
    let beside = across(random, &second);
    let angle = random.between(-3.0, 3.0);
    let third = beside * angle.cos() + second.cross(&beside) * angle.sin();
    [beside * sign(random), second, third * sign(random)]
}

/// A random arm with a spherical shoulder and a spherical wrist. The first axis is offset by `offset` \[m\]. The point
/// \[m\] of each line is anywhere on its axis, in the base link's frame.
pub fn arm(random: &mut Random, offset: f64) -> Axes<REDUNDANT_JOINTS> {
    let [a, b, c] = spherical_joint(random);
    let [e, f, g] = spherical_joint(random);
    let elbow = across(random, &c);
    let directions = [a, b, c, elbow, e, f, g];
    let shoulder = random.vector(0.3);
    let middle = shoulder + c * random.between(0.3, 0.5) + random.vector(0.05);
    let wrist = middle + across(random, &elbow) * random.between(0.3, 0.5) + random.vector(0.05);
    let first = shoulder + across(random, &a) * offset;
    let centres = [first, shoulder, shoulder, middle, wrist, wrist, wrist];
    let line =
        |i: usize| Line { direction: directions[i], point: centres[i] + directions[i] * random.between(-0.2, 0.2) };
    let lines = [0, 1, 2, 3, 4, 5, 6].map(line);
    Axes { lines, tip: pose(random) }
}

/// Pose of the tip in the base link's frame \[m\] at `positions` \[rad\], by the product of exponentials.
pub fn tip(axes: &Axes<REDUNDANT_JOINTS>, positions: &[f64; REDUNDANT_JOINTS]) -> Isometry3<f64> {
    let mut pose = axes.tip;
    for (line, position) in axes.lines.iter().zip(positions).rev() {
        let centre = Translation3::from(line.point);
        let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(line.direction), *position);
        pose = centre * turn * centre.inverse() * pose;
    }
    pose
}

/// Error of the tip at `positions` \[rad\] relative to `pose`, in the base link's frame \[m\]: the larger of the
/// distance \[m\] and the angle \[rad\].
pub fn error(axes: &Axes<REDUNDANT_JOINTS>, positions: &[f64; REDUNDANT_JOINTS], pose: &Isometry3<f64>) -> f64 {
    let left = tip(axes, positions).inv_mul(pose);
    left.translation.vector.norm().max(left.rotation.angle())
}
