//! Robots for tests, drawn at random: axes in every position to each other, trees, followers, bases in the middle.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write;
use std::sync::Arc;

use fearless_simd::Level;
use nalgebra::Vector3;

use super::super::{Jacobian, JacobianScratch};
use crate::robot::{Chain, ChainPoses, Domain, Robot};
use crate::solver::fabrik::Options;
use crate::solver::goal::Goal;
use crate::solver::lanes::{LANES, Lanes};
use crate::solver::links::Links;
use crate::solver::problem::Target;

/// Numbers that look random and are the same each time.
pub(in crate::solver) struct Random(u64);

impl Random {
    pub(in crate::solver) fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.bits();
        random
    }

    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 32).unwrap()
    }

    pub(in crate::solver) fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + f64::from(self.bits()) / f64::from(u32::MAX) * (upper - lower)
    }

    pub(in crate::solver) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits()).unwrap() % end
    }

    /// Whether something happens that happens once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(in crate::solver) fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    /// Positions inside the limits, of joints without limits within half a turn.
    pub(in crate::solver) fn posture(&mut self, chain: &Chain) -> Vec<f64> {
        let one = |random: &mut Self, domain: &Domain| match *domain {
            Domain::Interval { lower, upper } => random.between(lower, upper),
            Domain::Circle => random.between(-PI, PI),
        };
        chain.variables().iter().map(|variable| one(self, &variable.domain)).collect()
    }
}

/// How the axis of a joint lies to the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::solver) enum Axes {
    Any,
    /// Along coordinate axes, all turns and shifts too.
    Square,
    Parallel,
    /// Off by this angle \[rad\].
    NearlyParallel(f64),
    AntiParallel,
    NearlyAntiParallel(f64),
    Intersecting,
    Coincident,
    /// One of the others for each joint.
    Mixed,
}

/// What a robot is made of.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver) struct Recipe {
    pub axes: Axes,
    pub joints: usize,
    /// One joint in so many is prismatic, one is fixed, one follows another, and one begins a branch; 0 for none.
    pub prismatic: usize,
    pub fixed: usize,
    pub mimic: usize,
    pub branch: usize,
    /// Whether the base link is any of the links.
    pub any_base: bool,
    pub tips: usize,
}

impl Recipe {
    /// A chain of turning joints.
    pub(in crate::solver) fn plain(axes: Axes, joints: usize) -> Self {
        Self { axes, joints, prismatic: 0, fixed: 0, mimic: 0, branch: 0, any_base: false, tips: 1 }
    }

    /// A tree of all that there is.
    pub(in crate::solver) fn tree(axes: Axes, joints: usize, tips: usize) -> Self {
        Self { prismatic: 4, fixed: 6, mimic: 5, branch: 4, any_base: true, tips, ..Self::plain(axes, joints) }
    }

    /// A chain by this recipe. What is drawn may be nothing that moves every tip: then another is.
    pub(in crate::solver) fn make(&self, random: &mut Random) -> (Arc<Chain>, String) {
        for _ in 0..1000 {
            let (text, links) = self.describe(random);
            let robot = Robot::from_urdf(&text).unwrap();
            let base = if self.any_base { random.below(links) } else { 0 };
            let last = links - 1;
            let mut tips = vec![format!("l{last}")];
            tips.extend((1..self.tips).map(|_| format!("l{}", random.below(links))));
            let tips: Vec<&str> = tips.iter().map(String::as_str).collect();
            if let Ok(chain) = Chain::new(&robot, &format!("l{base}"), &tips) {
                return (Arc::new(chain), text);
            }
        }
        panic!("{self:?} makes no chain");
    }

