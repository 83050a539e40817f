//! Motion along joint limits, where a servo may slide: in the feasible direction closest to the command, by the angle
//! of the whole twist, if it is within the maximum angle. On its line the tip is judged by `starts`.

use nalgebra::{DMatrix, DVector, Isometry3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Servo, ServoOptions};

use crate::box_least_squares::{Bounds, least};
use crate::starts::Case;
use crate::table::{Worst, WorstUsage, print};
use crate::walk::braking;
use crate::watch::{Run, Subject, count, from_line, small, twist_between};

const SECONDS: f64 = 5.0;
/// Distance up to which a joint is at a limit \[rad or m\].
const AT_LIMIT: f64 = 5e-3;
/// Speed below which a joint is stationary \[rad/s or m/s\].
const STANDS: f64 = 2e-3;
/// Time for which the same joints must be stationary before the direction counts \[s\].
const STEADY: f64 = 0.3;
/// Speed below which the tip has no direction \[m/s\] and \[rad/s\].
const SLOW: [f64; 2] = [1e-3, 5e-3];
/// Smallest singular value below which the remaining joints are singular.
const SINGULAR: f64 = 0.03;
/// Length that counts as one radian, divided by the solver's length scale: 0.3 m for an arm of 1 m.
const RADIAN: f64 = 0.75;
/// Range before a limit in which the other joints take over gradually, for a joint that moves alone \[rad or m\]. The
/// tip's velocity must not jump.
const TURNING: f64 = 0.12;
/// Angle between the command and the feasible motion below which the tip may return to a line, with its uncommanded
/// axes \[rad\].
const DIRECT: f64 = 0.0175;
/// Fraction of a joint's acceleration from which the direction of the tip is not steady.
const ACCELERATES: f64 = 0.3;
/// Maximum angle to the command \[rad\].
const ANGLE: f64 = ServoOptions::DEFAULT.max_deviation_angle;
/// Distance from the line that counts as on it \[m\] and \[rad\]: that of `starts`.
const ON_LINE: [f64; 2] = [1e-3, 1.75e-3];
const STRIDE: usize = 10;

/// Direction of the motion while the same joints are at limits.
#[derive(Default)]
struct Steady {
    samples: usize,
    /// Maximum angle to the projected twist \[deg\], and the same where the remaining joints are singular.
    angle: f64,
    singular: f64,
    /// Samples without motion though motion is feasible.
    stuck: usize,
}

/// The motion that a configuration at limits allows.
#[derive(PartialEq)]
struct Standing {
    /// Joints at their lower and upper limits.
    sides: Vec<[bool; 2]>,
    /// A joint is about to reach a limit.
    approaching: bool,
}

fn run(subject: &Subject, case: &Case) -> Run {
    let options = ServoOptions::default();
    let mut servo = Servo::new(&subject.solver, &subject.limits, options, &case.start).unwrap();
    let mut run = Run::new(case.period, &case.start);
    run.steps(&mut servo, case.input(), SECONDS);
    run
}

