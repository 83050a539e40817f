//! Supervision of a measured arm: it halts where it does not follow its commands, and a success waits until the arm has arrived.

use std::time::Instant;

use urdf_ik_robot::Variable;
use urdf_ik_text::names;

use super::configuration_motion::ConfigurationMotion;
use super::following::{Deviation, Following, FollowingError, Joints, Unmeasured};
use super::progress::Arrival;
use super::resting::REST_TIME;
use crate::reports::{Fault, Refused, Report, Verdict, fault};
use crate::robot_in_use::{LoadedRobot, Measured, Measurement};
use urdf_ik_parameters::{FollowingErrorSettings, Settings};

/// Share of `measured_timeout` after which a driven arm without measurements is warned of.
const SHARE_OF_TIMEOUT_TO_WARN: f64 = 0.5;

/// The supervision of one robot.
#[derive(Default)]
pub(super) struct Supervision {
    following: Following,
    halt: Option<Halt>,
    settling: Option<Settling>,
}

/// The arm has stopped, and commands are refused.
struct Halt {
    refused: Refused,
    /// Whether the command is the measured configuration by now.
    is_synchronized: bool,
    /// Whether the command is replaced however near the arm is.
    is_fault: bool,
}

/// Motions that have ended, while the arm is still on its way.
struct Settling {
    arrivals: Vec<Arrival>,
    /// Number of requests by then. Any newer request replaces these motions.
    requests: u64,
}

/// The inputs of a tick.
pub(super) struct Watch<'a> {
    pub measured: &'a Measured,
    pub settings: &'a Settings,
    /// Time that passes \[s\].
    pub step: f64,
    /// Whether the configuration is that of a requested motion.
    pub is_commanded: bool,
    /// Number of requests so far.
    pub requests: u64,
    /// When the arm moved last, or a motion or stop was requested.
    pub last_activity: Option<Instant>,
}

/// The result of a tick.
#[derive(Default)]
pub(super) struct Supervised {
    /// Reports on motions that have ended.
    pub reports: Vec<Report>,
    /// Whether the arm halts from now on.
    pub has_halted: bool,
    /// That the arm is about to halt, because measurements are missing.
    pub warning: Option<Fault>,
}

impl Watch<'_> {
    /// The greatest deviation of an arm that is measured farther than `measured_tolerance` from its command.
    fn distance(&self, motion: &ConfigurationMotion) -> Result<Option<Deviation>, Fault> {
        let (loaded, positions) = (motion.loaded(), motion.positions());
        let measured = self.measured.configuration(self.settings.measured_timeout, loaded, positions)?;
        let deviation = measured.map(|measured| Deviation::greatest(loaded, positions, &measured));
        Ok(deviation.filter(|deviation| deviation.difference.abs() > self.settings.measured_tolerance))
    }

    /// Whether a success has to wait because the arm is measured elsewhere than it has been commanded at once.
    pub(super) fn has_to_settle(&self, motion: &ConfigurationMotion) -> bool {
        self.settings.following_error.enabled && !matches!(self.distance(motion), Ok(None))
    }
}

impl Supervision {
    /// # Errors
    /// [`Refused`] while commands are refused.
    pub(super) fn permit(&self) -> Result<(), Refused> {
        self.halt.as_ref().map_or(Ok(()), |halt| Err(halt.refused.clone()))
    }

    /// Whether commands are refused, and the command is the measured configuration by now.
    pub(super) fn is_synchronized(&self) -> bool {
        self.halt.as_ref().is_some_and(|halt| halt.is_synchronized)
    }

    /// Whether a success waits for the arm.
    pub(super) fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// Refuses commands from now on, until [`Supervision::resume`]. Once the arm is at rest the command is synchronized with it: within
    /// `measured_tolerance` it stays, so that an arm that sags does not sink.
    pub(super) fn synchronize(&mut self, refused: Refused) {
        let is_fault = self.halt.as_ref().is_some_and(|halt| halt.is_fault && !halt.is_synchronized);
        self.halt = Some(Halt { refused, is_synchronized: false, is_fault });
    }

    /// Accepts commands again.
    pub(super) fn resume(&mut self) {
        self.halt = None;
    }

    /// The greatest difference between measurement and command since this was asked last.
    pub(super) fn take_greatest_difference(&mut self) -> Option<Deviation> {
        self.following.take_greatest()
    }

    /// Supervises the arm after its motion has moved on. The arrivals are those of a motion that has `ended`.
    pub(super) fn tick(&mut self, motion: &mut ConfigurationMotion, ended: Vec<Arrival>, watch: &Watch) -> Supervised {
        let settings = &watch.settings.following_error;
        let loaded = motion.loaded().clone();
        let domains = loaded.chain.domains();
        let joints = Joints { domains: &domains, velocities: motion.velocity_limits() };
        let window = settings.window.as_secs_f64();
        self.following.note(watch.step, window, &loaded.chain.positions_from(motion.positions()), joints);
        if !ended.is_empty() {
            self.wait_for(ended, watch.requests);
        }
        let is_driven = self.following.is_driven(!motion.is_at_rest(), window);
        let measurements = watch.measured.of_variables(watch.settings.measured_timeout, &loaded);
        let Some(measurements) = measurements.filter(|_| settings.enabled || self.halt.is_some()) else {
            return self.conclude(|arrival| arrival.report, watch);
        };
        let error = self.following_error(&measurements, joints, &loaded, settings);
        if self.halt.is_some() {
            self.follow_measurement(motion, watch);
        }
        let is_watched = is_driven && watch.is_commanded && self.halt.is_none();
        if let Some(fault) = error.filter(|_| is_watched) {
            return self.halt(motion, &fault, watch);
        }
        let unmeasured = self.following.longest_unmeasured().filter(|_| is_watched);
        let Some(Unmeasured { variable, time }) = unmeasured else { return self.settle(motion, is_driven, watch) };
        let timeout = watch.settings.measured_timeout.as_secs_f64();
        let joint = names::short(&loaded.chain.variables()[variable].name);
        let missing =
            || fault!("joint '{joint}' has not been measured for {time:.2} s (measured_timeout is {timeout} s)");
        if time > timeout {
            return self.halt(motion, &missing(), watch);
        }
        let warning = (time > SHARE_OF_TIMEOUT_TO_WARN * timeout).then(missing);
        Supervised { warning, ..self.settle(motion, is_driven, watch) }
    }

