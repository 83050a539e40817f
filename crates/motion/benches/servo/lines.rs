//! Random starts and constant twists: is the tip on its line while nothing holds the arm back, and does it keep to the direction of
//! what is possible while something does?

use nalgebra::{Isometry3, Vector6};
use urdf_ik::motion::servo::Axes;

use crate::common::Random;
use crate::held::{Held, Sight, braking, jerks, look};
use crate::projection::{self, Steady};
use crate::table::{Worst, WorstUsage, print};
use crate::watch::{Run, Subject, Wish, count, from_line, small, twist_between};

pub const PERIOD: f64 = 0.004;
const SECONDS: f64 = 5.0;
/// The time after a change until the velocity counts \[s\].
const SETTLING: f64 = 0.3;
/// Samples between two that are looked at.
const STRIDE: usize = 4;

/// A case: a start and a twist along some axes.
pub struct Case {
    pub start: Vec<f64>,
    twist: Vector6<f64>,
    axes: Axes,
    pub name: String,
}

impl Case {
    pub fn wish(&self) -> Wish {
        Wish::twist(&self.twist, self.axes)
    }

    /// The twist in the base link's axes where the tip is at `pose` and began at `first`: the axes of the tip's target turn only with
    /// commanded rotations.
    fn twist_at(&self, pose: &Isometry3<f64>, first: &Isometry3<f64>) -> Vector6<f64> {
        let turns = self.twist.fixed_rows::<3>(3).norm() > 0.0;
        if self.axes == Axes::Base { self.twist } else { turned(if turns { pose } else { first }, &self.twist) }
    }
}

/// The cases of a seed: six directions along the axes of base and tip.
pub fn cases(subject: &Subject, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    let start = random.positions(&subject.arm.chain);
    let mut made = Vec::new();
    for axes in [Axes::Base, Axes::Tip] {
        for axis in 0..6 {
            let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
            let mut twist = Vector6::zeros();
            twist[axis] = sign * if axis < 3 { 0.1 } else { 0.3 };
            let name = format!("lines/{seed}/{}", made.len());
            made.push(Case { start: start.clone(), twist, axes, name });
        }
    }
    made
}

