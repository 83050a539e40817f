//! Lays curves of the joints along lines: one configuration after the other, by a step ahead and Newton's method back to the line.
//!
//! The equations are x(q) = x(τ): the tips at the configuration q are where the line is at its time τ. Their matrix [J, −w] has the
//! Jacobian J and the twist w of the line. What it leaves open is the direction of the curve, and on redundant arms more, of which the
//! motion that is least and leads away from joint limits is chosen.

mod begin;
mod null_motion;

pub use null_motion::near_limit;

use nalgebra::{UnitQuaternion, Vector6};

use super::constants::{AT_LIMIT, EXACT, LEADING, MAX_NULL, MAX_STANDING, NOWHERE, STANDING, TURN};
use super::curve::{Bend, Curve, End, Node, arc};
use super::line::Line;
use super::rows::Rows;
use super::stacked_jacobian::StackedJacobian;
use urdf_ik_mathematics::dual_active_set::DualActiveSet;
use urdf_ik_mathematics::vectors::{add_times, dot, normalise};
use urdf_ik_robot::Domain;

/// Newton's method takes two or three steps.
const MAX_ITERATIONS: usize = 8;

/// What came of a step.
enum Step {
    Done,
    /// A shorter one, by this factor, is needed, because of this.
    Shorter(f64, End),
}

/// Lays curves.
#[derive(Debug, Clone)]
pub struct Tracer {
    pub jacobian: StackedJacobian,
    domains: Vec<Domain>,
    /// The matrix of the equations, and what is missed.
    matrix: Vec<f64>,
    missed: Vec<f64>,
    rows: Rows,
    /// The place that is looked at.
    pub place: Vec<f64>,
    pub slope: Vec<f64>,
    change: Vec<f64>,
    /// The direction in which the time of the line grows most.
    along: Vec<f64>,
    drift: Vec<f64>,
    /// The joints that are not to move while the place is brought to the line.
    stands: Vec<bool>,
    /// The motion within the null space that limits turn, and the joint whose limit does.
    wanted: Vec<f64>,
    pressed: Option<usize>,
    /// A basis of what the equations leave open, where a curve begins at a singular configuration; its start, and the slope with which
    /// the joints came there.
    null: Vec<f64>,
    start: Vec<f64>,
    came: Vec<f64>,
    /// The line's time alone: the slope of what goes on from rest.
    time: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    quadratic: DualActiveSet,
}

impl Tracer {
    pub fn new(jacobian: StackedJacobian, domains: Vec<Domain>) -> Self {
        let (variables, rows) = (domains.len(), 6 * jacobian.tips().len());
        let size = variables + 1;
        let list = vec![0.0; size];
        let mut quadratic = DualActiveSet::default();
        quadratic.make_room(variables);
        Self {
            jacobian,
            domains,
            matrix: Vec::with_capacity(rows * size),
            missed: vec![0.0; rows],
            rows: Rows::new(rows, size),
            place: list.clone(),
            slope: list.clone(),
            change: list.clone(),
            along: list.clone(),
            drift: list.clone(),
            stands: vec![false; variables],
            wanted: list.clone(),
            pressed: None,
            null: Vec::with_capacity(MAX_NULL * size),
            start: list.clone(),
            came: list,
            time: (0..size).map(|entry| if entry == variables { 1.0 } else { 0.0 }).collect(),
            lower: vec![0.0; variables],
            upper: vec![0.0; variables],
            quadratic,
        }
    }

    /// Writes the bend of a curve with the slope at the place, of what the equations do not leave open.
    pub fn write_bend(&mut self, line: &Line) {
        let variables = self.domains.len();
        let (time, passing) = (self.place[variables], self.slope[variables]);
        let mut tip = usize::MAX;
        let mut error = Vector6::zeros();
        for (at, row) in line.rows.iter().enumerate() {
            if row / 6 != tip {
                tip = row / 6;
                let (wanted, held) = (line.at(tip, time), line.held_axes[tip]);
                let slope = &self.slope[..variables];
                error = wanted.rate * (passing * passing) - self.jacobian.acceleration(tip, slope);
                if !held.are_all() {
                    // Its axes turn with the tip, which turns about the others.
                    let turn = self.jacobian.twist(tip, slope).fixed_rows::<3>(3).into_owned();
                    let beside = turn - wanted.twist.fixed_rows::<3>(3) * passing;
                    let change = error.fixed_rows::<3>(3) + turn.cross(&beside);
                    let back = held.frame(&self.jacobian.tips()[tip]).inverse();
                    error.fixed_rows_mut::<3>(3).copy_from(&(back * change));
                }
            }
            self.missed[at] = error[row % 6] / self.jacobian.unit(*row);
        }
        self.rows.solve(&self.missed, &mut self.change);
    }

