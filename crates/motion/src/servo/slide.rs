//! Motion beside the line, where joint limits or contacts are in the way: velocities of the joints with which the tips come nearest to
//! what they are to do.

use nalgebra::{Isometry3, Vector6};

use super::command::{Aim, between};
use super::constants::{FIRST_STEP, KEPT, MIN_GIVE, POSE_GAIN, SECOND, SETTLING, SLIDE_DAMPING, TURN, UNLIMITED};
use super::curve::{Bend, Curve, End};
use super::held_axes::HeldAxes;
use super::jerk_bounds::Limits;
use super::options::{Priority, ServoOptions};
use super::stacked_jacobian::StackedJacobian;
use super::tracer::first_outside;
use crate::contact_rows::{Contact, ContactRows};
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot, normalise};

/// What is missed of the twists relative to them is nothing below this.
const MISSED: f64 = 1e-3;
/// Less than this share of the twists is nothing.
const MIN_SHARE: f64 = 1e-3;
/// A joint so near to its limit stands at it \[rad or m\]: a curve ends somewhat before it.
const AT_STOP: f64 = 2.0 * KEPT;
/// What the joints are led by, as a share of the velocities.
const LEAD: f64 = 0.05;
/// Rounding of velocities at their bounds \[rad/s or m/s\].
const TIGHT: f64 = 1e-9;

/// What the tips are to do, and within which limits.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub aims: &'a [Aim],
    pub held_axes: &'a [HeldAxes],
    pub limits: &'a [Limits],
    pub options: &'a ServoOptions,
}

/// Finds velocities.
#[derive(Debug, Clone)]
pub struct Slider {
    quadratic: DualActiveSet,
    /// The rows of the tips' twists that count, their equations, and what is wanted along them.
    rows: Vec<usize>,
    matrix: Vec<f64>,
    twists: Vec<f64>,
    /// A place on a curve and its slope there.
    place: Vec<f64>,
    slope: Vec<f64>,
    /// The slope with which a curve began where joints moved, and over which length it goes over to its own \[rad or m\].
    began: Vec<f64>,
    going_over: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub velocities: Vec<f64>,
    /// The contact and the joint that are in the way.
    pub contact: Option<Contact>,
    pub limit: Option<usize>,
}

impl Slider {
    pub fn new(tips: usize, variables: usize) -> Self {
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(variables);
        let [list, place] = [variables, variables + 1].map(|size| vec![0.0; size]);
        Self {
            quadratic,
            rows: Vec::with_capacity(6 * tips),
            matrix: Vec::with_capacity(6 * tips * variables),
            twists: Vec::with_capacity(6 * tips),
            place: place.clone(),
            slope: place.clone(),
            began: place,
            going_over: 0.0,
            lower: list.clone(),
            upper: list.clone(),
            velocities: list,
            contact: None,
            limit: None,
        }
    }

    /// Writes how fast each joint may be before its limits, at these positions.
    fn bound_by_braking(&mut self, positions: &[f64], limits: &[Limits]) {
        for (i, limits) in limits.iter().enumerate() {
            [self.lower[i], self.upper[i]] = limits.braking_speeds(positions[i]);
            self.lower[i] *= -1.0;
        }
    }

    /// Joints at their limits may only come back; the others are free.
    fn bound_at_limits(&mut self, limits: &[Limits]) {
        for (i, limits) in limits.iter().enumerate() {
            let most = |room: f64| if room < AT_STOP { 0.0 } else { UNLIMITED };
            [self.lower[i], self.upper[i]] = limits.room(self.place[i]).map(most);
            self.lower[i] *= -1.0;
        }
    }

    /// The first joint whose limits hold the velocities back.
    fn pressing(&self) -> Option<usize> {
        let is_at_end =
            |i: &usize| self.velocities[*i] <= self.lower[*i] + TIGHT || self.velocities[*i] >= self.upper[*i] - TIGHT;
        (0..self.velocities.len()).find(is_at_end)
    }