fn steady(subject: &Subject, run: &Run, case: &Case) -> Steady {
    let mut found = Steady::default();
    let anchor = subject.pose(&case.start);
    let (mut since, mut before): (usize, Option<Standing>) = (0, None);
    for sample in (1..run.positions.len() - 1).step_by(STRIDE) {
        let (positions, velocities) = (&run.positions[sample], run.velocities(sample));
        let pose = subject.pose(positions);
        let twist = case.twist_at(&pose);
        let (standing, goal, least) = standing(subject, positions, &velocities, &twist);
        if before.as_ref() != Some(&standing) || accelerates(subject, run, sample) {
            since = sample;
        }
        let at_limits = standing.sides.iter().flatten().any(|side| *side);
        let settled = sample - since > count(STEADY, run.period) && !standing.approaching;
        before = Some(standing);
        if !settled || !at_limits {
            continue;
        }
        found.samples += STRIDE;
        let [from, to] = [sample - 1, sample + 1].map(|sample| subject.pose(&run.positions[sample]));
        let moved = twist_between(&from, &to, 2.0 * run.period);
        let is_slow = [0, 1].iter().all(|part| moved.fixed_rows::<3>(3 * part).norm() < SLOW[*part]);
        let [moved, command] = [moved, twist].map(|twist| weighed(subject, &twist));
        let most = goal.angle(&command);
        // A slide within the angle makes at least the square of its cosine.
        let follows = moved.dot(&command) > (ANGLE.cos() * command.norm()).powi(2);
        if !(DIRECT..=ANGLE).contains(&most) || follows && is_on_line(subject, case, &anchor, &pose) {
            continue;
        }
        if is_slow {
            found.stuck += STRIDE;
            continue;
        }
        // Joints that still have room may move in a nearer direction.
        let angle = if moved.angle(&command) <= most { 0.0 } else { moved.angle(&goal).to_degrees() };
        let worst = if least < SINGULAR { &mut found.singular } else { &mut found.angle };
        *worst = worst.max(angle);
    }
    found
}

/// Shares of the commanded speed over a run, of the translation or rotation that is commanded.
struct Shares {
    /// The greatest one against the command, and the greatest one above it.
    back: f64,
    faster: f64,
    /// The mean along the command.
    mean: f64,
}

fn shares(subject: &Subject, run: &Run, case: &Case) -> Shares {
    let samples = 1..run.positions.len() - 1;
    let share = 1.0 / small(samples.len());
    samples.fold(Shares { back: 0.0, faster: 0.0, mean: 0.0 }, |Shares { back, faster, mean }, sample| {
        let [from, to] = [sample - 1, sample + 1].map(|sample| subject.pose(&run.positions[sample]));
        let twists =
            [case.twist_at(&subject.pose(&run.positions[sample])), twist_between(&from, &to, 2.0 * run.period)];
        let [twist, moved] = twists.map(|twist| twist.fixed_rows::<3>(3 * case.kind()).into_owned());
        let along = moved.dot(&twist) / twist.norm_squared();
        let faster = faster.max(moved.norm() / twist.norm() - 1.0);
        Shares { back: back.max(-along), faster, mean: mean + share * along }
    })
}

/// True if a joint uses so much of its acceleration that the tip's velocity cannot turn at once.
fn accelerates(subject: &Subject, run: &Run, sample: usize) -> bool {
    let [before, after] =
        [sample.max(2) - 1, (sample + 1).min(run.positions.len() - 1)].map(|near| run.velocities(near));
    let time = 2.0 * run.period;
    (0..subject.joints())
        .any(|joint| (after[joint] - before[joint]).abs() > ACCELERATES * subject.bounds(joint)[1] * time)
}

/// True if the tip is on its line, within the slack of the uncommanded axes.
fn is_on_line(subject: &Subject, case: &Case, anchor: &Isometry3<f64>, pose: &Isometry3<f64>) -> bool {
    let (apart, _) = from_line(anchor, &case.twist, pose);
    let mut most = subject.slack;
    most[case.kind()] = ON_LINE[case.kind()];
    apart.iter().zip(most).all(|(apart, most)| *apart < most)
}

/// A twist with rotations in metres.
fn weighed(subject: &Subject, twist: &Vector6<f64>) -> Vector6<f64> {
    let mut twist = *twist;
    twist.fixed_rows_mut::<3>(3).scale_mut(RADIAN * subject.scale);
    twist
}

/// The Jacobian with rotations in metres.
fn weighed_jacobian(subject: &Subject, positions: &[f64]) -> DMatrix<f64> {
    let mut jacobian = subject.jacobian(positions);
    jacobian.rows_mut(3, 3).scale_mut(RADIAN * subject.scale);
    jacobian
}

