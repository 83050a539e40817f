//! Motion along a wall, of the bundled arms: 45° into it, and parallel at the margin. The tip should move about as far
//! as under the projected twist without the wall.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use rayon::prelude::*;
use urdf_ik::collision::Geometry;
use urdf_ik::motion::TRANSIT_ALLOWANCE;
use urdf_ik::motion::servo::{Axes, Command, Report, Servo, ServoOptions, TipCommand, TipTwist};

use crate::common::Random;
use crate::common::cell::{Cell, MARGIN, clearance};
use crate::table::{Worst, WorstUsage, print};
use crate::tip_motion::{Scope, comfortable, follow, translation};
use crate::watch::{Run, Subject, count, small};

/// Speed along the wall \[m/s\] and duration \[s\].
const SPEED: f64 = 0.07;
const SECONDS: f64 = 2.0;
/// Maximum distance of the wall from the margin, where the twist leads into it \[m\].
const GAP: f64 = 0.02;
/// Size of the wall \[m\].
const THICK: f64 = 0.02;
const WIDE: f64 = 4.0;
/// Distance from the wall to the tip while it is measured, and the largest size of a tool \[m\].
const FAR: f64 = 0.5;
const TOOL: f64 = 0.1;
/// Minimum fraction of the distance along the wall that is feasible without it.
const FEASIBLE: f64 = 0.85;
/// Rounding of distances \[m\].
const ROUNDING: f64 = 1e-6;

/// An arm beside a wall.
struct Case {
    cell: Cell,
    start: Vec<f64>,
    /// Unit vectors into the wall and along it.
    into: Vector3<f64>,
    along: Vector3<f64>,
    /// The command \[m/s\].
    velocity: Vector3<f64>,
    /// Distance along the wall under the projected twist without the wall \[m\].
    reference: f64,
}

impl Case {
    /// With even seeds 45° into the wall, with odd ones parallel to it.
    fn new(subject: &Subject, seed: u64, period: f64) -> Option<Self> {
        let mut random = Random::new(seed);
        (0..40).find_map(|_| {
            let start = comfortable(subject, &mut random);
            let into = random.direction();
            let along = into.cross(&random.direction()).normalize();
            let is_parallel = seed % 2 == 1;
            let gap = if is_parallel { 0.0 } else { random.between(0.0, GAP) };
            let cell = beside_wall(subject, &start, &into, MARGIN + gap)?;
            let twist = along * SPEED;
            let twists = vec![translation(&twist); count(SECONDS, period)];
            let run = follow(subject, &start, &twists, period);
            let reference = distance(subject, &run, &along);
            let is_free = reference > FEASIBLE * SPEED * SECONDS
                && run.positions.iter().all(|positions| cell.least_distance(positions) > MARGIN - ROUNDING);
            let velocity = if is_parallel { twist } else { twist + into * SPEED };
            is_free.then_some(Self { cell, start, into, along, velocity, reference })
        })
    }

    /// The run of the servo, with a report for each sample.
    fn run(&self, subject: &Subject, period: f64) -> (Run, Vec<Report>) {
        let scene = self.cell.scene();
        let clearance = clearance(&scene);
        let options = ServoOptions { slack: subject.slack, ..ServoOptions::default() };
        let (solver, limits) = (self.cell.arm.solver(), self.cell.arm.limits());
        let mut servo = Servo::new(&solver, &limits, options, &self.start).unwrap();
        let (mut run, mut reports) = (Run::new(period, &self.start), vec![servo.report().clone()]);
        let twist = TipTwist { tip: 0, linear: self.velocity, angular: Vector3::zeros(), axes: Axes::Base };
        for _ in 0..count(SECONDS, period) {
            let report = servo.step(period, &Command::Tips(&[TipCommand::Twist(twist)]), Some(&clearance)).unwrap();
            reports.push(report.clone());
            run.positions.push(servo.positions().to_vec());
        }
        (run, reports)
    }
}

