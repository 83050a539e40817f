//! Starts from singular configurations and from joint limits: does every feasible direction move the tip?

use nalgebra::{Isometry3, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::Axes;

use crate::possible::least_move;
use crate::singular::{at_limits, configuration, directions};
use crate::table::{Figure, Worst, WorstUsage, print, print_figures};
use crate::tip_motion::stationary_motion;
use crate::watch::{Input, Run, Subject, count, from_line, small};

/// Required distance of the tip \[m or rad\], and the time for it \[s\].
const WAYS: [f64; 2] = [2e-3, 5e-3];
const TIME: f64 = 1.0;
const PERIOD: f64 = 0.004;
const SPEEDS: [f64; 2] = [0.1, 0.3];
/// Deviation from the direction that misses it \[m or rad\].
const BESIDE: f64 = 0.09;
/// Maximum joint motion while the tip is stationary \[rad\].
const STATIONARY: f64 = 0.3;

/// The kind of start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Singular,
    Limits,
}

impl Start {
    pub fn name(self) -> &'static str {
        match self {
            Self::Singular => "singular",
            Self::Limits => "limits",
        }
    }

    /// The fraction of the feasible directions that may be missed.
    fn missed(self) -> f64 {
        match self {
            Self::Singular => 5e-3,
            Self::Limits => 0.0,
        }
    }

    pub fn positions(self, subject: &Subject, seed: u64) -> Option<Vec<f64>> {
        match self {
            Self::Singular => configuration(subject, seed),
            Self::Limits => at_limits(subject, seed),
        }
    }
}

/// A unit twist: translations first, then rotations.
pub fn twist(direction: usize) -> (usize, Vector6<f64>) {
    let all = directions();
    let (kind, unit) = (direction / all.len(), all[direction % all.len()]);
    let none = Vector3::zeros();
    let [linear, angular] = if kind == 0 { [unit, none] } else { [none, unit] };
    (kind, Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z))
}

/// The result of a start in a direction.
struct Way {
    /// Distance of the tip in the direction, as a fraction of the required one.
    share: f64,
    /// Deviation from the direction: the larger of metres and radians.
    beside: f64,
    /// The largest joint motion.
    farthest: f64,
}

/// Moves until the tip is far enough, or the time is over.
fn moves(subject: &Subject, start: &[f64], direction: usize) -> (Run, Way) {
    let (kind, unit) = twist(direction);
    let input = Input::twist(&(unit * SPEEDS[kind]), Axes::Base);
    let (mut servo, mut run) = (subject.servo(start), Run::new(PERIOD, start));
    let anchor: Isometry3<f64> = subject.pose(start);
    let mut way = Way { share: 0.0, beside: 0.0, farthest: 0.0 };
    for _ in 0..count(TIME, PERIOD) {
        run.step(&mut servo, &input);
        let positions = servo.positions();
        let (apart, along) = from_line(&anchor, &unit, &subject.pose(positions));
        way.beside = way.beside.max(apart[0]).max(apart[1]);
        way.share = way.share.max(along / WAYS[kind]);
        let far = positions.iter().zip(start).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        way.farthest = way.farthest.max(far);
        if way.share >= 1.0 {
            break;
        }
    }
    (run, way)
}

/// A feasible direction, and its result.
struct Escape {
    direction: usize,
    run: Run,
    way: Way,
    /// The least joint motion for the required distance.
    least: f64,
}

/// The feasible directions of a start; `None` without such a start.
fn escapes(subject: &Subject, start: Start, seed: u64) -> Option<Vec<Escape>> {
    let positions = start.positions(subject, seed)?;
    let escape = |direction: usize| {
        let (kind, unit) = twist(direction);
        let least = least_move(subject, &positions, &(unit * WAYS[kind]))?;
        let (run, way) = moves(subject, &positions, direction);
        Some(Escape { direction, run, way, least })
    };
    Some((0..2 * directions().len()).filter_map(escape).collect())
}

pub fn measure(subject: &Subject, start: Start, seeds: std::ops::Range<u64>) -> usize {
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("translation: missing of 2 mm in 1 s, a share", f64::INFINITY),
        Worst::new("rotation: missing of 5 mrad in 1 s, a share", f64::INFINITY),
        Worst::new("beside the line, m or rad", BESIDE),
        Worst::new("largest move of a joint over the least", f64::INFINITY),
        Worst::new("joint motion while the tip is stationary [rad]", STATIONARY),
    ];
    let judged: Vec<_> = seeds.clone().into_par_iter().map(|seed| escapes(subject, start, seed)).collect();
    let [mut configurations, mut missed] = [0; 2];
    for (seed, escapes) in seeds.zip(judged).filter_map(|(seed, escapes)| Some((seed, escapes?))) {
        configurations += 1;
        for Escape { direction, run, way, least } in escapes {
            let (kind, unit) = twist(direction);
            let name = format!("{}/{seed}/{direction}", start.name());
            usage.meet(&run.usage(subject), &name);
            rows[kind].meet(1.0 - way.share.min(1.0), &name);
            if way.share < 1.0 {
                missed += 1;
                println!("{name} of {}: covers {:.3} of its distance", subject.arm.name, way.share);
            }
            rows[2].meet(way.beside, &name);
            rows[3].meet(way.farthest / least.max(1e-3), &name);
            rows[4].meet(stationary_motion(subject, &run, &(unit * SPEEDS[kind])), &name);
        }
    }
    let feasible = rows[0].cases + rows[1].cases;
    let share = 100.0 * small(feasible) / small((configurations * 2 * directions().len()).max(1));
    let title = format!("{}, {configurations} configurations, {share:.0} % of the directions possible", start.name());
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    let missed = Figure::new("missed, a share", small(missed) / small(feasible.max(1))).at_most(start.missed());
    print(&subject.arm.name, &title, &rows) + print_figures(&subject.arm.name, "feasible directions", &[missed])
}

/// Prints a start in a direction step by step.
pub fn replay(subject: &Subject, start: Start, seed: u64, direction: usize) {
    let Some(positions) = start.positions(subject, seed) else { return println!("there is no such configuration") };
    let (kind, unit) = twist(direction);
    println!("start {positions:?}\ndirection {:?}", unit.as_slice());
    let room: Vec<[f64; 2]> = (0..subject.joints()).map(|joint| subject.room(joint, positions[joint])).collect();
    println!("room {room:.3?}");
    println!("singular values {:.6?}", subject.scaled_jacobian(&positions).singular_values().as_slice());
    println!("least move {:?}", least_move(subject, &positions, &(unit * WAYS[kind])));
    let (run, way) = moves(subject, &positions, direction);
    let anchor = subject.pose(&positions);
    for (sample, positions) in run.positions.iter().enumerate().step_by(5) {
        let (apart, along) = from_line(&anchor, &unit, &subject.pose(positions));
        let velocities: Vec<String> = run.velocities(sample).iter().map(|v| format!("{v:.3}")).collect();
        println!(
            "{:.3} along {along:.6} beside {:.1e} {:.1e} {}",
            small(sample) * PERIOD,
            apart[0],
            apart[1],
            velocities.join(" ")
        );
    }
    println!("share {:.3} beside {:.2e} farthest {:.3}\n{:?}", way.share, way.beside, way.farthest, run.usage(subject));
}
