//! Random streams of commands under the default speeds of the tip: is any bound of the joints or of the tip broken?

use nalgebra::{Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};

use crate::commands::{PERIODS, random_steps};
use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::watch::{Input, Run, Subject, count, small, twist_between};

/// Duration of the first command, a line or a jog \[s\], and the number of commands after it.
const FIRST: f64 = 2.0;
const CHANGES: usize = 40;
/// Tolerance of the speed, as a fraction.
const FASTER: f64 = 0.02;
/// The kinds of commands, and the first one.
const KINDS: [&str; 5] = [
    "twists: faster than the maximum, a share",
    "jogs: faster than the maximum, a share",
    "poses: faster than the maximum, a share",
    "rest: faster than the maximum, a share",
    "line: faster than the command, a share",
];
/// Metres that count as a radian, over the length scale.
const RADIAN: f64 = 0.75;

/// A stream of commands, and the run of a servo.
struct Stream {
    options: ServoOptions,
    /// The commands, each with its first sample.
    inputs: Vec<(usize, Input)>,
    /// Linear and angular speed of a line; zeros without one.
    commanded: [f64; 2],
    run: Run,
}

impl Stream {
    fn new(subject: &Subject, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let start = random.positions(&subject.arm.chain);
        let mut options = ServoOptions { slack: subject.slack, ..ServoOptions::default() };
        match seed % 4 {
            0 => options.free_axes[3..].fill(true),
            2 => options.free_axes[3 + random.below(3)] = true,
            _ => {}
        }
        let mut servo = Servo::new(&subject.solver, &subject.limits, options, &start).unwrap();
        let mut run = Run::new(PERIODS[random.below(PERIODS.len())], &start);
        let (input, commanded) = first(subject, &mut random);
        run.steps(&mut servo, &input, FIRST);
        let mut inputs = vec![(0, input)];
        inputs.extend(random_steps(subject, &mut servo, &mut run, CHANGES, &mut random));
        Self { options, inputs, commanded, run }
    }

    /// Linear and angular speed of the tip in each period.
    fn speeds(&self, subject: &Subject) -> Vec<[f64; 2]> {
        let poses: Vec<_> = self.run.positions.iter().map(|positions| subject.pose(positions)).collect();
        let twists = poses.windows(2).map(|pair| twist_between(&pair[0], &pair[1], self.run.period));
        twists.map(|twist| [0, 3].map(|row| twist.fixed_rows::<3>(row).norm())).collect()
    }

    /// The command of a sample, with its first sample.
    fn input(&self, sample: usize) -> &(usize, Input) {
        &self.inputs[self.inputs.partition_point(|(since, _)| *since <= sample) - 1]
    }

    /// The excess over the maximum speeds under each [kind](KINDS) of command, and on a line over the command.
    fn excesses(&self, subject: &Subject) -> [Excess; KINDS.len()] {
        let most = [self.options.linear_speed, self.options.angular_speed];
        // Uncommanded axes may move within their slack. Of a twist with both parts, each may have the other's speed.
        let radian = RADIAN * subject.scale;
        let of_command = |speed: [f64; 2]| match self.commanded {
            [0.0, 0.0] => 0.0,
            [linear, 0.0] => speed[0] / linear,
            [0.0, angular] => speed[1] / angular,
            both => speed[0].hypot(radian * speed[1]) / both[0].hypot(radian * both[1]),
        };
        let mut excesses = [Excess { share: 0.0, sample: 0 }; KINDS.len()];
        for (sample, speed) in self.speeds(subject).into_iter().enumerate() {
            let kind = match self.input(sample).1 {
                Input::Twist(_) => 0,
                Input::Velocities(_) => 1,
                Input::Pose(_) => 2,
                Input::Rest => 3,
            };
            excesses[kind].meet((speed[0] / most[0]).max(speed[1] / most[1]), sample);
            if sample < count(FIRST, self.run.period) {
                excesses[4].meet(of_command(speed), sample);
            }
        }
        excesses
    }
}

/// A translation, a rotation or both, below the maximum speeds, with the speeds of both; or a jog.
fn first(subject: &Subject, random: &mut Random) -> (Input, [f64; 2]) {
    let kind = random.below(4);
    if kind == 3 {
        let velocity = |joint: usize| subject.bounds(joint)[0] * random.between(-1.0, 1.0);
        return (Input::Velocities((0..subject.joints()).map(velocity).collect()), [0.0; 2]);
    }
    let mut part = |speed: f64, is_part: bool| {
        if is_part { random.direction() * random.between(0.1 * speed, speed) } else { Vector3::zeros() }
    };
    let linear = part(ServoOptions::DEFAULT.linear_speed, kind != 1);
    let angular = part(ServoOptions::DEFAULT.angular_speed, kind != 0);
    let twist = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
    let commanded = [linear.norm(), angular.norm()];
    (Input::twist(&twist, [Axes::Base, Axes::Tip][random.below(2)]), commanded)
}

/// The largest excess over a speed as a fraction of it, and its sample.
#[derive(Clone, Copy)]
struct Excess {
    share: f64,
    sample: usize,
}

impl Excess {
    fn meet(&mut self, ratio: f64, sample: usize) {
        if ratio - 1.0 > self.share {
            *self = Self { share: ratio - 1.0, sample };
        }
    }
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let judge = |seed: u64| {
        let stream = Stream::new(subject, seed);
        (stream.excesses(subject), stream.run.usage(subject))
    };
    let judged: Vec<_> = seeds.clone().into_par_iter().map(judge).collect();
    let mut usage = WorstUsage::new();
    let mut rows = KINDS.map(|kind| Worst::new(kind, FASTER));
    for (seed, (excesses, used)) in seeds.zip(&judged) {
        let name = format!("bounds/{seed}");
        usage.meet(used, &name);
        for (row, Excess { share, sample }) in rows.iter_mut().zip(excesses) {
            row.meet(*share, &format!("{name} sample {sample}"));
        }
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "random streams under the default maximum speeds of the tip", &rows)
}

/// Prints the command and the motion around each excess.
pub fn replay(subject: &Subject, seed: u64) {
    let stream = Stream::new(subject, seed);
    let (run, speeds) = (&stream.run, stream.speeds(subject));
    println!("start {:?}\nfree axes {:?} period {} s", run.positions[0], stream.options.free_axes, run.period);
    println!("first {:?}", stream.inputs[0].1);
    for (Excess { share, sample }, kind) in stream.excesses(subject).into_iter().zip(KINDS) {
        println!("{kind}: {share:.4} at sample {sample}");
        if share <= FASTER {
            continue;
        }
        let stride = count(0.02, run.period);
        let around = sample.saturating_sub(8 * stride)..(sample + 3 * stride).min(speeds.len());
        let mut shown = None;
        for at in around.step_by(stride) {
            let (since, input) = stream.input(at);
            if shown != Some(*since) {
                println!("  from sample {since}: {input:?}");
                shown = Some(*since);
            }
            let [linear, angular] = speeds[at];
            println!(
                "  {:.3} s {linear:.4} m/s {angular:.4} rad/s | {:.3?} | {:.3?}",
                small(at) * run.period,
                run.positions[at],
                run.velocities(at)
            );
        }
    }
    println!("{:?}", run.usage(subject));
}
