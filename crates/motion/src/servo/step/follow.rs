//! How the joints follow a command: the velocities that they approach, and the accelerations that lead there.

use nalgebra::Vector6;

use super::Servo;
use crate::braking_speed::braking_speed;
use crate::pose_projection::project;
use crate::servo::acceleration::{Acceleration, Preference};
use crate::servo::command::{Aim, TipCommand};
use crate::servo::constants::{ALMOST_ALL, BEND, LITTLE, NEAR, PLANNED, REACTION_TIME, TINY};
use crate::servo::goal::RowKind;
use crate::servo::jerk_bounds::Limits;
use crate::servo::line::{Tracking, over_radian};
use urdf_ik_mathematics::spatial::turned;
use urdf_ik_mathematics::vectors::{add_times, dot, length, normalise};

impl Servo {
    /// Brakes each joint to rest as fast as it can.
    pub(super) fn rest(&mut self, period: f64) {
        self.goal.line.coast();
        if self.is_at_rest() {
            self.leave_line();
        }
        self.wanted.fill(0.0);
        self.change_ahead.fill(0.0);
        for (i, limits) in self.goal.limits.iter().enumerate() {
            self.acceleration.accelerations[i] = limits.rates.approach(self.change_wanted(i, period), period);
        }
        if !self.goal.standing.all().is_empty() {
            self.bound_contacts(period);
        }
        self.advance_beside_goals(period);
    }

    /// Approaches commanded joint velocities.
    pub(super) fn follow_joints(&mut self, velocities: &[f64], period: f64) {
        self.leave_line();
        self.limit_joints(velocities);
        self.change_ahead.fill(0.0);
        self.prefer(period);
        self.bound_contacts(period);
        self.advance_beside_goals(period);
    }

    /// Moves on with the accelerations nearest to those preferred that keep the standing goals.
    fn advance_beside_goals(&mut self, period: f64) {
        self.bound_tips(period);
        let Self { goal, predicted, there, .. } = self;
        if goal.has_exact_goals() {
            there.find(&predicted.positions, goal, 0.0);
            there.find_bias(&predicted.velocities, goal);
            if self.wanted.iter().all(|velocity| *velocity == 0.0) {
                // Joints that come to rest do not return to a goal.
                there.error.fill(0.0);
            }
        }
        self.acceleration.solve(there, predicted, None, goal);
        self.advance(period);
    }

    /// Writes joint velocities within their limits, scaled down if a tip would be too fast.
    fn limit_joints(&mut self, velocities: &[f64]) {
        // The greatest numbers have no square.
        let size = velocities.iter().fold(1.0, |size: f64, velocity| size.max(velocity.abs()));
        self.wanted.iter_mut().zip(velocities).for_each(|(slower, velocity)| *slower = velocity / size);
        let mut factor = size;
        for tip in 0..self.goal.aims.len() {
            let allowed = self.goal.options.factor(&self.here.twist(tip, &self.wanted), size);
            if allowed < factor {
                (factor, self.limited_tip) = (allowed, Some(tip));
            }
        }
        for (i, limits) in self.goal.limits.iter().enumerate() {
            let [down, up] = limits.room(self.now.positions[i]).map(|room| braking_speed(room, limits.rates));
            let velocity = (factor * self.wanted[i]).clamp(-limits.velocity, limits.velocity);
            self.wanted[i] = velocity.max(-down).min(up);
            if self.wanted[i] != velocity && self.jog_limit.is_none() {
                self.jog_limit = Some(i);
            }
        }
    }

    /// Follows commands of the tips.
    pub(super) fn follow_tips(&mut self, commands: &[TipCommand], period: f64) {
        let options = self.goal.options;
        let aims = || commands.iter().map(|command| Aim::of(command, &options));
        if aims().all(|aim| !aim.moves()) {
            self.goal.line.stops = true;
        } else {
            let has_twist = aims().any(|aim| aim.is_twist());
            for tip in 0..self.goal.aims.len() {
                self.take_command(tip, commands.iter().find(|command| command.tip() == tip), has_twist);
            }
            self.goal.line.take(&self.command, &self.goal.aims, period);
        }
        if self.goal.line.stops && (self.goal.line.tracking != Tracking::Line || self.is_at_rest()) {
            return self.rest(period);
        }
        self.here.find(&self.now.positions, &self.goal, 0.0);
        self.update_references();
        self.follow_line(period);
    }