/// The joints at limits, the projected twist, and the smallest singular value of the remaining joints.
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
    let bound = |joint: usize, end: usize| if sides[joint][end] { 0.0 } else { subject.bounds(joint)[0] };
    let bounds = Bounds {
        lower: (0..joints).map(|joint| -bound(joint, 0)).collect(),
        upper: (0..joints).map(|joint| bound(joint, 1)).collect(),
    };
    let jacobian = weighed_jacobian(subject, positions);
    let found = least(&jacobian, &DVector::from_column_slice(weighed(subject, twist).as_slice()), &bounds);
    let goal = &jacobian * &found;
    let approaching = (0..joints).any(|joint| {
        let [below, above] = subject.room(joint, positions[joint]);
        let room = if found[joint] < 0.0 { below } else { above };
        let speed = found[joint].abs();
        let at = sides[joint][usize::from(found[joint] > 0.0)];
        !at && (room * found.norm() < TURNING * speed
            || room < 1.5 * braking(speed, subject.bounds(joint)).0
            || room < AT_LIMIT && speed > 1e-6)
    });
    let left: Vec<usize> = (0..joints).filter(|&joint| sides[joint] == [false; 2]).collect();
    let values = subject.scaled_jacobian(positions).select_columns(&left).singular_values();
    let least = if left.is_empty() { 0.0 } else { values.min() };
    (Standing { sides, approaching }, Vector6::from_column_slice(goal.as_slice()), least)
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut rows = [
        Worst::new("runs back, a share of the command", 1e-3),
        Worst::new("faster than the command, a share", 2e-2),
        Worst::new("at limits: off the projected twist [deg]", 1.0),
        Worst::new("at limits, singular: off it [deg]", f64::INFINITY),
        Worst::new("at limits: share of stuck time", f64::INFINITY),
    ];
    let (mut usage, mut samples, mut progress) = (WorstUsage::new(), 0, 0.0);
    let judge = |seed: u64| {
        let case = Case::new(subject, seed);
        let run = run(subject, &case);
        (steady(subject, &run, &case), shares(subject, &run, &case), run.usage(subject))
    };
    let judged: Vec<_> = seeds.clone().into_par_iter().map(judge).collect();
    for (seed, (steady, shares, used)) in seeds.zip(&judged) {
        let name = format!("slide/{seed}");
        samples += steady.samples;
        progress += shares.mean;
        let stuck = small(steady.stuck) / small(steady.samples.max(1));
        let values = [shares.back, shares.faster, steady.angle, steady.singular, stuck];
        rows.iter_mut().zip(values).for_each(|(row, value)| row.meet(value, &name));
        usage.meet(used, &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    let way = 100.0 * progress / small(judged.len());
    let title = format!("sliding, {samples} samples steady at limits; the tip came {way:.1} % of the way");
    print(&subject.arm.name, &title, &rows)
}

/// Prints the joints and the tip every 0.1 s.
pub fn replay(subject: &Subject, case: &Case) {
    let run = run(subject, case);
    println!("start {:?}\ntwist {:?}", case.start, case.twist.as_slice());
    for sample in (1..run.positions.len() - 1).step_by(count(0.1, run.period)) {
        let twist = case.twist_at(&subject.pose(&run.positions[sample]));
        let (standing, goal, least) = standing(subject, &run.positions[sample], &run.velocities(sample), &twist);
        let [from, to] = [sample - 1, sample + 1].map(|sample| subject.pose(&run.positions[sample]));
        let [moved, command] =
            [twist_between(&from, &to, 2.0 * run.period), twist].map(|twist| weighed(subject, &twist));
        let at: Vec<usize> = (0..subject.joints()).filter(|joint| standing.sides[*joint] != [false; 2]).collect();
        println!(
            "{:.2} at limits {at:?} approaching {} σ {least:.3} moves {:.4} of {:.4}, {:.2}° off; {:.2}° from the command, feasible {:.2}°",
            small(sample) * run.period,
            standing.approaching,
            moved.norm(),
            goal.norm(),
            moved.angle(&goal).to_degrees(),
            moved.angle(&command).to_degrees(),
            goal.angle(&command).to_degrees()
        );
    }
    println!("{:?}", run.usage(subject));
}
