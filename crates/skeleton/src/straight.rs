//! Chains of free segments that lie in a line, or must.

use std::f64::consts::{FRAC_2_PI, PI};

use nalgebra::{Point3, Vector3};

use super::Problem;
use super::direction::{perpendicular, place, unit};
use super::setup::Setup;

/// A chain that has stalled lies in a line with its target if no point is farther from it than this fraction of the
/// reach.
const LINE: f64 = 1e-6;
/// Largest height of the first arc, as a fraction of the reach. Each further one is twice as high.
const BEND: f64 = 1e-2;

impl Setup<'_> {
    /// Lays a single chain straight from its root, where its target is beyond the limits of its reach, or nearer to them than the
    /// tolerance: stretched, or with its longest segment towards the target and all others back. Returns whether it is. Cycles would get no
    /// nearer, or converge slowly to the straight chain.
    pub(super) fn lay_straight(&self, points: &mut [Point3<f64>]) -> bool {
        let Self { reach, problem: Problem { targets, options, .. }, .. } = self;
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

    /// Bends a single chain that lies in one line with its target into a flat arc, always to the same side: `bends` times
    /// twice as high as the missing distance needs. Returns whether it lies in such a line.
    pub(super) fn bend(&self, bends: u32, points: &mut [Point3<f64>]) -> bool {
        let (Self { reach, skeleton, .. }, target) = (self, &self.problem.targets[0].position);
        let Some(direction) = line(points, target, LINE * reach.outer) else { return false };
        let error = (target - points[skeleton.segment_count()]).norm();
        // The height of the arc of a sine that is longer than its chord by the error.
        let height = f64::from(1 << bends) * (FRAC_2_PI * (reach.outer * error).sqrt()).min(BEND * reach.outer);
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

/// Direction of the line in which all of `points` and `target` lie within `slack` \[m\], if there is one.
fn line(points: &[Point3<f64>], target: &Point3<f64>, slack: f64) -> Option<Vector3<f64>> {
    let offsets = || points.iter().chain([target]).map(|point| point - points[0]);
    let farthest = offsets().fold(Vector3::zeros(), |farthest: Vector3<f64>, offset| {
        if offset.norm_squared() > farthest.norm_squared() { offset } else { farthest }
    });
    let direction = unit(&farthest)?;
    offsets().all(|offset| (offset - direction * direction.dot(&offset)).norm() <= slack).then_some(direction)
}