    /// Finds the velocities for a task at `positions` of which the Jacobian is. Gives whether contacts are in the way.
    pub fn find(&mut self, jacobian: &StackedJacobian, positions: &[f64], task: Task, contacts: &ContactRows) -> bool {
        self.bound_by_braking(positions, task.limits);
        let missed = self.minimise(jacobian, task, &contacts.gradients, &contacts.lower);
        self.contact = contacts.nearest_active(&self.velocities);
        self.limit = self.pressing();
        let share = |i: usize| 0.99 * task.limits[i].velocity / self.velocities[i].abs();
        let scale = (0..self.velocities.len()).map(share).fold(1.0, f64::min);
        self.velocities.iter_mut().for_each(|velocity| *velocity *= scale);
        self.contact.is_some() && missed > MISSED
    }

    /// Finds the velocities between the bounds that come nearest to the twists. Gives the share of these that is missed.
    fn minimise(&mut self, jacobian: &StackedJacobian, task: Task, slopes: &[f64], least: &[f64]) -> f64 {
        self.write_twists(jacobian, task);
        self.quadratic.begin_function(std::iter::repeat(SLIDE_DAMPING));
        let variables = self.velocities.len();
        for ((row, equation), twist) in self.rows.iter().zip(self.matrix.chunks_exact(variables)).zip(&self.twists) {
            let weight = match (task.options.priority, row % 6 < 3) {
                (Priority::Translation, false) | (Priority::Rotation, true) => SECOND,
                _ => 1.0,
            };
            self.quadratic.add_square(equation, *twist, weight * weight);
        }
        let inequalities = Inequalities { rows: slopes, least, lower: &self.lower, upper: &self.upper };
        if self.quadratic.minimise(&inequalities) {
            self.velocities.copy_from_slice(&self.quadratic.minimum);
        } else {
            self.velocities.fill(0.0);
        }
        let (mut missed, mut all) = (0.0, 0.0);
        for (equation, twist) in self.matrix.chunks_exact(variables).zip(&self.twists) {
            missed += (twist - dot(equation, &self.velocities)).powi(2);
            all += twist * twist;
        }
        (missed / all).sqrt()
    }

    /// Begins a curve beside the line from rest, along what the limits leave of the twists. Gives whether anything moves so.
    pub fn begin_at_rest(
        &mut self,
        curve: &mut Curve,
        jacobian: &mut StackedJacobian,
        positions: &[f64],
        task: Task,
    ) -> bool {
        let variables = positions.len();
        self.place[..variables].copy_from_slice(positions);
        self.place[variables] = 0.0;
        let leads_on = self.write_slope(jacobian, task).is_some();
        curve.begin(&self.place, &self.slope, Bend::BySlopes, FIRST_STEP);
        self.going_over = 0.0;
        leads_on
    }

    /// Goes on with a curve that began where the joints move.
    pub fn begin_moving(&mut self, curve: &Curve) {
        self.began.copy_from_slice(&curve.last().slope);
        self.going_over = SETTLING;
    }

    /// Adds one node to a curve that has not ended.
    pub fn extend(&mut self, curve: &mut Curve, jacobian: &mut StackedJacobian, task: Task) {
        while curve.end.is_none() {
            let (last, step) = (curve.last(), curve.step);
            let ahead = |slope: &[f64], place: &mut [f64], step: f64| {
                place.copy_from_slice(&last.place);
                add_times(place, step, slope);
            };
            // The midpoint rule.
            ahead(&last.slope, &mut self.place, 0.5 * step);
            let is_known = self.write_blended(jacobian, task, last.way + 0.5 * step).is_some();
            ahead(&self.slope, &mut self.place, step);
            let missed = if is_known { self.write_blended(jacobian, task, last.way + step) } else { None };
            let Some(missed) = missed else { return curve.finish(self.limit.map_or(End::Singularity, End::Limit)) };
            let turn = curve.turn_to(&self.slope);
            let outside = first_outside(task.limits.iter().map(|limits| limits.domain), &last.place, &self.place);
            if let Some((variable, factor)) = outside {
                curve.shorten(factor, End::Limit(variable));
                continue;
            }
            if turn > 1.5 * TURN {
                curve.shorten(0.5, End::Singularity);
                continue;
            }
            let arrived = (0..task.limits.len()).find(|i| {
                let room = |place: &[f64]| task.limits[*i].room(place[*i]).into_iter().fold(f64::INFINITY, f64::min);
                room(&self.place) < AT_STOP && room(&last.place) >= AT_STOP
            });
            curve.add(step * (1.0 + turn * turn / 24.0), &self.place, &self.slope, Bend::BySlopes);
            curve.fit_step(turn);
            if let Some(variable) = arrived {
                curve.finish(End::Limit(variable));
            } else if missed < MISSED {
                curve.finish(End::Free);
            }
            return;
        }
    }

