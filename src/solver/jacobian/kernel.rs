//! Forward kinematics, residuals and Jacobian of four postures at once.
//!
//! Everything here is in the base link's frame and in units of the length scale, so that rows are in radians.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::goal::Goal;
use super::links::{Link, Links, Turn};
use super::normal::{StepScratch, solve_any, solve_by_columns, solve_by_rows};
use crate::solver::lanes::{Lanes, Vector, add, cross, negate, scale, sine_cosine, splat, subtract};

/// Sizes of a problem: known when the program is compiled, for the chains that most robots have, or not.
pub(super) trait Dimension: Copy {
    fn variables(self) -> usize;
    fn joints(self) -> usize;
    fn targets(self) -> usize;
    /// Writes the damped step, without regard to bounds, into `scratch.step`.
    fn solve<S: Simd>(self, simd: S, batch: &Batch, scratch: &mut StepScratch, damping: f64x4<S>);
}

/// One target for a plain chain of `N` joints.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const N: usize>;

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
pub(super) struct Dynamic {
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

/// x, y and z axis and origin of a frame, at rest in memory.
pub(super) type FrameLanes = [[Lanes; 3]; 4];

/// Four postures, and what is computed of them.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Positions of each variable \[rad or m\].
    pub positions: Vec<Lanes>,
    /// Frame of each joint after its motion. Of a plain chain, x and y axes stand in the last alone.
    frames: Vec<FrameLanes>,
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
    pub(super) fn new(links: &Links) -> Self {
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

    /// The positions of one posture.
    pub(super) fn read(&self, lane: usize, positions: &mut [f64]) {
        for (position, lanes) in positions.iter_mut().zip(&self.positions) {
            *position = lanes.0[lane];
        }
    }

    /// Sets the positions of one posture.
    pub(super) fn write(&mut self, lane: usize, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            lanes.0[lane] = *position;
        }
    }

    /// Sets all four postures to one.
    pub(super) fn write_all(&mut self, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            *lanes = Lanes::splat(*position);
        }
    }
}

/// x, y and z axis and origin of a frame.
#[derive(Clone, Copy)]
struct Frame<S: Simd> {
    x: Vector<S>,
    y: Vector<S>,
    z: Vector<S>,
    origin: Vector<S>,
}

/// The vectors `a` and `b`, at right angles, after a turn in their plane from `a` towards `b`.
#[inline(always)]
fn turned<S: Simd>(a: Vector<S>, b: Vector<S>, cosine: f64x4<S>, sine: f64x4<S>) -> (Vector<S>, Vector<S>) {
    (add(scale(a, cosine), scale(b, sine)), subtract(scale(b, cosine), scale(a, sine)))
}

impl Turn {
    /// The vectors `a` and `b` after this turn from `a` towards `b`.
    #[inline(always)]
    fn apply<S: Simd>(self, a: Vector<S>, b: Vector<S>) -> (Vector<S>, Vector<S>) {
        let simd = a[0].simd;
        match self {
            Self::None => (a, b),
            Self::Quarter(sign) if sign > 0.0 => (b, negate(a)),
            Self::Quarter(_) => (negate(b), a),
            Self::By { cosine, sine } => turned(a, b, f64x4::splat(simd, cosine), f64x4::splat(simd, sine)),
        }
    }
}

impl<S: Simd> Frame<S> {
    #[inline(always)]
    fn constant(simd: S, [x, y, z, origin]: &[[f64; 3]; 4]) -> Self {
        Self { x: splat(simd, *x), y: splat(simd, *y), z: splat(simd, *z), origin: splat(simd, *origin) }
    }

    #[inline(always)]
    fn load(simd: S, [x, y, z, origin]: &FrameLanes) -> Self {
        Self { x: load(simd, x), y: load(simd, y), z: load(simd, z), origin: load(simd, origin) }
    }

    /// Puts away what the Jacobian needs, and where it is `whole`, the rest.
    #[inline(always)]
    fn store(&self, frame: &mut FrameLanes, whole: bool) {
        let [x, y, z, origin] = frame;
        if whole {
            store(x, self.x);
            store(y, self.y);
        }
        store(z, self.z);
        store(origin, self.origin);
    }

    /// The constant step to the next joint.
    #[inline(always)]
    fn step(&mut self, link: &Link) {
        (self.x, self.y) = link.before.apply(self.x, self.y);
        if link.along_x != 0.0 {
            self.origin = add(self.origin, scale(self.x, f64x4::splat(self.x[0].simd, link.along_x)));
        }
        if link.along_z != 0.0 {
            self.origin = add(self.origin, scale(self.z, f64x4::splat(self.z[0].simd, link.along_z)));
        }
        (self.y, self.z) = link.about_x.apply(self.y, self.z);
        (self.z, self.x) = link.about_y.apply(self.z, self.x);
    }

    /// The motion of the joint.
    #[inline(always)]
    fn move_by(&mut self, link: &Link, position: f64x4<S>) {
        let along = position * link.multiplier + link.offset;
        if link.prismatic {
            self.origin = add(self.origin, scale(self.z, along));
        } else {
            let (sine, cosine) = sine_cosine(along);
            (self.x, self.y) = turned(self.x, self.y, cosine, sine);
        }
    }

    #[inline(always)]
    fn axes(&self) -> [Vector<S>; 3] {
        [self.x, self.y, self.z]
    }

    /// A point of this frame.
    #[inline(always)]
    fn point(&self, at: &[f64; 3]) -> Vector<S> {
        let [x, y, z] = splat(self.x[0].simd, *at);
        let in_plane = add(scale(self.x, x), scale(self.y, y));
        add(self.origin, add(in_plane, scale(self.z, z)))
    }
}

/// Forward kinematics and residuals of the postures in `batch`.
#[inline(always)]
pub(super) fn measure<S: Simd, D: Dimension>(simd: S, dimension: D, links: &Links, goals: &[Goal], batch: &mut Batch) {
    let frames = &mut batch.frames[..dimension.joints()];
    place_joints(simd, links, &batch.positions[..dimension.variables()], frames);
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
pub(super) fn linearise<S: Simd, D: Dimension>(
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

/// Forward kinematics. In a plain chain nothing but the tip hangs from a frame that is not at hand.
#[inline(always)]
fn place_joints<S: Simd>(simd: S, links: &Links, positions: &[Lanes], frames: &mut [FrameLanes]) {
    let joints = &links.joints[..frames.len()];
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
        frame.store(&mut frames[index], !links.plain || index + 1 == joints.len());
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

#[inline(always)]
fn load<S: Simd>(simd: S, lanes: &[Lanes; 3]) -> Vector<S> {
    [lanes[0].load(simd), lanes[1].load(simd), lanes[2].load(simd)]
}

#[inline(always)]
fn store<S: Simd, const N: usize>(lanes: &mut [Lanes; N], values: [f64x4<S>; N]) {
    for i in 0..N {
        lanes[i].store(values[i]);
    }
}

#[cfg(test)]
pub(super) mod machines;
#[cfg(test)]
mod tests;
