//! The following error: deviation of the measured arm from its commands.
//!
//! Drives lag and measurements are delayed. Each new measurement of a joint is therefore compared with all commands of
//! a time window before it; while the drive follows, it is between the smallest and largest of them. An immediate
//! command is replaced by the position that a joint at its velocity limit can have reached.
//!
//! Only new measurements count, in the time of the motions: a paused simulation is no fault.

use std::collections::VecDeque;
use std::time::Instant;

use crate::robot_in_use::{LoadedRobot, Measurement};
use urdf_ik_robot::Domain;
use urdf_ik_text::names;

/// Limits of the chain's joints (one entry a variable).
#[derive(Clone, Copy)]
pub(super) struct VariableLimits<'a> {
    pub domains: &'a [Domain],
    /// Velocity limits \[rad/s or m/s\].
    pub velocities: &'a [f64],
}

/// The commands of the time window and the measurements compared with them, in the time of the motions.
#[derive(Default)]
pub(super) struct Following {
    /// \[s\], since the first command.
    time: f64,
    /// Time of the last possible movement of the joints towards their commands \[s\].
    changed: f64,
    /// The latest command: positions of the variables.
    command: Vec<f64>,
    /// Oldest first.
    reachable: VecDeque<Reachable>,
    /// Time of the last measurement of each variable: wall time and time of the motions \[s\].
    measured: Vec<Option<ComparedMeasurement>>,
    /// Start of the current driven phase \[s\].
    driven_since: f64,
    /// End of the last driven phase \[s\].
    driven_until: f64,
    /// Largest deviation of a measurement from the latest command since it was last reported.
    pub greatest: Option<Deviation>,
}

/// Reachable joint positions at a time, within the velocity limits.
struct Reachable {
    time: f64,
    positions: Vec<f64>,
}

/// Time of a compared measurement.
#[derive(Clone, Copy)]
struct ComparedMeasurement {
    at: Instant,
    time: f64,
}

/// A joint without a new measurement.
pub(super) struct Unmeasured {
    /// Index of the variable.
    pub variable: usize,
    /// \[s\].
    pub time: f64,
}

/// Deviation of a measured joint from its command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deviation {
    /// Index of the variable.
    pub variable: usize,
    /// Measurement minus command \[rad or m\].
    pub difference: f64,
}

/// A joint measured outside the range of all commands of the time window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FollowingError {
    /// From the latest command.
    pub deviation: Deviation,
    /// Distance from the nearest command of the window \[rad or m\].
    pub error: f64,
}

impl Deviation {
    /// The largest deviation of a variable of the chain between two configurations (one entry a joint).
    pub(super) fn greatest(loaded: &LoadedRobot, commanded: &[f64], measured: &[f64]) -> Self {
        let variables = loaded.chain.variables().iter().enumerate();
        let deviations = variables.map(|(index, variable)| Self {
            variable: index,
            difference: variable.domain.way(commanded[variable.joint], measured[variable.joint]),
        });
        let none = Self { variable: 0, difference: 0.0 };
        deviations.fold(none, |one, other| if other.difference.abs() > one.difference.abs() { other } else { one })
    }

    /// The joint and its difference as a sentence.
    pub(super) fn sentence(&self, loaded: &LoadedRobot) -> String {
        let variable = &loaded.chain.variables()[self.variable];
        let (joint, unit) = (names::short(&variable.name), if variable.prismatic { "m" } else { "rad" });
        format!("joint '{joint}' is measured {:.3} {unit} from its command", self.difference.abs())
    }
}

impl Following {
    /// Records `command` after another `step` seconds. Drops commands older than `window` seconds, except the last one
    /// before the window.
    pub(super) fn note(&mut self, step: f64, window: f64, command: &[f64], joints: VariableLimits) {
        if self.command.len() != command.len() {
            *self = Self { measured: vec![None; command.len()], command: command.to_vec(), ..Self::default() };
            self.reachable.push_back(Reachable { time: 0.0, positions: command.to_vec() });
        }
        self.time += step;
        self.command.copy_from_slice(command);
        let reached = |(variable, here): (usize, &f64)| {
            let farthest = joints.velocities[variable] * step;
            here + joints.domains[variable].way(*here, command[variable]).clamp(-farthest, farthest)
        };
        if let Some(last) = self.reachable.back() {
            let positions: Vec<f64> = last.positions.iter().enumerate().map(reached).collect();
            if positions != last.positions {
                self.changed = self.time;
            }
            self.reachable.push_back(Reachable { time: self.time, positions });
        }
        while self.reachable.get(1).is_some_and(|second| second.time <= self.time - window) {
            self.reachable.pop_front();
        }
    }

