//! The rows of the tips' velocities at one configuration.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector6};

use super::command::Aim;
use super::constants::{NEAR, RETURN_RATE, SLACK_RETURN};
use super::goal::{Goal, RowKind};
use super::jerk_bounds::Limits;
use super::line::{Tracking, over_radian};
use crate::braking_speed::braking_speed;
use crate::contact_rows::{Contact, ContactRows};
use crate::standing_goals::{GoalValues, MOMENT};
use urdf_ik_mathematics::spatial::turned;
use urdf_ik_mathematics::vectors::{add_times, dot, length};
use urdf_ik_robot::{Chain, ChainPoses};

/// The rows at one configuration of the n variables. Each tip has six rows along its own axes: translations, then
/// rotations. Each value of a standing goal with equal bounds has one. Translations are divided by the length that
/// counts as one radian.
#[derive(Debug, Clone)]
pub struct Place {
    chain: Arc<Chain>,
    /// Metres that count as much as a radian.
    radian: f64,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
    values: GoalValues,
    /// Rows of the bounds of standing goals.
    pub bounds: ContactRows,
    /// The rows, row-major, n entries each.
    pub rows: Vec<f64>,
    /// The direction of the line, one entry per row: a unit vector.
    pub direction: Vec<f64>,
    /// Wanted velocity of each row besides that along the line \[rad/s\].
    pub wanted: Vec<f64>,
    /// Speed along the line for unit velocities of the joints: n entries.
    pub along: Vec<f64>,
    /// Deviation of each row from the line, or from a standing goal \[rad\].
    pub error: Vec<f64>,
    /// Acceleration of each row that the velocities of the joints cause, along the present axes of the tip \[rad/s²\].
    pub bias: Vec<f64>,
}

