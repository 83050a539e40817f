//! The goal of the tips in a period: commands, limits, and how much each row of velocities counts.

use nalgebra::{Isometry3, Vector3, Vector6};

use super::command::Aim;
use super::constants::{ALMOST_ALL, FIRST, LEAST, PLANNED, RADIAN, REACTION_TIME, RETURN_RATE, STRICT, TINY};
use super::jerk_bounds::Limits;
use super::line::{Line, Tracking, over_radian};
use super::options::{Priority, ServoOptions};
use crate::MotionLimits;
use crate::contact_rows::{Contact, ContactRows};
use crate::rates::Rates;
use crate::standing_goals::{StandingGoals, is_length};
use urdf_ik_mathematics::spatial::{pose_difference, swing};
use urdf_ik_mathematics::vectors::{dot, length};
use urdf_ik_solver::Solver;

/// Priority of a row of the tips' velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A row of a tip without a command: before the rows of commands.
    Hold,
    /// A row that must be exact: on a line, before the speed.
    Exact,
    /// A row that may deviate up to a bound.
    Slack,
    /// A row that is followed as far as the arm can, after the speed; also of a pose beside twists, and of a tip
    /// without a command that a standing goal binds to another link.
    Least,
    /// A row without influence.
    Free,
    /// A row of a standing goal with equal bounds: before all others.
    Standing,
}

impl RowKind {
    /// True for a row that has to stay on a line.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exact | Self::Hold | Self::Standing)
    }
}

/// The goal of the tips in a period, within the limits of the n joints.
#[derive(Debug, Clone)]
pub struct Goal {
    /// The aim of each tip.
    pub aims: Vec<Aim>,
    /// The line of all tips.
    pub line: Line,
    /// Kinds of the rows: six for each tip, then one for each value of a standing goal with equal bounds.
    pub kinds: Vec<RowKind>,
    /// Free axes of each tip that has fewer than six independent ones: x, y, z, then rotations about x, y, z.
    pub free_for_arm: Vec<[bool; 6]>,
    /// Limits of the joints: n entries.
    pub limits: Vec<Limits>,
    /// Options of the servo.
    pub options: ServoOptions,
    /// Joint velocities that leave a symmetric singular configuration without a motion of the tips, for a unit speed of
    /// the tips: n entries \[-\].
    pub idle: Vec<f64>,
    /// Goals that come before every command.
    pub standing: StandingGoals,
    /// Rows of contacts and of bounds of standing goals.
    pub contacts: ContactRows,
    /// Positions at which the contacts were found: n entries \[rad or m\].
    pub contacts_at: Vec<f64>,
    /// Motion towards a contact that a stop beside it may need \[rad or m\].
    pub contact_stop: f64,
    /// Length that counts as one radian \[m\].
    pub radian: f64,
}

impl Goal {
    /// The goal of joints at rest at `positions` of the n variables \[rad or m\].
    pub fn new(solver: &Solver, limits: &MotionLimits, options: ServoOptions, positions: &[f64]) -> Self {
        let chain = solver.chain();
        let radian = RADIAN * solver.length_scale();
        let tips = chain.tips().len();
        Self {
            aims: vec![Aim::Hold; tips],
            line: Line::new(tips, radian),
            kinds: vec![RowKind::Free; 6 * tips],
            free_for_arm: (0..tips).map(|tip| solver.sensible_free_axes(tip)).collect(),
            limits: Limits::of_chain(chain, limits),
            options,
            idle: vec![0.0; positions.len()],
            standing: StandingGoals::new(chain),
            contacts: ContactRows::default(),
            contacts_at: positions.to_vec(),
            contact_stop: 0.0,
            radian,
        }
    }

    /// True if the tips move as near to the command as possible, without a memory of earlier commands.
    pub fn is_nearest(&self) -> bool {
        matches!(self.line.tracking, Tracking::Deviating | Tracking::Hand)
    }

    /// True if the tips are not on a line.
    pub fn is_loose(&self) -> bool {
        self.is_nearest() || self.line.tracking == Tracking::Entering
    }

    /// The kinds of the tips' rows: six for each tip.
    pub fn tip_kinds(&self) -> &[RowKind] {
        &self.kinds[..6 * self.aims.len()]
    }

    /// Sets the standing goals.
    pub fn set_standing(&mut self, goals: &[urdf_ik_goals::Goal]) {
        self.standing.set(goals);
        self.kinds.resize(6 * self.aims.len() + self.standing.exact().len(), RowKind::Standing);
    }

