//! The goals of a problem besides its targets: their rows and Jacobian in four configurations.
//!
//! A goal writes its rows one configuration at a time, and a wrench per row and body in place of a Jacobian. The column
//! of a joint is its unit twist times the sum of the wrenches on all bodies distal to it. So joints that move both
//! bodies of a relative goal cancel, and a goal on many bodies costs a single sweep over the joints.

use fearless_simd::{Simd, f64x4};
use nalgebra::{IsometryMatrix3, Matrix3, Rotation3, Translation3, Vector3};

use super::configurations::{ActiveRow, Configurations, OtherRows};
use super::frame::{LaneFrame, StoredFrame, load};
use super::lanes::{LANES, Lanes, cross, dot, subtract};
use super::links::KernelLinks;
use super::residual::{PreparedTarget, TOLERANCE_FRACTION};
use crate::problem::Bounds;
use crate::solution::Part;
use urdf_ik_goals::{Configuration, Goal, MAX_ROWS, Rows, TOLERANCE, Unit};

/// The targets and goals of a problem, prepared for one solve.
#[derive(Debug, Clone, Default)]
pub struct Goals {
    pub targets: Vec<PreparedTarget>,
    /// The other goals. Their active rows follow those of the targets without gaps.
    others: Vec<PreparedGoal>,
    /// Number of rows of the other goals, and of their wrenches.
    rows: usize,
    wrenches: usize,
}

/// Goals and variable bounds of a step.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub goals: &'a Goals,
    pub bounds: Bounds<'a>,
}

/// A goal, prepared for one solve.
#[derive(Debug, Clone)]
pub struct PreparedGoal {
    goal: Goal,
    /// Factor from the goal's unit to rows \[rad/m or -\], with the root of the weight.
    factor: f64,
}

/// Rows of one goal in four configurations.
struct LaneRows {
    residuals: [Lanes; MAX_ROWS],
    /// 1 where a row has an influence on the step, else 0.
    active: [Lanes; MAX_ROWS],
    /// Bit mask of the configurations that meet the goal.
    met: u64,
}

impl PreparedGoal {
    /// Prepares a goal with its weight relative to the others.
    pub fn new(goal: &Goal, weight: f64, length_scale: f64) -> Self {
        let unit = if goal.kind().unit() == Unit::Metre { length_scale } else { 1.0 };
        Self { goal: goal.clone(), factor: weight.sqrt() / unit }
    }

    /// Its rows, with a wrench for each row and body in `wrenches`. `found` is working memory.
    fn measure(&self, mut at: LaneConfiguration, found: &mut Rows, wrenches: &mut [[Lanes; 6]]) -> LaneRows {
        let none = [Lanes::default(); MAX_ROWS];
        let mut rows = LaneRows { residuals: none, active: none, met: u64::MAX };
        for lane in 0..LANES {
            at.lane = lane;
            if self.goal.violation(&at, found) > TOLERANCE_FRACTION * TOLERANCE {
                rows.met &= !(1 << lane);
            }
            let mut wrenches = wrenches.iter_mut();
            for (row, value) in found.values().iter().enumerate() {
                // A value inside its interval has no influence on the step.
                let active = if value.is_active() { 1.0 } else { 0.0 };
                let factor = active * self.factor;
                rows.active[row].0[lane] = active;
                rows.residuals[row].0[lane] = factor * value.lack();
                let bodies = self.goal.bodies().iter().zip(found.wrenches(row)).zip(&mut wrenches);
                // The base link does not move.
                for ((_, [force, torque]), stored) in bodies.filter(|((body, _), _)| body.is_some()) {
                    for axis in 0..3 {
                        stored[axis].0[lane] = factor * at.length_scale * force[axis];
                        stored[axis + 3].0[lane] = factor * torque[axis];
                    }
                }
            }
        }
        rows
    }
}

impl Goals {
    /// Goals with memory for this number of targets.
    pub fn for_targets(count: usize) -> Self {
        Self { targets: Vec::with_capacity(count), ..Self::default() }
    }

