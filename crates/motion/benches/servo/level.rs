//! Hand motion on six axes for 60 s with a level cup, a standing goal: by how much does it exceed its cone, and how far
//! does the tip follow the part of the motion that the cone permits?

use nalgebra::{DVector, Rotation3, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::goals::{Between, Cone, Goal, Place};
use urdf_ik::motion::servo::Axes;

use crate::box_least_squares::{Bounds, least};
use crate::common::Random;
use crate::common::hand::hand_sequence;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo, tip_twists, weighed, weighed_jacobian};
use crate::watch::{Input, Run, Subject, Usage};

const SECONDS: f64 = 60.0;
/// Angles of the cones \[deg\].
const CONES: [f64; 2] = [0.0, 5.0];
/// Greatest excess at published states \[deg\].
const MAX_EXCESS: f64 = 0.01;
/// Least progress, relative to that of a servo without goals along the permitted part of the same motion. Arms of
/// fewer than six joints cannot follow that part and keep the goal: theirs is relative to the possible progress in both
/// cases.
const PROGRESS: f64 = 0.9;
/// Weight of the cone and of the joints' velocities, relative to the motion of the tip.
const EXACT: f64 = 1e3;
const SMALL: f64 = 1e-3;

/// The cup: the axis of the tip that is level at the start.
struct Cup {
    direction: Vector3<f64>,
    /// Half the angle of the cone \[rad\].
    angle: f64,
}

/// The judgement of a sequence.
struct Judged {
    /// Greatest excess over the cone \[deg\].
    excess: f64,
    /// Motion along the permitted commands, with the goal and without it, over these commands.
    progress: [f64; 2],
    /// The same of joints that follow at once within their limits; 1 with six joints or more.
    possible: [f64; 2],
    usage: Usage,
}

impl Cup {
    fn axis(subject: &Subject, positions: &[f64]) -> Vector3<f64> {
        subject.pose(positions).rotation * Vector3::z()
    }

    fn goal(&self, subject: &Subject) -> Goal {
        let place = Place::of_tip(&subject.arm.chain, 0);
        let between = Between { link: place, point: Vector3::zeros(), frame: Place::base() };
        let Self { direction, angle } = *self;
        Goal::new("level", Cone { between, axis: Vector3::z(), direction, angle }).unwrap().standing()
    }

    /// The tilt \[rad\].
    fn tilt(&self, axis: &Vector3<f64>) -> f64 {
        axis.cross(&self.direction).norm().atan2(axis.dot(&self.direction))
    }

    /// The part of a twist that the cone permits for a period: the axis ends inside.
    fn permitted(&self, axis: &Vector3<f64>, twist: &Vector6<f64>, period: f64) -> Vector6<f64> {
        let mut angular = Vector3::from(twist.fixed_rows::<3>(3));
        if self.angle == 0.0 {
            angular = self.direction * self.direction.dot(&angular);
        } else {
            let end = Rotation3::new(angular * period) * axis;
            let excess = (self.tilt(&end) - self.angle).max(0.0);
            angular += end.cross(&self.direction).try_normalize(0.0).unwrap_or_default() * (excess / period);
        }
        let mut twist = *twist;
        twist.fixed_rows_mut::<3>(3).copy_from(&angular);
        twist
    }

    /// The parts of all twists that the cone permits: their motion stays inside.
    fn permitted_motion(&self, twists: &[Vector6<f64>], period: f64) -> Vec<Vector6<f64>> {
        let mut axis = self.direction;
        let mut next = |twist| {
            let twist = self.permitted(&axis, twist, period);
            axis = Rotation3::new(twist.fixed_rows::<3>(3) * period) * axis;
            twist
        };
        twists.iter().map(&mut next).collect()
    }
}

/// Joint velocities within the limits that move the tip for a period as near to a twist as they and the cone permit.
fn nearest(subject: &Subject, positions: &[f64], twist: &Vector6<f64>, period: f64, cup: Option<&Cup>) -> DVector<f64> {
    let n = positions.len();
    let most = |joint: usize, side: usize| {
        subject.bounds(joint)[0].min(subject.room(joint, positions[joint])[side].max(0.0) / period)
    };
    let bounds = Bounds {
        lower: (0..n).map(|joint| -most(joint, 0)).collect(),
        upper: (0..n).map(|joint| most(joint, 1)).collect(),
    };
    let mut a = weighed_jacobian(subject, positions).resize_vertically(6 + n, 0.0);
    a.view_mut((6, 0), (n, n)).fill_diagonal(SMALL);
    let mut b = DVector::from_column_slice(weighed(twist).as_slice()).resize_vertically(6 + n, 0.0);
    let mut found = least(&a, &b, &bounds);
    let Some(cup) = cup else { return found };
    let rotation = subject.jacobian(positions).rows(3, 3).into_owned();
    // A row for each direction in which the axis would leave the cone.
    for rows in 6 + n..9 + n {
        let axis = Cup::axis(subject, &moved(positions, &found, period));
        let excess = cup.tilt(&axis) - cup.angle;
        let Some(about) = axis.cross(&cup.direction).try_normalize(0.0).filter(|_| excess > 0.0) else { break };
        let row = about.transpose() * &rotation * EXACT;
        b = b.push((&row * &found)[0] + EXACT * excess / period);
        a = a.insert_row(rows, 0.0);
        a.row_mut(rows).copy_from(&row);
        found = least(&a, &b, &bounds);
    }
    found
}

