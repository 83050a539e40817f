//! Random robots: all relative positions of axes, trees, mimic joints, base links inside the tree.

use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write;
use std::sync::Arc;

use nalgebra::Vector3;

use super::random::Random;
use urdf_ik_robot::{Chain, Robot};

/// The axis of a joint relative to the previous one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Axes {
    /// Any direction, at any place.
    Any,
    /// Along coordinate axes, with rotations by quarter turns.
    Square,
    /// Parallel, in the same direction.
    Parallel,
    /// At this angle from parallel \[rad\].
    NearlyParallel(f64),
    /// Parallel, in the opposite direction.
    AntiParallel,
    /// At this angle from antiparallel \[rad\].
    NearlyAntiParallel(f64),
    /// Through the origin of the previous joint, in any direction.
    Intersecting,
    /// On the same line.
    Coincident,
    /// Another of these cases for each joint, at random.
    Mixed,
}

/// The distribution of random robots.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// The axis of each joint relative to the previous one.
    pub axes: Axes,
    /// Number of joints.
    pub joints: usize,
    /// On average, one joint in this many is prismatic; 0 for none.
    pub prismatic: usize,
    /// On average, one joint in this many is fixed; 0 for none.
    pub fixed: usize,
    /// On average, one joint in this many mimics another; 0 for none.
    pub mimic: usize,
    /// On average, one joint in this many starts a branch; 0 for none.
    pub branch: usize,
    /// True if the base link is a random link instead of the root link.
    pub any_base: bool,
    /// Number of tip links.
    pub tips: usize,
}

impl Recipe {
    /// A chain of that many continuous joints, with one tip.
    pub fn plain(axes: Axes, joints: usize) -> Self {
        Self { axes, joints, prismatic: 0, fixed: 0, mimic: 0, branch: 0, any_base: false, tips: 1 }
    }

    /// A tree of that many joints: continuous, prismatic, fixed and mimic ones.
    pub fn tree(axes: Axes, joints: usize, tips: usize) -> Self {
        Self { prismatic: 4, fixed: 6, mimic: 5, branch: 4, any_base: true, tips, ..Self::plain(axes, joints) }
    }

    /// A random chain by this recipe, and the URDF of its robot. Draws again if no joint moves one of the tips.
    pub fn make(&self, random: &mut Random) -> (Arc<Chain>, String) {
        for _ in 0..1000 {
            let (text, links) = (self.describe(random), self.joints + 1);
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

    /// The robot's URDF, with the links l0 (the root), l1 and so on: one more than joints.
    fn describe(&self, random: &mut Random) -> String {
        let mut text = String::from("<robot name='drawn'><link name='l0'/>\n");
        // Joints that others may mimic.
        let mut masters: Vec<usize> = Vec::new();
        let drawn = |random: &mut Random, times: usize| times > 0 && random.once_in(times);
        for joint in 0..self.joints {
            let parent = if joint > 0 && drawn(random, self.branch) { random.below(joint) } else { joint };
            let (xyz, rpy, axis) = place(self.axes, random);
            let fixed = joint > 0 && drawn(random, self.fixed);
            let prismatic = drawn(random, self.prismatic);
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
            if !fixed && !masters.is_empty() && drawn(random, self.mimic) {
                let (master, factor) = (masters[random.below(masters.len())], [2.0, -2.0, -1.0, 0.5][random.below(4)]);
                let offset = random.between(-1.0, 1.0);
                write!(text, "<mimic joint='j{master}' multiplier='{factor}' offset='{offset:?}'/>").unwrap();
            } else if !fixed {
                masters.push(joint);
            }
            text.push_str("</joint>\n");
        }
        text + "</robot>"
    }
}

/// Position, roll-pitch-yaw rotation and axis of a joint.
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
