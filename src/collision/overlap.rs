//! How far shapes overlap, roughly and at once: by a few balls in each of them, so that a search knows where to go.

use nalgebra::{Point3, Vector3};

use super::free_check::FreeCheck;
use super::moving_joints::{Frame, JointFrames, MovingJoints};
use super::part::Part;
use super::shape::Core;

/// A ball that stands for a part of a shape, in the frame of the shape.
struct Ball {
    centre: Vector3<f64>,
    radius: f64,
}

impl Part {
    /// The number of balls that stand for it.
    fn balls(&self) -> usize {
        if let Core::Mesh(mesh) = &self.shape.core { mesh.spheres.eights[0].used.count_ones() as usize } else { 1 }
    }

    fn ball(&self, at: usize) -> Ball {
        let Core::Mesh(mesh) = &self.shape.core else { return Ball { centre: Vector3::zeros(), radius: self.radius } };
        // The sphere around a part of a surface is larger than the part, and that up to the surface is smaller.
        let sphere = mesh.spheres.eights[0].get(at);
        Ball { centre: sphere.centre.to_array().into(), radius: 0.5 * (sphere.radius + sphere.surface) }
    }
}

impl FreeCheck {
    /// The sum of all depths [m] by which balls come nearer than `margin`. Adds to `row` by how much it grows with each variable.
    pub fn overlap(&self, joints: &MovingJoints, frames: &JointFrames, margin: f64, row: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for &(_, [first, second]) in &self.all {
            let [a, b] = [first, second].map(|part| &self.parts[part]);
            let apart = frames.of(a.frame).point(&a.centre) - frames.of(b.frame).point(&b.centre);
            if apart.norm() >= a.radius + b.radius + margin {
                continue;
            }
            let (a, b) = if a.solid.is_some() && b.solid.is_none() { (b, a) } else { (a, b) };
            let [at_a, at_b] = [a, b].map(|part| frames.of(part.frame).times(&part.local));
            let place = at_b.inverse().times(&at_a);
            each_depth((a, b), &place, margin, |depth, point, direction| {
                let point = Point3::from(at_b.point(&point));
                let direction = at_b.rotation * direction;
                sum += depth;
                joints.add_velocity((frames, a.frame), (&point, &direction), -1.0, row);
                joints.add_velocity((frames, b.frame), (&point, &direction), 1.0, row);
            });
        }
        sum
    }
}

/// Shows the depth of each two balls, or of each ball in a solid, with a point and the direction in which the first leaves the second, in
/// the frame of the second.
fn each_depth(
    (a, b): (&Part, &Part),
    place: &Frame,
    margin: f64,
    mut visit: impl FnMut(f64, Vector3<f64>, Vector3<f64>),
) {
    for ball in (0..a.balls()).map(|at| a.ball(at)) {
        let centre = place.point(&ball.centre);
        let mut show = |depth: f64, direction: Vector3<f64>| {
            if depth > 0.0 {
                visit(depth, centre, direction);
            }
        };
        if let Some(solid) = &b.solid {
            show(margin + ball.radius - solid.signed_distance_to(&centre), solid.direction_to(&centre));
            continue;
        }
        for other in (0..b.balls()).map(|at| b.ball(at)) {
            let apart = centre - other.centre;
            let direction = apart.try_normalize(0.0).unwrap_or_else(Vector3::y);
            show(margin + ball.radius + other.radius - apart.norm(), direction);
        }
    }
}
