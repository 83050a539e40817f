//! Place and deviation of a tip on the path that it follows.

use nalgebra::Isometry3;

use urdf_ik_motion::Path;
use urdf_ik_solver::{Residual, Target};

/// Number of poses of the covered path that are compared before the refinement.
const POSES: u32 = 64;
/// Steps of the refinement, each of which keeps two thirds of the interval.
const STEPS: usize = 40;
/// Path length of a rotation of 1 rad \[m\], as in [`Path::length`].
const LENGTH_OF_RADIAN: f64 = 0.25;

/// The place on a path that is nearest to a tip.
pub(super) struct NearestPlace {
    /// Length of the path up to there \[m\].
    pub length: f64,
    /// Deviation of the tip from it, over the constrained axes.
    pub deviation: Residual,
}

/// The place nearest to a tip at `pose` between two lengths of the path \[m\], by the constrained axes of `pattern`.
pub(super) fn nearest(path: &Path, pattern: &Target, [first, last]: [f64; 2], pose: &Isometry3<f64>) -> NearestPlace {
    let residual = |length: f64| pattern.with_pose(path.pose_at(length)).residual(pose);
    let distance = |length: f64| {
        let Residual { position, orientation } = residual(length);
        position.hypot(LENGTH_OF_RADIAN * orientation)
    };
    let (first, last) = (first.max(0.0), last.min(path.length()));
    let step = (last - first) / f64::from(POSES);
    let lengths = (0..=POSES).map(|index| last - step * f64::from(index));
    let nearest = lengths.min_by(|one, other| distance(*one).total_cmp(&distance(*other))).unwrap_or(last);
    let (mut low, mut high) = ((nearest - step).max(first), (nearest + step).min(last));
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if distance(low + third) < distance(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    let length = 0.5 * (low + high);
    NearestPlace { length, deviation: residual(length) }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use urdf_ik_motion::PathOptions;

    fn at(x: f64, y: f64) -> Isometry3<f64> {
        Isometry3::translation(x, y, 0.0)
    }

    #[test]
    fn the_lag_along_a_path_is_no_deviation() {
        let path = Path::new(&[at(0.0, 0.0), at(1.0, 0.0)], PathOptions::default()).unwrap();
        let pattern = Target::new(0, Isometry3::identity());
        for x in [0.5, 0.47, 0.4213] {
            let of = |y| nearest(&path, &pattern, [0.25, 0.5], &at(x, y));
            assert!(of(0.0).deviation.position < 1e-6 && (of(0.003).deviation.position - 0.003).abs() < 1e-6);
            assert!((of(0.003).length - x).abs() < 1e-6);
        }
        let deviation = |lengths, pose: &Isometry3<f64>| nearest(&path, &pattern, lengths, pose).deviation;
        assert!((deviation([0.4, 0.5], &at(0.3, 0.0)).position - 0.1).abs() < 1e-6);
        let turned = Isometry3::from_parts(at(0.4, 0.0).translation, UnitQuaternion::from_euler_angles(0.1, 0.0, 0.0));
        assert!((deviation([0.25, 0.5], &turned).orientation - 0.1).abs() < 1e-6);
        assert!(deviation([-0.25, 0.0], &at(0.0, 0.0)).position < 1e-12);
    }
}
