//! The trajectory of a path that the arm follows, and how far its command has come.

use std::sync::Arc;

use urdf_ik_motion::TrajectoryPoint;

/// A trajectory that the command follows.
pub(super) struct FollowedPath {
    points: Arc<[TrajectoryPoint]>,
    /// Time since its start \[s\]; negative while the previous motion brakes.
    pub time: f64,
}

impl FollowedPath {
    /// A trajectory that starts in `delay` seconds.
    pub(super) fn new(points: Arc<[TrajectoryPoint]>, delay: f64) -> Self {
        Self { points, time: -delay }
    }

    /// True if the command has left the start of the trajectory.
    pub(super) fn has_begun(&self) -> bool {
        self.time > 0.0
    }

    /// Path length that the command has covered \[m\].
    pub(super) fn covered(&self) -> f64 {
        let after = self.points.partition_point(|point| point.time <= self.time);
        let Some(before) = after.checked_sub(1).map(|index| &self.points[index]) else { return 0.0 };
        let Some(next) = self.points.get(after) else { return before.length };
        let share = (self.time - before.time) / (next.time - before.time);
        before.length + share * (next.length - before.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(delay: f64) -> FollowedPath {
        let point = |time: f64, length| TrajectoryPoint {
            time,
            length,
            positions: Vec::new(),
            velocities: Vec::new(),
            accelerations: Vec::new(),
        };
        FollowedPath::new([point(0.0, 0.0), point(1.0, 0.2), point(2.0, 1.0)].into(), delay)
    }

    #[test]
    fn the_covered_length_follows_the_points() {
        let mut path = path(0.5);
        assert!(!path.has_begun() && path.covered() == 0.0);
        for (step, covered) in [(0.5, 0.0), (0.5, 0.1), (1.0, 0.6), (0.5, 1.0), (9.0, 1.0)] {
            path.time += step;
            assert!((path.covered() - covered).abs() < 1e-12, "{} {covered}", path.covered());
        }
        assert!(path.has_begun());
    }
}