/// The arm with a wall at this distance from its tool \[m\], if no other part of it is as near.
fn beside_wall(subject: &Subject, start: &[f64], into: &Vector3<f64>, gap: f64) -> Option<Cell> {
    let file = format!("{}.urdf", subject.arm.name);
    let tip = subject.pose(start).translation.vector;
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), into)?;
    let wall = |distance: f64| {
        let centre = tip + into * (distance + 0.5 * THICK);
        (Geometry::Box { size: [THICK, WIDE, WIDE] }, Isometry3::from_parts(Translation3::from(centre), turn))
    };
    let itself = Cell::of(&file, &["tool0"], vec![]).distances(start);
    let far = Cell::of(&file, &["tool0"], vec![wall(FAR)]).distances(start);
    let nearest = far[itself.len()..].iter().copied().fold(f64::INFINITY, f64::min);
    let is_tool = (FAR - TOOL..=FAR).contains(&nearest);
    let is_apart = itself.iter().all(|distance| *distance > 2.0 * MARGIN);
    (is_tool && is_apart).then(|| Cell::of(&file, &["tool0"], vec![wall(FAR - nearest + gap)]))
}

/// Distance of the tip along a direction \[m\].
fn distance(subject: &Subject, run: &Run, along: &Vector3<f64>) -> f64 {
    let place = |positions: &Vec<f64>| subject.pose(positions).translation.vector;
    (place(&run.positions[run.positions.len() - 1]) - place(&run.positions[0])).dot(along)
}

/// The missing distance as a fraction, the violation of the margin \[m\], and the run.
struct Judged {
    missing: f64,
    nearer: f64,
    run: Run,
}

fn judge(subject: &Subject, seed: u64, period: f64) -> Option<Judged> {
    let case = Case::new(subject, seed, period)?;
    let (run, _) = case.run(subject, period);
    let least = run.positions.iter().map(|positions| case.cell.least_distance(positions)).fold(f64::INFINITY, f64::min);
    let missing = 1.0 - distance(subject, &run, &case.along) / case.reference;
    Some(Judged { missing, nearer: MARGIN - least, run })
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let judged: Vec<Option<Judged>> =
        scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope.period)).collect();
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("45° into it: missing of the projected twist", 0.1),
        Worst::new("parallel: missing of the way", 0.1),
        Worst::new("nearer than the margin [m]", TRANSIT_ALLOWANCE),
    ];
    for (seed, judged) in scope.seeds.clone().zip(&judged).filter_map(|(seed, judged)| Some((seed, judged.as_ref()?))) {
        let name = format!("wall/{seed}");
        rows[usize::from(seed % 2 == 1)].meet(judged.missing, &name);
        rows[2].meet(judged.nearer, &name);
        usage.meet(&judged.run.usage(subject), &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, &format!("{SECONDS} s along a wall, margin {MARGIN} m"), &rows)
}

/// Prints the tip every 0.1 s.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let Some(case) = Case::new(subject, seed, period) else { return println!("there is no such case") };
    let (run, reports) = case.run(subject, period);
    let pose = case.cell.poses().next().unwrap();
    println!("start {:?}\nvelocity {:?} m/s", case.start, case.velocity.as_slice());
    println!(
        "wall: box {THICK} x {WIDE} x {WIDE} m at {:?}, normal {:?}",
        pose.translation.vector.as_slice(),
        case.into.as_slice()
    );
    println!("time: along, into the wall [m], distance [m] | joint velocities | sliding, angle, held back by");
    let anchor = subject.pose(&case.start).translation.vector;
    for (sample, positions) in run.positions.iter().enumerate().step_by(count(0.1, period)) {
        let Report { is_sliding, angle, holds, .. } = &reports[sample];
        let moved = subject.pose(positions).translation.vector - anchor;
        println!(
            "{:.1}: {:.4} {:.4} {:.6} | {:.3?} | {is_sliding} {angle:.2} {:?}",
            small(sample) * period,
            moved.dot(&case.along),
            moved.dot(&case.into),
            case.cell.least_distance(positions),
            run.velocities(sample),
            holds.first()
        );
    }
    println!("{:.4} of {:.4} m\n{:?}", distance(subject, &run, &case.along), case.reference, run.usage(subject));
}
