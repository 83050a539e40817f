//! The kernel of one chain: each call is dispatched to the SIMD instructions of this processor and, for plain chains
//! of up to eight joints, to compile-time sizes.
//!
//! FABRIK's cycle gains nothing from compile-time sizes, so it is compiled once.

use fearless_simd::{Level, dispatch};

use super::configurations::Configurations;
use super::dimension::{Compiled, Dynamic, Fixed};
use super::fabrik::FabrikScratch;
use super::goals::{Goals, Task};
use super::lanes::Lanes;
use super::links::KernelLinks;
use super::residual::PreparedTarget;
use crate::method::FabrikOptions;
use crate::problem::{Bounds, Target};
use urdf_ik_goals::Goal;
use urdf_ik_robot::Chain;

/// The immutable kernel of one chain.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The constants of the chain.
    pub links: KernelLinks,
    /// Position error \[m\] equivalent to one radian of orientation error.
    pub length_scale: f64,
    /// SIMD instruction set of this processor.
    pub level: Level,
}

/// Runs `$work` with the specialisation `$compiled` for the kernel `$self` and `$rows` rows.
macro_rules! specialised {
    ($self:ident, $rows:expr, |$compiled:ident| $work:expr) => {
        specialised!([1 2 3 4 5 6 7 8] $self, $rows, |$compiled| $work)
    };
    ([$($size:literal)*] $self:ident, $rows:expr, |$compiled:ident| $work:expr) => {
        match ($self.links.plain && $rows <= 6, $self.links.variables) {
            $((true, $size) => specialised!(@ $self, $compiled, Fixed::<$size>, $work),)*
            _ => specialised!(@ $self, $compiled, $self.dynamic($rows), $work),
        }
    };
    (@ $self:ident, $compiled:ident, $size:expr, $work:expr) => {{
        let dimension = $size;
        dispatch!($self.level, simd => {
            let $compiled = Compiled { simd, dimension };
            $work
        })
    }};
}

impl Kernel {
    /// The kernel of `chain`, with a `length_scale` \[m\].
    pub fn new(chain: &Chain, length_scale: f64) -> Self {
        Self { links: KernelLinks::new(chain, length_scale), length_scale, level: Level::new() }
    }

    /// Writes the prepared targets into `goals`. Weights are relative: they are scaled to a maximum of 1 to keep the
    /// damping in proportion.
    pub fn set_targets(&self, targets: &[Target], goals: &mut Goals) {
        self.set_goals(targets, &[], 1.0, goals);
    }

    /// Writes prepared targets and other goals into `goals`, as [`Kernel::set_targets`]. The weights of standing goals
    /// are multiplied by `standing_weight`.
    pub fn set_goals(&self, targets: &[Target], others: &[Goal], standing_weight: f64, goals: &mut Goals) {
        let weights = targets.iter().map(|target| target.weight).chain(others.iter().map(Goal::weight));
        let heaviest = weights.fold(0.0, f64::max);
        goals.clear();
        for target in targets {
            let target = Target { weight: target.weight / heaviest, ..*target };
            goals.targets.push(PreparedTarget::new(&target, &self.links, self.length_scale));
        }
        for goal in others {
            let factor = if goal.is_standing() { standing_weight } else { 1.0 };
            goals.push(goal, factor * goal.weight() / heaviest, &self.links, self.length_scale);
        }
    }

    /// Writes the frames, the residuals \[rad\] and the squared errors \[rad²\] of `configurations` from their
    /// positions.
    pub fn measure(&self, goals: &Goals, configurations: &mut Configurations) {
        let links = &self.links;
        specialised!(self, 6 * goals.targets.len(), |compiled| compiled.measure(links, &goals.targets, configurations));
        if goals.has_others() {
            self.measure_others(goals, configurations);
        }
    }

    /// [`Kernel::measure`] with rotation angles for full poses, instead of twice the sine of their halves.
    pub fn measure_angles(&self, goals: &Goals, configurations: &mut Configurations) {
        self.measure(goals, configurations);
        for (target, rows) in goals.targets.iter().zip(&mut configurations.rows) {
            target.take_angles(rows, &mut configurations.squared_error);
        }
    }

    /// Writes the Jacobian into `configurations.columns`. Requires [`Kernel::measure`].
    pub fn linearise(&self, goals: &Goals, configurations: &mut Configurations) {
        let (links, targets) = (&self.links, &goals.targets);
        specialised!(self, 6 * targets.len(), |compiled| compiled.linearise(links, targets, configurations));
        if goals.has_others() {
            self.linearise_others(goals, configurations);
        }
    }

    /// Linearises, and moves the positions by damped steps within the bounds in the lanes that are `moving` (1 or 0).
    /// `damping` has one number per lane. Overwrites rows and columns.
    pub fn damped_step(&self, task: Task, configurations: &mut Configurations, damping: &Lanes, moving: &Lanes) {
        let (links, Task { goals, bounds }) = (&self.links, task);
        specialised!(self, goals.rows_of_step(configurations), |compiled| {
            compiled.linearise(links, &goals.targets, configurations);
            if goals.has_others() {
                self.linearise_others(goals, configurations);
            }
            compiled.bounded_step(configurations, bounds, damping);
            compiled.advance(configurations, bounds, moving);
        });
    }

    /// Writes the rows of the goals besides targets, after those of the targets. Not inlined, to keep problems without
    /// them fast.
    #[inline(never)]
    fn measure_others(&self, goals: &Goals, configurations: &mut Configurations) {
        dispatch!(self.level, simd => goals.measure(simd, self.length_scale, configurations));
    }

    /// Writes the Jacobian of the goals besides targets.
    fn linearise_others(&self, goals: &Goals, configurations: &mut Configurations) {
        dispatch!(self.level, simd => goals.linearise(simd, &self.links, configurations));
    }

    /// Moves the positions by one FABRIK cycle within the bounds in the lanes that are `moving` (1 or 0). Writes the
    /// step into `configurations.step` in all lanes.
    pub fn fabrik_step(
        &self,
        task: Task,
        configurations: &mut Configurations,
        scratch: &mut FabrikScratch,
        options: FabrikOptions,
        moving: &Lanes,
    ) {
        // Compile-time sizes would not make a cycle faster, only the program larger.
        let (links, dimension) = (&self.links, self.dynamic(0));
        dispatch!(self.level, simd => {
            scratch.cycle(simd, options, links, task, configurations);
            Compiled { simd, dimension }.advance(configurations, task.bounds, moving);
        });
        scratch.forget_idle_lanes(moving);
    }

    /// Adds the step to the positions in the lanes that are `moving` (1 or 0). The positions are clamped to the bounds.
    pub fn advance(&self, bounds: Bounds, configurations: &mut Configurations, moving: &Lanes) {
        let dimension = self.dynamic(0);
        dispatch!(self.level, simd => Compiled { simd, dimension }.advance(configurations, bounds, moving));
    }

    /// Sizes that are not compile-time constants.
    fn dynamic(&self, rows: usize) -> Dynamic {
        Dynamic { variables: self.links.variables, joints: self.links.joints.len(), rows }
    }
}