    pub fn clear(&mut self) {
        self.targets.clear();
        self.others.clear();
        self.count();
    }

    pub fn push(&mut self, goal: PreparedGoal) {
        self.others.push(goal);
        self.count();
    }

    /// Removes the targets and goals that `keeps` excludes.
    pub fn retain(&mut self, mut keeps: impl FnMut(Part) -> bool) {
        let mut index = 0..;
        self.targets.retain(|_| index.next().is_some_and(|index| keeps(Part::Target(index))));
        let mut index = 0..;
        self.others.retain(|_| index.next().is_some_and(|index| keeps(Part::Goal(index))));
        self.count();
    }

    /// Multiplies the rows of goals in metres by a factor.
    pub fn scale_lengths(&mut self, factor: f64) {
        for other in self.others.iter_mut().filter(|other| other.goal.kind().unit() == Unit::Metre) {
            other.factor *= factor;
        }
    }

    /// Squared error of the targets alone in one configuration \[rad²\]. Requires [`Goals::measure`].
    pub fn squared_error_of_targets(&self, configurations: &Configurations, lane: usize) -> f64 {
        let others = configurations.rows[self.targets.len()..self.len()].as_flattened();
        configurations.squared_error.0[lane] - others.iter().map(|row| row.0[lane] * row.0[lane]).sum::<f64>()
    }

    /// Number of active rows of the other goals in one configuration. Requires [`Goals::measure`].
    pub fn active_rows(&self, configurations: &Configurations, lane: usize) -> usize {
        let active = if self.has_others() { configurations.others.active.as_slice() } else { &[] };
        active.iter().filter(|row| row.lanes.0[lane] != 0.0).count()
    }

    /// Counts the rows and wrenches of the other goals.
    fn count(&mut self) {
        (self.rows, self.wrenches) = (0, 0);
        for PreparedGoal { goal, .. } in &self.others {
            self.rows += goal.kind().rows();
            self.wrenches += goal.kind().rows() * goal.bodies().len();
        }
    }

    /// Largest number of blocks of six rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.targets.len() + self.rows.div_ceil(6)
    }

    /// True if there are goals besides targets.
    #[inline]
    pub fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Number of blocks of six rows with an influence on the step in a configuration. Requires [`Goals::measure`].
    #[inline]
    pub fn active_blocks(&self, configurations: &Configurations) -> usize {
        let others = if self.has_others() { configurations.others.active.len() } else { 0 };
        self.targets.len() + others.div_ceil(6)
    }

    /// Writes the active rows of the other goals and their wrenches. Adds to squared errors and met configurations.
    pub fn measure(&self, links: &KernelLinks, length_scale: f64, configurations: &mut Configurations) {
        configurations.make_room(self.len());
        let Configurations { positions, frames, rows, others, squared_error, met, .. } = configurations;
        let OtherRows { rows: found, active, wrenches, .. } = others;
        rows[self.targets.len()..self.len()].fill([Lanes::default(); 6]);
        wrenches.resize(self.wrenches, [Lanes::default(); 6]);
        active.clear();
        let mut written = 0;
        for (index, goal) in self.others.iter().enumerate() {
            let (count, bodies, from) = (goal.goal.kind().rows(), goal.goal.bodies().len(), written);
            let at = LaneConfiguration { links, length_scale, positions, frames, lane: 0 };
            let measured = goal.measure(at, found, &mut wrenches[from..][..count * bodies]);
            *met &= measured.met;
            for row in (0..count).filter(|row| measured.active[*row] != Lanes::default()) {
                let (place, residual) = (6 * self.targets.len() + active.len(), measured.residuals[row]);
                rows[place / 6][place % 6] = residual;
                for (sum, residual) in squared_error.0.iter_mut().zip(residual.0) {
                    *sum += residual * residual;
                }
                wrenches.copy_within(from + row * bodies..from + (row + 1) * bodies, written);
                written += bodies;
                active.push(ActiveRow { goal: index, lanes: measured.active[row] });
            }
        }
    }

    /// Writes the Jacobian of the active rows, from the wrenches of [`Goals::measure`].
    #[inline(always)]
    pub fn linearise<S: Simd>(&self, simd: S, links: &KernelLinks, configurations: &mut Configurations) {
        let Configurations { frames, columns, others, .. } = configurations;
        let OtherRows { active, wrenches, sums, .. } = others;
        columns[self.targets.len() * links.variables..self.len() * links.variables].fill([Lanes::default(); 6]);
        let mut wrenches = wrenches.as_slice();
        for (row, ActiveRow { goal, lanes }) in (6 * self.targets.len()..).zip(&*active) {
            let PreparedGoal { goal, factor } = &self.others[*goal];
            let columns = &mut columns[row / 6 * links.variables..][..links.variables];
            let (of_row, others) = wrenches.split_at(goal.bodies().len());
            wrenches = others;
            sum_wrenches(simd, links, frames, sums, goal.bodies(), of_row, |variable, entry| {
                let sum = columns[variable][row % 6].load(simd) + entry;
                columns[variable][row % 6].store(sum);
            });
            for (variable, coefficient) in goal.kind().coefficients() {
                columns[*variable][row % 6].store(lanes.load(simd) * (factor * coefficient));
            }
        }
    }
}

