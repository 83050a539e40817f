//! Objectives of a descent: the error of all targets, or the lower of two levels of goals, which is met as closely as
//! possible where the upper one is met.
//!
//! A two-level least-squares problem (Nakamura, Hanafusa and Yoshikawa 1987, "Task-priority based redundancy control
//! of robot manipulators"): the error of the lower level is minimised on the manifold of configurations that meet the
//! upper one. A step is damped least squares within the bounds, with the rows of the upper level weighted so heavily
//! that it is tangent to the manifold. Newton steps on the upper level alone return to it.

use super::null_space::return_to_targets;
use crate::kernel::{Configurations, Goals, Kernel, LANES, Lanes, Task};

/// Objective of a descent.
pub trait Objective {
    /// Writes the squared error of each lane \[rad²\], and the bit mask of the lanes that meet the targets, into
    /// `configurations`.
    fn measure(&self, configurations: &mut Configurations);

    /// Takes a damped step within the bounds from measured configurations.
    fn step(&self, configurations: &mut Configurations, damping: &Lanes);
}

/// The error of all targets, measured by angles instead of chords.
pub struct WholeError<'a> {
    pub kernel: &'a Kernel,
    pub task: Task<'a>,
}

impl Objective for WholeError<'_> {
    fn measure(&self, configurations: &mut Configurations) {
        self.kernel.measure_angles(self.task.goals, configurations);
    }

    fn step(&self, configurations: &mut Configurations, damping: &Lanes) {
        self.kernel.damped_step(self.task, configurations, damping, &Lanes::splat(1.0));
    }
}

/// The error of the lower level on the manifold of the upper one.
pub struct LowerLevel<'a> {
    pub kernel: &'a Kernel,
    /// The upper level alone.
    pub upper: Task<'a>,
    /// Both levels.
    pub whole: &'a Goals,
    /// First row of each target that belongs to the lower level: 0, or 3 if only orientations do.
    pub first_row: usize,
    /// Both levels, with large weights of the upper one, prepared for `heavy_kernel`.
    pub heavy: &'a Goals,
    pub heavy_kernel: &'a Kernel,
}

impl Objective for LowerLevel<'_> {
    /// The squared error is infinite off the manifold.
    fn measure(&self, configurations: &mut Configurations) {
        self.kernel.measure(self.upper.goals, configurations);
        let on_manifold = configurations.met;
        self.kernel.measure_angles(self.whole, configurations);
        // Rows of standing goals are negligible on the manifold.
        let (targets, others) = configurations.rows[..self.whole.len()].split_at(self.whole.targets.len());
        for lane in 0..LANES {
            let rows = targets.iter().flat_map(|rows| &rows[self.first_row..]).chain(others.as_flattened());
            let squares = rows.map(|row| row.0[lane] * row.0[lane]);
            let is_on_it = on_manifold >> lane & 1 == 1;
            configurations.squared_error.0[lane] = if is_on_it { squares.sum() } else { f64::INFINITY };
        }
    }

    fn step(&self, configurations: &mut Configurations, damping: &Lanes) {
        self.heavy_kernel.measure_angles(self.heavy, configurations);
        let task = Task { goals: self.heavy, ..self.upper };
        self.heavy_kernel.damped_step(task, configurations, damping, &Lanes::splat(1.0));
        return_to_targets(self.kernel, self.upper, configurations);
    }
}