    /// True if the arm moves, or could have moved towards its command within the last `window` seconds.
    pub(super) fn is_driven(&mut self, moves: bool, window: f64) -> bool {
        let is_driven = moves || self.time - self.changed < window;
        if is_driven {
            self.driven_until = self.time;
        } else {
            self.driven_since = self.time;
        }
        is_driven
    }

    /// True if each variable has been measured since the arm is no longer driven.
    pub(super) fn is_measured_at_rest(&self) -> bool {
        self.measured.iter().all(|seen| seen.is_some_and(|seen| seen.time > self.driven_until))
    }

    /// Compares all measurements (one a variable, if available) that are new since the last call. Returns the
    /// following error that exceeds its bound most; `bounds` has one entry a variable \[rad or m\].
    pub(super) fn compare(
        &mut self,
        measurements: &[Option<Measurement>],
        bounds: &[f64],
        joints: VariableLimits,
    ) -> Option<FollowingError> {
        let mut worst: Option<FollowingError> = None;
        for (variable, measurement) in measurements.iter().enumerate() {
            let Some(Measurement { at, position, .. }) = *measurement else { continue };
            if self.measured[variable].is_some_and(|seen| seen.at == at) {
                continue;
            }
            self.measured[variable] = Some(ComparedMeasurement { at, time: self.time });
            let domain = &joints.domains[variable];
            let difference = domain.way(self.command[variable], position);
            if self.greatest.is_none_or(|greatest| difference.abs() > greatest.difference.abs()) {
                self.greatest = Some(Deviation { variable, difference });
            }
            let excess = |error: &FollowingError| error.error / bounds[error.deviation.variable];
            let error = self.unexplained(variable, difference, domain).abs();
            let error = FollowingError { deviation: Deviation { variable, difference }, error };
            if excess(&error) > worst.as_ref().map_or(1.0, excess) {
                worst = Some(error);
            }
        }
        worst
    }

    /// The part of a `difference` from the latest command that no command of the window explains \[rad or m\].
    fn unexplained(&self, variable: usize, difference: f64, domain: &Domain) -> f64 {
        let newest = self.command[variable];
        let behind = self.reachable.iter().map(|reachable| domain.way(newest, reachable.positions[variable]));
        let (least, greatest) =
            behind.fold((0.0_f64, 0.0_f64), |(least, greatest), way| (least.min(way), greatest.max(way)));
        difference - difference.clamp(least, greatest)
    }