fn turned(pose: &Isometry3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
    let [linear, angular] = [0, 3].map(|row| pose.rotation * twist.fixed_rows::<3>(row).into_owned());
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

pub fn run(subject: &Subject, case: &Case) -> Run {
    let mut servo = subject.servo(&case.start);
    let mut run = Run::new(PERIOD, &case.start);
    run.steps(&mut servo, &case.wish(), SECONDS);
    run
}

/// What is seen at each sample.
pub struct Seen {
    pub poses: Vec<Isometry3<f64>>,
    /// The commanded twists, in the base link's axes.
    pub twists: Vec<Vector6<f64>>,
    pub sights: Vec<Sight>,
    /// Whether nothing holds the arm back, has lately, or soon will.
    pub free: Vec<bool>,
    /// For how long that has been so \[s\].
    pub since: Vec<f64>,
    /// The time until the velocity of the twist counts \[s\].
    pub settling: f64,
}

pub fn see(subject: &Subject, run: &Run, case: &Case) -> Seen {
    let samples = run.positions.len();
    let poses: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    let twists: Vec<_> = poses.iter().map(|pose| case.twist_at(pose, &poses[0])).collect();
    let mut sights: Vec<Sight> = Vec::with_capacity(samples);
    for sample in 0..samples {
        if sample % STRIDE != 0 {
            let same = sights[sample - 1].clone();
            sights.push(same);
            continue;
        }
        let mut sight = look(subject, &run.positions[sample], &run.velocities(sample), &twists[sample]);
        if sample > 0 && sight.held.is_none() && jerks(subject, &sights[sample - 1], &sight, PERIOD * small(STRIDE)) {
            sight.held = Some(Held::Jerk);
        }
        sights.push(sight);
    }
    let settling = SETTLING.max(1.5 * sights[0].braking);
    let ways = ways(&poses, &twists);
    let free: Vec<bool> =
        (0..samples).map(|sample| is_free(sample, &sights, &ways, settling, case.twist.norm())).collect();
    let mut since = vec![0.0; samples];
    for sample in 1..samples {
        since[sample] = if free[sample] && free[sample - 1] { since[sample - 1] + PERIOD } else { 0.0 };
    }
    Seen { poses, twists, sights, free, since, settling }
}

/// How far the tip has come in the direction of the twist.
fn ways(poses: &[Isometry3<f64>], twists: &[Vector6<f64>]) -> Vec<f64> {
    let mut ways = vec![0.0];
    for (pair, twist) in poses.windows(2).zip(twists) {
        let along = twist_between(&pair[0], &pair[1], 1.0).dot(&twist.normalize());
        ways.push(ways[ways.len() - 1] + along.max(0.0));
    }
    ways
}

/// Whether nothing held the arm back while it settled, and nothing does on the way that it takes to brake.
fn is_free(sample: usize, sights: &[Sight], ways: &[f64], settling: f64, speed: f64) -> bool {
    let first = sample.saturating_sub(count(settling, PERIOD));
    if sights[first..=sample].iter().any(|sight| sight.held.is_some()) {
        return false;
    }
    let end = ways[sample] + speed * sights[sample].braking.max(SETTLING);
    // What comes after the end is not known.
    let Some(after) = ways[sample..].iter().position(|way| *way > end) else {
        return ways[sample..].len() > count(1.0, PERIOD) && sights[sample..].iter().all(|sight| sight.held.is_none());
    };
    sights[sample..sample + after].iter().all(|sight| sight.held.is_none())
}

/// What is wrong with a run.
#[derive(Default, Debug, Clone, Copy)]
pub struct Faults {
    pub free: usize,
    pub apart: [f64; 2],
    pub velocity: f64,
    pub lag: [f64; 2],
    /// How fast the tip runs against the twist, over the twist's speed.
    pub backwards: f64,
    pub steady: Steady,
}

pub fn faults(subject: &Subject, run: &Run, seen: &Seen) -> Faults {
    let mut faults = Faults { steady: projection::steady(subject, run, seen), ..Faults::default() };
    let (mut anchor, mut twist) = (seen.poses[0], &seen.twists[0]);
    let mut lags = [f64::INFINITY, f64::NEG_INFINITY];
    let speed = twist.norm();
    let kind = usize::from(twist.fixed_rows::<3>(0).norm() == 0.0);
    for sample in 0..run.positions.len() - 1 {
        if sample > 0 {
            let moved = twist_between(&seen.poses[sample - 1], &seen.poses[sample + 1], 2.0 * PERIOD);
            faults.backwards = faults.backwards.max(-moved.dot(&seen.twists[sample]) / (speed * speed));
        }
        if !seen.free[sample] {
            continue;
        }
        faults.free += 1;
        if seen.since[sample] == 0.0 {
            (anchor, twist) = (seen.poses[sample], &seen.twists[sample]);
            lags = [f64::INFINITY, f64::NEG_INFINITY];
        }
        let (apart, way) = from_line(&anchor, twist, &seen.poses[sample]);
        (0..2).for_each(|part| faults.apart[part] = faults.apart[part].max(apart[part]));
        // Free from the start on, it has to get up to speed first.
        let starting = small(sample) * PERIOD < seen.settling;
        if starting || sample == 0 {
            continue;
        }
        let moved = twist_between(&seen.poses[sample - 1], &seen.poses[sample + 1], 2.0 * PERIOD);
        let rows = moved.fixed_rows::<3>(3 * kind) - twist.fixed_rows::<3>(3 * kind);
        faults.velocity = faults.velocity.max(rows.norm() / speed);
        let lag = seen.since[sample] * speed - way;
        lags = [lags[0].min(lag), lags[1].max(lag)];
        faults.lag[kind] = faults.lag[kind].max(lags[1] - lags[0]);
    }
    faults
}

pub fn measure(subject: &Subject, seeds: u64) -> usize {
    let mut rows = [
        Worst::new("free: off the line [m]", 1e-4),
        Worst::new("free: off the line [rad]", 1e-4),
        Worst::new("free: velocity off, as a share", 5e-3),
        Worst::new("free: lag changes [m]", 1e-4),
        Worst::new("free: lag changes [rad]", 1e-4),
        Worst::new("runs against its twist, as a share", 0.05),
        Worst::new("no limit, not singular: off the twist [deg]", 1.0),
        Worst::new("at limits: off the projected twist [deg]", 1.0),
        Worst::new("at limits: share of stuck time", f64::INFINITY),
        Worst::new("singular: off the projected twist [deg]", f64::INFINITY),
    ];
    let mut usage = WorstUsage::new();
    let (mut samples, mut free, mut steady) = (0, 0, 0);
    for seed in 0..seeds {
        for case in cases(subject, seed) {
            let run = run(subject, &case);
            usage.meet(&run.usage(subject), &case.name);
            let seen = see(subject, &run, &case);
            let faults = faults(subject, &run, &seen);
            samples += run.positions.len();
            free += faults.free;
            steady += faults.steady.samples;
            let Steady { angle, stuck, singular, slowed, .. } = faults.steady;
            let [a, b] = faults.apart;
            let values =
                [a, b, faults.velocity, faults.lag[0], faults.lag[1], faults.backwards, slowed, angle, stuck, singular];
            rows.iter_mut().zip(values).for_each(|(row, value)| row.meet(value, &case.name));
        }
    }
    let share = |part: usize| 100.0 * small(part) / small(samples.max(1));
    let title = format!("lines, {:.0} % of the time free, {:.1} % steady at limits", share(free), share(steady));
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, &title, &rows)
}

