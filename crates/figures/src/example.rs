//! Problems in the plane for the figures.

use nalgebra::{Point2, Point3};
use urdf_ik::skeleton::{Configuration, Options, Problem, Root, Segment, Skeleton, Target};
use urdf_ik_plot::View;

use crate::Result;

/// A skeleton in the plane, where it starts, and what is asked of it.
pub struct Example {
    pub skeleton: Skeleton,
    pub seed: Configuration,
    targets: Vec<Target>,
    pub options: Options,
}

impl Example {
    /// A chain through points, whose end has a target \[m\].
    pub fn chain(points: &[[f64; 2]], target: [f64; 2]) -> Result<Self> {
        let parents: Vec<usize> = (0..points.len() - 1).collect();
        Self::tree(points, &parents, &[(parents.len(), target)])
    }

    /// A tree of free segments: its points \[m\], for each segment the index of the one at which it begins, and targets of points.
    pub fn tree(points: &[[f64; 2]], parents: &[usize], targets: &[(usize, [f64; 2])]) -> Result<Self> {
        let points: Vec<_> = points.iter().map(in_space).collect();
        let segment = |(&parent, end): (&usize, &Point3<f64>)| Segment::new(parent, (end - points[parent]).norm());
        let segments: Vec<_> = parents.iter().zip(&points[1..]).map(segment).collect();
        Ok(Self::new(Skeleton::in_plane(&segments)?, Configuration { points, orientations: Vec::new() }, targets))
    }

    /// Plain cycles without restarts or polish.
    pub fn new(skeleton: Skeleton, seed: Configuration, targets: &[(usize, [f64; 2])]) -> Self {
        let targets = targets.iter().map(|(point, place)| Target::new(*point, in_space(place))).collect();
        let options = Options { acceleration: 0, restarts: 0, polish: false, ..Options::default() };
        Self { skeleton, seed, targets, options }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem { targets: &self.targets, root: Root::Fixed, seed: &self.seed, options: self.options }
    }
}

fn in_space([x, y]: &[f64; 2]) -> Point3<f64> {
    Point3::new(*x, *y, 0.0)
}

/// Where the points of a configuration are in the plane \[m\].
pub fn flat(configuration: &Configuration) -> Vec<Point2<f64>> {
    View::plane().points(&configuration.points)
}
