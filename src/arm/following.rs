//! The following error: how far the measured arm is from its commands.
//!
//! Drives lag, and measurements come late. So each new measurement of a joint is compared with all commands of a time window before it, and
//! lies between the least and the greatest of them while the drive follows. An immediate command leaps; in its place counts where a joint
//! at its velocity limit can be by then.

use std::collections::VecDeque;
use std::time::Instant;

use crate::robot_in_use::{LoadedRobot, Measurement};
use urdf_ik_robot::{Domain, JointKind};
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
    /// When the command changed last \[s\].
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
        let is_prismatic = loaded.robot.joints()[variable.joint].kind == JointKind::Prismatic;
        let (joint, unit) = (names::short(&variable.name), if is_prismatic { "m" } else { "rad" });
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
        if self.command != command {
            self.command = command.to_vec();
            self.changed = self.time;
        }
        let reached = |(variable, here): (usize, &f64)| {
            let farthest = joints.velocities[variable] * step;
            here + joints.domains[variable].way(*here, command[variable]).clamp(-farthest, farthest)
        };
        if let Some(last) = self.reachable.back() {
            let positions = last.positions.iter().enumerate().map(reached).collect();
            self.reachable.push_back(Reachable { time: self.time, positions });
        }
        while self.reachable.get(1).is_some_and(|second| second.time <= self.time - window) {
            self.reachable.pop_front();
        }
    }

    /// Whether the arm is driven: it moves, or its command changed within the last `window` seconds.
    pub(super) fn is_driven(&mut self, moves: bool, window: f64) -> bool {
        let is_driven = moves || self.time - self.changed < window;
        if !is_driven {
            self.driven_since = self.time;
        }
        is_driven
    }

    /// Compares the measurements (one a variable, where there is one) that are new since the last call. Gives the deviation that exceeds
    /// its bound most: `bounds` has one entry a variable \[rad or m\].
    pub(super) fn compare(
        &mut self,
        measurements: &[Option<Measurement>],
        bounds: &[f64],
        joints: Joints,
    ) -> Option<Deviation> {
        let mut worst: Option<Deviation> = None;
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
            let excess = |deviation: &Deviation| deviation.difference.abs() / bounds[deviation.variable];
            let deviation = Deviation { variable, difference: self.deviation(variable, difference, domain) };
            if excess(&deviation) > worst.as_ref().map_or(1.0, excess) {
                worst = Some(deviation);
            }
        }
        worst
    }

    /// The part of a `difference` from the newest command that no command of the window explains \[rad or m\].
    fn deviation(&self, variable: usize, difference: f64, domain: &Domain) -> f64 {
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
