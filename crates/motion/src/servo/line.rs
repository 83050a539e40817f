//! The line: where the tips are to be, over the time that the commanded speed needs.
//!
//! It begins where the tips are, with the twists that they have. These go over to the commanded ones on a ramp, within what the joints
//! allow. The pieces of the ramp are added as far ahead as they are needed; the last one of a constant command has no end.
//!
//! What is not commanded stands on the line, or gives way and comes back: that, too, is a velocity that the line goes over to.

mod giving;
mod piece;

use std::collections::VecDeque;

use nalgebra::{Isometry3, Vector6};

use super::braking_speed::approach;
use super::command::{Aim, Axes, between, turned};
use super::constants::{ARRIVED, BESIDE, MAX_PIECES, PIECE, POSE_SHARE, RAMP_LOOK};
use super::held_axes::HeldAxes;
use super::options::ServoOptions;
use super::ramp::{Ramp, Rates};
use giving::Anchor;
pub use giving::Give;
pub use piece::TipMotion;
use piece::{Piece, spun};
use urdf_ik_mathematics::vectors::dot;

/// How far the pieces go.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reach {
    /// To this time; more may be added.
    Until(f64),
    /// The last one has no end.
    Forever,
    /// The tips stand from this time on.
    End(f64),
}

/// What lies ahead where the known part of the lines ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ahead {
    /// Nothing: the tips are at their poses.
    There,
    /// Poses straight ahead, to which the present twists lead in this time.
    Straight(f64),
    /// Poses that have to be approached.
    Approach,
    /// Twists that do not end.
    Forever,
}

/// The lines of all tips.
#[derive(Debug, Clone)]
pub struct Line {
    pub aims: Vec<Aim>,
    /// The axes of rotation that each tip holds.
    pub held_axes: Vec<HeldAxes>,
    /// The rows of the tips' twists that count: those of translations, and of rotations that are commanded or held.
    pub rows: Vec<usize>,
    /// When what is not commanded gives way.
    pub give: Give,
    /// Where each tip holds what is not commanded.
    anchors: Vec<Anchor>,
    /// With which velocity what is not commanded gives way, or comes back \[m/s, rad/s\].
    giving: Vec<Vector6<f64>>,
    /// How many times faster than the line that goes over to it: the arm is slower than the line where something has to give way \[-\].
    pace: f64,
    /// The pieces of all tips, one time after the other, and when each begins.
    pieces: VecDeque<Piece>,
    times: VecDeque<f64>,
    reach: Reach,
    /// Where what is known ends, and the twists there, translation over the length scale.
    next: Vec<Start>,
    ramp: Ramp,
    goal: Vec<f64>,
    along_base: Vec<f64>,
    length_scale: f64,
}

/// Where a piece of a tip's line begins.
#[derive(Debug, Clone, Copy)]
struct Start {
    pose: Isometry3<f64>,
    axes: Axes,
}

impl Line {
    /// Of tips that hold these axes.
    pub fn new(held_axes: Vec<HeldAxes>, length_scale: f64) -> Self {
        let tips = held_axes.len();
        let start = Start { pose: Isometry3::identity(), axes: Axes::Base };
        Self {
            aims: vec![Aim::Hold; tips],
            held_axes,
            rows: Vec::with_capacity(6 * tips),
            give: Give::Nothing,
            anchors: vec![Anchor { pose: start.pose, holds: [false; 2] }; tips],
            giving: vec![Vector6::zeros(); tips],
            pace: 1.0,
            pieces: VecDeque::with_capacity(MAX_PIECES * tips),
            times: VecDeque::with_capacity(MAX_PIECES),
            next: vec![start; tips],
            reach: Reach::End(0.0),
            ramp: Ramp::new(6 * tips),
            goal: vec![0.0; 6 * tips],
            along_base: vec![0.0; 6 * tips],
            length_scale,
        }
    }