    /// Moves the references to the points of the line nearest to the tips.
    fn update_references(&mut self) {
        let is_line = self.goal.line.tracking == Tracking::Line;
        self.here.find_offset(&self.goal, 0.0);
        let along = dot(&self.here.error, &self.here.direction);
        let aims = &self.goal.aims;
        for tip in 0..aims.len() {
            // Beside twists, poses have no line.
            let has_line = is_line && (!aims[tip].is_pose() || aims.iter().all(Aim::is_pose));
            self.goal.line.references[tip] = if has_line {
                self.goal.line.ahead(tip, along)
            } else {
                self.goal.reference(tip, &self.here.tips()[tip])
            };
        }
    }

    /// Takes the command of a tip.
    fn take_command(&mut self, tip: usize, command: Option<&TipCommand>, beside: bool) {
        let options = self.goal.options;
        if let Some(TipCommand::Twist(twist)) = command
            && options.limited(&twist.linear, &twist.angular).1
        {
            self.limited_tip = Some(tip);
        }
        let mut aim = command.map_or(Aim::Hold, |command| Aim::of(command, &options));
        if let Aim::Pose(pose) = &mut aim {
            *pose = project(self.goal.standing.all(), &self.chain.tips()[tip], *pose);
        }
        let before = std::mem::replace(&mut self.goal.aims[tip], aim);
        self.goal.take(tip, beside);
        let velocity = match aim {
            Aim::Hold => Vector6::zeros(),
            Aim::Twist(twist, _) => over_radian(&twist, self.goal.radian),
            Aim::Pose(pose) => {
                let now = &self.here.tips()[tip];
                let (velocity, is_far) = self.goal.approach(tip, now, &pose);
                if !beside && self.goal.is_of_hand(tip, &before, is_far) {
                    self.goal.line.since_turns = [0.0; 2];
                }
                turned(&now.rotation, &velocity)
            }
        };
        self.command[6 * tip..6 * tip + 6].copy_from_slice(velocity.as_slice());
    }

    /// Follows the line, or the command of a hand.
    fn follow_line(&mut self, period: f64) {
        self.look();
        self.deviate_at_end();
        self.begin_on_line();
        let moves = self.ahead.count > 1 && self.ahead.pace > TINY && (self.ahead.arrives || self.viability.way > TINY);
        let mut pace = self.ahead.pace;
        self.wanted.fill(0.0);
        self.change_ahead.fill(0.0);
        self.along.copy_from_slice(if moves { self.ahead.velocities(0) } else { &self.now.velocities });
        normalise(&mut self.along);
        if moves {
            let share = self.permitted_share();
            pace *= share;
            if !self.goal.line.stops {
                add_times(&mut self.wanted, share, self.ahead.velocities(0));
                self.find_change_ahead();
            }
        }
        self.prefer(period);
        if moves {
            let most = self.viability.greatest_acceleration(&self.along, &self.now, period);
            let surplus = (most - dot(&self.along, &self.acceleration.accelerations)).min(0.0);
            add_times(&mut self.acceleration.accelerations, surplus, &self.along);
        }
        if self.goal.is_loose() || !self.goal.standing.all().is_empty() {
            self.bound_contacts(period);
        }
        if self.goal.is_loose() {
            self.bound_tips(period);
        }
        self.bound_line(period);
        // Slack is used at the pace of the joints.
        let present = (dot(&self.along, &self.predicted.velocities) / pace.max(TINY)).clamp(0.0, 1.0);
        self.wanted.iter_mut().for_each(|velocity| *velocity *= present);
        let preference = Preference { along: &self.along, wanted: &self.wanted, change: &self.change_ahead };
        self.acceleration.solve(&self.there, &self.predicted, Some(preference), &self.goal);
        self.ahead.note_motion(length(&self.now.velocities) * period, &self.goal);
        self.settle();
        self.advance(period);
    }

    /// Looks ahead from the predicted configuration.
    fn look(&mut self) {
        self.there.find(&self.predicted.positions, &self.goal, 0.0);
        self.there.find_error(&self.goal, 0.0);
        self.there.find_bias(&self.predicted.velocities, &self.goal);
        self.goal.line.length = self.distance_left();
        self.ahead.look(&self.there, &self.predicted.positions, &self.predicted.velocities, &self.goal);
        if self.ahead.count > 1 {
            self.viability.find(&self.ahead, &self.goal.limits);
        }
    }

