//! The rows of the tips' velocities, and how much each of them counts.

use nalgebra::{Isometry3, Vector6};

use super::command::Aim;
use super::constants::{ALMOST_ALL, FIRST, LEAST, PLANNED, REACTION_TIME, RETURN_RATE, STRICT, TINY};
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::line::{Line, Tracking, over_radian};
use super::options::{Priority, ServoOptions};
use super::stacked_jacobian::StackedJacobian;
use crate::contact_rows::{Contact, ContactRows};
use urdf_ik_mathematics::spatial::stacked;
use urdf_ik_mathematics::vectors::{add_times, dot, length};

/// How much a row of the tips' velocities counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Of a tip without a command: more than all others.
    Hold,
    /// Along a line more than the speed.
    Exact,
    /// It may deviate up to a bound.
    Slack,
    /// As far as the arm can: less than the speed. Also of a pose beside twists.
    Least,
    /// Not at all.
    Free,
}

/// The motion of a tip towards a pose.
#[derive(Debug, Clone, Copy)]
pub struct Approach {
    /// Along the axes of the base link \[rad/s\].
    pub velocity: Vector6<f64>,
    /// True if a maximum speed limits it.
    pub is_far: bool,
}

/// The goal of the tips in a period, within the limits of the joints.
#[derive(Debug, Clone)]
pub struct Goal {
    /// The command of each tip.
    pub aims: Vec<Aim>,
    pub line: Line,
    /// Constrained axes of each tip, and the kinds of its six rows.
    pub held_axes: Vec<HeldAxes>,
    pub kinds: Vec<RowKind>,
    /// Free axes of each tip that has fewer than six independent ones.
    pub free_for_arm: Vec<[bool; 6]>,
    pub limits: Vec<Limits>,
    pub options: ServoOptions,
    pub contacts: ContactRows,
    /// Positions at which the contacts were found.
    pub contacts_at: Vec<f64>,
    /// Motion towards a contact that a stop beside it may need \[rad or m\].
    pub contact_stop: f64,
    /// Length that counts as much as a radian \[m\].
    pub radian: f64,
}

impl Goal {
    /// True if the motion nearest to the command is wanted.
    pub fn is_nearest(&self) -> bool {
        self.line.tracking.is_nearest()
    }

    /// True if the tips are not on a line.
    pub fn is_loose(&self) -> bool {
        self.is_nearest() || self.line.tracking == Tracking::Entering
    }

    /// True if joints approach their limits gradually, so that others take over.
    pub fn is_soft(&self) -> bool {
        let rows = self.kinds.iter().filter(|kind| !matches!(kind, RowKind::Free | RowKind::Slack)).count();
        self.is_nearest() || self.limits.len() > rows
    }

    /// The factor, at most 1, by which velocities of the joints have to be scaled: for the maximum speeds of the tips, and
    /// where they are not on a line, for the commanded one.
    pub fn speed_factor(&self, place: &Place, velocities: &[f64]) -> f64 {
        let factor = |tip| self.options.factor(&place.jacobian.twist(tip, velocities), 1.0);
        let most = (0..self.aims.len()).map(factor).fold(1.0, f64::min);
        if !self.is_nearest() {
            return most;
        }
        most.min(self.line.speed / place.speed(&self.kinds, velocities))
    }

    /// Distance to a stop of joints that have these velocities and become faster until the next look.
    pub fn stop(&self, velocities: &[f64]) -> f64 {
        let rates = Limits::least(&self.limits).times(PLANNED);
        rates.stop(length(velocities) + REACTION_TIME * rates.acceleration, 0.0).0
    }

    /// How far the joints may move towards a contact from other positions, to first order; negative where it is too near.
    /// Beside a contact a stop needs a part of its distance.
    pub fn contact_room(&self, row: usize, positions: &[f64]) -> f64 {
        let gradient = &self.contacts.gradients[row * positions.len()..][..positions.len()];
        let room = self.contacts.room[row] + dot(gradient, positions) - dot(gradient, &self.contacts_at);
        let is_face = matches!(self.contacts.contact(row), Some(Contact::Face(_)));
        if is_face && !self.is_nearest() { room } else { room - self.contact_stop }
    }

