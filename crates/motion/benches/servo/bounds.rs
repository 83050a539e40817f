//! Random streams of commands under the default speeds of the tip: is any bound of the joints or of the tip broken?

use nalgebra::{Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};

use crate::commands::{PERIODS, random_steps};
use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::watch::{Run, Subject, Usage, Wish, count, twist_between};

/// Duration of the first command, a line \[s\], and the number of commands after it.
const LINE: f64 = 1.0;
const CHANGES: usize = 40;
/// Tolerance of the speed, as a fraction.
const FASTER: f64 = 0.02;

/// The judgement of a stream.
struct Judged {
    usage: Usage,
    /// Speed over the maximum, and on the line over the command, as fractions beyond 1.
    over_limit: f64,
    over_command: f64,
}

fn judge(subject: &Subject, seed: u64) -> Judged {
    let mut random = Random::new(seed);
    let start = random.positions(&subject.arm.chain);
    let mut options = ServoOptions { give: subject.give, ..ServoOptions::default() };
    if seed.is_multiple_of(2) {
        options.free_axes[3 + random.below(3)] = true;
    }
    let mut servo = Servo::new(&subject.solver, &subject.limits, options, &start).unwrap();
    let mut run = Run::new(PERIODS[random.below(PERIODS.len())], &start);
    let line = line(&mut random);
    run.steps(&mut servo, &Wish::twist(&line, [Axes::Base, Axes::Tip][random.below(2)]), LINE);
    random_steps(subject, &mut servo, &mut run, CHANGES, &mut random);
    let limits = [options.linear_speed, options.angular_speed];
    let commanded = [0, 3].map(|row| line.fixed_rows::<3>(row).norm());
    let on_line = count(LINE, run.period);
    Judged {
        over_limit: excess(&speeds(subject, &run), limits),
        over_command: excess(&speeds(subject, &run)[..on_line], commanded),
        usage: run.usage(subject),
    }
}

/// A translation, a rotation or both, below the maximum speeds.
fn line(random: &mut Random) -> Vector6<f64> {
    let kind = random.below(3);
    let part = |random: &mut Random, speed: f64, is_part: bool| {
        if is_part { random.direction() * random.between(0.1 * speed, speed) } else { Vector3::zeros() }
    };
    let linear = part(random, ServoOptions::DEFAULT.linear_speed, kind != 1);
    let angular = part(random, ServoOptions::DEFAULT.angular_speed, kind != 0);
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// Linear and angular speed of the tip in each period.
fn speeds(subject: &Subject, run: &Run) -> Vec<[f64; 2]> {
    let poses: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    let twists = poses.windows(2).map(|pair| twist_between(&pair[0], &pair[1], run.period));
    twists.map(|twist| [0, 3].map(|row| twist.fixed_rows::<3>(row).norm())).collect()
}

/// The largest excess over the given linear and angular speed, as a fraction of it; a speed of zero has no limit.
fn excess(speeds: &[[f64; 2]], most: [f64; 2]) -> f64 {
    let parts = || (0..2).filter(|part| most[*part] > 0.0);
    speeds.iter().flat_map(|speed| parts().map(|part| speed[part] / most[part] - 1.0)).fold(0.0, f64::max)
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let judged: Vec<Judged> = seeds.clone().into_par_iter().map(|seed| judge(subject, seed)).collect();
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("faster than the maximum speeds, a share", FASTER),
        Worst::new("line: faster than the command, a share", FASTER),
    ];
    for (seed, judged) in seeds.zip(&judged) {
        let name = format!("bounds/{seed}");
        usage.meet(&judged.usage, &name);
        rows[0].meet(judged.over_limit, &name);
        rows[1].meet(judged.over_command, &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "random streams under the default maximum speeds of the tip", &rows)
}
