//! What a servo reports of a step.

use super::{Course, MAX_SHARES, SHARE_TIME, Servo};
use crate::contact_rows::Contact;
use crate::servo::command::{Aim, Command, between};
use crate::servo::constants::{ARRIVED, FOLLOWS, NEAR_END, NEAR_SINGULAR};
use crate::servo::curve::End;
use crate::servo::report::{Hold, Report};
use urdf_ik_mathematics::vectors::dot;

impl Servo {
    /// Notes the share of the commanded speed that the tips, or the joints, had in the last period.
    pub(super) fn note_share(&mut self, command: &Command, period: f64) {
        let share = match command {
            Command::Rest => None,
            Command::Velocities(_) => {
                let wanted = &self.slider.velocities;
                let squared = dot(wanted, wanted);
                (squared > 0.0)
                    .then(|| 0.5 * (dot(wanted, &self.now.velocities) + dot(wanted, &self.next.velocities)) / squared)
            }
            Command::Tips(_) => self.share_of_tips(period),
        };
        let Some(share) = share else { return self.shares.clear() };
        if self.shares.len() == MAX_SHARES {
            self.shares.pop_front();
        }
        self.shares.push_back([period, share.clamp(0.0, 1.0)]);
        let mut time: f64 = self.shares.iter().map(|[time, _]| time).sum();
        while self.shares.len() > 1 && time - self.shares[0][0] >= SHARE_TIME {
            time -= self.shares[0][0];
            self.shares.pop_front();
        }
    }

    /// The share of the commanded speed that the slowest tip had in the last period.
    fn share_of_tips(&self, period: f64) -> Option<f64> {
        let share = |(tip, aim): (usize, &Aim)| match aim {
            _ if aim.commands() == [false; 2] => None,
            Aim::Hold => None,
            Aim::Twist(twist, axes) => {
                let pose = &self.jacobian.tips()[tip];
                let (twist, moved) = (axes.to_base(pose, twist), between(&self.tips_before[tip], pose) / period);
                let [along, squared] = [&moved, &twist].map(|motion| {
                    (0..6).map(|row| motion[row] * twist[row] / self.jacobian.unit(row).powi(2)).sum::<f64>()
                });
                Some(along / squared)
            }
            Aim::Pose(pose) if self.course.line.distance(&self.targets[tip], pose) < ARRIVED => None,
            Aim::Pose(_) if self.is_at_rest() || !self.is_on_course => Some(0.0),
            // The tip is slow because it comes to its pose.
            Aim::Pose(_) if self.course.curve.end == Some(End::Arrived) => None,
            Aim::Pose(_) => Some(self.time_passed / period),
        };
        self.aims.iter().enumerate().filter_map(share).reduce(f64::min)
    }

    pub(super) fn write_report(&mut self) {
        let Report { share, off_line, is_sliding, smallest_singular_value, .. } = &mut self.report;
        let [time, sum] =
            self.shares.iter().fold([0.0; 2], |[all, sum], [time, share]| [all + time, sum + time * share]);
        *share = if time > 0.0 { sum / time } else { 1.0 };
        *is_sliding = self.is_sliding || self.is_on_course && self.course.is_slide && !self.now.is_at_rest();
        let is_commanded = self.aims.iter().any(|aim| *aim != Aim::Hold);
        *smallest_singular_value = is_commanded.then(|| self.singular.smallest());
        *off_line = [0.0; 2];
        let beside = self.is_on_course && self.course.is_slide;
        for (tip, (target, pose)) in self.targets.iter().zip(self.jacobian.tips()).enumerate().filter(|_| !beside) {
            let held = self.held_axes[tip];
            let apart = held.way(pose, target);
            off_line[0] = off_line[0].max(apart.fixed_rows::<3>(0).norm());
            if held.always || self.aims[tip].turns() {
                off_line[1] = off_line[1].max(apart.fixed_rows::<3>(3).norm());
            }
        }
        self.write_holds();
    }

    /// Writes what holds the arm back, the hardest first.
    fn write_holds(&mut self) {
        let end = self.end_ahead();
        let Self {
            report: Report { share, holds, is_sliding, .. }, fail_safe, workspace, slider, jog, singular, ..
        } = self;
        let follows = *share >= FOLLOWS;
        let pair = fail_safe.stopped_by.map(Contact::Pair);
        let face = workspace.crossed.map(Contact::Face);
        let contact = if self.is_sliding { slider.contact } else { None };
        holds.clear();
        holds.extend(pair.into_iter().chain(face).chain(contact).map(Hold::from));
        let limit = if *is_sliding { slider.limit } else { None };
        holds.extend(limit.or(jog.limit).map(|variable| Hold::JointLimit { variable }));
        if !follows && holds.is_empty() {
            match end {
                Some(End::Limit(variable)) => holds.push(Hold::JointLimit { variable }),
                Some(_) => holds.push(Hold::Singularity),
                None => {
                    if self.is_on_course && singular.smallest() < NEAR_SINGULAR {
                        holds.push(Hold::Singularity);
                    }
                    let used = |i: usize| (self.now.velocities[i] / self.limits[i].velocity).abs();
                    let busiest = (0..self.limits.len()).max_by(|a, b| used(*a).total_cmp(&used(*b)));
                    holds.extend(busiest.map(|variable| Hold::JointSpeed { variable }));
                }
            }
        }
        holds.extend(self.limited_tip.map(|tip| Hold::TipSpeed { tip }));
    }

    /// Why the line does not go on, where the joints come to rest before that or stand there.
    pub(super) fn end_ahead(&self) -> Option<End> {
        let Course { curve, plan, .. } = &self.course;
        if self.stuck.is_some() || !self.is_on_course || curve.reach() - plan.end > NEAR_END {
            return self.stuck;
        }
        // It is not known yet for how long the tip stands.
        let waits = curve.stands_from.map(|_| End::Singularity);
        curve.end.or(waits).filter(|end| *end != End::Arrived)
    }
}
