//! The goals of a problem besides its targets: their rows and Jacobian in four configurations.
//!
//! The relative pose of a goal's places is computed in four configurations at once. From it the goal writes its rows,
//! one configuration at a time, each with a force and a torque in place of a Jacobian. Their power for the twist by a
//! joint is the entry of its column. All twists of a goal cost a single sweep over the joints, on which those that
//! move the places and the frame alike cancel.

use std::ops::Range;

use fearless_simd::Simd;

use super::configurations::{ActiveRow, Configurations, OtherRows};
use super::goal_places::{Distal, KernelPlace, LaneRelative, begin_sums};
use super::lanes::{LANES, Lanes};
use super::links::KernelLinks;
use super::residual::{PreparedTarget, TOLERANCE_FRACTION};
use crate::problem::Bounds;
use crate::solution::Part;
use urdf_ik_goals::{Derivative, Goal, Rows, TOLERANCE, Unit};

/// The targets and goals of a problem, prepared for one solve.
#[derive(Debug, Clone, Default)]
pub struct Goals {
    pub targets: Vec<PreparedTarget>,
    /// The other goals. Their active rows follow those of the targets without gaps.
    others: Vec<PreparedGoal>,
    /// The places of the other goals, for each goal its frame at the end.
    places: Vec<KernelPlace>,
    /// Number of rows of the other goals.
    rows: usize,
}

/// The goals of a step and the bounds of the variables.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub goals: &'a Goals,
    pub bounds: Bounds<'a>,
}

/// A goal, prepared for one solve.
#[derive(Debug, Clone)]
struct PreparedGoal {
    goal: Goal,
    /// Factor from the goal's unit to rows \[rad/m or -\], with the root of the weight.
    factor: f64,
    /// Its places among [`Goals::places`].
    places: Range<usize>,
}

impl PreparedGoal {
    /// Writes its rows, all inactive before. Returns the bit mask of the configurations that violate it. `found` is
    /// working memory.
    #[inline(always)]
    fn measure<S: Simd>(
        &self,
        relative: Option<&LaneRelative<S>>,
        positions: &[Lanes],
        length_scale: f64,
        found: &mut Rows,
        rows: &mut [ActiveRow],
    ) -> u64 {
        let (kind, mut violated) = (self.goal.kind(), 0);
        let relation = kind.relation();
        for lane in 0..LANES {
            found.clear();
            if let Some(relative) = relative {
                kind.measure(&relative.of(lane, length_scale), found);
            }
            if let Some(relation) = relation {
                found.push(relation.row(|variable| positions[variable].0[lane]), Derivative::default());
            }
            violated |= u64::from(found.violation() > TOLERANCE_FRACTION * TOLERANCE) << lane;
            self.take(lane, found, length_scale, rows);
        }
        if let Some(relative) = relative {
            for row in rows {
                relative.turn(&mut row.derivative);
            }
        }
        violated
    }

    /// Takes the active rows of a configuration. A force acts on a point in units of the length scale.
    #[inline(always)]
    fn take(&self, lane: usize, found: &Rows, length_scale: f64, rows: &mut [ActiveRow]) {
        for ((value, [force, torque]), row) in found.values().iter().zip(found.derivatives()).zip(rows) {
            // A value inside its interval has no influence on the step.
            if !value.is_active() {
                continue;
            }
            row.lanes.0[lane] = 1.0;
            row.residual.0[lane] = self.factor * value.lack();
            for axis in 0..3 {
                row.derivative[axis].0[lane] = self.factor * length_scale * force[axis];
                row.derivative[axis + 3].0[lane] = self.factor * torque[axis];
            }
        }
    }
}

impl Goals {
    /// No goals, with memory for `count` targets.
    pub fn for_targets(count: usize) -> Self {
        Self { targets: Vec::with_capacity(count), ..Self::default() }
    }

    pub fn clear(&mut self) {
        self.targets.clear();
        self.others.clear();
        self.places.clear();
        self.rows = 0;
    }

    /// Adds a goal with its weight relative to the others. `length_scale` is in metres.
    pub fn push(&mut self, goal: &Goal, weight: f64, links: &KernelLinks, length_scale: f64) {
        let unit = if goal.kind().unit() == Unit::Metre { length_scale } else { 1.0 };
        let first = self.places.len();
        if let Some(places) = goal.places() {
            let points = places.points.iter().map(|(share, place)| (*share, place)).chain([(-1.0, &places.frame)]);
            self.places.extend(points.map(|(share, place)| KernelPlace::new(place, share, links, length_scale)));
        }
        let places = first..self.places.len();
        self.others.push(PreparedGoal { goal: goal.clone(), factor: weight.sqrt() / unit, places });
        self.rows += goal.kind().rows();
    }

    /// Removes the targets and goals that `keeps` excludes.
    pub fn retain(&mut self, mut keeps: impl FnMut(Part) -> bool) {
        let mut index = 0..;
        self.targets.retain(|_| index.next().is_some_and(|index| keeps(Part::Target(index))));
        let mut index = 0..;
        self.others.retain(|_| index.next().is_some_and(|index| keeps(Part::Goal(index))));
        self.rows = self.others.iter().map(|other| other.goal.kind().rows()).sum();
    }

