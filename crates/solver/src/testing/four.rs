//! A kernel with four configurations.

use std::sync::Arc;

use fearless_simd::Level;

use crate::kernel::{Configurations, FabrikScratch, Goals, Kernel, LANES, Lanes, PreparedTarget, Task};
use crate::search::Search;
use crate::{Bounds, FabrikOptions, Target};
use urdf_ik_random::random::Random;
use urdf_ik_random::robots::{Axes, Recipe};
use urdf_ik_robot::{Chain, ChainPoses};

/// A kernel with four configurations, one for each lane.
pub struct Four {
    pub chain: Arc<Chain>,
    pub kernel: Kernel,
    pub goals: Goals,
    pub configurations: Configurations,
    /// Lower bounds of the steps \[rad or m\], one entry per variable.
    pub lower: Vec<f64>,
    /// Upper bounds of the steps \[rad or m\], one entry per variable.
    pub upper: Vec<f64>,
    fabrik: FabrikScratch,
    units: Vec<f64>,
    /// The positions of each lane \[rad or m\], one entry per variable.
    pub positions: Vec<Vec<f64>>,
    /// The poses of each lane in the base link's frame \[m\], by the chain's own forward kinematics.
    pub poses: Vec<ChainPoses>,
}

impl Four {
    /// A kernel of `chain` with four random configurations.
    pub fn new(chain: &Arc<Chain>, random: &mut Random) -> Self {
        let length_scale = Search::prepare(chain).kernel.length_scale;
        let positions: Vec<Vec<f64>> = (0..LANES).map(|_| random.positions(chain)).collect();
        Self::of(chain, Kernel::new(chain, length_scale), positions)
    }

    fn of(chain: &Arc<Chain>, kernel: Kernel, positions: Vec<Vec<f64>>) -> Self {
        let at = |positions: &Vec<f64>| {
            let mut poses = ChainPoses::new(chain);
            chain.forward_kinematics(positions, &mut poses);
            poses
        };
        let unit = |prismatic| if prismatic { kernel.length_scale } else { 1.0 };
        let units: Vec<f64> = chain.variables().iter().map(|variable| unit(variable.prismatic)).collect();
        let mut four = Self {
            chain: Arc::clone(chain),
            goals: Goals::default(),
            configurations: Configurations::new(&kernel.links),
            lower: vec![f64::NEG_INFINITY; units.len()],
            upper: vec![f64::INFINITY; units.len()],
            fabrik: FabrikScratch::new(&kernel.links, units.clone()),
            units,
            poses: positions.iter().map(at).collect(),
            positions,
            kernel,
        };
        four.write_positions();
        four
    }

    /// A kernel of a chain of seven revolute joints with random axes.
    pub fn seven(random: &mut Random) -> Self {
        let (chain, _) = Recipe::plain(Axes::Any, 7).make(random);
        Self::new(&chain, random)
    }

    /// A copy without compile-time sizes.
    pub fn without_fixed_size(&self) -> Self {
        let mut kernel = self.kernel.clone();
        kernel.links.plain = false;
        Self::of(&self.chain, kernel, self.positions.clone())
    }

    /// Clears the history of the FABRIK cycles.
    pub fn forget(&mut self) {
        self.fabrik = FabrikScratch::new(&self.kernel.links, self.units.clone());
    }

    pub fn write_positions(&mut self) {
        for (lane, positions) in self.positions.iter().enumerate() {
            self.configurations.write(lane, positions);
        }
    }

    pub fn set_goals(&mut self, targets: &[Target]) {
        let Kernel { links, length_scale, .. } = &self.kernel;
        self.goals.targets = targets.iter().map(|target| PreparedTarget::new(target, links, *length_scale)).collect();
    }

    /// A full target for each tip, in the order of the tips, met by the configuration of `lane`.
    pub fn targets_of(&self, lane: usize) -> Vec<Target> {
        self.poses[lane].tips().iter().enumerate().map(|(tip, pose)| Target::new(tip, *pose)).collect()
    }

    pub fn measure(&mut self) {
        self.kernel.measure(&self.goals, &mut self.configurations);
    }

    pub fn linearise(&mut self) {
        self.kernel.linearise(&self.goals, &mut self.configurations);
    }

    /// Takes a damped step within the bounds in the lanes whose entry in `moving` is 1. `damping` \[rad²\] has one
    /// entry per lane.
    pub fn damped_step(&mut self, damping: &Lanes, moving: &Lanes) {
        let Self { kernel, goals, lower, upper, configurations, .. } = self;
        kernel.damped_step(Task { goals, bounds: Bounds { lower, upper } }, configurations, damping, moving);
    }

    /// Takes one cycle of FABRIK in all configurations. No variable moves by more than `range` \[rad or m\]. Returns
    /// the new positions \[rad or m\]: for each variable, one entry per lane.
    pub fn cycle(&mut self, options: FabrikOptions, range: f64) -> Vec<[f64; LANES]> {
        let least = |lanes: &Lanes| lanes.0.into_iter().fold(f64::INFINITY, f64::min);
        let greatest = |lanes: &Lanes| lanes.0.into_iter().fold(f64::NEG_INFINITY, f64::max);
        for (i, lanes) in self.configurations.positions.iter().enumerate() {
            (self.lower[i], self.upper[i]) = (greatest(lanes) - range, least(lanes) + range);
        }
        let Self { kernel, goals, lower, upper, configurations, fabrik, .. } = self;
        let task = Task { goals, bounds: Bounds { lower, upper } };
        kernel.fabrik_step(task, configurations, fabrik, options, &Lanes::splat(1.0));
        configurations.positions.iter().map(|lanes| lanes.0).collect()
    }

    /// Derivatives of the six rows of `target` in each lane with respect to `variable` \[1/rad or 1/m\], by central
    /// differences of step `h` \[rad or m\].
    pub fn slopes(&mut self, target: usize, variable: usize, h: f64) -> [[f64; 6]; LANES] {
        let mut at = |h: f64| {
            for (lane, positions) in self.positions.iter().enumerate() {
                self.configurations.positions[variable].0[lane] = positions[variable] + h;
            }
            self.kernel.measure(&self.goals, &mut self.configurations);
            self.configurations.rows[target]
        };
        let (above, below) = (at(h), at(-h));
        self.write_positions();
        let slope = |lane: usize, row: usize| (above[row].0[lane] - below[row].0[lane]) / (2.0 * h);
        std::array::from_fn(|lane| std::array::from_fn(|row| slope(lane, row)))
    }
}

/// All SIMD levels of this machine.
pub fn levels() -> Vec<Level> {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let levels = [
        level.as_sse2().map(Level::Sse2),
        level.as_sse4_2().map(Level::Sse4_2),
        level.as_avx2().map(Level::Avx2),
        level.as_avx512().map(Level::Avx512),
    ];
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let levels = [Some(level), Some(Level::baseline())];
    levels.into_iter().flatten().collect()
}
