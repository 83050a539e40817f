//! The report of a step.

use nalgebra::Vector6;

use super::Servo;
use crate::contact_rows::Contact;
use crate::servo::command::{Aim, Command};
use crate::servo::constants::{FOLLOWS, LITTLE, NEAR, REACTION_TIME, TINY};
use crate::servo::goal::Goal;
use crate::servo::line::{Tracking, over_radian};
use crate::servo::look_ahead::LookAhead;
use crate::servo::place::Place;
use crate::servo::report::Hold;
use urdf_ik_mathematics::spatial::turned;
use urdf_ik_mathematics::vectors::{dot, length};

impl Servo {
    /// Notes the share of the commanded speed that the tips, or the joints, had in the last period.
    pub(super) fn note_share(&mut self, command: &Command, period: f64) {
        self.report.angle = 0.0;
        let share = match command {
            Command::Rest => None,
            Command::Velocities(_) => {
                let along = |velocities: &[f64]| dot(&self.wanted, velocities);
                let squared = along(&self.wanted);
                (squared > 0.0).then(|| 0.5 * (along(&self.now.velocities) + along(&self.next.velocities)) / squared)
            }
            Command::Tips(_) if self.goal.line.stops => None,
            Command::Tips(_) => self.share_of_tips(),
        };
        let Some(share) = share else { return self.shares.clear() };
        // As many as there may be joints, which bounds the memory: of periods below 0.5 ms the last 50 ms have more.
        if self.shares.len() == Self::MAX_VARIABLES {
            self.shares.pop_front();
        }
        self.shares.push_back([period, share]);
        let mut time: f64 = self.shares.iter().map(|[time, _]| time).sum();
        while self.shares.len() > 1 && time - self.shares[0][0] >= REACTION_TIME {
            time -= self.shares[0][0];
            self.shares.pop_front();
        }
    }

    /// The share of the commanded speed that the slowest tip had in the last period. Writes the greatest angle.
    fn share_of_tips(&mut self) -> Option<f64> {
        let mut slowest: Option<f64> = None;
        for (tip, aim) in self.goal.aims.iter().enumerate() {
            let command = Vector6::from_column_slice(&self.command[6 * tip..6 * tip + 6]);
            let axes = self.goal.axes_at(tip, &self.here.tips()[tip], 0.0);
            let wanted = self.here.in_tip(tip, &aim.axes().to_base(&axes, &command));
            let commanded = wanted.norm();
            if commanded < TINY {
                continue;
            }
            let [before, after] = [&self.next, &self.now].map(|joints| self.here.twist(tip, &joints.velocities));
            let moved = over_radian(&(0.5 * (before + after)), self.goal.radian);
            let share = moved.dot(&wanted) / wanted.norm_squared();
            slowest = Some(slowest.map_or(share, |slowest| slowest.min(share)));
            if moved.norm() > LITTLE * commanded {
                self.report.angle = self.report.angle.max(moved.angle(&wanted));
            }
        }
        slowest
    }

    /// Writes the report.
    pub(super) fn write_report(&mut self) {
        let [time, sum] =
            self.shares.iter().fold([0.0; 2], |[all, sum], [time, share]| [all + time, sum + time * share]);
        self.report.share = if time > 0.0 { (sum / time).clamp(0.0, 1.0) } else { 1.0 };
        let is_commanded = self.goal.aims.iter().any(|aim| *aim != Aim::Hold);
        self.report.smallest_singular_value = is_commanded.then(|| self.ahead.singular.smallest().0);
        self.report.off_line = [0.0; 2];
        self.here.find_error(&self.goal, 0.0);
        let rows = if self.goal.is_loose() { 0 } else { self.goal.tip_kinds().len() };
        for (index, part) in self.here.error[..rows].chunks_exact(3).enumerate() {
            let most = &mut self.report.off_line[index % 2];
            *most = most.max(self.here.unit(3 * index) * length(part));
        }
        let turns_aside = self.goal.is_nearest() && self.report.angle > NEAR;
        let deviates = turns_aside && self.goal.line.tracking == Tracking::Deviating;
        self.write_holds(deviates);
        let is_blocked = |hold: &Hold| !matches!(hold, Hold::JointSpeed { .. } | Hold::TipSpeed { .. });
        self.report.is_sliding = deviates || turns_aside && self.report.holds.iter().any(is_blocked);
        self.report.singular_direction.clear();
        if self.report.holds.contains(&Hold::Singularity) {
            let tips = self.here.tips().iter().zip(self.ahead.singular.smallest().1.chunks_exact(6));
            let twists = tips
                .map(|(tip, lost)| turned(&tip.rotation, &Vector6::from_fn(|row, _| self.here.unit(row) * lost[row])));
            self.report.singular_direction.extend(twists);
        }
    }

    /// Writes what restricts the motion, the most important first.
    fn write_holds(&mut self, deviates: bool) {
        let follows = self.report.share >= FOLLOWS && !deviates;
        let Self { report, fail_safe, goal, there, ahead, now, .. } = self;
        let holds = &mut report.holds;
        holds.clear();
        let contact = match ahead.contact {
            _ if follows => None,
            Some(row) => goal.contacts.contact(row),
            _ => (0..goal.contacts.lower.len())
                .map(|row| (row, goal.contact_room(row, &now.positions)))
                .filter(|(_, room)| *room < LITTLE)
                .min_by(|(_, a), (_, b)| a.total_cmp(b))
                .and_then(|(row, _)| goal.contacts.contact(row)),
        };
        let exact = if follows || contact.is_some() { None } else { pressed(goal, there, ahead) };
        let pair = fail_safe.stopped_by.map(Contact::Pair);
        let crossed = goal.standing.crossed.map(Contact::Goal);
        holds.extend(pair.into_iter().chain(crossed).chain(contact).chain(exact).map(Hold::from));
        holds.extend(self.jog_limit.map(|variable| Hold::JointLimit { variable }));
        if !follows && holds.is_empty() {
            let near = |i: &usize| goal.limits[*i].room(now.positions[*i]).into_iter().any(|room| room < LITTLE);
            if let Some(variable) = ahead.limit.or_else(|| (0..goal.limits.len()).find(near)) {
                holds.push(Hold::JointLimit { variable });
            } else {
                if ahead.end.is_some() && !ahead.leads_on() || ahead.singular.smallest().0 < NEAR {
                    holds.push(Hold::Singularity);
                }
                let used = |i: usize| (now.velocities[i] / goal.limits[i].velocity).abs();
                let busiest = (0..goal.limits.len()).max_by(|a, b| used(*a).total_cmp(&used(*b)));
                holds.extend(busiest.map(|variable| Hold::JointSpeed { variable }));
            }
        }
        holds.extend(self.limited_tip.map(|tip| Hold::TipSpeed { tip }));
    }
}

/// The standing goal with equal bounds against which the command presses most, if one restricts the motion.
fn pressed(goal: &Goal, place: &Place, ahead: &LookAhead) -> Option<Contact> {
    if ahead.count == 0 || goal.line.stops {
        return None;
    }
    // The multiplier of a row: its weight times its residual.
    let first = goal.tip_kinds().len();
    let press = |row: usize| (goal.weight(row) * place.velocity(row, ahead.velocities(0))).abs();
    let most = (first..goal.kinds.len()).max_by(|a, b| press(*a).total_cmp(&press(*b)))?;
    (press(most) > LITTLE * goal.line.speed).then(|| Contact::Goal(goal.standing.exact()[most - first]))
}