    /// The variable without a measurement for longest during the driven phase.
    pub(super) fn longest_unmeasured(&self) -> Option<Unmeasured> {
        let time = |seen: &Option<ComparedMeasurement>| {
            self.time - seen.map_or(self.driven_since, |seen| seen.time.max(self.driven_since))
        };
        let times = self.measured.iter().map(time).enumerate();
        times.map(|(variable, time)| Unmeasured { variable, time }).max_by(|one, other| one.time.total_cmp(&other.time))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const STEP: f64 = 0.01;
    const WINDOW: f64 = 0.3;
    const BOUND: f64 = 0.05;
    const VELOCITIES: [f64; 1] = [1.0];

    /// The comparison of one joint that is measured at each step.
    struct OneJoint {
        following: Following,
        domains: [Domain; 1],
        at: Instant,
    }

    impl OneJoint {
        fn new(domain: Domain) -> Self {
            Self { following: Following::default(), domains: [domain], at: Instant::now() }
        }

        fn on_interval() -> Self {
            Self::new(Domain::Interval { lower: -10.0, upper: 10.0 })
        }

        /// The following error of a measurement one step later.
        fn step(&mut self, command: f64, measured: f64) -> Option<FollowingError> {
            self.at += Duration::from_secs_f64(STEP);
            self.note(command);
            let mut measurement = Measurement::new(measured, None);
            measurement.at = self.at;
            self.compare(measurement)
        }

        fn note(&mut self, command: f64) {
            let joints = VariableLimits { domains: &self.domains, velocities: &VELOCITIES };
            self.following.note(STEP, WINDOW, &[command], joints);
        }

        fn compare(&mut self, measurement: Measurement) -> Option<FollowingError> {
            let joints = VariableLimits { domains: &self.domains, velocities: &VELOCITIES };
            self.following.compare(&[Some(measurement)], &[BOUND], joints)
        }
    }

    #[test]
    fn lag_within_the_window_is_no_following_error() {
        let mut joint = OneJoint::on_interval();
        let position = |step: f64| (3.0 * STEP * step).sin() / 3.0;
        for step in 0..1000 {
            let step = f64::from(step);
            assert_eq!(joint.step(position(step), position((step - 25.0).max(0.0)) - 0.01), None);
        }
    }

    #[test]
    fn a_frozen_joint_is_noticed_once_the_commands_of_the_window_are_beyond_the_bound() {
        let mut joint = OneJoint::on_interval();
        let speed = 0.5;
        let mut command = 0.0;
        let found = std::iter::from_fn(|| {
            command += speed * STEP;
            Some(joint.step(command, 0.0))
        });
        let error = found.take(100).flatten().next().unwrap();
        assert_eq!(error.deviation.variable, 0);
        assert!((error.error - BOUND).abs() < 2.0 * speed * STEP);
        assert!((error.deviation.difference + BOUND + speed * WINDOW).abs() < 3.0 * speed * STEP, "{error:?}");
    }

    #[test]
    fn an_immediate_command_has_the_time_that_a_joint_at_its_velocity_limit_takes() {
        for (speed, follows) in [(1.0, true), (0.5, false)] {
            let mut joint = OneJoint::on_interval();
            joint.step(0.0, 0.0);
            let errors = (0..300).filter_map(|step| joint.step(2.0, (f64::from(step) * STEP * speed).min(2.0)));
            assert_eq!(errors.count() == 0, follows, "{speed}");
        }
    }

    #[test]
    fn whole_turns_of_a_continuous_joint_are_no_following_error() {
        let mut joint = OneJoint::new(Domain::Circle);
        for step in 0..2000 {
            let command = f64::from(step) * STEP;
            let measured = (command - 0.05).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI * 2.0;
            assert_eq!(joint.step(command, measured), None);
        }
        assert!(joint.step(20.0, 20.0 + std::f64::consts::PI - 0.1).is_some());
    }

    #[test]
    fn each_measurement_is_compared_once() {
        let mut joint = OneJoint::on_interval();
        joint.note(0.0);
        let measurement = Measurement::new(1.0, None);
        assert!(joint.compare(measurement).is_some_and(|error| (error.error - 1.0).abs() < 1e-12));
        assert_eq!(joint.compare(measurement), None);
        assert_eq!(joint.following.greatest.take(), Some(Deviation { variable: 0, difference: 1.0 }));
        assert_eq!(joint.following.greatest.take(), None);
    }

    #[test]
    fn the_time_without_a_measurement_counts_while_the_arm_is_driven() {
        let mut joint = OneJoint::on_interval();
        let unmeasured = |joint: &mut OneJoint, moves, steps| {
            for _ in 0..steps {
                joint.note(0.0);
                joint.following.is_driven(moves, WINDOW);
            }
            joint.following.longest_unmeasured().unwrap().time
        };
        joint.step(0.0, 0.0);
        assert!((unmeasured(&mut joint, true, 50) - 0.5).abs() < 1e-9);
        joint.step(0.0, 0.0);
        assert!(unmeasured(&mut joint, true, 10) < 0.11);
        // A pause resets the time.
        assert!(unmeasured(&mut joint, false, 100) < 1e-9);
    }

    #[test]
    fn only_measurements_after_the_driven_phase_are_those_of_an_arm_at_rest() {
        let mut joint = OneJoint::on_interval();
        joint.step(0.0, 0.0);
        joint.note(0.1);
        while joint.following.is_driven(false, WINDOW) {
            assert_eq!(joint.compare(Measurement::new(0.06, None)), None);
            joint.note(0.1);
        }
        assert!(!joint.following.is_measured_at_rest());
        joint.step(0.1, 0.1);
        assert!(joint.following.is_measured_at_rest());
    }

    #[test]
    fn an_arm_is_driven_until_its_command_has_rested_for_the_window() {
        let mut joint = OneJoint::on_interval();
        joint.note(0.0);
        joint.note(0.1);
        let steps = (0..100).take_while(|_| {
            joint.note(0.1);
            joint.following.is_driven(false, WINDOW)
        });
        // At its velocity limit the joint needs ten steps.
        assert!((38..=41).contains(&steps.count()));
    }
}