impl Place {
    /// Memory for the rows of a chain. `radian` is the length that counts as one radian \[m\].
    pub fn new(chain: &Arc<Chain>, radian: f64) -> Self {
        let variables = chain.variables().len();
        let zeros = vec![0.0; 6 * chain.tips().len()];
        Self {
            poses: ChainPoses::new(chain),
            columns: vec![Vector6::zeros(); variables],
            values: GoalValues::new(chain),
            rows: vec![0.0; zeros.len() * variables],
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

    /// Poses of the tips in the base link's frame, one for each tip.
    pub fn tips(&self) -> &[Isometry3<f64>] {
        self.poses.tips()
    }

    /// Factor that converts an entry of a tip's row to its own unit: the length that counts as one radian \[m\] for
    /// translations, 1 for rotations.
    pub fn unit(&self, row: usize) -> f64 {
        if row % 6 < 3 { self.radian } else { 1.0 }
    }

    /// The rows of all tips, row-major: their Jacobian along their own axes.
    pub fn jacobian(&self) -> &[f64] {
        &self.rows[..6 * self.tips().len() * self.along.len()]
    }

    /// Converts a `twist` of a tip (linear, then angular) from the base link's axes to those of the tip.
    pub fn in_tip(&self, tip: usize, twist: &Vector6<f64>) -> Vector6<f64> {
        turned(&self.tips()[tip].rotation.inverse(), twist)
    }

    /// The twist of a tip for these `velocities` of the n variables \[rad/s or m/s\]: linear, then angular, along the
    /// tip's axes \[m/s, rad/s\].
    pub fn twist(&self, tip: usize, velocities: &[f64]) -> Vector6<f64> {
        Vector6::from_fn(|row, _| self.unit(row) * self.velocity(6 * tip + row, velocities))
    }

    /// Computes the rows at `positions` of the n variables \[rad or m\], and the direction of the line at the distance
    /// `progress` ahead \[rad\].
    pub fn find(&mut self, positions: &[f64], goal: &Goal, progress: f64) {
        self.chain.forward_kinematics(positions, &mut self.poses);
        self.rows.clear();
        for (tip, aim) in goal.aims.iter().enumerate() {
            self.push_tip(tip);
            let axes = goal.axes_at(tip, &self.tips()[tip], progress);
            let direction = self.in_tip(tip, &goal.line.direction(tip, &axes));
            let wanted = match aim {
                Aim::Pose(pose) if goal.kinds[6 * tip] == RowKind::Least => {
                    goal.approach(tip, &self.tips()[tip], pose).0
                }
                _ => Vector6::zeros(),
            };
            self.direction[6 * tip..6 * tip + 6].copy_from_slice(direction.as_slice());
            self.wanted[6 * tip..6 * tip + 6].copy_from_slice(wanted.as_slice());
        }
        combine(&self.rows, &self.direction, &mut self.along);
        self.push_standing(positions, goal);
    }

    /// Computes the rows of a tip.
    fn push_tip(&mut self, tip: usize) {
        let pose = self.tips()[tip];
        self.chain.jacobian(&self.poses, tip, &pose.translation.vector.into(), &mut self.columns);
        let inverse = pose.rotation.inverse();
        self.columns.iter_mut().for_each(|column| *column = over_radian(&turned(&inverse, column), self.radian));
        for row in 0..6 {
            self.rows.extend(self.columns.iter().map(|column| column[row]));
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

    /// Computes the deviation from the line at the distance `progress` ahead \[rad\], and the velocity with which
    /// uncommanded axes return. Without a line, only these axes deviate, and they return at most at the commanded
    /// speed; not at all at the end of a line, where the motion nearest to the command counts.
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
            let rate = match goal.line.tracking {
                Tracking::Deviating => 0.0,
                _ => SLACK_RETURN.min(goal.line.speed.max(planned) / length(error)),
            };
            self.wanted[first..first + 3].copy_from_slice(&[0, 1, 2].map(|axis| -rate * error[axis]));
        }
    }

    /// Deviation from the line over all rows that have to stay on it \[rad\].
    pub fn deviation(&self, kinds: &[RowKind]) -> f64 {
        let exact = self.error.iter().zip(kinds).filter(|(_, kind)| kind.is_exact());
        exact.map(|(error, _)| error * error).sum::<f64>().sqrt()
    }

    /// Computes the deviation from the point of the line at the distance `progress` ahead \[rad\].
    pub fn find_offset(&mut self, goal: &Goal, progress: f64) {
        for tip in 0..goal.aims.len() {
            let way = goal.way(tip, &self.tips()[tip], &goal.line.ahead(tip, progress));
            self.error[6 * tip..6 * tip + 6].copy_from_slice(over_radian(&-way, goal.radian).as_slice());
        }
    }

    /// Computes the accelerations of the rows that these `velocities` of the n variables \[rad/s or m/s\] cause.
    pub fn find_bias(&mut self, velocities: &[f64], goal: &Goal) {
        for tip in 0..goal.aims.len() {
            let origin = self.tips()[tip].translation.vector.into();
            let bias = self.chain.acceleration_of_constant_velocities(&self.poses, tip, &origin, velocities);
            let bias = self.in_tip(tip, &bias);
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

    /// Acceleration along the line that the velocities of the joints cause \[rad/s²\].
    pub fn bias_along(&self) -> f64 {
        dot(&self.bias, &self.direction)
    }

    /// The row with index `row`: n entries.
    pub fn row(&self, row: usize) -> &[f64] {
        let n = self.along.len();
        &self.rows[row * n..][..n]
    }

    /// Writes a row without its part along the line to `beside`: n entries.
    pub fn write_beside(&self, row: usize, beside: &mut [f64]) {
        beside.copy_from_slice(self.row(row));
        add_times(beside, -self.direction[row], &self.along);
    }

    /// Speed of the tips over all rows that count \[rad/s\], without the return of uncommanded axes. `velocities` has n
    /// entries \[rad/s or m/s\].
    pub fn speed(&self, kinds: &[RowKind], velocities: &[f64]) -> f64 {
        let velocity = |(row, kind): (usize, &RowKind)| match kind {
            RowKind::Free => 0.0,
            RowKind::Slack => self.velocity(row, velocities) - self.wanted[row],
            _ => self.velocity(row, velocities),
        };
        kinds.iter().enumerate().map(|row| velocity(row).powi(2)).sum::<f64>().sqrt()
    }

    /// The factor that scales these `velocities` of the n variables \[rad/s or m/s\] to the commanded speed, within the
    /// maximum speeds of tips and joints. Tips that are slow on a line, because slack is shared, become faster up to
    /// the commanded speed.
    pub fn speed_factor(&self, goal: &Goal, velocities: &[f64]) -> f64 {
        let most = if goal.is_nearest() {
            (goal.line.speed / self.speed(&goal.kinds, velocities)).min(1.0)
        } else if goal.kinds.contains(&RowKind::Slack) {
            (goal.line.speed / dot(&self.along, velocities).max(0.0)).min(1.0 + NEAR)
        } else {
            1.0
        };
        let tips = (0..goal.aims.len()).map(|tip| goal.options.factor(&self.twist(tip, velocities), most));
        let joints = goal.limits.iter().zip(velocities).map(|(limits, velocity)| limits.velocity / velocity.abs());
        tips.chain(joints).fold(most, f64::min)
    }

    /// Velocity of a row \[rad/s\] for these `velocities` of the n variables \[rad/s or m/s\].
    pub fn velocity(&self, row: usize, velocities: &[f64]) -> f64 {
        dot(self.row(row), velocities)
    }

    /// Velocity of a row beside the line \[rad/s\] for these `velocities` of the n variables \[rad/s or m/s\].
    pub fn velocity_beside(&self, row: usize, velocities: &[f64]) -> f64 {
        self.velocity(row, velocities) - self.direction[row] * dot(&self.along, velocities)
    }
}

/// Writes the sum of `rows` (row-major, n entries each) with these `weights` to `sum`: n entries.
pub fn combine(rows: &[f64], weights: &[f64], sum: &mut [f64]) {
    sum.fill(0.0);
    for (row, weight) in rows.chunks_exact(sum.len()).zip(weights) {
        add_times(sum, *weight, row);
    }
}
