//! Forward kinematics, residuals and Jacobian of four configurations at once.
//!
//! All quantities are in the base link's frame and in units of the length scale, so that all rows are in radians.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::dimension::{Compiled, Dimension};
use super::frame::{LaneFrame, StoredFrame, load, store};
use super::lanes::{Lanes, Vector, cross, scale, subtract};
use super::links::{KernelLink, KernelLinks};
use super::residual::PreparedTarget;

impl<S: Simd, D: Dimension> Compiled<S, D> {
    /// Writes the joint frames, the residuals, the reference points and the squared errors of `configurations`.
    #[inline(always)]
    pub fn measure(self, links: &KernelLinks, targets: &[PreparedTarget], configurations: &mut Configurations) {
        let Self { simd, dimension } = self;
        let Configurations { positions, frames, rows, points, .. } = configurations;
        let joints = &links.joints[..dimension.joints()];
        place_joints(simd, joints, &positions[..dimension.variables()], &mut frames[..dimension.joints()]);
        let mut squared_error = f64x4::splat(simd, 0.0);
        configurations.met = u64::MAX;
        for (target, goal) in targets.iter().take(dimension.targets()).enumerate() {
            let end = &links.ends[goal.tip];
            let frame = LaneFrame::load(simd, &frames[end.parent]);
            let residual = goal.residual(frame.axes(), frame.point(&end.position));
            squared_error += residual.squared_error;
            configurations.met &= residual.met;
            store(&mut rows[target], residual.rows);
            store(&mut points[target], residual.point);
        }
        configurations.squared_error.store(squared_error);
    }

    /// Writes the Jacobian into `configurations.columns`, from the frames and points of [`Self::measure`].
    #[inline(always)]
    pub fn linearise(self, links: &KernelLinks, targets: &[PreparedTarget], configurations: &mut Configurations) {
        let Self { simd, dimension } = self;
        let Configurations { frames, points, columns, .. } = configurations;
        let (joints, n) = (&links.joints[..dimension.joints()], dimension.variables());
        for (target, goal) in targets.iter().take(dimension.targets()).enumerate() {
            let (columns, end) = (&mut columns[target * n..][..n], &links.ends[goal.tip]);
            let point = load(simd, &points[target]);
            if links.plain {
                for ((link, frame), column) in joints.iter().zip(&*frames).zip(&mut *columns) {
                    store(column, twist_of(link, LaneFrame::load(simd, frame), point));
                }
            } else {
                // In a tree one variable may move several joints.
                columns.fill([Lanes::default(); 6]);
                for &joint in &end.path {
                    let link = &links.joints[joint];
                    let factor = if link.prismatic { 1.0 } else { link.multiplier };
                    let twist = twist_of(link, LaneFrame::load(simd, &frames[joint]), point);
                    for (entry, part) in columns[link.variable].iter_mut().zip(twist) {
                        let sum = entry.load(simd) + part * factor;
                        entry.store(sum);
                    }
                }
            }
            if goal.needs_finish() {
                goal.finish_columns(LaneFrame::load(simd, &frames[end.parent]).axes(), columns);
            }
        }
    }
}

/// Forward kinematics.
#[inline(always)]
fn place_joints<S: Simd>(simd: S, joints: &[KernelLink], positions: &[Lanes], frames: &mut [StoredFrame]) {
    let mut frame = LaneFrame::constant(simd, &joints[0].start);
    for (index, link) in joints.iter().enumerate() {
        match link.parent {
            None => frame = LaneFrame::constant(simd, &link.start),
            Some(parent) => {
                if parent + 1 != index {
                    frame = LaneFrame::load(simd, &frames[parent]);
                }
                frame.step(link);
            }
        }
        frame.move_by(link, positions[link.variable].load(simd));
        frame.store(&mut frames[index]);
    }
}

/// Twist at `point` of the links distal to a joint, per unit velocity of the joint: linear part first.
#[inline(always)]
fn twist_of<S: Simd>(link: &KernelLink, frame: LaneFrame<S>, point: Vector<S>) -> [f64x4<S>; 6] {
    let (linear, angular) = if link.prismatic {
        (scale(frame.z, f64x4::splat(point[0].simd, link.multiplier)), [f64x4::splat(point[0].simd, 0.0); 3])
    } else {
        (cross(frame.z, subtract(point, frame.origin)), frame.z)
    };
    [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]
}

#[cfg(test)]
mod tests;
