//! The rows of the tips' velocities at one configuration.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};

use super::command::Aim;
use super::constants::{RETURN_RATE, SLACK_RETURN};
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::line::over_radian;
use crate::braking_speed::braking_speed;
use crate::contact_rows::{Contact, ContactRows};
use crate::standing_goals::{GoalValues, MOMENT};
use urdf_ik_mathematics::vectors::{add_times, dot, length};
use urdf_ik_robot::{Chain, ChainPoses};

/// The rows at one configuration.
#[derive(Debug, Clone)]
pub struct Place {
    chain: Arc<Chain>,
    /// Metres that count as much as a radian.
    radian: f64,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
    /// The Jacobians of all tips: six rows a tip, those of translation over the length of a radian, along the axes of
    /// the base link.
    pub jacobian: Vec<f64>,
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
    pub fn new(chain: &Arc<Chain>, radian: f64) -> Self {
        let variables = chain.variables().len();
        let zeros = vec![0.0; 6 * chain.tips().len()];
        let rows = vec![0.0; zeros.len() * variables];
        Self {
            poses: ChainPoses::new(chain),
            columns: vec![Vector6::zeros(); variables],
            jacobian: rows.clone(),
            values: GoalValues::new(chain),
            rows,
            direction: zeros.clone(),
            wanted: zeros.clone(),
            along: vec![0.0; variables],
            error: zeros.clone(),
            bias: zeros,
            bounds: ContactRows::default(),
            radian,
            chain: Arc::clone(chain),
        }
    }

    /// Poses of the tips, in the base link's frame.
    pub fn tips(&self) -> &[Isometry3<f64>] {
        self.poses.tips()
    }

    /// What a row is over: metres for translations.
    pub fn unit(&self, row: usize) -> f64 {
        if row % 6 < 3 { self.radian } else { 1.0 }
    }

    /// A row of the Jacobian.
    pub fn jacobian_row(&self, row: usize) -> &[f64] {
        let variables = self.columns.len();
        &self.jacobian[row * variables..][..variables]
    }

    /// The twist of a tip where the variables have these velocities \[m/s, rad/s\].
    pub fn twist(&self, tip: usize, velocities: &[f64]) -> Vector6<f64> {
        Vector6::from_fn(|row, _| self.unit(row) * dot(self.jacobian_row(6 * tip + row), velocities))
    }

    /// The acceleration of a tip where the variables move on with these velocities \[m/s², rad/s²\].
    pub fn acceleration(&self, tip: usize, velocities: &[f64]) -> Vector6<f64> {
        let origin = self.tips()[tip].translation.vector.into();
        self.chain.acceleration_of_constant_velocities(&self.poses, tip, &origin, velocities)
    }