/// Positions after a period with these velocities.
fn moved(positions: &[f64], velocities: &DVector<f64>, period: f64) -> Vec<f64> {
    positions.iter().zip(velocities).map(|(position, velocity)| position + period * velocity).collect()
}

/// The motion of joints that follow twists at once, within their limits and the cone.
fn possible_motion(subject: &Subject, start: &[f64], twists: &[Vector6<f64>], period: f64, cup: Option<&Cup>) -> Run {
    let mut run = Run::new(period, start);
    for twist in twists {
        let here = &run.positions[run.positions.len() - 1];
        let next = moved(here, &nearest(subject, here, twist, period, cup), period);
        run.positions.push(next);
    }
    run
}

fn judge(subject: &Subject, seed: u64, angle: f64, scope: &Scope) -> Judged {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let commands = hand_sequence(&mut random, scope.period, scope.count(SECONDS));
    let cup = Cup { direction: Cup::axis(subject, &start), angle: angle.to_radians() };
    let permitted = cup.permitted_motion(&commands, scope.period);
    let (mut free, mut free_run) = (default_servo(subject, &start), Run::new(scope.period, &start));
    for command in &permitted {
        free_run.step(&mut free, &Input::twist(command, Axes::Base));
    }
    let (mut servo, mut run) = (default_servo(subject, &start), Run::new(scope.period, &start));
    servo.set_goals(&[cup.goal(subject)]);
    for command in &commands {
        run.step(&mut servo, &Input::twist(command, Axes::Base));
    }
    let tilts = run.positions.iter().map(|positions| cup.tilt(&Cup::axis(subject, positions)));
    let wished: Vec<_> = permitted.iter().map(weighed).collect();
    let whole: f64 = wished.iter().map(Vector6::norm_squared).sum();
    let progress = |run: &Run| {
        let moved = tip_twists(subject, run);
        moved.iter().zip(&wished).map(|(moved, wished)| moved.dot(wished)).sum::<f64>() / whole
    };
    let possible = [Some(&cup), None].map(|cup| {
        let is_short = subject.joints() < 6;
        if is_short { progress(&possible_motion(subject, &start, &permitted, scope.period, cup)) } else { 1.0 }
    });
    let excess = tilts.fold(0.0, f64::max) - cup.angle;
    let progress = [&run, &free_run].map(progress);
    Judged { excess: excess.to_degrees(), progress, possible, usage: run.usage(subject) }
}

/// Returns the number of figures beyond their thresholds.
pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let of_cone = |angle: f64| {
        let judged: Vec<Judged> =
            scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, angle, scope)).collect();
        let sum = |part: usize| judged.iter().map(|judged| judged.progress[part]).sum::<f64>();
        let possible = |part: usize| judged.iter().map(|judged| judged.possible[part]).sum::<f64>();
        let possible = possible(0) / possible(1);
        let count = f64::from(u32::try_from(judged.len()).unwrap());
        let worst = |excess: f64| judged.iter().filter(|judged| judged.excess > excess).count();
        let figures = [
            Figure::new("excess over the cone [deg]", judged.iter().map(|judged| judged.excess).fold(0.0, f64::max))
                .at_most(MAX_EXCESS),
            Figure::new("progress over that without a goal", sum(0) / sum(1) / possible).at_least(PROGRESS),
            Figure::new("  the same of joints that follow at once", possible),
            Figure::new("progress", sum(0) / count),
            Figure::bounds(judged.iter().map(|judged| &judged.usage)),
        ];
        let title = format!(
            "{} hand sequences of 60 s with a cone of {angle}°, {} of them beyond it",
            judged.len(),
            worst(MAX_EXCESS)
        );
        print_figures(&subject.arm.name, &title, &figures)
    };
    CONES.into_iter().map(of_cone).sum()
}
