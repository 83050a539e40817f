//! Runs of a servo, judged by finite differences of the published positions. Shared with crates/motion/benches/servo.

#![allow(dead_code, reason = "the tests and the bench use their own parts of this file")]

use nalgebra::{DMatrix, Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use urdf_ik::motion::MotionLimits;
use urdf_ik::motion::servo::{Axes, Command, Report, Servo, ServoOptions, TipCommand, TipPose, TipTwist};
use urdf_ik::robot::{ChainPoses, Domain};
use urdf_ik::solver::Solver;
use urdf_ik::spatial::rotation_vector;

use crate::common::{Arm, Random};

/// Tolerance of a bound, relative to it.
pub const TOLERANCE: f64 = 1e-6;

/// A robot with [the limits of tests](crate::common::LIMITS).
pub struct Subject {
    pub arm: Arm,
    pub solver: Solver,
    pub limits: MotionLimits,
    /// Metres that count as a radian.
    pub scale: f64,
    /// Maximum deviation of the uncommanded axes \[m\] and \[rad\].
    pub slack: [f64; 2],
}

impl Subject {
    pub fn new(arm: Arm) -> Self {
        let solver = arm.solver();
        Self { scale: solver.length_scale(), solver, limits: arm.limits(), arm, slack: ServoOptions::default().slack }
    }

    pub fn joints(&self) -> usize {
        self.arm.chain.variables().len()
    }

    pub fn domain(&self, joint: usize) -> Domain {
        self.arm.chain.variables()[joint].domain
    }

    /// The limits of velocity, acceleration and jerk of a joint.
    pub fn bounds(&self, joint: usize) -> [f64; 3] {
        [self.limits.velocities[joint], self.limits.accelerations[joint], self.limits.jerks[joint]]
    }

    /// Distance of a joint to its lower and upper limit \[rad or m\].
    pub fn room(&self, joint: usize, position: f64) -> [f64; 2] {
        match self.domain(joint) {
            Domain::Interval { lower, upper } => [position - lower, upper - position],
            Domain::Circle => [f64::INFINITY; 2],
        }
    }

    pub fn servo(&self, start: &[f64]) -> Servo {
        let options = ServoOptions {
            linear_speed: 1e3,
            angular_speed: 1e3,
            slack: self.slack,
            max_deviation_angle: 0.0,
            ..ServoOptions::default()
        };
        Servo::new(&self.solver, &self.limits, options, start).unwrap()
    }

    pub fn pose(&self, positions: &[f64]) -> Isometry3<f64> {
        let mut poses = ChainPoses::new(&self.arm.chain);
        self.arm.chain.forward_kinematics(positions, &mut poses);
        poses.tips()[0]
    }

    /// The Jacobian of the tip in the base link's axes, linear rows first.
    pub fn jacobian(&self, positions: &[f64]) -> DMatrix<f64> {
        let mut poses = ChainPoses::new(&self.arm.chain);
        self.arm.chain.forward_kinematics(positions, &mut poses);
        let mut columns = vec![Vector6::zeros(); positions.len()];
        self.arm.chain.jacobian(&poses, 0, &poses.tips()[0].translation.vector.into(), &mut columns);
        DMatrix::from_fn(6, positions.len(), |row, column| columns[column][row])
    }

    /// The Jacobian with linear rows over the length scale.
    pub fn scaled_jacobian(&self, positions: &[f64]) -> DMatrix<f64> {
        let mut jacobian = self.jacobian(positions);
        jacobian.rows_mut(0, 3).scale_mut(1.0 / self.scale);
        jacobian
    }

    /// A twist with linear rows over the length scale.
    pub fn scaled_twist(&self, twist: &Vector6<f64>) -> Vector6<f64> {
        let mut twist = *twist;
        twist.fixed_rows_mut::<3>(0).scale_mut(1.0 / self.scale);
        twist
    }
}

/// A servo command that owns its data.
#[derive(Debug, Clone)]
pub enum Input {
    Rest,
    Twist(TipTwist),
    Velocities(Vec<f64>),
    Pose(Isometry3<f64>),
}

impl Input {
    pub fn twist(twist: &Vector6<f64>, axes: Axes) -> Self {
        let [linear, angular] = [0, 3].map(|row| Vector3::from(twist.fixed_rows::<3>(row)));
        Self::Twist(TipTwist { tip: 0, linear, angular, axes })
    }

    pub fn apply<'a>(&self, servo: &'a mut Servo, period: f64) -> &'a Report {
        let of_tip;
        let command = match self {
            Self::Rest => Command::Rest,
            Self::Velocities(velocities) => Command::Velocities(velocities),
            Self::Twist(twist) => {
                of_tip = [TipCommand::Twist(*twist)];
                Command::Tips(&of_tip)
            }
            Self::Pose(pose) => {
                of_tip = [TipCommand::Pose(TipPose { tip: 0, pose: *pose })];
                Command::Tips(&of_tip)
            }
        };
        servo.step(period, &command, None).unwrap()
    }
}

/// The published positions of a servo at even times, from rest.
pub struct Run {
    pub period: f64,
    pub positions: Vec<Vec<f64>>,
}

impl Run {
    pub fn new(period: f64, start: &[f64]) -> Self {
        Self { period, positions: vec![start.to_vec()] }
    }

    /// One more step of a servo.
    pub fn step(&mut self, servo: &mut Servo, input: &Input) {
        input.apply(servo, self.period);
        self.positions.push(servo.positions().to_vec());
    }

    /// Many steps of a servo with one command.
    pub fn steps(&mut self, servo: &mut Servo, input: &Input, seconds: f64) {
        for _ in 0..count(seconds, self.period) {
            self.step(servo, input);
        }
    }