    /// Computes rows at `positions`, and the direction of the line so far ahead.
    pub fn find(&mut self, positions: &[f64], goal: &Goal, progress: f64) {
        self.chain.forward_kinematics(positions, &mut self.poses);
        self.rows.clear();
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let pose = self.tips()[tip];
            let (frame, direction) = (held.frame(&pose), held.in_frame(&goal.line.direction(tip, progress), &pose));
            self.push_tip(tip, &pose, &frame);
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

    /// Computes the rows of a tip: those of its Jacobian, and the same with rotations along the axes that `frame` turns
    /// into those of the base link.
    fn push_tip(&mut self, tip: usize, pose: &Isometry3<f64>, frame: &UnitQuaternion<f64>) {
        let n = self.columns.len();
        self.chain.jacobian(&self.poses, tip, &pose.translation.vector.into(), &mut self.columns);
        let jacobian = &mut self.jacobian[6 * tip * n..][..6 * n];
        for (row, entries) in jacobian.chunks_exact_mut(n).enumerate() {
            let unit = if row < 3 { 1.0 / self.radian } else { 1.0 };
            entries.iter_mut().zip(&self.columns).for_each(|(entry, column)| *entry = unit * column[row]);
        }
        if *frame == UnitQuaternion::identity() {
            return self.rows.extend_from_slice(jacobian);
        }
        self.rows.extend_from_slice(&jacobian[..3 * n]);
        for axis in [0, 1, 2].map(|axis| frame * Vector3::ith(axis, 1.0)) {
            let [x, y, z] = [3, 4, 5].map(|row| &jacobian[row * n..][..n]);
            self.rows.extend((0..n).map(|i| axis.x * x[i] + axis.y * y[i] + axis.z * z[i]));
        }
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

    /// Computes the deviation from the line, so far ahead, and the velocity with which uncommanded axes return. Without
    /// a line only these deviate, and return at most at the commanded speed.
    pub fn find_error(&mut self, goal: &Goal, progress: f64) {
        self.find_offset(goal, progress);
        let kinds = goal.tip_kinds();
        if goal.is_loose() || kinds.iter().all(|kind| *kind == RowKind::Free) {
            let others = self.error.iter_mut().zip(kinds).filter(|(_, kind)| **kind != RowKind::Slack);
            others.for_each(|(error, _)| *error = 0.0);
        } else {
            let along = dot(&self.error, &self.direction);
            add_times(&mut self.error, -along, &self.direction);
        }
        for first in (0..kinds.len()).step_by(3).filter(|first| kinds[*first..][..3].contains(&RowKind::Slack)) {
            let planned = if goal.is_loose() { 0.0 } else { SLACK_RETURN * goal.slack(first) };
            let error = &self.error[first..first + 3];
            let rate = SLACK_RETURN.min(goal.line.speed.max(planned) / length(error));
            self.wanted[first..first + 3].copy_from_slice(&[0, 1, 2].map(|axis| -rate * error[axis]));
        }
    }

    /// Computes the deviation from the point of the line so far ahead.
    pub fn find_offset(&mut self, goal: &Goal, progress: f64) {
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let way = held.way(&self.tips()[tip], &goal.line.ahead(tip, progress));
            self.error[6 * tip..6 * tip + 6].copy_from_slice(over_radian(&-way, goal.radian).as_slice());
        }
    }

    /// Computes the accelerations of the rows by these velocities of the joints.
    pub fn find_bias(&mut self, velocities: &[f64], goal: &Goal) {
        for (tip, held) in goal.held_axes.iter().enumerate() {
            let bias = held.in_frame(&self.acceleration(tip, velocities), &self.tips()[tip]);
            self.bias[6 * tip..6 * tip + 6].copy_from_slice(over_radian(&bias, goal.radian).as_slice());
        }
        if !goal.has_exact_goals() {
            return;
        }
        // For standing goals, differences of their velocities along the motion.
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

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        let n = self.along.len();
        &self.rows[row * n..][..n]
    }

    /// Writes a row without its part along the line.
    pub fn write_beside(&self, row: usize, beside: &mut [f64]) {
        beside.copy_from_slice(self.row(row));
        add_times(beside, -self.direction[row], &self.along);
    }

    /// Speed of the tips along all rows that count, without the return of uncommanded axes.
    pub fn speed(&self, kinds: &[RowKind], velocities: &[f64]) -> f64 {
        let velocity = |(row, kind): (usize, &RowKind)| match kind {
            RowKind::Free => 0.0,
            RowKind::Slack => self.velocity(row, velocities) - self.wanted[row],
            _ => self.velocity(row, velocities),
        };
        kinds.iter().enumerate().map(|row| velocity(row).powi(2)).sum::<f64>().sqrt()
    }

    /// The factor, at most 1, by which velocities of the joints have to be scaled: for the maximum speeds of the tips, and
    /// where they are not on a line, for the commanded one.
    pub fn speed_factor(&self, goal: &Goal, velocities: &[f64]) -> f64 {
        let factor = |tip| goal.options.factor(&self.twist(tip, velocities), 1.0);
        let most = if goal.is_nearest() { goal.line.speed / self.speed(&goal.kinds, velocities) } else { 1.0 };
        (0..goal.aims.len()).map(factor).fold(most.min(1.0), f64::min)
    }

    /// Velocity of a row.
    pub fn velocity(&self, row: usize, velocities: &[f64]) -> f64 {
        dot(self.row(row), velocities)
    }

    /// Velocity of a row beside the line.
    pub fn velocity_beside(&self, row: usize, velocities: &[f64]) -> f64 {
        self.velocity(row, velocities) - self.direction[row] * dot(&self.along, velocities)
    }
}
