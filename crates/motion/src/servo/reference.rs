//! Where the tips are to be, and how fast: target poses that move as commanded, and wait for an arm that cannot follow.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};

use super::braking_speed::{SHARE, approach, braking_speed};
use super::command::{Axes, Command, TipPose, TipTwist};
use super::options::{Priority, ServoOptions};
use super::ramp::{Ramp, Rates};
use urdf_ik_mathematics::spatial::{rotation_vector, stacked};
use urdf_ik_mathematics::vectors::length;

/// How far a target may be from where the arm can be \[m\] and \[rad\], in what is commanded.
const GREATEST_LAG: [f64; 2] = [2e-3, 5e-3];
/// How far what is not commanded may give way where the other comes first \[m\] and \[rad\].
const GREATEST_GIVE: [f64; 2] = [0.02, 0.1];
/// How fast tips are led to their targets at most, over the targets' own motion.
const LEAD: f64 = 0.3;
/// The time constant with which leading ends while something is blocked, and begins again \[s\].
const CHANGE: f64 = 0.1;
/// The gain with which a commanded pose is approached \[1/s\], and the share of the acceleration that this uses.
const POSE_GAIN: f64 = 12.0;
const POSE_SHARE: f64 = 0.3;
/// The weight of tips without a command.
const HELD_TIP: f64 = 0.1;
/// The weight of what comes second.
const SECOND: f64 = 0.002;

/// The targets of all tips.
#[derive(Debug, Clone)]
pub struct Reference {
    pub length_scale: f64,
    tips: Vec<TipReference>,
    /// Twists of the targets along the axes of each tip, translation over the length scale.
    ramp: Ramp,
    goal: Vec<f64>,
    last_goal: Vec<f64>,
    /// The share of leading: none while something is blocked.
    lead: f64,
    /// A unit twist along the axes of the base link.
    turned: Vec<f64>,
    /// The same along the axes of the base link, with what leads the tips to their targets.
    pub wish: Vec<f64>,
    pub weights: Vec<f64>,
}

/// What came of moving the targets on.
pub struct Advanced {
    /// The tip that its greatest speed holds back, where one is.
    pub limited_tip: Option<usize>,
    /// Whether the scale is 1 again.
    pub begins_anew: bool,
}

/// The target of one tip.
#[derive(Debug, Clone)]
struct TipReference {
    pose: Isometry3<f64>,
    axes: Axes,
    /// Whether translation and rotation are commanded.
    commanded: [bool; 2],
    /// How far translation and rotation may give way where they are not.
    give: [f64; 2],
    /// How far the target is from the tip.
    error: [Vector3<f64>; 2],
}

impl Reference {
    /// Targets of so many tips. `frees_rotation` tells of each tip whether its arm cannot hold all axes of rotation.
    pub fn new(length_scale: f64, frees_rotation: impl ExactSizeIterator<Item = bool>) -> Self {
        let size = 6 * frees_rotation.len();
        let tip = |frees: bool| TipReference {
            pose: Isometry3::identity(),
            axes: Axes::Base,
            commanded: [false; 2],
            give: [GREATEST_GIVE[0], if frees { f64::INFINITY } else { GREATEST_GIVE[1] }],
            error: [Vector3::zeros(); 2],
        };
        Self {
            length_scale,
            tips: frees_rotation.map(tip).collect(),
            ramp: Ramp::new(size),
            goal: vec![0.0; size],
            last_goal: vec![0.0; size],
            lead: 1.0,
            turned: vec![0.0; size],
            wish: vec![0.0; size],
            weights: vec![1.0; size],
        }
    }

    /// The target of a tip, in the base link's frame.
    pub fn pose(&self, tip: usize) -> Isometry3<f64> {
        self.tips[tip].pose
    }

    /// Whether the targets stand.
    pub fn is_at_rest(&self) -> bool {
        self.ramp.is_at_rest()
    }

    /// Lets the targets stand where they are.
    pub fn stop(&mut self) {
        self.ramp.scale(0.0);
    }

    /// Begins where the tips are, with each entry of their twists, as [`Reference::wish`] has them, and its derivative.
    pub fn begin(&mut self, poses: &[Isometry3<f64>], twists: impl Iterator<Item = [f64; 2]>) {
        for (tip, pose) in self.tips.iter_mut().zip(poses) {
            (tip.pose, tip.axes, tip.commanded) = (*pose, Axes::Base, [false; 2]);
        }
        for ((velocity, acceleration), twist) in
            self.ramp.velocity.iter_mut().zip(&mut self.ramp.acceleration).zip(twists)
        {
            [*velocity, *acceleration] = twist;
        }
    }

