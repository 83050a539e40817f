//! A tick advances, supervises and publishes the motion.

use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::ServoStatus;

use super::Output;
use crate::arm::configuration_motion::{ConfigurationMotion, Ticked};
use crate::arm::state::ArmState;
use crate::arm::steering::{self, RobotGoals, Tick};
use crate::arm::supervision::Supervised;
use crate::reports::Refused;
use crate::ros::MEASURED_JOINT_STATES;
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_parameters::Settings;

impl Output {
    /// Advances by one period and publishes the joint state; at rest only if targets have not just published it.
    /// Publishes the reports of an ended motion. The tick was `due` then, and may be late.
    pub(in crate::arm) fn tick(
        &self,
        settings: &Settings,
        goals: Result<&RobotGoals, &Refused>,
        avoidance: Result<Option<&Avoidance>, &NotReady>,
        due: Instant,
    ) {
        let reports_servo = self.reporter.servo.subscribers() > 0;
        let mut state = self.state.lock();
        let is_sampled = state.motion.as_ref().is_some_and(ConfigurationMotion::is_sampled);
        let is_at_rest = state.motion.as_ref().is_none_or(ConfigurationMotion::is_at_rest);
        if !is_at_rest {
            state.activity.last = Some(Instant::now());
        }
        let now = self.clock.now();
        let (time, step) = state.next_time(settings, now, due);
        let ticked = state.motion.as_mut().map(|motion| {
            let is_of_another = |avoidance: &Avoidance| !avoidance.loaded.is_same_robot(&motion.loaded);
            let avoidance = if avoidance.is_ok_and(|avoidance| avoidance.is_some_and(is_of_another)) {
                Err(&NotReady::NotYet)
            } else {
                avoidance
            };
            motion.tick(&Tick { step, settings, goals, avoidance, reports_servo })
        });
        let Ticked { ended, servo } = ticked.unwrap_or_default();
        let supervised = state.supervise(&self.measured, settings, step, ended);
        if let Some(warning) = &supervised.warning {
            self.reporter.warnings.warn_once(MEASURED_JOINT_STATES.short_name(), "driven", warning);
        }
        let is_repetition = is_at_rest && state.was_just_published(settings.publish_period());
        let stamp = if is_repetition {
            state.last_stamp.clone()
        } else {
            self.publish_tick(&mut state, settings, if is_sampled { time } else { now })
        };
        let halted = state.supervision.check_accepting().err();
        let base = state.motion.as_ref().map(|motion| motion.loaded.base_frame(settings));
        drop(state);
        let servo = servo.or_else(|| halted.filter(|_| reports_servo).map(|refused| steering::status_of(&refused)));
        self.report(supervised, servo, Header { stamp, frame_id: base.unwrap_or_default() });
    }

    /// Publishes the status of the servo, if any, and the reports of the supervision.
    fn report(&self, supervised: Supervised, servo: Option<ServoStatus>, header: Header) {
        let Supervised { reports, warning, .. } = supervised;
        for report in reports {
            self.reporter.report_arrival(report, header.stamp.clone());
        }
        if let Some(mut servo) = servo {
            if let Some(warning) = warning {
                servo.message = format!("{}; {warning}", servo.message);
            }
            self.reporter.servo.publish(&ServoStatus { header, ..servo });
        }
    }

    /// Publishes the state after a tick for `time`. Returns its stamp.
    fn publish_tick(&self, state: &mut ArmState, settings: &Settings, time: Duration) -> Time {
        let stamp = self.publish(state, time);
        // A punctual tick after a late one must not repeat what a target has published.
        state.last_publication = None;
        let is_halted = state.supervision.check_accepting().is_err();
        if let Some(motion) = state.motion.as_ref().filter(|motion| motion.is_streamed() || is_halted) {
            self.controllers.publish_state(motion, settings.publish_period());
        }
        stamp
    }
}
