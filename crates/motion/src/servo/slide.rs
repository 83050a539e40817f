//! Motion beside the line, where joint limits or contacts are in the way: velocities of the joints with which the tips come nearest to
//! what they are to do.

use nalgebra::{Isometry3, Vector3, Vector6};

use super::braking_speed::braking_speed;
use super::constants::{POSE_GAIN, SECOND, SLIDE_DAMPING, SLIDE_GIVE, UNLIMITED};
use super::contacts::Contacts;
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::line::{Aim, between};
use super::options::{Priority, ServoOptions};
use super::stacked_jacobian::StackedJacobian;
use urdf_ik_collision::Near;
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::dot;
use urdf_ik_robot::Domain;

/// What is missed of the twists relative to them is nothing below this.
const MISSED: f64 = 1e-3;
/// What the joints are led by, as a share of the velocities.
const LEAD: f64 = 0.05;
/// Rounding of velocities at their bounds \[rad/s or m/s\].
const TIGHT: f64 = 1e-9;

/// Finds velocities.
#[derive(Debug, Clone)]
pub struct Slider {
    quadratic: DualActiveSet,
    twist: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub velocities: Vec<f64>,
    /// The pair and the joint that are in the way.
    pub contact: Option<Near>,
    pub limit: Option<usize>,
}

impl Slider {
    pub fn new(tips: usize, variables: usize) -> Self {
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(variables);
        let list = vec![0.0; variables];
        Self {
            quadratic,
            twist: vec![0.0; 6 * tips],
            lower: list.clone(),
            upper: list.clone(),
            velocities: list,
            contact: None,
            limit: None,
        }
    }

    /// Writes how fast each joint may be before its limits, at these positions.
    pub fn look_at(&mut self, positions: &[f64], limits: &[Limits]) {
        for (i, limits) in limits.iter().enumerate() {
            let speed = |room: f64| braking_speed(room, limits.acceleration, limits.jerk);
            (self.lower[i], self.upper[i]) = match limits.domain {
                Domain::Interval { lower, upper } => (-speed(positions[i] - lower), speed(upper - positions[i])),
                Domain::Circle => (-UNLIMITED, UNLIMITED),
            };
        }
    }

    /// No joint is near its limits.
    pub fn look_at_nothing(&mut self) {
        self.lower.fill(-UNLIMITED);
        self.upper.fill(UNLIMITED);
    }

    /// The joints whose limits hold the velocities back.
    fn pressing(&self) -> impl Iterator<Item = usize> {
        let is_at_end =
            |i: &usize| self.velocities[*i] <= self.lower[*i] + TIGHT || self.velocities[*i] >= self.upper[*i] - TIGHT;
        (0..self.velocities.len()).filter(is_at_end)
    }

    /// The first joint that is faster than it may be before its limit.
    pub fn first_outside(&self, velocities: &[f64]) -> Option<usize> {
        (0..velocities.len()).find(|i| !(self.lower[*i]..=self.upper[*i]).contains(&velocities[*i]))
    }

    /// Finds the velocities for the aims. Gives whether limits or contacts are in the way.
    pub fn find(
        &mut self,
        jacobian: &StackedJacobian,
        aims: &[Aim],
        contacts: &Contacts,
        limits: &[Limits],
        options: &ServoOptions,
    ) -> bool {
        let variables = limits.len();
        self.write_twist(jacobian, aims, options);
        self.quadratic.begin_function(std::iter::repeat(SLIDE_DAMPING));
        for (row, twist) in self.twist.iter().enumerate() {
            let weight = match (options.priority, row % 6 < 3) {
                (Priority::Translation, false) | (Priority::Rotation, true) => SECOND,
                _ => 1.0,
            };
            self.quadratic.add_square(jacobian.row(row), *twist, weight * weight);
        }
        let Contacts { slopes, least, .. } = contacts;
        let inequalities = Inequalities { rows: slopes, least, lower: &self.lower, upper: &self.upper };
        if self.quadratic.minimise(&inequalities) {
            self.velocities.copy_from_slice(&self.quadratic.minimum);
        } else {
            self.velocities.fill(0.0);
        }
        let (mut missed, mut all) = (0.0, 0.0);
        for (row, twist) in self.twist.iter().enumerate() {
            missed += (twist - dot(jacobian.row(row), &self.velocities)).powi(2);
            all += twist * twist;
        }
        self.contact = contacts.pressing(&self.velocities).copied();
        let limit = self.pressing().next();
        self.limit = limit;
        let is_held = self.contact.is_some() || self.limit.is_some();
        let share = |i: usize| 0.99 * limits[i].velocity / self.velocities[i].abs();
        let scale = (0..variables).map(share).fold(1.0, f64::min);
        self.velocities.iter_mut().for_each(|velocity| *velocity *= scale);
        is_held && missed > MISSED * MISSED * all
    }

    /// Slows the velocities down, so that what is not commanded gives way no farther than it may from the `targets`.
    pub fn keep_within_give(
        &mut self,
        jacobian: &StackedJacobian,
        aims: &[Aim],
        targets: &[Isometry3<f64>],
        held_axes: &[HeldAxes],
    ) {
        let mut scale = 1.0_f64;
        for (tip, aim) in aims.iter().enumerate() {
            let (pose, goal) = (&jacobian.tips()[tip], &targets[tip]);
            let off = between(goal, pose);
            let off = [0, 3].map(|row| off.fixed_rows::<3>(row).into_owned());
            for (part, is_commanded) in aim.commands().into_iter().enumerate() {
                let row = |axis: usize| 6 * tip + 3 * part + axis;
                let twist = Vector3::from_fn(|axis, _| {
                    jacobian.unit(row(axis)) * dot(jacobian.row(row(axis)), &self.velocities)
                });
                if !(is_commanded || part == 1 && !held_axes[tip].are_all()) && twist.dot(&off[part]) > 0.0 {
                    scale = scale.min(4.0 * (1.0 - off[part].norm() / SLIDE_GIVE[part]));
                }
            }
        }
        let scale = scale.max(0.0);
        self.velocities.iter_mut().for_each(|velocity| *velocity *= scale);
    }

    /// Slows the velocities down to little more than the share of them that the joints have, so that these keep to the direction.
    pub fn keep_direction(&mut self, now: &[f64]) {
        let squared = dot(&self.velocities, &self.velocities);
        if squared > 0.0 {
            let share = (dot(&self.velocities, now) / squared).max(0.0) + LEAD + LEAD / squared.sqrt();
            self.velocities.iter_mut().for_each(|velocity| *velocity *= share.min(1.0));
        }
    }

    fn write_twist(&mut self, jacobian: &StackedJacobian, aims: &[Aim], options: &ServoOptions) {
        for (tip, aim) in aims.iter().enumerate() {
            let pose = &jacobian.tips()[tip];
            let twist = match aim {
                Aim::Hold => Vector6::zeros(),
                Aim::Twist(twist, axes) => axes.to_base(pose, twist),
                Aim::Pose(goal) => {
                    let twist: Vector6<f64> = between(pose, goal) * POSE_GAIN;
                    twist * options.factor(twist.fixed_rows::<3>(0).norm(), twist.fixed_rows::<3>(3).norm(), 1.0)
                }
            };
            for row in 0..6 {
                self.twist[6 * tip + row] = twist[row] / jacobian.unit(row);
            }
        }
    }
}
