//! Forward kinematics, residuals and Jacobian of four postures at once.
//!
//! Everything here is in the base link's frame and in units of the length scale, so that rows are in radians.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::normal::{StepScratch, solve_any, solve_by_columns, solve_by_rows};
use crate::solver::frame::{Frame, FrameLanes, load, store};
use crate::solver::goal::Goal;
use crate::solver::lanes::{Lanes, Vector, cross, scale, subtract};
use crate::solver::links::{Link, Links};

/// Sizes of a problem: known when the program is compiled, for the chains that most robots have, or not.
pub(in crate::solver) trait Dimension: Copy {
    fn variables(self) -> usize;
    fn joints(self) -> usize;
    fn targets(self) -> usize;
    /// Writes the damped step, without regard to bounds, into `scratch.step`.
    fn solve<S: Simd>(self, simd: S, batch: &Batch, scratch: &mut StepScratch, damping: f64x4<S>);
}

/// One target for a plain chain of `N` joints.
#[derive(Clone, Copy)]
pub(in crate::solver) struct Fixed<const N: usize>;

impl<const N: usize> Dimension for Fixed<N> {
    #[inline(always)]
    fn variables(self) -> usize {
        N
    }

    #[inline(always)]
    fn joints(self) -> usize {
        N
    }

    #[inline(always)]
    fn targets(self) -> usize {
        1
    }

    #[inline(always)]
    fn solve<S: Simd>(self, simd: S, batch: &Batch, scratch: &mut StepScratch, damping: f64x4<S>) {
        let Some(columns) = batch.columns.first_chunk::<N>() else { return };
        if N >= 6 {
            solve_by_rows(simd, columns, &batch.rows[0], damping, &mut scratch.step);
        } else {
            solve_by_columns(simd, columns, &batch.rows[0], damping, &mut scratch.step);
        }
    }
}

/// Any tree, any number of targets.
#[derive(Clone, Copy)]
pub(in crate::solver) struct Dynamic {
    pub variables: usize,
    pub joints: usize,
    pub targets: usize,
}

impl Dimension for Dynamic {
    #[inline(always)]
    fn variables(self) -> usize {
        self.variables
    }

    #[inline(always)]
    fn joints(self) -> usize {
        self.joints
    }

    #[inline(always)]
    fn targets(self) -> usize {
        self.targets
    }

    #[inline(always)]
    fn solve<S: Simd>(self, simd: S, batch: &Batch, scratch: &mut StepScratch, damping: f64x4<S>) {
        if self.targets == 1 && self.variables >= 6 {
            let columns = &batch.columns[..self.variables];
            solve_by_rows(simd, columns, &batch.rows[0], damping, &mut scratch.step);
        } else {
            solve_any(simd, (self.variables, self.targets), batch, scratch, damping);
        }
    }
}

/// Four postures, and what is computed of them.
#[derive(Debug, Clone)]
pub(in crate::solver) struct Batch {
    /// Positions of each variable \[rad or m\].
    pub positions: Vec<Lanes>,
    /// Frame of each joint after its motion.
    pub frames: Vec<FrameLanes>,
    /// For each target, the point of the tip whose motion counts.
    points: Vec<[Lanes; 3]>,
    /// What is left to each target \[rad\], linear part first.
    pub rows: Vec<[Lanes; 6]>,
    /// For each target, one column a variable: the motion of the tip for one rad or m of the variable.
    pub columns: Vec<[Lanes; 6]>,
    /// Squared norm of all rows.
    pub squared_error: Lanes,
    /// Bit by bit, whether every target is met.
    pub met: u64,
}

impl Batch {
    pub(in crate::solver) fn new(links: &Links) -> Self {
        let (variables, tips) = (links.variables, links.ends.len());
        Self {
            positions: vec![Lanes::default(); variables],
            frames: vec![[[Lanes::default(); 3]; 4]; links.joints.len()],
            points: vec![[Lanes::default(); 3]; tips],
            rows: vec![[Lanes::default(); 6]; tips],
            columns: vec![[Lanes::default(); 6]; tips * variables],
            squared_error: Lanes::default(),
            met: 0,
        }
    }

    /// Makes this a copy of another batch for the same chain, without a new allocation.
    pub(in crate::solver) fn copy_from(&mut self, other: &Self) {
        self.positions.copy_from_slice(&other.positions);
        self.frames.copy_from_slice(&other.frames);
        self.points.copy_from_slice(&other.points);
        self.rows.copy_from_slice(&other.rows);
        self.columns.copy_from_slice(&other.columns);
        (self.squared_error, self.met) = (other.squared_error, other.met);
    }