    /// True if standing goals have values with equal bounds.
    pub fn has_exact_goals(&self) -> bool {
        !self.standing.exact().is_empty()
    }

    /// True if joints approach their limits gradually, so that other joints take over.
    pub fn is_soft(&self) -> bool {
        let rows = self.tip_kinds().iter().filter(|kind| !matches!(kind, RowKind::Free | RowKind::Slack)).count();
        self.is_nearest() || self.limits.len() > rows
    }

    /// Acceleration and jerk with which bounds of standing goals are approached. The distance is also known at the end
    /// of a stop, so the jerk is twice that of the joints.
    pub fn bound_rates(&self) -> Rates {
        let Rates { acceleration, jerk } = Limits::least(&self.limits);
        Rates { acceleration, jerk: 2.0 * jerk }
    }

    /// Part of the motion towards `bound` that a stop beside it may need \[rad or m\]; 0 unless it is the bound of a
    /// length.
    pub fn reserve(&self, bound: Option<Contact>) -> f64 {
        match bound {
            Some(Contact::Goal(goal)) if is_length(&self.standing.all()[goal]) => self.contact_stop,
            _ => 0.0,
        }
    }

    /// Time \[s\] for which these `velocities` of the n variables \[rad/s or m/s\] would have to last to cover the
    /// distance of a stop, without a reaction time.
    pub fn stop_time(&self, velocities: &[f64]) -> f64 {
        let speed = length(velocities).max(TINY);
        Limits::least(&self.limits).stop(speed, 0.0).0 / speed
    }

    /// Distance in joint space to a stop \[rad or m\], for joints that have these `velocities` \[rad/s or m/s\] and
    /// become faster until the next look-ahead.
    pub fn stop(&self, velocities: &[f64]) -> f64 {
        let rates = Limits::least(&self.limits).times(PLANNED);
        rates.stop(length(velocities) + REACTION_TIME * rates.acceleration, 0.0).0
    }

    /// Motion left from `positions` \[rad or m\] towards the contact or bound of a row, to first order \[rad or m\];
    /// negative where it is too near. A part of the distance is reserved for a stop beside it.
    pub fn contact_room(&self, row: usize, positions: &[f64]) -> f64 {
        let gradient = &self.contacts.gradients[row * positions.len()..][..positions.len()];
        let room = self.contacts.room[row] + dot(gradient, positions) - dot(gradient, &self.contacts_at);
        let is_goal = matches!(self.contacts.contact(row), Some(Contact::Goal(_)));
        if is_goal && !self.is_nearest() { room } else { room - self.contact_stop }
    }

    /// The motion of a tip from the pose `now` to `pose`, both in the base link's frame, along the axes of `now`:
    /// translation \[m\], then rotation vector \[rad\]. It is 0 about free axes.
    pub fn way(&self, tip: usize, now: &Isometry3<f64>, pose: &Isometry3<f64>) -> Vector6<f64> {
        let mut way = pose_difference(now, pose);
        let is_free = |row: &usize| self.kinds[6 * tip + row] == RowKind::Free;
        let mut free = (3..6).filter(is_free);
        if let (Some(row), None) = (free.next(), free.next()) {
            // The least turn that brings the free axis to its direction.
            let turn = swing(&(now.rotation.inverse() * pose.rotation), &Vector3::ith(row - 3, 1.0));
            way.fixed_rows_mut::<3>(3).copy_from(&turn);
        }
        (3..6).filter(is_free).for_each(|row| way[row] = 0.0);
        way
    }

    /// The velocity of a tip from the pose `now` towards `pose`, both in the base link's frame, and whether a maximum
    /// speed limits it. It is in proportion to the distance: linear velocity divided by the length that counts as one
    /// radian, then angular velocity, along the axes of `now` \[rad/s\].
    pub fn approach(&self, tip: usize, now: &Isometry3<f64>, pose: &Isometry3<f64>) -> (Vector6<f64>, bool) {
        let way = self.way(tip, now, pose);
        if over_radian(&way, self.radian).norm() < TINY {
            return (Vector6::zeros(), false);
        }
        let twist = RETURN_RATE * way;
        let factor = self.options.factor(&twist, 1.0);
        (over_radian(&(twist * factor), self.radian), factor < 1.0)
    }

    /// True if the tip has a hand's pose: one that moves or, on an arm that has no line to most poses, one that is far.
    pub fn is_of_hand(&self, tip: usize, before: &Aim, is_far: bool) -> bool {
        let moves = before.is_pose() && *before != self.aims[tip];
        self.options.max_deviation_angle > 0.0 && (moves || self.lacks_rotations(tip) && is_far)
    }