    /// Sets what the tips are to do, and which axes of rotation they hold meanwhile.
    pub fn set_aims(&mut self, aims: &[Aim], held_axes: &[HeldAxes]) {
        self.aims.copy_from_slice(aims);
        self.held_axes.copy_from_slice(held_axes);
        self.rows.clear();
        for (tip, (aim, held)) in aims.iter().zip(held_axes).enumerate() {
            self.rows.extend(held.rows(aim).map(|row| 6 * tip + row));
        }
    }

    /// Begins anew. Tips that move go over to what they are to do on a ramp; tips at rest begin with it. What they held `before` they hold
    /// there still.
    pub fn begin(
        &mut self,
        tips: &[TipMotion],
        moves: bool,
        before: Option<&Self>,
        options: &ServoOptions,
        rates: &impl Fn(&[f64]) -> Rates,
    ) {
        self.pieces.clear();
        self.times.clear();
        self.reach = Reach::Until(0.0);
        self.pace = 1.0;
        self.anchor(tips, moves, before);
        for (tip, motion) in tips.iter().enumerate() {
            self.start(tip, motion);
        }
        if !moves {
            self.write_goal(options, rates);
            self.ramp.begin_at(&self.goal);
        }
        self.extend(PIECE, options, rates);
    }

    /// Sets where and how a tip moves where what is known ends.
    fn start(&mut self, tip: usize, TipMotion { pose, twist, rate }: &TipMotion) {
        let axes = self.axes(tip);
        let back = pose.rotation.inverse();
        let motion = match axes {
            Axes::Base => [*twist, *rate],
            // The axes turn with the tip.
            Axes::Tip => [turned(&back, twist), turned(&back, &(rate - spun(twist)))],
        };
        self.next[tip] = Start { pose: *pose, axes };
        for (row, (twist, rate)) in motion[0].iter().zip(&motion[1]).enumerate() {
            let unit = self.unit(row);
            (self.ramp.velocity[6 * tip + row], self.ramp.acceleration[6 * tip + row]) = (twist / unit, rate / unit);
        }
    }

    /// Along which axes the line of a tip goes on. Where it holds its rotation, its own axes stand as they do
    /// there.
    fn axes(&self, tip: usize) -> Axes {
        let (aim, anchor) = (&self.aims[tip], &self.anchors[tip]);
        match aim {
            Aim::Twist(_, Axes::Tip) if !anchor.holds[1] => Axes::Tip,
            _ => Axes::Base,
        }
    }

    /// Whether no tip becomes faster on the ramp than it is and may be.
    pub fn keeps_speed(&mut self, options: &ServoOptions, rates: &impl Fn(&[f64]) -> Rates) -> bool {
        self.extend(RAMP_LOOK, options, rates);
        let tips = self.aims.len();
        let speeds = |piece: &Piece| [0, 3].map(|row| piece.twist[0].fixed_rows::<3>(row).norm());
        (0..tips).all(|tip| {
            let [linear, angular] = speeds(&self.pieces[tip]);
            let wanted = match self.aims[tip] {
                Aim::Hold => [0.0; 2],
                Aim::Twist(twist, _) => [0, 3].map(|row| twist.fixed_rows::<3>(row).norm()),
                Aim::Pose(_) => [options.linear_speed, options.angular_speed],
            };
            let most = [linear.max(wanted[0]), angular.max(wanted[1])].map(|speed| 1.002 * speed + 1e-4);
            self.pieces.iter().skip(tip).step_by(tips).all(|piece| {
                let [linear, angular] = speeds(piece);
                linear <= most[0] && angular <= most[1]
            })
        })
    }

    /// Adds pieces up to a time, as many as there is room for. Gives whether the line goes on to there.
    pub fn extend(&mut self, time: f64, options: &ServoOptions, rates: &impl Fn(&[f64]) -> Rates) -> bool {
        while let Reach::Until(end) = self.reach {
            if end >= time {
                return true;
            }
            if self.times.len() >= MAX_PIECES {
                return false;
            }
            self.add_piece(end, options, rates);
        }
        self.end().is_none_or(|end| time <= end)
    }