    /// The positions of one posture.
    pub(in crate::solver) fn read(&self, lane: usize, positions: &mut [f64]) {
        for (position, lanes) in positions.iter_mut().zip(&self.positions) {
            *position = lanes.0[lane];
        }
    }

    /// Sets the positions of one posture.
    pub(in crate::solver) fn write(&mut self, lane: usize, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            lanes.0[lane] = *position;
        }
    }

    /// Sets all four postures to one.
    pub(in crate::solver) fn write_all(&mut self, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            *lanes = Lanes::splat(*position);
        }
    }
}

/// Forward kinematics and residuals of the postures in `batch`.
#[inline(always)]
pub(in crate::solver) fn measure<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    links: &Links,
    goals: &[Goal],
    batch: &mut Batch,
) {
    let joints = &links.joints[..dimension.joints()];
    place_joints(simd, joints, &batch.positions[..dimension.variables()], &mut batch.frames[..dimension.joints()]);
    let mut squared_error = f64x4::splat(simd, 0.0);
    batch.met = u64::MAX;
    for (target, goal) in goals[..dimension.targets()].iter().enumerate() {
        let end = &links.ends[goal.tip];
        let frame = Frame::load(simd, &batch.frames[end.parent]);
        let difference = goal.difference(frame.axes(), frame.point(&end.position));
        squared_error += difference.squared_error;
        batch.met &= difference.met;
        store(&mut batch.rows[target], difference.rows);
        store(&mut batch.points[target], difference.point);
    }
    batch.squared_error.store(squared_error);
}

/// The Jacobian at the postures in `batch`, from what [`measure`] left there.
#[inline(always)]
pub(in crate::solver) fn linearise<S: Simd, D: Dimension>(
    simd: S,
    dimension: D,
    links: &Links,
    goals: &[Goal],
    batch: &mut Batch,
) {
    let joints = &links.joints[..dimension.joints()];
    for (target, goal) in goals[..dimension.targets()].iter().enumerate() {
        let n = dimension.variables();
        let columns = &mut batch.columns[target * n..][..n];
        let point = load(simd, &batch.points[target]);
        if links.plain {
            for ((link, frame), column) in joints.iter().zip(&batch.frames).zip(&mut *columns) {
                store(column, motion(link, Frame::load(simd, frame), point));
            }
        } else {
            add_motions(simd, links, &links.ends[goal.tip].path, &batch.frames, point, columns);
        }
        if goal.needs_finish() {
            let frame = Frame::load(simd, &batch.frames[links.ends[goal.tip].parent]);
            goal.finish(frame.axes(), columns);
        }
    }
}

/// Forward kinematics.
#[inline(always)]
fn place_joints<S: Simd>(simd: S, joints: &[Link], positions: &[Lanes], frames: &mut [FrameLanes]) {
    let mut frame = Frame::constant(simd, &joints[0].start);
    for (index, link) in joints.iter().enumerate() {
        match link.parent {
            None => frame = Frame::constant(simd, &link.start),
            Some(parent) => {
                if parent + 1 != index {
                    frame = Frame::load(simd, &frames[parent]);
                }
                frame.step(link);
            }
        }
        frame.move_by(link, positions[link.variable].load(simd));
        frame.store(&mut frames[index]);
    }
}

/// The twist at `point` of what hangs from a joint, for unit motion of the joint: linear part first.
#[inline(always)]
fn motion<S: Simd>(link: &Link, frame: Frame<S>, point: Vector<S>) -> [f64x4<S>; 6] {
    let (linear, angular) = if link.prismatic {
        (scale(frame.z, f64x4::splat(point[0].simd, link.multiplier)), [f64x4::splat(point[0].simd, 0.0); 3])
    } else {
        (cross(frame.z, subtract(point, frame.origin)), frame.z)
    };
    [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]
}

/// The columns of a tip in a tree, where one variable may move several joints.
#[inline(always)]
fn add_motions<S: Simd>(
    simd: S,
    links: &Links,
    path: &[usize],
    frames: &[FrameLanes],
    point: Vector<S>,
    columns: &mut [[Lanes; 6]],
) {
    columns.fill([Lanes::default(); 6]);
    for &joint in path {
        let link = &links.joints[joint];
        let factor = if link.prismatic { 1.0 } else { link.multiplier };
        let column = &mut columns[link.variable];
        let twist = motion(link, Frame::load(simd, &frames[joint]), point);
        for (entry, part) in column.iter_mut().zip(twist) {
            let sum = entry.load(simd) + part * factor;
            entry.store(sum);
        }
    }
}

#[cfg(test)]
pub(in crate::solver) mod machines;
#[cfg(test)]
mod tests;
