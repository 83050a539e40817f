//! Supervision of a measured arm: following errors halt it, and success is reported on arrival.
//!
//! A halted arm is commanded to its measured position once it has braked, and then with a dead band: released drives
//! have no distance to catch up, and an arm that sags does not sink.

use urdf_ik_robot::Variable;
use urdf_ik_text::names;

use super::activity::{Activity, REST_TIME};
use super::configuration_motion::ConfigurationMotion;
use super::following::{Deviation, Following, FollowingError, Unmeasured, VariableLimits};
use super::progress::ArrivalReport;
use crate::reports::{Fault, Refused, Report, TargetOutcome, fault};
use crate::robot_in_use::{LoadedRobot, Measured, Measurement};
use urdf_ik_parameters::{FollowingErrorSettings, Settings};

/// Fraction of `measured_timeout` without measurements after which a warning is logged.
const SHARE_OF_TIMEOUT_TO_WARN: f64 = 0.5;

/// The supervision of one robot.
#[derive(Default)]
pub(super) struct Supervision {
    following: Following,
    halt: Option<Halt>,
    settling: Option<Settling>,
}

/// A halt of the arm, during which commands are refused.
struct Halt {
    refused: Refused,
    /// True if the command already equals the measured configuration.
    is_synchronized: bool,
    /// True if the command is replaced at any distance from the arm.
    is_fault: bool,
}

/// Ended motions whose arm has not arrived yet.
struct Settling {
    arrivals: Vec<ArrivalReport>,
    /// Number of requests at the end of the motions. Any newer request replaces them.
    requests: u64,
}

/// The inputs of a tick.
pub(super) struct SupervisionInput<'a> {
    pub measured: &'a Measured,
    pub settings: &'a Settings,
    /// Elapsed time \[s\].
    pub step: f64,
    pub activity: Activity,
}

/// The results of a tick.
#[derive(Default)]
pub(super) struct Supervised {
    /// Reports on ended motions.
    pub reports: Vec<Report>,
    /// True if the arm halts from now on.
    pub has_halted: bool,
    /// Warning of an imminent halt because of missing measurements.
    pub warning: Option<Fault>,
}

impl SupervisionInput<'_> {
    /// The largest deviation, if the arm is measured farther than `measured_tolerance` from its command.
    fn distance(&self, motion: &ConfigurationMotion) -> Result<Option<Deviation>, Fault> {
        let (loaded, positions) = (&motion.loaded, motion.positions());
        let measured = self.measured.configuration(self.settings.measured_timeout, loaded, positions)?;
        let deviation = measured.map(|measured| Deviation::greatest(loaded, positions, &measured));
        Ok(deviation.filter(|deviation| deviation.difference.abs() > self.settings.measured_tolerance))
    }

    /// True if a success has to wait because the arm is measured away from an immediate command.
    pub(super) fn has_to_settle(&self, motion: &ConfigurationMotion) -> bool {
        self.settings.following_error.enabled && !matches!(self.distance(motion), Ok(None))
    }
}

impl Supervision {
    /// # Errors
    /// [`Refused`] while commands are refused.
    pub(super) fn check_accepting(&self) -> Result<(), Refused> {
        self.halt.as_ref().map_or(Ok(()), |halt| Err(halt.refused.clone()))
    }

    /// True if commands are refused and the command already equals the measured configuration.
    pub(super) fn is_synchronized(&self) -> bool {
        self.halt.as_ref().is_some_and(|halt| halt.is_synchronized)
    }

    /// True if a success waits for the arm.
    pub(super) fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// Refuses commands until [`Supervision::resume`]. Once the arm is at rest, the command is set to its measured
    /// configuration, except within `measured_tolerance`: an arm that sags would sink.
    pub(super) fn synchronize(&mut self, refused: Refused) {
        let is_fault = self.halt.as_ref().is_some_and(|halt| halt.is_fault && !halt.is_synchronized);
        self.halt = Some(Halt { refused, is_synchronized: false, is_fault });
    }

    /// Accepts commands again.
    pub(super) fn resume(&mut self) {
        self.halt = None;
    }

    /// The largest deviation between measurement and command since the last call.
    pub(super) fn take_greatest_difference(&mut self) -> Option<Deviation> {
        self.following.greatest.take()
    }