    /// Adds a piece from a time on, where what is known ends.
    fn add_piece(&mut self, start: f64, options: &ServoOptions, rates: &impl Fn(&[f64]) -> Rates) {
        let ahead = self.write_goal(options, rates);
        if ahead == Ahead::There && !self.times.is_empty() {
            self.reach = Reach::End(start);
            return;
        }
        let is_constant = self.ramp.is_at(&self.goal);
        // The last piece ends at the poses, at whatever speed.
        let arrives = matches!(ahead, Ahead::Straight(time) if is_constant || time < 2.0 * self.piece());
        if arrives {
            self.ramp.acceleration.fill(0.0);
        }
        self.times.push_back(start);
        for (tip, Start { pose, axes }) in self.next.iter().enumerate() {
            let twist = [self.entries(&self.ramp.velocity, tip), self.entries(&self.ramp.acceleration, tip)];
            self.pieces.push_back(Piece { pose: *pose, axes: *axes, twist: [twist[0], twist[1], Vector6::zeros()] });
        }
        match ahead {
            Ahead::Forever if is_constant => self.reach = Reach::Forever,
            Ahead::Straight(time) if arrives => self.reach = Reach::End(start + time),
            _ => self.add_ramp(start, rates),
        }
    }

    /// Lets the last pieces go over to the goal, for as long as they last.
    fn add_ramp(&mut self, start: f64, rates: &impl Fn(&[f64]) -> Rates) {
        let piece = self.piece();
        let Self { ramp, goal, next, along_base, pace, .. } = self;
        ramp.advance(goal, piece, |direction| {
            let parts = direction.chunks_exact(6).zip(along_base.chunks_exact_mut(6));
            for (Start { pose, axes }, (part, along)) in next.iter().zip(parts) {
                let part = Vector6::from_column_slice(part);
                along.copy_from_slice(axes.to_base(pose, &part).as_slice());
            }
            rates(along_base).at_pace(*pace)
        });
        let first = self.pieces.len() - self.next.len();
        for tip in 0..self.next.len() {
            let after = self.entries(&self.ramp.acceleration, tip);
            let last = &mut self.pieces[first + tip];
            last.twist[2] = (after - last.twist[1]) / piece;
            self.next[tip].pose = last.at(piece).pose;
        }
        self.reach = Reach::Until(start + piece);
    }

    /// The time at which the tips come to rest on it, where it is known.
    pub fn end(&self) -> Option<f64> {
        if let Reach::End(end) = self.reach { Some(end) } else { None }
    }

    /// How long a piece of a ramp is \[s\].
    pub fn piece(&self) -> f64 {
        PIECE / self.pace
    }

    /// The time from which the twists do not change any more.
    pub fn ramp_end(&self) -> f64 {
        if let Reach::Until(_) = self.reach { f64::INFINITY } else { self.times[self.times.len() - 1] }
    }

    /// Forgets the pieces before a time.
    pub fn forget_before(&mut self, time: f64) {
        while self.times.get(1).is_some_and(|next| *next <= time) {
            self.times.pop_front();
            self.pieces.drain(..self.aims.len());
        }
    }

    /// Where a tip is to be at a time, and how it moves there.
    pub fn at(&self, tip: usize, time: f64) -> TipMotion {
        let piece = self.times.partition_point(|start| *start <= time).max(1) - 1;
        self.pieces[piece * self.aims.len() + tip].at(time - self.times[piece])
    }