    /// True if the arm cannot constrain all rotations of a tip.
    fn lacks_rotations(&self, tip: usize) -> bool {
        self.free_for_arm[tip].contains(&true)
    }

    /// Sets the row kinds of a tip for its command; `beside` is true if other tips have twists. Free axes of the
    /// options are constrained while a twist rotates the tip; those that the arm requires are free under a pose alone.
    pub fn take(&mut self, tip: usize, beside: bool) {
        let aim = self.aims[tip];
        let (commands, slack) = (aim.commands(), self.options.slack);
        let lacks = self.lacks_rotations(tip);
        let is_mixed = commands[0] != commands[1];
        let is_turned = aim.is_twist() && commands[1];
        let is_free =
            |axis: usize| self.options.free_axes[axis] && !is_turned || self.free_for_arm[tip][axis] && aim.is_pose();
        for row in 0..6 {
            self.kinds[6 * tip + row] = match row / 3 {
                1 if is_free(row) => RowKind::Free,
                1 if lacks && !aim.is_pose() => RowKind::Least,
                _ if beside && aim.is_pose() => RowKind::Least,
                _ if aim == Aim::Hold && self.standing.binds(tip) => RowKind::Least,
                _ if aim == Aim::Hold => RowKind::Hold,
                part if is_mixed && !lacks && !commands[part] && slack[part] > 0.0 => RowKind::Slack,
                _ => RowKind::Exact,
            };
        }
    }

    /// Weight of a row, relative to the speed along the line \[-\].
    pub fn weight(&self, row: usize) -> f64 {
        match self.kinds[row] {
            RowKind::Free => 0.0,
            RowKind::Standing => FIRST * STRICT,
            RowKind::Hold => STRICT,
            RowKind::Slack if self.is_nearest() && self.keeps_uncommanded() => FIRST,
            RowKind::Least if self.aims[row / 6] == Aim::Hold => LEAST,
            _ if self.is_nearest() => self.priority(row / 6, row / 3 % 2),
            RowKind::Exact => STRICT,
            RowKind::Least if !self.aims[row / 6].is_pose() => LEAST,
            RowKind::Slack | RowKind::Least => 1.0,
        }
    }

    /// True if uncommanded axes have priority: under a hand, and near bodies, towards which tools should not tilt.
    fn keeps_uncommanded(&self) -> bool {
        let is_pair = |row| matches!(self.contacts.contact(row), Some(Contact::Pair(_)));
        self.line.tracking == Tracking::Hand || (0..self.contacts.lower.len()).any(is_pair)
    }

    /// Weight of the translation or the rotation of a tip where only a part of a twist is possible.
    fn priority(&self, tip: usize, part: usize) -> f64 {
        let is_second = match self.options.priority {
            _ if self.aims[tip].is_pose() && self.lacks_rotations(tip) => part == 1,
            _ if self.line.tracking != Tracking::Deviating || self.aims[tip].commands() != [true; 2] => false,
            Priority::Translation => part == 1,
            Priority::Rotation => part == 0,
            Priority::Both => false,
        };
        if is_second { 1.0 / FIRST } else { 1.0 }
    }

    /// The pose along whose axes the command of a tip at the pose `now` counts, both in the base link's frame: on a
    /// line that at the distance `progress` ahead \[rad\], else `now`.
    pub fn axes_at(&self, tip: usize, now: &Isometry3<f64>, progress: f64) -> Isometry3<f64> {
        if self.is_nearest() { *now } else { self.line.ahead(tip, progress) }
    }

    /// The reference pose of a tip at the pose `now` beside a line, both in the base link's frame. Uncommanded axes
    /// keep their earlier reference, and return to it once the tips no longer deviate.
    pub fn reference(&self, tip: usize, now: &Isometry3<f64>) -> Isometry3<f64> {
        let pose = |first: usize| {
            let is_slack = self.kinds[6 * tip + first..][..3].contains(&RowKind::Slack);
            if is_slack { &self.line.references[tip] } else { now }
        };
        Isometry3::from_parts(pose(0).translation, pose(3).rotation)
    }

    /// Maximum planned deviation of the three uncommanded rows from index `first` on \[rad\]; translations are divided
    /// by the length that counts as one radian.
    pub fn slack(&self, first: usize) -> f64 {
        let [translation, rotation] = self.options.slack.map(|most| ALMOST_ALL * most);
        if first.is_multiple_of(6) { translation / self.radian } else { rotation }
    }
}