    /// Supervises the arm after a step of its motion. `ended` are the reports of an ended motion.
    pub(super) fn tick(
        &mut self,
        motion: &mut ConfigurationMotion,
        ended: Vec<ArrivalReport>,
        input: &SupervisionInput,
    ) -> Supervised {
        let settings = &input.settings.following_error;
        let loaded = motion.loaded.clone();
        let domains = loaded.chain.domains();
        let joints = VariableLimits { domains: &domains, velocities: motion.velocity_limits() };
        let window = settings.window.as_secs_f64();
        self.following.note(input.step, window, &loaded.chain.positions_from(motion.positions()), joints);
        if !ended.is_empty() {
            self.wait_for(ended, input.activity.requests);
        }
        let is_driven = self.following.is_driven(!motion.is_at_rest(), window);
        let measurements = input.measured.of_variables(input.settings.measured_timeout, &loaded);
        let Some(measurements) = measurements.filter(|_| settings.enabled || self.halt.is_some()) else {
            return self.take_reports(|arrival| arrival.report, input);
        };
        let error = self.following_error(&measurements, joints, &loaded, settings);
        if self.halt.is_some() {
            self.follow_measurement(motion, input);
        }
        let is_watched = is_driven && input.activity.is_commanded && self.halt.is_none();
        if let Some(fault) = error.filter(|_| is_watched) {
            return self.halt(motion, &fault, input);
        }
        let unmeasured = self.following.longest_unmeasured().filter(|_| is_watched);
        let Some(Unmeasured { variable, time }) = unmeasured else { return self.settle(motion, is_driven, input) };
        let timeout = input.settings.measured_timeout.as_secs_f64();
        let joint = names::short(&loaded.chain.variables()[variable].name);
        let missing =
            || fault!("joint '{joint}' has not been measured for {time:.2} s (measured_timeout is {timeout} s)");
        if time > timeout {
            return self.halt(motion, &missing(), input);
        }
        let warning = (time > SHARE_OF_TIMEOUT_TO_WARN * timeout).then(missing);
        Supervised { warning, ..self.settle(motion, is_driven, input) }
    }

    /// The following error that exceeds its bound, if any.
    fn following_error(
        &mut self,
        measurements: &[Option<Measurement>],
        joints: VariableLimits,
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
    fn halt(&mut self, motion: &mut ConfigurationMotion, fault: &Fault, input: &SupervisionInput) -> Supervised {
        let sentence = format!("{fault}: the arm has stopped; check its drives, then call ~/resume");
        log::error!("following error: {sentence}");
        let refused = Refused { outcome: TargetOutcome::FollowingError, kind: "following error".into(), sentence };
        let arrivals = motion.halt();
        if !arrivals.is_empty() {
            self.wait_for(arrivals, input.activity.requests);
        }
        let mut supervised = self.take_reports(|arrival| refused.clone().report_on(arrival.report), input);
        if supervised.reports.is_empty() {
            supervised.reports.push(refused.clone().report(<_>::default(), String::new()));
        }
        self.halt = Some(Halt { refused, is_synchronized: false, is_fault: true });
        Supervised { has_halted: true, ..supervised }
    }

    /// Commands the measured configuration once the arm has braked: released drives have nothing to catch up with.
    /// Afterwards the command follows an arm that is moved, with a dead band.
    fn follow_measurement(&mut self, motion: &mut ConfigurationMotion, input: &SupervisionInput) {
        let Some(halt) = self.halt.as_mut().filter(|_| motion.is_at_rest()) else { return };
        let Settings { measured_timeout, measured_tolerance, .. } = input.settings;
        let measured = input.measured.configuration(*measured_timeout, &motion.loaded, motion.positions());
        let Ok(Some(measured)) = measured else { return };
        let deviation = Deviation::greatest(&motion.loaded, motion.positions(), &measured);
        let is_far = deviation.difference.abs() > *measured_tolerance;
        let is_new_fault = halt.is_fault && !halt.is_synchronized;
        // An arm without a fault is still moving to its command, or is measured late.
        if is_far && !halt.is_fault && !input.measured.is_at_rest(&motion.loaded, REST_TIME, input.activity.last) {
            return;
        }
        if is_new_fault || is_far {
            motion.place(measured);
            self.following = Following::default();
        }
        halt.is_synchronized = true;
    }

    /// The reports on motions whose arm has arrived, or is no longer driven without having arrived.
    fn settle(&mut self, motion: &ConfigurationMotion, is_driven: bool, input: &SupervisionInput) -> Supervised {
        if self.settling.is_none() {
            return Supervised::default();
        }
        let fault = match input.distance(motion) {
            Ok(None) => return self.take_reports(|arrival| arrival.report, input),
            _ if is_driven => return Supervised::default(),
            // An older measurement shows where the arm was on its way.
            Ok(Some(_)) if !self.following.is_measured_at_rest() => return Supervised::default(),
            Ok(Some(deviation)) => Fault::new(deviation.sentence(&motion.loaded)),
            Err(fault) => fault,
        };
        let refused = Refused { outcome: TargetOutcome::FollowingError, ..Refused::invalid("arrival", fault) };
        self.take_reports(|arrival| refused.clone().report_on(arrival.report), input)
    }

    /// Defers the `arrivals` until the arm has arrived.
    pub(super) fn wait_for(&mut self, arrivals: Vec<ArrivalReport>, requests: u64) {
        self.settling = Some(Settling { arrivals, requests });
    }

    /// The reports on ended motions, unless there was a newer request.
    fn take_reports(&mut self, report: impl Fn(ArrivalReport) -> Report, input: &SupervisionInput) -> Supervised {
        let settling = self.settling.take().filter(|settling| settling.requests == input.activity.requests);
        let reports = settling.map(|settling| settling.arrivals.into_iter().map(report).collect());
        Supervised { reports: reports.unwrap_or_default(), ..Supervised::default() }
    }
}