    /// The robot's URDF, and how many links it has: l0 is the root.
    fn describe(&self, random: &mut Random) -> (String, usize) {
        let mut text = String::from("<robot name='drawn'><link name='l0'/>\n");
        // Joints that can be followed, and whether they are prismatic.
        let mut masters: Vec<usize> = Vec::new();
        let happens = |random: &mut Random, times: usize| times > 0 && random.once_in(times);
        for joint in 0..self.joints {
            let parent = if joint > 0 && happens(random, self.branch) { random.below(joint) } else { joint };
            let (xyz, rpy, axis) = place(self.axes, random);
            let fixed = joint > 0 && happens(random, self.fixed);
            let prismatic = happens(random, self.prismatic);
            let kind = match (fixed, prismatic) {
                (true, _) => "fixed",
                (_, true) => "prismatic",
                _ => "continuous",
            };
            let list = |v: Vector3<f64>| format!("{:?} {:?} {:?}", v.x, v.y, v.z);
            write!(
                text,
                "<link name='l{0}'/><joint name='j{joint}' type='{kind}'><parent link='l{parent}'/><child link='l{0}'/>\
                 <origin xyz='{1}' rpy='{2}'/><axis xyz='{3}'/>",
                joint + 1,
                list(xyz),
                list(rpy),
                list(axis)
            )
            .unwrap();
            if prismatic && !fixed {
                text.push_str("<limit lower='-9' upper='9' effort='1' velocity='1'/>");
            }
            if !fixed && !masters.is_empty() && happens(random, self.mimic) {
                let (master, factor) = (masters[random.below(masters.len())], [2.0, -2.0, -1.0, 0.5][random.below(4)]);
                let offset = random.between(-1.0, 1.0);
                write!(text, "<mimic joint='j{master}' multiplier='{factor}' offset='{offset:?}'/>").unwrap();
            } else if !fixed {
                masters.push(joint);
            }
            text.push_str("</joint>\n");
        }
        text.push_str("</robot>");
        (text, self.joints + 1)
    }
}

/// Place, roll-pitch-yaw turn and axis of a joint.
fn place(axes: Axes, random: &mut Random) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
    let (zero, z) = (Vector3::zeros(), Vector3::z());
    let mut xyz = random.vector(0.5);
    if random.once_in(4) {
        xyz.z = 0.0;
    }
    let spin = z * random.between(-3.0, 3.0);
    let tilted = |random: &mut Random, tilt: f64| {
        let across = random.between(-PI, PI);
        Vector3::new(tilt.sin() * across.cos(), tilt.sin() * across.sin(), tilt.cos())
    };
    match axes {
        Axes::Any => (xyz, random.vector(3.0), random.vector(1.0)),
        Axes::Square => {
            let quarters = Vector3::from_fn(|_, _| FRAC_PI_2 * [-1.0, 0.0, 0.0, 1.0, 2.0][random.below(5)]);
            let axis = Vector3::ith(random.below(3), if random.once_in(2) { 1.0 } else { -1.0 });
            (Vector3::from_fn(|row, _| if random.once_in(2) { 0.0 } else { xyz[row] }), quarters, axis)
        }
        Axes::Parallel => (xyz, spin, z),
        Axes::NearlyParallel(tilt) => (xyz, spin, tilted(random, tilt)),
        Axes::AntiParallel => (xyz, spin, -z),
        Axes::NearlyAntiParallel(tilt) => (xyz, spin, -tilted(random, tilt)),
        Axes::Intersecting => (zero, random.vector(3.0), random.vector(1.0)),
        Axes::Coincident => (if random.once_in(2) { zero } else { z * xyz.z }, spin, z),
        Axes::Mixed => {
            let tilt = 10.0_f64.powf(random.between(-16.0, -1.0));
            let all = [
                Axes::Any,
                Axes::Square,
                Axes::Parallel,
                Axes::NearlyParallel(tilt),
                Axes::AntiParallel,
                Axes::NearlyAntiParallel(tilt),
                Axes::Intersecting,
                Axes::Coincident,
            ];
            place(all[random.below(all.len())], random)
        }
    }
}

/// A solver with four postures, one for each lane.
pub(in crate::solver) struct Bench {
    pub chain: Arc<Chain>,
    pub solver: Jacobian,
    pub scratch: JacobianScratch,
    pub postures: Vec<Vec<f64>>,
    /// The chain's own forward kinematics at each of them.
    pub poses: Vec<ChainPoses>,
}

