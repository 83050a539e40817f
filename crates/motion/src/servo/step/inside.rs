//! A servo whose joints start outside their limits: they come inside before anything else.

use super::Servo;
use crate::joint_motion::{JointMotion, first_beyond_limits};
use crate::servo::command::{Aim, Command};
use urdf_ik_collision::Clearance;

impl Servo {
    /// The first variable outside its limits. While there is one, a command moves the joints inside, and they do not follow it yet.
    pub fn outside(&self) -> Option<usize> {
        first_beyond_limits(self.goal.limits.iter().map(|limits| &limits.domain), &self.now.positions)
    }

    /// Moves joints that start outside their limits: inside under a command, else to rest. Gives whether there are any.
    pub(super) fn come_inside(&mut self, period: f64, command: &Command, clearance: Option<&Clearance>) -> bool {
        let outside = self.outside();
        if self.inward.is_none() && outside.is_none() {
            return false;
        }
        let is_commanded = match command {
            Command::Rest => false,
            Command::Velocities(velocities) => velocities.iter().any(|velocity| *velocity != 0.0),
            Command::Tips(tips) => tips.iter().any(|tip| Aim::of(tip, &self.goal.options).moves()),
        };
        let mut motion = self.inward.take().unwrap_or_else(|| {
            let mut motion = Box::new(JointMotion::unchecked(&self.chain, &self.limits, &self.now.positions));
            motion.take_over(&self.hand_over());
            motion
        });
        if is_commanded == motion.ends_outside() {
            // Where no motion is found, that under way goes on.
            let _ = if is_commanded { motion.come_inside() } else { motion.stop() };
        }
        match clearance {
            None => motion.advance(period),
            Some(clearance) => drop(motion.advance_if_clear(period, clearance)),
        }
        let joints = motion.hand_over();
        self.now.clone_from(joints.state);
        self.next.clone_from(joints.state);
        self.fail_safe.take_over(joints.fail_safe);
        self.fail_safe.stopped_by = motion.stopped_by().copied();
        self.inward = (!motion.is_at_rest()).then_some(motion);
        self.leave_line();
        self.jog_limit = outside;
        self.shares.clear();
        self.shares.push_back([period, if is_commanded { 0.0 } else { 1.0 }]);
        true
    }
}
