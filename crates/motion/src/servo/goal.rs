//! The rows of the tips' velocities, and how much each of them counts.

use nalgebra::{Isometry3, Vector6};

use super::command::Aim;
use super::constants::{ALMOST_ALL, FIRST, LEAST, PLANNED, RADIAN, REACTION_TIME, RETURN_RATE, STRICT, TINY};
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::line::{Line, Tracking, over_radian};
use super::options::{Priority, ServoOptions};
use super::stacked_jacobian::StackedJacobian;
use crate::MotionLimits;
use crate::braking_speed::braking_speed;
use crate::contact_rows::{Contact, ContactRows};
use crate::rates::Rates;
use crate::standing_goals::{GoalValues, MOMENT, StandingGoals, is_length};
use urdf_ik_mathematics::spatial::stacked;
use urdf_ik_mathematics::vectors::{add_times, dot, length};
use urdf_ik_solver::Solver;

/// How much a row of the tips' velocities counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Of a tip without a command: more than all others.
    Hold,
    /// Along a line more than the speed.
    Exact,
    /// It may deviate up to a bound.
    Slack,
    /// As far as the arm can: less than the speed. Also of a pose beside twists, and of a tip without a command that a standing goal
    /// binds to another link.
    Least,
    /// Not at all.
    Free,
    /// Of a standing goal with equal bounds: before all others.
    Standing,
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
    /// Constrained axes of each tip, and the kinds of its six rows; after them, those of standing goals.
    pub held_axes: Vec<HeldAxes>,
    pub kinds: Vec<RowKind>,
    /// Free axes of each tip that has fewer than six independent ones.
    pub free_for_arm: Vec<[bool; 6]>,
    pub limits: Vec<Limits>,
    pub options: ServoOptions,
    pub standing: StandingGoals,
    pub contacts: ContactRows,
    /// Positions at which the contacts were found.
    pub contacts_at: Vec<f64>,
    /// Motion towards a contact that a stop beside it may need \[rad or m\].
    pub contact_stop: f64,
    /// Length that counts as much as a radian \[m\].
    pub radian: f64,
}

impl Goal {
    /// The goal of joints at rest at `positions`.
    pub fn new(solver: &Solver, limits: &MotionLimits, options: ServoOptions, positions: &[f64]) -> Self {
        let chain = solver.chain();
        let radian = RADIAN * solver.length_scale();
        let tips = chain.tips().len();
        let free_for_arm: Vec<_> = (0..tips).map(|tip| solver.sensible_free_axes(tip)).collect();
        Self {
            aims: vec![Aim::Hold; tips],
            line: Line::new(tips, radian),
            held_axes: free_for_arm.iter().map(|axes| HeldAxes::of(&Aim::Hold, options.free_axes, *axes)).collect(),
            kinds: vec![RowKind::Free; 6 * tips],
            free_for_arm,
            limits: Limits::of_chain(chain, limits),
            options,
            standing: StandingGoals::new(chain),
            contacts: ContactRows::default(),
            contacts_at: positions.to_vec(),
            contact_stop: 0.0,
            radian,
        }
    }

    /// True if the motion nearest to the command is wanted.
    pub fn is_nearest(&self) -> bool {
        self.line.tracking.is_nearest()
    }

    /// True if the tips are not on a line.
    pub fn is_loose(&self) -> bool {
        self.is_nearest() || self.line.tracking == Tracking::Entering
    }

    /// The kinds of the rows of tips.
    pub fn tip_kinds(&self) -> &[RowKind] {
        &self.kinds[..6 * self.aims.len()]
    }

    /// Sets the standing goals.
    pub fn set_standing(&mut self, goals: &[urdf_ik_goals::Goal]) {
        self.standing.set(goals);
        self.kinds.truncate(6 * self.aims.len());
        self.kinds.resize(6 * self.aims.len() + self.standing.exact().len(), RowKind::Standing);
    }

    /// True if standing goals have values with equal bounds.
    pub fn has_exact_goals(&self) -> bool {
        !self.standing.exact().is_empty()
    }

    /// True if joints approach their limits gradually, so that others take over.
    pub fn is_soft(&self) -> bool {
        let rows = self.tip_kinds().iter().filter(|kind| !matches!(kind, RowKind::Free | RowKind::Slack)).count();
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

    /// Acceleration and jerk with which bounds of standing goals are approached. Their distance is also known where a stop ends, so the jerk is
    /// twice that of the joints.
    pub fn bound_rates(&self) -> Rates {
        let Rates { acceleration, jerk } = Limits::least(&self.limits);
        Rates { acceleration, jerk: 2.0 * jerk }
    }

    /// Part of the motion towards a bound of a standing goal that a stop beside it may need \[rad or m\].
    pub fn reserve(&self, bound: Option<Contact>) -> f64 {
        match bound {
            Some(Contact::Goal(goal)) if is_length(&self.standing.all()[goal]) => self.contact_stop,
            _ => 0.0,
        }
    }

    /// Time in which a stop moves joints as far as these velocities, without a reaction \[s\].
    pub fn stop_time(&self, velocities: &[f64]) -> f64 {
        let speed = length(velocities).max(TINY);
        Limits::least(&self.limits).stop(speed, 0.0).0 / speed
    }

    /// Distance to a stop of joints that have these velocities and become faster until the next look.
    pub fn stop(&self, velocities: &[f64]) -> f64 {
        let rates = Limits::least(&self.limits).times(PLANNED);
        rates.stop(length(velocities) + REACTION_TIME * rates.acceleration, 0.0).0
    }

    /// How far the joints may move towards a contact or bound from other positions, to first order; negative where it is
    /// too near. Beside it a stop needs a part of its distance.
    pub fn contact_room(&self, row: usize, positions: &[f64]) -> f64 {
        let gradient = &self.contacts.gradients[row * positions.len()..][..positions.len()];
        let room = self.contacts.room[row] + dot(gradient, positions) - dot(gradient, &self.contacts_at);
        let is_goal = matches!(self.contacts.contact(row), Some(Contact::Goal(_)));
        if is_goal && !self.is_nearest() { room } else { room - self.contact_stop }
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
                _ if aim == Aim::Hold && self.standing.binds(tip) => RowKind::Least,
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
            RowKind::Standing => FIRST * STRICT,
            RowKind::Hold => STRICT,
            RowKind::Slack if self.is_nearest() => FIRST,
            RowKind::Least if self.aims[row / 6] == Aim::Hold => LEAST,
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
                Aim::Pose(aim) if goal.kinds[6 * tip] == RowKind::Least => goal.approach(tip, &pose, aim).velocity,
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
