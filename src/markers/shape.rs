//! What is drawn, as plain data.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// Red, green, blue and opacity, each in \[0, 1\].
pub(super) type Colour = [f32; 4];

/// The colours of the axes x, y and z.
const AXIS_COLOURS: [Colour; 3] = [[0.95, 0.25, 0.25, 1.0], [0.35, 0.85, 0.35, 1.0], [0.3, 0.55, 1.0, 1.0]];
/// Width of the lines of axes, over their length.
const AXIS_WIDTH: f64 = 0.1;
/// Corners of each circle of a globe.
const CIRCLE_CORNERS: u32 = 60;
/// Circles of a globe through both of its poles.
const MERIDIANS: u32 = 6;
/// Parts of a globe between its parallels.
const PARALLELS: u32 = 6;
/// Greatest coordinate and size that is drawn \[m\]: what shows it computes in single precision.
const FARTHEST: f64 = 1e12;

/// One thing that is drawn, in the base link's frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    /// The group that a person can hide.
    pub namespace: String,
    /// Tells the shapes of a namespace apart.
    pub id: i32,
    pub form: Form,
    /// Width of lines, diameter of spheres \[m\].
    pub size: f64,
    /// The centre of a sphere or a solid, or the corners of the other forms.
    pub points: Vec<Point3<f64>>,
    /// One colour for each point, or one for all of them.
    pub colours: Vec<Colour>,
}

/// How the points of a shape are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// One sphere around the only point, smooth from near by.
    Sphere,
    /// A sphere around each point.
    Spheres,
    /// A line between the first two points, the next two, and so on.
    Lines,
    /// A line through all points.
    Strip,
    /// A triangle of the first three points, of the next three, and so on. The size is 1.
    Triangles,
    /// A solid around the only point, with its edges \[m\] and its rotation.
    Solid(Solid, [f64; 3], UnitQuaternion<f64>),
}

/// What fits a box exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solid {
    Box,
    Ball,
    /// Along z.
    Cylinder,
}

impl Shape {
    /// The axes of the `frames`, each as a line of this `length` \[m\].
    pub(super) fn axes(namespace: String, id: i32, frames: &[Isometry3<f64>], length: f64) -> Self {
        let (mut points, mut colours) = (Vec::new(), Vec::new());
        for frame in frames {
            for (axis, colour) in [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().zip(AXIS_COLOURS) {
                points.extend([frame * Point3::origin(), frame * Point3::from(length * axis)]);
                colours.extend([colour; 2]);
            }
        }
        Self { namespace, id, form: Form::Lines, size: AXIS_WIDTH * length, points, colours }
    }

    /// Meridians and parallels of a sphere of this `radius` \[m\] around `centre`, or nothing where the radius is 0. A surface could be
    /// looked through, but not reached through: RViz would take a click on what is inside for one on the surface.
    pub(super) fn globe(
        namespace: String,
        id: i32,
        size: f64,
        centre: Point3<f64>,
        radius: f64,
        colour: Colour,
    ) -> Self {
        let turn = |corner: u32, corners: u32| TAU * f64::from(corner) / f64::from(corners);
        let circle = |middle: Point3<f64>, across: Vector3<f64>, along: Vector3<f64>| {
            let place = move |corner: u32| {
                let (sine, cosine) = turn(corner, CIRCLE_CORNERS).sin_cos();
                middle + cosine * across + sine * along
            };
            (0..CIRCLE_CORNERS).flat_map(move |corner| [place(corner), place(corner + 1)])
        };
        let meridians = (0..MERIDIANS).flat_map(|number| {
            let (sine, cosine) = turn(number, 2 * MERIDIANS).sin_cos();
            circle(centre, radius * Vector3::new(cosine, sine, 0.0), radius * Vector3::z())
        });
        let parallels = (1..PARALLELS).flat_map(|number| {
            let (sine, cosine) = turn(number, 2 * PARALLELS).sin_cos();
            let middle = centre + radius * cosine * Vector3::z();
            circle(middle, radius * sine * Vector3::x(), radius * sine * Vector3::y())
        });
        let points = if radius > 0.0 { meridians.chain(parallels).collect() } else { Vec::new() };
        Self { namespace, id, form: Form::Lines, size, points, colours: vec![colour] }
    }

    /// Whether there is something to draw: points and a size that are finite and not too large.
    pub(super) fn is_drawable(&self) -> bool {
        // Written so that NaN fails.
        let is_drawable = |length: f64| length.abs() <= FARTHEST;
        !self.points.is_empty()
            && self.size > 0.0
            && is_drawable(self.size)
            && self.points.iter().all(|point| point.iter().copied().all(is_drawable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_not_drawn() {
        let axes =
            |place: f64, length| Shape::axes("tip".into(), 0, &[Isometry3::translation(place, 0.0, 0.0)], length);
        assert!(axes(1.0, 0.1).is_drawable());
        for (place, length) in [(f64::NAN, 0.1), (f64::INFINITY, 0.1), (1e13, 0.1), (0.0, 0.0), (0.0, f64::NAN)] {
            assert!(!axes(place, length).is_drawable(), "{place} {length}");
        }
        assert!(!Shape::axes("tip".into(), 0, &[], 0.1).is_drawable());
    }
}
