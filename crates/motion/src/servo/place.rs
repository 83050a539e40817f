//! The rows of the tips' velocities at one configuration.

use nalgebra::Vector6;

use super::command::Aim;
use super::constants::RETURN_RATE;
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::line::{Tracking, over_radian};
use super::stacked_jacobian::StackedJacobian;
use crate::braking_speed::braking_speed;
use crate::contact_rows::{Contact, ContactRows};
use crate::standing_goals::{GoalValues, MOMENT};
use urdf_ik_mathematics::vectors::{add_times, dot};

/// The rows at one configuration.
#[derive(Debug, Clone)]
pub struct Place {
    pub jacobian: StackedJacobian,
    values: GoalValues,
    /// Bounds of standing goals.
    pub bounds: ContactRows,
    /// One row after the other, rotations along the axes of the tips' frames.
    pub rows: Vec<f64>,
    /// The direction of the line, a unit vector.
    pub direction: Vec<f64>,
    /// Velocities of the rows besides that along the line.
    pub wanted: Vec<f64>,
    /// Speed along the line for unit velocities of the joints.
    pub along: Vec<f64>,
    /// Deviation from the line, or from a standing goal.
    pub error: Vec<f64>,
    /// Accelerations of the rows by the velocities of the joints.
    pub bias: Vec<f64>,
}

impl Place {
    pub fn new(jacobian: StackedJacobian, values: GoalValues) -> Self {
        let zeros = vec![0.0; 6 * jacobian.tips().len()];
        let along = vec![0.0; jacobian.rows.len() / zeros.len()];
        Self {
            rows: jacobian.rows.clone(),
            direction: zeros.clone(),
            wanted: zeros.clone(),
            along,
            error: zeros.clone(),
            bias: zeros,
            values,
            bounds: ContactRows::default(),
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
                Aim::Pose(aim) if goal.kinds[6 * tip] == RowKind::Least => goal.approach(tip, &pose, aim).0,
                _ => Vector6::zeros(),
            };
            self.wanted[6 * tip..6 * tip + 6].copy_from_slice(held.in_frame(&wanted, &pose).as_slice());
        }
        self.along.fill(0.0);
        for (row, part) in self.rows.chunks_exact(positions.len()).zip(&self.direction) {
            add_times(&mut self.along, *part, row);
        }
        self.push_standing(positions, goal);
    }

    /// Computes the rows of standing goals. The line has no part in those with equal bounds.
    fn push_standing(&mut self, positions: &[f64], goal: &Goal) {
        for list in [&mut self.direction, &mut self.wanted, &mut self.bias, &mut self.error] {
            list.resize(goal.kinds.len(), 0.0);
        }
        self.bounds.clear();
        if goal.standing.all().is_empty() {
            return;
        }
        self.values.find(positions);
        let rates = Limits::least(&goal.limits);
        let bounds = &mut self.bounds;
        self.values.visit_bounds(goal.standing.all(), |index, gradient, room| {
            bounds.push(Contact::Goal(index), gradient, room, rates);
        });
        let (rows, mut errors) = (&mut self.rows, self.error[goal.tip_kinds().len()..].iter_mut());
        self.values.visit_exact(goal.standing.all(), goal.radian, |_, deviation, gradient| {
            rows.extend_from_slice(gradient);
            // The return begins as slowly as it ends.
            let most = 2.0 * braking_speed(deviation.abs(), rates) / RETURN_RATE;
            errors.next().into_iter().for_each(|error| *error = deviation.clamp(-most, most));
        });
    }

    /// Computes the deviation from the line, so far ahead. Without a line there is none.
    pub fn find_error(&mut self, goal: &Goal, progress: f64) {
        let has_line = goal.tip_kinds().iter().any(|kind| *kind != RowKind::Free);
        if !(has_line && matches!(goal.line.tracking, Tracking::Line | Tracking::Coasting)) {
            return self.error[..6 * goal.aims.len()].fill(0.0);
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
        self.find_standing_bias(velocities, goal);
    }

    /// Computes the accelerations of the rows of standing goals: differences of their velocities along the motion.
    fn find_standing_bias(&mut self, velocities: &[f64], goal: &Goal) {
        if !goal.has_exact_goals() {
            return;
        }
        let first = goal.tip_kinds().len();
        let n = velocities.len();
        self.values.move_on(velocities, MOMENT);
        let mut rows = self.rows[first * n..].chunks_exact(n).zip(&mut self.bias[first..]);
        self.values.visit_exact(goal.standing.all(), goal.radian, |_, _, later| {
            if let Some((now, bias)) = rows.next() {
                *bias = (dot(later, velocities) - dot(now, velocities)) / MOMENT;
            }
        });
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

    /// The factor, at most 1, by which velocities of the joints have to be scaled: for the maximum speeds of the tips, and
    /// where they are not on a line, for the commanded one.
    pub fn speed_factor(&self, goal: &Goal, velocities: &[f64]) -> f64 {
        let factor = |tip| goal.options.factor(&self.jacobian.twist(tip, velocities), 1.0);
        let most = (0..goal.aims.len()).map(factor).fold(1.0, f64::min);
        if !goal.is_nearest() {
            return most;
        }
        most.min(goal.line.speed / self.speed(&goal.kinds, velocities))
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
