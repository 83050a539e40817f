//! How the arm moves: its motion over time, what stops it, and what is published of it.

pub(crate) mod collision_check;
pub(crate) mod configuration_motion;
mod controller_topics;
pub(crate) mod descriptions;
mod following;
pub(crate) mod output;
mod progress;
mod recovery;
mod resting;
pub(crate) mod sources;
mod state;
pub(crate) mod steering;
mod supervision;
pub(crate) mod whereabouts;

pub(crate) use collision_check::CollisionCheck;
pub(crate) use output::Output;
pub(crate) use progress::{Arrival, Moved, Progress};
pub(crate) use whereabouts::Whereabouts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use tokio::sync::Mutex;

use crate::reports::{RefuseAs, Refused, Report, Reporter};
use crate::robot_in_use::{Configuration, Frames, Measured, ReadyRobot};
use crate::ros::{Clock, Lock, MEASURED_JOINT_STATES, clock, task};
use crate::surroundings::{Avoidance, Surroundings};
use sources::{Shut, Sources};
use urdf_ik_parameters::Settings;

/// Longest sleep of the publication, so that a new `publish_rate` takes effect at once to a human eye.
const MAX_SLEEP: Duration = Duration::from_millis(100);

/// The arm, with all that says where it is and where it may go: what commands and queries begin with.
pub(crate) struct Arm {
    pub output: Arc<Output>,
    pub whereabouts: Arc<Whereabouts>,
    pub sources: Lock<Sources>,
    pub reporter: Arc<Reporter>,
    pub measured: Arc<Measured>,
    pub frames: Arc<Frames>,
    pub surroundings: Arc<Surroundings>,
    pub clock: Clock,
    /// What the parameters say now. It is replaced as a whole when a parameter changes.
    pub settings_in_use: Arc<Lock<Arc<Settings>>>,
    /// Held while targets are solved. Counts how often the targets were forgotten.
    pub forgotten: Mutex<u64>,
}

impl Arm {
    /// The present settings.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings_in_use.lock())
    }

    /// The robot and its configuration: measured, while nothing moves the arm.
    ///
    /// # Errors
    /// [`Refused`] before a robot is known.
    pub(crate) fn configuration(&self) -> Result<Configuration, Refused> {
        self.whereabouts.configuration().ok_or_else(Refused::no_robot)
    }

    /// The configuration before a motion, which starts from the last command where the arm is measured near it, and else from the measurement.
    ///
    /// # Errors
    /// [`Refused`] where there is no robot, where measurements are expected but missing, or while commands are refused.
    pub(crate) fn start(&self) -> Result<Configuration, Refused> {
        self.output.permit()?;
        self.whereabouts.take_measured().refuse_as(MEASURED_JOINT_STATES.short_name())?;
        self.configuration()
    }

    /// Uses a robot from now on. It starts where it was measured a moment ago, else at the initial positions. Streams under way are for the
    /// robot before, and shut out.
    pub(crate) fn use_robot(&self, ready: ReadyRobot) {
        let settings = self.settings();
        ready.tell(&settings);
        let ReadyRobot { loaded, initial, limits } = ready;
        let measured = self.measured.configuration(settings.measured_timeout, &loaded, &initial);
        self.reporter.latest.clear();
        if self.output.configuration().is_some() {
            self.sources.lock().shut(Shut::RobotReplaced);
        }
        self.surroundings.use_robot(&loaded);
        self.output.replace_robot(loaded, measured.ok().flatten().unwrap_or(initial), &limits);
        self.surroundings.note_change();
    }

    /// Uses the tools of the parameter `tool`, once the arm is at rest and no target is being solved. The targets of before are forgotten:
    /// they were for other tips.
    pub(crate) fn use_tools(&self) {
        let Some(now) = self.output.configuration() else { return };
        let settings = self.settings();
        // They do not fit a robot that is about to be replaced.
        let Ok(tools) = settings.tools(&now.loaded.chain) else { return };
        if tools == now.loaded.chain.tools() || !self.output.is_at_rest() {
            return;
        }
        let Ok(mut forgotten) = self.forgotten.try_lock() else { return };
        if now.loaded.with_tools(&tools).is_ok_and(|loaded| self.output.use_tools(&loaded)) {
            *forgotten += 1;
            self.reporter.latest.clear();
            log::info!("the tools of the parameter {} are used from now on", Settings::tool().name);
        }
    }

    /// Forgets the targets of all tips, because something else than a target moves the arm now. Waits for those that are being solved.
    pub(crate) async fn forget_targets(&self) {
        *self.forgotten.lock().await += 1;
        self.reporter.latest.clear();
    }

    /// Publishes what became of a target of `topic`. A refusal is logged once; `header` and `tip` are those of the target.
    pub(crate) fn conclude(&self, topic: &str, tip: usize, header: Header, ended: Result<Report, Refused>) {
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
        loop {
            arm.use_tools();
            let settings = arm.settings();
            let period = settings.publish_period();
            let now = Instant::now();
            // In short sleeps, because the rate may change meanwhile.
            next = next.min(now + period);
            if now < next {
                clock::sleep_until(next.min(now + MAX_SLEEP)).await;
                continue;
            }
            // Without a measurement nothing changes.
            let _ = arm.whereabouts.take_measured();
            // While a new scene is being made, the one before counts.
            let avoidance = Avoidance::in_motion(&arm.surroundings, &settings);
            arm.output.tick(&settings, avoidance.as_ref().map(Option::as_ref), next);
            next = (next + period).max(now);
        }
    });
}
