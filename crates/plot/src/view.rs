//! Space on paper.

use nalgebra::{Point2, Point3, Vector3};

/// A parallel projection of space onto paper.
#[derive(Clone, Copy)]
pub struct View {
    right: Vector3<f64>,
    up: Vector3<f64>,
}

impl View {
    /// As seen from far away in the direction `eye`, which is not that of `up`, with `up` upwards on the paper.
    pub fn from(eye: &Vector3<f64>, up: &Vector3<f64>) -> Self {
        let right = up.cross(eye).normalize();
        Self { right, up: eye.cross(&right).normalize() }
    }

    /// The plane of x and y, x to the right.
    pub fn plane() -> Self {
        Self { right: Vector3::x(), up: Vector3::y() }
    }

    /// Where a point is on the paper \[m\].
    pub fn point(&self, point: &Point3<f64>) -> Point2<f64> {
        Point2::new(self.right.dot(&point.coords), self.up.dot(&point.coords))
    }

    /// Where points are on the paper \[m\].
    pub fn points(&self, points: &[Point3<f64>]) -> Vec<Point2<f64>> {
        points.iter().map(|point| self.point(point)).collect()
    }

    /// Where it is seen from.
    pub fn eye(&self) -> Vector3<f64> {
        self.right.cross(&self.up)
    }
}
