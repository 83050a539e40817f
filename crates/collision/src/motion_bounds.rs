//! How far a motion of the variables moves bodies against each other at most, from lengths alone.

/// A moving joint, as far as lengths go.
#[derive(Debug, Clone)]
pub(super) struct Lever {
    /// Index of the moving joint before it.
    pub parent: Option<usize>,
    pub variable: usize,
    /// Its motion is `multiplier` times that of the variable, from `offset` on.
    pub multiplier: f64,
    pub offset: f64,
    pub prismatic: bool,
    /// From the origin of `parent` to its own before its motion \[m\].
    pub length: f64,
}

/// What bounds the motion of the bodies of a scene. Constant.
#[derive(Debug, Clone)]
pub(super) struct MotionBounds {
    /// Parents first.
    levers: Vec<Lever>,
    /// For each joint, how far what it carries reaches from its origin while the prismatic joints after it stand at 0 \[m\].
    reach: Vec<f64>,
    /// For each body, the joint that carries it, and how far it reaches from that joint's origin \[m\].
    bodies: Vec<(Option<usize>, f64)>,
}

impl MotionBounds {
    /// `levers` come parents first. `bodies` has the joint that carries each body, and how far it reaches from that joint's origin \[m\].
    pub fn new(levers: Vec<Lever>, bodies: Vec<(Option<usize>, f64)>) -> Self {
        let mut reach = vec![0.0_f64; levers.len()];
        for &(joint, of_body) in &bodies {
            if let Some(joint) = joint {
                reach[joint] = reach[joint].max(of_body);
            }
        }
        for joint in (0..levers.len()).rev() {
            if let Some(parent) = levers[joint].parent {
                reach[parent] = reach[parent].max(levers[joint].length + reach[joint]);
            }
        }
        Self { levers, reach, bodies }
    }

    /// By how much the distance of any two bodies changes at most between two configurations \[m\].
    pub fn of_all(&self, from: &[f64], to: &[f64]) -> f64 {
        // The joints between two bodies are not more than all, and no prismatic joint carries farther than all do.
        let (mut motion, mut travel) = (0.0, 0.0);
        for (lever, reach) in self.levers.iter().zip(&self.reach).rev() {
            let [moved, farthest] = lever.motion(from, to);
            if lever.prismatic {
                motion += moved;
                travel += farthest;
            } else {
                motion += moved * (reach + travel);
            }
        }
        motion
    }

    /// By how much the distance of two bodies changes at most between two configurations \[m\].
    pub fn of_pair(&self, pair: [usize; 2], from: &[f64], to: &[f64]) -> f64 {
        let [mut first, mut second] = pair.map(|body| {
            let (joint, reach) = self.bodies[body];
            Carried { joint, reach, motion: 0.0 }
        });
        // Joints that carry both bodies do not move them against each other. Parents come before what they carry.
        while first.joint != second.joint {
            let farther = if first.joint > second.joint { &mut first } else { &mut second };
            self.pass(farther, from, to);
        }
        first.motion + second.motion
    }

    /// Adds what the joint that carries a body moves it, and goes on to the joint before.
    fn pass(&self, carried: &mut Carried, from: &[f64], to: &[f64]) {
        let Some(joint) = carried.joint else { return };
        let lever = &self.levers[joint];
        let [moved, farthest] = lever.motion(from, to);
        if lever.prismatic {
            carried.motion += moved;
            carried.reach += farthest;
        } else {
            carried.motion += moved * carried.reach;
        }
        carried.reach += lever.length;
        carried.joint = lever.parent;
    }
}

/// A body on the way from itself to the root link.
struct Carried {
    joint: Option<usize>,
    /// How far it reaches from the joint's origin \[m\].
    reach: f64,
    /// What the joints so far move it \[m\].
    motion: f64,
}

impl Lever {
    /// How far the joint moves between two configurations, and how far it is from 0 in one of them at most \[rad or m\].
    fn motion(&self, from: &[f64], to: &[f64]) -> [f64; 2] {
        let [from, to] = [from, to].map(|positions| self.multiplier * positions[self.variable] + self.offset);
        [(to - from).abs(), from.abs().max(to.abs())]
    }
}