    /// Distance of the tips from their commanded poses at the predicted configuration \[rad\]; infinite if one has a
    /// twist.
    fn distance_left(&self) -> f64 {
        let squared = |(tip, aim): (usize, &Aim)| match aim {
            Aim::Hold => 0.0,
            Aim::Twist(..) => f64::INFINITY,
            Aim::Pose(pose) => {
                let way = self.goal.way(tip, &self.there.tips()[tip], pose);
                over_radian(&way, self.goal.radian).norm_squared()
            }
        };
        self.goal.aims.iter().enumerate().map(squared).sum::<f64>().sqrt()
    }

    /// Leaves a line for the nearest motion within the maximum angle: where the joints brake before its end, where the
    /// tips only creep towards it, or where a joint limit makes them too slow.
    fn deviate_at_end(&mut self) {
        let speed = length(&self.now.velocities);
        let pace = self.ahead.pace;
        let is_near = self.viability.way < REACTION_TIME * pace && speed < 0.5 * pace;
        let least = self.goal.options.max_deviation_angle.cos();
        let is_below = |share: f64| self.ahead.fastest < share * self.goal.line.speed;
        let has_end = self.ahead.end.is_some() && !self.ahead.arrives;
        // Along the command, the nearest motion within the angle has at least this share of the speed.
        let slowest = least.powi(2);
        let is_limited = self.ahead.limit.is_some() && is_below(slowest);
        let ends = is_limited || has_end && (is_near || is_below(LITTLE));
        let leaves = self.goal.line.tracking == Tracking::Line
            && !self.goal.line.stops
            && self.goal.options.max_deviation_angle > 0.0
            && ends;
        if !leaves {
            return;
        }
        // Beside a near contact, the projection of the command counts: reconfigurations that hardly lead on need fast
        // joints.
        let contact = self.ahead.contact.filter(|_| is_near);
        let room = contact.map_or(0.0, |row| self.goal.contact_room(row, &self.predicted.positions).max(0.0));
        if let Some(row) = contact {
            self.goal.contacts.room[row] -= room;
        }
        self.try_to_be(Tracking::Deviating, |servo| {
            let permitted = servo.permitted_cosine();
            let share = if contact.is_some() { slowest * permitted.powi(2) } else { 0.0 };
            let is_good = servo.cosine() >= least * permitted && servo.ahead.speed >= share * servo.goal.line.speed;
            if let (false, Some(row)) = (is_good, contact) {
                servo.goal.contacts.room[row] += room;
            }
            is_good
        });
    }

    /// Tracks in another way, if that leads to a good look-ahead.
    fn try_to_be(&mut self, tracking: Tracking, is_good: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = std::mem::replace(&mut self.goal.line.tracking, tracking);
        self.look();
        let is_good = is_good(self);
        if !is_good {
            self.goal.line.tracking = before;
            self.look();
        }
        is_good
    }

    /// Begins on a line at rest where a hand's nearest motion deviates too far: at a singularity a line has branches.
    fn begin_on_line(&mut self) {
        let is_stuck = self.goal.line.tracking == Tracking::Hand
            && length(&self.now.velocities) < LITTLE
            && self.permitted_share() < 1.0;
        if is_stuck && self.try_to_be(Tracking::Line, |servo| servo.ahead.leads_on()) {
            self.goal.line.since_turns = [f64::INFINITY; 2];
        }
    }

    /// Cosine of the angle between the motion at the first node and the command.
    fn cosine(&self) -> f64 {
        if self.ahead.count == 0 {
            return 0.0;
        }
        let speed = self.there.speed(&self.goal.kinds, self.ahead.velocities(0));
        if speed > 0.0 { self.ahead.speed / speed } else { 0.0 }
    }

    /// Cosine of the angle to the command of the motion that the standing goals permit. It counts in place of the
    /// command.
    fn permitted_cosine(&mut self) -> f64 {
        if self.goal.standing.all().is_empty() {
            return 1.0;
        }
        let permitted = &mut self.ahead.direction;
        permitted.solve_permitted(&self.there, &self.goal);
        let speed = self.there.speed(&self.goal.kinds, &permitted.velocities);
        if speed > 0.0 { permitted.speed / speed } else { 0.0 }
    }

