//! Delay behind a hand away from singularities, beside a follower whose joints approach the least-squares velocity as
//! fast as their limits allow.

use nalgebra::{DVector, Vector6};
use rayon::prelude::*;

use crate::common::Random;
use crate::common::hand::hand_sequence;
use crate::lone_joint::LoneJoint;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, condition_number, follow, tip_twists, weighed, weighed_jacobian};
use crate::watch::{Run, Subject, small};

const SECONDS: f64 = 10.0;
/// Maximum condition number, and minimum distance to limits \[rad or m\], of samples that count.
const REGULAR: f64 = 18.0;
const ROOM: f64 = 0.2;
/// Maximum delay that is tried \[s\]; samples count after that time.
const LONGEST: f64 = 0.25;
/// Maximum additional delay \[s\], and least distance as a fraction of the follower's.
const LATER: f64 = 0.015;
const DISTANCE: f64 = 0.95;

/// The motion of the servo and of the follower, and the command, away from singularities and limits.
struct Sequence {
    moved: [Vec<Vector6<f64>>; 2],
    commanded: Vec<Vector6<f64>>,
}

/// Sums over all samples of sequences of motion times motion, motion times command, and command times command, with the
/// command so many periods earlier.
fn products(sequences: &[Sequence], which: usize, delay: usize, longest: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for Sequence { moved, commanded } in sequences {
        for sample in longest..commanded.len() {
            let (moved, commanded) = (&moved[which][sample], &commanded[sample - delay]);
            for (sum, product) in
                sums.iter_mut().zip([moved.dot(moved), moved.dot(commanded), commanded.dot(commanded)])
            {
                *sum += product;
            }
        }
    }
    sums
}

/// The delay with the highest correlation in periods, by a parabola through its neighbours.
fn delay(sequences: &[Sequence], which: usize, longest: usize) -> f64 {
    let correlation = |delay: usize| {
        let [moved, both, commanded] = products(sequences, which, delay, longest);
        both / (moved * commanded).sqrt()
    };
    let values: Vec<f64> = (0..=longest).map(correlation).collect();
    let best = (0..=longest).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
    if best == 0 || best == longest {
        return small(best);
    }
    let [before, at, after] = [best - 1, best, best + 1].map(|delay| values[delay]);
    small(best) + 0.5 * (before - after) / (before - 2.0 * at + after)
}

/// Joints that approach the least-squares velocity of each twist time-optimally.
fn least_squares(subject: &Subject, start: &[f64], twists: &[Vector6<f64>], period: f64) -> Run {
    let mut run = Run::new(period, start);
    let mut joints: Vec<LoneJoint> = start.iter().map(|position| LoneJoint::new(*position)).collect();
    for twist in twists {
        let here = &run.positions[run.positions.len() - 1];
        let commanded = DVector::from_column_slice(weighed(twist).as_slice());
        let Ok(velocities) = weighed_jacobian(subject, here).svd(true, true).solve(&commanded, 0.0) else { break };
        for (index, joint) in joints.iter_mut().enumerate() {
            joint.approach(velocities[index], subject.bounds(index), period);
        }
        run.positions.push(joints.iter().map(|joint| joint.position).collect());
    }
    run
}

/// Number of samples before the first one near a singularity or limit.
fn regular(subject: &Subject, run: &Run) -> usize {
    let is_near = |positions: &Vec<f64>| {
        let near_limit = |joint: usize| subject.room(joint, positions[joint]).iter().any(|room| *room < ROOM);
        (0..subject.joints()).any(near_limit) || condition_number(subject, positions) > REGULAR
    };
    run.positions.iter().position(is_near).unwrap_or(run.positions.len())
}

fn judge(subject: &Subject, seed: u64, scope: &Scope) -> Sequence {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let commands = hand_sequence(&mut random, scope.period, scope.count(SECONDS));
    let runs = [follow, least_squares].map(|run| run(subject, &start, &commands, scope.period));
    let samples = runs.iter().map(|run| regular(subject, run)).fold(commands.len(), usize::min).saturating_sub(1);
    Sequence {
        moved: runs.map(|run| tip_twists(subject, &run)),
        commanded: commands[..samples].iter().map(weighed).collect(),
    }
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    if subject.joints() < 6 {
        return 0;
    }
    let sequences: Vec<Sequence> =
        scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope)).collect();
    let longest = scope.count(LONGEST);
    let [servo, follower] = [0, 1].map(|which| delay(&sequences, which, longest) * scope.period);
    let [progress, reference] = [0, 1].map(|which| {
        let [_, both, commanded] = products(&sequences, which, 0, longest);
        both / commanded
    });
    let figures = [
        Figure::new("delay of the follower [s]", follower),
        Figure::new("delay of the servo [s]", servo),
        Figure::new("additional delay [s]", servo - follower).at_most(LATER),
        Figure::new("progress of the follower", reference),
        Figure::new("progress of the servo", progress),
        Figure::new("  over that of the follower", progress / reference).at_least(DISTANCE),
    ];
    let samples: usize = sequences.iter().map(|sequence| sequence.commanded.len().saturating_sub(longest)).sum();
    let seconds = small(samples) * scope.period;
    print_figures(&subject.arm.name, &format!("delay behind a hand away from singularities, {seconds:.0} s"), &figures)
}