    /// Adds one node to a curve that has not ended. The line has to be known to so far ahead.
    pub fn extend(&mut self, curve: &mut Curve, line: &Line) {
        while curve.end.is_none()
            && let Step::Shorter(factor, reason) = self.step(curve, line)
        {
            curve.shorten(factor, reason);
        }
        // A curve may end because it can't turn so sharply. From rest it can.
        if matches!(curve.end, Some(End::Limit(_) | End::Singularity)) && curve.has_length() {
            self.place.copy_from_slice(&curve.last().place);
            if self.leading(line) > LEADING {
                curve.end = Some(End::Free);
            }
        }
    }

    fn step(&mut self, curve: &mut Curve, line: &Line) -> Step {
        let size = self.place.len();
        let last = curve.last();
        // A ramp is followed in steps of two of its pieces.
        let [time, slope] = [&last.place, &last.slope].map(|list| list[size - 1]);
        let step =
            if time < line.ramp_end() { curve.step.min(2.0 * line.piece() / slope.max(NOWHERE)) } else { curve.step };
        for i in 0..size {
            self.place[i] = last.place[i] + step * (last.slope[i] + 0.5 * step * last.bend[i]);
        }
        // No tiny step is left to the end.
        let near_end = 0.1 * step * last.slope[size - 1];
        let end = line.end().filter(|end| self.place[size - 1] >= *end - near_end);
        if let Some(end) = end {
            self.place[size - 1] = end;
        }
        if !self.correct(line, end.is_some()) {
            return Step::Shorter(0.5, End::Singularity);
        }
        if let Some((variable, factor)) = self.outside(curve, line) {
            return Step::Shorter(factor, End::Limit(variable));
        }
        self.drift.copy_from_slice(&curve.drift);
        self.pressed = None;
        let leads_on = self.choose_slope(&curve.last().slope, step)
            && (self.rows.rank() == size - 1 || end.is_some() || self.even_out(curve, line, step));
        let turn = curve.turn_to(&self.slope);
        for (i, before) in curve.last().place.iter().enumerate() {
            self.change[i] = self.place[i] - before;
        }
        let way = arc(&self.change, turn);
        // Newton's method may lead somewhere else, and limits may hold the place where it was.
        let is_near = way < 1.5 * step && (way > 0.5 * step || end.is_some());
        if !leads_on || turn > 1.5 * TURN || !is_near {
            return Step::Shorter(0.5, self.pressed.map_or(End::Singularity, End::Limit));
        }
        if let Some(variable) = self.outside_between(curve.last(), way) {
            return Step::Shorter(0.5, End::Limit(variable));
        }
        self.write_bend(line);
        curve.add(way, &self.place, &self.slope, Bend::Along(&self.change, &self.rows));
        curve.drift.copy_from_slice(&self.drift);
        curve.fit_step(turn);
        self.watch_standing(curve);
        if end.is_some() {
            curve.finish(End::Arrived);
        }
        Step::Done
    }

    /// Brings the place, in what the line leaves open, to where the slopes lead. Gives whether it is on the line still.
    fn even_out(&mut self, curve: &Curve, line: &Line, step: f64) -> bool {
        let last = curve.last();
        for i in 0..self.place.len() {
            let mean = (2.0 * last.slope[i] + self.slope[i]) / 3.0;
            self.place[i] = last.place[i] + step * (mean + step * last.bend[i] / 6.0);
        }
        if !self.correct(line, false) || self.outside(curve, line).is_some() {
            return false;
        }
        self.write_along();
        self.rows.project(&mut self.slope);
        self.keep_from_limits(0.0);
        normalise(&mut self.slope);
        true
    }

    /// Writes the direction in which the time of the line grows most. Gives how much.
    fn write_along(&mut self) -> f64 {
        self.along.fill(0.0);
        self.along[self.domains.len()] = 1.0;
        self.rows.project(&mut self.along);
        normalise(&mut self.along)
    }

    /// The first joint that comes outside its limits on the way to the place, and the share of the way to there. Where the line leaves the
    /// joints free, those that are outside are put to their limits, and the others make up for it.
    fn outside(&mut self, curve: &Curve, line: &Line) -> Option<(usize, f64)> {
        let leaves =
            |place: &[f64], domains: &[Domain]| first_outside(domains.iter().copied(), &curve.last().place, place);
        let first = leaves(&self.place, &self.domains)?;
        if self.rows.rank() + 1 == self.place.len() {
            return Some(first);
        }
        let mut is_on_line = true;
        while is_on_line && leaves(&self.place, &self.domains).is_some() {
            for (i, domain) in self.domains.iter().enumerate() {
                let inside = domain.clamp(self.place[i]);
                self.stands[i] |= inside != self.place[i];
                self.place[i] = inside;
            }
            is_on_line = self.correct(line, false);
        }
        self.stands.fill(false);
        if !is_on_line {
            return Some(first);
        }
        self.take_equations(line);
        None
    }

