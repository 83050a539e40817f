//! The arm: its motion over time, its supervision, and its published state.

mod activity;
pub(crate) mod collision_check;
pub(crate) mod configuration_motion;
mod controller_topics;
pub(crate) mod deadman;
pub(crate) mod descriptions;
mod followed_path;
mod following;
#[cfg(all(test, feature = "loom"))]
mod models;
pub(crate) mod output;
mod present;
mod progress;
mod recovery;
mod resting;
mod shared_state;
pub(crate) mod sources;
mod state;
pub(crate) mod steering;
mod supervision;

pub(crate) use activity::MotionCondition;
pub(crate) use collision_check::CollisionCheck;
pub(crate) use deadman::Deadman;
pub(crate) use output::Output;
pub(crate) use progress::{ArrivalReport, MotionProgress, StartedMotion, arrives};

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use tokio::sync::Mutex;

use crate::reports::{RefuseAs, Refused, Report, Reporter};
use crate::robot_in_use::{Configuration, Frames, Measured, ReadyRobot, StandingGoals};
use crate::ros::{Clock, Lock, MEASURED_JOINT_STATES, OrderedLock, clock, task};
use crate::surroundings::{Avoidance, ClearanceLoss, Surroundings};
use configuration_motion::ConfigurationMotion;
use sources::{BlockReason, Sources};
use steering::RobotGoals;
use urdf_ik_goals::Goal;
use urdf_ik_motion::MotionError;
use urdf_ik_parameters::Settings;

/// Longest sleep between publications; a new `publish_rate` takes effect within this time.
const MAX_SLEEP: Duration = Duration::from_millis(100);

/// The arm with its state, frames and surroundings: the entry point of commands and queries.
pub(crate) struct Arm {
    pub output: Arc<Output>,
    pub sources: OrderedLock<Sources>,
    pub deadman: Arc<Deadman>,
    pub reporter: Arc<Reporter>,
    pub measured: Arc<Measured>,
    pub frames: Arc<Frames>,
    pub goals: StandingGoals,
    pub surroundings: Arc<Surroundings>,
    pub clock: Clock,
    /// The current parameters, replaced as a whole on a change.
    pub settings_in_use: Arc<Lock<Arc<Settings>>>,
    /// Locked while targets are solved.
    pub solving: Mutex<()>,
}

