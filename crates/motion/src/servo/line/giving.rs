//! What is not commanded may give way, so far as it may, and comes back to where it is held.

use nalgebra::{Isometry3, Vector3, Vector6};

use super::{Line, Reach, TipMotion};
use crate::servo::braking_speed::braking_speed;
use crate::servo::command::{Aim, between};
use crate::servo::constants::{MIN_GIVE, PACE, PIECE};
use crate::servo::options::ServoOptions;
use crate::servo::ramp::Rates;

/// When what is not commanded gives way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Give {
    /// Where joints would be too fast.
    OnTheWay,
    Nothing,
    /// From the start on, because the line goes on only so.
    AtOnce,
}

impl Give {
    /// How many times faster than the line something gives way.
    fn pace(self) -> f64 {
        if self == Self::AtOnce { PACE } else { 1.0 }
    }
}

/// Where a tip holds what is not commanded.
#[derive(Debug, Clone, Copy)]
pub struct Anchor {
    pub pose: Isometry3<f64>,
    /// Whether the translation and the rotation are held there. They are not while they come to rest after another command.
    pub holds: [bool; 2],
}

/// Something that a tip holds: its translation, or its rotation where the part is 1.
struct Held {
    tip: usize,
    part: usize,
    /// How far it has given way \[m or rad\].
    off: Vector3<f64>,
}

impl Anchor {
    fn hold(&mut self, part: usize, pose: &Isometry3<f64>) {
        self.holds[part] = true;
        if part == 0 {
            self.pose.translation = pose.translation;
        } else {
            self.pose.rotation = pose.rotation;
        }
    }
}

impl Line {
    /// Sets where the tips hold what is not commanded: where they did `before`, or where they stand.
    pub(super) fn anchor(&mut self, tips: &[TipMotion], moves: bool, before: Option<&Self>) {
        for (tip, TipMotion { pose, .. }) in tips.iter().enumerate() {
            self.giving[tip] = Vector6::zeros();
            let mut anchor = Anchor { pose: *pose, holds: [false; 2] };
            for part in self.held_parts(tip) {
                match before.map(|line| &line.anchors[tip]).filter(|anchor| anchor.holds[part]) {
                    Some(before) => anchor.hold(part, &before.pose),
                    None => anchor.holds[part] = !moves,
                }
            }
            self.anchors[tip] = anchor;
        }
    }

    /// Which of translation and rotation a tip holds: 0 and 1.
    fn held_parts(&self, tip: usize) -> impl Iterator<Item = usize> + use<> {
        let holds = [0, 1].map(|part| self.holds(tip, part));
        (0..2).filter(move |part| holds[*part])
    }

    /// Whether a tip is to hold its translation, or its rotation where the part is 1.
    fn holds(&self, tip: usize, part: usize) -> bool {
        !self.aims[tip].commands()[part] && (part == 0 || self.held_axes[tip].always)
    }

    /// Where a tip is to be at a time, but for what gives way: that is where it is held.
    pub fn reference(&self, tip: usize, time: f64) -> Isometry3<f64> {
        let (mut pose, anchor) = (self.at(tip, time).pose, &self.anchors[tip]);
        if anchor.holds[0] {
            pose.translation = anchor.pose.translation;
        }
        if anchor.holds[1] {
            pose.rotation = anchor.pose.rotation;
        }
        pose
    }

    /// Whether something that is held may give way while a twist is commanded.
    pub fn gives_way(&self, options: &ServoOptions) -> bool {
        let stands = self.reach == Reach::Forever;
        let may_give = |tip: usize| {
            self.held_parts(tip)
                .any(|part| (stands || self.anchors[tip].holds[part]) && options.give_on_lines()[part] > MIN_GIVE)
        };
        self.give != Give::Nothing
            && self.aims.iter().any(|aim| matches!(aim, Aim::Twist(..)))
            && (0..self.aims.len()).any(may_give)
    }

    /// How far what a tip holds has given way at a time \[m, rad\].
    pub fn given(&self, tip: usize, time: f64) -> Vector6<f64> {
        let anchor = &self.anchors[tip];
        let mut off = between(&anchor.pose, &self.at(tip, time).pose);
        for part in (0..2).filter(|part| !anchor.holds[*part]) {
            off.fixed_rows_mut::<3>(3 * part).fill(0.0);
        }
        off
    }

