//! Motion along a path: start, progress, and a stop on the path.

use std::sync::Arc;

use super::{ActiveMotion, ConfigurationMotion};
use crate::arm::followed_path::FollowedPath;
use crate::arm::progress::ArrivalReport;
use urdf_ik_motion::{MotionError, TrajectoryPoint};

impl ConfigurationMotion {
    /// Length that the command has covered of the path that the arm follows, or followed until its present rest \[m\].
    pub(crate) fn covered(&self) -> Option<f64> {
        self.followed.as_ref().map(FollowedPath::covered)
    }

    /// Brakes to rest inside the limits: joints outside return to them.
    pub(crate) fn stop_inside(&mut self) -> Result<(), MotionError> {
        self.stop()?;
        if self.motion.ends_outside() {
            let time = self.motion.come_inside()?;
            self.begin(ActiveMotion::Motion, Vec::new());
            self.time_to_rest = time;
        }
        Ok(())
    }

    /// Follows a trajectory that starts at the end of the current motion. The tick at its end returns the report of
    /// `arrival`.
    pub(crate) fn follow(&mut self, points: Arc<[TrajectoryPoint]>, arrival: ArrivalReport) -> Result<(), MotionError> {
        self.motion.follow(Arc::clone(&points))?;
        let followed = FollowedPath::new(points, self.time_to_rest.max(0.0));
        self.begin(ActiveMotion::Motion, vec![arrival]);
        self.followed = Some(followed);
        Ok(())
    }

    /// Brakes to rest on the path that the arm follows; brakes at once before its start.
    pub(crate) fn stop_on_path(&mut self) -> Result<(), MotionError> {
        match (&self.active, &self.followed) {
            (ActiveMotion::Motion, Some(followed)) if followed.has_begun() => {
                self.active = ActiveMotion::StopOnPath;
                self.arrivals.clear();
                Ok(())
            }
            _ => self.stop().map(drop),
        }
    }
}