    /// Moves the targets on by `period` seconds. What moved the tips last was `scale` of the wish; a new command begins with that, so that
    /// the scale is 1 again. `rates` tells what the joints allow along a unit wish, of which they do that scale.
    pub fn advance(
        &mut self,
        command: &Command,
        (period, mut scale): (f64, f64),
        options: &ServoOptions,
        rates: impl Fn(&[f64], f64) -> Rates,
    ) -> Advanced {
        if let Command::Rest = command {
            // The scale alone brings the tips to rest, on their way.
            self.ramp.acceleration.fill(0.0);
            self.move_targets(period * scale);
            return Advanced { limited_tip: None, begins_anew: self.is_at_rest() };
        }
        self.last_goal.copy_from_slice(&self.goal);
        let limited_tip = self.write_goal(command, options, &|twist: &[f64]| rates(twist, 1.0));
        let is_new = self.last_goal != self.goal;
        if is_new {
            self.ramp.scale(scale);
            scale = 1.0;
        }
        let half = 0.5 * period * scale;
        self.move_targets(half);
        let Self { ramp, goal, tips, turned, .. } = self;
        ramp.advance(goal, period, |direction| {
            for (tip, (turned, direction)) in tips.iter().zip(turned.chunks_exact_mut(6).zip(direction.chunks_exact(6)))
            {
                turned.copy_from_slice(tip.to_base(direction).as_slice());
            }
            rates(turned, scale)
        });
        self.move_targets(half);
        Advanced { limited_tip, begins_anew: is_new || self.is_at_rest() }
    }

    /// Moves the targets on by so many seconds, each along its screw.
    fn move_targets(&mut self, time: f64) {
        for (tip, twist) in self.tips.iter_mut().zip(self.ramp.velocity.chunks_exact(6)) {
            let linear = Vector3::from_column_slice(&twist[..3]) * (time * self.length_scale);
            tip.advance(linear, Vector3::from_column_slice(&twist[3..]) * time);
        }
    }

    /// Writes the wish: the twists of the targets, and what leads the tips there, where they would be at `poses` without it. Targets wait
    /// there for tips that are too far away. Where limits or singularities block a part of the twists, only the rest of these counts.
    /// Tips come to their targets with `gain` \[1/s\], or so slowly that the joints can brake there, and never faster than they may be:
    /// `rates` tells what the joints allow along a unit wish.
    pub fn write_wish(
        &mut self,
        poses: &[Isometry3<f64>],
        gain: f64,
        (is_blocked, period): (bool, f64),
        options: &ServoOptions,
        rates: impl Fn(&[f64]) -> Rates,
    ) {
        let wanted = if is_blocked { 0.0 } else { 1.0 };
        self.lead += (wanted - self.lead) * (period / CHANGE).min(1.0);
        // A target that stands leads nowhere: what is left must not move the arm.
        let most = LEAD * length(&self.ramp.velocity);
        for (index, (tip, pose)) in self.tips.iter_mut().zip(poses).enumerate() {
            tip.wait_for(pose);
            let first = 6 * index;
            let mut twist = tip.to_base(&self.ramp.velocity[first..][..6]);
            for (part, unit) in [self.length_scale, 1.0].into_iter().enumerate() {
                let left = tip.error[part].norm() / unit;
                if left > 0.0 {
                    let direction = tip.error[part] / (left * unit);
                    self.turned.fill(0.0);
                    self.turned[first + 3 * part..][..3].copy_from_slice(direction.as_slice());
                    let speed = approach(left, SHARE * rates(&self.turned).acceleration, 1.0 / gain).min(most);
                    twist.fixed_rows_mut::<3>(3 * part).axpy(self.lead * speed, &direction, 1.0);
                }
            }
            let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).norm());
            twist *= options.scale(linear * self.length_scale, angular);
            self.wish[first..][..6].copy_from_slice(twist.as_slice());
        }
    }

    /// How much a motion with these twists, whose speed can change at these rates, has to slow down, so that what gives way does not give
    /// more than it may.
    pub fn patience(&self, rates: Rates, twists: impl Fn(usize) -> f64) -> f64 {
        let mut patience = 1.0_f64;
        for (index, tip) in self.tips.iter().enumerate() {
            for (part, unit) in [self.length_scale, 1.0].into_iter().enumerate() {
                let twist = Vector3::from_fn(|axis, _| unit * twists(6 * index + 3 * part + axis));
                let distance = tip.error[part].norm();
                let away = -tip.error[part].dot(&twist) / distance;
                if !tip.commanded[part] && away > 0.0 {
                    let left = tip.give[part] - distance;
                    let most = braking_speed(left, away * rates.acceleration, away * rates.jerk);
                    patience = patience.min(most / away);
                }
            }
        }
        patience
    }

    fn write_goal(
        &mut self,
        command: &Command,
        options: &ServoOptions,
        rates: &impl Fn(&[f64]) -> Rates,
    ) -> Option<usize> {
        self.goal.fill(0.0);
        let mut limited = None;
        match command {
            Command::Rest | Command::Velocities(_) => {}
            Command::Twists(twists) => {
                self.weigh(twists.iter().map(|twist| twist.tip), options.priority);
                for TipTwist { tip, linear, angular, axes } in *twists {
                    let scale = options.scale(linear.norm(), angular.norm());
                    limited = limited.or((scale < 1.0).then_some(*tip));
                    self.turn_ramp(*tip, *axes);
                    self.set_goal(*tip, linear * scale, angular * scale);
                }
            }
            Command::Poses(poses) => {
                self.weigh(poses.iter().map(|pose| pose.tip), options.priority);
                for TipPose { tip, pose } in *poses {
                    self.turn_ramp(*tip, Axes::Base);
                    let [linear, angular] = difference(&self.tips[*tip].pose, pose);
                    let [linear, angular] = self.approach(*tip, linear, angular, rates);
                    let scale = options.scale(linear.norm(), angular.norm());
                    limited = limited.or((scale < 1.0).then_some(*tip));
                    self.set_goal(*tip, linear * scale, angular * scale);
                }
            }
        }
        limited
    }

    /// The velocity with which a pose that is so far away is approached.
    fn approach(
        &mut self,
        tip: usize,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
        rates: &impl Fn(&[f64]) -> Rates,
    ) -> [Vector3<f64>; 2] {
        let way = stacked(&(linear / self.length_scale), &angular);
        let distance = way.norm();
        if distance == 0.0 {
            return [Vector3::zeros(); 2];
        }
        self.turned.fill(0.0);
        self.turned[6 * tip..][..6].copy_from_slice((way / distance).as_slice());
        let slow = POSE_SHARE * rates(&self.turned).acceleration;
        let speed = (POSE_GAIN * distance).min((2.0 * slow * distance).sqrt());
        [linear * (speed / distance), angular * (speed / distance)]
    }

    fn set_goal(&mut self, tip: usize, linear: Vector3<f64>, angular: Vector3<f64>) {
        self.tips[tip].commanded = [linear != Vector3::zeros(), angular != Vector3::zeros()];
        self.goal[6 * tip..][..6].copy_from_slice(stacked(&(linear / self.length_scale), &angular).as_slice());
    }

    /// Gives a tip's twist along other axes.
    fn turn_ramp(&mut self, tip: usize, axes: Axes) {
        let reference = &mut self.tips[tip];
        if reference.axes == axes {
            return;
        }
        for vector in [&mut self.ramp.velocity, &mut self.ramp.acceleration] {
            let entries = &mut vector[6 * tip..][..6];
            let turned = if axes == Axes::Tip {
                turned(&reference.pose.rotation.inverse(), entries)
            } else {
                turned(&reference.pose.rotation, entries)
            };
            entries.copy_from_slice(turned.as_slice());
        }
        reference.axes = axes;
    }

    fn weigh(&mut self, tips: impl Iterator<Item = usize>, priority: Priority) {
        let [linear, angular] = match priority {
            Priority::Translation => [1.0, SECOND],
            Priority::Rotation => [SECOND, 1.0],
            Priority::Both => [1.0, 1.0],
        };
        for (row, weight) in self.weights.iter_mut().enumerate() {
            *weight = HELD_TIP * if row % 6 < 3 { linear } else { angular };
        }
        for tip in &mut self.tips {
            tip.commanded = [false; 2];
        }
        for tip in tips {
            self.weights[6 * tip..][..6].iter_mut().for_each(|weight| *weight /= HELD_TIP);
        }
    }
}