    /// The following error that exceeds its bound, if one does.
    fn following_error(
        &mut self,
        measurements: &[Option<Measurement>],
        joints: Joints,
        loaded: &LoadedRobot,
        settings: &FollowingErrorSettings,
    ) -> Option<Fault> {
        let bound = |variable: &Variable| if variable.prismatic { settings.distance } else { settings.angle };
        let bounds: Vec<f64> = loaded.chain.variables().iter().map(bound).collect();
        let FollowingError { deviation, error } = self.following.compare(measurements, &bounds, joints)?;
        let (sentence, window) = (deviation.sentence(loaded), settings.window.as_secs_f64());
        let bound = bounds[deviation.variable];
        Some(fault!(
            "{sentence}, and {error:.3} from all commands of the last {window} s (following_error allows {bound})"
        ))
    }

    /// Brakes the arm, and refuses commands from now on.
    fn halt(&mut self, motion: &mut ConfigurationMotion, fault: &Fault, watch: &Watch) -> Supervised {
        let sentence = format!("{fault}: the arm has stopped; check its drives, then call ~/resume");
        log::error!("following error: {sentence}");
        let refused = Refused { verdict: Verdict::FollowingError, kind: "following error".into(), sentence };
        let arrivals = motion.halt();
        if !arrivals.is_empty() {
            self.wait_for(arrivals, watch.requests);
        }
        let mut supervised = self.conclude(|arrival| refused.clone().report_on(arrival.report), watch);
        if supervised.reports.is_empty() {
            supervised.reports.push(Report::new(
                refused.verdict,
                refused.sentence.clone(),
                <_>::default(),
                String::new(),
            ));
        }
        self.halt = Some(Halt { refused, is_synchronized: false, is_fault: true });
        Supervised { has_halted: true, ..supervised }
    }

    /// Commands the measured configuration, once the arm has braked: so drives that are released have nothing to catch up with. From then
    /// on the command follows an arm that is moved, with a dead band.
    fn follow_measurement(&mut self, motion: &mut ConfigurationMotion, watch: &Watch) {
        let Some(halt) = self.halt.as_mut().filter(|_| motion.is_at_rest()) else { return };
        let Settings { measured_timeout, measured_tolerance, .. } = watch.settings;
        let measured = watch.measured.configuration(*measured_timeout, motion.loaded(), motion.positions());
        let Ok(Some(measured)) = measured else { return };
        let deviation = Deviation::greatest(motion.loaded(), motion.positions(), &measured);
        let is_far = deviation.difference.abs() > *measured_tolerance;
        let is_new_fault = halt.is_fault && !halt.is_synchronized;
        // An arm without a fault is on its way to the command, or measured late.
        if is_far && !halt.is_fault && !watch.measured.is_at_rest(motion.loaded(), REST_TIME, watch.last_activity) {
            return;
        }
        if is_new_fault || is_far {
            motion.place(measured);
            self.following = Following::default();
        }
        halt.is_synchronized = true;
    }

    /// The reports on motions whose arm has arrived, or has not although it is no longer driven.
    fn settle(&mut self, motion: &ConfigurationMotion, is_driven: bool, watch: &Watch) -> Supervised {
        if self.settling.is_none() {
            return Supervised::default();
        }
        let fault = match watch.distance(motion) {
            Ok(None) => return self.conclude(|arrival| arrival.report, watch),
            _ if is_driven => return Supervised::default(),
            Ok(Some(deviation)) => Fault::new(deviation.sentence(motion.loaded())),
            Err(fault) => fault,
        };
        let refused = Refused { verdict: Verdict::FollowingError, kind: "arrival".into(), sentence: fault.into() };
        self.conclude(|arrival| refused.clone().report_on(arrival.report), watch)
    }

    /// Reports the `arrivals` once the arm has arrived.
    pub(super) fn wait_for(&mut self, arrivals: Vec<Arrival>, requests: u64) {
        self.settling = Some(Settling { arrivals, requests });
    }

    /// The reports on the motions that have ended, unless others were requested since.
    fn conclude(&mut self, report: impl Fn(Arrival) -> Report, watch: &Watch) -> Supervised {
        let settling = self.settling.take().filter(|settling| settling.requests == watch.requests);
        let reports = settling.map(|settling| settling.arrivals.into_iter().map(report).collect());
        Supervised { reports: reports.unwrap_or_default(), ..Supervised::default() }
    }
}
