//! The following error: how far the measured arm is from its commands.
//!
//! Drives lag, and measurements come late. So each new measurement of a joint is compared with all commands of a time window before it, and
//! lies between the least and the greatest of them while the drive follows. An immediate command leaps; in its place counts where a joint
//! at its velocity limit can be by then.

use std::collections::VecDeque;
use std::time::Instant;

use crate::robot_in_use::{LoadedRobot, Measurement};
use urdf_ik_robot::Domain;
use urdf_ik_text::names;

/// The joints of a chain as the comparison sees them: one entry a variable.
#[derive(Clone, Copy)]
pub(super) struct Joints<'a> {
    pub domains: &'a [Domain],
    /// Velocity limits \[rad/s or m/s\].
    pub velocities: &'a [f64],
}

/// The commands of the time window, and the measurements that were compared with them. Its time is that of the motions.
#[derive(Default)]
pub(super) struct Following {
    /// \[s\], since the first command.
    time: f64,
    /// When the joints could last have moved towards their commands \[s\].
    changed: f64,
    /// The newest command: positions of the variables.
    command: Vec<f64>,
    /// The oldest first.
    reachable: VecDeque<Reachable>,
    /// The last measurement of each variable: when it came, and the time of the motions by then \[s\].
    measured: Vec<Option<Seen>>,
    /// Since when the arm has been driven \[s\].
    driven_since: f64,
    /// The greatest difference of a measurement from the newest command since it was taken last.
    greatest: Option<Deviation>,
}

/// Where the joints can be at a time, within their velocity limits.
struct Reachable {
    time: f64,
    positions: Vec<f64>,
}

/// A measurement that was compared.
#[derive(Clone, Copy)]
struct Seen {
    at: Instant,
    time: f64,
}

/// A joint without a new measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unmeasured {
    /// Index of the variable.
    pub variable: usize,
    /// \[s\].
    pub time: f64,
}

/// A joint that is not where it is commanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deviation {
    /// Index of the variable.
    pub variable: usize,
    /// Measurement minus command \[rad or m\].
    pub difference: f64,
}

/// A joint that is measured where none of the commands of the time window was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FollowingError {
    /// From the newest command.
    pub deviation: Deviation,
    /// Distance from the nearest command of the window \[rad or m\].
    pub error: f64,
}

impl Deviation {
    /// The greatest of the chain's variables between two configurations (one entry a joint).
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
    /// Notes the `command` after another `step` seconds. Commands older than `window` seconds are dropped, except for the one in force
    /// when the window begins.
    pub(super) fn note(&mut self, step: f64, window: f64, command: &[f64], joints: Joints) {
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

    /// Whether the arm is driven: it moves, or could have moved towards its command within the last `window` seconds.
    pub(super) fn is_driven(&mut self, moves: bool, window: f64) -> bool {
        let is_driven = moves || self.time - self.changed < window;
        if !is_driven {
            self.driven_since = self.time;
        }
        is_driven
    }

    /// Compares the measurements (one a variable, where there is one) that are new since the last call. Returns the following error that
    /// exceeds its bound most: `bounds` has one entry a variable \[rad or m\].
    pub(super) fn compare(
        &mut self,
        measurements: &[Option<Measurement>],
        bounds: &[f64],
        joints: Joints,
    ) -> Option<FollowingError> {
        let mut worst: Option<FollowingError> = None;
        for (variable, measurement) in measurements.iter().enumerate() {
            let Some(Measurement { at, position, .. }) = *measurement else { continue };
            if self.measured[variable].is_some_and(|seen| seen.at == at) {
                continue;
            }
            self.measured[variable] = Some(Seen { at, time: self.time });
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

    /// The part of a `difference` from the newest command that no command of the window explains \[rad or m\].
    fn unexplained(&self, variable: usize, difference: f64, domain: &Domain) -> f64 {
        let newest = self.command[variable];
        let behind = self.reachable.iter().map(|reachable| domain.way(newest, reachable.positions[variable]));
        let (least, greatest) =
            behind.fold((0.0_f64, 0.0_f64), |(least, greatest), way| (least.min(way), greatest.max(way)));
        difference - difference.clamp(least, greatest)
    }

    /// The variable without a measurement for longest, while the arm has been driven.
    pub(super) fn longest_unmeasured(&self) -> Option<Unmeasured> {
        let time =
            |seen: &Option<Seen>| self.time - seen.map_or(self.driven_since, |seen| seen.time.max(self.driven_since));
        let times = self.measured.iter().map(time).enumerate();
        times.map(|(variable, time)| Unmeasured { variable, time }).max_by(|one, other| one.time.total_cmp(&other.time))
    }

    /// The greatest difference of a measurement from the newest command since this was asked last.
    pub(super) fn take_greatest(&mut self) -> Option<Deviation> {
        self.greatest.take()
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

    /// The comparison of one joint, whose measurements come at each step.
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

        /// One step later: the following error of a measurement.
        fn step(&mut self, command: f64, measured: f64) -> Option<FollowingError> {
            self.at += Duration::from_secs_f64(STEP);
            self.note(command);
            let mut measurement = Measurement::new(measured, None);
            measurement.at = self.at;
            self.compare(measurement)
        }

        fn note(&mut self, command: f64) {
            let joints = Joints { domains: &self.domains, velocities: &VELOCITIES };
            self.following.note(STEP, WINDOW, &[command], joints);
        }

        fn compare(&mut self, measurement: Measurement) -> Option<FollowingError> {
            let joints = Joints { domains: &self.domains, velocities: &VELOCITIES };
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
        assert_eq!(joint.following.take_greatest(), Some(Deviation { variable: 0, difference: 1.0 }));
        assert_eq!(joint.following.take_greatest(), None);
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
        // A pause ends the count.
        assert!(unmeasured(&mut joint, false, 100) < 1e-9);
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
        // At its velocity limit the joint takes ten steps to come there.
        assert!((38..=41).contains(&steps.count()));
    }
}
