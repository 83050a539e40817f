//! Common parts of the judges of hand motion: comfortable starts, and the motion of the tip relative to its command.

use nalgebra::{DMatrix, DVector, Vector3, Vector6};
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};
use urdf_ik::robot::Domain;

use crate::box_least_squares::{Bounds, least};
use crate::common::Random;
use crate::watch::{Input, Run, Subject, count, twist_between};

/// Metres that count as a radian.
const RADIUS: f64 = 0.3;
/// Range of a start: this fraction of each joint's range, which counts up to 3.1 rad from zero.
const CENTRAL: f64 = 0.7;
const WHOLE_TURN: f64 = 3.1;
/// Maximum condition number of the Jacobian of a start, for arms that can hold all six axes.
const COMFORTABLE: f64 = 14.0;
/// Distance to a limit at which a joint counts as blocked \[rad or m\].
const BLOCKED: f64 = 0.02;
/// A feasible motion: fraction of the commanded speed that is tried, the minimum that counts, and the minimum cosine of
/// the angle to the command (60°).
const TRIED: f64 = 0.1;
const LEAST: f64 = 0.03;
const COSINE: f64 = 0.5;
/// Fraction of the commanded speed below which the tip is stationary.
const STATIONARY: f64 = 0.05;

/// The cases of a judge.
pub struct Scope {
    pub seeds: std::ops::Range<u64>,
    /// Period of the commands \[s\].
    pub period: f64,
}

impl Scope {
    /// Number of periods in a duration in seconds.
    pub fn count(&self, seconds: f64) -> usize {
        count(seconds, self.period)
    }
}

/// A servo with the default options.
pub fn default_servo(subject: &Subject, start: &[f64]) -> Servo {
    let options = ServoOptions { slack: subject.slack, ..ServoOptions::default() };
    Servo::new(&subject.solver, &subject.limits, options, start).unwrap()
}

/// The run of a servo from a start along twists in the base link's axes, one for each period.
pub fn follow(subject: &Subject, start: &[f64], twists: &[Vector6<f64>], period: f64) -> Run {
    let (mut servo, mut run) = (default_servo(subject, start), Run::new(period, start));
    for twist in twists {
        run.step(&mut servo, &Input::twist(twist, Axes::Base));
    }
    run
}

/// The twist of a translation.
pub fn translation(velocity: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, 0.0)
}

/// A twist with rotations in metres.
pub fn weighed(twist: &Vector6<f64>) -> Vector6<f64> {
    let mut twist = *twist;
    twist.fixed_rows_mut::<3>(3).scale_mut(RADIUS);
    twist
}

/// The Jacobian with rotations in metres.
pub fn weighed_jacobian(subject: &Subject, positions: &[f64]) -> DMatrix<f64> {
    let mut jacobian = subject.jacobian(positions);
    jacobian.rows_mut(3, 3).scale_mut(RADIUS);
    jacobian
}

pub fn condition_number(subject: &Subject, positions: &[f64]) -> f64 {
    let values = weighed_jacobian(subject, positions).singular_values();
    values.max() / values.min()
}

/// A start away from limits and singularities.
pub fn comfortable(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let range = |joint: usize| match subject.domain(joint) {
        Domain::Interval { lower, upper } => [lower.max(-WHOLE_TURN), upper.min(WHOLE_TURN)],
        Domain::Circle => [-WHOLE_TURN, WHOLE_TURN],
    };
    let mut start = Vec::new();
    for _ in 0..1000 {
        let drawn = (0..subject.joints()).map(|joint| {
            let [lower, upper] = range(joint);
            0.5 * (lower + upper + CENTRAL * random.between(lower - upper, upper - lower))
        });
        start = drawn.collect();
        if subject.joints() < 6 || condition_number(subject, &start) < COMFORTABLE {
            break;
        }
    }
    start
}

/// The twist of the tip in each period, with rotations in metres.
pub fn tip_twists(subject: &Subject, run: &Run) -> Vec<Vector6<f64>> {
    let poses: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    poses.windows(2).map(|pair| weighed(&twist_between(&pair[0], &pair[1], run.period))).collect()
}

/// The longest path of a joint while the tip is stationary, slower than a fraction of a twist \[rad or m\].
pub fn stationary_motion(subject: &Subject, run: &Run, twist: &Vector6<f64>) -> f64 {
    let slow = STATIONARY * weighed(twist).norm();
    let (mut longest, mut paths) = (0.0_f64, vec![0.0; subject.joints()]);
    for (moved, pair) in tip_twists(subject, run).iter().zip(run.positions.windows(2)) {
        if moved.norm() >= slow {
            paths.fill(0.0);
            continue;
        }
        for (joint, path) in paths.iter_mut().enumerate() {
            *path += (pair[1][joint] - pair[0][joint]).abs();
            longest = longest.max(*path);
        }
    }
    longest
}

/// True if joint velocities within the limits move the tip within 60° of a twist, at a speed that counts.
pub fn is_feasible(subject: &Subject, positions: &[f64], twist: &Vector6<f64>) -> bool {
    let (jacobian, input) = (weighed_jacobian(subject, positions), weighed(twist));
    let bound = |joint: usize, side: usize| {
        let is_blocked = subject.room(joint, positions[joint])[side] < BLOCKED;
        if is_blocked { 0.0 } else { subject.bounds(joint)[0] }
    };
    let joints = 0..subject.joints();
    let bounds = Bounds {
        lower: joints.clone().map(|joint| -bound(joint, 0)).collect(),
        upper: joints.map(|joint| bound(joint, 1)).collect(),
    };
    let tried = DVector::from_column_slice((TRIED * input).as_slice());
    let found = &jacobian * least(&jacobian, &tried, &bounds);
    let along = found.dot(&input);
    along > LEAST * input.norm_squared() && along > COSINE * found.norm() * input.norm()
}

/// The mean.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), value| (sum + value, number + 1.0));
    sum / number
}