    /// The share of the motion nearest to the command that its angle permits. Towards a pose each motion counts that
    /// comes nearer.
    fn permitted_share(&mut self) -> f64 {
        if !self.goal.is_nearest() {
            return 1.0;
        }
        let angle = self.goal.options.max_deviation_angle;
        let least = if angle > 0.0 && self.goal.aims.iter().any(Aim::is_pose) { 0.0 } else { angle.cos() };
        let permitted = self.permitted_cosine();
        if permitted < LITTLE {
            return 0.0;
        }
        let surplus = least - self.cosine() / permitted;
        (1.0 - surplus / NEAR).clamp(0.0, 1.0)
    }

    /// Begins to constrain a new line where the velocity beside it is settled, and returns from a deviation where the
    /// line leads on without an end.
    fn settle(&mut self) {
        let beside = |(row, kind): (usize, &RowKind)| match kind {
            RowKind::Exact | RowKind::Hold | RowKind::Standing => self.here.velocity_beside(row, &self.now.velocities),
            RowKind::Slack => self.here.velocity(row, &self.now.velocities) - self.here.velocity(row, &self.wanted),
            RowKind::Least | RowKind::Free => 0.0,
        };
        let squared: f64 = self.goal.kinds.iter().enumerate().map(|row| beside(row).powi(2)).sum();
        let line = &mut self.goal.line;
        if line.tracking == Tracking::Entering && squared.sqrt() <= LITTLE * line.speed {
            line.tracking = Tracking::Line;
        }
        let is_on_command = self.goal.line.tracking == Tracking::Deviating
            && self.cosine().powi(2) > 1.0 - LITTLE.powi(2)
            && self.ahead.speed > ALMOST_ALL * self.goal.line.speed;
        if is_on_command && self.try_to_be(Tracking::Line, |servo| servo.ahead.end.is_none() || servo.ahead.arrives) {
            self.goal.line.tracking = Tracking::Entering;
        }
    }

    /// Finds how the wanted velocities change along the first step of the look-ahead \[rad/s²\].
    fn find_change_ahead(&mut self) {
        let speed = dot(&self.along, &self.predicted.velocities).max(0.0);
        let [here, there] = [self.ahead.velocities(0), self.ahead.velocities(1)];
        let step = self.ahead.step(0);
        for (i, change) in self.change_ahead.iter_mut().enumerate() {
            *change = (there[i] - here[i]) / step * speed;
        }
        let most = BEND * Limits::along(&self.goal.limits, &self.change_ahead).acceleration;
        self.change_ahead.iter_mut().for_each(|change| *change *= most.min(1.0));
    }

    /// Change of a joint's velocity to the wanted one, without the part that its acceleration makes in the period.
    fn change_wanted(&self, joint: usize, period: f64) -> f64 {
        let acceleration = self.now.accelerations[joint] - self.change_ahead[joint];
        self.wanted[joint] - self.now.velocities[joint] - 0.5 * period * acceleration
    }

    /// Prefers accelerations with which all joints together approach the wanted velocities.
    fn prefer(&mut self, period: f64) {
        for i in 0..self.wanted.len() {
            self.acceleration.accelerations[i] = self.change_wanted(i, period);
        }
        let preferred = &mut self.acceleration.accelerations;
        let change = normalise(preferred);
        if change > 0.0 {
            // Goals with equal bounds need a part for themselves.
            let share = if self.goal.has_exact_goals() { PLANNED } else { 1.0 };
            let most = Limits::along(&self.goal.limits, &*preferred).times(share).approach(change, period);
            for part in preferred.iter_mut() {
                *part *= most;
            }
        }
        add_times(preferred, 1.0, &self.change_ahead);
    }

    /// Writes the next state of the joints.
    fn advance(&mut self, period: f64) {
        let mut moves = false;
        let Acceleration { accelerations, lower, upper, .. } = &self.acceleration;
        for (i, limits) in self.goal.limits.iter().enumerate() {
            let state @ [.., before] = self.now.of(i);
            let wanted = accelerations[i].max(lower[i]).min(upper[i]);
            let next @ [_, velocity, acceleration] = limits.after(state, period, (wanted - before) / period);
            self.next.set(i, next);
            self.change[i] = acceleration - before;
            moves |= velocity.abs() > TINY || acceleration.abs() * period > TINY || self.wanted[i] != 0.0;
        }
        if !moves {
            self.next.velocities.fill(0.0);
            self.next.accelerations.fill(0.0);
            self.change.fill(0.0);
        }
    }
}