impl Bench {
    /// `None` where the chain is a point.
    pub(in crate::solver) fn new(chain: &Arc<Chain>, random: &mut Random) -> Option<Self> {
        let solver = Jacobian::prepare(chain).ok()?;
        let postures: Vec<Vec<f64>> = (0..LANES).map(|_| random.posture(chain)).collect();
        let at = |posture: &Vec<f64>| {
            let mut poses = ChainPoses::new(chain);
            chain.forward_kinematics(posture, &mut poses);
            poses
        };
        let poses = postures.iter().map(at).collect();
        let mut bench = Self { chain: Arc::clone(chain), scratch: solver.scratch(), solver, postures, poses };
        bench.write_postures();
        Some(bench)
    }

    /// A chain of seven turning joints in any position to each other.
    pub(in crate::solver) fn seven(random: &mut Random) -> Self {
        let (chain, _) = Recipe::plain(Axes::Any, 7).make(random);
        Self::new(&chain, random).unwrap()
    }

    pub(in crate::solver) fn write_postures(&mut self) {
        for (lane, posture) in self.postures.iter().enumerate() {
            self.scratch.batch.write(lane, posture);
        }
    }

    pub(in crate::solver) fn set_goals(&mut self, targets: &[Target]) {
        let Self { solver, scratch, .. } = self;
        scratch.goals = targets.iter().map(|target| Goal::new(target, &solver.links, solver.length_scale)).collect();
    }

    /// A full target for each tip, met by the posture of `lane`.
    pub(in crate::solver) fn targets_of(&self, lane: usize) -> Vec<Target> {
        self.poses[lane].tips().iter().enumerate().map(|(tip, pose)| Target::new(tip, *pose)).collect()
    }

    pub(in crate::solver) fn measure(&mut self) {
        self.solver.measure(&mut self.scratch);
    }

    pub(in crate::solver) fn linearise(&mut self) {
        self.solver.linearise(&mut self.scratch);
    }

    /// One cycle of reaching of all postures, with every variable no farther than `range` from where it is; gives where they are led.
    pub(in crate::solver) fn reach(&mut self, options: Options, range: f64) -> Vec<[f64; LANES]> {
        let seed = self.scratch.batch.positions.clone();
        let least = |lanes: &Lanes| lanes.0.into_iter().fold(f64::INFINITY, f64::min);
        let greatest = |lanes: &Lanes| lanes.0.into_iter().fold(f64::NEG_INFINITY, f64::max);
        for (i, lanes) in seed.iter().enumerate() {
            (self.scratch.lower[i], self.scratch.upper[i]) = (greatest(lanes) - range, least(lanes) + range);
        }
        self.solver.reaching_step(&mut self.scratch, options, &Lanes::splat(1.0));
        self.scratch.batch.positions.iter().map(|lanes| lanes.0).collect()
    }

    /// The same with sizes that are not known to the compiler.
    pub(in crate::solver) fn without_fixed_size(&self) -> Self {
        let links = Links { plain: false, ..(*self.solver.links).clone() };
        let solver = Jacobian { links: Arc::new(links), ..self.solver.clone() };
        let mut other = Self {
            chain: Arc::clone(&self.chain),
            scratch: solver.scratch(),
            solver,
            postures: self.postures.clone(),
            poses: self.poses.clone(),
        };
        other.write_postures();
        other
    }

    /// What the rows of `target` become by a small motion of `variable` either way, for rad or m: central differences.
    pub(in crate::solver) fn slopes(&mut self, target: usize, variable: usize, h: f64) -> [[f64; 6]; LANES] {
        let mut at = |h: f64| {
            for (lane, posture) in self.postures.iter().enumerate() {
                self.scratch.batch.positions[variable].0[lane] = posture[variable] + h;
            }
            self.solver.measure(&mut self.scratch);
            self.scratch.batch.rows[target]
        };
        let (above, below) = (at(h), at(-h));
        self.write_postures();
        let slope = |lane: usize, row: usize| (above[row].0[lane] - below[row].0[lane]) / (2.0 * h);
        std::array::from_fn(|lane| std::array::from_fn(|row| slope(lane, row)))
    }
}

/// Every level of vector instructions that this machine has.
pub(in crate::solver) fn levels() -> Vec<Level> {
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
