//! Processor time of a step at 1 kHz under a hand with noise, so that the command changes in every period.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use urdf_ik::motion::servo::Axes;

use crate::common::Random;
use crate::common::hand::{hand_sequence, normal};
use crate::table::{Figure, print_figures};
use crate::tip_motion::{comfortable, default_servo, mean, weighed};
use crate::watch::{Input, Subject, count};

const PERIOD: f64 = 0.001;
const SECONDS: f64 = 5.0;
/// Noise as a fraction of the speed.
const NOISE: f64 = 0.02;
/// Maximum of 99 % of the steps and of all with up to seven joints, and of all with more \[s\].
const P99: f64 = 0.2e-3;
const MAXIMUM: f64 = 1e-3;
const LONG_ARM: f64 = 2e-3;

/// Processor time of this thread \[s\], without that of others on the same core.
fn processor_time() -> f64 {
    let time: Duration = clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap();
    time.as_secs_f64()
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut times = Vec::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let start = comfortable(subject, &mut random);
        let mut servo = default_servo(subject, &start);
        for twist in hand_sequence(&mut random, PERIOD, count(SECONDS, PERIOD)) {
            let noise = normal(&mut random) * (NOISE * weighed(&twist).norm());
            let input = Input::twist(&(twist + noise), Axes::Base);
            let before = processor_time();
            input.apply(&mut servo, PERIOD);
            times.push(processor_time() - before);
        }
    }
    times.sort_by(f64::total_cmp);
    let [p99, most] = [99, 100].map(|percent| times[(times.len() - 1) * percent / 100]);
    let (p99, most) = (Figure::new("99 % of the steps [s]", p99), Figure::new("maximum [s]", most));
    let is_long = subject.joints() > 7;
    let figures = [
        Figure::new("mean [s]", mean(times.iter().copied())),
        if is_long { p99 } else { p99.at_most(P99) },
        most.at_most(if is_long { LONG_ARM } else { MAXIMUM }),
    ];
    let title = format!("processor time of a step at 1 kHz under a hand, {} joints", subject.joints());
    print_figures(&subject.arm.name, &title, &figures)
}