    /// The approach of a tip at `now` to a pose: in proportion to the distance, within the maximum speeds.
    pub fn approach(&self, tip: usize, now: &Isometry3<f64>, pose: &Isometry3<f64>) -> Approach {
        let held = self.held_axes[tip];
        let way = held.way(now, pose);
        if over_radian(&way, self.radian).norm() < TINY {
            return Approach { velocity: Vector6::zeros(), is_far: false };
        }
        let turn = held.frame(now) * way.fixed_rows::<3>(3).into_owned();
        let twist = stacked(&way.fixed_rows::<3>(0).into_owned(), &turn) * RETURN_RATE;
        let factor = self.options.factor(&twist, 1.0);
        Approach { velocity: over_radian(&(twist * factor), self.radian), is_far: factor < 1.0 }
    }

    /// True for the pose of a hand: one that moves, and on an arm that has no line to most poses, one that is far.
    pub fn is_of_hand(&self, tip: usize, before: &Aim, approach: &Approach) -> bool {
        let moves = before.is_pose() && *before != self.aims[tip];
        self.options.max_deviation_angle > 0.0 && (moves || self.lacks_rotations(tip) && approach.is_far)
    }

    /// True if the arm cannot constrain all rotations of a tip.
    fn lacks_rotations(&self, tip: usize) -> bool {
        self.free_for_arm[tip].contains(&true)
    }

    /// Constrains the axes of a tip for its command, `beside` twists of other tips or not.
    pub fn take(&mut self, tip: usize, beside: bool) {
        let aim = self.aims[tip];
        let held = HeldAxes::of(&aim, self.options.free_axes, self.free_for_arm[tip]);
        self.held_axes[tip] = held;
        let (commands, slack) = (aim.commands(), self.options.slack);
        let lacks = self.lacks_rotations(tip);
        let is_mixed = commands[0] != commands[1];
        for row in 0..6 {
            self.kinds[6 * tip + row] = match row / 3 {
                1 if !held.holds(row - 3) => RowKind::Free,
                1 if lacks && !aim.is_pose() => RowKind::Least,
                _ if beside && aim.is_pose() => RowKind::Least,
                _ if aim == Aim::Hold => RowKind::Hold,
                part if is_mixed && !lacks && !commands[part] && slack[part] > 0.0 => RowKind::Slack,
                _ => RowKind::Exact,
            };
        }
    }

    /// Weight of a row over the speed along the line.
    pub fn weight(&self, row: usize) -> f64 {
        match self.kinds[row] {
            RowKind::Free => 0.0,
            RowKind::Hold => STRICT,
            RowKind::Slack if self.is_nearest() => FIRST,
            _ if self.is_nearest() => self.priority(row / 6, row / 3 % 2),
            RowKind::Exact => STRICT,
            RowKind::Least if !self.aims[row / 6].is_pose() => LEAST,
            RowKind::Slack | RowKind::Least => 1.0,
        }
    }

    /// Weight of the translation or the rotation of a tip where only a part of a twist is possible.
    fn priority(&self, tip: usize, part: usize) -> f64 {
        let is_second = match self.options.priority {
            _ if self.aims[tip].is_pose() && self.lacks_rotations(tip) => part == 1,
            _ if self.line.tracking != Tracking::Deviating => false,
            Priority::Translation => part == 1,
            Priority::Rotation => part == 0,
            Priority::Both => false,
        };
        if is_second { 1.0 / FIRST } else { 1.0 }
    }

    /// Maximum deviation of three uncommanded rows that is planned \[rad\].
    pub fn slack(&self, first: usize) -> f64 {
        let [translation, rotation] = self.options.slack.map(|most| ALMOST_ALL * most);
        if first.is_multiple_of(6) { translation / self.radian } else { rotation }
    }
}

/// The rows at one configuration.
#[derive(Debug, Clone)]
pub struct Place {
    pub jacobian: StackedJacobian,
    /// One row after the other, rotations along the axes of the tips' frames.
    pub rows: Vec<f64>,
    /// The direction of the line, a unit vector.
    pub direction: Vec<f64>,
    /// Velocities of the rows besides that along the line.
    pub wanted: Vec<f64>,
    /// Speed along the line for unit velocities of the joints.
    pub along: Vec<f64>,
    /// Deviation from the line.
    pub error: Vec<f64>,
    /// Accelerations of the rows by the velocities of the joints.
    pub bias: Vec<f64>,
}

