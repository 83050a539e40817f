//! What still moves while joints stand at their limits.

use nalgebra::Vector6;

use crate::box_least_squares::{Bounds, projected};
use crate::held::{SINGULAR, braking};
use crate::lines::{PERIOD, Seen};
use crate::watch::{Run, Subject, count, twist_between};

/// A joint so near to a limit is at it \[rad or m\].
const AT_LIMIT: f64 = 5e-3;
/// A joint that is slower stands \[rad/s or m/s\].
const STANDS: f64 = 2e-3;
/// How long the same joints stand before the direction counts \[s\].
const STEADY: f64 = 0.3;
const STRIDE: usize = 10;

/// The direction of what moves while the same joints stand at limits.
#[derive(Default, Debug, Clone, Copy)]
pub struct Steady {
    pub samples: usize,
    /// The greatest angle to the projected twist \[deg\].
    pub angle: f64,
    /// The share of that time in which nothing moves though something could.
    pub stuck: f64,
    /// The greatest angle where what is left is singular \[deg\].
    pub singular: f64,
    /// The greatest angle where no joint is at a limit and nothing is singular \[deg\].
    pub slowed: f64,
}

/// What a configuration at limits allows.
#[derive(PartialEq)]
struct Standing {
    /// Joints at their lower and upper limits.
    sides: Vec<[bool; 2]>,
    /// A joint is about to come to a limit.
    approaching: bool,
}

pub fn steady(subject: &Subject, run: &Run, seen: &Seen) -> Steady {
    let mut found = Steady::default();
    let (mut since, mut before): (usize, Option<Standing>) = (0, None);
    let mut stuck = 0;
    for sample in (1..run.positions.len() - 1).step_by(STRIDE) {
        let (positions, velocities, twist) = (&run.positions[sample], run.velocities(sample), &seen.twists[sample]);
        let (standing, goal, least) = standing(subject, positions, &velocities, twist);
        if before.as_ref() != Some(&standing) {
            since = sample;
        }
        let settled = sample - since > count(STEADY, PERIOD) && !standing.approaching;
        let at_limits = standing.sides.iter().flatten().any(|side| *side);
        before = Some(standing);
        if !settled {
            continue;
        }
        found.samples += if at_limits { STRIDE } else { 0 };
        let moved = twist_between(&seen.poses[sample - 1], &seen.poses[sample + 1], 2.0 * PERIOD);
        let moved = subject.scaled_twist(&moved);
        let wish = subject.scaled_twist(twist).norm();
        if goal.norm() < 0.02 * wish {
            continue;
        }
        if moved.norm() < 0.02 * wish {
            stuck += if at_limits { STRIDE } else { 0 };
            continue;
        }
        let angle = moved.angle(&goal).to_degrees();
        let worst = match (least < SINGULAR, at_limits) {
            (true, _) => &mut found.singular,
            (false, true) => &mut found.angle,
            (false, false) => &mut found.slowed,
        };
        *worst = worst.max(angle);
    }
    found.stuck = crate::watch::small(stuck) / crate::watch::small(found.samples.max(1));
    found
}

/// Which joints stand at limits, the projected twist, and the smallest singular value of the joints that are left.
fn standing(
    subject: &Subject,
    positions: &[f64],
    velocities: &[f64],
    twist: &Vector6<f64>,
) -> (Standing, Vector6<f64>, f64) {
    let joints = subject.joints();
    let side = |joint: usize| subject.room(joint, positions[joint]).map(|room| room < AT_LIMIT);
    let sides: Vec<[bool; 2]> =
        (0..joints).map(|joint| if velocities[joint].abs() < STANDS { side(joint) } else { [false; 2] }).collect();
    let bound = |joint: usize, end: usize| if sides[joint][end] { 0.0 } else { 1e3 };
    let bounds = Bounds {
        lower: (0..joints).map(|joint| -bound(joint, 0)).collect(),
        upper: (0..joints).map(|joint| bound(joint, 1)).collect(),
    };
    let jacobian = subject.scaled_jacobian(positions);
    let found = projected(&jacobian, &subject.scaled_twist(twist), &bounds);
    let goal = &jacobian * &found;
    let approaching = (0..joints).any(|joint| {
        let [below, above] = subject.room(joint, positions[joint]);
        let room = if found[joint] < 0.0 { below } else { above };
        let speed = found[joint].abs().min(subject.bounds(joint)[0]);
        let at = sides[joint][usize::from(found[joint] > 0.0)];
        !at && (room < 1.5 * braking(speed, subject.bounds(joint)).0 || room < AT_LIMIT && speed > 1e-6)
    });
    let left: Vec<usize> = (0..joints).filter(|&joint| sides[joint] == [false; 2]).collect();
    let values = jacobian.select_columns(&left).singular_values();
    let least = if left.is_empty() { 0.0 } else { values.min() };
    (Standing { sides, approaching }, Vector6::from_column_slice(goal.as_slice()), least)
}