    /// Writes the twists that are wanted where the known part ends.
    fn write_goal(&mut self, options: &ServoOptions, rates: &impl Fn(&[f64]) -> Rates) -> Ahead {
        if !self.aims.iter().any(|aim| matches!(aim, Aim::Twist(..)))
            && let Some(ahead) = self.write_straight(options)
        {
            return ahead;
        }
        for tip in 0..self.aims.len() {
            let twist = match self.aims[tip] {
                Aim::Hold => self.giving[tip],
                Aim::Twist(twist, axes) if self.next[tip].axes == Axes::Base => {
                    axes.to_base(&self.anchors[tip].pose, &twist) + self.giving[tip]
                }
                Aim::Twist(twist, _) => twist + turned(&self.next[tip].pose.rotation.inverse(), &self.giving[tip]),
                Aim::Pose(pose) => self.approach(tip, &pose, options, rates),
            };
            for row in 0..6 {
                self.goal[6 * tip + row] = twist[row] / self.unit(row);
            }
        }
        if self.aims.iter().any(|aim| matches!(aim, Aim::Pose(_))) { Ahead::Approach } else { Ahead::Forever }
    }

    /// Writes the twists that lead straight to all poses, as fast as the greatest speeds allow, where the tips move in that direction
    /// already, or stand.
    fn write_straight(&mut self, options: &ServoOptions) -> Option<Ahead> {
        let (mut farthest, mut factor) = (0.0_f64, f64::MAX);
        for tip in 0..self.aims.len() {
            let way = if let Aim::Pose(pose) = &self.aims[tip] {
                between(&self.next[tip].pose, pose)
            } else {
                Vector6::zeros()
            };
            farthest = farthest.max(self.length_of(&way));
            factor = options.factor(&way, factor);
            for row in 0..6 {
                self.goal[6 * tip + row] = way[row] / self.unit(row);
            }
        }
        if farthest < ARRIVED {
            self.goal.fill(0.0);
            return Some(Ahead::There);
        }
        let velocity = &self.ramp.velocity;
        let share = dot(velocity, &self.goal) / dot(&self.goal, &self.goal);
        let beside = |(velocity, way): (&f64, &f64)| (velocity - share * way).abs();
        if share < 0.0 || velocity.iter().zip(&self.goal).map(beside).fold(0.0, f64::max) > BESIDE {
            return None;
        }
        self.goal.iter_mut().for_each(|entry| *entry *= factor);
        Some(Ahead::Straight(1.0 / share))
    }

    /// How far a pose is from another one [rad, lengths over the length scale].
    pub fn distance(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        self.length_of(&between(from, to))
    }

    fn length_of(&self, way: &Vector6<f64>) -> f64 {
        (way.fixed_rows::<3>(0) / self.length_scale).norm().hypot(way.fixed_rows::<3>(3).norm())
    }

    /// The twist with which a tip approaches a pose that does not lie straight ahead: slow enough for the ramp to lead to it.
    fn approach(
        &mut self,
        tip: usize,
        pose: &Isometry3<f64>,
        options: &ServoOptions,
        rates: &impl Fn(&[f64]) -> Rates,
    ) -> Vector6<f64> {
        let way = between(&self.next[tip].pose, pose);
        let left = self.length_of(&way);
        if left == 0.0 {
            return Vector6::zeros();
        }
        self.along_base.fill(0.0);
        for row in 0..6 {
            self.along_base[6 * tip + row] = way[row] / (self.unit(row) * left);
        }
        let Rates { acceleration, jerk } = rates(&self.along_base);
        let twist = way * approach(left, POSE_SHARE * acceleration, acceleration / jerk) / left;
        twist * options.factor(&twist, 1.0)
    }

    /// What an entry of a twist is over in the ramp.
    fn unit(&self, row: usize) -> f64 {
        if row < 3 { self.length_scale } else { 1.0 }
    }

    /// The six entries of a tip in metres and radians.
    fn entries(&self, all: &[f64], tip: usize) -> Vector6<f64> {
        Vector6::from_fn(|row, _| all[6 * tip + row] * self.unit(row))
    }
}
