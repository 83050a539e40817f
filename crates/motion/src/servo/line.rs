//! The line of the tips: constant commands have one, those of a hand none.

use nalgebra::{ComplexField, Isometry3, UnitQuaternion, Vector3, Vector6};

use super::command::{Aim, Axes};
use super::constants::{HAND_TIME, REACTION_TIME, SAME, TURN};
use urdf_ik_mathematics::spatial::stacked;
use urdf_ik_mathematics::vectors::{dot, length, normalise};

/// How the tips follow the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracking {
    /// They do not: without a command for the tips, the joints come to rest.
    Coasting,
    /// They follow it exactly, along a line.
    Line,
    /// They approach a new line: their velocity beside it comes to rest.
    Entering,
    /// They move as near to the command as possible, because the line ends or a joint limit leaves it little speed.
    Deviating,
    /// They move as near to the command as possible, because it turns all the time.
    Hand,
}

/// The line of all tips. Velocities have six entries for each tip (linear, then angular), along the axes of the tip's
/// command; linear ones are divided by the length that counts as one radian.
#[derive(Debug, Clone)]
pub struct Line {
    /// How the tips follow the command.
    pub tracking: Tracking,
    /// The points of the line nearest to the tips: one pose for each tip, in the base link's frame.
    pub references: Vec<Isometry3<f64>>,
    axes: Vec<Axes>,
    /// Unit vector along the line.
    heading: Vec<f64>,
    /// The commanded speed along the line, over all tips \[rad/s\].
    pub speed: f64,
    /// True if the tips are commanded to stop on the line.
    pub stops: bool,
    /// Length of the line up to the commanded poses \[rad\]; infinite for twists.
    pub length: f64,
    /// The part of the command that has a line, and its mean.
    steady: Vec<f64>,
    mean: Vec<f64>,
    /// Times since the last turn of the command, and since the one before \[s\]. They are short for a hand's command.
    pub since_turns: [f64; 2],
    /// Metres that count as much as a radian.
    radian: f64,
}

impl Line {
    /// No line, for a number of tips. `radian` is the length that counts as one radian \[m\].
    pub fn new(tips: usize, radian: f64) -> Self {
        let zeros = vec![0.0; 6 * tips];
        Self {
            tracking: Tracking::Coasting,
            references: vec![Isometry3::identity(); tips],
            axes: vec![Axes::Base; tips],
            heading: zeros.clone(),
            speed: 0.0,
            stops: true,
            length: f64::INFINITY,
            steady: zeros.clone(),
            mean: zeros,
            since_turns: [f64::INFINITY; 2],
            radian,
        }
    }

    /// Stops following commands. The references stay until the joints rest.
    pub fn coast(&mut self) {
        (self.tracking, self.stops) = (Tracking::Coasting, true);
    }

    /// Forgets the line.
    pub fn clear(&mut self) {
        self.coast();
        self.since_turns = [f64::INFINITY; 2];
        self.heading.fill(0.0);
        self.mean.fill(0.0);
    }

    /// Updates the line from the commanded velocities `command` (six entries for each tip \[rad/s\]) and the aims of
    /// the tips, after a period of `period` \[s\]. Beside twists, poses have no line of their own.
    pub fn take(&mut self, command: &[f64], aims: &[Aim], period: f64) {
        self.since_turns.iter_mut().for_each(|time| *time += period);
        self.steady.copy_from_slice(command);
        if aims.iter().any(Aim::is_twist) {
            let poses = self.steady.chunks_exact_mut(6).zip(aims).filter(|(_, aim)| aim.is_pose());
            poses.for_each(|(velocities, _)| velocities.fill(0.0));
        }
        let size = length(&self.steady);
        self.stops = size == 0.0;
        if self.stops {
            return;
        }
        let turns_far =
            !self.axes.iter().copied().eq(aims.iter().map(Aim::axes)) || dot(&self.steady, &self.heading) < TURN * size;
        // In twice that time, noise of 5 % on each axis turns the mean by less than 3°.
        let share = if turns_far { 1.0 } else { (period / (2.0 * REACTION_TIME)).min(1.0) };
        self.mean.iter_mut().zip(&self.steady).for_each(|(mean, entry)| *mean += share * (entry - *mean));
        self.axes.iter_mut().zip(aims).for_each(|(axes, aim)| *axes = aim.axes());
        if turns_far || dot(&self.mean, &self.heading) < SAME * length(&self.mean) {
            self.since_turns = [0.0, self.since_turns[0]];
            self.tracking = Tracking::Entering;
        }
        let is_hand = self.since_turns[1] < HAND_TIME;
        if is_hand || !matches!(self.tracking, Tracking::Line | Tracking::Deviating) {
            self.tracking = if is_hand { Tracking::Hand } else { Tracking::Entering };
            self.heading.copy_from_slice(if is_hand { &self.steady } else { &self.mean });
            normalise(&mut self.heading);
        }
        self.speed = dot(&self.steady, &self.heading).max(0.0);
    }

    /// The direction of a tip whose command counts along the axes of `pose` (in the base link's frame): linear, then
    /// angular part, along the base link's axes. The directions of all tips together are a unit vector.
    pub fn direction(&self, tip: usize, pose: &Isometry3<f64>) -> Vector6<f64> {
        let direction = Vector6::from_column_slice(&self.heading[6 * tip..6 * tip + 6]);
        self.axes[tip].to_base(pose, &direction)
    }

    /// The pose of a tip on the line at the distance `progress` from its reference \[rad\], in the base link's frame.
    pub fn ahead(&self, tip: usize, progress: f64) -> Isometry3<f64> {
        let reference = &self.references[tip];
        let way = Vector6::from_column_slice(&self.heading[6 * tip..6 * tip + 6]) * progress;
        let linear: Vector3<f64> = way.fixed_rows::<3>(0) * self.radian;
        let angular: Vector3<f64> = way.fixed_rows::<3>(3).into();
        match self.axes[tip] {
            Axes::Base => Isometry3::from_parts(
                (reference.translation.vector + linear).into(),
                UnitQuaternion::from_scaled_axis(angular) * reference.rotation,
            ),
            Axes::Tip => reference * screw(&linear, &angular),
        }
    }
}

/// The motion of a frame that has a constant twist in its own axes, `linear` \[m\] and `angular` \[rad\], for one unit
/// of time: along the axis of the rotation as far as the twist leads, and across it along the chord of an arc, whose
/// direction is that after half the time.
fn screw(linear: &Vector3<f64>, angular: &Vector3<f64>) -> Isometry3<f64> {
    let axis = angular.try_normalize(0.0).unwrap_or_default();
    let along = axis * axis.dot(linear);
    let half = UnitQuaternion::from_scaled_axis(angular * 0.5);
    let chord = half * (linear - along) * (0.5 * angular.norm()).sinc();
    Isometry3::from_parts((along + chord).into(), UnitQuaternion::from_scaled_axis(*angular))
}

/// A `twist` (linear, then angular) with its linear part divided by `radian` \[m\], the length that counts as one
/// radian.
pub fn over_radian(twist: &Vector6<f64>, radian: f64) -> Vector6<f64> {
    stacked(&(twist.fixed_rows::<3>(0) / radian), &twist.fixed_rows::<3>(3).into_owned())
}