/// Prints a run sample by sample.
pub fn replay(subject: &Subject, case: &Case) {
    let run = run(subject, case);
    let seen = see(subject, &run, case);
    println!("{} {:?}\nstart {:?}", case.name, case.wish(), case.start);
    println!("time free held σ | m off, rad off, along | velocity share | joint velocities | room");
    let (mut anchor, mut twist) = (seen.poses[0], &seen.twists[0]);
    for sample in (1..run.positions.len() - 1).step_by(5) {
        if seen.free[sample] && seen.since[sample] < 5.0 * PERIOD {
            (anchor, twist) = (seen.poses[sample], &seen.twists[sample]);
        }
        let (apart, way) = from_line(&anchor, twist, &seen.poses[sample]);
        let moved = twist_between(&seen.poses[sample - 1], &seen.poses[sample + 1], 2.0 * PERIOD);
        let share = moved.dot(&seen.twists[sample]) / twist.norm_squared();
        let positions = &run.positions[sample];
        let room = (0..subject.joints()).map(|joint| subject.room(joint, positions[joint]));
        let room: Vec<String> = room.map(|[low, high]| format!("{:.3}", low.min(high))).collect();
        let velocities: Vec<String> = run.velocities(sample).iter().map(|v| format!("{v:.3}")).collect();
        let least = subject.scaled_jacobian(positions).singular_values().min();
        let held = seen.sights[sample].held.map_or("-".to_owned(), |held| format!("{held:?}"));
        println!(
            "{:.3} {} {held:12} {least:.3} | {:.1e} {:.1e} {way:.4} | {share:.4} | {} | {}",
            small(sample) * PERIOD,
            if seen.free[sample] { "free" } else { "    " },
            apart[0],
            apart[1],
            velocities.join(" "),
            room.join(" ")
        );
    }
    println!("{:?}\n{:?}", faults(subject, &run, &seen), run.usage(subject));
    let slowest = (0..subject.joints()).map(|joint| braking(subject.bounds(joint)[0], subject.bounds(joint)).1);
    println!("braking takes at most {:.2} s", slowest.fold(0.0, f64::max));
}