impl Place {
    pub fn new(jacobian: StackedJacobian) -> Self {
        let zeros = vec![0.0; 6 * jacobian.tips().len()];
        let along = vec![0.0; jacobian.rows.len() / zeros.len()];
        Self {
            rows: jacobian.rows.clone(),
            direction: zeros.clone(),
            wanted: zeros.clone(),
            along,
            error: zeros.clone(),
            bias: zeros,
            jacobian,
        }
    }

    /// Computes rows at `positions`, and the direction of the line so far ahead.
    pub fn find(&mut self, positions: &[f64], goal: &Goal, progress: f64) {
        self.jacobian.find(positions);
        self.rows.clear();
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let pose = self.jacobian.tips()[tip];
            let (frame, direction) = (held.frame(&pose), held.in_frame(&goal.line.direction(tip, progress), &pose));
            for row in 0..6 {
                self.jacobian.push_row(6 * tip + row, &frame, &mut self.rows);
            }
            self.direction[6 * tip..6 * tip + 6].copy_from_slice(direction.as_slice());
            let wanted = match &goal.aims[tip] {
                Aim::Pose(aim) if goal.kinds[6 * tip] == RowKind::Least => goal.approach(tip, &pose, aim).velocity,
                _ => Vector6::zeros(),
            };
            self.wanted[6 * tip..6 * tip + 6].copy_from_slice(held.in_frame(&wanted, &pose).as_slice());
        }
        self.along.fill(0.0);
        for (row, part) in self.rows.chunks_exact(positions.len()).zip(&self.direction) {
            add_times(&mut self.along, *part, row);
        }
    }

    /// Computes the deviation from the line, so far ahead. Without a line there is none.
    pub fn find_error(&mut self, goal: &Goal, progress: f64) {
        if goal.line.tracking != Tracking::Line {
            return self.error.fill(0.0);
        }
        self.find_offset(goal, progress);
        let along = dot(&self.error, &self.direction);
        add_times(&mut self.error, -along, &self.direction);
    }

    /// Computes the deviation from the point of the line so far ahead.
    pub fn find_offset(&mut self, goal: &Goal, progress: f64) {
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let way = held.way(&self.jacobian.tips()[tip], &goal.line.ahead(tip, progress));
            self.error[6 * tip..6 * tip + 6].copy_from_slice(over_radian(&-way, goal.radian).as_slice());
        }
    }

    /// Computes the accelerations of the rows by these velocities of the joints.
    pub fn find_bias(&mut self, velocities: &[f64], goal: &Goal) {
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let pose = &self.jacobian.tips()[tip];
            let bias = over_radian(&held.in_frame(&self.jacobian.acceleration(tip, velocities), pose), goal.radian);
            self.bias[6 * tip..6 * tip + 6].copy_from_slice(bias.as_slice());
        }
    }

    /// Acceleration along the line by the velocities of the joints.
    pub fn bias_along(&self) -> f64 {
        dot(&self.bias, &self.direction)
    }

    /// The rows one after the other.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks_exact(self.rows.len() / self.direction.len())
    }

    /// Writes a row without its part along the line.
    pub fn write_beside(&self, row: usize, beside: &mut [f64]) {
        let n = self.along.len();
        beside.copy_from_slice(&self.rows[row * n..][..n]);
        add_times(beside, -self.direction[row], &self.along);
    }

    /// Speed of the tips along all rows that count.
    pub fn speed(&self, kinds: &[RowKind], velocities: &[f64]) -> f64 {
        let rows = self.rows().zip(kinds).filter(|(_, kind)| **kind != RowKind::Free);
        rows.map(|(row, _)| dot(row, velocities).powi(2)).sum::<f64>().sqrt()
    }

    /// Velocity of a row.
    pub fn velocity(&self, row: usize, velocities: &[f64]) -> f64 {
        let n = self.along.len();
        dot(&self.rows[row * n..][..n], velocities)
    }

    /// Velocity of a row beside the line.
    pub fn velocity_beside(&self, row: usize, velocities: &[f64]) -> f64 {
        self.velocity(row, velocities) - self.direction[row] * dot(&self.along, velocities)
    }
}