    /// Lets what the tips hold give way with these velocities from a time on \[m/s, rad/s\], so far as it may.
    pub fn give_way(
        &mut self,
        time: f64,
        wanted: &[Vector6<f64>],
        options: &ServoOptions,
        rates: &impl Fn(&[f64]) -> Rates,
    ) {
        let (mut changes, mut pace) = (false, self.give.pace());
        for (tip, wanted) in wanted.iter().enumerate() {
            self.hold_what_stands(tip, time);
            let holds = self.anchors[tip].holds;
            for part in (0..2).filter(|part| holds[*part]) {
                let motions = [*wanted, self.at(tip, time).twist, self.given(tip, time)];
                let [wanted, moves, off] = motions.map(|motion| motion.fixed_rows::<3>(3 * part).into_owned());
                let held = Held { tip, part, off };
                let most = self.stopping_speed(&held, &wanted, options, rates);
                let allowed = wanted.cap_magnitude(most.min([options.linear_speed, options.angular_speed][part]));
                let stopping = self.stopping_speed(&held, &moves, options, rates);
                pace = pace.max(self.give.pace() * moves.norm() / stopping.max(f64::MIN_POSITIVE));
                let mut giving = self.giving[tip].fixed_rows_mut::<3>(3 * part);
                changes |= giving != allowed;
                giving.copy_from(&allowed);
            }
        }
        if changes {
            self.pace = pace.min(2.0 * self.give.pace());
            self.cut(time);
        }
    }

    /// Holds what is not commanded where it is at a time, if it came to rest before that.
    fn hold_what_stands(&mut self, tip: usize, time: f64) {
        if self.reach == Reach::Forever {
            let pose = self.at(tip, time).pose;
            for part in self.held_parts(tip) {
                if !self.anchors[tip].holds[part] {
                    self.anchors[tip].hold(part, &pose);
                }
            }
        }
    }

    /// Begins with what gives way at once, from rest.
    pub fn give_at_once(&mut self, wanted: &[Vector6<f64>], options: &ServoOptions, rates: &impl Fn(&[f64]) -> Rates) {
        self.give_way(0.0, wanted, options, rates);
        if self.giving.iter().all(|twist| *twist == Vector6::zeros()) {
            return;
        }
        self.reach = Reach::Until(0.0);
        self.pieces.clear();
        self.times.clear();
        self.write_goal(options, rates);
        self.ramp.begin_at(&self.goal);
        self.extend(PIECE, options, rates);
    }

    /// The speed in the direction of a velocity from which what is held still comes to rest before it has given way too far.
    fn stopping_speed(
        &mut self,
        held: &Held,
        velocity: &Vector3<f64>,
        options: &ServoOptions,
        rates: &impl Fn(&[f64]) -> Rates,
    ) -> f64 {
        let Some(direction) = velocity.try_normalize(0.0) else { return f64::INFINITY };
        let Held { tip, part, off } = held;
        // To the sphere around where it is held.
        let outward = off.dot(&direction);
        let squared = outward * outward + options.give_on_lines()[*part].powi(2) - off.norm_squared();
        let room = (squared.max(0.0).sqrt() - outward).max(0.0);
        self.along_base.fill(0.0);
        self.along_base[6 * tip + 3 * part..][..3].copy_from_slice(direction.as_slice());
        let (Rates { acceleration, jerk }, unit) =
            (rates(&self.along_base).at_pace(self.give.pace()), self.unit(3 * part));
        unit * braking_speed(room / unit, acceleration, jerk)
    }

    /// Forgets what is known after a time, so that other twists can be gone over to from there.
    fn cut(&mut self, time: f64) {
        let tips = self.aims.len();
        while self.times.len() > 1 && self.times[self.times.len() - 1] > time {
            self.times.pop_back();
            self.pieces.truncate(self.times.len() * tips);
        }
        for tip in 0..tips {
            let motion = self.at(tip, time);
            self.start(tip, &motion);
        }
        self.reach = Reach::Until(time);
    }
}