    /// The first joint that comes outside its limits between a node and the place.
    fn outside_between(&self, last: &Node, way: f64) -> Option<usize> {
        let is_outside = |i: &usize| {
            // The control points of a cubic curve: it is between them.
            let points = [last.place[*i] + last.slope[*i] * way / 3.0, self.place[*i] - self.slope[*i] * way / 3.0];
            points.into_iter().any(|point| (point - self.domains[*i].clamp(point)).abs() > AT_LIMIT)
        };
        (0..self.domains.len()).find(is_outside)
    }

    /// Follows how long the tip stands while the joints move.
    fn watch_standing(&mut self, curve: &mut Curve) {
        let size = self.place.len();
        let last = curve.last();
        if last.slope[size - 1] * STANDING > 1.0 {
            curve.stands_from = None;
            return;
        }
        let from = *curve.stands_from.get_or_insert(curve.nodes()[curve.nodes().len() - 2].way);
        let Some(start) = curve.nodes().iter().find(|node| node.way >= from) else { return };
        let last = curve.last();
        let moved = start.place[..size - 1].iter().zip(&last.place).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if moved > MAX_STANDING {
            curve.cut(from);
            curve.stands_from = None;
            curve.finish(End::Singularity);
        }
    }

    /// Brings the place to the line, if that is near: by the least change. Gives whether it is there.
    pub fn correct(&mut self, line: &Line, keeps_time: bool) -> bool {
        let mut before = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let missed = self.write_equations(line, keeps_time);
            if missed < EXACT || missed >= 0.5 * before && missed < 1e3 * EXACT {
                if keeps_time {
                    self.write_equations(line, false);
                }
                self.rows.take(&self.matrix);
                return true;
            }
            if missed.is_nan() || missed >= 0.7 * before {
                return false;
            }
            before = missed;
            self.rows.take(&self.matrix);
            self.rows.solve(&self.missed, &mut self.change);
            add_times(&mut self.place, 1.0, &self.change);
        }
        false
    }

    /// Takes the equations at the place.
    fn take_equations(&mut self, line: &Line) {
        self.write_equations(line, false);
        self.rows.take(&self.matrix);
    }

    /// Writes the equations at the place. Gives what is missed of the line.
    fn write_equations(&mut self, line: &Line, keeps_time: bool) -> f64 {
        let variables = self.domains.len();
        let time = self.place[variables];
        self.jacobian.find(&self.place[..variables]);
        self.matrix.clear();
        let mut squared = 0.0;
        let mut tip = usize::MAX;
        let (mut twist, mut error, mut frame) = (Vector6::zeros(), Vector6::zeros(), UnitQuaternion::identity());
        for (at, row) in line.rows.iter().enumerate() {
            if row / 6 != tip {
                tip = row / 6;
                let (wanted, is, held) = (line.at(tip, time), &self.jacobian.tips()[tip], line.held_axes[tip]);
                error = held.way(is, &wanted.pose);
                frame = held.frame(is);
                twist = wanted.twist;
                let angular = frame.inverse() * twist.fixed_rows::<3>(3).into_owned();
                twist.fixed_rows_mut::<3>(3).copy_from(&angular);
            }
            let unit = self.jacobian.unit(*row);
            self.jacobian.push_row(*row, &frame, &mut self.matrix);
            for (entry, stands) in self.matrix.iter_mut().rev().zip(self.stands.iter().rev()) {
                *entry = if *stands { 0.0 } else { *entry };
            }
            self.matrix.push(if keeps_time { 0.0 } else { -twist[row % 6] / unit });
            self.missed[at] = error[row % 6] / unit;
            squared += self.missed[at].powi(2);
        }
        squared.sqrt()
    }

    /// Writes the slope of the curve at the place: after the last slope where joints moved on so far. Gives whether the line goes on.
    pub fn choose_slope(&mut self, last: &[f64], step: f64) -> bool {
        if self.write_along() < NOWHERE {
            return false;
        }
        self.slope.copy_from_slice(last);
        self.rows.project(&mut self.slope);
        let goes_on = dot(&self.slope, &self.along);
        if goes_on <= 0.0 {
            return false;
        }
        if self.rows.rank() < self.domains.len() {
            normalise(&mut self.slope);
            self.turn_to_preference(step);
        } else {
            self.slope.copy_from_slice(&self.along);
        }
        normalise(&mut self.slope);
        dot(&self.slope, &self.along) > 0.0
    }
}

/// The first variable that comes outside its limits on the way between two places, and the share of the way to there.
pub fn first_outside(domains: impl Iterator<Item = Domain>, from: &[f64], to: &[f64]) -> Option<(usize, f64)> {
    let leaves = |(variable, domain): (usize, Domain)| {
        let Domain::Interval { lower, upper } = domain else { return None };
        let (here, there) = (from[variable], to[variable]);
        let limit = if there > upper + AT_LIMIT {
            upper
        } else if there < lower - AT_LIMIT {
            lower
        } else {
            return None;
        };
        Some((variable, ((limit - here) / (there - here)).clamp(0.0, 1.0) * (1.0 - 1e-6)))
    };
    domains.enumerate().filter_map(leaves).min_by(|a, b| a.1.total_cmp(&b.1))
}
