//! Straight chains of free segments.

use std::f64::consts::{FRAC_2_PI, PI};

use nalgebra::{Point3, Vector3};

use super::SkeletonProblem;
use super::direction::{perpendicular, place, unit};
use super::setup::SkeletonSetup;

/// A stalled chain is collinear with its target if no point is farther from the line than this fraction of the reach.
const COLLINEARITY: f64 = 1e-6;
/// Largest height of the first arc as a fraction of the reach; each further arc is twice as high.
const MAX_FIRST_HEIGHT: f64 = 1e-2;

impl SkeletonSetup<'_> {
    /// If the target of a single chain is beyond its reach or within the tolerance of its boundary, places the chain
    /// straight: stretched, or with the longest segment forward and all others back. Returns whether it did. Cycles
    /// would not improve on that, or converge to it slowly.
    pub(super) fn straighten(&self, points: &mut [Point3<f64>]) -> bool {
        let Self { reach, problem: SkeletonProblem { targets, options, .. }, .. } = self;
        let (target, tolerance, lengths) = (targets[0].position, options.tolerance, &self.skeleton.lengths);
        let (root, count) = (points[0], lengths.len());
        let offset = target - root;
        let distance = offset.norm();
        let sign = if distance >= reach.outer - tolerance {
            1.0
        } else if distance <= reach.inner + tolerance && reach.inner > 0.0 {
            -1.0
        } else {
            return false;
        };
        let direction = unit(&offset).or_else(|| unit(&(points[count] - root))).unwrap_or_else(Vector3::x);
        let longest = (0..count).fold(0, |a, b| if lengths[b] > lengths[a] { b } else { a });
        let mut along = 0.0;
        for (segment, length) in lengths.iter().enumerate() {
            along += if segment == longest { *length } else { sign * length };
            points[segment + 1] = root + direction * along;
        }
        true
    }

    /// Bends a single chain that is collinear with its target into a flat arc, always to the same side; the height is
    /// 2^`bends` times the bend that the missing distance requires. Returns whether it was collinear.
    pub(super) fn bend(&self, bends: u32, points: &mut [Point3<f64>]) -> bool {
        let (Self { reach, skeleton, .. }, target) = (self, &self.problem.targets[0].position);
        let Some(direction) = line(points, target, COLLINEARITY * reach.outer) else { return false };
        let error = (target - points[skeleton.segment_count()]).norm();
        // The height of a sine arc that is longer than its chord by the error.
        let height =
            f64::from(1 << bends) * (FRAC_2_PI * (reach.outer * error).sqrt()).min(MAX_FIRST_HEIGHT * reach.outer);
        let across = perpendicular(&direction);
        let (mut along, mut was_start, mut bow_start) = (0.0, points[0], 0.0);
        for (segment, length) in skeleton.lengths.iter().enumerate() {
            along += length;
            let was = points[segment + 1];
            let bow = height * (PI * along / reach.outer).sin();
            let towards = points[segment] + (was - was_start) + across * (bow - bow_start);
            points[segment + 1] = place(&points[segment], *length, &towards, || direction);
            (was_start, bow_start) = (was, bow);
        }
        true
    }
}

/// The direction of the line through all of `points` and `target`, within `slack` \[m\]; `None` if they are not
/// collinear.
fn line(points: &[Point3<f64>], target: &Point3<f64>, slack: f64) -> Option<Vector3<f64>> {
    let offsets = || points.iter().chain([target]).map(|point| point - points[0]);
    let farthest = offsets().fold(Vector3::zeros(), |farthest: Vector3<f64>, offset| {
        if offset.norm_squared() > farthest.norm_squared() { offset } else { farthest }
    });
    let direction = unit(&farthest)?;
    offsets().all(|offset| (offset - direction * direction.dot(&offset)).norm() <= slack).then_some(direction)
}