/// Sums the wrenches on `bodies` from the tips to the base, and adds the derivative of each joint to its variable.
#[inline(always)]
fn sum_wrenches<S: Simd>(
    simd: S,
    links: &KernelLinks,
    frames: &[StoredFrame],
    sums: &mut [[Lanes; 6]],
    bodies: &[Option<usize>],
    wrenches: &[[Lanes; 6]],
    mut add: impl FnMut(usize, f64x4<S>),
) {
    let Some(last) = bodies.iter().flatten().max() else { return };
    sums[..=*last].fill([Lanes::default(); 6]);
    for (body, wrench) in bodies.iter().zip(wrenches) {
        if let Some(joint) = body {
            add_to(simd, &mut sums[*joint], load(simd, wrench));
        }
    }
    for joint in (0..=*last).rev() {
        let link = &links.joints[joint];
        let sum = load(simd, &sums[joint]);
        let [x, y, z, a, b, c] = sum;
        let frame = LaneFrame::load(simd, &frames[joint]);
        let entry = if link.prismatic {
            dot(frame.z, [x, y, z]) * link.multiplier
        } else {
            dot(frame.z, subtract([a, b, c], cross(frame.origin, [x, y, z]))) * link.multiplier
        };
        add(link.variable, entry);
        if let Some(parent) = link.parent {
            add_to(simd, &mut sums[parent], sum);
        }
    }
}

#[inline(always)]
fn add_to<S: Simd>(simd: S, sum: &mut [Lanes; 6], part: [f64x4<S>; 6]) {
    for (total, part) in sum.iter_mut().zip(part) {
        total.store(total.load(simd) + part);
    }
}

/// One of four configurations.
struct LaneConfiguration<'a> {
    links: &'a KernelLinks,
    length_scale: f64,
    positions: &'a [Lanes],
    frames: &'a [StoredFrame],
    lane: usize,
}

impl Configuration for LaneConfiguration<'_> {
    fn frame(&self, joint: usize) -> IsometryMatrix3<f64> {
        let [x, y, z, origin] = &self.frames[joint];
        let vector = |part: &[Lanes; 3]| Vector3::from(part.each_ref().map(|entry| entry.0[self.lane]));
        let axes = Matrix3::from_columns(&[vector(x), vector(y), vector(z)]);
        let origin = Translation3::from(vector(origin) * self.length_scale);
        IsometryMatrix3::from_parts(origin, Rotation3::from_matrix_unchecked(axes)) * self.links.urdf_frames[joint]
    }

    fn position(&self, variable: usize) -> f64 {
        self.positions[variable].0[self.lane]
    }
}

#[cfg(test)]
mod tests;