    /// Multiplies the rows of the goals with the unit metre by `factor`.
    pub fn scale_lengths(&mut self, factor: f64) {
        for other in self.others.iter_mut().filter(|other| other.goal.kind().unit() == Unit::Metre) {
            other.factor *= factor;
        }
    }

    /// Squared error \[rad²\] of the targets alone in the configuration of one lane. Requires [`Goals::measure`].
    pub fn squared_error_of_targets(&self, configurations: &Configurations, lane: usize) -> f64 {
        let others = configurations.rows[self.targets.len()..self.len()].as_flattened();
        configurations.squared_error.0[lane] - others.iter().map(|row| row.0[lane] * row.0[lane]).sum::<f64>()
    }

    /// Number of active rows of the other goals in the configuration of one lane. Requires [`Goals::measure`].
    pub fn active_rows(&self, configurations: &Configurations, lane: usize) -> usize {
        let active = if self.has_others() { configurations.others.active.as_slice() } else { &[] };
        active.iter().filter(|row| row.lanes.0[lane] != 0.0).count()
    }

    /// Largest possible number of blocks of six rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.targets.len() + self.rows.div_ceil(6)
    }

    /// True if there are goals besides targets.
    #[inline]
    pub fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Number of rows with an influence on the step in at least one configuration. Requires [`Goals::measure`].
    #[inline]
    pub fn rows_of_step(&self, configurations: &Configurations) -> usize {
        6 * self.targets.len() + if self.has_others() { configurations.others.active.len() } else { 0 }
    }

    /// Writes the active rows of the other goals into `configurations`, adds their squares to the squared errors, and
    /// clears the bits of the configurations that violate a goal. `length_scale` is in metres.
    #[inline(always)]
    pub fn measure<S: Simd>(&self, simd: S, length_scale: f64, configurations: &mut Configurations) {
        configurations.make_room(self.len());
        let Configurations { positions, frames, rows, others, squared_error, met, .. } = configurations;
        let OtherRows { rows: found, active, parts, .. } = others;
        rows[self.targets.len()..self.len()].fill([Lanes::default(); 6]);
        parts.resize(self.places.len(), Distal::default());
        active.clear();
        for (index, goal) in self.others.iter().enumerate() {
            let (places, parts) = (&self.places[goal.places.clone()], &mut parts[goal.places.clone()]);
            let relative = LaneRelative::new(simd, places, frames, parts);
            let first = active.len();
            let inactive = ActiveRow { goal: index, ..ActiveRow::default() };
            active.resize(first + goal.goal.kind().rows(), inactive);
            *met &= !goal.measure(relative.as_ref(), positions, length_scale, found, &mut active[first..]);
            let mut count = first;
            for row in first..active.len() {
                if active[row].lanes != Lanes::default() {
                    active.swap(count, row);
                    count += 1;
                }
            }
            active.truncate(count);
        }
        for (place, row) in (6 * self.targets.len()..).zip(&*active) {
            rows[place / 6][place % 6] = row.residual;
            let residual = row.residual.load(simd);
            squared_error.store(squared_error.load(simd) + residual * residual);
        }
    }

    /// Writes the Jacobian of the active rows into `configurations.columns`. Requires [`Goals::measure`].
    #[inline(always)]
    pub fn linearise<S: Simd>(&self, simd: S, links: &KernelLinks, configurations: &mut Configurations) {
        let Configurations { frames, columns, others, .. } = configurations;
        let OtherRows { active, parts, distal, .. } = others;
        columns[self.targets.len() * links.variables..self.len() * links.variables].fill([Lanes::default(); 6]);
        let mut first = 6 * self.targets.len();
        for rows in active.chunk_by(|row, next| row.goal == next.goal) {
            let PreparedGoal { goal, factor, places } = &self.others[rows[0].goal];
            for (row, ActiveRow { lanes, .. }) in (first..).zip(rows) {
                let columns = &mut columns[row / 6 * links.variables..];
                for (variable, coefficient) in goal.kind().coefficients() {
                    columns[*variable][row % 6].store(lanes.load(simd) * (factor * coefficient));
                }
            }
            let (places, parts) = (&self.places[places.clone()], &parts[places.clone()]);
            for joint in (0..begin_sums(simd, places, parts, distal)).rev() {
                let (before, [sum, ..]) = distal.split_at_mut(joint) else { continue };
                if sum.is_none() {
                    continue;
                }
                let link = &links.joints[joint];
                let twist = sum.twist(simd, link, &frames[joint]);
                if let Some(parent) = link.parent {
                    before[parent].add(simd, sum);
                }
                for (row, ActiveRow { derivative, .. }) in (first..).zip(rows) {
                    let entry = &mut columns[row / 6 * links.variables + link.variable][row % 6];
                    let mut sum = entry.load(simd);
                    for (power, twist) in derivative.iter().zip(twist) {
                        sum += power.load(simd) * twist;
                    }
                    entry.store(sum);
                }
            }
            first += rows.len();
        }
    }
}

#[cfg(test)]
mod tests;
