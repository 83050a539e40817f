//! How what is not commanded gives way, so that what is commanded keeps its speed.

use nalgebra::Vector6;

use super::constants::{COME_BACK, KEPT, PLANNED, SECOND, SLIDE_DAMPING};
use super::curve::Node;
use super::jerk_bounds::Limits;
use super::line::Line;
use super::rows::Rows;
use super::stacked_jacobian::StackedJacobian;
use super::tracer::near_limit;
use urdf_ik_mathematics::dual_active_set::{DualActiveSet, Inequalities};
use urdf_ik_mathematics::vectors::{add_times, dot};

/// What comes back more slowly is there \[m/s, rad/s\].
const NOTHING: f64 = 1e-6;
/// With a smaller share of what is commanded nothing gives way: that would lead nowhere.
const MIN_SHARE: f64 = 0.1;
/// Rounding of slopes \[-\].
const TIGHT: f64 = 1e-9;

/// Finds the twists with which what the tips hold gives way.
#[derive(Debug, Clone)]
pub struct GivingWay {
    /// The twist of each tip, in what it holds \[m/s, rad/s\].
    pub twists: Vec<Vector6<f64>>,
    /// Velocities of the variables, and after them the share of the commanded twists.
    motion: Vec<f64>,
    quadratic: DualActiveSet,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The rows of what is commanded, and what is missed of them.
    commanded: Vec<f64>,
    rows: Rows,
    missed: Vec<f64>,
    change: Vec<f64>,
    /// One of the equations.
    equation: Vec<f64>,
}

impl GivingWay {
    pub fn new(tips: usize, variables: usize) -> Self {
        let (rows, size) = (6 * tips, variables + 1);
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(size);
        let list = vec![0.0; size];
        Self {
            twists: vec![Vector6::zeros(); tips],
            motion: list.clone(),
            quadratic,
            lower: list.clone(),
            upper: list.clone(),
            commanded: Vec::with_capacity(rows * size),
            rows: Rows::new(rows, size),
            missed: vec![0.0; rows],
            change: list,
            equation: Vec::with_capacity(size),
        }
    }

    /// Finds the twists where a curve along a line has come to. Where the joints are fast enough for the line there, what has given way comes
    /// back. Else it gives way as little as needed for the largest share of the commanded twists.
    pub fn find(&mut self, jacobian: &mut StackedJacobian, line: &Line, at: &Node, limits: &[Limits]) {
        let variables = limits.len();
        let (positions, time) = (&at.place[..variables], at.place[variables]);
        for (tip, twist) in self.twists.iter_mut().enumerate() {
            *twist = line.given(tip, time) * -COME_BACK;
            if twist.amax() < NOTHING {
                twist.fill(0.0);
            }
        }
        self.bound(positions, limits);
        let rate = at.slope[variables];
        let is_able = |i: usize| (rate * self.lower[i] - TIGHT..=rate * self.upper[i] + TIGHT).contains(&at.slope[i]);
        if !(0..variables).all(is_able) {
            self.find_motion(jacobian, line, positions, time);
        }
    }

    /// Finds the twists with which the largest share of what is commanded begins from rest.
    pub fn find_at_rest(&mut self, jacobian: &mut StackedJacobian, line: &Line, positions: &[f64], limits: &[Limits]) {
        self.twists.fill(Vector6::zeros());
        self.bound(positions, limits);
        self.find_motion(jacobian, line, positions, 0.0);
    }

    /// Bounds the velocities, and the share.
    fn bound(&mut self, positions: &[f64], limits: &[Limits]) {
        for (i, limits) in limits.iter().enumerate() {
            let near = limits.room(positions[i]).map(|room| near_limit(room - KEPT).max(0.0));
            let braking = limits.braking_speeds(positions[i]);
            let most = [0, 1].map(|side| near[side].min(braking[side]).min(PLANNED[0] * limits.velocity));
            (self.lower[i], self.upper[i]) = (-most[0], most[1]);
        }
        (self.lower[positions.len()], self.upper[positions.len()]) = (0.0, 1.0);
    }

    /// Finds the motion of the joints with the largest share of what is commanded, and the twists that it has in the rest.
    fn find_motion(&mut self, jacobian: &mut StackedJacobian, line: &Line, positions: &[f64], time: f64) {
        let size = self.motion.len();
        jacobian.find(positions);
        self.commanded.clear();
        self.quadratic.begin_function(std::iter::repeat(SLIDE_DAMPING));
        for (tip, aim) in line.aims.iter().enumerate() {
            let (pose, held) = (&jacobian.tips()[tip], line.held_axes[tip]);
            let [twist, giving] = [line.at(tip, time).twist, self.twists[tip]].map(|twist| held.in_frame(&twist, pose));
            for row in held.rows(aim) {
                let unit = jacobian.unit(row);
                self.equation.clear();
                jacobian.push_row(6 * tip + row, &held.frame(pose), &mut self.equation);
                if aim.commands()[row / 3] {
                    self.equation.push(-twist[row] / unit);
                    self.commanded.extend_from_slice(&self.equation);
                    self.quadratic.add_square(&self.equation, 0.0, 1.0);
                } else {
                    self.equation.push(0.0);
                    self.quadratic.add_square(&self.equation, giving[row] / unit, SECOND.powi(2));
                }
            }
        }
        self.change.fill(0.0);
        self.change[size - 1] = 1.0;
        self.quadratic.add_square(&self.change, 1.0, SECOND);
        let inequalities = Inequalities { rows: &[], least: &[], lower: &self.lower, upper: &self.upper };
        if !self.quadratic.minimise(&inequalities) {
            return;
        }
        self.motion.copy_from_slice(&self.quadratic.minimum);
        self.keep_commanded();
        let share = self.motion[size - 1];
        if share > MIN_SHARE {
            for (tip, twist) in self.twists.iter_mut().enumerate() {
                let moved = jacobian.twist(tip, &self.motion[..size - 1]) / share;
                *twist = line.held_axes[tip].part_of(&moved, &jacobian.tips()[tip]);
            }
        }
    }

    /// Takes out of the motion what rounding and weights leave beside what is commanded.
    fn keep_commanded(&mut self) {
        let size = self.motion.len();
        self.rows.take(&self.commanded);
        for (missed, row) in self.missed.iter_mut().zip(self.commanded.chunks_exact(size)) {
            *missed = -dot(row, &self.motion);
        }
        self.rows.solve(&self.missed, &mut self.change);
        add_times(&mut self.motion, 1.0, &self.change);
    }
}
