//! Random commands, and sources that drop out.

use nalgebra::Vector6;
use urdf_ik::motion::servo::{Axes, Servo};

use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::walk::braking;
use crate::watch::{Input, Run, Subject, count, random_input, small};

/// Time without a command after which the arm comes to rest \[s\].
const TIMEOUT: f64 = 0.1;
/// Periods of random commands, and that of sources that drop out \[s\].
pub const PERIODS: [f64; 4] = [0.001, 0.002, 0.004, 0.01];
const PERIOD: f64 = 0.004;
const SECONDS: f64 = 20.0;

/// Commands that change every few ticks.
pub fn random_run(subject: &Subject, seed: u64, changes: usize) -> Run {
    let mut random = Random::new(seed);
    let start = random.positions(&subject.arm.chain);
    let period = PERIODS[random.below(PERIODS.len())];
    let (mut servo, mut run) = (subject.servo(&start), Run::new(period, &start));
    random_steps(subject, &mut servo, &mut run, changes, &mut random);
    run
}

/// Steps of a servo under commands that change every few ticks. Returns the commands, each with its first sample.
pub fn random_steps(
    subject: &Subject,
    servo: &mut Servo,
    run: &mut Run,
    changes: usize,
    random: &mut Random,
) -> Vec<(usize, Input)> {
    let mut inputs = Vec::new();
    for _ in 0..changes {
        let input = random_input(random, subject, &subject.pose(servo.positions()));
        let from = run.positions.len() - 1;
        let most = if random.unit() < 0.1 { 300 } else { 15 };
        for _ in 0..=random.below(most) {
            run.step(servo, &input);
        }
        inputs.push((from, input));
    }
    inputs
}

/// A source that drops out now and then, for 10 ms to 5 s. Also returns the maximum joint velocity later than 0.3 s
/// after the braking time of its limits.
pub fn dropouts(subject: &Subject, seed: u64) -> (Run, f64) {
    let mut random = Random::new(seed);
    let start = random.positions(&subject.arm.chain);
    let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
    let mut fastest = 0.0_f64;
    let clutched = seed.is_multiple_of(3);
    while run.positions.len() < count(SECONDS, PERIOD) {
        let twist = Vector6::from_fn(|row, _| if row < 3 { 0.15 } else { 0.4 } * random.between(-1.0, 1.0));
        // A clutched hand is anchored at the tip again; it moves by the twist.
        let anchor = subject.pose(servo.positions());
        let mut input = Input::twist(&twist, Axes::Base);
        for step in 0..count(random.between(0.2, 1.5), PERIOD) {
            if clutched {
                input = Input::Pose(crate::possible::moved(&anchor, &twist, small(step) * PERIOD));
            }
            run.step(&mut servo, &input);
        }
        let silence = 0.01 * 500.0_f64.powf(random.unit());
        run.steps(&mut servo, &input, silence.min(TIMEOUT));
        let velocities = run.velocities(run.positions.len() - 1);
        let bound = |joint: usize| braking(velocities[joint], subject.bounds(joint)).1;
        let best = (0..subject.joints()).map(bound).fold(0.0, f64::max) + 0.3;
        for step in 0..count((silence - TIMEOUT).max(0.0), PERIOD) {
            run.step(&mut servo, &Input::Rest);
            let last = run.positions.len() - 1;
            if small(step) * PERIOD > best {
                let speed = |joint: usize| run.differences(last, joint)[0].abs();
                fastest = (0..subject.joints()).map(speed).fold(fastest, f64::max);
            }
        }
    }
    (run, fastest)
}

pub fn measure_dropouts(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut usage = WorstUsage::new();
    let mut rows = [Worst::new("velocity when it should rest [rad/s]", 1e-5)];
    for seed in seeds {
        let name = format!("dropouts/{seed}/0");
        let (run, fastest) = dropouts(subject, seed);
        usage.meet(&run.usage(subject), &name);
        rows[0].meet(fastest, &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "silences of 10 ms to 5 s", &rows)
}

pub fn measure_random(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut usage = WorstUsage::new();
    for seed in seeds {
        usage.meet(&random_run(subject, seed, 200).usage(subject), &format!("random/{seed}/0"));
    }
    print(&subject.arm.name, "random commands, 200 changes a case", &usage.into_rows())
}

/// Prints where a run violates its bounds.
pub fn replay(subject: &Subject, run: &Run) {
    let usage = run.usage(subject);
    println!("{usage:?}");
    let Some(order) = (0..4).max_by(|a, b| usage.worst[*a].total_cmp(&usage.worst[*b])) else { return };
    let (sample, joint) = usage.places[order];
    println!("around the worst, joint {joint}: sample, position, velocity, acceleration, jerk");
    for at in sample.saturating_sub(12)..(sample + 6).min(run.positions.len()) {
        let position = run.positions[at][joint];
        println!("{at} {position:.9} {:.6?} room {:.6?}", run.differences(at, joint), subject.room(joint, position));
    }
}