impl Arm {
    /// The current settings.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings_in_use.lock())
    }

    /// The robot and its configuration: measured while the arm is at rest.
    ///
    /// # Errors
    /// [`Refused`] without a robot.
    pub(crate) fn configuration(&self) -> Result<Configuration, Refused> {
        self.output.present().ok_or_else(Refused::no_robot)
    }

    /// The standing goals of `settings` at a configuration of the robot in use.
    ///
    /// # Errors
    /// [`Refused`], as [`StandingGoals::at`].
    pub(crate) fn standing_goals(
        &self,
        configuration: &Configuration,
        settings: &Settings,
    ) -> Result<Arc<[Goal]>, Refused> {
        self.goals.at(&self.frames, configuration, settings)
    }

    /// The configuration for the start of a motion: the last command if the arm is measured close to it, otherwise the
    /// measurement.
    ///
    /// # Errors
    /// [`Refused`] without a robot, if expected measurements are missing, or while commands are refused.
    pub(crate) fn start(&self) -> Result<Configuration, Refused> {
        self.output.check_accepting()?;
        self.output.take_measured().refuse_as(MEASURED_JOINT_STATES.short_name())?;
        self.configuration()
    }

    /// Replaces the robot. It starts at a recent measurement, otherwise at the initial positions. Active streams were
    /// meant for the previous robot and are blocked.
    ///
    /// # Errors
    /// [`MotionError`] if a position or a limit is invalid.
    pub(crate) fn use_robot(&self, ready: ReadyRobot) -> Result<(), MotionError> {
        let settings = self.settings();
        ready.log_summary(&settings);
        let ReadyRobot { loaded, initial, limits } = ready;
        let measured = self.measured.configuration(settings.measured_timeout, &loaded, &initial);
        let positions = measured.ok().flatten().unwrap_or(initial);
        // Before any change, so that a robot that is refused leaves the previous one in use.
        let motion = ConfigurationMotion::new(Arc::clone(&loaded), positions, &limits)?;
        self.reporter.latest.lock().clear();
        if self.output.configuration().is_some() {
            self.sources.lock().block(BlockReason::RobotReplaced);
        }
        self.surroundings.use_robot(&loaded);
        self.output.replace_robot(motion);
        self.surroundings.note_change();
        Ok(())
    }

    /// Applies the parameter `tool` once the arm is at rest and no target is being solved. Discards earlier targets:
    /// they refer to other tips.
    pub(crate) fn use_tools(&self) {
        let Some(now) = self.output.configuration() else { return };
        let settings = self.settings();
        // They do not fit a robot that is about to be replaced.
        let Ok(tools) = settings.tools(&now.loaded.chain) else { return };
        if tools == now.loaded.chain.tools() || !self.output.is_at_rest() {
            return;
        }
        let Ok(_solving) = self.solving.try_lock() else { return };
        if now.loaded.with_tools(&tools).is_ok_and(|loaded| self.output.use_tools(&loaded)) {
            self.discard_targets();
            log::info!("the tools of the parameter {} are used from now on", Settings::tool().name);
        }
    }

    /// The avoidance with a margin widened by the clearance loss of the measured arm.
    fn widened(&self, avoidance: Avoidance, settings: &Settings, loss: &mut ClearanceLoss) -> Avoidance {
        let now = self.output.configuration().filter(|now| now.loaded.is_same_robot(&avoidance.loaded));
        let measured = now.as_ref().and_then(|now| {
            let measured = self.measured.configuration(settings.measured_timeout, &now.loaded, &now.positions);
            measured.ok().flatten()
        });
        let lost = now.zip(measured).map_or(0.0, |(now, measured)| {
            let [commanded, measured] = [&now.positions, &measured].map(|at| now.loaded.chain.positions_from(at));
            loss.update(&avoidance, &commanded, &measured)
        });
        *self.surroundings.clearance_loss.lock() = lost;
        avoidance.widened(lost)
    }

    /// Discards the targets of all tips because another source moves the arm. Those whose search lasts are refused at
    /// its end.
    pub(crate) fn discard_targets(&self) {
        self.output.discard_targets();
        self.reporter.latest.lock().clear();
    }

    /// Publishes the outcome of a target of `topic`. A refusal is logged once; `header` and `tip` are those of the
    /// target.
    pub(crate) fn report_outcome(&self, topic: &str, tip: usize, header: Header, ended: Result<Report, Refused>) {
        self.reporter.warnings.note(topic, &ended);
        self.reporter.report(ended.unwrap_or_else(|refused| {
            let now = self.output.configuration();
            let tip = now.as_ref().and_then(|now| now.loaded.chain.tips().get(tip));
            refused.report(header, tip.map(|tip| tip.link.clone()).unwrap_or_default())
        }));
    }
}

/// Publishes the joint state at the publish rate.
pub(crate) fn serve(arm: &Arc<Arm>) {
    let arm = Arc::clone(arm);
    task::start(async move {
        let mut next = Instant::now();
        let mut clearance_loss = ClearanceLoss::default();
        loop {
            arm.use_tools();
            let settings = arm.settings();
            if arm.deadman.permits(&settings).is_err() {
                arm.output.stop_stream();
            }
            let period = settings.publish_period();
            let now = Instant::now();
            // In short sleeps: the rate may change.
            next = next.min(now + period);
            if now < next {
                clock::sleep_until(next.min(now + MAX_SLEEP)).await;
                continue;
            }
            // Without a measurement nothing changes.
            let _ = arm.output.take_measured();
            // Until a new scene is ready, the previous one applies.
            let avoidance = Avoidance::in_motion(&arm.surroundings, &settings);
            let avoidance = avoidance.map(|avoidance| Some(arm.widened(avoidance?, &settings, &mut clearance_loss)));
            let goals = arm.configuration().and_then(|now| {
                let goals = arm.standing_goals(&now, &settings)?;
                Ok(RobotGoals { loaded: now.loaded, goals })
            });
            arm.output.tick(&settings, goals.as_ref(), avoidance.as_ref().map(Option::as_ref), next);
            next = (next + period).max(now);
        }
    });
}