impl TipReference {
    /// A twist along the axes of this tip, along those of the base link.
    fn to_base(&self, twist: &[f64]) -> Vector6<f64> {
        match self.axes {
            Axes::Base => Vector6::from_column_slice(twist),
            Axes::Tip => turned(&self.pose.rotation, twist),
        }
    }

    /// Moves the target along a screw.
    fn advance(&mut self, linear: Vector3<f64>, angular: Vector3<f64>) {
        let turn = UnitQuaternion::from_scaled_axis(angular);
        match self.axes {
            Axes::Base => {
                self.pose.translation.vector += linear;
                self.pose.rotation = turn * self.pose.rotation;
            }
            Axes::Tip => {
                // Along the arc of the screw: half of the turn comes before the mean motion.
                let half = UnitQuaternion::from_scaled_axis(0.5 * angular);
                self.pose *= Isometry3::from_parts(Translation3::from(half * linear), turn);
            }
        }
        self.pose.rotation.renormalize();
    }

    /// Brings the target as near to `pose` as it must be.
    fn wait_for(&mut self, pose: &Isometry3<f64>) {
        self.error = difference(pose, &self.pose);
        for (part, lag) in GREATEST_LAG.into_iter().enumerate() {
            let most = if self.commanded[part] { lag } else { self.give[part] };
            let share = self.error[part].norm() / most;
            if share > 1.0 {
                self.error[part] /= share;
            }
        }
        let [linear, angular] = self.error;
        self.pose.translation.vector = pose.translation.vector + linear;
        self.pose.rotation = UnitQuaternion::from_scaled_axis(angular) * pose.rotation;
    }
}

/// What leads from one pose to another, along the axes that both are given in: translation and rotation vector.
fn difference(from: &Isometry3<f64>, to: &Isometry3<f64>) -> [Vector3<f64>; 2] {
    [to.translation.vector - from.translation.vector, rotation_vector(&(to.rotation * from.rotation.inverse()))]
}

/// A twist along other axes.
fn turned(rotation: &UnitQuaternion<f64>, twist: &[f64]) -> Vector6<f64> {
    let part = |at: usize| rotation * Vector3::from_column_slice(&twist[at..at + 3]);
    stacked(&part(0), &part(3))
}