    /// Writes the slope of the curve at the place; near its beginning it goes over from the one with which it began.
    fn write_blended(&mut self, jacobian: &mut StackedJacobian, task: Task, way: f64) -> Option<f64> {
        let missed = self.write_slope(jacobian, task)?;
        if way < self.going_over {
            let share = (1.0 - way / self.going_over).powi(2);
            for (slope, began) in self.slope.iter_mut().zip(&self.began) {
                *slope += share * (began - *slope);
            }
            normalise(&mut self.slope);
        }
        Some(missed)
    }

    /// Writes the slope of the curve at the place: what the limits leave of the twists. Gives the share of these that is missed; `None`
    /// where nothing is left.
    fn write_slope(&mut self, jacobian: &mut StackedJacobian, task: Task) -> Option<f64> {
        let variables = task.limits.len();
        jacobian.find(&self.place[..variables]);
        self.bound_at_limits(task.limits);
        let missed = self.minimise(jacobian, task, &[], &[]);
        self.limit = self.pressing();
        for i in 0..variables {
            // Rounding would lead a joint over its limit.
            self.slope[i] = self.velocities[i].clamp(self.lower[i], self.upper[i]);
        }
        self.slope[variables] = 1.0;
        normalise(&mut self.slope);
        (missed < 1.0 - MIN_SHARE).then_some(missed)
    }

    /// Slows the velocities down, so that what is not commanded gives way no farther than it may from the `targets`.
    pub fn keep_within_give(&mut self, jacobian: &StackedJacobian, task: Task, targets: &[Isometry3<f64>]) {
        let mut scale = 1.0_f64;
        for (tip, (aim, held)) in task.aims.iter().zip(task.held_axes).enumerate() {
            let (pose, goal) = (&jacobian.tips()[tip], &targets[tip]);
            let (off, twist) = (-held.way(pose, goal), held.in_frame(&jacobian.twist(tip, &self.velocities), pose));
            for (part, is_commanded) in aim.commands().into_iter().enumerate() {
                let [off, twist] = [&off, &twist].map(|both| both.fixed_rows::<3>(3 * part).into_owned());
                if !(is_commanded || part == 1 && !held.always) && twist.dot(&off) > 0.0 {
                    scale = scale.min(4.0 * (1.0 - off.norm() / task.options.give[part].max(MIN_GIVE)));
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

    /// Writes the twists that are wanted, in what counts of them.
    fn write_twists(&mut self, jacobian: &StackedJacobian, task: Task) {
        self.rows.clear();
        self.matrix.clear();
        self.twists.clear();
        for (tip, (aim, held)) in task.aims.iter().zip(task.held_axes).enumerate() {
            let pose = &jacobian.tips()[tip];
            let twist = match aim {
                Aim::Hold => Vector6::zeros(),
                Aim::Twist(twist, axes) => axes.to_base(pose, twist),
                Aim::Pose(goal) => {
                    let twist: Vector6<f64> = between(pose, goal) * POSE_GAIN;
                    twist * task.options.factor(&twist, 1.0)
                }
            };
            let (twist, frame) = (held.in_frame(&twist, pose), held.frame(pose));
            for row in held.rows(aim) {
                self.rows.push(6 * tip + row);
                jacobian.push_row(6 * tip + row, &frame, &mut self.matrix);
                self.twists.push(twist[row] / jacobian.unit(row));
            }
        }
    }
}