    /// A joint's position at a sample; the first one before the start.
    fn at(&self, sample: usize, back: usize, joint: usize) -> f64 {
        self.positions[sample.saturating_sub(back)][joint]
    }

    /// Finite differences of a joint's positions up to a sample: velocity, acceleration, jerk.
    pub fn differences(&self, sample: usize, joint: usize) -> [f64; 3] {
        let [a, b, c, d] = [3, 2, 1, 0].map(|back| self.at(sample, back, joint));
        let h = self.period;
        [(d - c) / h, ((d - c) - (c - b)) / h.powi(2), ((d - c) - 2.0 * (c - b) + (b - a)) / h.powi(3)]
    }

    /// Velocities at a sample by central differences.
    pub fn velocities(&self, sample: usize) -> Vec<f64> {
        let (before, after) = (sample.saturating_sub(1), (sample + 1).min(self.positions.len() - 1));
        let time = self.period * small(after - before);
        self.positions[before].iter().zip(&self.positions[after]).map(|(a, b)| (b - a) / time).collect()
    }

    /// The worst use of the bounds: the excess over position limits \[rad or m\], and the maximum velocity,
    /// acceleration and jerk relative to their limits, each with its sample and joint.
    pub fn usage(&self, subject: &Subject) -> Usage {
        let mut usage = Usage::default();
        for sample in 0..self.positions.len() {
            for joint in 0..subject.joints() {
                let outside = subject.room(joint, self.positions[sample][joint]).map(|room| (-room).max(0.0));
                usage.meet(0, outside[0].max(outside[1]), sample, joint);
                let differences = self.differences(sample, joint);
                for (order, (difference, bound)) in differences.iter().zip(subject.bounds(joint)).enumerate() {
                    usage.meet(order + 1, (difference / bound).abs(), sample, joint);
                }
            }
        }
        usage
    }
}

/// The worst of position, velocity, acceleration and jerk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub worst: [f64; 4],
    /// Sample and joint of each.
    pub places: [(usize, usize); 4],
}

impl Usage {
    fn meet(&mut self, order: usize, value: f64, sample: usize, joint: usize) {
        if value > self.worst[order] || value.is_nan() {
            (self.worst[order], self.places[order]) = (value, (sample, joint));
        }
    }

    /// The worst excess: of positions in rad or m, of the others relative to the bound.
    pub fn excess(&self) -> f64 {
        self.worst[1..].iter().fold(self.worst[0], |excess, used| excess.max(used - 1.0))
    }

    pub fn is_kept(&self) -> bool {
        self.excess() <= TOLERANCE
    }
}

/// Number of periods in a duration in seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
pub fn count(seconds: f64, period: f64) -> usize {
    (seconds / period).round() as usize
}

/// A small number.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub fn small(count: usize) -> f64 {
    count as f64
}

/// The twist from a pose to one `time` later, in the base link's axes.
pub fn twist_between(from: &Isometry3<f64>, to: &Isometry3<f64>, time: f64) -> Vector6<f64> {
    let linear = (to.translation.vector - from.translation.vector) / time;
    let angular = rotation_vector(&(to.rotation * from.rotation.inverse())) / time;
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// Deviation of a pose from the line or rotation of a purely linear or angular twist from an anchor, in metres and
/// radians, and the distance along it \[m or rad\].
pub fn from_line(anchor: &Isometry3<f64>, twist: &Vector6<f64>, pose: &Isometry3<f64>) -> ([f64; 2], f64) {
    let moved = pose.translation.vector - anchor.translation.vector;
    let turned = pose.rotation * anchor.rotation.inverse();
    let [linear, angular] = [0, 3].map(|row| Vector3::from(twist.fixed_rows::<3>(row)));
    if linear.norm() > 0.0 {
        let along = linear.normalize();
        let way = moved.dot(&along);
        return ([(moved - along * way).norm(), rotation_vector(&turned).norm()], way);
    }
    let axis = angular.normalize();
    let half = turned.imag().dot(&axis).atan2(turned.w);
    let about = UnitQuaternion::from_scaled_axis(axis * (2.0 * half));
    let apart = rotation_vector(&(turned * about.inverse())).norm();
    let angle = (2.0 * half + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
    ([moved.norm(), apart], angle)
}

/// Positions slightly displaced, inside the limits.
pub fn moved_positions(subject: &Subject, positions: &[f64], by: f64) -> Vec<f64> {
    positions.iter().enumerate().map(|(joint, position)| subject.domain(joint).clamp(position + by)).collect()
}

/// A command of any kind: rarely enormous, sometimes none.
pub fn random_input(random: &mut Random, subject: &Subject, here: &Isometry3<f64>) -> Input {
    let size = [0.01, 0.1, 0.3, 1.0, 100.0][random.below(5)];
    let mut vector = || Vector3::from_fn(|_, _| size * random.between(-1.0, 1.0));
    let (linear, angular) = (vector(), 3.0 * vector());
    let twist = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
    match random.below(8) {
        0 => Input::Rest,
        1 => Input::Velocities((0..subject.joints()).map(|_| 5.0 * size * random.between(-1.0, 1.0)).collect()),
        2 => {
            let rotation = UnitQuaternion::from_scaled_axis(angular) * here.rotation;
            Input::Pose(Isometry3::from_parts(Translation3::from(here.translation.vector + linear), rotation))
        }
        3..5 => Input::twist(&twist, Axes::Tip),
        5 => Input::twist(&Vector6::new(linear.x, linear.y, linear.z, 0.0, 0.0, 0.0), Axes::Base),
        _ => Input::twist(&twist, Axes::Base),
    }
}
